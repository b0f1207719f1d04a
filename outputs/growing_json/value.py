"""A JSON value under construction, its snapshots, and its changes as JSON Patch operations.

Values are not compared: the reader notes each value that it adds to a container which the receiver
of the operations already has. Newly opened containers are added whole when they are collected.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

from outputs.growing_json.scalars import NOTHING

Operation: TypeAlias = dict[str, Any]
"""``{"op": "add" | "replace" | "remove", "path": JSON Pointer, "value": ...}``."""


def pointer(keys: Iterable[str | int]) -> str:
    """Return the JSON Pointer (RFC 6901) for the path *keys*."""
    return "".join(
        f"/{key}" if isinstance(key, int) else "/" + key.replace("~", "~0").replace("/", "~1")
        for key in keys
    )


class Changes:
    """Collects JSON Patch operations, and keeps track of what the receiver has.

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
        """Note that *value* is final; it is at *path*, in a container that the receiver has."""
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
        """Note that *partial* is now at *path*, where *before* was earlier."""
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


# -- the value -------------------------------------------------------------------------------------


class GrowingValue:
    """Builds a value from the outside in, and returns snapshots of it.

    A container is added to its parent only when it closes. So everything in an open container is
    final, and a snapshot copies the open containers and shares everything else.
    """

    __slots__ = (
        "_changed", "_changes", "_shown", "_stack", "key", "overwritten", "root", "top",
    )  # fmt: skip

    def __init__(self) -> None:
        self.root: Any = NOTHING
        """The whole value, once it is complete."""
        self.top: Any = None
        """The innermost open container."""
        self.key: str | None = None
        """The key whose value is expected, in an object."""
        self.overwritten: dict[int, list[tuple[str, Any]]] = {}
        """By ``id``, all members, in order, of each object in which a key appeared twice."""
        # The open containers around the top and their keys, above an entry for the bottom.
        self._stack: list[tuple[Any, str | None]] = []
        self._changes: Changes | None = None
        # Whether snapshots have changed since the last call of `changed`; what was partial then.
        self._changed = False
        self._shown: Any = NOTHING

    @property
    def depth(self) -> int:
        """How many containers are open."""
        return len(self._stack)

    def frames(self) -> list[tuple[Any, str | None]]:
        """Return the open containers, outermost first, each with the key awaiting a value."""
        return [*self._stack[1:], (self.top, self.key)] if self._stack else []

    def open(self, container: Any) -> None:
        """Open a new array or object where a value is expected."""
        self._note(container)
        self._stack.append((self.top, self.key))
        self.top = container
        self.key = None

    def close(self) -> None:
        """Close the innermost container."""
        container = self.top
        self.top, self.key = self._stack.pop()
        changes = self._changes
        if changes is not None and changes.depth > len(self._stack):
            changes.depth = len(self._stack)  # Already reported while it was open.
            self._add(container)
        else:
            self._put(container)

    def put(self, value: Any) -> None:
        """Add a whole value."""
        self._note(value)
        self._put(value)

    def _put(self, value: Any) -> None:
        changes = self._changes
        if changes is not None and changes.depth == len(self._stack):
            changes.put(self._path(changes.depth), value)
        self._add(value)

    def _add(self, value: Any) -> None:
        key = self.key
        top = self.top
        if key is not None:
            if key in top or self.overwritten:
                self._keep_overwritten(top, key, value)
            top[key] = value
            self.key = None
        elif top is not None:
            top.append(value)
        else:
            self.root = value

    def _keep_overwritten(self, top: dict[str, Any], key: str, value: Any) -> None:
        """Keep a member that a repeated key replaces; after an error it may be the value again."""
        members = self.overwritten.get(id(top))
        if members is not None:
            members.append((key, value))
        elif key in top:
            self.overwritten[id(top)] = [*top.items(), (key, value)]

    def snapshot(self, partial: Any) -> Any:
        """Return the value so far, with *partial* (or `NOTHING`) where a value is expected."""
        if self._stack:
            return self._copy_from(1, partial)
        return self.root if partial is NOTHING else partial

    def _copy_from(self, depth: int, value: Any) -> Any:
        """Return copies of the open containers from level *depth* inwards, *value* innermost."""
        stack = self._stack
        top, key = self.top, self.key
        for number in range(len(stack), depth - 1, -1):
            copy = top.copy()
            if value is not NOTHING:
                if key is None:
                    copy.append(value)
                else:
                    copy[key] = value
            value = copy
            top, key = stack[number - 1]
        return value

    def changed(self, partial: Any) -> bool:
        """Return whether a snapshot with *partial* differs from the one at the last call."""
        changed, shown = self._changed, self._shown
        if not changed and shown is not partial:
            shown, visible = self._visible(shown), self._visible(partial)
            changed = shown is not visible and differ(shown, visible)
        self._changed, self._shown = False, partial
        return changed

    def _note(self, value: Any) -> None:
        """Note whether *value*, where one is expected, changes what `changed` last saw."""
        if not self._changed:
            shown = self._visible(self._shown)
            self._changed = shown is NOTHING or differ(shown, value)
        self._shown = NOTHING

    def _visible(self, partial: Any) -> Any:
        """Return what a snapshot shows where a value is expected, if *partial* is open there."""
        if partial is NOTHING and self.key is not None:
            return self.top.get(self.key, NOTHING)
        return partial

    def changes(self, partial: Any) -> list[Operation]:
        """Return what changed since the last call; *partial* is as in `snapshot`."""
        depth = len(self._stack)
        changes = self._changes
        if changes is None:
            return self.start_again(self.snapshot(partial), partial)
        path = self._path(changes.depth)
        if depth > changes.depth:
            changes.open(path, self._copy_from(changes.depth + 1, partial), depth, partial)
        else:
            before = self.top.get(self.key, NOTHING) if isinstance(self.top, dict) else NOTHING
            changes.grow(path, partial, before)
        return changes.collect()

    def start_again(self, value: Any, partial: Any = NOTHING) -> list[Operation]:
        """Return the operation that replaces the whole value with *value*; none for `NOTHING`."""
        if value is NOTHING:
            return []
        self._changes = Changes(len(self._stack), partial)
        return [{"op": "replace", "path": "", "value": value}]

    def _path(self, depth: int) -> str:
        """Return the path of the expected value in the open container at level *depth*."""
        frames = [*self._stack, (self.top, self.key)][1 : depth + 1]
        return pointer(len(top) if key is None else key for top, key in frames)


def repeated(members: Iterable[tuple[str, Any]]) -> str | None:
    """Return the first key that appears twice among the *members* of an object, or `None`."""
    seen: set[str] = set()
    for key, _ in members:
        if key in seen:
            return key
        seen.add(key)
    return None


def conflicting(members: Iterable[tuple[str, Any]]) -> str | None:
    """Return the first key with two different values among the *members* of an object."""
    seen: dict[str, Any] = {}
    for key, value in members:
        if differ(seen.setdefault(key, value), value):
            return key
    return None


def differ(one: Any, other: Any) -> bool:
    """Return whether two JSON values differ, in type too: ``0`` and ``0.0`` do."""
    pairs = [(one, other)]
    while pairs:
        one, other = pairs.pop()
        if one is other:
            continue
        if type(one) is not type(other):
            return True
        if isinstance(one, dict):
            if one.keys() != other.keys():
                return True
            pairs.extend((value, other[key]) for key, value in one.items())
        elif isinstance(one, list):
            if len(one) != len(other):
                return True
            pairs.extend(zip(one, other, strict=True))
        elif one != other:
            return True
    return False
