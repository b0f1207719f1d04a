"""The part of a text that stopped being JSON which can still be read.

After ``[0, {"a": 1,}`` no further text makes the whole valid. But the brackets in the text that
follows still determine the depth, and so which part of the text before is the value: the longest
prefix with the same open brackets as now. LangChain's partial parser has this rule (it closes all
open brackets and drops characters from the end until the rest is valid); this module finds the same
results without trial and error.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from outputs.growing_json.scalars import NOTHING, to_bracket, to_quote

Pairs: TypeAlias = "list[tuple[Any, Any]]"
"""The members of an object in the order of the text."""

_NEVER: Final[Any] = object()
_CLOSERS: Final = {"[": "]", "{": "}"}


@dataclass(slots=True, eq=False)
class _Place:
    """A container and its position: after *index* items of *outer*, under *key* if in an object."""

    outer: _Place | None
    index: int
    key: str | None
    container: Any


@dataclass(slots=True)
class _Kind:
    """All containers with the same brackets around them; only the last one counts."""

    last: _Place | None = None
    inner: dict[str, _Kind] = field(default_factory=dict)


class Remains:
    """Follows the brackets of broken JSON and finds the part that can still be read.

    Args:
        frames: The open containers, outermost first, each with the key whose value is expected
            (`None` in an array). They must not change any more.
        root: The top-level value if it had ended, else `NOTHING`.
        overwritten: By ``id``, all members of each object in which a key appeared twice.
        in_string: Whether the text stopped being JSON inside a string.
    """

    __slots__ = (
        "_brackets",
        "_cut_escape",
        "_in_string",
        "_kinds",
        "_mismatched",
        "_open",
        "_overwritten",
        "_root",
        "has_moved",
        "seen",
    )

    def __init__(
        self,
        frames: list[tuple[Any, str | None]],
        root: Any,
        overwritten: dict[int, Pairs],
        *,
        in_string: bool = False,
    ) -> None:
        self._root = root
        self._overwritten = overwritten
        self._in_string = in_string
        self.has_moved = False  # whether brackets have changed the value, since `changes` looked
        self.seen: Any = _NEVER  # the value that `changed` saw last
        self._cut_escape = False
        self._mismatched = False
        self._kinds: _Kind | None = None
        self._open: list[_Place] = []
        outer: _Place | None = None
        index, under = 0, None
        for container, key in frames:
            outer = _Place(outer, index, under, container)
            self._open.append(outer)
            index, under = len(overwritten.get(id(container), container)), key
        self._brackets = [_closer(place.container) for place in self._open]

    def scan(self, chunk: str, pos: int) -> bool:
        """Read *chunk* from *pos* to its end; return whether it had brackets."""
        size = len(chunk)
        moved = False
        if self._cut_escape and pos < size:
            self._cut_escape = False
            pos += 1
        while pos < size and not self._mismatched:
            pos = (to_quote if self._in_string else to_bracket)(chunk, pos).end()
            if pos == size:
                break
            mark = chunk[pos]
            pos += 1
            if mark == '"':
                self._in_string = not self._in_string
            elif mark == "\\":
                self._cut_escape = True
            else:
                self._move(mark)
                moved = True
        self.has_moved = self.has_moved or moved
        return moved

    def _move(self, mark: str) -> None:
        if mark in _CLOSERS:
            self._brackets.append(_CLOSERS[mark])
        elif self._brackets and self._brackets[-1] == mark:
            self._brackets.pop()
        else:
            self._mismatched = True

    def value(self) -> Any:
        """Return the part of the value that can still be read, or `NOTHING`.

        After an unmatched closing bracket it is `None`, whatever follows.
        """
        if self._mismatched:
            return None
        if not self._brackets:
            return self._root
        place = self._find()
        return NOTHING if place is None else self._value_up_to(place)

    def _find(self) -> _Place | None:
        """Return the last container around which exactly the open brackets are open."""
        depth = len(self._brackets)
        # Most texts break once and continue at about the same depth, so this is tried first.
        if depth <= len(self._open) and all(
            _closer(place.container) == bracket
            for place, bracket in zip(self._open, self._brackets, strict=False)
        ):
            return self._open[depth - 1]
        if self._kinds is None:
            self._kinds = self._sort()
        kind = self._kinds
        for bracket in self._brackets:
            if bracket not in kind.inner:
                return None
            kind = kind.inner[bracket]
        return kind.last

    def _sort(self) -> _Kind:
        """Sort all containers by their brackets. This is done once, as no containers are added."""
        top = _Kind()
        level: list[tuple[_Kind, _Place]] = [(top, place) for place in self._open[:1]]
        if isinstance(self._root, list | dict):
            level = [(top, _Place(None, 0, None, self._root))]
        open_inside = {id(place.outer): place for place in self._open[1:]}
        # Within a level the containers keep the order of the text, so the last of a kind stays.
        while level:
            below: list[tuple[_Kind, _Place]] = []
            for outer_kind, place in level:
                kind = outer_kind.inner.setdefault(_closer(place.container), _Kind())
                kind.last = place
                for index, (key, item) in enumerate(self._members(place.container)):
                    if isinstance(item, list | dict):
                        below.append((kind, _Place(place, index, key, item)))
                if id(place) in open_inside:
                    below.append((kind, open_inside[id(place)]))
            level = below
        return top

    def _members(self, container: Any) -> Pairs:
        if isinstance(container, list):
            return [(None, item) for item in container]
        return self._overwritten.get(id(container)) or list(container.items())

    def _value_up_to(self, place: _Place) -> Any:
        """Return the whole value as it was when *place* was about to close."""
        value = place.container
        outer = place.outer
        while outer is not None:
            if isinstance(outer.container, list):
                value = [*outer.container[: place.index], value]
            else:
                value = dict([*self._members(outer.container)[: place.index], (place.key, value)])
            place, outer = outer, outer.outer
        return value


def _closer(container: Any) -> str:
    return "]" if isinstance(container, list) else "}"
