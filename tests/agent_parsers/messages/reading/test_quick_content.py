"""A whole message whose content holds calls is read as its stream is, and is no answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from agent_parsers import AgentFinish, get_parser
from agent_parsers.testing.trials.sample_calls import foreign_turns
from agent_parsers.testing.trials.stories import outcome_of

from ....helpers.stories import every_dialect

if TYPE_CHECKING:
    from agent_parsers import Dialect


@every_dialect
@pytest.mark.parametrize("name", ["tools", "openai_functions"])
def test_calls_of_a_dialect_in_a_whole_message_are_no_answer(dialect: Dialect, name: str) -> None:
    for turn, tools, _ in foreign_turns(dialect):
        parser: Any = get_parser(name, tools=tools)
        message = {"role": "assistant", "content": turn.text}
        read = outcome_of(lambda parser=parser, message=message: parser.read(message).result)
        invoked = outcome_of(lambda parser=parser, message=message: parser.invoke(message))
        assert invoked == read
        assert not isinstance(invoked, AgentFinish)
