"""The outcome of a message: its actions, its answer, or an error."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.actions.agent import AgentAction, AgentFinish, make_finish
from agent_parsers.actions.tool_action import log_of, make_call, make_tool_call
from agent_parsers.engine.reading.quoting.spans import merged
from agent_parsers.engine.reading.rules.foreign import foreign_calls
from agent_parsers.engine.reading.rules.known_tools import output_type_of
from agent_parsers.engine.repairs.names import tool_named
from agent_parsers.engine.repairs.payloads import BadPayload, Lack, may_lack
from agent_parsers.engine.tables.problems import Problem
from agent_parsers.events import (
    ActionComplete,
    AnswerDelta,
    Event,
    Finish,
    MarkerSeen,
    Repair,
    ToolNamed,
    cut_answer,
)
from agent_parsers.messages.reading.arguments import MayLack, as_input, read_lenient, read_strict
from agent_parsers.messages.reading.beside import id_of, is_call, members_of_block, odd_member
from agent_parsers.messages.reading.content import (
    ContentCall,
    calls_in_content,
    may_hold_call,
    reasoning_end,
    thought_end,
)
from agent_parsers.messages.reading.pieces import ends_otherwise, function_pieces, tool_pieces
from agent_parsers.messages.reading.problems import BadCall
from agent_parsers.messages.reading.said import is_commentary
from output_parsers import OutputParserException
from output_parsers.exceptions import ModelRefusalError
from output_parsers.tool_calls.refusal import refusal_error
from outputs.clients.unread_calls import (
    call_elsewhere,
    call_key,
    calls_in,
    raw_calls,
    unread_call,
    unread_member,
)
from outputs.messages.base import text_of
from outputs.messages.ended import Ended, is_paused, reason_to_call
from outputs.messages.growing_calls import known_id
from outputs.messages.utils import message_chunk_to_message

if TYPE_CHECKING:
    from agent_parsers.events import Span
    from agent_parsers.messages.reading.pieces import EmittedCall
    from agent_parsers.toolset import ToolSet
    from outputs import AIMessage
    from outputs.clients.late_fields import LateFields
    from outputs.clients.unread_calls import NamedCall


_BETWEEN: Final = (".", "__", "_", "/", ":", "-")
"""What may stand between a namespace and a name."""


class Outcome:
    """The outcome of a message that has ended.

    Args:
        message: The message; the actions refer to it.
        is_function: Whether to read a function call: a single call without an id.
        lenient: Whether to repair common mistakes.
        tools: The tools; `None` to accept any.
        ended: How the message ended.
        late: What the chunks of the message say beside their pieces.
        raw: The calls that the chunks have raw, beside the pieces; `None` for a whole message.
        is_whole: Whether the message came whole, so that it has ended.
    """

    def __init__(
        self,
        message: AIMessage,
        *,
        is_function: bool,
        lenient: bool,
        tools: ToolSet | None,
        ended: Ended,
        late: LateFields,
        raw: Sequence[NamedCall] | None,
        is_whole: bool,
    ) -> None:
        self._message = message
        self._late = late
        self._raw = raw
        self._is_whole = is_whole
        self._ended = ended
        self._is_function = is_function
        self._lenient = lenient
        self._is_checked = lenient or tools is not None  # LangChain has no tools to look at
        self._tools = tools
        self._names = None if tools is None else tools.names
        self._actions: list[AgentAction] = []
        self._spans: list[Span] = []
        self._made: set[tuple[str, Hashable]] = set()  # by their ids
        self._finish: AgentFinish | None = None
        self._bad: BadCall | None = None
        self._at: int | None = None  # which call of the message is read
        self.events: list[Event] = []
        """The events to emit at the end of the message."""
        self.written: Sequence[Span] = ()
        """Where the calls stand that are written in the content, with all that belongs to them."""

    @property
    def result(self) -> AgentAction | list[AgentAction] | AgentFinish:
        """The actions or the answer, if there is no `error`."""
        if self._finish is not None:
            return self._finish
        return self._actions[0] if self._is_function else self._actions

    def error(self, text: str) -> OutputParserException | None:
        """Return the error of the message with this *text*; `None` if it has no error."""
        bad = self._bad
        if bad is None:
            return None
        error = self._error(bad, text)
        error.ai_message = message_chunk_to_message(self._message)
        if self._at is not None:
            error.call_at = self._at
        return error

    def _error(self, bad: BadCall, text: str) -> OutputParserException:
        if isinstance(bad.problem, ModelRefusalError):
            return bad.problem
        span = bad.span or (0, len(text))
        if isinstance(bad.problem, Problem):
            error = bad.problem.error(text, span, strict=not self._lenient)
            error.problem = bad.name
            error.__cause__ = bad.__cause__
            return error
        from agent_parsers.engine.writing.advice import advice_on_call  # lazily: only for errors

        error = bad.problem
        if self._tools is not None:
            error.observation = advice_on_call(error, text[slice(*span)], self._tools)
        error.llm_output, error.span = text, span
        return error

    def refuses(self) -> bool:
        """Return whether the message is a refusal: an error, whatever else it contains."""
        message = self._message
        calls = bool(tool_pieces(message) or function_pieces(message))
        error = refusal_error(message, text_of(message.content, untyped=True), calls=calls)
        if error is None:
            return False
        self._bad = BadCall(error)
        return True

    def contradicts(self, indexes: Iterable[int | None], *, by_whole: bool) -> bool:
        """Return whether the stream contradicts itself, or has pieces of calls that are not read.

        Its calls have these *indexes*. With *by_whole*, a whole message contradicts its chunks.
        """
        late = self._late
        if by_whole:
            self._bad = BadCall("other_whole")
        elif late.contradicted:
            self._bad = BadCall("contradicted", field=late.contradicted)
        elif kind := next((late.unread[i] for i in indexes if i in late.unread), ""):
            self._bad = BadCall("unread_piece", kind=kind)
        return self._bad is not None

    def has_other_calls(self) -> bool:
        """Return whether the message has further calls in a field that its own calls are not in."""
        if not self._is_checked:
            return False
        message, whole = self._message, self._late.whole_calls
        calls, kwargs = tool_pieces(message), message.additional_kwargs
        functions = function_pieces(message)
        if whole and not calls:
            own = {call_key(call.name, call.arguments) for call in functions}
            lost = (str(name) for name, given in whole if call_key(name, given) not in own)
            if name := next(lost, ""):
                self._bad = BadCall("call_beside_pieces", tool=name)
            return bool(name)
        if not calls or not (whole or kwargs or isinstance(message.content, list)):
            return False
        is_whole = self._raw is None
        raw = raw_calls(kwargs.get("tool_calls")) if self._raw is None else self._raw
        blocks = calls_in(message.content) if is_whole else ()
        other = call_elsewhere(message, raw, blocks, whole)
        if other is None and isinstance(kwargs.get("function_call"), dict):
            known = {call_key(call.name, call.arguments) for call in calls}
            for call in functions:
                if call_key(call.name, call.arguments) not in known:
                    other = str(call.name)
        if other is not None:
            self._bad = BadCall("call_beside", tool=other)
        return self._bad is not None

    def leaves_a_call(self) -> bool:
        """Return whether there is another call, in the content or in a member that is not read.

        That is an error whatever else the message contains: all of its calls are made, or none.
        """
        message = self._message
        if not self._is_checked:
            return False
        content, begun = message.content, self._late.begun
        beside = {**message.additional_kwargs, **(message.model_extra or {})}
        if isinstance(content, str) and not beside and not begun:
            return False
        pieces = [*tool_pieces(message), *function_pieces(message)]
        ids, names = [piece.id for piece in pieces], [piece.name for piece in pieces]
        tools = self._names or ()
        kind = unread_call(content, ids=ids, names=names, tools=tools)
        if kind := kind or next(iter(begun.values()), ""):
            self._bad = BadCall("unread_call", kind=kind)
        elif kind := unread_member(beside, tools):
            self._bad = BadCall("unread_member", member=kind)
        return bool(kind)

    def report_unread_text(self, end: int) -> None:
        """Report a text in a block of unknown type, which is not part of the text up to *end*."""
        content = self._message.content
        if not self._lenient or isinstance(content, str):
            return
        from outputs.messages.content_blocks import unread_text  # lazily: few have blocks

        if kind := unread_text(content):
            message = f"dropped the text in a block of the unknown type {kind!r}"
            self.events.append(Repair("unread_text", (end, end), message))

    def read_answer(self, end: int) -> None:
        """Read the content, which ends at offset *end*, as the answer.

        In lenient mode a message with calls of the other kind, or without any text, is an error;
        in strict mode its content is the answer, as in LangChain. Calls of the other kind are an
        error in strict mode too if the tools are known.
        """
        if is_paused(self._message.response_metadata or {}):
            self._bad = BadCall("paused")
            return
        find_others = tool_pieces if self._is_function else function_pieces
        reason = reason_to_call(self._message.response_metadata or {})
        if (self._is_checked or reason) and find_others(self._message):
            self._bad = BadCall("tool_calls" if self._is_function else "function_call")
            return
        content = self._answer()
        if self._lenient and content.strip() and self._read_foreign(content, end):
            return
        if reason:
            choices = self._late.choices
            where = (
                f"; choice {choices[0]} has one, but only the first choice is read"
                if choices
                else ""
            )
            self._bad = BadCall("lost_call", reason=reason, where=where)
            return
        is_thought = not content and bool(self._content)
        is_empty = not content.strip() if self._lenient else content == [] and not self._is_whole
        if is_thought or is_empty:
            problem = "only_thought" if is_thought else "empty_message"
            self._bad = BadCall("cut_before_text" if self._ended == "length" else problem)
            return
        answer: Any = content
        if (output_type := output_type_of(self._tools)) is not None:
            try:
                read = output_type.read(
                    text_of(content, untyped=True),
                    lenient=self._lenient,
                    is_cut=self._ended == "length",
                )
            except OutputParserException as error:
                self._bad = BadCall(error, (0, end))
                return
            notes = (note for note in read.notes if note.kind)
            self.events += (Repair(note.kind, (0, end), note.message) for note in notes)
            answer = read.value
        self._finish = make_finish(answer, str(self._content))
        if self._ended == "length":
            self.events.append(cut_answer((0, end)))
        self.events.append(Finish(self._finish, (0, end)))

    def _read_foreign(self, content: str, end: int) -> bool:
        """Read the calls that *content*, which ends at offset *end*, has in another form.

        Returns:
            Whether it has calls, or something that looks like one, which is an error.
        """
        at = end - len(content)
        expected = "a native call"
        made: list[Repair] = []
        said = reasoning_end(content)
        try:
            calls = foreign_calls(made, content, [(0, said)], expected, self._tools)
        except BadPayload as bad:
            self._bad = BadCall(bad.error or "no_call", (bad.span[0] + at, bad.span[1] + at))
            return True
        if calls and self._ended == "length":
            self._bad = BadCall("cut_content_call")
        elif len(calls) > 1 and self._is_function:
            self._bad = BadCall("several_calls")
        if self._bad is None and calls:
            self.written = [(start + at, stop + at) for start, stop in calls[0].frame]
            self.events += (repair.moved(at) for repair in made)
            for call in calls:
                self._add(
                    call.tool, call.tool_input, call.id, (call.span[0] + at, call.span[1] + at)
                )
            self._end()
        return bool(calls)

    @cached_property
    def _content(self) -> Any:
        """Return the content in the form that answers and logs contain."""
        # LangChain returns blocks as they are. A loop that works with any parser expects text.
        content = self._message.content
        return text_of(content, untyped=True) if self._lenient else content

    def _answer(self) -> Any:
        """Return the content that is the answer of a message without calls."""
        content = self._message.content
        if not isinstance(content, str):
            blocks = [block for block in content if not is_commentary(block)]
            if not self._lenient:
                return blocks
            content = text_of(blocks, untyped=True)
        if not self._lenient or not (end := thought_end(content)):
            return content
        return content[end:].lstrip()

    def read_calls(self, calls: Sequence[EmittedCall]) -> None:
        """Read the calls of the message as actions."""
        try:
            for number, call in enumerate(calls):
                self._at = number
                # The next call shows that this one has ended.
                is_over = call is not calls[-1] or ends_otherwise(self._message)
                is_cut = call.index in self._late.cut
                self._read_call(call, "length" if is_cut else "stop" if is_over else self._ended)
            if self._is_checked:
                self._check_content()
        except BadCall as bad:
            self._bad = bad
        self._end()

    def read_content(self, content: str, start: int) -> bool:
        """Read the calls that are written in the content of a message that has nothing else.

        The text from offset *start* on was held back, since it may be a call.

        Returns:
            Whether there were calls; the events then include them.
        """
        try:
            calls = calls_in_content(content, start, self._names)
            if calls is None:
                return False
            self._read_content_calls(calls)
            self._check_rest(len(content))
            self.written = self._spans
        except BadCall as bad:
            self._bad = bad
            calls = []
        repairs = self.events
        self.events = [*_emit(content, calls, start, self._names), *repairs]
        self._end()
        return True

    def _check_rest(self, end: int) -> None:
        """Raise a `BadCall` if the content, which ends at offset *end*, has another call.

        That is one in another form, beside the calls that were read from the content.
        """
        content = self._content
        at = end - len(content)
        own = [(start - at, stop - at) for start, stop in self._spans]
        hidden = merged([(0, reasoning_end(content)), *own])
        try:
            found = foreign_calls([], content, hidden, "calls in one form", self._tools)
        except BadPayload as bad:
            raise BadCall(bad.error or "no_call", (bad.span[0] + at, bad.span[1] + at)) from None
        made = {call_key(action.tool, action.tool_input) for action in self._actions}
        for call in found:
            if call_key(call.tool, call.tool_input) not in made:
                from agent_parsers.toolset.problems.errors import ForeignCallError  # an error

                reason = f"expected calls in one form, found a call to {call.tool!r} in another"
                error = ForeignCallError(reason, form="in another form")
                raise BadCall(error, (call.span[0] + at, call.span[1] + at))

    def _end(self) -> None:
        if self._bad is None:
            for action, span in zip(self._actions, self._spans, strict=True):
                self.events.append(ActionComplete(action, span))

    def _read_call(self, call: EmittedCall, ended: Ended) -> None:
        name_span = call.name_at, call.args_at
        block = self._next_block(call)
        tool = self._spaced(call, block, name_span)
        tool = tool or self._tool(call.name, name_span, call.written)
        repairs: list[Repair] = []
        at, end = call.args_at, call.end
        try:
            value = self._read_arguments(call, tool, repairs, ended)
            self._check_members(call, block, tool, value)
            tool_input = self._input_of(tool, value, (0, end - at), repairs)
        except BadCall as bad:
            start, stop = bad.span or (0, end - at)
            raise bad.at((start + at, stop + at)) from bad.__cause__
        self.events += (repair.moved(at) for repair in repairs)
        self._add(tool, tool_input, call.id, (call.name_at, end))

    def _read_arguments(
        self, call: EmittedCall, tool: str, repairs: list[Repair], ended: Ended
    ) -> Any:
        """Return the value of the arguments of *call*; *ended* says how the message ended there."""
        written, is_function = call.written, self._is_function
        is_closed = self._is_whole or call.index in self._late.closed
        if ended == "unknown" and call.is_empty and not is_closed:
            raise BadCall("missing_arguments", tool=tool)
        if ended == "length" and not call.shows_end:  # e.g. a number may lack digits
            raise BadCall("open_arguments", tool=tool)
        if call.is_data:
            return written
        if not self._lenient:
            takes_empty = not self._is_checked
            return read_strict(
                written, tool, call.function, is_function=is_function, takes_empty=takes_empty
            )
        may_lack = self._may_lack(tool, ended)
        return read_lenient(
            written, tool, call.function, repairs, is_function=is_function, may_lack=may_lack
        )

    def _check_content(self) -> None:
        """Raise a `BadCall` if the content has a call that is not one of those of the message.

        A call in the content that is cut or broken is a draft of them, and so is one that its tool
        would not take.
        """
        content = text_of(self._message.content, untyped=True)
        if not may_hold_call(content, self._tools):
            return
        calls = {call_key(action.tool, action.tool_input) for action in self._actions}
        for tool, tool_input in self._drafts_in(content):
            is_declared = self._tools is None or tool in self._tools
            if is_declared and call_key(tool, tool_input) not in calls:
                raise BadCall("call_beside", tool=tool)

    def _drafts_in(self, content: str) -> Iterator[tuple[str, Any]]:
        """Yield the calls in *content*, each as its tool and its input."""
        said = reasoning_end(content)
        with suppress(BadCall):
            for call in calls_in_content(content, said, self._names) or ():
                tool = tool_named(call.name, self._names)
                with suppress(BadCall):
                    value = self._read_content_arguments(call, tool, [])
                    yield tool, self._input_of(tool, value, call.span, [])
        with suppress(BadPayload):
            for found in foreign_calls([], content, [(0, said)], "", self._tools):
                yield found.tool, found.tool_input

    @cached_property
    def _blocks(self) -> dict[str | None, deque[dict[Any, Any]]]:
        """The blocks of the content that are calls and were not read, by the ids of the calls."""
        content = self._message.content
        found: dict[str | None, deque[dict[Any, Any]]] = {}
        for block in () if isinstance(content, str) else content:
            if is_call(block):
                found.setdefault(known_id(id_of(block)) or None, deque()).append(block)
        return found

    def _next_block(self, call: EmittedCall) -> dict[Any, Any]:
        """Return the block of the content that is *call*, or else an empty one.

        Blocks with the same id, or without one, are in the order of their calls.
        """
        blocks = self._blocks.get(known_id(call.id) or None)
        return blocks.popleft() if blocks else {}

    def _spaced(self, call: EmittedCall, block: dict[Any, Any], span: Span) -> str:
        """Return the tool of a *call* whose name is in a namespace; ``""`` if it is in none.

        Raises:
            BadCall: There is no such tool.
        """
        space = block.get("namespace")
        if self._tools is None or not isinstance(space, str) or space in ("", "functions"):
            return ""
        for between in _BETWEEN:
            if (name := f"{space}{between}{call.name}") in self._tools:
                return name
        raise BadCall(self._tools.unknown(f"{space}.{call.name}", call.written), span)

    def _check_members(
        self, call: EmittedCall, block: dict[Any, Any], tool: str, value: Any
    ) -> None:
        """Raise a `BadCall` if a member of *call* may belong to the *value* of its arguments."""
        members = {**call.members, **self._late.members.get(call.index, {})}
        members |= members_of_block(block) if block else {}
        if not members:
            return
        tools = self._tools

        def is_missing(name: str) -> bool:
            is_given = isinstance(value, dict) and name in value
            return tools is not None and tools.declares(tool, (name,)) and not is_given

        is_absent = call.is_empty or value == {}
        if name := odd_member(members, is_absent=is_absent, is_missing=is_missing):
            raise BadCall("odd_member", tool=tool, member=name)

    def _may_lack(self, tool: str, ended: Ended) -> MayLack:
        """Return a function that decides whether a call of *tool* may lack its end."""
        tools = self._tools

        def is_enough(lacks: Lack, value: Any) -> bool:
            return may_lack(lacks, ended, lambda: tools is not None and tools.fills(tool, value))

        return is_enough

    def _read_content_calls(self, calls: Sequence[ContentCall]) -> None:
        if len(calls) > 1 and self._is_function:
            raise BadCall("several_calls", (calls[0].span[0], calls[-1].span[1]))
        for call in calls:
            self._read_content_call(call)

    def _read_content_call(self, call: ContentCall) -> None:
        span, name_at = call.span, call.name_at
        tool = self._tool(call.name, (name_at, name_at + len(call.name)), call.arguments)
        message = "read a call that the server left in the content"
        self.events.append(Repair("content_call", span, message))
        made: list[Repair] = []
        try:
            value = self._read_content_arguments(call, tool, made)
            tool_input = self._input_of(tool, value, span, made)
        except BadCall as bad:
            raise bad.at(span) from bad.__cause__
        self.events += (Repair(repair.kind, span, repair.message) for repair in made)
        self._add(tool, tool_input, None, span)

    def _read_content_arguments(self, call: ContentCall, tool: str, repairs: list[Repair]) -> Any:
        value = call.arguments
        if isinstance(value, str):
            function = {"name": call.name, "arguments": value}
            is_whole = self._may_lack(tool, "stop")  # the string is closed
            value = read_lenient(
                value, tool, function, repairs, is_function=False, may_lack=is_whole
            )
        if not self._may_lack(tool, self._ended)(call.lacks, value):
            raise BadCall("cut_content_call")
        return value

    def _input_of(
        self, tool: str, value: Any, span: Span, repairs: list[Repair]
    ) -> str | dict[Any, Any]:
        """Return the *value* of the arguments at *span* as *tool* takes it."""
        is_checked = self._tools is not None and self._tools.checks(tool)
        # A schema may have a parameter for a text.
        takes_text = self._is_function or (self._lenient and is_checked)
        tool_input = as_input(value, tool, takes_text=takes_text)
        if self._tools is None or not is_checked:
            return tool_input
        try:
            found = self._tools.read(tool, tool_input, lenient=self._lenient)
        except OutputParserException as error:
            raise BadCall(error, span) from None
        repairs += (Repair(note.kind, span, note.message) for note in found.notes if note.kind)
        return found.value

    def _tool(self, name: str, span: Span, given: Any) -> str:
        """Return the tool that *name*, which is at *span*, refers to; *given* is its input."""
        tool = tool_named(name, self._names) if self._lenient else name
        if not tool.strip():
            raise BadCall("no_tool_name", span)
        if tool != name:
            self.events.append(Repair("tool_name", span, f"read {name!r} as the tool {tool!r}"))
        if self._tools is not None and tool not in self._tools:
            raise BadCall(self._tools.unknown(tool, given), span)
        return tool

    def _add(
        self, tool: str, tool_input: str | dict[Any, Any], call_id: str | None, span: Span
    ) -> None:
        message = self._message
        try:
            log = log_of(tool, tool_input, self._content)
        except RecursionError as error:
            raise BadCall("deep_arguments", span) from error
        call_id = known_id(call_id)
        if call_id and self._is_checked:
            made = call_id, call_key(tool, tool_input)
            if made in self._made:
                return  # the same call again
            self._made.add(made)
        self._spans.append(span)
        if self._is_function:
            self._actions.append(make_call(tool, tool_input, log, message))
        else:
            self._actions.append(make_tool_call(tool, tool_input, log, message, call_id))


def _emit(
    content: str, calls: Sequence[ContentCall], start: int, tools: Collection[str] | None
) -> list[Event]:
    """Return the events of *content*, which contains *calls*, from *start* on."""
    events: list[Event] = []
    for call in calls:
        if start < call.span[0]:
            events.append(AnswerDelta(content[start : call.span[0]], (start, call.span[0])))
        if call.span[0] < call.name_at:
            events.append(MarkerSeen("call", (call.span[0], call.name_at)))
        start = call.name_at + len(call.name)
        events.append(ToolNamed(tool_named(call.name, tools), (call.name_at, start)))
        if start < call.span[1]:
            events.append(MarkerSeen("call", (start, call.span[1])))
        start = call.span[1]
    if start < len(content):
        events.append(AnswerDelta(content[start:], (start, len(content))))
    return events
