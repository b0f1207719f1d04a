"""The states of a table, compiled: patterns that find markers, and what each marker does."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final

from agent_parsers.engine.markers.kinds import Inline, Label, Literal, Marker
from agent_parsers.engine.markers.mentions import Nameable, Quotable
from agent_parsers.engine.markers.patterns import Patterns
from agent_parsers.engine.tables import guards
from agent_parsers.engine.tables.rewritings import CUT
from agent_parsers.engine.tables.table import Go, Note, Part, Table, Transition
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
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from agent_parsers.engine.calls.reader import CallReader
    from agent_parsers.engine.markers.patterns import Found, Search
    from agent_parsers.engine.tables.guards import Guard

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
_CONNECTED: Final = frozenset((
    "by_index", "can_be_cut", "crossings", "growing", "is_open_answer", "needs_closer", "watches",
    "whole",
))  # fmt: skip
"""The attributes of a state that tell what its markers do."""
_KEPT: Final = {Part.TOOL, Part.INPUT, Part.ANSWER, Part.CONTENT}
"""The parts whose text is collected for the result."""


class State:
    """A part of a turn, the markers that count in it, and how a text may end in it.

    The markers are set up when the state is first needed, since most texts reach few states.
    """

    __slots__ = (
        "_connect", "begun", "beside_action", "by_index", "can_be_cut", "crossings", "delta",
        "growing", "has_reader", "is_bare", "is_behind_end", "is_block", "is_draft", "is_kept",
        "is_labelled", "is_open_answer", "is_region", "is_verbatim", "keeps_end", "needs_closer",
        "new_call", "opener", "part", "problem", "watches", "whole",
    )  # fmt: skip

    def __init__(
        self, name: str, table: Table, set_crossings: Callable[[str], None], *, is_labelled: bool
    ) -> None:
        part = table.parts[name]
        self._connect = partial(set_crossings, name)
        self.part: Part = part
        # The delta that its text is emitted as.
        self.delta: type[Delta] | None = _DELTAS.get(part)
        self.is_kept: bool = part in _KEPT  # the result needs its text
        self.problem: str = table.ends.get(name, "")  # the problem of a text that ends here
        self.keeps_end: bool = part is Part.INPUT and table.keeps_input_end
        # White space at both ends is part of the text.
        self.is_verbatim: bool = part is Part.ANSWER and table.keeps_answer_space
        self.is_behind_end: bool = name == CUT  # the turn ended before this state
        self.is_bare: bool = name in table.bare_answers  # an answer without a label
        # A block of calls, which its marker opens.
        self.is_block: bool = part is Part.CALL and name != table.initial
        # Only labels lead to it, which are words.
        self.is_labelled: bool = is_labelled
        self.is_region: bool = name in table.regions  # marks enclose it, and calls have to follow
        self.is_draft: bool = name in table.drafts  # inside or after a call in an open thought
        self.beside_action: bool = name in table.beside_action
        self.begun: State | None = None  # the state once its call has begun
        self.opener: str = ""  # what every call begins with, if the state has a `begun`
        # Makes its own call readers, if it has any.
        self.new_call: Callable[[], CallReader] | None = table.readers.get(name)
        self.has_reader: bool = _has_reader(name, table)  # its reader knows which markers count

    watches: bool
    """Whether a label in a quotation is text."""
    needs_closer: bool
    """Whether it is an input that has to be closed."""
    is_open_answer: bool
    """Whether it is an answer that only a marker closes."""
    can_be_cut: bool
    """Whether a marker may end the turn here."""
    crossings: tuple[Crossing, ...]
    """What the markers do."""
    whole: Search
    """Finds a marker in a text of which nothing follows."""
    growing: Search
    """Finds a marker, or what may become one, in a text that goes on."""
    by_index: Mapping[int | str | None, Crossing]
    """The crossings by ``lastindex`` of what these functions find."""

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            if name not in _CONNECTED:
                raise AttributeError(name)
            self._connect()
            return getattr(self, name)

    def set_crossings(self, crossings: Sequence[Crossing], stop: Collection[str]) -> None:
        """Set the transitions of this state; *stop* has the dialect's stop sequences.

        The patterns of the markers are built when they are first needed.
        """
        self.crossings = tuple(crossings)
        closers = {crossing.marker.canonical for crossing in crossings if crossing.closes}
        self.is_open_answer = self.part is Part.ANSWER and bool(closers)
        is_input = self.part is Part.INPUT and bool(closers)
        self.needs_closer = is_input and closers.isdisjoint(stop)  # the stop may be missing
        self.can_be_cut = any(crossing.to.is_behind_end for crossing in crossings)
        self.watches = any(guards.outside_of_quotations in each.guards for each in crossings)
        if not crossings:
            self.whole = self.growing = _no_marker
            return
        patterns = Patterns({crossing.name: crossing.marker for crossing in crossings})
        by_index: dict[int | str | None, Crossing] = {each.name: each for each in crossings}

        def search(*, is_last: bool) -> Search:
            def first(text: str, start: int) -> Found | None:
                if patterns.is_cold(len(text) - start):
                    return patterns.walk(text, start, is_last=is_last)
                by_index.update(enumerate(map(by_index.__getitem__, patterns.names), 1))
                self.whole, self.growing = patterns.whole.search, patterns.growing
                return (self.whole if is_last else self.growing)(text, start)

            return first

        self.by_index = by_index
        self.whole, self.growing = search(is_last=True), search(is_last=False)


def _no_marker(_text: str, _start: int) -> None:
    """Find nothing: the search of a state without markers."""


@dataclass(slots=True, eq=False)
class Crossing:
    """What a marker does in a state; compiled from a transition of a `Table`."""

    name: str
    marker: Marker
    to: State
    is_note: bool = False
    closes: bool = False
    breaks_line: bool = False
    unopened: bool = False
    ends_thought: bool = False
    """Whether the marker closes a thought."""
    drops: str = ""
    odd: str = ""
    late: str = ""
    of_call: str = ""
    may_be_cut: bool = False
    """Whether this is half of a marker at the end of the text, which may have been cut there."""
    guards: tuple[Guard, ...] = ()
    """What has to hold for the marker to count, in the order in which it is asked."""

    @property
    def is_of_thought(self) -> bool:
        """Whether the marker opens a thought, or closes one that the prompt opened."""
        return self.unopened or self.to.part is Part.THOUGHT


def states_of(table: Table, stop: Collection[str]) -> dict[str, State]:
    """Return the states of *table* by name; *stop* has the dialect's stop sequences."""
    rows: dict[str, list[str]] = {name: [] for name in table.parts}
    for row in table.transitions:
        rows[row[0]].append(row[1])

    def set_crossings(name: str) -> None:
        goes = ((marker, states[table.transitions[name, marker].to]) for marker in rows[name])
        states[name].set_crossings([_crossing(table, name, *go) for go in goes], stop)

    opened, otherwise = set[str](), set[str]()
    for (_, marker), transition in table.transitions.items():
        is_label = isinstance(table.markers[marker], Label)
        (opened if is_label else otherwise).add(transition.to)
    labelled = opened - otherwise
    states = {
        name: State(name, table, set_crossings, is_labelled=name in labelled)
        for name in table.parts
    }
    for name, later in table.begun.items():
        state, new_call = states[name], states[name].new_call or table.new_call
        state.begun = states[later]
        state.opener = "" if new_call is None else new_call().opener
    return states


