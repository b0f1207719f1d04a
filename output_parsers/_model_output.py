"""What a model gives a parser: text, a message or a generation, ours or another library's.

Another library's message is told by its ``content``. Where more than its text is needed it is read
as ours, by the fields that LangChain gives a message of its ``type``.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias, cast

from outputs import AIMessage, BaseMessage, ChatGeneration, Generation
from outputs._any_message import MESSAGE_CLASSES


class HasContent(Protocol):
    """A message of any library."""

    @property
    def content(self) -> Any:
        """What it says: text, a list of blocks, or None for nothing."""


ModelOutput: TypeAlias = str | HasContent | Generation
"""What a parser takes."""


def part_of(output: ModelOutput) -> str | HasContent:
    """Return what carries the content of *output*: a text or a message.

    Raises:
        TypeError: *output* is neither text nor a message nor a generation.
    """
    if isinstance(output, str) or hasattr(output, "content"):
        return output
    message = getattr(output, "message", None)
    if hasattr(message, "content"):
        return cast("HasContent", message)
    text = getattr(output, "text", None)
    if isinstance(text, str):
        return text
    raise TypeError(
        f"a parser takes a str, a message or a generation, not {type(output).__name__};"
        " outputs.from_any makes a message of what a provider's API returns"
    )


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
