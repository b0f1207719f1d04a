"""Which call a piece of one belongs to, whatever index its server gave it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from outputs.messages.merging import ListMerger

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outputs.messages.tool_calls import ToolCallChunk


@dataclass(slots=True)
class _Call:
    index: int
    id: str | None = None
    name: str = ""


class CallPlaces:
    """Gives each call of a message that comes in chunks an index of its own.

    Some servers give none: then a piece that has a name begins a call, and one that has none goes
    on with the last. Some give all calls the same: then another id begins a call, and what has no
    id goes on with the last. Some say id and name again in each piece: once is enough.
    """

    def __init__(self) -> None:
        self._last: dict[int | None, _Call] = {}  # by the index that was given
        self._by_id: dict[tuple[int | None, str], _Call] = {}
        self._count = 0  # how many calls had to be given another index

    def place(self, piece: ToolCallChunk) -> ToolCallChunk:
        """Return *piece* with the index of its call, and without a name that was said before."""
        index, call_id, name = piece["index"], piece["id"], piece["name"]
        call = self._by_id.get((index, call_id)) if call_id else None
        if index is None and name is not None:
            call = self._begin(index)
        elif call is None:
            call = self._last.get(index)
            if call is None and index is None and not call_id:
                return piece  # It goes on with nothing.
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
    """Add up *pieces* to one for each call, with the index that the first of it had."""
    places = CallPlaces()
    sums = ListMerger([])
    given: dict[int | None, int | None] = {}
    for piece in pieces:
        placed = places.place(piece)
        given.setdefault(placed["index"], piece["index"])
        sums.extend([placed])
    result: list[Any] = [{**piece, "index": given[piece["index"]]} for piece in sums.result()]
    return result
