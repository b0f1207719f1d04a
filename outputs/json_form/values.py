r"""Any data as JSON, such as the input of a tool, and the error for what has no JSON form.

JSON's own values stay as they are. Others are an object with one key, which begins with ``$``::

    float("nan")         {"$float": "NaN"}
    b"\x00\xff"          {"$bytes": "AP8="}                 base64
    (1, 2)               {"$tuple": [1, 2]}
    {1: "a"}             {"$dict": [[1, "a"]]}              a key is not text
    {"$ref": "x"}        {"$dict": [["$ref", "x"]]}         it looks like one of these
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any, Final

_NAMES: Final = {
    dict: "an object",
    list: "a list",
    str: "a string",
    bool: "a boolean",
    int: "a number",
    float: "a number",
    type(None): "null",
}


class Misfit(Exception):  # noqa: N818 - internal: the caller sees a `TypeError` or `ValueError`
    """A value does not fit; each value that contains it adds its key to the path."""

    def __init__(self, reason: str, *path: object) -> None:
        super().__init__(reason, *path)
        self._reason = reason
        self._path = path

    def below(self, key: object) -> Misfit:
        """Return the same error for the enclosing value, which has this one under *key*."""
        return Misfit(self._reason, key, *self._path)

    def __str__(self) -> str:
        path = "".join(f"[{key!r}]" if _needs_brackets(key) else f".{key}" for key in self._path)
        return f"{path.removeprefix('.')}: {self._reason}" if path else self._reason


def _needs_brackets(key: object) -> bool:
    return not (isinstance(key, str) and key.isidentifier())


def name_of(value: Any) -> str:
    """Return what kind of value *value* is, for messages."""
    return _NAMES.get(type(value)) or f"a value of type {type(value).__name__}"


def each_part(step: Callable[[Any], Any], parts: Iterable[tuple[object, Any]]) -> list[Any]:
    """Return what *step* makes of each of *parts*; the path of a misfit has the key of its part."""
    done = []
    for key, part in parts:
        try:
            done.append(step(part))
        except Misfit as misfit:
            raise misfit.below(key) from None
    return done


# -- any data as JSON ------------------------------------------------------------------------------

_FLOATS: Final = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_MOST_BITS: Final = 14_280
"""Of an integer: more than 4,300 digits cannot be read by `json.loads`."""


def write_value(value: Any) -> Any:
    """Return *value* as data that `json.dumps` can write; `read_value` reverses it.

    Raises:
        Misfit: It contains something that is not data.
    """
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, int):
        if value.bit_length() > _MOST_BITS:
            raise Misfit("an integer of more than 4,300 digits cannot be written as JSON")
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"$float": _float_name(value)}
    if isinstance(value, list):
        return each_part(write_value, enumerate(value))
    if isinstance(value, dict):
        return _write_dict(value)
    if isinstance(value, tuple):
        return {"$tuple": each_part(write_value, enumerate(value))}
    if isinstance(value, bytes):
        return {"$bytes": _base64(value)}
    raise Misfit(f"{name_of(value)} cannot be written as JSON")


def _float_name(value: float) -> str:
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _base64(value: bytes) -> str:
    from base64 import b64encode  # imported lazily: bytes are rare

    return b64encode(value).decode()


def _write_dict(value: dict[Any, Any]) -> dict[str, Any]:
    is_plain = all(isinstance(key, str) for key in value) and not _is_tagged(value)
    written = []
    for key, item in value.items():
        try:
            written.append([key if is_plain else write_value(key), write_value(item)])
        except Misfit as misfit:
            raise misfit.below(key) from None
    return dict(written) if is_plain else {"$dict": written}


def _is_tagged(value: dict[Any, Any]) -> bool:
    return len(value) == 1 and next(iter(value)).startswith("$")


def read_value(data: Any) -> Any:
    """Return the value that was written as *data*.

    Raises:
        Misfit: It is not what `write_value` returns.
    """
    if data is None or isinstance(data, str | bool | int | float):
        return data
    if isinstance(data, list):
        return each_part(read_value, enumerate(data))
    if not isinstance(data, dict) or not all(isinstance(key, str) for key in data):
        raise Misfit(f"expected JSON, found {name_of(data)}")
    if _is_tagged(data):
        ((tag, item),) = data.items()
        if tag not in _TAGS:
            raise Misfit(f"expected one of the tags {', '.join(_TAGS)}, found {tag}")
        try:
            return _TAGS[tag](item)
        except (KeyError, TypeError, ValueError) as error:
            raise Misfit(
                f"expected a value that the tag {tag} allows, found {name_of(item)}"
            ) from error
    read = {}
    for key, item in data.items():  # without another frame for each level
        try:
            read[key] = read_value(item)
        except Misfit as misfit:
            raise misfit.below(key) from None
    return read


def _read_items(items: Any) -> list[Any]:
    if not isinstance(items, list):
        raise TypeError("not a list")
    return each_part(read_value, enumerate(items))


def _read_bytes(text: str) -> bytes:
    from base64 import b64decode  # imported lazily: bytes are rare

    return b64decode(text, validate=True)


_TAGS: Final[dict[str, Callable[[Any], Any]]] = {
    "$float": lambda name: _FLOATS[name],
    "$bytes": _read_bytes,
    "$tuple": lambda items: tuple(_read_items(items)),
    "$dict": lambda pairs: dict(_read_items(pairs)),
}
