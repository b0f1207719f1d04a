"""A whole message that is read at once gives what its stream gives: calls, errors, answers."""

from __future__ import annotations

import json
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from agent_laws.trials.foreign_turns import foreign_turns
from agent_laws.trials.stories import outcome_of
from agent_parsers import AgentFinish, OutputParserException, get_parser

from ....helpers.stories import every_dialect

if TYPE_CHECKING:
    from agent_parsers import Dialect


@every_dialect
@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", ["tools", "openai_functions"])
def test_calls_of_a_dialect_in_a_whole_message_are_no_answer(dialect: Dialect, name: str) -> None:
    for turn, tools, _ in foreign_turns(dialect):
        parser: Any = get_parser(name, tools=tools)
        message = {"role": "assistant", "content": turn.text}
        read = outcome_of(lambda parser=parser, message=message: parser.read(message).result)
        invoked = outcome_of(lambda parser=parser, message=message: parser.invoke(message))
        assert invoked == read
        assert not isinstance(invoked, AgentFinish)


WRITTEN = [
    "{}", '{"query": "rain"}', '{"query": "a", "page": 2}', '{"query": "a", "query": "b"}',
    '{"query": {"a": 1, "a": 2}}', '{"query": "a", "page": 2, "more": [], "most": {}}',
]  # fmt: skip


def message(random: Random) -> dict[str, Any]:
    calls = []
    for number in range(random.choice((1, 2, 3))):
        written = random.choice(WRITTEN)
        arguments = json.loads(written) if random.random() < 0.5 else written
        function = {"name": random.choice(("search", "ping")), "arguments": arguments}
        calls.append({"id": str(number), "type": "function", "function": function})
    return {"role": "assistant", "content": random.choice((None, "I see.")), "tool_calls": calls}


@pytest.mark.parametrize("lenient", [True, False])
def test_calls_whose_arguments_are_texts_or_data_are_read_as_in_a_stream(lenient: bool) -> None:
    random, parser = Random(7), get_parser("tools", lenient=lenient)
    odd = []
    for _ in range(600):
        given = message(random)
        read = outcome_of(lambda given=given: parser.read(given).result)
        if outcome_of(lambda given=given: parser.invoke(given)) != read:
            odd.append(given)
    assert not odd


def test_a_key_that_stands_twice_is_an_error_beside_arguments_that_are_data() -> None:
    twice: Any = '{"to": "A", "to": "B"}'
    data = {"a": 1, "b": 2, "c": 3}
    calls = [
        {"id": "1", "type": "function", "function": {"name": "pay", "arguments": each}}
        for each in (data, twice)
    ]
    with pytest.raises(OutputParserException, match="'to' twice"):
        get_parser("tools").invoke({"role": "assistant", "content": None, "tool_calls": calls})
