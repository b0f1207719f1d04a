"""Messages from OpenAI's Chat Completions API and from APIs compatible with it.

Whole, or streamed (with ``delta`` instead of ``message``)::

    {"object": "chat.completion", "model": "gpt-5", "choices": [{"finish_reason": "stop",
     "message": {"role": "assistant", "content": "Hello", "tool_calls": [...]}}], "usage": {...}}

Source: https://platform.openai.com/docs/api-reference/chat
"""

from __future__ import annotations

import json
from typing import Any

from outputs.clients import streamed as streamed
from outputs.clients.late_fields import NOTES, noted_calls
from outputs.clients.plain_data import provider_error, without_none
from outputs.clients.text_input import TEXT_START, json_inside, text_arguments
from outputs.clients.unread_calls import answered_ids, calls_beside
from outputs.messages.ai import AIMessage, AIMessageChunk
from outputs.messages.base import BaseMessage, BaseMessageChunk
from outputs.messages.chat import ChatMessage
from outputs.messages.ended import ended_of, reasons_in
from outputs.messages.function import FunctionMessage
from outputs.messages.human import HumanMessage
from outputs.messages.system import SystemMessage
from outputs.messages.tool import ToolMessage, invalid_tool_call, tool_call
from outputs.messages.utils import MESSAGE_CLASSES
from outputs.messages.wire_calls import (
    STREAMED_CALLS,
    calls_from_wire,
    chunks_from_wire,
    id_of_entry,
    other_members,
)

_ALIKE = 0.8
"""How similar an unknown role is to a known one that was meant, at least."""
_CLASSES: dict[str, type[BaseMessage]] = {
    "assistant": AIMessage,
    "developer": SystemMessage,
    "function": FunctionMessage,
    "system": SystemMessage,
    "tool": ToolMessage,
    "user": HumanMessage,
}
_NEEDED: dict[type[BaseMessage], dict[str, Any]] = {
    FunctionMessage: {"name": ""},
    ToolMessage: {"tool_call_id": ""},
}
"""The fields that a choice need not have, which has a message of the model as a rule."""
_INPUT_DETAILS = {"audio": "audio_tokens", "cache_read": "cached_tokens"}
_OUTPUT_DETAILS = {"audio": "audio_tokens", "reasoning": "reasoning_tokens"}

_DERIVED = ("content.", "refusal.", "tool_calls.", "logprobs.")
"""The prefixes of events that the client library derives from chunks, which are events as well."""

_MERGEABLE = (dict, list, str)
"""The types of extra fields that are merged over chunks; others, such as booleans, are dropped."""


def read(kind: str, fields: dict[str, Any]) -> BaseMessage | None:
    """Return the message in *fields*, whose ``type`` is *kind*; `None` if it is another API's."""
    if kind == "chunk" and isinstance(fields.get("chunk"), dict):
        fields = fields["chunk"]
    elif kind.startswith(_DERIVED):
        return AIMessageChunk("")
    elif kind:
        return None
    if "choices" in fields:
        return _from_choices(fields)
    if isinstance(fields.get("message"), dict) or isinstance(fields.get("delta"), dict):
        return _from_choices({"choices": [fields]})
    return message_from_role(fields) if isinstance(fields.get("role"), str) else None


def _other_role(role: str) -> type[BaseMessage]:
    """Return the class of messages with a *role* that is not known.

    Raises:
        ValueError: It is probably misspelt.
    """
    from difflib import get_close_matches  # imported lazily: such roles are rare

    for near in get_close_matches(role.casefold(), _CLASSES, 1, _ALIKE):
        raise ValueError(f"a message has the unknown role {role!r}; did you mean {near!r}?")
    return ChatMessage


