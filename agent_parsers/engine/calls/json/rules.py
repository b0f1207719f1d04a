"""How a dialect writes calls as JSON, and a fast path for calls written exactly so."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.engine.calls.reader import Call
from agent_parsers.events import Repair, Span
from outputs.growing_json.lenient.json_text import may_repeat
from outputs.growing_json.whole import MAX_DEPTH, parse_whole

if TYPE_CHECKING:
    from agent_parsers.engine.calls.json.members import CallKeys, Members

_only_asks: Final = re.compile(r"\s*+Question\s*+:[^\n]*+\s*+\Z").match
"""Matches a text that is nothing but a question, which only the loop writes."""


@dataclass(frozen=True, kw_only=True)
class JsonCallRules:
    """How a dialect writes calls as JSON, and what else it accepts."""

    keys: CallKeys
    """The keys of a call's members."""
    may_open: Callable[[str, bool], bool]
    """Returns whether a call may follow an opener: the fence, bracket and white space before it,
    which may be ``""``. The second argument is whether the opener begins the text."""
    answers: frozenset[str] = frozenset()
    """Names of the action that mean the final answer, as `name_key` returns them."""
    name_key: Callable[[str], str] = str
    """Returns a key that is equal for all spellings of such a name."""
    lenient: bool = False
    """Whether to repair JSON, and to accept inputs of any type."""
    needs_input: bool = False
    """Whether a call must have an input, even an empty one."""
    reads_null: bool = False
    """Whether ``null`` is read as an empty input."""
    may_answer: Callable[[str], bool] | None = None
    """Returns whether a text without any call is the final answer, and not a broken call; `None`
    if such a text is never the answer."""
    fills_fence: bool = False
    """Whether a fence with an object is always a call; in strict mode it holds nothing else."""
    several: bool = False
    """Whether further calls may follow a call; each ends with its JSON."""
    following: JsonCallRules | None = None
    """The rules for these further calls; `None` if they are the same."""
    enclosed: str = ""
    """What must enclose several calls in strict mode: ``[``, perhaps in a fence."""
    unlisted: bool = False
    """Whether several calls follow one another, with nothing but white space between them."""
    in_rows: bool = False
    """Whether calls may also follow other text, each row of them on lines of its own."""
    is_marked: bool = False
    """Whether a marker introduces the call, so that no sentence can merely mention it."""
    strict: JsonCallRules | None = None
    """The strict rules, if these are lenient; what only these accept is reported as a repair."""

    def value(self, key: str, value: Any, *, is_answer: bool) -> tuple[Any, str]:
        """Return the input or answer that *value*, under *key*, means, and a problem or ``""``."""
        if is_answer:
            return value, ""
        if isinstance(value, str):
            if self.lenient and self.keys.is_encoded(key) and value.lstrip()[:1] == "{":
                whole = parse_whole(value, MAX_DEPTH)
                if isinstance(whole, dict) and may_repeat(value, whole):
                    return {}, "repeated_key"
                return (whole, "") if isinstance(whole, dict) else ({}, "bad_input")
            return value, ""
        if isinstance(value, dict):
            return value, ""
        if value is None and self.reads_null:
            return {}, ""
        if self.lenient:
            return json.dumps(value, ensure_ascii=False), ""
        return {}, "bad_input"

    def is_answer(self, name: Any) -> bool:
        """Return whether *name*, written as the name of a tool, means the final answer."""
        return isinstance(name, str) and self.name_key(name) in self.answers

    def odd_input(self, key: str, value: Any) -> tuple[str, ...]:
        """Return repair messages if strict mode would not read the input *value* under *key*."""
        if self.several and isinstance(value, str):
            is_read = not isinstance(self.value(key, value, is_answer=False)[0], str)
            return ("read the input from a JSON string",) if is_read else ()
        if self.strict is None or not self.strict.value("", value, is_answer=False)[1]:
            return ()
        return ("read an input that is neither a string nor an object",)

    def no_call(self, text: str, span: Span) -> Call:
        """Return the answer or problem in the *text* at *span*, which has no call."""
        if self.may_answer is None or not text:
            return Call("", "", span, problem="no_call")
        if self.lenient and _only_asks(text):
            return Call("", "", span, problem="invented_first")
        if self.may_answer(text):
            return Call("", text.strip(), span, is_text=True)
        return Call("", "", span, problem="bad_call")

    def problem(self, members: Members, outside: str = "") -> str:
        """Return what is wrong with the *members* of a call, or ``""``.

        Args:
            members: The members, one of which names the tool.
            outside: What is wrong with the place of the call.
        """
        assert members.tool is not None, "a call has a member that names the tool"
        name = members.tool.value
        if members.is_twice:
            return "repeated_key"
        given = members.tool_input
        value = given.value if given is not None and given.is_other else None
        # The prompt lists the parameters of a tool like this.
        is_tool = isinstance(value, dict) and isinstance(value.get("properties"), dict)
        if is_tool or not isinstance(name, str):
            return "bad_call"
        if members.has_more and outside != "bad_call":
            outside = "bad_call" if self.several else "several_actions"
        is_answer = self.is_answer(name)
        if outside or not (is_answer or name.strip()):
            return outside or "no_tool_name"
        may_lack_key = members.has_others and (self.lenient or self.several)
        needs_input = is_answer or self.needs_input or may_lack_key
        if needs_input and members.tool_input is None:
            return "no_input"
        if self.lenient or not self.several:
            return ""
        return "bad_call" if members.is_wrapped else "beside_call" if members.beside else ""

    def repairs(self, members: Members, strict: JsonCallRules) -> Iterator[Repair]:
        """Yield a repair for each of the *members* that the *strict* rules would refuse."""
        tool, tool_input = members.tool, members.tool_input
        for member in members.call:
            if self.keys.is_odd(member.key) and member.end >= 0 <= member.start:
                what = "the name of the tool" if member is tool else "its input"
                yield Repair("key", member.span, f"read {member.key!r} as {what}")
        for member in members.beside:
            message = f"dropped {member.key!r}, which is outside the input of the call"
            start, end = member.place
            span = (min(start, end - 1), end)  # a value that was never begun is shown by its colon
            yield Repair("beside_call", span, message)
        if tool is None or tool.end < 0 or not isinstance(tool.value, str):
            return
        is_answer = self.is_answer(tool.value)
        if is_answer and tool.value not in strict.answers:
            yield Repair("answer_as_action", tool.span, "read the action as the answer")
        if tool_input is None and strict.needs_input:
            start, end = tool.span
            span = (min(start, end - 1), end)  # an empty name is shown by its quote
            yield Repair("missing_input", span, "used an empty input, since none was written")
        elif tool_input is not None and tool_input.end >= 0 and not is_answer:
            odd = self.odd_input(tool_input.key, tool_input.value)
            yield from (Repair("input_type", tool_input.span, text) for text in odd)

    def is_quoted(self, before: str, opener: str) -> bool:
        """Return whether a call with this *opener*, after *before*, is part of a sentence.

        *before* is the character before the opener. A call that a sentence only mentions must not
        be executed.
        """
        leads = before.isalnum() or before in (",", ";", ")")
        if not self.lenient or self.is_marked:
            return False
        return leads and "\n" not in opener and "`" not in opener
