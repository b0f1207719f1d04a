"""Turns the validation errors of pydantic into problems with paths."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.toolset.problems.input_problem import NOTHING_FOUND, InputProblem, Path, shown

if TYPE_CHECKING:
    from pydantic import TypeAdapter


_WHOLE: Final = frozenset([str, int, float, bool, type(None)])
"""Types of values without parts."""


def validated(adapter: TypeAdapter[Any], value: Any) -> Any:
    """Return *value*, which is a JSON value, converted to the adapter's type.

    Raises:
        pydantic.ValidationError: *value* does not fit the type.
    """
    from pydantic import ValidationError
    from pydantic_core import to_json

    try:
        return adapter.validate_python(value)
    except ValidationError:
        # In strict mode pydantic reads a date from JSON, but not from a Python string.
        try:
            text = to_json(value)
        except ValueError:  # for example half a surrogate pair
            text = None
        if text is None:
            raise
        return adapter.validate_json(text)


def problems_of(read: Callable[[Any], Any], value: Any, path: Path = ()) -> Iterator[InputProblem]:
    """Yield the problems that *read* finds in a JSON *value* at *path*, and the parts it loses.

    *read* returns a value as pydantic converts it; it may raise any error of a validator.
    """
    try:
        made = read(value)
    except Exception as error:  # noqa: BLE001 - validators are the user's code, and may raise anything
        yield from _problems(error, value, path)
        return
    if made is value and type(value) in _WHOLE:
        return
    from agent_parsers.toolset.declaring.losses import losses_of

    for problem in losses_of(read, value, made):
        yield replace(problem, path=(*path, *problem.path))


def _problems(error: Exception, value: Any, path: Path) -> Iterator[InputProblem]:
    errors = getattr(error, "errors", None)  # of pydantic, and of pydantic.v1
    if not isinstance(error, ValueError) or not callable(errors):
        yield InputProblem(path, _asked(f"{type(error).__name__}: {error}"), shown(value))
        return
    yield from dict.fromkeys(_problem(entry, value, path) for entry in errors())


def _problem(entry: Mapping[str, Any], value: Any, path: Path) -> InputProblem:
    where: list[str | int] = []
    is_missing = False
    for key in entry["loc"]:
        # "loc" also contains the names of union members and of functions.
        keys = (
            value
            if isinstance(value, dict)
            else range(len(value) if isinstance(value, list) else 0)
        )
        if key in keys:
            value = value[key]
        elif str(entry["type"]).endswith("missing") and key == entry["loc"][-1]:
            is_missing = True
        else:
            continue
        where.append(key)
    message = str(entry["msg"])
    for start in ("Value error, ", "Assertion failed, "):
        message = message.removeprefix(start)
    if is_missing:
        return InputProblem((*path, *where), "a value", NOTHING_FOUND)
    expected = message.removeprefix("Input should be ")
    expected = _asked(message) if expected == message else expected
    return InputProblem((*path, *where), expected, shown(value))


def _asked(reason: str) -> str:
    return f"a value that the tool accepts ({reason[:300]})"
