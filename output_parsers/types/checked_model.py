"""A pydantic model whose users are told in one line which argument is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final

from pydantic import BaseModel, ConfigDict, ValidationError

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

__all__ = ["CheckedModel"]

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
