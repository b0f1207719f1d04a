"""Payload codec for inputs that are JSON objects."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from agent_parsers.engine.repairs.payloads import BadPayload
from outputs.growing_json.lenient.repeated_keys import may_repeat
from outputs.growing_json.load import load_json

if TYPE_CHECKING:
    from agent_parsers.events import Repair

__all__ = ["read_json_input", "repeats_key", "write_json_input"]


def read_json_input(text: str, _repairs: list[Repair]) -> dict[str, Any]:
    """Read an input that is a JSON object and nothing else; see also `repair_json_input`.

    Raises:
        BadPayload: The text is not a JSON object, or an object repeats a key.
    """
    try:
        value = load_json(text)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise BadPayload("bad_input", (0, len(text)))
    if may_repeat(text, value):
        raise BadPayload("repeated_key", (0, len(text)))
    return value


def repeats_key(text: str) -> bool:
    """Return whether *text* is a JSON object that repeats a key, at any depth."""
    if text.lstrip()[:1] != "{":
        return False
    try:
        value = load_json(text)
    except ValueError:
        return False
    return may_repeat(text, value)


def write_json_input(tool_input: str | dict[Any, Any]) -> str:
    """Write an input as JSON on one line; text is returned unchanged.

    Raises:
        TypeError: The input holds a value of a type that JSON does not have.
        ValueError: The input holds a number that JSON does not have, such as infinity.
    """
    if isinstance(tool_input, str):
        return tool_input
    return json.dumps(tool_input, ensure_ascii=False, allow_nan=False)
