"""Readers of whole turns of calls that are spelt as the form of their dialect says."""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from dataclasses import replace
from os.path import commonprefix
from typing import TYPE_CHECKING, Any, ClassVar, Final

from typing_extensions import override

from agent_parsers.engine.calls.tags.form import as_json
from agent_parsers.engine.markers.kinds import spelt_texts
from agent_parsers.engine.reading.canonical.columns import is_in
from agent_parsers.engine.reading.canonical.plain_text import (
    MOST_DEEP,
    UNSEEN,
    WORD,
    KnownMarks,
    around,
    is_in_keys,
    known_marks,
    plain_text,
)
from agent_parsers.engine.reading.turn import PlainTurn
from agent_parsers.forms.templates import (
    BLANK,
    BREAK,
    ID,
    IS_TEXT,
    KEY,
    TOOL,
    VALUE,
    pattern,
    templates_of,
)
from outputs.growing_json.scalars import NOTHING
from outputs.growing_json.whole import scan_object

if TYPE_CHECKING:
    from collections.abc import Callable
    from re import Match

    from agent_parsers.engine.reading.turn import PlainCall
    from agent_parsers.engine.tables.table import Table
    from agent_parsers.forms.form import Form
    from agent_parsers.forms.templates import Templates

_ENDS_ODDLY: Final = re.compile(r"""["'“‘«:：][\s\[\](),;}]*+\Z""").search
_SLOT_OR_BLANK: Final = re.compile(rf"[\s{TOOL}-{BREAK}]")
_KEY: Final = r"[A-Za-z_]\w*+"
_NUMBER: Final = r"-?(?:0|[1-9][0-9]{0,14}+)(?>(?:\.[0-9]{1,15}+)?)"


def ends_oddly(content: str) -> bool:
    """Return whether *content* ends with what, right before a call, may quote or forbid it."""
    return content[-1] in "\"'“‘«:：[](),;}" and _ENDS_ODDLY(content) is not None


class CanonicalTurns(ABC):
    """Reads turns in one spelling.

    Text that may hold a marker, or that may quote or forbid a call, is left to a stream.
    """

    def __init__(
        self, form: Form, templates: Templates, known: KnownMarks, *, ahead: str = ""
    ) -> None:
        opens, closes = form.around
        lead = f"{form.calls[0]}{templates.head}"
        lead = lead.rstrip() if templates.parameter else lead
        thoughts = around(form.thought, f"(?P<thought>{plain_text(known, of_thought=True)})")
        said = plain_text(known, stop=lead[:WORD] if lead[:1] == " " else lead.lstrip()[:WORD])
        self.has_content = not form.is_content_last and form.content is not None
        content = ""
        if self.has_content:
            content = around(form.content, f"(?P<content>{said})")
        call = pattern(lead, templates.ids)
        self._to_input = f"{thoughts}{pattern(opens)}{content}{call}{ahead}"
        self.lead = re.compile(self._to_input).match
        self.opener: str = _SLOT_OR_BLANK.split(lead.lstrip(), maxsplit=1)[0]
        """What each turn with calls has somewhere; empty if that is not known."""
        self.answer: Callable[[str], Match[str] | None] | None = None
        self.odd: tuple[str, ...] = ()
        """Characters without which a whole text is an answer; empty if answers have marks."""
        if isinstance(form.answer, tuple):
            before, after = (f"{opens}{form.answer[0]}", f"{form.answer[1]}{closes}")
            answer = f"{pattern(before)}(?P<content>{plain_text(known)}){pattern(after)}"
            self.answer = re.compile(rf"{thoughts}{answer}{BLANK}\Z").match
            has_marks = bool((before + after).strip())
            if not has_marks and (form.thought is None or form.thought[0][:1] in known.odd):
                self.odd = known.odd
        self.begins = known.begins
        self._words = re.compile(known.words, re.IGNORECASE).search if known.words else None
        self.has_thought = bool(thoughts)

    def read(self, text: str) -> PlainTurn | None:
        """Return the turn with this *text*; `None` if it is spelt in another way."""
        found = self.lead(text) if self.opener in text else None
        if found is None:
            return self._read_answer(text)
        content = (found["content"] or "").strip() if self.has_content else ""
        if content and ends_oddly(content):
            return None
        thought = (found["thought"] or "").strip() if self.has_thought else ""
        if self.is_odd(thought) or self.is_odd(content):
            return None
        calls = self.calls(text, found)
        return None if calls is None else PlainTurn(calls, thought, content)

    def _read_answer(self, text: str) -> PlainTurn | None:
        found = None if self.answer is None else self.answer(text)
        if found is None:
            return None
        thought = (found["thought"] or "").strip() if self.has_thought else ""
        answer = found["content"].strip()
        if not answer or self.is_odd(thought) or self.is_odd(answer):
            return None
        return PlainTurn([], thought, answer, answer)

    def is_odd(self, text: str) -> bool:
        """Return whether a *text* may hold a marker of letters, or a fence of Python."""
        if not text:
            return False
        is_word = self._words is not None and self._words(text) is not None
        return is_word or is_in('"""', text) or is_in("'''", text)

    has_texts: ClassVar[bool]
    """Whether values are texts, of which the schema of the tool says the types."""

    single: Callable[[str], Match[str] | None] | None = None
    """Matches a whole turn with one call, whose ``input`` may be an object in JSON."""

    @abstractmethod
    def calls(self, text: str, found: Match[str]) -> list[PlainCall] | None:
        """Return the calls in *text*, of which the part up to the first input was *found*."""

    def is_name(self, tool: str) -> bool:
        """Return whether the name of a *tool* is no marker."""
        return self._words is None or self._words(tool) is None


