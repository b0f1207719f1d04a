"""Parsing tool calls in OpenAI's format, one by one or all together.

::

    {"id": "call_1", "function": {"name": "search", "arguments": '{"query": "rain"}'}}

This is their format in ``message.additional_kwargs["tool_calls"]``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from output_parsers.exceptions import OutputParserException
from outputs import invalid_tool_call
from outputs.growing_json.arguments import read_arguments
from outputs.growing_json.reader import parse_partial_json

if TYPE_CHECKING:
    from outputs import Generation, InvalidToolCall


def message_in(result: list[Generation]) -> Any:
    """Return the message of the first generation in *result*.

    Raises:
        OutputParserException: There is no message, only text.
    """
    message = getattr(result[0], "message", None)
    if message is None:
        raise OutputParserException(
            "This output parser can only be used with a chat generation.",
            llm_output=result[0].text,
            observation="You did not call a tool. Call one of the tools you were given.",
        )
    return message


def parse_tool_call(
    raw_tool_call: dict[str, Any],
    *,
    partial: bool = False,
    strict: bool = False,
    return_id: bool = True,
) -> dict[str, Any] | None:
    """Read one tool call.

    Args:
        raw_tool_call: A call in OpenAI's format; it is not changed.
        partial: Whether more of the arguments may follow, so that incomplete JSON is not an error.
        strict: Refuse control characters in the strings of the arguments.
        return_id: Add the ``id`` and the ``type``, which make the result a `ToolCall`.

    Returns:
        ``{"name": …, "args": …}``. Arguments that are missing, `None` or empty are ``{}``. `None`
        if it is not a function call or, with *partial*, if no arguments can be read yet.

    Raises:
        OutputParserException: The arguments are not JSON.
    """
    raw: Any = raw_tool_call
    if isinstance(raw, dict) and "function" not in raw:
        return None
    function = raw["function"] if isinstance(raw, dict) else None
    if not isinstance(function, dict) or not isinstance(function.get("name"), str | None):
        if partial:
            return None
        raise OutputParserException(
            "expected a tool call that has a function with a name and arguments",
            llm_output=repr(raw),
            observation="Your tool call has no name or no arguments. Call a tool by its name, "
            "with a JSON object as arguments.",
        )
    name, written = function.get("name"), function.get("arguments")
    if isinstance(written, dict):
        args = written
    elif partial:
        if not isinstance(written, str):
            return None
        try:
            args = parse_partial_json(written, strict=strict)
        except json.JSONDecodeError:
            return None
    else:
        args = _whole(name, written, strict=strict)
    call: dict[str, Any] = {"name": name or "", "args": args or {}}
    return {**call, "id": raw.get("id"), "type": "tool_call"} if return_id else call


def parse_tool_calls(
    raw_tool_calls: Iterable[dict[str, Any]],
    *,
    partial: bool = False,
    strict: bool = False,
    return_id: bool = True,
) -> list[dict[str, Any]]:
    """Read tool calls with `parse_tool_call`, leaving out those for which it returns `None`.

    Raises:
        OutputParserException: The arguments of some calls are not JSON. The message joins the
            messages of all errors, and the cause is an exception group of them.
    """
    calls: list[dict[str, Any]] = []
    errors: list[OutputParserException] = []
    for raw in raw_tool_calls:
        try:
            call = parse_tool_call(raw, partial=partial, strict=strict, return_id=return_id)
        except OutputParserException as error:
            errors.append(error)
        else:
            if call is not None:
                calls.append(call)
    raise_all(errors)
    return calls


def raise_all(found: Iterable[OutputParserException | None]) -> None:
    """Raise one error that combines all errors in *found*, if there are any."""
    errors = [error for error in found if error is not None]
    if len(errors) == 1:
        raise errors[0]
    if errors:
        raise OutputParserException(
            "\n\n".join(map(str, errors)),
            llm_output="\n\n".join(error.llm_output or "" for error in errors),
            observation="\n\n".join(error.observation or "" for error in errors),
        ) from ExceptionGroup("found several tool calls with errors", errors)


def check_content(message: Any) -> None:
    """Check that the content of a whole *message* has no calls that its ``tool_calls`` lack.

    Raises:
        OutputParserException: The content has such a call.
    """
    if isinstance(message.content, str | None) or hasattr(message, "tool_call_chunks"):
        return
    from outputs.clients.unread_calls import call_elsewhere, calls_in  # lazily: rarely needed

    if (other := call_elsewhere(message, calls_in(message.content))) is not None:
        raise OutputParserException(
            f"found a call to {other!r} in the content that is not one of the message's tool calls",
            llm_output=str(message.content),
            observation=f"You also called {other} outside your tool calls, so no call was run. "
            "Make each call once, as a tool call.",
        )


def no_name(call: dict[str, Any]) -> OutputParserException:
    """Return the error for a *call* without the name of a tool."""
    return OutputParserException(
        "expected a tool call with the name of a tool",
        llm_output=repr(call),
        observation="You called a tool without a name. Call one of the tools by its name.",
    )


def no_object(name: str, args: Any) -> OutputParserException:
    """Return the error for a call of *name* whose arguments are JSON but not an object."""
    return OutputParserException(
        f"Tool arguments must be specified as a dict, received: {args}",
        llm_output=repr(args),
        observation=f"Write the arguments of {name} as a JSON object.",
    )


def make_invalid_tool_call(raw_tool_call: Any, error_msg: str | None) -> InvalidToolCall:
    """Return an `InvalidToolCall` for a call that cannot be read.

    Args:
        raw_tool_call: The supposed call in OpenAI's format; missing fields are `None` in the
            result.
        error_msg: What is wrong with the call.
    """
    raw = raw_tool_call if isinstance(raw_tool_call, dict) else {}
    function = raw.get("function")
    function = function if isinstance(function, dict) else {}
    written = function.get("arguments")
    if written is not None and not isinstance(written, str):
        written = json.dumps(written, skipkeys=True, default=str)
    return invalid_tool_call(
        name=function.get("name"), args=written, id=raw.get("id"), error=error_msg
    )


def _whole(name: Any, written: Any, *, strict: bool) -> Any:
    """Return the arguments *written* in a call of *name*."""
    if written is None or written == "":
        return {}
    if not isinstance(written, str):
        raise OutputParserException(
            f"expected the arguments of {name} as a JSON string, not {type(written).__name__}",
            llm_output=repr(written),
            observation=f"Write the arguments of {name} as a JSON object.",
        )
    try:
        return read_arguments(written, strict=strict)
    except json.JSONDecodeError as error:
        raise OutputParserException(
            f"Function {name} arguments:\n\n{written}\n\nare not valid JSON. "
            f"Received JSONDecodeError {error}",
            llm_output=written,
            span=(error.pos, len(written)),
            observation=f"The arguments of {name} are not valid JSON: {error}."
            f" Call {name} again with a JSON object.",
        ) from error
