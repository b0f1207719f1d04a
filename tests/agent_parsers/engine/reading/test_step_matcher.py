"""The match for turns with one action agrees with a stream on every text that it takes."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, get_args

import pytest

from agent_parsers import get_dialect, get_parser, list_dialects
from agent_parsers.actions.agent import AgentAction, AgentFinish
from agent_parsers.authoring import Go, Part, Table, Written, with_labels
from agent_parsers.engine.markers.kinds import Label
from agent_parsers.engine.reading.matching import plain_text, step_matcher
from agent_parsers.engine.reading.matching.plain_text import KnownMarks
from agent_parsers.engine.reading.rules.machine import Machine
from agent_parsers.engine.reading.stream import TurnStream
from agent_parsers.engine.reading.turn import PlainTurn, read_turn
from agent_parsers.engine.whole import WholeReader, whole_reader
from agent_parsers.events import merge_events
from output_parsers import OutputParserException
from outputs.messages.ended import Ended

from ....helpers.effort import DEEP, THOROUGH
from ...dialects.test_cases import FOLDER, read_cases
from .test_turn_matcher import Texts, differences

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from agent_parsers import Dialect
    from agent_parsers.engine.tables.modes import Mode, OnConflict

LEFT = {"smolagents_code": "its calls are code, which no form says"}
ONE_ACTION = [
    name for name in list_dialects() if not get_parser(name).dialect.several and name not in LEFT
]


def texts(dialect: Dialect) -> Iterator[str]:
    """Yield the texts of the dialect's cases, and the beginnings of turns that it writes."""
    yield from (case.text for case in read_cases(FOLDER / f"{dialect.name}.txt", "strict"))
    yield from beginnings(dialect)


def beginnings(dialect: Dialect) -> Iterator[str]:
    """Yield all beginnings of an action and of an answer."""
    parser = get_parser(dialect.name)
    example = dialect.example
    action = AgentAction(tool=example.tool, tool_input=example.tool_input, log="")
    thought = "I look it up" if dialect.thinks else ""
    for step in (action, AgentFinish({"output": "It is 42 m."}, "")):
        whole = parser.render(step, thought=thought)
        for end in range(len(whole) + 1):
            yield whole[:end]
            yield f" \n{whole[:end]} \n"


@pytest.mark.parametrize("lenient", [True, False], ids=["lenient", "strict"])
@pytest.mark.parametrize("name", ONE_ACTION)
def test_a_plain_turn_is_what_a_stream_reads(name: str, *, lenient: bool) -> None:
    parser = get_parser(name, lenient=lenient)
    reader = whole_reader(parser.dialect, parser.mode)
    found = {text: reader.read(text) for text in texts(parser.dialect)}
    plain = {text: turn for text, turn in found.items() if turn is not None}

    assert plain, "no turn is read in one scan"
    for text, turn in plain.items():
        assert turn == read_turn(parser.stream_parser(), text), text


def test_half_a_stop_sequence_may_be_the_whole_text() -> None:
    """The text is read as if a line break preceded it, with which the stop sequence begins."""
    parser = get_parser("structured_chat")
    stream = parser.stream_parser()
    stream.feed("Observatio")
    with pytest.raises(OutputParserException, match="expected an action"):
        stream.close()
    with pytest.raises(OutputParserException, match="expected an action"):
        parser.parse("Observatio")


@pytest.mark.parametrize("on_conflict", ["first", "action", "answer"])
def test_the_log_ends_where_the_turn_does(on_conflict: OnConflict) -> None:
    text = "Follow up: How old?\nSo the final answer is: 42"
    parser = get_parser("self_ask", on_conflict=on_conflict)
    stream = parser.stream_parser()
    stream.feed(text)
    stream.close()
    assert parser.parse(text) == stream.result


# -- spoilt turns ---------------------------------------------------------------------------------

