"""Mistral 7B v0.3, Nemo, Small 3.0 and 3.1, Large 2: like `mistral`, but the calls are a list.

    Let me see.[TOOL_CALLS] [{"name": "search", "arguments": {"query": "Lake Thun"}, \
"id": "a1b2c3d4e"}, {"name": "ping", "arguments": {}, "id": "f5g6h7i8j"}]

Each call has an id, as in `mistral_v11`. These models do not write thoughts.

Source: the v3 and v7 instruct tokenizers of mistralai/mistral-common; content beside calls is
written as by the latter, results as by the former.
"""

import json
from dataclasses import replace

from agent_parsers.authoring import Result, write_json
from agent_parsers.dialects import mistral
from agent_parsers.dialects.mistral_v11 import IDS, SAMPLE, call_id


def write_result(result: Result) -> str:
    """Return the result of one call as text; a JSON result is embedded as JSON."""
    return f' {{"content": {_as_json(result.text)}, "call_id": {write_json(result.id)}}}'


def _as_json(text: str) -> str:
    if "\\" in text:  # It may escape a mark, and JSON decoding would remove it.
        return write_json(text)
    try:
        written = write_json(json.loads(text))
        written.encode()  # JSON can express a lone surrogate, but it cannot be sent to a model
    except (ValueError, RecursionError):
        return write_json(text)
    return written


FORMAT = replace(
    mistral.FORMAT,
    name="mistral_v3",
    aliases=("mistral_v7",),
    summary="[TOOL_CALLS] and a JSON list (Mistral 7B, Nemo, Large 2)",
    writes_thoughts=False,
    call_id=call_id,
    ids=IDS,
    results=replace(mistral.FORMAT.results, text=write_result, call_id=call_id),
    sample=SAMPLE,
)
# All generations are read alike, but this one is written as a list.
LISTED = replace(FORMAT, call=(f"{mistral.MARK} ", ""), payload=mistral.LIST)
DIALECT = FORMAT.dialect(given=mistral.GIVEN, form=LISTED.form)
