"""Consoles that are tables, each after the pages and packages that it names."""

from __future__ import annotations

from typing import Final

from agent_runs.tables.console import Console, ConsolePiece

# developers.llamaindex.ai: the loop over events that its guide on multi-agent workflows prints.
LLAMAINDEX_WORKFLOW: Final = Console(
    name="llamaindex_workflow", summary="the loop of LlamaIndex's guide to multi-agent workflows",
    pieces=[
        ConsolePiece("nothing", r"={50}\n", r""),
        ConsolePiece("nothing", r"🤖 Agent: ", r"[^\n]*"),
        ConsolePiece("text", r"📤 Output: "),
        ConsolePiece("nothing", r"🛠️  Planning to use tools: ", r"[^\n]*", is_sign=True),
        ConsolePiece("call", r"🔨 Calling Tool: (?P<tool>[^\n]+)\n",
                     r"  With arguments: (?P<args>.*)", is_sign=True),
        ConsolePiece("result", r"🔧 Tool Result \((?P<tool>[^\n]*)\):\n",
                     r"  Arguments: [^\n]*\n  Output: (?P<text>.*)"),
    ],
)  # fmt: skip

# strands/handlers/callback_handler.py of strands-agents 1: neither inputs nor results are shown.
STRANDS: Final = Console(
    name="strands_console", summary="what the callback handler of Strands Agents prints",
    first="text",
    pieces=[
        ConsolePiece("call", r"Tool #\d+: (?P<tool>[\w.:-]+)\n", r"(?P<after>.*)", is_sign=True),
    ],
)  # fmt: skip

TABLES: Final = (LLAMAINDEX_WORKFLOW, STRANDS)
