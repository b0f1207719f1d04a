"""Messages are constructed and displayed as in LangChain, and survive every round trip."""

import copy
import json
import pickle
from typing import Any
from uuid import UUID

import langchain_core.messages as langchain
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

import outputs
from outputs import AIMessage, AIMessageChunk, AnyMessage, AnyMessageChunk, BaseMessage

CONTENT = st.sampled_from(["", "Hello", "h\u00e9llo\n", "\ud800"]) | st.lists(
    st.sampled_from(["", "a"])
    | st.fixed_dictionaries({"type": st.sampled_from(["text", "image"]), "text": st.just("b")}),
    max_size=3,
)
COMMON = {
    "additional_kwargs": st.dictionaries(st.sampled_from(["a", "b"]), st.integers() | st.none()),
    "response_metadata": st.dictionaries(st.sampled_from(["a", "b"]), st.text(max_size=3)),
    "name": st.none() | st.sampled_from(["", "Bob"]),
    "id": st.none() | st.sampled_from(["", "1"]) | st.integers(0, 3),
    "extra_field": st.sampled_from([None, 1, {"a": []}]),
}
CALLS = {
    "tool_calls": st.lists(
        st.fixed_dictionaries(
            {
                "name": st.sampled_from(["f", "g"]),
                "args": st.dictionaries(st.sampled_from(["a", "b"]), st.integers(0, 3)),
                "id": st.none() | st.sampled_from(["1", "2"]),
            },
            optional={"type": st.just("tool_call"), "extras": st.just({"x": 1})},
        ),
        max_size=2,
    ),
    "invalid_tool_calls": st.lists(
        st.fixed_dictionaries(
            {},
            optional={
                "name": st.none() | st.just("f"),
                "args": st.none() | st.just("{"),
                "id": st.none() | st.just("1"),
                "error": st.none() | st.just("cut"),
            },
        ),
        max_size=2,
    ),
    "usage_metadata": st.none()
    | st.just(
        {
            "input_tokens": 1,
            "output_tokens": 2,
            "total_tokens": 3,
            "input_token_details": {"audio": 1, "other": 5},
        }
    ),
}
REQUIRED: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    "AIMessage": {},
    "HumanMessage": {},
    "SystemMessage": {},
    "ChatMessage": {"role": st.sampled_from(["user", "critic"])},
    "FunctionMessage": {"name": st.sampled_from(["f", "g"])},
    "ToolMessage": {"tool_call_id": st.sampled_from(["1", 2, 2.5, UUID(int=3)])},
}
OPTIONAL: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    "AIMessage": CALLS,
    "AIMessageChunk": {
        **CALLS,
        "tool_call_chunks": st.lists(
            st.fixed_dictionaries(
                {},
                optional={
                    "name": st.none() | st.just("f"),
                    "args": st.none() | st.sampled_from(["", "{", '{"a": 1}', "x"]),
                    "id": st.none() | st.just("1"),
                    "index": st.none() | st.integers(0, 1),
                },
            ),
            max_size=2,
        ),
        "chunk_position": st.none() | st.just("last"),
    },
    "ToolMessage": {
        "artifact": st.none() | st.integers() | st.lists(st.integers(), max_size=2),
        "status": st.sampled_from(["success", "error"]),
    },
}
KINDS = sorted(REQUIRED) + sorted(f"{kind}Chunk" for kind in REQUIRED)


@st.composite
def messages(draw: st.DrawFn, kinds: list[str] = KINDS) -> tuple[str, dict[str, Any]]:
    """The name of a message class and the fields to construct a message."""
    kind = draw(st.sampled_from(kinds))
    plain = kind.removesuffix("Chunk")
    optional = {**COMMON, **OPTIONAL.get(kind, OPTIONAL.get(plain, {}))}
    required = {"content": CONTENT, **REQUIRED[plain]}
    fields = draw(
        st.fixed_dictionaries(
            required, optional={k: v for k, v in optional.items() if k not in required}
        )
    )
    return kind, fields


