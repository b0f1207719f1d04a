"""What is not the JSON form of a value gets one clear error."""

import json
import re
from typing import Any

import pytest

from agent_parsers import (
    AgentAction,
    AgentFinish,
    OutputParserException,
    ThoughtDelta,
    ToolAgentAction,
    Turn,
)
from agent_parsers.json_form import from_json
from outputs import AIMessage

from ..helpers.json_schema import faults

GOOD = ThoughtDelta("hm", (0, 2)).to_json()
CALL = ToolAgentAction("a", {}, "x", message_log=[AIMessage("x")], tool_call_id=None).to_json()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"version": None}, "expected version 1 of the JSON form, found none"),
        ({"version": 2}, "expected version 1 of the JSON form, found 2"),
        ({"version": True}, "expected version 1 of the JSON form, found True"),
        ({"type": None}, "expected a known type, found an object without a type"),
        ({"type": "Thought"}, "expected a known type, found the type 'Thought'"),
        ({"type": ["x"]}, "expected a known type, found the type ['x']"),
        ({"type": "ThoughtDelta"}, "expected the key 'text' in ThoughtDelta"),
        ({"tool": None}, "tool: expected a string, found null"),
        ({"messages": []}, "message_log[0]: expected an index into the list 'messages'"),
        ({"message_log": [True]}, "message_log[0]: expected an index into the list 'messages'"),
        ({"message_log": 0}, "message_log: expected a list, found a number"),
        ({"messages": {}}, "messages: expected a list, found an object"),
        ({"messages": [{}]}, "messages[0]: expected a message of a known type, found None"),
        ({"messages": [{"type": "ai", "content": 1}]}, "messages[0].content"),
        (
            {"tool_input": {"$float": "1"}},
            "tool_input: expected a value that the tag $float allows, found a string",
        ),
        (
            {"tool_input": {"$date": "1"}},
            "tool_input: expected one of the tags $float, $bytes, $tuple",
        ),
        (
            {"tool_input": {"$bytes": "ü"}},
            "tool_input: expected a value that the tag $bytes allows",
        ),
        (
            {"tool_input": {"$tuple": "ab"}},
            "tool_input: expected a value that the tag $tuple allows",
        ),
        (
            {"tool_input": {"$dict": [[[], 1]]}},
            "tool_input: expected a value that the tag $dict allows",
        ),
        ({"tool_input": {"a": [b"x"]}}, "tool_input.a[0]: expected JSON, found a value of type"),
        ({"tool_input": 1}, "tool_input: expected a string or an object, found a number"),
    ],
    ids=str,
)
def test_one_clear_error_for_what_cannot_be_read(change: Any, said: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(said)}") as caught:
        from_json({**CALL, **change})
    assert type(caught.value) is ValueError


@pytest.mark.parametrize("span", [[0], [0, True], "ab", None])
def test_a_span_has_two_offsets(span: Any) -> None:
    with pytest.raises(ValueError, match=r"^span: expected \[start, end\], found"):
        from_json({**GOOD, "span": span})


def test_an_error_that_contradicts_itself_is_refused() -> None:
    written = OutputParserException("x").to_json()
    with pytest.raises(ValueError, match="required if 'send_to_llm' is True"):
        from_json({**written, "send_to_llm": True})


def test_the_text_is_not_the_object() -> None:
    with pytest.raises(TypeError, match="pass the result of json"):
        Turn.from_json(json.dumps(GOOD))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="not a list"):
        from_json([GOOD])  # type: ignore[arg-type]


def test_a_class_reads_its_own_objects_and_those_below_it() -> None:
    assert type(AgentAction.from_json(CALL)) is ToolAgentAction
    with pytest.raises(ValueError, match="expected AgentFinish, found the type 'ToolAgentAction'"):
        AgentFinish.from_json(CALL)


def test_keys_that_are_not_known_are_ignored() -> None:
    assert from_json({**GOOD, "file": "a.log"}) == ThoughtDelta("hm", (0, 2))


@pytest.mark.parametrize(
    "change",
    [
        {"version": 2},
        {"text": 1},
        {"span": [1]},
        {"span": [1, 2, 3]},
        {"span": ["a", "b"]},
        {"type": "Delta"},
        {"type": "Repair"},
        {"messages": [{"type": "ai"}]},
    ],
    ids=str,
)
def test_the_schema_refuses_what_is_wrong(change: Any) -> None:
    assert not faults(GOOD)
    assert faults({**GOOD, **change})


def test_the_schema_wants_every_key() -> None:
    for key in GOOD:
        assert faults({name: value for name, value in GOOD.items() if name != key})
    assert not faults(CALL)
    assert faults({**CALL, "message_log": [-1]})