class _JsonTurns(CanonicalTurns):
    """Reads turns whose inputs are objects in JSON."""

    has_texts: ClassVar = False

    def __init__(self, form: Form, templates: Templates, known: KnownMarks) -> None:
        head, tail, ids = templates.head, templates.tail, templates.ids
        super().__init__(form, templates, known, ahead="(?={)")
        _, between, behind = form.calls
        end, between = (
            tail + behind + form.around[1],
            "" if form.is_single else tail + between + head,
        )
        shared = commonprefix([between, end]) if between else ""
        ends = rf"{pattern(end[len(shared) :], ids)}{BLANK}\Z"
        whole = rf"(?P<input>(?s:\{{.*\}})){pattern(shared, ids)}{ends}"
        if "(?P<" not in pattern(shared, ids) + ends:
            self.single = re.compile(f"{self._to_input}{whole}").match
        if between:
            ends = rf"(?:{ends}|{pattern(between[len(shared) :], ids)}(?={{))"
        self._rest = re.compile(pattern(shared, ids) + ends).match
        self._goes_on = bool(between)
        self._has_id = ID in head
        self._has_id_behind = ID in tail

    @override
    def calls(self, text: str, found: Match[str]) -> list[PlainCall] | None:
        calls = []
        while True:
            tool, start = found["tool"], found.end()
            tool_input, end = scan_object(text, start, MOST_DEEP)
            if tool_input is NOTHING or not self.is_name(tool):
                return None
            if self.begins(text, start, end) and is_in_keys(self.begins, tool_input):
                return None
            rest = self._rest(text, end)
            if rest is None:
                return None
            has_id = found if self._has_id else rest if self._has_id_behind else None
            calls.append((tool, tool_input, has_id and has_id["id"]))
            if not self._goes_on or rest["tool"] is None:
                return calls
            found = rest


class _ParameterTurns(CanonicalTurns):
    """Reads turns whose parameters have texts of their own around them."""

    def __init__(self, form: Form, templates: Templates, known: KnownMarks) -> None:
        super().__init__(form, templates, known)
        _, between, behind = form.calls
        tail = templates.tail.lstrip()
        self._parameter = self._new_parameter(templates, known)
        end = pattern(tail + behind + form.around[1])
        self._end = re.compile(rf"{BLANK}{end}{BLANK}\Z").match
        self._next = None
        if not form.is_single:
            goes_on = pattern(tail + between + templates.head.rstrip())
            self._next = re.compile(f"{BLANK}{goes_on}").match

    @abstractmethod
    def _new_parameter(
        self, templates: Templates, known: KnownMarks
    ) -> Callable[[str, int], Match[str] | None]:
        """Return what matches one parameter."""

    @abstractmethod
    def _value(self, text: str, found: Match[str]) -> tuple[Any, int]:
        """Return the value of a parameter that was *found* in *text*, and where it ends.

        `NOTHING` if a stream has to say it.
        """

    @override
    def calls(self, text: str, found: Match[str]) -> list[PlainCall] | None:
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
            calls.append((tool, tool_input, None))
            if self._end(text, end) is not None:
                return calls
            call = None if self._next is None else self._next(text, end)
        return None


