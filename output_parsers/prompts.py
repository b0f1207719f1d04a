"""Prompt templates, as far as the parsers that ask a model again need them.

::

    template = PromptTemplate.from_template("Translate {text} into {language}.")
    template.input_variables                                  # ['text', 'language'], sorted
    template.format(text="Hallo", language="French")          # 'Translate Hallo into French.'
    template | model                                          # a chain that takes a dictionary
"""

from __future__ import annotations

from collections.abc import Mapping
from string import Formatter
from typing import TYPE_CHECKING, Any, Self

from typing_extensions import override

from output_parsers.prompt_values import StringPromptValue
from output_parsers.runnables.runnable import Runnable

if TYPE_CHECKING:
    from output_parsers.runnables.step import RunnableConfig

__all__ = [
    "NAIVE_COMPLETION_RETRY",
    "NAIVE_COMPLETION_RETRY_WITH_ERROR",
    "NAIVE_FIX",
    "NAIVE_FIX_PROMPT",
    "NAIVE_RETRY_PROMPT",
    "NAIVE_RETRY_WITH_ERROR_PROMPT",
    "PromptTemplate",
]


class PromptTemplate(Runnable[dict[str, Any], StringPromptValue]):
    """A text with placeholders ``{like_this}``; literal braces are doubled.

    Args:
        template: The text.
        input_variables: The names of the placeholders; by default they are found in the text.
        partial_variables: Values that are filled in already, by name, or functions without
            arguments that return them; see `partial`.

    Raises:
        ValueError: The braces or the names do not match, or a placeholder is not a plain name.
    """

    def __init__(
        self,
        template: str,
        input_variables: list[str] | None = None,
        partial_variables: Mapping[str, Any] | None = None,
    ) -> None:
        self.template = template
        """The text."""
        self.partial_variables: dict[str, Any] = dict(partial_variables or {})
        """Values that are filled in already, or functions that return them, by name."""
        names = _names_in(template)
        self.input_variables: list[str] = sorted(
            set(input_variables or names) - self.partial_variables.keys()
        )
        """The names of the other placeholders, sorted."""
        if set(self.input_variables) != set(names) - self.partial_variables.keys():
            raise ValueError(
                "input_variables must name all placeholders that have no value yet; the "
                f"placeholders are {sorted(names)}"
            )
        self.name: str | None = None

    @classmethod
    def from_template(
        cls, template: str, *, partial_variables: Mapping[str, Any] | None = None
    ) -> Self:
        """Return a template with the text *template*."""
        return cls(template, partial_variables=partial_variables)

    def partial(self, **values: Any) -> Self:
        """Return a template in which *values* are filled in already.

        A function without arguments is called each time the template is filled in. `format` may
        still give another value.
        """
        return type(self)(self.template, partial_variables=self.partial_variables | values)

    def __repr__(self) -> str:
        filled = f", partial_variables={self.partial_variables!r}" * bool(self.partial_variables)
        return f"{type(self).__name__}({self.template!r}{filled})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PromptTemplate):
            return NotImplemented
        return (self.template, self.partial_variables) == (other.template, other.partial_variables)

    def __hash__(self) -> int:
        return hash(self.template)

    def format(self, **values: Any) -> str:
        """Return the text with *values* filled in; values without a placeholder are ignored.

        Raises:
            KeyError: A placeholder has no value.
        """
        missing = [name for name in self.input_variables if name not in values]
        if missing:
            raise KeyError(f"the prompt has placeholders without a value: {', '.join(missing)}")
        filled = {
            name: value() if callable(value) else value
            for name, value in self.partial_variables.items()
        }
        return self.template.format_map(filled | values)

    def format_prompt(self, **values: Any) -> StringPromptValue:
        """Return the result of `format` as a prompt value, which also has `to_messages`."""
        return StringPromptValue(self.format(**values))

    @override
    def invoke(
        self, input: dict[str, Any], config: RunnableConfig | None = None, **kwargs: Any
    ) -> StringPromptValue:
        """Fill in the values in *input*, by name."""
        return self.format_prompt(**input)

    @override
    async def ainvoke(
        self, input: dict[str, Any], config: RunnableConfig | None = None, **kwargs: Any
    ) -> StringPromptValue:
        """Do the same as `invoke`."""
        return self.invoke(input)


def _names_in(template: str) -> list[str]:
    names = []
    for _, name, spec, _ in Formatter().parse(template):
        if name is None:
            continue
        # Values are from models and callers, so their attributes and items are not accessible.
        if not name.isidentifier() or "{" in (spec or ""):
            raise ValueError(f"a placeholder in a template must be a plain name, not {name!r}")
        if name not in names:
            names.append(name)
    return names


NAIVE_FIX = """A reply was to be written by these instructions:

{instructions}

This is the reply:

{completion}

It could not be read:

{error}

Write the reply again so that it follows the instructions. Answer with the reply alone."""
"""The text of `NAIVE_FIX_PROMPT`."""

NAIVE_FIX_PROMPT = PromptTemplate.from_template(NAIVE_FIX)
"""Asks the model to fix a reply, given the parser's format instructions and its error."""

NAIVE_COMPLETION_RETRY = """This was asked:

{prompt}

This was the reply:

{completion}

The reply does not have the form that was asked for. Reply again:"""
"""The text of `NAIVE_RETRY_PROMPT`."""

NAIVE_RETRY_PROMPT = PromptTemplate.from_template(NAIVE_COMPLETION_RETRY)
"""Repeats the prompt and shows the reply that could not be read."""

NAIVE_COMPLETION_RETRY_WITH_ERROR = """This was asked:

{prompt}

This was the reply:

{completion}

The reply does not have the form that was asked for:

{error}

Reply again:"""
"""The text of `NAIVE_RETRY_WITH_ERROR_PROMPT`."""

NAIVE_RETRY_WITH_ERROR_PROMPT = PromptTemplate.from_template(NAIVE_COMPLETION_RETRY_WITH_ERROR)
"""Repeats the prompt and shows the reply that could not be read and the parser's error."""
