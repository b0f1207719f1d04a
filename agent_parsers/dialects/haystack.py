"""ReAct text as Haystack's agent prompts for it: `react`, with the labels Tool and Tool Input.

Haystack also finds its labels in the middle of a line, where models write them:
``I need the yard. Tool: [search], Tool Input: shipyards``.

Source: the prompts and patterns of the agent in Haystack 1.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from agent_parsers.dialects import react
from agent_parsers.engine.grammar.problems import Problem
from agent_parsers.engine.markers.kinds import Inline, Label
from agent_parsers.engine.repairs.names import repair_tool_name

if TYPE_CHECKING:
    from collections.abc import Collection

    from agent_parsers.engine.grammar.dialect import Written
    from agent_parsers.engine.grammar.table import Table
    from agent_parsers.engine.markers.kinds import Marker
    from agent_parsers.engine.repairs.payloads import ToolHead
    from agent_parsers.events import Repair

__all__ = ["DIALECT"]

SAMPLE: Final = """\
Question: How old is the oldest bridge of Bern?
Thought: I need to know which bridge that is.
Tool: search
Tool Input: oldest bridge in Bern
Observation: The Untertorbrücke was built from 1461 to 1489.
Thought: I now know the final answer
Final Answer: The Untertorbrücke has stood since 1489."""


def read_tool(written: str, tools: Collection[str] | None, repairs: list[Repair]) -> ToolHead:
    """Return the name of a tool without the comma before an input on the same line."""
    return repair_tool_name(written.removesuffix(","), tools, repairs)


STRICT: Final = replace(
    react.STRICT,
    markers={
        **react.STRICT.markers,
        "action": Label("Tool", anywhere=True),
        "input": Label("Tool Input", anywhere=True),
    },
)


def _lenient() -> Table:
    borrowed = {"tool input"}  # in this dialect it is the label itself
    own: dict[str, Marker] = {
        "action": Label("Tool", loose=True),
        "second action": Label("Tool", loose=True, then="Tool Input"),
        "inline action": Inline("Tool", then="Tool Input", begins=True),
        "input": Label("Tool Input", loose=True),
        "inline input": Label("Tool Input", anywhere=True),
        "spaced input": Inline("Tool Input"),
    }
    markers = {name: label for name, label in react.LENIENT.markers.items() if name not in borrowed}
    transitions = {
        row: transition
        for row, transition in react.LENIENT.transitions.items()
        if row[1] not in borrowed
    }
    return replace(
        react.LENIENT,
        read_tool=read_tool,
        markers={**markers, **own},
        transitions=transitions,
    )


_TELL: Final = "Invalid Format: Write a Tool with its Tool Input, or a Final Answer."
PROBLEMS: Final = {
    "nothing": Problem("expected a Tool or a Final Answer", f"{_TELL} Each label begins a line."),
    "early": Problem(
        "found an Observation before any Tool; it is not the model's to write",
        "Invalid Format: Do not write an Observation. Write a Tool with its Tool Input, or a Final"
        " Answer.",
    ),
    "no_input": Problem(
        "expected a Tool Input after the Tool",
        "Invalid Format: Missing 'Tool Input:' after 'Tool:'",
    ),
    "stray_input": Problem(
        "expected the Tool Input after the Tool, not before it",
        "Invalid Format: Write the Tool first, then its Tool Input.",
    ),
    "both": Problem(
        "found a Tool and a Final Answer; a turn has one of them",
        "Write either a Tool with its Tool Input or a Final Answer, not both.",
    ),
    "no_tool": Problem(
        "expected the name of a tool after the label Tool",
        "Invalid Format: Missing the name of the tool after 'Tool:'",
    ),
    "long_tool": Problem(
        "expected the name of a tool on one line after the label Tool",
        "Invalid Format: Write the name of one tool after 'Tool:', and 'Tool Input:' on the next"
        " line.",
    ),
}


def write(step: Written) -> str:
    """Return one step as text."""
    if not step.tool:
        return react.write(step)
    thought = f"Thought: {step.thought}\n" if step.thought else ""
    return f"{thought}Tool: {step.tool}\nTool Input: {step.tool_input}"


PROMPT: Final = react.PROMPT.replace("Action", "Tool")

DIALECT: Final = replace(
    react.DIALECT,
    name="haystack",
    aliases=(),
    summary="ReAct text: Thought, Tool and Tool Input, or Final Answer (Haystack)",
    sample=SAMPLE,
    strict=STRICT,
    lenient=_lenient(),
    problems=PROBLEMS,
    write=write,
    prompt=PROMPT,
)
