"""Objects of other libraries as plain dictionaries and lists, and errors among them.

Providers send errors in one of these forms::

    {"error": {"type": "server_error", "message": "Try again."}}
    {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    {"type": "error", "code": "rate_limit_exceeded", "message": "Too many requests"}
    {"type": "response.failed", "response": {"error": {"code": "server_error", "message": "…"}}}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields as fields_of_class
from dataclasses import is_dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

if TYPE_CHECKING:
    from outputs.messages.base import Content


class ProviderError(RuntimeError):
    """A provider sent an error instead of a message, or in the middle of one.

    Neither the model nor the caller is at fault, so this is not an `OutputParserException`: do not
    send it to the model, but try again.

    Args:
        message: The provider's error message.
        kind: The provider's code or type of the error, such as ``overloaded_error``.
    """

    def __init__(self, message: str, kind: str = "") -> None:
        said = message or "no reason given"
        super().__init__(f"the provider reported an error: {said}" + (f" ({kind})" if kind else ""))
        self.message = message
        self.kind = kind


def provider_error(fields: dict[str, Any]) -> ProviderError:
    """Return the error that *fields* describe."""
    error = fields.get("error") or fields
    if not isinstance(error, dict):
        return ProviderError(str(error))
    message = error.get("message")
    kinds = (error.get("code"), error.get("type"))
    kind = next((str(each) for each in kinds if each and each != "error"), "")
    return ProviderError("" if message is None else str(message), kind)


# -- objects as plain data -------------------------------------------------------------------------

_LEAVES = frozenset((str, int, float, bool, type(None)))


def fields_of(value: Any) -> dict[str, Any]:
    """Return the fields of *value*: a mapping, a model, or any other object with attributes.

    Raises:
        TypeError: *value* has no named fields.
    """
    found = plain(value)
    if not isinstance(found, dict):
        names = getattr(value, "__dict__", None)
        if not names or isinstance(value, type):
            raise TypeError(f"expected a message, not {type(value).__name__}")
        found = {name: plain(part) for name, part in names.items() if not name.startswith("_")}
    return found


def plain(value: Any) -> Any:
    """Return *value* with all models, dataclasses and namespaces in it converted to dictionaries.

    Other values are returned unchanged: their attributes may be anything.
    """
    if type(value) in _LEAVES:
        return value
    if isinstance(value, dict | Mapping):
        return {n: each if type(each) in _LEAVES else plain(each) for n, each in value.items()}
    if isinstance(value, list | tuple):
        return [each if type(each) in _LEAVES else plain(each) for each in value]
    if isinstance(value, type):
        return value
    if isinstance(value, BaseModel):
        # Clients do not validate what a server sends, so pydantic would warn about wrong types.
        return value.model_dump(warnings=False)
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields_of_class(value)}
    dump = getattr(value, "model_dump", None)
    if callable(dump) and isinstance(found := dump(), dict):  # A mock returns another mock.
        return plain(found)
    if isinstance(value, SimpleNamespace):
        return plain(vars(value))
    return value


def without_none(fields: dict[str, Any]) -> dict[str, Any]:
    """Return *fields* without the ones that are `None`."""
    return {name: value for name, value in fields.items() if value is not None}


def content_of(blocks: list[dict[str, Any]]) -> Content:
    """Return *blocks* as content: as text if they consist of one text block."""
    match blocks:
        case [{"type": "text", "text": str(text), **rest}] if not rest:
            return text
    return [*blocks]


def in_order(block: dict[str, Any]) -> dict[str, Any]:
    """Return *block* in a fixed key order, type and id first, without keys that are `None`.

    The input of a tool call is left unchanged.
    """
    names = sorted(block, key=lambda name: (name != "type", name != "id", name))
    return {
        name: block[name] if name == "input" else _in_order(block[name])
        for name in names
        if block[name] is not None
    }


def _in_order(part: Any) -> Any:
    if isinstance(part, dict):
        return in_order(part)
    return [_in_order(each) for each in part] if isinstance(part, list) else part


def place(*numbers: int) -> str:
    """Return the index that makes `merge_lists` merge the pieces of a streamed block.

    Its prefix is unique to this library, so that `finished` recognises these blocks.
    """
    return "_".join((PLACE, *map(str, numbers)))


PLACE = "lc_at"
"""The prefix of such an index."""
