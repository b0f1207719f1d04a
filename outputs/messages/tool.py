"""The result of a tool call, its chunk, and the calls: complete, invalid, or arriving in chunks.

A complete call::

    {"name": "search", "args": {"query": "rain"}, "id": "call_1", "type": "tool_call"}
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, NotRequired
from uuid import UUID

from pydantic import Field
from typing_extensions import TypedDict

from outputs.messages.base import BaseMessage, BaseMessageChunk, Content
from outputs.messages.merging import merge_obj

__all__ = [
    "InvalidToolCall",
    "ToolCall",
    "ToolCallChunk",
    "ToolMessage",
    "ToolMessageChunk",
    "complete_calls",
    "invalid_tool_call",
    "tool_call",
    "tool_call_chunk",
]


class ToolMessage(BaseMessage):
    """The result of a tool call.

    Content that is neither text nor a list is converted to text, and so are list items that are
    neither text nor a block. A tuple becomes a list; a numeric or UUID call id becomes text.
    """

    tool_call_id: str
    """The id of the call that this message answers."""
    type: Literal["tool"] = "tool"
    artifact: Any = None
    """The tool's full output, if the content is only the part meant for the model."""
    status: Literal["success", "error"] = "success"
    """Whether the call succeeded."""
    additional_kwargs: dict[Any, Any] = Field(default_factory=dict, repr=False)
    response_metadata: dict[Any, Any] = Field(default_factory=dict, repr=False)

    def __init__(
        self,
        /,
        content: Any = None,
        content_blocks: list[dict[str, Any]] | None = None,
        **fields: Any,
    ) -> None:
        content = content if content_blocks is None else content_blocks
        if isinstance(content, (list, tuple)):
            content = [item if isinstance(item, (str, dict)) else str(item) for item in content]
        elif not isinstance(content, str):
            content = str(content)
        if isinstance(call_id := fields.get("tool_call_id"), (UUID, int, float)):
            fields["tool_call_id"] = str(call_id)
        super().__init__(content, **fields)


class ToolMessageChunk(ToolMessage, BaseMessageChunk):
    """A piece of a `ToolMessage`; pieces that answer different calls cannot be added."""

    # Subclasses narrow the type to their own name, which type checkers forbid.
    type: Literal["ToolMessageChunk"] = "ToolMessageChunk"  # type: ignore[assignment]

    if TYPE_CHECKING:

        def __init__(self, content: Content = ..., *, tool_call_id: str, **fields: Any) -> None: ...

    def _sum(self, others: Sequence[BaseMessageChunk]) -> dict[str, Any]:
        chunks = [self, *(chunk for chunk in others if isinstance(chunk, ToolMessageChunk))]
        if any(chunk.tool_call_id != self.tool_call_id for chunk in chunks):
            raise ValueError("Cannot concatenate ToolMessageChunks with different names.")
        return {
            **super()._sum(others),
            "tool_call_id": self.tool_call_id,
            "artifact": merge_obj(*(chunk.artifact for chunk in chunks)),
            "status": "error" if any(chunk.status == "error" for chunk in chunks) else "success",
        }


class ToolCall(TypedDict):
    """A request to call a tool."""

    name: str
    """The tool's name."""
    args: dict[str, Any]
    """The arguments, by name."""
    id: str | None
    """The id that a `ToolMessage` answers; it distinguishes parallel calls."""
    type: NotRequired[Literal["tool_call"]]
    """Always ``tool_call``."""


class InvalidToolCall(TypedDict):
    """A request to call a tool whose arguments could not be read."""

    type: Literal["invalid_tool_call"]
    """Always ``invalid_tool_call``."""
    id: str | None
    """The call's id, if it has one."""
    name: str | None
    """The tool's name, if there is one."""
    args: str | None
    """The arguments as the model wrote them."""
    error: str | None
    """What is wrong, if known."""
    index: NotRequired[int | str]
    """The index of the block in the message, while streaming."""
    extras: NotRequired[dict[str, Any]]
    """Other data from the provider."""


class ToolCallChunk(TypedDict):
    """A piece of a tool call; pieces with the same ``index`` are merged, their texts joined."""

    name: str | None
    """The tool's name, usually in the first piece only."""
    args: str | None
    """A piece of the arguments' JSON text."""
    id: str | None
    """The call's id, usually in the first piece only."""
    index: int | None
    """The index of the call it belongs to; with `None` it is a separate call."""
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
    """Add the type and missing keys to the calls in a message's *fields*, in new lists.

    Args:
        fields: The arguments of the message's constructor; they are changed.
        kinds: The names of the fields with calls, such as ``tool_calls``.

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
