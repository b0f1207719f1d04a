"""Reading a turn by its response template while it streams in: chunks in, events out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from agent_parsers.core import (
    MessageText,
    ReasoningBeside,
    advice_on_call,
    make_finish,
    make_message,
    make_tool_call,
    too_long,
)
from agent_parsers.events import (
    ActionComplete,
    AnswerDelta,
    Event,
    Finish,
    InputDelta,
    MarkerSeen,
    Repair,
    SkippedDelta,
    Span,
    ThoughtDelta,
    ToolNamed,
    cut_answer,
)  # fmt: skip
from agent_serving.templates.response.contents import calls_of, value_of
from agent_serving.templates.response.regions import Closed, FieldText, Marked, Regions
from agent_serving.templates.response.template import THOUGHTS, Template
from output_parsers import OutputParserException
from output_parsers.text import TimeLeft

if TYPE_CHECKING:
    from agent_parsers import AgentAction, AgentFinish
    from agent_parsers.toolset import ToolSet
    from output_parsers import ModelOutput
    from outputs import Ended


class ResponseStream:
    """Reads one turn in chunks; the merged events do not depend on where it is cut.

    `feed` takes a chunk and returns the events it completes; `close` ends the turn, returns the
    last events and sets `result`.

    Args:
        template: The template.
        tools: The tools; `None` accepts any.
        prompt: The prompt that the turn continues.
        max_chars: Longest turn that is read.
        timeout_s: Seconds that patterns may take.
        lenient: Whether inputs of tools are repaired.
    """

    def __init__(
        self,
        template: Template,
        tools: ToolSet | None,
        prompt: str,
        max_chars: int,
        timeout_s: float,
        *,
        lenient: bool,
    ) -> None:
        self._template = template
        self._tools = tools
        self._lenient = lenient
        self._max_chars = max_chars
        self._time = TimeLeft(timeout_s)
        self._regions = Regions(template, self._time)
        self._message = MessageText()
        self._beside = ReasoningBeside()
        self._said: dict[str, list[str]] = {"thought": [], "content": []}
        self._fields: set[str] = set()
        self._made: list[tuple[str, Any, str | None, Span]] = []
        self._error: OutputParserException | None = None
        self._closed = False
        self._size = 0
        self._answer_at: Span = (0, 0)
        self._calls_end = 0
        self._raw_end = -1  # of the last call whose input does not show its own end
        begun = template.begun(prompt)
        self._offset = len(begun)
        self.result: list[AgentAction] | AgentFinish | None = None
        """The actions or the answer; `None` until the turn has ended."""
        self.last_events: list[Event] = []
        """What `close` returned, or would have returned if it had not raised."""
        if begun:
            self._take(self._regions.feed(begun))

    @property
    def text(self) -> str:
        """All text of the model so far."""
        return self._regions.text[self._offset :]

    @property
    def thought(self) -> str:
        """The thoughts that have ended so far, joined by line breaks."""
        return self._beside.and_own("\n".join(self._said["thought"]))

    @property
    def content(self) -> str:
        """The content that has ended so far, joined by line breaks."""
        return "\n".join(self._said["content"])

    @property
    def is_over(self) -> bool:
        """Always false: before `close`, it is not known whether the turn has ended."""
        return False

    def feed(self, chunk: ModelOutput) -> list[Event]:
        """Take the next *chunk* of the turn and return the events it completes.

        Raises:
            OutputParserException: The turn, or reading it, is too long.
            RuntimeError: `close` was called before.
            TypeError: The chunk is neither text nor a message.
        """
        self._check_open("feed")
        events, rest = self._beside.take(chunk, lambda: self.text)
        text = self._message.take(rest)
        room = self._max_chars - self._size
        self._size += len(text)
        if len(text) > room:
            self._closed = True
            raise too_long("text", self.text + text[:room], self._max_chars)
        return [*events, *self._take(self._regions.feed(text))]

    def close(self, *, ended: Ended = "unknown") -> list[Event]:
        """End the turn, set `result` and return the last events.

        Args:
            ended: How the text ended; by default, as the message says.

        Raises:
            OutputParserException: The turn cannot be read. The last events are in `last_events`.
            RuntimeError: `close` was called before.
        """
        self._check_open("close")
        self._closed = True
        ended = self._message.ended if ended == "unknown" else ended
        events = self.last_events
        events += self._take(self._regions.feed("", is_last=True))
        refused = self._message.error(self.text) or self._beside.error(self.text)
        if refused is not None:
            raise refused
        self._end(events, ended)
        if self._error is not None:
            raise self._error
        return events

    def _check_open(self, method: str) -> None:
        if self._closed:
            raise RuntimeError(
                f"{method}() was called after close(); make a new parser for a new turn"
            )

    def _take(self, found: Iterable[FieldText | Marked | Closed]) -> list[Event]:
        events: list[Event] = []
        for each in found:
            match each:
                case FieldText(field, text, start):
                    span = self._span(start, start + len(text))
                    if field in THOUGHTS:
                        events.append(ThoughtDelta(text, span))
                    elif field != "tool_calls":
                        kind = AnswerDelta if field else SkippedDelta
                        events.append(kind(text, span))
                case Marked(field, start, stop):
                    events.append(MarkerSeen(field, self._span(start, stop)))
                case Closed():
                    self._close_field(each, events)
        return [event for event in events if event.span[1] > 0]  # without those of the prompt

    def _span(self, start: int, stop: int) -> Span:
        return max(0, start - self._offset), max(0, stop - self._offset)

    def _close_field(self, closed: Closed, events: list[Event]) -> None:
        """Take the value of a field that has ended."""
        span = self._span(closed.start, closed.start + len(closed.text))
        try:
            value = self._value_of(closed)
            if closed.field == "tool_calls":
                self._take_calls(value, closed.text, span, events)
            elif value:
                kind = "thought" if closed.field in THOUGHTS else "content"
                self._said[kind].append(value)
                if kind == "content":
                    self._answer_at = span
        except OutputParserException as error:
            self._fail(error, span)
        except ValueError as error:
            self._fail(OutputParserException(str(error)), span)
        self._fields.add(closed.field)
        if closed.field == "tool_calls":
            self._calls_end = closed.stop

    def _value_of(self, closed: Closed) -> Any:
        """Return the value of a field.

        Raises:
            ValueError: It cannot be read, or is not what its field has.
        """
        field = self._template.fields[closed.field]
        is_call = closed.field == "tool_calls"
        if is_call:
            self._check_end(closed)
            if "tool_calls" in self._fields and not field.repeats:
                raise ValueError("found a second call; the template allows only one in a turn")
        elif self._made:
            self._check_quoted(closed.text)
        value = value_of(field, closed.text, closed.groups, self._time)
        if not is_call and not isinstance(value, str):
            raise ValueError(f"expected the field {closed.field} to be text")
        return value

    def _check_end(self, closed: Closed) -> None:
        """Raise if a call is cut.

        The closer of a text may be a stop sequence, unless a turn ends with it.
        """
        field = self._template.fields["tool_calls"]
        if field.content == "json":  # which shows its own end
            return
        self._raw_end = closed.stop
        may_lack = field.content == "text" and r"\Z" not in (field.close_pattern or "")
        if not closed.is_closed and not (may_lack and closed.text.strip()):
            raise ValueError("the end of the call is missing")
        if field.content == "xml-inline" and self._time.search(field.opens, closed.text):
            raise ValueError(
                "found the beginning of a call inside a call; a value may quote a call"
            )

    def _check_quoted(self, text: str) -> None:
        """Raise if *text* beside calls has the end of a call, so that a value was cut at another.

        JSON that is cut is an error in any case.
        """
        calls = self._template.fields["tool_calls"]
        if calls.content == "xml-inline" and calls.closes is not None:
            found = self._time.search(calls.closes, text)
            if found is not None and found[0]:
                raise ValueError("found the end of a call outside a call; a value may quote a call")

    def _take_calls(self, value: Any, text: str, span: Span, events: list[Event]) -> None:
        for number, (name, arguments, call_id) in enumerate(calls_of(value)):
            tool, tool_input = name, arguments
            events.append(ToolNamed(tool, (span[0], span[0])))
            if not number:
                events.append(InputDelta(text, span))
            if self._tools is not None:
                read = self._tools.read(tool, tool_input, lenient=self._lenient)
                events += (Repair(n.kind, span, n.message) for n in read.notes if n.kind)
                tool, tool_input = read.tool, read.value
            self._made.append((tool, tool_input, call_id, span))

    def _fail(self, error: OutputParserException, span: Span) -> None:
        """Keep the first error."""
        if self._error is not None:
            return
        if error.send_to_llm and self._tools is not None:  # of a tool
            error.observation = advice_on_call(error, self.text[slice(*span)], self._tools)
            error.llm_output, error.span = self.text, span
            self._error = error
        else:
            reason = str(error)
            self._error = OutputParserException(
                reason,
                observation=f"Your reply cannot be read: {reason}. Write it again.",
                llm_output=self.text,
                send_to_llm=True,
                span=span,
            )

    def _end(self, events: list[Event], ended: Ended) -> None:
        """Set the result, or the error."""
        text, problem = self.text, ""
        if self._error is not None:
            self._error.llm_output = text
            return
        missing = [
            name for name, field in self._template.fields.items()
            if not field.optional and name not in self._fields
        ]  # fmt: skip
        if ended == "length" and self._raw_end == len(self._regions.text):
            problem = "the text was cut off; the input of the last call may be incomplete"
        elif self._made and self._is_calling():
            problem = "the text was cut off at the beginning of a call"
        elif missing:
            problem = f"expected {' and '.join(missing)}"
        elif self._made:
            self._act(events, text)
        elif content := self.content:
            if ended == "length":
                events.append(cut_answer(self._answer_at))
            self.result = make_finish(content, text)
            events.append(Finish(self.result, self._answer_at))
        else:
            problem = "expected an action or a final answer"
        if problem:
            self._fail(OutputParserException(problem), (0, len(text)))

    def _is_calling(self) -> bool:
        """Return whether the text ends in the beginning of another call."""
        text = self._regions.text
        opens = self._template.fields["tool_calls"].opens
        found = self._time.search(opens, text, pos=self._calls_end, partial=True)
        return found is not None and found.partial and bool(found[0].strip())

    def _act(self, events: list[Event], text: str) -> None:
        message = make_message(text)
        actions: list[AgentAction] = []
        for tool, tool_input, call_id, span in self._made:
            action = make_tool_call(tool, tool_input, text, message, call_id)
            actions.append(action)
            events.append(ActionComplete(action, span))
        self.result = actions
