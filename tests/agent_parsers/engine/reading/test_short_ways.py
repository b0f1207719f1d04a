"""Short ways agree with the long one: short steps, and chunks that only go on with a text."""

from __future__ import annotations

import re
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from agent_parsers import ToolSet, get_dialect, list_dialects
from agent_parsers.actions.agent import make_action, make_finish
from agent_parsers.authoring import Written
from agent_parsers.engine.markers.kinds import spelt_texts
from agent_parsers.engine.reading.canonical import short_steps
from agent_parsers.engine.reading.canonical.short_steps import ShortSteps
from agent_parsers.engine.reading.canonical.steps import StepReader
from agent_parsers.engine.reading.collecting.collector import Collector
from agent_parsers.engine.reading.rules.machine import machine
from agent_parsers.engine.reading.scanner import Scanner
from agent_parsers.engine.reading.stream import TurnStream
from agent_parsers.engine.reading.turn import read_turn
from agent_parsers.engine.stream_parser import StreamParser
from agent_parsers.engine.whole import WholeReader
from agent_parsers.testing.trials.pieces import rows, sample_action
from agent_parsers.testing.trials.stories import cut
from output_parsers import OutputParserException

from ....helpers.effort import THOROUGH

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from agent_parsers.engine.tables.dialect import Dialect
    from agent_parsers.engine.tables.modes import Mode
    from agent_parsers.events import Repair


# The match for short steps agrees with a stream on every text that it takes.

LEFT = {
    "smolagents_code": "its calls are code",
}
"""Dialects that are left to another reader."""
NEEDS_LABEL = {"conversational", "react_docstore", "react_llamaindex"}
NAMES = [name for name in list_dialects() if not get_dialect(name).several and name not in LEFT]
INPUTS: list[Any] = [
    "Lake Thun", "", "  padded ",
    "**bold**", "**Bern**", "*Thun*", 'He said "no"', "it's", "'''x'''", "def f(x):",
    "a: b",
    "https://x.org/a?b=1", "<b>x</b>", "<tool>",
    "a `b` c", "two\nlines", "\nAction: y", "[1]", "{x}", "null",
    "5", "日本", "C:\\new", "Final Answer", '{"a": [1, 2]}', '{"a": 1, "a": 2}', "{}",
    {"query": "Lake Thun", "limit": 3}, {}, {"a": {"b": [None, True, 2.5]}},
    {"limit": "3"}, {"q<think>": "a"}, {"q": [{"<tool_response>": 1}]}, {"q": "a\n`b` <c>"},
]  # fmt: skip
SAID = [
    "", "I look it up.", "It's late:\nso I do.", "See [1].\n- one\n- two", "I use `search`.", "{",
    "so\n{\n", "Action", "x < 3", "Observation: none", '"""', "# Title", "so ~ so", "行动：x",
    "Do I need to use a tool? Yes", "Do I know it? Do I",
]  # fmt: skip
SPOILS = ["\n", " ", "\t", '"', "'", ":", "`", "#", "<", "[", "{", "}", "\\", "\u200b", "：", "**"]


def search(q: str = "", query: str = "", limit: int | None = None) -> str:
    """Search."""
    return q + query + str(limit)


TOOLS = ToolSet([search])


def texts(dialect: Dialect, seed: int, count: int) -> Iterator[str]:
    """Yield steps of a dialect in which something is odd, or nothing."""
    random = Random(f"{dialect.name} {seed}")
    marks = [text for mark in dialect.lenient.markers.values() for text in spelt_texts(mark)]
    for _ in range(count):
        thought = random.choice(SAID) * random.choice((1, 1, 1, 40))
        if random.random() < 0.3:
            step = Written(thought, answer=str(random.choice(INPUTS)))
        else:
            tool = random.choice(("search", "search", "search", "a.b", "Final Answer"))
            step = Written(thought, tool, random.choice(INPUTS))
        text = dialect.write(step)
        if random.random() < 0.1:
            text += random.choice(dialect.stop)[: random.randrange(1, 9)]
        if random.random() < 0.1:
            text = text.partition("\n")[2]  # without the label that it may need
        elif random.random() < 0.3:
            text = text.removeprefix(dialect.generation_prompt(1))  # which may be in the prompt
        for _ in range(random.choice((0, 0, 1, 2))):
            at = random.randrange(len(text) + 1)
            spoil = random.choice((*marks, *SPOILS))
            text = text[:at] + spoil + text[at + random.choice((0, 0, 1, 3)) :]
        yield text


