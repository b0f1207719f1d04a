"""Python literals: read by `ast` under limits, never evaluated, and written."""

from __future__ import annotations

import ast
import json
import math
import re
from dataclasses import dataclass, field
from typing import Any, Final

from agent_parsers.engine.repairs.payloads import BadPayload

MAX_CODE: Final = 500_000
"""Longest value that is read, in characters, not counting the contents of its strings: `ast` needs
a hundred bytes for each character."""
_MAX_BITS: Final = 14_000
"""Longest integer, in bits; Python refuses to write slightly longer ones in decimal."""
_MAX_CHARS: Final = 4_250
"""Longest number, in characters; no integer within the bit limit has more digits."""

_NUMBER: Final = (
    r"0[xX][0-9a-fA-F_]++|0[oO][0-7_]++|0[bB][01_]++"
    r"|(?:[0-9][0-9_]*+(?:\.[0-9_]*+)?|\.[0-9][0-9_]*+)(?:[eE][-+]?[0-9_]++)?"
)
_END: Final = r"(?=\s*+(?:[\])},:]|\Z))"
# Here `"` stands for a whole string. Only text that ends a value may follow it. This rules out
# expressions, such as a sum of a million numbers, on which `ast` would spend memory and stack.
_is_literal: Final = re.compile(
    r"(?>(?:[\s\[({,:]++"
    rf'|"(?:{_END}|(?=\s++"))'
    rf"|[\])}}]{_END}"
    rf"|[-+]?(?:{_NUMBER}|True|False|None|true|false|null){_END})*)"
).fullmatch
_ARE_JOINED: Final = re.compile(r'"\s++"')
_NUMBERS: Final = re.compile(_NUMBER)
_LEADING_ZEROS: Final = re.compile(r"0[0-9_]*[1-9][0-9_]*").fullmatch
_PAIR: Final = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_JSON_WORDS: Final = {"true": True, "false": False, "null": None}


@dataclass(slots=True)
class Source:
    """The text of one value, with code and strings kept apart."""

    code: list[str] = field(default_factory=list)
    """The code before, between and after the strings."""
    strings: list[str] = field(default_factory=list)
    """The strings, as `python_string` writes them."""

    @property
    def is_blank(self) -> bool:
        """Whether the text is only white space."""
        return not self.strings and not "".join(self.code).strip()

    def value(self) -> tuple[Any, list[tuple[str, str]]]:
        """Return the value, and the kind and message of each repair.

        Raises:
            BadPayload: The text is not a literal, or is too large; its span has no meaning.
        """
        code = '"'.join(self.code)
        if len(code) > MAX_CODE:
            raise BadPayload("long_call", (0, 0))
        if self.is_blank:
            raise BadPayload("no_value", (0, 0))
        if not _is_literal(code):
            raise BadPayload("computed_value", (0, 0))
        notes: dict[str, str] = {}
        if _ARE_JOINED.search(code):
            notes["joined"] = "joined adjacent strings"

        def number(found: re.Match[str]) -> str:
            if len(found[0]) > _MAX_CHARS:
                raise BadPayload("bad_value", (0, 0))
            if not _LEADING_ZEROS(found[0]):
                return found[0]
            notes["zeros"] = "dropped the leading zeros of a number"
            return found[0].lstrip("0_")

        parts = [_NUMBERS.sub(number, part) for part in self.code]
        text = "".join(a + b for a, b in zip(parts, [*self.strings, ""], strict=True))
        try:
            value = json_value(ast.parse(f"({text}\n)", mode="eval").body, notes)
        except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError) as error:
            is_escape = isinstance(error, SyntaxError) and "(unicode error)" in error.msg
            problem = "bad_escape" if is_escape else "computed_value"
            raise BadPayload(problem, (0, 0)) from None
        return value, list(notes.items())


