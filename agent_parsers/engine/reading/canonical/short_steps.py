"""Reads short steps that are spelt as the form of their dialect says, in one match.

A step is read here if nothing in it can be anything but what the form says: its texts hold no
character that any other marker needs. All others are left to a `StepReader`, which knows more.
"""

from __future__ import annotations

import re
from contextlib import suppress
from functools import lru_cache, partial
from itertools import repeat
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.engine.reading.canonical.columns import objects_in
from agent_parsers.engine.reading.canonical.plain_text import (
    MOST_DEEP,
    WORD,
    is_in_keys,
    known_marks,
)
from agent_parsers.engine.reading.canonical.step_forms import (
    FENCE,
    ends_lines,
    escaped,
    has_json,
    is_called_answer,
    json_call,
    line_without,
    lines_of,
    may_lack_label,
    may_lack_lead,
    odd_in,
)
from agent_parsers.engine.reading.rules.foreign import may_be_foreign, may_be_foreign_in
from agent_parsers.engine.reading.rules.known_tools import known_tools, names_of
from agent_parsers.engine.repairs.dressing import may_be_dressed_in
from agent_parsers.engine.repairs.inputs import repair_input
from agent_parsers.engine.repairs.payloads import BadPayload, as_written
from outputs.growing_json.scalars import NOTHING
from outputs.growing_json.whole import whole_object, whole_objects

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from re import Match

    from agent_parsers.engine.reading.rules.machine import Machine
    from agent_parsers.events import Repair
    from agent_parsers.forms.form import Form
    from agent_parsers.toolset import ToolSet

LONGEST: Final = 400
"""Up to how many characters one match is faster than a search for each character."""
_IS_BARE: Final = re.compile(r"\w|\w[^\n]*[\w.?!)]").fullmatch
"""Matches a text from which nothing is taken off."""
END: Final = "\n\0"
"""What stands behind each of many steps in one text."""


def short_steps(machine: Machine, is_plain: Callable[[str], bool]) -> ShortSteps | None:
    """Return the reader of a machine's short steps; `None` if its form does not show how they are.

    The arguments are those of `StepReader`.
    """
    form = machine.dialect.form
    if form is None or form.own is not None or form.call.parameters is not None:
        return None
    return ShortSteps(machine, form, is_plain)


