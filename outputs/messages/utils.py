"""Messages of any class: the types of fields that hold them, and the message of a chunk.

Fields of these types are serialized in full, and read back by the `type` of the message.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias

from pydantic_core import CoreSchema, core_schema

from outputs.messages.ai import AIMessage, AIMessageChunk
from outputs.messages.base import BaseMessage, BaseMessageChunk
from outputs.messages.chat import ChatMessage, ChatMessageChunk
from outputs.messages.function import FunctionMessage, FunctionMessageChunk
from outputs.messages.human import HumanMessage, HumanMessageChunk
from outputs.messages.system import SystemMessage, SystemMessageChunk
from outputs.messages.tool import ToolMessage, ToolMessageChunk
from outputs.messages.wire_calls import keep_arguments

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler

__all__ = ["MESSAGE_CLASSES", "AnyMessage", "AnyMessageChunk", "message_chunk_to_message"]

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


WHOLE_FORMS: Final[list[Callable[[AIMessageChunk], AIMessageChunk]]] = []
"""Each gives a sum of one client's chunks the form in which the API sends a whole message, and
returns any other unchanged. The modules that read such chunks add theirs."""


def message_chunk_to_message(chunk: BaseMessage) -> BaseMessage:
    """Convert *chunk* to a message; a message that is not a chunk is returned unchanged.

    A sum of the chunks that `from_any` makes of a stream becomes the message that `from_any` makes
    of the same reply sent whole, as far as the stream says the same. The arguments of calls are
    kept as the model wrote them, to be sent back like that.
    """
    if not isinstance(chunk, BaseMessageChunk):
        return chunk
    message_class = next(
        cls for cls in type(chunk).__mro__ if not issubclass(cls, BaseMessageChunk)
    )
    assert issubclass(message_class, BaseMessage)
    if isinstance(chunk, AIMessageChunk):
        for whole_form in WHOLE_FORMS:
            chunk = whole_form(chunk)
    fields = {
        name: value
        for name, value in chunk.__dict__.items()
        if name in message_class.model_fields and (name != "type" or message_class is BaseMessage)
    }
    message = message_class(**fields, **(chunk.model_extra or {}))
    if isinstance(chunk, AIMessageChunk):
        keep_arguments(message, chunk.tool_call_chunks)
    return message
