"""Whole turns are read as a stream reads them, matched, respelt or not, with and without tools."""

from __future__ import annotations

import json
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from agent_laws.trials.pieces import rows, written
from agent_parsers import OutputParserException, ToolSet, get_dialect, list_dialects
from agent_parsers.authoring import Written, with_labels
from agent_parsers.engine import whole
from agent_parsers.engine.markers.kinds import Label
from agent_parsers.engine.reading.matching import respelling
from agent_parsers.engine.reading.rules.machine import machine
from agent_parsers.engine.reading.stream import TurnStream
from agent_parsers.engine.reading.turn import read_turn
from agent_parsers.engine.whole import WholeReader
from agent_parsers.engine.writing.advice import advice

from ...helpers.effort import THOROUGH

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from agent_parsers.engine.tables.dialect import Dialect
    from agent_parsers.engine.tables.modes import Mode

DRESSES = [
    "**{}:**",
    "## {}:",
    "# {}:",
    "{}:",
    "**{}**:",
    "__{}__:",
    "- {}:",
    "{} :",
    "{} 1:",
    "{}  2:",
    "{}\t10:",
]
INPUTS = [
    "old bridge", '{"query": "a"}', '{"query": "a",}', '{"query": "a', '"x"', '"x', "```\nx",
    "it's", "'''x", "* x", "a: b", "x # y", "# Title", "two\nlines", "", "x\nObs", "x\nPAUSE",
    "{'query': 'old bridge'}", "{'limit': '3',}", "at 06:10", "https://x.org/a?b=1", "`x` y",
]  # fmt: skip
OBJECTS = [
    "{}", '{"q": "Lake Thun"}', '{"q": "\\u00e9 \\ud83d\\ude00", "n": 2}', '{"q": "\\ud83d"}',
    '{"q": {"a": [1, 2,],},}', '{"q": 1, "q": 2}', '{"q": "a `code` b"}', '{"q": "```\\n"}',
    '{"x": {"name": "ping", "arguments": "{\\"q\\": 1}"}}', "{'q': 1}", '{"query": "a", "n": "1"}',
]  # fmt: skip
ENDS = ["", "", "<|im_end|>", "</s>", "\n\n", "\nNote: x", "\nDone.", " Hm."]
PIECES = [
    *'`"\\{}[],:\n x#*', "```", "```json\n", "\n```", "**", "'''", "\u200b", "：", "Final Answer",
]  # fmt: skip


def search(query: str = "", limit: int = 3, *, q: object = "", n: int = 1) -> str:
    """Search."""
    return f"{query} {limit} {q} {n}"


def look_up(text: str) -> str:
    """Look it up."""
    return text


def ping() -> str:
    """Answer."""
    return "pong"


TOOLS = (None, ToolSet(["search", "look_up"]), ToolSet([search, look_up, ping]))


def steps(dialect: Dialect, random: Random) -> str:
    """Return a step of a dialect whose labels may be dressed."""
    markers = dialect.lenient.markers.values()
    labels = [each.canonical[:-1] for each in markers if isinstance(each, Label)]
    text = random.choice([*written(dialect), dialect.sample])
    if random.random() < 0.7:
        names = [random.choice(["search", "look_up", "ping", "other", "**search**", "a b"])]
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
    return text + random.choice([*ENDS, *(f"\n{each}: 1489\nmore" for each in labels)])


def calls(dialect: Dialect, random: Random) -> str:
    """Return a turn of calls whose JSON, or all of which, may be in a fence or have commas."""
    form = dialect.form
    assert form is not None
    before, between, behind = form.calls
    spelt = form.call.text.replace('{"tool"}', '"search"').replace("{tool}", "search")
    spelt = spelt.replace('{"id"}', '"call00001"').replace("{id}", "call00001")
    head, tail = spelt.split("{input}")
    made = []
    for _ in range(random.choice((1, 1, 2))):
        value = random.choice(OBJECTS)
        call = f"{head}{json.dumps(value) if random.random() < 0.2 else value}{tail}"
        if random.random() < 0.3:
            call = f"```{random.choice(('json', '', 'py'))}\n{call}\n```"
        made.append(call)
    text = f"{form.around[0]}{before}{between.join(made)}{behind}{form.around[1]}"
    if random.random() < 0.3:
        text = f"```{random.choice(('json', 'xml', '', 'py'))}\n{text}\n```"
    if random.random() < 0.3:
        text = random.choice(("Hm.\n", "See:\n", "<think>a</think>", "```\n")) + text
    return text + random.choice(ENDS)


