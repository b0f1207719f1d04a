"""What many turns hold, column by column: what few texts have is looked for in all at once."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from itertools import chain, compress, repeat
from os.path import commonprefix
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.engine.reading.canonical.plain_text import MOST_DEEP, is_in_keys
from outputs.growing_json.scalars import NOTHING
from outputs.growing_json.whole import whole_objects

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
    from re import Match

    from agent_parsers.engine.reading.turn import PlainCall


@dataclass(slots=True)
class TurnColumns:
    """What many turns hold: each column has an item for each of their texts.

    An item is `None` if the turn has no such thing, or is spelt in another way than its dialect
    writes it.
    """

    thoughts: list[str | None]
    contents: list[str | None]
    """The contents beside calls, or the answers as they are written."""
    answers: list[Any]
    tools: list[str | None]
    """The tools of turns with one call, as are the inputs and ids."""
    inputs: list[Any]
    ids: list[str | None]
    left: Sequence[int]
    """The places of the texts that are spelt in another way, in order."""
    several: dict[int, Sequence[PlainCall]] = field(default_factory=dict)
    """The calls of turns with several, by their places."""

    @classmethod
    def of_nothing(cls, size: int) -> TurnColumns:
        """Return the columns of so many texts, none of which is read yet."""
        thoughts, contents, answers, tools, inputs, ids = _empty(size)
        return cls(thoughts, contents, answers, tools, inputs, ids, [*range(size)])

    def put(
        self,
        place: int,
        calls: Sequence[PlainCall],
        thought: str | None,
        content: str | None,
        answer: Any,
    ) -> None:
        """Put what a `PlainTurn` has in its *place*, which stays `left`."""
        self.thoughts[place], self.contents[place] = thought, content
        self.answers[place] = answer
        self.call(place, calls)

    def leave(self, places: Collection[int]) -> None:
        """Leave what is at some more *places*."""
        for place in places:
            self.put(place, [], None, None, None)
            self.tools[place] = None
        if places:
            self.left = sorted({*self.left, *places})

    def calls(
        self,
    ) -> tuple[Sequence[str], Sequence[Any], Sequence[str | None], array[int]]:
        """Return the tools, inputs and ids of all calls, and how many each text has.

        The numbers are empty if each has one.
        """
        columns: list[Sequence[Any]] = [self.tools, self.inputs, self.ids]
        holes, size = holes_in(self.tools), len(self.tools)
        counts = array("i", [len(holes) < size]) * size
        if self.several:
            for place in holes:
                counts[place] = len(self.several.get(place, ()))
            rows = enumerate(zip(*columns, strict=True))
            each = (self.several.get(n) or [call][: counts[n]] for n, call in rows)
            columns = [*zip(*chain.from_iterable(each), strict=True)]
        elif holes:
            for place in holes if len(holes) < size else ():
                counts[place] = 0
            columns = [without_holes(column, holes) for column in columns]
        tools, inputs, ids = columns
        return tools, inputs, ids, counts if holes else array("i")

    def call(self, place: int, calls: Sequence[PlainCall]) -> None:
        """Put the *calls* of a turn in its place."""
        if len(calls) == 1:
            self.tools[place], self.inputs[place], self.ids[place] = calls[0]
        elif calls:
            self.several[place] = calls


def _empty(size: int) -> Iterator[list[Any]]:
    return ([None] * size for _ in range(6))


def in_rows(size: int, *parts: tuple[Sequence[int], Sequence[Any]]) -> list[Any]:
    """Return a column for so many texts, given the places and items of *parts* of it."""
    for places, items in parts:
        if len(places) == size:
            return items if isinstance(items, list) else [*items]
    column: list[Any] = [None] * size
    for places, items in parts:
        for place, item in zip(places, items, strict=True):
            column[place] = item
    return column


_FEW: Final = 8
"""If there is one hole in so many items, or fewer, they are copied in slices, not one by one."""


def holes_in(column: Sequence[object]) -> Sequence[int]:
    """Return where a *column* has `None`; quick if it is in few places, or in all."""
    count = column.count(None)
    if count == len(column):
        return range(count)
    if count * _FEW > len(column):
        return [place for place, item in enumerate(column) if item is None]
    holes: list[int] = []
    at = -1
    for _ in range(count):
        at = column.index(None, at + 1)
        holes.append(at)
    return holes


def without_holes(column: Sequence[Any], holes: Sequence[int]) -> Sequence[Any]:
    """Return a *column* without the items at the places of the *holes*, which are in order."""
    if not holes:
        return column
    if len(holes) == len(column):
        return []
    if len(holes) * _FEW > len(column):
        return [*compress(column, _is_kept(len(column), holes))]
    items: list[Any] = []
    at = 0
    for hole in holes:
        items += column[at:hole]
        at = hole + 1
    items += column[at:]
    return items


def with_holes(items: Sequence[Any], holes: Sequence[int]) -> list[Any]:
    """Return a column with `None` at the places of the *holes*, and the *items* between them."""
    if not holes and isinstance(items, list):
        return items
    if not items:
        return [None] * len(holes)
    if len(holes) * _FEW > len(items):
        rest = iter(items)
        kept = _is_kept(len(items) + len(holes), holes)
        return [next(rest) if each else None for each in kept]
    column: list[Any] = []
    at = 0
    for number, hole in enumerate(holes):
        column += items[at : hole - number]
        column.append(None)
        at = hole - number
    column += items[at:]
    return column


def _is_kept(size: int, holes: Sequence[int]) -> bytearray:
    """Return for each of so many places whether it is none of the *holes*."""
    kept = bytearray(b"\1") * size
    for hole in holes:
        kept[hole] = 0
    return kept


def without(places: Sequence[int], taken: Iterable[int]) -> list[int]:
    """Return those *places* that are not *taken*."""
    gone = {*taken}
    return [] if len(gone) == len(places) else [each for each in places if each not in gone]


def picked(column: Sequence[Any], places: Sequence[int]) -> Sequence[Any]:
    """Return what a *column* has at some *places*, which are in order."""
    return column if len(places) == len(column) else [column[place] for place in places]


def is_in(mark: str, text: str) -> bool:
    """Return whether a *mark* is in a long *text*, most of which have not even its first character.

    To look for one character takes a tenth of the time that it takes to look for several.
    """
    return mark[:1] in text and mark in text


def marked(texts: Sequence[str], marks: Sequence[str], ends: tuple[str, ...] = ()) -> list[int]:
    """Return the places of those *texts* that have one of some *marks*, or one of some *ends*."""
    whole = "\0".join(texts) if marks or ends else ""
    inside = [mark for mark in marks if is_in(mark, whole)]
    if ends and not is_in(commonprefix(ends), whole):
        ends = ()
    if not (inside or ends):
        return []
    if not inside:
        are_ends = map(str.endswith, texts, repeat(ends))
        return [*compress(range(len(texts)), are_ends)]
    return [
        place
        for place, text in enumerate(texts)
        if any(map(text.__contains__, inside)) or text.endswith(ends)
    ]


def objects_in(
    texts: Sequence[str | None], begins: Callable[[str], Match[str] | None]
) -> list[Any]:
    """Return the objects that are written as JSON in many whole *texts*.

    It is `NOTHING` if none is, or if a marker *begins* in a key.
    """
    written = [each for each in texts if each is not None]
    objects = whole_objects(written, MOST_DEEP)
    if len(written) < len(texts):
        rest = iter(objects)
        objects = [NOTHING if each is None else next(rest) for each in texts]
    if begins("\0".join(written)) is None:
        return objects
    keys = {key for each in objects if each is not NOTHING for key in each}
    is_odd = any(map(begins, keys))
    for place, (text, each) in enumerate(zip(texts, objects, strict=True)):
        is_deep = text is not None and text.count("{") > 1
        if each is not NOTHING and (is_odd or is_deep) and is_in_keys(begins, each):
            objects[place] = NOTHING
    return objects
