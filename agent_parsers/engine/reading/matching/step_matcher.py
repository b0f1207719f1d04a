"""Reads steps that are spelt as the form of their dialect says, in one match.

Only unambiguous steps are read here: no part may be a marker, or hide one. All others need a
stream.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Final

from typing_extensions import override

from agent_parsers.actions.agent import make_action, make_finish
from agent_parsers.engine.markers.kinds import label_words
from agent_parsers.engine.reading.matching.matcher import Matcher, PlainStep
from agent_parsers.engine.reading.matching.plain_names import plain_names
from agent_parsers.engine.reading.matching.plain_text import MOST_DEEP, is_in_keys, known_marks
from agent_parsers.engine.reading.matching.step_pattern import StepPattern, is_called_answer
from agent_parsers.engine.reading.matching.turns import ends_oddly
from agent_parsers.engine.reading.quoting.marks import may_have_mark, may_quote
from agent_parsers.engine.reading.quoting.quotations import enclosing
from agent_parsers.engine.reading.rules.foreign import may_be_foreign
from agent_parsers.engine.reading.rules.known_tools import known_tools, names_of
from agent_parsers.engine.reading.turn import PlainTurn
from agent_parsers.engine.repairs.dressing import is_plain_object, may_be_dressed
from agent_parsers.engine.repairs.inputs import repair_input
from agent_parsers.engine.repairs.payloads import BadPayload
from outputs.growing_json.scalars import NOTHING
from outputs.growing_json.whole import whole_object

if TYPE_CHECKING:
    from collections.abc import Callable
    from re import Match

    from agent_parsers.actions.agent import AgentAction, AgentFinish
    from agent_parsers.engine.reading.rules.known_tools import KnownTools
    from agent_parsers.engine.reading.rules.machine import Machine
    from agent_parsers.events import Repair
    from agent_parsers.forms.form import Form
    from agent_parsers.toolset import ToolSet

_IS_BARE: Final = re.compile(r"\w|\w[^\n]*[\w.?!)]").fullmatch
"""Matches text that is read unchanged."""


def _is_plain(text: str) -> bool:
    """Return whether *text* is an input that is read unchanged: words, or an object in JSON."""
    return is_plain_object(text) if may_be_dressed(text) else not may_have_mark(text)


def _unescaped(said: str) -> str:
    """Return a text that is written in JSON."""
    return json.loads(f'"{said}"') if "\\" in said else said


def _moved(repairs: list[Repair], found: Match[str]) -> list[Repair]:
    """Return *repairs* of an input with their places in the step that was *found*."""
    at = found.end("input") - len(found["input"].lstrip())
    return [repair.moved(at) for repair in repairs]


def step_matcher(machine: Machine) -> StepMatcher | None:
    """Return a matcher for a machine's steps; `None` if its dialect does not declare their form."""
    form = machine.dialect.form
    if form is None or form.own is not None or form.call.parameters is not None:
        return None
    words = (each for marker in machine.table.markers.values() for each in label_words(marker))
    return StepMatcher(machine, form) if all(map(_is_worded, words)) else None


def _is_worded(label: str) -> bool:
    """Return whether the words of a *label* begin and end with letters, and have no number."""
    return label[:1].isalpha() and label[-1:].isalpha() and not any(map(str.isdigit, label))


