"""The formats of tool calls that open models write: thoughts, content, and blocks of calls.

A `CallFormat` has each mark of a format once, with the white space that the chat template writes
around it. `CallFormat.dialect` derives everything else: white space next to a mark means nothing to
the tables, so they have the mark without it, and the writer has both.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from agent_parsers.engine.tables.dialect import Dialect, PromptWords
from agent_parsers.families.call_tables import calls_table, with_messages
from agent_parsers.families.results_writer import IM_END, TAGS, ResultsWriter, chatml, given_marks
from agent_parsers.forms.form import CallForm, CallId, Form, Marks, Written, WrittenCall, write_json

if TYPE_CHECKING:
    from agent_parsers.engine.calls.reader import CallReader
    from agent_parsers.engine.markers.mentions import Given
    from agent_parsers.engine.tables.problems import Problem
    from agent_parsers.engine.tables.table import Table
    from agent_parsers.toolset import ToolSet

_PROMPT: Final = """\
Answer the question as well as you can. You can use these tools:

{{tools}}

To use a tool, write a call in this form:

{{action}}

{several} Then stop: what the tools return is given to you.
When you need no tool, write just the answer:

{{answer}}"""
CALLS_PROMPT: Final = _PROMPT.format(several="A turn may have several calls.")
"""Format instructions for dialects whose turns may have several calls."""
ONE_CALL_PROMPT: Final = _PROMPT.format(several="A turn has one call.")
"""Format instructions for dialects whose chat template allows one call in a turn."""
_WORDS: Final = PromptWords(tool="name_of_the_tool", tool_input={"parameter": "its value"})
_EXAMPLE: Final = Written(tool="search", tool_input={"query": "what to look for"})
SAMPLE_TURN: Final = Written(
    "I have to look it up.",
    tool="search",
    tool_input={"query": "Lake Thun"},
    others=(WrittenCall("ping", {}),),
    content="Let me see.",
)
"""The turn that samples show."""

_CHATML: Final = chatml("user")

NewCall: TypeAlias = "Callable[[], CallReader]"
"""Makes a call reader."""


def list_tools(tools: ToolSet) -> str:
    """Return each of the *tools* as a line of JSON."""
    return "\n".join(map(write_json, tools.openai_tools()))


def list_tools_in_tags(tools: ToolSet) -> str:
    """Return each of the *tools* as a line of JSON, all of them in a ``<tools>`` tag."""
    return f"<tools>\n{list_tools(tools)}\n</tools>"


def calls_dialect(name: str, sample: str, **fields: Any) -> Dialect:
    """Return a dialect whose turns may have several calls.

    `CallFormat` calls it; a format that has little in common with others can do so itself.

    Args:
        name: Name of the dialect.
        sample: A turn as the model writes it.
        fields: Other fields of `Dialect`; those for the prompt have defaults.
    """
    common: dict[str, Any] = {
        "example": _EXAMPLE,
        "prompt_words": _WORDS,
        "list_tools": list_tools,
        "prompt": CALLS_PROMPT,
    }
    return Dialect(name=name, sample=sample, **{**common, **fields})


@dataclass(frozen=True, kw_only=True)
class Payload(ABC):
    """How calls are written inside their marks."""

    row: tuple[str, str, str] | None = None
    """Text before, between and after the calls of a block; `None` if a block has one call."""

    @property
    def problems(self) -> Mapping[str, Problem]:
        """The errors of such calls in words; see `Dialect.problems`."""
        return {}

    @abstractmethod
    def reader(self, closer: str, *, lenient: bool) -> NewCall:
        """Return a function that creates the call reader of a block, which may end in *closer*."""

    def content_reader(self, *, lenient: bool) -> NewCall | None:  # noqa: ARG002 - by default none
        """Return a function that creates the reader of content; `None` if calls need a marker."""
        return None

    @property
    @abstractmethod
    def form(self) -> CallForm:
        """How one call is written, without the marks of its block."""

    def table(self, marks: Marks | None, *, lenient: bool, **options: Any) -> Table:
        """Return a table for blocks between *marks*; see `calls_table` for the *options*."""
        return calls_table(
            self.reader(marks[1] if marks else "", lenient=lenient),
            bare=self.content_reader(lenient=lenient),
            lenient=lenient,
            call=marks,
            **options,
        )


@dataclass(frozen=True, kw_only=True)
class CallFormat:
    """The format of one model's turns, from which its dialect is derived.

    Pairs of marks include the white space that is written next to them.
    """

    name: str
    """Name of the dialect."""
    aliases: tuple[str, ...] = ()
    """Other names of it."""
    summary: str
    """One line about the models that use it."""
    payload: Payload
    """How calls are written."""
    call: Marks | None = None
    """What opens and closes a block of calls. If the closer is ``""``, the call decides where it
    ends. `None` if calls have no marks, or only those of the payload."""
    between: str = ""
    """Text between two blocks."""
    region: Marks | None = None
    """What opens and closes the group of all blocks; the closer is ``""`` if nothing closes it."""
    calls: tuple[str, str, str] | None = None
    """Text before, between and after calls, if they are written in other marks than these."""
    thought: Marks | None = TAGS
    """What opens and closes a thought; `None` if the dialect reads no thoughts."""
    other_thought: Marks | None = None
    """Other marks of a thought, which the model also writes."""
    writes_thoughts: bool = True
    """Whether thoughts are also written."""
    answer: Marks = ("", "")
    """Text before and after an answer."""
    content: Marks | None = ("", "")
    """Text before and after content beside calls; `None` if the dialect has no such content."""
    is_content_last: bool = False
    """Whether content follows the calls."""
    is_single: bool = False
    """Whether the chat template refuses a turn of several calls."""
    call_id: CallId | None = None
    """Returns the ids of calls; `None` if calls have no ids."""
    ids: str = ""
    """How an id is spelt, see `Form.ids`."""
    ends: tuple[str, ...] = (IM_END,)
    """What ends a turn; these are also the stop sequences. The default is that of ChatML."""
    turn_frame: Marks = _CHATML
    """The text before and after results in a plain-text prompt; by default that of ChatML, with
    results in a turn of the user. It does not include the mark that opens a thought, even if the
    chat template begins the model's turn with it."""
    results: ResultsWriter = field(default_factory=ResultsWriter)
    """Writes results; without a text between them, each is in a turn of its own."""
    list_tools: Callable[[ToolSet], str] = list_tools
    """Returns the list of tools in the prompt."""
    also: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Other spellings that lenient mode reads of the markers ``"call"``, ``"end of call"``,
    ``"region"``, ``"end of region"``, ``"thought"`` and ``"end of thought"``."""
    is_word: bool = False
    """Whether the mark that opens a block is also a word of prose, so that it counts only before a
    list."""
    odd_marks: tuple[Marks, ...] = ()
    """Other marks of a block, which lenient mode reads and reports. The first closer may also close
    a block that has no closer of its own."""
    drafts: Collection[str] = ()
    """Names of the markers (``"call"``, ``"region"``) that open no more than drafts in a thought.
    Any other ends a thought that is still open, in lenient mode, if the text ends after the
    call."""
    adapt: Callable[[Table], Table] | None = None
    """Adds to a table the marks that only this format has."""
    sample: Written | str = SAMPLE_TURN
    """A turn; of the default, what the format cannot express is left out."""

    def dialect(self, *, given: Sequence[Given] = (), **own: Any) -> Dialect:
        """Return the dialect.

        Args:
            given: More marks of what the model is given, which end its turn. The marks of results
                and of other roles are known from the format.
            own: Other fields of `Dialect`.
        """
        results = self.results
        if results.between is None:
            results = replace(results, between=self.turn_frame[0])
        marks = given_marks(results.opener, self.turn_frame, own.get("stop", self.ends))
        more = tuple(mark.canonical for mark in given)
        derived: dict[str, Any] = {
            "aliases": self.aliases,
            "summary": self.summary,
            "problems": self.payload.problems,
            "strict": self.table(lenient=False),
            "lenient": self.table(lenient=True),
            "stop": self.ends,
            "form": None if {"form", "write"} & own.keys() else self.form,
            "render_results": results,
            "turn_frame": self.turn_frame,
            "given": (*given, *(mark for mark in marks if not mark.canonical.startswith(more))),
            "list_tools": self.list_tools,
            "prompt": ONE_CALL_PROMPT if self.is_single else CALLS_PROMPT,
            **own,
        }
        sample = self.sample
        if not isinstance(sample, str):
            write = derived.get("write", derived["form"])
            sample = write(self._expressible(sample))
        return calls_dialect(self.name, sample, **derived)

    def table(self, *, lenient: bool) -> Table:
        """Return the table for strict or lenient mode."""
        also = self.also if lenient else {}
        if self.other_thought is not None:
            opens, closes = self.other_thought
            also = {"thought": (opens,), "end of thought": (closes,), **also}
        call, thought, answer = map(_stripped, (self.call, self.thought, self.answer))
        has_messages = bool(call and thought and call[1] and call[1] == thought[1])
        table = self.payload.table(
            call,
            lenient=lenient,
            region=_stripped(self.region),
            thought=None if has_messages else thought,
            ends=self.ends,
            drafts=self.drafts,
            also=also,
            odd_marks=self.odd_marks,
            is_word=self.is_word,
        )
        if has_messages and thought and call and answer:
            table = with_messages(table, thought[0], answer[0] if answer[1] == call[1] else "")
        return table if self.adapt is None else self.adapt(table)

    @property
    def form(self) -> Form:
        """How turns are written."""
        opener, closer = self.call or ("", "")
        if self.payload.row is not None:
            before, between, behind = self.payload.row
            calls = (f"{opener}{before}", between, f"{behind}{closer}")
        else:
            before, behind = self.region or ("", "")
            calls = (f"{before}{opener}", f"{closer}{self.between}{opener}", f"{closer}{behind}")
        return Form(
            call=self.payload.form,
            calls=self.calls or calls,
            is_single=self.is_single,
            thought=self.thought if self.writes_thoughts else None,
            content=self.content,
            is_content_last=self.is_content_last,
            answer=self.answer,
            call_id=self.call_id,
            ids=self.ids,
        )

    def _expressible(self, turn: Written) -> Written:
        """Return *turn* without the parts that the format cannot express."""
        return replace(
            turn,
            thought=turn.thought if self.thought and self.writes_thoughts else "",
            content=turn.content if self.content is not None else "",
            others=() if self.is_single else turn.others,
        )


def _stripped(marks: Marks | None) -> Marks | None:
    """Return *marks* without the white space that is written next to them."""
    return (marks[0].strip(), marks[1].strip()) if marks else None
