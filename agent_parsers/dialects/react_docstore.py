"""ReAct text as in the paper: numbered steps, the tool's input in brackets.

A call of ``Finish``, in upper or lower case, is the answer. Models may leave out the numbers.

Source: Yao et al. 2022 (arXiv 2210.03629), appendix C.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from agent_parsers.engine.calls.brackets import BracketCall
from agent_parsers.engine.markers.kinds import Label
from agent_parsers.engine.repairs.names import repair_tool_name
from agent_parsers.engine.tables.dialect import Dialect, PromptWords
from agent_parsers.engine.tables.problems import Problem
from agent_parsers.engine.tables.table import Go, Part, Table
from agent_parsers.families.steps import Steps
from agent_parsers.forms.form import NUMBER, CallForm, Form

SAMPLE: Final = """\
Question: Which lake is larger, Brienz or Thun?
Thought 1: I need the areas of both lakes.
Action 1: Search[Lake Brienz]
Observation 1: Lake Brienz has an area of 29.8 km².
Thought 2: I need the area of Lake Thun.
Action 2: Search[Lake Thun]
Observation 2: Lake Thun has an area of 48.3 km².
Thought 3: 48.3 is more than 29.8.
Action 3: Finish[Lake Thun]"""


ANSWERS: Final = frozenset({"finish"})

_THOUGHT, _ACTION, _OBSERVATION = "Thought", "Action", "Observation"
STEPS: Final = Steps(
    parts={
        "thought": Part.THOUGHT,
        "call": Part.CALL,
        "observation": Part.OBSERVATION,
        "question": Part.QUESTION,
    },
    markers={
        "question": Label("Question"),
        "thought": Label(_THOUGHT),
        "action": Label(_ACTION),
        "observation": Label(_OBSERVATION),
    },
    begins={"action": "call"},
)
STRICT: Final = Table(
    new_call=partial(BracketCall, answers=ANSWERS),
    markers={name: STEPS.markers[name] for name in ("thought", "action")},
    parts={"thought": Part.THOUGHT, "call": Part.CALL},
    transitions={
        ("thought", "thought"): Go("thought"),
        ("thought", "action"): Go("call"),
        ("call", "thought"): Go("thought", clash="several"),
        ("call", "action"): Go("call", clash="several"),
    },
)
LENIENT: Final = STEPS.table(
    new_call=partial(BracketCall, answers=ANSWERS, lenient=True), read_tool=repair_tool_name
)


def _langchains_words(text: str) -> str:
    """Return LangChain's message, which is about the last line of *text* if that is an action."""
    label, found, directive = text.strip().rpartition("\n")[2].partition("Action: ")
    if found and not label:
        return f"Could not parse action directive: {directive}"
    return f"Could not parse LLM Output: {text}"


PROBLEMS: Final = {
    "no_action_or_answer": Problem(
        "expected an Action with a call, such as Search[entity] or Finish[answer]",
        "Invalid Format: Missing 'Action:'. Write a line such as Action: Search[entity], or"
        " Action: Finish[answer].",
        exact=_langchains_words,
    ),
    "invented_first": Problem(
        "found an Observation before any Action; the model must not write it",
        "Invalid Format: Do not write an Observation. Write a line such as Action: Search[entity].",
    ),
    "no_call": Problem(
        "expected a call such as Search[entity] after the label Action",
        "Invalid Format: Write the input of the tool in brackets, such as Search[entity].",
        exact=_langchains_words,
    ),
    "open_call": Problem(
        "expected a closing bracket at the end of the tool's input",
        "Invalid Format: The input of the tool has no closing bracket. Write the whole call "
        "again, such as Search[entity].",
        exact=_langchains_words,
    ),
    "after_call": Problem(
        "found text after the closing bracket of the tool's input",
        "Invalid Format: Write nothing after the closing bracket of the tool's input.",
    ),
    "several": Problem(
        "found more text after the Action; a turn ends with its first Action",
        "Write one Action, then stop: the Observation is given to you.",
    ),
    "no_tool_name": Problem(
        "expected the name of a tool before the bracket",
        "Invalid Format: Missing the name of the tool before '['. Write a line such as"
        " Action: Search[entity].",
    ),
}


FORM: Final = Form(
    call=CallForm(text="{tool}[{input}]", write_input=str),
    calls=(f"{_ACTION} {NUMBER}: ", "", ""),
    is_single=True,
    thought=(f"{_THOUGHT} {NUMBER}: ", "\n"),
    content=None,
    answer="Finish",
)


def generation_prompt(number: int) -> str:
    """Return the label of the next thought."""
    return f"{_THOUGHT} {number}:"


def render_observation(observation: str, number: int) -> str:
    """Return an observation as text, with the label of the next thought."""
    return f"\n{_OBSERVATION} {number}: {observation}\n{generation_prompt(number + 1)}"


PROMPT: Final = """\
Answer the question in numbered steps of Thought, Action and Observation. You can use these tools:

{tools}

A Thought says what you know and what you need to find out. An Action is one line: the name of a
tool, with its input in brackets. Then stop: the Observation is given to you.
The name is one of [{tool_names}]. An input of several parameters is a JSON object.
When you know the answer, the Action is Finish, with the answer in brackets.

Write in this form. Each label begins a line:

{form}

For example, this turn uses a tool:

{action}"""

WORDS: Final = PromptWords(
    tool="tool", tool_input="input", last_thought="I now know the answer.", answer="answer"
)

DIALECT: Final = Dialect(
    name="react_docstore",
    aliases=("react_paper", "react_bracket"),
    summary="ReAct text of the paper: numbered steps, Search[entity], Finish[answer]",
    sample=SAMPLE,
    strict=STRICT,
    lenient=LENIENT,
    problems=PROBLEMS,
    stop=(f"\n{_OBSERVATION}",),
    form=FORM,
    render_observation=render_observation,
    generation_prompt=generation_prompt,
    prompt=PROMPT,
    prompt_words=WORDS,
)
