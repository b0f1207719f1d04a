"""InternLM 2 and 2.5: JSON in ``<|action_start|><|plugin|>``, with ``parameters``.

Source: the guide to the chat format of InternLM/InternLM; several calls as in the template for
this model in vllm-project/vllm.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agent_parsers.families.json_blocks import block_rules, list_dialect
from agent_parsers.families.turn_writer import ResultsWriter, TurnWriter, chatml, write_json

if TYPE_CHECKING:
    from agent_parsers.engine.grammar.dialect import WrittenCall

__all__ = ["DIALECT"]

SAMPLE: Final = """\
I look it up.<|action_start|><|plugin|>
{"name": "search", "parameters": {"query": "Lake Thun"}}<|action_end|><|action_start|><|plugin|>
{"name": "ping", "parameters": {}}<|action_end|>"""

FRAME: Final = chatml("environment name=<|plugin|>")


def write_call(call: WrittenCall) -> str:
    """Return one call as text, in a block of its own."""
    written = write_json({"name": call.tool, "parameters": call.tool_input})
    return f"<|action_start|><|plugin|>\n{written}<|action_end|>"


DIALECT: Final = list_dialect(
    "internlm2",
    SAMPLE,
    summary="JSON in <|action_start|><|plugin|> (InternLM 2)",
    marks=("<|action_start|><|plugin|>", "<|action_end|>"),
    other_marks=("<|action_start|> <|plugin|>", "<|action_start|>\n<|plugin|>"),
    end="<|im_end|>",
    rules=block_rules(tool_input="parameters"),
    write=TurnWriter(call=write_call),
    render_results=ResultsWriter(between=FRAME[0]),
    turn_frame=FRAME,
)
