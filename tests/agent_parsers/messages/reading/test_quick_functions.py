"""A function call that is read at once gives what the stream of its message gives."""

from __future__ import annotations

import json
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from agent_parsers.messages.reading import whole
from agent_parsers.messages.reading.stream import MessageStreamParser
from agent_parsers.toolset import ToolSet
from output_parsers import OutputParserException
from outputs import AIMessage
from outputs.growing_json.scalars import NOTHING

from ....helpers.effort import THOROUGH

if TYPE_CHECKING:
    from collections.abc import Callable

WRITTEN = [
    "{}", '{"query": "rain"}', '{"query": "rain", "page": 2}', '{"query": "a", "query": "b"}', "",
    '{"query": NaN}', '{"query": "\\ud83d\\ude00"}', '{"query": "\\ud83d"}', '{"query": "a\nb"}',
    ' {"query": "rain"} ', '{"query": "rain",}', '{"query": "rain"', '{"__arg1": "rain"}',
    '{"__arg1": 5}', '{"__arg1": {"a": 1}, "b": 2}', '"rain"', '"{}"', "rain", "[1]", "null",
    '{"query": "rain"} {}', '{"page": "two"}', '{"query": 1e999}', '{"q": [[[{}]]]}', None, {}, 3,
]  # fmt: skip
NAMES = ["search", "search", "search", "Search", "functions.search", "", " ", "ping", None, 3]


def search(query: str, page: int = 1) -> str:
    """Look something up."""
    return f"{query} {page}"


def message(random: Random) -> AIMessage:
    call: Any = {"name": random.choice(NAMES), "arguments": random.choice(WRITTEN)}
    if random.random() < 0.1:
        call = random.choice(({}, None, "search", {"name": "search"}, {**call, "id": "a"}))
    beside = random.choice(({}, {}, {}, {"refusal": "No."}, {"reasoning": "Hm."}, {"x": 1}))
    calls = random.choice(([], [], [], [{"name": "ping", "args": {}, "id": None}]))
    reason = random.choice((None, None, "stop", "length", "content_filter", "function_call"))
    content: Any = random.choice(("", "", "I see.", "\n", [{"type": "text", "text": "Hm."}]))
    return AIMessage(
        content,
        additional_kwargs={"function_call": call, **beside},
        tool_calls=calls,
        response_metadata={} if reason is None else {"finish_reason": reason},
    )


def outcome(read: Callable[[], object]) -> str:
    try:
        return repr(read())
    except OutputParserException as error:
        return f"{type(error).__name__} {error} {error.span} {error.observation}"


def differences(count: int) -> tuple[int, list[AIMessage]]:
    """Return how many messages are read at once, and those that a stream reads otherwise."""
    random = Random(7)
    tools = ToolSet([search])
    taken, odd = 0, []
    for _ in range(count):
        given = message(random)
        for lenient in (False, True):
            options: dict[str, Any] = {
                "is_function": True,
                "lenient": lenient,
                "max_chars": random.choice((1_000, 1_000, 20)),
                "tools": random.choice((None, tools)),
            }
            quick = whole._quick_result(given, *options.values())
            taken += quick is not None
            parser = MessageStreamParser(message=given, **options)

            def streamed(parser: MessageStreamParser = parser, given: Any = given) -> object:
                parser.feed(given)
                parser.close()
                return parser.result

            def at_once(given: Any = given, options: Any = options) -> object:
                return whole.result_of(given, **options)

            if outcome(at_once) != outcome(streamed):
                odd.append(given)
    return taken, odd


def test_a_function_call_is_read_at_once_as_in_a_stream() -> None:
    taken, odd = differences(20_000 if THOROUGH else 600)
    assert not odd
    assert taken


def loads_anything(text: str, start: int, _max_depth: int) -> tuple[Any, int]:
    try:
        return json.JSONDecoder().raw_decode(text, start)
    except ValueError:
        return NOTHING, start


def is_taken(_tools: ToolSet, _tool: str, tool_input: Any, _lenient: bool) -> Any:
    return tool_input


BUGS: dict[str, tuple[str, Any]] = {
    "any JSON is taken": ("scan_object", loads_anything),
    "any input fits": ("_taken", is_taken),
}


@pytest.mark.parametrize("bug", BUGS)
def test_it_would_find_bugs(bug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whole, *BUGS[bug])
    assert any(differences(count)[1] for count in (60, 600))
