"""Code as the action, as smolagents' CodeAgent writes it: a thought, then a block of Python.

The code is the input of the tool ``python_interpreter``. A block that contains only
``final_answer(…)`` with a literal is the answer; a computed answer requires running the code. The
stop sequence removes ``</code>``, so a block without its end is the usual case. Older versions
prompt for a fence instead, which the stop sequence does not remove: an open fence was cut.

Source: smolagents' prompts and ``parse_code_blobs``.
"""

from __future__ import annotations

import ast
from functools import partial
from typing import Any, Final

from agent_parsers.engine.calls.code.block import CLOSER, OPENER, CodeBlock
from agent_parsers.engine.markers.kinds import Label, Literal
from agent_parsers.engine.tables.dialect import Dialect, PromptWords
from agent_parsers.engine.tables.problems import Problem
from agent_parsers.engine.tables.table import Go, Part, Table
from agent_parsers.engine.writing.prompt import list_functions
from agent_parsers.families.steps import Steps, StepWriter
from agent_parsers.forms.form import Written

__all__ = ["DIALECT", "TOOL"]

SAMPLE: Final = """\
Task: How old is the oldest bridge of Bern?
Thought: I need to know which bridge that is.
<code>
print(search("oldest bridge in Bern"))
</code>
Observation: The Untertorbrücke was built from 1461 to 1489.
Thought: I now know the answer.
<code>
final_answer('The Untertorbrücke has stood since 1489.')
</code>"""

TOOL: Final = "python_interpreter"
"""The only tool; other tools are functions that the code calls."""
_MOST_ANSWER: Final = 10_000
"""Longest code that is searched for an answer, in characters."""


def read_answer(code: str) -> tuple[Any] | None:
    """Return the answer if *code* is only an answer, else `None`. Nothing is evaluated."""
    if not code.startswith("final_answer") or len(code) > _MOST_ANSWER:
        return None
    try:
        call = ast.parse(code, mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            return None
        values = [*call.args, *(keyword.value for keyword in call.keywords)]
        if call.func.id != "final_answer" or len(values) != 1:
            return None
        return (ast.literal_eval(values[0]),)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return None


STEPS: Final = Steps(
    parts={
        "thought": Part.THOUGHT,
        "call": Part.CALL,
        "observation": Part.OBSERVATION,
        "task": Part.QUESTION,
    },
    markers={
        "task": Label("Task"),
        "thought": Label("Thought"),
        "label": Label("Code"),
        "code": Literal(OPENER.removesuffix(">")),
        "fence": Literal("```py"),
        "observation": Label("Observation"),
    },
    begins={"code": "call", "fence": "call"},
    rows={
        # Older prompts have this label before the fence.
        ("thought", "label"): Go("thought"),
        # Code may have such marks in its strings.
        ("call", "code"): None,
        ("call", "fence"): None,
    },
)
WRITER: Final = StepWriter(STEPS.markers)
STRICT: Final = Table(
    new_call=partial(CodeBlock, TOOL, read_answer),
    markers={name: STEPS.markers[name] for name in ("thought", "code")},
    parts={"thought": Part.THOUGHT, "call": Part.CALL},
    transitions={("thought", "thought"): Go("thought"), ("thought", "code"): Go("call")},
)
LENIENT: Final = STEPS.table(new_call=partial(CodeBlock, TOOL, read_answer, lenient=True))

PROBLEMS: Final = {
    "no_action_or_answer": Problem(
        "expected a block of code",
        "Invalid Format: Write a Thought, then one block of code from <code> to </code>.",
    ),
    "invented_first": Problem(
        "found an Observation before any code; the model must not write it",
        "Invalid Format: Do not write an Observation. Write code from <code> to </code>.",
    ),
    "no_call": Problem(
        "expected code in the block, found none",
        "Invalid Format: Write one block of code from <code> to </code>.",
    ),
    "open_call": Problem(
        "expected the end of the block of code",
        "Your block of code is not closed, so nothing was run. Write the whole block again.",
    ),
    "after_call": Problem(
        "found text after the block of code",
        "Invalid Format: Write nothing after </code>.",
    ),
}


def write(step: Written) -> str:
    """Return one step as text."""
    code = step.tool_input if step.tool else f"final_answer({step.answer!r})"
    return f"{WRITER.thought(step)}{OPENER}\n{code}\n{CLOSER}"


PROMPT: Final = """\
Solve the task in steps of Thought, code and Observation.
The code is Python and can call these functions, [{tool_names}]:

{tools}

Write one block of code in a turn, from <code> to </code>, and print what you need to see.
Then stop: what was printed is given to you as the Observation.
When you know the answer, call final_answer with it.

Write in this form. Each label begins a line:

{form}

For example, this turn uses a tool:

{action}"""

WORDS: Final = PromptWords(
    tool=TOOL,
    tool_input="# Python that prints what you need to see",
    observation="what was printed",
    last_thought="I now know the answer.",
    answer="the answer to the task",
)


def show(name: str, arguments: dict[str, Any] | None) -> Written | None:
    """Return code that prints the result of *name*; `None` if Python cannot express the call."""
    if not all(word.isidentifier() for word in (name, *(arguments or ()))):
        return None
    given = [repr("what to look for")]
    if arguments is not None:
        given = [f"{key}={value!r}" for key, value in arguments.items()]
    return Written(tool=TOOL, tool_input=f"print({name}({', '.join(given)}))")


DIALECT: Final = Dialect(
    name="smolagents_code",
    aliases=("code_agent",),
    summary="a thought and a block of Python code (smolagents)",
    sample=SAMPLE,
    strict=STRICT,
    lenient=LENIENT,
    problems=PROBLEMS,
    stop=(CLOSER, *WRITER.stop),
    closer=CLOSER,
    write=write,
    render_observation=WRITER.render_observation,
    generation_prompt=WRITER.generation_prompt,
    prompt=PROMPT,
    prompt_words=WORDS,
    list_tools=list_functions,
    show=show,
    example=Written(tool=TOOL, tool_input='print(search("what to look for"))'),
)
