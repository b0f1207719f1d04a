"""Calls as JSON in blocks, with the tool's name inside or before it: payloads, rules, problems."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Final, Protocol
from typing import Literal as Choice

from typing_extensions import override

from agent_parsers.engine.calls.json.blocks import JsonCalls
from agent_parsers.engine.calls.json.named_json import Head, NamedJson
from agent_parsers.engine.calls.json.rules import JsonCallRules
from agent_parsers.engine.tables.problems import Problem
from agent_parsers.families.call_blocks import NewCall, Payload
from agent_parsers.families.json_steps import KEYS, WRAPPERS, begins_anywhere, lenient_keys
from agent_parsers.forms.form import CallForm, write_json

PROBLEMS: Final[Mapping[str, Problem]] = {
    "no_action_or_answer": Problem(
        "expected a call or an answer",
        "Invalid Format: Write a call, or the answer.",
    ),
    "no_tool_name": Problem(
        "expected the name of a tool",
        "Invalid Format: The call does not name a tool. Write the call again, with the name of "
        "one tool.",
    ),
    "no_input": Problem(
        "expected an input for the tool",
        "Invalid Format: The call has no input. Write the call again, with the input of the tool.",
    ),
    "bad_call": Problem(
        "expected a call with the name of a tool and its input",
        "Invalid Format: The call cannot be read. Write the call again, with the name of the tool "
        "and its input.",
    ),
    "call_in_sentence": Problem(
        "expected a call on its own, found a call in the middle of a sentence",
        "The call is in a sentence, so nothing was done. If you want this call, write it again, "
        "without other text.",
    ),
    "invented_first": Problem(
        "found text that the model must not write, before any call or answer",
        "Invalid Format: Write only a call or the answer. All other text is given to you.",
    ),
    "open_reasoning": Problem(
        "expected the end of the reasoning, and after it a call or an answer",
        "Your reasoning was not closed. Close it, then write a call or the answer.",
    ),
}
"""What can be wrong with a turn, for dialects that say 'call' instead of 'action'."""
LIST_PROBLEMS: Final[Mapping[str, Problem]] = {
    **PROBLEMS,
    "after_call": Problem(
        "expected a JSON list of calls, and nothing else",
        "Invalid Format: Write the calls as one JSON list, with commas between them, and nothing"
        " else.",
    ),
}
"""The same for calls in a list."""
BARE_PROBLEMS: Final[Mapping[str, Problem]] = {
    "open_call": Problem(
        "expected the end of the JSON",
        "The JSON is cut off, so nothing was done. Write the whole JSON again.",
    ),
}
"""For dialects in which no marker distinguishes a call from an answer in JSON."""


def _is_opener(opener: str, fence: str, is_lead: bool) -> bool:
    return is_lead and "".join(fence.split()) == opener


def _is_dressed(_fence: str, is_lead: bool) -> bool:
    return is_lead


def _on_a_line(fence: str, is_lead: bool) -> bool:
    return is_lead or "\n" in fence


def block_rules(
    tool: str = "name",
    tool_input: str = "arguments",
    *,
    call_id: str = "",
    enclosed: str = "",
    unlisted: bool = False,
) -> tuple[JsonCallRules, JsonCallRules]:
    """Return the rules for strict mode, and those for lenient mode.

    Args:
        tool: Key of the tool's name; empty if the name is the only key, and the input its value.
        tool_input: Key of its input.
        call_id: Key of the call's id; empty if calls have no id.
        enclosed: What opens a list of calls: ``[``, or a fence and ``[``; empty without a list.
        unlisted: Whether a block has several calls that are in no list.
    """
    strict = JsonCallRules(
        keys=replace(KEYS, tool=tool, input=tool_input, id=call_id, wrappers=WRAPPERS),
        may_open=partial(_is_opener, enclosed),
        enclosed=enclosed,
        unlisted=unlisted,
        reads_null=True,
        several=True,
        is_marked=True,
    )
    keys = lenient_keys(strict.keys, encoded=tool_input)
    lenient = replace(strict, keys=keys, may_open=begins_anywhere, lenient=True, strict=strict)
    return _followed(strict, lenient)


def _followed(strict: JsonCallRules, lenient: JsonCallRules) -> tuple[JsonCallRules, JsonCallRules]:
    """Return the rules, extended by those for calls that directly follow the first."""
    may_open = lenient.may_open if lenient.in_rows else _is_dressed
    next_strict = replace(strict, may_open=partial(_is_opener, ""), enclosed="")
    next_lenient = replace(lenient, may_open=may_open, strict=next_strict, enclosed="")
    strict = replace(strict, following=next_strict)
    return strict, replace(lenient, following=next_lenient, strict=strict)


def bare_rules(
    rules: tuple[JsonCallRules, JsonCallRules], *, anywhere: bool = False, on_a_line: bool = False
) -> tuple[JsonCallRules, JsonCallRules]:
    """Return *rules* changed for calls without a marker: a name alone is then not a call.

    Args:
        rules: The rules of strict and of lenient mode.
        anywhere: Whether prose may precede a call in lenient mode.
        on_a_line: Whether prose may precede a call on earlier lines in lenient mode.
    """
    strict, lenient = (
        replace(each, keys=replace(each.keys, is_call_alone=False), is_marked=False)
        for each in rules
    )
    may_open = begins_anywhere if anywhere else _on_a_line if on_a_line else _is_dressed
    in_rows = anywhere or on_a_line
    return _followed(strict, replace(lenient, may_open=may_open, in_rows=in_rows, strict=strict))


@dataclass(frozen=True, kw_only=True)
class JsonPayload(Payload):
    """Calls as JSON objects whose members are the name of the tool and its input."""

    tool: str = "name"
    """Key of the tool's name; empty if the name is the only key, and the input its value."""
    tool_input: str = "arguments"
    """Key of its input."""
    call_id: str = ""
    """Key of the call's id; empty if calls have no ids."""
    text: str = ""
    """See `CallForm.text`, if a template writes other white space or members than `write_json`."""
    write_input: Callable[[Any], str] = write_json
    """Writes an input."""
    bare: Choice["no", "on lines", "anywhere"] = "no"
    """Where a call needs no mark, apart from the beginning of content: lenient mode also reads it
    after prose on earlier lines, or after any prose. ``"no"`` if it always needs its mark."""
    unmarked: str = ""
    """Message of the repair for a call at the beginning of content without its mark; empty if such
    a call is not read."""

    @property
    def rules(self) -> tuple[JsonCallRules, JsonCallRules]:
        """The rules for strict mode, and those for lenient mode."""
        return block_rules(
            self.tool,
            self.tool_input,
            call_id=self.call_id,
            enclosed=self._list_opener,
            unlisted=self.row is not None and not self._list_opener,
        )

    @property
    def _list_opener(self) -> str:
        return "".join(self.row[0].split()) if self.row else ""

    @property
    @override
    def problems(self) -> Mapping[str, Problem]:
        problems = LIST_PROBLEMS if self._list_opener else PROBLEMS
        return problems if self.bare == "no" else {**problems, **BARE_PROBLEMS}

    @override
    def reader(self, closer: str, *, lenient: bool) -> NewCall:
        return partial(JsonCalls, self.rules[lenient], closed=bool(closer))

    @override
    def content_reader(self, *, lenient: bool) -> NewCall | None:
        if self.bare == "no" and not (self.unmarked and lenient):
            return None
        rules = bare_rules(
            self.rules, anywhere=self.bare == "anywhere", on_a_line=self.bare == "on lines"
        )
        return partial(JsonCalls, rules[lenient], bare=True, odd=self.unmarked)

    @property
    @override
    def form(self) -> CallForm:
        text = self.text
        if not text and not self.tool:
            text = '{{"tool"}: {input}}'
        elif not text:
            call_id = f', "{self.call_id}": {{"id"}}' if self.call_id else ""
            text = f'{{"{self.tool}": {{"tool"}}, "{self.tool_input}": {{input}}{call_id}}}'
        return CallForm(text=text, write_input=self.write_input)


# -- the name before the JSON ----------------------------------------------------------------------


def is_name(text: str, signs: str = ".-") -> bool:
    """Return whether *text* may name a tool: only letters, digits, ``_`` and *signs*."""
    return re.fullmatch(rf"[\w{re.escape(signs)}]+", text) is not None


class ReadHead(Protocol):
    """Reads the head of a call."""

    def __call__(self, text: str, *, lenient: bool) -> Head | None:
        """Return the head that *text* is; `None` if it does not name a tool."""


@dataclass(frozen=True, kw_only=True)
class NamedPayload(Payload):
    """Calls that begin with the name of the tool, with only its input as JSON."""

    read_head: ReadHead
    """Reads the text before the JSON, in strict mode or with ``lenient=True``."""
    call: str
    """One call, with ``{tool}``, ``{input}``, and ``{id}`` if calls have ids."""
    write_input: Callable[[Any], str] = write_json
    """Writes an input."""
    mark: str = ""
    """The mark between the name and the JSON; a text with this mark is not prose."""
    may_lead: Callable[[str], bool] | None = None
    """Returns whether a text may still become a head; `None` if any text may. It is not asked where
    a text without a head is an error."""
    is_bare: bool = False
    """Whether a call needs no mark, so that any other text is content."""
    unnamed: Callable[[bool], NewCall | None] | None = None
    """Returns what makes the reader of a call whose JSON has its name, given whether lenient."""
    unmarked: NewCall | None = None
    """Makes the reader of content in lenient mode, if content may have calls without a mark."""

    @property
    @override
    def problems(self) -> Mapping[str, Problem]:
        return {**PROBLEMS, **BARE_PROBLEMS} if self.is_bare else PROBLEMS

    @override
    def reader(self, closer: str, *, lenient: bool) -> NewCall:
        rules = block_rules()
        unnamed = self.unnamed(lenient) if self.unnamed else None
        return partial(
            NamedJson,
            partial(self.read_head, lenient=lenient),
            (bare_rules(rules) if self.is_bare else rules)[lenient],
            closed=bool(closer),
            bare=self.is_bare,
            unnamed=unnamed,
            may_lead=self.may_lead if unnamed or self.is_bare else None,
            mark=self.mark,
        )

    @override
    def content_reader(self, *, lenient: bool) -> NewCall | None:
        if self.is_bare:
            return self.reader("", lenient=lenient)
        return self.unmarked if lenient else None

    @property
    @override
    def form(self) -> CallForm:
        return CallForm(text=self.call, write_input=self.write_input)


# -- the name before the JSON, as a template of one call -------------------------------------------


@dataclass(frozen=True, kw_only=True)
class HeadedPayload(Payload):
    """Calls with the name of the tool, and perhaps their id, before the JSON of their input.

    White space next to the marks means nothing. If a fence encloses the JSON, it may be missing in
    lenient mode.
    """

    call: str
    """One call, with ``{tool}``, ``{input}``, and ``{id}`` if calls have ids."""
    ids: str = ""
    """How an id is spelt, with ``{tool}`` and ``{number}``, if only the id names the tool."""

    @cached_property
    def _named(self) -> NamedPayload:
        return NamedPayload(
            read_head=self.read_head, call=self.call, mark=self._head[0][-1].strip()
        )

    @cached_property
    def _head(self) -> tuple[list[str], list[str]]:
        """The texts around the name and the id, and which of them stands between two texts.

        Raises:
            ValueError: The name is missing, or it or the id stands there twice.
        """
        segments = CallForm(text=self.call).segments
        head = segments[: segments.index("input")]
        names = head.count("tool") + ("id" in head and "{tool}" in self.ids)
        if names != 1 or head.count("id") > 1:
            raise ValueError(
                "call= must name the tool once before {input}, with at most one id: "
                f"{self.call!r}"
            )
        return [*head[::2]], [*head[1::2]]

    @property
    @override
    def problems(self) -> Mapping[str, Problem]:
        return self._named.problems

    @override
    def reader(self, closer: str, *, lenient: bool) -> NewCall:
        return self._named.reader(closer, lenient=lenient)

    @property
    @override
    def form(self) -> CallForm:
        return self._named.form

    def read_head(self, text: str, *, lenient: bool) -> Head | None:
        """Return *text* read as the head of a call; `None` if it is not one."""
        texts, holes = self._head
        size = len(text.removesuffix('"')) if lenient else len(text)
        at = len(text) - len(text.lstrip())
        first = texts[0].strip()
        if not text.startswith(first, at):
            return None
        at += len(first)
        found: dict[str, tuple[int, int]] = {}
        for hole, mark in zip(holes, map(str.strip, texts[1:]), strict=True):
            stop = text.find(mark, at) if mark else size
            if stop < 0:
                return None
            value = text[at:stop]
            start = at + len(value) - len(value.lstrip())
            found[hole] = (start, start + len(value.strip()))
            at = stop + len(mark)
        if "tool" not in found:
            found |= self._in_id(text, *found["id"])
        start, stop = found.get("tool", (0, 0))
        if text[at:size].strip() or len(text[start:stop].split()) != 1:
            return None
        call_id = text[slice(*found["id"])] if "id" in found else None
        return Head(start, stop, call_id or None)

    def _in_id(self, text: str, start: int, stop: int) -> dict[str, tuple[int, int]]:
        """Return where the id between *start* and *stop* names the tool; empty if it does not."""
        before, _, behind = self.ids.partition("{tool}")
        behind, _, end = behind.partition("{number}")
        at = text.rfind(behind, start, stop) if behind else stop
        number = text[at + len(behind) : stop].removesuffix(end)
        if not text.startswith(before, start) or at < 0 or not number.isdecimal():
            return {}
        return {"tool": (start + len(before), at)}
