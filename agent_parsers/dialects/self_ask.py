"""Self-ask: the model asks itself simpler questions until it can answer, and a tool answers them.

There is one tool, which the model does not name: the one that is declared, or else LangChain's
``Intermediate Answer``. A question is all the text after its marker, including colons.

Source: Press et al. 2022 (arXiv 2210.03350), and LangChain's self-ask agent.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache, partial
from typing import ClassVar, Final

from agent_parsers.engine.calls.reader import Call, CallReader
from agent_parsers.engine.markers.kinds import Label, Literal
from agent_parsers.engine.repairs.dressing import is_open
from agent_parsers.engine.repairs.payloads import ToolHead
from agent_parsers.engine.tables.dialect import Dialect, PromptWords
from agent_parsers.engine.tables.problems import Problem
from agent_parsers.engine.tables.table import EndTurn, Go, Part, Table
from agent_parsers.events import Event, InputDelta, Repair, ToolNamed
from agent_parsers.families.steps import Steps, label_or_literal
from agent_parsers.forms.form import CallForm, Form, Written
from outputs.growing_json.kept_text import KeptText

__all__ = ["DIALECT", "FINISH_STRING", "FOLLOWUPS", "TOOL", "make_dialect"]

SAMPLE: Final = """\
Question: How old is the oldest bridge of Bern?
Are follow up questions needed here: Yes.
Follow up: Which bridge of Bern is the oldest?
Intermediate answer: The Untertorbrücke.
Follow up: When was the Untertorbrücke built?
Intermediate answer: From 1461 to 1489.
So the final answer is: It has stood since 1489."""

TOOL: Final = "Intermediate Answer"
"""LangChain's name for the only tool, if none is declared."""
FOLLOWUPS: Final = ("Follow up:", "Followup:")
FINISH_STRING: Final = "So the final answer is: "
_NEEDED: Final = Label("Are follow up questions needed here")
_OBSERVATION: Final = Label("Intermediate answer")


class QuestionCall(CallReader):
    """Reads a question to the only tool.

    Args:
        lenient: Whether to reject a question without words, since it may be cut, and a question
            that ends a fence, which may quote it.
    """

    problems: ClassVar[frozenset[str]] = frozenset({"no_question", "open_fence"})

    __slots__ = ("_at", "_lenient", "_start", "_text")

    def __init__(self, *, lenient: bool = False) -> None:
        self._lenient = lenient
        self._start = self._at = -1
        self._text = KeptText()

    def feed(self, text: str, at: int) -> list[Event]:
        """Take *text* at offset *at* and return the events it completes."""
        events: list[Event] = []
        if self._start < 0:
            self._start = at
            events.append(ToolNamed(TOOL, (at, at)))
        self._at = at + len(text)
        self._text.add(text)
        return [*events, InputDelta(text, (at, self._at))]

    def close(self) -> tuple[list[Event], Call]:
        """End the text of the call; return no events, and the call."""
        question = str(self._text)
        problem = "" if question or not self._lenient else "no_question"
        if self._lenient and is_open(question):
            problem = "open_fence"
        call = Call(
            tool=TOOL,
            tool_input=question,
            span=(self._start, self._at),
            tool_span=(max(self._start, 0), max(self._start, 0)),
            problem=problem,
            lacks="closer" if question.strip() else "input",  # only what follows closes it
        )
        return [], call


def only_tool(written: str, tools: Collection[str] | None, _repairs: list[Repair]) -> ToolHead:
    """Return the only declared tool, or LangChain's name for it if there is not exactly one.

    With several, only `TOOL` among them can be called.
    """
    return ToolHead(next(iter(tools)) if tools is not None and len(tools) == 1 else written)


def _strict(followups: tuple[str, ...], finish_string: str) -> Table:
    return Table(
        new_call=QuestionCall,
        markers={
            "needed": Literal(_NEEDED.canonical),
            "question": Literal(followups[0], followups[1:]),
            "answer": Literal(finish_string),
            "line": Literal("\n"),
        },
        parts={"thought": Part.THOUGHT, "call": Part.CALL, "answer": Part.ANSWER},
        transitions={
            ("thought", "needed"): Go("thought"),
            ("thought", "question"): Go("call"),
            ("thought", "answer"): Go("answer"),
            # For LangChain only the last line counts, and a question precedes an answer in it.
            ("call", "line"): Go("thought", restarts=True),
            ("answer", "line"): Go("thought", restarts=True),
            ("answer", "question"): Go("call", restarts=True),
        },
        keeps_answer_space=True,
        read_tool=only_tool,
    )


