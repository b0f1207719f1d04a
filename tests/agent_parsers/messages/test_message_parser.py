"""Message parsers as LangChain steps and as pydantic models."""

import asyncio
import copy
import json
import pickle
import subprocess
import sys
from contextlib import suppress
from typing import Any

import langchain_core.messages as lc
import pytest
from langchain_core.runnables import RunnableLambda
from typing_extensions import override

from agent_parsers import (
    AgentFinish,
    AgentOutputParser,
    InputDelta,
    MultiActionAgentOutputParser,
    OpenAIFunctionsAgentOutputParser,
    OpenAIToolsAgentOutputParser,
    OutputParserException,
    ToolAgentAction,
    ToolsAgentOutputParser,
)
from outputs import AIMessage, ChatGeneration, Generation

from ...helpers.effort import THOROUGH

CALL = {"name": "search", "args": {"q": "rain"}, "id": "1"}
WIRE = {"id": "1", "type": "function", "function": {"name": "search", "arguments": '{"q": "rain"}'}}
DEEP: Any = {}
for _ in range(5000):
    DEEP = {"a": DEEP}

classes = pytest.mark.parametrize(
    "cls",
    [ToolsAgentOutputParser, OpenAIToolsAgentOutputParser, OpenAIFunctionsAgentOutputParser],
)


class Namespace:
    """An object of another library, such as `openai`."""

    def __init__(self, fields: dict[str, Any]) -> None:
        self._fields = fields

    def model_dump(self) -> dict[str, Any]:
        return self._fields


@pytest.mark.parametrize(
    "message",
    [
        AIMessage("", tool_calls=[CALL]),
        lc.AIMessage("", tool_calls=[CALL]),
        lc.AIMessageChunk(content="", tool_calls=[CALL]),
        {"role": "assistant", "content": None, "tool_calls": [WIRE]},
        {"choices": [{"message": {"content": None, "tool_calls": [WIRE]}}]},
        Namespace({"role": "assistant", "content": None, "tool_calls": [WIRE]}),
        ChatGeneration(message=AIMessage("", tool_calls=[CALL])),
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "1", "name": "search", "input": {"q": "rain"}}],
        },
        {
            "object": "response",
            "output": [
                {
                    "type": "function_call",
                    "call_id": "1",
                    "name": "search",
                    "arguments": '{"q": "rain"}',
                }
            ],
        },
    ],
    ids=lambda message: type(message).__name__,
)
@pytest.mark.parametrize("lenient", [False, True])
def test_messages_of_any_kind_are_read(message: Any, lenient: bool) -> None:
    parser = ToolsAgentOutputParser(lenient=lenient)
    for result in (
        parser.invoke(message),
        asyncio.run(parser.ainvoke(message)),
        *parser.batch([message]),
        parser.read(message).result,
    ):
        assert isinstance(result, list)
        (action,) = result
        assert isinstance(action, ToolAgentAction)
        assert (action.tool, action.tool_input) == ("search", {"q": "rain"})
        assert action.tool_call_id == "1"
        assert isinstance(action.message_log[0], AIMessage)


def test_a_message_of_ours_is_kept_itself() -> None:
    message = AIMessage("", tool_calls=[CALL])
    result = ToolsAgentOutputParser().invoke(message)
    assert isinstance(result, list)
    assert isinstance(result[0], ToolAgentAction)
    assert result[0].message_log[0] is message
    assert result[0].tool_input is not message.tool_calls[0]["args"]


def test_a_message_of_langchain_is_kept_as_ours() -> None:
    theirs = lc.AIMessage("x", tool_calls=[CALL], name="n", id="7", note=3)
    result = ToolsAgentOutputParser().invoke(theirs)
    assert isinstance(result, list)
    assert isinstance(result[0], ToolAgentAction)
    (ours,) = result[0].message_log
    assert ours == AIMessage("x", tool_calls=[CALL], name="n", id="7", note=3)
    assert repr(ours) == repr(AIMessage("x", tool_calls=[CALL], name="n", id="7", note=3))
    theirs.additional_kwargs["later"] = True
    theirs.tool_calls.clear()
    assert ours == AIMessage("x", tool_calls=[CALL], name="n", id="7", note=3)


def test_arguments_are_not_shared_with_the_message() -> None:
    message = AIMessage("", tool_calls=[CALL])
    result = ToolsAgentOutputParser().invoke(message)
    assert isinstance(result, list)
    assert isinstance(result[0].tool_input, dict)
    result[0].tool_input["q"] = "snow"
    assert message.tool_calls[0]["args"] == {"q": "rain"}


def test_arguments_that_came_as_data_are_emitted_as_json() -> None:
    call = {"id": "1", "function": {"name": "f", "arguments": {"q": "é", "at": WIRE}}}
    message = {"role": "assistant", "content": "", "tool_calls": [call]}
    for parser in (ToolsAgentOutputParser(), ToolsAgentOutputParser(lenient=True)):
        turn = parser.read(message)
        assert isinstance(turn.result, list)
        assert turn.result[0].tool_input == {"q": "é", "at": WIRE}
        (delta,) = [event for event in turn.events if isinstance(event, InputDelta)]
        assert delta.text == json.dumps({"q": "é", "at": WIRE}, ensure_ascii=False)
        assert [repair.kind for repair in turn.repairs] == ["data_arguments"] * parser.lenient


