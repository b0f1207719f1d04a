"""What can still be read of a text that stopped being JSON.

After ``[0, {"a": 1,}`` no further text makes the whole valid. But the brackets in that text still
say at which depth we are, and so which part of what was read before counts as the value: the
longest prefix whose open brackets are those that are open now. LangChain's partial parser has this
rule (it closes all open brackets and drops characters from the end until the rest is valid); here
its results are found without trying.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from outputs.growing_json.scalars import NOTHING, to_bracket, to_quote

Pairs: TypeAlias = "list[tuple[Any, Any]]"
"""The members of an object in the order of the text."""

_CLOSERS: Final = {"[": "]", "{": "}"}


@dataclass(slots=True, eq=False)
class _Place:
    """A container and where it stands: after *index* items of *outer*, in an object under *key*."""

    outer: _Place | None
    index: int
    key: str | None
    container: Any


@dataclass(slots=True)
class _Kind:
    """All containers with the same brackets around them; the last of them is what counts."""

    last: _Place | None = None
    inner: dict[str, _Kind] = field(default_factory=dict)


class Remains:
    """Follows the brackets of a broken text and knows the value they leave readable.

    Args:
        frames: The open containers, outermost first, each with the key it waits to fill (`None` in
            an array). They must not change any more.
        root: The top-level value if it had ended, else `NOTHING`.
        overwritten: For each object, by ``id``, in which a key came twice: all its members.
        in_string: Whether the text broke off inside a string.
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
        """Read *chunk* from *pos* to its end; return whether brackets were there."""
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
        return moved

    def _move(self, mark: str) -> None:
        if mark in _CLOSERS:
            self._brackets.append(_CLOSERS[mark])
        elif self._brackets and self._brackets[-1] == mark:
            self._brackets.pop()
        else:
            self._mismatched = True

    def value(self) -> Any:
        """Return the value that the open brackets leave readable, or `NOTHING`.

        Once a closing bracket has closed nothing, it is `None`, whatever follows.
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
        # Most texts break once and go on at about the same depth, so this comes first.
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
        """Sort all containers by their brackets. Once is enough: none will be added."""
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
