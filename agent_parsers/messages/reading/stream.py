"""Reading a message as it streams in: message chunks in, events out.

The spans of the events are offsets into the text of the message, which is everything the model
wrote: the reasoning and the content, then the name and arguments of each call, with nothing in
between::

    Let me look that up.search{"query": "rain"}lookup{"page": 3}

If the content is a list, this is the text of its blocks. A refusal is text as well. Arguments
that came as data are written as JSON.

Text is emitted as it arrives, but the calls one after the other: where the pieces of several calls
alternate, those of the second are held back until the arguments of the first are a complete JSON
value or the message has ended. So a message in chunks yields the same events as the whole one.
Content that arrives after the first call, and arguments that arrive after the next call was
emitted, are placed where they arrived.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from agent_parsers.engine.reading.rules.known_tools import known_tools
from agent_parsers.engine.repairs.names import tool_named
from agent_parsers.engine.tables.modes import check_ended
from agent_parsers.engine.tables.problems import too_long
from agent_parsers.events import (
    AnswerDelta,
    Event,
    InputDelta,
    MarkerSeen,
    SkippedDelta,
    ThoughtDelta,
    ToolNamed,
)
from agent_parsers.messages.reading.behind import rest_of_message
from agent_parsers.messages.reading.content import ContentHold, LeadingThought, split_content
from agent_parsers.messages.reading.outcome import Outcome
from agent_parsers.messages.reading.pieces import (
    CallPiece,
    EmittedCall,
    ai_message,
    as_json,
    function_pieces,
    message_in,
    tool_pieces,
)
from agent_parsers.messages.reading.said import Kind, texts_in, two_fields
from agent_parsers.reports import LISTENERS
from output_parsers.streams.accumulator import Accumulator
from outputs import AIMessage, AIMessageChunk, message_chunk_to_message, tool_call_chunk
from outputs.clients.streamed import finished, served_indexes
from outputs.clients.unread_calls import answered_ids
from outputs.messages.ended import Ended, ended_of, sooner
from outputs.messages.growing_calls import GrowingCall, GrowingCalls
from outputs.messages.wire_calls import STREAMED_CALLS, chunks_from_wire

if TYPE_CHECKING:
    from agent_parsers.actions.agent import AgentAction, AgentFinish
    from agent_parsers.engine.turn_reports import TurnReports
    from agent_parsers.toolset import ToolSet
    from outputs.clients.unread_calls import NamedCall


class MessageStreamParser:
    """Reads one message as it streams in; the merged events do not depend on how it was cut.

    `feed` takes a message chunk, or a whole message, and returns the events it completes. `close`
    ends the message and returns the last events::

        parser = ToolsAgentOutputParser().stream_parser()
        for chunk in model.stream(messages):
            show(parser.feed(chunk))
        show(parser.close())
        act(parser.result)

    Reasoning is emitted as `ThoughtDelta`: what the provider sends separately, and in lenient mode
    a thought that the content begins with. Content is emitted as `AnswerDelta`, at once: until a
    message has ended, a call may still follow it, and then it is what the user may see beside the
    call. The message ends in an `ActionComplete` for each call, or in a `Finish`, or in an error.

    Args:
        is_function: Whether to read the function call instead of the tool calls.
        lenient: Whether to repair common mistakes.
        max_chars: Longest text of a message that is accepted, in characters.
        tools: The tools, or only their names; `None` to accept any.
        message: The whole message, if it did not come in chunks; the actions refer to it.
    """

    def __init__(
        self,
        *,
        is_function: bool,
        lenient: bool,
        max_chars: int,
        tools: ToolSet | Collection[str] | None = None,
        message: AIMessage | None = None,
    ) -> None:
        self._is_function = is_function
        self._lenient = lenient
        self._max_chars = max_chars
        self._tools = known_tools(tools)
        self._sum = _MessageSum(message)
        self._text: list[str] = []  # of the message, as far as it was emitted
        self._at = 0  # its length
        self._size = 0  # number of characters that have arrived, emitted or held back
        self._is_full = False
        self._hold = ContentHold(may_be_json=tools is not None) if lenient else None
        self._lead = LeadingThought() if lenient else None
        self._calls = GrowingCalls(partial(EmittedCall, lenient=lenient))
        self._current = 0  # which call is being emitted
        self._reports = self._new_reports() if LISTENERS else None
        self._closed = False
        self._is_contradicted = False  # whether a whole message is not what its chunks were
        self._whole: AIMessage | None = None  # once it has ended
        self._written: Sequence[str] = ()  # the calls that are written in the content
        self.result: AgentAction | list[AgentAction] | AgentFinish | None = None
        """The actions or the answer; `None` until the message has ended."""
        self.last_events: list[Event] = []
        """The events that `close` returned, or would have returned if it had not raised."""

    @property
    def text(self) -> str:
        """The text of the message, as far as it has been emitted."""
        return "".join(self._text)

    @property
    def thought(self) -> str:
        """The reasoning, once the message has ended."""
        return self._fields[0]

    @property
    def content(self) -> str:
        """The text for the user besides the calls, or the answer, once the message has ended."""
        return self._fields[1]

    @cached_property
    def _fields(self) -> tuple[str, str]:
        assert self._whole is not None, "the message has ended"
        thought, content = two_fields(self._whole)
        if not self._lenient:
            return thought, content
        return split_content(thought, content, self._written)

    @property
    def is_over(self) -> bool:
        """Whether the message is over: always false, since another call may follow."""
        return False

    def feed(self, chunk: Any) -> list[Event]:
        """Take the next *chunk* of the message and return the events it completes.

        Args:
            chunk: A message or a chunk of one, of any kind that `outputs.from_any` takes, or a
                generation with a message. Text is an error in strict mode, as in LangChain.

        Raises:
            OutputParserException: The message is longer than *max_chars*.
            ProviderError: The provider failed, and reports it instead of the rest.
            RuntimeError: The message has already been closed.
            TypeError: *chunk* is not a message of a model.
            ValueError: *chunk* is text, in strict mode, or a malformed message.
        """
        if self._reports is None:
            return self._feed(chunk)
        return self._reports.during(self._feed, chunk)

    def _feed(self, chunk: Any) -> list[Event]:
        self._check_open("feed")
        message = message_in(chunk, takes_text=self._lenient)
        events: list[Event] = []
        if self._sum.is_behind(message, is_text=isinstance(chunk, str)):
            message = self._behind(message)
        self._take(self._sum.add(message), events)
        self._emit_calls(events, is_last=False)
        return events

    def _behind(self, whole: AIMessage) -> AIMessage:
        """Return what a *whole* message has beside what its chunks have said before."""
        rest = rest_of_message(self._sum.whole(), finished(whole))
        if not self._sum.has_chunks and (rest is None or rest.content):
            return whole  # texts came, and this is another
        if rest is None:
            self._is_contradicted = True
            return AIMessage("", response_metadata=whole.response_metadata)
        return rest

    @property
    def ended(self) -> Ended:
        """How the message ended, if it says so."""
        return self._sum.ended

    def close(self, *, ended: Ended = "unknown") -> list[Event]:
        """End the message, set `result` and return the last events.

        Args:
            ended: How the message ended; by default read from its metadata.

        Raises:
            ModelRefusalError: The message is a refusal, or a filter has removed all of it. Do not
                ask again.
            OutputParserException: The message cannot be read. The last events are in
                `last_events` nevertheless.
            RuntimeError: The message has already been closed.
        """
        if self._reports is None:
            return self._close(ended=ended)
        return self._reports.to_end(self._close, ended, self.last_events)

    def _close(self, *, ended: Ended) -> list[Event]:
        check_ended(ended)
        self._check_open("close")
        self._closed = True
        events = self.last_events
        if ended == "unknown":
            ended = self._sum.ended
        last = self._calls.calls[-1].index if ended != "stop" and self._calls.calls else None
        if (ending := self._sum.ending(but=last)) is not None:
            self._take(self._sum.add(ending), events)
        self._emit_calls(events, is_last=True)
        self._whole = self._sum.whole()
        answered = answered_ids(self._whole.content)
        calls = [call for call in self._calls.calls if call.id not in answered]
        outcome = Outcome(
            self._whole,
            is_function=self._is_function,
            lenient=self._lenient,
            tools=self._tools,
            ended=ended,
            late=self._sum.late,
            raw=self._sum.raw,
            is_whole=self._sum.is_whole,
        )
        self._emit_lead(events)
        held = "" if self._hold is None else self._hold.rest()
        indexes = [call.index for call in calls]
        outcome.report_unread_text(self._at + len(held))
        if (
            outcome.refuses()
            or outcome.contradicts(indexes, by_whole=self._is_contradicted)
            or outcome.has_other_calls()
            or outcome.leaves_a_call()
        ):
            self._emit_content(held, events)
        elif calls:
            outcome.read_calls(calls)
        elif held and outcome.read_content(self.text + held, self._at):
            self._put(held)
        else:
            self._emit_content(held, events)
            outcome.read_answer(self._at)
        events += outcome.events
        if (error := outcome.error(self.text)) is not None:
            raise error
        self.result = outcome.result
        if outcome.written:
            text = self.text
            self._written = [text[start:end] for start, end in outcome.written]
        return events

    def _new_reports(self) -> TurnReports:
        from agent_parsers.engine.turn_reports import TurnReports  # imported lazily: for listeners

        name = "openai_functions" if self._is_function else "tools"
        return TurnReports(name, self._tools, lenient=self._lenient)

    def _check_open(self, method: str) -> None:
        if self._closed:
            raise RuntimeError(
                f"{method}() was called after close(); make a new parser for a new message"
            )
        if self._is_full:
            self._closed = True
            raise too_long("message", self.text, self._max_chars)

    def _take(self, message: AIMessage, events: list[Event]) -> None:
        content = message.content
        if isinstance(content, str) and not message.additional_kwargs:  # as in nearly all chunks
            if content:
                self._take_text("content", content, events)
        else:
            for kind, text in texts_in(message, self._sum.late.commentary):
                if text:
                    self._take_text(kind, text, events)
        is_whole = not (self._is_function or isinstance(message, AIMessageChunk))
        for piece in function_pieces(message) if self._is_function else tool_pieces(message):
            if piece.index not in self._sum.served:
                self._take_piece(piece, events, is_whole=is_whole)

    def _cut(self, text: str) -> str:
        """Return as much of *text* as fits into ``max_chars``."""
        room = self._max_chars - self._size
        self._size += len(text)
        if len(text) > room:
            self._is_full = True  # raised at the next call, so that these events are not lost
            self._size = self._max_chars
            return text[:room]
        return text

    def _put(self, text: str) -> tuple[int, int]:
        """Append *text* to the text of the message; return its span."""
        start = self._at
        self._text.append(text)
        self._at += len(text)
        return (start, self._at)

    def _take_text(self, kind: Kind, text: str, events: list[Event]) -> None:
        text = self._cut(text)
        if kind == "thought":
            if text:
                events.append(ThoughtDelta(text, self._put(text)))
            return
        # What is no answer holds no calls either.
        if kind != "content" or self._lead is None or self._calls.calls:
            self._emit_content(text, events)
            return
        self._take_content(self._lead.feed(text), events)

    def _take_content(self, pieces: list[tuple[str, str]], events: list[Event]) -> None:
        for kind, text in pieces:
            if kind == "thought":
                events.append(ThoughtDelta(text, self._put(text)))
            elif kind == "mark":
                events.append(MarkerSeen("thought", self._put(text)))
            else:
                self._emit_content(text if self._hold is None else self._hold.feed(text), events)

    def _emit_lead(self, events: list[Event]) -> None:
        """Emit what is held back of a thought that the content begins with."""
        if self._lead is not None:
            self._take_content(self._lead.rest(), events)

    def _emit_content(self, text: str, events: list[Event]) -> None:
        if text:
            events.append(AnswerDelta(text, self._put(text)))

    def _take_piece(self, piece: CallPiece, events: list[Event], *, is_whole: bool) -> None:
        if not self._calls.calls and self._hold is not None:
            self._emit_lead(events)
            # The message has a tool call, so its content is not read as one.
            self._emit_content(self._hold.rest(), events)
        if is_whole:
            call, name = self._calls.begin(), piece.name
            call.id = piece.id
        else:
            call, name = self._calls.call_for(piece.index, piece.id, piece.name)
            if name is None and piece.name and self._is_doubled(call.name):
                name = piece.name
        name = self._cut(name) if isinstance(name, str) else ""
        arguments = piece.arguments
        if isinstance(arguments, str):
            text = self._cut(arguments)
        else:
            text = "" if arguments is None else as_json(arguments)
        call.take(piece, name, text)
        if name and call.is_named:  # more of a name that was emitted already
            events.append(ToolNamed(self._tool(call), self._put(name)))
        if text and call.is_over:  # more of arguments that were complete
            events.append(SkippedDelta(text, self._put(text)))

    def _is_doubled(self, name: str) -> bool:
        """Return whether only this *name*, twice, is that of a tool."""
        return self._tools is not None and name not in self._tools and 2 * name in self._tools

    def _tool(self, call: EmittedCall) -> str:
        if not self._lenient:
            return call.name
        return tool_named(call.name, None if self._tools is None else self._tools.names)

    def _emit_calls(self, events: list[Event], *, is_last: bool) -> None:
        calls = self._calls.calls
        while self._current < len(calls):
            call = calls[self._current]
            self._emit_call(call, events, is_last=is_last)
            if self._current + 1 == len(calls) or not (is_last or call.is_complete):
                return
            call.is_over = True
            self._current += 1

    def _emit_call(self, call: EmittedCall, events: list[Event], *, is_last: bool) -> None:
        if not call.is_named:
            # Until the arguments begin, the name may continue.
            if not is_last and not any(call.parts):
                return
            call.is_named = True
            span = self._put(call.name)
            call.name_at = span[0]
            call.args_at = call.end = span[1]
            if call.name:
                events.append(ToolNamed(self._tool(call), span))
        for text in call.parts[call.emitted :]:
            if text:
                span = self._put(text)
                call.end = span[1]
                events.append(InputDelta(text, span))
        call.emitted = len(call.parts)


class _MessageSum:
    """Adds up the chunks of one message, or takes a whole *message*."""

    def __init__(self, message: AIMessage | None) -> None:
        is_chunk = isinstance(message, AIMessageChunk)
        self._message = message
        self._sum = Accumulator()
        self.is_whole = message is not None and not is_chunk
        """Whether the message came whole, so that it has ended."""
        self.late = self._sum.late
        """What the chunks say beside their pieces."""
        self._is_in_chunks = False
        self.has_chunks = False
        """Whether chunks of messages have come, and not only texts."""
        self._first: AIMessage | None = None  # the first chunk
        self._count = 0  # how many chunks have arrived
        self._texts: dict[int, None] = {}  # calls with a text input, which ends with the message
        self._others: set[int] = set()  # calls with JSON
        self._raw: GrowingCalls[GrowingCall] | None = None  # the raw form of calls in chunks
        self.served: set[int] = set()
        """Indexes of the calls that the provider's server makes itself."""
        self.ended: Ended = "unknown"
        """How the message ended, according to its chunks."""

    def add(self, message: AIMessage) -> AIMessage:
        """Add the next chunk; return it as one of our messages."""
        if message.additional_kwargs or not isinstance(message.content, str):
            self._note(message)
        if self.ended != "unknown" and self._message is None:
            _check_over(message)
        if message.response_metadata:
            self.ended = sooner(self.ended, ended_of(message.response_metadata))
        if self._message is not None:
            self._message = ai_message(self.late.with_late_fields(message))
            return self._message
        if isinstance(message, AIMessageChunk) and message.tool_call_chunks:
            self._note_kinds(message)
        message = ai_message(self._sum.add(message))
        self._first = self._first or message
        self._count += 1
        self.is_whole = self._count == 1 and not isinstance(message, AIMessageChunk)
        return message

    def is_behind(self, message: AIMessage, *, is_text: bool) -> bool:
        """Return whether *message* is whole and follows its own chunks; a text never is."""
        is_message = not is_text and not isinstance(message, AIMessageChunk)
        if self._count == 0:  # where each chunk is a message, as Ollama sends them, none is whole
            self._is_in_chunks = not is_message
        self.has_chunks = self.has_chunks or isinstance(message, AIMessageChunk)
        return self._is_in_chunks and is_message and self._message is None

    def ending(self, *, but: int | None = None) -> AIMessageChunk | None:
        """Return a chunk that closes the text inputs, whose pieces do not show their end.

        The call with the index *but* is left open, since it may be cut. Return `None` if no call
        has a text input.
        """
        indexes = [index for index in self._texts if index != but]
        self._texts = {}
        if not indexes:
            return None
        from outputs.clients.text_input import TEXT_END

        pieces = [tool_call_chunk(args=TEXT_END, index=index) for index in indexes]
        return AIMessageChunk("", tool_call_chunks=pieces)

    def whole(self) -> AIMessage:
        """Return the message."""
        if self._message is not None:
            return finished(self._message)
        if self._first is None:
            return finished(AIMessage(content=""))
        if self.is_whole:
            return finished(self._first)
        message = getattr(self._sum.generation(), "message", None)
        return finished(ai_message(message_chunk_to_message(ai_message(message))))

    @property
    def raw(self) -> list[NamedCall] | None:
        """The raw calls in the chunks, which also have pieces; `None` if there were no chunks."""
        if self.is_whole:
            return None
        return [(call.name, call.written) for call in (self._raw.calls if self._raw else ())]

    def _note_kinds(self, chunk: AIMessageChunk) -> None:
        """Remember which calls of a *chunk* have text as their input.

        Raises:
            ValueError: A call is that of a function as well.
        """
        said = chunk.additional_kwargs.get(STREAMED_CALLS)
        texts = {
            call.get("index")
            for call in (said if isinstance(said, list) else ())
            if isinstance(call, dict) and "custom" in call
        }
        for piece in chunk.tool_call_chunks:
            index = piece["index"]
            if not isinstance(index, int) or not (piece["name"] or piece["args"]):
                continue
            if index in texts:
                self._texts[index] = None
            else:
                self._others.add(index)
            if index in self._texts and index in self._others:
                from outputs.clients.openai import two_calls  # imported lazily: an error

                raise two_calls()

    def _note(self, message: AIMessage) -> None:
        """Remember what only one chunk says but later chunks depend on."""
        raw = message.additional_kwargs.get("tool_calls")
        if isinstance(raw, list | tuple) and isinstance(message, AIMessageChunk):
            self._raw = self._raw or GrowingCalls(GrowingCall)
            for piece in chunks_from_wire([*raw]):
                self._raw.add(piece)
        if not isinstance(message.content, str):
            self.served |= served_indexes(message.content)


def _check_over(message: AIMessage) -> None:
    """Check that a *message* behind the end of another does not call, as if a proxy had retried.

    Calls with an id tell whether they come again. Ollama's have none, and each line is a message.

    Raises:
        ValueError: It calls.
    """
    is_line = not isinstance(message, AIMessageChunk)
    if is_line and any(not call["id"] for call in message.tool_calls):
        raise ValueError(
            "a call follows the end of the reply (`done: true`), so it is that of another: a proxy"
            " that asks again has to end the stream first"
        )