class StepMatcher(Matcher):
    """Reads steps with one action, or an answer, that are spelt exactly as in their *form*."""

    def __init__(self, machine: Machine, form: Form) -> None:
        self._machine = machine
        known = known_marks(machine.table, form)
        self.pattern = pattern = StepPattern(machine, form, known)
        self._match = pattern.match
        self._half_ends = machine.half_ends
        self._last_chars = frozenset(each[-1] for each in machine.half_ends)
        self._own_tool = form.own_tool
        self._answer_name = form.answer if isinstance(form.answer, str) else ""
        is_answer = lru_cache(256)(partial(is_called_answer, machine, form))
        self._is_answer: Callable[[str], bool] = is_answer
        is_plain = plain_names(machine)
        self._is_tool = lru_cache(256)(lambda tool: is_plain(tool) and not is_answer(tool))
        self._has_json = pattern.has_json
        # Then an object in JSON, which has no backtick, is an input as it is written.
        self._leaves_objects = machine.read_input is repair_input and not self._has_json
        self._has_reader = machine.table.new_call is not None
        self._reads_calls = self._has_json or self._has_reader
        self._has_thoughts = form.thought is not None
        self._may_be_enclosed = machine.lenient and not self._has_json
        self._begins_mark = known.begins
        self._label = form.call.text.partition("{")[0].partition("\n")[0].rstrip()
        # Then a step ends with its input, or with its answer.
        ends_in_input = form.call.text.endswith("{input}")
        self._is_labelled = ends_in_input and not form.own_tool
        self._not_inputs = machine.not_inputs if ends_in_input else ()

    @override
    def may_call(self, text: str) -> bool:
        return self._label in text

    @override
    def result(
        self, text: str, tools: KnownTools, *, is_exact: bool = False
    ) -> AgentAction | AgentFinish | None:
        repairs: list[Repair] = []
        step = self.match(text, tools, repairs)
        if step is None or (is_exact and repairs):
            return None
        _, tool, value = step
        return make_action(tool, value, text) if tool else make_finish(value, text)

    @override
    def read(self, text: str, tools: KnownTools) -> PlainTurn | None:
        repairs: list[Repair] = []
        if (step := self.match(text, tools, repairs)) is None:
            return None
        found, tool, value = step
        thought = self.pattern.thought(text, found)
        if tool:
            return PlainTurn([(tool, value, None)], thought, "", None, repairs)
        return PlainTurn([], thought, self._content(found), value, repairs)

    @override
    def step(self, text: str, tools: KnownTools, at: int = 0) -> PlainStep | None:
        repairs: list[Repair] = []
        step = self.match(text, tools, repairs) if self._is_labelled else None
        if step is None or repairs:
            return None
        found, tool, value = step
        (start, stop), (begin, end) = self.pattern.spans(text, found)
        return PlainStep(
            text[start:stop],
            (at + start, at + stop) if start < stop else None,
            make_action(tool, value, text) if tool else make_finish(value, text),
            (at + begin, at + end),
        )

    @override
    def result_of(self, turn: PlainTurn, text: str) -> AgentAction | AgentFinish:
        if not turn.calls:
            return make_finish(turn.answer, text)
        ((tool, tool_input, _),) = turn.calls
        return make_action(tool, tool_input, text)

    def match(
        self, text: str, tools: KnownTools, repairs: list[Repair]
    ) -> tuple[Match[str], str, Any] | None:
        """Return a step as a tuple: match, tool and input; for an answer, the tool is empty.

        Return `None` if only a stream can read the step. What is repaired in it is added to
        *repairs*.
        """
        if ('"' in text and '"""' in text) or ("'" in text and "'''" in text):
            return None
        if text[-1:] in self._last_chars and text.endswith(self._half_ends):
            return None
        if (found := self._match(text)) is None:
            return None
        if found.lastgroup == "answer":
            answer = self._answer(found, tools)
            return None if answer is None else (found, "", answer)
        if self._reads_calls and (said := self.pattern.thought(text, found)) and ends_oddly(said):
            return None  # it may forbid the call
        tool = self._only_tool(tools) if self._own_tool else found["tool"].strip()
        if tool and tool == self._answer_name:
            answer = self._named_answer(found, tools)
            return None if answer is None else (found, "", answer)
        if not (self._is_tool(tool) if tools is None else tool in tools):
            return None
        if self._may_be_enclosed and self._is_enclosed(text, found):
            return None
        if tools is not None and self._is_answer(tool):
            return None
        if tools is not None and any(label in (found["input"] or "") for label in self._not_inputs):
            return None
        try:
            value = self._value(found, tool, None if tools is None else known_tools(tools), repairs)
        except BadPayload:
            return None
        return None if value is NOTHING else (found, tool, value)

    def _is_enclosed(self, text: str, found: Match[str]) -> bool:
        """Return whether a quotation opens before the action and closes in its input."""
        written = found["input"]
        if written.replace(" ", "").isalnum():  # most are words
            return False
        start = found.start()
        if not start and self._has_thoughts:
            start = max(found.end("thought"), 0)
        begins_line = text[start] == "\n" and not text[start + 1].isspace()
        written = written.strip()
        is_object = written[:1] == "{" and written[-1:] == "}"
        if begins_line and (is_object or "\n" not in written) and not may_quote(text, start):
            return False
        behind = found.start("input")
        end = behind if self._own_tool else found.end("tool")
        return start > 0 and enclosing(text, (start, end), behind) is not None

    def _value(
        self, found: Match[str], tool: str, tools: ToolSet | None, repairs: list[Repair]
    ) -> Any:
        """Return the input of the step *found*, or `NOTHING` if only the stream can read it.

        Raises:
            BadPayload: A stream has to say it.
        """
        machine, written = self._machine, found["input"]
        trimmed = "" if written is None else written.strip()
        if not (trimmed or self._has_json) and found.end("input") == len(found.string):
            return NOTHING  # only how the text ended says whether it is missing
        known = tools if tools is not None and tools.checks(tool) else None
        if known is not None and self._leaves_objects:
            plain = known.read_plain(tool, trimmed) if trimmed.startswith("{") else None
            if plain is not None:
                machine.check_filled(tool, plain[0], (0, 0), known)
                return plain[0]
        made: list[Repair] = []
        if self._has_json:
            said = found["text"]
            value: Any = self._object(written) if said is None else self._passed_on(said)
        elif self._has_reader:  # which may take off more than white space
            value = written if _IS_BARE(written) else NOTHING
        elif self._leaves_objects and _is_plain(trimmed):
            value = trimmed
        else:
            value = machine.read_written(
                written.lstrip() if self.pattern.keeps_input_end else trimmed, made
            )
            if made:
                repairs += _moved(made, found)
        if known is None or value is NOTHING:
            return value
        made = []
        value = machine.taken(tool, value, (0, len(trimmed)), known, made)
        if made and (self._has_json or self._has_reader):
            return NOTHING  # a stream knows where they are
        if made:
            repairs += _moved(made, found)
        return value

    def _object(self, written: str) -> Any:
        """Return the object in JSON, or `NOTHING` if only the stream can read it."""
        value = whole_object(written, MOST_DEEP)
        is_marked = value is not NOTHING and self._begins_mark(written) is not None
        return NOTHING if is_marked and is_in_keys(self._begins_mark, value) else value

    @staticmethod
    def _passed_on(said: str) -> Any:
        """Return the text that is *said* in JSON; `NOTHING` if it may hold JSON itself."""
        text = _unescaped(said)
        return NOTHING if text is not said and text.lstrip()[:1] in ("{", "[") else text

    def _named_answer(self, found: Match[str], tools: KnownTools) -> str | None:
        """Return the input of a step whose tool name marks an answer, if it is a string."""
        said = self._content(found)
        if not said or said != said.strip() or not self._machine.keeps_answer(said, tools):
            return None
        return said

    def _content(self, found: Match[str]) -> str:
        """Return the answer of a step as it is written, given its match."""
        if self._answer_name:
            said: str | None = found["text" if self._has_json else "input"]
            return _unescaped(said or "") if self._has_json else said or ""
        answer: str = found["answer"]
        return answer if self._machine.table.keeps_answer_space else answer.strip()

    def _only_tool(self, tools: KnownTools) -> str:
        """Return the name of the only tool, which is not written."""
        names = None if tools is None else [*names_of(tools)]
        read_tool = self._machine.table.read_tool
        own = self._own_tool
        return own if read_tool is None else read_tool(own, names, []).tool

    def _answer(self, found: Match[str], tools: KnownTools) -> Any:
        """Return the answer that is written in a step, or `None` if only the stream can read it."""
        machine, written = self._machine, self._content(found)
        if not written.strip() or (machine.lenient and may_be_foreign(written, names_of(tools))):
            return None
        made: list[Repair] = []
        answer = machine.read_answer(written, made)
        if made or not machine.keeps_answer(answer, tools):
            return None
        return answer
