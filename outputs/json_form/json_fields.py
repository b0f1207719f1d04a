"""What the fields of a class hold, and how that is written and read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from outputs.json_form.misfit import Misfit, name_of
from outputs.json_form.values import read_value, write_value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = [
    "ANY", "FLAG", "NUMBER", "OBJECT", "SPAN", "TEXT", "TEXT_OR_OBJECT", "Document", "JsonField",
    "many", "maybe",
]  # fmt: skip

Schema: TypeAlias = "Mapping[str, Any]"


class Document(NamedTuple):
    """The outermost object, which is being written or read."""

    messages: list[Any]
    """Its messages, to which actions refer by their index: many may come from one message."""
    known: dict[int, int]
    """The index of each message that is written already, by its `id`."""


class JsonField(NamedTuple):
    """How one field is written and read; both raise `Misfit`."""

    write: Callable[[Any, Document], Any]
    read: Callable[[Any, Document], Any]
    schema: Callable[[], Schema]
    """Its JSON Schema; called when all classes are known."""


def _plain(name: str, is_one: Callable[[Any], bool], schema: Schema) -> JsonField:
    """Return a field that is written as it is."""

    def same(value: Any, _document: Document) -> Any:
        if not is_one(value):
            raise Misfit(f"expected {name}, found {name_of(value)}")
        return value

    return JsonField(same, same, lambda: schema)


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


TEXT: Final = _plain("a text", lambda value: isinstance(value, str), {"type": "string"})
FLAG: Final = _plain("true or false", lambda value: isinstance(value, bool), {"type": "boolean"})
NUMBER: Final = _plain("an integer", _is_number, {"type": "integer"})


def _read_span(data: Any, _document: Document) -> tuple[int, int]:
    match data:
        case [start, end] if _is_number(start) and _is_number(end):
            return start, end
    raise Misfit(f"expected [start, end], found {name_of(data)}")


SPAN: Final = JsonField(
    lambda span, document: [*_read_span(span, document)],
    _read_span,
    lambda: {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2},
)


def _value(name: str, kinds: tuple[type, ...], schema: Schema) -> JsonField:
    """Return a field for any data of these *kinds*."""

    def checked(value: Any) -> Any:
        if not isinstance(value, kinds):
            raise Misfit(f"expected {name}, found {name_of(value)}")
        return value

    return JsonField(
        lambda value, _document: write_value(checked(value)),
        lambda data, _document: checked(read_value(data)),
        lambda: schema,
    )


ANY: Final = _value("data", (object,), {})
OBJECT: Final = _value("an object", (dict,), {"type": "object"})
TEXT_OR_OBJECT: Final = _value("a text or an object", (str, dict), {"type": ["string", "object"]})


def maybe(field: JsonField) -> JsonField:
    """Return a field that may be `None` as well."""
    return JsonField(
        lambda value, document: None if value is None else field.write(value, document),
        lambda data, document: None if data is None else field.read(data, document),
        lambda: {"anyOf": [field.schema(), {"type": "null"}]},
    )


def many(field: JsonField, of: Callable[[list[Any]], Any] = tuple) -> JsonField:
    """Return a field for several values; *of* makes a sequence of them."""

    def each(step: Callable[[Any, Document], Any], items: Any, document: Document) -> list[Any]:
        if not isinstance(items, list | tuple):
            raise Misfit(f"expected a list, found {name_of(items)}")
        done = []
        for at, item in enumerate(items):
            try:
                done.append(step(item, document))
            except Misfit as misfit:
                raise misfit.below(at) from None
        return done

    return JsonField(
        lambda items, document: each(field.write, items, document),
        lambda data, document: of(each(field.read, data, document)),
        lambda: {"type": "array", "items": field.schema()},
    )
