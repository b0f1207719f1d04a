"""Many turns that are read at once, column by column, are what each is when it is read alone."""

from __future__ import annotations

import json
from contextlib import suppress
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from agent_parsers import ToolSet, get_dialect, list_dialects
from agent_parsers.authoring import Written, WrittenCall
from agent_parsers.engine.markers.kinds import spelt_texts
from agent_parsers.engine.reading.canonical import (
    columns,
    short_steps,
    step_columns,
    turn_columns,
)
from agent_parsers.engine.reading.canonical.short_steps import ShortSteps
from agent_parsers.engine.reading.canonical.turn_reader import CanonicalReader
from agent_parsers.engine.reading.turn import PlainTurn
from agent_parsers.engine.whole import whole_reader
from agent_parsers.testing.trials.pieces import rows, written
from outputs.growing_json import whole
from outputs.growing_json.whole import scan_object

from ....helpers.effort import THOROUGH

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from agent_parsers.engine.tables.dialect import Dialect
    from agent_parsers.engine.tables.modes import Mode


def search(query: str = "", limit: int = 3, *, q: str = "") -> str:
    """Search."""
    return query * limit + q


def look_up(text: str) -> str:
    """Look it up."""
    return text


TOOLS = (None, ToolSet(["search", "look_up"]), ToolSet([search, look_up]))
NAMED = ["search", "search", "search", "look_up", "unknown", "a.b", "Final Answer", "thought", "1"]
INPUTS: list[Any] = [
    "Lake Thun", "", " x ", "f(x)\n  y", '"quoted"', "'q'", "a: b", "**b**", "<b>x</b>", "[1]",
    '{"query": "a"}', '{"query": "a", "query": "b"}', '{"query": "a",}', "{x}", "PAUSE",
    {"query": "a"}, {"query": "a", "limit": 2}, {"limit": "2"}, {"limit": "many"}, {},
    {"query": 'a\nb"c\\d'}, {"query": "<b> [1]"}, {"a": [1, {"b": None}]}, {"a<b": 1}, {"a:b": 1},
    {"query": "https://x.org/a?b=1"}, {"query": "'''"}, {"text": "it's"}, {"query": "é😀\x1e"},
    {"query": "the query"}, {"q<think>": 1}, {"q": [{"<tool_response>": 1}]}, {"n": 10**30},
]  # fmt: skip
SAID = [
    "", "I need it.", "Two lines.\nAnother", 'It\'s "quoted"', "a: b", "search: now", "'''", '"""',
    "`x`", "``` x", "x < y > z", "[1]", '{"name": "search"}', "Thought: more", "<think>", "# Title",
    "ends oddly:", 'ends "', "do not [", "{", "so\n{", "Action", "Final", "Observation", "＜a：b",
    "a\u200bb", "I call search(query=1).", "the final answer", "<arg_key>", "日本",
    "So it is. " * 60,
]  # fmt: skip
SPOILS = [*"\n \t\"':`#<[{}\\|,", "\u200b", "：", "**", "\r\n", "\0", "\\u00e9", "\\ud800", "'''"]


