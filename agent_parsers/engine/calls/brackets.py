"""Call reader for calls in brackets, as the ReAct paper writes them: ``Search[entity]``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from typing_extensions import override

from agent_parsers.engine.calls.reader import Call, CallsReader
from agent_parsers.engine.repairs.names import read_python_call
from agent_parsers.events import (
    AnswerDelta,
    Event,
    InputDelta,
    MarkerSeen,
    Repair,
    SkippedDelta,
    ToolNamed,
)

if TYPE_CHECKING:
    from collections.abc import Container

__all__ = ["BracketCall"]

_BRACKETS: Final = re.compile(r"[\[\]]")
_DRESSING: Final = "`*\"'"


class BracketCall(CallsReader):
    """Reads ``Search[entity]``, as the ReAct paper writes it.

    The entity is read verbatim and may contain brackets. The call ends on the line on which the
    brackets balance. If that line ends in a ``]``, the call ends there (``Search[a] or [b]``
    searches for ``a] or [b``, as in the paper's own code); otherwise it ends where the brackets
    balance. If they never balance, the call ends with the text, provided that the last character
    is a closing bracket.

    Args:
        answers: Names, in lower case, of the tools whose input is the final answer.
        lenient: Whether to remove marks before the name (`` `Search[entity]` ``) and to accept a
            call in parentheses (``Search("entity")``).
    """

    def __init__(self, answers: Container[str] = (), *, lenient: bool = False) -> None:
        super().__init__(self._read_name, lenient=lenient)
        self._answers = answers
        self._name: list[str] = []
        self._tool = ""
        self._delta: type[InputDelta | AnswerDelta] = InputDelta
        self._depth = 0
        self._entity: list[str] = []
        self._input_at = self._input_end = -1  # where the entity stands
        self._held: list[str] = []  # text from a bracket that may be the last one
        self._end = -1
        self._after = -1

    @property
    @override
    def rest_at(self) -> int:
        return self._after

    @override
    def _finish(self, events: list[Event]) -> list[Call]:
        problem = ""
        is_open = self._step != self._read_after  # still on its last line, which may go on
        if self._step == self._read_name and self._lenient and self._name:
            self._read_parentheses("".join(self._name), events)
        if self._step in (self._read_name, self._read_no_call):
            problem = "no_call"
            self._emit("".join(self._name), SkippedDelta, events)
        elif self._step == self._read_entity and not self._held:
            problem = "open_call"
        elif self._step == self._read_entity:
            self._close_bracket("]", events)
        elif self._step == self._read_line:
            self._end_line(events)
        if not problem and not self._tool:
            problem = "no_tool"
        call = Call(
            tool=self._tool,
            tool_input="".join(self._entity),
            span=(self._start, self._at if self._end < 0 else self._end),
            tool_span=(self._start, self._start + len(self._tool)),
            is_answer=self._delta is AnswerDelta,
            problem=problem,
            after=(self._after, self._at) if self._after >= 0 else None,
            input_span=(self._input_at, self._input_end) if self._input_at >= 0 else None,
            lacks="closer" if is_open and not problem else "",
        )
        return [call]

    def _read_name(self, text: str, events: list[Event]) -> str:
        name, bracket, rest = text.partition("[")
        self._name.append(name)
        if not bracket:
            return ""
        written = "".join(self._name)
        if len(written.strip().splitlines()) > 1:  # the bracket belongs to something else
            self._step = self._read_no_call
            return bracket + rest
        if self._lenient:
            written = self._undress(written, events)
        self._tool = written.rstrip()
        if self._tool.lower() in self._answers:
            self._delta = AnswerDelta
            self._emit(written + "[", MarkerSeen, events, "finish")
        else:
            self._emit(self._tool, ToolNamed, events)
            self._emit(written[len(self._tool) :] + "[", MarkerSeen, events, "[")
        self._depth = 1
        self._step = self._read_entity
        self._input_at = self._input_end = self._at
        return rest

    def _undress(self, written: str, events: list[Event]) -> str:
        """Remove the marks at the beginning of the name as *written*."""
        name = written.lstrip(_DRESSING)
        if len(name) < len(written):
            self._emit(written[: -len(name)] if name else written, MarkerSeen, events, "dressing")
            span = (self._start, self._at)
            events.append(Repair("tool_name", span, "took off the marks before the name"))
            self._start = self._at
        return name

    def _read_parentheses(self, written: str, events: list[Event]) -> None:
        """Read a call in parentheses, if *written* is one and has a single argument."""
        call = read_python_call(written)
        if call is None:
            return
        self._tool, value = call
        if isinstance(value, dict) and len(value) == 1:
            (value,) = value.values()
        if not isinstance(value, str):
            return
        is_answer = self._tool.lower() in self._answers
        head = written[: written.index("(") + 1]
        inner = written[len(head) : -1]
        span = (self._at, self._at + len(written))
        if not is_answer:
            self._emit(self._tool, ToolNamed, events)
            head = head[len(self._tool) :]
        self._emit(head, MarkerSeen, events, "finish" if is_answer else "[")
        self._delta = AnswerDelta if is_answer else InputDelta
        self._input_at = self._at
        self._emit(inner, self._delta, events)
        self._input_end = self._at
        self._emit(")", MarkerSeen, events, "]")
        self._entity = [value]
        self._end = self._at
        self._step = self._read_after
        events.append(Repair("parentheses", span, "read a call in parentheses"))

    def _read_no_call(self, text: str, _events: list[Event]) -> str:
        self._name.append(text)
        return ""

    def _read_entity(self, text: str, events: list[Event]) -> str:
        if self._held:  # the bracket that ended the last piece was not the last one
            self._take("]", events)
            self._held = []
        for bracket in _BRACKETS.finditer(text):
            self._depth += 1 if bracket[0] == "[" else -1
            if not self._depth:
                self._take(text[: bracket.start()], events)
                self._step = self._read_line
                return text[bracket.start() :]
        if text[-1] == "]":
            self._held = ["]"]
            text = text[:-1]
        self._take(text, events)
        return ""

    def _read_line(self, text: str, events: list[Event]) -> str:
        line, newline, _ = text.partition("\n")
        self._held.append(line)
        if not newline:
            return ""
        self._end_line(events)
        return text[len(line) :]

    def _read_after(self, text: str, events: list[Event]) -> str:
        if self._after < 0:
            self._after = self._at + len(text) - len(text.lstrip())
        self._emit(text, SkippedDelta, events)
        return ""

    def _end_line(self, events: list[Event]) -> None:
        line = "".join(self._held)
        self._step = self._read_after
        if line.rstrip()[-1] == "]":
            last = line.rindex("]")
            self._take(line[:last], events)
            self._close_bracket(line[last:], events)
        else:
            self._close_bracket("]", events)
            self._read_after(line[1:], events)

    def _close_bracket(self, text: str, events: list[Event]) -> None:
        self._end = self._at + 1
        self._emit(text, MarkerSeen, events, "]")

    def _take(self, text: str, events: list[Event]) -> None:
        if text:
            self._entity.append(text)
            self._emit(text, self._delta, events)
            self._input_end = self._at
