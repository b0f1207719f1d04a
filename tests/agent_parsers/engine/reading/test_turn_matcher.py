"""The match for turns of calls agrees with a stream on every text that it takes."""

from __future__ import annotations

import json
import pickle
import re
from contextlib import suppress
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from agent_parsers import ToolInputError, get_dialect, get_parser, list_dialects
from agent_parsers.actions.tool_action import make_message
from agent_parsers.authoring import SAMPLE_TURN, Written, WrittenCall
from agent_parsers.engine import whole
from agent_parsers.engine.markers.kinds import spelt_texts
from agent_parsers.engine.reading.matching import (
    json_turns,
    parameter_turns,
    plain_text,
    turn_matcher,
    turns,
)
from agent_parsers.engine.reading.rules.machine import machine
from agent_parsers.engine.reading.stream import TurnStream
from agent_parsers.engine.reading.turn import Turn, read_turn
from agent_parsers.engine.whole import WholeReader, whole_reader
from agent_parsers.forms import templates
from output_parsers import OutputParserException
from outputs import AIMessage
from outputs.growing_json.scalars import NOTHING

from ....helpers.effort import THOROUGH

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from agent_parsers.engine.tables.dialect import Dialect
    from agent_parsers.engine.tables.modes import Mode

CANONICAL = [name for name in list_dialects() if get_dialect(name).several]
PIECES = [
    *'<>{}[]():,=\\`~|&"\'', "</", "```", "```json", "\n", "\n\n", " ", "\t", "\r\n", "\x1c",
    "\xa0",
    "\u200b", "\ufeff", "\\u0041", "null", "true", "NaN", "1e999", "-0", "é", "not", "I'll see.",
    "Do not write:", "Never do this:\n", "For example:", "<think>", "</think>", "<tool_call>",
    "</tool_call>", "<|im_end|>", "<tool_response>", "-->", '"""', '"name"', '"a": 1', "Thought:",
    "Action:", "Final Answer:", "Observation:", "functions.", "assistant",
]  # fmt: skip
MEMBERS = ['"q": 1, ', '"q": 1, "q": 2, ', '"q": NaN, ', '"q": "\\u00e9", ', "\n ", "{"]
KEYS = ["q", "query", "name", "arguments", "a b", "q<think>", "x-y"]
TOOLS = ["search", "ping", "a.b", "get-x", "_y", "1a", "functions.search", "None"]


class Texts:
    """Turns of a dialect in which something is odd, or nothing."""

    def __init__(self, dialect: Dialect, seed: int) -> None:
        self._dialect = dialect
        self._random = Random(f"{dialect.name} {seed}")
        marks = (spelt_texts(marker) for marker in dialect.lenient.markers.values())
        self._marks = [*(text for texts in marks for text in texts), *PIECES]

    def some(self, count: int) -> Iterator[str]:
        """Yield so many texts, some of them answers; what cannot be written is left out."""
        for _ in range(count):
            try:
                text = self._dialect.write(self._turn())
            except ValueError:
                continue
            yield self._spoilt(text)

    def _turn(self) -> Written:
        random = self._random
        if random.random() < 0.2:
            return Written(self._said(), answer=self._said() or str(self._value()))
        calls = [
            WrittenCall(random.choice(TOOLS), self._input())
            for _ in range(random.choice((1, 1, 2)))
        ]
        return Written(
            thought=self._said(),
            tool=calls[0].tool,
            tool_input=calls[0].tool_input,
            content=self._said(),
            others=tuple(calls[1:]),
        )

    def _input(self) -> dict[str, Any]:
        names = self._random.sample(KEYS, self._random.choice((0, 1, 1, 2)))
        return {name: self._value() for name in names}

    def _value(self) -> Any:
        random = self._random
        match random.randrange(8):
            case 0:
                return random.choice((1, 2.5, -0.0, 1e22, True, None))
            case 1:
                return {random.choice(KEYS): self._value()}
            case 2:
                return [self._value()]
            case 3 | 4:
                return "".join(random.choices(["Lake Thun", "a", *self._marks], k=2))
            case _:
                return "Lake Thun"

    def _said(self) -> str:
        random = self._random
        if random.random() < 0.5:
            return random.choice(("", "", "I look it up.", "It's late:\nso I do."))
        if random.random() < 0.5:
            return random.choice(self._marks) + " I see."
        return "".join(random.choices(["I see. ", *self._marks], k=random.randrange(4)))

    def _spoilt(self, text: str) -> str:
        random = self._random
        for _ in range(random.choice((0, 0, 1, 1, 2))):
            at = random.randrange(len(text) + 1)
            match random.randrange(5):
                case 0:
                    text = text[:at] + random.choice(self._marks) + text[at:]
                case 4:
                    text = text.replace("{", "{" + random.choice(MEMBERS))
                case 1:
                    text = text[:at] + text[at + random.randrange(1, 8) :]
                case 2:
                    stop = random.choice(self._dialect.stop)
                    text += random.choice((random.choice(self._marks), stop[: random.randrange(9)]))
                case _:
                    text = text.replace(
                        random.choice((" ", "\n")), random.choice(("", " ", "\n", "\r\n", "\t"))
                    )
        return text


