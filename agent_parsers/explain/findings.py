"""What an explanation holds: stretches of the text, repairs, markers that did not count."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agent_parsers.actions.agent import TurnResult
    from agent_parsers.engine.grammar.modes import Mode
    from agent_parsers.events import Span
    from output_parsers import OutputParserException

__all__ = ["ExplainedRepair", "ExplainedSpan", "Findings", "IgnoredMarker"]


@dataclass(frozen=True, slots=True)
class ExplainedSpan:
    """A stretch of the text, and what it is."""

    span: Span
    """Where it stands."""
    part: str
    """``thought``, ``tool``, ``input``, ``answer``, ``content`` (what is said beside calls),
    ``question``, ``observation``, ``skipped`` (no part of the turn), ``marker``, ``space`` (white
    space at an edge of the text) or ``unread`` (beyond *max_chars*)."""
    text: str
    """What stands there."""
    marker: str = ""
    """Name of the marker in its dialect, if it is one."""


@dataclass(frozen=True, slots=True)
class ExplainedRepair:
    """Something that was mended."""

    kind: str
    """``label``, ``invented``, ``tool_name`` or another short name."""
    span: Span
    """What was mended; other repairs may lie in it."""
    before: str
    """What stands there."""
    after: str | None
    """What it was read as; `None` where that is not one text in its place."""
    message: str
    """What was done, in a sentence a person can read."""


@dataclass(frozen=True, slots=True)
class IgnoredMarker:
    """A place where a marker is spelt, somehow, and does not count."""

    marker: str
    """The marker as the dialect writes it."""
    span: Span
    """Where it stands."""
    text: str
    """How it is spelt there."""
    reason: str
    """Why it does not count."""


@dataclass(frozen=True, slots=True)
class Findings:
    """What was found out about one turn."""

    dialect: str
    """Name of the dialect."""
    mode: Mode
    """How the turn was read: ``"strict"`` or ``"lenient"``."""
    text: str
    """The turn."""
    result: TurnResult | None
    """What `parse` returns; `None` if it raises."""
    error: OutputParserException | None
    """What `parse` raises, if it does."""
    spans: tuple[ExplainedSpan, ...]
    """What each character is: they tile the text."""
    repairs: tuple[ExplainedRepair, ...]
    """What was mended, in the order of the text; lenient reading only."""
    ignored: tuple[IgnoredMarker, ...]
    """Where a marker of the dialect is spelt, somehow, and does not count."""
