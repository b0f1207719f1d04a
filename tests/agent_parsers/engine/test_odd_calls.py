"""Calls that are respelt as their dialect writes them agree with a stream."""

from __future__ import annotations

import json
import re
from itertools import islice
from random import Random
from typing import TYPE_CHECKING

import pytest

from agent_parsers import get_dialect, list_dialects
from agent_parsers.engine import odd_calls
from agent_parsers.engine.odd_calls import OddCalls
from agent_parsers.engine.reading.rules.machine import machine
from agent_parsers.engine.reading.stream import TurnStream
from agent_parsers.engine.whole import WholeReader, whole_reader
from agent_parsers.toolset import ToolSet
from output_parsers import OutputParserException

from ...helpers.effort import THOROUGH

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ODD = [
    name
    for name in list_dialects()
    if isinstance(whole_reader(get_dialect(name), "lenient")._odd, OddCalls)
]
CALL = '<tool_call>\n{"name": "search", "arguments": %s}\n</tool_call>'
OBJECTS = [
    "{}", '{"q": "Lake Thun"}', '{"q": "\\u00e9 \\ud83d\\ude00", "n": 2}', '{"q": "\\ud83d"}',
    '{"q": "\\\\ud83d\\ude00"}', '{"q": {"a": [1, 2,],},}', '{"\\u003ctool_call>": 1}',
    '{"q": 1, "q": 2}', '{"q": NaN}', '{"q": "a `code` b"}', '{"q": "</tool_call>"}',
    '{"x": {"name": "ping", "arguments": "{\\"q\\": 1}"}}', '{"q": "{\\"a\\": 1}"}', "{'q': 1}",
]  # fmt: skip
PIECES = [*'`"\\{}[],:\n x', "```", "```json\n", "\n```", "<tool_call>", "</tool_call>", "\xa0"]


def search(q: object = None, n: int = 1) -> str:
    """Look something up."""
    return f"{q} {n}"


def texts(name: str, count: int) -> Iterator[str]:
    """Yield turns of a dialect, most of them odd."""
    random = Random(name)
    form = get_dialect(name).form
    assert form is not None
    before, between, behind = form.calls
    spelt = form.call.text.replace('{"tool"}', '"search"').replace("{tool}", "search")
    head, tail = spelt.split("{input}")
    two = f"{{}}{tail}{between}{head}{{}}"  # what a string may hold to look like two calls
    for _ in range(count):
        calls = []
        for _ in range(random.choice((1, 1, 2))):
            value = random.choice([*OBJECTS, two])
            if random.random() < 0.4:
                value = json.dumps(value)
            call = f"{head}{value}{tail}"
            if random.random() < 0.3:
                call = f"```{random.choice(('json', '', 'py'))}\n{call}\n```"
            calls.append(call)
        text = f"{form.around[0]}{before}{between.join(calls)}{behind}{form.around[1]}"
        if random.random() < 0.3:
            text = f"```{random.choice(('json', 'xml', '', 'py'))}\n{text}\n```"
        if random.random() < 0.3:
            text = random.choice(("Hm.\n", "See:\n", "<think>a</think>", "```\n")) + text
        if random.random() < 0.2:
            text += random.choice(("\nDone.", "\n", " Hm."))
        for _ in range(random.choice((0, 0, 1, 2))):
            at = random.randrange(len(text) + 1)
            text = text[:at] + random.choice(PIECES) + text[at + random.choice((0, 0, 1)) :]
        yield text


def differences(reader: WholeReader, some: Iterator[str]) -> tuple[int, list[str]]:
    """Return how many of the texts need no stream, and those that a stream reads otherwise."""
    taken, odd = 0, []
    toolset = ToolSet([search])
    assert reader._odd is not None
    for text in some:
        for tools in (None, toolset):
            if (result := reader._odd.result(text, tools, "unknown")) is None:
                continue
            taken += 1
            stream = TurnStream(reader._machine, tools)
            try:
                stream.read_whole(text)
            except OutputParserException:
                odd.append(text)
                continue
            if repr(result) != repr(stream.result):
                odd.append(text)
    return taken, odd


@pytest.mark.parametrize("name", ODD)
def test_odd_calls_agree_with_a_stream(name: str) -> None:
    some = texts(name, 20_000 if THOROUGH else 200)
    taken, odd = differences(whole_reader(get_dialect(name), "lenient"), some)
    assert not odd
    assert taken


@pytest.mark.parametrize(
    "text",
    [
        CALL % '{"q": "\\u00e9 \\ud83d\\ude00"}',
        CALL % '{"q": [1, 2,],}',
        CALL % '"{\\"q\\": 1}"',
        f"```json\n{CALL % '{}'}\n```",
        CALL.replace("\n", "\n```json\n", 1).replace("\n<", "\n```\n<") % '{"q": 1}',
    ],
)
def test_usual_odd_calls_need_no_stream(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = whole_reader(get_dialect("hermes"), "lenient")
    monkeypatch.delattr(TurnStream, "read_whole")
    assert reader.parse(text)


def test_half_a_character_in_a_string_is_left_to_the_stream() -> None:
    text = CALL % r'"{\"q\": \"x\ud83d\"}"'
    reader = whole_reader(get_dialect("hermes"), "lenient")
    assert reader._odd is not None
    assert reader._odd.result(text, None, "unknown") is None
    assert reader._odd.result(text.replace(r"\ud83d", r"\u00e9"), None, "unknown") is not None


def takes_any_string(found: re.Match[str]) -> str:
    try:
        return found["head"] + str(json.loads(found["value"]))
    except ValueError:
        return found[0]


BUGS: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "any string is taken": lambda patch: patch.setattr(odd_calls, "_decoded", takes_any_string),
    "what follows a fence counts for nothing": lambda patch: patch.setattr(
        odd_calls, "_FENCED", re.compile(r"(?s:```[a-z]*\n([^`]*)```.*)").fullmatch
    ),
}


@pytest.mark.parametrize("bug", BUGS)
def test_it_would_find_bugs(bug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    BUGS[bug](monkeypatch)
    reader = WholeReader(machine(get_dialect("hermes"), "lenient"))
    given = texts("hermes", 3_000)
    assert any(differences(reader, islice(given, 100))[1] for _ in range(30))
