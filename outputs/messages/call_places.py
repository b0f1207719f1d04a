"""Assigns pieces of tool calls to their calls, whatever index the server gave them."""

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
