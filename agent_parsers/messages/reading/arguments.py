"""Reading the arguments that a model wrote for a call, as the input of a tool."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from agent_parsers.events import Repair, Span
from agent_parsers.messages.reading.problems import BadCall
from outputs.growing_json.arguments import read_arguments
from outputs.growing_json.errors import JsonIncompleteError, JsonLimitError
from outputs.growing_json.lenient.json_text import may_repeat, repeated_key

if TYPE_CHECKING:
    from agent_parsers.engine.repairs.payloads import Lack
    from outputs import JsonRepair

MayLack: TypeAlias = "Callable[[Lack, Any], bool]"
"""Returns whether a call may lack this at the end of a text, given its arguments."""

ARGUMENT: Final = "__arg1"
"""LangChain's name for the only input of a tool that does not name its parameters."""

_STARTS: Final = frozenset("{[\"'`")
"""What JSON that may be cut begins with; anything else was not JSON in the first place."""

_KINDS: Final = {
    bool: "a truth value",
    float: "a number",
    int: "a number",
    list: "a list",
    str: "a text",
    type(None): "nothing",
}


def is_fence(text: str) -> bool:
    """Return whether *text* is blank or only one side of a code fence."""
    return text.strip("` \t\r\n").lower() in ("", "json")


def as_input(value: Any, tool: str, *, takes_text: bool) -> str | dict[Any, Any]:
    """Return the arguments *value* as an input, unwrapped if they are only ``__arg1``.

    Text is an input if the tool *takes_text*; unwrapped text always is.

    Raises:
        BadCall: *value* is not a dictionary, nor text that is accepted.
    """
    if isinstance(value, dict):
        value = value[ARGUMENT] if ARGUMENT in value else value.copy()
        takes_text = True
    if isinstance(value, dict) or (takes_text and isinstance(value, str)):
        return value
    raise _no_object(value, tool)


def _no_object(value: Any, tool: str) -> BadCall:
    kind = _KINDS.get(type(value), f"a {type(value).__name__}")
    return BadCall("arguments_no_object", tool=tool, kind=kind)


def read_strict(
    written: Any, tool: str, function: Any, *, is_function: bool, takes_empty: bool
) -> Any:
    r"""Return the value of arguments as LangChain reads them.

    For tool calls, ``""``, `None` and ``null`` are read as ``{}``. For function calls, blank text
    is read as ``{}``, and strings may contain line breaks.

    Args:
        written: The arguments: text, or data in a message that was put together by hand.
        tool: Name of the tool.
        function: Name and arguments as the provider sent them.
        is_function: Whether this is a function call.
        takes_empty: Read any empty value of a tool call, such as ``false`` or ``[]``, as ``{}``.

    Raises:
        BadCall: The arguments are not JSON text, or repeat a key.
    """
    if is_function:
        if not isinstance(written, str):
            if written is None:
                raise BadCall("no_arguments")
            raise _no_object(written, tool)
        if not written.strip():
            return {}
    elif isinstance(written, dict):
        return written
    elif written is None or written == "" or (takes_empty and not written):
        return {}
    elif not isinstance(written, str):
        raise _no_object(written, tool)
    try:
        value = read_arguments(written, strict=not is_function)
    except json.JSONDecodeError as error:
        raise _no_json(error, written, tool, function) from error
    _refuse_repeated(written, (), tool)
    if is_function:
        return value
    return {} if value is None or (takes_empty and not value) else value


def read_lenient(
    written: Any,
    tool: str,
    function: Any,
    repairs: list[Repair],
    *,
    is_function: bool,
    may_lack: MayLack,
) -> Any:
    r"""Return the value of arguments in lenient mode; `MessageParser` states the rules.

    Args:
        written: The arguments: text, or data.
        tool: Name of the tool.
        function: Name and arguments as the provider sent them.
        repairs: The repairs are appended to this list, with spans from the start of *written*.
        is_function: Whether this is a function call.
        may_lack: Returns whether brackets may be missing at the end.

    Raises:
        BadCall: The arguments cannot be read, are cut, or repeat a key.
    """
    if isinstance(written, dict):
        repairs.append(
            Repair(
                "data_arguments",
                (0, 0),
                "accepted arguments that are a dictionary instead of JSON text",
            )
        )
        return written
    if written is None:
        if is_function:
            repairs.append(Repair("missing_input", (0, 0), "read missing arguments as {}"))
        return {}
    if not isinstance(written, str):
        raise _no_object(written, tool)
    if not written.strip():
        if written and not is_function:
            repairs.append(Repair("missing_input", (0, len(written)), "read blank arguments as {}"))
        return {}
    value = _repaired(written, tool, function, repairs, may_lack)
    if isinstance(value, str):
        if not value and not is_function:
            raise _no_object(value, tool)
        inner: list[Repair] = []
        if value.lstrip().startswith("{"):
            value = _repaired(value, tool, function, inner, _is_enclosed)
            span = (0, len(written))
            repairs.append(
                Repair("double_encoding", span, "read arguments that are encoded as JSON twice")
            )
            repairs += (Repair(repair.kind, span, repair.message) for repair in inner)
        return value
    return {} if value is None else value


def _is_enclosed(_lacks: Lack, _value: Any) -> bool:
    """Return true: brackets may be missing, since the string around the arguments is closed."""
    return True


def _repaired(
    written: str, tool: str, function: Any, repairs: list[Repair], may_lack: MayLack
) -> Any:
    try:
        value = read_arguments(written, strict=True)
    except JsonLimitError as error:
        raise _no_json(error, written, tool, function) from error
    except json.JSONDecodeError:
        pass  # It may be repairable.
    else:
        if may_repeat(written, value):
            _refuse_repeated(written, (), tool)
        return value
    # Imported lazily: these take time to import, and few replies need them.
    from output_parsers.json_in_prose.repair import repaired_with_last_keys
    from outputs.growing_json.lenient.lenient_reader import missing_at_end

    try:
        value, made = repaired_with_last_keys(written)
    except JsonIncompleteError as error:
        if written.lstrip()[:1] not in _STARTS:
            raise _no_json(error, written, tool, function) from error
        raise BadCall("cut_arguments", (0, len(written)), tool=tool) from error
    except json.JSONDecodeError as error:
        raise _no_json(error, written, tool, function) from error
    missing = missing_at_end(written, made)
    if missing and not may_lack("arguments" if missing == "}" else "values", value):
        raise BadCall("open_arguments", (0, len(written)), tool=tool)
    for repair in made:
        if repair.kind == "surrounding_text" and not is_fence(written[slice(*repair.span)]):
            # A brace somewhere in prose or code is not an argument.
            reason = "there is text around the value"
            raise _not_json(reason, repair.span, tool, function)
        repairs.append(Repair(repair.kind, repair.span, repair.message))
    _refuse_repeated(written, made, tool)
    return value


def _refuse_repeated(written: str, made: Sequence[JsonRepair], tool: str) -> None:
    if (key := repeated_key(written, made)) is not None:
        raise BadCall("repeated_key", tool=tool, key=key[:60])


def _no_json(error: json.JSONDecodeError, written: str, tool: str, function: Any) -> BadCall:
    return _not_json(str(error), (min(error.pos, len(written)), len(written)), tool, function)


def _not_json(reason: str, span: Span, tool: str, function: Any) -> BadCall:
    return BadCall("arguments_not_json", span, tool=tool, function=function, reason=reason)
