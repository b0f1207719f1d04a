"""The classes that have a JSON form, and how their objects are written and read.

A package lists its classes as the ``KINDS`` of a module: one `Kind` each, with a table of fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from outputs.json_form.json_fields import Document, JsonField
from outputs.json_form.messages import read_messages
from outputs.json_form.misfit import Misfit, name_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = [
    "VERSION", "Kind", "a", "either", "known_kinds", "read_document", "write_document",
]  # fmt: skip

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
    """Fields that were added to the form: what was written before lacks them."""


_known: dict[str, Kind] = {}
_imported: set[str] = set()


def known_kinds(tables: Iterable[str]) -> Mapping[str, Kind]:
    """Return all kinds by the names of their classes, after importing the modules *tables*."""
    for table in tables:
        if table not in _imported:
            _known.update((kind.cls.__name__, kind) for kind in import_module(table).KINDS)
            _imported.add(table)
    return _known


def a(*classes: type) -> JsonField:
    """Return a field for an object of one of these *classes*, or of a class below them."""

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
    """Return a field that holds what *one* does if *is_one* is true of it, else what *other* does.

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
        raise Misfit(f"{name_of(value)} has no JSON form")
    written: dict[str, Any] = {"type": kind.cls.__name__}
    for key, field in {**kind.fields, **kind.later, **kind.more}.items():
        try:
            written[key] = field.write(kind.get(value, key), document)
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
            raise Misfit(f"expected a key {key!r} in {name}")
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
    """Return *value*, of a class of the *tables*, as JSON; see `Storable.to_json`."""
    known_kinds(tables)
    document = Document([], {})
    try:
        written = _write_object(value, document)
    except Misfit as misfit:
        raise TypeError(str(misfit)) from None
    except RecursionError:
        raise TypeError(f"{name_of(value)} that is nested too deeply has no JSON form") from None
    messages = {"messages": document.messages} if document.messages else {}
    return {"version": VERSION, **written, **messages}


def read_document(data: Any, cls: type[T], tables: Iterable[str]) -> T:
    """Return the object of class *cls* that was written as *data*; see `Storable.from_json`."""
    known_kinds(tables)
    if not isinstance(data, Mapping):
        hint = ": pass what json.loads makes of it" if isinstance(data, str | bytes) else ""
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
        raise ValueError("expected an object that is nested less deeply") from None
    return value
