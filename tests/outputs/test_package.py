"""The package as a whole, and what it has at the top: generations and results."""

import copy
import json
import pickle
import subprocess
import sys
from typing import Any
from uuid import UUID

import langchain_core.messages as langchain_messages
import langchain_core.outputs as langchain
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

import outputs
from outputs import (
    AIMessage,
    AIMessageChunk,
    ChatGeneration,
    ChatGenerationChunk,
    ChatResult,
    Generation,
    GenerationChunk,
    HumanMessage,
    LLMResult,
    RunInfo,
    ToolMessage,
    merge_chat_generation_chunks,
    tool_call,
)

from ..helpers.growth import assert_linear

# The package as a whole: what it exports, and what importing it loads.

HEAVY = {"asyncio", "defusedxml", "jsonpatch", "langchain_core", "pytest", "regex", "typer", "yaml"}


def test_what_reads_json_is_public_with_all_its_errors() -> None:
    for name in outputs._MODULES:
        assert getattr(outputs, name).__doc__ or name == "Ended", name  # a type alias
    assert set(outputs._MODULES) <= set(dir(outputs))
    for error in (outputs.JsonSyntaxError, outputs.JsonIncompleteError, outputs.JsonLimitError):
        assert issubclass(error, outputs.JsonError)
    assert issubclass(outputs.JsonError, json.JSONDecodeError)
    with pytest.raises(AttributeError, match="has no attribute 'JsonWriter'"):
        _ = outputs.JsonWriter


def modules_after(code: str) -> set[str]:
    """Return the modules that a new interpreter has loaded after *code*."""
    code += "\nimport json, sys; print(json.dumps(list(sys.modules)))"
    return set(json.loads(subprocess.check_output([sys.executable, "-c", code], text=True)))


def test_importing_it_stays_light() -> None:
    loaded = modules_after("import outputs")
    assert not loaded & HEAVY
    assert not {name for name in loaded if name.startswith("outputs.growing_json")}, (
        "read at first use"
    )
    shapes = {name for name in loaded if name.startswith("outputs.clients.")}
    assert not shapes, "imported at first use"


def test_classes_are_built_at_first_use() -> None:
    code = "import outputs, sys; sys.exit(outputs.AIMessage.__pydantic_complete__)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# Generations and results: the text, sums of chunks, and how a result is split by prompt.

BLOCKS = st.one_of(
    st.sampled_from(["", "a"]),
    st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["text", "thinking", "reasoning", None]),
            "text": st.sampled_from(["", "b", "c"]),
            "thinking": st.just("d"),
        },
    ),
)
CONTENT = st.sampled_from(["", "Hello"]) | st.lists(BLOCKS, max_size=4)
INFO: Any = st.none() | st.dictionaries(
    st.sampled_from(["finish_reason", "model_name", "n"]),
    st.sampled_from(["", "a", None]),
    max_size=2,
)

TEXTS: dict[str, tuple[Any, str]] = {
    "text": ("Hello", "Hello"),
    "blocks of text": (["a", {"type": "text", "text": "b"}, {"type": "text", "text": "c"}], "abc"),
    "thinking does not count": (
        [{"type": "thinking", "thinking": "a"}, {"type": "text", "text": "b"}],
        "b",
    ),
    "a block without a type counts": ([{"text": "a"}, {"type": "text", "text": "b"}], "ab"),
    "nothing": ([], ""),
    "not a string": ([{"text": None}, {"type": "text", "text": 5}, {"text": "a"}], "a"),
}


@pytest.mark.parametrize(("content", "text"), TEXTS.values(), ids=TEXTS)
def test_the_text_is_that_of_the_message(content: Any, text: str) -> None:
    assert ChatGeneration(message=AIMessage(content)).text == text
    assert ChatGeneration(message=AIMessage(content), text="other").text == text
    assert ChatGenerationChunk(message=AIMessageChunk(content)).text == text


@given(CONTENT, INFO)
def test_generations_are_made_as_in_langchain(content: Any, info: Any) -> None:
    ours = ChatGeneration(message=AIMessage(content), generation_info=info)
    theirs = langchain.ChatGeneration(
        message=langchain_messages.AIMessage(content), generation_info=info
    )
    assert ours.text == theirs.text
    # Ours dumps the whole message; LangChain only the fields of all messages.
    assert ours.model_dump() == {**theirs.model_dump(), "message": theirs.message.model_dump()}
    assert repr(ours) == repr(theirs)
    plain, their_plain = Generation(text="a"), langchain.Generation(text="a")
    assert plain.model_dump() == their_plain.model_dump()
    assert repr(plain) == repr(their_plain)


def sum_or_error(chunks: list[Any]) -> Any:
    try:
        return chunks[0] + chunks[1:]
    except TypeError:
        return None


@given(st.lists(st.tuples(CONTENT, INFO), min_size=1, max_size=4))
def test_chat_chunks_add_up_as_in_langchain(made: list[tuple[Any, Any]]) -> None:
    ours = [
        ChatGenerationChunk(message=AIMessageChunk(content), generation_info=info)
        for content, info in made
    ]
    before = copy.deepcopy(ours)
    theirs = [
        langchain.ChatGenerationChunk(
            message=langchain_messages.AIMessageChunk(content), generation_info=info
        )
        for content, info in made
    ]
    total, expected = sum_or_error(ours), sum_or_error(theirs)
    assert ours == before
    assert (total is None) == (expected is None)
    if total is not None:
        assert total.generation_info == expected.generation_info
        if made[0][0] != []:  # LangChain loses text after it, see test_messages
            assert total.message.model_dump() == expected.message.model_dump()
            assert total.text == expected.text


