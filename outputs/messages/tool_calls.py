"""Tool calls as a message has them: complete, invalid, or still arriving in chunks.

A complete one::

    {"name": "search", "args": {"query": "rain"}, "id": "call_1", "type": "tool_call"}
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict


class ToolCall(TypedDict):
    """A request to call a tool."""

    name: str
    """The tool's name."""
    args: dict[str, Any]
    """The arguments, by name."""
    id: str | None
    """What a `ToolMessage` answers to; it tells parallel calls apart."""
    type: NotRequired[Literal["tool_call"]]
    """Always ``tool_call``."""


class InvalidToolCall(TypedDict):
    """A request to call a tool whose arguments could not be read."""

    type: Literal["invalid_tool_call"]
    """Always ``invalid_tool_call``."""
    id: str | None
    """The id the model gave, if any."""
    name: str | None
    """The tool's name, if any."""
    args: str | None
    """The arguments as the model wrote them."""
    error: str | None
    """What was wrong, if that is known."""
    index: NotRequired[int | str]
    """Which block of the message it is, while streaming."""
    extras: NotRequired[dict[str, Any]]
    """Whatever else the provider sent."""


class ToolCallChunk(TypedDict):
    """A piece of a tool call; pieces with the same ``index`` add up, their texts joined."""

    name: str | None
    """The tool's name, usually in the first piece only."""
    args: str | None
    """A piece of the arguments' JSON text."""
    id: str | None
    """The call's id, usually in the first piece only."""
    index: int | None
    """Which call of the message it belongs to; with `None` it is a call by itself."""
    type: NotRequired[Literal["tool_call_chunk"]]
    """Always ``tool_call_chunk``."""


def tool_call(*, name: str, args: dict[str, Any], id: str | None) -> ToolCall:  # noqa: A002 - the key
    """Return a `ToolCall` with its type filled in."""
    return ToolCall(name=name, args=args, id=id, type="tool_call")


def invalid_tool_call(
    *,
    name: str | None = None,
    args: str | None = None,
    id: str | None = None,  # noqa: A002 - named as the key is
    error: str | None = None,
) -> InvalidToolCall:
    """Return an `InvalidToolCall` with its type filled in."""
    return InvalidToolCall(name=name, args=args, id=id, error=error, type="invalid_tool_call")


def tool_call_chunk(
    *,
    name: str | None = None,
    args: str | None = None,
    id: str | None = None,  # noqa: A002 - named as the key is
    index: int | None = None,
) -> ToolCallChunk:
    """Return a `ToolCallChunk` with its type filled in."""
    return ToolCallChunk(name=name, args=args, id=id, index=index, type="tool_call_chunk")


_BLANK: dict[str, dict[str, Any]] = {
    "tool_calls": {"id": None},
    "invalid_tool_calls": dict.fromkeys(("name", "args", "id", "error")),
    "tool_call_chunks": dict.fromkeys(("name", "args", "id", "index")),
}


def complete_calls(fields: dict[str, Any], *kinds: str) -> bool:
    """Give the calls among a message's *fields* their type and missing keys, in new lists.

    Args:
        fields: The arguments a message is made from; they are changed.
        kinds: Which of them are lists of calls, such as ``tool_calls``.

    Returns:
        Whether there are any calls.
    """
    found = False
    for kind in kinds:
        calls = fields.get(kind)
        if isinstance(calls, (list, tuple)) and calls:
            found = True
            fields[kind] = [_completed(kind, call) for call in calls]
    return found


def _completed(kind: str, call: Any) -> Any:
    if not isinstance(call, dict):
        return call
    known = {key: value for key, value in call.items() if key != "extras"}
    return {**_BLANK[kind], **known, "type": kind.removesuffix("s")}
