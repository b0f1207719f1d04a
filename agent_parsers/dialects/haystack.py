"""ReAct text as Haystack's agent prompts for it: `react`, with the labels Tool and Tool Input.

Haystack also finds its labels in the middle of a line, where models write them:
``I need the yard. Tool: [search], Tool Input: shipyards``.

Source: the prompts and patterns of the agent in Haystack 1.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from agent_parsers.dialects import react
from agent_parsers.engine.markers.kinds import Inline, Label, Marker
from agent_parsers.engine.repairs.names import repair_tool_name
from agent_parsers.families.steps import StepWriter, reworded

if TYPE_CHECKING:
    from agent_parsers.engine.repairs.payloads import ToolHead
    from agent_parsers.engine.tables.table import Table
    from agent_parsers.events import Repair

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


_ACTION, _INPUT = "Tool", "Tool Input"
STRICT: Final = replace(
    react.STRICT,
    markers={
        **react.STRICT.markers,
        "action": Label(_ACTION, anywhere=True),
        "input": Label(_INPUT, anywhere=True),
    },
)


def _lenient() -> Table:
    own: dict[str, Marker] = {
        "action": Label(_ACTION, loose=True),
        "second action": Label(_ACTION, loose=True, then=_INPUT),
        "inline action": Inline(_ACTION, then=_INPUT, begins=True),
        "input": Label(_INPUT, loose=True),
        "inline input": Label(_INPUT, anywhere=True),
        "spaced input": Inline(_INPUT),
    }
    borrowed = {"tool input"}  # in this dialect it is the label itself
    markers = {**react.LENIENT.markers, **own}
    rows = react.LENIENT.transitions
    return replace(
        react.LENIENT,
        read_tool=read_tool,
        markers={name: marker for name, marker in markers.items() if name not in borrowed},
        transitions={row: rows[row] for row in rows if row[1] not in borrowed},
    )


LENIENT: Final = _lenient()
WRITER: Final = StepWriter(LENIENT.markers)
PROBLEMS: Final = reworded(react.PROBLEMS, {"an Action": "a Tool", "Action": "Tool"})
PROMPT: Final = react.PROMPT.replace("Action", "Tool")

DIALECT: Final = replace(
    react.DIALECT,
    name="haystack",
    aliases=(),
    summary="ReAct text: Thought, Tool and Tool Input, or Final Answer (Haystack)",
    sample=SAMPLE,
    strict=STRICT,
    lenient=LENIENT,
    problems=PROBLEMS,
    form=WRITER.form,
    prompt=PROMPT,
)
