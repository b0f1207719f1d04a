"""Collects the texts of a turn's states into its calls and the content beside them."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Final

from typing_extensions import override

from agent_parsers.actions.agent import AgentAction, AgentFinish, as_text
from agent_parsers.engine.reading.collecting.collector import Collector
from agent_parsers.engine.reading.collecting.early_calls import EarlyCalls
from agent_parsers.engine.reading.collecting.unclosed_thought import (
    InnerEnd,
    UnclosedThought,
    as_thoughts,
    calls_no_tool,
)
from agent_parsers.engine.reading.quoting.beside import TextBeside
from agent_parsers.engine.reading.quoting.judge import FoundCall, ReadyCall, judge
from agent_parsers.engine.reading.quoting.marks import name_of, takes_call
from agent_parsers.engine.reading.quoting.spans import (
    call_holes,
    call_span,
    end_span,
    is_torn,
    merged,
    trimmed,
    without,
)
from agent_parsers.engine.reading.rules.known_tools import output_type_of
from agent_parsers.engine.repairs.payloads import BadPayload
from agent_parsers.engine.tables.table import Part
from agent_parsers.events import (
    ActionComplete,
    AnswerDelta,
    Event,
    MarkerSeen,
    Repair,
    Span,
    ThoughtDelta,
    cut_answer,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from agent_parsers.engine.calls.reader import Call
    from agent_parsers.engine.reading.collecting.collector import Setup, StateEnd
    from agent_parsers.engine.reading.rules.foreign_calls import ForeignCall
    from agent_parsers.engine.reading.rules.states import State
    from output_parsers import OutputParserException

_CLOSES: Final = (Part.CONTENT, Part.SKIPPED)
"""The parts after a closed call; a thought or an invented result may follow an open one too."""
_NO_CALLS: Final = "[] \t\r\n"
"""The characters of a block without a call: white space or an empty list."""
_LONGEST_BLANK: Final = 16
_NOT_ITS_OWN: Final = ("no_call", "stray_text", "no_tool_name", "open_header")
"""Problems of a call whose body may be that of a relative with the same marks."""


class CallsCollector(Collector):
    """Collects the calls of a turn that may have several, and the text outside them.

    The calls are emitted at the end of the turn: if one of them is wrong, none is emitted. In
    lenient mode, text that turns out not to be a call is content and does not affect the others.
    """

    __slots__ = (
        "_beside", "_early", "_empty", "_is_marked", "_is_unfilled", "_lost", "_made", "_met",
        "_unclosed",
    )  # fmt: skip

    _END: ClassVar = "the end of the turn"

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self._made: list[ReadyCall] = []
        self._met: list[FoundCall] = []
        self._beside = TextBeside()
        self._lost: BadPayload | None = None  # the first text that turned out not to be a call
        self._is_marked = True  # whether markers open all calls so far
        self._is_unfilled = False  # whether a region was opened, in which no call was met yet
        self._empty: BadPayload | None = None  # the first empty block
        self._early = EarlyCalls() if setup.calls == "each" else None
        self._unclosed: UnclosedThought | None = None  # set by the first thought that may stay open

    @override
    def take(self, events: list[Event], state: State, text: str, at: int) -> None:
        thought, before = self._unclosed, len(events)
        if thought is not None and thought.inner is not None:
            thought.hold(at, at + len(text))
            return
        super().take(events, state, text, at)
        if state.is_draft:
            as_thoughts(events, before)

    @override
    def leave(self, events: list[Event], left: StateEnd) -> None:
        state, to, thought = left.state, left.to, self._unclosed
        if thought is not None and thought.inner is not None:
            is_end = self.ended != "length" if to is None else to.part is Part.SKIPPED
            if is_end and state.part is Part.THOUGHT:  # no call has begun
                left = left._replace(span=self._end_at_inner(events, left.span, thought))
            self._tell_held(events, thought)
            if thought.is_over:
                return
        if state.is_draft:
            assert thought is not None, "a draft is always part of a thought"
            self._leave_draft(events, left, thought)
        elif to is not None and to.is_draft:
            start, stop = left.span
            if state.part is Part.THOUGHT:
                self._beside.add_thought(left.span)
            self._unclosed_thought().begins_at = start if start < stop else left.stop
        else:
            is_skipped = state.part is Part.SKIPPED and left.span[0] < left.span[1]
            if is_skipped and thought is not None and thought.begins_at >= 0:
                thought.drop_calls(self._beside, thought.begins_at)
                # The end marker does not count either.
                self._lost = self._lost or BadPayload("open_reasoning", left.span)
            self._leave(events, left)

    def _leave(self, events: list[Event], left: StateEnd) -> None:
        """Leave a state by the rules for all texts but the calls in a thought."""
        state, to, span, is_closed = left.state, left.to, left.span, left.is_closed
        if state.part is Part.CONTENT:
            self._kept.clear()
            self._beside.add_content(span)
            if state.is_region and self._is_unfilled:
                self._leave_region(events, to, span)
        is_opened_again = to is state and not is_closed
        if to is not None and (to.is_region is not state.is_region or is_opened_again):
            self._is_unfilled = to.is_region and state.part is not Part.CALL
        if state.part is Part.CONTENT:
            return
        if state.part is Part.THOUGHT:
            self._beside.add_thought(span)
            self._beside.hidden.append((self.label_span[0], left.stop))
            if self._early is not None and not is_closed:
                self._early.wait()  # a later mark may close the thought
        if state.part is Part.SKIPPED and span[0] < span[1]:
            self._beside.skipped_at = span[0]
        must_go_on = bool(state.problem) and not is_closed
        if to is not None and to.part is Part.SKIPPED and must_go_on:  # the turn must not end here
            place = span if span[0] < span[1] else self.label_span
            self._lost = self._lost or BadPayload(state.problem, place)
        met = len(self._met)
        super().leave(events, left)
        if len(self._met) > met and state.new_call is not None:
            self._is_marked = False

    def _unclosed_thought(self) -> UnclosedThought:
        if self._unclosed is None:
            self._unclosed = UnclosedThought()
        return self._unclosed

    def _leave_draft(self, events: list[Event], left: StateEnd, thought: UnclosedThought) -> None:
        """Leave a call in a *thought*, or the text after it."""
        state, to, (start, stop) = left.state, left.to, left.span
        if state.part is Part.CALL:
            before = len(events)
            is_text = self._leave_call_in(thought, events, left)
            as_thoughts(events, before)
            if is_text:
                events[before:] = (e for e in events[before:] if not isinstance(e, Repair))
                is_closed = to is not None and left.is_closed
                end = left.stop if is_closed else max(stop, self.label_span[1])
                thought.drop_calls(self._beside, end)
        elif start < stop:
            thought.drop_calls(self._beside, stop)
        if to is None or to.is_draft:
            return
        if to.part is not Part.SKIPPED:
            end = stop if start < stop else self.label_span[1]
            thought.drop_calls(self._beside, left.stop if to.part is Part.THOUGHT else end)
            thought.begins_at = -1
        elif thought.begins_at < 0 or not (thought.calls or thought.problem):
            self._lost = self._lost or BadPayload("open_reasoning", self.label_span)

    def _leave_call_in(self, thought: UnclosedThought, events: list[Event], left: StateEnd) -> bool:
        """Leave a call in a *thought*, which gets what is read of it.

        Returns:
            Whether there is text that is not a call, so that all of it is part of the thought.
        """
        met, content = len(self._met), len(self._beside.content)
        outside = self._take_faults()
        self._leave(events, left)
        problem, lost = self._take_faults()
        is_text = lost is not None or len(self._beside.content) > content
        thought.calls += self._met[met:]
        faults = (each.bad for each in thought.calls if each.bad is not None)
        wrong = next((bad for bad in faults if bad.problem != "no_call"), None)
        thought.problem = thought.problem or problem or wrong
        del self._met[met:], self._beside.content[content:]
        self.problem, self._lost = outside
        return is_text

    def _take_faults(self) -> tuple[BadPayload | None, BadPayload | None]:
        """Return the first problem and the first text that is not a call, and forget both."""
        faults = self.problem, self._lost
        self.problem = self._lost = None
        return faults

    def _tell_held(self, events: list[Event], thought: UnclosedThought) -> None:
        """Tell the text that was held back, which is part of the *thought*."""
        if thought.inner is not None and (held := thought.inner.held) is not None:
            events.append(ThoughtDelta(self._slice(*held), held))
        thought.inner = None

    def _end_at_inner(self, events: list[Event], span: Span, thought: UnclosedThought) -> Span:
        """End a *thought* at the last mark that may close it, if no call follows; return its span.

        The *span* is that of all its text, of which some may be held back.
        """
        if (inner := thought.inner) is None or inner.held is None:
            return span
        place, (at, stop) = inner.span, inner.held
        said, content = self._slice(at, place[0]).rstrip(), self._slice(place[1], stop).lstrip()
        if not calls_no_tool(content, self._machine.initial):
            return span
        thought.inner = None
        end, start = at + len(said), stop - len(content)
        if said:
            events.append(ThoughtDelta(said, (at, end)))
        events.append(MarkerSeen(inner.name, (end, start)))
        if not content:
            return span[0], end
        message = "ended the thought at the last closing mark, though another thought is still open"
        events.append(Repair("open_reasoning", place, message))
        events.append(AnswerDelta(content, (start, stop)))
        self._beside.marks.append(place)
        if thought.begins_at >= 0:
            thought.drop_calls(self._beside, end)
            thought.begins_at = -1
        else:
            self._beside.add_thought((span[0], end))
        self._beside.add_content((start, stop))
        thought.is_over = True
        return span[0], end

    def _leave_region(self, events: list[Event], to: State | None, span: Span) -> None:
        """Leave the text at *span*, behind a mark that has to enclose calls."""
        start, stop = span
        if to is not None and (to.part is Part.CALL or (to.is_region and start >= stop)):
            return
        problem = "no_call" if start < stop or to is not None else "open_call"
        bad = BadPayload(problem, span if start < stop else self.label_span)
        if start >= stop and to is not None and self._machine.lenient:
            self._empty = self._empty or bad
            message = "dropped a block that contains no call"
            events.append(Repair("empty_call", self.label_span, message))
            return
        hole = self.label_span[0], max(stop, self.label_span[1])
        self._met.append(FoundCall(hole, bad.span, is_bare=False, made=None, bad=bad))

    @override
    def see_mention(self, span: Span, *, opens: bool) -> None:
        self._beside.mention(span, opens=opens)

    @override
    def see_inner_end(self, events: list[Event], name: str, span: Span) -> None:
        if not self._machine.table.drafts:
            return
        thought = self._unclosed_thought()
        self._tell_held(events, thought)
        thought.inner = InnerEnd(name, span)

    @override
    def _with_tool_names(self, events: list[Event]) -> list[Event]:
        for event in events:  # a header may mark its message as a thought
            if isinstance(event, ThoughtDelta):
                self._beside.add_thought(event.span)
        return super()._with_tool_names(events)

    @property
    @override
    def content(self) -> str:
        answer = () if self._answer is None else (self._answer[1],)
        return self._joined(sorted((*self._beside.content, *answer)))

    @property
    @override
    def thought(self) -> str:
        return self._joined(self._beside.thoughts)

    def _joined(self, spans: Iterable[Span]) -> str:
        text = self.text
        return "\n".join(text[start:stop] for start, stop in spans)

    @override
    def with_early_calls(self, error: OutputParserException) -> OutputParserException:
        return error if self._early is None else self._early.note(error)

    @override
    def see_marker(self, label: str, span: Span) -> None:
        super().see_marker(label, span)
        self._beside.marks.append(span)

    @override
    def see_late_marker(self, problem: str, span: Span) -> None:
        if self._met and self.problem is None:
            self.problem = BadPayload(problem, span)

    @override
    def see_stray_closer(self, problem: str, span: Span) -> bool:
        last, bad = self._met[-1].hole if self._met else (-1, -1), BadPayload(problem, span)
        if last[0] >= self.label_span[0] and last != self.label_span:
            return False  # it closes a call
        if problem != "stray_closer":
            self.problem = self.problem or bad
            return False
        before, name = self._slice(self.label_span[1], span[0]), name_of(self._slice(*span))
        is_opened = name and re.search(rf"<{re.escape(name)}(?=[\s>=])", before)
        if before.rstrip()[-1:] in tuple("}])>`") and not is_opened:
            self._met.append(FoundCall(span, span, is_bare=False, made=None, bad=bad))
            return False
        return not self.label or self.label.strip() == self._slice(*span).strip()

    @override
    def restart(self, events: list[Event], left: StateEnd) -> bool:
        before = len(events)
        self.leave(events, left._replace(to=None, stop=left.span[1]))
        events[before:] = (e for e in events[before:] if not isinstance(e, Repair))
        super().restart(events, left)
        self._beside.restart(left.span)
        self._made.clear()
        self._met.clear()
        self._lost = self._empty = None
        self._is_marked = True
        if self._early is not None:
            self.problem = self._early.refuted_by(self._made)
        return True

    @override
    def _end_call(self, events: list[Event], left: StateEnd) -> None:
        state, to, stop = left.state, left.to, left.stop
        if self._call is None and state.new_call is not None and not state.is_labelled:
            return  # content without a text
        is_cut = to is None and self._call is None  # the text ends in a marker that opens a call
        reader = self._call or self._new_call(state)
        self._call = None
        if left.may_be_cut or to is None:
            pass  # half a marker need not become this marker
        elif left.is_closed or (to.part in _CLOSES and not to.is_behind_end):
            reader.see_closer()
        elif to.part is Part.CALL:
            reader.see_next_call()
        last, first = reader.close()
        events += self._with_tool_names(last)
        calls = (first, *reader.more)
        opened_at = self.label_span[0] if self.label else left.span[0]  # a header may need no label
        holes = call_holes(calls, stop, opened_at, is_closed=left.is_closed)
        lead = (0, 0)  # the text before a call in its block
        for call, hole in zip(calls, holes, strict=True):
            for repair in call.repairs:  # a call without text is placed at its marker
                start, end = repair.span
                events.append(repair if start < end else replace(repair, span=self.label_span))
            if call.is_text and not self._is_half_call(call):
                self._beside.add_content(call.span, is_aside=call.is_aside)
                lead = call.span
                continue
            made, wrong = None, None
            try:
                made, lead = self._make(events, call, stop, lead), (0, 0)
            except BadPayload as bad:
                is_text, wrong = bad.problem == "no_call", bad
                if is_text and is_cut:
                    wrong = BadPayload("open_call", self.label_span)
                elif is_text and self._machine.lenient and self._is_empty(events, left, bad, call):
                    wrong = None
            if made is None and wrong is None:
                self._beside.marks.append(hole)  # an answer quotes nothing
            else:
                place = call.whole or (call.span if call.span[0] < call.span[1] else hole)
                # A label may stand before any text.
                is_bare = call.is_bare or (made is None and state.is_labelled)
                self._met.append(FoundCall(hole, place, is_bare, made, wrong, call.is_short))
                if self._early is not None and not state.is_draft:
                    is_open = to is None or left.may_be_cut
                    met = self._met[-1]
                    events += self._early.take(met, self._beside, self._slice, is_open=is_open)

    def _is_half_call(self, text: Call) -> bool:
        """Return whether a *text* is only the name of a tool, whose input may be missing."""
        tools = self.tools
        if tools is None or text.lacks != "input" or self.ended == "stop":
            return False
        return self._slice(*text.span) in tools

    def _is_empty(self, events: list[Event], left: StateEnd, bad: BadPayload, call: Call) -> bool:
        """Return whether nothing stands where a *call* should; other text is content."""
        start, stop = call.span if call.span[0] < call.span[1] else bad.span
        is_short = stop - start <= _LONGEST_BLANK
        is_blank = is_short and not self._slice(start, stop).strip(_NO_CALLS)
        if self.label and left.is_closed and is_blank:
            self._empty = self._empty or bad
            place = (start, stop) if start < stop else self.label_span
            events.append(Repair("empty_call", place, "dropped a block that contains no call"))
            return True
        self._lost = self._lost or bad
        if start < stop:
            self._beside.add_content((start, stop))
            events.append(
                Repair("no_call", (start, stop), "read text as content, since it is not a call")
            )
        elif self.label:
            events.append(Repair("empty_call", self.label_span, "dropped an empty call"))
        return start >= stop

    def _make(self, events: list[Event], call: Call, stop: int, lead: Span) -> ReadyCall | None:
        """Return the executable form of one *call* behind *lead*; `None` if it is an answer.

        Raises:
            BadPayload: The call is wrong.
        """
        if self.label and takes_call(self.text, lead):
            raise BadPayload("call_in_sentence", lead)
        call = self._machine.resolved(call, self.tools)
        if problem := self._machine.call_problem(call, self.ended, self.tools):
            raise BadPayload(problem, call_span(problem, call, stop))
        if call.after is not None:
            message = "the text after the call is not part of the call"
            events.append(Repair("after_call", call.after, message))
        if call.lacks in ("arguments", "values"):
            span = (call.span[1] - 1, call.span[1])
            events.append(Repair("unclosed", span, "accepted a call that is not closed"))
        repairs: list[Repair] = []
        tools = self.tools
        if tools is not None and output_type_of(tools) is not None:
            tools = tools.answering(None)  # the end of the turn reads the answer
        action = self._machine.call_result(call, "", tools, repairs)
        events += repairs
        if isinstance(action, AgentFinish):  # a tool's name that marks the answer
            span = call.input_span or call_span("", call, stop)
            self._answer = (as_text(action.return_values["output"]), span)
            return None
        return ReadyCall(action.tool, action.tool_input, call.id, call_span("", call, stop))

    def _judge(self, events: list[Event]) -> None:
        """Collect the calls that count; the others are text, or wrong."""
        if not self._met:
            return
        judged = judge(self.text, self._met, self._beside, lenient=self._machine.lenient)
        events += judged.repairs
        self._made, self._beside.content = judged.made, judged.content
        self._beside.hidden += judged.hidden
        self.problem = self.problem or judged.problem
        if self._early is not None:
            self.problem = self.problem or self._early.refuted_by(self._made)
        if any(self._lost is met.bad for met in judged.quoted):
            self._lost = None

    @override
    def end_text(self, events: list[Event], state: State, entry: int) -> None:
        state = self._end_thought(events, state)
        log = self.text[:entry].rstrip() if state.is_behind_end else self.text
        self._judge(events)
        if self.problem is not None:
            self._read_as_written(events, log, self.problem)
            return
        if (enclosed := self._beside.enclosed([made.span for made in self._made])) is not None:
            self.problem = enclosed
        elif state.part is Part.SKIPPED and state.problem:  # a marker that must not follow
            has_begun = self._met or self._beside.content or self._answer  # not only thoughts
            is_first = state.problem == "invented_after" and not has_begun
            problem = "invented_first" if is_first else state.problem
            self.problem = self._at_end(problem, entry)
        elif self._made and self._answer is not None and not state.beside_action:
            self.problem = self._at_end("action_and_answer", entry)
        elif self._made and self._leaves_calls_out(state):
            self.problem = BadPayload("open_reasoning", self._beside.thoughts[-1])
        elif self._made and (refused := self._refused(log, [m.span for m in self._made])):
            self.problem = refused
        elif self._made:
            self._act_beside(events, log, entry if state.part is Part.SKIPPED else -1)
        elif self._answer is not None:
            self._finish_as_labelled(events, state, entry, log)
        elif self._lost is not None:
            self.problem = self._lost
        elif not self._beside.content and self._empty is not None:
            self.problem = self._empty
        elif self._beside.content and self._drops_stray_mark(events, state):
            self._finish_as_content(events, state, entry, log)
        elif state.problem or state.is_draft or not self._beside.content:
            is_invented = state.is_behind_end and self._beside.skipped_at >= 0
            problem = "open_reasoning" if state.is_draft else "no_action_or_answer"
            problem = "invented_first" if is_invented else problem
            self.problem = self._at_end(state.problem or problem, entry)
        else:
            self._finish_as_content(events, state, entry, log)

    def _end_thought(self, events: list[Event], state: State) -> State:
        """Collect the calls at the end of an open thought; return the state where the text ends."""
        thought = self._unclosed
        if thought is None:
            return state
        if thought.problem is not None:
            self.problem = self.problem or thought.problem
        elif thought.calls and self.ended == "length":
            self.problem = self.problem or BadPayload("open_reasoning", thought.calls[0].place)
        else:
            self._met += thought.end_calls(events)
        is_settled = thought.is_over and state.part is Part.THOUGHT
        return self._machine.initial if is_settled else state

    def _leaves_calls_out(self, state: State) -> bool:
        """Return whether a thought behind calls, in which the text ends, may have another."""
        start, stop = self._beside.thoughts[-1] if self._beside.thoughts else (0, 0)
        is_open = state.part is Part.THOUGHT or state.is_draft
        if not is_open or start <= self._made[0].span[0]:
            return False
        return not calls_no_tool(self._slice(start, stop), self._machine.initial)

    def _drops_stray_mark(self, events: list[Event], state: State) -> bool:
        """Drop a last line that only opens a thought, where the model stopped.

        Returns:
            Whether there was one; it says nothing, so the drop is only reported.
        """
        is_open = state.part is Part.THOUGHT and state.problem == "open_reasoning"
        if not (self._machine.lenient and self.ended == "stop" and is_open):
            return False
        text, (start, stop) = self.text, self.label_span
        if (text[text.rfind("\n", 0, start) + 1 : start] + text[stop:]).strip():
            return False
        message = "dropped a reasoning marker with nothing after it"
        events.append(Repair("open_reasoning", self.label_span, message))
        return True

    def _finish_as_content(self, events: list[Event], state: State, entry: int, log: str) -> None:
        """Make the answer that is the content of a turn without calls."""
        spans = self._beside.answer
        answer = self._joined(spans)
        none = "no_action_or_answer"
        span = (spans[0][0], spans[-1][1]) if spans else end_span(none, log, entry)
        over = entry if state.part is Part.SKIPPED else -1
        repairs: list[Repair] = []
        try:
            self._machine.check_answer(answer, span, self.tools)
            hidden = merged([*self._beside.thoughts, *self._beside.hidden])
            own = self._machine.dialect.name if any(met.bad is None for met in self._met) else ""
            if calls := self._foreign(events, hidden, over, own=own):
                self._act_as(events, calls, log)
                return
            if not spans:
                self.problem = BadPayload(none, span)
                return
            is_cut = self.ended == "length" and state.part is not Part.SKIPPED
            finish = self._machine.finish(answer, log, span, self.tools, repairs, is_cut=is_cut)
        except BadPayload as bad:
            self.problem = bad
            return
        events += repairs
        if is_cut:
            events.append(cut_answer(span))
        self._done(events, finish, span)

    def _finish_as_labelled(self, events: list[Event], state: State, entry: int, log: str) -> None:
        """Make the answer that is enclosed in its own markers; content outside it is dropped."""
        assert self._answer is not None, "the answer was read"
        answer, span = self._answer
        if state.problem or (state.is_open_answer and not answer):
            problem = state.problem or "no_action_or_answer"
            self.problem = BadPayload(problem, end_span(problem, log, entry))
            return
        if state.is_open_answer and self._machine.lenient:
            events.append(
                Repair("unclosed", span, "the answer is not closed; read it to the end of the text")
            )
        for start, stop in self._beside.content if self._machine.lenient else ():
            message = "dropped the text outside the answer"
            events.append(Repair("beside_answer", (start, stop), message))
        try:
            self._finish(events, log)
        except BadPayload as bad:
            self.problem = bad

    @override
    def _act_as(self, events: list[Event], calls: Sequence[ForeignCall], log: str) -> None:
        self._made = [ReadyCall(call.tool, call.tool_input, call.id, call.span) for call in calls]
        left = without(self._beside.content, calls[0].frame)
        text = self.text
        self._beside.content = [trimmed(text, *span) for span in left if text[slice(*span)].strip()]
        self._act(events, log)

    def _read_as_written(self, events: list[Event], log: str, bad: BadPayload) -> None:
        """Make the calls of a relative that has the marks of this dialect, and wrote the turn.

        They are made only if the body of a call is not written as in this dialect.
        """
        if bad.problem not in _NOT_ITS_OWN or (self._early is not None and self._early.made):
            return
        with suppress(BadPayload):
            if calls := self._foreign(events, self._beside.thoughts, is_own=True):
                self.problem = None
                self._act_as(events, calls, log)

    def _act_beside(self, events: list[Event], log: str, over: int) -> None:
        """Make the calls of a turn, unless its content holds others in another form."""
        said = [*self._beside.content, *self._beside.thoughts]
        is_bare = self._beside.content and any(met.is_bare for met in self._met)
        if is_bare and is_torn(self.text, without([(0, len(self.text))], said)):
            self.problem = BadPayload("odd_brackets", self._made[0].span)
            return
        if self._beside.content and self.tools is not None:
            # imported lazily: few turns have text beside calls
            from agent_parsers.engine.reading.rules.more_input import more_input

            if more := more_input(self.text, self._met, self._beside, self.tools):
                self.problem = more
                return
        end = len(self.text) if over < 0 else over
        beside = without([(0, end)], self._beside.content)
        hidden = merged([*beside, *self._beside.marks, *self._beside.hidden])
        try:
            found = self._foreign([], hidden, over) if self._beside.content else ()
        except BadPayload as bad:
            self.problem = bad
            return
        known = [(made.tool, made.tool_input) for made in self._made]
        other = next((call for call in found if (call.tool, call.tool_input) not in known), None)
        if other is None:  # the content only says what is called
            self._act(events, log)
        else:
            self.problem = BadPayload("other_form", other.span)

    def _act(self, events: list[Event], text: str) -> None:
        # imported lazily: only turns with calls need it
        from agent_parsers.actions.tool_action import make_message, make_tool_call

        early = 0 if self._early is None else len(self._early.made)
        message = make_message(text)
        actions: list[AgentAction] = []
        for number, made in enumerate(self._made):
            action = make_tool_call(made.tool, made.tool_input, text, message, made.id)
            actions.append(action)
            if number >= early:
                events.append(ActionComplete(action, made.span))
        self.result = actions