def reader_of(dialect: Dialect, mode: Mode) -> ShortSteps:
    steps = WholeReader(machine(dialect, mode)).canonical
    assert isinstance(steps, StepReader)
    assert steps.short is not None
    return steps.short


def differences(dialect: Dialect, mode: Mode, seed: int, count: int) -> tuple[int, list[str]]:
    """Return how many texts are taken, and those that a stream reads otherwise."""
    reader, taken, odd = reader_of(dialect, mode), 0, []
    for number, text in enumerate(texts(dialect, seed, count)):
        tools = TOOLS if number % 2 else None
        repairs: list[Repair] = []
        if (step := reader.read(text, tools, repairs)) is None:
            continue
        taken += 1
        found, tool, value = step
        result = make_action(tool, value, text) if tool else make_finish(value, text)
        content = "" if tool else reader.content(found)
        try:
            turn = read_turn(TurnStream(machine(dialect, mode), tools), text)
        except OutputParserException:
            odd.append(text)
            continue
        expected = turn.result, turn.thought, turn.content, bool(turn.repairs)
        if repr((result, reader.thought(text, found), content, bool(repairs))) != repr(expected):
            odd.append(text)
    return taken, odd


@pytest.mark.parametrize("mode", ["lenient", "strict"])
@pytest.mark.parametrize("name", NAMES)
def test_it_agrees_with_a_stream(name: str, mode: Mode) -> None:
    taken, odd = differences(get_dialect(name), mode, 1, 20_000 if THOROUGH else 600)
    assert not odd
    assert taken


@pytest.mark.parametrize("mode", ["lenient", "strict"])
@pytest.mark.parametrize("name", NAMES)
def test_a_usual_step_is_taken(name: str, mode: Mode) -> None:
    dialect = get_dialect(name)
    given = {"query": "Lake Thun"} if name in ("react_crewai", "react_llamaindex") else "Lake Thun"
    reader = reader_of(dialect, mode)
    long = "I look it up. " * (1 if name == "react_docstore" else 100)  # its labels have numbers
    for thought in ("I look it up, once again.", long):
        written = dialect.write(Written(thought, "search", given))
        assert reader.read(written, None, []) is not None
        if name not in NEEDS_LABEL:
            unled = written.removeprefix(dialect.generation_prompt(1))
            assert reader.read(unled, None, []) is not None
    answer = dialect.write(Written("I know it.", answer="It is 217 m deep."))
    is_call = isinstance(dialect.form and dialect.form.answer, str)
    assert (reader.read(answer, None, []) is None) is is_call


thought, take = ShortSteps.thought, ShortSteps.value


def begin_anywhere(self: ShortSteps, text: str) -> int:
    """Return where the result of a long step begins, however odd its thought is."""
    return max(text.rfind(each) for each in self._begins) + len(self._closer)


BUGS: dict[str, tuple[str, Callable[[pytest.MonkeyPatch], None]]] = {
    "no character is odd": (
        "react",
        lambda patch: patch.setattr(short_steps, "odd_in", lambda *_: ("\0",)),
    ),
    "each line break is text": (
        "self_ask",
        lambda patch: patch.setattr(short_steps, "ends_lines", lambda _: False),
    ),
    "repairs are not reported": (
        "react",
        lambda patch: patch.setattr(
            ShortSteps, "value", lambda self, *given: take(self, *given[:-1], [])
        ),
    ),
    "a thought without its label lacks its beginning": (
        "react",
        lambda patch: patch.setattr(
            ShortSteps, "thought", lambda self, text, found: thought(self, f"x{text[1:]}", found)
        ),
    ),
    "a question in a thought is text": (
        "conversational",
        lambda patch: patch.setattr(short_steps, "WORD", 99),
    ),
    "a question in a long thought is text": (
        "conversational",
        lambda patch: patch.setattr(ShortSteps, "_begin", begin_anywhere),
    ),
    "what a call reader takes off is kept": (
        "xml",
        lambda patch: patch.setattr(short_steps, "_IS_BARE", re.compile(".*").fullmatch),
    ),
}


