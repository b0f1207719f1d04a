"""A dialect: the format of an agent turn, as one value.

The parser, its streaming, the renderer, the prompt and the stop sequences are all derived from this
value, so they cannot drift apart. The engine uses only these tables and knows no dialect by name.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pickle import PicklingError
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pydantic_core import CoreSchema, core_schema

from agent_parsers.engine.tables.problems import SHARED_PROBLEMS, Problem
from agent_parsers.engine.tables.reasoning import REASONING
from agent_parsers.engine.tables.table import Go, Part, Table
from agent_parsers.forms.form import Form, Written

if TYPE_CHECKING:
    from agent_parsers.engine.markers.mentions import Given
    from agent_parsers.toolset import ToolSet


@dataclass(frozen=True, slots=True)
class PromptWords:
    """The words of a prompt: the placeholders in its sample transcript, and its other texts."""

    thought: str = "what you know and what you need to find out"
    """In place of a thought before an action."""
    tool: str = "the tool to use, one of [{tool_names}]"
    """In place of the name of a tool; ``{tool_names}`` stands for the names of all tools."""
    tool_input: str | dict[Any, Any] = "the input of the tool"
    """In place of the input of the tool."""
    no_input: str = ", {} if it needs none"
    """Follows `tool_input` where a call without an input looks the same as an incomplete call."""
    arguments: dict[Any, Any] | None = None
    """In place of the input if the parameters of the tools are known; `None`: as `tool_input`."""
    observation: str = "what the tool returned"
    """In place of an observation."""
    repeats: str = "... (these steps can repeat)"
    """On a line of its own, after the first step."""
    last_thought: str = "I now know the final answer"
    """The thought before an answer."""
    answer: str = "the answer to the question"
    """In place of the answer."""
    output_type: str = "The answer is JSON of this form, with nothing around it:"
    """Introduces the type of the answer, if it is not text."""
    no_answer: str = "Call a tool; do not answer yet."
    """Says that each turn calls a tool."""
    use: str = "I need to use {tool}."
    """The thought before an example of an action; ``{tool}`` stands for its tool."""
    value: str = "<{name}>"
    """A placeholder for the value of the parameter ``{name}`` in such an action."""
    no_tools: str = "Answer as well as you can, in this form:\n\n{answer}"
    """The instructions if there are no tools; ``{answer}`` stands for an example of an answer."""
    begin: str = "Begin."
    """On a line of its own, between the format instructions and the question."""
    any_tool: str = "the tool"
    """In place of the name of a tool in the observation of an error, if it is not known."""
    wrote: str = "You wrote: {text}"
    """Quotes the text at fault in the observation of an error; ``{text}`` stands for that text."""
    example: str = "For example:"
    """Introduces an example in the observation of an error."""

    def in_place(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return *arguments* with each placeholder ``<name>`` as `placeholder` writes it."""
        return {
            name: self.placeholder(name) if value == f"<{name}>" else value
            for name, value in arguments.items()
        }

    @property
    def inputs(self) -> tuple[str, ...]:
        """The placeholders for an input that the instructions may show."""
        given = self.tool_input
        return (f"{given}{self.no_input}", given) if isinstance(given, str) else ()

    def placeholder(self, name: str) -> str:
        """Return the placeholder for the value of the parameter *name*."""
        return self.value.replace("{name}", name)


def before_words(label: str, words: str) -> str:
    """Return a *label* to precede *words*: with one space unless they begin with white space."""
    label = label.rstrip(" ")
    is_apart = not label or label.endswith("：") or words[:1].isspace()
    return label if is_apart else f"{label} "


# -- the dialect -----------------------------------------------------------------------------------


class Result(NamedTuple):
    """The result of one call."""

    tool: str
    """Name of the tool."""
    text: str
    """What the tool returned."""
    id: str | None = None
    """The id that the model gave the call; `None` if it has no id."""
    is_error: bool = False
    """Whether it is not from a tool, but says what was wrong with a turn."""


_DERIVED: Final = Table(markers={}, parts={"": Part.THOUGHT}, transitions={})
"""Placeholder for the lenient version of the strict table."""

_EXAMPLE: Final = Written(tool="search", tool_input="what to look for")
PROMPT: Final = """\
Answer the question as well as you can. You can use these tools:

{tools}

Write in this form:

{form}

Use one tool in a turn, then stop: what it returned is given to you.
For example, this turn uses a tool:

{action}"""


def _unwritten(_step: Written) -> str:
    """Stand for the form of the dialect."""
    raise NotImplementedError


def _no_generation_prompt(_number: int) -> str:
    return ""


