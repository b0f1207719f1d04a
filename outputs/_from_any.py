"""Messages from other libraries and APIs, known by their shape; no other library is imported."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from outputs._any_message import MESSAGE_CLASSES
from outputs._messages import BaseMessage


def from_any(value: Any) -> BaseMessage:
    """Return our message for one of another kind.

    *value* may be

    * one of our messages, which is returned itself;
    * a message or message chunk of LangChain's;
    * what OpenAI's APIs return, or those made after them: a chat completion (its first choice),
      a piece of a streamed one (a chunk, then), a response, or a single message;
    * what Anthropic's API returns: a message;
    * any of these as a dictionary, such as ``{"role": "user", "content": "Hello"}`` or
      ``{"type": "human", "content": "Hello"}``.

    Raises:
        TypeError: It is none of these.
        ValueError: It is one of these, but incomplete or malformed.
    """
    if isinstance(value, BaseMessage):
        return value
    fields = _fields(value)
    try:
        message = _read(fields)
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError(f"a message with a missing or malformed part: {error!r}") from error
    if message is None:
        raise TypeError(f"expected a message, not {type(value).__name__} with keys {list(fields)}")
    return message


def _fields(value: Any) -> dict[str, Any]:
    """Return what *value* has, by name.

    Raises:
        TypeError: It has no named parts.
    """
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(getattr(value, "type", None), str) and value.type in MESSAGE_CLASSES:
        return dict(value)  # A pydantic model yields its fields, and an artifact stays what it is.
    dump = getattr(value, "model_dump", None)
    if callable(dump) and not isinstance(value, type):
        return dict(dump())
    raise TypeError(f"expected a message, not {type(value).__name__}")


def _read(fields: dict[str, Any]) -> BaseMessage | None:
    kind = fields.get("type")
    if isinstance(kind, str) and kind in MESSAGE_CLASSES:
        data = fields["data"] if "data" in fields and "content" not in fields else fields
        return MESSAGE_CLASSES[kind].model_validate(data)

    # Imported when they are needed, since most programs need at most one of them.
    from outputs import _from_anthropic as anthropic
    from outputs import _from_openai as openai

    if "choices" in fields:
        if fields.get("object") == "chat.completion.chunk":
            return openai.chunk_from_completion(fields)
        return openai.message_from_completion(fields)
    if fields.get("object") == "response":
        return openai.message_from_response(fields)
    if kind == "message":
        return anthropic.message_from_anthropic(fields)
    if isinstance(fields.get("role"), str):
        return openai.message_from_role(fields)
    return None
