"""Writing a run as OpenAI's Responses API takes it.

::

    {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "…"}
    {"type": "function_call", "call_id": "1", "name": "search", "arguments": "{}"}
    {"type": "function_call_output", "call_id": "1", "output": "Rain."}

Source: https://platform.openai.com/docs/api-reference/responses
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.messages.writing.native import Ids, blocks_of_parts, past_for_api
from agent_parsers.messages.writing.past import PastCall, PastTurn, blocks_of
from outputs import AIMessage, ChatMessage, HumanMessage
from outputs.clients.openai_responses import ITEMS
from outputs.messages.base import text_of

if TYPE_CHECKING:
    from agent_parsers.messages.writing.past import History
    from outputs import BaseMessage
    from outputs.clients.media import MediaFile

_IDS: Final = Ids("the Responses API")
_CALLS: Final = {"function_call": "arguments", "custom_tool_call": "input"}
_TEXTS: Final = {"text": "text", "refusal": "refusal"}


def to_openai_responses(
    history: History, *, new_id: Callable[[int], str] | None = None
) -> list[Any]:  # of dictionaries, which are no `TypedDict` of a client
    """Return the run so far as input items for OpenAI's Responses API.

    Items that came from this API are sent back unchanged and in order, including reasoning: the API
    rejects a call without the reasoning that led to it. Reasoning of other providers is left out.
    Arguments, and steps that did not come as calls, are written as by `to_openai`.

    Args:
        history: A run; or steps, turns, answers and errors of turns, as parsers return them and
            as logs have them, and messages of any client, such as those of `render_prompt`.
        new_id: Returns an id for a call without one, given its number in the run; see `to_openai`.

    Raises:
        TypeError: *history* contains something else.
        ValueError: A call has no id, and *new_id* is `None`.
    """
    items: list[dict[str, Any]] = []
    for item in _IDS.give(past_for_api(history), new_id):
        if isinstance(item, PastTurn):
            said = [*_said(item.message, item.calls)]
            kinds = {each.get("call_id"): str(each.get("type")) for each in said}
            items += said
            items += (
                _output(call, kinds[call.id]) for call in item.calls if call.result is not None
            )
        elif isinstance(item, AIMessage):
            items += _said(item, ())
        else:
            items.append(_emit(item))
    return items


def _emit(message: BaseMessage) -> dict[str, Any]:
    """Return a *message* that is not the model's as an item."""
    content = message.content
    if not isinstance(message, HumanMessage):
        role = message.role if isinstance(message, ChatMessage) else "system"
        return {"role": role, "content": text_of(content)}
    if not isinstance(content, str):
        return {"role": "user", "content": [*map(_input_part, content)]}
    return {"role": "user", "content": content}


def _input_part(part: str | dict[Any, Any]) -> dict[str, Any]:
    if isinstance(part, str):
        return {"type": "input_text", "text": part}
    return {**part, "type": "input_text"} if part.get("type") == "text" else part


def _said(message: AIMessage, calls: Sequence[PastCall]) -> Iterator[dict[str, Any]]:
    """Yield the items of *message*, then those *calls* that its items lack."""
    blocks = blocks_of(message)
    if isinstance(refusal := message.additional_kwargs.get("refusal"), str):
        blocks.append({"type": "refusal", "refusal": refusal})
    waiting = list(calls)
    for (is_text, item_id), group in groupby(
        blocks, lambda block: (block.get("type") in _TEXTS, block.get("id"))
    ):
        if is_text:
            yield from _texts(item_id, [*group])
            continue
        for block in group:
            if block.get("type") in _CALLS:
                if (call := _take(waiting, block.get("call_id"))) is not None:
                    yield _call(call, block)
            elif _is_item(block):
                yield block
    for call in waiting:
        yield _call(call, {"type": "function_call"})


def _is_item(block: dict[Any, Any]) -> bool:
    """Return whether *block* is an item of this API; other providers have reasoning blocks too."""
    kind = block.get("type")
    return kind in ITEMS and "id" in block and (kind != "reasoning" or "summary" in block)


def _take(waiting: list[PastCall], call_id: Any) -> PastCall | None:
    """Remove the call with the id *call_id* from *waiting*, and return it."""
    for place, call in enumerate(waiting):
        if call.given_id == call_id:
            return waiting.pop(place)
    return None


def _texts(item_id: Any, blocks: Sequence[dict[Any, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the texts of one message as an item, if there are any."""
    parts = [_part(block) for block in blocks if block.get(_TEXTS[block["type"]])]
    if not parts:
        return
    phase = {"phase": blocks[0]["phase"]} if "phase" in blocks[0] else {}
    if isinstance(item_id, str):
        item = {"type": "message", "id": item_id, "status": "completed", "content": parts}
    else:  # An item without an id has a simpler form.
        item = {"content": "".join(part.get("text") or part["refusal"] for part in parts)}
    yield {**item, "role": "assistant", **phase}


def _part(block: dict[Any, Any]) -> dict[str, Any]:
    if block["type"] == "refusal":
        return {"type": "refusal", "refusal": block["refusal"]}
    annotations = block.get("annotations") or []
    return {"type": "output_text", "text": block["text"], "annotations": annotations}


def _call(call: PastCall, block: dict[Any, Any]) -> dict[str, Any]:
    name, kind = _CALLS[block["type"]], block["type"]
    written = call.text if kind == "custom_tool_call" else call.written
    return {**block, "call_id": call.id, "name": call.tool, name: written}


def _output(call: PastCall, kind: str) -> dict[str, Any]:
    seen: Any = call.result
    if call.parts:
        seen = [*map(_input_part, blocks_of_parts(call.parts, _file))]
    return {"type": f"{kind}_output", "call_id": call.id, "output": seen}


def _file(file: MediaFile) -> dict[str, Any]:
    if file.kind == "image":
        return {"type": "input_image", "image_url": file.address}
    return {"type": "input_file", "filename": file.name, "file_data": file.address}
