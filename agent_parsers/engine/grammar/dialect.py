"""A dialect: how an agent turn is written, as one value.

The parser, its streaming, the renderer, the prompt and the stop sequences all come from this value,
so they cannot drift apart. The engine reads the tables here and knows no dialect by name.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pydantic_core import CoreSchema, core_schema

from agent_parsers.engine.grammar.problems import SHARED_PROBLEMS, Problem
from agent_parsers.engine.grammar.reasoning import REASONING
from agent_parsers.engine.grammar.table import EndTurn, Go, Note, Part, Table, Transition
from agent_parsers.engine.grammar.words import PromptWords

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from agent_parsers.toolset import ToolSet

__all__ = [
    "Dialect",
    "EndTurn",
    "Go",
    "Note",
    "Part",
    "Problem",
    "PromptWords",
    "Result",
    "Table",
    "Transition",
    "Written",
    "WrittenCall",
]  # fmt: skip


class WrittenCall(NamedTuple):
    """One call as the model would have written it."""

    tool: str
    """Name of the tool."""
    tool_input: str | dict[Any, Any]
    """Input of the tool."""
    id: str | None = None
    """What the model calls it by; `None` if it has no id."""


class Result(NamedTuple):
    """What the tool of one call returned."""

    tool: str
    """Name of the tool."""
    text: str
    """What it returned."""
    id: str | None = None
    """What the model called the call by; `None` if it had no id."""
    is_error: bool = False
    """Whether no tool returned it: it says what was wrong with a turn that was no call."""


@dataclass(frozen=True, slots=True)
class Written:
    """One step as the model would have written it: a thought, then an action or an answer.

    Where turns may have several calls it is a turn, and `content` is said beside them.
    """

    thought: str = ""
    """What the model thought before; may be empty."""
    tool: str = ""
    """Name of the tool; empty if this is an answer."""
    tool_input: str | dict[Any, Any] = ""
    """Input of the tool."""
    answer: str = ""
    """The final answer."""
    number: int = 1
    """Number of the step, for dialects that count; of several calls it is that of the first."""
    content: str = ""
    """What is said beside calls."""
    id: str | None = None
    """What the model calls the call by; `None` if it has no id."""
    others: tuple[WrittenCall, ...] = ()
    """The calls of the turn behind the first."""

    @property
    def calls(self) -> tuple[WrittenCall, ...]:
        """All calls of the turn; an answer has none."""
        if not self.tool:
            return ()
        return (WrittenCall(self.tool, self.tool_input, self.id), *self.others)

    @property
    def said(self) -> str:
        """The answer, or what is said beside calls."""
        return self.content if self.tool else self.answer


_DERIVED: Final = Table(markers={}, parts={"": Part.THOUGHT}, transitions={})
"""Stands for what a strict table becomes when it mends."""

PROMPT: Final = """\
Answer the question as well as you can. You can use these tools:

{tools}

Write in this form:

{form}

Use one tool in a turn, then stop: what it returned is given to you.
For example, this turn uses a tool:

{action}"""


def _no_generation_prompt(_number: int) -> str:
    return ""


def _in_lines(tools: ToolSet) -> str:
    return tools.describe()


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Dialect:
    """How an agent turn is written, and everything that follows from it.

    Raises:
        ValueError: The tables do not hold together; the message names the dialect.
    """

    name: str
    """Name for `get_parser`."""
    aliases: tuple[str, ...] = ()
    """Other names it goes by."""
    summary: str = ""
    """One line about who writes it."""
    sample: str
    """A whole run, as a transcript."""
    strict: Table
    """Reads what the dialect says; for one that is shipped, what its reference parser reads."""
    lenient: Table = _DERIVED
    """Reads what models really write; transcripts are read by it. Without it, it is what
    `Table.as_lenient` makes of `strict`."""
    problems: Mapping[str, Problem] = field(default_factory=dict)
    """What can be wrong, by the names the tables use; those that any dialect has need no words of
    their own."""
    stop: tuple[str, ...]
    """Stop sequences to pass to the model."""
    closer: str = ""
    """What ends an action, if the model stops there; a scratchpad puts it back."""
    reasoning: tuple[tuple[str, str], ...] = REASONING
    """What opens and closes a block of reasoning, in which no label and no call counts; only
    lenient reading knows it. Tables may have marks of their own besides. Empty if the dialect has
    none."""
    write: Callable[[Written], str]
    """Writes one step; `render` checks that it can be read back."""
    render_observation: Callable[[str, int], str] | None = None
    """Writes an observation and what invites the next step, given its text and number."""
    render_results: Callable[[Sequence[Result], int], str] | None = None
    """Does so in its place where turns may have several calls: writes what these returned, in their
    order, given the number of the first."""
    turn_frame: tuple[str, str] = ("", "")
    """What stands around results in a prompt of plain text: what ends the turn of the model and
    begins that of the tools, and what ends this and begins the model's next. A chat template puts
    it around messages."""
    generation_prompt: Callable[[int], str] = _no_generation_prompt
    """What stands before a turn to invite it, such as ``Thought: ``, given its number; what
    `render_observation` writes ends in it."""
    example: Written = Written(tool="search", tool_input="what to look for")
    """An action, to show to a model that wrote a wrong one, or where no tools are known."""
    show: Callable[[str, dict[str, Any] | None], Written | None] | None = None
    """Makes an action that uses the tool of a name with such arguments, or any if they are `None`.
    `None`: the action names the tool, and the arguments are its input."""
    prompt: str = PROMPT
    """What the model is told. ``{tools}`` and ``{tool_names}`` stand for the tools, ``{form}`` for
    a run that says what stands where, ``{action}`` for an action as an example, and ``{answer}``
    for a last turn."""
    words: PromptWords = field(default_factory=PromptWords)
    """What the run that ``{form}`` stands for says, and other words of a prompt."""
    list_tools: Callable[[ToolSet], str] = _in_lines
    """Writes what stands for ``{tools}``."""

    def __post_init__(self) -> None:
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
                raise ValueError(f"dialect {self.name!r}: no problem {sorted(missing)} ({mode})")
            if Part.CALL in table.parts.values() and table.new_call is None:
                raise ValueError(f"dialect {self.name!r}: a call state but no new_call ({mode})")
            if table.several is not self.several:
                raise ValueError(f"dialect {self.name!r}: only one table has several calls")
        needed = "render_results" if self.several else "render_observation"
        if getattr(self, needed) is None:
            raise ValueError(f"dialect {self.name!r}: it needs {needed}")

    @property
    def several(self) -> bool:
        """Whether a turn may have several calls."""
        return self.strict.several

    @property
    def thinks(self) -> bool:
        """Whether it writes thoughts; others may be read all the same."""
        return self.write(Written("a", answer="b")) != self.write(Written(answer="b"))

    def results_text(self, results: Sequence[Result], number: int = 1) -> str:
        """Write what the calls of one turn returned, and what invites the next.

        Args:
            results: What they returned, in their order; one, where a turn has one call.
            number: Number of the first call, for dialects that count.
        """
        if self.render_results is not None:
            return self.render_results(results, number)
        assert self.render_observation is not None, "one of the two is there"
        (result,) = results
        return self.render_observation(result.text, number)

    def __repr__(self) -> str:
        return f"<Dialect {self.name!r}>"

    def __copy__(self) -> Dialect:
        return self

    def __deepcopy__(self, _memo: object) -> Dialect:
        return self

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: Any, _handler: Any) -> CoreSchema:
        """Let a model hold a dialect as it is."""
        return core_schema.is_instance_schema(cls)
