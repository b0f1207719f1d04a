"""A whole message behind its own chunks, as what a client returns when a stream has ended.

It says again what its chunks have said, and may have more, where chunks were lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agent_parsers.messages.reading.pieces import function_pieces, tool_pieces
from agent_parsers.messages.reading.said import two_fields
from output_parsers.tool_calls.refusal import refusal_in
from outputs.clients.unread_calls import call_key, unread_call
from outputs.messages.base import text_of

if TYPE_CHECKING:
    from collections.abc import Hashable

    from outputs import AIMessage, BaseMessage


def rest_of_text(said: str, whole: BaseMessage) -> BaseMessage | None:
    """Return what a *whole* message has in addition to *said*, the text of its chunks.

    Returns:
        The message without that text; `None` if it does not begin with it.
    """
    content = whole.content
    rest = rest_of(said, text_of(content, untyped=True))
    if rest is None:
        return None
    if isinstance(content, str):
        return whole.model_copy(update={"content": rest})
    beside = [
        block
        for block in content
        if isinstance(block, dict) and block.get("type", "text") != "text"
    ]
    more = [{"type": "text", "text": rest}] if rest else []
    return whole.model_copy(update={"content": [*beside, *more]})


def rest_of_message(said: AIMessage, whole: AIMessage) -> AIMessage | None:
    """Return what a *whole* message has in addition to *said*, its joined chunks.

    Returns:
        A message with the rest of the text, and the calls if the chunks had none; `None` if the
        message contradicts them.
    """
    thought, text = two_fields(said)
    calls, unread = _calls_in(said)
    if not (thought or text or unread or any(calls)):
        return whole  # the chunks had nothing
    other_thought, other_text = two_fields(whole)
    other_calls, other_unread = _calls_in(whole)
    rest = rest_of(text, other_text)
    if rest is None or unread != other_unread or (any(calls) and (rest or calls != other_calls)):
        return None
    metadata = {
        name: value
        for name, value in whole.response_metadata.items()
        if said.response_metadata.get(name) != value
    }
    beside: dict[str, Any] = {}
    update: dict[str, Any] = {
        "content": rest, "response_metadata": metadata, "additional_kwargs": beside,
    }  # fmt: skip
    if any(calls):
        update |= {"tool_calls": [], "invalid_tool_calls": []}
    else:
        names = ("tool_calls", "function_call")
        beside.update((n, it) for n, it in whole.additional_kwargs.items() if n in names)
    if not thought and other_thought:
        beside["reasoning_content"] = other_thought
    if (refusal := refusal_in(whole)) is not None and refusal_in(said) is None:
        beside["refusal"] = refusal
    return whole.model_copy(update=update)


def rest_of(said: str, whole: str) -> str | None:
    """Return the rest of the *whole* text after *said*; `None` if it begins differently."""
    if whole.startswith(said):
        return whole[len(said) :]
    return "" if whole.strip() == said.strip() else None


def _calls_in(message: AIMessage) -> tuple[list[list[Hashable]], str]:
    """Return what is equal for equal calls, of both kinds, and the kind of one that is not read."""
    pieces, functions = tool_pieces(message), function_pieces(message)
    read = [*pieces, *functions]
    unread = unread_call(
        message.content, ids=[each.id for each in read], names=[each.name for each in read]
    )
    keys = [[call_key(each.name, each.arguments) for each in kind] for kind in (pieces, functions)]
    return keys, unread
