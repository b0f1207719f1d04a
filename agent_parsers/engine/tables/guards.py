"""Guards: whether a marker counts where it stands, and if not, why not.

A guard is a function of a marker's place. It returns ``""`` if the marker counts as far as this
guard is concerned, or else the reason why it is only text, which `explain` quotes. The guards of a
transition are asked one after another, and the first reason ends the matter.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

from agent_parsers.engine.markers.kinds import (
    ENDS_SENTENCE,
    Inline,
    Label,
    Literal,
    Marker,
    is_hedged,
)
from agent_parsers.engine.markers.mentions import SENTENCE, WINDOW, Nameable, is_named, is_spoken_of

if TYPE_CHECKING:
    from agent_parsers.engine.markers.mentions import TextBefore
    from agent_parsers.engine.markers.patterns import Found


class Reader(Protocol):
    """What the reader of a state's text knows about that text."""

    @property
    def label(self) -> str:
        """The marker that opened the text, as written."""

    @property
    def tools(self) -> Container[str] | None:
        """The available tools; `None` accepts any tool."""

    @property
    def is_quoting(self) -> bool:
        """Whether the text ends inside a quotation."""

    @property
    def is_in_value(self) -> bool:
        """Whether the text ends inside a value of a call."""

    def holds(self, part: str) -> bool:
        """Return whether the text contains *part*."""

    def is_in_fence(self, start: int, stop: int) -> bool:
        """Return whether a fence opened at offset *start* or later is open at offset *stop*."""

    def is_in_code(self, at: int) -> bool:
        """Return whether a fence or a backtick is open at offset *at* of the whole text."""


@dataclass(slots=True, eq=False)
class Here:
    """A marker that was found, and its surroundings."""

    marker: Marker
    """The marker."""
    found: Found
    """Where it was found."""
    before: TextBefore
    """The text of the state before the marker."""
    reader: Reader
    """What the reader of the state's text knows."""
    is_start: bool
    """Whether no marker precedes the text of the state."""
    span: tuple[int, int]
    """Where the text of the state begins, and where the marker begins."""
    at: int
    """Offset of the marker in the whole text; in a block of calls, that of the block."""


Guard: TypeAlias = Callable[[Here], str]


def not_within_backticks(here: Here) -> str:
    """Refuse a label between backticks in the middle of a line."""
    return "between backticks" if here.before.opens_backticks and not here.before.ends_line else ""


def begins_a_sentence(here: Here) -> str:
    """Refuse an inline label that neither begins a sentence nor precedes the name of a tool."""
    assert isinstance(here.marker, Inline), "only inline labels have this guard"
    if here.before.is_first or here.before.last in ENDS_SENTENCE:
        return ""
    if is_hedged(here.before.lead):
        return "in a sentence that only mentions it"
    if here.marker.names_one_of(here.reader.tools, here.found.string, here.found.end()):
        return ""
    return "in the middle of a sentence, and no tool name follows it"


def closes_nothing_before(here: Here) -> str:
    """Refuse a marker that closes something else, which was opened earlier in the text."""
    assert isinstance(here.marker, Literal), "only literals have `unless`"
    opener = here.marker.unless
    return f"after {opener!r}, which it closes" if here.reader.holds(opener) else ""


def at_its_place(here: Here) -> str:
    """Refuse a literal that is not at the beginning of the text or line, as it has to be."""
    assert isinstance(here.marker, Literal), "only literals have `place`"
    if here.marker.place == "text":
        is_begun = here.is_start and here.before.is_first
        return "" if is_begun else "not at the beginning of the text"
    return "" if here.before.is_first or here.before.ends_line else "not at the beginning of a line"


def begins_the_text(here: Here) -> str:
    """Refuse a marker that follows text of the same state."""
    return "" if here.before.is_first else "after other text"


def dressed_alike(here: Here) -> str:
    """Refuse a label in a value that is not formatted like the label that opened the value."""
    assert isinstance(here.marker, Label), "only labels have this guard"
    if here.marker.counts(here.found[0], here.reader.label):
        return ""
    return "not formatted like the label before it"


def outside_of_quotations(here: Here) -> str:
    """Refuse a label in quotes or in a fence: it is part of the value."""
    return "in a quotation" if here.reader.is_quoting else ""


def outside_of_calls(here: Here) -> str:
    """Refuse a marker inside a quoted value of a call."""
    return "in a value of the call" if here.reader.is_quoting else ""


def outside_of_values(here: Here) -> str:
    """Refuse a marker of a thought inside a value of a call, quoted or not."""
    return "in a value of the call" if here.reader.is_in_value else ""


def outside_of_code(here: Here) -> str:
    """Refuse a marker in a fence or between backticks: the text only shows it."""
    return "in a fence, or between backticks" if here.reader.is_in_code(here.at) else ""


def first_of_its_kind(here: Here) -> str:
    """Refuse a second marker that closes a thought, unless it follows another marker."""
    if here.before.is_first or not here.before.has_thought:
        return ""
    return "after a thought that is already closed"


def not_mentioned(here: Here) -> str:
    """Refuse a marker that the text around it only mentions."""
    before, end = here.before, here.found.end()
    after = here.found.string[end : end + WINDOW]
    if before.is_first or not is_spoken_of(before.last, "".join(before.blank), after):
        return ""
    return "in a sentence that only mentions it"


def outside_of_fences(here: Here) -> str:
    """Refuse a second marker that closes a thought, if it is in a fence."""
    before = here.before
    is_stray = before.has_thought and not before.is_first
    return "in a fence" if is_stray and here.reader.is_in_fence(*here.span) else ""


def outside_of_ticks(here: Here) -> str:
    """Refuse a marker of a thought that is alone between backticks."""
    if not isinstance(here.marker, Nameable):  # what follows it may not be known yet
        return ""
    before, end = here.before, here.found.end()
    is_quoted = before.opens_backticks and before.last == "`" and not before.blank
    return "between backticks" if is_quoted and here.found.string[end : end + 1] == "`" else ""


def opens_no_other(here: Here) -> str:
    """Refuse a marker that opens a nested thought, unless it is at the beginning of the thought."""
    return "" if here.before.is_first else "in a thought that is already open"


def closes_the_outermost(here: Here) -> str:
    """Refuse a marker that closes a nested thought."""
    return "in a nested thought, which it closes" if here.before.depth else ""


def not_named(here: Here) -> str:
    """Refuse the mark of a call that the text only mentions, in quotes or in a sentence."""
    before, end = here.before, here.found.end()
    after = here.found.string[end : end + SENTENCE]
    if before.is_first or not is_named(before.last, "".join(before.blank), after):
        return ""
    return "alone in quotes, or in a sentence that only mentions it"
