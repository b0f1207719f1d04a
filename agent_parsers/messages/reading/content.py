"""Calls that are written in the content of a message instead of its tool calls.

Either the whole content is JSON, possibly in a code fence, or there are tags in prose::

    {"name": "search", "arguments": {"query": "rain"}}

    Let me look that up.
    <tool_call>
    {"name": "search", "arguments": {"query": "rain"}}
    </tool_call>

    <function=search>
    <parameter=query>
    rain
    </parameter>
    </function>

Each form has the same parts: a name, and the arguments as JSON or in tags.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.engine.calls.raw_values import held_size
from agent_parsers.engine.markers.mentions import WINDOW, is_spoken_of
from agent_parsers.engine.reading.rules.foreign import may_be_foreign
from agent_parsers.engine.reading.rules.known_tools import names_of
from agent_parsers.engine.repairs.names import tool_named
from agent_parsers.engine.tables.reasoning import REASONING
from agent_parsers.messages.reading.arguments import is_fence
from agent_parsers.messages.reading.problems import BadCall
from outputs.growing_json.lenient.json_text import repeated_key

if TYPE_CHECKING:
    from agent_parsers.engine.repairs.payloads import Lack
    from agent_parsers.events import Span
    from agent_parsers.toolset import ToolSet

_OPENERS: Final = ("<tool_call>", "<function=")
_opener = re.compile("|".join(map(re.escape, _OPENERS))).search
_PARTS: Final = frozenset(opener[:size] for opener in _OPENERS for size in range(1, len(opener)))
_JSON_STARTS: Final = frozenset("{[`")
_THINK_END: Final = "</think>"
_ENDS_OF_MESSAGES: Final = ("<|end|>", "<|end_message|>")
"""Closers of reasoning that close all else as well, so that the first one ends it."""


@dataclass(frozen=True, slots=True)
class ContentCall:
    """A call that is written in the content."""

    name: str
    """Name of the tool, as it is written."""
    arguments: Any
    """The arguments: a dictionary, or JSON text."""
    span: Span
    """The span of the call, including its tags."""
    name_at: int
    """The offset of the name."""
    lacks: Lack = ""
    """What the call lacks, if the content ends before the call does."""


def reasoning_end(content: str) -> int:
    """Return where the reasoning in *content* ends; its length if the reasoning is still open."""
    end, opened = 0, -1
    for opens, closes in REASONING:
        last = content.rfind(opens)
        opened = max(opened, last)
        seek = content.find if closes in _ENDS_OF_MESSAGES else content.rfind
        if last >= 0 and (at := seek(closes, last)) >= 0:
            end = max(end, at + len(closes))
    return len(content) if opened >= end else end


def may_hold_call(content: str, tools: ToolSet | None) -> bool:
    """Return whether *content* may contain a call, in tags, as JSON, or in another form."""
    if not content:
        return False
    if any(opener in content for opener in _OPENERS) or content.lstrip()[:1] in "{[`":
        return True
    return may_be_foreign(content, names_of(tools))


_closes_thought = re.compile(
    "|".join(re.escape(closes) for _, closes in REASONING if closes not in _ENDS_OF_MESSAGES)
).search


def may_hold_thought(content: str) -> bool:
    """Return whether *content* may begin with a thought."""
    first = content.lstrip()[:1]
    if first in ("<", "[") and any(content.lstrip().startswith(opens) for opens, _ in REASONING):
        return True
    return ("<" in content or "[" in content) and _closes_thought(content) is not None


def thought_end(content: str) -> int:
    """Return where the thought at the beginning of *content* ends; 0 if there is no thought.

    Servers that do not separate it leave it in the content, sometimes without its first mark, which
    is in the prompt. A thought that is still open is all of the content.
    """
    lead = LeadingThought()
    pieces = [*lead.feed(content), *lead.rest()]
    end = sum(len(piece) for kind, piece in pieces if kind != "content")
    if end == 0 and (found := _closes_thought(content)) is not None:
        opens = next(opens for opens, closes in REASONING if closes == found[0])
        before, behind = content[: found.start()], content[found.end() :]
        said = before.rstrip()
        is_mentioned = is_spoken_of(said[-1:], before[len(said) :], behind[:WINDOW])
        if opens not in before and not is_mentioned:
            return found.end()
    return end


def split_content(thought: str, content: str, calls: Iterable[str] = ()) -> tuple[str, str]:
    """Return the *thought*, including one at the beginning of *content*, and the rest of *content*.

    The *calls* that are written in it, in order, are removed.
    """
    pieces = []
    for call in calls:
        before, found, after = content.partition(call)
        if found:
            pieces.append(before)
            content = after
    pieces.append(content)
    end = thought_end(pieces[0])
    if end:
        lead = LeadingThought()
        said = [*lead.feed(pieces[0][:end]), *lead.rest()]
        thoughts = [piece.strip() for kind, piece in said if kind == "thought"]
        if not thoughts and (closer := _closes_thought(pieces[0])) is not None:
            thoughts.append(pieces[0][: closer.start()].strip())  # only its last mark is there
        thought = "\n".join(filter(None, (thought, *thoughts)))
        pieces[0] = pieces[0][end:].lstrip()
    if len(pieces) == 1:
        return thought, pieces[0]
    return thought, "\n".join(filter(None, map(str.strip, pieces)))


class LeadingThought:
    """Separates a thought at the beginning of the content, between marks, from the rest.

    Its pieces are texts of these kinds: ``"mark"``, ``"thought"`` and ``"content"``.
    """

    __slots__ = ("_closes", "_held", "_is_over", "_space")

    def __init__(self) -> None:
        self._space: list[str] = []  # what belongs to the next mark, if one follows
        self._held = ""  # what may be the beginning of a mark
        self._closes = ""  # what closes the thought, while it is open
        self._is_over = False

    def feed(self, text: str) -> list[tuple[str, str]]:
        """Take more of the content; return the pieces that are certain."""
        if self._is_over:
            return [("content", text)]
        text, at = self._held + text, 0
        self._held = ""
        found: list[tuple[str, str]] = []
        while at < len(text):
            if self._closes:
                end = text.find(self._closes, at)
                stop = end if end >= 0 else len(text) - held_size(text[at:], self._closes)
                found.append(("thought", text[at:stop]))
                if end < 0:
                    self._held = text[stop:]
                    break
                at = stop + len(self._closes)
                found.append(("mark", self._closes))
                self._closes = ""
                continue
            begin = _end_of_space(text, at)
            self._space.append(text[at:begin])
            pair = next((pair for pair in REASONING if text.startswith(pair[0], begin)), None)
            if pair is None:
                self._held = text[begin:]
                if not any(opens.startswith(self._held) for opens, _ in REASONING):
                    self._is_over = True
                    found += self.rest()
                break
            opens, self._closes = pair
            found.append(("mark", "".join((*self._space, opens))))
            self._space.clear()
            at = begin + len(opens)
        return [(kind, piece) for kind, piece in found if piece]

    def rest(self) -> list[tuple[str, str]]:
        """Return the text that is held back, and stop holding it."""
        held, self._held = "".join((*self._space, self._held)), ""
        self._space.clear()
        return [("thought" if self._closes else "content", held)] if held else []


class ContentHold:
    """Holds content back from the first place where a call may begin, and passes on the rest.

    Args:
        may_be_json: Whether the whole content may be a call in JSON.
    """

    __slots__ = ("_held", "_holds", "_is_new", "_may_be_json")

    def __init__(self, *, may_be_json: bool) -> None:
        self._may_be_json = may_be_json
        self._held: list[str] = []
        self._holds = False
        self._is_new = True  # whether only white space has arrived

    def feed(self, text: str) -> str:
        """Take more of the content; return the text that is certainly not part of a call."""
        if self._holds:
            self._held.append(text)
            return ""
        if self._is_new:
            if not text.strip():
                self._held.append(text)
                return ""
            self._is_new = False
            if self._may_be_json and text.lstrip()[0] in _JSON_STARTS:
                self._holds = True
                self._held.append(text)
                return ""
        text = self.rest() + text
        found = _opener(text)
        if found is not None:
            self._holds = True
            stop = found.start()
        else:
            last = text.rfind("<")
            stop = last if last >= 0 and text[last:] in _PARTS else len(text)
        if stop < len(text):
            self._held.append(text[stop:])
        return text[:stop]

    def rest(self) -> str:
        """Return the text that is held back, and stop holding it."""
        text = "".join(self._held)
        self._held.clear()
        return text


def calls_in_content(
    content: str, start: int, tools: Collection[str] | None
) -> list[ContentCall] | None:
    """Return the calls in *content*, in order; `None` if it has no calls.

    Tags always mark a call. JSON is a call if it has a name and arguments and the name is that of
    a tool; other JSON may be an answer. Text inside ``<think>`` is not a call, and there is none
    before *start*, the offset of the text that was held back.

    Raises:
        BadCall: Text that begins like a call cannot be read as one; its span is in *content*.
    """
    if (thought_end := content.rfind(_THINK_END)) >= 0:
        start = max(start, thought_end + len(_THINK_END))
    if content.rfind("<think>") > content.rfind(_THINK_END) or not content[start:].strip():
        return None
    if content[start:].lstrip()[0] in _JSON_STARTS:
        return None if tools is None else _json_calls(content, start, tools)
    return list(_tagged_calls(content, start)) or None


def _json_calls(content: str, start: int, tools: Collection[str]) -> list[ContentCall] | None:
    from output_parsers.json_in_prose.repair import repaired_with_last_keys
    from outputs.growing_json.lenient.lenient_reader import missing_at_end

    text = content[start:]
    try:
        value, made = repaired_with_last_keys(text)
    except json.JSONDecodeError as error:
        if _begins_as_call(text, tools):
            raise BadCall("cut_content_call", (start, len(content))) from error
        return None
    if any(m.kind == "surrounding_text" and not is_fence(text[slice(*m.span)]) for m in made):
        return None  # The prose mentions a call, but does not make it.
    entries = value if isinstance(value, list) else [value]
    calls: list[ContentCall] = []
    at = start
    if not entries:
        return None
    for entry in entries:
        parts = _parts_of(entry)
        at = content.find(parts[0], at) if parts else -1
        if parts is None or at < 0 or tool_named(parts[0], tools) not in tools:
            return None
        calls.append(ContentCall(*parts, (at, at + len(parts[0])), at))
        at += len(parts[0])
    if repeated_key(text, made) is not None:
        raise BadCall("repeated_key_in_content", (start, len(content)))
    # A call extends to the name of the next.
    ends = [*(call.name_at for call in calls[1:]), len(content)]
    starts = [start, *ends]
    spans = zip(starts, ends, strict=False)
    lacks = _lack(missing_at_end(text, made), entries[-1], is_listed=isinstance(value, list))
    return [
        replace(call, span=span, lacks=lacks if call is calls[-1] else "")
        for call, span in zip(calls, spans, strict=True)
    ]


def _lack(missing: str, entry: Any, *, is_listed: bool = False) -> Lack:
    """Return what the call in *entry* lacks, given the brackets that were *missing*."""
    if not missing:
        return ""
    is_wrapped = isinstance(entry, dict) and isinstance(entry.get("function"), dict)
    own = len(missing) - 1 - is_wrapped - is_listed  # brackets of the arguments
    return "closer" if own <= 0 else "arguments" if own == 1 else "values"


def _begins_as_call(text: str, tools: Collection[str]) -> bool:
    """Return whether *text*, which is broken JSON, begins like a call of a tool."""
    from outputs.growing_json.reader import parse_partial_json

    try:
        value = parse_partial_json(text[text.index("{") :])
    except ValueError:  # There is no brace, or nothing readable after it.
        return False
    parts = _parts_of(value)
    return parts is not None and tool_named(parts[0], tools) in tools


def _parts_of(entry: Any) -> tuple[str, Any] | None:
    """Return the name and the arguments of a call; `None` if *entry* is not a call."""
    if isinstance(entry, dict) and isinstance(entry.get("function"), dict):
        entry = entry["function"]
    if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
        return None
    for key in ("arguments", "parameters"):
        if isinstance(entry.get(key), dict | str):
            return entry["name"], entry[key]
    return None


_CALL_END: Final = "</tool_call>"
_function = re.compile(r"\s*<function=([^>\n]*)>\s*").match
_parameter = re.compile(r"<parameter=([^>\n]*)>\n?").match
# Values have no escapes: a closing tag counts only if another tag or the end follows it.
_value_end = re.compile(r"\n?</parameter>\s*+(?=<parameter=|</function>|</tool_call>|\Z)").search
_function_end = re.compile(r"</function>").match
_space = re.compile(r"\s*").match


def _tagged_calls(content: str, start: int) -> Iterator[ContentCall]:
    at = start
    while (found := _opener(content, at)) is not None:
        begin = at = found.start()
        if _is_quoted(content, begin):
            at = found.end()
            continue
        is_wrapped = found[0] == "<tool_call>"
        body = found.end() if is_wrapped else begin
        function = _function(content, body)
        if function is not None:
            name_at, name = function.start(1), function[1]
            arguments, at, lacks = _tagged_arguments(content, function.end())
        else:
            name, arguments, name_at, at, lacks = _json_body(content, body)
        after = _end_of_space(content, at)
        if is_wrapped and content.startswith(_CALL_END, after):
            at, lacks = after + len(_CALL_END), ""
        elif after < len(content):  # the text after the call shows that it has ended
            lacks = ""
        elif is_wrapped:
            lacks = lacks or "closer"
        yield ContentCall(name, arguments, (begin, at), name_at, lacks)


def _is_quoted(content: str, at: int) -> bool:
    """Return whether a single backtick precedes *at*, which quotes the text as inline code."""
    return content.endswith("`", 0, at) and not content.endswith("``", 0, at)


def _end_of_space(content: str, at: int) -> int:
    found = _space(content, at)
    return at if found is None else found.end()


def _tagged_arguments(content: str, at: int) -> tuple[dict[str, str], int, Lack]:
    """Read parameters from *at* on; return them, the offset of their end, and what they lack."""
    arguments: dict[str, str] = {}
    while (parameter := _parameter(content, at)) is not None:
        end = _value_end(content, parameter.end())
        if end is None:
            raise BadCall("cut_content_call", (at, len(content)))
        key = parameter[1].strip()
        if key in arguments:
            raise BadCall("repeated_key_in_content", (at, end.end()))
        arguments[key] = content[parameter.end() : end.start()]
        at = end.end()
    closer = _function_end(content, at)
    if closer is not None:
        return arguments, closer.end(), ""
    if at < len(content) and not content.startswith(_CALL_END, at):
        raise BadCall("broken_tag", (at, len(content)))
    if not arguments and at == len(content) and not content[:at].rstrip().endswith("=>"):
        raise BadCall("cut_content_call", (at, at))  # The arguments are unknown.
    return arguments, at, "arguments"


def _json_body(content: str, at: int) -> tuple[str, Any, int, int, Lack]:
    """Read a call in JSON from *at* on.

    Returns:
        The name and arguments, the offsets of the name and of the end, and what the call lacks.
    """
    from outputs.growing_json.lenient.lenient_reader import LenientJsonReader, missing_at_end

    at = _end_of_space(content, at)
    reader = LenientJsonReader()
    fed = at
    while reader.end is None and reader.error is None and fed < len(content):
        # Only up to the next closing tag: the rest may be long, and contain other calls.
        stop = content.find(_CALL_END, fed + 1)
        stop = len(content) if stop < 0 else stop
        reader.feed(content[fed:stop])
        fed = stop
    try:
        value = reader.close()
        parts = _parts_of(value)
    except json.JSONDecodeError as error:
        raise BadCall("cut_content_call", (at, len(content))) from error
    end = at + (reader.end or 0)
    name_at = content.find(parts[0], at, end) if parts else -1
    if parts is None or name_at < 0:
        raise BadCall("broken_tag", (at, end))
    if repeated_key(content[at:end], reader.repairs) is not None:
        raise BadCall("repeated_key_in_content", (at, end))
    return *parts, name_at, end, _lack(missing_at_end(content[at:fed], reader.repairs), value)
