"""Messages: construction, coercion, content, token usage, and display."""

import copy
from typing import Any
from uuid import UUID

import langchain_core.messages as langchain
import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage as LangChainMessage
from langchain_core.messages import merge_content as langchain_merge_content
from langchain_core.messages.ai import add_usage as langchain_add_usage
from pydantic import TypeAdapter, ValidationError

from outputs import (
    AIMessage,
    AnyMessage,
    BaseMessage,
    BaseMessageChunk,
    ChatMessage,
    FunctionMessage,
    HumanMessage,
    HumanMessageChunk,
    InputTokenDetails,
    OutputTokenDetails,
    SystemMessage,
    TextAccessor,
    ToolMessage,
    UsageMetadata,
    add_usage,
    merge_content,
)

# Messages: construction, coercion, validation errors, and display.

ANY = TypeAdapter(list[AnyMessage])


def test_content_may_be_given_by_position() -> None:
    assert HumanMessage("Hi") == HumanMessage(content="Hi")
    assert ToolMessage("Hi", tool_call_id="1") == ToolMessage(content="Hi", tool_call_id="1")


def test_content_may_be_given_as_typed_blocks() -> None:
    blocks: list[dict[str, Any]] = [{"type": "text", "text": "Hi"}]
    assert SystemMessage(content_blocks=blocks).content == blocks
    assert ToolMessage(content_blocks=blocks, tool_call_id="1").content == blocks


@pytest.mark.parametrize(
    ("cls", "fields"),
    [
        (AIMessage, {}),
        (HumanMessage, {"content": 5}),
        (HumanMessage, {"content": [5]}),
        (HumanMessage, {"content": "a", "type": "ai"}),
        (ChatMessage, {"content": "a"}),
        (FunctionMessage, {"content": "a"}),
        (ToolMessage, {"content": "a"}),
        (BaseMessage, {"content": "a"}),
    ],
)
def test_a_field_that_is_missing_or_wrong_is_told(cls: Any, fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        cls(**fields)


@pytest.mark.parametrize("key", ["self", "content_blocks"])
def test_data_may_have_any_key(key: str) -> None:
    message = AIMessage.model_validate({"content": "a", key: None})
    assert message.content == "a"


def test_messages_of_different_classes_differ() -> None:
    assert HumanMessage("a") != SystemMessage("a")
    assert HumanMessage("a") != HumanMessageChunk("a")
    assert HumanMessage("a", id="1") != HumanMessage("a", id="2")


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (("a", {"type": "text"}), ["a", {"type": "text"}]),
        ([1, "a", None], ["1", "a", "None"]),
        (5, "5"),
        ({"a": 1}, "{'a': 1}"),
        ("a", "a"),
    ],
)
def test_what_a_tool_returned_becomes_content(content: Any, text: Any) -> None:
    assert ToolMessage(content, tool_call_id="1").content == text
    theirs = langchain.ToolMessage(content, tool_call_id="1")
    assert theirs.content == text


@pytest.mark.parametrize("call_id", [5, 2.5, UUID(int=7)])
def test_a_tool_call_id_becomes_text(call_id: Any) -> None:
    assert ToolMessage("a", tool_call_id=call_id).tool_call_id == str(call_id)


def test_an_artifact_may_be_anything() -> None:
    class Table:
        def __eq__(self, other: object) -> Any:
            return [self is other]  # comparison as for arrays; a list is always true

        __hash__ = None  # type: ignore[assignment]

    table = Table()
    message = ToolMessage("a", tool_call_id="1", artifact=table)
    assert message.artifact is table
    assert "artifact=" in repr(message)


def test_a_message_can_be_printed(capsys: pytest.CaptureFixture[str]) -> None:
    HumanMessage("Hi", name="Bob").pretty_print()
    assert capsys.readouterr().out == (
        "================================ Human Message =================================\n"
        "Name: Bob\n"
        "\n"
        "Hi\n"
    )


def test_calls_are_shown_below_the_content() -> None:
    message = AIMessage(
        "Let me look.",
        tool_calls=[{"name": "weather", "args": {"city": "Paris", "days": 2}, "id": "1"}],
        invalid_tool_calls=[{"name": "news", "args": "{", "id": "2", "error": "cut short"}],
    )
    assert message.pretty_repr() == (
        "================================== Ai Message ==================================\n"
        "\n"
        "Let me look.\n"
        "Tool Calls:\n"
        "  weather (1)\n"
        " Call ID: 1\n"
        "  Args:\n"
        "    city: Paris\n"
        "    days: 2\n"
        "Invalid Tool Calls:\n"
        "  news (2)\n"
        " Call ID: 2\n"
        "  Error: cut short\n"
        "  Args:\n"
        "    {"
    )


def test_subclasses_may_add_fields() -> None:
    class Signed(AIMessage):
        signature: str

    message = Signed("a", signature="x")
    assert Signed.model_validate_json(message.model_dump_json()) == message
    log = ANY.dump_python([message])
    assert log[0]["signature"] == "x"


def test_every_message_class_has_a_schema() -> None:
    for cls in (*BaseMessage.__subclasses__(), *BaseMessageChunk.__subclasses__()):
        assert cls.model_json_schema()["type"] == "object"
        assert cls.model_json_schema(mode="serialization")["type"] == "object"
    assert ANY.json_schema(mode="serialization")["type"] == "array"


# The content of a message: its text, and how contents are merged.

