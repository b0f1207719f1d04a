"""The text that a turn says, joined from its parts."""

from __future__ import annotations


class JoinedText:
    """Text in parts; a marker between two of them becomes a line break."""

    def __init__(self, text: str = "") -> None:
        self._texts = [text] if text else []
        self.size: int = len(text)
        """How many characters it has."""
        self._is_apart = False

    @property
    def text(self) -> str:
        """The whole text."""
        return "".join(self._texts)

    def since(self, start: int) -> str:
        """Return the text from offset *start* on, without joining what precedes it."""
        wanted = self.size - start
        last: list[str] = []
        found = 0
        while found < wanted:
            last.append(self._texts[-1 - len(last)])
            found += len(last[-1])
        return "".join(reversed(last))[found - wanted :] if wanted > 0 else ""

    def add(self, text: str) -> str:
        """Add *text* and return it, with a line break in front if there was a marker."""
        if self._is_apart and self._texts:
            text = f"\n{text}"
        self._is_apart = False
        self._texts.append(text)
        self.size += len(text)
        return text

    def part(self) -> None:
        """Note that there was a marker."""
        self._is_apart = True
