"""What the text before a marker shows without a stream."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agent_parsers.engine.grammar.guards import (
    Here,
    at_its_place,
    begins_a_sentence,
    first_of_its_kind,
    not_mentioned,
    not_within_backticks,
    outside_of_calls,
    outside_of_values,
)
from agent_parsers.engine.markers.before import Before
from agent_parsers.engine.reading.quoting.watch import may_quote

if TYPE_CHECKING:
    from collections.abc import Collection
    from re import Match

    from agent_parsers.engine.reading.rules.states import Crossing, State
    from agent_parsers.toolset import ToolSet

__all__ = ["Unsure", "counts"]

_STREAM_ONLY: Final = {at_its_place, first_of_its_kind, not_mentioned}
"""The guards that ask more than the text of a state shows."""

_OF_CALLS: Final = {outside_of_calls, outside_of_values}
"""The guards that refuse nothing before a call has begun."""
_OF_LINES: Final = {begins_a_sentence, not_within_backticks}
"""The guards that ask about the text before the marker."""
_NOTHING: Final = Before()
_LONGEST: Final = 4096
"""Longest text before a marker that is looked at again for the next one."""


class Unsure(Exception):  # noqa: N818 - nothing is wrong
    """The text alone does not say what a turn means; a stream has to read it."""


def counts(
    state: State,
    crossing: Crossing,
    found: Match[str],
    place: tuple[int, int],
    tools: ToolSet | Collection[str] | None,
) -> bool:
    """Return whether a marker counts, as its guards say.

    Args:
        state: The state in which it was found.
        crossing: What the marker does if it counts.
        found: Where it was found.
        place: Where the marker before it begins and ends; -1 without a marker.
        tools: The available tools, or only their names.

    Raises:
        Unsure: They need more than the text to say it.
    """
    guards = crossing.guards
    if not _STREAM_ONLY.isdisjoint(guards):
        raise Unsure
    label_at, text_at = place
    buffer, begin = found.string, found.start()
    text = buffer[text_at:begin]
    if state.has_reader:
        if crossing.to.is_cut or state.begun is None or state.opener in text:
            raise Unsure  # a call may have begun
        if _OF_CALLS.issuperset(guards):
            return True
    before = _NOTHING if _OF_LINES.isdisjoint(guards) else _before(text, buffer, begin)
    if begins_a_sentence in guards and before.lead[-1:] in (":", "："):
        raise Unsure  # the colon may end a label, after which a new text begins
    reader = _Text(text, buffer[max(label_at, 0) : text_at], state, tools)
    here = Here(crossing.marker, found, before, reader, is_start=False)
    for guard in guards:
        if guard(here):
            if len(text) > _LONGEST:
                raise Unsure  # each marker that is refused would cost a copy of the text
            return False
    return True


def _before(text: str, buffer: str, begin: int) -> Before:
    """Return what guards ask about *text*, which ends at offset *begin* of *buffer*.

    Raises:
        Unsure: There are backticks on the line.
    """
    if "`" in buffer[buffer.rfind("\n", 0, begin) + 1 : begin]:
        raise Unsure
    body = text.rstrip()
    before = Before()
    if body.lstrip():
        before.begin()
        before.add(body)
    before.blank.append(text[len(body) :])
    return before


class _Text:
    """What the text before a marker shows without a stream; see `Reader`."""

    __slots__ = ("_has_reader", "_text", "label", "tools")

    def __init__(
        self, text: str, label: str, state: State, tools: ToolSet | Collection[str] | None
    ) -> None:
        self._text, self.label, self.tools = text, label, tools
        self._has_reader = state.has_reader  # but no call has begun

    @property
    def is_quoting(self) -> bool:
        if not self._has_reader and may_quote(self._text):
            raise Unsure
        return False

    @property
    def is_in_value(self) -> bool:
        return False

    def holds(self, part: str) -> bool:
        if part in self._text:
            raise Unsure
        return False
