"""Legacy function calls, as data and as objects, compared with LangChain."""

import copy
import json
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import jsonpatch
import langchain_core.messages as lc_messages
import langchain_core.output_parsers.openai_functions as lc
import langchain_core.outputs as lc_outputs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError
from pydantic.v1 import BaseModel as V1Model
from pydantic.v1 import ValidationError as V1ValidationError
from typing_extensions import override

from output_parsers import OutputParserException
from output_parsers.exceptions import ModelRefusalError
from output_parsers.openai_functions import (
    JsonKeyOutputFunctionsParser,
    JsonOutputFunctionsParser,
    OutputFunctionsParser,
    PydanticAttrOutputFunctionsParser,
    PydanticOutputFunctionsParser,
)
from outputs import AIMessage, AIMessageChunk, ChatGeneration, Generation, HumanMessage

# Legacy function calls, whole and in chunks, compared with LangChain.

OURS = {
    "text": OutputFunctionsParser,
    "json": JsonOutputFunctionsParser,
    "key": JsonKeyOutputFunctionsParser,
}
THEIRS = {
    "text": lc.OutputFunctionsParser,
    "json": lc.JsonOutputFunctionsParser,
    "key": lc.JsonKeyOutputFunctionsParser,
}
PARSERS: list[tuple[str, dict[str, Any]]] = [
    ("text", {}),
    ("text", {"args_only": False}),
    ("json", {}),
    ("json", {"strict": True}),
    ("json", {"args_only": False}),
    ("key", {"key_name": "a"}),
    ("key", {"key_name": "arguments", "args_only": False}),
]

Json = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner),
    max_leaves=6,
)
OBJECTS = st.dictionaries(st.sampled_from("abc"), Json)
TEXTS = st.builds(json.dumps, OBJECTS | Json, ensure_ascii=st.booleans())
ARGUMENTS = TEXTS | st.sampled_from(["", "{", '{"a": 1}}', '{"a": "x\ny"}', '{"a": 1} x', "nope"])
CALLS = st.fixed_dictionaries(
    {}, optional={"name": st.sampled_from(["f", "g"]), "arguments": ARGUMENTS}
)
PLACES = st.lists(st.integers(0, 40), max_size=12)


def outcome(function: Any, *args: Any, **kwargs: Any) -> Any:
    """Return the result, or the kind and text of the error without LangChain's link."""
    try:
        return function(*args, **kwargs)
    except Exception as error:  # noqa: BLE001 - both must raise the same
        return type(error).__name__, str(error).partition("\nFor troubleshooting")[0]


def run(outputs: Iterable[Any]) -> tuple[list[Any], BaseException | None]:
    """Return what a stream yields, and the error it ends with."""
    results: list[Any] = []
    try:
        results.extend(outputs)  # keeps what came before an error
    except Exception as error:  # noqa: BLE001 - whatever it is
        return results, error
    return results, None


def message_with(call: Any, kind: Any = AIMessage) -> Any:
    return kind(content="", additional_kwargs={} if call is None else {"function_call": call})


def chunks_of(call: dict[str, Any], places: Iterable[int], kind: Any) -> list[Any]:
    """Return chunks whose sum is the message with *call*."""
    chunks = [kind(content="")]
    if "name" in call:
        chunks.append(message_with({"name": call["name"]}, kind))
    if "arguments" in call:
        text = call["arguments"]
        ends = sorted({min(place, len(text)) for place in places} | {0, len(text)})
        pieces = ["", *(text[start:end] for start, end in pairwise(ends))]
        chunks += [message_with({"arguments": piece}, kind) for piece in pieces]
    return chunks


# Whole messages


@pytest.mark.parametrize(("kind", "fields"), PARSERS)
@given(CALLS, st.booleans())
def test_messages_are_parsed_as_langchain_parses_them(
    kind: str, fields: Any, call: dict[str, Any], partial: bool
) -> None:
    reference: Any = THEIRS[kind](**fields)
    their_message = message_with(copy.deepcopy(call), lc_messages.AIMessage)
    theirs = lc_outputs.ChatGeneration(message=their_message)
    expected = outcome(reference.parse_result, [theirs], partial=partial)
    message = message_with(call)
    before = message.model_copy(deep=True)
    parser = OURS[kind](**fields)
    ours = outcome(parser.parse_result, [ChatGeneration(message=message)], partial=partial)
    assert is_same(ours, expected)
    assert is_same(outcome(parser.invoke, their_message), outcome(reference.invoke, their_message))
    assert message == before