def message_from_role(fields: dict[str, Any], **more: Any) -> BaseMessage:
    """Convert one message of a conversation; an unknown ``role`` makes it a `ChatMessage`.

    Fields that our message does not have go into ``additional_kwargs``, and why a model's message
    ended into its ``response_metadata``. Anthropic's conversation messages have the same shape,
    with their tool calls in the content.

    Args:
        fields: The message.
        more: Fields of our message that are already known.

    Raises:
        ValueError: The role is probably a known one that is misspelt.
    """
    message_class = _CLASSES.get(fields["role"]) or _other_role(fields["role"])
    names = {"content", "role", "name", "id"}
    if message_class is ToolMessage:
        names.add("tool_call_id")
    ours = without_none({name: value for name, value in fields.items() if name in names})
    rest = {
        name: value
        for name, value in fields.items()
        if name not in names and (value not in (None, "", [], {}) or _is_refusal(name, value))
    }
    content = ours.pop("content", "") or _transcript_in(rest)
    if message_class is not ChatMessage:
        del ours["role"]
    if message_class is AIMessage:
        if reasons := reasons_in(rest):
            rest = {name: value for name, value in rest.items() if name not in reasons}
            more["response_metadata"] = {**reasons, **more.get("response_metadata", {})}
        if isinstance(entries := rest.get("tool_calls"), list):
            rest["tool_calls"] = entries = [_with_function(entry) for entry in entries]
            has_ended = ended_of(more.get("response_metadata", {})) != "length"
            calls, invalid = calls_from_wire(entries, have_ended=has_ended)
            ours |= {"tool_calls": calls, "invalid_tool_calls": invalid}
        if isinstance(function := rest.get("function_call"), dict):
            rest["function_call"] = _ordered(function)
        if not rest.get("tool_calls"):  # the blocks say them again
            ours |= calls_in_blocks(content)
    return message_class(content, additional_kwargs=rest, **ours, **more)


def _transcript_in(fields: dict[str, Any]) -> str:
    """Return the transcript of the audio in a message or a piece of one."""
    audio = fields.get("audio")
    return (audio.get("transcript") or "") if isinstance(audio, dict) else ""


def calls_in_blocks(content: Any) -> dict[str, list[Any]]:
    """Return the tool calls among the blocks of *content*, in Anthropic's format.

    Those whose results are there too were made, and are not to be made again.

    Returns:
        The fields ``tool_calls`` and, with the calls whose input is no object, which some servers
        send as text, ``invalid_tool_calls``.
    """
    found: dict[str, list[Any]] = {"tool_calls": [], "invalid_tool_calls": []}
    answered = answered_ids(content)
    for block in () if isinstance(content, str) else content:
        if isinstance(block, dict) and block.get("type") == "tool_use":
            name, given, call_id = block["name"], block.get("input"), block["id"]
            if call_id in answered:
                continue
            given = given or block.get("partial_json") or given  # LangChain's streams have both
            if given is None or isinstance(given, dict):
                found["tool_calls"].append(tool_call(name=name, args=given or {}, id=call_id))
            else:
                text = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
                call = invalid_tool_call(name=name, args=text, id=call_id)
                found["invalid_tool_calls"].append(call)
    return {name: calls for name, calls in found.items() if calls}


def _with_function(entry: Any) -> Any:
    """Return a call as a function call; a custom tool's call has text instead of arguments.

    ::

        {"id": "1", "type": "custom", "custom": {"name": "run", "input": "ls"}}
    """
    if not isinstance(entry, dict):
        return entry
    if isinstance(custom := entry.get("custom"), dict):
        made = {"name": custom["name"], "arguments": text_arguments(custom["input"])}
        given = entry.get("function")
        if given != made and _says_something(given):
            raise two_calls()
        return {**entry, "function": made}
    if isinstance(function := entry.get("function"), dict):
        return {**entry, "function": _ordered(function)}
    return entry


def _says_something(function: Any) -> bool:
    return any(function.values()) if isinstance(function, dict) else bool(function)


def two_calls() -> ValueError:
    """Return the error for a call that has both a function and a custom tool."""
    return ValueError("expected a call with either `function` or `custom`, found both")


def _ordered(function: dict[str, Any]) -> dict[str, Any]:
    """Return *function* with its name first, so that errors always quote it in the same order."""
    return {"name": function["name"], **function} if "name" in function else function


