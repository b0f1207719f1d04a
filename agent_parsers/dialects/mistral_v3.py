"""Mistral 7B v0.3, Nemo, Small 3.0 and 3.1, Large 2: like `mistral`, but the calls are a list.

Each call has an id, as in `mistral_v11`. These models do not write thoughts.

Source: the v3 and v7 instruct tokenizers of mistralai/mistral-common; content beside calls is
written as by the latter, results as by the former.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from agent_parsers.dialects import mistral
from agent_parsers.dialects.mistral_v11 import call_id
from agent_parsers.families.turn_writer import ResultsWriter, TurnWriter, write_json

if TYPE_CHECKING:
    from agent_parsers.engine.grammar.dialect import Result, WrittenCall

__all__ = ["DIALECT"]

SAMPLE: Final = """\
Let me see.[TOOL_CALLS] [{"name": "search", "arguments": {"query": "Lake Thun"}, \
"id": "a1b2c3d4e"}, {"name": "ping", "arguments": {}, "id": "f5g6h7i8j"}]"""


def write_call(call: WrittenCall) -> str:
    """Return one call as an item of the list."""
    return write_json({"name": call.tool, "arguments": call.tool_input, "id": call.id})


def write_result(result: Result) -> str:
    """Return the result of one call as text; a JSON result is embedded as JSON."""
    content = f'{{"content": {_as_json(result.text)}, "call_id": {write_json(result.id)}}}'
    return f"[TOOL_RESULTS] {content}[/TOOL_RESULTS]"


def _as_json(text: str) -> str:
    if "\\" in text:  # It may escape a mark, and JSON decoding would remove it.
        return write_json(text)
    try:
        written = write_json(json.loads(text))
        written.encode()  # JSON can express a lone surrogate, but it cannot be sent to a model
    except (ValueError, RecursionError):
        return write_json(text)
    return written


DIALECT: Final = replace(
    mistral.DIALECT,
    name="mistral_v3",
    aliases=("mistral_v7",),
    summary="[TOOL_CALLS] and a JSON list (Mistral 7B, Nemo, Large 2)",
    sample=SAMPLE,
    write=TurnWriter(call=write_call, calls=("[TOOL_CALLS] [", ", ", "]"), call_id=call_id),
    render_results=ResultsWriter(text=write_result, call_id=call_id),
)