MODES: tuple[Mode, ...] = ("lenient", "strict")
LABELS = ["Action:", "Action", "Action Input:", "Thought:", "Final Answer:", "Observation:"]
INPUTS = ["a\nb", '"x"', "```\nx\n```", " x ", "x*", '{"q": "a\nAction: b"}']
ANSWERS = ["It is 42.", "a\n\nb", "**x**", "42\n", "a\nFinal Answer: b"]
QUOTES = [
    ("```\n", "\n```"), ("~~~\n", "\n~~~"), ('"""', '"""'), ("'''", "'''"), ("<!--", "-->"),
    ("<tool_response>", "</tool_response>"), ("[TOOL_RESULTS]", "[/TOOL_RESULTS]"),
]  # fmt: skip
TOOLS = ["search", "a.b", "Final Answer", "final_answer", "Action", "get x"]


class Steps(Texts):
    """Turns with one action in which something is odd, or nothing."""

    def _turn(self) -> Written:
        random = self._random
        if random.random() < 0.35:
            return Written(thought=self._said(), answer=random.choice([*ANSWERS, self._said()]))
        given: Any = self._input()
        if random.random() < 0.6:
            given = random.choice(["Lake Thun", *INPUTS, self._said()])
        return Written(thought=self._said(), tool=random.choice(TOOLS), tool_input=given)

    def _spoilt(self, text: str) -> str:
        random = self._random
        if random.random() < 0.3:
            label = random.choice(LABELS)
            text = text.replace(label, random.choice(dressed(label)))
        text = super()._spoilt(text)
        if random.random() < 0.15:
            opens, closes = random.choice(QUOTES)
            start, stop = sorted(random.choices([0, len(text), *ends_of_lines(text)], k=2))
            text = f"{text[:start]}{opens}{text[start:stop]}{closes}{text[stop:]}"
        return f"{text} {'word ' * 120}" if random.random() < 0.2 else text  # searched otherwise


def ends_of_lines(text: str) -> list[int]:
    return [at for at, char in enumerate(text) if char == "\n"]


def dressed(label: str) -> list[str]:
    """Return a *label* as models write it."""
    words = label.removesuffix(":")
    return [
        label.lower(), label.upper(), f"**{label}**", f"**{words}**:", f" {label}", f"{words} :",
        f"{words} 1:", f"#{label}", f"## {words}\n", f"- {label}", f"1. **{label}**", f"{words}：",
    ]  # fmt: skip


@pytest.mark.parametrize("mode", ["lenient", "strict"])
@pytest.mark.parametrize("name", ONE_ACTION)
def test_it_agrees_with_a_stream(name: str, mode: Mode) -> None:
    dialect = get_dialect(name)
    texts = Steps(dialect, seed=1).some(5_000 if DEEP else 2_000 if THOROUGH else 200)
    taken, odd = differences(whole_reader(dialect, mode), texts)
    assert not odd
    assert taken


@pytest.mark.parametrize("mode", ["lenient", "strict"])
@pytest.mark.parametrize("name", ONE_ACTION)
def test_a_usual_turn_needs_no_stream(name: str, mode: Mode) -> None:
    dialect = get_dialect(name)
    example = dialect.example
    thought = "I look it up." if dialect.thinks else ""
    text = dialect.write(Written(thought, example.tool, example.tool_input))
    plain = whole_reader(dialect, mode).read(text)
    assert plain is not None
    assert isinstance(plain.result, AgentAction)
    assert plain.result.tool == example.tool
    assert plain.thought == thought


def test_a_turn_with_many_markers_is_read_too() -> None:
    parser = get_parser("react", lenient=False)
    text = "Thought: hm\n" * 300 + "Final Answer: 42"
    turn = parser.read(text)
    assert turn.result == AgentFinish({"output": "42"}, text)
    assert turn.thought == "\n".join(["hm"] * 300)


# -- a whole text in a stream ---------------------------------------------------------------------


def streamed(stream: TurnStream, text: str, ended: Ended, *, is_whole: bool) -> object:
    """Return what a *stream* makes of a text, at once or as one chunk."""
    try:
        if is_whole:
            events = stream.read_whole(text, ended=ended)
        else:
            events = [*stream.feed(text), *stream.close(ended=ended)]
    except OutputParserException as error:
        return str(error), error.span, error.problem
    return merge_events(events), stream.result


