"""Reads the input that a model wrote as an object of arguments by name."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.toolset.problems.errors import InputNote
from agent_parsers.toolset.problems.input_problem import InputProblem, kind_of, shown
from agent_parsers.toolset.schemas.plain import lone_key, named_in
from agent_parsers.toolset.schemas.scalars import from_text
from outputs.growing_json.lenient.json_text import begins_object, repeated_key, unquoted
from outputs.growing_json.scalars import NOTHING
from outputs.growing_json.whole import MAX_DEPTH, parse_whole

if TYPE_CHECKING:
    from agent_parsers.toolset.schemas.fit import Fitter
    from outputs import JsonRepair


class BadInput(Exception):  # noqa: N818 - internal: it is turned into a `ToolInputError`
    """Raised for an input that is no object of arguments; *value* is what could be read of it."""

    def __init__(self, problem: InputProblem, value: Any = None) -> None:
        super().__init__(str(problem))
        self.problem = problem
        self.value = value


def read_arguments(fitter: Fitter, tool_input: Any, notes: list[InputNote]) -> dict[str, Any]:
    """Return *tool_input*, an object, its JSON, or a value for the lone parameter, as an object.

    Changes are added to *notes*.

    Raises:
        BadInput: *tool_input* is anything else, or only the beginning of a JSON object.
    """
    if isinstance(tool_input, str):
        return _unwrapped(fitter, _from_text(fitter, tool_input, notes), notes)
    if isinstance(tool_input, dict):
        # An object is always read as arguments by name, even if the lone parameter takes an object:
        # guessing between the two would be unsafe.
        return _unwrapped(fitter, tool_input, notes)
    key = lone_key(fitter.schema.flat(fitter.schema.root))
    if key is not None:
        notes.append(InputNote(f"read the input as the value of {key}"))
        return {key: tool_input}
    raise BadInput(_no_object(fitter, tool_input))


def _from_text(fitter: Fitter, text: str, notes: list[InputNote]) -> dict[str, Any]:
    schema = fitter.schema
    flat = schema.flat(schema.root)
    key = lone_key(flat)
    found = _object_in(fitter, text, notes, is_only=key is None)
    if found is not None:
        return found
    if not text.strip():
        return {}  # no arguments rather than an empty string for the lone parameter
    if begins_object(text):
        raise BadInput(InputProblem((), "a whole JSON object", "only its beginning"))
    if key is not None:
        if text.lstrip().startswith("{") and not fitter.fits(text, flat["properties"][key]):
            raise BadInput(_no_object(fitter, text))  # it would become the object *key*
        is_kept = fitter.policy.extra_text == "keep" and "{" in text
        if not is_kept and (named := named_in(text, flat["properties"])):
            expected = "a JSON object" if len(named) > 1 else "a JSON object, or the value alone"
            by_name = f"text that gives values for {' and '.join(named[:2])}, {shown(text)}"
            placeholders = {name: f"<{name}>" for name in named}
            raise BadInput(InputProblem((), expected, by_name), placeholders)
        notes.append(InputNote(f"read the text as the value of {key}"))
        return {key: text}
    if flat.get("properties") == {} and not flat.get("additionalProperties"):
        is_none = from_text(text, ("null",)) is None
        if is_none or fitter.policy.extra_text == "drop":
            kind = "" if is_none else "extra_text"
            notes.append(InputNote("dropped the text, since the tool takes no input", kind))
            return {}
        raise BadInput(InputProblem((), "no input", shown(text)))
    raise BadInput(_no_object(fitter, text))


_WRAPPERS: Final = ("arguments", "input")
"""Keys in which models wrap all arguments."""


def _unwrapped(fitter: Fitter, value: dict[str, Any], notes: list[InputNote]) -> dict[str, Any]:
    """Return the arguments that *value* wraps in a key of `_WRAPPERS`, or *value* itself.

    They are unwrapped only if the schema leaves no doubt: the tool has no parameter of that name,
    allows no unknown keys, and declares all keys of the inner object.

    Raises:
        BadInput: The inner object has a duplicate key.
    """
    flat = fitter.schema.flat(fitter.schema.root)
    properties = flat.get("properties")
    is_open = flat.get("additionalProperties") or flat.get("patternProperties")
    if not fitter.policy.lenient or len(value) != 1 or properties is None or is_open:
        return value
    ((key, inner),) = value.items()
    if key not in _WRAPPERS or key in properties:
        return value
    if isinstance(inner, str):
        inner = _object_of(inner)
    if not isinstance(inner, dict) or any(name not in properties for name in inner):
        return value
    notes.append(InputNote(f"read the text in {key!r} as the input", "wrapper"))
    return inner


def _object_of(text: str) -> dict[str, Any] | None:
    """Return the JSON object that the whole *text* is, or `None`.

    Raises:
        BadInput: The object has a duplicate key.
    """
    text = text.strip()
    value = parse_whole(text, MAX_DEPTH) if text.startswith("{") else NOTHING
    return _unrepeated(value, text) if isinstance(value, dict) else None


_MOST_KEYS: Final = 5
_NAMED_START: Final = re.compile(r"""\{\s*+["']?([\w-]{1,100}+)["']?\s*+:""")
_starts: Final = _NAMED_START.finditer


def _object_in(
    fitter: Fitter, text: str, notes: list[InputNote], *, is_only: bool
) -> dict[str, Any] | None:
    """Return the JSON object in *text*, or `None` if *text* is plain text.

    If *is_only*, the tool takes objects and no plain text. Changes are added to *notes*.

    Raises:
        BadInput: An object was meant but cannot be read, or other text stands around it.
    """
    body = text.strip()
    if (whole := _object_of(body)) is not None:
        return whole
    names = fitter.schema.flat(fitter.schema.root).get("properties", {})
    if (inner := _encoded_object(body)) and all(name in names for name in inner):
        if not fitter.policy.lenient:
            raise BadInput(InputProblem((), "a JSON object", "a string that contains one"), inner)
        notes.append(InputNote("read the object inside a string as the input", "double_encoding"))
        return inner
    start = _NAMED_START.match(body.lstrip("*_ "))  # emphasis may be left over before it
    is_meant = start is not None and start[1] in names
    if not is_meant and not is_only:
        return None
    if (fenced := _repaired(fitter, body, notes)) is not None:
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


def _encoded_object(text: str) -> dict[str, Any] | None:
    """Return the object that *text* holds as a JSON string, with or without the quotes."""
    inner = unquoted(f'"{text}"' if text.startswith('{\\"') else text)
    return None if inner is None else _object_of(inner)


def _unrepeated(
    value: dict[str, Any], text: str, made: Sequence[JsonRepair] = ()
) -> dict[str, Any]:
    """Return *value*; raise `BadInput` if its *text* has a duplicate key."""
    if (key := repeated_key(text, made)) is not None:
        raise BadInput(InputProblem((key,), "one value", "the key more than once"), value)
    return value


def _without_extra(
    fitter: Fitter, value: dict[str, Any], extra: str, notes: list[InputNote]
) -> dict[str, Any] | None:
    if not extra.strip():
        return value
    if fitter.policy.extra_text == "keep":
        return None
    names = fitter.schema.flat(fitter.schema.root).get("properties", {})
    if any(start[1] in names for start in _starts(extra)):
        raise BadInput(InputProblem((), "one JSON object", "several"), value)
    if fitter.policy.extra_text == "forbid":
        problem = InputProblem(
            (), "nothing but the JSON object", f"the text {shown(extra.strip())}"
        )
        raise BadInput(problem, value)
    notes.append(InputNote(f"dropped the text {shown(extra.strip())}", "extra_text"))
    return value


def _repaired(fitter: Fitter, text: str, notes: list[InputNote]) -> dict[str, Any] | None:
    """Return the object that *text* is after repairs, or `None`; only in lenient mode."""
    if not fitter.policy.lenient:
        return None
    # imported lazily: only malformed JSON needs it
    from output_parsers.json_in_prose.repair import repaired_with_last_keys

    try:
        value, repairs = repaired_with_last_keys(text)
    except json.JSONDecodeError:
        return None
    if not isinstance(value, dict):
        return None
    if any(repair.kind == "missing_closer" for repair in repairs):
        raise BadInput(_broken(text))  # more of it may be missing
    _unrepeated(value, text, repairs)
    extra, within = parted(text, repairs)
    notes += within
    return _without_extra(fitter, value, extra.removesuffix("json"), notes)


def parted(text: str, repairs: Sequence[JsonRepair]) -> tuple[str, list[InputNote]]:
    """Return the text around the JSON in *text*, without fences, and notes on *repairs* in it."""
    spans = [repair.span for repair in repairs if repair.kind == "surrounding_text"]
    extra = " ".join(text[start:end].strip(" \t\r\n`") for start, end in spans)
    within = [repair for repair in repairs if repair.kind != "surrounding_text"]
    return extra, [InputNote(repair.message, repair.kind) for repair in within]


def _object_at(text: str, at: int) -> tuple[Any, int]:
    """Return the JSON object that begins at *at*, or `NOTHING`, and where it ends."""
    try:
        _, end = json.JSONDecoder().raw_decode(text, at)
    except (ValueError, RecursionError):
        return NOTHING, at
    return parse_whole(text[at:end], MAX_DEPTH), end


_TOO_MUCH: Final = "nested too deep, or a number with too many digits"
_HALF_ESCAPE: Final = re.compile(
    r"\\u(?:d[89ab]..(?!\\ud[c-f])|(?<!\\ud[89ab]..\\u)d[c-f])", re.IGNORECASE
).search
"""Finds an escape of half of a character, which Python writes as two."""


def _broken(text: str) -> InputProblem:
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        reason = error.msg[:1].lower() + error.msg[1:].removesuffix(" at")
        reason = f"{reason} at line {error.lineno}"
        reason = f"{reason}, column {error.colno}"
    except (ValueError, RecursionError):
        reason = _TOO_MUCH
    else:
        reason = "half of a surrogate pair in an escape" if _HALF_ESCAPE(text) else _TOO_MUCH
    return InputProblem((), "a JSON object", f"text that cannot be read as one ({reason})")


def _no_object(fitter: Fitter, value: Any) -> InputProblem:
    flat = fitter.schema.flat(fitter.schema.root)
    keys = flat.get("required") or list(flat.get("properties", ()))
    listed = ", ".join(keys[:_MOST_KEYS]) + (", …" if len(keys) > _MOST_KEYS else "")
    with_keys = f" with {'keys' if len(keys) > 1 else 'the key'} {listed}" if keys else ""
    found = shown(value) if kind_of(value) else f"a value of type {type(value).__name__}"
    return InputProblem((), f"a JSON object{with_keys}", found)
