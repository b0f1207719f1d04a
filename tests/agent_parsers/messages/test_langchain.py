"""The strict parsers return what LangChain's return, and raise what they raise."""

import json
from collections.abc import Callable
from typing import Any

import langchain_core.messages as lc
import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_classic.agents.output_parsers import openai_functions, openai_tools, tools
from langchain_core.exceptions import OutputParserException as LcOutputParserException
from langchain_core.outputs import ChatGeneration as LcChatGeneration
from langchain_core.outputs import Generation as LcGeneration
from pydantic import ValidationError

from agent_parsers import (
    OpenAIFunctionsAgentOutputParser,
    OpenAIToolsAgentOutputParser,
    OutputParserException,
    ToolAgentAction,
    ToolsAgentOutputParser,
)
from agent_parsers.actions.tool_action import OpenAIToolAgentAction
from agent_parsers.openai_tools import parse_ai_message_to_openai_tool_action
from agent_parsers.tools import parse_ai_message_to_tool_action
from outputs import AIMessage, ChatGeneration, Generation, HumanMessage

from ...helpers.messages import arguments, letters, written

PAIRS: list[tuple[Callable[[Any], Any], Callable[[Any], Any]]] = [
    (ToolsAgentOutputParser().invoke, tools.ToolsAgentOutputParser().invoke),
    (OpenAIToolsAgentOutputParser().invoke, openai_tools.OpenAIToolsAgentOutputParser().invoke),
    (parse_ai_message_to_tool_action, tools.parse_ai_message_to_tool_action),
    (
        parse_ai_message_to_openai_tool_action,
        openai_tools.parse_ai_message_to_openai_tool_action,
    ),
]
FUNCTIONS: list[tuple[Callable[[Any], Any], Callable[[Any], Any]]] = [
    (
        OpenAIFunctionsAgentOutputParser().invoke,
        openai_functions.OpenAIFunctionsAgentOutputParser().invoke,
    ),
    (
        OpenAIFunctionsAgentOutputParser.parse_ai_message,
        openai_functions.OpenAIFunctionsAgentOutputParser.parse_ai_message,
    ),
]

some_names = st.sampled_from(["search", "look_up", " f ", "functions.search"])
some_ids = st.none() | st.sampled_from(["", "call_1", "call_2"])
blocks = st.lists(
    st.builds(lambda text: {"type": "text", "text": text}, letters) | letters, max_size=2
)
some_contents = letters | blocks
calls = st.lists(
    st.builds(
        lambda name, args, call_id: {"name": name, "args": args, "id": call_id},
        some_names,
        arguments,
        some_ids,
    ),
    max_size=3,
)


def described(result: Any) -> Any:
    """Return *result* as plain data, with the content of each message."""
    if isinstance(result, list):
        return [described(action) for action in result]
    fields = dict(result)
    for message in fields.pop("message_log", []):
        fields["message"] = message.content
        fields["calls"] = message.tool_calls
    return {"class": type(result).__name__, **fields}


def ours(parse: Callable[[Any], Any], message: Any) -> Any:
    try:
        return described(parse(message))
    except OutputParserException as error:
        return str(error)


def theirs(parse: Callable[[Any], Any], message: Any) -> Any:
    try:
        return described(parse(message))
    except LcOutputParserException as error:
        return str(error).partition("\nFor troubleshooting, visit")[0]


def assert_alike(our_result: Any, their_result: Any) -> None:
    # A tuple with NaN would differ from itself; there is no NaN here.
    assert our_result == their_result


@pytest.mark.parametrize(("our_parse", "their_parse"), PAIRS)
@given(some_contents, calls)
def test_tool_calls(
    our_parse: Any, their_parse: Any, content: Any, tool_calls: list[dict[str, Any]]
) -> None:
    try:
        expected = theirs(their_parse, lc.AIMessage(content=content, tool_calls=tool_calls))
    except ValidationError:
        expected = None  # An unwrapped argument that is neither text nor a dictionary.
    for message_class in (AIMessage, lc.AIMessage):
        result = ours(our_parse, message_class(content=content, tool_calls=tool_calls))
        if expected is None:
            assert isinstance(result, str)
        else:
            assert_alike(result, expected)


