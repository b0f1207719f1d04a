"""Messages from other libraries and APIs, known by their shape; no other library is imported."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from outputs.messages.ai import AIMessage
from outputs.messages.any_message import MESSAGE_CLASSES
from outputs.messages.roles import BaseMessage


def from_any(value: Any) -> BaseMessage:
    """Return our message for one of another kind, or for a piece of one.

    *value* may be

    * one of our messages, which is returned itself;
    * text, which is what a model says;
    * a message or message chunk of LangChain's;
    * what OpenAI's Chat Completions return, or the many APIs made after them (LiteLLM has objects
      of its own for it): a completion (its first choice), a choice, a message, or a chunk;
    * what OpenAI's Responses return: a response, its list of output items or one of them, or an
      event of its stream;
    * what Anthropic's API returns: a message, or an event of its stream;
    * any of these as a dictionary, such as ``{"role": "user", "content": "Hello"}`` or
      ``{"type": "human", "content": "Hello"}``.

    What comes in pieces gives message chunks, which add up. An event that says nothing, or one of
    these APIs that is not known, is a chunk that says nothing.

    Raises:
        ProviderError: It says that the provider failed.
        TypeError: It is none of these.
        ValueError: It is one of these, but incomplete or malformed, or has itself inside.
    """
    if isinstance(value, BaseMessage):
        return value
    if isinstance(value, str):
        return AIMessage(value)
    try:
        return _message(value)
    except RecursionError as error:
        raise ValueError("a message that is nested too deeply") from error


def _message(value: Any) -> BaseMessage:
    fields = _fields(value)
    try:
        message = _read(fields)
    except (AttributeError, IndexError, KeyError, TypeError) as error:
        raise ValueError(f"a message with a missing or malformed part: {error!r}") from error
    if message is None:
        raise TypeError(f"expected a message, not {type(value).__name__} with keys {list(fields)}")
    return message


def _fields(value: Any) -> dict[str, Any]:
    """Return what *value* has, by name.

    Raises:
        TypeError: It has no named parts.
    """
    kind = getattr(value, "type", None)
    if isinstance(kind, str) and kind in MESSAGE_CLASSES and isinstance(value, BaseModel):
        return dict(value)  # It yields its fields as they are, and so an artifact stays what it is.
    from outputs.clients.fields import fields_of, plain

    if isinstance(value, list) and value:
        from outputs.clients.openai_responses import is_output

        if is_output(items := plain(value)):
            return {"object": "response", "output": items}
    return fields_of(value)


def _read(fields: dict[str, Any]) -> BaseMessage | None:
    """Return the message that *fields* are of; `None` if that is none that is known."""
    found = fields.get("type")
    kind = found if isinstance(found, str) else ""
    if kind in MESSAGE_CLASSES:
        data = fields["data"] if "data" in fields and "content" not in fields else fields
        return MESSAGE_CLASSES[kind].model_validate(data)

    # Imported when they are needed, since most programs need at most one of them.
    if kind == "error" or (fields.get("error") and not kind):
        from outputs.clients.errors import provider_error

        raise provider_error(fields)
    from outputs.clients import openai as openai

    if (message := openai.read(kind, fields)) is not None:
        return message
    from outputs.clients import anthropic as anthropic
    from outputs.clients import openai_responses as responses

    message = responses.read(kind, fields)
    return anthropic.read(kind, fields) if message is None else message
