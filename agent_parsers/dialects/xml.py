"""XML tags for the tool, its input and the final answer, as LangChain's XML agent prompts for them.

The stop sequence ``</tool_input>`` removes the last tag of an action, so an input without its end
is the usual case. Tags inside an input or an answer are data.

Source: `langchain_classic.agents.output_parsers.xml` and `format_scratchpad.xml`.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, Final
from typing import Literal as Choice

from agent_parsers.engine.calls.tags.pair import TagCall
from agent_parsers.engine.grammar.dialect import Dialect, Written
from agent_parsers.engine.grammar.problems import Problem
from agent_parsers.engine.grammar.reasoning import other_reasoning
from agent_parsers.engine.grammar.table import EndTurn, Go, Note, Part, Table
from agent_parsers.engine.grammar.words import PromptWords
from agent_parsers.engine.markers.kinds import Label, Literal
from agent_parsers.engine.repairs.inputs import repair_written_input
from agent_parsers.engine.repairs.names import repair_tool_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from agent_parsers.events import Repair
from agent_parsers.families.steps import Steps, element

__all__ = ["DIALECT", "EscapeFormat", "make_dialect"]

SAMPLE: Final = """\
Question: How old is the oldest bridge of Bern?
<thinking>I need to know which bridge that is.</thinking>
<tool>search</tool><tool_input>oldest bridge in Bern</tool_input>\
<observation>The Untertorbrücke was built from 1461 to 1489.</observation>
<thinking>I now know the answer.</thinking>
<final_answer>The Untertorbrücke has stood since 1489.</final_answer>"""

EscapeFormat = Choice["minimal"] | None
"""How tags inside a value are written: as ``[[tool]]``, or unchanged."""

_ESCAPED: Final = {
    f"<{tag}>": f"[[{tag}]]"
    for name in ("tool", "tool_input", "observation")
    for tag in (name, f"/{name}")
}
"""The tags that LangChain escapes, which do not include ``<final_answer>``."""


def escape(text: str) -> str:
    """Return *text* with its tags written in double brackets."""
    for tag, written in _ESCAPED.items():
        text = text.replace(tag, written)
    return text


def unescape(text: str) -> str:
    """Return *text* with tags in double brackets restored."""
    for tag, written in _ESCAPED.items():
        text = text.replace(written, tag)
    return text


STRICT: Final = Table(
    markers={
        # LangChain does not read this tag; here it is only kept out of the thought.
        "thinking": Literal("<thinking>"),
        "end of thinking": Literal("</thinking>"),
        "tool": Literal("<tool>"),
        "input": Literal("<tool_input>"),
        "answer": Literal("<final_answer>"),
        "end of answer": Literal("</final_answer>"),
    },
    parts={
        "thought": Part.THOUGHT,
        "call": Part.CALL,
        "answer": Part.ANSWER,
        "after": Part.SKIPPED,
        "after, answer": Part.SKIPPED,
        "thought, stray input": Part.THOUGHT,
    },
    transitions={
        ("thought", "thinking"): Go("thought"),
        ("thought", "end of thinking"): Go("thought", closes=True),
        ("thought", "tool"): Go("call"),
        ("thought", "input"): Note("thought, stray input"),
        ("thought", "answer"): Go("answer"),
        ("thought, stray input", "tool"): Go("call", clash="stray_input"),
        ("thought, stray input", "answer"): Go("answer"),
        ("answer", "end of answer"): Go("after", closes=True),
        # LangChain searches for a tool first, anywhere in the text.
        ("after", "tool"): Go("call"),
        # A second answer counts only if it is closed.
        ("after", "answer"): Note("after, answer"),
        ("after, answer", "end of answer"): Go("after", clash="several_answers"),
        ("after, answer", "tool"): Go("call"),
    },
    ends={"answer": "open_answer"},
    keeps_answer_space=True,
    one_line_tools=False,
)

STEPS: Final = Steps(
    parts={
        "thought": Part.THOUGHT,
        "thinking": Part.THOUGHT,
        "call": Part.CALL,
        "call, input": Part.CALL,
        "answer": Part.ANSWER,
        "after": Part.SKIPPED,
        "observation": Part.OBSERVATION,
        "question": Part.QUESTION,
        "thought, stray input": Part.THOUGHT,
    },
    markers={
        "question": Label("Question"),
        "thinking": Literal("<thinking>"),
        "tool": Literal("<tool>"),
        "input": Literal("<tool_input>"),
        "end of input": Literal("</tool_input>"),
        "observation": Literal("<observation>"),
        "answer": Literal("<final_answer>"),
    },
    begins={"tool": "call"},
    rows={
        ("thought", "end of thinking"): Go("thought", closes=True),
        ("thought", "input"): Note("thought, stray input"),
        ("thought, stray input", "tool"): Go("call", clash="stray_input"),
        ("thought, stray input", "answer"): Go("answer"),
        # No tag counts in an input that is closed later. An input that is never closed ends with
        # the text; if it contains a tag, it is an error, since its end is ambiguous. In a
        # transcript it ends at the observation, so that the rest of the run is not lost.
        ("call", "input"): Note("call, input", in_turn=True),
        ("call, input", "end of input"): Note("call", in_turn=True),
        ("call", "thinking"): EndTurn("thought"),  # a step begins in the first state
        ("after", "tool"): Go("call", clash="both"),
        ("after", "answer"): Go("answer", clash="several_answers"),
        ("after", "observation"): EndTurn("observation"),
        ("after", "question"): EndTurn("question", firm=True),
    },
    apart=["call, input", "thought, stray input"],
    ends={"thinking": "open_reasoning"},
)
LENIENT: Final = STEPS.having(
    element("thinking", then="thought", counts=["observation"]),  # calls in it are not made
    element("answer", then="after", counts=["question"]),
    element("observation", then="thought"),
).table(read_tool=repair_tool_name)

# LangChain's messages, which users compare.
_MALFORMED: Final = (
    "Malformed output: expected either a tool invocation or a final answer in XML format."
)


def _count(text: str, name: str) -> int:
    """Return the number of complete elements *name*, counted as in LangChain."""
    count = at = 0
    while (at := text.find(f"<{name}>", at)) >= 0 and (at := text.find(f"</{name}>", at)) >= 0:
        count += 1
    return count


def _several_tools(text: str) -> str:
    return (
        "Malformed tool invocation: expected exactly one <tool> block,"
        f" but found {_count(text, 'tool')}."
    )


def _several_inputs(text: str) -> str:
    return (
        "Malformed tool invocation: expected at most one <tool_input> block,"
        f" but found {_count(text, 'tool_input')}."
    )


_FORM: Final = "Invalid Format: Write <tool>name</tool><tool_input>input</tool_input>"
PROBLEMS: Final = {
    "nothing": Problem(
        "expected a <tool> with its <tool_input>, or a <final_answer>",
        f"{_FORM}, or <final_answer>answer</final_answer>.",
        exact=_MALFORMED,
        send_to_llm=False,
    ),
    "no_call": Problem(
        "expected </tool> after the name of the tool",
        f"{_FORM}.",
        exact=_MALFORMED,
        send_to_llm=False,
    ),
    "open_call": Problem(
        "expected </tool_input> before the next tag",
        "The <tool_input> is not closed, so nothing was done. Write it again, whole, and stop.",
    ),
    "open_answer": Problem(
        "expected </final_answer> at the end of the answer",
        "Invalid Format: Write <final_answer>answer</final_answer>.",
        exact=_MALFORMED,
        send_to_llm=False,
    ),
    "no_tool": Problem(
        "expected the name of a tool in <tool>",
        f"{_FORM}.",
    ),
    "long_tool": Problem(
        "expected the name of a tool on one line in <tool>",
        f"{_FORM}.",
    ),
    "stray_input": Problem(
        "expected the <tool_input> after the <tool>, not before it",
        f"{_FORM}.",
    ),
    "several_tools": Problem(
        "found a second <tool>; a turn has one",
        f"{_FORM} once, then stop: the observation is given to you.",
        exact=_several_tools,
        send_to_llm=False,
    ),
    "several_inputs": Problem(
        "found a second <tool_input>; a tool has one",
        f"{_FORM} once, then stop: the observation is given to you.",
        exact=_several_inputs,
        send_to_llm=False,
    ),
    "several_answers": Problem(
        "found a second <final_answer>; a turn has one",
        "Invalid Format: Write <final_answer>answer</final_answer> once.",
        exact="Malformed output: expected exactly one <final_answer>...</final_answer> block.",
        send_to_llm=False,
    ),
    "both": Problem(
        "found a <tool> and a <final_answer>; a turn has one of them",
        "Write either a <tool> with its <tool_input> or a <final_answer>, not both.",
    ),
    "early": Problem(
        "found an <observation> before any <tool>; it is not the model's to write",
        f"Invalid Format: Do not write an <observation>. {_FORM.removeprefix('Invalid Format: ')}.",
    ),
}

PROMPT: Final = """\
Answer the question as well as you can. You can use these tools:

