"""Markers that text may mention: ``write </think> to close it`` closes nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from typing_extensions import override

from agent_parsers.engine.markers.kinds import ENDS_SENTENCE, MOST, Ahead, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agent_parsers.engine.markers.kinds import Atom

__all__ = ["WINDOW", "Nameable", "is_spoken_of"]

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
        """Yield the atoms of each spelling."""
        for spelling in Literal.spellings(self):
            yield *spelling, _AHEAD


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