def is_same(ours: Any, theirs: Any) -> bool:
    """Return whether both are the same; an accidental error of theirs is the model's error here."""
    if isinstance(theirs, tuple) and theirs[0] in {"KeyError", "TypeError", "AttributeError"}:
        return ours is None or ours[0] == "OutputParserException"
    return bool(ours == theirs)


def test_line_breaks_in_strings_are_accepted_unless_strict() -> None:
    message = message_with({"name": "f", "arguments": '{"a": "x\ny"}'}, HumanMessage)
    assert JsonOutputFunctionsParser().invoke(message) == {"a": "x\ny"}
    with pytest.raises(OutputParserException, match="Invalid control character") as caught:
        JsonOutputFunctionsParser(strict=True).invoke(message)
    assert (caught.value.line, caught.value.column) == (1, 9)
    assert caught.value.observation


@pytest.mark.parametrize("parser", [OURS[kind](**fields) for kind, fields in PARSERS])
def test_what_has_no_function_call_is_an_error(parser: Any) -> None:
    for message in (AIMessage("Hello"), message_with(5)):
        with pytest.raises(OutputParserException, match="Could not parse function call: 'fun"):
            parser.invoke(message)
    for text in ("text", Generation(text="text")):
        with pytest.raises(OutputParserException, match="used with a chat generation"):
            parser.invoke(text)
    refusal = AIMessage([{"type": "refusal", "refusal": "I won't."}])
    with pytest.raises(ModelRefusalError, match="I won't"):
        parser.invoke(refusal)


@pytest.mark.parametrize("arguments", [None, 5, {"a": 1}, [1]])
def test_arguments_that_are_no_text_are_an_error(arguments: Any) -> None:
    generation = ChatGeneration(message=message_with({"name": "f", "arguments": arguments}))
    with pytest.raises(OutputParserException, match="expected JSON text, found"):
        JsonOutputFunctionsParser().parse_result([generation])
    assert JsonOutputFunctionsParser().parse_result([generation], partial=True) is None


def test_there_is_one_candidate() -> None:
    generation = ChatGeneration(message=message_with({"name": "f", "arguments": "{}"}))
    with pytest.raises(OutputParserException, match="Expected exactly one result, but got 2"):
        JsonOutputFunctionsParser().parse_result([generation] * 2)


def test_an_argument_that_is_missing_is_an_error_of_the_model() -> None:
    parser = JsonKeyOutputFunctionsParser(key_name="a")
    for arguments in ('{"b": 1}', "[1]", "null"):
        message = message_with({"name": "f", "arguments": arguments})
        with pytest.raises(OutputParserException, match="whose arguments include 'a'"):
            parser.invoke(message)
    with pytest.raises(OutputParserException, match="whose arguments include 'a'"):
        parser.invoke(message_with({"name": "f"}))


def test_the_text_of_missing_arguments_is_an_error_of_the_model() -> None:
    with pytest.raises(OutputParserException, match="with arguments"):
        OutputFunctionsParser().invoke(message_with({"name": "f"}))


@pytest.mark.parametrize("arguments", ["[" * 100_000, "[" * 300 + "]" * 300, "9" * 1_000_000])
def test_hostile_arguments_end_in_a_clear_error(arguments: str) -> None:
    message = message_with({"name": "f", "arguments": arguments})
    with pytest.raises(OutputParserException, match="max_"):
        JsonOutputFunctionsParser().invoke(message)


def test_parsing_text_is_not_for_them() -> None:
    with pytest.raises(NotImplementedError):
        JsonOutputFunctionsParser().parse("{}")
    assert JsonOutputFunctionsParser().asdict()["_type"] == "json_functions"


# Streams

STREAMING = [made for made in PARSERS if made[0] != "text"]