def _in_lines(tools: ToolSet) -> str:
    return tools.describe()


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Dialect:
    """The format of an agent turn, and everything that depends on it.

    Raises:
        ValueError: The tables are inconsistent; the message names the dialect.
    """

    name: str
    """The name to pass to `get_parser`."""
    aliases: tuple[str, ...] = ()
    """Other names of the dialect."""
    summary: str = ""
    """One line about the models or prompts that use it."""
    sample: str
    """A sample transcript."""
    strict: Table
    """Reads exactly the dialect; in the dialects of this library, as the reference parser does."""
    lenient: Table = _DERIVED
    """Reads what models really write, and transcripts. The default is `Table.as_lenient` of
    `strict`."""
    problems: Mapping[str, Problem] = field(default_factory=dict)
    """What can be wrong, by the names that the tables use. Those of `SHARED_PROBLEMS` may be left
    out."""
    stop: tuple[str, ...]
    """Stop sequences to pass to the model."""
    closer: str = ""
    """The stop sequence that ends an action, if there is one; a scratchpad adds it again."""
    reasoning: tuple[tuple[str, str], ...] = REASONING
    """What opens and closes a block of reasoning, in which no label and no call counts, in lenient
    mode. Tables may have markers of their own in addition. Empty for no such blocks."""
    form: Form | None = None
    """How turns are spelt; `None` if only a function can say that, which is then `write`."""
    write: Callable[[Written], str] = _unwritten
    """Returns one step as text; `render` checks that it can be read back. By default, as `form`
    says."""
    render_observation: Callable[[str, int], str] | None = None
    """Returns an observation and the generation prompt after it, given its text and number."""
    render_results: Callable[[Sequence[Result], int], str] | None = None
    """Returns the results of a turn of several calls as text, given the number of the first call.
    It replaces `render_observation` in dialects whose turns may have several calls."""
    turn_frame: tuple[str, str] = ("", "")
    """The text before and after results in a plain-text prompt: the first ends the model's turn and
    begins that of the tools, the second ends that and begins the model's next turn. In a prompt of
    messages, the chat template adds it."""
    given: tuple[Given, ...] = ()
    """What opens a result, or a turn of another role, in dialects whose turns may have several
    calls. If the model writes it, its turn ends there."""
    generation_prompt: Callable[[int], str] = _no_generation_prompt
    """Returns the text that prompts the model for a turn, such as ``Thought:``, given its number.
    What `render_observation` returns ends in it. It ends in no space: tokenizers write a space with
    the word that follows, which the model writes."""
    example: Written = _EXAMPLE
    """An example of an action, for prompts without tools and for the observations of errors."""
    show: Callable[[str, dict[str, Any] | None], Written | None] | None = None
    """Returns an example of an action, given the name of a tool and its arguments (`None` for any).
    Without it, the action names the tool, and the arguments are its input."""
    prompt: str = PROMPT
    """The format instructions. ``{tools}`` and ``{tool_names}`` stand for the tools, ``{form}`` for
    a sample transcript with placeholders, ``{action}`` for an example of an action, and
    ``{answer}`` for a last turn."""
    prompt_words: PromptWords = field(default_factory=PromptWords)
    """The placeholders in ``{form}``, and the other words of a prompt."""
    list_tools: Callable[[ToolSet], str] = _in_lines
    """Returns the text for ``{tools}``."""

    def __post_init__(self) -> None:
        if self.write is not _unwritten and not isinstance(self.write, Form):
            object.__setattr__(self, "form", None)  # it may be that of another dialect
        elif self.form is None:
            raise ValueError(f"dialect {self.name!r}: pass form= or write=")
        else:
            object.__setattr__(self, "write", self.form)
        if self.lenient is _DERIVED:
            try:
                lenient = self.strict.as_lenient()
            except ValueError as error:
                raise ValueError(f"dialect {self.name!r}: {error} (lenient)") from error
            object.__setattr__(self, "lenient", lenient)
        for mode, table in (("strict", self.strict), ("lenient", self.lenient)):
            problems = set(table.ends.values())
            if table.new_call is not None:
                for new_call in (table.new_call, *table.readers.values()):
                    problems |= new_call().problems
            for transition in table.transitions.values():
                problems |= (
                    {transition.clash, transition.late} if isinstance(transition, Go) else set()
                )
            missing = problems - {"", *self.problems, *SHARED_PROBLEMS}
            if missing:
                raise ValueError(
                    f"dialect {self.name!r}: {mode} table has undefined problems {sorted(missing)}"
                )
            if Part.CALL in table.parts.values() and table.new_call is None:
                raise ValueError(f"dialect {self.name!r}: {mode} call states need new_call=")
            if table.several is not self.several:
                raise ValueError(
                    f"dialect {self.name!r}: its strict and lenient tables have different values "
                    "of several="
                )
        needed = "render_results" if self.several else "render_observation"
        if getattr(self, needed) is None:
            raise ValueError(f"dialect {self.name!r}: pass {needed}=")

    @property
    def several(self) -> bool:
        """Whether a turn may have several calls."""
        return self.strict.several

    @property
    def thinks(self) -> bool:
        """Whether the dialect writes thoughts; it may read thoughts even if it does not."""
        return self.write(Written("a", answer="b")) != self.write(Written(answer="b"))

    def results_text(self, results: Sequence[Result], number: int = 1) -> str:
        """Return the results of one turn as text, followed by the generation prompt of the next.

        Args:
            results: The results in the order of the calls; exactly one if a turn has one call.
            number: Number of the first call, for dialects that number their calls.
        """
        if self.render_results is not None:
            return self.render_results(results, number)
        assert self.render_observation is not None, (
            "__post_init__ checks that one of the two is set"
        )
        (result,) = results
        return self.render_observation(result.text, number)

    def __repr__(self) -> str:
        return f"<Dialect {self.name!r}>"

    def __copy__(self) -> Dialect:
        return self

    def __deepcopy__(self, _memo: object) -> Dialect:
        return self

    def __reduce__(self) -> tuple[Callable[[str], Dialect], tuple[str]]:
        """Pickle the dialect by its name, so that parsers can be sent to other processes."""
        package: Any = sys.modules["agent_parsers"]  # it imports the registry late
        if self.name not in package.list_dialects() or package.get_dialect(self.name) is not self:
            raise PicklingError(
                f"dialect {self.name!r} is pickled by its name: register it in both processes"
            )
        return package.get_dialect, (self.name,)

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: Any, _handler: Any) -> CoreSchema:
        """Return a schema that accepts a dialect as the field of a model."""
        return core_schema.is_instance_schema(cls, cls_repr="Dialect (get_dialect returns one)")
