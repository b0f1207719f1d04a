"""Reading a whole message, with a fast way for nearly all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.actions.agent import AgentAction, AgentFinish, make_finish
from agent_parsers.actions.tool_action import make_call, make_tool_call
from agent_parsers.engine.reading.rules.known_tools import output_type_of
from agent_parsers.engine.repairs.names import tool_named
from agent_parsers.engine.tables.modes import MAX_CHARS, check_ended
from agent_parsers.messages.reading.arguments import ARGUMENT
from agent_parsers.messages.reading.content import may_hold_call, may_hold_thought
from agent_parsers.messages.reading.said import BESIDE
from agent_parsers.messages.reading.stream import MessageStreamParser
from output_parsers import OutputParserException
from outputs import AIMessage
from outputs.clients.late_fields import NOTES
from outputs.clients.unread_calls import unread_member
from outputs.growing_json.lenient.json_text import repeated_key
from outputs.growing_json.scalars import NOTHING
from outputs.growing_json.whole import MAX_DEPTH, scan_object
from outputs.messages.ended import Ended, ended_of, reason_to_call
from outputs.messages.growing_calls import known_id
from outputs.messages.tool import ToolCall
from outputs.messages.wire_calls import other_members

if TYPE_CHECKING:
    from agent_parsers.toolset import ToolSet

_FUNCTION: Final = "function_call"
_ONLY_FUNCTION: Final = {_FUNCTION}
_PARTS_OF_FUNCTION: Final = 2  # name and arguments
_BESIDE: Final = BESIDE | {NOTES}


def result_of(
    message: AIMessage,
    *,
    is_function: bool,
    lenient: bool = False,
    max_chars: int = MAX_CHARS,
    tools: ToolSet | None = None,
    ended: Ended = "unknown",
) -> AgentAction | list[AgentAction] | AgentFinish:
    """Return the actions, or the answer, in *message*.

    See `MessageStreamParser` for the arguments. *ended* says how the message ended; by default
    that is read from its metadata.

    Raises:
        ModelRefusalError: The message refuses.
        OutputParserException: A call cannot be made, or the message is too long.
    """
    check_ended(ended)
    metadata = message.response_metadata
    if ended != "length" and (not metadata or ended_of(metadata) != "length"):
        result = _quick_result(message, is_function, lenient, max_chars, tools)
        if result is not None:
            return result
    parser = MessageStreamParser(
        is_function=is_function,
        lenient=lenient,
        max_chars=max_chars,
        tools=tools,
        message=message,
    )
    parser.feed(message)
    parser.close(ended=ended)
    assert parser.result is not None, "a message that is not refused has a result"
    return parser.result


def _quick_result(
    message: AIMessage,
    is_function: bool,
    lenient: bool,
    max_chars: int,
    tools: ToolSet | None,
) -> AgentAction | list[AgentAction] | AgentFinish | None:
    """Return the result of *message* if it is a simple case, else `None`.

    The result is the same as that of `MessageStreamParser`, in a fraction of the time.
    """
    content = message.content
    is_checked = lenient or tools is not None
    if type(message) is not AIMessage or not isinstance(content, str) or message.model_extra:
        return None
    kwargs = message.additional_kwargs
    names = () if tools is None else tools
    if kwargs and (not _BESIDE.isdisjoint(kwargs) or (is_checked and unread_member(kwargs, names))):
        return None
    if is_function and kwargs.keys() == _ONLY_FUNCTION and not message.tool_calls:
        function = kwargs["function_call"]
        call = _function_call(function)
        if call is None:
            return None
        written = function["arguments"]
        if is_checked and may_hold_call(content, tools):
            return None
        made = _quick_actions(message, [call], written, lenient, max_chars, tools)
        return made[0] if made else None
    if not is_function and message.tool_calls:
        texts = _written(message) if kwargs else []
        is_doubled = is_checked and (_FUNCTION in kwargs or may_hold_call(content, tools))
        if texts is None or is_doubled:
            return None
        written = "".join(texts)
        made = _quick_actions(message, message.tool_calls, written, lenient, max_chars, tools)
        return None if written and _may_repeat_keys(message.tool_calls, texts) else made
    if len(content) > max_chars:
        return None
    if lenient and (
        not content.strip() or may_hold_call(content, tools) or may_hold_thought(content)
    ):
        return None
    if message.tool_calls or message.invalid_tool_calls:
        return None
    if kwargs and (kwargs.get("function_call") or kwargs.get("tool_calls")):
        return None
    if output_type_of(tools) is not None or reason_to_call(message.response_metadata):
        return None
    return make_finish(content, content)


def _quick_actions(
    message: AIMessage,
    calls: Sequence[ToolCall],
    written: str,
    lenient: bool,
    max_chars: int,
    tools: ToolSet | None,
) -> list[AgentAction] | None:
    """Return the actions of *calls*, whose arguments are *written* in *message* too, if at all."""
    content = message.content
    ids = {call["id"] or id(call) for call in calls}
    if message.invalid_tool_calls or len(ids) < len(calls):  # a call may come again
        return None
    said = f"responded: {content}\n\n" if content else "\n\n"
    size = len(content) + len(written)
    actions: list[AgentAction] = []
    for call in calls:
        tool, args = call["name"], call["args"]
        size += len(tool)
        if tools is not None:
            if tool not in tools:
                return None
        elif lenient and tool_named(tool, None) != tool:
            return None
        tool_input: Any
        if ARGUMENT in args:
            tool_input = args[ARGUMENT]
            if not isinstance(tool_input, str | dict):
                return None
        else:
            tool_input = args.copy()
        if not tool.strip():
            return None
        if tools is not None:
            tool_input = _taken(tools, tool, tool_input, lenient)
            if tool_input is None:
                return None
        try:
            log = f"\nInvoking: `{tool}` with `{tool_input}`\n{said}"
        except RecursionError:
            return None
        if message.tool_calls:
            call_id = known_id(call["id"])
            actions.append(make_tool_call(tool, tool_input, log, message, call_id))
        else:
            actions.append(make_call(tool, tool_input, log, message))
    return actions if size <= max_chars else None


def _function_call(call: Any) -> ToolCall | None:
    """Return a function call as a call whose arguments are data; `None` if they may be odd."""
    if type(call) is not dict or len(call) > _PARTS_OF_FUNCTION:
        return None
    name, written = call.get("name"), call.get("arguments")
    if type(name) is not str or type(written) is not str:
        return None
    args, end = scan_object(written, 0, MAX_DEPTH) if written[:1] == "{" else (NOTHING, 0)
    return ToolCall(name=name, args=args, id=None) if end == len(written) > 0 else None


def _taken(
    tools: ToolSet, tool: str, tool_input: str | dict[str, Any], lenient: bool
) -> str | dict[str, Any] | None:
    """Return *tool_input* as *tool* takes it; `None` if it does not take it."""
    if not tools.checks(tool):
        return tool_input
    try:
        return tools.check(tool, tool_input, lenient=lenient)
    except OutputParserException:
        return None


def _written(message: AIMessage) -> list[str] | None:
    """Return the arguments of the calls as the provider sent them.

    Returns:
        The texts; `None` if a call has members that are not those of the API, or is not sent as
        the message has it.
    """
    entries = message.additional_kwargs.get("tool_calls")
    texts: list[str] = []
    if not entries:
        return texts
    calls = message.tool_calls
    if not isinstance(entries, list | tuple) or len(entries) != len(calls):
        return None
    for entry, call in zip(entries, calls, strict=True):
        if other_members(entry):
            return None
        function = entry.get("function") if isinstance(entry, dict) else None
        if not isinstance(function, dict) or function.get("name") != call["name"]:
            return None
        text = function.get("arguments")
        if not _is_written(text, call["args"]):
            return None
        if isinstance(text, str):
            texts.append(text)
    return texts


def _is_written(text: Any, args: dict[str, Any]) -> bool:
    """Return whether *text* is surely how *args* were written; both may be data."""
    if not isinstance(text, str):
        return text == args if text else not args and text is None
    if not args:
        return text in ("", "{}")
    value, end = scan_object(text, 0, MAX_DEPTH) if text[0] == "{" else (NOTHING, 0)
    return end == len(text) and bool(value == args)


def _may_repeat_keys(calls: Sequence[ToolCall], texts: Sequence[str]) -> bool:
    """Return whether the *texts* of the arguments, which may not be JSON, may repeat a key.

    Args:
        calls: The calls, some of whose arguments may have come as data.
        texts: The arguments that came as text.
    """
    members = sum(len(call["args"]) for call in calls)
    if len(texts) == len(calls) and sum(text.count(":") for text in texts) <= members:
        return False  # each member has a colon
    try:
        return any(repeated_key(text) is not None for text in texts)
    except ValueError:
        return True
