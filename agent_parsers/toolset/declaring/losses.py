"""Finds what of a JSON value is lost where pydantic converts it without an error."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence, Sized
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from decimal import Decimal
from typing import Any, Final

from pydantic import AliasChoices, AliasPath, BaseModel, RootModel

from agent_parsers.toolset.problems.input_problem import InputProblem, Path, shown
from agent_parsers.toolset.schemas.scalars import frozen
from output_parsers.types.models import is_v1_model
from outputs.growing_json.lenient.json_text import repeated_key
from outputs.growing_json.whole import MAX_DEPTH, parse_whole

_KEPT_DIGITS: Final = 15
"""How many digits of a number every float keeps."""
_MOST_DROPPED: Final = 50


def losses_of(read: Callable[[Any], Any], value: Any, made: Any) -> Iterator[InputProblem]:
    """Yield a problem for each part of a JSON *value* that is lost in *made*, the result of *read*.

    *read* is called with parts of *value* to see which keys are the same.
    """
    for path, part, became in _pairs(value, made, ()):
        if isinstance(part, str):
            if (key := repeated_key(part)) is not None:
                yield InputProblem((*path, key), "one value", "the key more than once")
        elif isinstance(part, dict | list):
            if isinstance(became, Mapping | AbstractSet) and len(became) < len(part):
                yield from _same(read, value, path, part)
        elif isinstance(became, bool):
            if became == part:  # else it is what a validator says of the number
                found = f"{shown(part)}, which becomes {shown(became)}"
                yield InputProblem(path, "true or false, or an integer", found)
        elif _digits(part) > _KEPT_DIGITS:
            expected = f"a string for a decimal of more than {_KEPT_DIGITS} digits"
            found = f"the number {shown(part)}, which may be rounded"
            yield InputProblem(path, expected, found)


def _pairs(value: Any, made: Any, path: Path) -> Iterator[tuple[Path, Any, Any]]:
    """Yield the parts of *value* that may be lost, each with its path and with what it became."""
    if isinstance(made, RootModel):
        yield from _pairs(value, made.root, path)
    elif isinstance(value, dict):
        yield path, value, made
        for key, became in _members(value, made):
            yield from _pairs(value[key], became, (*path, key))
    elif isinstance(value, list):
        yield path, value, made
        if isinstance(made, Sequence) and not isinstance(made, str) and len(made) == len(value):
            for index, became in enumerate(made):
                yield from _pairs(value[index], became, (*path, index))
    elif isinstance(value, str):
        is_json = isinstance(made, Mapping | list | AbstractSet | BaseModel) or is_dataclass(made)
        inner = parse_whole(value, MAX_DEPTH) if is_json else value
        if isinstance(inner, dict | list):  # it is pydantic's `Json`
            yield path, value, made
            yield from _pairs(inner, made, path)
    elif type(value) is float and isinstance(made, bool | Decimal):
        yield path, value, made


def _members(value: dict[str, Any], made: Any) -> Iterator[tuple[str, Any]]:
    """Yield the keys of *value*, each with what its value became in *made*."""
    if isinstance(made, Mapping):
        if value.keys() <= made.keys():
            yield from ((key, made[key]) for key in value)
        elif len(made) == len(value):
            yield from zip(value, made.values(), strict=True)
        return
    names = dict(_keys(type(made)))
    extra = getattr(made, "__pydantic_extra__", None) or {}
    for key in value:
        if key in extra:
            yield key, extra[key]
        elif key in names and hasattr(made, names[key]):
            yield key, getattr(made, names[key])


def _keys(model: Any) -> Iterator[tuple[str, str]]:
    """Yield the keys that the fields of *model* are read from, each with the name of the field."""
    if is_v1_model(model):
        yield from ((field.alias, name) for name, field in model.__fields__.items())
    elif hasattr(model, "__pydantic_fields__"):
        for name, field in model.__pydantic_fields__.items():
            alias = field.validation_alias
            choices = alias.choices if isinstance(alias, AliasChoices) else [alias]
            keys = (key.path[0] if isinstance(key, AliasPath) else key for key in choices)
            yield from ((key, name) for key in (name, *keys) if isinstance(key, str))
    elif is_dataclass(model):
        yield from ((field.name, field.name) for field in fields(model))


def _digits(number: float) -> int:
    return len(Decimal(repr(number)).normalize().as_tuple().digits)


# -- keys and items that become one ----------------------------------------------------------------


def _same(
    read: Callable[[Any], Any], value: Any, path: Path, part: dict[str, Any] | list[Any]
) -> Iterator[InputProblem]:
    """Yield the problem with *part*, at *path*, if two of its keys or items become one.

    Keys and items that a validator drops do not count.
    """

    def count(some: list[Any]) -> int:
        fewer = {key: part[key] for key in some} if isinstance(part, dict) else some
        whole = _replaced(value, path, fewer)
        try:
            pairs = _pairs(whole, read(whole), ())
        except Exception:  # noqa: BLE001 - validators may refuse a part, with any error
            return len(some)
        made = next((made for at, _, made in pairs if at == path), some)
        return len(made) if isinstance(made, Sized) else len(some)

    # An item that stands twice is no loss where the schema allows it.
    left = list(part if isinstance(part, dict) else {frozen(item): item for item in part}.values())
    for _ in range(_MOST_DROPPED):
        if count(left) == len(left):
            return
        lengths = range(1, len(left))
        at = bisect_left(lengths, True, key=lambda size: count(left[:size]) < size)
        one = left.pop(at)
        if count([one]) == 0 or at == 0:
            continue
        sizes = range(1, at)
        other = left[bisect_left(sizes, True, key=lambda size: count([*left[:size], one]) <= size)]
        what = "keys" if isinstance(part, dict) else "items"
        found = f"{shown(other)} and {shown(one)}, which become the same"
        yield InputProblem(path, f"{what} that are all different", found)
        return


def _replaced(value: Any, path: Path, part: Any) -> Any:
    """Return *value* with *part* at *path*, which may lead into JSON in a text."""
    if isinstance(value, str):
        return json.dumps(_replaced(json.loads(value), path, part))
    if not path:
        return part
    copy = value.copy()
    copy[path[0]] = _replaced(value[path[0]], path[1:], part)
    return copy
