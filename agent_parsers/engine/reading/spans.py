"""Where to point in a turn: at what is wrong, and at what is not white space."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agent_parsers.engine.calls.reader import Call
    from agent_parsers.events import Span

__all__ = ["call_span", "end_span", "trimmed"]


def end_span(problem: str, text: str, entry: int) -> Span:
    """Where to point for a *problem* that shows at the end of *text*.

    From the marker at offset *entry* on, which led there. Where nothing was found at all there is
    no such marker, and the last line that has text is as good a place as any.
    """
    end = len(text.rstrip())
    if problem == "nothing":
        return (text.rfind("\n", 0, end) + 1, end)
    entry = max(entry, 0)  # the line break before the text is not there
    entry += text.startswith("\n", entry)  # the one before a label belongs to the line above
    return (entry, max(entry, end))


def trimmed(text: str, start: int, stop: int) -> Span:
    """Span of what is not white space between *start* and *stop*."""
    body = text[start:stop]
    left = stop - len(body.lstrip())
    return (left, max(left, start + len(body.rstrip())))


def merged(spans: Iterable[Span], text: str = "") -> list[Span]:
    """Return *spans* in order, as one those that overlap, or have but white space between."""
    found: list[Span] = []
    for start, stop in sorted(spans):
        last = found[-1][1] if found else -1
        if start < last or (found and text and not text[last:start].strip()):
            found[-1] = found[-1][0], max(stop, found[-1][1])
        else:
            found.append((start, stop))
    return found


def joined_with(spans: Iterable[Span], links: Iterable[Span], walls: Iterable[Span]) -> list[Span]:
    """Return *spans* with *links*, each of which joins its neighbours unless a wall is between."""
    pieces = [(span, kind) for kind, each in enumerate((spans, links, walls)) for span in each]
    found: list[tuple[Span, int]] = []
    for (start, stop), kind in sorted(pieces):
        if found and found[-1][1] < 2 and kind < 2 and kind + found[-1][1]:
            found[-1] = (found[-1][0][0], max(stop, found[-1][0][1])), 1
        else:
            found.append(((start, stop), kind))
    return [span for span, kind in found if kind < 2]


def without(spans: Iterable[Span], cuts: Iterable[Span]) -> list[Span]:
    """Return *spans* without what the *cuts* take off, which do not overlap."""
    left: list[Span] = []
    waiting = deque(sorted(cuts))
    for start, stop in sorted(spans):
        at = start
        while waiting and waiting[0][0] < stop:
            first, last = waiting[0]
            if at < first:
                left.append((at, first))
            at = max(at, min(last, stop))
            if last > stop:
                break
            waiting.popleft()
        if at < stop:
            left.append((at, stop))
    return left


def call_span(problem: str, call: Call, stop: int) -> Span:
    """Where to point for a *problem* with *call*, whose state ends at *stop*.

    A call without any text has no place itself.
    """
    if problem == "after_call" and call.after is not None:
        return call.after
    return call.span if call.span[0] >= 0 else (stop, stop)