{tools}

To use a tool, write its name in <tool> and its input in <tool_input>, then stop.
The name is one of [{tool_names}]. What the tool returned is given to you in <observation>.
When you know the answer, write it in <final_answer>.

Write in this form:

{form}

For example, this turn uses a tool:

{action}"""

WORDS: Final = PromptWords(
    tool="the name of the tool",
    tool_input="its input; a JSON object if it takes several parameters",
    last_thought="I now know the answer.",
    value="the {name}",  # a placeholder in angle brackets would look like a tag
)


def render_observation(observation: str, _number: int) -> str:
    """Return an observation as text; its end tag is already escaped, and no other tag counts."""
    return f"<observation>{observation}</observation>"


@cache
def make_dialect(escape_format: EscapeFormat) -> Dialect:
    """Return the dialect with this escaping of values."""
    is_escaped = escape_format is not None
    put: Callable[[str], str] = escape if is_escaped else str
    take: Callable[[str], str] = unescape if is_escaped else str

    def read_text(text: str, _repairs: list[Repair]) -> str:
        return take(text)

    def read_input(text: str, repairs: list[Repair]) -> str:
        return take(repair_written_input(text, repairs))

    def write(step: Written) -> str:
        thought = f"<thinking>{step.thought}</thinking>\n" if step.thought else ""
        if not step.tool:
            return f"{thought}<final_answer>{put(step.answer)}</final_answer>"
        tool, tool_input = put(step.tool), put(str(step.tool_input))
        return f"{thought}<tool>{tool}</tool><tool_input>{tool_input}</tool_input>"

    strays = ("<tool>", "<observation>", "<final_answer>")
    call = partial(TagCall, "tool", "tool_input", read_tool=take, strays=strays)
    return Dialect(
        name="xml",
        aliases=("xml_agent",),
        summary="XML tags: <tool> and <tool_input>, or <final_answer> (LangChain)",
        sample=SAMPLE,
        strict=replace(STRICT, new_call=partial(call, read_input=read_text), read_answer=read_text),
        lenient=replace(
            LENIENT,
            new_call=partial(call, read_input=read_input, lenient=True),
            read_answer=read_text,
        ),
        problems=PROBLEMS,
        stop=("</tool_input>",),
        reasoning=other_reasoning("<thinking>"),  # the element for thoughts
        closer="</tool_input>",
        write=write,
        render_observation=render_observation,
        prompt=PROMPT,
        prompt_words=WORDS,
    )


DIALECT: Final = make_dialect("minimal")
