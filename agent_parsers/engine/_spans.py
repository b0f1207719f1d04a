"""Where to point in a turn: at what is wrong, and at what is not white space."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agent_parsers.engine._calls import Call
    from agent_parsers.engine._events import Span

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


def call_span(problem: str, call: Call, stop: int) -> Span:
    """Where to point for a *problem* with *call*, whose state ends at *stop*.

    A call without any text has no place itself.
    """
    if problem == "after_call" and call.after is not None:
        return call.after
    return call.span if call.span[0] >= 0 else (stop, stop)
