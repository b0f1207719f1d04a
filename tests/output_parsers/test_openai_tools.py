"""Tool calls in whole messages, compared with LangChain; for streams see `test_streams`."""

import asyncio
import copy
from typing import Any

import langchain_core.messages as lc_messages
import langchain_core.output_parsers.openai_tools as lc
import langchain_core.outputs as lc_outputs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel
from typing_extensions import override

from output_parsers import OutputParserException
from output_parsers.exceptions import ModelRefusalError
from output_parsers.openai_tools import (
    JsonOutputKeyToolsParser,
    JsonOutputToolsParser,
    PydanticToolsParser,
)
from outputs import AIMessage, AIMessageChunk, ChatGeneration, Generation, HumanMessage

from ..helpers.wire_calls import WIRE_CALLS, Json, outcome


def wire(name: Any, arguments: Any, **more: Any) -> dict[str, Any]:
    return {"id": "call_1", "function": {"name": name, "arguments": arguments}, **more}


def outcome_of_each(calls: list[dict[str, Any]], *, strict: bool = False) -> Any:
    errors = [
        found
        for call in calls
        if isinstance(found := outcome(lc.parse_tool_call, call, strict=strict), tuple)
    ]
    return errors[0][0], "\n\n".join(text for _, text in errors)


class search(BaseModel):  # noqa: N801 - the name of the tool
    query: str


class wait(BaseModel):  # noqa: N801 - likewise
    seconds: int = 0


CALLS = [
    {"name": "Search", "args": {"query": "rain"}, "id": "call_1"},
    {"name": "wait", "args": {"seconds": 2}, "id": "call_2"},
    {"name": "Search", "args": {"query": "snow", "limit": 3}, "id": None},
]
MESSAGE = AIMessage("", tool_calls=CALLS)


FIELDS = st.fixed_dictionaries(
    {
        "first_tool_only": st.booleans(),
        "return_id": st.booleans(),
        "strict": st.booleans(),
    }
)
KINDS = {
    "ai": (AIMessage, lc_messages.AIMessage),
    "human": (HumanMessage, lc_messages.HumanMessage),
}


def parsers(fields: dict[str, Any]) -> list[tuple[Any, Any]]:
    """Return our parsers and LangChain's of the same name."""
    key = {**fields, "key_name": "search"}
    return [
        (JsonOutputToolsParser(**fields), lc.JsonOutputToolsParser(**fields)),
        (JsonOutputKeyToolsParser(**key), lc.JsonOutputKeyToolsParser(**key)),
    ]


@given(
    st.lists(WIRE_CALLS, max_size=3) | st.none(),
    FIELDS,
    st.sampled_from(list(KINDS)),
    st.booleans(),
)
def test_calls_on_the_wire_are_parsed_as_langchain_parses_them(
    calls: Any, fields: Any, kind: str, partial: bool
) -> None:
    wired = {} if calls is None else {"tool_calls": calls}
    ours, theirs = KINDS[kind]
    try:
        their_message = theirs("", additional_kwargs=copy.deepcopy(wired))
    except ValueError:
        return  # it cannot be built, for arguments such as "[1]"
    message = ours("", additional_kwargs=wired)
    if kind == "ai" and len(message.tool_calls) != len(their_message.tool_calls):
        return  # theirs drops all calls because of one bad call
    if kind == "ai" and message.invalid_tool_calls and not partial:
        return  # those are errors here, or ``{}``; see below
    before = message.model_copy(deep=True)
    for parser, reference in parsers(fields):
        expected = outcome(
            reference.parse_result,
            [lc_outputs.ChatGeneration(message=their_message)],
            partial=partial,
        )
        if isinstance(expected, tuple):
            if fields["first_tool_only"]:
                continue  # here only the first has to be complete
            expected = outcome_of_each(calls, strict=fields["strict"])
        generation = ChatGeneration(message=message)
        assert outcome(parser.parse_result, [generation], partial=partial) == expected
    assert message == before


@given(
    st.lists(
        st.builds(
            lambda name, args, id_: {"name": name, "args": args, "id": id_},
            st.sampled_from(["search", "wait"]),
            st.dictionaries(st.text(max_size=3), Json, max_size=3),
            st.none() | st.text(max_size=3),
        ),
        max_size=3,
    ),
    FIELDS,
)
def test_calls_of_a_message_are_parsed_as_langchain_parses_them(calls: Any, fields: Any) -> None:
    theirs = lc_messages.AIMessage("", tool_calls=copy.deepcopy(calls))
    for parser, reference in parsers(fields):
        expected = reference.invoke(theirs)
        assert parser.invoke(AIMessage("", tool_calls=calls)) == expected
        assert parser.invoke(theirs) == expected
        assert asyncio.run(parser.ainvoke(theirs)) == expected
        assert parser.batch([theirs] * 2) == [expected] * 2


def test_messages_are_never_changed() -> None:
    message = AIMessage("", tool_calls=CALLS, additional_kwargs={"tool_calls": [wire("f", "{}")]})
    before = message.model_copy(deep=True)
    for parser in (
        JsonOutputToolsParser(return_id=True),
        JsonOutputKeyToolsParser(key_name="Search"),
    ):
        parser.invoke(message)
        assert message == before


@pytest.mark.parametrize("parser", [pair[0] for pair in parsers({})])
def test_text_has_no_tool_calls(parser: Any) -> None:
    with pytest.raises(OutputParserException, match="can only be used with a chat generation"):
        parser.invoke("text")
    with pytest.raises(OutputParserException, match="can only be used with a chat generation"):
        parser.parse_result([Generation(text="text")])
    with pytest.raises(NotImplementedError):
        parser.parse("text")


