"""Prompts with places to fill in, as far as asking a model to mend its answer needs them.

::

    template = PromptTemplate.from_template("Translate {text} into {language}.")
    template.input_variables                                  # ['text', 'language'], sorted
    template.format(text="Hallo", language="French")          # 'Translate Hallo into French.'
    template | model                                          # a chain that takes a dictionary
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from string import Formatter
from typing import TYPE_CHECKING, Any

from typing_extensions import override

from output_parsers.runnables.runnable import Runnable
from outputs import HumanMessage

if TYPE_CHECKING:
    from typing import Self

    from output_parsers.runnables.batching import RunnableConfig
    from outputs import BaseMessage

__all__ = [
    "NAIVE_FIX_PROMPT",
    "NAIVE_RETRY_PROMPT",
    "NAIVE_RETRY_WITH_ERROR_PROMPT",
    "PromptTemplate",
    "PromptValue",
    "StringPromptValue",
]


class PromptValue(ABC):
    """What a model is asked, for models that take text and for those that take messages."""

    __slots__ = ()

    @abstractmethod
    def to_string(self) -> str:
        """Return it as text."""

    @abstractmethod
    def to_messages(self) -> list[BaseMessage]:
        """Return it as messages."""


class StringPromptValue(str, PromptValue):
    """A text that a model is asked; it is a `str`, so that any function or model can take it."""

    __slots__ = ()

    def __new__(cls, text: str) -> Self:
        """Make a prompt of *text*."""
        return super().__new__(cls, text)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(text={super().__repr__()})"

    @property
    def text(self) -> str:
        """The text."""
        return str(self)

    @override
    def to_string(self) -> str:
        """Return the text."""
        return str(self)

    @override
    def to_messages(self) -> list[BaseMessage]:
        """Return the text as what a human says."""
        return [HumanMessage(str(self))]


class PromptTemplate(Runnable[dict[str, Any], StringPromptValue]):
    """A text with places ``{like_this}`` to fill in; braces that are meant are doubled.

    Args:
        template: The text.
        input_variables: The names of the places, which are found in the text anyway.

    Raises:
        ValueError: The braces do not match, or a place is not a plain name.
    """

    def __init__(self, template: str, input_variables: list[str] | None = None) -> None:
        self.template = template
        """The text."""
        self.input_variables = sorted(input_variables or _names_in(template))
        """The names of the places."""
        if set(self.input_variables) != set(names := _names_in(template)):
            raise ValueError(f"the template has places for {sorted(names)}")
        self.name = None

    @classmethod
    def from_template(cls, template: str) -> Self:
        """Return a template with the text *template*."""
        return cls(template)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.template!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PromptTemplate):
            return NotImplemented
        return self.template == other.template

    def __hash__(self) -> int:
        return hash(self.template)

    def format(self, **values: Any) -> str:
        """Return the text with *values* in their places; values without a place are ignored.

        Raises:
            KeyError: A place has no value.
        """
        missing = [name for name in self.input_variables if name not in values]
        if missing:
            raise KeyError(f"the prompt has places for {', '.join(missing)}, which were not given")
        return self.template.format_map(values)

    def format_prompt(self, **values: Any) -> StringPromptValue:
        """Do the same as `format`, for models that take messages as well."""
        return StringPromptValue(self.format(**values))

    @override
    def invoke(
        self,
        input: dict[str, Any],
        config: RunnableConfig | None = None,
        **kwargs: Any,
    ) -> StringPromptValue:
        """Fill in the values in *input*, by name."""
        return self.format_prompt(**input)

    @override
    async def ainvoke(
        self,
        input: dict[str, Any],
        config: RunnableConfig | None = None,
        **kwargs: Any,
    ) -> StringPromptValue:
        """Do the same as `invoke`."""
        return self.invoke(input)


def _names_in(template: str) -> list[str]:
    names = []
    for _, name, spec, _ in Formatter().parse(template):
        if name is None:
            continue
        # No attributes or items of values, which come from models and callers.
        if not name.isidentifier() or "{" in (spec or ""):
            raise ValueError(f"a place in a template is a plain name, not {name!r}")
        if name not in names:
            names.append(name)
    return names


NAIVE_FIX_PROMPT = PromptTemplate.from_template(
    """A reply was to be written by these instructions:

{instructions}

This is the reply:

{completion}

It could not be read:

{error}

Write the reply again so that it follows the instructions. Answer with the reply alone."""
)
"""Asks to mend a reply by the parser's format instructions and its error."""

NAIVE_RETRY_PROMPT = PromptTemplate.from_template(
    """This was asked:

{prompt}

This was the reply:

{completion}

The reply does not have the form that was asked for. Reply again:"""
)
"""Asks the same again, showing the reply that could not be read."""

NAIVE_RETRY_WITH_ERROR_PROMPT = PromptTemplate.from_template(
    """This was asked:

{prompt}

This was the reply:

{completion}

The reply does not have the form that was asked for:

{error}

Reply again:"""
)
"""Asks the same again, showing the reply that could not be read and the parser's error."""
