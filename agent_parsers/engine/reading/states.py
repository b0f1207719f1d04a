"""A table's states, with the patterns that find their markers and where each marker leads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from re import Match
from typing import TYPE_CHECKING, Final, TypeAlias

from agent_parsers.engine.grammar.reasoning import Nameable
from agent_parsers.engine.grammar.table import EndTurn, Go, Note, Part, Table, Transition
from agent_parsers.engine.markers.kinds import Inline, Label, Literal, Marker, spelt_texts
from agent_parsers.engine.markers.patterns import Patterns
from agent_parsers.events import (
    AnswerDelta,
    Delta,
    InputDelta,
    ObservationDelta,
    QuestionDelta,
    SkippedDelta,
    ThoughtDelta,
)

if TYPE_CHECKING:
    from agent_parsers.engine.calls.reader import CallReader
    from agent_parsers.engine.grammar.modes import OnConflict

__all__ = ["END_TOKENS", "OPENED", "Crossing", "State", "build_states"]

Search: TypeAlias = Callable[[str, int], Match[str] | None]

_DELTAS: Final[Mapping[Part, type[Delta]]] = {
    Part.QUESTION: QuestionDelta,
    Part.THOUGHT: ThoughtDelta,
    Part.INPUT: InputDelta,
    Part.ANSWER: AnswerDelta,
    Part.OBSERVATION: ObservationDelta,
    Part.SKIPPED: SkippedDelta,
    Part.CONTENT: AnswerDelta,
}
"""The delta of each part. The name of a tool is emitted only when it is complete."""
_KEPT: Final = {Part.TOOL, Part.INPUT, Part.ANSWER, Part.CONTENT}
"""The parts whose text is collected for the result."""


class State:
    """A state of the table, with the patterns that find its markers and where each one leads."""

    __slots__ = (
        "_patterns",
        "asks",
        "begun",
        "beside_action",
        "by_group",
        "can_be_cut",
        "delta",
        "fast_search",
        "growing",
        "is_bare",
        "is_cut",
        "is_draft",
        "is_kept",
        "is_open_answer",
        "is_plain",
        "is_verbatim",
        "keeps_end",
        "leads",
        "needs_closer",
        "new_call",
        "part",
        "problem",
        "watches",
        "whole",
    )  # fmt: skip

    def __init__(
        self,
        part: Part,
        *,
        problem: str = "",
        keeps_end: bool = False,
        is_verbatim: bool = False,
        is_cut: bool = False,
    ) -> None:
        self.part = part
        self.delta = _DELTAS.get(part)  # the delta that its text is emitted as
        self.is_kept = part in _KEPT  # the result needs its text
        self.problem = problem  # the problem of a text that ends here
        self.keeps_end = keeps_end
        self.is_verbatim = is_verbatim  # white space at both ends is part of the text
        self.is_cut = is_cut  # the turn ended before this state
        self.is_plain = False  # an input after which a turn may end
        self.is_draft = False  # inside or after a call in a thought that is still open
        self.is_bare = False  # an answer without a label
        self.beside_action = False  # an answer next to an action, which counts unless it is void
        self.can_be_cut = False  # a marker may end the turn here
        self.needs_closer = False  # an input that has to be closed
        self.is_open_answer = False  # an answer that only a marker closes
        self.begun: State | None = None  # the state once its call has begun
        self.new_call: Callable[[], CallReader] | None = None  # its own call reader, if any
        self.asks = False  # the call reader decides what a marker means here
        self.watches = False  # a label in a quotation is text
        # Functions that find a marker, and the crossings by group of the match; group 0 is unused.
        self.whole: Search = _no_marker
        self.growing: Search = _no_marker
        self.by_group: tuple[Crossing, ...] = ()
        # The same without the markers that make no difference to the result.
        self.fast_search: Search = _no_marker
        self.leads: tuple[Crossing, ...] = ()
        self._patterns: _Patterns | None = None

    @property
    def crossings(self) -> tuple[Crossing, ...]:
        """What each marker does in this state."""
        return self._patterns.crossings[1:] if self._patterns is not None else ()

    def arm(self, crossings: Sequence[Crossing]) -> None:
        """Set what the markers do in this state. Their patterns are built when first needed."""
        self.can_be_cut = any(crossing.to.is_cut for crossing in crossings)
        closes = any(crossing.closes for crossing in crossings)
        for crossing in crossings:
            watches = self.watches and crossing.is_label
            is_odd = crossing.breaks_line or crossing.is_inline or crossing.unless or crossing.place
            is_thought = crossing.unopened or crossing.is_nameable
            crossing.is_delicate = bool(
                self.asks or watches or is_odd or is_thought or crossing.alike
            )
        self.is_open_answer = closes and self.part is Part.ANSWER
        self.needs_closer = closes and self.part is Part.INPUT
        self.is_plain = self.is_plain and not closes
        patterns = few = self._patterns = _Patterns(crossings)
        matters = self.is_kept or self.asks
        splits = any(crossing.begins for crossing in crossings)  # must begin a sentence
        leads = [
            c
            for c in crossings
            if c.to is not self or matters or c.breaks_line or (splits and not c.is_label)
        ]
        if len(leads) < len(crossings):
            few = _Patterns(leads)

        def whole(text: str, start: int) -> Match[str] | None:
            self.whole, self.by_group = patterns.whole.search, patterns.crossings
            return self.whole(text, start)

        def growing(text: str, start: int) -> Match[str] | None:
            self.growing, self.by_group = patterns.growing.search, patterns.crossings
            return self.growing(text, start)

        def fast_search(text: str, start: int) -> Match[str] | None:
            self.fast_search, self.leads = few.whole.search, few.crossings
            return self.fast_search(text, start)

        self.whole, self.growing = whole, growing
        if leads:
            self.fast_search = fast_search


class _Patterns(Patterns):
    """The patterns that find the markers of some crossings."""

    def __init__(self, crossings: Sequence[Crossing]) -> None:
        self._by_name = {crossing.name: crossing for crossing in crossings}
        super().__init__({name: crossing.marker for name, crossing in self._by_name.items()})

    @cached_property
    def crossings(self) -> tuple[Crossing, ...]:
        """The crossings by group of the match; group 0 is unused."""
        found = [self._by_name[name] for name in self.names]
        return (found[0], *found)


def _no_marker(_text: str, _start: int) -> None:
    """Find nothing: the search of a state without markers."""


@dataclass(slots=True, eq=False)
class Crossing:
    """What a marker does in a state."""

    name: str
    marker: Marker
    to: State
    is_note: bool = False
    closes: bool = False
    drops: str = ""
    """Message of the repair if the marker drops the turn so far; ``{}`` stands for the marker as it
    is spelt. Empty if the marker drops nothing."""
    odd: str = ""
    """Message of the repair if only lenient mode reads the marker; see `Go`."""
    late: str = ""
    """The problem of a turn in which the marker follows a call."""
    unopened: bool = False
    """Whether the marker closes a thought that nothing in the text opened."""
    ends_thought: bool = False
    """Whether the marker closes a thought."""
    is_nameable: bool = False
    """Whether the marker opens or closes a thought unless the text only mentions it."""
    breaks_line: bool = False
    """Whether a label may follow the marker on the same line."""

    is_delicate: bool = False
    """Whether the meaning of the marker depends on more than its place; set by `State.arm`."""

    @property
    def is_of_thought(self) -> bool:
        """Whether the marker opens or closes a thought."""
        return self.unopened or self.to.part is Part.THOUGHT

    @property
    def is_inline(self) -> bool:
        """Whether the marker is a label that may stand within a line."""
        return self.begins or (isinstance(self.marker, Label) and self.marker.anywhere)

    @property
    def begins(self) -> bool:
        """Whether the marker has to begin a sentence."""
        return isinstance(self.marker, Inline) and self.marker.begins

    @property
    def unless(self) -> str:
        """Text that must not precede the marker in its state; ``""`` if any may."""
        return self.marker.unless if isinstance(self.marker, Literal) else ""

    @property
    def place(self) -> str:
        """The only place where the marker counts; ``""`` if it counts anywhere."""
        return self.marker.place if isinstance(self.marker, Literal) else ""

    @property
    def alike(self) -> Label | None:
        """The label, if it has to be firm or dressed like the label before it; else `None`."""
        return self.marker if isinstance(self.marker, Label) and self.marker.alike else None

    @property
    def is_label(self) -> bool:
        """Whether the marker is a label, which is text within a quotation."""
        return not isinstance(self.marker, Literal)


OPENED: Final = "thought opened by the prompt"
"""Name of the state of a turn whose prompt has opened a block of reasoning."""

CUT: Final = State(Part.SKIPPED, is_cut=True)
"""The state after the end of a turn."""

_BEFORE: Final = "the text before {} is reasoning, not part of the turn"
_TURN: Final = {Part.TOOL, Part.INPUT, Part.CALL, Part.ANSWER, Part.CONTENT}
"""The parts of a turn other than thoughts."""

END_TOKENS: Final = (
    *map(Literal, (
        "<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|endoftext|>", "<|end_of_text|>",
        "<end_of_turn>",
    )),
    Literal("</s>", last=True, unless="<s>"),  # elsewhere it closes text that is struck out
)  # fmt: skip
"""Special tokens that end a turn; a server that does not know the template leaves them in."""


def build_states(
    table: Table,
    reasoning: Sequence[tuple[str, str]],
    *,
    is_transcript: bool,
    on_conflict: OnConflict = "error",
) -> dict[str, State]:
    """Return the states of *table* by name, for a transcript or for a single turn.

    Args:
        table: The table of a dialect.
        reasoning: What opens and closes a block of reasoning.
        is_transcript: Whether the text has many steps, or only one.
        on_conflict: Which one counts if a turn has both an action and an answer.
    """
    states = _bare_states(table)
    crossings: dict[State, list[Crossing]] = {state: [] for state in states.values()}
    for (name, marker), transition in table.transitions.items():
        state, to = states[name], states[transition.to]
        spelt = table.markers[marker]
        if transition.firm and isinstance(spelt, Label):
            # A model that invents an observation dresses its label like its own labels. Any other
            # dressed label may just as well be a key of YAML or the heading of a report.
            may_be_dressed = (
                spelt.loose
                and table.parts[transition.to] is Part.OBSERVATION
                and state.part in (Part.INPUT, Part.ANSWER)
            )
            spelt = (
                replace(spelt, alike=True, listed=True)
                if may_be_dressed
                else replace(spelt, firm=True)
            )
        crossing = Crossing(
            marker,
            spelt,
            to,
            is_note=isinstance(transition, Note),
            closes=isinstance(transition, Go) and transition.closes,
            odd=transition.odd if isinstance(transition, Go) else "",
            late=transition.late if isinstance(transition, Go) else "",
            unopened=isinstance(transition, Go) and transition.unopened,
            ends_thought=_ends_thought(state, transition, to),
        )
        if table.several and type(spelt) is Literal and _is_nameable(crossing, state):
            crossing.marker = Nameable(spelt.canonical, spelt.variants)
            crossing.is_nameable = True
        if not is_transcript:
            crossing = _in_turn(transition, crossing, on_conflict, lenient=table.lenient)
        elif not isinstance(transition, EndTurn) and transition.in_turn:
            continue
        crossings[state].append(crossing)
    for marks in reasoning if table.lenient else ():
        thinking = State(Part.THOUGHT, problem="" if is_transcript else "open_reasoning")
        initial = states[table.initial]
        thinking.arm([_closes(marks[1], Literal(marks[1]), initial)])
        for state, found in crossings.items():
            if state.part is Part.THOUGHT or not is_transcript:
                found.extend(_reasoning(state, marks, thinking, initial))
    if table.lenient and reasoning and not is_transcript:
        states[OPENED] = _opened(reasoning, states[table.initial])
    own = {text for marker in table.markers.values() for text in spelt_texts(marker)}
    foreign = [token for token in END_TOKENS if token.canonical not in own]
    for state, found in crossings.items():
        is_turn = state.part in {*_TURN, Part.THOUGHT}
        if table.lenient and not is_transcript and is_turn:
            found.extend(Crossing(token.canonical, token, CUT) for token in foreign)
            state.watches = not table.several and state.part in (Part.INPUT, Part.ANSWER)
        if found:
            state.arm(found)
    return states


def _bare_states(table: Table) -> dict[str, State]:
    """Return the states of *table* by name, without their markers."""
    states = {
        name: State(
            part,
            problem=table.ends.get(name, ""),
            keeps_end=part is Part.INPUT and table.keeps_input_end,
            is_verbatim=part is Part.ANSWER and table.keeps_answer_space,
        )
        for name, part in table.parts.items()
    }
    for name, later in table.begun.items():
        states[name].begun = states[later]
        states[name].asks = states[later].asks = True
    for state in states.values():
        state.asks = state.asks or (table.several and state.part is Part.CALL)
    for name, new_call in table.readers.items():
        states[name].new_call = new_call
    for name in table.drafts:
        states[name].is_draft = True
    for name in table.bare_answers:
        states[name].is_bare = True
    for state in states.values():
        state.is_plain = state.part is Part.INPUT and not state.problem
    return states


def _ends_thought(state: State, transition: Transition, to: State) -> bool:
    """Return whether a *transition* closes a thought."""
    if not isinstance(transition, Go) or not transition.closes:
        return False
    is_thought = state.part is Part.THOUGHT or state.is_draft
    return transition.unopened or (is_thought and to.part is not Part.THOUGHT and not to.is_draft)


def _is_nameable(crossing: Crossing, state: State) -> bool:
    """Return whether *crossing* is a thought's marker that text in this *state* may mention."""
    if crossing.place or state.is_draft or state.part not in (Part.CONTENT, Part.CALL):
        return False
    return crossing.is_of_thought


