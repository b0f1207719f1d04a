"""Replies as a server sends them: stopped at a stop sequence, and cut into chunks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, cycle
from typing import Any, Final, Literal, TypeAlias

from agent_parsers.core import CallPiece, as_json, function_pieces, tool_pieces
from outputs import AIMessage, AIMessageChunk, tool_call_chunk


def cut(text: str, sizes: Iterable[int]) -> Iterator[str]:
    """Cut *text* into chunks of these *sizes*, in characters; they are used in turn, repeatedly.

    At least one size must not be 0.
    """
    at = 0
    for size in cycle(sizes):
        if at >= len(text):
            return
        yield text[at : at + size]
        at += size


Cut: TypeAlias = int | Sequence[int] | Literal["tokens", "whole"]
"""How a text is cut: a chunk size in characters, sizes used over and over, or a name."""

Reply: TypeAlias = str | AIMessage | BaseException

_tokens: Final = re.compile(r"\n+|[^\S\n]?(?:\w{1,6}|[^\w\s]{1,3})|[^\S\n]").findall
"""Pieces like tokens: short words with the space in front, punctuation, line breaks."""


def check_cut(cut: Cut) -> None:
    """Raise a `ValueError` if *cut* is not valid."""
    sizes = [cut] if isinstance(cut, int) else cut
    if isinstance(sizes, str):
        if sizes not in ("tokens", "whole"):
            raise ValueError(
                f"cut must be a size, a list of sizes, 'tokens' or 'whole', not {cut!r}"
            )
    elif not sizes or min(sizes) < 1:
        raise ValueError(f"the sizes of chunks must be positive, not {cut!r}")


def stopped(reply: Reply, stops: Sequence[str], half_stop: int) -> Reply:
    """Return *reply* up to the first of *stops* in it, of which *half_stop* characters remain.

    The content of a message is cut; later content blocks, and all calls, are removed.
    """
    if isinstance(reply, BaseException) or not any(stops):
        return reply
    if isinstance(reply, str):
        end = _end(reply, stops, half_stop)
        return reply[:end]
    if isinstance(reply.content, str):
        end = _end(reply.content, stops, half_stop)
        return reply if end is None else _without_calls(reply, reply.content[:end])
    for number, block in enumerate(reply.content):
        text = block if isinstance(block, str) else block.get("text")
        if isinstance(text, str) and (end := _end(text, stops, half_stop)) is not None:
            last = text[:end] if isinstance(block, str) else {**block, "text": text[:end]}
            return _without_calls(reply, [*reply.content[:number], last])
    return reply


def _end(text: str, stops: Sequence[str], half_stop: int) -> int | None:
    """Return where *text* ends if it is stopped by one of *stops*, or `None` if it is not."""
    found = [(at, stop) for stop in stops if stop and (at := text.find(stop)) >= 0]
    if not found:
        return None
    at, stop = min(found)
    return at + min(half_stop, len(stop) - 1)


def _without_calls(message: AIMessage, content: Any) -> AIMessage:
    calls: dict[str, Any] = {"tool_calls": [], "invalid_tool_calls": []}
    kept = {"content": content, "additional_kwargs": _other_kwargs(message)}
    return message.model_copy(update=kept | calls)


def pieces_of(reply: str | AIMessage, cut: Cut) -> Iterator[str | AIMessageChunk]:
    """Yield *reply* in one or more pieces: texts, or message chunks that add up to the message.

    Text blocks are cut, other content blocks are not. Calls follow the content.
    """
    if isinstance(reply, str):
        yield from _cut(reply, cut)
        return
    for piece in chain(_content_pieces(reply, cut), _call_pieces(reply, cut)):
        yield AIMessageChunk(**{"content": "", "id": reply.id, **piece})
    yield AIMessageChunk(
        "",
        id=reply.id,
        additional_kwargs=_other_kwargs(reply),
        response_metadata=reply.response_metadata,
        usage_metadata=reply.usage_metadata,
        chunk_position="last",
    )


def _cut(text: str, how: Cut) -> Iterable[str]:
    """Cut *text* into one or more pieces."""
    if how == "whole" or not text:
        return [text]
    if how == "tokens":
        return list(_tokens(text))
    assert not isinstance(how, str)
    return cut(text, [how] if isinstance(how, int) else how)


def _content_pieces(message: AIMessage, cut: Cut) -> Iterator[dict[str, Any]]:
    content = message.content
    if isinstance(content, str):
        for piece in _cut(content, cut) if content else ():
            yield {"content": piece}
        return
    for index, block in enumerate(content):
        if isinstance(block, dict) and isinstance(block.get("text"), str):
            rest = block  # the other fields of the block are sent once
            for piece in _cut(block["text"], cut):
                yield {"content": [{**rest, "text": piece, "index": index}]}
                rest = {"type": block.get("type", "text")}
        else:
            yield {"content": [block]}


def _call_pieces(message: AIMessage, cut: Cut) -> Iterator[dict[str, Any]]:
    for index, call in enumerate(tool_pieces(message)):
        head = tool_call_chunk(name=call.name, args="", id=call.id, index=index)
        yield {"tool_call_chunks": [head]}
        for piece in _cut(_written(call), cut):
            yield {"tool_call_chunks": [tool_call_chunk(args=piece, index=index)]}
    for call in function_pieces(message):
        yield {"additional_kwargs": {"function_call": {"name": call.name, "arguments": ""}}}
        for piece in _cut(_written(call), cut):
            yield {"additional_kwargs": {"function_call": {"arguments": piece}}}


def _written(call: CallPiece) -> str:
    """Return the arguments of *call* as text."""
    if call.arguments is None:
        return ""
    return call.arguments if isinstance(call.arguments, str) else as_json(call.arguments)


def _other_kwargs(message: AIMessage) -> dict[str, Any]:
    """Return the additional fields of *message*, without its calls."""
    calls = ("tool_calls", "function_call")
    return {key: value for key, value in message.additional_kwargs.items() if key not in calls}
