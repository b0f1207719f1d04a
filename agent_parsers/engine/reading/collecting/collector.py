"""Collects the texts of a turn's states into actions, answers and errors, chunk by chunk."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from agent_parsers.actions.agent import AgentAction, AgentFinish
from agent_parsers.engine.reading.collecting.turn_text import TurnText
from agent_parsers.engine.reading.quoting.spans import end_span
from agent_parsers.engine.reading.quoting.watch import QuoteWatch
from agent_parsers.engine.reading.rules.foreign import foreign_calls
from agent_parsers.engine.reading.rules.inputs import unmarked
from agent_parsers.engine.repairs.payloads import BadPayload
from agent_parsers.engine.tables.table import Part
from agent_parsers.events import (
    ActionComplete,
    Event,
    Finish,
    Repair,
    Span,
    ThoughtDelta,
    ToolNamed,
)
from outputs.growing_json.kept_text import KeptText

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agent_parsers.engine.calls.reader import CallReader
    from agent_parsers.engine.reading.rules.foreign_calls import ForeignCall
    from agent_parsers.engine.reading.rules.machine import Advise, Machine
    from agent_parsers.engine.reading.rules.states import State
    from agent_parsers.engine.tables.modes import EmitCalls
    from agent_parsers.toolset import ToolSet
    from output_parsers import OutputParserException
    from outputs.messages.ended import Ended


class Setup(NamedTuple):
    """The settings with which a turn is read; they do not change while it is read."""

    machine: Machine
    tools: ToolSet | None
    """The available tools; `None` accepts any tool."""
    advise: Advise | None
    """Writes the observations of errors."""
    calls: EmitCalls = "all"
    """When calls are emitted; see `StreamParser`."""
    reads_foreign: bool = False
    """Whether the text of an answer is searched for calls in the form of another dialect."""
    refusal: Callable[[str, Ended, Sequence[Span]], BadPayload | None] | None = None
    """Returns why not all calls at these places of a text are made; `None` if they are."""
    keeps_text: bool = True
    """Whether the whole text is kept; a log without a limit would need all memory."""


class StateEnd(NamedTuple):
    """A state whose text has ended, as reported by the scanner."""

    state: State
    to: State | None
    """The next state; `None` at the end of the text."""
    span: Span
    """Span of its text, without the white space around it."""
    stop: int
    """Where the state ends: before the next marker, or after it if the marker closes the state."""
    is_closed: bool = False
    """Whether the next marker closes the state."""
    may_be_cut: bool = False
    """Whether the text ends in only half of that marker, and may have been cut there."""

    @property
    def is_sound(self) -> bool:
        """Whether the next state, or the last one if there is no next, is free of problems."""
        return not (self.state if self.to is None else self.to).problem


class LeftText(NamedTuple):
    """The text of a state that has ended."""

    text: str
    """The text without the emphasis that its label opened."""
    span: Span
    """The span of `text`."""
    raw: str
    """The text as written."""
    watch: QuoteWatch | None
    """What was seen of quotations in it."""


class Collector:
    """Collects the texts of a turn; subclasses turn them into actions, answers and errors."""

    __slots__ = (
        "_answer", "_call", "_kept", "_machine", "_named_at", "_setup", "_watch", "_whole",
        "add", "ended", "label", "label_span", "problem", "result", "tools",
    )  # fmt: skip

    _END: ClassVar = "the answer"
    """What a turn ends with, for messages."""

    def __init__(self, setup: Setup) -> None:
        self._setup, self._machine = setup, setup.machine
        self.tools: ToolSet | None = setup.tools
        """The available tools; `None` accepts any tool."""
        self._whole = TurnText(is_kept=setup.keeps_text)
        self._kept = KeptText()  # the text of this state
        self._call: CallReader | None = None  # reads it, if it may hold a call
        self._watch: QuoteWatch | None = None  # sees the quotations in it
        self._named_at: list[tuple[int, str]] = []  # the tools that were named so far, and where
        self._answer: tuple[str, Span] | None = None
        self.problem: BadPayload | None = None
        """The first problem of the turn."""
        self.result: AgentAction | list[AgentAction] | AgentFinish | None = None
        self.label: str = ""
        """The marker before the text of this state, as written."""
        self.label_span: Span = (0, 0)
        """Span of that marker, without white space around it."""
        self.ended: Ended = "unknown"
        """How the text ended; set before the end is read."""
        self.add: Callable[[str], None] = self._whole.add
        """Takes the next chunk of the whole text, including markers."""

    @property
    def text(self) -> str:
        """All text so far; empty if it is not kept."""
        return self._whole.text

    @property
    def has_call_begun(self) -> bool:
        """Whether a call has begun."""
        return self._call is not None and self._call.has_call_begun

    @property
    def is_quoting(self) -> bool:
        """Whether the text ends inside a quotation, so that the next marker is plain text."""
        if self._watch is not None:
            return self._watch.holds_marker()
        return self._call is not None and self._call.is_quoting

    @property
    def is_in_value(self) -> bool:
        """Whether the text ends inside a value of a call."""
        return self._call is not None and self._call.is_in_value

    @property
    def is_message(self) -> bool:
        """Whether the text turned out to be a message rather than a call."""
        return self._call is not None and self._call.is_message

    def holds(self, part: str) -> bool:
        """Return whether the text of this state, if it is kept, contains *part*."""
        return part in str(self._kept)

    def is_in_fence(self, start: int, stop: int) -> bool:
        """Return whether a fence opened at offset *start* or later is open at offset *stop*."""
        return self._whole.is_in_fence(start, stop)

    def is_in_code(self, at: int) -> bool:
        """Return whether *at* is an offset in code; code in thoughts and calls is ignored."""
        return self._whole.is_in_code(at)

    @property
    def opened_at(self) -> int:
        """Where the quotation opens in which the text ends; -1 if that is not known."""
        return -1 if self._watch is None else self._watch.opened_at

    def take(self, events: list[Event], state: State, text: str, at: int) -> None:
        """Add more text of *state* and emit its events."""
        if state.delta is not None:
            events.append(state.delta(text, (at, at + len(text))))
        elif state.part is Part.CALL:
            if self._call is None:
                self._call = self._new_call(state)
            events += self._with_tool_names(self._call.feed(text, at))
        if state.is_kept:
            self.keep(state, text, at)

    def keep(self, state: State, text: str, at: int) -> None:
        """Keep more text of *state* for the result."""
        self._kept.add(text)
        if state.watches:
            if self._watch is None:
                self._watch = QuoteWatch(fences_only=state.part is Part.ANSWER, at=at)
            self._watch.feed(text)

    def _new_call(self, state: State) -> CallReader:
        """Return a reader for the next call in *state*."""
        return (state.new_call or self._machine.new_call)()

    def leave(self, events: list[Event], left: StateEnd) -> None:
        """Finish the text of a state: create its action or answer, or record its problem."""
        state, span = left.state, left.span
        if state.part is Part.THOUGHT:
            self._whole.begin_code(left.stop)
        elif state.is_block and self._machine.table.several:
            self._whole.leave_out(self.label_span[0], left.stop)
        raw = text = str(self._kept)
        self._kept.clear()
        watch, self._watch = self._watch, None
        if text and self._machine.lenient and (text := unmarked(raw, self.label)) != raw:
            span = (span[0], span[0] + len(text))
            message = "removed the end of the emphasis that begins at the label"
            events.append(Repair("emphasis", (span[1], left.span[1]), message))
        try:
            self._end_part(events, left, LeftText(text, span, raw, watch))
        except BadPayload as bad:
            self._fail(events, bad)

    def _end_part(self, events: list[Event], left: StateEnd, written: LeftText) -> None:
        """Take the text of a part that is over; raise `BadPayload` if it is not as it should be."""
        state, to, span = left.state, left.to, written.span
        match state.part:
            case Part.CALL:
                self._end_call(events, left)
            case Part.ANSWER:
                if state.is_bare and written.text and (to is None or to.part is not Part.ANSWER):
                    message = "read text without a label as the answer"
                    events.append(Repair("bare_answer", span, message))
                self._answer = (written.text, span)
            case Part.SKIPPED if not state.is_behind_end and left.is_sound and span[0] < span[1]:
                if self._machine.lenient:
                    message = f"ignored the text after {self._END}"
                    events.append(Repair("after_answer", span, message))

    def _end_call(self, events: list[Event], left: StateEnd) -> None:
        """Take a call whose text is over."""
        raise NotImplementedError

    def end_text(self, events: list[Event], state: State, entry: int) -> None:
        """Finish the text, which ends in *state*: set the result or the problem.

        The marker that led to this state, which has ended already, begins at *entry*.
        """
        raise NotImplementedError

    @property
    def content(self) -> str | None:
        """The content outside calls; `None` in dialects of one call: the events have it."""
        return None

    @property
    def thought(self) -> str | None:
        """The thought; `None` in dialects whose turns have only one call: the events have it."""
        return None

    def see_marker(self, label: str, span: Span) -> None:
        """Record the marker at *span* that precedes the next text, as written."""
        self.label, self.label_span = label, span

    def see_late_marker(self, problem: str, span: Span) -> None:
        """Record a marker at *span* that is not allowed after a call."""

    def see_stray_closer(self, problem: str, span: Span) -> bool:  # noqa: ARG002
        """Record a marker at *span*, after some text, that can only close a call.

        Return whether it closes nothing, neither a call nor what a marker has opened.
        """
        return False

    def see_mention(self, span: Span, *, opens: bool) -> None:
        """Record that text at *span* only mentions a marker that opens or closes a thought."""

    def see_inner_end(self, events: list[Event], name: str, span: Span) -> None:
        """Record that a marker at *span* closes a nested thought."""

    def restart(self, events: list[Event], left: StateEnd) -> bool:
        """Drop the turn up to the end of this state: all of it was reasoning.

        Returns:
            Whether it was dropped; it is kept if it certainly was not reasoning.
        """
        if left.state.part is Part.TOOL and self._kept:
            events.append(ThoughtDelta(str(self._kept), left.span))
        if self._call is not None:
            events += self._with_tool_names(self._call.close()[0])
        self._kept.clear()
        self._call = self._watch = self._answer = self.problem = None
        return True

    def enter(self, events: list[Event], part: Part, start: int) -> None:
        """Begin text of this *part* at *start*; in a transcript, this may end a step."""

    def error(self, announced: str = "") -> OutputParserException | None:
        """Return the error of the turn, or of an answer if a stop reason has *announced* a call."""
        if announced and self.problem is None and isinstance(self.result, AgentFinish):
            self.problem = BadPayload("lost_call", (0, len(self.text)), mark=announced)
            self.result = None
        if (bad := self.problem) is None:
            return None
        named, advise = self._named_before(bad), self._setup.advise
        return self.with_early_calls(self._machine.error(bad, self.text, self.tools, advise, named))

    def with_early_calls(self, error: OutputParserException) -> OutputParserException:
        """Return *error* with a note that lists the calls emitted before it, if any."""
        return error

    def _with_tool_names(self, events: list[Event]) -> list[Event]:
        """Replace the names of tools in *events* by their repaired names."""
        for at, event in enumerate(events):
            if isinstance(event, ToolNamed):
                events[at] = event = self._machine.named(event, self.tools)  # noqa: PLW2901
                self._named_at.append((event.span[0], event.tool))
        return events

    def _named_before(self, bad: BadPayload) -> str:
        """Return the tool of the call that is *bad*; ``""`` if it has none yet."""
        before = (tool for at, tool in reversed(self._named_at) if at <= bad.span[1])
        return next(before, "")

    def _done(self, events: list[Event], result: AgentAction | AgentFinish, span: Span) -> None:
        """Emit the result of the step, which is at *span*."""
        if isinstance(result, AgentFinish):
            events.append(Finish(result, span))
        else:
            if (bad := self._refused(result.log, [span])) is not None:
                raise bad
            events.append(ActionComplete(result, span))
        self.result = result

    def _refused(self, log: str, calls: Sequence[Span]) -> BadPayload | None:
        """Return why the *calls* of a turn with this *log* are not made; `None` if they are."""
        if self._setup.refusal is None:
            return None
        is_all = len(log) >= len(self.text.rstrip())  # else a mark ends the turn
        return self._setup.refusal(log, self.ended if is_all else "stop", calls)

    def _finish(
        self, events: list[Event], log: str, *, is_cut: bool = False, may_lack: bool = True
    ) -> None:
        """Make the answer of the turn; unless it *may_lack* any text, there has to be some."""
        assert self._answer is not None, "the turn has an answer"
        written, span = self._answer
        repairs: list[Repair] = []
        try:
            answer = self._machine.read_answer(written, repairs)
        except BadPayload as bad:
            raise bad.moved(span[0]) from None
        if not (written.strip() or may_lack):
            raise BadPayload("no_action_or_answer", span)
        self._machine.check_answer(answer, span, self.tools)
        if calls := self._foreign(events, self._outside(span)):
            self._act_as(events, calls, log)
            return
        repairs = [repair.moved(span[0]) for repair in repairs]
        result = self._machine.finish(answer, log, span, self.tools, repairs, is_cut=is_cut)
        events += repairs
        self._done(events, result, span)

    def _outside(self, span: Span) -> list[Span]:
        """Return where text stands that is not at *span*."""
        return [(0, span[0]), (span[1], len(self.text))]

    def _foreign(
        self, events: list[Event], hidden: Sequence[Span], over: int = -1, **own: Any
    ) -> tuple[ForeignCall, ...]:
        """Return the calls in the text of an answer that are in the form of another dialect.

        The *events* collect the repairs; for the rest, see `foreign_calls`.

        Raises:
            BadPayload: The text contains something that looks like a call but cannot be made.
        """
        if not self._setup.reads_foreign:
            return ()
        expected = f"a call in the format of {self._machine.dialect.name}"
        repairs: list[Repair] = []
        calls = foreign_calls(repairs, self.text, hidden, expected, self.tools, over, **own)
        events += repairs
        if calls and self.ended == "length":
            raise BadPayload("open_call", calls[-1].span)
        return calls

    def _act_as(self, events: list[Event], calls: Sequence[ForeignCall], log: str) -> None:
        """Make *calls* found in an answer; raise `BadPayload` if a turn may not have so many."""
        raise NotImplementedError

    def _fail(self, _events: list[Event], bad: BadPayload) -> None:
        """Record what is wrong with the turn; the first problem counts."""
        self.problem = self.problem or bad

    def _at_end(self, problem: str, entry: int) -> BadPayload:
        """Return a *problem* of the turn, whose last marker begins at *entry*; see `end_span`."""
        return BadPayload(problem, end_span(problem, self.text, entry))

    def _log(self, to: State | None, stop: int) -> str:
        """Return the model's text up to *stop*: all of it, if the turn ends with the text."""
        return self.text if to is None else self._slice(0, stop).rstrip()

    def _slice(self, start: int, stop: int) -> str:
        """Return the text from *start* to *stop*; see `TurnText.slice`."""
        return self._whole.slice(start, stop)