@pytest.mark.parametrize(("our_parse", "their_parse"), PAIRS)
@given(some_contents, some_names, written, some_ids)
def test_tool_calls_as_they_came(
    our_parse: Any, their_parse: Any, content: Any, name: str, text: Any, call_id: str | None
) -> None:
    entry = {"id": call_id, "type": "function", "function": {"name": name, "arguments": text}}
    fields: dict[str, Any] = {"content": content, "additional_kwargs": {"tool_calls": [entry]}}
    expected: Any
    try:
        expected = theirs(their_parse, lc.AIMessage(**fields))
    except (ValidationError, RecursionError):
        expected = None  # Arguments that are not an object: the message itself is invalid.
    result = ours(our_parse, AIMessage(**fields))
    if expected is None:
        assert isinstance(result, str)
    else:
        assert_alike(result, expected)


@pytest.mark.parametrize(("our_parse", "their_parse"), FUNCTIONS)
@given(some_contents, some_names, written)
def test_a_function_call(
    our_parse: Any, their_parse: Any, content: Any, name: str, text: Any
) -> None:
    call = {"name": name, "arguments": text}
    fields: dict[str, Any] = {"content": content, "additional_kwargs": {"function_call": call}}
    expected: Any
    try:
        expected = theirs(their_parse, lc.AIMessage(**fields))
    except (ValidationError, TypeError, AttributeError, RecursionError):
        expected = None  # Arguments that are neither an object nor a text, or none at all.
    for message_class in (AIMessage, lc.AIMessage):
        result = ours(our_parse, message_class(**fields))
        if expected is None:
            assert isinstance(result, str)
        else:
            assert_alike(result, expected)


@pytest.mark.parametrize(("our_parse", "their_parse"), PAIRS + FUNCTIONS)
@given(some_contents)
def test_an_answer(our_parse: Any, their_parse: Any, content: Any) -> None:
    expected = theirs(their_parse, lc.AIMessage(content=content))
    assert_alike(ours(our_parse, AIMessage(content=content)), expected)
    assert_alike(ours(our_parse, lc.AIMessage(content=content)), expected)


@pytest.mark.parametrize(("our_parse", "their_parse"), PAIRS[2:] + FUNCTIONS[1:])
def test_a_message_of_someone_else_is_a_type_error(our_parse: Any, their_parse: Any) -> None:
    message = lc.HumanMessage("x")
    with pytest.raises(TypeError) as expected:
        their_parse(message)
    with pytest.raises(TypeError) as raised:
        our_parse(message)
    assert str(raised.value) == str(expected.value)
    with pytest.raises(TypeError, match="Expected an AI message got <class 'outputs"):
        our_parse(HumanMessage("x"))
    for odd in ("x", 5, None):
        with pytest.raises(TypeError, match="Expected an AI message got"):
            our_parse(odd)


PARSERS = [
    (ToolsAgentOutputParser(), tools.ToolsAgentOutputParser()),
    (OpenAIToolsAgentOutputParser(), openai_tools.OpenAIToolsAgentOutputParser()),
    (OpenAIFunctionsAgentOutputParser(), openai_functions.OpenAIFunctionsAgentOutputParser()),
]
every_pair = pytest.mark.parametrize(
    ("our", "their"), PARSERS, ids=[type(our).__name__ for our, _ in PARSERS]
)


@every_pair
def test_text_is_refused_in_the_same_words(our: Any, their: Any) -> None:
    for act in (lambda parser: parser.parse("x"), lambda parser: parser.invoke("x")):
        with pytest.raises(ValueError, match="only") as expected:
            act(their)
        with pytest.raises(ValueError, match="only") as raised:
            act(our)
        assert str(raised.value) == str(expected.value)
        assert type(raised.value) is ValueError
    with pytest.raises(ValueError, match="only works on ChatGeneration"):
        our.parse_result([Generation(text="x")])
    with pytest.raises(ValueError, match="only works on ChatGeneration"):
        their.parse_result([LcGeneration(text="x")])