class _TaggedTurns(_ParameterTurns):
    """Reads turns whose parameters are plain text in tags."""

    has_texts: ClassVar = True

    @override
    def _new_parameter(
        self, templates: Templates, known: KnownMarks
    ) -> Callable[[str, int], Match[str] | None]:
        self._says_text = IS_TEXT in templates.parameter
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
        text = f"{pattern(equals, last=False)}{value}{closer}"
        self._has_plain = bool(templates.plain)
        if templates.plain:
            equals, closes = templates.plain.partition(KEY)[2].split(VALUE)
            text += f"|{re.escape(equals)}(?P<plain>{_NUMBER}|true|false){re.escape(closes)}"
        return re.compile(f"{opener}(?:{text}){behind}").match

    @override
    def _value(self, text: str, found: Match[str]) -> tuple[Any, int]:
        value: Any = found["value"]
        if self._has_plain and (plain := found["plain"]) is not None:
            value = json.loads(plain)
        elif "<" in value and f"/{found['key']}" in value:
            value = NOTHING
        elif self._says_text and found["is_text"] == "false":
            value = _read_json(value)
        return value, found.end()


_CONSTANTS: Final = {"None": None, "True": True, "False": False}
_JSON_ONLY: Final = re.compile(r"null|true|false|\\[/bfu]").search


class _PythonTurns(_ParameterTurns):
    """Reads turns whose parameters are arguments in Python: texts, numbers, and constants."""

    has_texts: ClassVar = False

    @override
    def _new_parameter(
        self, templates: Templates, known: KnownMarks
    ) -> Callable[[str, int], Match[str] | None]:
        value = (
            r'"(?>(?:[^"\\\n\r]++|\\["\\ntr])*)"|(?=[\[{])'
            rf"|{_NUMBER}|None|True|False"
        )
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
            is_json = _JSON_ONLY(text, end, stop) is not None  # Python spells or reads it otherwise
            return (NOTHING if is_json else value), stop
        if written[0] == '"':
            return (json.loads(written, strict=False) if "\\" in written else written[1:-1]), end
        if written in _CONSTANTS:
            return _CONSTANTS[written], end
        return (float(written) if "." in written else int(written)), end


def canonical_turns(form: Form | None, table: Table) -> CanonicalTurns | None:
    """Return what reads the turns of a *form*, given the *table* of a mode.

    Returns:
        `None` if the form does not show how calls are spelt.
    """
    templates = None if form is None else templates_of(form)
    if form is None or templates is None or not form.shows_calls:
        return None
    known = known_marks(table, form)
    texts = [text for mark in table.markers.values() for text in spelt_texts(mark) if "\n" in text]
    if not known.first or any(text in "".join(templates) for text in texts):
        return None
    for text in texts:  # a line break in a mark has to stand there, unlike one between two marks
        literal = text.replace("\n", BREAK)
        before, between, behind = (each.replace(text, literal) for each in form.calls)
        form = replace(form, calls=(before, between, behind))
    lead, found, rest = f"{form.calls[0]}{templates.head}".replace(ID, TOOL).partition(TOOL)
    is_shown = lead.strip() or (form.content is None or form.content[0].strip())
    is_line = "\n" in rest and not templates.parameter  # a name on a line, and an object below it
    if not (found and (is_line or (is_shown and (lead + rest).strip()))):
        return None  # a name alone does not show that a call begins
    if is_line:
        head = templates.head.replace(f"{TOOL}\n", f"{TOOL}{BREAK}")
        templates = templates._replace(head=head)
    if not templates.parameter:
        return _JsonTurns(form, templates, known)
    is_text = f"{KEY}={VALUE}" != templates.parameter.replace('"', "")
    return (_TaggedTurns if is_text else _PythonTurns)(form, templates, known)


def _read_json(written: str) -> Any:
    """Return the value of JSON; `NOTHING` for what a stream may read in another way."""
    try:
        value = as_json(written)
    except ValueError:
        return NOTHING
    return NOTHING if isinstance(value, str) else value
