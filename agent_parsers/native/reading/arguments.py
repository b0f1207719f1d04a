"""The arguments of a call: from what the model wrote to the input of a tool."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from agent_parsers.events import Repair
from agent_parsers.native.reading.problems import (
    NO_ARGUMENTS,
    BadCall,
    cut_arguments,
    no_json,
    no_object,
    open_arguments,
    twice,
)
from output_parsers.tool_calls.arguments import read_arguments
from outputs.growing_json.errors import JsonIncompleteError, JsonLimitError
from outputs.growing_json.lenient.repeated_keys import repeated_key

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agent_parsers.events import Span
    from outputs import JsonRepair

__all__ = ["ARGUMENT", "Lack", "MayLack", "as_input", "is_fence", "read_lenient", "read_strict"]

Lack: TypeAlias = Literal["", "closer", "arguments", "values"]
"""What a call lacks at the end of a text: nothing, what encloses it, the end of its arguments, or
besides the end of a value within them."""
MayLack: TypeAlias = "Callable[[Lack, Any], bool]"
"""Tells whether a call with these arguments may lack that."""

ARGUMENT: Final = "__arg1"
"""Under this name a tool gets its only input, if that has no name; LangChain declares it so."""

_STARTS: Final = frozenset("{[\"'`")
"""With one of these begins what may be cut; anything else was no JSON from the start."""

_KINDS: Final = {
    bool: "a truth value",
    float: "a number",
    int: "a number",
    list: "a list",
    str: "a text",
    type(None): "nothing",
}


def is_fence(text: str) -> bool:
    """Tell whether *text* is nothing but one side of a code fence, or blank."""
    return text.strip("` \t\r\n").lower() in ("", "json")


def as_input(value: Any, tool: str, *, takes_text: bool) -> str | dict[Any, Any]:
    """Return the input that the arguments *value* are, unwrapped if it is the only one.

    Args:
        value: The arguments.
        tool: Name of the tool, for the error.
        takes_text: Whether text is an input; if not, only an unwrapped one may be.

    Raises:
        BadCall: It is neither text nor a dictionary.
    """
    if isinstance(value, dict):
        value = value[ARGUMENT] if ARGUMENT in value else value.copy()
        takes_text = True
    if isinstance(value, dict) or (takes_text and isinstance(value, str)):
        return value
    raise BadCall(no_object(tool, _KINDS.get(type(value), f"a {type(value).__name__}")))


def read_strict(written: Any, tool: str, function: Any, *, is_function: bool) -> Any:
    r"""Return the value of arguments as LangChain reads them.

    Of tools, nothing (``""``, `None`) and an empty JSON value of any type are ``{}``. Of functions,
    blank text is ``{}``, and strings may hold line breaks.

    Args:
        written: What came: text or, of a message that was put together by hand, data.
        tool: Name of the tool.
        function: Name and arguments as they came.
        is_function: Whether it is a function call.

    Raises:
        BadCall: They are not JSON text, or have a key twice.
    """
    if is_function:
        if not isinstance(written, str):
            raise BadCall(NO_ARGUMENTS if written is None else no_object(tool, "other data"))
        if not written.strip():
            return {}
    elif isinstance(written, dict):
        return written
    elif not written:
        return {}
    elif not isinstance(written, str):
        raise BadCall(no_object(tool, "other data"))
    try:
        value = read_arguments(written, strict=not is_function)
    except json.JSONDecodeError as error:
        raise _no_json(error, written, tool, function) from error
    _refuse_repeated(written, (), tool)
    return value if is_function else value or {}


def read_lenient(
    written: Any,
    tool: str,
    function: Any,
    repairs: list[Repair],
    *,
    is_function: bool,
    may_lack: MayLack,
) -> Any:
    r"""Return the value of arguments as models really write them; the rules are those of the class.

    Args:
        written: What came: text, or data.
        tool: Name of the tool.
        function: Name and arguments as they came.
        repairs: Takes what was mended, with spans from the start of *written*.
        is_function: Whether it is a function call.
        may_lack: Tells whether brackets may be missing at their end.

    Raises:
        BadCall: They have no reading, or are cut, or have a key twice.
    """
    if isinstance(written, dict):
        repairs.append(Repair("data_arguments", (0, 0), "took arguments that came as data"))
        return written
    if written is None:
        if is_function:
            repairs.append(Repair("missing_input", (0, 0), "read missing arguments as {}"))
        return {}
    if not isinstance(written, str):
        raise BadCall(no_object(tool, "other data"))
    if not written.strip():
        if written and not is_function:
            repairs.append(Repair("missing_input", (0, len(written)), "read blank arguments as {}"))
        return {}
    value = _repaired(written, tool, function, repairs, may_lack)
    if value and isinstance(value, str):
        inner: list[Repair] = []
        if value.lstrip().startswith("{"):
            value = _repaired(value, tool, function, inner, _is_enclosed)
            span = (0, len(written))
            repairs.append(Repair("double_encoding", span, "read arguments that are JSON twice"))
            repairs += (Repair(repair.kind, span, repair.message) for repair in inner)
        return value
    return value if is_function and value is not None else value or {}


def _is_enclosed(_lacks: Lack, _value: Any) -> bool:
    """Tell that brackets may be missing: the string around the arguments has its end."""
    return True


def _repaired(
    written: str, tool: str, function: Any, repairs: list[Repair], may_lack: MayLack
) -> Any:
    try:
        value = read_arguments(written, strict=True)
    except JsonLimitError as error:
        raise _no_json(error, written, tool, function) from error
    except json.JSONDecodeError:
        pass  # It may be mended.
    else:
        _refuse_repeated(written, (), tool)
        return value
    # They take time to import, and few replies need them.
    from output_parsers.json_in_prose.repair import repair_json
    from outputs.growing_json.lenient.reader import missing_at_end

    try:
        value, made = repair_json(written)
    except JsonIncompleteError as error:
        if written.lstrip()[:1] not in _STARTS:
            raise _no_json(error, written, tool, function) from error
        raise BadCall(cut_arguments(tool), (0, len(written))) from error
    except json.JSONDecodeError as error:
        raise _no_json(error, written, tool, function) from error
    missing = missing_at_end(written, made)
    if missing and not may_lack("arguments" if missing == "}" else "values", value):
        raise BadCall(open_arguments(tool), (0, len(written)))
    for repair in made:
        if repair.kind == "surrounding_text" and not is_fence(written[slice(*repair.span)]):
            # A brace somewhere in prose or code is no argument.
            reason = "there is text around the value"
            raise BadCall(no_json(tool, function, reason), repair.span)
        repairs.append(Repair(repair.kind, repair.span, repair.message))
    _refuse_repeated(written, made, tool)
    return value


def _refuse_repeated(written: str, made: Sequence[JsonRepair], tool: str) -> None:
    if (key := repeated_key(written, made)) is not None:
        raise BadCall(twice(tool, key))


def _no_json(error: json.JSONDecodeError, written: str, tool: str, function: Any) -> BadCall:
    span: Span = (min(error.pos, len(written)), len(written))
    return BadCall(no_json(tool, function, str(error)), span)
