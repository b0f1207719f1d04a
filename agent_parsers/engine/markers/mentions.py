"""The text before a marker, and markers that text may mention and not mean."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from typing_extensions import override

from agent_parsers.engine.markers.kinds import ENDS_SENTENCE, LONGEST_LEAD, MOST, Ahead, Literal

if TYPE_CHECKING:
    from agent_parsers.engine.markers.kinds import Atom


class TextBefore:
    """What the text before a marker contains, as far as the meaning of the marker depends on it."""

    __slots__ = (
        "_ends_in_tick", "_ticks", "blank", "depth", "has_thought", "is_first", "last", "lead",
    )  # fmt: skip

    def __init__(self) -> None:
        self.is_first: bool = True
        """Whether there is no text but white space."""
        self.last: str = ""
        """Its last character that is not white space."""
        self.lead: str = ""
        """Its end, without the white space."""
        self.blank: list[str] = []
        """The white space at its end."""
        self.has_thought: bool = False
        """Whether a thought was closed before it."""
        self.depth: int = 0
        """How many thoughts are open within the thought that it belongs to."""
        self._ticks = 0  # runs of backticks on the line so far
        self._ends_in_tick = False  # whether the last run may go on

    def begin(self) -> None:
        """Begin the text of another state."""
        self.is_first = False
        self.lead = ""

    def add(self, body: str) -> None:
        """Add more text, which does not end in white space."""
        self.last = body[-1]
        self.lead = (self.lead + body)[-LONGEST_LEAD:]
        if self._ticks or self._ends_in_tick or "`" in body:
            self.count_ticks(body)

    def count_ticks(self, text: str) -> None:
        """Count the runs of backticks in *text*, the next part of the line."""
        if "\n" in text:
            text = text[text.rfind("\n") :]
            self._ticks = 0
        if "`" in text:
            goes_on = self._ends_in_tick and text[0] == "`"
            self._ticks += len(_runs_of_ticks(text)) - goes_on
        self._ends_in_tick = text[-1:] == "`"

    @property
    def ends_line(self) -> bool:
        """Whether the line has ended since the last text that is not white space."""
        return any("\n" in blank for blank in self.blank)

    @property
    def opens_backticks(self) -> bool:
        """Whether a backtick on the line is still open."""
        return bool(self._ticks % 2)


_runs_of_ticks: Final = re.compile("`++").findall


# -- markers that text may mention -----------------------------------------------------------------

WINDOW: Final = MOST + 1
"""How many characters after a marker decide whether the text only mentions it."""
_BLANKS: Final = rf"[ \t]{{0,{MOST}}}+"
_AHEAD: Final = Ahead("", pending=_BLANKS, sample="\n")
_ENDS_WORD: Final = frozenset(" \t.,;:!?)]}'\"。，；：！？")
_QUOTES: Final = {"`": "`", "'": "'", '"': '"', "“": "”", "‘": "’", "«": "»", "(": ")"}


@dataclass(frozen=True, slots=True)
class Nameable(Literal):
    """A marker that text may mention: the rest of its line decides whether it counts."""

    @override
    def spellings(self) -> Iterator[tuple[Atom, ...]]:
        """Yield each spelling as a tuple of `Atom` strings, which together are its pattern."""
        return self.followed_by(_AHEAD)


@dataclass(frozen=True, slots=True)
class Given(Nameable):
    """A marker before text that the model does not write: a tool's result, or another role's turn.

    Text may mention it. Before the model's own role, *own*, it does not count.
    """

    own: str = ""

    @override
    def spellings(self) -> Iterator[tuple[Atom, ...]]:
        """Yield each spelling as a tuple of `Atom` strings, which together are its pattern."""
        if not self.own:
            return Nameable.spellings(self)
        begun = "".join(f"(?:{re.escape(char)}" for char in self.own) + ")?" * len(self.own)
        pending = f"(?:{begun}|{_BLANKS})"
        ahead = Ahead(f"(?!{re.escape(self.own)})", pending=pending, sample="\n")
        return self.followed_by(ahead)


_WORD: Final = rf"[ \t]{{1,{MOST}}}+[a-z']{{1,{MOST}}}+"
_SENTENCE: Final = Ahead(
    "", pending=rf"(?:(?:{_WORD}){{0,2}}[ \t]{{0,{MOST}}}+|[.,;:!?])", sample="\n"
)
_GOES_ON: Final = re.compile(rf"(?:{_WORD}){{2}}(?:[ \t.,;:!?]|\Z)|[.,;:!?](?:\s|\Z)").match
SENTENCE: Final = 4 * MOST + 2
"""How many characters after the mark of a call decide whether the text only names it."""


@dataclass(frozen=True, slots=True)
class Quotable(Literal):
    """The mark of a call, which text may mention: two words after it decide if it counts."""

    @override
    def spellings(self) -> Iterator[tuple[Atom, ...]]:
        """Yield each spelling as a tuple of `Atom` strings, which together are its pattern."""
        return self.followed_by(_SENTENCE)


def is_named(last: str, blank: str, after: str) -> bool:
    """Return whether the text only mentions the mark of a call, in quotes or in a sentence.

    A mark is mentioned if quotes enclose only it, or if it has words of prose on both sides:
    ``The tag <tool_call> opens a call``. After a mark that counts, no prose follows. The arguments
    are those of `is_spoken_of`; *after* has at most `SENTENCE` characters.
    """
    if not blank:
        return bool(last) and after[:1] == _QUOTES.get(last)
    return last.isalnum() and "\n" not in blank and _GOES_ON(after) is not None


def is_spoken_of(last: str, blank: str, after: str) -> bool:
    """Return whether the text only mentions a marker in the middle of a line.

    A marker is mentioned if it is quoted, or a word among others: ``write </think> to close it``. A
    marker counts if it begins or ends its line, touches a word, or follows the end of a sentence.

    Args:
        last: The last character before the marker that is not white space; empty at the beginning.
        blank: The white space before the marker.
        after: The characters after the marker, at most `WINDOW`.
    """
    if not last or "\n" in blank:
        return False
    if not blank and after[:1] and after[0] == _QUOTES.get(last):
        return True
    follows = after.lstrip(" \t")[:1]
    is_word = bool(blank) and last not in ENDS_SENTENCE
    is_last = follows in ("\n", "\r") or (not follows and len(after) < WINDOW)
    return is_word and not is_last and after[0] in _ENDS_WORD