CONTENTS: dict[str, tuple[list[Any], Any]] = {
    "text": (["foo", "bar", "baz"], "foobarbaz"),
    "nothing to add": (["foo"], "foo"),
    "no content is no text": ([None, "foo"], "foo"),
    "text before a list": (["foo", ["bar"]], ["foo", "bar"]),
    "empty text before a list": (["", ["bar"]], ["", "bar"]),
    "text goes on with the text that is last": ([["foo"], "bar"], ["foobar"]),
    "text after a block": (
        [[{"type": "text", "text": "foo"}], "bar"],
        [{"type": "text", "text": "foo"}, "bar"],
    ),
    "empty text after a block": ([[{"type": "image"}], ""], [{"type": "image"}]),
    "empty text after an empty list": ([[], ""], []),
    "texts of two lists stay apart": ([["foo"], ["bar"]], ["foo", "bar"]),
    "blocks with an index": (
        [[{"index": 0, "text": "foo"}], "x", [{"index": 0, "text": "bar"}], "y"],
        [{"index": 0, "text": "foobar"}, "xy"],
    ),
}


@pytest.mark.parametrize(("contents", "merged"), CONTENTS.values(), ids=CONTENTS)
def test_contents_add_up(contents: list[Any], merged: Any) -> None:
    assert merge_content(*contents) == merged


def test_text_after_an_empty_list_is_kept() -> None:
    assert merge_content([], "bar") == ["bar"], "LangChain loses it"


BLOCKS = st.one_of(
    st.sampled_from(["", "a", "b\u00e9"]),
    st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["text", "text_delta", "thinking", "image", None]),
            "text": st.sampled_from(["", "x", "y"]),
            "index": st.sampled_from([0, 1, None, "lc_txt_0"]),
            "id": st.sampled_from([None, "1", "2"]),
        },
    ),
)
CONTENT = st.sampled_from(["", "a", "b"]) | st.lists(BLOCKS, max_size=4)


def outcome(merge: Any, contents: list[Any]) -> tuple[str, Any]:
    try:
        return "merged", merge(*contents)
    except TypeError as error:
        return "failed", type(error)


def loses_text(contents: list[Any]) -> bool:
    """Return whether text follows only an empty list; LangChain drops such text."""
    return contents[0] == [] and isinstance(next(filter(None, contents), []), str)


@given(st.lists(CONTENT, min_size=1, max_size=6).filter(lambda some: not loses_text(some)))
def test_contents_add_up_as_in_langchain(contents: list[Any]) -> None:
    before = copy.deepcopy(contents)
    ours = outcome(merge_content, contents)
    assert contents == before, "the inputs are not changed"
    assert repr(ours) == repr(outcome(langchain_merge_content, contents))


@given(CONTENT)
def test_the_text_is_that_of_langchain(content: Any) -> None:
    assert AIMessage(content).text == LangChainMessage(content).text


def test_the_text_is_a_string_that_used_to_be_a_method() -> None:
    text = AIMessage(["Hello, ", {"type": "text", "text": "world"}, {"type": "image"}]).text
    assert isinstance(text, TextAccessor)
    assert text == "Hello, world"
    with pytest.warns(DeprecationWarning, match=r"Calling .text\(\) as a method is deprecated"):
        assert text() == "Hello, world"


def test_text_that_is_no_string_is_left_out() -> None:
    assert AIMessage([{"type": "text", "text": None}, {"type": ["text"], "text": "x"}]).text == ""


# Token usage is added count by count.

COUNTS = st.integers(0, 1000)
USAGE: st.SearchStrategy[Any] = st.none() | st.fixed_dictionaries(
    {"input_tokens": COUNTS, "output_tokens": COUNTS, "total_tokens": COUNTS},
    optional={
        "input_token_details": st.dictionaries(st.sampled_from(["audio", "cache_read"]), COUNTS),
        "output_token_details": st.dictionaries(st.sampled_from(["audio", "reasoning"]), COUNTS),
    },
)


def test_counts_are_added_and_missing_ones_are_zero() -> None:
    left = UsageMetadata(
        input_tokens=5,
        output_tokens=0,
        total_tokens=5,
        input_token_details=InputTokenDetails(cache_read=3),
    )
    right = UsageMetadata(
        input_tokens=0,
        output_tokens=10,
        total_tokens=10,
        output_token_details=OutputTokenDetails(reasoning=4),
    )
    assert add_usage(left, right) == {
        "input_tokens": 5,
        "output_tokens": 10,
        "total_tokens": 15,
        "input_token_details": {"cache_read": 3},
        "output_token_details": {"reasoning": 4},
    }


def test_no_usage_at_all_is_zero() -> None:
    assert add_usage(None, None) == {"input_tokens": 0, "output_tokens": 0, "total_tokens": 0}


@given(USAGE, USAGE)
def test_usage_adds_up_as_in_langchain(left: Any, right: Any) -> None:
    assert add_usage(left, right) == langchain_add_usage(left, right)


@pytest.mark.parametrize(
    ("left", "right", "reason"),
    [
        ({"n": "1"}, {"n": 1}, "cannot add str and int for the key 'n': expected two counts"),
        ({"n": 1}, {"n": {"m": 1}}, "cannot add int and dict for the key"),
        ({"n": 1.5}, {"m": 1}, "cannot add float for"),
    ],
)
def test_what_is_no_count_is_refused(left: Any, right: Any, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        add_usage(left, right)


def test_counts_nested_without_end_are_refused() -> None:
    endless: dict[str, Any] = {}
    endless["more"] = endless
    usage: Any = endless
    with pytest.raises(ValueError, match="more than 100 levels deep"):
        add_usage(usage, usage)
