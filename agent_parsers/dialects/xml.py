"""XML tags for the tool, its input and the final answer, as LangChain's XML agent prompts for them.

The stop sequence ``</tool_input>`` removes the last tag of an action, so an input without its end
is the usual case. Tags inside an input or an answer are data.

Source: `langchain_classic.agents.output_parsers.xml` and `format_scratchpad.xml`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, Final
from typing import Literal as Choice

from agent_parsers.engine.calls.tags.pair import TagCall
from agent_parsers.engine.markers.kinds import Label
from agent_parsers.engine.repairs.inputs import repair_written_input
from agent_parsers.engine.repairs.names import repair_tool_name
from agent_parsers.engine.tables.dialect import Dialect, PromptWords
from agent_parsers.engine.tables.problems import Problem
from agent_parsers.engine.tables.reasoning import other_reasoning
from agent_parsers.engine.tables.table import EndTurn, Go, Note, Part, Table
from agent_parsers.families.steps import Steps, TextElement
from agent_parsers.forms.form import CallForm, Form

if TYPE_CHECKING:
    from agent_parsers.events import Repair

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

THINKING: Final = TextElement("thinking")
TOOL: Final = TextElement("tool")
INPUT: Final = TextElement("tool_input")
OBSERVATION: Final = TextElement("observation")
ANSWER: Final = TextElement("final_answer")

_ESCAPED: Final = {
    f"<{tag}>": f"[[{tag}]]"
    for element in (TOOL, INPUT, OBSERVATION)
    for tag in (element.name, f"/{element.name}")
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
        "thinking": THINKING.opener,
        "end of thinking": THINKING.closer,
        "tool": TOOL.opener,
        "input": INPUT.opener,
        "answer": ANSWER.opener,
        "end of answer": ANSWER.closer,
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
        "call": Part.CALL,
        "call, input": Part.CALL,
        "after": Part.SKIPPED,
        "question": Part.QUESTION,
        "thought, stray input": Part.THOUGHT,
    },
    markers={
        "question": Label("Question"),
        "tool": TOOL.opener,
        "input": INPUT.opener,
        "end of input": INPUT.closer,
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
        ("after", "tool"): Go("call", clash="action_and_answer"),
        ("after", "answer"): Go("answer", clash="several_answers"),
        ("after", "observation"): EndTurn("observation"),
        ("after", "question"): EndTurn("question", firm=True),
    },
    apart={"call, input": (), "thought, stray input": ()},
    ends={"thinking": "open_reasoning"},
)
LENIENT: Final = (
    STEPS
    | THINKING.read_as(Part.THOUGHT, "thinking", then="thought", counts=["observation"])
    | ANSWER.read_as(Part.ANSWER, "answer", then="after", counts=["question"])
    | OBSERVATION.read_as(Part.OBSERVATION, "observation", then="thought")
).table(read_tool=repair_tool_name)

# LangChain's messages, which users compare.
_NEITHER: Final = (
    "Malformed output: expected either a tool invocation or a final answer in XML format."
)
_TWO_ANSWERS: Final = (
    "Malformed output: expected exactly one <final_answer>...</final_answer> block."
)


def _found(expected: str, element: TextElement) -> Callable[[str], str]:
    """Return a function that makes the message about a second *element* in a text."""

    def message(text: str) -> str:
        count = at = 0
        while (at := text.find(element.opener.canonical, at)) >= 0 and (
            at := text.find(element.closer.canonical, at)
        ) >= 0:
            count += 1
        return f"Malformed tool invocation: expected {expected} block, but found {count}."

    return message


def _as_langchain(
    reason: str, observation: str, exact: str | Callable[[str], str] = _NEITHER
) -> Problem:
    return Problem(reason, observation, exact=exact, send_to_llm=False)


_CALL: Final = f"Write {TOOL.write('name')}{INPUT.write('input')}"
_ANSWER: Final = ANSWER.write("answer")
_AN_ACTION: Final = f"Invalid Format: {_CALL}."
_ONE_ACTION: Final = f"Invalid Format: {_CALL} once, then stop: the observation is given to you."
_AN_ANSWER: Final = f"Invalid Format: Write {_ANSWER}."
PROBLEMS: Final = {
    "no_action_or_answer": _as_langchain(
        "expected a <tool> with its <tool_input>, or a <final_answer>",
        f"Invalid Format: {_CALL}, or {_ANSWER}.",
    ),
    "no_call": _as_langchain("expected </tool> after the name of the tool", _AN_ACTION),
    "open_call": Problem(
        "expected </tool_input> before the next tag",
        "The <tool_input> is not closed, so nothing was done. Write the whole <tool_input> again, "
        "then stop.",
    ),
    "open_answer": _as_langchain("expected </final_answer> at the end of the answer", _AN_ANSWER),
    "no_tool_name": Problem("expected the name of a tool in <tool>", _AN_ACTION),
    "long_tool_name": Problem("expected the name of a tool on one line in <tool>", _AN_ACTION),
    "stray_input": Problem("expected the <tool_input> after the <tool>, not before it", _AN_ACTION),
    "several_tools": _as_langchain(
        "found a second <tool>; a turn may have only one",
        _ONE_ACTION,
        _found("exactly one <tool>", TOOL),
    ),
    "several_inputs": _as_langchain(
        "found a second <tool_input>; a tool has only one",
        _ONE_ACTION,
        _found("at most one <tool_input>", INPUT),
    ),
    "several_answers": _as_langchain(
        "found a second <final_answer>; a turn may have only one",
        f"{_AN_ANSWER.removesuffix('.')} once.",
        _TWO_ANSWERS,
    ),
    "action_and_answer": Problem(
        "found both a <tool> and a <final_answer>; a turn may have only one of them",
        "Write either a <tool> with its <tool_input> or a <final_answer>, not both.",
    ),
    "invented_first": Problem(
        "found an <observation> before any <tool>; the model must not write it",
        f"Invalid Format: Do not write an <observation>. {_CALL}.",
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
    return OBSERVATION.write(observation)


FORM: Final = Form(
    call=CallForm(text=TOOL.write("{tool}") + INPUT.write("{input}"), write_input=str),
    is_single=True,
    thought=(THINKING.opener.canonical, f"{THINKING.closer.canonical}\n"),
    content=None,
    answer=(ANSWER.opener.canonical, ANSWER.closer.canonical),
)


@cache
def make_dialect(escape_format: EscapeFormat) -> Dialect:
    """Return the dialect that escapes values in this way."""
    is_escaped = escape_format is not None
    take: Callable[[str], str] = unescape if is_escaped else str

    def read_text(text: str, _repairs: list[Repair]) -> str:
        return take(text)

    def read_input(text: str, repairs: list[Repair], *, is_closed: bool = True) -> str:
        return take(repair_written_input(text, repairs, is_closed=is_closed))

    strays = tuple(element.opener.canonical for element in (TOOL, OBSERVATION, ANSWER))
    call = partial(TagCall, TOOL.name, INPUT.name, read_tool=take, strays=strays)
    return Dialect(
        name="xml",
        aliases=("xml_agent",),
        summary="XML tags: <tool> and <tool_input>, or <final_answer> (LangChain)",
        sample=SAMPLE,
        strict=replace(STRICT, new_call=partial(call, read_input=read_text), read_answer=read_text),
        lenient=replace(
            LENIENT,
            new_call=partial(
                call,
                read_input=read_input,
                read_open_input=partial(read_input, is_closed=False),
                lenient=True,
            ),
            read_answer=read_text,
        ),
        problems=PROBLEMS,
        stop=(INPUT.closer.canonical,),
        reasoning=other_reasoning(THINKING.opener.canonical),  # the element for thoughts
        closer=INPUT.closer.canonical,
        form=replace(FORM, escape=escape if is_escaped else None),
        render_observation=render_observation,
        prompt=PROMPT,
        prompt_words=WORDS,
    )


DIALECT: Final = make_dialect("minimal")