@pytest.mark.parametrize("mode", ["lenient", "strict"])
@pytest.mark.parametrize("name", ONE_ACTION)
def test_a_whole_text_is_read_as_a_chunk_is(name: str, mode: Mode) -> None:
    dialect = get_dialect(name)
    compiled = Machine(dialect, mode)
    many = 5_000 if DEEP else 2_000 if THOROUGH else 40
    found = [*Steps(dialect, seed=2).some(many), *beginnings(dialect)]
    for text in found if THOROUGH else found[::3]:
        for ended in get_args(Ended):
            [one, other] = (
                streamed(TurnStream(compiled), text, ended, is_whole=is_whole)
                for is_whole in (True, False)
            )
            assert one == other, text


def test_a_whole_text_may_be_too_long() -> None:
    with pytest.raises(OutputParserException, match="max_chars"):
        get_parser("react", max_chars=9).read("Final Answer: 42")


# -- other dialects -------------------------------------------------------------------------------


def memo(**rows: Go) -> Dialect:
    """Return a dialect with these rows for the parts tool, with, plan and reply."""
    parts = {
        "plan": Part.THOUGHT, "tool": Part.TOOL, "with": Part.INPUT, "reply": Part.ANSWER,
    }  # fmt: skip
    marks = {name: Label(name.title()) for name in parts}
    usual = {("plan", "tool"): "tool", ("tool", "with"): "with", ("plan", "reply"): "reply"}
    given = {tuple(key.split("_")): go for key, go in rows.items()}
    table = Table(
        markers=marks,
        parts=parts,
        transitions={
            **{(state, mark): Go(to) for (state, mark), to in usual.items()},
            ("plan", "plan"): Go("plan"),
            **{(state, mark): go for (state, mark), go in given.items()},
        },
    )
    return replace(get_dialect("react"), name="memo", strict=table, lenient=table.as_lenient())


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ({"with_reply": Go("reply")}, "Tool: a\nWith: b\nReply: c"),
        ({"with_plan": Go("plan")}, "Tool: a\nWith: b\nPlan: x\nReply: c"),
        ({"tool_tool": Go("tool")}, "Tool:\nTool: c\nWith: d"),
    ],
    ids=["answer", "thought", "tool"],
)
def test_an_earlier_action_is_left_to_the_stream(rows: dict[str, Go], text: str) -> None:
    for mode in MODES:
        assert not differences(WholeReader(Machine(memo(**rows), mode)), iter([text]))[1]
        reader = WholeReader(Machine(memo(**rows), mode))
        assert reader.read(text) is None


def test_labels_that_look_like_dress_are_left_to_the_stream() -> None:
    dialect = with_labels(get_dialect("react"), name="x", labels={"Observation": "2nd Look"})
    parser = get_parser(dialect)
    text = "Thought: a\n**2nd Look:** b\nFinal Answer: c"
    with pytest.raises(OutputParserException):
        parser.parse(text)
    with pytest.raises(OutputParserException):
        read_turn(parser.stream_parser(), text)


# -- seeded bugs ----------------------------------------------------------------------------------

BUGS: dict[str, tuple[str, Mode, Callable[[pytest.MonkeyPatch], None]]] = {
    "quotations count for nothing": (
        "react",
        "lenient",
        lambda patch: patch.setattr(step_matcher.StepMatcher, "_is_enclosed", lambda *_: False),
    ),
    "a label in dress is text": (
        "react",
        "lenient",
        lambda patch: patch.setattr(KnownMarks, "no_label", lambda _, colons: f"[{colons}]"),
    ),
    "a mark is text": (
        "xml",
        "langchain",
        lambda patch: patch.setattr(plain_text, "_none_of", lambda sign, _: re.escape(sign)),
    ),
    "an answer is a call": (
        "react_json",
        "lenient",
        lambda patch: patch.setattr(step_matcher, "is_called_answer", lambda *_: False),
    ),
    "repairs are kept quiet": (
        "react",
        "lenient",
        lambda patch: patch.setattr(
            step_matcher, "PlainTurn", lambda *given: PlainTurn(*given[:4])
        ),
    ),
}


@pytest.mark.parametrize("bug", BUGS)
def test_it_would_find_bugs(bug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name, mode, seed = BUGS[bug]
    seed(monkeypatch)
    dialect = get_dialect(name)
    reader = WholeReader(Machine(dialect, mode))
    texts = Steps(dialect, seed=1)
    assert any(differences(reader, texts.some(100))[1] for _ in range(30))