@pytest.mark.parametrize(("kind", "fields"), STREAMING)
@given(diff=st.booleans(), call=CALLS, places=PLACES)
def test_streams_give_what_langchain_gives(
    kind: str, fields: Any, diff: bool, call: dict[str, Any], places: list[int]
) -> None:
    reference: Any = THEIRS[kind](**fields, diff=diff)
    chunks = chunks_of(call, places, lc_messages.AIMessageChunk)
    expected, their_error = run(reference.transform(iter(chunks)))
    if their_error is not None:
        return  # theirs raises an AttributeError or TypeError for arguments that are not an object
    ours = chunks_of(call, places, AIMessageChunk)
    for stream in (ours, chunks):
        results, _ = run(OURS[kind](**fields, diff=diff).transform(iter(stream)))
        if diff:
            assert patched(results) == patched(expected)
        else:
            assert results == expected


def patched(patches: list[Any]) -> list[Any]:
    """Return the values that *patches* lead through."""
    value: Any = None
    return [value := jsonpatch.apply_patch(value, patch) for patch in patches]


@pytest.mark.parametrize(("kind", "fields"), STREAMING)
@given(diff=st.booleans(), call=CALLS, places=PLACES)
def test_a_stream_ends_as_the_whole_message(
    kind: str, fields: Any, diff: bool, call: dict[str, Any], places: list[int]
) -> None:
    parser = OURS[kind](**fields, diff=diff)
    chunks = chunks_of(call, places, AIMessageChunk)
    kept: list[Any] = []
    results, error = run(
        kept.append(copy.deepcopy(result)) or result for result in parser.transform(iter(chunks))
    )
    assert results == kept, "an earlier result changed"
    expected, reason = run(parser.invoke(chunks[0] + chunks[1:]) for _ in range(1))
    assert (type(error), str(error)) == (type(reason), str(reason))
    if expected not in ([], [None]):
        assert (patched(results) if diff else results)[-1:] == expected


def test_a_stream_of_changes_begins_with_the_whole() -> None:
    call = {"name": "f", "arguments": '{"a": "xy"}'}
    stream = chunks_of(call, [1, 8], AIMessageChunk)
    assert list(JsonOutputFunctionsParser(diff=True).transform(iter(stream))) == [
        [{"op": "replace", "path": "", "value": {}}],
        [{"op": "add", "path": "/a", "value": "x"}],
        [{"op": "replace", "path": "/a", "value": "xy"}],
    ]


def test_a_subclass_may_have_differences_and_results_of_its_own() -> None:
    class Grown(JsonOutputFunctionsParser):
        @override
        def _diff(self, prev: Any, next: Any) -> Any:
            return len(next["a"]) - len(prev["a"] if prev else "")

    class Count(JsonOutputFunctionsParser):
        @override
        def parse_result(self, result: Any, *, partial: bool = False) -> Any:
            found = super().parse_result(result, partial=partial)
            return None if found is None else len(found)

    chunks = chunks_of({"arguments": '{"a": "abc"}'}, [8, 10], AIMessageChunk)
    assert list(Grown(diff=True).transform(iter(chunks))) == [1, 2]
    assert list(Count().transform(iter(chunks))) == [1]


def test_streams_without_a_call_end_in_the_error_and_empty_ones_in_nothing() -> None:
    results, error = run(JsonOutputFunctionsParser().transform(iter([AIMessageChunk("Hello")])))
    assert results == []
    assert isinstance(error, OutputParserException)
    assert list(JsonOutputFunctionsParser().transform(iter([]))) == []


def test_a_stream_past_a_limit_ends_in_the_error() -> None:
    chunks = chunks_of({"arguments": '{"a": ' + "[" * 1000}, range(0, 1000, 50), AIMessageChunk)
    for diff in (False, True):
        results, error = run(JsonOutputFunctionsParser(diff=diff).transform(iter(chunks)))
        assert results
        assert "max_depth" in str(error)


def test_text_comes_at_the_end_of_a_stream() -> None:
    chunks = chunks_of({"name": "f", "arguments": '{"a": 1}'}, [3], AIMessageChunk)
    assert list(OutputFunctionsParser().transform(iter(chunks))) == ['{"a": 1}']


def test_a_message_with_tool_calls_is_for_another_parser() -> None:
    message = AIMessage("", tool_calls=[{"name": "f", "args": {}, "id": "1"}])
    with pytest.raises(OutputParserException, match="which JsonOutputToolsParser reads"):
        JsonOutputFunctionsParser().invoke(message)


# Legacy function calls as objects, compared with LangChain.