def differences(reader: WholeReader, texts: Iterator[str]) -> tuple[int, list[str]]:
    """Return how many of *texts* the *reader* takes, and those that a stream reads otherwise."""
    taken = 0
    odd = []
    for text in texts:
        if (plain := reader.read(text)) is None:
            continue
        taken += 1
        try:
            turn = read_turn(TurnStream(reader._machine, None), text)
        except OutputParserException:
            odd.append(text)
            continue
        if (plain, repr(plain.result)) != (turn, repr(turn.result)):  # 1 == 1.0 == True
            odd.append(text)
    return taken, odd


@pytest.mark.parametrize("mode", ["lenient", "strict"])
@pytest.mark.parametrize("name", CANONICAL)
def test_it_agrees_with_a_stream(name: str, mode: Mode) -> None:
    dialect = get_dialect(name)
    texts = Texts(dialect, seed=1).some(5_000 if THOROUGH else 120)
    taken, odd = differences(whole_reader(dialect, mode), texts)
    assert not odd
    assert taken


@pytest.mark.parametrize("mode", ["lenient", "strict"])
@pytest.mark.parametrize("name", CANONICAL)
def test_a_usual_turn_needs_no_stream(name: str, mode: Mode) -> None:
    dialect = get_dialect(name)
    text = dialect.write(Written(SAMPLE_TURN.thought, "search", {"query": "Lake Thun"}))
    plain = whole_reader(dialect, mode).read(text)
    assert plain is not None
    assert isinstance(plain.result, list)
    assert [action.tool_input for action in plain.result] == [{"query": "Lake Thun"}]


def called(value: Any, **more: Any) -> Written:
    return Written(tool="search", tool_input={"q": value}, **more)


USUAL: dict[str, Written] = {
    "a text": called("Lake Thun"),
    "a number": called(3),
    "a fraction": called(2.5),
    "true": called(True),
    "null": called(None),
    "a list": called([1, "a"]),
    "an object": called({"a": [1, {"b": "c"}]}),
    "code": called("def f(x):\n    return x < 3 and x > 1"),
    "HTML": called('<div class="a">Hi <b>you</b></div>'),
    "a URL": called("https://x.org/a?b=1&c=%20d#e"),
    "escapes": called('C:\\new "q" é😀'),
    "code in a text": called("a `code` b"),
    "a fence": called("```py\nx\n```"),
    "JSON as text": called('{"a": [1]}'),
    "no text": called(""),
    "blanks around": called("  padded "),
    "no parameters": Written(tool="ping", tool_input={}),
    "two parameters": Written(tool="search", tool_input={"q": "a", "limit": "b"}),
    "three calls": Written(
        tool="search",
        tool_input={"q": "a"},
        others=(WrittenCall("ping", {}), WrittenCall("search", {"q": "b", "n": 2})),
    ),
    "a thought": called("a", thought="I look it up."),
    "a thought with code": called("a", thought="I use `search` for it."),
    "a thought with a list": called("a", thought="- one\n- see [1]"),
    "a thought with a fence": called("a", thought="so:\n```\nx\n```\nthen"),
    "content": called("a", content="I use `x` [1]."),
    "an answer": Written(answer="It is 5 m."),
    "an answer in Markdown": Written(answer="The **lake**:\n\n- deep [1]\n- `x`"),
    "an answer with code": Written(answer="So:\n```py\nprint(1)\n```\nDone."),
    "an answer with HTML": Written(answer="see <b>x</b>"),
    "an answer after a thought": Written(thought="Hm.", answer='He said: "no" (1).'),
}
"""What people have in their turns."""
BRACES = {"null", "a list", "an object"}
LEFT = {
    "json_toolcall": {"an answer after a thought"},  # it has quotes
    "functionary_v32": {"an answer with HTML"},  # its mark is ">>>"
    "functiongemma": BRACES,
    "gemma4": BRACES,
    "minicpm5": {"code", "HTML", "a URL", "a fence"},  # it is written as CDATA
    "minimax_m3": {"a list", "an object"},  # its marks hold brackets
}
"""What is left to the stream."""


