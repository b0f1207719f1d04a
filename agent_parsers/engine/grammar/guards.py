"""Guards: whether a marker counts where it stands, and if not, why not.

A guard is a function of a marker's place. It returns ``""`` if the marker counts as far as this
guard is concerned, or else the reason why it is only text, which `explain` quotes. The guards of a
transition are asked one after another, and the first reason ends the matter.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias

from agent_parsers.engine.markers.kinds import (
    ENDS_SENTENCE,
    Inline,
    Label,
    Literal,
    Marker,
    is_hedged,
)
from agent_parsers.engine.markers.mentions import is_spoken_of

__all__ = [
    "Guard",
    "Here",
    "at_its_place",
    "begins_a_sentence",
    "closes_nothing_before",
    "dressed_alike",
    "first_of_its_kind",
    "not_mentioned",
    "not_within_backticks",
    "outside_of_calls",
    "outside_of_quotations",
    "outside_of_values",
]


class Here(Protocol):
    """The place of a marker, as far as guards ask about it."""

    marker: Marker
    """The marker."""

    @property
    def spelt(self) -> str:
        """The marker as it is written."""

    @property
    def is_first(self) -> bool:
        """Whether nothing but white space precedes it in its state."""

    @property
    def is_at_start(self) -> bool:
        """Whether nothing but white space precedes it in the whole text."""

    @property
    def begins_line(self) -> bool:
        """Whether a line break follows the last text before it."""

    @property
    def last(self) -> str:
        """The last character before it that is not white space, in its state."""

    @property
    def lead(self) -> str:
        """The end of the text before it in its state, without the white space next to it."""

    @property
    def blank(self) -> str:
        """The white space before it."""

    @property
    def after(self) -> str:
        """The text that follows it on its line, as far as that decides whether it counts."""

    @property
    def label(self) -> str:
        """The marker that opened the text of its state, as written."""

    @property
    def is_in_backticks(self) -> bool:
        """Whether a backtick that precedes it on its line is not closed."""

    @property
    def is_quoted(self) -> bool:
        """Whether the text before it opens a quotation and does not close it."""

    @property
    def is_in_value(self) -> bool:
        """Whether it stands inside a value of a call."""

    @property
    def has_thought(self) -> bool:
        """Whether a thought was closed before."""

    def holds(self, part: str) -> bool:
        """Return whether the text of its state contains *part*."""

    def names_tool(self, marker: Inline) -> bool:
        """Return whether the name of an available tool follows, up to the next label."""


Guard: TypeAlias = Callable[[Here], str]


def not_within_backticks(here: Here) -> str:
    """Refuse a label within a line that stands between backticks."""
    return "between backticks" if here.is_in_backticks and not here.begins_line else ""


def begins_a_sentence(here: Here) -> str:
    """Refuse an inline label that begins no sentence and is not followed by the name of a tool."""
    assert isinstance(here.marker, Inline), "other labels begin a line"
    if here.is_first or here.last in ENDS_SENTENCE:
        return ""
    if is_hedged(here.lead):
        return "in a sentence that only mentions it"
    if here.names_tool(here.marker):
        return ""
    return "in the middle of a sentence, and no tool is named after it"


def closes_nothing_before(here: Here) -> str:
    """Refuse a marker that closes other text, which was opened before."""
    assert isinstance(here.marker, Literal), "only literals close something"
    opener = here.marker.unless
    return f"after {opener!r}, which it closes" if here.holds(opener) else ""


def at_its_place(here: Here) -> str:
    """Refuse a literal away from its place."""
    assert isinstance(here.marker, Literal), "only literals have a place"
    if here.marker.place == "text":
        return "" if here.is_at_start else "not at the beginning of the text"
    return "" if here.is_first or here.begins_line else "not at the beginning of a line"


def dressed_alike(here: Here) -> str:
    """Refuse a label in a value that is dressed unlike the label that opened the value."""
    assert isinstance(here.marker, Label), "only labels are dressed"
    if here.marker.counts(here.spelt, here.label):
        return ""
    return "dressed unlike the label before it"


def outside_of_quotations(here: Here) -> str:
    """Refuse a label in quotes or in a fence: it is part of the value."""
    return "in a quotation" if here.is_quoted else ""


def outside_of_calls(here: Here) -> str:
    """Refuse a marker inside a quoted value, as the call reader knows."""
    return "in a value of the call" if here.is_quoted else ""


def outside_of_values(here: Here) -> str:
    """Refuse a marker of a thought inside a value, quoted or not."""
    return "in a value of the call" if here.is_in_value else ""


def first_of_its_kind(here: Here) -> str:
    """Refuse a marker that closes a thought again, unless it follows another marker."""
    if here.is_first or not here.has_thought:
        return ""
    return "after a thought that was closed already"


def not_mentioned(here: Here) -> str:
    """Refuse a marker of a thought that the text around only mentions."""
    if here.is_first or not is_spoken_of(here.last, here.blank, here.after):
        return ""
    return "in a sentence that only mentions it"
