"""The repairs of a turn, with the text that replaces each span."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agent_parsers.engine.markers.kinds import Label
from agent_parsers.events import (
    ActionComplete,
    AnswerDelta,
    Event,
    Finish,
    InputDelta,
    Repair,
    ToolNamed,
)
from agent_parsers.explain.findings import ExplainedRepair

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agent_parsers.explain.markers import Passed

__all__ = ["explained_repairs"]


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
