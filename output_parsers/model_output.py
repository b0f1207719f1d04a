"""The input of parsers: text, a message or a generation, from this package or another library.

LangChain messages, and other objects with a ``content``, are used as they are. Where more than
their text is needed, they are converted to our message class for their ``type``, field by field.
Other API results, as objects of a client library or dictionaries, are read by `outputs.from_any`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final, Protocol, TypeAlias, cast

from pydantic import BaseModel

from output_parsers.printable import kind_of
from outputs import AIMessage, BaseMessage, ChatGeneration, Generation, from_any
from outputs.clients.any_client import is_call
from outputs.messages.ended import Ended, ended_of, reason_to_call, sooner
from outputs.messages.utils import MESSAGE_CLASSES

__all__ = [
    "HasContent", "ModelOutput", "adds_up", "check_text", "content_of", "generation_of",
    "message_of", "part_of", "text_of",
]  # fmt: skip


class HasContent(Protocol):
    """A message of any library."""

    @property
    def content(self) -> Any:
        """The content: text, a list of blocks, or `None` if it is empty."""


ModelOutput: TypeAlias = str | HasContent | Generation | BaseModel | Mapping[str, Any]
"""The input of a parser; for the objects of client libraries see `outputs.from_any`."""

_NO_CONTENT: Final = object()
_GENERATIONS: Final = frozenset(
    ("ChatGeneration", "ChatGenerationChunk", "Generation", "GenerationChunk")
)


def adds_up(output: ModelOutput) -> ModelOutput:
    """Return *output* if its type supports ``+``, else convert it to a message.

    Raises:
        TypeError: *output* is neither text nor a message nor a generation.
    """
    if isinstance(output, str):
        return output
    kind = getattr(output, "type", None)
    is_known = isinstance(kind, str) and (kind in MESSAGE_CLASSES or kind in _GENERATIONS)
    return output if is_known else part_of(output)


def part_of(output: ModelOutput) -> str | HasContent:
    """Return the part of *output* that has its content: a text or a message.

    Raises:
        ProviderError: *output* reports that the provider failed.
        TypeError: *output* is neither text nor a message nor a generation.
        ValueError: *output* is a message of a known kind, but incomplete or malformed.
    """
    if isinstance(output, str):
        return output
    kind = getattr(output, "type", None)
    if isinstance(kind, str) and kind in MESSAGE_CLASSES:
        return cast("HasContent", output)
    if not (isinstance(kind, str) and kind in _GENERATIONS):
        try:
            return from_any(output)
        except TypeError:  # It may still have a content.
            if _has_content(output):
                return cast("HasContent", output)
    message = getattr(output, "message", None)
    if _has_content(message):
        return cast("HasContent", message)
    text = getattr(output, "text", None)
    if isinstance(text, str):
        return text
    found = "a single tool call" if is_call(output) else kind_of(output)
    raise TypeError(
        f"expected a str, a message or a generation, not {found}; see outputs.from_any for "
        "what else counts as a message"
    )


def with_message(output: ModelOutput) -> ModelOutput:
    """Return *output* as a message, unless it is a text or a generation.

    Raises:
        ProviderError, TypeError, ValueError: As for `part_of`.
    """
    part = part_of(output)
    is_within = isinstance(part, str) or part is getattr(output, "message", None)
    return output if is_within else part


def _has_content(value: Any) -> bool:
    """Return whether *value* has a valid ``content``; that of a mock is another mock."""
    content = getattr(value, "content", _NO_CONTENT)
    return isinstance(content, str | list | None) and not isinstance(value, type)


def other_role(part: str | HasContent) -> str:
    """Return the type of a message that the model did not write, else ``""``."""
    kind = getattr(part, "type", None)
    if kind in _OF_A_MODEL or not isinstance(kind, str) or kind not in MESSAGE_CLASSES:
        return ""
    return kind.removesuffix("MessageChunk").lower()


_OF_A_MODEL: Final = ("ai", "AIMessageChunk")


def check_of_model(output: ModelOutput) -> None:
    """Raise a `TypeError` if *output* is a message that a model did not write, such as a user's."""
    if not isinstance(output, str) and (role := other_role(part_of(output))):
        raise TypeError(not_of_a_model(role))


