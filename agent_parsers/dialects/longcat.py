"""LongCat: like `hermes`, in ``<longcat_tool_call>`` and ``<longcat_think>``.

Source: the chat template of meituan-longcat/LongCat-Flash-Thinking, and its model card for the
beginning of a turn.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from agent_parsers.dialects import hermes

__all__ = ["DIALECT"]

SAMPLE: Final = """\
<longcat_think>
I have to look it up.
</longcat_think>

Let me see.
<longcat_tool_call>
{"name": "search", "arguments": {"query": "Lake Thun"}}
</longcat_tool_call>
<longcat_tool_call>
{"name": "ping", "arguments": {}}
</longcat_tool_call>"""

STRICT, LENIENT = hermes.tables("longcat_tool_call", thought="longcat_think", end="</longcat_s>")
OPEN, CLOSE = "<longcat_tool_call>\n", "\n</longcat_tool_call>"

DIALECT: Final = replace(
    hermes.DIALECT,
    name="longcat",
    aliases=(),
    summary="JSON in <longcat_tool_call> tags (LongCat)",
    sample=SAMPLE,
    strict=STRICT,
    lenient=LENIENT,
    stop=("</longcat_s>",),
    write=replace(
        hermes.TURNS,
        thought=("<longcat_think>\n", "\n</longcat_think>\n\n"),
        calls=(OPEN, f"{CLOSE}\n{OPEN}", CLOSE),
    ),
    render_results=replace(
        hermes.RESULTS, each=("<longcat_tool_response>\n", "\n</longcat_tool_response>")
    ),
    turn_frame=("</longcat_s>\n", " ASSISTANT:"),
)