def _from_choices(fields: dict[str, Any]) -> BaseMessage:
    """Convert the first choice of a completion, or a chunk's piece of it.

    Raises:
        ProviderError: The provider failed before the choice was complete.
        ValueError: There are no choices.
    """
    choices = fields["choices"] or []
    if not all(isinstance(choice, dict) for choice in choices):
        raise TypeError("expected each choice to be a dictionary")
    # Some servers omit "object"; in Azure's first chunk it is empty, and there are no choices.
    is_chunk = (
        fields.get("object") in ("chat.completion.chunk", "")
        or any(isinstance(choice.get("delta"), dict) for choice in choices)
        or ("object" not in fields and not choices and bool(fields.get("usage")))
    )
    choice = next((each for each in choices if not each.get("index")), None)
    others = [
        each.get("index") or place
        for place, each in enumerate(choices)
        if each is not choice and _has_call(each)
    ]
    if choice is not None and (choice.get("error") or choice.get("finish_reason") == "error"):
        raise provider_error(choice)
    if is_chunk:
        said = (choice or {}).get("message")  # some servers send all of it with each piece
        whole = {**fields, **(choice or {}), **(said if isinstance(said, dict) else {})}
        notes = noted_calls(whole).get(NOTES, {}) | ({"choices": others} if others else {})
        return _chunk_of(fields, choice or {}, notes)
    if choice is None:
        raise ValueError("the completion has no choices" + " with index 0" * bool(choices))
    known: dict[str, Any] = {
        "id": fields.get("id"),
        "response_metadata": metadata_of(fields, choice),
        "usage_metadata": usage_of(fields, "prompt_tokens", "completion_tokens"),
    }
    if "message" not in choice and isinstance(text := choice.get("text"), str):
        # The legacy text completions; only the last piece of a stream has a finish reason.
        is_last = choice.get("finish_reason") is not None
        known["additional_kwargs"] = noted_calls({**fields, **choice})
        return AIMessageChunk(text, chunk_position="last" if is_last else None, **known)
    choice = _with_calls_beside(choice, fields)
    message = choice["message"]
    if others and not _has_call(choice):
        message = {**message, NOTES: {"choices": others}}
    role = message.get("role") or "assistant"
    needed = _NEEDED.get(_CLASSES.get(role, AIMessage), {})
    return message_from_role({**needed, **message, "role": role}, **known)


def _with_calls_beside(choice: dict[str, Any], fields: dict[str, Any]) -> dict[str, Any]:
    """Return *choice*, with the calls in its message that stand beside it, or in *fields*.

    Raises:
        ValueError: The message has others.
    """
    if not (beside := {**calls_beside(fields), **calls_beside(choice)}):
        return choice
    message = choice["message"]
    for name, calls in beside.items():
        if message.get(name) not in (None, [], {}, calls):
            raise ValueError(
                f"{name!r} in the message differs from {name!r} next to the message: pass "
                "only one of them"
            )
    return {**choice, "message": {**message, **beside}}


def _listed(entries: Any) -> list[Any]:
    return [*entries] if isinstance(entries, list | tuple) else [entries]


def _has_call(choice: dict[str, Any]) -> bool:
    """Return whether a choice, or a piece of it, has a call."""
    said = choice.get("message") or choice.get("delta")
    return isinstance(said, dict) and bool(said.get("tool_calls") or said.get("function_call"))


