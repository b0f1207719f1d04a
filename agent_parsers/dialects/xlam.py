"""xLAM: a turn that is a JSON list of calls, with no mark around it.

Models also write it in a fence, in ``<tool_call>`` and after ``[TOOL_CALLS]``.

Source: the model card of Salesforce/Llama-xLAM-2-8b-fc-r, and the template for this model in
vllm-project/vllm.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from agent_parsers.dialects import llama3_json
from agent_parsers.engine.calls.json.blocks import JsonCalls
from agent_parsers.families.call_blocks import calls_table
from agent_parsers.families.json_blocks import (
    BARE_PROBLEMS,
    LIST_PROBLEMS,
    bare_rules,
    block_rules,
    json_dialect,
    with_marks,
    write_named,
)
from agent_parsers.families.turn_writer import ResultsWriter, TurnWriter

__all__ = ["DIALECT"]

SAMPLE: Final = """\
[{"name": "search", "arguments": {"query": "Lake Thun"}}, {"name": "ping", "arguments": {}}]"""

RULES: Final = block_rules(enclosed="[")
BARE: Final = bare_rules(RULES, on_a_line=True)
_table = partial(calls_table, ends=("<|eot_id|>",))
_calls = partial(JsonCalls, closed=False)

DIALECT: Final = json_dialect(
    "xlam",
    SAMPLE,
    summary="a bare JSON list of calls (xLAM)",
    strict=_table(partial(_calls, RULES[0]), call=None, bare=partial(_calls, BARE[0], bare=True)),
    lenient=with_marks(
        _table(
            partial(_calls, RULES[1]),
            call=("<tool_call>", "</tool_call>"),
            bare=partial(_calls, BARE[1], bare=True),
            odd=("call", "end of call"),
            lenient=True,
        ),
        "[TOOL_CALLS]",
    ),
    problems={**LIST_PROBLEMS, **BARE_PROBLEMS},
    stop=("<|eot_id|>",),
    write=TurnWriter(content=None, call=write_named, calls=("[", ", ", "]")),
    render_results=ResultsWriter(between=llama3_json.FRAME[0]),
    turn_frame=llama3_json.FRAME,
)
