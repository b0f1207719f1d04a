"""Calls as Python between ``<|tool_call_start|>`` and ``<|tool_call_end|>``: LFM2 and LFM2.5.

Text may precede or follow the calls. If the prompt asks for JSON, or sometimes without being asked,
the model writes JSON between the marks, which lenient mode reads.

Source: the chat template of LiquidAI/LFM2-1.2B, and its guide to tool use; a thought as in that of
LFM2.5-8B-A1B.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Final

from agent_parsers.dialects import pythonic
from agent_parsers.engine.calls.code.python_calls import PythonCalls
from agent_parsers.engine.calls.json.blocks import JsonCalls
from agent_parsers.families.call_blocks import calls_table
from agent_parsers.families.json_blocks import block_rules
from agent_parsers.families.turn_writer import TAGS, ResultsWriter, chatml

__all__ = ["DIALECT"]

SAMPLE: Final = f"""\
<think>I have to look it up.</think>\
<|tool_call_start|>{pythonic.SAMPLE}<|tool_call_end|>I am looking."""

_json: Final = partial(JsonCalls, block_rules()[1])
_table = partial(
    calls_table, call=("<|tool_call_start|>", "<|tool_call_end|>"), ends=("<|im_end|>",)
)
FRAME: Final = chatml("tool")

DIALECT: Final = replace(
    pythonic.DIALECT,
    name="lfm2",
    summary="a list of Python calls in <|tool_call_start|> (LFM2)",
    sample=SAMPLE,
    strict=_table(PythonCalls),
    lenient=_table(partial(PythonCalls, json=_json, lenient=True), lenient=True),
    stop=("<|im_end|>",),
    write=replace(
        pythonic.TURNS,
        thought=TAGS,
        content=("", ""),
        calls=("<|tool_call_start|>[", ", ", "]<|tool_call_end|>"),
        is_content_last=True,
    ),
    render_results=ResultsWriter(
        each=("<|tool_response_start|>", "<|tool_response_end|>"), between=FRAME[0]
    ),
    turn_frame=FRAME,
)
