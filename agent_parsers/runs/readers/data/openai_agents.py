"""New items of a run of the OpenAI Agents SDK: items of the Responses API, each in a ``raw_item``.

::

    [{"type": "tool_call_item", "raw_item": {"type": "function_call", "call_id": "c1", …}},
     {"type": "tool_call_output_item", "raw_item": {"type": "function_call_output", …},
      "output": "November"},
     {"type": "message_output_item", "raw_item": {"type": "message", "role": "assistant", …}}]

The question is not among them. What ``to_input_list()`` returns are items of the Responses API
alone; `openai_responses` reads them.

Source: ``agents/items.py`` of openai-agents 0.24.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from agent_parsers.runs.readers.data import openai_responses
from agent_parsers.runs.reading.conversations import Form
from agent_parsers.runs.reading.messages import evidence_of, read_messages
from agent_parsers.runs.reading.reader import DataReader, Reading, Values

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from agent_parsers.runs.reading.said import Said
    from agent_parsers.runs.reading.transcript import Transcript


def _said(item: Mapping[str, Any]) -> Said | None:
    raw = item["raw_item"]
    is_known = openai_responses.is_item(raw)
    return openai_responses.said(raw) if is_known else None


def _is_message(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("raw_item"), dict)
        and str(value.get("type")).endswith("_item")
    )


def _messages_of(record: Mapping[str, Any]) -> list[Any] | None:
    """Return the items of a result, with the question before them."""
    items = record.get("new_items")
    if not isinstance(items, list):
        return None
    asked = record.get("input")
    if isinstance(asked, str):
        asked = [{"role": "user", "content": asked}]
    asked = asked if isinstance(asked, list) else []
    return [*({"type": "input_item", "raw_item": item} for item in asked), *items]


_FORM: Final = Form(_said, _is_message, _messages_of)


def _evidence(values: Sequence[Any]) -> Sequence[str]:
    return evidence_of(values, _FORM, lambda item: f"'raw_item' and type {item['type']!r}")


def _read(values: Values, reading: Reading) -> Iterator[Transcript]:
    return read_messages(values, reading, _FORM)


READER: Final = DataReader(
    name="openai_agents",
    summary="new items of a result of the OpenAI Agents SDK",
    evidence=_evidence,
    read=_read,
)
