r"""Items of OpenAI's Responses API: messages, reasoning, calls and their outputs in one list.

::

    [{"role": "user", "content": "Which month has the most fog?"},
     {"type": "reasoning", "summary": [{"type": "summary_text", "text": "I look it up."}]},
     {"type": "function_call", "call_id": "c1", "name": "search", "arguments": "{\"query\": …}"},
     {"type": "function_call_output", "call_id": "c1", "output": "November"},
     {"type": "message", "role": "assistant", "content": [
       {"type": "output_text", "text": "November."}]}]

A file holds such a list (also that of the Agents SDK's ``to_input_list``), or an object with the
items under ``input`` and ``output``; ``input`` may be text.

Source: platform.openai.com/docs/api-reference/responses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from agent_parsers.runs.reading.conversations import Form
from agent_parsers.runs.reading.messages import evidence_of, message_of, read_messages
from agent_parsers.runs.reading.parts import call_of, content_of, result_of
from agent_parsers.runs.reading.reader import DataReader, Reading, Values
from agent_parsers.runs.reading.said import Said

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from agent_parsers.runs.reading.transcript import Transcript

_ROLES: Final = frozenset(("system", "developer", "user", "assistant"))
_CALLS: Final = frozenset(("function_call", "custom_tool_call", "mcp_call"))
_OUTPUTS: Final = frozenset(("function_call_output", "custom_tool_call_output"))
_SIGNS: Final = _CALLS | _OUTPUTS | {"reasoning"}


def said(item: Mapping[str, Any]) -> Said:
    """Return what an *item* says.

    Raises:
        KeyError: It lacks a part.
        TypeError: A part has another type.
    """
    kind = item.get("type")
    if kind in _CALLS:
        call = call_of(item, is_text=kind == "custom_tool_call")
        output = item.get("output")  # calls of a server's tools hold their result
        results = (result_of(output, call.call_id),) if output is not None else ()
        return Said("assistant", calls=(call,), results=results)
    if kind in _OUTPUTS:
        result = result_of(item["output"], item.get("call_id"))
        return Said("tool", results=(result,))
    if kind == "reasoning":
        return Said("assistant", thought="\n".join(content_of(item).thoughts))
    if kind in ("message", None):
        return message_of(item)
    # Tools that the server runs, such as web_search_call: what they returned is not shown.
    return Said("assistant", left_out=(f"an item of type {kind!r}",))


def _messages_of(record: Mapping[str, Any]) -> list[Any] | None:
    """Return the items of a request and of its response."""
    items: list[Any] = []
    found = False
    for name in ("input", "request", "output", "response"):
        value = record.get(name)
        if name in ("request", "response") and isinstance(value, dict):
            inner = _messages_of(value)
            found = found or inner is not None
            items += inner or ()
        elif name == "input" and isinstance(value, str) and "output" in record:
            items.append({"role": "user", "content": value})
        elif isinstance(value, list):
            found = True
            items += value
    system = record.get("instructions")
    head = [{"role": "system", "content": system}] if isinstance(system, str) else []
    return [*head, *items] if found else None


def is_item(value: Any) -> bool:
    """Return whether *value* is an item of this API."""
    if not isinstance(value, dict):
        return False
    kind = value.get("type")
    if kind in ("message", None):
        content = value.get("content")
        is_list = isinstance(content, list) and all(map(_is_part, content))
        return value.get("role") in _ROLES and (is_list or isinstance(content, str))
    if not isinstance(kind, str) or "raw_item" in value:
        return False
    is_call = kind.endswith(("_call", "_call_output", "_list_tools", "_approval_request"))
    return kind in _SIGNS or is_call or kind == "item_reference"


def _is_part(part: Any) -> bool:
    kind = part.get("type") if isinstance(part, dict) else None
    return isinstance(kind, str) and (kind.startswith(("input_", "output_")) or kind == "refusal")


def sign(item: Mapping[str, Any]) -> str:
    """Return what of an *item* only this API has; empty if nothing."""
    kind = item.get("type")
    if kind in _SIGNS:
        return f"type {kind!r}"
    parts = item.get("content")
    kinds = [part["type"] for part in parts] if isinstance(parts, list) else []
    return next((f"a part of type {kind!r}" for kind in kinds if kind != "refusal"), "")


_FORM: Final = Form(said, is_item, _messages_of)


def _evidence(values: Sequence[Any]) -> Sequence[str]:
    return evidence_of(values, _FORM, sign, where="item")


def _read(values: Values, reading: Reading) -> Iterator[Transcript]:
    return read_messages(values, reading, _FORM)


READER: Final = DataReader(
    name="openai_responses",
    summary="items of OpenAI's Responses API: lists, requests, responses",
    evidence=_evidence,
    read=_read,
)
