"""Reads turns whose calls have parameters with texts of their own around them."""

from __future__ import annotations

import json
import re
from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeAlias

from typing_extensions import override

from agent_parsers.engine.calls.tags.form import as_json
from agent_parsers.engine.reading.matching.plain_text import MOST_DEEP, UNSEEN, KnownMarks
from agent_parsers.engine.reading.matching.turns import MatchedTurns
from agent_parsers.forms.templates import BLANK, ID, KEY, TYPE, VALUE, pattern
from outputs.growing_json.scalars import NOTHING
from outputs.growing_json.whole import scan_object

if TYPE_CHECKING:
    from collections.abc import Callable
    from re import Match

    from agent_parsers.engine.reading.turn import PlainCall
    from agent_parsers.forms.form import Form
    from agent_parsers.forms.templates import Templates

_Find: TypeAlias = "Callable[[str, int], Match[str] | None]"
_KEY: Final = r"[A-Za-z_]\w{0,63}+"
_NUMBER: Final = r"-?(?:0|[1-9][0-9]{0,14}+)(?>(?:\.[0-9]{1,15}+)?)"


class _ParameterTurns(MatchedTurns):
    """Reads turns whose parameters have texts of their own around them."""

    def __init__(self, form: Form, templates: Templates, known: KnownMarks) -> None:
        super().__init__(form, templates, known)
        _, between, behind = form.calls
        tail = templates.tail.lstrip()
        self._parameter = self._new_parameter(templates, known)
        self._has_id = ID in templates.head
        end = pattern(tail + behind + form.around[1])
        self._end = re.compile(rf"{BLANK}{end}{self._ends}").match
        self._next = None
        if not form.is_single:
            goes_on = pattern(tail + between + templates.head.rstrip(), templates.ids)
            self._next = re.compile(f"{BLANK}{goes_on}").match

    @abstractmethod
    def _new_parameter(self, templates: Templates, known: KnownMarks) -> _Find:
        """Return what matches one parameter."""

    @abstractmethod
    def _value(self, text: str, found: Match[str]) -> tuple[Any, int]:
        """Return the value of a parameter that was *found* in *text*, and where it ends.

        `NOTHING` if a stream has to say it.
        """

    @override
    def calls_and_content(self, text: str, found: Match[str]) -> tuple[list[PlainCall], str] | None:
        calls: list[PlainCall] = []
        call: Match[str] | None = found
        while call is not None:
            tool, end = call["tool"], call.end()
            tool_input: dict[str, Any] = {}
            if not self.is_name(tool):
                return None
            while (parameter := self._parameter(text, end)) is not None:
                value, end = self._value(text, parameter)
                if (key := parameter["key"]) in tool_input or value is NOTHING:
                    return None
                tool_input[key] = value
            calls.append((tool, tool_input, call["id"] if self._has_id else None))
            if (last := self._end(text, end)) is not None:
                return calls, self._behind(last)
            call = None if self._next is None else self._next(text, end)
        return None


