"""Which markers counted in a turn, why the others did not, and what repairs made of its text."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from typing_extensions import override

from agent_parsers.engine.markers.kinds import INDENT, MOST, SPACED, Label, Marker
from agent_parsers.engine.reading.rules.machine import Machine, machine
from agent_parsers.engine.stream_parser import StreamParser
from agent_parsers.engine.tables.guards import Guard, outside_of_quotations
from agent_parsers.events import (
    ActionComplete,
    AnswerDelta,
    Event,
    Finish,
    InputDelta,
    Repair,
    ToolNamed,
)
from agent_parsers.explain.findings import ExplainedRepair, ExplainedSpan, IgnoredMarker, Places

if TYPE_CHECKING:
    from agent_parsers.engine.reading.rules.states import Crossing, State
    from agent_parsers.engine.tables.dialect import Dialect
    from agent_parsers.events import Span


@dataclass(frozen=True, slots=True)
class Passed:
    """A marker that counted."""

    crossing: Crossing
    """The transition that it caused."""
    span: Span
    """Its offsets in the text, including the line break before it."""
    state: State
    """The state in which it was found."""


class Refused(NamedTuple):
    """A marker that did not count."""

    reason: str
    """Why not, in the words of its guard."""
    opened_at: int
    """Where the quotation around it was opened; -1 without a quotation, or if not known."""


class Watcher(StreamParser):
    """A stream parser that records which markers counted, and which a guard refused."""

    __slots__ = ("passed", "refused")

    def __init__(self, dialect: Dialect, **options: Any) -> None:
        super().__init__(dialect, **options)
        self._reports = None  # to explain a text is not to read it
        self.passed: list[Passed] = []
        """The markers that counted."""
        self.refused: dict[int, Refused] = {}
        """The markers that a guard refused, by the offset of their end."""

    @override
    def _pass_by(self, guard: Guard, reason: str, spelt: str, start: int) -> None:
        end = start + len(spelt.rstrip())
        is_quoted = guard is outside_of_quotations
        self.refused[end] = Refused(reason, self._collector.opened_at if is_quoted else -1)

    @override
    def _cross(
        self, events: list[Event], crossing: Crossing, spelt: str, start: int, end: int
    ) -> None:
        self.passed.append(Passed(crossing, (max(start, 0), end), self._state))
        super()._cross(events, crossing, spelt, start, end)

    @override
    def _note(self, events: list[Event], crossing: Crossing, spelt: str, start: int) -> None:
        span = (max(start, 0), start + len(spelt))
        self.passed.append(Passed(crossing, span, self._state))
        super()._note(events, crossing, spelt, start)


def ignored_markers(
    reader: Machine,
    text: str,
    watcher: Watcher,
    spans: Sequence[ExplainedSpan],
    places: Places,
) -> Iterator[IgnoredMarker]:
    """Yield the markers in *text*, as far as *reader* read it, that did not count."""
    known = _vocabulary(reader)
    passed = watcher.passed
    ends = [mark.span[1] for mark in passed]
    at_span = pos = 0
    while (found := known.pattern.search(text, pos)) is not None:
        pos = found.end()
        key = known.keys[(found.lastindex or 1) - 1]
        spelt = found[0].rstrip()
        span = (found.start(), found.start() + len(spelt))
        at = bisect_right(ends, span[0])
        if at < len(passed) and passed[at].span[0] < span[1]:
            pos = passed[at].span[1]
            continue
        while spans[at_span].span[1] <= span[0]:
            at_span += 1
        part = spans[at_span].part
        last = passed[at - 1] if at else None
        state = last.crossing.to if last else reader.initial
        if state.begun is not None and part != "thought":
            state = state.begun
        refused = watcher.refused.get(span[1])
        if refused is not None and refused.opened_at >= 0:
            what = "fence" if text.startswith("```", refused.opened_at) else "quotation"
            reason = f"in the {what} that opens on line {places.line(refused.opened_at)}"
        elif refused is not None:
            reason = refused.reason
        else:
            is_reported = part in _PLACES and part != "skipped"  # else the state is more specific
            place = _PLACES[part if is_reported else state.part.name.lower()]
            reason = _reason(known, state, place, key, text, span)
        yield IgnoredMarker(key, span, spelt, reason)


# -- how markers are spelt ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Vocabulary:
    """The markers that a reader knows in its own mode or in lenient mode."""

    pattern: re.Pattern[str]
    """Finds a marker in any spelling; an empty group at its end identifies the marker."""
    keys: tuple[str, ...]
    """The markers as the dialect writes them, in the order of the groups."""
    here: frozenset[str]
    """The markers that the reader knows in its own mode."""
    own: frozenset[str]
    """The markers that the dialect declares; the others belong to chat templates."""
    thinking: frozenset[State]
    """The states inside blocks of reasoning."""


@cache
def _vocabulary(reader: Machine) -> _Vocabulary:
    """Return the markers of the dialect of *reader*, with a pattern that finds them.

    Markers that only change what may follow them are always text, so they are left out, and so are
    the labels of other formats.
    """
    dialect = reader.dialect
    here = _crossings(reader.initial)
    known = here + _crossings(machine(dialect, "lenient").initial)
    ways: dict[str, dict[str, None]] = {}
    for crossing in known:
        marker = crossing.marker
        is_borrowed = isinstance(marker, Label) and marker.borrowed
        if _key(marker) and not crossing.is_note and not is_borrowed:
            ways.setdefault(_key(marker), {})
    for crossing in known:
        if (found := ways.get(_key(crossing.marker))) is not None:
            found.update(dict.fromkeys(_patterns(crossing.marker)))
    pattern = "|".join(f"(?:{'|'.join(found)})()" for found in ways.values())
    opens = {mark for mark, _ in dialect.reasoning}
    return _Vocabulary(
        pattern=re.compile(pattern or r"(?!)()"),
        keys=tuple(ways),
        here=frozenset(_key(crossing.marker) for crossing in here),
        own=frozenset(
            _key(marker)
            for table in (dialect.strict, dialect.lenient)
            for marker in table.markers.values()
        ),
        thinking=frozenset(c.to for c in here if c.name in opens),
    )


def _key(marker: Marker) -> str:
    return marker.canonical.strip()


def _patterns(marker: Marker) -> Iterator[str]:
    """Yield patterns for *marker* in the middle of a line, the longest spellings first."""
    edge = r"(?<!\w)" if _key(marker)[0].isalnum() else ""
    ways = [marker]
    if isinstance(marker, Label):
        ways += [replace(marker, loose=True, anywhere=False, firm=False)]
    for atoms in sorted((atoms for way in ways for atoms in way.spellings()), key=len)[::-1]:
        start = 0
        while atoms[start] in {"\n", re.escape("\n"), SPACED, INDENT}:
            start += 1
        yield edge + "".join(atoms[start:])


def _crossings(initial: State) -> list[Crossing]:
    """Return all crossings in the states that can be reached from *initial*."""
    states, seen = [initial], {initial}
    found: list[Crossing] = []
    for state in states:
        found += state.crossings
        new = dict.fromkeys(c.to for c in state.crossings if c.to not in seen)
        seen |= new.keys()
        states += new
    return found


# -- why a marker does not count ------------------------------------------------------------------

_PLACES: Final = {
    "question": "the question",
    "thought": "the thought",
    "tool": "the name of the tool",
    "input": "the input",
    "call": "the call",
    "answer": "the answer",
    "content": "the content",
    "observation": "the observation",
    "skipped": "skipped text",
}
"""The words for each part."""

_INDENT: Final = re.compile(INDENT).fullmatch


def _reason(known: _Vocabulary, state: State, place: str, key: str, text: str, span: Span) -> str:
    """Return why the marker *key* does not count at *span*, in *place* and *state*."""
    if state.is_behind_end:
        return "after the turn ended"
    if key not in known.here:
        return "only lenient mode reads it"
    if markers := [c.marker for c in state.crossings if _key(c.marker) == key]:
        if all(map(_counts_anywhere, markers)):
            written = f"in {place} only the exact spelling {key!r} counts"
        elif not _begins_line(text, span[0]):
            return "not at the beginning of a line"
        else:
            written = f"in {place} only {key!r} at the very beginning of a line counts"
        return written
    if state.problem and not state.crossings:
        return "after the text that caused the error"
    if state in known.thinking:
        return "in reasoning"
    counting = dict.fromkeys(_key(c.marker) for c in state.crossings)
    named = [repr(other) for other in counting if other in known.keys and other in known.own]
    if not named:
        return f"in {place}, where no marker counts"
    if len(named) == 1:
        return f"in {place}, where only {named[0]} counts"
    return f"in {place}, where only {', '.join(named[:-1])} and {named[-1]} count"


def _counts_anywhere(marker: Marker) -> bool:
    return marker.anywhere if isinstance(marker, Label) else marker.canonical[0] != "\n"


def _begins_line(text: str, start: int) -> bool:
    """Return whether only an indent precedes *start* in its line."""
    at = max(start - MOST - 1, 0)
    _, line_break, margin = text[at:start].rpartition("\n")
    return (bool(line_break) or at == 0) and _INDENT(margin) is not None


# -- repairs ---------------------------------------------------------------------------------------


def explained_repairs(
    text: str, events: Sequence[Event], passed: Sequence[Passed]
) -> Iterator[ExplainedRepair]:
    """Yield the repairs among *events*, in the order of *text*, with their replacements."""
    repairs = [event for event in events if isinstance(event, Repair)]
    labels = dict(_label(text, mark) for mark in passed)
    names = {event.span: event.tool for event in events if isinstance(event, ToolNamed)}
    value = _repaired_value(text, events, repairs)
    for repair in sorted(repairs, key=lambda repair: repair.span):
        after = None
        if repair.kind == "label":
            after = labels.get(repair.span[0])
        elif repair.kind == "tool_name":
            after = names.get(repair.span)
        elif value is not None and repair is value[0]:
            after = value[1]
        before = text[slice(*repair.span)]
        yield ExplainedRepair(repair.kind, repair.span, before, after, repair.message)


def _label(text: str, mark: Passed) -> tuple[int, str]:
    """Return the offset of a marker, and its spelling in the dialect."""
    start, end = mark.span
    marker = mark.crossing.marker
    if (
        isinstance(marker, Label) and marker.borrowed
    ):  # the dialect's own marker has the same transition
        own = (c.marker for c in mark.state.crossings if c.to is mark.crossing.to)
        marker = next((m for m in own if not isinstance(m, Label) or not m.borrowed), marker)
    return end - len(text[start:end].lstrip()), marker.canonical.strip()


def _repaired_value(
    text: str, events: Sequence[Event], repairs: Sequence[Repair]
) -> tuple[Repair, str] | None:
    """Return the only repair of the input or answer, and the text that replaces its span.

    The replacement is known if the text on both sides of the span is unchanged in the value.
    """
    match [event for event in events if isinstance(event, ActionComplete | Finish)]:
        case [*_, ActionComplete(action=action)]:
            value: Any = action.tool_input
        case [*_, Finish(finish=finish)]:
            value = finish.return_values.get("output")
        case _:
            return None
    written = [event.span for event in events if isinstance(event, InputDelta | AnswerDelta)]
    if not isinstance(value, str) or not written:
        return None
    start, end = written[-1]
    inner = [repair for repair in repairs if start <= repair.span[0] and repair.span[1] <= end]
    if len(inner) != 1:
        return None
    (repair,) = inner
    left, right = text[start : repair.span[0]], text[repair.span[1] : end]
    if value == (left + right).strip():
        return repair, ""
    if value.startswith(left) and value[len(left) :].endswith(right):
        return repair, value[len(left) : len(value) - len(right)]
    return None
