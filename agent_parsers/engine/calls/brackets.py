"""Call reader for calls in brackets, as the ReAct paper writes them: ``Search[entity]``."""

from __future__ import annotations

import re
from collections.abc import Container
from typing import Final

from typing_extensions import override

from agent_parsers.engine.calls.reader import Call, CallsReader
from agent_parsers.engine.repairs.names import read_python_call
from agent_parsers.engine.repairs.payloads import BadPayload
from agent_parsers.events import AnswerDelta, Event, InputDelta, MarkerSeen, Repair, ToolNamed
from outputs.growing_json.kept_text import KeptText
from outputs.growing_json.lenient.json_text import begins_object

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
        self._depth = 0  # how many brackets are open
        self._entity = KeptText()
        self._held = KeptText()  # text from a bracket that may be the last one
        self._after = -1  # where other text begins
        self._call = Call("", "", (-1, -1), (-1, -1), problem="no_call")

    @property
    @override
    def rest_at(self) -> int:
        return self._after

    @property
    def _delta(self) -> type[AnswerDelta | InputDelta]:
        return AnswerDelta if self._call.is_answer else InputDelta

    # -- steps, in order --------------------------------------------------------------------------

    def _read_name(self, text: str, events: list[Event]) -> str:
        name, bracket, rest = text.partition("[")
        self._name.append(name)
        if not bracket:
            return ""
        written = "".join(self._name)
        if len(written.strip().splitlines()) > 1:  # the bracket belongs to something else
            self._step = self._skip
            return written + bracket + rest
        if self._lenient:
            written = self._undress(written, events)
        self._open(written.rstrip(), written + "[", events)
        self._depth = 1
        self._step = self._read_entity
        return rest

    def _undress(self, written: str, events: list[Event]) -> str:
        """Remove the marks at the beginning of the name as *written*."""
        name = written.lstrip(_DRESSING)
        if len(name) < len(written):
            self._emit(written[: -len(name)] if name else written, MarkerSeen, events, "dressing")
            span = (self._start, self._at)
            events.append(Repair("tool_name", span, "removed quotes or emphasis before the name"))
            self._start = self._at
        return name

    def _open(self, tool: str, head: str, events: list[Event]) -> None:
        """Emit the *head* of the call, which is the name of the *tool* with its bracket."""
        call = self._call
        call.tool, call.is_answer = tool, tool.lower() in self._answers
        call.problem = "" if tool else "no_tool_name"
        call.tool_span = (self._at, self._at + len(tool))
        if not call.is_answer:
            self._emit(tool, ToolNamed, events)
            head = head[len(tool) :]
        self._emit(head, MarkerSeen, events, "finish" if call.is_answer else "[")
        call.input_span = (self._at, self._at)

    def _read_entity(self, text: str, events: list[Event]) -> str:
        self._take(self._take_held(), events)  # it was not the last bracket
        for bracket in _BRACKETS.finditer(text):
            self._depth += 1 if bracket[0] == "[" else -1
            if not self._depth:
                self._take(text[: bracket.start()], events)
                self._step = self._read_line
                return text[bracket.start() :]
        if text[-1] == "]":
            self._held.add("]")
            text = text[:-1]
        self._take(text, events)
        return ""

    def _take(self, text: str, events: list[Event]) -> None:
        """Add *text* to the entity."""
        self._entity.add(text)
        self._emit(text, self._delta, events)

    def _read_line(self, text: str, events: list[Event]) -> str:
        """Read the line on which the brackets balance."""
        line, newline, _ = text.partition("\n")
        self._held.add(line)
        if not newline:
            return ""
        self._end_line(events)
        return text[len(line) :]

    def _end_line(self, events: list[Event]) -> None:
        line = str(self._held)
        last = line.rindex("]") if line.rstrip()[-1] == "]" else 0
        self._take(line[:last], events)
        if last or len(line.rstrip()) == 1:
            self._close_bracket(line[last:], events)
        else:
            self._close_bracket("]", events)
            self._check_object()
            self._read_after(line[1:], events)

    def _close_bracket(self, text: str, events: list[Event]) -> None:
        """End the entity at a bracket, with which *text* begins."""
        call = self._call
        if call.input_span is not None:
            call.input_span = (call.input_span[0], self._at)
        call.tool_input = str(self._entity)
        call.span = (self._start, self._at + 1)
        self._emit(text, MarkerSeen, events, "]")
        self._step = self._read_after

    def _check_object(self) -> None:
        """Check whether the entity is an object that is open; then the bracket is a part of it."""
        entity = str(self._entity).rstrip()
        if entity[-1:] != "}" and begins_object(entity):
            self._call.lacks = "input"

    def _read_after(self, text: str, events: list[Event]) -> str:
        if self._after < 0:
            self._after = self._at + len(text) - len(text.lstrip())
        return self._skip(text, events)

    # -- the end of the text ----------------------------------------------------------------------

    @override
    def _finish(self, events: list[Event]) -> list[Call]:
        call = self._call
        is_open = self._step != self._read_after  # still on its last line, which may go on
        if self._step == self._read_name:
            self._end_name("".join(self._name), events)
        elif self._step == self._read_entity and self._held:
            self._close_bracket(self._take_held(), events)
            self._check_object()
        elif self._step == self._read_entity:
            call.problem = "open_call"
        elif self._step == self._read_line:
            self._end_line(events)
        if call.span[1] < 0:
            call.span = (self._start, self._at)
        if is_open and not call.problem:
            call.lacks = call.lacks or "closer"
        call.after = (self._after, self._at) if self._after >= 0 else None
        return [call]

    def _end_name(self, written: str, events: list[Event]) -> None:
        """End a text without a bracket: it may be a call in parentheses with one argument."""
        try:
            call = read_python_call(written) if self._lenient and written else None
        except BadPayload as bad:
            self._skip(written, events)
            self._call.problem = bad.problem
            return
        tool, value = call or ("", None)
        if isinstance(value, dict) and len(value) == 1:
            (value,) = value.values()
        if not isinstance(value, str):
            self._skip(written, events)
            return
        head = written[: written.index("(") + 1]
        span = (self._at, self._at + len(written))
        self._open(tool, head, events)
        self._take(written[len(head) : -1], events)
        self._entity.clear()
        self._entity.add(value)
        self._close_bracket(")", events)
        events.append(Repair("parentheses", span, "read parentheses as brackets"))
