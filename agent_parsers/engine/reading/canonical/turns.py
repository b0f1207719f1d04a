"""Readers of whole turns of calls that are spelt as their dialect writes them."""

from __future__ import annotations

import os
import re
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple

from typing_extensions import override

from agent_parsers.engine.markers.kinds import label_words, spelt_texts
from agent_parsers.engine.reading.canonical.templates import (
    BLANK,
    ID,
    INPUT,
    KEY,
    TOOL,
    VALUE,
    learn,
    pattern,
)
from outputs.growing_json.scalars import NOTHING
from outputs.growing_json.whole import scan_object

if TYPE_CHECKING:
    from re import Match

    from agent_parsers.engine.grammar.dialect import Dialect
    from agent_parsers.engine.grammar.table import Table
    from agent_parsers.engine.reading.canonical.templates import Templates

__all__ = ["CanonicalTurns", "PlainCall", "PlainTurn", "canonical_turns"]

_MAX_DEPTH: Final = 64
_ODD: Final = "`~<>[{\ufeff\u200b\u2060"
"""Characters that may quote a call, or open one, or that nobody sees."""
_ENDS_ODDLY: Final = re.compile(r"""["'“‘«:：][\s\[\](),;}]*+\Z""").search
"""Finds what, right before a call, may quote or forbid it."""
_KEY: Final = r"[A-Za-z_]\w*+"


class PlainCall(NamedTuple):
    """A call that is spelt as its dialect writes it."""

    tool: str
    tool_input: Any
    id: str | None


class PlainTurn(NamedTuple):
    """A turn that is spelt as its dialect writes it."""

    calls: list[PlainCall]
    thought: str
    content: str
    """The content before the calls."""


class _Marks(NamedTuple):
    """What the markers of a table look like."""

    first: str
    """The characters with which they begin, apart from letters."""
    words: str
    """Pattern for those that begin with a letter; empty if there are none."""


class CanonicalTurns(ABC):
    """Reads turns of calls in one spelling.

    Text that may hold a marker, or that may quote or forbid a call, is left to a stream.
    """

    def __init__(self, templates: Templates, marks: _Marks, lead: str, call: str) -> None:
        odd = re.escape("".join({*marks.first, *_ODD}))
        text = f"[^{odd}]*+"
        lead = lead.lstrip()
        if lead[0].isalpha():  # text must not run into it
            text = rf"(?:[^{odd}{lead[0]}]++|{lead[0]}(?!{re.escape(lead[1:5])}))*+"
        thought = content = ""
        if templates.thought is not None:
            before, after = map(pattern, templates.thought)
            thought = f"(?:{before}(?P<thought>[^{odd}]*+){after})?+"
        if templates.content is not None and not "".join(templates.content).strip():
            content = f"(?P<content>{text})"
        self._lead = re.compile(f"{thought}{content}{call}").match
        self._begins = re.compile(f"[{re.escape(marks.first)}]").search
        self._words = re.compile(marks.words, re.IGNORECASE).search if marks.words else None
        self._has_thought, self._has_content = bool(thought), bool(content)

    def read(self, text: str) -> PlainTurn | None:
        """Return the turn with this *text*; `None` if it is spelt in another way."""
        found = self._lead(text)
        if found is None:
            return None
        thought = (found["thought"] or "").strip() if self._has_thought else ""
        content = found["content"].strip() if self._has_content else ""
        if content and ('"""' in content or "'''" in content or _ENDS_ODDLY(content)):
            return None
        if self._words is not None and (self._words(thought) or self._words(content)):
            return None
        calls = self._calls(text, found)
        return None if calls is None else PlainTurn(calls, thought, content)

    has_texts: ClassVar[bool]
    """Whether values are texts, of which the schema of the tool says the types."""

    @abstractmethod
    def _calls(self, text: str, found: Match[str]) -> list[PlainCall] | None:
        """Return the calls in *text*, of which the part up to the first input was *found*."""

    def _is_name(self, tool: str) -> bool:
        return self._words is None or self._words(tool) is None


