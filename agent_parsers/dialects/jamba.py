"""Jamba 1.5 and 1.6: a list of calls in JSON in ``<tool_calls>``.

Source: the chat template of ai21labs/AI21-Jamba-1.5-Mini.
"""

from __future__ import annotations

from typing import Final

from agent_parsers.families.json_blocks import block_rules, list_dialect, write_named
from agent_parsers.families.turn_writer import ResultsWriter, TurnWriter

__all__ = ["DIALECT"]

SAMPLE: Final = """\
Let me see.<tool_calls>[{"name": "search", "arguments": {"query": "Lake Thun"}}, \
{"name": "ping", "arguments": {}}]</tool_calls>"""

FRAME: Final = ("<|eom|><|bom|><|tool|> ", "<|eom|><|bom|><|assistant|> ")

DIALECT: Final = list_dialect(
    "jamba",
    SAMPLE,
    summary="a JSON list in <tool_calls> (Jamba)",
    marks=("<tool_calls>", "</tool_calls>"),
    end="<|eom|>",
    rules=block_rules(enclosed="["),
    write=TurnWriter(call=write_named, calls=("<tool_calls>[", ", ", "]</tool_calls>")),
    render_results=ResultsWriter(between=FRAME[0]),
    turn_frame=FRAME,
)
