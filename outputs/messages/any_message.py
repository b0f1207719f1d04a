"""Field types for messages of any class, serialized in full and read back by their `type`."""

from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from pydantic_core import CoreSchema, core_schema

from outputs.messages.ai import AIMessage
from outputs.messages.ai_chunks import AIMessageChunk
from outputs.messages.chunks import (
    BaseMessageChunk,
    ChatMessageChunk,
    FunctionMessageChunk,
    HumanMessageChunk,
    SystemMessageChunk,
    ToolMessageChunk,
)
from outputs.messages.roles import (
    BaseMessage,
    ChatMessage,
    FunctionMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler

MESSAGE_CLASSES: dict[str, type[BaseMessage]] = {
    "ai": AIMessage,
    "human": HumanMessage,
    "chat": ChatMessage,
    "system": SystemMessage,
    "function": FunctionMessage,
    "tool": ToolMessage,
    "AIMessageChunk": AIMessageChunk,
    "HumanMessageChunk": HumanMessageChunk,
    "ChatMessageChunk": ChatMessageChunk,
    "SystemMessageChunk": SystemMessageChunk,
    "FunctionMessageChunk": FunctionMessageChunk,
    "ToolMessageChunk": ToolMessageChunk,
}
"""The message classes by their `type`."""


def _by_type(value: Any) -> Any:
    """Return the message that a dictionary describes; anything else, or an unknown type, as is."""
    if isinstance(value, dict) and isinstance(kind := value.get("type"), str):
        message_class = MESSAGE_CLASSES.get(kind)
        if message_class is not None:
            return message_class.model_validate(value)
    return value


class _InFull:
    """Makes pydantic read a value by its `type` and serialize all fields of its own class.

    This combines `BeforeValidator` and `SerializeAsAny`, whose import costs a millisecond.
    """

    @staticmethod
    def __get_pydantic_core_schema__(source: object, handler: "GetCoreSchemaHandler") -> CoreSchema:
        return core_schema.no_info_before_validator_function(
            _by_type, handler(source), serialization=core_schema.simple_ser_schema("any")
        )


AnyMessage: TypeAlias = Annotated[BaseMessage, _InFull]
"""A message; a field of this type keeps the message's class in serialization round trips."""

AnyMessageChunk: TypeAlias = Annotated[BaseMessageChunk, _InFull]
"""A message chunk; a field of this type keeps the chunk's class in serialization round trips."""
