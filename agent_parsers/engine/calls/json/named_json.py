"""Call reader for calls that name the tool first and then give its input as JSON."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple

from typing_extensions import override

from agent_parsers.engine.calls.json.enclosers import (
    Closers,
    after_call,
    begins_clause,
    goes_on,
    outside_fences,
)
from agent_parsers.engine.calls.json.watch import JsonWatch, repairs_within, watch
from agent_parsers.engine.calls.reader import Call, CallReader, CallsReader
from agent_parsers.events import AnswerDelta, Event, MarkerSeen, Repair, SkippedDelta, ToolNamed

if TYPE_CHECKING:
    from agent_parsers.engine.calls.json.rules import JsonCallRules

_LONGEST: Final = 300
"""Longest head, in characters, if only certain texts may be heads."""


class Head(NamedTuple):
    """The text before the JSON of a call, parsed."""

    start: int
    """Where the name of the tool begins."""
    stop: int
    """Where the name ends."""
    id: str | None = None
    """The id that the model gave the call, if any."""
    odd: str = ""
    """Message of the repair, if the dialect writes the head otherwise."""
    kind: str = "head"
    """Kind of that repair."""


class NamedJson(CallsReader):
    """Reads ``search[ARGS]{"query": "…"}``: a head that names the tool, then its input as JSON.

    The call ends with the object and the fence around it; text after it is content.

    Args:
        read_head: Parses the text before the object; returns `None` if it does not name a tool. The
            text may end in a quote, if the object is written as a string.
        rules: How JSON is read.
        size: Minimum length of the head in characters; these arrive in one chunk.
        closed: Whether a marker closes the call, so that in strict mode nothing follows it.
        bare: Whether no marker introduces the call, so that any other text is content.
        unnamed: Creates the reader of a call whose JSON, not its head, names the tool.
        may_lead: Returns whether a text may still become a head; `None` if any text may.
        mark: The mark between the name and the object; a text that contains it is not prose.
    """

    problems: ClassVar[frozenset[str]] = frozenset(
        {"no_tool_name", "no_call", "no_input", "open_call", "bad_call", "bad_head", "bad_escape",
         "bad_string", "bad_input", "call_in_sentence", "repeated_key", "after_call"}
    )  # fmt: skip

    def __init__(
        self,
        read_head: Callable[[str], Head | None],
        rules: JsonCallRules,
        *,
        size: int = 0,
        closed: bool = True,
        bare: bool = False,
        unnamed: Callable[[], CallReader] | None = None,
        may_lead: Callable[[str], bool] | None = None,
        mark: str = "",
    ) -> None:
        super().__init__(self._find_head, lenient=rules.lenient)
        self._read_head, self._rules = read_head, rules
        self._may_lead, self._mark = may_lead, mark
        self._size, self._closed, self._bare, self._unnamed = size, closed, bare, unnamed
        self._lead_size = 0  # length of the text that may precede the object
        self._json: JsonWatch | None = None
        self._base = -1  # where the object begins
        self._is_fenced = False  # whether a fence encloses it
        self._closers = Closers(outside_fences)
        self._after = -1  # where other text begins
        self._call = Call("", {}, (-1, -1), problem="no_call")

    @property
    @override
    def is_quoting(self) -> bool:
        if self._inner is not None:
            return self._inner.is_quoting
        return self._json is not None and self._json.is_quoting

    # -- steps, in order --------------------------------------------------------------------------

    def _find_head(self, text: str, events: list[Event]) -> str:
        """Read up to the brace of the object."""
        brace = text.find("{", 0 if self._held else self._size)
        self._held.add(text)
        size = self._lead_size + (len(text) if brace < 0 else brace)
        self._lead_size += len(text)
        is_head = self._leads(size)  # always checked, so that chunks make no difference
        if brace < 0 and is_head:
            return ""
        text = self._take_held()
        head = self._read_head(text[:size]) if is_head else None
        if head is None:
            if is_head and not self._bare:
                self._call.problem = "bad_head"
            return self._take_unnamed(text, events)
        before = text[head.stop : size].rstrip()
        if before.endswith('"'):
            size = head.stop + len(before) - 1
        self._name(head, text[:size], events)
        self._is_fenced = "`" in text[head.stop : size]
        self._closers = Closers(after_call if self._is_fenced else outside_fences)
        self._base = self._at
        self._json = watch(base=self._base, lenient=self._lenient)
        self._step = self._read_json
        return text[size:]

    def _leads(self, size: int) -> bool:
        """Return whether the first *size* characters may be a head."""
        if self._may_lead is None:
            return True
        return size <= _LONGEST and self._may_lead(str(self._held)[:size])

    def _name(self, head: Head, text: str, events: list[Event]) -> None:
        """Emit the *head*, which has this *text*."""
        call = self._call
        call.tool, call.id = text[head.start : head.stop], head.id
        call.problem = "" if call.tool else "no_tool_name"
        call.tool_span = (self._at + head.start, self._at + head.stop)
        if head.odd:
            call.repairs = (Repair(head.kind, (self._at, self._at + len(text)), head.odd),)
        self._emit(text[: head.start], MarkerSeen, events, "head")
        self._emit(call.tool, ToolNamed, events)
        self._emit(text[head.stop :], MarkerSeen, events, "head")

    def _take_unnamed(self, text: str, events: list[Event]) -> str:
        """Continue with *text* that does not begin with a head."""
        if self._unnamed is not None:
            return self._hand_on(self._unnamed(), text, events)
        self._step = self._skip
        return text

    def _read_json(self, text: str, events: list[Event]) -> str:
        assert self._json is not None, "the head was read"
        self._json.feed(text)
        return self._emit_input(text, self._json, events)

    def _emit_input(self, text: str, json: JsonWatch, events: list[Event]) -> str:
        """Emit what is known of the object; return the text after it, if it has ended."""
        self._emit_known(text, json.known, events)
        if json.error is None and json.end is None:
            return ""
        self._step = self._skip if json.end is None else self._read_closers
        return self._take_held()

    def _read_closers(self, text: str, events: list[Event]) -> str:
        """Read the closers of the object, and of what encloses it."""
        stop = self._closers.read(text)
        if stop < len(text):
            self._emit(self._closers.text, MarkerSeen, events, "}")
            self._after = self._at
            self._step = self._read_after
        return text[stop:]

    def _read_after(self, text: str, events: list[Event]) -> str:
        self._closers.follow(text)
        is_content = self._lenient or not self._closed
        self._emit(text, AnswerDelta if is_content else SkippedDelta, events)
        return ""

    @override
    def _skip(self, text: str, events: list[Event]) -> str:
        """Emit *text* as not part of a call."""
        self._emit(text, AnswerDelta if self._bare else SkippedDelta, events)
        return ""

    # -- the end of the text ----------------------------------------------------------------------

    @override
    def _finish(self, events: list[Event]) -> list[Call]:
        call, json = self._call, self._json
        if self._step == self._find_head and self._start >= 0:
            self._end_head(self._take_held(), events)
        if json is not None:
            self._end_json(json, events)
        if self._bare and (json is None or json.error is not None):
            span = (max(self._start, 0), max(self._at, 0))
            is_name = call.problem == "open_call"  # perhaps
            return [Call("", "", span, is_text=True, lacks="input" if is_name else "")]
        call.span = (self._start, self._at)
        calls = [call]
        if json is not None and json.end is not None:
            call.whole = (self._start, json.end)
        if call.input_span is not None:
            self._check_closers(call, call.input_span[1])
        if self._after >= 0:
            rest = Call("", "", (self._after, self._at), is_text=True)
            calls.append(rest)
            if self._closed:
                message = "read the text after the call as content"
                self._accept(rest, "after_call", rest.span, message)
        if call.problem:
            call.repairs = ()
        return calls

    def _end_head(self, text: str, events: list[Event]) -> None:
        """End a *text* without an object: report a problem, or supply an empty input."""
        call, head = self._call, self._read_head(text)
        may_lead = not self._is_met if self._may_lead is None else self._may_lead(text)
        if head is None and not may_lead:
            if self._mark and self._mark in text:
                call.problem = "bad_call"
            self._run(self._take_unnamed(text, events), events)
        elif self._is_met and self._lenient and head is not None and not head.odd:
            self._name(head, text, events)
            message = f"{call.tool!r} has no input; used an empty one"
            call.repairs += (Repair("missing_input", call.tool_span, message),)
        else:
            missing = "no_call" if head is None else "no_input"
            call.problem = missing if self._is_met else "open_call"
            self._skip(text, events)

    def _end_json(self, json: JsonWatch, events: list[Event]) -> None:
        """End the object, at its end or at the end of the text."""
        call = self._call
        problem = "" if json.error is None else json.fault
        if not problem and json.end is None:
            call.lacks = "" if self._is_met or self._goes_on else json.lacks
            problem = json.end_text(supply_closers=self._lenient)
            if problem == "open_call" and self._is_met:
                problem = "bad_call"
            if json.end is not None:
                rest = self._emit_input("", json, events)
                call.lacks = "" if rest else call.lacks  # the fence around it closes it
                self._run(rest, events)
        if json.end is None:
            self._skip(self._take_held(), events)
        else:
            if self._step == self._read_closers:
                self._emit(self._closers.text, MarkerSeen, events, "}")
            call.input_span = span = (self._base, json.end)
            key, value = self._rules.keys.input, json.value
            call.tool_input, problem = self._rules.value(key, value, is_answer=False)
            if json.repeats_key:
                problem = "repeated_key"
            odd = self._rules.odd_input(key, value)
            call.repairs += tuple(Repair("input_type", span, text) for text in odd)
        call.problem = call.problem or problem
        call.repairs += tuple(repairs_within(json, self._at))

    def _check_closers(self, call: Call, end: int) -> None:
        """Check the closers after an object that ends at *end*, and that no sentence continues."""
        closers = self._closers.text
        call.span = (self._start, end + len(closers.rstrip()))
        follows, is_marked = self._closers.follows, self._rules.is_marked
        if goes_on(closers, follows, is_marked=is_marked):
            call.refuse("json_goes_on")
        elif not is_marked and begins_clause(closers, follows[:1]):
            call.refuse("call_in_sentence")
        odd = closers.strip().rstrip("`" if self._is_fenced else None)
        if odd:
            start = end + len(closers) - len(closers.lstrip())
            self._drop_closers(call, (start, start + len(odd)))
