"""One function decides that a message refuses, for every parser, whole, in part and streamed."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from langchain_core import messages as lc
from langchain_core import output_parsers as lc_parsers
from langchain_core.exceptions import ModelRefusalError as LcModelRefusalError
from langchain_core.outputs import ChatGeneration as LcChatGeneration
from langchain_core.runnables import RunnableLambda
from pydantic import BaseModel

import output_parsers as op
from agent_parsers import get_parser
from outputs import AIMessage, AIMessageChunk, ChatGeneration


class Tide(BaseModel):
    metres: float


CALL = {"name": "Tide", "args": {"metres": 2.5}, "id": "1"}
FUNCTION = {"name": "Tide", "arguments": '{"metres": 2.5}'}
BLOCK = {"type": "refusal", "refusal": "Not that."}
STOPPED = {"stop_reason": "refusal", "model_provider": "anthropic"}

REFUSING: dict[str, dict[str, Any]] = {
    "a block": {"content": [BLOCK]},
    "a block beside a call": {"content": [BLOCK], "tool_calls": [CALL]},
    "a field": {"content": "", "additional_kwargs": {"refusal": "Not that."}},
    "a field beside a function": {
        "content": "",
        "additional_kwargs": {"refusal": "Not that.", "function_call": FUNCTION},
    },
    "a stop reason": {"content": [], "response_metadata": STOPPED},
    "a stop reason beside text": {
        "content": '{"metres": 2.5}', "response_metadata": STOPPED
    },
    "a stop reason beside a call": {
        "content": "", "tool_calls": [CALL], "response_metadata": STOPPED
    },
    "a filter": {"content": "", "response_metadata": {"finish_reason": "content_filter"}},
    "a filter of Gemini": {"content": "", "response_metadata": {"finish_reason": "SAFETY"}},
    "a blocked prompt": {
        "content": "",
        "response_metadata": {"prompt_feedback": {"block_reason": "BlockReason.OTHER"}},
    },
    "a filter of Bedrock": {
        "content": [], "response_metadata": {"stopReason": "guardrail_intervened"}
    },
}  # fmt: skip
PARSERS: list[Any] = [
    op.JsonOutputParser(),
    op.PydanticOutputParser(pydantic_object=Tide),
    op.JsonOutputToolsParser(),
    op.JsonOutputKeyToolsParser(key_name="Tide", first_tool_only=True),
    op.PydanticToolsParser(tools=[Tide]),
    op.OutputFunctionsParser(),
    op.JsonOutputFunctionsParser(),
    op.JsonKeyOutputFunctionsParser(key_name="metres"),
    op.PydanticOutputFunctionsParser(pydantic_schema=Tide),
    op.XMLOutputParser(),
    op.BooleanOutputParser(),
    op.CommaSeparatedListOutputParser(),
]
refusing = pytest.mark.parametrize("fields", REFUSING.values(), ids=REFUSING)
every_parser = pytest.mark.parametrize("parser", PARSERS, ids=lambda parser: type(parser).__name__)


@refusing
@every_parser
@pytest.mark.one_in(3)
def test_every_parser_raises_it_whole_and_in_part(parser: Any, fields: dict[str, Any]) -> None:
    for message in (AIMessage(**fields), lc.AIMessage(**fields)):
        with pytest.raises(op.ModelRefusalError) as raised:
            parser.invoke(message)
        assert raised.value.raw_message.content == message.content
        assert not raised.value.send_to_llm
        assert pickle.loads(pickle.dumps(raised.value)).raw_message == raised.value.raw_message
        for partial in (False, True):
            with pytest.raises(op.ModelRefusalError):
                parser.parse_result([ChatGeneration(message=message)], partial=partial)


def test_the_error_names_the_category() -> None:
    details = {"category": "tides", "explanation": None}
    metadata = {"stop_reason": "refusal", "stop_details": details}
    with pytest.raises(op.ModelRefusalError, match=r"^the model refused \(tides\)$"):
        op.JsonOutputParser().invoke(AIMessage([], response_metadata=metadata))
    metadata["stop_details"] = {**details, "explanation": "Not at sea."}
    with pytest.raises(op.ModelRefusalError, match=r"^the model refused \(tides\): Not at sea\."):
        op.JsonOutputParser().invoke(AIMessage([], response_metadata=metadata))


@refusing
@every_parser
@pytest.mark.one_in(3)
def test_a_stream_ends_in_it(parser: Any, fields: dict[str, Any]) -> None:
    last = {"response_metadata": fields.get("response_metadata", {})}
    first = {name: value for name, value in fields.items() if name not in last}
    chunks = [AIMessageChunk(**first), AIMessageChunk("", **last)]
    with pytest.raises(op.ModelRefusalError):
        [*parser.transform(iter(chunks))]
    with pytest.raises(op.ModelRefusalError):
        parser.invoke(chunks[0] + chunks[1])


@refusing
def test_agent_parsers_and_strategies_agree(fields: dict[str, Any]) -> None:
    message = AIMessage(**fields)
    for name in ("tools", "openai_functions", "react", "hermes"):
        with pytest.raises(op.ModelRefusalError) as raised:
            get_parser(name).invoke(message)
        assert raised.value.raw_message is not None
    for strategy in (op.ToolStrategy(Tide), op.ProviderStrategy(Tide), Tide):
        with pytest.raises(op.ModelRefusalError):
            op.read_structured_output(message, strategy)
    with pytest.raises(op.ModelRefusalError):
        op.with_structured_output(lambda _: message, Tide).invoke("?")


THEIRS: list[Any] = [
    lc_parsers.JsonOutputParser(),
    lc_parsers.PydanticOutputParser(pydantic_object=Tide),
    lc_parsers.JsonOutputToolsParser(),
    lc_parsers.PydanticToolsParser(tools=[Tide]),
]


@refusing
def test_what_langchain_takes_for_a_refusal_is_one_here(fields: dict[str, Any]) -> None:
    for provider in ("openai", "anthropic", "google_genai"):
        metadata = {**fields.get("response_metadata", {}), "model_provider": provider}
        message = lc.AIMessage(**{**fields, "response_metadata": metadata})
        for theirs in THEIRS:
            try:
                theirs.parse_result([LcChatGeneration(message=message)])
            except LcModelRefusalError:
                kind = getattr(op, type(theirs).__name__)
                options = {"pydantic_object": Tide, "tools": [Tide]}
                ours = kind(**{k: v for k, v in options.items() if k in kind.model_fields})
                with pytest.raises(LcModelRefusalError) as raised:
                    (RunnableLambda(lambda given: given) | ours).invoke(message)
                assert raised.value.raw_message == message
            except Exception:  # noqa: BLE001 - an error of parsing, or of pydantic
                continue


def test_a_streamed_refusal_has_all_of_its_words() -> None:
    last = AIMessageChunk("", response_metadata=STOPPED)
    chunks = [AIMessageChunk("I will "), AIMessageChunk("not."), last]
    with pytest.raises(op.ModelRefusalError) as raised:
        [*op.JsonOutputParser().transform(iter(chunks))]
    assert raised.value.refusal == "I will not."


def test_a_text_is_cut_by_a_filter_and_no_refusal() -> None:
    cut = {"finish_reason": "content_filter"}
    assert op.JsonOutputParser().invoke(AIMessage("[1]", response_metadata=cut)) == [1]
    chunks = [AIMessageChunk("[1"), AIMessageChunk("]"), AIMessageChunk("", response_metadata=cut)]
    assert [*op.JsonOutputParser().transform(iter(chunks))][-1] == [1]
    assert op.BooleanOutputParser().invoke(AIMessage("YES", response_metadata=cut))


def test_a_text_stays_a_text() -> None:
    for fields in REFUSING.values():
        message = AIMessage(**fields)
        assert op.StrOutputParser().invoke(message) == message.text
        assert "".join(op.StrOutputParser().transform(iter([message]))) == message.text


def test_fixing_does_not_ask_again_after_it() -> None:
    def ask(_: Any) -> str:
        raise AssertionError("asked")

    fixing = op.OutputFixingParser.from_llm(ask, op.JsonOutputParser())
    with pytest.raises(op.ModelRefusalError):
        fixing.invoke(AIMessage(**REFUSING["a field"]))


def test_a_refusal_in_a_result_of_a_client_is_one_too() -> None:
    reply = {"choices": [{"message": {"role": "assistant", "content": None, "refusal": "No."}}]}
    for parser in PARSERS:
        with pytest.raises(op.ModelRefusalError):
            parser.invoke(reply)