@pytest.mark.parametrize("arguments", [5, [1]])
def test_arguments_that_are_other_data_are_an_error(arguments: Any) -> None:
    call = {"id": "1", "function": {"name": "f", "arguments": arguments}}
    message = AIMessage("")
    message.additional_kwargs = {"tool_calls": [call]}
    with pytest.raises(OutputParserException, match="expected a JSON object"):
        ToolsAgentOutputParser().invoke(message)


def test_an_odd_key_is_emitted_as_it_prints() -> None:
    message = AIMessage("")
    message.tool_calls = [{"name": "f", "args": {(1, 2): 3}, "id": "1"}]  # type: ignore[dict-item]
    turn = ToolsAgentOutputParser().read(message)
    (delta,) = [event for event in turn.events if isinstance(event, InputDelta)]
    assert delta.text == "{(1, 2): 3}"


def test_a_message_class_of_a_users_own_is_read_too() -> None:
    class Own(lc.AIMessage):
        mood: str = "calm"

    Own.__name__, Own.__module__ = "AIMessage", "langchain_core.messages.own"
    result = ToolsAgentOutputParser().invoke(Own("", tool_calls=[CALL]))
    assert isinstance(result, list)
    assert result[0].tool == "search"


def test_text_that_was_edited_out_of_the_raw_calls_does_not_count() -> None:
    message = AIMessage("", additional_kwargs={"tool_calls": [WIRE]})
    message.tool_calls[0]["args"] = {"q": "snow"}
    for result in (
        ToolsAgentOutputParser().invoke(message),
        ToolsAgentOutputParser().read(message).result,
    ):
        assert isinstance(result, list)
        assert result[0].tool_input == {"q": "snow"}


@classes
def test_a_parser_is_a_model(cls: type[Any]) -> None:
    parser = cls(lenient=True, tools={"search": "finds"}, max_chars=100)
    assert parser.tool_names == ("search",)
    for same in (copy.deepcopy(parser), pickle.loads(pickle.dumps(parser)), cls(**dict(parser))):
        assert same == parser
    assert repr(cls()) == f"{cls.__name__}()"
    assert repr(parser).startswith(f"{cls.__name__}(lenient=True")
    with pytest.raises(ValueError, match=r"max_chars should be greater than .*, not -1$"):
        parser.max_chars = -1
    assert parser.stop == []
    assert parser.get_format_instructions() == ""
    base = AgentOutputParser if cls is OpenAIFunctionsAgentOutputParser else None
    assert issubclass(cls, base or MultiActionAgentOutputParser)


@classes
def test_a_parser_is_a_step_of_langchains(cls: type[Any]) -> None:
    chain = RunnableLambda(lc.AIMessage) | cls()
    assert chain.invoke("It is so.") == AgentFinish({"output": "It is so."}, "It is so.")


@classes
def test_a_subclass_may_parse_results_in_its_own_way(cls: type[Any]) -> None:
    class Own(cls):
        @override
        def parse_result(self, result: list[Generation], *, partial: bool = False) -> Any:
            return "own"

    class OwnAsync(cls):
        @override
        async def aparse_result(self, result: list[Generation], *, partial: bool = False) -> Any:
            return "own"

    assert Own().invoke(AIMessage("x")) == "own"
    assert asyncio.run(Own().ainvoke(AIMessage("x"))) == "own"
    assert Own().batch([AIMessage("x")]) == ["own"]
    assert asyncio.run(OwnAsync().ainvoke(AIMessage("x"))) == "own"


@classes
@pytest.mark.parametrize("lenient", [False, True])
def test_deep_arguments_are_an_error_and_not_a_crash(cls: type[Any], lenient: bool) -> None:
    text = '{"a":' * 5000 + "1" + "}" * 5000
    parser = cls(lenient=lenient)
    is_function = cls is OpenAIFunctionsAgentOutputParser
    call = {"name": "f", "arguments": text}
    kwargs: dict[str, Any] = {"function_call": call}
    if not is_function:
        kwargs = {"tool_calls": [{"id": "1", "function": call}]}
        message = AIMessage("")
        message.tool_calls = [{"name": "f", "args": DEEP, "id": "1"}]
        with suppress(OutputParserException):  # a Python that can write it may act on it
            parser.invoke(message)
    with pytest.raises(OutputParserException):
        parser.invoke(AIMessage("", additional_kwargs=kwargs))


@pytest.mark.parametrize("lenient", [False, True])
def test_hostile_messages_are_read_in_time(lenient: bool) -> None:
    parser = ToolsAgentOutputParser(lenient=lenient, tools=["f"])
    size = 12_000 if THOROUGH else 6_000
    shapes = [
        "<tool_call>{}",
        "<tool_call>",
        "</tool_call>",
        "<function=f>",
        "<",
        "{",
        "[{",
        "</th",
    ]
    shapes += [
        "<function=f><parameter=a>x</parameter>",
        "</parameter> ",
        "`",
        '{"name": "f",',
        "<think>",
    ]
    for start in ("", "<tool_call>", "{", '<tool_call>{"a": "', "<function=f><parameter=a>"):
        for shape in shapes:
            with suppress(OutputParserException):
                parser.invoke(AIMessage(start + shape * (size // len(shape))))


def test_importing_the_parsers_stays_light() -> None:
    code = (
        "import sys, agent_parsers.messages;"
        "print(*{'jsonpatch', 'difflib', 'langchain_core', 'regex'} & sys.modules.keys())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