@pytest.mark.parametrize("mode", ["lenient", "strict"])
@pytest.mark.parametrize("name", CANONICAL)
def test_what_people_have_in_their_turns_needs_no_stream(name: str, mode: Mode) -> None:
    dialect = get_dialect(name)
    reader = whole_reader(dialect, mode)
    left = set()
    for what, step in USUAL.items():
        with suppress(ValueError):  # the dialect cannot write it
            text = dialect.write(step)
            if reader.read(text) is None:
                left.add(what)
    assert left == LEFT.get(name, set())


# -- seeded bugs ----------------------------------------------------------------------------------


def is_never_odd(_text: str) -> None:
    return None


def loads_anything(text: str, start: int, _max_depth: int) -> tuple[Any, int]:
    try:
        return json.JSONDecoder().raw_decode(text, start)
    except ValueError:
        return NOTHING, start


known_of = plain_text.known_marks

BUGS: dict[str, tuple[str, Callable[[pytest.MonkeyPatch], None]]] = {
    "quotes count for nothing": (
        "hermes",
        lambda patch: patch.setattr(
            turns,
            "plain_text",
            lambda known, **_: rf"[^{re.escape(known.first)}]*+",
        ),
    ),
    "what forbids a call counts for nothing": (
        "granite",
        lambda patch: patch.setattr(turns, "_ENDS_ODDLY", is_never_odd),
    ),
    "any JSON is taken": (
        "deepseek_v31",
        lambda patch: patch.setattr(json_turns, "scan_object", loads_anything),
    ),
    "a marker in a key counts for nothing": (
        "deepseek_v31",
        lambda patch: patch.setattr(json_turns, "is_in_keys", lambda *_: False),
    ),
    "a marker of letters counts for nothing": (
        "granite",
        lambda patch: patch.setattr(
            turn_matcher,
            "known_marks",
            lambda *given, **how: known_of(*given, **how)._replace(words=""),
        ),
    ),
    "types count for nothing": (
        "kimi_k3",
        lambda patch: patch.setattr(parameter_turns, "_read_json", lambda written: written),
    ),
    "what closes nothing counts for text": (
        "json_toolcall",
        lambda patch: patch.setattr(turns, "_NO_CLOSER", ""),
    ),
    "white space counts for nothing": (
        "step3",
        lambda patch: patch.setattr(templates, "_is_free", lambda *_: True),
    ),
}