@every_pair
def test_the_result_of_a_model_is_read(our: Any, their: Any) -> None:
    message = {"content": "x", "tool_calls": [{"name": "f", "args": {"a": 1}, "id": "1"}]}
    expected = described(their.parse_result([LcChatGeneration(message=lc.AIMessage(**message))]))
    generation = ChatGeneration(message=AIMessage(**message))
    assert described(our.parse_result([generation])) == expected
    assert described(our.invoke(generation)) == expected
    assert described(our.invoke(LcChatGeneration(message=lc.AIMessage(**message)))) == expected


@every_pair
def test_the_type_in_serialised_form_is_the_same(our: Any, their: Any) -> None:
    assert our.asdict()["_type"] == their.asdict()["_type"]


def test_actions_have_the_same_fields() -> None:
    assert OpenAIToolAgentAction is ToolAgentAction
    assert ToolAgentAction.model_fields.keys() == tools.ToolAgentAction.model_fields.keys()
    fields = {"tool": "f", "tool_input": {"a": 1}, "log": "x", "tool_call_id": None}
    ours = ToolAgentAction(**fields, message_log=[AIMessage("y")])
    theirs = tools.ToolAgentAction(**fields, message_log=[lc.AIMessage("y")])
    assert ours.model_dump(exclude={"message_log"}) == theirs.model_dump(exclude={"message_log"})
    assert ours.messages == [AIMessage("y")]
    with pytest.raises(ValidationError):
        ToolAgentAction(tool="f", tool_input="", log="", message_log=[])


@given(some_contents, calls)
def test_an_action_is_what_validating_it_gives(
    content: Any, tool_calls: list[dict[str, Any]]
) -> None:
    message = AIMessage(content=content, tool_calls=tool_calls)
    try:
        result = ToolsAgentOutputParser().invoke(message)
    except OutputParserException:
        return
    for action in result if isinstance(result, list) else []:
        assert isinstance(action, ToolAgentAction)
        same = ToolAgentAction(
            **{name: getattr(action, name) for name in type(action).model_fields}
        )
        assert action == same
        assert repr(action) == repr(same)
        assert json.dumps(action.model_dump(mode="json")) == json.dumps(
            same.model_dump(mode="json")
        )


# Deliberate differences; see docs/differences.md


def test_a_call_that_cannot_be_read_is_not_dropped_for_another_that_can() -> None:
    entries = [
        {"id": "1", "function": {"name": "f", "arguments": "{}"}},
        {"id": "2", "function": {"name": "g", "arguments": "{"}},
    ]
    message = {"content": "", "additional_kwargs": {"tool_calls": entries}}
    assert len(tools.ToolsAgentOutputParser().invoke(lc.AIMessage(**message))) == 1
    with pytest.raises(OutputParserException, match=r"Could not parse tool input: .'name': 'g'"):
        ToolsAgentOutputParser().invoke(AIMessage(**message))


def test_half_of_an_input_in_a_chunk_is_not_a_call() -> None:
    piece = {"name": "f", "args": '{"a": 1', "id": "1", "index": 0}
    chunk = lc.AIMessageChunk(content="", tool_call_chunks=[piece])
    (action,) = tools.ToolsAgentOutputParser().invoke(chunk)
    assert action.tool_input == {"a": 1}
    with pytest.raises(OutputParserException, match="is not valid JSON"):
        ToolsAgentOutputParser().invoke(chunk)


def test_a_call_without_a_name_is_an_error() -> None:
    message = lc.AIMessage(content="", tool_calls=[{"name": "", "args": {}, "id": "1"}])
    (action,) = tools.ToolsAgentOutputParser().invoke(message)
    assert action.tool == ""
    with pytest.raises(OutputParserException, match="the name of a tool"):
        ToolsAgentOutputParser().invoke(message)
