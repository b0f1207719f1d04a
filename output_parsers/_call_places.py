"""Which call a piece of one belongs to, whatever index its server gave it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from output_parsers._model_output import message_of
from outputs import AIMessageChunk

if TYPE_CHECKING:
    from output_parsers._model_output import HasContent
    from outputs import ToolCallChunk


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

    def placed(self, message: HasContent) -> HasContent:
        """Return *message* with all pieces of calls in their places."""
        pieces: list[ToolCallChunk] | None = getattr(message, "tool_call_chunks", None)
        if not pieces:
            return message
        placed = [self._place(piece) for piece in pieces]
        if placed == pieces:
            return message
        ours = message_of(message)
        assert isinstance(ours, AIMessageChunk), "nothing else has pieces of calls"
        return ours.model_copy(update={"tool_call_chunks": placed})

    def _place(self, piece: ToolCallChunk) -> ToolCallChunk:
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
        if index is None or index in self._last:
            self._count += 1
            call = _Call(-self._count)
        else:
            call = _Call(index)
        self._last[index] = call
        return call
