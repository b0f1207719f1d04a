"""Reads the arguments of a tagged call that are one JSON object."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agent_parsers.engine.calls.json.watch import LenientWatch, StrictWatch
from agent_parsers.events import Repair
from outputs.growing_json.errors import JsonError, JsonLimitError

if TYPE_CHECKING:
    from agent_parsers.engine.repairs.payloads import Lack

__all__ = ["JsonArguments"]


class JsonArguments:
    """Reads all arguments of a call as one JSON object.

    Args:
        at: Where the object begins.
        lenient: Whether to repair JSON.
    """

    def __init__(self, at: int, *, lenient: bool) -> None:
        self.at = at
        self._json = LenientWatch() if lenient else StrictWatch()
        self._json.start(())
        self._json.is_settled = True  # no object inside it is watched
        self._known = 0  # how many characters were returned
        self.held = ""  # text that was read and not returned, since it may not be JSON

    def feed(self, text: str) -> tuple[int, str]:
        """Read *text*; return how many of its characters were used, and what is certainly JSON."""
        json = self._json
        try:
            used = json.feed(text)
        except JsonLimitError:  # the reader records it as its error
            used = len(text)
        read = self.held + text[:used]
        size = (json.known if json.end is None else json.end) - self._known
        self._known += len(read[:size])
        self.held = read[size:]
        return used, read[:size]

    @property
    def is_broken(self) -> bool:
        """Whether the text is not JSON."""
        return self._json.error is not None

    @property
    def is_over(self) -> bool:
        """Whether the object has ended, or the text is not JSON."""
        return self._json.end is not None or self.is_broken

    @property
    def is_quoting(self) -> bool:
        """Whether the text ends inside a string."""
        return not self.is_broken and self._json.is_quoting

    @property
    def repeats_key(self) -> bool:
        """Whether an object repeats a key."""
        return self._json.repeats_key

    @property
    def lacks(self) -> Lack:
        """Which closers are missing."""
        return self._json.lacks

    def repairs(self) -> list[Repair]:
        """Return the repairs made."""
        if not isinstance(self._json, LenientWatch) or self.is_broken:
            return []
        found = (Repair(kind, span, message) for kind, span, message in self._json.repairs)
        return [repair.moved(self.at) for repair in found]

    def close(self) -> dict[str, Any] | None:
        """Return the object; `None` if the text is not an object, or not complete."""
        try:
            value = self._json.close(supply_closers=True)
        except JsonError:
            return None
        return value if isinstance(value, dict) else None
