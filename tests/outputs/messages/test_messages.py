"""Messages: construction, coercion, validation errors, and display."""

from typing import Any
from uuid import UUID

import langchain_core.messages as langchain
import pytest
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
    SystemMessage,
    ToolMessage,
)

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
