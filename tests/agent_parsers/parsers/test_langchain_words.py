"""In strict mode the classes with LangChain's names say its words; `reason` has ours."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest
from langchain_core import messages as lc

import agent_parsers as ours
from agent_parsers import OutputParserException

_CLASSIC = "langchain_classic.agents"
CLASSES = {
    "ReActSingleInputOutputParser": f"{_CLASSIC}.output_parsers",
    "ReActJsonSingleInputOutputParser": f"{_CLASSIC}.output_parsers",
    "JSONAgentOutputParser": f"{_CLASSIC}.output_parsers",
    "SelfAskOutputParser": f"{_CLASSIC}.output_parsers",
    "XMLAgentOutputParser": f"{_CLASSIC}.output_parsers",
    "MRKLOutputParser": f"{_CLASSIC}.mrkl.output_parser",
    "ChatOutputParser": f"{_CLASSIC}.chat.output_parser",
    "ReActOutputParser": f"{_CLASSIC}.react.output_parser",
    "ConvoOutputParser": f"{_CLASSIC}.conversational_chat.output_parser",
    "StructuredChatOutputParser": f"{_CLASSIC}.structured_chat.output_parser",
}
TEXTS = [
    "I would dig.",
    "",
    "Thought: dig\nAction: spade",
    "Thought: dig\nAction Input: deep",
    "Action: spade\nAction Input: deep\nFinal Answer: dug",
    '```json\n{"tool": 1}\n```',
    "Action: dig deep",
    "<tool>spade",
]


def error_of(read: Any, given: Any) -> Exception | None:
    try:
        read(given)
    except Exception as error:  # noqa: BLE001 - LangChain's parsers raise several
        return error
    return None


@pytest.mark.parametrize("name", CLASSES)
def test_errors_have_its_message_and_its_observation(name: str) -> None:
    theirs = getattr(import_module(CLASSES[name]), name)()
    own = getattr(ours, name)()
    for text in TEXTS:
        expected, found = error_of(theirs.parse, text), error_of(own.parse, text)
        if expected is None or found is None:
            continue
        assert isinstance(found, OutputParserException)
        assert str(found) == str(expected).partition("\nFor troubleshooting")[0]
        assert found.observation
        if observation := getattr(expected, "observation", None):
            assert found.observation == observation


@pytest.mark.parametrize("name", ["openai_functions", "tools", "openai_tools"])
def test_a_message_of_somebody_else_is_refused_in_its_words(name: str) -> None:
    message = lc.SystemMessage("Dig.")
    with pytest.raises(TypeError) as raised:
        ours.get_parser(name, lenient=False).invoke(message)
    assert str(raised.value) == f"Expected an AI message got {type(message)}"
    assert "(type 'ai'), found one of type 'system'" in raised.value.__notes__[0]
    with pytest.raises(TypeError, match="found one of type 'system'"):
        ours.get_parser(name).invoke(message)
