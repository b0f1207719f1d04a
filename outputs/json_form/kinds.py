"""The classes that have a JSON form, their fields, and how objects are written and read.

A package lists its classes as the ``KINDS`` of a module: one `Kind` each, with a table of fields.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, TypeVar

from pydantic import ValidationError

from outputs.json_form.values import Misfit, each_part, name_of, read_value, write_value
from outputs.messages.base import is_langchains
from outputs.messages.utils import MESSAGE_CLASSES

if TYPE_CHECKING:
    from outputs.messages.base import BaseMessage

Schema: TypeAlias = "Mapping[str, Any]"


class Document(NamedTuple):
    """The outermost object, which is being written or read."""

    messages: list[Any]
    """Its messages, to which actions refer by their index: many may come from one message."""
    known: dict[int, int]
    """The index of each message that is written already, by its `id`."""


class JsonField(NamedTuple):
    """How one field is written and read; both functions may raise `Misfit`."""

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


TEXT: Final = _plain("a string", lambda value: isinstance(value, str), {"type": "string"})
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
TEXT_OR_OBJECT: Final = _value("a string or an object", (str, dict), {"type": ["string", "object"]})


def maybe(field: JsonField) -> JsonField:
    """Return a field like *field* that may also be `None`."""
    return JsonField(
        lambda value, document: None if value is None else field.write(value, document),
        lambda data, document: None if data is None else field.read(data, document),
        lambda: {"anyOf": [field.schema(), {"type": "null"}]},
    )


def many(field: JsonField, of: Callable[[list[Any]], Any] = tuple) -> JsonField:
    """Return a field for a list of values like *field*; *of* converts the list that is read."""

    def each(step: Callable[[Any, Document], Any], items: Any, document: Document) -> list[Any]:
        if not isinstance(items, list | tuple):
            raise Misfit(f"expected a list, found {name_of(items)}")
        return each_part(lambda item: step(item, document), enumerate(items))

    return JsonField(
        lambda items, document: each(field.write, items, document),
        lambda data, document: of(each(field.read, data, document)),
        lambda: {"type": "array", "items": field.schema()},
    )


# -- messages --------------------------------------------------------------------------------------


def _write(message: Any, document: Document) -> int:
    """Return the index of *message* in the document, which has it from now on."""
    at = document.known.get(id(message))
    if at is None:
        is_theirs = is_langchains(message)  # which has the fields of ours, and is read back as ours
        cls = MESSAGE_CLASSES.get(getattr(message, "type", ""))
        if cls is None or not (is_theirs or type(message) is cls):
            raise Misfit(
                f"expected a message class of the package outputs, found {name_of(message)}"
            )
        own = cls.model_validate(dict(message)) if is_theirs else message
        at = document.known[id(message)] = len(document.messages)
        document.messages.append(write_value(dict(own)))
    return at


def _read(data: Any, document: Document) -> BaseMessage:
    if type(data) is not int or not 0 <= data < len(document.messages):
        raise Misfit("expected an index into the list 'messages'")
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


# -- classes ---------------------------------------------------------------------------------------

VERSION: Final = 1
"""The version of the form. It changes if the meaning of a key does, but not if keys are added."""

T = TypeVar("T")


def _from_fields(cls: type, fields: dict[str, Any]) -> Any:
    return cls(**fields)


class Kind(NamedTuple):
    """A class that has a JSON form."""

    cls: type
    fields: Mapping[str, JsonField]
    """Its fields by name."""
    get: Callable[[Any, str], Any] = getattr
    """Returns a field of an object."""
    make: Callable[[type, dict[str, Any]], Any] = _from_fields
    """Makes an object of the class, given its fields."""
    more: Mapping[str, JsonField] = {}
    """Fields for readers that do not have this package: they are written, but not read."""
    later: Mapping[str, JsonField] = {}
    """Fields that were added to the form: what was written before lacks them, and so does what has
    `None` there."""


_known: dict[str, Kind] = {}
_imported: set[str] = set()


def known_kinds(tables: Iterable[str]) -> Mapping[str, Kind]:
    """Import the modules *tables*, and return all kinds by the names of their classes."""
    for table in tables:
        if table not in _imported:
            _known.update((kind.cls.__name__, kind) for kind in import_module(table).KINDS)
            _imported.add(table)
    return _known


def a(*classes: type) -> JsonField:
    """Return a field for an object of one of these *classes*, or of a subclass."""

    def write(value: Any, document: Document) -> Any:
        if not isinstance(value, classes):
            raise Misfit(f"expected {_names(classes)}, found {name_of(value)}")
        return _write_object(value, document)

    def schema() -> dict[str, Any]:
        names = sorted(name for name, kind in _known.items() if issubclass(kind.cls, classes))
        refs = [{"$ref": f"#/$defs/{name}"} for name in names]
        return refs[0] if len(refs) == 1 else {"anyOf": refs}

    return JsonField(write, lambda data, document: _read_object(data, document, classes), schema)


def either(one: JsonField, other: JsonField, is_one: Callable[[Any], bool]) -> JsonField:
    """Return a field that is like *one* for values for which *is_one* is true, else like *other*.

    Args:
        one: A field.
        other: Another field.
        is_one: Takes a value, or what is written for it.
    """
    return JsonField(
        lambda value, document: (one if is_one(value) else other).write(value, document),
        lambda data, document: (one if is_one(data) else other).read(data, document),
        lambda: {"anyOf": [one.schema(), other.schema()]},
    )


def _names(classes: Iterable[type]) -> str:
    return " or ".join("a known type" if cls is object else cls.__name__ for cls in classes)


# -- objects ---------------------------------------------------------------------------------------


def _write_object(value: Any, document: Document) -> dict[str, Any]:
    kind = _known.get(type(value).__name__)
    if kind is None or kind.cls is not type(value):
        raise Misfit(f"{name_of(value)} cannot be written as JSON")
    written: dict[str, Any] = {"type": kind.cls.__name__}
    for key, field in {**kind.fields, **kind.later, **kind.more}.items():
        try:
            part = kind.get(value, key)
            if part is not None or key not in kind.later:
                written[key] = field.write(part, document)
        except Misfit as misfit:
            raise misfit.below(key) from None
    return written


def _read_object(data: Any, document: Document, classes: tuple[type, ...]) -> Any:
    if not isinstance(data, Mapping):
        raise Misfit(f"expected {_names(classes)}, found {name_of(data)}")
    name = data.get("type")
    kind = _known.get(name) if isinstance(name, str) else None
    if kind is None or not issubclass(kind.cls, classes):
        found = "an object without a type" if name is None else f"the type {name!r}"
        raise Misfit(f"expected {_names(classes)}, found {found}")
    fields: dict[str, Any] = {}
    for key, field in {**kind.fields, **kind.later}.items():
        if key not in data and key in kind.later:
            continue
        if key not in data:
            raise Misfit(f"expected the key {key!r} in {name}")
        try:
            fields[key] = field.read(data[key], document)
        except Misfit as misfit:
            raise misfit.below(key) from None
    try:
        return kind.make(kind.cls, fields)
    except ValueError as error:
        raise Misfit(str(error)) from error


# -- documents -------------------------------------------------------------------------------------


def write_document(value: object, tables: Iterable[str]) -> dict[str, Any]:
    """Return *value* as JSON; *tables* are the modules that list its class (see `Storable`)."""
    known_kinds(tables)
    document = Document([], {})
    try:
        written = _write_object(value, document)
    except Misfit as misfit:
        raise TypeError(str(misfit)) from None
    except RecursionError:
        raise TypeError(f"{name_of(value)} is nested too deeply to be written as JSON") from None
    messages = {"messages": document.messages} if document.messages else {}
    return {"version": VERSION, **written, **messages}


def read_document(data: Any, cls: type[T], tables: Iterable[str]) -> T:
    """Return the object of class *cls* that *data* describes; see `Storable.from_json`."""
    known_kinds(tables)
    if not isinstance(data, Mapping):
        hint = ": pass the result of json.loads" if isinstance(data, str | bytes) else ""
        raise TypeError(f"expected an object that to_json() returned, not {name_of(data)}{hint}")
    version = data.get("version")
    if type(version) is not int or version != VERSION:
        found = "none" if version is None else repr(version)
        raise ValueError(f"expected version {VERSION} of the JSON form, found {found}")
    try:
        messages = read_messages(data.get("messages", []))
        value: T = _read_object(data, Document(messages, {}), (cls,))
    except Misfit as misfit:
        raise ValueError(str(misfit)) from None
    except RecursionError:
        raise ValueError("the object is nested too deeply") from None
    return value
