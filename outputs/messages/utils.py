"""Messages of any class: the types of fields that hold them, and the message of a chunk.

Fields of these types are serialized in full, and read back by the `type` of the message. They also
take messages of LangChain, and keep them as they are.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Annotated, Any, Final, TypeAlias

from outputs.messages.ai import AIMessage, AIMessageChunk
from outputs.messages.base import BaseMessage, BaseMessageChunk, OrLangChains, is_langchains
from outputs.messages.chat import ChatMessage, ChatMessageChunk
from outputs.messages.function import FunctionMessage, FunctionMessageChunk
from outputs.messages.human import HumanMessage, HumanMessageChunk
from outputs.messages.system import SystemMessage, SystemMessageChunk
from outputs.messages.tool import ToolMessage, ToolMessageChunk
from outputs.messages.wire_calls import keep_arguments

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


class _ByType(OrLangChains):
    """Reads messages by their `type` too."""

    def keep(self, value: Any, validate: Callable[[Any], Any]) -> Any:
        if isinstance(value, dict) and isinstance(kind := value.get("type"), str):
            message_class = MESSAGE_CLASSES.get(kind)
            if message_class is not None:
                value = message_class.model_validate(value)
        return super().keep(value, validate)


_MESSAGE: Final = _ByType("langchain_core.messages.base", "BaseMessage")
_CHUNK: Final = _ByType("langchain_core.messages.base", "BaseMessageChunk")

AnyMessage: TypeAlias = Annotated[BaseMessage, _MESSAGE]
"""A message; a field of this type keeps the message's class in serialization round trips, and a
message of LangChain's as it is."""

AnyMessageChunk: TypeAlias = Annotated[BaseMessageChunk, _CHUNK]
"""A message chunk; a field of this type keeps the chunk's class in serialization round trips, and a
chunk of LangChain's as it is."""


def as_langchains(message: BaseMessage) -> Any:
    """Return *message* as a LangChain message; unchanged if it already is one.

    Raises:
        ImportError: LangChain is not installed.
    """
    theirs = import_module("langchain_core.messages")
    if is_langchains(message):
        return message
    name = next(kind.__name__ for kind in type(message).__mro__ if kind.__module__ in _MODULES)
    fields = {name: value for name, value in message if name != "type"}
    return getattr(theirs, name)(**fields)


_MODULES: Final = frozenset(kind.__module__ for kind in MESSAGE_CLASSES.values())
"""The modules of our message classes; a subclass of a user's is in another one."""


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