class A(BaseModel):
    a: int
    b: str = "b"


class B(BaseModel):
    b: str


class Old(V1Model):
    a: int


def message_with_object(call: Any) -> Any:
    return AIMessage(content="", additional_kwargs={} if call is None else {"function_call": call})


MESSAGE = message_with_object({"name": "f", "arguments": '{"a": 1}'})


def test_a_call_is_an_object_of_the_schema() -> None:
    assert PydanticOutputFunctionsParser(pydantic_schema=A).invoke(MESSAGE) == A(a=1)
    by_name = PydanticOutputFunctionsParser(pydantic_schema=A, args_only=False)
    assert by_name.invoke(MESSAGE) == A(a=1)
    assert PydanticOutputFunctionsParser(pydantic_schema=Old).invoke(MESSAGE) == Old(a=1)


def test_of_several_schemas_the_functions_name_tells_which() -> None:
    parser = PydanticOutputFunctionsParser(pydantic_schema={"f": A, "g": B, "h": Old})
    assert parser.args_only is False
    for name, expected in {"f": A(a=1), "h": Old(a=1)}.items():
        assert (
            parser.invoke(message_with_object({"name": name, "arguments": '{"a": 1}'})) == expected
        )
    with pytest.raises(ValidationError):
        parser.invoke(message_with_object({"name": "g", "arguments": '{"a": 1}'}))


@pytest.mark.parametrize(
    "call", [{"name": "x", "arguments": "{}"}, {"arguments": "{}"}, {"name": [], "arguments": "{}"}]
)
def test_a_function_without_a_schema_is_an_error_of_the_model(call: Any) -> None:
    parser = PydanticOutputFunctionsParser(pydantic_schema={"f": A})
    with pytest.raises(OutputParserException, match="Available functions: f"):
        parser.invoke(message_with_object(call))


@pytest.mark.parametrize("arguments", ["{}", "nope", '{"a": "x"}', None])
def test_what_does_not_fit_is_pydantics_own_error(arguments: str | None) -> None:
    message = message_with_object({"name": "f", "arguments": arguments})
    for reference in (lc.PydanticOutputFunctionsParser, PydanticOutputFunctionsParser):
        with pytest.raises(ValidationError):
            reference(pydantic_schema=A).parse_result([generation_like(reference, message)])


def generation_like(parser: Any, message: AIMessage) -> Any:
    if parser is PydanticOutputFunctionsParser:
        return ChatGeneration(message=message)
    theirs = lc_messages.AIMessage("", additional_kwargs=message.additional_kwargs)
    return lc_outputs.ChatGeneration(message=theirs)


def test_one_attribute_of_the_object() -> None:
    parser = PydanticAttrOutputFunctionsParser(pydantic_schema=A, attr_name="b")
    assert parser.invoke(MESSAGE) == "b"


@pytest.mark.parametrize(
    "fields",
    [
        {"pydantic_schema": {"f": A}, "args_only": True},
        {"pydantic_schema": int},
        {"pydantic_schema": {"f": 5}},
        {},
    ],
)
def test_a_schema_that_cannot_be_used_is_refused_at_once(fields: dict[str, Any]) -> None:
    before = dict(fields)
    with pytest.raises(ValueError, match="pydantic"):
        PydanticOutputFunctionsParser.model_validate(fields)
    assert fields == before


@pytest.mark.parametrize("arguments", ["[" * 100_000, "[" * 300 + "]" * 300, "9" * 1_000_000])
def test_hostile_arguments_of_objects_end_in_a_clear_error(arguments: str) -> None:
    message = message_with_object({"name": "f", "arguments": arguments})
    with pytest.raises(ValidationError):
        PydanticOutputFunctionsParser(pydantic_schema=A).invoke(message)
    with pytest.raises((OutputParserException, V1ValidationError)):
        PydanticOutputFunctionsParser(pydantic_schema=Old).invoke(message)


def test_objects_come_at_the_end_of_a_stream() -> None:
    calls = [{"name": "f"}, {"arguments": '{"a"'}, {"arguments": ": 1}"}]
    chunks = [AIMessageChunk("", additional_kwargs={"function_call": call}) for call in calls]
    parser = PydanticOutputFunctionsParser(pydantic_schema=A)
    assert list(parser.transform(iter(chunks))) == [A(a=1)]
