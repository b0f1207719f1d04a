"""Turns with a duplicate or misspelt key in a call, made from turns that a dialect writes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from json import JSONDecodeError
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from agent_laws.trials.sample_calls import calls_in, reading, written_turn
from agent_laws.trials.tool_shapes import tool_sets

if TYPE_CHECKING:
    from re import Match

    from agent_parsers import Dialect
    from agent_parsers.authoring import Mode
    from agent_parsers.toolset import ToolSet

_Mistakes: TypeAlias = "tuple[tuple[str, str | Callable[[Match[str]], str]], ...]"
"""Patterns, and what is written in place of what they find."""
_FIRST, _SECOND, _OTHER = "kaa", "kbb", "kcc"
"""Keys that occur in no other word; they are in order, since some templates sort keys."""
_PLACES: Final[dict[str, dict[str, Any]]] = {
    "at the top": {_FIRST: "one", _SECOND: "two"},
    "with one value": {_FIRST: "one", _SECOND: "one"},
    "numbers": {_FIRST: 1, "kab": True, _SECOND: 2},
    "objects": {_FIRST: {"a": 1}, _SECOND: {"b": [2]}},
    "in an object": {"o": {_FIRST: "one", _SECOND: "two"}, "z": "end"},
    "in a list": {"l": ["x", {_FIRST: 1, "kab": [], _SECOND: 2}]},
    "deep down": {"o": {"p": [[{"q": {"r": {_FIRST: "one", _SECOND: "two"}}}]]}},
}
_SPELT: Final = ("\\u006ba\\u0061", "'kaa'", '"kaa"', " kaa", "kaa ", "**kaa")
"""Other spellings of the first key, which some dialects read as the same key."""
_RESPELT: Final = ("at the top", "deep down")
"""Places where other spellings are tried."""
_TOOL_KEYS: Final = ("name", "tool_name", "tool", "function", "action")
_INPUT_KEYS: Final = ("arguments", "parameters", "args", "input", "action_input", "tool_input")
_ROLES, _SECOND_CALL = "keys for one role", "in the second call"
_IN_NAME: Final = "in a call in place of the name"
_SECOND_VALUE: Final = "a second value"
KINDS: Final = (*_PLACES, _SECOND_CALL, _ROLES, _IN_NAME, _SECOND_VALUE)
"""The kinds of turns with duplicate keys."""
_MOST_OBJECTS: Final = 4
_SPOILING: Final[_Mistakes] = (
    (r'"(\w+)"', r"'\1'"),
    (r'"(\w+)"', r"\1"),
    (r'"(\w+)"', r"“\1”"),
    (r'"(\w+)"', '"no"'),
    (r'\s\w+="\w*"', ""),
    (r"\s\w+=", " other="),
    (r"=", " = "),
    (r"<|\s", r"\g<0> "),
    (r">", " >"),
    (r"(?<=[\w\"])>", ' other="1">'),
    (r"[a-z]\w*", lambda found: found[0].upper()),
    (r"[a-z]\w*", lambda found: found[0].capitalize()),
    (r"</", "< /"),
    (r"</", "</ "),
    (r"</", "<"),
    (r"</", r"<\\"),
    (r"</", "<//"),
    (r"(</\w[^<>]*)>", r"\1s>"),
    (r"(</\w[^<>]*)>", r"\1"),
    (r"<(/\w[^<>]*)>", r"&lt;\1&gt;"),
)
"""What is replaced behind a value, each time it stands there, and by what."""
_SPOILT_OPENERS: Final[_Mistakes] = (
    (r"<(?=\w)", "<_"),
    (r"<(?=\w)", "<x:"),
    (r"<(?=\w)", ""),
    (r"<(?=\w)", "<> "),
    (r"<(?=\w)", "&lt;"),
    (r"<(\w[^<>]*)>", r"[\1]"),
    (r"(?<=<)(\w)(\w)(?=\w)", r"\2\1"),
    (r"(?<=<\w\w)\w\w", ""),
)
"""The same for tags that open a value: only a tool's schema shows that they were meant as such."""
_decode = json.JSONDecoder().raw_decode


