"""What changed in a growing JSON value, as JSON Patch operations (RFC 6902).

Nothing is compared: the reader tells each value it adds to a container that the receiver of the
operations already has, and what is newly open is added whole when they are collected.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from outputs.growing_json.scalars import NOTHING

if TYPE_CHECKING:
    from collections.abc import Iterable

Operation: TypeAlias = dict[str, Any]
"""``{"op": "add" | "replace" | "remove", "path": JSON Pointer, "value": ...}``."""


def pointer(keys: Iterable[str | int]) -> str:
    """Return the JSON Pointer (RFC 6901) that leads through *keys*."""
    return "".join(
        f"/{key}" if isinstance(key, int) else "/" + key.replace("~", "~0").replace("/", "~1")
        for key in keys
    )


class Changes:
    """The operations since they were last collected, and what the receiver has.

    Args:
        depth: How many containers are open in the value that the receiver got first.
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
        """Note that *value* is final and stands at *path*, in a container the receiver has."""
        told, self._partial = self._partial, NOTHING
        if told is NOTHING and path:
            self._operations.append({"op": "add", "path": path, "value": value})
        elif type(told) is not type(value) or told != value:
            self._operations.append({"op": "replace", "path": path, "value": value})

    def open(self, path: str, value: Any, depth: int, partial: Any) -> None:
        """Note that *value* was opened at *path*; *depth* and *partial* as at the start."""
        self._operations.append({"op": "add", "path": path, "value": value})
        self.depth = depth
        self._partial = partial

    def grow(self, path: str, partial: Any, before: Any) -> None:
        """Note that *partial* stands at *path* now, which held *before* until it began."""
        told = self._partial
        if type(told) is type(partial) and told == partial:
            return
        if partial is not NOTHING:
            kind = "add" if told is NOTHING and path else "replace"
            self._operations.append({"op": kind, "path": path, "value": partial})
        elif not path:
            return  # A top-level value cannot be taken back.
        elif before is NOTHING:
            self._operations.append({"op": "remove", "path": path})
        else:
            self._operations.append({"op": "replace", "path": path, "value": before})
        self._partial = partial

    def collect(self) -> list[Operation]:
        """Return the operations noted since the last call."""
        operations, self._operations = self._operations, []
        return operations
