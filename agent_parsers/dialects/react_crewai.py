"""ReAct text as CrewAI prompts for it: `react`, with a JSON object as input.

In lenient mode an input that is not an object is read as text, which is a repair.

Source: CrewAI's prompts and its agent parser.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.dialects import react
from agent_parsers.engine.repairs.inputs import repair_object_input
from agent_parsers.engine.repairs.payloads import BadPayload, read_json_input, write_json_input
from agent_parsers.engine.tables.dialect import PromptWords
from agent_parsers.families.steps import StepWriter
from agent_parsers.forms.form import Written
from outputs.growing_json.lenient.json_text import begins_object

if TYPE_CHECKING:
    from agent_parsers.events import Repair

SAMPLE: Final = """\
Question: How old is the oldest bridge of Bern?
Thought: I need to know which bridge that is.
Action: search
Action Input: {"query": "oldest bridge in Bern"}
Observation: The Untertorbrücke was built from 1461 to 1489.
Thought: I now know the final answer
Final Answer: The Untertorbrücke has stood since 1489."""


def read_input(text: str, repairs: list[Repair]) -> str | dict[str, Any]:
    """Return an input that is a JSON object."""
    if not text:
        raise BadPayload("no_input", (0, 0))
    try:
        return read_json_input(text, repairs)
    except BadPayload as bad:
        if bad.problem != "repeated_key" and begins_object(text):  # it is cut
            raise BadPayload("cut_input", (0, len(text))) from None
        raise


def repair_input(text: str, repairs: list[Repair]) -> str | dict[str, Any]:
    """Read the *text* of an input in lenient mode, and add what is repaired to *repairs*."""
    if not text:
        raise BadPayload("no_input", (0, 0))
    return repair_object_input(text, repairs)


WRITER: Final = StepWriter(react.STEPS.markers, write_json_input)
WORDS: Final = PromptWords(tool_input={"parameter": "value"})

DIALECT: Final = replace(
    react.DIALECT,
    name="react_crewai",
    aliases=("crewai",),
    summary="ReAct text with a JSON object as input, or Final Answer (CrewAI)",
    sample=SAMPLE,
    strict=replace(react.STRICT, read_input=read_input),
    lenient=replace(react.LENIENT, read_input=repair_input),
    form=WRITER.form,
    prompt_words=WORDS,
    example=Written(tool="search", tool_input={"query": "what to look for"}),
)
