"""The text of a turn as its model wrote it, with the repairs in their places.

Turns and steps keep the text only as the `log` of their action, and their spans point into the
text that was read, of which the log may be a part. It is shown only where the two agree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent_parsers.core import ROLES
from agent_parsers.events import MarkerSeen, ToolNamed
from outputs.html import Piece, Remark

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from agent_parsers.events import Event, Repair, Span
    from agent_parsers.runs.reading.transcript import TranscriptStep

__all__ = ["notes_about", "parts_of_events", "parts_of_step", "start_of_log"]


def notes_about(
    repairs: Iterable[Repair], start: int, size: int
) -> tuple[list[Remark], list[Repair]]:
    """Return notes about the *repairs* in a text, and the repairs that are not in it.

    Args:
        repairs: The repairs.
        start: The offset at which the text begins.
        size: The length of the text.
    """
    notes: list[Remark] = []
    others: list[Repair] = []
    for repair in sorted(repairs, key=lambda repair: repair.span):
        begin, end = repair.span[0] - start, repair.span[1] - start
        if 0 <= begin <= end <= size:
            notes.append(Remark(begin, end, "repaired", repair.message))
        else:
            others.append(repair)
    return notes, others


def parts_of_events(events: Sequence[Event], text: str, *, has_calls: bool) -> list[Piece] | None:
    """Return the parts of *text*, from the *events* that tile it; `None` if they do not.

    Args:
        events: The merged events.
        text: What may be the text, or its beginning.
        has_calls: Whether the turn has calls, so that text beside them is content.
    """
    parts: list[Piece] = []
    at = 0
    for event in sorted((e for e in events if type(e) in ROLES), key=lambda e: e.span):
        start, end = event.span
        if start >= len(text):
            break
        written = text[start:end]
        own = written if isinstance(event, MarkerSeen | ToolNamed) else getattr(event, "text", "")
        if start != at or not own.startswith(written):
            return None
        part = ROLES[type(event)]
        if part == "marker" and written.isspace():
            part = "space"
        elif part == "answer" and has_calls:
            part = "content"
        at = min(end, len(text))
        parts.append(Piece(start, at, part))
    return parts if at == len(text) else None


def start_of_log(step: TranscriptStep, log: str) -> int | None:
    """Return the offset in the text of the run at which *log* begins; `None` if it is unclear."""
    known: list[tuple[Span | None, str]] = [(step.thought_span, step.thought)]
    known.append((step.action_span, getattr(step.action, "tool", "")))
    starts = set()
    for span, text in known:
        if span is not None and text and log.count(text) == 1:
            starts.add(span[0] - log.index(text))
    return starts.pop() if len(starts) == 1 else None


def parts_of_step(step: TranscriptStep, log: str, start: int) -> list[Piece]:
    """Return the parts of *log*, which begins at *start*: the thought, the action, and the rest."""
    spans = [(step.thought_span, "thought")]
    tool = getattr(step.action, "tool", "")
    if step.action_span is not None and tool:
        begin, end = step.action_span
        at = begin + len(tool) if log.startswith(tool, begin - start) else begin
        spans += [((begin, at), "tool"), ((at, end), "input")]
    else:
        spans.append((step.action_span, "answer"))
    parts: list[Piece] = []
    at = 0
    for span, part in spans:
        if span is not None and at <= span[0] - start <= span[1] - start <= len(log):
            begin, end = span[0] - start, span[1] - start
            parts += [Piece(at, begin, "marker"), Piece(begin, end, part)]
            at = end
    return [*parts, Piece(at, len(log), "skipped" if parts else "")]