def json_value(node: ast.expr | None, notes: dict[str, str]) -> Any:
    """Return the JSON value of a literal, with tuples as lists; `ValueError` for other nodes."""
    match node:
        case ast.Constant(str() as text):
            if _PAIR.search(text):  # surrogates, as JSON escapes a character in two halves
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
            number = json_value(node.operand, notes)
            return -number if isinstance(sign, ast.USub) else number
        case ast.List(items) | ast.Tuple(items):
            return [json_value(item, notes) for item in items]
        case ast.Set(items):
            notes["set"] = "read a set as a list"
            return [json_value(item, notes) for item in items]
        case ast.Dict(keys, values):
            names = [json_value(key, notes) for key in keys]
            if len(set(names)) < len(names):
                raise BadPayload("repeated_key", (0, 0))
            return dict(zip(names, (json_value(item, notes) for item in values), strict=True))
        case ast.Constant(int() | float()):
            raise BadPayload("bad_value", (0, 0))
        case ast.Name(word) if word in _JSON_WORDS:
            notes["json"] = f"read {word}, a JSON constant"
            return _JSON_WORDS[word]
    raise ValueError("expected a literal with a value that JSON has")


# -- strings ---------------------------------------------------------------------------------------

_ODD: Final = re.compile(r'[\\"\n\r\0\ud800-\udfff]')
_ODD_OR_ESCAPED: Final = re.compile(r'(?s:\\(?:[0-7]{1,3}|.))|["\n\r\0\ud800-\udfff]')
_ESCAPES: Final = frozenset("\n\\'\"abfnrtvxNuU")
_escaped_letters: Final = re.compile(r"(?<!\\)(?:\\\\)*\\([A-Za-z])").findall


def python_string(body: str, *, is_raw: bool) -> tuple[str, set[str]]:
    r"""Return a string with this *body* as a literal: in double quotes, on one line.

    Characters that Python's parser does not accept unescaped (line breaks, ``\0``, surrogates,
    quotes) are escaped, and so is a backslash that begins no valid escape, since Python warns of
    it. A raw string has no escapes.

    Returns:
        The string, and the line breaks and NULs in it, which a one-line string may not contain.
    """
    if not _ODD.search(body):
        return f'"{body}"', set()
    seen: set[str] = set()

    def put(found: re.Match[str]) -> str:
        text = found[0]
        if len(text) > 1:
            if text[1] in _ESCAPES:
                return text
            if text[1] in "01234567":  # Python warns of octal escapes beyond a byte
                return f"\\u{int(text[1:], 8):04x}"
            return r"\\" + _ODD.sub(put, text[1:])
        if text in "\n\r\0":
            seen.add(text)
        return f"\\{text}" if text in '\\"' else f"\\u{ord(text):04x}"

    return f'"{(_ODD if is_raw else _ODD_OR_ESCAPED).sub(put, body)}"', seen


def is_half_escaped(body: str) -> bool:
    """Return whether a string with this *body* keeps some backslashes but may have to keep more."""
    letters = set(_escaped_letters(body))
    if letters <= _ESCAPES:
        return False
    from outputs.growing_json.lenient.half_escaped import may_keep_others  # lazily: it is rare

    return may_keep_others(letters & set("abfnrtv"), body)


# -- writing ---------------------------------------------------------------------------------------


def write_python(value: Any) -> str:
    """Write *value* as a Python literal, with strings in double quotes.

    Raises:
        ValueError: The value, or one inside it, has no Python literal, or JSON does not have it.
    """
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if value is None or (isinstance(value, int | float) and abs(value) < math.inf):
        return repr(value)
    if isinstance(value, list):
        return f"[{', '.join(map(write_python, value))}]"
    if isinstance(value, dict):
        items = (f"{write_python(key)}: {write_python(item)}" for key, item in value.items())
        return f"{{{', '.join(items)}}}"
    raise ValueError(f"cannot write {value!r} as a Python literal: JSON has no such value")


def write_single_quoted(value: Any) -> str:
    """Write *value* as some templates do: strings in single quotes, lists and objects as JSON.

    Raises:
        ValueError: JSON or Python does not have the value.
    """
    if isinstance(value, str):
        inner = json.dumps(value, ensure_ascii=False)[1:-1].replace('\\"', '"')
        return "'" + inner.replace("'", "\\'") + "'"
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    return write_python(value)
