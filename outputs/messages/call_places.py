"""Assigns pieces of tool calls to their calls, whatever index the server gave them.

`CallPlaces` gives the pieces of each call an index of its own; then `CallsByIndex` collects them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from outputs.messages.merging import ListMerger

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from outputs.messages.tool import ToolCallChunk


@dataclass(slots=True)
class _Call:
    index: int
    id: str | None = None
    name: str = ""


class CallPlaces:
    """Assigns a unique index to each call of a streamed message.

    Some servers send no index: then a piece with a name starts a call, and a piece without one
    continues the last call. Some send the same index for all calls: then a new id starts a call,
    and a piece without an id continues the last call. Some repeat id and name in each piece: the
    repetitions are dropped.
    """

    def __init__(self) -> None:
        self._last: dict[int | None, _Call] = {}  # by the server's index
        self._by_id: dict[tuple[int | None, str], _Call] = {}
        self._count = 0  # how many calls needed an index of our own

    def place(self, piece: ToolCallChunk) -> ToolCallChunk:
        """Return *piece* with the index of its call, and without a repeated name."""
        index, call_id, name = piece["index"], piece["id"], piece["name"]
        call = self._by_id.get((index, call_id)) if call_id else None
        if index is None and name is not None:
            call = self._begin(index)
        elif call is None:
            call = self._last.get(index)
            if call is None and index is None and not call_id:
                return piece  # There is no call to continue.
            if call is None or (call_id and call.id):
                call = self._begin(index)
        elif name == call.name:
            return {**piece, "index": call.index, "name": None}
        if call_id:
            call.id = call_id
            self._by_id[index, call_id] = call
        call.name += name or ""
        return {**piece, "index": call.index}

    def _begin(self, index: int | None) -> _Call:
        if not isinstance(index, int) or index in self._last:
            self._count += 1
            call = _Call(-self._count)
        else:
            call = _Call(index)
        self._last[index] = call
        return call


def sum_of_pieces(pieces: Iterable[ToolCallChunk]) -> list[ToolCallChunk]:
    """Add *pieces* into one per call, with the index of the call's first piece."""
    places = CallPlaces()
    sums = ListMerger([])
    given: dict[int | None, int | None] = {}
    for piece in pieces:
        placed = places.place(piece)
        given.setdefault(placed["index"], piece["index"])
        sums.extend([placed])
    result: list[Any] = [{**piece, "index": given[piece["index"]]} for piece in sums.result()]
    return result


C = TypeVar("C")


class CallsByIndex(Generic[C]):
    """The calls of one message while their pieces arrive, by the rules of `merge_lists`.

    Pieces with the same index belong together unless their ids differ. A piece without an index is
    a whole call.

    Args:
        begin: Returns a new call without any pieces.
    """

    def __init__(self, begin: Callable[[], C]) -> None:
        self._new = begin
        self._first: dict[int, C] = {}
        self._by_id: dict[int, dict[str, C]] = {}
        self.calls: list[C] = []
        """The calls, in the order in which they began."""

    def call_for(self, index: Any, call_id: Any) -> C:
        """Return the call of a piece, which is a new one if no earlier piece belongs to it.

        Args:
            index: The index of the piece; anything but an integer counts as none.
            call_id: Its id; anything but text counts as none.
        """
        if not isinstance(index, int):
            return self._begin()
        first = self._first.get(index)
        if first is None:
            first = self._first[index] = self._begin()
        if not call_id or not isinstance(call_id, str):
            return first
        by_id = self._by_id.setdefault(index, {})
        if call_id not in by_id:  # the first id of an index belongs to its first call
            by_id[call_id] = self._begin() if by_id else first
        return by_id[call_id]

    def _begin(self) -> C:
        call = self._new()
        self.calls.append(call)
        return call