class DoubleKey(NamedTuple):
    """A turn with a duplicate key."""

    what: str
    """The kind of the duplicate key, and its place."""
    text: str
    """The turn."""
    tools: ToolSet | None
    """The tools that the parser must know to read the keys as keys."""


class SpoiltKey(NamedTuple):
    """A turn whose call has two keys, with one mistake between their values."""

    text: str
    """The turn."""
    values: tuple[str, str]
    """The two values."""
    tools: ToolSet | None = None
    """The tools that the parser must know to miss the second key."""


def spoilt_keys(dialect: Dialect, mode: Mode) -> Iterator[SpoiltKey]:
    """Yield turns with two keys in a call, each with one misspelling behind a value.

    These are quotes, attributes, white space, the case of letters and signs of closing tags, and,
    if the tool is known, tags that open a value. Inputs that the dialect reads as text yield no
    turns.
    """
    given = _PLACES["at the top"]
    turn = written_turn(dialect, given)
    if turn is None:
        return
    read = calls_in(reading(dialect, mode, turn.text, ended="stop"))
    if [call.tool_input for call in read] != [given]:
        return
    values = first, second = (*given.values(),)
    before, _, rest = turn.text.partition(first)
    between, _, after = rest.partition(second)
    call = turn.calls[0]._replace(tool_input=given)
    known = tool_sets([call])["defaults"]
    for mistakes, tools in ((_SPOILING, None), (_SPOILING, known), (_SPOILT_OPENERS, known)):
        for text in dict.fromkeys(_respelt(between, mistakes)):
            yield SpoiltKey(f"{before}{first}{text}{second}{after}", values, tools)
    for text in dict.fromkeys(_respelt(after, _SPOILING)):
        yield SpoiltKey(f"{before}{first}{between}{second}{text}", values, known)


def _respelt(text: str, mistakes: _Mistakes) -> Iterator[str]:
    """Yield *text* with one of the *mistakes*, in each place where it may be made."""
    for pattern, spell in mistakes:
        for found in re.finditer(pattern, text):
            spelt = spell(found) if callable(spell) else found.expand(spell)
            yield f"{text[: found.start()]}{spelt}{text[found.end() :]}"


def double_keys(
    dialect: Dialect, mode: Mode, kinds: Collection[str] = KINDS
) -> Iterator[DoubleKey]:
    """Yield turns with a duplicate key: the tool's, the input's, or one within the input.

    In strict mode, inputs that the dialect reads as text have no keys; this depends on the tools.

    Args:
        dialect: The dialect that writes and reads the turns.
        mode: The mode in which the turns are read.
        kinds: The kinds of turns to make, from `KINDS`.
    """
    for what, tool_input in _PLACES.items():
        if what in kinds:
            yield from _in_input(dialect, mode, what, tool_input)
    if _SECOND_CALL in kinds and dialect.several:
        turn = written_turn(dialect, {}, "", "", _PLACES["at the top"])
        if turn is not None:
            yield DoubleKey(_SECOND_CALL, turn.text.replace(_SECOND, _FIRST), None)
    if _SECOND_VALUE in kinds and (turn := written_turn(dialect, {_FIRST: "one"})):
        for element in re.finditer(r"(<[^<>]*>\s*)one(\s*</[^<>]*>)", turn.text):
            end, other = element.end(), element.expand(r"\1two\2")
            yield DoubleKey(_SECOND_VALUE, f"{turn.text[:end]}{other}{turn.text[end:]}", None)
    if _ROLES in kinds:
        yield from _of_roles(dialect, mode)
    if _IN_NAME in kinds:
        yield from _in_name(dialect, mode)


def _in_input(
    dialect: Dialect, mode: Mode, what: str, tool_input: dict[str, Any]
) -> Iterator[DoubleKey]:
    # JSON as text is an input in text dialects, and a string in others.
    for written in (tool_input, json.dumps(tool_input)):
        turn = written_turn(dialect, written)
        if turn is None:
            continue
        first, *more = turn.calls
        shapes = tool_sets((first._replace(tool_input=tool_input), *more))
        known = [
            tools
            for tools in (shapes["undeclared"], shapes["required"], shapes["defaults"])
            if _keys_of(dialect, mode, turn.text, tools) >= {_FIRST, _SECOND}
        ]
        for tools in known:
            yield DoubleKey(what, turn.text.replace(_SECOND, _FIRST), tools)
        for spelt in _SPELT if known and what in _RESPELT else ():
            other = turn.text.replace(_FIRST, _OTHER).replace(_SECOND, spelt)
            if _FIRST in _keys_of(dialect, mode, other, known[0]):  # read as the same key
                twice = turn.text.replace(_SECOND, spelt)
                yield DoubleKey(f"{what}, spelt {spelt!r}", twice, known[0])