def _chunk_of(
    fields: dict[str, Any], choice: dict[str, Any], notes: dict[str, Any]
) -> BaseMessageChunk:
    """Convert a chunk and its *choice*; the last chunk may have usage and no choice."""
    delta = without_none(choice.get("delta") or {})
    content, calls = delta.pop("content", "") or _transcript_in(delta), delta.pop("tool_calls", [])
    calls = [call if isinstance(call, dict) else {} for call in _listed(calls)]
    role = delta.pop("role", None) or "assistant"
    if (message_class := _CLASSES.get(role) or _other_role(role)) is not AIMessage:
        more: dict[str, Any] = {"role": role} if message_class is ChatMessage else {}
        more |= _NEEDED.get(message_class, {})
        chunk = MESSAGE_CLASSES[f"{message_class.__name__}Chunk"](content, **more)
        assert isinstance(chunk, BaseMessageChunk)
        return chunk
    if members := [_members_of(call) for call in calls if other_members(call)]:
        notes = {**notes, "members": members}
    delta = {
        name: part
        for name, part in delta.items()
        if isinstance(part, _MERGEABLE) and (part or _is_refusal(name, part))
    }
    if begun := [call for call in calls if _begins_call(call)]:
        delta[STREAMED_CALLS] = [*map(_said_beside, begun)]
    calls = [_text_piece(call) if isinstance(call.get("custom"), dict) else call for call in calls]
    if notes:
        delta[NOTES] = notes
    return AIMessageChunk(
        content,
        additional_kwargs=delta,
        response_metadata=metadata_of(fields, choice) if choice.get("finish_reason") else {},
        tool_call_chunks=chunks_from_wire(calls),
        usage_metadata=usage_of(fields, "prompt_tokens", "completion_tokens"),
        id=fields.get("id") or None,
    )


def _is_refusal(name: str, value: Any) -> bool:
    """Return whether a field is a refusal, which may be without words."""
    return name == "refusal" and isinstance(value, str)


def _members_of(call: Any) -> dict[str, Any]:
    """Return the index of a piece of a call, and its members that are not those of the API."""
    members = other_members(call)
    return {
        "index": call.get("index"),
        **{name: it if isinstance(it, _MERGEABLE) else str(it) for name, it in members.items()},
    }


def _begins_call(call: dict[str, Any]) -> bool:
    """Return whether a piece of a call has more than a part of its arguments."""
    function = call.get("function")
    is_named = isinstance(function, dict) and function.get("name") is not None
    said = without_none(call).keys() - {"function", "id", "index"}
    return is_named or id_of_entry(call) is not None or bool(said)


def _said_beside(call: dict[str, Any]) -> dict[str, Any]:
    """Return what a piece of a call says beside name and arguments; see `STREAMED_CALLS`."""
    said = {"index": call.get("index"), "id": id_of_entry(call)}
    for name, part in call.items():
        if name in ("custom", "function"):
            known = ("name", "input") if name == "custom" else ("name", "arguments")
            others = {each: it for each, it in dict(part or {}).items() if each not in known}
            if others or name == "custom":
                said[name] = others
        elif name not in said and isinstance(part, _MERGEABLE):
            said[name] = part
    return without_none(said)


def _text_piece(call: dict[str, Any]) -> dict[str, Any]:
    custom = call["custom"]
    if _says_something(call.get("function")):
        raise two_calls()
    start = TEXT_START if custom.get("name") else ""
    arguments = start + json_inside(custom.get("input") or "")
    return {**call, "function": {"name": custom.get("name"), "arguments": arguments}}


def usage_of(fields: dict[str, Any], read: str, written: str) -> dict[str, Any] | None:
    """Return the token usage of a reply; *read* and *written* are the names of its counts."""
    usage = fields.get("usage")
    if not usage:
        return None
    tokens_in, tokens_out = usage.get(read) or 0, usage.get(written) or 0
    found: dict[str, Any] = {
        "input_tokens": tokens_in,
        "output_tokens": tokens_out,
        "total_tokens": usage.get("total_tokens") or tokens_in + tokens_out,
    }
    for ours, theirs, names in (
        ("input_token_details", f"{read}_details", _INPUT_DETAILS),
        ("output_token_details", f"{written}_details", _OUTPUT_DETAILS),
    ):
        details = usage.get(theirs) or {}
        if counts := without_none({name: details.get(key) for name, key in names.items()}):
            found[ours] = counts
    return found


def metadata_of(fields: dict[str, Any], choice: dict[str, Any]) -> dict[str, Any]:
    """Return the metadata of a reply: its model and why it ended."""
    return without_none(
        {
            "model_name": fields.get("model"),
            "system_fingerprint": fields.get("system_fingerprint"),
            "status": fields.get("status"),
            "incomplete_details": fields.get("incomplete_details"),
            **reasons_in(choice),
            "logprobs": choice.get("logprobs"),
        }
    )
