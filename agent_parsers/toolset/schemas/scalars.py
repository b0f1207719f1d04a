"""Fits texts and numbers to a JSON Schema, and reads texts as values of other types."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator
from datetime import date, time
from functools import partial
from sys import float_info
from typing import Any, Final

from agent_parsers.toolset.problems.input_problem import MOST_EXACT, kind_of
from agent_parsers.toolset.schemas.spec import bounds_of, counted
from outputs.growing_json.lenient.json_text import may_repeat
from outputs.growing_json.scalars import NOTHING
from outputs.growing_json.whole import MAX_DEPTH, parse_whole

# -- text read as another type ---------------------------------------------------------------------

_INTEGER: Final = r"[+-]?[0-9]+(?:\.0*)?"
_NUMBER: Final = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_MOST_DIGITS: Final = 4000
"""Python raises an error for integers that are slightly longer."""


def from_text(text: str, kinds: Collection[str], *, lenient: bool = False) -> Any:
    """Return *text* read as one of *kinds*, or `NOTHING`.

    The types are tried in the order null, integer, number, boolean, object, array. The type string
    is ignored.

    Args:
        text: Such as ``"5"``, ``"true"``, ``"null"`` or ``"[1, 2]"``, with optional white space
            around it.
        kinds: Types of JSON Schema.
        lenient: Repair malformed JSON.
    """
    text = text.strip()
    for kind, read in _READERS:
        if kind in kinds and (value := read(text)) is not NOTHING:
            return value
    for kind, opener in (("object", "{"), ("array", "[")):
        if kind in kinds and text.startswith(opener):
            value = _whole(text)
            if value is NOTHING and lenient:
                plain = unescaped(text)
                value = _repaired(text) if plain is None else _whole(plain)
            if value is not NOTHING and kind_of(value) == kind:
                return value
    return NOTHING


def _whole(text: str) -> Any:
    """Return the value of JSON, or `NOTHING`; of a key that appears twice no value is safe."""
    value = parse_whole(text, MAX_DEPTH)
    return NOTHING if value is NOTHING or may_repeat(text, value) else value


def _null(text: str) -> Any:
    return None if text.lower() in ("null", "none") else NOTHING


def _to_integer(text: str) -> Any:
    if len(text) > _MOST_DIGITS or not re.fullmatch(_INTEGER, text):
        return NOTHING
    return int(text.partition(".")[0])


def _to_number(text: str) -> Any:
    if len(text) > _MOST_DIGITS or not re.fullmatch(_NUMBER, text):
        return NOTHING
    if not re.search("[.eE]", text):
        return int(text) if abs(int(text)) <= LARGEST else NOTHING
    value = float(text)
    return value if kind_of(value) else NOTHING


LARGEST: Final = int(float_info.max)
"""The largest number that can be one of floating point."""


def is_usual_number(text: str) -> bool:
    """Return whether *text* is a number as JSON writes it, with the same characters.

    These are not: ``007``, ``+5``, ``1.0``, ``1.50``, ``1e3``, and a number with too many digits.
    """
    if re.fullmatch("-?[1-9][0-9]{0,15}|0", text):
        return abs(int(text)) <= MOST_EXACT
    is_fraction = re.fullmatch(r"-?(?:0|[1-9][0-9]{0,15})\.[0-9]{0,16}[1-9]", text)
    return is_fraction is not None and repr(float(text)) == text


def _boolean(text: str) -> Any:
    return {"true": True, "false": False}.get(text.lower(), NOTHING) if len(text) < 6 else NOTHING


_READERS: Final[tuple[tuple[str, Callable[[str], Any]], ...]] = (
    ("null", _null),
    ("integer", _to_integer),
    ("number", _to_number),
    ("boolean", _boolean),
)


def _repaired(text: str) -> Any:
    from json import JSONDecodeError

    from output_parsers import repair_json  # imported lazily: only malformed JSON needs it

    try:
        value, repairs = repair_json(text)
    except JSONDecodeError:
        return NOTHING
    unsafe = ("surrounding_text", "repeated_key")
    return NOTHING if any(repair.kind in unsafe for repair in repairs) else value


_BARE_QUOTE: Final = re.compile(r'(?<!\\)(?:\\\\)*"').search


def unescaped(text: str) -> str | None:
    r"""Return *text* without escapes if it is JSON whose quotes are all escaped; otherwise `None`.

    Models write ``[{\"id\": 1}]`` where they were shown calls in JSON.
    """
    if '\\"' not in text or _BARE_QUOTE(text) is not None:
        return None
    try:
        plain = json.loads(f'"{text}"', strict=False)
    except ValueError:
        return None
    return None if parse_whole(plain, MAX_DEPTH) is NOTHING else str(plain)


# -- constraints of numbers and texts --------------------------------------------------------------


def number_faults(value: float, node: dict[str, Any]) -> Iterator[str]:
    """Yield the constraints of *node* that the number *value* violates."""
    low, above, high, below = bounds_of(node)
    if low is not None and value < low:
        yield f"at least {low}"
    if above is not None and value <= above:
        yield f"more than {above}"
    if high is not None and value > high:
        yield f"at most {high}"
    if below is not None and value >= below:
        yield f"less than {below}"
    step = node.get("multipleOf")
    if step is not None and not _is_multiple(value, step):
        yield f"a multiple of {step}"


def _is_multiple(value: float, step: float) -> bool:
    from fractions import Fraction  # imported lazily: slow to import, and few schemas need it

    whole, part = (
        Fraction(repr(number) if type(number) is float else number)  # 0.3 is 3/10
        for number in (value, step)
    )
    return whole % part == 0


def size_faults(
    value: str | list[Any] | dict[Any, Any], node: dict[str, Any], low: str, high: str, noun: str
) -> Iterator[str]:
    """Yield the limits of *node*, with the keywords *low* and *high*, that *value* violates."""
    if low in node and len(value) < node[low]:
        yield f"at least {counted(node[low], noun)}"
    if high in node and len(value) > node[high]:
        yield f"at most {counted(node[high], noun)}"


_EMAIL: Final = r"[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)*"
_URI: Final = r"[A-Za-z][A-Za-z0-9+.-]*:\S+"
_UUID: Final = r"(?:urn:uuid:)?[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"
_DATE: Final = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_TIME: Final = r"[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?(?:[Zz]|[+-][0-9]{2}:?[0-9]{2})?"


def _is_text(text: str, pattern: str) -> bool:
    return re.fullmatch(pattern, text) is not None


def is_format(text: str, name: str) -> bool:
    """Return whether *text* has the format *name*; an unknown format accepts any text.

    Seconds and the offset may be missing in times: models omit them, and pydantic accepts that.
    """
    check = _FORMATS.get(name)
    if check is None:
        return True
    try:
        return check(text)
    except ValueError:
        return False


def _is_date(text: str) -> bool:
    return _is_text(text, _DATE) and bool(date.fromisoformat(text))


def _is_time(text: str) -> bool:
    if not _is_text(text, _TIME):
        return False
    # Before 3.13 at least, Python reads only 3 or 6 digits after the seconds.
    time.fromisoformat(re.sub(r"\.\d+", "", text.upper()))
    return True


def _is_moment(text: str) -> bool:
    day, clock = text[:10], text[11:]
    return text[10:11] in ("T", "t", " ") and _is_date(day) and _is_time(clock)


def _is_ip(text: str, version: int) -> bool:
    from ipaddress import ip_address

    return ip_address(text).version == version


_FORMATS: Final[dict[str, Callable[[str], bool]]] = {
    "date": _is_date,
    "time": _is_time,
    "date-time": _is_moment,
    "email": partial(_is_text, pattern=_EMAIL),
    "uri": partial(_is_text, pattern=_URI),
    "uuid": partial(_is_text, pattern=_UUID),
    "ipv4": partial(_is_ip, version=4),
    "ipv6": partial(_is_ip, version=6),
}

# -- equal values ----------------------------------------------------------------------------------


def frozen(value: Any, depth: int = 0) -> Any:
    """Return a hashable key that is equal for two values if JSON Schema treats them as equal.

    ``1`` and ``1.0`` are equal, ``1`` and ``true`` are not. A value that is nested too deep is not
    equal to any other.
    """
    if depth > MAX_DEPTH:
        return ("", id(value))
    if isinstance(value, bool):
        return ("boolean", value)
    if isinstance(value, list):
        return ("array", *(frozen(item, depth + 1) for item in value))
    if isinstance(value, dict):
        return ("object", frozenset((key, frozen(item, depth + 1)) for key, item in value.items()))
    if value is None or isinstance(value, str | int | float):
        return value
    return ("", id(value))
