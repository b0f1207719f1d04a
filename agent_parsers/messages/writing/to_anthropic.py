"""Writing a run as Anthropic's Messages API takes it.

::

    {"role": "assistant", "content": [
     {"type": "thinking", "thinking": "…", "signature": "…"},
     {"type": "tool_use", "id": "1", "name": "search", "input": {}}]}
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "Rain."}]}

Source: https://docs.anthropic.com/en/api/messages
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.messages.writing.entries import is_text
from agent_parsers.messages.writing.native import Ids, blocks_of_parts, past_for_api
from agent_parsers.messages.writing.past import PastCall, PastTurn, blocks_of
from outputs import AIMessage, HumanMessage

if TYPE_CHECKING:
    from agent_parsers.messages.writing.past import History
    from outputs import BaseMessage
    from outputs.clients.media import MediaFile

_IDS: Final = Ids("Anthropic", fits=re.compile(r"[\w-]+", re.ASCII).fullmatch, is_unique=True)
_KEPT: Final = ("redacted_thinking", "server_tool_use", "mcp_tool_use")
"""Blocks that are sent back unchanged, besides the results of server tools."""


def to_anthropic(
    history: History, *, new_id: Callable[[int], str] | None = None
) -> list[Any]:  # of dictionaries, which are no `TypedDict` of a client
    """Return the run so far as messages for Anthropic's API.

    The calls of one message stay together, and so do their results, in one message of the user.
    Blocks that came from this API are sent back unchanged: it rejects calls without the thinking
    that led to them. Reasoning of other providers is left out, and so are blank texts and messages,
    which the API rejects. Steps that did not come as calls become plain messages of the assistant
    and the user.

    Args:
        history: A run; or steps, turns, answers and errors of turns, as parsers return them and
            as logs have them, and messages of any client, such as those of `render_prompt`.
            Leave out the system message: the API takes it beside the messages.
        new_id: Returns an id for a call without a valid id, given its number in the run, such as
            ``"toolu_{}".format``. The API takes letters, digits, ``_`` and ``-``, and each id
            once. Without *new_id*, such a call is an error.

    Raises:
        TypeError: *history* contains something else.
        ValueError: A call has no valid id and *new_id* is `None`, or a message is neither the
            user's nor the model's.
    """
    messages: list[dict[str, Any]] = []
    for item in _IDS.give(past_for_api(history), new_id):
        if isinstance(item, PastTurn):
            said = [*_blocks(item.message, item.calls)]
            results = [_result(call) for call in item.calls if call.result is not None]
            messages.append({"role": "assistant", "content": said})
            if results:
                messages.append({"role": "user", "content": results})
        elif (content := _content(item)) and (not isinstance(content, str) or content.strip()):
            role = "assistant" if isinstance(item, AIMessage) else "user"
            messages.append({"role": role, "content": content})
    return messages


def _content(message: BaseMessage) -> str | list[Any]:
    if isinstance(message, AIMessage):
        if isinstance(message.content, str):
            return message.content
        return [*_blocks(message, ())]
    if not isinstance(message, HumanMessage):
        raise ValueError(  # noqa: TRY004 - its type is right, its role is not
            "Anthropic only takes messages of the user and the assistant; pass system messages as"
            " the `system` parameter"
        )
    return message.content


def _blocks(message: AIMessage, calls: tuple[PastCall, ...]) -> Iterator[dict[str, Any]]:
    """Yield the blocks of *message*, then those *calls* that its blocks lack."""
    waiting = list(calls)
    for block in blocks_of(message):
        kind = str(block.get("type"))
        if kind == "text" and (block.get("text") or "").strip():
            yield {name: block[name] for name in ("type", "text", "citations") if name in block}
        elif kind == "refusal" and block.get("refusal"):
            yield {"type": "text", "text": block["refusal"]}
        elif kind == "tool_use":
            same = (call for call in waiting if call.given_id == block.get("id"))
            if (call := next(same, None)) is not None:
                waiting.remove(call)
                yield _use(call, block)
        elif (kind == "thinking" and block.get("signature")) or (
            kind in _KEPT or kind.endswith("_tool_result")
        ):
            yield block
    for call in waiting:
        yield _use(call, {})


def _use(call: PastCall, block: dict[Any, Any]) -> dict[str, Any]:
    return {**block, "type": "tool_use", "id": call.id, "name": call.tool, "input": call.arguments}


def _file(file: MediaFile) -> dict[str, Any]:
    kind = "image" if file.kind == "image" else "document"
    if not file.base64:
        return {"type": kind, "source": {"type": "url", "url": file.url}}
    source = {"type": "base64", "media_type": file.mime_type, "data": file.base64}
    return {"type": kind, "source": source}


def _result(call: PastCall) -> dict[str, Any]:
    result: dict[str, Any] = {"type": "tool_result", "tool_use_id": call.id}
    given = None if call.answer is None else call.answer.content
    if call.parts:
        result["content"] = blocks_of_parts(call.parts, _file)
    elif isinstance(given, list) and not all(map(is_text, given)):
        result["content"] = given  # such as images
    elif call.result:
        result["content"] = call.result
    return {**result, "is_error": True} if call.is_error else result