def _crossing(table: Table, state: str, name: str, to: State) -> Crossing:
    """Return what the marker *name* does in *state*, from which it leads *to* another."""
    transition = table.transitions[state, name]
    marker = _as_spelt(table, state, name)
    crossing = Crossing(name.lstrip("\n"), marker, to, is_note=isinstance(transition, Note))
    if isinstance(transition, Go):
        crossing.closes = transition.closes
        crossing.breaks_line = transition.breaks_line
        crossing.unopened = transition.unopened
        crossing.ends_thought = _ends_thought(table, state, transition)
        crossing.odd, crossing.late = transition.odd, transition.late
        crossing.of_call = transition.of_call
    if isinstance(transition, Go | Note):
        crossing.drops = transition.drops
    crossing.guards = tuple(_guards(table, state, crossing, transition))
    return crossing


def _as_spelt(table: Table, state: str, name: str) -> Marker:
    """Return the marker *name* in the spellings that count in *state*."""
    marker, transition = table.markers[name], table.transitions[state, name]
    if isinstance(marker, Label) and transition.firm:
        return replace(marker, firm=True)
    if isinstance(marker, Label) and guards.dressed_alike in transition.guards:
        return replace(marker, listed=True)
    if type(marker) is Literal and _is_nameable(table, state, marker, transition):
        return Nameable(marker.canonical, marker.variants)
    if type(marker) is Literal and _is_quotable(table, state, marker, transition):
        return Quotable(marker.canonical, marker.variants)
    return marker


