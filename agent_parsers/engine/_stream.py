"""Reading a text while it comes in: chunks in, events out."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

from agent_parsers._agent import AgentAction, AgentFinish, make_action, make_finish
from agent_parsers.engine._dialect import Dialect, Role
from agent_parsers.engine._events import (
    ActionComplete,
    Event,
    Failed,
    Finish,
    MarkerSeen,
    Repair,
    SkippedDelta,
    Span,
    ToolNamed,
)
from agent_parsers.engine._machine import (
    MAX_CHARS,
    Crossing,
    Mode,
    State,
    call_span,
    end_span,
    machine,
)

if TYPE_CHECKING:
    from collections.abc import Collection

    from agent_parsers.engine._calls import CallReader

__all__ = ["StreamParser"]

_BETWEEN: Final = {Role.QUESTION, Role.OBSERVATION, Role.SKIPPED}
"""What is no part of a step."""


class StreamParser:
    """Reads one text as it comes in; however it is cut, the events tell the same story.

    `feed` takes a chunk and returns the events it completes; `close` says that the text has ended
    and returns the last ones. It does no input or output, so one loop serves any source::

        parser = StreamParser(react.DIALECT)
        for chunk in chunks:
            show(parser.feed(chunk))
        show(parser.close())
        act(parser.result)

    Args:
        dialect: How the text is written.
        mode: ``"strict"`` or ``"lenient"`` for one turn, ``"transcript"`` for a whole run.
        max_chars: Longest text that is read; `None` if there is no limit.
        tools: Names of the tools there are; `None` if any will do.

    Work per chunk is proportional to the chunk. What is held back is white space, and what may
    still become a marker.
    """

    __slots__ = (
        "_acted", "_answer", "_at", "_base", "_blank", "_call", "_closed", "_cut_at", "_entry",
        "_fresh", "_is_full", "_kept", "_kept_at", "_machine", "_marker", "_marker_at",
        "_max_chars", "_opened", "_pieces", "_problem", "_size", "_state", "_step_at", "_tail",
        "_text", "_tool", "_tools", "last_events", "result",
    )  # fmt: skip

    def __init__(
        self,
        dialect: Dialect,
        *,
        mode: Mode = "lenient",
        max_chars: int | None = MAX_CHARS,
        tools: Collection[str] | None = None,
    ) -> None:
        self._machine = machine(dialect, mode)
        self._tools = tools
        self._max_chars = sys.maxsize if max_chars is None else max_chars
        self._size = 0  # characters taken so far
        self._is_full = False
        self._closed = False
        self._problem: tuple[str, Span] | None = None  # the first one, raised by `close`
        self.last_events: list[Event] = []
        """What `close` returned, or would have returned if it had not raised."""
        self.result: AgentAction | AgentFinish | None = None
        """What the turn came to; `None` until `close`, and for a transcript."""

        # Reading. A label may stand at the very beginning, as if after a line break.
        self._state = self._machine.initial
        self._tail = "\n"  # not told yet: it may become a marker
        self._at = -1  # offset of the tail
        self._blank: list[str] = []  # white space before the tail that may belong to a marker
        self._fresh = True  # no text since the last marker: white space belongs to it
        self._marker = "start"  # the last marker, told when its white space is known
        self._marker_at = 0
        self._entry = -1  # where the marker stands that led to this state
        self._opened = 0  # where it ends
        self._cut_at = -1  # where the turn ended before its text

        # What has been read of the step.
        self._kept: list[str] = []  # text of this state, if the result needs it
        self._kept_at = 0
        self._call: CallReader | None = None
        self._tool: tuple[str, Span] | None = None  # name and place of a tool that waits for input
        self._answer: tuple[str, Span] | None = None
        self._acted = False
        self._step_at = -1 if self._state.role in _BETWEEN else 0
        self._text: list[str] = []  # all chunks
        self._pieces: list[str] = []  # the same from `_base` on, which logs are cut from
        self._base = 0

    @property
    def text(self) -> str:
        """All text so far."""
        return "".join(self._text)

    def feed(self, chunk: str) -> list[Event]:
        """Take the next *chunk* of the text and return the events it completes.

        Raises:
            OutputParserException: The text is longer than *max_chars*.
            RuntimeError: The text was closed before.
        """
        if self._closed:
            raise RuntimeError("feed() after close(); make a new StreamParser for a new text")
        if self._is_full:
            self._closed = True
            raise self._machine.too_long(self.text, self._max_chars)
        room = self._max_chars - self._size
        if len(chunk) > room:
            chunk = chunk[:room]
            self._is_full = True  # told at the next call, so that these events are not lost
        self._size += len(chunk)
        self._text.append(chunk)
        self._pieces.append(chunk)
        events: list[Event] = []
        self._advance(events, self._tail + chunk, is_last=False)
        return events

    def close(self) -> list[Event]:
        """Say that the text has ended, and return the last events; `result` is known then.

        Raises:
            OutputParserException: What `parse` raises for this text. The last events are in
                `last_events` all the same.
            RuntimeError: The text was closed before.
        """
        if self._closed:
            raise RuntimeError("close() after close(); make a new StreamParser for a new text")
        self._closed = True
        if self._is_full:
            raise self._machine.too_long(self.text, self._max_chars)
        events = self.last_events
        self._advance(events, self._tail, is_last=True)
        text = self.text
        self._end_text(events, text)
        if self._problem is not None:
            name, span = self._problem
            raise self._machine.error(name, text, span, self._tools)
        return events

    def _advance(self, events: list[Event], buffer: str, *, is_last: bool) -> None:
        """Read *buffer*, which begins with the tail, and hold back what may become a marker."""
        base = self._at
        told = at = 0
        while True:
            state = self._state
            found = (state.whole if is_last else state.growing)(buffer, at)
            if found is None:
                stop = len(buffer)
                break
            if found.lastindex is None:
                stop = found.start()
                break
            crossing = state.crossings[found.lastindex]
            stop, at = found.span()
            if crossing.is_note:
                self._state = crossing.to
                self._entry = base + stop
                continue
            if stop > told:
                self._say(events, buffer[told:stop], base + told)
            self._cross(events, crossing, found[0], base + stop, base + at)
            told = at
        if stop > told:
            self._say(events, buffer[told:stop], base + told)
        self._tail = buffer[stop:]
        self._at = base + stop

    def _say(self, events: list[Event], text: str, at: int) -> None:
        """Tell of *text*, which stands at offset *at*, up to the white space at its end."""
        if self._fresh:
            size = len(text)
            text = text.lstrip()
            if not text:
                return  # it belongs to the marker before it
            at += size - len(text)
            self._tell_marker(events, at)
            self._fresh = False
            self._kept_at = at
        body = text.rstrip()
        if not body:
            self._blank.append(text)
            return
        rest = text[len(body) :]
        if self._blank:
            blank = "".join(self._blank)
            self._blank.clear()
            at -= len(blank)
            body = blank + body
        self._tell(events, body, at)
        if rest:
            self._blank.append(rest)

    def _tell(self, events: list[Event], text: str, at: int) -> None:
        state = self._state
        if state.delta is not None:
            events.append(state.delta(text, (at, at + len(text))))
        elif state.role is Role.CALL:
            if self._call is None:
                self._call = self._machine.new_call()
            events += self._call.feed(text, at)
        if state.is_kept:
            self._kept.append(text)

    def _tell_marker(self, events: list[Event], end: int) -> None:
        """Tell of the last marker, which with its white space goes up to *end*."""
        if end > self._marker_at:
            events.append(MarkerSeen(self._marker, (self._marker_at, end)))

    def _cross(
        self, events: list[Event], crossing: Crossing, spelt: str, start: int, end: int
    ) -> None:
        """Go over the marker *spelt*, which stands at offsets *start* to *end*."""
        start = max(start, 0)  # the line break before the text is not there
        to = crossing.to
        marker_at = self._end_state(events, to, start)
        if self._machine.is_transcript:
            self._turn_page(events, to.role, start)
        if self._machine.mends and not crossing.is_canonical(spelt):
            label = spelt.strip()
            message = f"read {label!r} as the label {crossing.marker!r}"
            events.append(Repair("label", (end - len(label), end), message))
        if to.is_cut:
            message = f"the turn ended at {spelt.strip()!r}; what follows is no part of it"
            events.append(Repair("invented", (start, end), message))
            self._cut_at = start
        self._state = to
        self._entry, self._opened = start, end
        self._marker, self._marker_at = crossing.marker, marker_at
        self._fresh = True

    def _turn_page(self, events: list[Event], role: Role, start: int) -> None:
        """Begin or end a step of a transcript, if the next text has this *role*."""
        if role in _BETWEEN:
            self._end_step(events, start)
            self._step_at = -1
        elif self._step_at < 0 or self._acted:
            self._step_at = start
            self._acted = False

    def _end_step(self, events: list[Event], stop: int) -> None:
        if self._step_at >= 0 and not self._acted:
            self._fail(events, "nothing", (self._step_at, stop))

    def _end_state(self, events: list[Event], to: State | None, stop: int) -> int:
        """Make what can be made of the text of this state.

        Args:
            events: Takes what there is to tell.
            to: The next state; `None` at the end of the text.
            stop: Where the next marker, or the end of the text, stands.

        Returns:
            Where the white space before *stop* begins that is no part of the text.
        """
        state = self._state
        blank = "".join(self._blank)
        self._blank.clear()
        if self._fresh:
            self._tell_marker(events, stop)
            self._kept_at = stop
        elif blank and state.keeps_end:
            self._tell(events, blank, stop - len(blank))
            blank = ""
        end = stop - len(blank)
        text = "".join(self._kept)
        self._kept.clear()
        span = (self._kept_at, end)
        is_sound = not (state if to is None else to).problem
        match state.role:
            case Role.TOOL:
                self._end_tool(events, text, span, to, stop, is_sound=is_sound)
            case Role.INPUT if is_sound:
                value = self._machine.dialect.read_input(text)
                self._act(events, value, end, to, stop)
            case Role.CALL:
                self._end_call(events, to, stop, is_sound=is_sound)
            case Role.ANSWER:
                self._answer = (text, span)
                if self._machine.is_transcript and (to is None or to.role is not Role.ANSWER):
                    self._finish(events, self._log(stop))
        return end

    def _end_tool(
        self,
        events: list[Event],
        name: str,
        span: Span,
        to: State | None,
        stop: int,
        *,
        is_sound: bool,
    ) -> None:
        self._tool = (name, span)
        is_named = not self._machine.tool_problem(name)
        if is_named:
            events.append(ToolNamed(name, span))
        elif name:
            events.append(SkippedDelta(name, span))
        if is_sound and (to is None or to.role not in (Role.INPUT, Role.ANSWER)):
            if is_named:
                message = f"{name!r} has no input; took it for an empty one"
                events.append(Repair("missing_input", span, message))
            self._act(events, "", span[1], to, stop)

    def _end_call(
        self, events: list[Event], to: State | None, stop: int, *, is_sound: bool
    ) -> None:
        reader = self._call or self._machine.new_call()
        self._call = None
        last, call = reader.close()
        events += last
        if problem := self._machine.call_problem(call):
            self._fail(events, problem, call_span(call, stop))
            return
        if call.after is not None:
            message = "text that follows the call is no part of it"
            events.append(Repair("after_call", call.after, message))
        if not is_sound:
            return
        if call.is_answer:
            self._answer = (call.tool_input, call.span)
            if self._machine.is_transcript:
                self._finish(events, self._log(stop))
        else:
            self._tool = (call.tool, (call.span[0], call.span[0] + len(call.tool)))
            self._act(events, call.tool_input, call.span[1], to, stop)

    def _act(
        self,
        events: list[Event],
        tool_input: str | dict[Any, Any],
        end: int,
        to: State | None,
        stop: int,
    ) -> None:
        """Complete the action whose tool was named, with an input that ends at offset *end*."""
        assert self._tool is not None, "an input follows a tool"
        tool, span = self._tool
        problem = self._machine.tool_problem(tool, self._tools)
        if problem:
            self._fail(events, problem, span)
            return
        is_whole = to is None and not self._machine.is_transcript
        action = make_action(tool, tool_input, self.text if is_whole else self._log(stop))
        events.append(ActionComplete(action, (span[0], end)))
        self._acted = True
        if not self._machine.is_transcript:
            self.result = action

    def _finish(self, events: list[Event], log: str) -> None:
        assert self._answer is not None, "an answer was read"
        answer, span = self._answer
        finish = make_finish(answer, log)
        events.append(Finish(finish, span))
        self._acted = True
        if not self._machine.is_transcript:
            self.result = finish

    def _fail(self, events: list[Event], problem: str, span: Span) -> None:
        if not self._machine.is_transcript:
            self._problem = self._problem or (problem, span)
            return
        at = min(self._step_at, span[0])
        text = self._slice(at, span[1])
        error = self._machine.error(problem, text, (span[0] - at, span[1] - at))
        events.append(Failed(error, span))
        self._acted = True

    def _end_text(self, events: list[Event], text: str) -> None:
        stop = self._size
        state = self._state
        end = self._end_state(events, None, stop)
        if end < stop:
            events.append(MarkerSeen("end", (end, stop)))
        if self._machine.is_transcript:
            self._end_step(events, end)
        elif state.problem:
            span = end_span(state.problem, text, self._entry)
            self._fail(events, state.problem, span)
        elif self._problem is None and self.result is None:
            if self._answer is None:
                self._fail(events, "nothing", end_span("nothing", text, self._entry))
            else:
                self._finish(events, text[: self._cut_at].rstrip() if state.is_cut else text)

    def _log(self, stop: int) -> str:
        """Return the model's text from the beginning of the step to offset *stop*."""
        text = self._slice(max(self._step_at, 0), stop).rstrip()
        return text.lstrip() if self._machine.is_transcript else text

    def _slice(self, start: int, stop: int) -> str:
        """Return the text from *start*, which is never less than before, to *stop*."""
        if len(self._pieces) > 1:
            self._pieces = ["".join(self._pieces)[start - self._base :]]
            self._base = start
        text = self._pieces[0] if self._pieces else ""
        return text[start - self._base : stop - self._base]