def texts(dialect: Dialect, mode: Mode, seed: int, count: int) -> Iterator[str]:
    """Yield turns of a dialect: whole, cut, spliced, in another order, or spoilt."""
    random = Random(f"{dialect.name} {mode} {seed}")
    known = [*written(dialect), dialect.sample, *rows(dialect, mode)[::9]]
    marks = [text for mark in dialect.lenient.markers.values() for text in spelt_texts(mark)]

    def turn() -> str:
        thought, call = random.choice(SAID), (random.choice(NAMED), random.choice(INPUTS))
        content = random.choice(SAID) if random.random() < 0.2 else ""
        others = [WrittenCall(*call)] if random.random() < 0.2 else []
        step = Written(thought, *call, content=content, others=tuple(others))
        if random.random() < 0.35:
            step = Written(thought, answer=random.choice(SAID))
        with suppress(Exception):  # not all can be written in each dialect
            return dialect.write(step)
        return random.choice(known)

    for _ in range(count):
        text, other = turn(), turn()
        at, end = random.randrange(len(text) + 1), random.randrange(len(other) + 1)
        lines = random.sample(text.split("\n"), len(text.split("\n")))
        stop = random.choice(dialect.stop or ("",))[: random.randrange(1, 9)]
        whole = text.removeprefix(dialect.generation_prompt(1))
        made = [text[:at], text[at:], text[:at] + other[end:], f"{text}\n{other}", text + stop]
        made += ["\n".join(lines), random.choice(known), whole, whole, *[text] * 8]
        text = random.choice(made)
        for _ in range(random.choice((0, 0, 0, 1, 2))):
            at = random.randrange(len(text) + 1)
            spoil = random.choice((*marks, *SPOILS, *SPOILS, *SAID))
            text = text[:at] + spoil + text[at + random.choice((0, 0, 1, 3)) :]
        yield text


def turns_of(read: columns.TurnColumns) -> dict[int, PlainTurn]:
    """Return the turns in some columns, by their places."""
    found: dict[int, PlainTurn] = {}
    rows = zip(read.thoughts, read.contents, read.answers, strict=True)
    calls = [*zip(read.tools, read.inputs, read.ids, strict=True)]
    for place, (thought, content, answer) in enumerate(rows):
        called = [call for call in calls[place : place + 1] if call[0] is not None]
        called += read.several.get(place, ())
        if place in read.left:
            assert thought is content is answer is None
            assert not called
            continue
        assert isinstance(thought, str)
        assert isinstance(content, str)
        found[place] = PlainTurn(called, thought, content, answer)
    assert read.left == sorted({*range(len(calls))} - {*found})
    return found


def differences(dialect: Dialect, mode: Mode, seed: int, count: int) -> tuple[int, list[str]]:
    """Return how many turns are taken, and those that are not what they are alone."""
    reader = whole_reader(dialect, mode)
    if reader.canonical is None:
        return 0, []
    taken, odd = 0, []
    for number, tools in enumerate(TOOLS):
        given = [*texts(dialect, mode, 10 * seed + number, count)]
        for size in (1, 17, count):
            for at in range(0, count, size):
                part = given[at : at + size]
                found = turns_of(reader.columns(part, tools))
                taken += len(found)
                for place, text in enumerate(part):
                    alone = reader.canonical.read(text, tools)
                    if place not in found and is_read_alone(dialect, alone):
                        continue
                    if repr(found.get(place)) != repr(alone):
                        odd.append(text)
    return taken, odd


def is_read_alone(dialect: Dialect, turn: PlainTurn | None) -> bool:
    """Return whether columns leave a turn: it has content behind calls, or another of two forms."""
    if turn is None or not turn.calls or dialect.form is None:
        return False
    return bool((dialect.form.is_content_last and turn.content) or dialect.form.others)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("mode", ["lenient", "strict"])
@pytest.mark.parametrize("name", list_dialects())
def test_many_turns_are_what_each_is_alone(name: str, mode: Mode) -> None:
    dialect = get_dialect(name)
    taken, odd = differences(dialect, mode, 1, 3_000 if THOROUGH else 90)
    assert not odd
    assert taken or whole_reader(dialect, mode).canonical is None


@pytest.mark.parametrize("mode", ["lenient", "strict"])
@pytest.mark.parametrize(
    "name", ["react", "react_json", "xml", "hermes", "qwen3_coder", "pythonic"]
)
def test_what_a_dialect_writes_is_read_in_columns(name: str, mode: Mode) -> None:
    dialect = get_dialect(name)
    given: Any = "old bridges" if name in ("react", "xml") else {"query": "old bridges"}
    call = dialect.write(Written("I look it up.", "search", given))
    answer = dialect.write(Written("I know it.", answer="It is old."))
    found = turns_of(whole_reader(dialect, mode).columns([call, answer, call]))
    assert found[0].calls == found[2].calls
    assert found[0].calls[0][0] == "search"
    assert found[1].answer == "It is old."


