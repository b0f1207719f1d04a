"""ReAct text with a tool and one input on lines of their own, as LangChain prompts for it.

Source: LangChain's zero-shot ReAct agent, after Yao et al. 2022 (arXiv 2210.03629).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agent_parsers.engine.grammar.dialect import Dialect, Written
from agent_parsers.engine.grammar.problems import Problem
from agent_parsers.engine.grammar.table import EndTurn, Go, Note, Part, Table
from agent_parsers.engine.grammar.words import PromptWords
from agent_parsers.engine.markers.kinds import Inline, Label, Literal
from agent_parsers.engine.repairs.inputs import repair_answer, repair_input
from agent_parsers.engine.repairs.names import repair_tool_name

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

LENIENT: Final = Table(
    read_tool=repair_tool_name,
    read_input=repair_input,
    read_answer=repair_answer,
    markers={
        "question": Label("Question", loose=True),
        "thought": Label("Thought", loose=True),
        "action": Label("Action", loose=True),
        "input": Label("Action Input", loose=True, listed=True),
        "inline input": Label("Action Input", anywhere=True),
        "spaced input": Inline("Action Input"),
        # After an action, the input label of another format is unambiguous.
        "parameters": Label("Parameters", loose=True, borrowed=True),
        "params": Label("Params", loose=True, borrowed=True),
        "arguments": Label("Arguments", loose=True, borrowed=True),
        "tool input": Label("Tool Input", loose=True, borrowed=True),
        "bare input": Label("Input", loose=True, borrowed=True),
        "observation": Label("Observation", loose=True),
        "answer": Label("Final Answer", loose=True),
        # On one line, if an input follows; also an answer, unless an action follows it.
        "second action": Label("Action", loose=True, then="Action Input"),
        "inline action": Inline("Action", then="Action Input", begins=True),
        "inline answer": Inline("Final Answer", begins=True),
    },
    parts={
        "thought": Part.THOUGHT,
        "tool": Part.TOOL,
        "input": Part.INPUT,
        "answer": Part.ANSWER,
        "answer, inline": Part.ANSWER,
        "answer, action": Part.ANSWER,
        "answer and action": Part.ANSWER,
        "observation": Part.OBSERVATION,
        "question": Part.QUESTION,
        "thought, stray input": Part.THOUGHT,
        "tool, stray input": Part.TOOL,
    },
    transitions={
        # Prompts end in "Thought:" and some models repeat it, so a second one is common.
        ("thought", "thought"): Go("thought"),
        ("thought", "action"): Go("tool"),
        ("thought", "input"): Note("thought, stray input"),
        ("thought", "answer"): Go("answer"),
        ("thought", "inline action"): Go("tool"),
        ("thought", "inline answer"): Go("answer, inline"),
        ("thought", "observation"): Go("observation", clash="early"),
        ("thought, stray input", "thought"): Go("thought, stray input"),
        ("thought, stray input", "action"): Go("tool, stray input"),
        ("thought, stray input", "answer"): Go("answer"),
        ("thought, stray input", "observation"): Go("observation", clash="early"),
        ("tool, stray input", "input"): Go("input"),
        ("tool, stray input", "inline input"): Go("input"),
        ("tool, stray input", "spaced input"): Go("input"),
        ("tool, stray input", "answer"): Go("answer", clash="both"),
        ("tool, stray input", "thought"): Go("thought", clash="stray_input"),
        ("tool, stray input", "action"): Go("tool", clash="stray_input"),
        ("tool, stray input", "observation"): Go("observation", clash="stray_input"),
        ("tool", "input"): Go("input"),
        ("tool", "inline input"): Go("input"),
        ("tool", "spaced input"): Go("input"),
        ("tool", "parameters"): Go("input"),
        ("tool", "params"): Go("input"),
        ("tool", "arguments"): Go("input"),
        ("tool", "tool input"): Go("input"),
        ("tool", "bare input"): Go("input"),
        ("tool", "answer"): Go("answer", clash="both"),
        # A tool may need no input, but a turn that continues without an input has lost it.
        ("tool", "thought"): Go("thought", clash="no_input"),
        ("tool", "action"): Go("tool", clash="no_input"),
        ("tool", "observation"): EndTurn("observation"),
        # Code has lines such as "# Action: …" and YAML such as "action: …": only firm labels count,
        # and an observation label in the same style as the label before the input.
        ("input", "answer"): Go("answer", clash="both", firm=True),
        ("input", "thought"): EndTurn("thought", firm=True),
        ("input", "action"): EndTurn("tool", firm=True),
        ("input", "observation"): EndTurn("observation", firm=True),
        ("answer", "answer"): Go("answer", firm=True),
        ("answer", "question"): EndTurn("question", firm=True),
        ("answer", "observation"): EndTurn("observation", firm=True),
        # Minutes of a meeting may have a line "Action:"; an "Action Input:" makes it a second turn,
        # which begins at its Action if that is the line before.
        ("answer", "second action"): Go("tool", clash="both", firm=True, in_turn=True),
        ("answer", "action"): Note("answer, action", firm=True),
        ("answer, action", "second action"): Go("tool", clash="both", firm=True, in_turn=True),
        ("answer, action", "answer"): Go("answer", firm=True),
        ("answer, action", "question"): EndTurn("question", firm=True),
        ("answer, action", "observation"): EndTurn("observation", firm=True),
        ("answer, action", "input"): Note("answer and action", firm=True),
        ("answer and action", "question"): Go("question", clash="both", firm=True),
        # A thought may mention the answer to come.
        ("answer, inline", "answer"): Go("answer", restarts=True),
        ("answer, inline", "thought"): Go("thought", restarts=True),
        ("answer, inline", "action"): Go("tool", restarts=True),
        ("answer, inline", "inline action"): Go("tool", restarts=True),
        ("answer, inline", "question"): EndTurn("question", firm=True),
        ("answer, inline", "observation"): EndTurn("observation", firm=True),
        ("observation", "thought"): Go("thought"),
        ("observation", "action"): Go("tool"),
        ("observation", "answer"): Go("answer"),
        ("observation", "question"): Go("question", firm=True),
        ("question", "question"): Go("question"),
        ("question", "thought"): Go("thought"),
        ("question", "action"): Go("tool"),
        ("question", "answer"): Go("answer"),
    },
    ends={"tool, stray input": "stray_input", "answer and action": "both"},
    transcript_start="question",
    lenient=True,
)

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
