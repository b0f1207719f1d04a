"""How a dialect writes calls as JSON, and the quick way to read one that is written so."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.engine.calls.reader import Call
from outputs.growing_json.lenient.repeated_keys import may_repeat
from outputs.growing_json.scalars import NOTHING, matcher
from outputs.growing_json.whole import MAX_DEPTH, parse_whole

if TYPE_CHECKING:
    from collections.abc import Callable

    from agent_parsers.engine.calls.json.members import CallKeys
    from agent_parsers.events import Span

__all__ = [
    "JsonCallRules", "after_call", "backticks", "begins_clause", "between_calls", "between_fences",
    "is_one_line", "read_whole", "start_of_opener", "with_fence",
]  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class JsonCallRules:
    """How a dialect writes calls as JSON, and what else it accepts."""

    keys: CallKeys
    """What the members of a call are called."""
    may_open: Callable[[str, bool], bool]
    """Tells whether a call may follow this fence, which comes with its tag and white space and may
    be ``""``, and whether nothing else is before it."""
    answers: frozenset[str] = frozenset()
    """Names of the action that mean the final answer, as `name_key` returns them."""
    name_key: Callable[[str], str] = str
    """What two spellings of such a name have in common."""
    lenient: bool = False
    """Whether JSON is mended, and inputs of any type are read."""
    needs_input: bool = False
    """Whether a call must have an input, be it an empty one."""
    reads_null: bool = False
    """Whether an input that is ``null`` is an empty one."""
    may_answer: Callable[[str], bool] | None = None
    """Tells whether a text without any call is the final answer, or a broken call; `None` if it is
    never the answer."""
    fills_fence: bool = False
    """Whether a fence with an object is always a call, and strictly holds nothing else."""
    several: bool = False
    """Whether other calls may follow a call, which ends with its JSON."""
    following: JsonCallRules | None = None
    """The rules for these; `None` if they are the same."""
    enclosed: str = ""
    """What strictly stands before several calls and encloses them: ``[``, perhaps in a fence."""
    in_rows: bool = False
    """Whether calls may stand behind other text too, each row of them on lines of its own."""
    is_marked: bool = False
    """Whether a mark of the dialect says that a call follows, so that no sentence speaks of it."""
    strict: JsonCallRules | None = None
    """The rules of strict reading; what only these rules read is told. `None` if these are they."""

    def value(self, key: str, value: Any, *, is_answer: bool) -> tuple[Any, str]:
        """Return the input or answer that *value* under *key* means, and the problem with it."""
        if is_answer:
            return value, ""
        if isinstance(value, str):
            if self.lenient and key in self.keys.encoded and value.lstrip()[:1] == "{":
                whole = parse_whole(value, MAX_DEPTH)
                if isinstance(whole, dict) and may_repeat(value, whole):
                    return {}, "two_values"
                return (whole, "") if isinstance(whole, dict) else ({}, "bad_input")
            return value, ""
        if isinstance(value, dict):
            return value, ""
        if value is None and self.reads_null:
            return {}, ""
        if self.lenient:
            return json.dumps(value, ensure_ascii=False), ""
        return {}, "bad_input"

    def odd_input(self, key: str, value: Any) -> tuple[str, ...]:
        """Say what was done with a *value* under *key*, if strict reading takes it otherwise."""
        if self.several and isinstance(value, str):
            is_read = not isinstance(self.value(key, value, is_answer=False)[0], str)
            return ("read a string that holds JSON as an input",) if is_read else ()
        if self.strict is None or not self.strict.value("", value, is_answer=False)[1]:
            return ()
        return ("read an input that is no text or object",)

    def is_quoted(self, before: str, opener: str) -> bool:
        """Tell whether a sentence leads to an *opener*, given the character *before* it.

        What it speaks of is not done.
        """
        leads = before.isalnum() or before in (",", ";", ")")
        if not self.lenient or self.is_marked:
            return False
        return leads and "\n" not in opener and "`" not in opener

    def is_cut_short(self, closers: str) -> bool:
        """Tell whether other text follows a call in its fence, given what closes the call."""
        return self.fills_fence and not self.lenient and "`" not in closers


# A fence may be written with two backticks, or with blanks between them. It is bounded, so that
# what has to be held back for one is.
_fence: Final = re.compile(r"`[` ]{0,16}[\w+#.]{0,32}\Z").search
_LONGEST_FENCE: Final = 49
_USUAL_OPENERS: Final = {"```json\n", "```\n", "```json", "```"}
after_call: Final = matcher(r"[\s`\]}]*+")
"""Matches what closes a call and what is around it, if only nothing."""
between_calls: Final = matcher(r"[\s`\]},;]*+")
"""The same where another call may follow."""
between_fences: Final = matcher(r"[\s\]},;]*+")
"""The same without what closes a fence."""
backticks: Final = matcher(r"`*+")
_end_of_fence: Final = re.compile(r"[\s\]},;]*+`{3}").match
"""Matches that up to the end of the fence in which a call stands."""


def begins_clause(closers: str, after: str) -> bool:
    """Tell whether a sentence goes on behind a call, which it may speak of.

    Args:
        closers: What closes the call.
        after: The first character behind that; ``""`` if nothing follows.
    """
    return (after.islower() or after == ",") and is_one_line(closers)


def is_one_line(closers: str) -> bool:
    """Tell whether what follows the *closers* of a call stands on its line, in no fence."""
    return "\n" not in closers and "`" not in closers


def start_of_opener(text: str, stop: int) -> int:
    """Return where that begins in *text* which leads to a brace at *stop*: a fence, a bracket.

    White space before it belongs to it.
    """
    at = _before_blank(text, stop)
    if text.startswith("[", at - 1) and at:
        at = _before_blank(text, at - 1)
    fence = _fence(text, max(0, at - _LONGEST_FENCE), at)
    return at if fence is None else _before_blank(text, fence.start())


def with_fence(place: Span, encloser: str, closers: str) -> Span:
    """Return the *place* of a call with the fence in which it stands, if it does in one."""
    if "```" not in encloser:
        return place
    closer = _end_of_fence(closers)
    return place[0] - len(encloser.lstrip()), place[1] + (closer.end() if closer else 0)


def _whole(rules: JsonCallRules, text: str, place: Span, at: int) -> Span:
    """Return the *place* of a call in *text* with a fence in which the dialect writes it."""
    start = start_of_opener(text, place[0] - at)
    opener = text[start : place[0] - at]
    if rules.strict is not None and not rules.strict.may_open(opener, not start):
        return place
    return with_fence(place, opener, text[place[1] - at :])


def _before_blank(text: str, at: int) -> int:
    while at and text[at - 1].isspace():
        at -= 1
    return at


def _may_begin(rules: JsonCallRules, text: str, brace: int) -> bool:
    """Tell whether a call may begin at a *brace* in *text*."""
    opener = text[:brace]
    if opener and opener not in _USUAL_OPENERS:
        opener = text[start_of_opener(text, brace) : brace]
    start = brace - len(opener)
    before = text[max(start - 1, 0) : start]
    return rules.may_open(opener, not start) and not rules.is_quoted(before, opener)


def read_whole(rules: JsonCallRules, text: str, at: int) -> Call | None:
    """Return the call in *text*, which stands at offset *at*, if it is JSON by the book.

    A call that is written in any other way, or wrong, is left to the reader.
    """
    keys = rules.keys
    tool_key, input_key = keys.quoted
    brace, end, place = text.find("{"), text.rfind("}") + 1, text.find(tool_key)
    if brace < 0 or place < 0 or "\\u00" in text:  # which may spell a key
        return None
    place += len(tool_key)
    if text.find(tool_key, place) >= 0 or text.count(input_key) > 1:
        return None  # which of the two is the key?
    if after_call(text, end).end() < len(text) or not _may_begin(rules, text, brace):
        return None
    value = parse_whole(text[brace:end], MAX_DEPTH)
    if not isinstance(value, dict):
        return None
    name, tool_input = value.get(keys.tool), value.get(keys.input, NOTHING)
    is_bare = tool_input is NOTHING
    if not isinstance(name, str) or not name or name != name.strip():
        return None
    if len(value) != 2 - is_bare or (is_bare and not keys.is_call_alone):
        return None  # what else it holds may be in the way
    if type(tool_input) is dict and may_repeat(text[brace:end], value):
        return None
    is_answer = rules.name_key(name) in rules.answers
    if is_bare:
        if is_answer or rules.needs_input:
            return None
        tool_input = {}
    elif not is_answer and (type(tool_input) is not str or keys.encoded):
        tool_input, problem = rules.value(keys.input, tool_input, is_answer=False)
        if problem:
            return None
    place = text.find(f'"{name}"', place)
    if place < 0:
        return None
    place += at + 1
    return Call(
        name,
        tool_input,
        (at, at + end),
        (place, place + len(name)),
        is_answer,
        input_span=None if is_bare else (at, at + end),  # somewhere within; the reader knows where
        whole=_whole(rules, text, (at + brace, at + end), at),
        is_bare=not rules.is_marked,
    )
