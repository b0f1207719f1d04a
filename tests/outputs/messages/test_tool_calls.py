"""Tool calls: where a message finds them, and what counts as a tool call."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage as LangChainMessage
from langchain_core.messages import AIMessageChunk as LangChainChunk
from pydantic import ValidationError

from outputs import AIMessage, AIMessageChunk, invalid_tool_call, tool_call, tool_call_chunk


def wire(arguments: Any, **more: Any) -> dict[str, Any]:
    """A tool call as OpenAI sends it."""
    return {
        "id": "1",
        "function": {"name": "f", "arguments": arguments},
        "type": "function",
        **more,
    }


def read(*entries: Any) -> AIMessage:
    return AIMessage("", additional_kwargs={"tool_calls": list(entries)})


def test_factories_fill_in_the_type() -> None:
    assert tool_call(name="f", args={"a": 1}, id="1") == {
        "name": "f",
        "args": {"a": 1},
        "id": "1",
        "type": "tool_call",
    }
    assert invalid_tool_call(args="{") == {
        "name": None,
        "args": "{",
        "id": None,
        "error": None,
        "type": "invalid_tool_call",
    }
    assert tool_call_chunk(args="{", index=0) == {
        "name": None,
        "args": "{",
        "id": None,
        "index": 0,
        "type": "tool_call_chunk",
    }


@pytest.mark.parametrize(
    ("arguments", "args"),
    [
        ('{"a": 1}', {"a": 1}),
        ("{}", {}),
        ("null", {}),
        ("[]", {}),
        ('""', {}),
        ({"a": 1}, {"a": 1}),  # a dictionary already, as Ollama sends it
    ],
)
def test_arguments_that_are_an_object_or_empty_make_a_call(arguments: Any, args: Any) -> None:
    message = read(wire(arguments))
    assert message.tool_calls == [tool_call(name="f", args=args, id="1")]
    assert message.invalid_tool_calls == []


@pytest.mark.parametrize(
    ("arguments", "args"),
    [
        ("", ""),
        ("{", "{"),
        ("abc", "abc"),
        ("[1]", "[1]"),
        ("1", "1"),
        ('{"a": "\n"}', '{"a": "\n"}'),
        ("[" * 100_000, "[" * 100_000),
        ("9" * 5_000, "9" * 5_000),
        (None, None),
        ([1], "[1]"),
    ],
    ids=lambda value: repr(value)[:20],
)
def test_any_other_arguments_make_an_invalid_call(arguments: Any, args: Any) -> None:
    message = read(wire(arguments))
    assert message.tool_calls == []
    assert message.invalid_tool_calls == [invalid_tool_call(name="f", args=args, id="1")]


def test_a_bad_entry_does_not_take_others_along() -> None:
    message = read(wire("{}"), wire(None), {"function": {"arguments": "{}"}}, wire('{"a": 1}'))
    assert [call["args"] for call in message.tool_calls] == [{}, {"a": 1}]
    assert [call["name"] for call in message.invalid_tool_calls] == ["f", None]


@pytest.mark.parametrize("entry", [5, None, {"id": "1"}, {"id": "1", "function": None}])
def test_an_entry_without_a_function_is_no_call(entry: Any) -> None:
    message = read(entry, wire("{}"))
    assert len(message.tool_calls) == 1
    assert message.invalid_tool_calls == []


@pytest.mark.parametrize("entries", [None, [], {}, "tool"])
def test_no_list_of_entries_is_no_call(entries: Any) -> None:
    assert AIMessage("", additional_kwargs={"tool_calls": entries}).tool_calls == []


def test_calls_that_are_given_are_not_read_again() -> None:
    given_call = {"name": "g", "args": {}, "id": None}
    raw = {"tool_calls": [wire("{}")]}
    assert AIMessage("", tool_calls=[given_call], additional_kwargs=raw).tool_calls == [
        tool_call(name="g", args={}, id=None)
    ]
    bad = AIMessage("", invalid_tool_calls=[{"name": "g", "args": "x"}], additional_kwargs=raw)
    assert bad.tool_calls == []
    assert bad.invalid_tool_calls == [invalid_tool_call(name="g", args="x")]


def test_typed_blocks_are_calls() -> None:
    block = {"type": "tool_call", "name": "f", "args": {}, "id": "1", "extras": {"x": 1}}
    message = AIMessage(content_blocks=[{"type": "text", "text": "Hi"}, block])
    assert message.tool_calls == [tool_call(name="f", args={}, id="1")]
    assert message.content == [{"type": "text", "text": "Hi"}, block]
    assert AIMessage(content_blocks=[block], tool_calls=[]).tool_calls == []
    blocks: Any = [{"type": "text", "text": "Hi"}, "Bob"]
    assert AIMessage(content_blocks=blocks).tool_calls == []


@pytest.mark.parametrize(
    "call", [{"name": "f", "id": "1"}, {"name": "f", "args": "{}", "id": None}, "f", None]
)
def test_a_call_that_is_incomplete_is_refused(call: Any) -> None:
    with pytest.raises(ValidationError):
        AIMessage("", tool_calls=[call])


@pytest.mark.parametrize("kind", ["tool_calls", "invalid_tool_calls"])
def test_calls_that_are_no_list_are_refused(kind: str) -> None:
    fields: dict[str, Any] = {kind: 5}
    with pytest.raises(ValidationError):
        AIMessage("", **fields)


CHUNKS: dict[str, tuple[str | None, Any]] = {
    "nothing yet": (None, {}),
    "no text yet": ("", {}),
    "an open object": ("{", {}),
    "a key without a value": ('{"b": ', {}),
    "a value that is being written": ('{"b": "x', {"b": "x"}),
    "a complete object": ('{"b": 1}', {"b": 1}),
    "text after the object": ('{"b": 1} x', {"b": 1}),
    "no JSON": ("abc", None),
    "a list": ("[1]", None),
    "a stray closer": ("{}}", None),
    "too deep": ('{"a":' * 100_000, None),
}


@pytest.mark.parametrize(("args", "read_args"), CHUNKS.values(), ids=CHUNKS)
def test_chunks_are_calls_as_far_as_they_have_arrived(args: str | None, read_args: Any) -> None:
    chunk = AIMessageChunk("", tool_call_chunks=[tool_call_chunk(name="f", args=args, id="1")])
    if read_args is None:
        assert chunk.tool_calls == []
        assert chunk.invalid_tool_calls == [
            invalid_tool_call(name="f", args=args, id="1", error=None)
        ]
    else:
        assert chunk.tool_calls == [tool_call(name="f", args=read_args, id="1")]
        assert chunk.invalid_tool_calls == []


def test_pieces_on_the_wire_become_chunks() -> None:
    entries = [
        wire('{"a"', index=0),
        {"index": 1, "function": {"arguments": "x"}},
        {"index": 2, "function": "g"},
        5,
    ]
    chunk = AIMessageChunk("", additional_kwargs={"tool_calls": entries})
    assert chunk.tool_call_chunks == [
        tool_call_chunk(name="f", args='{"a"', id="1", index=0),
        tool_call_chunk(args="x", index=1),
        tool_call_chunk(index=2),
    ]


def test_a_chunk_made_from_calls_has_chunks_of_them() -> None:
    chunk = AIMessageChunk(
        "",
        tool_calls=[tool_call(name="f", args={"a": "\u00e9"}, id="1")],
        invalid_tool_calls=[invalid_tool_call(name="g", args="x")],
    )
    assert chunk.tool_call_chunks == [
        tool_call_chunk(name="f", args=json.dumps({"a": "\u00e9"}), id="1"),
        tool_call_chunk(name="g", args="x"),
    ]


ARGUMENTS = st.sampled_from(
    [
        '{"a": 1}',
        '{"a": {"b": [1, 2]}}',
        "{}",
        "",
        "{",
        '{"a": ',
        '{"a": "b\\',
        "abc",
        "}",
        '"',
        "null",
    ]
) | st.text(alphabet='{}[]",:ab1 \\', max_size=12)
WIRE = st.lists(
    st.builds(
        lambda name, arguments, call_id, index: {
            "id": call_id,
            "index": index,
            "function": {"name": name, "arguments": arguments},
        },
        st.sampled_from(["f", "", None]),
        ARGUMENTS,
        st.sampled_from([None, "", "1", "2"]),
        st.sampled_from([0, 1, None]),
    ),
    max_size=4,
)


def is_object_or_empty(arguments: str) -> bool:
    try:
        value = json.loads(arguments)
    except ValueError:
        return True
    return not value or isinstance(value, dict)


@given(WIRE)
def test_calls_are_read_as_by_langchain(entries: list[dict[str, Any]]) -> None:
    # Complete JSON that is not an object is an error in LangChain, and an invalid call here.
    entries = [entry for entry in entries if is_object_or_empty(entry["function"]["arguments"])]
    fields: dict[str, Any] = {"content": "", "additional_kwargs": {"tool_calls": entries}}
    assert AIMessage(**fields).model_dump() == LangChainMessage(**fields).model_dump()


@given(WIRE)
def test_chunks_are_read_as_by_langchain(entries: list[dict[str, Any]]) -> None:
    fields: dict[str, Any] = {"content": "", "additional_kwargs": {"tool_calls": entries}}
    assert AIMessageChunk(**fields).model_dump() == LangChainChunk(**fields).model_dump()
