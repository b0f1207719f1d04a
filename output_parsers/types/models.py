"""Models of pydantic: of both its versions, as results of parsers, and with errors in one line."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from typing_extensions import NoDefault

if TYPE_CHECKING:
    from pydantic.json_schema import GenerateJsonSchema
    from pydantic_core import ErrorDetails


def is_v1_model(thing: object) -> bool:
    """Return whether *thing* is a ``pydantic.v1`` model, without importing ``pydantic.v1``."""
    return isinstance(thing, type) and any(
        base.__name__ == "BaseModel" and base.__module__ == "pydantic.v1.main"
        for base in thing.__mro__
    )


def schema_of(
    model: type[Any], generator: type[GenerateJsonSchema] | None = None
) -> dict[str, Any]:
    """Return the JSON Schema of *model*; *generator* is used only for pydantic 2 models."""
    schema: dict[str, Any]
    given = {} if generator is None else {"schema_generator": generator}
    schema = model.schema() if is_v1_model(model) else model.model_json_schema(**given)
    return schema


def validate(model: type[Any], value: Any) -> Any:
    """Return *value* as an object of *model*.

    Raises:
        ValueError: *value* is not valid: the ``ValidationError`` of pydantic or ``pydantic.v1``.
        TypeError: *model* is not a pydantic or ``pydantic.v1`` model.
    """
    if issubclass(model, BaseModel):
        return model.model_validate(value)
    if is_v1_model(model):
        return model.parse_obj(value)
    raise TypeError(f"expected a pydantic model, not {model.__name__}")


def dump(thing: Any) -> Any:
    """Return an object of a pydantic model as JSON data, and anything else unchanged."""
    if isinstance(thing, BaseModel):
        return thing.model_dump(mode="json")
    return json.loads(thing.json()) if is_v1_model(type(thing)) else thing


_address = re.compile(
    r"\n {0,8}For (?:further information visit https://errors\.pydantic\.dev/"
    r"|troubleshooting, visit: https://)\S+"
)


def without_addresses(message: str) -> str:
    """Return *message* without the links that pydantic and LangChain add to their messages."""
    return _address.sub("", message)


# -- models with errors in one line ----------------------------------------------------------------

_MOST_CHARS: Final = 60
"""How much of a wrong argument is quoted."""


class CheckedModel(BaseModel):
    """A pydantic model that raises a `ValueError` of one line for wrong arguments.

    As in LangChain, unknown keywords are ignored, unless they look like a misspelt field.
    """

    model_config: ClassVar[ConfigDict] = ConfigDict(defer_build=True)

    if not TYPE_CHECKING:  # type checkers derive the constructor from the fields

        def __init__(self, *unnamed: Any, **given: Any) -> None:
            if unnamed or not given.keys() <= type(self).__pydantic_fields__.keys():
                _check_names(type(self), unnamed, given)
            try:
                super().__init__(**given)
            except ValidationError as error:
                raise _in_one_line(error) from None

        def __setattr__(self, name: str, value: Any) -> None:
            try:
                super().__setattr__(name, value)
            except ValidationError as error:
                raise _in_one_line(error) from None


def _check_names(cls: type[BaseModel], unnamed: tuple[Any, ...], given: dict[str, Any]) -> None:
    fields = cls.model_fields
    if unnamed:
        name = min(fields, key=lambda field: (not fields[field].is_required(), field == "name"))
        raise TypeError(
            f"{cls.__name__} takes its arguments by name, as in {cls.__name__}({name}=…)"
        )
    if cls.model_config.get("extra") != "ignore":
        return
    from difflib import get_close_matches  # imported lazily: only unknown arguments need it

    for name in given:
        if name in fields:
            continue
        if near := get_close_matches(name, fields.keys() - given.keys(), n=1, cutoff=0.8):
            raise TypeError(f"{cls.__name__} has no argument {name!r}. Did you mean {near[0]!r}?")


def _in_one_line(error: ValidationError) -> ValueError:
    problems = "; ".join(map(_problem, error.errors(include_url=False)))
    return ValueError(f"{error.title}: {problems}")


def _problem(details: ErrorDetails) -> str:
    field = ".".join(map(str, details["loc"]))
    if details["type"] == "missing":
        return f"{field} is missing"
    if details["type"] == "value_error":
        return str(details["ctx"]["error"])
    said, given = details["msg"].partition(", unable")[0], repr(details["input"])
    if len(given) > _MOST_CHARS:
        given = f"{given[: _MOST_CHARS - 1]}…"
    return f"{field} {said.removeprefix('Input ')}, not {given}"


# -- the result type of a parser -------------------------------------------------------------------


def output_type_of(cls: type[BaseModel], root: type[BaseModel]) -> Any:
    """Return the type argument of *root* in *cls*, a subclass.

    Without one it is the default of its variable, or `Any`.

    Arguments are followed through the generic classes between the two::

        class ListParser(BaseOutputParser[list[T]]): ...

        output_type_of(ListParser[int], BaseOutputParser)  # list[int]
    """
    found = _argument(cls, root)
    if isinstance(found, TypeVar):
        default = getattr(found, "__default__", NoDefault)
        return Any if default is NoDefault else default
    return found


def _argument(cls: type[BaseModel], root: type[BaseModel]) -> Any:
    if cls is root:
        return root.__pydantic_generic_metadata__["parameters"][0]
    metadata = cls.__pydantic_generic_metadata__
    origin = metadata["origin"]
    if origin is None:
        parent = next(base for base in cls.__bases__ if issubclass(base, root))
        return _argument(parent, root)
    parameters = origin.__pydantic_generic_metadata__["parameters"]
    meaning = dict(zip(parameters, metadata["args"], strict=True))
    found = _argument(origin, root)
    if isinstance(found, TypeVar):
        return meaning.get(found, found)
    inner = getattr(found, "__parameters__", ())
    return found[tuple(meaning.get(name, name) for name in inner)] if inner else found
