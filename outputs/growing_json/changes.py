"""Changes of a growing JSON value, as JSON Patch operations (RFC 6902).

Values are not compared: the reader notes each value that it adds to a container which the receiver
of the operations already has. Newly opened containers are added whole when they are collected.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from outputs.growing_json.scalars import NOTHING

if TYPE_CHECKING:
    from collections.abc import Iterable

Operation: TypeAlias = dict[str, Any]
"""``{"op": "add" | "replace" | "remove", "path": JSON Pointer, "value": ...}``."""


def pointer(keys: Iterable[str | int]) -> str:
    """Return the JSON Pointer (RFC 6901) for the path *keys*."""
    return "".join(
        f"/{key}" if isinstance(key, int) else "/" + key.replace("~", "~0").replace("/", "~1")
        for key in keys
    )


class Changes:
    """The operations since the last call of `collect`, and the state of the receiver.

    Args:
        depth: How many containers are open in the first value sent to the receiver.
        partial: The open string or number in it, or `NOTHING`.
    """

    __slots__ = ("_operations", "_partial", "depth")

    depth: int
    """How many of the open containers the receiver has, outermost first."""

    def __init__(self, depth: int, partial: Any) -> None:
        self._operations: list[Operation] = []
        self._partial = partial
        self.depth = depth

    def put(self, path: str, value: Any) -> None:
        """Note that *value* is final and is at *path*, in a container the receiver has."""
        sent, self._partial = self._partial, NOTHING
        if sent is NOTHING and path:
            self._operations.append({"op": "add", "path": path, "value": value})
        elif type(sent) is not type(value) or sent != value:
            self._operations.append({"op": "replace", "path": path, "value": value})

    def open(self, path: str, value: Any, depth: int, partial: Any) -> None:
        """Note that *value* was opened at *path*; *depth* and *partial* are as in `__init__`."""
        self._operations.append({"op": "add", "path": path, "value": value})
        self.depth = depth
        self._partial = partial

    def grow(self, path: str, partial: Any, before: Any) -> None:
        """Note that *partial* is at *path* now, where *before* was until it began."""
        sent = self._partial
        if type(sent) is type(partial) and sent == partial:
            return
        if partial is not NOTHING:
            kind = "add" if sent is NOTHING and path else "replace"
            self._operations.append({"op": kind, "path": path, "value": partial})
        elif not path:
            return  # A top-level value cannot be removed.
        elif before is NOTHING:
            self._operations.append({"op": "remove", "path": path})
        else:
            self._operations.append({"op": "replace", "path": path, "value": before})
        self._partial = partial

    def collect(self) -> list[Operation]:
        """Return the operations noted since the last call."""
        operations, self._operations = self._operations, []
        return operations