def texts(dialect: Dialect, mode: Mode, count: int) -> Iterator[str]:
    """Yield turns of a dialect, most of them odd."""
    random = Random(f"{dialect.name} {mode}")
    known = [*written(dialect), dialect.sample, *rows(dialect, mode)[::9]]
    has_json = dialect.form is not None and dialect.form.call.parameters is None
    for _ in range(count):
        text = random.choice(known)
        if random.random() < 0.8 and not dialect.several:
            text = steps(dialect, random)
        elif random.random() < 0.8 and has_json:
            text = calls(dialect, random)
        for _ in range(random.choice((0, 0, 1, 2))):
            at = random.randrange(len(text) + 1)
            text = text[:at] + random.choice(PIECES) + text[at + random.choice((0, 0, 1, 5)) :]
        yield text


def said(read: Callable[[], Any]) -> Any:
    """Return what is read, or the error."""
    try:
        turn = read()
    except OutputParserException as error:
        return type(error), str(error), error.observation, error.span, error.problem
    return repr(turn.result), turn.thought, turn.content, turn.repairs


def differences(reader: WholeReader, some: Iterator[str]) -> tuple[int, list[str]]:
    """Return how many texts need no stream, and those that it reads otherwise."""
    taken, odd = 0, []
    for text in some:
        for tools in TOOLS:
            if (turn := reader.read(text, tools)) is None:
                continue
            taken += 1

            def streamed(text: str = text, tools: ToolSet | None = tools) -> Any:
                return read_turn(TurnStream(reader._machine, tools, advise=advice), text)

            if said(lambda turn=turn: turn) != said(streamed):  # type: ignore[misc]
                odd.append(text)
    return taken, odd


def reader_of(name: str, mode: Mode) -> WholeReader:
    return WholeReader(machine(get_dialect(name), mode), advice)


@pytest.mark.one_in(8)
@pytest.mark.parametrize("mode", ["lenient", "strict"])
@pytest.mark.parametrize("name", list_dialects())
def test_what_needs_no_stream_is_what_a_stream_reads(name: str, mode: Mode) -> None:
    some = texts(get_dialect(name), mode, 10_000 if THOROUGH else 150)
    _, odd = differences(reader_of(name, mode), some)
    assert not odd


# -- each of the three ways can be switched off ---------------------------------------------------

STEP = "Action: search\nAction Input: old bridge"
CALL = '<tool_call>\n{"name": "search", "arguments": %s}\n</tool_call>'
DRESSED: dict[tuple[str, str], list[str]] = {
    ("react", STEP.replace("Action:", "**Action:**")): ["label"],
    ("react", STEP.replace("Action", "## Action")): ["label", "label"],
    ("react", f"Thought: It is 10:30.\n{STEP.lower()}"): ["label", "label"],
    ("react", '**Action:** search\nAction Input: {"query": "a",}'): ["label", "trailing_comma"],
    ("hermes", CALL % '{"q": [1, 2,],}'): ["trailing_comma", "trailing_comma"],
    ("hermes", f"```json\n{CALL % '{}'}\n```"): ["fence"],
    ("hermes", (CALL % '{"q": 1,}').replace("\n", "\n```json\n", 1).replace("\n<", "\n```\n<")): [
        "trailing_comma",
        "fence",
    ],
}


