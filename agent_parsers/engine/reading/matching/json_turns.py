"""Reads turns whose calls have objects in JSON as their inputs."""

from __future__ import annotations

import re
from os.path import commonprefix
from typing import TYPE_CHECKING, ClassVar

from typing_extensions import override

from agent_parsers.engine.reading.matching.plain_text import MOST_DEEP, KnownMarks, is_in_keys
from agent_parsers.engine.reading.matching.turns import MatchedTurns
from agent_parsers.forms.templates import ID, pattern
from outputs.growing_json.scalars import NOTHING
from outputs.growing_json.whole import scan_object

if TYPE_CHECKING:
    from re import Match

    from agent_parsers.engine.reading.turn import PlainCall
    from agent_parsers.forms.form import Form
    from agent_parsers.forms.templates import Templates


class JsonTurns(MatchedTurns):
    """Reads turns whose inputs are JSON objects."""

    has_texts: ClassVar = False

    def __init__(self, form: Form, templates: Templates, known: KnownMarks) -> None:
        head, tail, ids = templates.head, templates.tail, templates.ids
        super().__init__(form, templates, known, ahead="(?={)")
        _, between, behind = form.calls
        end = tail + behind + form.around[1]
        between = "" if form.is_single else tail + between + head
        shared = commonprefix([between, end]) if between else ""
        ends = rf"{pattern(end[len(shared) :], ids)}{self._ends}"
        if between:
            ends = rf"(?:{ends}|{pattern(between[len(shared) :], ids)}(?={{))"
        self._rest = re.compile(pattern(shared, ids) + ends).match
        self._goes_on = bool(between)
        self._has_id = ID in head
        self._has_id_behind = ID in tail

    @override
    def calls_and_content(self, text: str, found: Match[str]) -> tuple[list[PlainCall], str] | None:
        calls: list[PlainCall] = []
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
                return calls, self._behind(rest)
            found = rest