@given(messages())
def test_messages_are_made_and_shown_as_in_langchain(made: tuple[str, dict[str, Any]]) -> None:
    kind, fields = made
    before = copy.deepcopy(fields)
    ours = getattr(outputs, kind)(**fields)
    assert fields == before, "the arguments are not changed"
    theirs = getattr(langchain, kind)(**fields)
    assert ours.model_dump() == theirs.model_dump()
    assert ours.model_dump(exclude_unset=True) == theirs.model_dump(exclude_unset=True)
    assert repr(ours) == repr(theirs)
    assert str(ours) == str(theirs)
    assert ours.text == theirs.text
    for html in (False, True):
        assert ours.pretty_repr(html) == theirs.pretty_repr(html)


def lasting(made: tuple[str, dict[str, Any]]) -> tuple[str, dict[str, Any]]:
    """Leave out invalid calls of a chunk: they are read again, and may turn out to be valid."""
    kind, fields = made
    if kind == "AIMessageChunk":
        fields.pop("invalid_tool_calls", None)
    return made


@given(messages().map(lasting))
def test_a_message_survives_every_way_there_and_back(made: tuple[str, dict[str, Any]]) -> None:
    kind, fields = made
    message = getattr(outputs, kind)(**fields)
    cls = type(message)
    assert cls.model_validate(message.model_dump()) == message
    assert cls(**message.model_dump()) == message
    assert pickle.loads(pickle.dumps(message)) == message
    assert copy.copy(message) == message
    assert copy.deepcopy(message) == message
    assert message.model_copy() == message
    assert cls.model_validate(message) is message
    if "\ud800" not in message.text:  # values that JSON cannot represent
        assert cls.model_validate_json(message.model_dump_json()) == message
        assert cls.model_validate(json.loads(message.model_dump_json())) == message


@given(messages().map(lasting))
def test_what_langchain_writes_we_read_and_the_reverse(made: tuple[str, dict[str, Any]]) -> None:
    kind, fields = made
    ours, theirs = getattr(outputs, kind)(**fields), getattr(langchain, kind)(**fields)
    assert type(ours).model_validate(theirs.model_dump()) == ours
    assert type(theirs).model_validate(ours.model_dump()) == theirs


class Log(BaseModel):
    messages: list[AnyMessage]


class ChunkLog(BaseModel):
    chunks: list[AnyMessageChunk]


@given(st.lists(messages().map(lasting), max_size=4))
def test_a_field_for_any_message_keeps_each_ones_class(
    made: list[tuple[str, dict[str, Any]]],
) -> None:
    log = Log(messages=[getattr(outputs, kind)(**fields) for kind, fields in made])
    assert [type(message).__name__ for message in log.messages] == [kind for kind, _ in made]
    assert Log.model_validate(log.model_dump()) == log
    if not any("\ud800" in message.text for message in log.messages):
        assert Log.model_validate_json(log.model_dump_json()) == log


def test_a_field_for_any_chunk_refuses_a_message() -> None:
    chunk = AIMessageChunk("a", tool_call_chunks=[{"args": "{", "index": 0}])
    log = ChunkLog(chunks=[chunk])
    assert ChunkLog.model_validate_json(log.model_dump_json()) == log
    for message in (AIMessage("a"), {"type": "ai", "content": "a"}):
        with pytest.raises(ValidationError, match="BaseMessageChunk"):
            ChunkLog.model_validate({"chunks": [message]})


def test_a_message_of_an_unknown_type_is_read_as_the_base() -> None:
    log = Log.model_validate({"messages": [{"type": "gossip", "content": "a", "source": "Bob"}]})
    assert type(log.messages[0]) is BaseMessage
    assert log.messages[0].model_dump()["source"] == "Bob"
    with pytest.raises(ValidationError, match="content"):
        Log.model_validate({"messages": [{"type": "human", "content": 5}]})
    with pytest.raises(ValidationError):
        Log.model_validate({"messages": [{"type": ["human"], "content": "a"}]})
