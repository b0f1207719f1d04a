"""Granite 3: ``<|tool_call|>`` and a list of calls in JSON. Granite 4 writes `hermes`.

Source: the chat template of ibm-granite/granite-3.1-8b-instruct.
"""

from __future__ import annotations

from typing import Final

from agent_parsers.dialects._json_blocks import block_rules, list_dialect, write_named
from agent_parsers.dialects._writing import ResultsWriter, TurnWriter

__all__ = ["DIALECT"]

SAMPLE: Final = """\
Let me see.<|tool_call|>[{"name": "search", "arguments": {"query": "Lake Thun"}}, \
{"name": "ping", "arguments": {}}]"""

END: Final = "<|end_of_text|>\n<|start_of_role|>"
FRAME: Final = (f"{END}tool_response<|end_of_role|>", f"{END}assistant<|end_of_role|>")

DIALECT: Final = list_dialect(
    "granite",
    SAMPLE,
    summary="<|tool_call|> and a JSON list (Granite 3)",
    marks=("<|tool_call|>", ""),
    other_marks=("<tool_call>",),  # Granite 3.0 wrote a tag, and seldom closed it
    closer="</tool_call>",
    end="<|end_of_text|>",
    rules=block_rules(enclosed="["),
    write=TurnWriter(call=write_named, calls=("<|tool_call|>[", ", ", "]")),
    write_results=ResultsWriter(between=FRAME[0]),
    frame=FRAME,
)