@pytest.mark.parametrize("bug", BUGS)
def test_it_would_find_bugs(bug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name, seed = BUGS[bug]
    seed(monkeypatch)
    dialect = get_dialect(name)
    reader = WholeReader(machine(dialect, "lenient"))
    texts = Texts(dialect, seed=1)
    assert any(differences(reader, texts.some(100))[1] for _ in range(30))


CALL = '```json\n{"name": "ping", "arguments": {}}\n```'
IN_LINE, NONE = f"I see {CALL}", "[search(q=[None])]"
VALUES = '<cofl:value name="a" type="%s">%s</cofl:value>'


@pytest.mark.parametrize("mode", ["lenient", "strict"])
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("json_toolcall", f"FinalAnswer: I see.\n{CALL}"),
        ("json_toolcall", f"so\nFinal\r\nAnswer: I see.\n{CALL}"),
        ("json_toolcall", f"Thought: {{'1\n{CALL}\nI look it up."),
        ("json_toolcall", f"Thought: hm\n{CALL}\n] I see."),
        ("json_toolcall", IN_LINE),
        ("json_toolcall", f"I see.\n<{CALL}"),
        ("command_5", VALUES % ("json", "NaN")),
        ("command_5", VALUES % ("json", '"a"')),
        ("command_5", VALUES % ("dict", (VALUES % ("raw", "x")) * 2)),
        ("command_5", VALUES % ("dict", VALUES.replace(' name="a"', "") % ("raw", "x"))),
        ("command_5", VALUES % ("list", VALUES % ("raw", "x"))),
        ("command_5", VALUES % ("list", "x")),
        ("command_5", VALUES % ("list", "") + VALUES % ("dict", "")),
        ("pythonic", NONE),
        ("pythonic", "[search(q=[null])]"),
        ("gemma4", '<|tool_call>call:ping{}<tool_call|>" is what I call.'),
        ("gemma4", "<|tool_call>call:ping{}<tool_call|>\n```\nx\n```"),
    ],
)
def test_what_is_odd_is_left_to_the_stream(name: str, text: str, mode: Mode) -> None:
    dialect = get_dialect(name)
    if name == "command_5":
        head, _, tail = dialect.write(Written(tool="ping", tool_input={})).partition("</")
        text = f"{head}{text}</{tail}"
    reader = whole_reader(dialect, mode)
    assert differences(reader, iter([text])) in ((0, []), (1, []))


@pytest.mark.parametrize(
    ("name", "text", "seed"),
    [
        ("json_toolcall", IN_LINE, lambda patch: patch.setattr(turns, "_AT_LINE", "")),
        (
            "pythonic",
            NONE,
            lambda patch: patch.setitem(parameter_turns._SPELT_IN_JSON, "None", "true"),
        ),
    ],
)
def test_these_texts_would_find_bugs(
    name: str,
    text: str,
    seed: Callable[[pytest.MonkeyPatch], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seed(monkeypatch)
    monkeypatch.setattr(whole, "whole_reader", whole_reader.__wrapped__)  # none made before
    reader = WholeReader(machine(get_dialect(name), "strict"))
    assert differences(reader, iter([text])) == (1, [text])


# -- turns and messages ---------------------------------------------------------------------------

HERMES = '<think>\nHm.\n</think>\n\n<tool_call>\n{"name": "ping", "arguments": {}}\n</tool_call>'


def test_the_events_are_read_when_they_are_asked_for() -> None:
    parser = get_parser("hermes")
    read = partial(parser.read, HERMES)
    streamed = read_turn(parser.stream_parser(), HERMES)
    assert read() == streamed
    assert read().events == streamed.events
    assert repr(read()) == repr(streamed)
    assert pickle.loads(pickle.dumps(read())) == streamed
    assert Turn.from_json(read().to_json()) == streamed
    with pytest.raises(AttributeError, match="a turn has no 'event': see its actions"):
        read().event  # type: ignore[attr-defined]  # noqa: B018 - that is what raises


def test_a_message_that_is_made_quickly_is_like_any_other() -> None:
    made, usual = make_message("Hm."), AIMessage("Hm.")
    assert made == usual
    assert made.__dict__ == usual.__dict__
    assert made.model_fields_set == usual.model_fields_set
    assert made.model_dump() == usual.model_dump()


def test_with_tools_only_plain_inputs_are_taken() -> None:
    def ping(times: int = 1) -> str:
        """Ping."""
        return "pong" * times

    parser = get_parser("hermes", tools=[ping])
    text = HERMES.replace("{}}", '{"times": %s}}')
    assert parser.parse(text % 2) == parser.read(text % 2).result
    with pytest.raises(ToolInputError, match="times"):
        parser.parse(text % '"two"')
    with pytest.raises(OutputParserException, match="pong"):
        parser.parse(HERMES.replace("ping", "pong"))