class TaggedTurns(_ParameterTurns):
    """Reads turns whose parameters are plain text in tags."""

    has_texts: ClassVar = True

    @override
    def _new_parameter(self, templates: Templates, known: KnownMarks) -> _Find:
        self._types, self._elements = templates.types, templates.elements
        opens, rest = templates.parameter.split(KEY, 1)
        equals, closes = rest.split(VALUE)
        odd = re.escape("".join({*known.first, *UNSEEN, "["} - {"<"}))
        word = rf"(?>(?:[^{odd}\s<]++|{known.no_tag}|{known.no_bracket}{known.no_other})+)"
        value = rf"(?P<value> *+(?>(?:{word}(?>(?:\s++{word})*))?) *+)"
        closer = "(?P=key)".join(
            pattern(part, first=at > 0) for at, part in enumerate(closes.split(KEY))
        )
        before, behind = BLANK, ""
        if templates.between.strip():
            more = f"{pattern(templates.between)}(?={_KEY})"
            behind = f"(?:{more}|(?={BLANK}{pattern(templates.tail.lstrip())}))"
        elif templates.between:
            before = f"{BLANK}(?>(?:{pattern(templates.between)})?)"
        opener = f"{before}{pattern(opens.lstrip())}(?P<key>{_KEY})"
        equal = pattern(equals, last=False)
        text = self._typed(equal, f"{value}{closer}")
        self._has_plain = bool(templates.plain)
        if templates.plain:
            equals, closes = templates.plain.partition(KEY)[2].split(VALUE)
            text += f"|{re.escape(equals)}(?P<plain>{_NUMBER}|true|false){re.escape(closes)}"
        if self._elements:
            equal = pattern(templates.item.partition(VALUE)[0], last=False)
            self._item = re.compile(f"{BLANK}(?:{self._typed(equal, f'{value}{closer}')})").match
            self._end_elements = re.compile(f"{BLANK}{closer}").match
        return re.compile(f"{opener}(?:{text}){behind}").match

    def _typed(self, equal: str, value: str) -> str:
        """Return a pattern for a *value* with its type behind *equal*, or what opens elements."""
        types, elements = ("|".join(map(re.escape, each)) for each in (self._types, self._elements))
        typed = f"{equal.replace(TYPE, f'(?P<type>{types})')}{value}"
        return f"{typed}|{equal.replace(TYPE, f'(?P<holds>{elements})')}" if elements else typed

    @override
    def _value(self, text: str, found: Match[str], depth: int = 0) -> tuple[Any, int]:
        value: Any = found["value"]
        if self._elements and (holds := found["holds"]) is not None:
            return self._members(text, found.end(), holds, depth + 1)
        if self._has_plain and (plain := found["plain"]) is not None:
            value = json.loads(plain)
        elif self._types and found["type"] != self._types[0]:
            value = _read_json(value)
        elif "<" in value and "key" in found.re.groupindex and f"/{found['key']}" in value:
            value = NOTHING
        return value, found.end()

    def _members(self, text: str, at: int, holds: str, depth: int) -> tuple[Any, int]:
        """Return the object or list whose elements begin *at* a place, and where it ends."""
        members: dict[str, Any] = {}
        items: list[Any] = []
        is_object = holds == self._elements[0]
        element = self._parameter if is_object else self._item
        while depth <= MOST_DEEP and (found := element(text, at)) is not None:
            value, at = self._value(text, found, depth)
            if value is NOTHING or (is_object and found["key"] in members):
                return NOTHING, at
            if is_object:
                members[found["key"]] = value
            else:
                items.append(value)
        end = self._end_elements(text, at)
        if end is None:
            return NOTHING, at
        return (members if is_object else items), end.end()


_CONSTANTS: Final = {"None": None, "True": True, "False": False}
_STRING: Final = r'"(?>(?:[^"\\\n\r\0]++|\\["\\ntr])*)"'
_JSON_ONLY: Final = re.compile(r"null|true|false|\\[/bfu]").search
_LITERALS: Final = re.compile(
    rf"(?>(?:[\[\]{{}}:, ]++|{_STRING}|{_NUMBER}|None|True|False)*)"
).match
_constants: Final = re.compile(rf"{_STRING}|None|True|False").sub
_SPELT_IN_JSON: Final = {"None": "null", "True": "true", "False": "false"}
"""All of them are as long as in Python."""


class PythonTurns(_ParameterTurns):
    """Reads turns whose parameters are Python arguments: strings, numbers and constants."""

    has_texts: ClassVar = False

    @override
    def _new_parameter(self, templates: Templates, known: KnownMarks) -> _Find:
        value = rf"{_STRING}|(?=[\[{{])|{_NUMBER}|None|True|False"
        between, end = re.escape(templates.between), re.escape(templates.tail[0])
        self._after = re.compile(f"{between}(?={_KEY}=)|(?={end})").match
        return re.compile(f"(?P<key>{_KEY})=(?P<value>{value})").match

    @override
    def _value(self, text: str, found: Match[str]) -> tuple[Any, int]:
        value, end = self._literal(text, found["value"], found.end())
        after = self._after(text, end)
        return (NOTHING, end) if after is None else (value, after.end())

    def _literal(self, text: str, written: str, end: int) -> tuple[Any, int]:
        """Return the value of a literal that is *written* up to *end*, and where it ends."""
        if not written:
            value, stop = scan_object(text, end, MOST_DEEP)
            if value is NOTHING and (literals := _LITERALS(text, end)) is not None:
                spelt = _constants(lambda it: _SPELT_IN_JSON.get(it[0], it[0]), literals[0])
                value, size = scan_object(spelt, 0, MOST_DEEP)
                return value, end + size
            is_json = _JSON_ONLY(text, end, stop) is not None  # Python spells or reads it otherwise
            return (NOTHING if is_json else value), stop
        if written[0] == '"':
            return (json.loads(written, strict=False) if "\\" in written else written[1:-1]), end
        if written in _CONSTANTS:
            return _CONSTANTS[written], end
        return (float(written) if "." in written else int(written)), end


def _read_json(written: str) -> Any:
    """Return the value of JSON; `NOTHING` for what a stream may read in another way."""
    try:
        value = as_json(written)
    except ValueError:
        return NOTHING
    return NOTHING if isinstance(value, str) else value