@pytest.mark.parametrize(("name", "text"), DRESSED)
def test_a_turn_that_is_only_dressed_is_respelt(
    name: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn = reader_of(name, "lenient").read(text)
    assert turn is not None
    assert [repair.kind for repair in turn.repairs] == DRESSED[name, text]
    monkeypatch.setattr(whole, "respeller", lambda _: None)
    assert reader_of(name, "lenient").read(text) is None
    stream = TurnStream(machine(get_dialect(name), "lenient"), advise=advice)
    assert said(lambda: read_turn(stream, text)) == said(lambda: turn)


def switch_off_the_match(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(WholeReader, "plain", lambda *_: None)
    patch.setattr(whole, "step_matcher", lambda _: None)
    matcher = "agent_parsers.engine.reading.matching.turn_matcher.turn_matcher"
    patch.setattr(matcher, lambda _: None)


def switch_off_respelling(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(whole, "respeller", lambda _: None)


@pytest.mark.parametrize("switch_off", [switch_off_the_match, switch_off_respelling])
@pytest.mark.parametrize("name", list_dialects())
def test_nothing_is_read_otherwise_without_the_match_or_respelling(
    name: str, switch_off: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    some = [*texts(get_dialect(name), "lenient", 5), *written(get_dialect(name))]

    def found() -> list[str]:
        reader = reader_of(name, "lenient")
        return [repr(said_of(reader, text)) for text in some]

    before = found()
    switch_off(monkeypatch)
    assert found() == before


def said_of(reader: WholeReader, text: str) -> Any:
    try:
        return reader.parse(text)
    except OutputParserException as error:
        return type(error), str(error), error.observation, error.span


STREAMED = {"smolagents_code": "its calls are code, which no form says"}


@pytest.mark.parametrize("name", list_dialects())
def test_a_rendered_turn_needs_no_stream(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    dialect = get_dialect(name)
    example = dialect.example
    thought = "I look it up." if dialect.thinks else ""
    turns = [
        Written(thought, example.tool, example.tool_input),
        Written("", example.tool, example.tool_input),
        Written(thought, answer="It is 42 m."),
        Written("", answer="It is 42 m."),
    ]
    monkeypatch.delattr(TurnStream, "read_whole")
    if name in STREAMED:
        return
    for mode in ("lenient", "strict"):
        for turn in turns:
            assert reader_of(name, mode).parse(dialect.write(turn))


BUGS: dict[str, tuple[str, Callable[[pytest.MonkeyPatch], None]]] = {
    "repairs are kept quiet": (
        "react",
        lambda patch: patch.setattr(
            respelling, "Respelt", lambda text, _: respelling_respelt(text, ())
        ),
    ),
    "commas have another place": (
        "hermes",
        lambda patch: patch.setattr(
            respelling,
            "Repair",
            lambda kind, span, said: repair(kind, (span[0] + 1, span[1]), said),
        ),
    ),
    "what follows a fence counts for nothing": (
        "hermes",
        lambda patch: patch.setattr(
            respelling, "_FENCED", respelling.re.compile(r"(?s:```[a-z]*\n([^`]*)```.*)").fullmatch
        ),
    ),
}
respelling_respelt, repair = respelling.Respelt, respelling.Repair


@pytest.mark.parametrize("bug", BUGS)
def test_it_would_find_bugs(bug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name, seed = BUGS[bug]
    seed(monkeypatch)
    reader = reader_of(name, "lenient")
    given = texts(get_dialect(name), "lenient", 3_000)
    assert differences(reader, given)[1]


# -- labels in other words ------------------------------------------------------------------------

WORDS: dict[str, dict[str, str]] = {
    "Turkish": {"Action": "Eylem", "Action Input": "Eylem Girdisi"},
    "brackets": {"Observation": "Note (seen)", "Thought": "[T]"},
    "a number": {"Action": "Step 2", "Action Input": "Step 2 Input"},
}


@pytest.mark.parametrize("words", WORDS)
def test_labels_in_other_words_are_read_as_a_stream_reads_them(words: str) -> None:
    labels = WORDS[words]
    dialect = with_labels(get_dialect("react"), name="own", labels=labels)
    usual = [
        "Thought: b\nObservation: c\nAction: search\nAction Input: x",
        "Thought: b\nAction: search\nAction Input: at 10:30 (so): y",
    ]
    given = []
    for each in usual:
        text = each
        for label in sorted(labels, key=len, reverse=True):
            text = text.replace(f"{label}:", f"{labels[label]}:")
        given += [text, text.lower(), text.upper(), text.replace("i", "İ").replace("I", "ı")]
    for mode in ("lenient", "strict"):
        assert not differences(WholeReader(machine(dialect, mode), advice), iter(given))[1]


def test_letters_that_only_patterns_fold_are_no_label() -> None:
    with pytest.raises(OutputParserException):
        reader_of("react", "lenient").parse("Act\u0131on: search\nAction \u0130nput: x")


LONG = ["x" * size for size in (64, 65, 129, 201, 257)]


@pytest.mark.parametrize("name", [name for name in list_dialects() if get_dialect(name).several])
def test_long_names_are_read_as_a_stream_reads_them(name: str) -> None:
    given = [get_dialect(name).write(Written(tool=each, tool_input={each: "a"})) for each in LONG]
    for mode in ("lenient", "strict"):
        assert not differences(reader_of(name, mode), iter(given))[1]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("react", "Thought: a\nObservation  1: b\nAction: search\nAction Input: x"),
        ("react", "Thought: a\nThought \t1: b\nAction: search\nAction Input: x"),
        ("self_ask", "Intermediate answer  1: b\nFollow up: x"),
        ("pythonic", '[f(a="\x00x")]'),
        ("hunyuan_a13b", "<answer>\n 助手：42\n</answer>"),
    ],
)
def test_these_texts_are_read_as_a_stream_reads_them(name: str, text: str) -> None:
    for mode in ("lenient", "strict"):
        assert not differences(reader_of(name, mode), iter([text]))[1]