@pytest.mark.parametrize("bug", BUGS)
def test_it_would_find_bugs(bug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name, seed = BUGS[bug]
    seed(monkeypatch)
    dialect = get_dialect(name)
    assert any(
        differences(dialect, mode, 1, count)[1]
        for count in (150, 1_500)
        for mode in ("strict", "lenient")
    )


# Chunks that only go on with a text are read in a short way, and nobody can tell.

VALUE = "an old bridge, its arches and its keeper's house and all that belongs to them " * 8
ODD = {
    "an end that begins right before white space": (
        "glm45",
        [
            "<tool_call>look\n<arg_key>q</arg_key>\n<arg_value>lakes",
            " and </a\n",
            "bove </arg_value>",
        ],
    ),
    "empty chunks, which are no white space": (
        "hermes",
        ["<think>He asks for `think>` and `", "", "</", "", "think>", "", "`"],
    ),
    "an end that begins with white space": ("smolagents_code", [*"word\n<code 1 + 2\n```py and"]),
}


def turn(name: str) -> str:
    """Return a turn of the dialect with a long value in its call."""
    dialect = get_dialect(name)
    action = sample_action(dialect)
    given = action.tool_input
    is_text = isinstance(given, str) or not given
    return dialect.write(
        Written("", action.tool, VALUE if is_text else {**given, next(iter(given)): VALUE})
    )


def told(name: str, mode: str, chunks: list[str]) -> list[object]:
    """Return what a stream shows after each chunk, and its end."""
    parser = StreamParser(get_dialect(name), mode=mode)
    seen: list[object] = [(parser.feed(chunk), parser.content, parser.thought) for chunk in chunks]
    try:
        seen.append((parser.close(), parser.result))
    except OutputParserException as error:
        seen.append((parser.last_events, str(error), error.span, error.observation))
    return seen


def same_without_it(name: str, mode: str, chunks: list[str]) -> None:
    """Check that what is told does not depend on the short way."""
    short = told(name, mode, chunks)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Scanner, "_only_text", lambda _self, _chunk: None)
        assert told(name, mode, chunks) == short


@pytest.mark.parametrize("size", [1, 4])
@pytest.mark.parametrize("name", sorted(list_dialects()))
def test_events_are_the_same_without_the_short_way(name: str, size: int) -> None:
    """Each chunk gives the same events, however the chunks before it were read."""
    for mode in ("strict", "lenient"):
        texts = rows(get_dialect(name), mode)
        for text in (turn(name), *texts[:: len(texts) // 12 or 1]):
            same_without_it(name, mode, list(cut(text, [size])))


@pytest.mark.parametrize("case", sorted(ODD))
def test_odd_chunks_are_left_to_the_reader(case: str) -> None:
    """What may end a value counts where white space of another chunk stands beside it."""
    name, chunks = ODD[case]
    for mode in ("strict", "lenient"):
        same_without_it(name, mode, chunks)


@pytest.mark.parametrize("name", sorted(list_dialects()))
def test_a_long_value_takes_the_short_way(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reader of a call is not fed the chunks of a long value one by one."""
    fed: list[str] = []
    take = Collector.take

    def counted(self: Collector, events: list, state: object, text: str, at: int) -> None:
        fed.append(text)
        take(self, events, state, text, at)

    chunks = list(cut(turn(name), [5]))
    monkeypatch.setattr(Collector, "take", counted)
    parser = StreamParser(get_dialect(name))
    for chunk in chunks:
        parser.feed(chunk)
    assert len(fed) < len(chunks) / 2
