"""Writing a run as OpenAI's Chat Completions API takes it.

::

    {"role": "assistant", "content": None, "tool_calls": [
     {"id": "1", "type": "function", "function": {"name": "search", "arguments": "{}"}}]}
    {"role": "tool", "tool_call_id": "1", "content": "Rain."}

Source: https://platform.openai.com/docs/api-reference/chat
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.messages.writing.native import Ids, past_for_api
from agent_parsers.messages.writing.past import PastCall, PastTurn
from output_parsers.tool_calls.refusal import refusal_error
from outputs import AIMessage, ChatMessage, HumanMessage
from outputs.clients.media import MediaFile
from outputs.messages.base import text_of
from outputs.messages.wire_calls import STREAMED_CALLS

if TYPE_CHECKING:
    from agent_parsers.messages.writing.past import History
    from outputs import BaseMessage

_IDS: Final = Ids("Chat Completions", has_functions=True)
_WRITTEN: Final = frozenset(("custom", "function", "id", "index", "type"))
"""The keys that are written anew; the other keys of a call are sent back unchanged."""


def to_openai(
    history: History, *, new_id: Callable[[int], str] | None = None
) -> list[Any]:  # of dictionaries, which are no `TypedDict` of a client
    """Return the run so far as messages for OpenAI's Chat Completions API.

    The calls of one message stay together, followed by their results. Arguments are written as the
    model wrote them, unless they had to be repaired. Steps that did not come as calls become plain
    messages of the assistant and the user. Reasoning is left out: this API does not take it. Images
    and other files that tools returned are in a message of the user behind the results, which are
    text.

    Args:
        history: A run; or steps, turns, answers and errors of turns, as parsers return them and
            as logs have them, and messages of any client, such as those of `render_prompt`.
        new_id: Returns an id for a call without one, given its number in the run, such as
            ``"call_{}".format``. Without *new_id*, such a call is an error, since the API requires
            an id.

    Raises:
        TypeError: *history* contains something else.
        ValueError: A call has no id, and *new_id* is `None`.
    """
    messages: list[dict[str, Any]] = []
    for item in _IDS.give(past_for_api(history), new_id):
        if isinstance(item, PastTurn):
            messages += _turn(item)
        else:
            messages.append(_message(item))
    return messages


def _message(message: BaseMessage) -> dict[str, Any]:
    if isinstance(message, AIMessage):
        text = text_of(message.content)
        written: dict[str, Any] = {"role": "assistant", "content": text}
        error = refusal_error(message, text, calls=bool(message.tool_calls))
        return written if error is None else {**written, "refusal": error.refusal}
    if isinstance(message, HumanMessage):
        role, content = "user", message.content
    else:
        # The API takes a system message as text, so its blocks are joined.
        role = message.role if isinstance(message, ChatMessage) else "system"
        content = text_of(message.content)
    named = {"name": message.name} if message.name else {}
    return {"role": role, "content": content, **named}


def _turn(turn: PastTurn) -> list[dict[str, Any]]:
    content = text_of(turn.message.content) or None
    said: dict[str, Any] = {"role": "assistant", "content": content}
    first = turn.calls[0]
    if first.is_function:
        call = {"name": first.tool, "arguments": first.written}
        seen = {"role": "function", "name": first.tool, "content": first.result}
        shown = [] if first.result is None else [seen, *_files(turn)]
        return [{**said, "function_call": call}, *shown]
    entries = _entries(turn)
    calls = [_call(*pair) for pair in zip(turn.calls, entries, strict=True)]
    results = (
        {"role": "tool", "tool_call_id": call.id, "content": call.result}
        for call in turn.calls
        if call.result is not None
    )
    return [{**said, "tool_calls": calls}, *results, *_files(turn)]


def _files(turn: PastTurn) -> list[dict[str, Any]]:
    """Return the files that tools of a *turn* returned; a result is text, so the user has them."""
    content: list[dict[str, Any]] = []
    for call in turn.calls:
        files = [part for part in call.parts if isinstance(part, MediaFile)]
        if files:
            content.append({"type": "text", "text": f"What {call.tool} returned:"})
            content += map(_file, files)
    return [{"role": "user", "content": content}] if content else []


def _file(file: MediaFile) -> dict[str, Any]:
    if file.kind == "image":
        return {"type": "image_url", "image_url": {"url": file.address}}
    if file.kind == "audio" and file.base64:
        form = file.mime_type.partition("/")[2].removeprefix("x-").replace("mpeg", "mp3")
        return {"type": "input_audio", "input_audio": {"data": file.base64, "format": form}}
    if not file.base64:  # which this API does not fetch
        return {"type": "text", "text": file.url}
    return {"type": "file", "file": {"filename": file.name, "file_data": file.address}}


def _entries(turn: PastTurn) -> list[dict[str, Any]]:
    """Return the calls as the provider sent them, or an empty dictionary for each."""
    beside = turn.message.additional_kwargs
    entries = beside.get("tool_calls")
    if isinstance(entries, list) and len(entries) == len(turn.calls):
        return [entry if isinstance(entry, dict) else {} for entry in entries]
    said = beside.get(STREAMED_CALLS)
    if isinstance(said, list) and len(said) == len(turn.calls):
        return [each if isinstance(each, dict) else {} for each in said]
    return [{} for _ in turn.calls]


def _call(call: PastCall, entry: dict[str, Any]) -> dict[str, Any]:
    rest = {name: value for name, value in entry.items() if name not in _WRITTEN}
    if "custom" in entry and (text := call.text) is not None:
        custom = {"name": call.tool, "input": text}
        return {"id": call.id, "type": "custom", "custom": custom, **rest}
    function = {"name": call.tool, "arguments": call.written}
    return {"id": call.id, "type": "function", "function": function, **rest}