def _guards(
    table: Table, state: str, crossing: Crossing, transition: Transition
) -> Iterator[Guard]:
    """Yield what has to hold for a marker to count in *state*."""
    marker = crossing.marker
    is_inline = isinstance(marker, Label) and marker.anywhere
    if isinstance(marker, Inline):
        is_inline = marker.begins
    if is_inline and table.lenient:  # strict reading follows its reference: it looks for labels
        yield guards.not_within_backticks
    if isinstance(marker, Inline) and marker.begins:
        yield guards.begins_a_sentence
        return
    if isinstance(marker, Literal) and marker.unless:
        yield guards.closes_nothing_before
        return
    if isinstance(marker, Literal) and marker.place:
        yield guards.at_its_place
    yield from transition.guards
    if _has_reader(state, table):
        yield guards.outside_of_calls
        if crossing.is_of_thought:
            yield guards.outside_of_values
    if crossing.unopened:
        is_content = table.parts[state] is Part.CONTENT or state == table.initial
        is_left_out = table.lenient and table.several and is_content
        yield guards.outside_of_fences if is_left_out else guards.first_of_its_kind
    if isinstance(marker, Nameable) and table.parts[state] is not Part.THOUGHT:
        yield guards.not_mentioned
    if isinstance(marker, Quotable):
        yield guards.not_named


def _has_reader(state: str, table: Table) -> bool:
    """Return whether a call reader knows which markers count in *state*."""
    is_call = table.several and table.parts[state] is Part.CALL
    return is_call or state in table.begun or state in table.begun.values()


def _is_quotable(table: Table, state: str, marker: Literal, transition: Transition) -> bool:
    """Return whether text in *state* may name *marker*, which opens or closes a call."""
    if not table.several or marker.place or not isinstance(transition, Go):
        return False
    is_content = table.parts[state] is Part.CONTENT or state == table.initial
    if table.initial in table.begun:  # there text is content until a call has begun
        is_content = is_content or state in {*table.begun, *table.begun.values()}
    to = transition.to
    is_of_call = table.parts[to] is Part.CALL or to in table.regions or transition.closes
    return is_content and is_of_call and to not in table.begun


def _is_nameable(table: Table, state: str, marker: Literal, transition: Transition) -> bool:
    """Return whether text in *state* may mention *marker*, which opens or closes a thought."""
    if not table.several or marker.place or state in table.drafts:
        return False
    if table.parts[state] is Part.THOUGHT:
        return guards.outside_of_ticks in transition.guards
    if table.parts[state] not in (Part.CONTENT, Part.CALL):
        return False
    is_late = isinstance(transition, Go) and transition.unopened
    return is_late or table.parts[transition.to] is Part.THOUGHT


def _ends_thought(table: Table, state: str, transition: Go) -> bool:
    """Return whether a *transition* closes a thought."""
    if transition.breaks_line or not transition.closes:
        return transition.breaks_line
    is_thought = table.parts[state] is Part.THOUGHT or state in table.drafts
    goes_on = table.parts[transition.to] is Part.THOUGHT or transition.to in table.drafts
    return transition.unopened or (is_thought and not goes_on)
