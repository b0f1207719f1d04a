"""ReAct text with a tool and one input on lines of their own, as LangChain prompts for it.

Source: LangChain's zero-shot ReAct agent, after Yao et al. 2022 (arXiv 2210.03629).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agent_parsers.engine.grammar.dialect import Dialect, Written
from agent_parsers.engine.grammar.problems import Problem
from agent_parsers.engine.grammar.table import Go, Note, Part, Table
from agent_parsers.engine.grammar.words import PromptWords
from agent_parsers.engine.markers.kinds import Label, Literal
from agent_parsers.engine.repairs.inputs import repair_answer, repair_input
from agent_parsers.engine.repairs.names import repair_tool_name
from agent_parsers.families.steps import (
    Steps,
    action_in_answer,
    input_before_action,
    second_turn_in_answer,
    turn_on_one_line,
)

if TYPE_CHECKING:
    from agent_parsers.events import Repair

__all__ = [
    "DIALECT",
    "FINAL_ANSWER_AND_PARSABLE_ACTION_ERROR_MESSAGE",
    "MISSING_ACTION_AFTER_THOUGHT_ERROR_MESSAGE",
    "MISSING_ACTION_INPUT_AFTER_ACTION_ERROR_MESSAGE",
]

SAMPLE: Final = """\
Question: How old is the oldest bridge of Bern?
Thought: I need to know which bridge that is.
Action: search
Action Input: oldest bridge in Bern
Observation: The Untertorbrücke was built from 1461 to 1489.
Thought: I now know the final answer
Final Answer: The Untertorbrücke has stood since 1489."""


def read_input(text: str, _repairs: list[Repair]) -> str:
    """Return an input without surrounding spaces, and without double quotes around all of it.

    If it contains other quotes, the outer ones are not a pair: ``"a" or "b"`` is unchanged.
    """
    text = text.strip(" ")
    if '"' in text and text[0] == '"' == text[-1] and text.count('"') == 2:
        return text[1:-1]
    return text


STRICT: Final = Table(
    read_input=read_input,
    # LangChain searches for its labels anywhere in the text, even in the middle of a line. It does
    # not know "Thought:", which is a marker here only to keep the label out of the thought.
    markers={
        "thought": Label("Thought"),
        "action": Label("Action", anywhere=True),
        "input": Label("Action Input", anywhere=True),
        "answer": Literal("Final Answer:"),
    },
    parts={
        "thought": Part.THOUGHT,
        "tool": Part.TOOL,
        "input": Part.INPUT,
        "answer": Part.ANSWER,
        # The same, after an "Action Input:" without an action; it changes only the error.
        "thought, stray input": Part.THOUGHT,
        "tool, stray input": Part.TOOL,
        # An "Action:" after the answer is part of it, unless an "Action Input:" follows.
        "answer, action": Part.ANSWER,
        "answer and action": Part.ANSWER,
        "action and answer": Part.INPUT,
    },
    transitions={
        ("thought", "thought"): Go("thought"),
        ("thought", "action"): Go("tool"),
        ("thought", "input"): Note("thought, stray input"),
        ("thought", "answer"): Go("answer"),
        ("thought, stray input", "thought"): Go("thought, stray input"),
        ("thought, stray input", "action"): Go("tool, stray input"),
        ("thought, stray input", "answer"): Go("answer"),
        ("tool", "input"): Go("input"),
        ("tool", "answer"): Go("answer, action"),
        ("tool, stray input", "input"): Go("input"),
        ("tool, stray input", "answer"): Go("answer, action"),
        ("input", "answer"): Note("action and answer"),
        # The last answer counts.
        ("answer", "answer"): Go("answer"),
        ("answer", "action"): Note("answer, action"),
        ("answer, action", "answer"): Go("answer, action"),
        ("answer, action", "input"): Note("answer and action"),
    },
    ends={
        "tool": "no_input",
        "tool, stray input": "stray_input",
        "answer and action": "both",
        "action and answer": "both",
    },
    keeps_input_end=True,
    one_line_tools=False,
)

STEPS: Final = Steps(
    parts={
        "thought": Part.THOUGHT,
        "tool": Part.TOOL,
        "input": Part.INPUT,
        "answer": Part.ANSWER,
        "observation": Part.OBSERVATION,
        "question": Part.QUESTION,
    },
    markers={
        "question": Label("Question"),
        "thought": Label("Thought"),
        "action": Label("Action"),
        "input": Label("Action Input", listed=True),
        "observation": Label("Observation"),
        "answer": Label("Final Answer"),
    },
    begins={"action": "tool"},
)


def other_inputs(steps: Steps) -> Steps:
    """Read the input label of another format; after an action it is unambiguous."""
    words = ("Parameters", "Params", "Arguments", "Tool Input", "Input")
    names = {"Input": "bare input"}
    markers = {names.get(each, each.lower()): Label(each, borrowed=True) for each in words}
    return steps.adding({("tool", name): Go("input") for name in markers}, markers=markers)


LENIENT: Final = STEPS.having(
    input_before_action, action_in_answer, second_turn_in_answer, turn_on_one_line, other_inputs
).table(read_tool=repair_tool_name, read_input=repair_input, read_answer=repair_answer)

# LangChain's messages, which executors compare and show.
MISSING_ACTION_AFTER_THOUGHT_ERROR_MESSAGE: Final = (
    "Invalid Format: Missing 'Action:' after 'Thought:'"
)
MISSING_ACTION_INPUT_AFTER_ACTION_ERROR_MESSAGE: Final = (
    "Invalid Format: Missing 'Action Input:' after 'Action:'"
)
FINAL_ANSWER_AND_PARSABLE_ACTION_ERROR_MESSAGE: Final = (
    "Parsing LLM output produced both a final answer and a parse-able action:"
)
_FORMAT: Final = "Could not parse LLM output: `{text}`"
PROBLEMS: Final = {
    "nothing": Problem(
        "expected an Action or a Final Answer",
        "Invalid Format: Write an Action with its Action Input, or a Final Answer. Each label"
        " begins a line.",
        exact=_FORMAT,
        exact_observation=MISSING_ACTION_AFTER_THOUGHT_ERROR_MESSAGE,
    ),
    "early": Problem(
        "found an Observation before any Action; it is not the model's to write",
        "Invalid Format: Do not write an Observation. Write an Action with its Action Input, or a"
        " Final Answer.",
    ),
    "no_input": Problem(
        "expected an Action Input after the Action",
        MISSING_ACTION_INPUT_AFTER_ACTION_ERROR_MESSAGE,
        exact=_FORMAT,
    ),
    "stray_input": Problem(
        "expected the Action Input after the Action, not before it",
        "Invalid Format: Write the Action first, then its Action Input.",
        exact=_FORMAT,
        send_to_llm=False,
    ),
    "both": Problem(
        "found an Action and a Final Answer; a turn has one of them",
        "Write either an Action with its Action Input or a Final Answer, not both.",
        exact=FINAL_ANSWER_AND_PARSABLE_ACTION_ERROR_MESSAGE + ": {text}",
        send_to_llm=False,
    ),
    "no_tool": Problem(
        "expected the name of a tool after the label Action",
        "Invalid Format: Missing the name of the tool after 'Action:'",
    ),
    "long_tool": Problem(
        "expected the name of a tool on one line after the label Action",
        "Invalid Format: Write the name of one tool after 'Action:', and 'Action Input:' on the"
        " next line.",
    ),
}


def write(step: Written) -> str:
    """Return one step as text."""
    thought = f"Thought: {step.thought}\n" if step.thought else ""
    if not step.tool:
        return f"{thought}Final Answer: {step.answer}"
    return f"{thought}Action: {step.tool}\nAction Input: {step.tool_input}"


def generation_prompt(_number: int) -> str:
    """Return the label of the next thought."""
    return "Thought: "


def render_observation(observation: str, number: int) -> str:
    """Return an observation as text, with the label of the next thought."""
    return f"\nObservation: {observation}\n{generation_prompt(number + 1)}"


PROMPT: Final = """\
Answer the question as well as you can. You can use these tools:

{tools}

Write in this form. Each label begins a line:

{form}

Use one tool in a turn, and stop after the Action Input: the Observation is given to you.
For example, this turn uses a tool:

{action}"""

WORDS: Final = PromptWords(
    tool_input="the input of the tool; a JSON object if it takes several parameters"
)

DIALECT: Final = Dialect(
    name="react",
    aliases=("react_single_input", "zero_shot_react"),
    summary="ReAct text: Thought, Action and Action Input, or Final Answer (LangChain)",
    sample=SAMPLE,
    strict=STRICT,
    lenient=LENIENT,
    problems=PROBLEMS,
    stop=("\nObservation:",),
    write=write,
    render_observation=render_observation,
    generation_prompt=generation_prompt,
    prompt=PROMPT,
    prompt_words=WORDS,
)
