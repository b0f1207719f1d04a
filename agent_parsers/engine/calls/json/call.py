"""Call reader for calls that are JSON objects: ``{"action": "search", "action_input": "…"}``.

The reader takes a whole turn, including prose and fences. It emits the prose as a thought, the name
of the tool once it is complete, and the input or the answer while it is written. Escapes in an
answer are resolved, so that it can be shown as it arrives.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final

from typing_extensions import override

from agent_parsers.engine.calls.json.enclosers import (
    Closers,
    after_call,
    begins_clause,
    between_calls,
    goes_on,
    with_fence,
)
from agent_parsers.engine.calls.json.search import JsonSearch
from agent_parsers.engine.calls.json.watch import JsonWatch, LenientWatch, repairs_within
from agent_parsers.engine.calls.reader import Call, TextEvent
from agent_parsers.events import (
    AnswerDelta,
    Event,
    InputDelta,
    MarkerSeen,
    Repair,
    SkippedDelta,
    Span,
    ThoughtDelta,
    ToolNamed,
)

if TYPE_CHECKING:
    from agent_parsers.engine.calls.json.members import Member
    from agent_parsers.engine.calls.json.rules import JsonCallRules
    from agent_parsers.engine.repairs.payloads import Lack

_AROUND_KEY: Final = "{\"'` \t\r\n"
"""What may stand before and after the first key of a call."""


class JsonCall(JsonSearch):
    """Reads the call in a text: the first JSON object that is a call.

    A call is an object with the dialect's own key for the name of a tool or, in lenient mode, with
    the keys of another dialect for name *and* input. Objects before it that are not calls are part
    of the thought.

    Args:
        rules: How the dialect writes calls.
        lead: The kind of event that text before the call becomes.
        in_fence: Whether a fence is still open that was opened before an earlier call.
    """

    problems: ClassVar[frozenset[str]] = JsonSearch.problems | {"several_actions"}

    left: str
    """Text after the call; set only if several calls may follow."""

    def __init__(
        self,
        rules: JsonCallRules,
        *,
        lead: type[ThoughtDelta | AnswerDelta] = ThoughtDelta,
        in_fence: bool = False,
    ) -> None:
        super().__init__(rules, lead=lead)
        match = between_calls if rules.several else after_call
        self.closers: Closers = Closers(match, in_rows=rules.in_rows, in_fence=in_fence)
        """The closers after the JSON, and what follows them."""
        self.left = ""

    @property
    def place(self) -> Span:
        """Span of the JSON of the call, once it is complete."""
        return self._base, self._end

    @property
    @override
    def rest_at(self) -> int:
        return self._after if self._start >= 0 else -1

    @override
    def _set_up(self, at: int) -> None:
        super()._set_up(at)
        self._is_answer = False  # whether the name of the tool means the final answer
        self._emitted = 0  # characters of the answer
        self._end = -1  # of the JSON
        self._after = -1  # where text after the call begins

    # -- events of the call -----------------------------------------------------------------------

    @override
    def _begin(self, events: list[Event]) -> None:
        self._next_step = self._read_call
        self._read_call("", events)

    def _read_call(self, text: str, events: list[Event]) -> None:
        json = self._json
        assert json is not None, "the call has begun"
        if text:
            json.feed(text)
        self._report(json, events)
        if json.error is not None:
            self._next_step = self._skip_rest
            self._skip_rest("", events)
        elif json.end is not None:
            self._end = json.end
            self.closers.in_fence = self.closers.in_fence or "`" in self.encloser
            self._next_step = self._read_after
            self._read_after("".join(self._pieces)[self._end - self._at :], events)

    def _report(self, json: JsonWatch, events: list[Event]) -> None:
        """Emit what was not emitted yet of the members of the call."""
        members = self._members
        for member in members.call:
            if member is not members.tool:
                self._emit_input(json, member, events)
            elif member.end >= 0 and not member.is_begun:
                self._emit_tool(member, events)
            if member.end < 0:
                return

    def _emit_tool(self, member: Member, events: list[Event]) -> None:
        member.is_begun = True
        if not self._rules.keys.tool:
            self._place_name(member)
        self._is_answer = self._rules.is_answer(member.value)
        start, end = member.span
        if member.is_text and not self._is_answer and start < end:
            self._emit_to(start, MarkerSeen, events, self._rules.keys.quoted[0])
            self._emit_to(end, ToolNamed, events, member.value.strip())

    def _place_name(self, member: Member) -> None:
        """Set where the name stands that is the first key of the call."""
        start, end = self._base + 1, member.key_end - 1
        before = "".join(self._pieces)[start - self._at : end - self._at]
        key = before.strip(_AROUND_KEY)
        start += before.index(key)
        member.start, member.end = start - 1, start + len(key) + 1  # as if in quotes

    def _emit_input(self, json: JsonWatch, member: Member, events: list[Event]) -> None:
        """Emit what is known of the input."""
        if member.start < 0:
            if member.end < 0:
                return
            # It is neither a string nor a container; white space may precede it.
            text = "".join(self._pieces)[member.key_end - self._at :]
            member.start = member.key_end + len(text) - len(text.lstrip())
        if not member.is_begun:
            member.is_begun = True
            self._emit_to(member.span[0], MarkerSeen, events, self._rules.keys.quoted[1])
        stop = member.span[1] if member.end >= 0 else json.known
        if not self._is_answer:
            self._emit_to(stop, InputDelta, events)
        elif stop > self._at:
            decoded = self._decoded(json, member) if member.is_text else None
            self._emit_to(stop, AnswerDelta, events, decoded)

    def _decoded(self, json: JsonWatch, member: Member) -> str:
        """Return the new text of an answer, with its escapes resolved."""
        if member.end < 0 and json.error is None:
            text = json.text_from(self._emitted)
            self._emitted += len(text)
            return text
        whole: str = member.value if member.end >= 0 else json.text_left
        return whole[self._emitted :]

    def _emit_to(
        self, stop: int, kind: TextEvent, events: list[Event], name: str | None = None
    ) -> None:
        """Emit the text up to *stop* that was not emitted yet; *name* replaces it in the event."""
        size = stop - self._at
        if size > 0:
            text = "".join(self._pieces)
            self._pieces = [text[size:]]
            events.append(kind(text[:size] if name is None else name, (self._at, stop)))
            self._at = stop

    # -- text after the call ----------------------------------------------------------------------

    def _skip_rest(self, _text: str, events: list[Event]) -> None:
        self._emit_to(self._size, SkippedDelta, events)

    def _read_after(self, text: str, events: list[Event]) -> None:
        closers = self.closers
        if self._after < 0:
            stop = closers.read(text)
            if stop == len(text):
                return
            if self._rules.several:
                self.left = text[stop:]
                closers.follow(self.left)
                self._size -= len(self.left)
                self._pieces = ["".join(self._pieces)[: -len(self.left)]]
                return
            self._after = self._size - len(text) + stop
            self._emit_to(self._after, MarkerSeen, events, "}")
            text = text[stop:]
        closers.follow(text)
        self._skip_rest(text, events)

    # -- the end of the text ----------------------------------------------------------------------

    @override
    def close(self) -> tuple[list[Event], Call]:
        events: list[Event] = []
        if self._start < 0:
            return events, Call("", "", (-1, -1), problem="no_call")
        json, members, rules = self._json, self._members, self._rules
        if json is None or not self.has_call_begun:
            is_open = self._is_lead and self._next_step == self._read_candidate
            self._emit_lead("".join(self._pieces), events)
            span = (self._start, self._size)
            if self._fault or is_open:
                return events, Call("", "", span, problem=self._fault or "open_call")
            return events, rules.no_call("".join(self._rest), span)
        lacks: Lack = ""
        problem = "" if json.error is None else json.fault
        if not problem and json.end is None:
            given = members.tool_input
            is_text = given is not None and given.is_text and not json.is_quoting
            is_given = is_text or (given is not None and given.end >= 0)
            lacks = "closer" if is_given else json.lacks
            # LangChain's strict parsers supply them too.
            problem = json.end_text(supply_closers=rules.lenient or not rules.several)
            if not problem:
                self._end = self._size
                if json.end is not None and json.end < self._size:
                    lacks = ""  # the fence around it closes it
                # A call that lacks its end and has no input may have lost its input as well.
                problem = "" if given is not None else "open_call"
            self._report(json, events)
        if problem:
            self._skip_rest("", events)
        elif self._after < 0:
            self._emit_to(self._size, MarkerSeen, events, "}")
        span = (self._base, self._end if rules.several and self._end >= 0 else self._size)
        # In lenient mode the other calls still count, and all of this one is content.
        if problem and json.error is not None and not (rules.several and rules.lenient):
            span = (json.error.pos, self._size)
        return events, self._judged(json, span, problem, lacks)

    def _outside(self) -> str:
        """Return what is wrong with the place where the call stands, or ``""``."""
        rules, closers, follows = self._rules, self.closers.text, self.closers.follows
        is_listed, several = "[" in self.encloser, rules.several
        if is_listed and not several and "]" not in closers and follows in ("{", ",{"):
            return "several_actions"
        is_quoted = self._before == '"' == follows
        if not is_quoted and goes_on(closers, follows, is_marked=rules.is_marked, several=several):
            return "json_goes_on"
        if self._after >= 0 and not rules.lenient and rules.fills_fence and "`" not in closers:
            return "bad_call"
        may_speak = (rules.lenient or several) and not rules.is_marked and not is_listed
        return "call_in_sentence" if may_speak and begins_clause(closers, follows[:1]) else ""

    def _judged(self, json: JsonWatch, span: Span, problem: str, lacks: Lack) -> Call:
        """Return the call at *span*, whose text has ended."""
        rules, members, base = self._rules, self._members, self._base
        tool, given = members.tool, members.tool_input
        assert tool is not None, "the call has begun"
        name = tool.value if isinstance(tool.value, str) and tool.end >= 0 else ""
        is_answer = rules.is_answer(name)
        value: Any = {}
        if not problem:
            problem = (
                "repeated_key" if json.repeats_key else rules.problem(members, self._outside())
            )
        if not problem and given is not None:
            value, problem = rules.value(given.key, given.value, is_answer=is_answer)
        whole = (base, self._end if self._end >= 0 else self._size)
        tool_span, input_span = tool.span if tool.end >= 0 else span, None
        if not problem:
            span = tool_span
            if given is not None:
                start, end = input_span = given.span
                span = (start, end) if is_answer else (min(start, span[0]), max(end, span[1]))
        repairs: list[Repair] = []
        if rules.strict is not None and isinstance(json, LenientWatch):
            # Repairs, and what else strict mode would refuse.
            if rules.several:
                repairs += repairs_within(json, self._size)
            for kind, (start, end), message in () if rules.several else json.repairs:
                repairs.append(Repair(kind, (start if start < end else base, end), message))
            if self.is_odd and not rules.several:
                message = "read an action that is not in a fence or a list"
                repairs.append(Repair("fence", (base, base + 1), message))
            if members.is_wrapped:
                what = "a call" if rules.several else "an action"
                message = f"read {what} inside another object"
                repairs.append(Repair("wrapped", (base, self._size), message))
            repairs += rules.repairs(members, rules.strict)
        return Call(
            tool=name.strip(),
            tool_input=value,
            span=span,
            tool_span=tool_span,
            is_answer=is_answer,
            problem=problem,
            after=(self._after, self._size) if rules.lenient and self._after >= 0 else None,
            repairs=tuple(repairs),
            input_span=input_span,
            id=members.id,
            lacks=lacks,
            whole=whole if self.is_odd else with_fence(whole, self.encloser, self.closers.text),
            is_bare=not rules.is_marked,
            beside=members.keys_beside,
        )
