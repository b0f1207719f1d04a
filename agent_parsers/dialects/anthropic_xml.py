"""Calls as Claude wrote them before it had tool calls of its own: an element for each parameter.

Two forms are read, and mixtures of them: the name and keys as attributes, which is written here,
and ``<tool_name>`` with ``<parameters>`` whose elements are the keys. Values are texts. The outer
element may be missing, and so may closing tags at the end. The answer stands in ``<final_answer>``,
as in `xml`.

Source: Anthropic's guides to legacy tool use.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from agent_parsers.dialects import xml
from agent_parsers.engine import (
    Cut,
    Go,
    Label,
    Literal,
    Note,
    ParameterCall,
    Problem,
    Role,
    Table,
    Written,
    list_schemas,
    mend_tool,
)
from agent_parsers.engine._reasoning import other_reasoning

__all__ = ["DIALECT"]

SAMPLE: Final = """\
Question: How old is the oldest bridge of Bern?
<thinking>I need to know which bridge that is.</thinking>
<function_calls>
<invoke name="search">
<parameter name="query">oldest bridge in Bern</parameter>
</invoke>
</function_calls>
<function_results>
The Untertorbrücke was built from 1461 to 1489.
</function_results>
<thinking>I now know the answer.</thinking>
<final_answer>The Untertorbrücke has stood since 1489.</final_answer>"""

STRICT: Final = Table(
    new_call=ParameterCall,
    markers={
        "thinking": Literal("<thinking>"),
        "end of thinking": Literal("</thinking>"),
        "calls": Literal("<function_calls>"),
        "answer": Literal("<final_answer>"),
        "end of answer": Literal("</final_answer>"),
    },
    roles={
        "thought": Role.THOUGHT,
        "call": Role.CALL,
        "answer": Role.ANSWER,
        "after": Role.SKIPPED,
    },
    moves={
        ("thought", "thinking"): Go("thought"),
        ("thought", "end of thinking"): Go("thought", closes=True),
        ("thought", "calls"): Go("call"),
        ("thought", "answer"): Go("answer"),
        ("answer", "end of answer"): Go("after", closes=True),
    },
    ends={"answer": "open_answer"},
)

LENIENT: Final = Table(
    new_call=ParameterCall,
    read_tool=mend_tool,
    markers={
        **STRICT.markers,
        "question": Label("Question", loose=True),
        "invoke": Literal("<invoke>", ("<invoke ",)),
        "end of calls": Literal("</function_calls>"),
        "results": Literal("<function_results>"),
        "end of results": Literal("</function_results>"),
    },
    roles={
        **STRICT.roles,
        "thinking": Role.THOUGHT,
        "over": Role.CALL,
        "results": Role.OBSERVATION,
        "question": Role.QUESTION,
    },
    moves={
        **STRICT.moves,
        # What the model only thinks of doing is not done.
        ("thought", "thinking"): Go("thinking"),
        ("thinking", "end of thinking"): Go("thought", closes=True),
        ("thinking", "results"): Go("results", clash="early"),
        ("thought", "invoke"): Go("call"),
        ("thought", "results"): Go("results", clash="early"),
        # No tag counts within a parameter that is closed later, so the calls must end first.
        ("call", "end of calls"): Note("over"),
        ("over", "thinking"): Cut("thought"),
        ("over", "results"): Cut("results"),
        ("over", "calls"): Cut("call"),
        ("over", "answer"): Go("answer", clash="both"),
        ("over", "question"): Cut("question", firm=True),
        ("answer", "question"): Cut("question", firm=True),
        ("after", "calls"): Go("call", clash="both"),
        ("after", "question"): Cut("question", firm=True),
        ("results", "end of results"): Go("thought", closes=True),
        ("question", "question"): Go("question"),
        ("question", "thinking"): Go("thinking"),
        ("question", "calls"): Go("call"),
        ("question", "invoke"): Go("call"),
        ("question", "answer"): Go("answer"),
    },
    ends={"thinking": "open_reasoning"},
    transcript_start="question",
    mends=True,
)

_FORM: Final = (
    'Invalid Format: Write <function_calls><invoke name="tool"><parameter name="key">value'
    "</parameter></invoke></function_calls>"
)
PROBLEMS: Final = {
    "nothing": Problem(
        "expected <function_calls> or a <final_answer>",
        f"{_FORM}, or <final_answer>answer</final_answer>.",
    ),
    "no_call": Problem("expected <invoke> in <function_calls>", f"{_FORM}."),
    "no_tool": Problem("expected the name of a tool in <invoke>", f"{_FORM}."),
    "long_tool": Problem("expected the name of a tool on one line in <invoke>", f"{_FORM}."),
    "after_call": Problem(
        "found text after <function_calls>",
        "Invalid Format: Write nothing after </function_calls>.",
    ),
    "open_call": Problem(
        "expected the end of the parameter",
        "The parameter is not closed, so nothing was done. Write the call again, whole.",
    ),
    "open_answer": Problem(
        "expected </final_answer> at the end of the answer",
        "Invalid Format: Write <final_answer>answer</final_answer>.",
    ),
    "both": Problem(
        "found <function_calls> and a <final_answer>; a turn has one of them",
        "Write either <function_calls> or a <final_answer>, not both.",
    ),
    "early": Problem(
        "found <function_results> before any call; they are not the model's to write",
        "Invalid Format: Do not write <function_results>.",
    ),
}


def write(step: Written) -> str:
    """Write one step."""
    if not step.tool:
        return xml.DIALECT.write(step)
    thought = f"<thinking>{step.thought}</thinking>\n" if step.thought else ""
    inputs: dict[Any, Any] = step.tool_input if isinstance(step.tool_input, dict) else {}
    parameters = "".join(
        f'<parameter name="{key}">{value}</parameter>\n' for key, value in inputs.items()
    )
    calls = f'<function_calls>\n<invoke name="{step.tool}">\n{parameters}</invoke>\n'
    return f"{thought}{calls}</function_calls>"


def write_observation(observation: str, _number: int) -> str:
    """Write what a tool returned."""
    return f"\n<function_results>\n{observation}\n</function_results>\n"


PROMPT: Final = """\
Answer the question as well as you can. You can use these tools:

{tools}

To use a tool, write <function_calls> with its name and its parameters, then stop.
The name is one of [{tool_names}]. What the tool returned is given to you in <function_results>.
When you know the answer, write it in <final_answer>.

Write in this form:

{form}

Use one tool in a turn.
For example, this turn uses a tool:

{action}"""

WORDS: Final = replace(xml.WORDS, tool_input={"name of a parameter": "its value"})

DIALECT: Final = replace(
    xml.DIALECT,
    name="anthropic_xml",
    aliases=("claude_xml",),
    summary="XML elements for a call and its parameters (Claude's legacy form)",
    sample=SAMPLE,
    strict=STRICT,
    lenient=LENIENT,
    problems=PROBLEMS,
    stop=("</function_calls>",),
    reasoning=other_reasoning("<thinking>"),  # which holds its thoughts
    closer="</function_calls>",
    write=write,
    write_observation=write_observation,
    prompt=PROMPT,
    words=WORDS,
    list_tools=list_schemas,
    example=Written(tool="search", tool_input={"query": "what to look for"}),
)