class _JsonTurns(CanonicalTurns):
    """Reads turns whose inputs are objects in JSON."""

    has_texts: ClassVar = False

    def __init__(self, templates: Templates, marks: _Marks, pieces: tuple[str, str, str]) -> None:
        lead, between, tail = pieces
        ids = templates.ids
        super().__init__(templates, marks, lead, f"{pattern(lead, ids)}(?={{)")
        shared = os.path.commonprefix([between, tail]) if between else ""  # noqa: RUF071 - so is it meant
        ends = rf"{pattern(tail[len(shared) :], ids)}{BLANK}\Z"
        if between:
            ends = rf"(?:{ends}|{pattern(between[len(shared) :], ids)}(?={{))"
        self._rest = re.compile(pattern(shared, ids) + ends).match
        self._goes_on = bool(between)
        self._has_id = ID in lead
        self._has_id_behind = ID in tail

    @override
    def _calls(self, text: str, found: Match[str]) -> list[PlainCall] | None:
        calls = []
        while True:
            tool, start = found["tool"], found.end()
            tool_input, end = scan_object(text, start, _MAX_DEPTH)
            if tool_input is NOTHING or not self._is_name(tool):
                return None
            if self._begins(text, start, end) and self._is_in_keys(tool_input):
                return None
            rest = self._rest(text, end)
            if rest is None:
                return None
            has_id = found if self._has_id else rest if self._has_id_behind else None
            calls.append(PlainCall(tool, tool_input, has_id and has_id["id"]))
            if not self._goes_on or rest["tool"] is None:
                return calls
            found = rest

    def _is_in_keys(self, value: Any) -> bool:
        """Return whether a marker may begin in a key of *value*."""
        if isinstance(value, dict):
            return any(map(self._begins, value)) or any(map(self._is_in_keys, value.values()))
        return isinstance(value, list) and any(map(self._is_in_keys, value))


class _TaggedTurns(CanonicalTurns):
    """Reads turns whose parameters have marks of their own and plain text as their values."""

    has_texts: ClassVar = True

    def __init__(
        self, templates: Templates, marks: _Marks, pieces: tuple[str, str, str, str, str]
    ) -> None:
        lead, equals, more, between, tail = pieces
        closers = {piece.lstrip()[:1] for piece in (more, between, tail)}
        odd = re.escape("".join({*marks.first, *_ODD, *closers, "\\", "&"}))
        blank = r"[ \t]" if equals.endswith(('"', "'")) else r"\s"
        value = rf"(?P<value>[^{odd}\s]++(?:{blank}++[^{odd}\s]++)*+)"
        one = f"(?P<key>{_KEY}){pattern(equals, last=False)}{value}"
        super().__init__(templates, marks, lead, pattern(lead) + one)
        self._end = re.compile(rf"{pattern(tail, first=False)}{BLANK}\Z").match
        self._more = re.compile(f"{pattern(more, first=False)}{one}").match
        self._next = re.compile(f"{pattern(between, first=False)}{one}").match if between else None

    @override
    def _calls(self, text: str, found: Match[str]) -> list[PlainCall] | None:
        calls = []
        call: Match[str] | None = found
        while call is not None:
            tool, tool_input, end = call["tool"], {}, 0
            if not self._is_name(tool):
                return None
            parameter: Match[str] | None = call
            while parameter is not None:
                if (key := parameter["key"]) in tool_input:
                    return None
                tool_input[key] = parameter["value"]
                end = parameter.end()
                parameter = self._more(text, end)
            calls.append(PlainCall(tool, tool_input, None))
            if self._end(text, end) is not None:
                return calls
            call = None if self._next is None else self._next(text, end)
        return None


def canonical_turns(dialect: Dialect, table: Table) -> CanonicalTurns | None:
    """Return what reads the canonical turns of *dialect*, given the *table* of a mode.

    Returns:
        `None` if the turns that the dialect writes do not show how calls are spelt.
    """
    marks = _marks(table)
    templates = learn(dialect)
    if templates is None or not marks.first:
        return None
    texts = (text for mark in table.markers.values() for text in spelt_texts(mark))
    if any("\n" in text and text in templates.one for text in texts):
        return None  # a line break in a mark has to stand there, unlike one between two marks
    slot = INPUT if INPUT in templates.one else VALUE
    lead, tail = templates.one.split(slot)
    if not lead.partition(TOOL)[0].strip() or TOOL in tail:
        return None  # a name alone does not show that a call begins
    pieces = templates.many.split(slot)
    between = pieces[1] if len(pieces) == 4 else ""
    if between and pieces != [lead, between, between, tail]:
        return None
    if slot == INPUT:
        return _JsonTurns(templates, marks, (lead, between, tail))
    lead, _, equals = lead.partition(KEY)
    twice = re.split(f"[{KEY}{VALUE}]", templates.two_parameters)
    if len(twice) != 5 or [*twice[:2], *twice[3:]] != [lead, equals, equals, tail]:
        return None
    between = between.removesuffix(KEY + equals)
    return _TaggedTurns(templates, marks, (lead, equals, twice[2], between, tail))


def _marks(table: Table) -> _Marks:
    first: set[str] = set()
    words: set[str] = set()
    for marker in table.markers.values():
        for text in filter(None, label_words(marker) or spelt_texts(marker)):
            if text[0].isalnum():
                words.add(text)
            else:
                first.add(text[0])
    return _Marks("".join(sorted(first)), "|".join(map(re.escape, sorted(words))))
