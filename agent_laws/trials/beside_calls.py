"""Deterministic turns with something beside the arguments of a call, in JSON or in its tag.

Where the objects stand is found by reading the turn that the dialect writes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from os.path import commonprefix
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from agent_laws.trials.sample_calls import written_turn
from agent_laws.trials.stories import Refusal, outcome_of
from agent_parsers import get_parser
from agent_parsers.toolset import ToolSet, ToolSpec

if TYPE_CHECKING:
    from agent_parsers import Dialect
    from agent_parsers.authoring import Mode

KINDS: Final = ("parameter", "member", "goes_on", "two_names")
"""What stands beside the arguments: a member or an attribute named for a parameter that they lack,
another one, more JSON behind what closes them or before them, and a second name of the tool."""
_OTHER_TOOL: Final = "ping"
_TOOL_KEYS: Final = ("name", "tool_name", "tool", "function", "action")
_INPUT: Final = {"to": "A"}
_SPARE: Final = '"amount": 5'
_NESTED: Final = f'"options": {{{_SPARE}}}'
_NOTE: Final = '"a7note": 5'
_decode = json.JSONDecoder().raw_decode


class BesideCall(NamedTuple):
    """A turn with something next to the arguments of its call."""

    kind: str
    """What is there: one of `KINDS`."""
    text: str
    """The turn."""
    tools: ToolSet
    """The tools."""
    may_repair: bool = False
    """Whether the call may be made if that is reported as a repair."""


@cache
def beside_calls(dialect: Dialect, mode: Mode) -> tuple[BesideCall, ...]:
    """Return turns with something next to the arguments, at each level of a call.

    Lenient mode may report a member that names no parameter. Strict mode refuses it, except in
    formats with one step per turn, where LangChain's parsers ignore it; those are not tried.
    """
    turn = written_turn(dialect, _INPUT)
    if turn is None:
        return ()
    tool = turn.calls[0].tool
    found = [
        BesideCall(kind, text, _tools(tool, required), kind == "member" and mode == "lenient")
        for required in (["to"], [])
        for kind, text in dict.fromkeys(
            (*_spoilt(turn.text, tool), *_in_both_forms(dialect), *_behind(dialect, turn.text))
        )
    ]
    is_free = mode == "strict" and not dialect.several
    return tuple(each for each in found if not (is_free and each.kind == "member"))


def _tools(name: str, required: list[str]) -> ToolSet:
    properties = {"to": {"type": "string"}, "amount": {"type": "integer", "default": 1}}
    schema = {"type": "object", "properties": properties, "required": required}
    return ToolSet([ToolSpec(name, "", schema), ToolSpec(_OTHER_TOOL, "", schema)])


def _spoilt(text: str, tool: str) -> Iterator[tuple[str, str]]:
    for named in re.finditer(rf'(?<=\s)[\w:-]+="{re.escape(tool)}"', text):
        start, end = named.span()
        for kind, attribute in (("parameter", 'amount="5"'), ("member", 'a7note="5"')):
            yield kind, f"{text[:start]}{attribute} {text[start:]}"
            yield kind, f"{text[:end]} {attribute}{text[end:]}"
    for start, end, value in _objects(text):
        if not _holds(value, _INPUT):
            continue
        body = text[start + 1 : end - 1]
        yield "goes_on", f"{text[:end]}, {_SPARE}}}{text[end:]}"
        if value == _INPUT:
            for more in ('or {"to": "B"}', '{"to": "B"}', f"{{{_SPARE}}}"):
                yield "goes_on", f"{text[:end]} {more}{text[end:]}"
            continue
        members = (("parameter", _SPARE), ("parameter", _NESTED), ("member", _NOTE))
        for kind, member in members:
            yield kind, f"{text[:start]}{{{member}, {body.lstrip()}}}{text[end:]}"
            yield kind, f"{text[:start]}{{{body.rstrip()}, {member}}}{text[end:]}"
        if not _holds(value, tool):
            continue
        for key in _TOOL_KEYS:
            second = f'"{key}": "{_OTHER_TOOL}"'
            if key not in value:
                yield "two_names", f"{text[:start]}{{{body.rstrip()}, {second}}}{text[end:]}"
            if tool in value.values():  # a level above the name, and one below
                inner = text[start:end]
                wrapped = f'{{"type": "function", "function": {inner}, {second}}}'
                yield "two_names", f"{text[:start]}{wrapped}{text[end:]}"


def _in_both_forms(dialect: Dialect) -> Iterator[tuple[str, str]]:
    """Yield a call with arguments in JSON before those in its own form, if that is none."""
    turn, empty = written_turn(dialect, _INPUT), written_turn(dialect, {})
    if turn and empty and "{" not in turn.text and dialect.several:
        at = len(commonprefix((turn.text, empty.text)))
        tag = turn.text.rfind("<", 0, at)
        at = tag if turn.text.find(">", tag, at) < 0 <= tag else at
        yield "goes_on", f"{turn.text[:at]}{{{_SPARE}}}{turn.text[at:]}"


def _behind(dialect: Dialect, text: str) -> Iterator[tuple[str, str]]:
    """Yield the turn in *text* with arguments behind it, unless text behind a turn is dropped."""
    said = outcome_of(lambda: get_parser(dialect).read(f"{text}\nDone."))
    if not isinstance(said, Refusal) and all(each.kind != "after_answer" for each in said.repairs):
        yield "goes_on", f"{text}\n{{{_SPARE}}}"
        yield "goes_on", f"{text}\namount=5"


def _objects(text: str) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """Yield the JSON objects in *text*, inner ones included, each with its start and end."""
    for start, char in enumerate(text):
        if char == "{":
            with suppress(json.JSONDecodeError):
                value, end = _decode(text, start)
                yield start, end, value


def _holds(value: Any, wanted: object) -> bool:
    """Return whether *value* is, or has at any depth, a *wanted* value, which may be a key."""
    if value == wanted:
        return True
    if isinstance(value, dict):
        value = [*value, *value.values()]
    return isinstance(value, list) and any(_holds(part, wanted) for part in value)
