"""Granite 3: ``<|tool_call|>`` and a list of calls in JSON. Granite 4 writes `hermes`.

If the prompt asks for thoughts, Granite 3.2 writes sentences around them: ``Here is my thought
process:`` and ``Here is my response:``. They count at the beginning of a line. No other dialect
reads them, since they are prose.

Source: the chat templates of ibm-granite/granite-3.1-8b-instruct and granite-3.2-8b-instruct.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from agent_parsers.engine.grammar.table import Go, Part
from agent_parsers.engine.markers.kinds import Literal
from agent_parsers.families.json_blocks import block_rules, list_dialect, write_named
from agent_parsers.families.turn_writer import ResultsWriter, TurnWriter

if TYPE_CHECKING:
    from agent_parsers.engine.grammar.table import Table, Transition
    from agent_parsers.engine.markers.kinds import Marker

__all__ = ["DIALECT"]

SAMPLE: Final = """\
Let me see.<|tool_call|>[{"name": "search", "arguments": {"query": "Lake Thun"}}, \
{"name": "ping", "arguments": {}}]"""

ENDS: Final = "<|end_of_text|>"
END: Final = f"{ENDS}\n<|start_of_role|>"
FRAME: Final = (f"{END}tool_response<|end_of_role|>", f"{END}assistant<|end_of_role|>")

THOUGHT: Final = ("Here is my thought process:", "Here's my thought process:")
RESPONSE: Final = ("Here is my response:", "Here's my response:")


def with_thoughts(table: Table) -> Table:
    """Return *table* with the sentences around a thought as markers."""
    markers: dict[str, Marker] = {
        **table.markers,
        "thought": Literal(THOUGHT[0], THOUGHT[1:], place="line"),
        "end of thought": Literal(RESPONSE[0], RESPONSE[1:], place="line"),
    }
    transitions: dict[tuple[str, str], Transition] = {
        **table.transitions,
        **{(state, "thought"): Go("thought") for state in ("content", "call")},
        ("thought", "end of thought"): Go("content", closes=True),
        ("thought", f"end {ENDS}"): Go("over"),
    }
    return replace(
        table,
        markers=markers,
        parts={**table.parts, "thought": Part.THOUGHT},
        transitions=transitions,
        ends={**table.ends, "thought": "open_reasoning"},
        starts={**table.starts, "thought": "thought"},
    )


CALLS: Final = list_dialect(
    "granite",
    SAMPLE,
    summary="<|tool_call|> and a JSON list (Granite 3)",
    marks=("<|tool_call|>", ""),
    other_marks=("<tool_call>",),  # Granite 3.0 wrote a tag, and rarely closed it
    closer="</tool_call>",
    end=ENDS,
    rules=block_rules(enclosed="["),
    write=TurnWriter(call=write_named, calls=("<|tool_call|>[", ", ", "]")),
    render_results=ResultsWriter(between=FRAME[0]),
    turn_frame=FRAME,
)
DIALECT: Final = replace(
    CALLS, strict=with_thoughts(CALLS.strict), lenient=with_thoughts(CALLS.lenient)
)
