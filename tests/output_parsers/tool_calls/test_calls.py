"""Raw tool calls, read one by one and together, compared with LangChain."""

import copy
import inspect
import json
import sys
from typing import Any

import langchain_core.output_parsers.openai_tools as lc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from output_parsers import OutputParserException
from output_parsers.tool_calls.calls import (
    make_invalid_tool_call,
    parse_tool_call,
    parse_tool_calls,
)

from ...helpers.wire_calls import NAMES, WIRE_CALLS, outcome


def wire(name: Any, arguments: Any, **more: Any) -> dict[str, Any]:
    return {"id": "call_1", "function": {"name": name, "arguments": arguments}, **more}


@given(WIRE_CALLS, st.booleans(), st.booleans(), st.booleans())
def test_one_call_is_read_as_langchain_reads_it(
    call: dict[str, Any], partial: bool, strict: bool, return_id: bool
) -> None:
    options = {"partial": partial, "strict": strict, "return_id": return_id}
    before = copy.deepcopy(call)
    ours = outcome(parse_tool_call, call, **options)
    assert ours == outcome(lc.parse_tool_call, call, **options)
    assert call == before


@given(st.lists(WIRE_CALLS | st.just({"id": "no function"}), max_size=4), st.booleans())
def test_all_calls_are_read_as_langchain_reads_them(
    calls: list[dict[str, Any]], partial: bool
) -> None:
    theirs = outcome(lc.parse_tool_calls, calls, partial=partial)
    if isinstance(theirs, tuple):  # its messages have the link in the middle
        theirs = outcome_of_each(calls)
    assert outcome(parse_tool_calls, calls, partial=partial) == theirs


def outcome_of_each(calls: list[dict[str, Any]], *, strict: bool = False) -> Any:
    errors = [
        found
        for call in calls
        if isinstance(found := outcome(lc.parse_tool_call, call, strict=strict), tuple)
    ]
    return errors[0][0], "\n\n".join(text for _, text in errors)


def test_all_errors_are_collected_and_raised_together() -> None:
    raw = [wire("a", "{"), wire("b", "{}"), wire("c", "nope")]
    with pytest.raises(OutputParserException, match="Function a arguments") as caught:
        parse_tool_calls(raw)
    assert "\n\nFunction c arguments:\n\nnope\n\nare not valid JSON. Received" in str(caught.value)
    assert caught.value.llm_output == "{\n\nnope"
    assert isinstance(caught.value.__cause__, ExceptionGroup)
    assert len(caught.value.__cause__.exceptions) == 2
    assert "Call a again" in str(caught.value.observation)
    assert "Call c again" in str(caught.value.observation)


def test_a_single_error_tells_where() -> None:
    with pytest.raises(OutputParserException) as caught:
        parse_tool_calls([wire("a", '{"x": 1,\n nope}')])
    assert (caught.value.line, caught.value.column) == (2, 2)
    assert isinstance(caught.value.__cause__, json.JSONDecodeError)


@pytest.mark.parametrize("arguments", [None, "", "{}", "[]", "null"])
def test_no_arguments_are_an_empty_dictionary(arguments: str | None) -> None:
    assert parse_tool_call(wire("f", arguments), return_id=False) == {"name": "f", "args": {}}


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (wire("f", {"a": 1}), {"name": "f", "args": {"a": 1}}),  # already a dictionary
        ({"function": {"name": "f"}}, {"name": "f", "args": {}}),
        ({"function": {"arguments": "{}"}}, {"name": "", "args": {}}),
    ],
)
def test_what_langchain_breaks_on_is_read(call: Any, expected: Any) -> None:
    with pytest.raises((TypeError, KeyError)):
        lc.parse_tool_call(call)
    assert parse_tool_call(call, return_id=False) == expected


@pytest.mark.parametrize(
    "call", [5, None, "f", {"function": None}, wire("f", 5), wire("f", [1]), wire({"a": 1}, "{}")]
)
def test_a_malformed_call_is_an_error_of_the_model(call: Any) -> None:
    with pytest.raises(OutputParserException):
        parse_tool_calls([call])
    assert parse_tool_calls([call], partial=True) == []


@pytest.mark.parametrize(
    ("arguments", "limit"),
    [
        ("[" * 100_000, "max_depth"),
        ("[" * 300 + "]" * 300, "max_depth"),
        ('{"a": ' + "9" * 1_000_000 + "}", "max_number_chars"),
        ('{"a": "' + "\\" * 1_000_000, None),
        ('{"a": "\\ud800"}' + " " * 100_000 + "x", None),
    ],
)
def test_hostile_arguments_end_in_a_clear_error(arguments: str, limit: str | None) -> None:
    for strict in (True, False):
        with pytest.raises(OutputParserException, match=limit):
            parse_tool_call(wire("f", arguments), strict=strict)


def test_arguments_within_the_limits_are_read_on_a_full_stack() -> None:
    arguments = "[" * 150 + '"line\nbreak"' + "]" * 150

    def descend(depth: int, written: str) -> Any:
        return descend(depth - 1, written) if depth else parse_tool_call(wire("f", written))

    depth = sys.getrecursionlimit() - len(inspect.stack()) - 60
    assert descend(depth, arguments) == parse_tool_call(wire("f", arguments))
    with pytest.raises(OutputParserException):
        descend(depth, arguments + " x")


def test_brackets_in_strings_are_no_depth() -> None:
    arguments = '{"a": "' + "[" * 300 + '\n"}'
    assert parse_tool_call(wire("f", arguments), return_id=False) == {
        "name": "f",
        "args": {"a": "[" * 300 + "\n"},
    }


@given(NAMES, st.none() | st.text(max_size=5), st.none() | st.text(max_size=5))
def test_invalid_calls_are_made_as_langchain_makes_them(
    name: str | None, arguments: str | None, error: str | None
) -> None:
    call = wire(name, arguments)
    assert make_invalid_tool_call(call, error) == lc.make_invalid_tool_call(call, error)


def test_an_invalid_call_may_lack_everything() -> None:
    blank = {"type": "invalid_tool_call", "name": None, "args": None, "id": None, "error": "e"}
    assert make_invalid_tool_call({}, "e") == blank
    assert make_invalid_tool_call({"function": {"arguments": {"a": 1}}}, "e")["args"] == '{"a": 1}'


def test_any_junk_can_be_made_an_invalid_call() -> None:
    junk = make_invalid_tool_call(5, "no call")
    assert (junk["name"], junk["args"], junk["id"], junk["error"]) == (None, None, None, "no call")
    odd = make_invalid_tool_call({"function": {"name": "f", "arguments": {(1,): 2}}}, None)
    assert odd["args"] == "{}"
