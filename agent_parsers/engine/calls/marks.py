"""Markers of calls and messages that count only if certain text follows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from typing_extensions import override

from agent_parsers.engine.markers.kinds import SPACE, Ahead, Atom, Literal

_FENCE: Final = rf"`{{3}}[a-z]{{0,16}}+{SPACE}"
_OPEN: Final = rf"(?:\[{SPACE}(?:[\{{\"]|\Z)|\{{{SPACE}(?:\"|\Z))"
LIST: Final = Ahead(
    rf"(?={SPACE}(?:{_FENCE}(?:\Z|{_OPEN})|{_OPEN}))",
    pending=rf"{SPACE}(?:`{{1,3}}[a-z]{{0,16}}+{SPACE})?(?:[\[\{{]{SPACE})?",
    sample="[{",
)
"""Requires JSON to follow, perhaps in a fence: a list of objects, or what is left of one. At the
end of the text, its beginning will do."""
OBJECT: Final = Ahead(
    rf"(?={SPACE}(?:\[{SPACE})?\{{)", pending=rf"{SPACE}(?:\[{SPACE})?", sample="{"
)
"""Requires a JSON object to follow, or a list of them."""


def one_of(*words: str) -> Ahead:
    """Return a pattern atom that requires one of *words* to follow."""
    begun = (word[:size] for word in words for size in range(len(word)))
    return Ahead(
        f"(?={'|'.join(map(re.escape, words))})",
        pending=f"(?:{'|'.join(map(re.escape, sorted(begun, key=len, reverse=True)))})",
        sample=words[0],
    )


@dataclass(frozen=True, slots=True)
class Before(Literal):
    """Text that counts only if *ahead* matches after it."""

    ahead: Ahead = LIST

    @override
    def spellings(self) -> Iterator[tuple[Atom, ...]]:
        """Yield each spelling as a tuple of `Atom` strings, which together are its pattern."""
        return self.followed_by(self.ahead)
