"""An attempt to read a JSON value from some position in a text."""

from __future__ import annotations

from outputs.growing_json.errors import JsonError
from outputs.growing_json.lenient.reader import LenientJsonReader


class JsonAttempt:
    """A possible value, read leniently.

    Args:
        start: Where it begins in the whole text.
        is_fenced: Whether it follows a fence.
        is_certain: Whether it is the value unless it turns out to be prose.
        is_member: Whether a key and a colon precede it.
    """

    def __init__(self, start: int, *, is_fenced: bool, is_certain: bool, is_member: bool) -> None:
        self.reader = LenientJsonReader()
        self.read: list[str] = []
        self.start = start
        self.is_fenced = is_fenced
        self.is_certain = is_certain
        self.is_member = is_member

    @property
    def end(self) -> int:
        """Where it ends in the whole text."""
        return self.start + (self.reader.end or 0)

    def feed(self, text: str) -> None:
        """Read *text*."""
        self.read.append(text)
        self.reader.feed(text)

    def is_begun(self, end: int) -> bool:
        """Return whether it has more than a bracket before *end*, a position in the whole text."""
        return bool("".join(self.read)[1 : end - self.start].strip())


def is_json(text: str) -> bool:
    """Return whether *text* begins with a JSON value."""
    reader = LenientJsonReader()
    try:
        reader.feed(text)
        reader.close()
    except JsonError:
        return False
    return True
