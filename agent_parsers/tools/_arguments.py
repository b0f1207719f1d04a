"""The input of a tool as it was written, read as an object by name of parameter."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

from agent_parsers._repeated_keys import repeated_key
from agent_parsers.tools._policy import Note
from agent_parsers.tools._problems import InputProblem, kind_of, shown
from agent_parsers.tools._scalars import from_text
from outputs._json_scalars import NOTHING
from outputs._json_whole import MAX_DEPTH, parse_whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agent_parsers.tools._fit import Fitter
    from agent_parsers.tools._schema import Schema
    from outputs import JsonRepair

__all__ = ["BadInput", "lone_key", "read_arguments"]


class BadInput(Exception):  # noqa: N818 - it never leaves the package, which tells the problem
    """An input that is no object of arguments.

    Args:
        problem: What is wrong with all of it.
        value: What could be read of it.
    """

    def __init__(self, problem: InputProblem, value: Any = None) -> None:
        super().__init__(str(problem))
        self.problem = problem
        self.value = value


def lone_key(schema: Schema) -> str | None:
    """Return the one parameter that an input without names fills, if there is one.

    That is the only parameter, or else the only one that is required.
    """
    flat = schema.flat(schema.root)
    properties = flat.get("properties", {})
    if len(properties) == 1:
        return str(next(iter(properties)))
    required = [key for key in flat.get("required", ()) if key in properties]
    return required[0] if len(required) == 1 else None


def read_arguments(fitter: Fitter, tool_input: Any, notes: list[Note]) -> dict[str, Any]:
    """Return *tool_input* as an object.

    Args:
        fitter: Knows what the tool takes, and the policy.
        tool_input: An object, text that is one as JSON, or what the lone parameter takes.
        notes: Where to tell what was done to it.

    Raises:
        BadInput: It is neither.
    """
    if isinstance(tool_input, str):
        return _from_text(fitter, tool_input, notes)
    key = lone_key(fitter.schema)
    if isinstance(tool_input, dict) and (key is None or not _fills(fitter, tool_input, key)):
        return tool_input
    if key is not None:
        notes.append(Note(f"read the input as {key}"))
        return {key: tool_input}
    raise BadInput(_no_object(fitter, tool_input))


def _from_text(fitter: Fitter, text: str, notes: list[Note]) -> dict[str, Any]:
    schema = fitter.schema
    flat = schema.flat(schema.root)
    key = lone_key(schema)
    found = _object_in(fitter, text, notes, is_only=key is None)
    if found is not None and (key is None or not _fills(fitter, found, key)):
        return found
    if not text.strip() and not flat.get("required"):
        return {}
    if key is not None:
        notes.append(Note(f"read the text as {key}"))
        return {key: text if found is None else found}
    if flat.get("properties") == {} and not flat.get("additionalProperties"):
        is_none = from_text(text, ("null",)) is None
        if is_none or fitter.policy.extra_text == "drop":
            kind = "" if is_none else "extra_text"
            notes.append(Note("left out the text, as the tool takes no input", kind))
            return {}
        raise BadInput(InputProblem((), "no input", shown(text)))
    raise BadInput(_no_object(fitter, text))


def _fills(fitter: Fitter, value: dict[Any, Any], key: str) -> bool:
    """Tell whether an object is the value of the parameter *key*, and not the arguments by name."""
    properties = fitter.schema.flat(fitter.schema.root)["properties"]
    if (
        any(name in properties for name in value)
        or not fitter.run(value, fitter.schema.root, convert=True).problems
    ):
        return False
    return not fitter.run(value, properties[key], convert=True).problems


_MOST_KEYS: Final = 5
_NAMED_START: Final = r"""\{\s*["']?([\w-]{1,100})["']?\s*:"""


def _object_in(
    fitter: Fitter, text: str, notes: list[Note], *, is_only: bool
) -> dict[str, Any] | None:
    """Return the object that *text* is as JSON, or `None` if it is text.

    Args:
        fitter: Knows what the tool takes, and the policy.
        text: The input.
        notes: Where to tell what was done to it.
        is_only: Whether text alone is of no use to the tool.

    Raises:
        BadInput: An object was meant, but there is none, or there is more.
    """
    body = text.strip()
    value = parse_whole(body, MAX_DEPTH) if body.startswith("{") else NOTHING
    if isinstance(value, dict):
        return _unrepeated(value, body)
    names = fitter.schema.flat(fitter.schema.root).get("properties", {})
    start = re.match(_NAMED_START, body)
    is_meant = start is not None and start[1] in names
    if not is_meant and not is_only:
        return None
    if (fenced := _mended(fitter, body, notes)) is not None:
        return fenced
    at = 0 if is_meant else body.find("{")
    if at < 0:
        return None
    value, end = _object_at(body, at)
    if value is NOTHING or not (is_meant or any(name in names for name in value)):
        if is_meant:
            raise BadInput(_broken(body))
        return None
    _unrepeated(value, body[at:end])
    return _without_extra(fitter, value, body[:at] + body[end:], notes)


def _unrepeated(
    value: dict[str, Any], text: str, mends: Sequence[JsonRepair] = ()
) -> dict[str, Any]:
    """Return *value*, unless a key comes twice in its *text*."""
    if (key := repeated_key(text, mends)) is not None:
        raise BadInput(InputProblem((key,), "one value", "the key more than once"), value)
    return value


def _without_extra(
    fitter: Fitter, value: dict[str, Any], extra: str, notes: list[Note]
) -> dict[str, Any] | None:
    if not extra.strip():
        return value
    if fitter.policy.extra_text == "keep":
        return None
    if fitter.policy.extra_text == "forbid":
        problem = InputProblem(
            (), "nothing but the JSON object", f"the text {shown(extra.strip())}"
        )
        raise BadInput(problem, value)
    notes.append(Note(f"left out the text {shown(extra.strip())}", "extra_text"))
    return value


def _mended(fitter: Fitter, text: str, notes: list[Note]) -> dict[str, Any] | None:
    """Return the object that *text* is after mending, if that is asked for."""
    if not fitter.policy.lenient:
        return None
    from output_parsers import repair_json  # only broken JSON needs it

    try:
        value, repairs = repair_json(text)
    except json.JSONDecodeError:
        return None
    if not isinstance(value, dict):
        return None
    _unrepeated(value, text, repairs)
    spans = [mend.span for mend in repairs if mend.kind == "surrounding_text"]
    extra = " ".join(text[start:end].strip(" \t\r\n`") for start, end in spans)
    notes += (Note(mend.message, mend.kind) for mend in repairs if mend.kind != "surrounding_text")
    return _without_extra(fitter, value, extra.removesuffix("json"), notes)


def _object_at(text: str, at: int) -> tuple[Any, int]:
    """Return the JSON object that begins at *at*, and where it ends, or `NOTHING`."""
    try:
        _, end = json.JSONDecoder().raw_decode(text, at)
    except (ValueError, RecursionError):
        return NOTHING, at
    return parse_whole(text[at:end], MAX_DEPTH), end


def _broken(text: str) -> InputProblem:
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        reason = error.msg[:1].lower() + error.msg[1:].removesuffix(" at")
        reason = f"{reason} at line {error.lineno}"
        reason = f"{reason}, column {error.colno}"
    except (ValueError, RecursionError):
        reason = "nested too deep, or a number of too many digits"
    else:
        reason = "nested too deep, or a number of too many digits"
    return InputProblem((), "a JSON object", f"text that cannot be read as one ({reason})")


def _no_object(fitter: Fitter, value: Any) -> InputProblem:
    flat = fitter.schema.flat(fitter.schema.root)
    keys = flat.get("required") or list(flat.get("properties", ()))
    listed = ", ".join(keys[:_MOST_KEYS]) + (", …" if len(keys) > _MOST_KEYS else "")
    with_keys = f" with {'keys' if len(keys) > 1 else 'the key'} {listed}" if keys else ""
    found = shown(value) if kind_of(value) else f"a value of type {type(value).__name__}"
    return InputProblem((), f"a JSON object{with_keys}", found)