def _in_name(dialect: Dialect, mode: Mode) -> Iterator[DoubleKey]:
    """Yield turns with a whole call in place of the name of a tool: ``search({"query": "x"})``."""
    nothing: str | dict[str, Any]
    for nothing in ("", {}):
        turn = written_turn(dialect, nothing)
        if turn is None:
            continue
        tool = turn.calls[0].tool
        before, _, after = turn.text.partition(tool)
        for what in _RESPELT:
            written = json.dumps(_PLACES[what])
            for call in (f"{tool}({written})", f"{tool}({written!r})", f"{tool}[{written}]"):
                for text in (f"{before}{call}{after}", f"{before}{call}"):
                    if _keys_of(dialect, mode, text, None) >= {_FIRST, _SECOND}:
                        yield DoubleKey(_IN_NAME, text.replace(_SECOND, _FIRST), None)


def _keys_of(dialect: Dialect, mode: Mode, text: str, tools: ToolSet | None) -> set[str]:
    """Return all keys in the inputs of the calls in *text*, at any depth."""
    calls = calls_in(reading(dialect, mode, text, tools=tools, ended="stop"))
    inputs = (call.tool_input for call in calls)
    return {key for each in inputs for key in _keys_in(_data(each) if mode == "lenient" else each)}


def _data(tool_input: Any) -> Any:
    """Return the value of an input that is text, if the text is JSON."""
    with suppress(TypeError, JSONDecodeError):
        return json.loads(tool_input)
    return tool_input


def _keys_in(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value
    for part in value.values() if isinstance(value, dict) else value:
        if isinstance(part, dict | list):
            yield from _keys_in(part)


def _of_roles(dialect: Dialect, mode: Mode) -> Iterator[DoubleKey]:
    """Yield calls written as JSON objects that have the name or the input twice."""
    for tool_input in ({"to": "A"}, "oldest bridge"):
        turn = written_turn(dialect, tool_input)
        if turn is None:
            continue
        tool = turn.calls[0].tool
        before = calls_in(reading(dialect, mode, turn.text, ended="stop"))
        for at, members in _objects(turn.text):
            if tool_input in members.values() and tool in members.values():
                for what, text, alone in _with_twins(turn.text, at, members, tool, tool_input):
                    if not alone or calls_in(reading(dialect, mode, alone, ended="stop")) == before:
                        yield DoubleKey(what, text, None)


def _objects(text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the JSON objects in *text*, each with its position."""
    for found in list(re.finditer(r"\{", text))[:_MOST_OBJECTS]:
        try:
            value, _ = _decode(text, found.start())
        except JSONDecodeError:
            continue
        yield found.start(), value


def _with_twins(
    text: str, at: int, members: dict[str, Any], tool: str, tool_input: Any
) -> Iterator[tuple[str, str, str]]:
    """Yield the *text* of a call with a second member of each kind, in front and behind.

    Each is yielded with a text that has only the other key, or ``""`` if the keys are equal.
    """
    end = _decode(text, at)[1] - 1
    other_input = "other" if isinstance(tool_input, str) else {"to": "B"}
    kinds = ((tool, "other", _TOOL_KEYS), (tool_input, other_input, _INPUT_KEYS))
    for value, other, keys in kinds:
        (own,) = (key for key, held in members.items() if held == value)
        for key in dict.fromkeys((own, *keys)):
            alone = "" if key == own else text.replace(f'"{own}"', f'"{key}"', 1)
            for twin in (value, other):
                member = f'"{key}": {json.dumps(twin)}'
                what = f"{own} and {key}"
                yield what, f"{text[: at + 1]}{member}, {text[at + 1 :]}", alone
                yield what, f"{text[:end].rstrip()}, {member}{text[end:]}", alone
