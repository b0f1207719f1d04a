"""Explaining a stream: what each chunk completes, what is held back after it, and why."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.engine.markers.patterns import Patterns
from agent_parsers.engine.tables.table import Part
from agent_parsers.explain.explanation import ROLES
from agent_parsers.explain.markers import Watcher
from output_parsers import OutputParserException

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from agent_parsers.engine.reading.rules.states import Crossing
    from agent_parsers.engine.tables.dialect import Dialect
    from agent_parsers.events import Event, Span
    from outputs.messages.ended import Ended

__all__ = ["ExplainedChunk", "explain_chunks"]

_MOST_NAMED: Final = 3
"""How many markers a reason names."""


@dataclass(frozen=True, slots=True)
class ExplainedChunk:
    """A chunk of a text, and what a stream emits once it has arrived."""

    text: str
    """The chunk; empty for the end of the text."""
    span: Span
    """Its offsets in the whole text."""
    events: tuple[Event, ...]
    """The events that it completes."""
    held: Span
    """Offsets of the text that no event has told yet; empty if there is none."""
    reason: str
    """Why that text is held back, in words; empty if none is."""
    error: OutputParserException | None = None
    """The error that ends the stream, if there is one."""


def explain_chunks(
    dialect: Dialect, chunks: Iterable[str], ended: Ended = "unknown", **options: Any
) -> Iterator[ExplainedChunk]:
    """Yield what a stream emits after each of *chunks*, and what it holds back; the end comes last.

    An error ends it, in the field of the last one.

    Args:
        dialect: The dialect of the turn.
        chunks: The text, cut anywhere.
        ended: How the text ended, if known.
        options: Other arguments of `StreamParser`.
    """
    stream = _ChunkWatcher(dialect, **options)
    at = told = 0
    for chunk in chunks:
        span = at, at + len(chunk)
        at = span[1]
        try:
            events = stream.feed(chunk)
        except OutputParserException as error:
            yield ExplainedChunk(chunk, span, (), (told, at), "the text is not read on", error)
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
    return max((event.span[1] for event in events if type(event) in ROLES), default=before)


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
            return "white space after a marker belongs to it, and more of it may follow"
        if self._state.part is Part.TOOL:
            return "the name of the tool may go on"
        return "what it means is known only when more of it has arrived"

    def _possible(self) -> Iterator[str]:
        """Yield the markers that the end of the text may become, as the dialect writes them."""
        for crossing in self._state.crossings:
            if _may_become(self._tail, crossing) and (label := crossing.marker.canonical.strip()):
                yield label


def _may_become(tail: str, crossing: Crossing) -> bool:
    found = Patterns({crossing.name: crossing.marker}).growing.match(tail)
    return found is not None and found.lastindex is None