def _closes(name: str, marker: Marker, initial: State) -> Crossing:
    """Return the crossing of a *marker* that closes reasoning, so that the turn begins."""
    return Crossing(name, marker, initial, breaks_line=True, ends_thought=True)


def _in_turn(
    transition: Transition, crossing: Crossing, on_conflict: OnConflict, *, lenient: bool
) -> Crossing:
    """Return what a *transition* does in a single turn; *crossing* is what it does elsewhere."""
    to = crossing.to
    if isinstance(transition, EndTurn):
        # Leaving out what follows is a repair, so a strict table refuses it.
        return replace(crossing, to=CUT if lenient else State(Part.SKIPPED, problem="invented"))
    if isinstance(transition, Note) and to.problem == "both" and on_conflict in ("first", "answer"):
        to.problem = ""
        return replace(crossing, drops="{} and what follows it are part of the answer")
    if isinstance(transition, Go) and transition.restarts:
        return replace(crossing, drops="left out what stands before {}")
    if not isinstance(transition, Go) or not transition.clash:
        return crossing
    is_answer = to.part is Part.ANSWER
    if transition.clash == "both" and on_conflict == ("answer" if is_answer else "action"):
        left_out = "action" if is_answer else "answer"
        return replace(crossing, drops=f"left out the {left_out} before {{}}")
    # An answer is kept, since the action beside it may turn out to name no tool.
    to = State(Part.ANSWER if is_answer else Part.SKIPPED, problem=transition.clash)
    if transition.clash == "both" and on_conflict != "error":
        to.problem = ""
        to.beside_action = is_answer
    return replace(crossing, to=to)