def test_chunks_add_up_one_by_one_and_in_one_go() -> None:
    chunks = [GenerationChunk(text=text, generation_info={"a": text}) for text in "abc"]
    total = GenerationChunk(text="abc", generation_info={"a": "abc"})
    assert chunks[0] + chunks[1] + chunks[2] == total
    assert chunks[0] + chunks[1:] == total
    assert GenerationChunk(text="a") + GenerationChunk(text="b") == GenerationChunk(text="ab")


@pytest.mark.parametrize("other", [1, Generation(text="a"), [GenerationChunk(text="a"), 1]])
def test_only_chunks_can_be_added(other: Any) -> None:
    with pytest.raises(TypeError, match="unsupported operand"):
        GenerationChunk(text="a") + other
    with pytest.raises(TypeError, match="unsupported operand"):
        ChatGenerationChunk(message=AIMessageChunk("a")) + other


def test_a_list_of_chat_chunks_is_merged() -> None:
    chunks = [ChatGenerationChunk(message=AIMessageChunk(text)) for text in "abc"]
    assert merge_chat_generation_chunks([]) is None
    assert merge_chat_generation_chunks(chunks[:1]) is chunks[0]
    assert merge_chat_generation_chunks(chunks) == ChatGenerationChunk(
        message=AIMessageChunk("abc")
    )


def test_many_chat_chunks_are_merged_in_linear_time() -> None:
    chunk = ChatGenerationChunk(message=AIMessageChunk("word"))
    assert_linear(merge_chat_generation_chunks, lambda size: [chunk] * size, 1_000)


CALL = AIMessage("a", tool_calls=[tool_call(name="f", args={}, id="1")])
WRITTEN: list[Any] = [
    Generation(text="a", generation_info={"b": 1}),
    GenerationChunk(text="a"),
    ChatGeneration(message=CALL),
    ChatGeneration(message=HumanMessage("a", mood="good")),
    ChatGeneration(message=ToolMessage("a", tool_call_id="1", artifact=[1])),
    ChatGenerationChunk(message=AIMessageChunk("a", chunk_position="last")),
    ChatResult(generations=[ChatGeneration(message=CALL)], llm_output={"a": 1}),
    RunInfo(run_id=UUID(int=1)),
    LLMResult(
        generations=[
            [Generation(text="a"), ChatGeneration(message=CALL)],
            [ChatGenerationChunk(message=AIMessageChunk("a"))],
            [],
        ],
        llm_output={"token_usage": {"n": 1}},
        run=[RunInfo(run_id=UUID(int=1))],
    ),
]


@pytest.mark.parametrize("written", WRITTEN, ids=lambda value: type(value).__name__)
def test_it_survives_every_way_there_and_back(written: Any) -> None:
    cls = type(written)
    assert cls.model_validate(written.model_dump()) == written
    assert cls.model_validate_json(written.model_dump_json()) == written
    assert pickle.loads(pickle.dumps(written)) == written
    assert copy.deepcopy(written) == written
    assert cls.model_json_schema()["type"] == "object"


def test_a_result_keeps_the_class_of_each_generation() -> None:
    result = LLMResult.model_validate_json(WRITTEN[-1].model_dump_json())
    assert [[type(item) for item in items] for items in result.generations] == [
        [Generation, ChatGeneration],
        [ChatGenerationChunk],
        [],
    ]
    chunk = GenerationChunk(text="a")
    assert LLMResult(generations=[[chunk]]).generations[0][0] is chunk


def test_a_chat_generation_needs_a_message() -> None:
    with pytest.raises(ValidationError):
        ChatGeneration(message="a")  # type: ignore[arg-type]
    with pytest.raises(ValidationError):
        ChatGenerationChunk(message=AIMessage("a"))  # type: ignore[arg-type]


def test_only_the_first_of_the_split_results_keeps_the_token_usage() -> None:
    output = {"token_usage": {"total_tokens": 9}, "model_name": "m"}
    result = LLMResult(
        generations=[[Generation(text="a"), Generation(text="b")], [Generation(text="c")]],
        llm_output=output,
        run=[RunInfo(run_id=UUID(int=1)), RunInfo(run_id=UUID(int=2))],
    )
    first, second = result.flatten()
    assert first == LLMResult(
        generations=[[Generation(text="a"), Generation(text="b")]], llm_output=output
    )
    assert second == LLMResult(
        generations=[[Generation(text="c")]], llm_output={"token_usage": {}, "model_name": "m"}
    )
    assert result.llm_output == output
    assert first.run is None


@given(
    st.lists(st.lists(st.sampled_from("abc"), max_size=2), max_size=3),
    st.none() | st.dictionaries(st.sampled_from(["token_usage", "model"]), st.just({"n": 1})),
)
def test_results_are_split_as_by_langchain(texts: list[list[str]], output: Any) -> None:
    ours = LLMResult(
        generations=[[Generation(text=t) for t in ts] for ts in texts], llm_output=output
    )
    theirs = langchain.LLMResult(
        generations=[[langchain.Generation(text=t) for t in ts] for ts in texts], llm_output=output
    )
    assert [result.model_dump() for result in ours.flatten()] == [
        result.model_dump() for result in theirs.flatten()
    ]


def test_results_are_equal_whatever_their_runs() -> None:
    one = LLMResult(generations=[[Generation(text="a")]], run=[RunInfo(run_id=UUID(int=1))])
    other = LLMResult(generations=[[Generation(text="a")]])
    assert one == other
    assert one != LLMResult(generations=[[Generation(text="b")]])
    assert one != LLMResult(generations=[[Generation(text="a")]], llm_output={})
    assert one != "a"


def test_results_are_not_hashable() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(LLMResult(generations=[]))
