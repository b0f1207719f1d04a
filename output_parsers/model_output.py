"""What a model gives a parser: text, a message or a generation, ours or another library's.

A message of LangChain's is taken as it is, and so is any other with a ``content``. Where more than
its text is needed it is read as ours, by the fields that LangChain gives a message of its ``type``.
What an API returned, an object of its client or a dictionary, is read by `outputs.from_any`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Protocol, TypeAlias, cast

from pydantic import BaseModel

from outputs import AIMessage, BaseMessage, ChatGeneration, Generation, from_any
from outputs.messages.any_message import MESSAGE_CLASSES

__all__ = ["ModelOutput"]


class HasContent(Protocol):
    """A message of any library."""

    @property
    def content(self) -> Any:
        """What it says: text, a list of blocks, or None for nothing."""


ModelOutput: TypeAlias = str | HasContent | Generation | BaseModel | Mapping[str, Any]
"""What a parser takes; the objects of client libraries are models, see `outputs.from_any`."""

_NO_CONTENT: Final = object()
_GENERATIONS: Final = frozenset(
    ("ChatGeneration", "ChatGenerationChunk", "Generation", "GenerationChunk")
)


def adds_up(output: ModelOutput) -> ModelOutput:
    """Return *output* if chunks of its kind add up by ``+``, else the message that it is.

    Raises:
        TypeError: *output* is neither text nor a message nor a generation.
    """
    if isinstance(output, str):
        return output
    kind = getattr(output, "type", None)
    is_known = isinstance(kind, str) and (kind in MESSAGE_CLASSES or kind in _GENERATIONS)
    return output if is_known else part_of(output)


def part_of(output: ModelOutput) -> str | HasContent:
    """Return what carries the content of *output*: a text or a message.

    Raises:
        ProviderError: It says that the provider failed.
        TypeError: *output* is neither text nor a message nor a generation.
        ValueError: It is a message of a known kind, but incomplete or malformed.
    """
    if isinstance(output, str):
        return output
    kind = getattr(output, "type", None)
    if isinstance(kind, str) and kind in MESSAGE_CLASSES:
        return cast("HasContent", output)
    if not (isinstance(kind, str) and kind in _GENERATIONS):
        try:
            return from_any(output)
        except TypeError:  # It may have a content all the same.
            if _has_content(output):
                return cast("HasContent", output)
    message = getattr(output, "message", None)
    if _has_content(message):
        return cast("HasContent", message)
    text = getattr(output, "text", None)
    if isinstance(text, str):
        return text
    raise TypeError(
        f"a parser takes a str, a message or a generation, not {type(output).__name__};"
        " outputs.from_any says what else counts as a message"
    )


def _has_content(value: Any) -> bool:
    """Tell whether *value* has what a message may say; a mock has no more than the name."""
    content = getattr(value, "content", _NO_CONTENT)
    return isinstance(content, str | list | None) and not isinstance(value, type)


def check_text(text: object) -> None:
    """Raise a `TypeError` unless *text*, which `parse` was given, is text."""
    if not isinstance(text, str):
        raise TypeError(
            f"parse takes a text, not {type(text).__name__}; invoke takes a message as well"
        )


def content_of(part: str | HasContent) -> Any:
    """Return the content of a text or message: text, or a list of blocks."""
    if isinstance(part, str):
        return part
    return "" if part.content is None else part.content


def text_of(output: ModelOutput) -> str:
    """Return the text of *output*, as `ChatGeneration.text` has it for a message.

    Raises:
        TypeError: *output* is neither text nor a message nor a generation.
    """
    content = content_of(part_of(output))
    return content if isinstance(content, str) else generation_of(output).text


def message_of(message: HasContent) -> BaseMessage:
    """Return *message* as a message of ours: itself, or one with the same fields.

    Raises:
        pydantic.ValidationError: A field has a value that our message cannot have.
    """
    if isinstance(message, BaseMessage):
        return message
    cls = MESSAGE_CLASSES.get(getattr(message, "type", ""))
    if cls is None:
        return AIMessage(content=content_of(message))
    names = [name for name in cls.model_fields if hasattr(message, name)]
    return cls(**{name: getattr(message, name) for name in names})


def generation_of(output: ModelOutput) -> Generation:
    """Return *output* as a generation, with its message if it has one.

    Raises:
        TypeError: *output* is neither text nor a message nor a generation.
        pydantic.ValidationError: See `message_of`.
    """
    if isinstance(output, Generation):
        return output
    part = part_of(output)
    return (
        Generation(text=part) if isinstance(part, str) else ChatGeneration(message=message_of(part))
    )