def test_no_turns_have_no_columns() -> None:
    for name in list_dialects():
        assert turns_of(whole_reader(get_dialect(name), "lenient").columns([])) == {}


def shifted(steps: ShortSteps, texts: Any) -> Any:
    """Return groups in which each thought is that of another step."""
    thoughts, *others = in_columns(steps, texts)
    return [[*thoughts[1:], *thoughts[:1]], *others]


def first_only(found: columns.TurnColumns, place: int, calls: Any) -> None:
    """Put the first call of a turn in its place."""
    put_calls(found, place, calls[:1])


def any_called(steps: Any) -> Any:
    """Return the tools that all steps call."""
    return [each and each.strip() for each in steps._groups["tool"]]


def any_objects(texts: list[str], _: int) -> Any:
    """Return the objects in *texts*, whatever keys they have."""
    try:
        return json.loads(f"[{','.join(texts)}]")
    except ValueError:
        return None


put_calls = columns.TurnColumns.call


in_columns = step_columns._columns
BUGS: dict[str, tuple[str, Callable[[pytest.MonkeyPatch], None]]] = {
    "no mark is looked for in steps": (
        "react",
        lambda patch: patch.setattr(step_columns, "marked", lambda *_: []),
    ),
    "what is split off is sure": (
        "react",
        lambda patch: patch.setattr(step_columns, "_unsure", lambda *_: set()),
    ),
    "a thought is that of another step": (
        "react",
        lambda patch: patch.setattr(step_columns, "_columns", shifted),
    ),
    "each tool may be called": (
        "react",
        lambda patch: patch.setattr(step_columns._Steps, "_called", any_called),
    ),
    "no schema is asked in steps": (
        "react",
        lambda patch: patch.setattr(step_columns, "known_tools", lambda _: None),
    ),
    "repairs are kept quiet": (
        "react",
        lambda patch: patch.setattr(
            ShortSteps, "plain_inputs", lambda _, given, __: [each.strip() for each in given]
        ),
    ),
    "no answer of a step may be a call": (
        "react",
        lambda patch: patch.setattr(short_steps, "may_be_foreign_in", lambda *_: False),
    ),
    "a marker in a key is text": (
        "hermes",
        lambda patch: patch.setattr(columns, "is_in_keys", lambda *_: False),
    ),
    "an object may end early": (
        "hermes",
        lambda patch: patch.setattr(
            columns,
            "whole_objects",
            lambda texts, depth: [scan_object(text, 0, depth)[0] for text in texts],
        ),
    ),
    "a key may stand twice in many objects": (
        "react",
        lambda patch: patch.setattr(whole, "_short_objects", any_objects),
    ),
    "no sign of a marker is looked for": (
        "hermes",
        lambda patch: patch.setattr(turn_columns, "marked", lambda *_: []),
    ),
    "a hole is at the wrong place": (
        "react",
        lambda patch: patch.setattr(
            step_columns, "with_holes", lambda items, holes: [None] * len(holes) + [*items]
        ),
    ),
    "a call may be forbidden": (
        "hermes",
        lambda patch: patch.setattr(turn_columns, "ends_oddly", lambda _: False),
    ),
    "no schema is asked in turns of calls": (
        "hermes",
        lambda patch: patch.setattr(CanonicalReader, "takes_as_written", lambda *_: True),
    ),
    "no answer may be a call": (
        "hermes",
        lambda patch: patch.setattr(turn_columns, "may_be_foreign_in", lambda *_: False),
    ),
    "a first call is the only one": (
        "qwen3_coder",
        lambda patch: patch.setattr(columns.TurnColumns, "call", first_only),
    ),
}


@pytest.mark.parametrize("bug", BUGS)
def test_it_would_find_bugs(bug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name, seed = BUGS[bug]
    seed(monkeypatch)
    dialect = get_dialect(name)
    assert any(differences(dialect, mode, 1, 700)[1] for mode in ("lenient", "strict"))
