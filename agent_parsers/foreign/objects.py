"""JSON objects that are calls: with a tool's name as a value or as the only key."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from agent_parsers.engine.calls.json.members import names_space
from agent_parsers.engine.repairs.names import tool_named
from output_parsers.exceptions import OutputParserException
from outputs.growing_json.errors import JsonError
from outputs.growing_json.lenient.lenient_reader import LenientJsonReader

if TYPE_CHECKING:
    from agent_parsers.toolset import ToolSet

_WINDOW: Final = 1 << 12
_MARGIN: Final = 16
_MAY_BE_OBJECT: Final = re.compile(r"\{\s*+[\"'\w}]").match
_LONGEST_NAME: Final = 100
_MOST_NESTED: Final = 4
"""How deep an object may stand in others to be a call."""
names_call: Final = re.compile(
    r"(?:.*_)?(?:name|tool|function|func|fn|action|call|method|recipient|api|command|tool_to_use)"
    r"(?:_name)?",
    re.IGNORECASE,
).fullmatch
"""Matches a key whose value is the name of what is called."""
_INPUTS: Final = re.compile(
    r".*(?:arg|param|input|kwargs|payload|query|body|with|data|options|values?|content|text).*",
    re.IGNORECASE,
).fullmatch
"""Matches a key whose value is the input of what is called."""
_SEPARATORS: Final = re.compile("[./:]")
"""What stands between a namespace and a name."""
_OTHERS: Final = frozenset(
    ("id", "call_id", "tool_call_id", "type", "thought", "thoughts", "reason", "reasoning", "step")
)
"""Keys that say something else about a call, in lower case."""


class ReadObject(NamedTuple):
    """A JSON object in a text."""

    value: dict[str, Any] | None
    """The object; `None` if it cannot be read."""
    stop: int
    """Where it ends, or how far it can be read."""
    repeats: bool = False
    """Whether a key appears twice in it."""


def object_at(text: str, at: int, *, lenient: bool) -> ReadObject:
    """Read the JSON object at offset *at* of *text*; if *lenient*, as `repair_json` does."""
    repeated: list[str] = []

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(pairs)
        if len(value) < len(pairs):
            repeated.append("")
        return value

    if _MAY_BE_OBJECT(text, at) is None:
        return ReadObject(None, at + 1)
    decoder = json.JSONDecoder(object_pairs_hook=members, strict=False)
    size = _WINDOW  # an error costs as much as the text before it has characters
    while True:
        piece = text[at : at + size]
        try:
            value, stop = decoder.raw_decode(piece)
            return ReadObject(value, at + stop, bool(repeated))
        except json.JSONDecodeError as error:
            repeated.clear()
            is_cut = error.msg.startswith("Unterminated") or error.pos > len(piece) - _MARGIN
            if is_cut and at + size < len(text):
                size *= 4
                continue
            failed = at + max(1, error.pos)
            break
        except (RecursionError, ValueError):  # too deep, or a number that is too long
            return ReadObject(None, len(text))
    if not lenient:
        return ReadObject(None, failed)
    reader = LenientJsonReader()
    read = at
    try:
        while reader.end is None and read < len(text):
            reader.feed(text[read : read + _WINDOW])
            read += _WINDOW
        value = reader.value if reader.end is not None else None
    except JsonError as error:
        return ReadObject(None, max(at + 1, at + error.pos))
    if not isinstance(value, dict):
        return ReadObject(None, len(text))
    assert reader.end is not None
    return ReadObject(value, at + reader.end, repeats=_overwrites(text[at : at + reader.end]))


def _overwrites(text: str) -> bool:
    """Return whether a key appears twice in *text*, an object that takes repairs to be read."""
    # imported lazily: few replies need it
    from output_parsers import repair_json
    from outputs.growing_json.lenient.json_text import repeated_key

    try:
        return repeated_key(text, repair_json(text).repairs) is not None
    except (JsonError, ValueError):
        return True  # not sure


def fitted(tools: ToolSet, tool: str, given: Any) -> Any:
    """Return the input *given* as *tool* takes it; `None` if the tool does not take it."""
    try:
        return tools.read(tool, given, lenient=True).value
    except OutputParserException:
        return None


def calls_in(value: dict[str, Any], tools: ToolSet, depth: int = 0) -> list[tuple[str, Any]] | None:
    """Return the calls in an object, as pairs of a tool and its input.

    Returns:
        The calls; an empty list if it looks like a call that no tool takes, or that can be read in
        two ways; `None` if it is other data.
    """
    if depth > _MOST_NESTED:
        return None
    named = [
        (key, name)
        for key, each in value.items()
        if isinstance(each, str) and (name := _tool_of(key, each, tools))
    ]
    if len(named) > 1:
        named = [(key, each) for key, each in named if names_call(key)]
    if len(named) == 1:
        return _named_call(*named[0], value, tools)
    if len(value) == 1:
        ((tool, given),) = value.items()
        if tool in tools:
            return _keyed_call(tool, given, tools)
    found = [calls_in(each, tools, depth + 1) for each in _objects_in(value)]
    shapes = [calls for calls in found if calls is not None]
    if not shapes:
        return None
    return [] if [] in shapes else [call for calls in shapes for call in calls]


def _tool_of(key: str, written: str, tools: ToolSet) -> str:
    """Return the tool that the value of a *key* names; empty if it names none."""
    name = _SEPARATORS.split(written)[-1]
    if name not in tools and len(written) <= _LONGEST_NAME and names_call(key):
        name = tool_named(written, tools.names)
    return name if name in tools else ""


def _objects_in(value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for each in value.values():
        inner: list[Any] = each if isinstance(each, list) else [each]
        for one in inner:
            if isinstance(one, dict):
                yield one


def _named_call(
    key: str, tool: str, value: dict[str, Any], tools: ToolSet
) -> list[tuple[str, Any]] | None:
    """Return the call in an object whose *key* names the *tool*; see `calls_in`."""
    rest = {name: each for name, each in value.items() if name != key}
    if any(names_space(name) and not tools.declares(tool, [name]) for name in rest):
        return []
    inputs: list[Any] = [each for each in rest.values() if isinstance(each, dict)]
    inputs += [each for name, each in rest.items() if isinstance(each, str) and _INPUTS(name)]
    if any(map(is_schema, inputs)):
        return None  # a description of the tool
    flat = {name: each for name, each in rest.items() if name.lower() not in _OTHERS}
    if flat and tools.checks(tool) and tools.declares(tool, flat):
        inputs.append(flat)
    if not flat and names_call(key) and key.lower() != "name":
        inputs.append({})
    readings: list[Any] = []
    for given in inputs:
        read = fitted(tools, tool, given)
        if read is not None and read not in readings:
            readings.append(read)
    if len(readings) == 1:
        only = readings[0]
        left_out = [name for name in flat if name not in only] if isinstance(only, dict) else []
        return [] if tools.declares_any(tool, left_out) else [(tool, only)]
    is_call = names_call(key) and any(map(_INPUTS, rest))
    return [] if readings or is_call else None


def _keyed_call(tool: str, given: Any, tools: ToolSet) -> list[tuple[str, Any]] | None:
    """Return the call in an object whose only key is the *tool*; see `calls_in`."""
    if isinstance(given, str):  # an input, or just what the answer says of it
        return None if fitted(tools, tool, given) is None else []
    if not isinstance(given, dict) or is_schema(given):
        return None
    if given and tools.checks(tool) and not any(tools.declares(tool, (key,)) for key in given):
        return None
    read = fitted(tools, tool, given)
    return [] if read is None else [(tool, read)]


def is_schema(value: Any) -> bool:
    """Return whether *value* is a JSON Schema, or a map of them."""
    if not isinstance(value, dict):
        return False
    if isinstance(value.get("properties"), dict) or value.get("type") == "object":
        return True
    return bool(value) and all(isinstance(each, dict) and "type" in each for each in value.values())
