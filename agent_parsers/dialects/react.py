"""ReAct text with a tool and one input on lines of their own, as LangChain prompts for it.

Source: LangChain's zero-shot ReAct agent, after Yao et al. 2022 (arXiv 2210.03629).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agent_parsers.engine.markers.kinds import Label, Literal
from agent_parsers.engine.repairs.inputs import repair_answer, repair_input
from agent_parsers.engine.repairs.names import repair_tool_name
from agent_parsers.engine.tables.dialect import Dialect, PromptWords
from agent_parsers.engine.tables.problems import Problem
from agent_parsers.engine.tables.table import Go, Note, Part, Table
from agent_parsers.families.steps import (
    INPUT_FIRST,
    Steps,
    StepWriter,
    action_in_answer,
    labels_in_lines,
    second_turn_in_answer,
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


_THOUGHT: Final = Label("Thought")
_ACTION: Final = Label("Action")
_INPUT: Final = Label("Action Input", listed=True)
_ANSWER: Final = Label("Final Answer")
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
        "thought": _THOUGHT,
        "action": _ACTION,
        "input": _INPUT,
        "observation": Label("Observation"),
        "answer": _ANSWER,
    },
    begins={"action": "tool"},
)
WRITER: Final = StepWriter(STEPS.markers)


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
        "thought": _THOUGHT,
        "action": Label(_ACTION.words, anywhere=True),
        "input": Label(_INPUT.words, anywhere=True),
        "answer": Literal(_ANSWER.canonical),
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
        "answer and action": "action_and_answer",
        "action and answer": "action_and_answer",
    },
    keeps_input_end=True,
    one_line_tools=False,
)

# After an action, the input label of another format is unambiguous.
_OTHER_INPUTS: Final = {
    "parameters": Label("Parameters", borrowed=True),
    "params": Label("Params", borrowed=True),
    "arguments": Label("Arguments", borrowed=True),
    "tool input": Label("Tool Input", borrowed=True),
    "bare input": Label("Input", borrowed=True),
}
LENIENT: Final = (
    STEPS
    | INPUT_FIRST
    | action_in_answer("input")
    | second_turn_in_answer(_ACTION.words, _INPUT.words)
    | labels_in_lines(_ACTION.words, _INPUT.words, _ANSWER.words)
    | Steps(markers=_OTHER_INPUTS, rows={("tool", name): Go("input") for name in _OTHER_INPUTS})
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
    "no_action_or_answer": Problem(
        "expected an Action or a Final Answer",
        "Invalid Format: Write an Action with its Action Input, or a Final Answer. Begin each "
        "label on a new line.",
        exact=_FORMAT,
        exact_observation=MISSING_ACTION_AFTER_THOUGHT_ERROR_MESSAGE,
    ),
    "invented_first": Problem(
        "found an Observation before any Action; the model must not write it",
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
    "action_and_answer": Problem(
        "found both an Action and a Final Answer; a turn may have only one of them",
        "Write either an Action with its Action Input or a Final Answer, not both.",
        exact=FINAL_ANSWER_AND_PARSABLE_ACTION_ERROR_MESSAGE + ": {text}",
        send_to_llm=False,
    ),
    "no_tool_name": Problem(
        "expected the name of a tool after the label Action",
        "Invalid Format: Missing the name of the tool after 'Action:'",
    ),
    "long_tool_name": Problem(
        "expected the name of a tool on one line after the label Action",
        "Invalid Format: Write the name of one tool after 'Action:', and 'Action Input:' on the"
        " next line.",
    ),
}


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
    stop=WRITER.stop,
    form=WRITER.form,
    render_observation=WRITER.render_observation,
    generation_prompt=WRITER.generation_prompt,
    prompt=PROMPT,
    prompt_words=WORDS,
)