def _opened(reasoning: Sequence[tuple[str, str]], initial: State) -> State:
    """Return the state of a turn whose prompt has opened a block of reasoning."""
    opened = State(Part.THOUGHT, problem="open_reasoning")
    ends = (Literal(closes) for _, closes in reasoning)
    again = (Literal(opens) for opens, _ in reasoning)  # a repetition of the prompt is not text
    opened.arm(
        [
            *(_closes(end.canonical, end, initial) for end in ends),
            *(Crossing(opener.canonical, opener, opened) for opener in again),
        ]
    )
    return opened


def _reasoning(
    state: State, marks: tuple[str, str], thinking: State, initial: State
) -> Iterator[Crossing]:
    """Yield the crossings that open and close a block of reasoning in this *state*.

    A block that is closed but was not opened was opened by the prompt: all text before is
    reasoning. Outside thoughts this counts only at the beginning of a line, since text may mention
    the markers. Only reasoning may precede a call.
    """
    part = state.part
    opens, closes = marks
    drops = _BEFORE if state.begun is None else ""  # until its call begins, the text is a thought
    if part is Part.THOUGHT:
        yield Crossing(opens, Literal(opens), thinking)
        yield _closes(closes, Literal(closes), initial)
    elif part in _TURN:
        begins = "" if state.asks else "\n"  # the call reader knows what is in a string
        spelt = Literal(begins + closes)
        # If reasoning was closed before, the answer goes on after the marker.
        is_last = part is Part.ANSWER
        yield replace(_closes(closes, spelt, initial), drops=drops, unopened=is_last)
        if part is Part.CALL:
            yield Crossing(opens, Literal(begins + opens), thinking, drops=drops)
