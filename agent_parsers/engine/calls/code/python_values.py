"""Python literals: their values, read by `ast` under limits and never evaluated, and their text."""

from __future__ import annotations

import ast
import json
import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.engine.repairs.payloads import BadPayload

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["MAX_CODE", "MAX_DEPTH", "Source", "python_string", "write_python"]

MAX_DEPTH: Final = 100
"""How many brackets may be open at once; Python's own parser gives up at twice as many."""
MAX_CODE: Final = 500_000
"""Longest value that is read, in characters, without what its strings hold: `ast` takes a hundred
bytes for each of them."""
_MAX_BITS: Final = 14_000
"""Longest integer; Python writes none that is a little longer in digits."""
_MAX_CHARS: Final = 4_250
"""Longest number as it is written; no integer of these bits has more digits."""

_NUMBER: Final = (
    r"0[xX][0-9a-fA-F_]++|0[oO][0-7_]++|0[bB][01_]++"
    r"|(?:[0-9][0-9_]*+(?:\.[0-9_]*+)?|\.[0-9][0-9_]*+)(?:[eE][-+]?[0-9_]++)?"
)
_END: Final = r"(?=\s*+(?:[\])},:]|\Z))"
# Where `"` stands for a string. Nothing may follow a value but what ends it: so there is no
# expression, be it a sum of a million numbers, on which `ast` would spend memory and stack.
_is_literal: Final = re.compile(
    r"(?:[\s\[({,:]++"
    rf'|"(?:{_END}|(?=\s++"))'
    rf"|[\])}}]{_END}"
    rf"|[-+]?(?:{_NUMBER}|True|False|None|true|false|null){_END})*+"
).fullmatch
_ARE_JOINED: Final = re.compile(r'"\s++"')
_NUMBERS: Final = re.compile(_NUMBER)
_LEADING_ZEROS: Final = re.compile(r"0[0-9_]*[1-9][0-9_]*").fullmatch
_PAIR: Final = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_JSON_WORDS: Final = {"true": True, "false": False, "null": None}


@dataclass(slots=True)
class Source:
    """The text of one value, code and strings apart."""

    code: list[str] = field(default_factory=list)
    """What stands before, between and behind the strings."""
    strings: list[str] = field(default_factory=list)
    """The strings, as `python_string` writes them."""

    @property
    def is_blank(self) -> bool:
        """Whether there is nothing but white space."""
        return not self.strings and not "".join(self.code).strip()

    def value(self) -> tuple[Any, list[tuple[str, str]]]:
        """Return the value, and the kind and the words of each thing that had to be mended.

        Raises:
            BadPayload: It is no literal, or too large; the span is of no meaning.
        """
        code = '"'.join(self.code)
        if len(code) > MAX_CODE:
            raise BadPayload("long_call", (0, 0))
        if self.is_blank:
            raise BadPayload("no_value", (0, 0))
        if not _is_literal(code):
            raise BadPayload("no_literal", (0, 0))
        notes: dict[str, str] = {}
        if _ARE_JOINED.search(code):
            notes["joined"] = "joined strings that follow each other"

        def number(found: re.Match[str]) -> str:
            if len(found[0]) > _MAX_CHARS:
                raise BadPayload("bad_value", (0, 0))
            if not _LEADING_ZEROS(found[0]):
                return found[0]
            notes["zeros"] = "left out zeros at the beginning of a number"
            return found[0].lstrip("0_")

        parts = [_NUMBERS.sub(number, part) for part in self.code]
        text = "".join(a + b for a, b in zip(parts, [*self.strings, ""], strict=True))
        try:
            value = _value(ast.parse(f"({text}\n)", mode="eval").body, notes)
        except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
            raise BadPayload("no_literal", (0, 0)) from None
        return value, list(notes.items())


def _value(node: ast.expr | None, notes: dict[str, str]) -> Any:
    """Return the value of *node*, as JSON has it: tuples are lists."""
    match node:
        case ast.Constant(str() as text):
            if _PAIR.search(text):  # of a character that JSON escapes in two halves
                text = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
            return text
        case ast.Constant(bool() | None as value):
            return value
        case ast.Constant(int() as value) if value.bit_length() <= _MAX_BITS:
            return value
        case ast.Constant(float() as value) if math.isfinite(value):
            return value
        case ast.UnaryOp(
            ast.USub() | ast.UAdd() as sign, ast.Constant(int() | float() as value)
        ) if not isinstance(value, bool):
            number = _value(node.operand, notes)
            return -number if isinstance(sign, ast.USub) else number
        case ast.List(items) | ast.Tuple(items):
            return [_value(item, notes) for item in items]
        case ast.Dict(keys, values):
            names = [_value(key, notes) for key in keys]
            if len(set(names)) < len(names):
                raise BadPayload("two_values", (0, 0))
            return dict(zip(names, (_value(item, notes) for item in values), strict=True))
        case ast.Constant(int() | float()):
            raise BadPayload("bad_value", (0, 0))
        case ast.Name(word) if word in _JSON_WORDS:
            notes["json"] = f"read {word} of JSON"
            return _JSON_WORDS[word]
    raise ValueError("no literal, or none that JSON has")


# -- strings ---------------------------------------------------------------------------------------

_ODD: Final = re.compile(r'[\\"\n\r\0\ud800-\udfff]')
_ODD_OR_ESCAPED: Final = re.compile(r'(?s:\\(?:[0-7]{1,3}|.))|["\n\r\0\ud800-\udfff]')
_ESCAPES: Final = frozenset("\n\\'\"abfnrtvxNuU")


def python_string(body: str, *, is_raw: bool) -> tuple[str, set[str]]:
    r"""Return the string with this *body* as `ast` takes it: in double quotes, on one line.

    What Python's parser does not take as it stands (line breaks, ``\0``, surrogates, quotes) is
    escaped, and so is the backslash before what is no escape, of which Python warns.

    Args:
        body: What stands between its quotes.
        is_raw: Whether it has no escapes.

    Returns:
        The string, and those characters in it that have no place in a string with single quotes.
    """
    if not _ODD.search(body):
        return f'"{body}"', set()
    seen: set[str] = set()

    def put(found: re.Match[str]) -> str:
        text = found[0]
        if len(text) > 1:
            if text[1] in _ESCAPES:
                return text
            if text[1] in "01234567":  # Python warns of those beyond a byte
                return f"\\u{int(text[1:], 8):04x}"
            return r"\\" + _ODD.sub(put, text[1:])
        if text in "\n\r\0":
            seen.add(text)
        return f"\\{text}" if text in '\\"' else f"\\u{ord(text):04x}"

    return f'"{(_ODD if is_raw else _ODD_OR_ESCAPED).sub(put, body)}"', seen


# -- writing ---------------------------------------------------------------------------------------


def write_python(value: Any) -> str:
    """Write *value* as a literal, its strings in double quotes.

    Raises:
        ValueError: It has none.
    """
    return "".join(_written(value))


def _written(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield json.dumps(value, ensure_ascii=False)
    elif value is None or (isinstance(value, int | float) and math.isfinite(value)):
        yield repr(value)
    elif isinstance(value, list):
        yield f"[{', '.join(map(write_python, value))}]"
    elif isinstance(value, dict):
        items = (f"{write_python(key)}: {write_python(item)}" for key, item in value.items())
        yield f"{{{', '.join(items)}}}"
    else:
        raise ValueError(f"Python has no literal for {value!r}, or JSON none")
