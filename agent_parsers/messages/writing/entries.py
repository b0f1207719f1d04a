"""The messages of a conversation, as any client has them, as ours."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from outputs import BaseMessage, HumanMessage, ToolMessage, from_any
from outputs.messages.base import text_of

_ROLES: Final = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
}
_MOST_CHARS: Final = 40
_RESULT: Final = "tool_result"
_SAID: Final = {"role", "content", "type"}
_TEXTS: Final = ("input_text", "output_text")
"""What the Responses API calls blocks of text."""


def messages_of(each: Any) -> Iterator[BaseMessage]:
    """Yield a message of a conversation as our own; one of Anthropic's may hold several results.

    Args:
        each: A message of any kind that `outputs.from_any` takes, or its role and its text, as in
            ``("user", "Hello")``; LangChain's ``"human"`` and ``"ai"`` are roles as well.

    Raises:
        TypeError: It is neither, or a text without a role.
        ValueError: The role is unknown, or the message is malformed.
    """
    if isinstance(each, str):
        raise TypeError(
            f"a string in a conversation needs a role, as in ('user', {each[:_MOST_CHARS]!r})"
        )
    match each:
        case (str(role), str(text)):
            if role not in _ROLES:
                raise ValueError(f"a role must be one of {', '.join(_ROLES)}, not {role!r}")
            each = {"role": _ROLES[role], "content": text}
        case {"role": "tool", **rest} if "tool_call_id" not in rest:  # Ollama's have no ids
            each = {"tool_call_id": "", "name": rest.get("tool_name"), **each}
    try:
        message = from_any(each)
    except TypeError as error:
        raise TypeError(f"{error}: {_way_for(each)}") from None
    if isinstance(message.content, str):
        yield message
    elif isinstance(message, HumanMessage) and any(map(_is_result, message.content)):
        yield from _results_in(message)
    else:
        yield message.model_copy(update={"content": [*map(_plain, message.content)]})


def _way_for(each: object) -> str:
    """Return what to do instead of passing *each*, which is no message."""
    match each:
        case None:
            return "pass [] as an empty history"
        case (_, second) if isinstance(each, tuple) and hasattr(second, "tool"):
            return "a step is (action, observation), in this order"
        case list() | tuple():
            return "a history is a single list: unpack this one into it, as in [*before, *after]"
        case {"type": str() as kind} if kind.startswith("Agent"):  # of `to_json`
            return f"read this one with from_json first, as in {kind}.from_json(data)"
        case {"messages": _}:
            return 'pass the messages in it, as in history=state["messages"]'
        case dict():
            return "a message that is a dictionary needs a role and a content"
    return "a history may contain steps, turns, actions, answers, errors, runs and messages"


def is_output_item(each: Any) -> bool:
    """Return whether *each* is an item that a model wrote in the Responses API."""
    kind = kind_of(each)
    if not isinstance(kind, str) or isinstance(each, BaseMessage):
        return False
    from outputs.clients.openai_responses import ITEMS  # imported lazily, as its module is

    if kind == "message":
        parts = _field(each, "content")
        kinds = [_field(part, "type") for part in parts] if isinstance(parts, list) else []
        return any(part in ("output_text", "refusal") for part in kinds)
    return kind in ITEMS and not kind.endswith("_output")


def is_message_item(each: Any) -> bool:
    """Return whether *each* is a message of the assistant in the input of the Responses API.

    OpenAI's Chat API has such messages as well: alone they mean the same.
    """
    is_said = isinstance(each, dict) and each.get("role") == "assistant"
    return is_said and isinstance(each.get("content"), str) and not each.keys() - _SAID


def as_output_item(message: dict[str, Any]) -> dict[str, Any]:
    """Return a *message* of the assistant as an item in the output of the Responses API."""
    part = {"type": "output_text", "text": message["content"]}
    return {"type": "message", "role": "assistant", "content": [part]}


def kind_of(each: Any) -> Any:
    """Return the type of an item of the Responses API."""
    return _field(each, "type")


def _field(each: Any, name: str) -> Any:
    return each.get(name) if isinstance(each, dict) else getattr(each, name, None)


def _is_result(block: Any) -> bool:
    return isinstance(block, dict) and block.get("type") == _RESULT


def _results_in(message: HumanMessage) -> Iterator[BaseMessage]:
    """Yield the results in a *message*, and what else the user says."""
    said: list[Any] = []
    for block in message.content:
        if not isinstance(block, dict) or not _is_result(block):
            said.append(block)
            continue
        content = block.get("content") or ""
        has_only_text = isinstance(content, str) or all(map(is_text, content))
        text = ""
        if has_only_text:
            text = content if isinstance(content, str) else text_of(content)
        call_id = block.get("tool_use_id") or ""
        status = "error" if block.get("is_error") else "success"
        yield ToolMessage(text or content, tool_call_id=call_id, status=status)
    if said:
        yield message.model_copy(update={"content": said})


def is_text(block: Any) -> bool:
    """Return whether a *block* of content is text."""
    return isinstance(block, str) or (isinstance(block, dict) and block.get("type") == "text")


def _plain(block: Any) -> Any:
    """Return a *block* of text of the Responses API as those of all others are."""
    is_theirs = isinstance(block, dict) and block.get("type") in _TEXTS
    return {**block, "type": "text"} if is_theirs else block