class ShortSteps:
    """Reads short steps with one action, or an answer, in the spelling of their form.

    Args:
        machine: The machine of the dialect.
        form: How its dialect spells steps.
        is_plain: Returns whether a name of a tool is read as it is written.
    """

    def __init__(self, machine: Machine, form: Form, is_plain: Callable[[str], bool]) -> None:
        self._machine = machine
        self.half_stops = machine.half_stops
        self._half_ends = {half[-1] for half in self.half_stops}
        self._own_tool = form.own_tool
        self.reads_name = not form.own_tool
        self.answer_name = form.answer if isinstance(form.answer, str) else ""
        self._is_answer = is_answer = lru_cache(256)(partial(is_called_answer, machine, form))
        self._is_tool = lru_cache(256)(lambda tool: is_plain(tool) and not is_answer(tool))
        self._has_json = has_json(form)
        # Then an object in JSON, which has no backtick, is an input as it is written.
        self._leaves_objects = machine.read_input is repair_input and not self._has_json
        self._has_reader = machine.table.new_call is not None
        self._keeps_input_end = machine.table.keeps_input_end
        self.keeps_answer_space = machine.table.keeps_answer_space
        opens = [f"{form.calls[0]}{form.call.text}".partition("{")[0]]
        if isinstance(form.answer, tuple):
            opens.append(form.answer[0])
        self._begins = [f"{form.thought[1]}{each}" for each in opens] if form.thought else []
        self._may_lack_label = may_lack_label(form)
        if self._may_lack_label:
            opens.append("```")
        known = known_marks(machine.table, form)
        self._begins_mark = known.begins
        self._odd = odd_in(machine, known, form)
        line = line_without(self._odd)
        stops = "|".join(re.escape(each[:WORD]) for each in opens)
        break_ = "" if ends_lines(machine) else rf"\n(?![{{]|{stops})"
        text = said = lines_of(line, break_)
        self._never_thought = ["\n{"]
        self._lead, self._closer = form.thought or ("", "")
        if self._closer == " ":  # a result begins behind the thought, on the same line
            self._lead = self._lead.rstrip()
            self._never_thought += (each[:WORD] for each in opens)
            first = {each[0] for each in opens}
            begun = rf"\ (?!{stops})|(?!{stops})[{re.escape(''.join(sorted(first)))}]"
            begun = f"{begun}|{break_}" if break_ else begun
            said = rf"(?=\ ){lines_of(line_without((*self._odd, ' ', *first)), begun)}"
        self._may_lack_lead = may_lack_lead(machine, form)
        lead = f"(?:{escaped(self._lead)}){'?+' if self._may_lack_lead else ''}"
        thought = ""
        if form.thought is not None:
            said = f"(?!```){said}" if self._may_lack_label else said
            thought = f"{lead}(?P<thought>{said}){escaped(self._closer)}"
        results = [self._call(form)]
        if isinstance(form.answer, tuple):
            before, after = map(escaped, form.answer)
            results.append(rf"{before}(?P<answer>{text}){after}\Z")
        before = f"(?>(?:{thought})?)" if thought and not form.no_thought else thought
        result = f"(?:{'|'.join(results)})"
        whole = re.compile(f"{before}{result}")
        self.match = whole.match
        empty = "(?P<thought>)" if thought else ""  # so that all have the same groups
        self._match_after = re.compile(f"{empty}{result}").match
        self.groups: tuple[str, ...] = tuple(whole.groupindex)
        self.split = self._splitter(form, lead, stops) if break_ else None
        """Splits many steps into their groups, with nothing before those of each. There is `END`
        behind each step. Any text may stand in a step, odd or not."""
        self.odd: dict[str, Sequence[str]] = {"thought": self._odd, "answer": self._odd}
        """What makes the text of a group odd."""
        if not self._has_json:
            self.odd |= {"tool": (*self._odd, "["), "input": self._odd}

    def _call(self, form: Form) -> str:
        """Return a pattern for a call, whose input may be an object in JSON if there are braces."""
        if (call := json_call(form, r"(?s:.*)")) is not None:
            return rf"{call}\Z"
        head, _, tail = f"{form.calls[0]}{form.call.text}".partition("{input}")
        end = escaped(tail)
        if tail and tail == self._machine.dialect.closer:
            end = f"(?>(?:{end})?)"  # a stop sequence may have removed it
        tool = rf"(?P<tool>[^{re.escape(''.join(self._odd))}\n\[]++)"
        head = escaped(head).replace(r"\{tool\}", tool)
        line = lines_of(line_without((*self._odd, *tail[:1])), r'(?<="):')
        return rf"{head}(?P<input>{line}){end}\Z"

    def _splitter(
        self, form: Form, lead: str, stops: str
    ) -> Callable[[str], list[str | None]] | None:
        """Return `split`, given patterns for the *lead* and for what *stops* a thought."""
        tail = form.call.text.partition("{input}")[2]
        if form.thought is None or form.no_thought or self._closer != "\n":
            return None
        if not isinstance(form.answer, tuple) or form.answer[1] or (tail and not self._has_json):
            return None
        # A dot stops at the line break of the end, and no line begins at the character behind it.
        text = lines_of(".", rf"\n(?![{{\0]|{stops})")
        call = json_call(form, r"[^\0]*")  # which takes the line break as well
        if call is None:
            head = escaped(f"{form.calls[0]}{form.call.text}".partition("{input}")[0])
            call = head.replace(r"\{tool\}", "(?P<tool>.++)") + r"(?P<input>.*+)\n"
        answer = rf"{escaped(form.answer[0])}(?P<answer>{text})\n"
        step = rf"(?>(?:{lead}(?P<thought>{text})\n)?)(?:{call}|{answer})"
        return re.compile(rf"(?:{step}|[^\0]*+)\0").split

    def _match_long(self, text: str) -> Match[str] | None:
        """Return the match of the action or answer of a long step."""
        at = self._begin(text)
        return None if at < 0 else self._match_after(text, at)

    def _begin(self, text: str) -> int:
        """Return where the action or answer of a long step begins, after its thought; or -1."""
        end = len(text) - LONGEST
        at = max((text.rfind(each, end) for each in self._begins), default=-1)
        if at < 0 and self._may_lack_label:
            at = text.rfind(f"{self._closer}{FENCE}", end)
        has_lead = text.startswith(self._lead)
        if at < 0 or not (has_lead or self._may_lack_lead):
            return -1
        thought = text[len(self._lead) * has_lead : at]
        if any(map(thought.__contains__, self._odd)):
            return -1
        # A search for one character takes a hundredth of the time of a search for several.
        is_odd = any(
            each[-1] in thought
            and thought.count(each[-1]) >= each.count(each[-1])
            and each in thought
            for each in self._never_thought
        )
        return -1 if is_odd else at + len(self._closer)

    def read(
        self, text: str, tools: ToolSet | Collection[str] | None, repairs: list[Repair]
    ) -> tuple[Match[str], str, Any] | None:
        """Return a step as its match, its tool and its input; for an answer, without a tool.

        It is `None` if only a `StepReader` or a stream can read it.

        Args:
            text: The whole step.
            tools: The available tools, or only their names.
            repairs: Repairs of the step are appended to this list, without their places in it.
        """
        if ('"' in text and '"""' in text) or ("'" in text and "'''" in text):
            return None
        if text[-1:] in self._half_ends and text.endswith(self.half_stops):
            return None
        found = self.match(text) if len(text) <= LONGEST else self._match_long(text)
        if found is None:
            return None
        if found.lastgroup == "answer":
            answer = self.answer(self.content(found), tools, repairs)
            return None if answer is None else (found, "", answer)
        tool = found["tool"].strip() if self.reads_name else self.only_tool(tools)
        if tool and tool == self.answer_name:
            answer = self._json_answer(found, tools)
            return None if answer is None else (found, "", answer)
        if not self.takes(tool, tools):
            return None
        said = found["text"] if self._has_json else None
        known = None if tools is None else known_tools(tools)
        try:
            value = self.value(found["input"], said, tool, known, repairs)
        except BadPayload:
            return None
        return None if value is NOTHING else (found, tool, value)

    def _json_answer(
        self, found: Match[str], tools: ToolSet | Collection[str] | None
    ) -> str | None:
        """Return the answer of a step whose tool says that its input is one, if that is a text."""
        said = found["text"] if self._has_json else None
        if not said or said != said.strip() or not self._machine.keeps_answer(said, tools):
            return None
        return said

    def groups_of(self, text: str) -> tuple[str | None, ...]:
        """Return the groups of the match of a step; all are `None` if there is no match."""
        found = self.match(text) if len(text) <= LONGEST else self._match_long(text)
        if found is None:
            return (None,) * len(self.groups)
        groups: tuple[str | None, ...] = found.groups()
        return (self.thought(text, found), *groups[1:]) if found.start() else groups

    def takes(self, tool: str, tools: ToolSet | Collection[str] | None) -> bool:
        """Return whether a step may call this *tool*."""
        if tools is None:
            return self._is_tool(tool)
        return tool in tools and not self._is_answer(tool)

    def value(
        self,
        written: str,
        said: str | None,
        tool: str,
        tools: ToolSet | None,
        repairs: list[Repair],
    ) -> Any:
        """Return the input of a step; `NOTHING` if a stream has to say it.

        Args:
            written: The input as it is written, unless it is a text in JSON.
            said: That text; else `None`.
            tool: The tool.
            tools: The available tools.
            repairs: As for `read`.

        Raises:
            BadPayload: A stream has to say it.
        """
        known = tools if tools is not None and tools.checks(tool) else None
        if known is not None and self._leaves_objects:
            trimmed = written.strip()
            plain = known.read_plain(tool, trimmed) if trimmed.startswith("{") else None
            if plain is not None:
                self._machine.check_filled(tool, plain[0], (0, 0), known)
                return plain[0]
        if said is not None:
            value: Any = said
        elif self._has_json:
            value = self._object(written)
        elif self._has_reader:  # which may take off more than white space
            value = written if _IS_BARE(written) else NOTHING
        else:
            trimmed = written.lstrip() if self._keeps_input_end else written.strip()
            value = self._machine.read_input(trimmed, repairs)
        if known is None or value is NOTHING:
            return value
        return self._machine.taken(tool, value, (0, 0), known, repairs)

    def _object(self, written: str) -> Any:
        """Return the object that is written in JSON; `NOTHING` if a stream has to say it."""
        value = whole_object(written, MOST_DEEP)
        is_marked = value is not NOTHING and self._begins_mark(written) is not None
        return NOTHING if is_marked and is_in_keys(self._begins_mark, value) else value

    def plain_inputs(
        self, written: Sequence[str], texts: Sequence[str | None] | None
    ) -> Sequence[Any] | None:
        """Return the inputs of many steps; `None` if only `value` reads them.

        An input is `NOTHING` if it is repaired, or if a stream has to say it.

        Args:
            written: How they are written.
            texts: Those that are texts in JSON; `None` if inputs are not in JSON.
        """
        if texts is not None:
            pairs = zip(objects_in(written, self._begins_mark), texts, strict=True)
            return [each if text is None else text for each, text in pairs]
        if self._has_reader:
            return None
        read_input = self._machine.read_input
        repairs: list[Repair] = []
        inputs: list[Any]
        trimmed = [*map(str.lstrip if self._keeps_input_end else str.strip, written)]
        objects: list[Any] = []
        if self._leaves_objects:
            if not may_be_dressed_in(trimmed):
                return [*map(str.strip, trimmed)] if self._keeps_input_end else trimmed
            objects = whole_objects([each for each in trimmed if each[:1] == "{"], MOST_DEEP)
            if len(objects) == len(trimmed) and {*map(type, objects)} == {dict}:
                return trimmed
        if not objects:
            with suppress(BadPayload):
                inputs = [*map(read_input, trimmed, repeat(repairs))]
                if not repairs:
                    return inputs
        rest = iter(objects)
        repairs.clear()
        inputs = []
        for each in trimmed:
            value: Any = NOTHING
            if objects and each[:1] == "{" and next(rest) is not NOTHING:
                value = each
            else:
                with suppress(BadPayload):
                    value = read_input(each, repairs)
            if repairs:
                repairs.clear()
                value = NOTHING
            inputs.append(value)
        return inputs

    def plain_answers(
        self, contents: Sequence[str], tools: ToolSet | Collection[str] | None
    ) -> Sequence[Any] | None:
        """Return the answers with these *contents*; `None` if one of them is repaired or odd."""
        machine = self._machine
        is_odd = self.keeps_answer_space or not all(contents)
        if is_odd or (machine.lenient and may_be_foreign_in(contents, names_of(tools))):
            return None
        read = machine.read_answer
        repairs: list[Repair] = []
        answers = contents if read is as_written else [*map(read, contents, repeat(repairs))]
        is_kept = tools is None or all(machine.keeps_answer(each, tools) for each in answers)
        return None if repairs or not is_kept else answers

    def thought(self, text: str, found: Match[str]) -> str:
        """Return the thought of a step, given its match."""
        if not self._begins:
            return ""
        if not (end := found.start()):
            return (found["thought"] or "").strip()
        start = len(self._lead) if text.startswith(self._lead) else 0
        return text[start : end - len(self._closer)].strip()

    def content(self, found: Match[str]) -> str:
        """Return the answer of a step as it is written, given its match."""
        answer = found["text" if self.answer_name else "answer"]
        return answer if self.keeps_answer_space else answer.strip()

    def only_tool(self, tools: ToolSet | Collection[str] | None) -> str:
        """Return the name of the only tool, which is not written."""
        names = None if tools is None else [*names_of(tools)]
        read_tool = self._machine.table.read_tool
        own = self._own_tool
        return own if read_tool is None else read_tool(own, names, []).tool

    def answer(
        self, written: str, tools: ToolSet | Collection[str] | None, repairs: list[Repair]
    ) -> Any:
        """Return the answer that is *written* in a step; `None` if a stream has to say it."""
        machine = self._machine
        if not written.strip() or (machine.lenient and may_be_foreign(written, names_of(tools))):
            return None
        answer = machine.read_answer(written, repairs)
        return answer if machine.keeps_answer(answer, tools) else None
