"""Call reader for calls that are JSON objects: ``{"action": "search", "action_input": "…"}``.

The reader takes a whole turn, including prose and fences. It emits the prose as a thought, the name
of the tool once it is complete, and the input or the answer while it is written. Escapes in an
answer are resolved, so that it can be shown as it arrives.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from typing_extensions import override

from agent_parsers.engine.calls.json.rules import (
    after_call,
    backticks,
    begins_clause,
    between_calls,
    between_fences,
    read_whole,
    with_fence,
)
from agent_parsers.engine.calls.json.search import JsonSearch
from agent_parsers.engine.calls.json.watch import LenientWatch, Watch, repairs_within
from agent_parsers.engine.calls.reader import Call
from agent_parsers.events import (
    AnswerDelta,
    Event,
    InputDelta,
    MarkerSeen,
    Repair,
    SkippedDelta,
    Span,
    ToolNamed,
)
from outputs.growing_json.errors import JsonError, JsonIncompleteError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agent_parsers.engine.calls.json.members import Member
    from agent_parsers.engine.calls.json.rules import JsonCallRules
    from agent_parsers.engine.repairs.payloads import Lack

__all__ = ["JsonCall"]


class JsonCall(JsonSearch):
    """Reads the first JSON object in a text that is a call.

    A call is an object with the dialect's own key for the name of a tool or, in lenient mode, with
    the keys of another dialect for name *and* input. Objects before it that are not calls are part
    of the thought.

    Args:
        rules: How the dialect writes calls.
    """

    problems = JsonSearch.problems | {"several_actions"}

    __slots__ = (
        "_after",
        "_beyond",
        "_emit",
        "_emitted_parts",
        "_end",
        "_follows",
        "_is_closing",
        "_lacks",
        "in_fence",
        "left",
    )  # fmt: skip

    in_fence: bool
    """Whether a fence is still open that was opened before an earlier call."""

    left: str
    """Text after the call; set only if several calls may follow."""

    def __init__(self, rules: JsonCallRules, *, in_fence: bool = False) -> None:
        super().__init__(rules)
        self.in_fence = in_fence

    @property
    def place(self) -> Span:
        """Where the complete JSON of the call stands."""
        return self._base, self._end

    @property
    def closers(self) -> str:
        """The closers after the JSON of the call, with white space."""
        return "".join(self._rest)

    @property
    @override
    def rest_at(self) -> int:
        """Where other text begins after the call; -1 while no such text is known."""
        return self._after if self._start >= 0 else -1

    @property
    def _whole(self) -> Span:
        """Where the call stands, including the fence in which the dialect writes it."""
        place = self._base, self._end if self._end >= 0 else self._size
        return place if self.is_odd else with_fence(place, self.encloser, self.closers)

    @override
    def _set_up(self, at: int) -> None:
        super()._set_up(at)
        self._emit = self._emitted_parts = 0  # characters and pieces of an answer that were emitted
        self._end = -1  # of the JSON
        self._lacks: Lack = ""  # what is missing at the end of the text
        self._after = -1  # where text after the call begins
        self._follows = ""  # the first character of that text
        self._is_closing = False  # whether the end of a fence has begun
        self._beyond = ""  # the first character after a comma there
        self.left = ""

    @override
    def read(self, text: str, at: int) -> Call:
        """Read the whole *text*, which begins at offset *at* and may be empty."""
        if self.opener not in text:
            span = (at, at + len(text)) if text else (-1, -1)
            return self._no_call(text, span)
        return read_whole(self._rules, text, at) or super().read(text, at)

    @override
    def close(self) -> tuple[list[Event], Call]:
        """End the text; return the events that were held back, and the call."""
        events: list[Event] = []
        if self._start < 0:
            return events, Call("", "", (-1, -1), problem="no_call")
        if self.is_begun:
            return events, self._close_call(events)
        is_open = self._is_lead and self._read == self._read_candidate
        self._think("".join(self._pieces), events)
        span = (self._start, self._size)
        if not self._is_broken and not is_open:
            return events, self._no_call("".join(self._rest), span)
        problem = "bad_call" if self._is_broken else "open_call"
        return events, Call("", "", span, problem=problem)

    def _no_call(self, text: str, span: Span) -> Call:
        """Return the answer or problem for *text*, which stands at *span* and has no call."""
        may_answer = self._rules.may_answer
        if may_answer is None or not text:
            return Call("", "", span, problem="no_call")
        if may_answer(text):
            return Call("", text.strip(), span, is_text=True)
        return Call("", "", span, problem="bad_call")

    @override
    def _begin(self, events: list[Event]) -> None:
        self._rest.clear()
        self._read = self._read_call
        self._report(events)
        self._end_call(events)

    def _read_call(self, text: str, events: list[Event]) -> None:
        self._is_open(text, 0)
        self._report(events)
        self._end_call(events)

    def _end_call(self, events: list[Event]) -> None:
        """Continue after the JSON, if it has ended."""
        json = self._json
        assert json is not None
        if json.error is not None:
            self._read = self._skip_broken
            self._skip_broken("", events)
        elif json.end is not None:
            self._end = self._base + json.end
            self.in_fence = self.in_fence or "`" in self.encloser
            self._read = self._read_after
            self._read_after("".join(self._pieces)[self._end - self._at :], events)

    def _skip_broken(self, _text: str, events: list[Event]) -> None:
        self._skipped(events)

    def _read_after(self, text: str, events: list[Event]) -> None:
        if self._after < 0:
            stop = self._closers_in(text)
            self._rest.append(text[:stop])
            if stop == len(text):
                return
            if self._rules.several:
                self._follows = text[stop]
                self.left = text[stop:]
                self._size -= len(self.left)
                self._pieces = ["".join(self._pieces)[: -len(self.left)]]
                return
            self._after = self._size - len(text) + stop
            self._follows = text[stop]
            self._mark("}", self._after, events)
            text = text[stop + 1 :] if self._follows == "," else ""
        if self._follows == "," and not self._beyond:
            self._beyond = text.lstrip()[:1]
        self._skipped(events)

    def _closers_in(self, text: str) -> int:
        """Return where the closers of the call, and of what encloses it, end in *text*.

        If other rows of calls may follow, a fence on a line of its own opens the next row, unless
        an earlier fence is still open.
        """
        if not self._rules.in_rows:
            return (between_calls if self._rules.several else after_call)(text, 0).end()
        at = 0
        while at < len(text):
            start, at = at, between_fences(text, at).end()
            if self._is_closing and "\n" in text[start:at]:
                self.in_fence = False
            if not self.in_fence or not text.startswith("`", at):
                break
            at = backticks(text, at).end()
            self._is_closing = True
        return at

    def _report(self, events: list[Event]) -> None:
        """Emit what was not emitted yet of the members of the call."""
        for member in self._members.call:
            if member is self._members.tool:
                if member.end < 0:
                    return
                self._emit_tool(member, events)
            elif not self._emit_input(member, events):
                return

    def _emit_tool(self, member: Member, events: list[Event]) -> None:
        if member.is_begun:
            return
        member.is_begun = True
        if not member.is_text or self._is_answer(member.value):
            return
        start, end = self._place(member)
        if start < end:
            self._mark(self._rules.keys.quoted[0], start, events)
            self._take(end)
            events.append(ToolNamed(member.value.strip(), (start, end)))

    def _emit_input(self, member: Member, events: list[Event]) -> bool:
        """Emit what is known of the input; return whether it is complete."""
        json, base = self._json, self._base
        assert json is not None
        if member.start < 0:
            if member.end < 0:
                return False
            member.start = self._value_start(member)
        if not member.is_begun:
            member.is_begun = True
            self._mark(self._rules.keys.quoted[1], base + member.content[0], events)
        tool = self._members.tool
        is_answer = tool is not None and tool.is_begun and self._is_answer(tool.value)
        is_whole = member.end >= 0
        stop = base + (member.content[1] if is_whole else json.known)
        start = self._at
        raw = self._take(stop)
        if not is_answer:
            if raw:
                events.append(InputDelta(raw, (start, stop)))
        elif raw:
            text = self._decoded(member) if member.is_text else raw
            events.append(AnswerDelta(text, (start, stop)))
        return is_whole

    def _decoded(self, member: Member) -> str:
        """Return the new text of an answer, with its escapes resolved."""
        json = self._json
        assert json is not None
        if member.end >= 0:
            text: str = member.value
        elif json.error is not None:
            text = json.text_left
        else:
            parts = json.text_parts
            text = "".join(parts[self._emitted_parts :])
            self._emitted_parts = len(parts)
            self._emit += len(text)
            return text
        return text[self._emit :]

    def _close_call(self, events: list[Event]) -> Call:
        json, members = self._json, self._members
        assert json is not None
        assert members.tool is not None
        problem = ""
        if json.error is None and json.end is None:
            problem = self._close_json(json)
            self._report(events)
        elif json.error is not None:
            problem = "bad_call"
        if problem:
            self._skipped(events)
        elif self._after < 0:
            self._mark("}", self._size, events)
        several = self._rules.several
        span = (self._base, self._end if several and self._end >= 0 else self._size)
        # In lenient mode the other calls still count, and all of this one is content.
        if problem and json.error is not None and not (several and self._rules.lenient):
            span = (self._base + json.error.pos, self._size)
        return self._call(span, problem, tuple(self._repairs(json)))

    def _close_json(self, json: Watch) -> str:
        """End the JSON at the end of the text; return a problem, or ``""``."""
        member = self._members.tool_input
        is_text = member is not None and member.is_text and not json.is_quoting
        is_given = is_text or (member is not None and member.end >= 0)
        self._lacks = "closer" if is_given else json.lacks
        try:
            # LangChain's strict parsers supply them too.
            json.close(supply_closers=self._rules.lenient or not self._rules.several)
            self._end = self._size
            if json.end is not None and self._base + json.end < self._size:
                self._lacks = ""  # the fence around it closes it
        except JsonIncompleteError:
            return "open_call"
        except JsonError:
            return "bad_call"
        # A call that lacks its end and has no input may have lost its input as well.
        return "" if self._members.tool_input is not None else "open_call"

    def _call(self, span: Span, problem: str, repairs: tuple[Repair, ...]) -> Call:
        """Return the call at *span*, built from its members."""
        rules, members = self._rules, self._members
        tool, tool_input = members.tool, members.tool_input
        assert tool is not None
        name = tool.value if isinstance(tool.value, str) and tool.end >= 0 else ""
        is_answer = self._is_answer(name)
        value: Any = {}
        if not problem and (members.is_twice or (self._json and self._json.repeats_key)):
            problem = "two_values"
        if not problem and not isinstance(tool.value, str):
            problem = "bad_call"
        has_rest = self._after >= 0 and "[" not in self.encloser
        if not problem and has_rest and rules.is_cut_short(self.closers):
            problem = "bad_call"
        if not problem and self._has_more_actions:
            problem = "bad_call" if rules.several else "several_actions"
        if not problem and self._is_part_of_sentence():
            problem = "quoted_call"
        if not problem and not is_answer and not name.strip():
            problem = "no_tool"
        if not problem and tool_input is not None:
            value, problem = rules.value(tool_input.key, tool_input.value, is_answer=is_answer)
        elif not problem and (
            is_answer
            or rules.needs_input
            or (members.has_others and (rules.lenient or rules.several))
        ):
            problem = "no_input"
        place = self._place(tool) if tool.end >= 0 else span
        input_span: Span | None = None
        if not problem:
            span = place
            if tool_input is not None:
                start, end = input_span = self._place(tool_input)
                span = (start, end) if is_answer else (min(start, span[0]), max(end, span[1]))
        is_repaired = rules.lenient and self._after >= 0
        return Call(
            tool=name.strip(),
            tool_input=value,
            span=span,
            tool_span=place,
            is_answer=is_answer,
            problem=problem,
            after=(self._after, self._size) if is_repaired else None,
            repairs=repairs,
            input_span=input_span,
            id=members.id,
            lacks=self._lacks,
            whole=self._whole,
            is_bare=not rules.is_marked,
        )

    def _repairs(self, json: Watch) -> Iterator[Repair]:
        """Yield the repairs: of the JSON, and of anything else that strict mode would refuse."""
        members, strict = self._members, self._rules.strict
        tool, tool_input = members.tool, members.tool_input
        if not isinstance(json, LenientWatch) or strict is None or tool is None:
            return
        several = self._rules.several
        if several:
            yield from repairs_within(json, self._base, self._size)
        else:
            for kind, (start, end), message in json.repairs:
                yield Repair(kind, (self._base + start * (start < end), self._base + end), message)
        if self.is_odd and not several:
            message = "read an action in no fence or list"
            yield Repair("fence", (self._base, self._base + 1), message)
        if members.is_wrapped:
            what = "a call" if several else "an action"
            message = f"read {what} that stands inside another object"
            yield Repair("wrapped", (self._base, self._size), message)
        for member in members.call:
            if self._rules.keys.is_odd(member.key) and member.end >= 0 <= member.start:
                what = "the name of the tool" if member is tool else "its input"
                yield Repair("key", self._place(member), f"read {member.key!r} as {what}")
        if tool.end < 0 or not isinstance(tool.value, str):
            return
        is_answer = self._is_answer(tool.value)
        if is_answer and tool.value not in strict.answers:
            yield Repair("answer_as_action", self._place(tool), "took the action for the answer")
        if tool_input is None and strict.needs_input:
            start, end = self._place(tool)
            span = (min(start, end - 1), end)  # an empty name is shown by its quote
            yield Repair("missing_input", span, "took a missing input for an empty one")
        elif tool_input is not None and tool_input.end >= 0 and not is_answer:
            odd = self._rules.odd_input(tool_input.key, tool_input.value)
            yield from (Repair("input_type", self._place(tool_input), text) for text in odd)

    @property
    def _has_more_actions(self) -> bool:
        """Whether other actions follow in the list that holds this one."""
        if self._members.has_more or self._rules.several:
            return self._members.has_more
        is_listed = "[" in self.encloser and "]" not in self.closers
        return is_listed and "{" in (self._follows, self._follows == "," and self._beyond)

    # -- helpers ----------------------------------------------------------------------------------

    def _is_part_of_sentence(self) -> bool:
        """Return whether a sentence continues after the call, and so may only mention it."""
        rules = self._rules
        may_speak = (rules.lenient or rules.several) and not rules.is_marked
        is_alone = "[" not in self.encloser
        return may_speak and is_alone and begins_clause(self.closers, self._follows)

    def _is_answer(self, name: Any) -> bool:
        rules = self._rules
        return isinstance(name, str) and rules.name_key(name) in rules.answers

    def _place(self, member: Member) -> Span:
        """Return where the value of *member* stands, without its quotes."""
        start, end = member.content
        return self._base + start, self._base + end

    def _value_start(self, member: Member) -> int:
        """Return where the value of *member* begins, which is neither a string nor a container."""
        text = "".join(self._pieces)
        at = self._base + member.key_end - self._at
        while text[at].isspace():
            at += 1
        return at + self._at - self._base

    def _take(self, stop: int) -> str:
        """Return the text up to *stop* that was not emitted yet, and continue from there."""
        size = stop - self._at
        if size <= 0:
            return ""
        text = "".join(self._pieces)
        self._pieces = [text[size:]]
        self._at = stop
        return text[:size]

    def _mark(self, name: str, stop: int, events: list[Event]) -> None:
        """Emit the text up to *stop* that was not emitted yet as the marker *name*."""
        start = self._at
        if self._take(stop):
            events.append(MarkerSeen(name, (start, stop)))

    def _skipped(self, events: list[Event]) -> None:
        """Emit the text that was not emitted yet as skipped."""
        start = self._at
        if text := self._take(self._size):
            events.append(SkippedDelta(text, (start, self._size)))
