"""Messages in the JSON form: their fields, as data, once for all that refer to them."""

from __future__ import annotations

from typing import Any, Final

from pydantic import ValidationError

from outputs.json_form.json_fields import Document, JsonField
from outputs.json_form.misfit import Misfit, name_of
from outputs.json_form.values import read_value, write_value
from outputs.messages.base import BaseMessage
from outputs.messages.utils import MESSAGE_CLASSES

__all__ = ["MESSAGE", "read_messages"]


def _write(message: Any, document: Document) -> int:
    """Return the index of *message* in the document, which has it from now on."""
    at = document.known.get(id(message))
    if at is None:
        cls = MESSAGE_CLASSES.get(message.type) if isinstance(message, BaseMessage) else None
        if cls is not type(message):
            raise Misfit(f"expected a message of outputs, found {name_of(message)}")
        at = document.known[id(message)] = len(document.messages)
        document.messages.append(write_value(dict(message)))
    return at


def _read(data: Any, document: Document) -> BaseMessage:
    if type(data) is not int or not 0 <= data < len(document.messages):
        raise Misfit("expected the index of one of the messages")
    message: BaseMessage = document.messages[data]
    return message


def read_messages(data: Any) -> list[BaseMessage]:
    """Return the messages of a document, *data*.

    Raises:
        Misfit: They are not a list of messages.
    """
    if not isinstance(data, list):
        raise Misfit(f"expected a list, found {name_of(data)}", "messages")
    return [_message(at, fields) for at, fields in enumerate(data)]


def _message(at: int, data: Any) -> BaseMessage:
    try:
        fields = read_value(data)
    except Misfit as misfit:
        raise misfit.below(at).below("messages") from None
    kind = fields.get("type") if isinstance(fields, dict) else None
    cls = MESSAGE_CLASSES.get(kind) if isinstance(kind, str) else None
    if cls is None:
        raise Misfit(f"expected a message of a known type, found {kind!r}", "messages", at)
    try:
        return cls.model_validate(fields)
    except ValidationError as error:
        (first, *_) = error.errors()
        raise Misfit(first["msg"], "messages", at, *first["loc"]) from None


MESSAGE: Final = JsonField(_write, _read, lambda: {"type": "integer", "minimum": 0})