def test_calls_on_the_wire_that_are_no_list_are_an_error() -> None:
    with pytest.raises(OutputParserException, match="a list of tool calls"):
        JsonOutputToolsParser().invoke(HumanMessage("", additional_kwargs={"tool_calls": "abc"}))
    message = HumanMessage("", additional_kwargs={"tool_calls": None})
    assert JsonOutputToolsParser().invoke(message) == []


REFUSALS = [
    AIMessage([{"type": "text", "text": "Hm. "}, {"type": "refusal", "refusal": "I won't."}]),
    AIMessage("", additional_kwargs={"refusal": "I won't.", "tool_calls": []}),
    AIMessageChunk([{"type": "refusal", "refusal": "I ", "index": 0}])
    + AIMessageChunk([{"type": "refusal", "refusal": "won't.", "index": 0}]),
]


@pytest.mark.parametrize("message", REFUSALS)
def test_a_refusal_is_an_error_of_its_own(message: AIMessage) -> None:
    for parser, _ in parsers({}):
        with pytest.raises(ModelRefusalError, match="I won't") as caught:
            parser.invoke(message)
        assert caught.value.refusal == caught.value.llm_output == "I won't."
        assert caught.value.observation


def test_a_parser_that_waits_is_awaited() -> None:
    class Waiting(JsonOutputToolsParser):
        @override
        async def aparse_result(self, result: Any, *, partial: bool = False) -> Any:
            await asyncio.sleep(0)
            return "waited"

    assert asyncio.run(Waiting().ainvoke(MESSAGE)) == "waited"
    assert asyncio.run(Waiting().abatch([MESSAGE])) == ["waited"]
    assert Waiting().invoke(MESSAGE) == JsonOutputToolsParser().invoke(MESSAGE)


class Foreign:
    """A message of another library, with as few fields as possible."""

    content = None

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update({"additional_kwargs": None, **fields})


def test_a_message_of_another_library_may_lack_what_is_not_needed() -> None:
    parser = JsonOutputToolsParser(return_id=True)
    call = {"name": "wait", "args": {}}
    message: Any = Foreign(tool_calls=[call])
    assert parser.invoke(message) == [{"args": {}, "id": None, "type": "wait"}]
    nothing: Any = Foreign()
    assert parser.invoke(nothing) == []
    none: Any = Foreign(tool_calls=None, type="ai")
    assert parser.invoke(none) == []


def test_a_refusal_without_words_is_one() -> None:
    message = AIMessage([{"type": "refusal", "refusal": None}])
    with pytest.raises(ModelRefusalError, match=r"^the model refused$"):
        JsonOutputToolsParser().invoke(message)


GOOD = {"id": "1", "function": {"name": "search", "arguments": '{"query": "rain"}'}}
CUT = {"id": "2", "function": {"name": "wait", "arguments": '{"seconds": 1'}}
EMPTY = {"id": "3", "function": {"name": "wait", "arguments": ""}}
NAMELESS = {"id": "4", "function": {"name": None, "arguments": ""}}


def messages_of(*entries: dict[str, Any]) -> list[Any]:
    """Return a message with calls in three forms: whole, without the raw calls, and as a sum."""
    whole = AIMessage("", additional_kwargs={"tool_calls": list(entries)})
    read = AIMessage("", tool_calls=whole.tool_calls, invalid_tool_calls=whole.invalid_tool_calls)
    numbered = [{**entry, "index": index} for index, entry in enumerate(entries)]
    return [whole, read, AIMessageChunk("", additional_kwargs={"tool_calls": numbered})]


@pytest.mark.parametrize("message", messages_of(GOOD, CUT) + messages_of(GOOD, NAMELESS))
def test_a_broken_call_beside_a_good_one_is_the_error_of_the_turn(message: AIMessage) -> None:
    parsers: list[Any] = [
        JsonOutputToolsParser(),
        JsonOutputKeyToolsParser(key_name="search"),
        PydanticToolsParser(tools=[search, wait]),
    ]
    for parser in parsers:
        for run in (parser.invoke, lambda message, p=parser: [*p.transform(iter([message]))]):
            with pytest.raises(OutputParserException, match=r"not valid JSON|name of a tool"):
                run(message)


def test_the_first_call_alone_may_stand_beside_a_broken_one() -> None:
    for message in messages_of(GOOD, CUT):
        first: list[Any] = [
            JsonOutputToolsParser(first_tool_only=True),
            PydanticToolsParser(tools=[search, wait], first_tool_only=True),
        ]
        results = [parser.invoke(message) for parser in first]
        assert results == [{"type": "search", "args": {"query": "rain"}}, search(query="rain")]
        key = JsonOutputKeyToolsParser(key_name="search", first_tool_only=True)
        assert key.invoke(message) == {"query": "rain"}
        with pytest.raises(OutputParserException, match="not valid JSON"):
            JsonOutputKeyToolsParser(key_name="wait", first_tool_only=True).invoke(message)
    for message in messages_of(CUT, GOOD)[::2]:
        for parser in first:
            with pytest.raises(OutputParserException, match="not valid JSON"):
                parser.invoke(message)


@pytest.mark.parametrize("message", messages_of(EMPTY, GOOD)[::2])
def test_empty_arguments_are_none_at_all(message: AIMessage) -> None:
    expected = [{"type": "wait", "args": {}}, {"type": "search", "args": {"query": "rain"}}]
    assert JsonOutputToolsParser().invoke(message) == expected
    assert [*JsonOutputToolsParser().transform(iter([message]))][-1] == expected
