"""DeepSeek V3.2: like `deepseek_dsml`, with ``function_calls`` around the calls.

Source: the encoding script of deepseek-ai/DeepSeek-V3.2.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from agent_parsers.dialects.deepseek_dsml import dsml
from agent_parsers.families.turn_writer import ResultsWriter

__all__ = ["DIALECT"]

DIALECT: Final = replace(
    dsml("deepseek_v32", "DeepSeek V3.2", wrapper="function_calls"),
    render_results=ResultsWriter(
        each=("<result>", "</result>"),
        between="\n",
        around=("<function_results>\n", "\n</function_results>"),
    ),
    # The template has no header before the next turn of the model.
    turn_frame=("<｜end▁of▁sentence｜>\n\n", "\n\n"),
)