def _steps(followups: tuple[str, ...], finish_string: str) -> Steps:
    question, *others = (label_or_literal(words.strip()) for words in followups)
    also = {
        marker.canonical: marker
        for marker in others
        # Labels that differ in case, blanks and the like are read as the same.
        if _letters(marker.canonical) != _letters(question.canonical)
    }
    steps = Steps(
        parts={
            "thought": Part.THOUGHT,
            "call": Part.CALL,
            "answer": Part.ANSWER,
            "observation": Part.OBSERVATION,
            "run": Part.QUESTION,
        },
        markers={
            "run": Label("Question"),
            "needed": _NEEDED,
            "question": question,
            "observation": _OBSERVATION,
            "answer": label_or_literal(finish_string.strip()),
            "inline observation": Label(_OBSERVATION.words, anywhere=True),
            **also,
        },
        begins={"needed": "thought", "question": "call", **dict.fromkeys(also, "call")},
        rows={
            # Answers to several questions cannot be known before the first was asked. A question
            # on a line with other words may have its invented answer there too.
            ("call", "observation"): EndTurn("observation"),
            ("call", "inline observation"): EndTurn("observation"),
            **{
                ("answer", name): Go("call", clash="action_and_answer", firm=True)
                for name in ("question", *also)
            },
        },
    )
    # LangChain finds these in the middle of a line, where models write them: "Yes. Follow up: …".
    for name, to in (("question", "call"), ("answer", "answer")):
        label = steps.markers[name]
        if isinstance(label, Label):
            inline = f"inline {name}"
            steps |= Steps(
                rows={("thought", inline): Go(to)},
                markers={inline: Label(label.words, anywhere=True)},
            )
    return steps


def _letters(words: str) -> str:
    return "".join(words.replace("_", " ").replace("-", " ").split()).lower()


PROBLEMS: Final = {
    "no_action_or_answer": Problem(
        "expected a line that begins with 'Follow up:' or 'So the final answer is:'",
        "Invalid Format: End your reply with a line 'Follow up:' and a question, or with a line "
        "'So the final answer is:' and the answer.",
        exact="Could not parse output: {text}",
        send_to_llm=False,
    ),
    "no_question": Problem(
        "expected a question after 'Follow up:'",
        "Invalid Format: Write the question after 'Follow up:', on the same line.",
    ),
    "invented_first": Problem(
        "found an intermediate answer before any question; the model must not write it",
        "Invalid Format: Do not write an intermediate answer. Write 'Follow up:' and a question.",
    ),
    "action_and_answer": Problem(
        "found both a follow-up question and a final answer; a turn may have only one of them",
        "Write either a follow-up question or the final answer, not both.",
    ),
}


PROMPT: Final = """\
Answer the question as well as you can. If it is not simple, ask simpler questions first.
They are answered by {tool_names}:

{tools}

Write in this form. Each label begins a line:

{form}

Ask one question in a turn, then stop: its answer is given to you.
For example, this turn asks a question:

{action}"""

WORDS: Final = PromptWords(
    thought="Yes.",
    tool=TOOL,
    tool_input="a simpler question",
    observation="its answer",
    repeats="... (questions and their answers can repeat)",
    last_thought="",
    use="Yes.",
)


@cache
def make_dialect(followups: tuple[str, ...], finish_string: str) -> Dialect:
    """Return the dialect that marks questions and the answer with these words.

    Raises:
        ValueError: There are no *followups*, or a marker is empty or the beginning of another.
    """
    if not followups:
        raise ValueError("followups needs at least one label, such as 'Follow up:'")
    form = Form(
        call=CallForm(text=f"{followups[0]} {{input}}", write_input=str),
        is_single=True,
        thought=(f"{_NEEDED.canonical} ", "\n"),
        content=None,
        answer=(finish_string, ""),
        own_tool=TOOL,
    )
    return Dialect(
        name="self_ask",
        aliases=("self_ask_with_search",),
        summary="Self-ask: follow-up questions to one tool, then the final answer (LangChain)",
        sample=SAMPLE,
        strict=_strict(followups, finish_string),
        lenient=_steps(followups, finish_string).table(
            new_call=partial(QuestionCall, lenient=True), read_tool=only_tool
        ),
        problems=PROBLEMS,
        stop=(f"\n{_OBSERVATION.canonical}",),
        form=form,
        render_observation=render_observation,
        prompt=PROMPT,
        prompt_words=WORDS,
        example=Written(tool=TOOL, tool_input="what do I need to know first?"),
    )


def render_observation(observation: str, _number: int) -> str:
    """Return an observation as text; the next question or answer begins on a new line."""
    return f"\n{_OBSERVATION.canonical} {observation}\n"


DIALECT: Final = make_dialect(FOLLOWUPS, FINISH_STRING)
