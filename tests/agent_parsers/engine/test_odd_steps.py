"""Steps that are not quite spelt as their dialect writes them are what a stream reads."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from agent_parsers import OutputParserException, ToolSet, get_dialect, list_dialects
from agent_parsers.engine import odd_steps
from agent_parsers.engine.markers.kinds import Label
from agent_parsers.engine.odd_steps import OddSteps
from agent_parsers.engine.reading.rules.machine import machine
from agent_parsers.engine.reading.stream import TurnStream
from agent_parsers.engine.reading.turn import read_turn
from agent_parsers.engine.whole import WholeReader
from agent_parsers.engine.writing.advice import advice
from agent_parsers.testing.trials.pieces import rows, written

from ...helpers.effort import THOROUGH

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from agent_parsers.engine.tables.dialect import Dialect
    from agent_parsers.engine.tables.modes import Mode

DRESSES = ["**{}:**", "## {}:", "# {}:", "{}:", "**{}**:", "__{}__:", "- {}:", "{} :"]
INPUTS = [
    "old bridge", '{"query": "a"}', '{"query": "a",}', '{"query": "a', '"x"', '"x', "```\nx",
    "it's", "'''x", "* x", "a: b", "x # y", "# Title", "two\nlines", "", "x\nObs", "x\nPAUSE",
]  # fmt: skip
ENDS = ["", "", "<|im_end|>", "<|im_end|>\n", "\n<|im_end|> x", "</s>", "\n\n", "\nNote: x"]
PIECES = [
    "\n",
    "\n\0",
    "**",
    "## ",
    "`",
    "```",
    '"',
    "'''",
    "<",
    "[",
    "\u200b",
    "：",
    "Final Answer",
]
TOOLS = ToolSet(["search", "look_up"])


def texts(dialect: Dialect, mode: Mode, count: int) -> Iterator[str]:
    """Yield steps of a dialect whose labels are dressed, and that go on where a turn ends."""
    random = Random(f"{dialect.name} {mode}")
    markers = dialect.lenient.markers.values()
    labels = [each.canonical[:-1] for each in markers if isinstance(each, Label)]
    known = [*written(dialect), dialect.sample, *rows(dialect, mode)[::9]]
    for _ in range(count):
        text = random.choice(known)
        if random.random() < 0.7:
            names = [random.choice(["search", "look_up", "other", "**search**", "a b"])]
            names += [random.choice(INPUTS), "I look it up."]
            spelt = random.sample(labels, min(3, len(labels)))
            if "Action" in labels and random.random() < 0.8:
                spelt = ["Action", "Action Input", random.choice(labels)]
            lines = [f"{label}: {each}" for label, each in zip(spelt, names, strict=False)]
            text = "\n".join(lines[: random.choice((1, 2, 2, 2, 3))])
            text = random.choice(("", "I need it.\n", "Thought: so\n", "It's \"so\n")) + text
        for label in random.sample(labels, min(2, len(labels))):
            if random.random() < 0.4:
                word = random.choice((label, label.lower(), label.upper()))
                text = text.replace(f"{label}:", random.choice(DRESSES).format(word))
        ends = [*ENDS, *(f"\n{each}: 1489\nmore" for each in labels)]
        stops = [f"{each} 1489\nmore" for each in dialect.stop]
        text += random.choice(stops if random.random() < 0.5 else ends)
        if random.random() < 0.3:
            at = random.randrange(len(text) + 1)
            text = text[:at] + random.choice(PIECES) + text[at + random.choice((0, 1, 5)) :]
        yield text


def said(read: Callable[[], Any]) -> Any:
    """Return what is read, or the error."""
    try:
        turn = read()
    except OutputParserException as error:
        return type(error), str(error), error.observation, error.span, error.problem
    return repr(turn.result), turn.thought, turn.content, turn.repairs


def differences(reader: WholeReader, some: Iterator[str]) -> tuple[int, list[str]]:
    """Return how many texts are odd and need no stream, and those that it reads otherwise."""
    taken, odd = 0, []
    for text in some:
        for tools in (None, TOOLS):
            assert reader.canonical is not None
            if reader.canonical.read(text, tools) is not None:
                continue

            def streamed(text: str = text, tools: ToolSet | None = tools) -> Any:
                return read_turn(TurnStream(reader._machine, tools, advise=advice), text)

            try:
                if reader.read_odd(text, tools) is None:
                    continue
            except OutputParserException:
                pass  # it is compared as well
            taken += 1
            if said(lambda text=text, tools=tools: reader.read(text, tools)) != said(streamed):  # type: ignore[misc]
                odd.append(text)
    return taken, odd


def reader_of(name: str, mode: Mode) -> WholeReader:
    return WholeReader(machine(get_dialect(name), mode), advice)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("mode", ["lenient", "strict"])
@pytest.mark.parametrize(
    "name", [each for each in list_dialects() if not get_dialect(each).several]
)
def test_odd_steps_agree_with_a_stream(name: str, mode: Mode) -> None:
    reader = reader_of(name, mode)
    if not isinstance(reader._odd, OddSteps):
        pytest.skip("its labels are no words")
    some = texts(get_dialect(name), mode, 20_000 if THOROUGH else 300)
    _, odd = differences(reader, some)
    assert not odd


STEP = "Action: search\nAction Input: old bridge"
USUAL = {
    STEP.replace("Action:", "**Action:**"): ["label"],
    STEP.replace("Action", "## Action"): ["label", "label"],
    f"{STEP}\nObservation: 1489\nThought: so": ["invented"],
    f"{STEP}<|im_end|>": ["invented"],
    f"{STEP.lower()}\nObservation: 1489": ["label", "label", "invented"],
    "**Final Answer:** 42\nObservation: 1": ["label", "invented"],
    'Action: search\nAction Input: {"query": "a",}': ["trailing_comma"],
}


@pytest.mark.parametrize("text", USUAL)
def test_usual_odd_steps_need_no_stream(text: str) -> None:
    reader = reader_of("react", "lenient")
    odd = reader.read_odd(text)
    assert odd is not None
    assert [repair.kind for repair in odd.repairs] == USUAL[text]
    assert odd.log == text.partition("\nObservation")[0].partition("<|im_end|>")[0]


@pytest.mark.parametrize("mode", ["lenient", "strict"])
def test_a_refusal_needs_no_stream(mode: Mode, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(TurnStream, "read_whole")
    with pytest.raises(OutputParserException):
        reader_of("react", mode).read("no label")


BUGS: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "a quotation is not looked for": lambda patch: patch.setattr(odd_steps, "_QUOTES", ""),
    "a name does not matter": lambda patch: patch.setattr(
        OddSteps, "_labels", {"action": ("Action:", "input"), "action input": ("Action Input:", "")}
    ),
    "the log has what follows": lambda patch: patch.setattr(
        odd_steps, "OddTurn", lambda turn, log, repairs: odd_turn(turn, f"{log} ", repairs)
    ),
    "repairs are kept quiet": lambda patch: patch.setattr(
        odd_steps, "OddTurn", lambda turn, log, _: odd_turn(turn, log, ())
    ),
}
odd_turn = odd_steps.OddTurn


@pytest.mark.parametrize("bug", BUGS)
def test_it_would_find_bugs(bug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    BUGS[bug](monkeypatch)
    assert differences(reader_of("react", "lenient"), texts(get_dialect("react"), "lenient", 2000))[
        1
    ]
