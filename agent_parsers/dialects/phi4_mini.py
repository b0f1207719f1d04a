"""Phi-4 mini: ``functools`` and a list of calls in JSON, or a list in ``<|tool_call|>``.

Source: the model card of microsoft/Phi-4-mini-instruct, and its output. Its chat template has no
results; they are written after the model's special token for them.
"""

from __future__ import annotations

from typing import Final

from agent_parsers.families.json_blocks import block_rules, list_dialect, write_named
from agent_parsers.families.turn_writer import ResultsWriter, TurnWriter

__all__ = ["DIALECT"]

SAMPLE: Final = """\
Let me see.functools[{"name": "search", "arguments": {"query": "Lake Thun"}}, \
{"name": "ping", "arguments": {}}]"""

FRAME: Final = ("<|end|><|tool_response|>", "<|end|><|assistant|>")

DIALECT: Final = list_dialect(
    "phi4_mini",
    SAMPLE,
    summary="functools and a JSON list (Phi-4 mini)",
    marks=("functools", ""),
    is_word=True,
    other_marks=("<|tool_call|>",),
    closer="<|/tool_call|>",
    end="<|end|>",
    rules=block_rules(enclosed="["),
    write=TurnWriter(call=write_named, calls=("functools[", ", ", "]")),
    render_results=ResultsWriter(between=FRAME[0]),
    turn_frame=FRAME,
)
