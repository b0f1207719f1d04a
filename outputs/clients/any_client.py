"""Messages of other libraries and APIs, recognised by their shape without importing the library."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ValidationError

from outputs.messages.ai import AIMessage
from outputs.messages.base import BaseMessage
from outputs.messages.utils import MESSAGE_CLASSES


def from_any(value: Any) -> BaseMessage:
    """Convert a message, or a piece of one, from another library or API.

    *value* may be

    * one of our messages, which is returned unchanged;
    * text, which becomes an `AIMessage`;
    * a LangChain message or message chunk;
    * a result of OpenAI's Chat Completions API, of a compatible API or of LiteLLM: a completion
      (its first choice), a choice, a message, or a chunk;
    * a result of OpenAI's Responses API: a response, its list of output items, one output item, or
      a stream event;
    * a result of Anthropic's Messages API: a message or a stream event;
    * any of these as a dictionary, such as ``{"role": "user", "content": "Hello"}`` or
      ``{"type": "human", "content": "Hello"}``.

    Pieces of a stream are converted to message chunks, which can be added. An event that carries
    no content, and an unknown event of one of these APIs, becomes an empty chunk.

    Raises:
        ProviderError: *value* reports that the provider failed.
        TypeError: *value* is not one of these.
        ValueError: *value* is one of these, but incomplete, malformed or self-referential.
    """
    if isinstance(value, BaseMessage):
        return value
    if isinstance(value, str):
        return AIMessage(value)
    try:
        return _message(value)
    except RecursionError as error:
        raise ValueError("the message is nested too deeply") from error


def _message(value: Any) -> BaseMessage:
    fields = _fields(value)
    if is_call(fields):
        raise TypeError("expected a message, not a single tool call: pass the whole message")
    try:
        message = _read(fields)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        where = ".".join(map(str, first["loc"]))
        said = f"{where}: {first['msg']}"
        raise ValueError(f"the message cannot be read: {said}") from error
    except (AttributeError, IndexError, KeyError, TypeError) as error:
        raise ValueError(
            f"the message cannot be read because a part of it is missing or malformed: {error!r}"
        ) from error
    if message is None:
        raise TypeError(
            f"expected a message, not {type(value).__name__} with the keys {list(fields)}"
        )
    return message


def is_call(value: Any) -> bool:
    """Return whether *value* is one tool call, in our, LangChain's or OpenAI's format."""
    if not isinstance(value, dict) or "content" in value:
        return False
    kind = value.get("type")
    return (kind == "tool_call" and "args" in value) or (kind == "function" and "function" in value)


def _fields(value: Any) -> dict[str, Any]:
    """Return the fields of *value* by name.

    Raises:
        TypeError: *value* has no named fields.
    """
    kind = getattr(value, "type", None)
    if isinstance(kind, str) and kind in MESSAGE_CLASSES and isinstance(value, BaseModel):
        return dict(value)  # Unlike `model_dump`, this keeps an artifact as it is.
    from outputs.clients.plain_data import fields_of, plain

    if isinstance(value, list) and value:
        from outputs.clients.openai_responses import is_output

        if is_output(items := plain(value)):
            return {"object": "response", "output": items}
    return fields_of(value)


def _read(fields: dict[str, Any]) -> BaseMessage | None:
    """Return the message in *fields*, or `None` if its kind is unknown."""
    found = fields.get("type")
    kind = found if isinstance(found, str) else ""
    if kind in MESSAGE_CLASSES:
        data = fields["data"] if "data" in fields and "content" not in fields else fields
        return MESSAGE_CLASSES[kind].model_validate(data)

    # Imported lazily: most programs need at most one of these modules.
    if kind == "error" or (fields.get("error") and not kind):
        from outputs.clients.plain_data import provider_error

        raise provider_error(fields)
    from outputs.clients import openai as openai

    if (message := openai.read(kind, fields)) is not None:
        return message
    from outputs.clients import anthropic as anthropic
    from outputs.clients import openai_responses as responses

    message = responses.read(kind, fields)
    return anthropic.read(kind, fields) if message is None else message
