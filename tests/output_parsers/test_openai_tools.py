"""Whole messages, against LangChain; streams are in ``test_openai_tools_streams.py``."""

import asyncio
import copy
from typing import Any

import langchain_core.messages as lc_messages
import langchain_core.output_parsers.openai_tools as lc
import langchain_core.outputs as lc_outputs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typing_extensions import override

from output_parsers import OutputParserException
from output_parsers._openai_tools import JsonOutputKeyToolsParser, JsonOutputToolsParser
from output_parsers._tools_refusal import ModelRefusalError
from outputs import AIMessage, AIMessageChunk, ChatGeneration, Generation, HumanMessage

from .wire_calls import WIRE_CALLS, Json, outcome


def wire(name: Any, arguments: Any, **more: Any) -> dict[str, Any]:
    return {"id": "call_1", "function": {"name": name, "arguments": arguments}, **more}


def outcome_of_each(calls: list[dict[str, Any]], *, strict: bool = False) -> Any:
    errors = [
        found
        for call in calls
        if isinstance(found := outcome(lc.parse_tool_call, call, strict=strict), tuple)
    ]
    return errors[0][0], "\n\n".join(text for _, text in errors)


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
    """Return parsers and LangChain's of the same name."""
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
        return  # theirs has dropped all calls because of a bad one
    before = message.model_copy(deep=True)
    for parser, reference in parsers(fields):
        expected = outcome(
            reference.parse_result,
            [lc_outputs.ChatGeneration(message=their_message)],
            partial=partial,
        )
        if isinstance(expected, tuple):
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


def test_a_refusal_beside_calls_is_no_error() -> None:
    message = AIMessage([{"type": "refusal", "refusal": "I won't."}], tool_calls=CALLS)
    assert len(JsonOutputToolsParser().invoke(message)) == 3
    generation = ChatGeneration(message=REFUSALS[0])
    assert JsonOutputToolsParser().parse_result([generation], partial=True) == []


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
    """A message of another library, with as little as that may have."""

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