def not_of_a_model(role: str) -> str:
    """Return the error message for a message of the type *role*."""
    return f"expected a message from the model (type 'ai'), found one of type {role!r}"


def check_text(text: object) -> None:
    """Raise a `TypeError` unless *text*, the argument of `parse`, is a `str`."""
    if not isinstance(text, str):
        hint = "decode it first" if isinstance(text, bytes) else "invoke also takes messages"
        raise TypeError(f"parse takes a string, not {kind_of(text)}; {hint}")


def content_of(part: str | HasContent) -> Any:
    """Return the content of a text or message: text, or a list of blocks."""
    if isinstance(part, str):
        return part
    return "" if part.content is None else part.content


def metadata_in(output: Any, part: str | HasContent) -> Iterator[Mapping[str, Any]]:
    """Yield the metadata of the message that is *part* of *output*, and of its generation."""
    for found in (
        None if isinstance(part, str) else getattr(part, "response_metadata", None),
        None if part is output else getattr(output, "generation_info", None),
    ):
        if found and isinstance(found, Mapping):
            yield found


def announced_in(output: Any, part: str | HasContent) -> str:
    """Return the stop reason of *output* that announces tool calls; ``""`` if it has none.

    *part* is that of `part_of`.
    """
    return next(filter(None, map(reason_to_call, metadata_in(output, part))), "")


def text_of(output: ModelOutput) -> str:
    """Return the text of *output*; for a message, the same text as `ChatGeneration.text`.

    Raises:
        TypeError: *output* is neither text nor a message nor a generation.
    """
    content = content_of(part_of(output))
    return content if isinstance(content, str) else generation_of(output).text


def message_of(message: HasContent) -> BaseMessage:
    """Return *message* itself if it is one of ours, else our message with the same fields.

    Raises:
        pydantic.ValidationError: A field has a value that is invalid in our message.
    """
    if isinstance(message, BaseMessage):
        return message
    cls = MESSAGE_CLASSES.get(getattr(message, "type", ""))
    if cls is None:
        return AIMessage(content=content_of(message))
    names = [name for name in cls.model_fields if hasattr(message, name)]
    return cls(**{name: getattr(message, name) for name in names})


def generation_of(output: ModelOutput) -> Generation:
    """Return *output* as a generation, with its message if there is one.

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


# -- how a message ended ---------------------------------------------------------------------------


def end_of(output: Any, part: Any) -> Ended:
    """Return how *output* ended, by the metadata of its message *part* or of the generation.

    A whole message has ended, unless it says that it was cut; chunks have to say it.
    """
    ended: Ended = "unknown"
    for found in metadata_in(output, part):
        ended = sooner(ended, ended_of(found))
    return "stop" if ended == "unknown" and getattr(part, "type", "") == "ai" else ended


_READ: ContextVar[tuple[object, str, Ended] | None] = ContextVar("_READ", default=None)
"""The parser that is reading an output, the text of that, and how it ended."""
_TAIL: Final = 32
"""How many of its last characters a text must share with the output to have ended with it."""


@contextmanager
def reading(parser: object, text: str, ended: Ended) -> Iterator[None]:
    """Remember, while *parser* reads *text*, how that *ended*, for `known_end`."""
    token = _READ.set((parser, text, ended))
    try:
        yield
    finally:
        _READ.reset(token)


def known_end(parser: object, text: str, ended: Ended) -> Ended:
    """Return how *text* *ended*, if need be by the output that is being read.

    A method of a user's such as ``parse(text)`` is given only the text, and so is the ``parse`` in
    it. That is about the same output if it is a method of the same *parser*, which may have changed
    the text before, or if the text has the same last characters.
    """
    if ended != "unknown" or (read := _READ.get()) is None:
        return ended
    reader, whole, said = read
    tail = text.rstrip()[-_TAIL:]
    is_same = parser is reader or (tail and whole.rstrip().endswith(tail))
    return said if is_same else ended
