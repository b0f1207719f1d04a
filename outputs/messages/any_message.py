"""Fields for messages of any class, which are written in full and read back by their `type`."""

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
    """Return the message a dictionary describes; anything else, and unknown types, unchanged."""
    if isinstance(value, dict) and isinstance(kind := value.get("type"), str):
        message_class = MESSAGE_CLASSES.get(kind)
        if message_class is not None:
            return message_class.model_validate(value)
    return value


class _InFull:
    """Tells pydantic to read a value by its type, and to write all fields of its own class.

    This is `BeforeValidator` and `SerializeAsAny` in one; importing these costs a millisecond.
    """

    @staticmethod
    def __get_pydantic_core_schema__(source: object, handler: "GetCoreSchemaHandler") -> CoreSchema:
        return core_schema.no_info_before_validator_function(
            _by_type, handler(source), serialization=core_schema.simple_ser_schema("any")
        )


AnyMessage: TypeAlias = Annotated[BaseMessage, _InFull]
"""A message; a field of this type keeps what the message's own class has, there and back."""

AnyMessageChunk: TypeAlias = Annotated[BaseMessageChunk, _InFull]
"""A message chunk; a field of this type keeps what the chunk's own class has, there and back."""
