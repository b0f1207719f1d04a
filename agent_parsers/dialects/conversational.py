"""ReAct text for a chat: a reply to the human follows ``AI:`` and replaces the final answer.

Each thought says whether a tool is needed. If a model says no and leaves out ``AI:``, lenient mode
reads the rest as the reply.

Source: LangChain's conversational agent.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Final

from typing_extensions import override

from agent_parsers.dialects import react
from agent_parsers.engine.markers.kinds import Ahead, Label, Literal
from agent_parsers.engine.repairs.inputs import repair_answer
from agent_parsers.engine.repairs.payloads import BadPayload
from agent_parsers.engine.tables.problems import Problem
from agent_parsers.engine.tables.table import EndTurn, Go, Part, Table
from agent_parsers.events import Repair
from agent_parsers.families.steps import StepWriter, label_or_literal, reworded

if TYPE_CHECKING:
    from agent_parsers.engine.tables.dialect import Dialect

__all__ = ["AI_PREFIX", "DIALECT", "make_dialect"]

SAMPLE: Final = """\
New input: How old is the oldest bridge of Bern?
Thought: Do I need to use a tool? Yes
Action: search
Action Input: oldest bridge in Bern
Observation: The Untertorbrücke was built from 1461 to 1489.
Thought: Do I need to use a tool? No
AI: The Untertorbrücke has stood since 1489."""

AI_PREFIX: Final = "AI"
_ASKS: Final = "Do I need to use a tool?"
_WORD_END: Final = Ahead(r"(?=\W)", sample=" ")
_YES: Final = Literal(f"{_ASKS} Yes")


@dataclass(frozen=True, slots=True)
class Phrase(Literal):
    """A literal that ends with a word: ``No`` is not the beginning of ``Nobody``."""

    @override
    def spellings(self) -> Iterator[tuple[str, ...]]:
        """Yield the atoms of each spelling, with what must follow."""
        for spelling in super(Phrase, self).spellings():
            yield *spelling, _WORD_END


_NO: Final = Phrase(f"{_ASKS} No")


def _strict(ai_prefix: str) -> Table:
    # LangChain first searches for the prefix of a reply, even inside an input. The space after the
    # other labels is part of them.
    return Table(
        read_input=react.read_input,
        markers={
            "thought": react.STEPS.markers["thought"],
            "tool needed": _YES,
            "no tool": _NO,
            "action": Literal(f"{react.WRITER.label('action')} "),
            "input": Literal(f"{react.WRITER.label('input')} "),
            "answer": Literal(f"{ai_prefix}:"),
        },
        parts={
            "thought": Part.THOUGHT,
            "tool": Part.TOOL,
            "input": Part.INPUT,
            "answer": Part.ANSWER,
        },
        transitions={
            ("thought", "thought"): Go("thought"),
            ("thought", "tool needed"): Go("thought"),
            ("thought", "no tool"): Go("thought"),
            ("thought", "action"): Go("tool"),
            ("thought", "answer"): Go("answer"),
            ("tool", "input"): Go("input"),
            ("tool", "answer"): Go("answer", restarts=True),
            ("input", "answer"): Go("answer", restarts=True),
            ("answer", "answer"): Go("answer"),
        },
        ends={"tool": "no_input"},
        keeps_input_end=True,
        one_line_tools=False,
    )


def read_reply(text: str, repairs: list[Repair]) -> str:
    """Return a reply, which must not be empty.

    A reply that directly follows the word no begins after the full stop or comma.
    """
    if text[:1] in (".", ",") and not text[1:2].strip():
        reply = text[1:].lstrip()
        span = (0, len(text) - len(reply))
        repairs.append(Repair("reply", span, "dropped the full stop or comma before the reply"))
        text = reply
    if not text:
        raise BadPayload("no_reply", (0, 0))
    return repair_answer(text, repairs)


def _lenient(ai_prefix: str) -> Table:
    reply = label_or_literal(f"{ai_prefix}:")
    return replace(
        react.LENIENT,
        read_answer=read_reply,
        bare_answers=("reply",),
        markers={
            **react.LENIENT.markers,
            "question": Label("New input", loose=True),
            "answer": replace(reply, loose=True) if isinstance(reply, Label) else reply,
            "human": Label("Human", loose=True),
            "tool needed": _YES,
            "no tool": _NO,
        },
        parts={**react.LENIENT.parts, "reply": Part.ANSWER},
        transitions={
            **react.LENIENT.transitions,
            ("thought", "tool needed"): Go("thought"),
            ("thought", "no tool"): Go("reply"),
            ("reply", "answer"): Go("answer"),
            ("reply", "action"): Go("tool", clash="action_and_answer"),
            ("reply", "observation"): EndTurn("observation", firm=True),
            ("reply", "human"): EndTurn("question", firm=True),
            ("answer", "human"): EndTurn("question", firm=True),
        },
    )


PROBLEMS: Final = {
    **reworded(react.PROBLEMS, {"a Final Answer": "a reply"}),
    "no_action_or_answer": Problem(
        "expected an Action or a reply",
        "Invalid Format: Write an Action with its Action Input, or a reply after its label. Begin "
        "each label on a new line.",
        exact="Could not parse LLM output: `{text}`",
        send_to_llm=False,
    ),
    "no_reply": Problem(
        "expected a reply that is not empty, or an Action",
        "Invalid Format: Write an Action with its Action Input, or a reply that is not empty.",
    ),
    "no_input": replace(react.PROBLEMS["no_input"], send_to_llm=False),
}


PROMPT: Final = """\
Talk with the human, and help as well as you can. You can use these tools:

{tools}

Write in this form. Each label begins a line:

{form}

Use one tool in a turn, and stop after the Action Input: the Observation is given to you.
When you need no tool, or have something to say to the human, write your reply.
For example, this turn uses a tool:

{action}"""

WORDS: Final = replace(
    react.WORDS,
    thought="",
    last_thought="",
    answer="your reply",
    use="",
)


@cache
def make_dialect(ai_prefix: str) -> Dialect:
    """Return the dialect in which replies follow *ai_prefix* and a colon.

    Raises:
        ValueError: The prefix is empty, or the same as another label.
    """
    lenient = _lenient(ai_prefix)
    form = StepWriter(lenient.markers).form
    label = form.thought[0] if form.thought else ""
    return replace(
        react.DIALECT,
        name="conversational",
        aliases=("conversational_react",),
        summary="ReAct text for a chat: Action and Action Input, or AI (LangChain)",
        sample=SAMPLE,
        strict=_strict(ai_prefix),
        lenient=lenient,
        problems=PROBLEMS,
        form=replace(
            form,
            calls=(f"{_YES.canonical}\n", "", ""),
            thought=(label, " "),
            no_thought=label,
            answer=(f"{_NO.canonical}\n{form.answer[0]}", ""),
        ),
        prompt=PROMPT,
        prompt_words=WORDS,
    )


DIALECT: Final = make_dialect(AI_PREFIX)
