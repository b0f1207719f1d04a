"""Returns the text of messages, for text parsers; tool calls and refusals raise an error."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from output_parsers import OutputParserException
from output_parsers.model_output import announced_in, end_of, message_of, part_of, text_of
from output_parsers.streams.accumulator import Accumulator
from output_parsers.tool_calls.refusal import may_refuse, refusal_error
from outputs import AIMessage
from outputs.clients.late_fields import LateFields
from outputs.messages.ended import ended_of, sooner
from outputs.messages.utils import MESSAGE_CLASSES

if TYPE_CHECKING:
    from output_parsers import ModelOutput
    from outputs.messages.ended import Ended

_BESIDE_TEXT: Final = ("tool_calls", "invalid_tool_calls", "additional_kwargs")


def text_and_end(output: ModelOutput) -> tuple[str, Ended]:
    """Return the text of a string, a message or a generation, and how the text ended.

    Raises:
        ModelRefusalError: The message is a refusal, or a filter has removed its text.
        OutputParserException: The message calls a tool.
        ProviderError: The message reports that the provider failed.
        TypeError: *output* is not a string, a message or a generation.
    """
    if type(output) is AIMessage:  # only text, most often
        find = vars(output).get
        content, metadata = find("content"), find("response_metadata")
        if isinstance(content, str) and not any(map(find, _BESIDE_TEXT)):
            ended = ended_of(metadata) if metadata else "stop"
            if ended != "length":  # a message that is refused or filtered counts as cut
                return content, "stop"
    part = part_of(output)
    ended = end_of(output, part)
    if isinstance(part, str):
        return part, ended
    if not isinstance(part.content, str):
        part = LateFields().with_late_fields(part)
    content = part.content
    text = content if isinstance(content, str) else text_of(part)
    if (error := _error_of(part, text)) is not None:
        raise error
    return text, ended


class MessageText:
    """The text of one message that comes in chunks."""

    def __init__(self) -> None:
        self._rest = Accumulator()  # chunks with more than text
        self._has_rest = False
        self._late = LateFields()
        self.ended: Ended = "unknown"
        """How the message ended, as far as its chunks report it."""
        self.announced = ""
        """The stop reason that announces tool calls; ``""`` if the chunks have none."""

    def take(self, chunk: ModelOutput) -> str:
        """Return the text of the next *chunk*; calls and refusals are reported by `error`."""
        part = part_of(chunk)
        self.ended = sooner(self.ended, end_of(chunk, part))
        self.announced = self.announced or announced_in(chunk, part)
        if isinstance(part, str):
            return part
        part = self._late.with_late_fields(part)
        if self._has_rest or _calls_in(part) or _unread_in(part) or may_refuse(part):
            self._rest.add(message_of(part))
            self._has_rest = True
        return text_of(part)

    def error(self, text: str) -> OutputParserException | None:
        """Return the error of the message with this *text*; `None` if there is no error."""
        if not self._has_rest:
            return None
        return _error_of(getattr(self._rest.generation(), "message", None), text)


def _error_of(message: Any, text: str) -> OutputParserException | None:
    calls = _calls_in(message)
    if (refusal := refusal_error(message, text, calls=bool(calls))) is not None:
        return refusal
    unread = _unread_in(message)
    if calls or unread:
        tool = next((name for call in calls if (name := _name_of(call))), unread)
        error = OutputParserException(
            f"found a call to {tool!r} in the message, but this parser reads only text: use "
            "get_parser('tools') to read calls, or send no tools in the request",
            llm_output=text,
            observation=f"You called {tool or 'a tool'} with a tool call, but only text can be "
            "read here, so nothing was done. Write your action as text, in the format you "
            "were given.",
            send_to_llm=True,
        )
        error.problem = "tool_calls"
        return error
    return None


def _unread_in(message: Any) -> str:
    """Return the kind of a call among the blocks of *message*; ``""`` if there is none."""
    content = getattr(message, "content", None)
    if not isinstance(content, list):
        return ""
    from outputs.clients.unread_calls import unread_call  # imported lazily: few have blocks

    return unread_call(content)


def _calls_in(message: Any) -> list[Any]:
    """Return the calls of *message*, or chunks of them, in any form."""
    is_ours = getattr(message, "type", None) in MESSAGE_CLASSES
    # A missing attribute of a pydantic model takes longer than parsing.
    find = vars(message).get if is_ours else partial(getattr, message)
    for name in ("tool_calls", "invalid_tool_calls", "tool_call_chunks"):
        if calls := find(name, None):
            return list(calls)
    beside = find("additional_kwargs", None) or {}
    calls = beside.get("tool_calls") or beside.get("function_call")
    return calls if isinstance(calls, list) else [calls] if calls else []


def _name_of(call: Any) -> str:
    function = (call.get("function") or call) if isinstance(call, dict) else None
    name = function.get("name") if isinstance(function, dict) else None
    return name if isinstance(name, str) else ""
