"""What is known of a turn: spans of its text, repairs, ignored markers, as data and in words."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from agent_parsers.actions.agent import AgentAction, TurnResult
from outputs.json_form.storable import Storable
from outputs.pieces import Remark

if TYPE_CHECKING:
    from agent_parsers.engine.tables.modes import Mode
    from agent_parsers.events import Span
    from output_parsers import OutputParserException

_LINE_BREAK: Final = re.compile("\n")


class Places:
    r"""The lines and columns of the characters of *text*. A line ends at ``\n``."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(found.end() for found in _LINE_BREAK.finditer(text))]

    def line(self, offset: int) -> int:
        """Return the line of the character at *offset*, from 1."""
        return bisect_right(self._starts, offset)

    def line_start(self, offset: int) -> int:
        """Return the offset at which the line of the character at *offset* begins."""
        return self._starts[self.line(offset) - 1]

    def column(self, offset: int) -> int:
        """Return the column of the character at *offset*, from 1."""
        return offset - self.line_start(offset) + 1


# -- the data --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ExplainedSpan(Storable):
    """A span of the text, and the part of the turn that it belongs to."""

    span: Span
    """Its offsets in the text."""
    part: str
    """``thought``, ``tool``, ``input``, ``answer``, ``content`` (text outside calls), ``question``,
    ``observation``, ``skipped`` (not part of the turn), ``marker``, ``space`` (white space at an
    edge of the text) or ``unread`` (beyond *max_chars*)."""
    text: str
    """The text of the span."""
    marker: str = ""
    """Name of the marker in its dialect, if the span is a marker."""


@dataclass(frozen=True, slots=True)
class ExplainedRepair(Storable):
    """A repair, with its text before and after the repair."""

    kind: str
    """``label``, ``invented``, ``tool_name`` or another short name."""
    span: Span
    """The span that was repaired; it may contain other repairs."""
    before: str
    """The text of the span."""
    after: str | None
    """The text it was read as; `None` if a single text cannot replace the span."""
    message: str
    """What was repaired, in a sentence for people."""


@dataclass(frozen=True, slots=True)
class IgnoredMarker(Storable):
    """A marker that is in the text, in some spelling, but does not count."""

    marker: str
    """The marker as the dialect writes it."""
    span: Span
    """Its offsets in the text."""
    text: str
    """The marker as it is spelt in the text."""
    reason: str
    """Why it does not count."""


@dataclass(frozen=True, slots=True)
class Findings(Storable):
    """Everything known about how one turn was read."""

    dialect: str
    """Name of the dialect."""
    mode: Mode
    """The mode in which the turn was read: ``"strict"`` or ``"lenient"``."""
    text: str
    """The text of the turn."""
    result: TurnResult | None
    """What `parse` returns; `None` if it raises."""
    error: OutputParserException | None
    """What `parse` raises; `None` if it returns a result."""
    spans: tuple[ExplainedSpan, ...]
    """The spans of all parts; together they cover the text without gaps."""
    repairs: tuple[ExplainedRepair, ...]
    """The repairs, in the order of the text; empty in strict mode."""
    ignored: tuple[IgnoredMarker, ...]
    """The markers of the dialect that are written, in some spelling, but do not count."""


# -- in words --------------------------------------------------------------------------------------

_LONGEST_AFTER: Final = 40
"""Longest replacement that a note shows, in characters."""


def outcome_of(result: TurnResult | None) -> str:
    """Return in a word or two what a turn was read as; "an error" if *result* is `None`."""
    match result:
        case AgentAction():
            return "an action"
        case list() as actions:
            return "1 action" if len(actions) == 1 else f"{len(actions)} actions"
        case None:
            return "an error"
        case _:
            return "an answer"


def notes_of(it: Findings) -> list[Remark]:
    """Return the notes about repairs, ignored markers and the error, in the order of the text."""
    return sorted(_notes(it), key=lambda note: note[:2])


def _notes(it: Findings) -> Iterator[Remark]:
    for repair in it.repairs:
        yield Remark(*repair.span, "repaired", repair.message + _arrow(repair))
    for mark in it.ignored:
        yield Remark(*mark.span, "ignored", mark.reason)
    if it.error is not None and it.error.span is not None:
        yield Remark(*it.error.span, "error", reason_of(it))


def reason_of(it: Findings) -> str:
    """Return the reason of the error, without the model's text if the message repeats it."""
    reason = it.error.reason if it.error else ""
    return reason.replace(it.text, "...") if len(it.text) > 1 else reason


def input_as_text(tool_input: object) -> str:
    """Return the input of a tool as text: unchanged if it is a string, otherwise as JSON."""
    if isinstance(tool_input, str):
        return tool_input
    try:
        return json.dumps(tool_input, ensure_ascii=False, default=repr)
    except (TypeError, RecursionError):
        return repr(tool_input)


def _arrow(repair: ExplainedRepair) -> str:
    """Return the replacement of a repair, if it is short and not evident from the message."""
    after = repair.after
    if not after or after in repair.before or after in repair.message:
        return ""
    return f" -> {after}" if len(after) <= _LONGEST_AFTER else ""
