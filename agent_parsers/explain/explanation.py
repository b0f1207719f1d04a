"""Explaining why a turn parsed as it did: the parts of the text, repairs, ignored markers.

Of a stream it says what each chunk completes, what is held back after it, and why.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.engine.markers.patterns import Patterns
from agent_parsers.engine.reading.rules.machine import machine
from agent_parsers.engine.tables.modes import MAX_CHARS, Mode, OnConflict
from agent_parsers.engine.tables.table import Part
from agent_parsers.events import (
    AnswerDelta,
    Event,
    InputDelta,
    MarkerSeen,
    ObservationDelta,
    QuestionDelta,
    SkippedDelta,
    ThoughtDelta,
    ToolNamed,
    merge_events,
)
from agent_parsers.explain.findings import ExplainedSpan, Findings, Places
from agent_parsers.explain.markers import Passed, Watcher, explained_repairs, ignored_markers
from output_parsers import OutputParserException
from outputs.html.viewable import Viewable

if TYPE_CHECKING:
    from agent_parsers.engine.reading.rules.states import Crossing
    from agent_parsers.engine.tables.dialect import Dialect
    from agent_parsers.events import Span
    from agent_parsers.toolset import ToolSet
    from outputs.messages.ended import Ended


class Explanation(Findings, Viewable):
    """Why one turn was parsed as it was. Use ``str()`` for people, `to_json` for programs."""

    __slots__ = ()
    _view = "agent_parsers.html.explanations"

    def render(self, *, color: bool = False, width: int = 80) -> str:
        """Return the explanation as lines for a terminal, with notes below the text they mark.

        Args:
            color: Whether to use colours, as ANSI escape sequences.
            width: Width of a line in cells, at least 40.

        Returns:
            Lines without a line break at the end. Control characters of the text are escaped.
        """
        from agent_parsers.explain.screen import draw  # imported lazily: only needed to render

        return draw(self, color=color, width=width)

    def __str__(self) -> str:
        return self.render()


def explain(
    dialect: Dialect,
    mode: Mode,
    text: str,
    tools: ToolSet | Collection[str] | None = None,
    max_chars: int = MAX_CHARS,
    on_conflict: OnConflict = "error",
    start: str = "",
    prompt: str = "",
    ended: Ended = "unknown",
) -> Explanation:
    """Explain why *text*, one turn, is parsed as it is, or why it cannot be read.

    The dialect, *mode* and the other arguments are those of `StreamParser`.

    Raises:
        ValueError: *mode* is ``"transcript"``; only a single turn can be explained.
    """
    if mode == "transcript":
        raise ValueError("only a single turn can be explained, not a transcript")
    parser = Watcher(
        dialect,
        mode=mode,
        max_chars=max_chars,
        tools=tools,
        on_conflict=on_conflict,
        start=start,
        prompt=prompt,
    )
    error: OutputParserException | None = None
    emitted = parser.feed(text)
    try:
        emitted += parser.close(ended=ended)
    except OutputParserException as caught:
        emitted += parser.last_events
        error = caught
    events = merge_events(emitted)
    spans = tuple(_spans(text, events, parser.passed))
    if isinstance(parser.result, list):
        spans = tuple(replace(s, part="content") if s.part == "answer" else s for s in spans)
    read = text[:max_chars]
    ignored = ignored_markers(
        machine(dialect, mode, on_conflict), read, parser, spans, Places(read)
    )
    return Explanation(
        dialect=dialect.name,
        mode=mode,
        text=text,
        result=None if error else parser.result,
        error=error,
        spans=spans,
        repairs=tuple(explained_repairs(text, events, parser.passed)),
        ignored=tuple(ignored),
    )


# -- the part of each character --------------------------------------------------------------------

PARTS_OF_EVENTS: Final[dict[type[Event], str]] = {
    QuestionDelta: "question",
    ThoughtDelta: "thought",
    ToolNamed: "tool",
    InputDelta: "input",
    AnswerDelta: "answer",
    ObservationDelta: "observation",
    SkippedDelta: "skipped",
    MarkerSeen: "marker",
}
"""The parts of the events that tile a text."""
_EDGES: Final = {"start", "end"}
_RESULTS: Final = {"tool", "input", "answer"}
"""Parts that a later marker may exclude from the turn."""


def _spans(text: str, events: Sequence[Event], passed: Sequence[Passed]) -> Iterator[ExplainedSpan]:
    drops = (mark for mark in passed if mark.crossing.drops and not mark.crossing.is_note)
    dropped = max((mark.span[0] for mark in drops), default=0)  # the text before is excluded
    at = 0
    # A tool that is named by the marker itself has no text.
    tiles = [e for e in events if type(e) in PARTS_OF_EVENTS and e.span[0] < e.span[1]]
    for event in sorted(tiles, key=lambda event: event.span):
        part, span = PARTS_OF_EVENTS[type(event)], event.span
        marker = event.name if isinstance(event, MarkerSeen) else ""
        if marker in _EDGES and text[slice(*span)].isspace():
            part, marker = "space", ""
        elif part in _RESULTS and span[1] <= dropped:
            part = "skipped"
        yield ExplainedSpan(span, part, text[slice(*span)], marker)
        at = span[1]
    if at < len(text):
        yield ExplainedSpan((at, len(text)), "unread", text[at:])


_MOST_NAMED: Final = 3
"""How many markers a reason names."""


@dataclass(frozen=True, slots=True)
class ExplainedChunk:
    """A chunk of a text, and what a stream emits when the chunk arrives."""

    text: str
    """The chunk; empty for the end of the text."""
    span: Span
    """Its offsets in the whole text."""
    events: tuple[Event, ...]
    """The events that it completes."""
    held: Span
    """Offsets of the text that no event has reported yet; empty if there is none."""
    reason: str
    """Why that text is held back, in words; empty if none is."""
    error: OutputParserException | None = None
    """The error that ends the stream, if there is one."""


def explain_chunks(
    dialect: Dialect, chunks: Iterable[str], ended: Ended = "unknown", **options: Any
) -> Iterator[ExplainedChunk]:
    """Yield what a stream emits and holds back after each of *chunks*, and at the end.

    If there is an error, the last one yielded has it. The other *options* are those of
    `StreamParser`.
    """
    stream = _ChunkWatcher(dialect, **options)
    at = told = 0
    for chunk in chunks:
        span = at, at + len(chunk)
        at = span[1]
        try:
            events = stream.feed(chunk)
        except OutputParserException as error:
            yield ExplainedChunk(chunk, span, (), (told, at), "reading stops here", error)
            return
        told = _told(events, told)
        yield ExplainedChunk(chunk, span, tuple(events), (told, at), stream.reason(told, at))
    failed: OutputParserException | None = None
    try:
        events = stream.close(ended=ended)
    except OutputParserException as error:
        events, failed = stream.last_events, error
    yield ExplainedChunk("", (at, at), tuple(events), (at, at), "", failed)


def _told(events: Iterable[Event], before: int) -> int:
    """Return up to where *events* have told the text, of which *before* was told already."""
    return max(
        (event.span[1] for event in events if type(event) in PARTS_OF_EVENTS), default=before
    )


class _ChunkWatcher(Watcher):
    """A stream parser that knows why it holds text back."""

    __slots__ = ()

    def reason(self, start: int, end: int) -> str:
        """Return why the text from offset *start* to *end* is held back."""
        if start == end:
            return ""
        if self._tail and (names := list(islice(self._possible(), _MOST_NAMED + 1))):
            more = ", or another marker" if len(names) > _MOST_NAMED else ""
            return f"it may become {' or '.join(map(repr, names[:_MOST_NAMED]))}{more}"
        if self.text[start:end].isspace():
            return "white space is text only if more text follows"
        if self._before.is_first:
            return "white space after a marker belongs to the marker, and more may follow"
        if self._state.part is Part.TOOL:
            return "the name of the tool may continue"
        return "its meaning is known only when more text has arrived"

    def _possible(self) -> Iterator[str]:
        """Yield the markers that the end of the text may become, as the dialect writes them."""
        for crossing in self._state.crossings:
            if _may_become(self._tail, crossing) and (label := crossing.marker.canonical.strip()):
                yield label


def _may_become(tail: str, crossing: Crossing) -> bool:
    found = Patterns.of(crossing.marker).growing_at(tail, 0)
    return found is not None and found.lastindex is None
