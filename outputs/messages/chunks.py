"""Chunks of messages, as a model streams them, and how they are added."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, Self

from outputs.messages.content import merge_content
from outputs.messages.merging import merge_dicts, merge_obj
from outputs.messages.roles import (
    BaseMessage,
    ChatMessage,
    FunctionMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)

if TYPE_CHECKING:
    from outputs.messages.content import Content


class BaseMessageChunk(BaseMessage):
    """A piece of a message; the sum of pieces has the class of the first."""

    def __add__(self, other: Any) -> Self:
        """Add a chunk, or a list of chunks in one go, in time linear in their size.

        Content, ``additional_kwargs`` and ``response_metadata`` are merged; ``name`` and fields
        that are not declared are dropped.

        Raises:
            TypeError: *other* is neither a chunk nor a list of chunks, or values cannot be merged;
                see `merge_dicts`.
            ValueError: The chunks belong to different messages: role, name or tool call id differ.
        """
        return type(self)(**self._sum(self._others(other)))

    def _others(self, other: Any) -> Sequence["BaseMessageChunk"]:
        others = other if isinstance(other, (list, tuple)) else [other]
        for chunk in others:
            if not isinstance(chunk, BaseMessageChunk):
                raise TypeError(
                    f'unsupported operand type(s) for +: "{type(self).__name__}"'
                    f' and "{type(other).__name__}"'
                )
        return others

    def _sum(self, others: Sequence["BaseMessageChunk"]) -> dict[str, Any]:
        """Return the fields of the sum."""
        return {
            "content": merge_content(self.content, *[chunk.content for chunk in others]),
            "additional_kwargs": merge_dicts(
                self.additional_kwargs, *[chunk.additional_kwargs for chunk in others]
            ),
            "response_metadata": merge_dicts(
                self.response_metadata, *[chunk.response_metadata for chunk in others]
            ),
            "type": self.type,
            "id": self.id,
        }


class HumanMessageChunk(HumanMessage, BaseMessageChunk):
    """A piece of a `HumanMessage`."""

    # Subclasses, here and below, narrow the type to their own name, which type checkers forbid.
    type: Literal["HumanMessageChunk"] = "HumanMessageChunk"  # type: ignore[assignment]

    if TYPE_CHECKING:

        def __init__(self, content: Content = ..., **fields: Any) -> None: ...


class SystemMessageChunk(SystemMessage, BaseMessageChunk):
    """A piece of a `SystemMessage`."""

    type: Literal["SystemMessageChunk"] = "SystemMessageChunk"  # type: ignore[assignment]

    if TYPE_CHECKING:

        def __init__(self, content: Content = ..., **fields: Any) -> None: ...


class ChatMessageChunk(ChatMessage, BaseMessageChunk):
    """A piece of a `ChatMessage`; pieces with different roles cannot be added."""

    type: Literal["ChatMessageChunk"] = "ChatMessageChunk"  # type: ignore[assignment]

    if TYPE_CHECKING:

        def __init__(self, content: Content = ..., *, role: str, **fields: Any) -> None: ...

    def _sum(self, others: Sequence[BaseMessageChunk]) -> dict[str, Any]:
        roles = (chunk.role for chunk in others if isinstance(chunk, ChatMessageChunk))
        if any(role != self.role for role in roles):
            raise ValueError("Cannot concatenate ChatMessageChunks with different roles.")
        return {**super()._sum(others), "role": self.role}


class FunctionMessageChunk(FunctionMessage, BaseMessageChunk):
    """A piece of a `FunctionMessage`; pieces of different functions cannot be added."""

    type: Literal["FunctionMessageChunk"] = "FunctionMessageChunk"  # type: ignore[assignment]

    if TYPE_CHECKING:

        def __init__(self, content: Content = ..., *, name: str, **fields: Any) -> None: ...

    def _sum(self, others: Sequence[BaseMessageChunk]) -> dict[str, Any]:
        names = (chunk.name for chunk in others if isinstance(chunk, FunctionMessageChunk))
        if any(name != self.name for name in names):
            raise ValueError("Cannot concatenate FunctionMessageChunks with different names.")
        return {**super()._sum(others), "name": self.name}


class ToolMessageChunk(ToolMessage, BaseMessageChunk):
    """A piece of a `ToolMessage`; pieces that answer different calls cannot be added."""

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


def message_chunk_to_message(chunk: BaseMessage) -> BaseMessage:
    """Convert *chunk* to a message; a message that is not a chunk is returned unchanged."""
    if not isinstance(chunk, BaseMessageChunk):
        return chunk
    message_class = next(
        cls for cls in type(chunk).__mro__ if not issubclass(cls, BaseMessageChunk)
    )
    assert issubclass(message_class, BaseMessage)
    fields = {
        name: value
        for name, value in chunk.__dict__.items()
        if name in message_class.model_fields and (name != "type" or message_class is BaseMessage)
    }
    return message_class(**fields, **(chunk.model_extra or {}))
