"""Chunks of the model's messages, and how they are added."""

from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any, Literal, Self

from pydantic import Field

from outputs.messages.ai import AIMessage, wire_entries
from outputs.messages.call_places import sum_of_pieces
from outputs.messages.chunks import BaseMessageChunk
from outputs.messages.tool_calls import InvalidToolCall, ToolCall, ToolCallChunk, complete_calls
from outputs.messages.usage import add_usage
from outputs.messages.wire_calls import (
    GrowingCalls,
    calls_from_chunks,
    chunks_from_calls,
    chunks_from_wire,
    finished_block,
)

if TYPE_CHECKING:
    from outputs.messages.content import Content


class AIMessageChunk(AIMessage, BaseMessageChunk):
    """A piece of an `AIMessage`.

    The calls are read from ``tool_call_chunks`` when the chunk is created, with the arguments that
    have arrived: ``""``, `None` and ``{"b":`` are read as ``{}``; ``abc`` and ``[1]`` are invalid.
    In a sum, pieces with the same index become one.
    """

    # In a sum: the readers of its calls, until the next sum takes them out of the list.
    __slots__ = ("_growing",)

    # Subclasses narrow the type to their own name, which type checkers forbid.
    type: Literal["AIMessageChunk"] = "AIMessageChunk"  # type: ignore[assignment]
    tool_call_chunks: list[ToolCallChunk] = Field(default_factory=list)
    """The pieces of tool calls in this piece of the message."""
    chunk_position: Literal["last"] | None = None
    """``last`` in the last piece of a message, and in a sum that includes it."""

    if TYPE_CHECKING:

        def __init__(self, content: Content = ..., **fields: Any) -> None: ...

    @classmethod
    def _fill_calls(cls, fields: dict[str, Any]) -> None:
        given = complete_calls(fields, "tool_calls", "invalid_tool_calls", "tool_call_chunks")
        if not given and (entries := wire_entries(fields)):
            fields["tool_call_chunks"] = chunks_from_wire(entries)

    def model_post_init(self, context: Any, /) -> None:
        """Read the calls; after the last piece, complete the typed blocks of the content too.

        Args:
            context: In a sum, the readers that have read the calls so far.
        """
        if self.tool_call_chunks:
            growing = context if isinstance(context, GrowingCalls) else None
            calls, unread = calls_from_chunks(self.tool_call_chunks, growing)
            self.tool_calls: list[ToolCall] = calls
            self.invalid_tool_calls: list[InvalidToolCall] = unread
            if growing is not None:
                object.__setattr__(self, "_growing", [growing])
        elif self.tool_calls or self.invalid_tool_calls:
            self.tool_call_chunks = chunks_from_calls(self.tool_calls, self.invalid_tool_calls)
        if (
            self.chunk_position == "last"
            and self.response_metadata.get("output_version") == "v1"
            and isinstance(self.content, list)
        ):
            by_id = {call["id"]: call for call in self.tool_calls}
            self.content: Content = [finished_block(block, by_id) for block in self.content]

    def __add__(self, other: Any) -> Self:
        """Add a chunk, or a list of chunks in one go, in time linear in their size.

        Tool call chunks and usage are added, as well as the fields of every `BaseMessageChunk`. The
        ``id`` is the first from a provider, else the first ``lc_run-…``, else the first of any.

        Raises:
            TypeError: *other* is neither a chunk nor a list of chunks, or values cannot be merged;
                see `merge_dicts`.
            ValueError: Usages cannot be added; see `add_usage`.
        """
        others = self._others(other)
        fields = self._sum(others)
        growing = None
        if fields["tool_call_chunks"]:
            growing = self._pass_on(others)
        else:
            self._fill_calls(fields)
        total = type(self).__new__(type(self))
        self.__pydantic_validator__.validate_python(fields, self_instance=total, context=growing)
        return total

    def _pass_on(self, others: Sequence[BaseMessageChunk]) -> GrowingCalls | None:
        """Return the call readers, which the new sum continues; only one sum can have them."""
        kept: list[GrowingCalls] = getattr(self, "_growing", [])
        try:
            return kept.pop()
        except IndexError:
            # A list is usually the whole message, which is faster to read in one go.
            return GrowingCalls() if len(others) == 1 else None

    def _sum(self, others: Sequence[BaseMessageChunk]) -> dict[str, Any]:
        chunks = [self, *[chunk for chunk in others if isinstance(chunk, AIMessageChunk)]]
        usages = [chunk.usage_metadata for chunk in chunks if chunk.usage_metadata]
        return {
            **super()._sum(others),
            "id": _best_id([chunk.id for chunk in chunks]),
            "tool_call_chunks": sum_of_pieces(
                piece for chunk in chunks for piece in chunk.tool_call_chunks
            ),
            "usage_metadata": reduce(add_usage, usages) if usages else None,
            "chunk_position": "last" if "last" in [c.chunk_position for c in chunks] else None,
        }


def add_ai_message_chunks(left: AIMessageChunk, *others: AIMessageChunk) -> AIMessageChunk:
    """Add up chunks in one go; see `AIMessageChunk.__add__`."""
    return left + list(others)


def _best_id(ids: list[str | None]) -> str | None:
    """Return the first id from a provider, else the first of a run, else the first of any."""
    best = None
    for id_ in ids:
        if not id_:
            continue
        if not id_.startswith("lc_"):
            return id_
        if best is None or (id_.startswith("lc_run-") and not best.startswith("lc_run-")):
            best = id_
    return best
