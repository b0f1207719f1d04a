"""The data of an explanation: spans of the text, repairs, ignored markers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from outputs.json_form.storable import Storable

if TYPE_CHECKING:
    from agent_parsers.actions.agent import TurnResult
    from agent_parsers.engine.grammar.modes import Mode
    from agent_parsers.events import Span
    from output_parsers import OutputParserException

__all__ = ["ExplainedRepair", "ExplainedSpan", "Findings", "IgnoredMarker"]


@dataclass(frozen=True, slots=True)
class ExplainedSpan(Storable):
    """A span of the text, and the part that it belongs to."""

    span: Span
    """Its offsets in the text."""
    part: str
    """``thought``, ``tool``, ``input``, ``answer``, ``content`` (text beside calls), ``question``,
    ``observation``, ``skipped`` (not part of the turn), ``marker``, ``space`` (white space at an
    edge of the text) or ``unread`` (beyond *max_chars*)."""
    text: str
    """The text of the span."""
    marker: str = ""
    """Name of the marker in its dialect, if the span is a marker."""


@dataclass(frozen=True, slots=True)
class ExplainedRepair(Storable):
    """A repair, with the text before and after it."""

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
    """A place where a marker is written, in some spelling, but does not count."""

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
