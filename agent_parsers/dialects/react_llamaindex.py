"""ReAct text as LlamaIndex prompts for it: the input is a JSON object, ``Answer:`` ends the run.

A thought comes first; LlamaIndex does not read turns that begin with an action or an answer.

Source: LlamaIndex's ReAct agent and its ``ReActOutputParser``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from agent_parsers.dialects import react
from agent_parsers.engine.markers.kinds import Label
from agent_parsers.engine.repairs.inputs import repair_object_input
from agent_parsers.engine.repairs.payloads import read_json_input, write_json_input
from agent_parsers.engine.tables.dialect import PromptWords
from agent_parsers.engine.tables.problems import Problem
from agent_parsers.engine.tables.table import Go, Part, Table
from agent_parsers.families.steps import StepWriter, reworded
from agent_parsers.forms.form import Written

SAMPLE: Final = """\
Question: How old is the oldest bridge of Bern?
Thought: I need to use a tool to find out which bridge that is.
Action: search
Action Input: {"query": "oldest bridge in Bern"}
Observation: The Untertorbrücke was built from 1461 to 1489.
Thought: I can answer without using any more tools.
Answer: The Untertorbrücke has stood since 1489."""


STRICT: Final = Table(
    read_input=read_json_input,
    markers={
        "thought": Label("Thought"),
        "action": Label("Action"),
        "input": Label("Action Input"),
        "answer": Label("Answer"),
    },
    parts={
        "start": Part.THOUGHT,
        "thought": Part.THOUGHT,
        "tool": Part.TOOL,
        "input": Part.INPUT,
        "answer": Part.ANSWER,
    },
    transitions={
        ("start", "thought"): Go("thought"),
        ("start", "action"): Go("tool", clash="no_thought"),
        ("start", "answer"): Go("answer", clash="no_thought"),
        ("thought", "thought"): Go("thought"),
        ("thought", "action"): Go("tool"),
        ("thought", "answer"): Go("answer"),
        ("tool", "input"): Go("input"),
        ("tool", "answer"): Go("answer", clash="action_and_answer"),
        ("input", "answer"): Go("answer", clash="action_and_answer"),
    },
    ends={"tool": "no_input"},
)


LENIENT: Final = replace(
    react.LENIENT,
    read_input=repair_object_input,
    markers={**react.LENIENT.markers, "answer": Label("Answer", loose=True)},
    # The first answer extends to the end, unless a new answer replaces it.
    transitions={
        **react.LENIENT.transitions,
        ("answer", "answer"): Go("answer", firm=True),
    },
)

WRITER: Final = StepWriter(LENIENT.markers, write_json_input)
PROBLEMS: Final = {
    **reworded(react.PROBLEMS, {"a Final Answer": "an Answer"}),
    "no_action_or_answer": Problem(
        "expected an Action or an Answer",
        "Invalid Format: Write a Thought, then an Action with its Action Input, or an Answer. "
        "Begin each label on a new line.",
    ),
    "no_thought": Problem(
        "expected a Thought before the Action or the Answer",
        "Invalid Format: Begin with a Thought.",
    ),
    "no_input": replace(react.PROBLEMS["no_input"], exact=""),
    "bad_input": Problem(
        "expected a JSON object after the label Action Input",
        'Invalid Format: Write the Action Input as a JSON object, such as {"key": "value"}.',
    ),
}


PROMPT: Final = """\
Answer the question as well as you can. You can use these tools:

{tools}

Begin with a Thought, and write in this form. Each label begins a line:

{form}

The Action Input is a JSON object with the parameters of the tool.
Use one tool in a turn, and stop after the Action Input: the Observation is given to you.
For example, this turn uses a tool:

{action}"""

WORDS: Final = PromptWords(
    tool_input={"parameter": "value"}, last_thought="I can answer without using any more tools."
)

DIALECT: Final = replace(
    react.DIALECT,
    name="react_llamaindex",
    aliases=(),
    summary="ReAct text with a JSON object as input, or Answer (LlamaIndex)",
    sample=SAMPLE,
    strict=STRICT,
    lenient=LENIENT,
    problems=PROBLEMS,
    form=replace(WRITER.form, no_thought=f"{WRITER.label('thought')}\n"),
    prompt=PROMPT,
    prompt_words=WORDS,
    example=Written(tool="search", tool_input={"query": "what to look for"}),
)
