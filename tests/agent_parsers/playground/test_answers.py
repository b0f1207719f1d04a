"""What the playground shows for its inputs."""

import contextlib
import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_parsers import Dialect, OutputParserException, get_parser, list_dialects
from agent_parsers.playground.answers import LONGEST_TEXT, answer
from agent_parsers.testing import texts

from ...helpers.stories import every_dialect

VIEWS = ("reading", "events", "prompt", "grammar", "template", "python")
TURN = "Thought: hm\nAction: search\nAction Input: lakes"
CALL = '<tool_call>{"name": "f", "arguments": {}}</tool_call>'


def shown(**request: Any) -> Any:
    return json.loads(answer(json.dumps({"dialect": "react", "text": TURN, **request})))


def printed_by(code: str) -> str:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "shown", "exec"), {})
    return printed.getvalue()


def test_the_dialects_come_with_a_turn_that_can_be_read() -> None:
    rows = json.loads(answer('{"list": true}'))["dialects"]
    assert [row["name"] for row in rows] == list_dialects()
    for row in rows:
        assert get_parser(row["name"], lenient=False).read(row["text"]).result, row["name"]


def test_the_first_text_is_broken_and_read() -> None:
    first = json.loads(answer('{"list": true}'))
    it = shown(text=first["text"], tools=first["tools"], dialect="auto")
    assert (it["dialect"], it["is_error"]) == ("react", False)
    assert "trailing comma" in it["html"]


def test_a_dialect_is_found_and_the_time_is_that_of_the_parser() -> None:
    it = shown(text=CALL, dialect="auto")
    assert it["dialect"] == "hermes"
    assert 0 < it["parsed_us"] < 1e6
    assert "get_parser('hermes')" in shown(dialect="auto", view="python", text=CALL)["text"]
    assert "choose a dialect" in shown(dialect="auto", text="hello")["problem"]


@every_dialect
@given(data=st.data())
def test_every_view_has_something_to_show(dialect: Dialect, data: st.DataObject) -> None:
    text = data.draw(texts(dialect, "lenient"))
    view = data.draw(st.sampled_from(VIEWS))
    mode = data.draw(st.sampled_from(["lenient", "strict"]))
    it = shown(dialect=dialect.name, text=text, view=view, mode=mode, cuts=[1, 3, 10_000])
    assert it.keys() & {"html", "chunks", "text", "problem"}
    if view in ("reading", "events", "prompt", "python"):
        assert "problem" not in it


def test_a_stream_is_cut_where_it_is_asked_to() -> None:
    it = shown(view="events", cuts=[20, 3, 20, -1, 0, 999])
    assert [chunk["text"] for chunk in it["chunks"]] == [TURN[:3], TURN[3:20], TURN[20:], ""]
    names = [event["name"] for chunk in it["chunks"] for event in chunk["events"]]
    assert names[-1] == "ActionComplete"
    assert it["chunks"][0]["held"] == "Tho"
    assert "Thought:" in it["chunks"][0]["reason"]


def test_an_error_is_drawn_where_the_stream_ends() -> None:
    it = shown(view="events", tools="find, clock")
    assert "'search' is not one of the tools" in it["chunks"][-1]["error"]


@pytest.mark.parametrize("mode", ["strict", "lenient"])
@pytest.mark.parametrize("ended", ["unknown", "stop", "length"])
@pytest.mark.parametrize("tools", ["", "search, clock"])
def test_the_program_does_what_the_page_shows(mode: str, ended: str, tools: str) -> None:
    code = shown(view="python", mode=mode, ended=ended, tools=tools)["text"]
    parser = get_parser("react", tools=tools.split(", ") or None if tools else None)
    try:
        expected = str(parser.read(TURN, ended=ended).result)  # type: ignore[arg-type]
    except OutputParserException as error:
        expected = error.pointer()
    assert printed_by(code).startswith(expected)


def test_the_program_has_the_schemas_of_the_tools() -> None:
    properties = {"properties": {"n": {"type": "integer"}}}
    tools = json.dumps([{"name": "add", "parameters": {"type": "object", **properties}}])
    text = "<tool_call>\n<function=add>\n<parameter=n>\n5\n</parameter>\n</function>\n</tool_call>"
    it = shown(dialect="qwen3_coder", text=text, tools=tools, view="python")
    assert "{'n': 5}" in printed_by(it["text"])


def test_the_program_begins_where_the_turn_does() -> None:
    it = shown(dialect="qwen3", text="hm", start="thought", view="python")
    assert "{'output': 'hm'}" not in printed_by(it["text"])


@pytest.mark.parametrize(
    ("request_", "problem"),
    [
        ({"dialect": "reakt"}, "no dialect 'reakt'"),
        ({"tools": "[1"}, "EOF while parsing"),
        ({"tools": '["a", 3]'}, "not int"),
        ({"text": 3}, "expected text"),
        ({"text": "a" * (LONGEST_TEXT + 1)}, "at most 100,000 characters"),
        ({"cuts": ["a"]}, "cuts"),
        ({"view": "source"}, "view"),
        ({"more": 1}, "more"),
        ({"start": "middle"}, "start"),
    ],
)
def test_a_wrong_request_is_a_problem(request_: dict[str, Any], problem: str) -> None:
    assert problem in shown(**request_)["problem"]


@pytest.mark.parametrize("request_", ["", "nonsense", "[" * 100_000, b"\xff", "3", "null"])
def test_what_is_no_request_is_a_problem(request_: str | bytes) -> None:
    assert json.loads(answer(request_))["problem"]


def test_lone_surrogates_are_read() -> None:
    it = json.loads(
        answer('{"dialect": "react", "text": "Final Answer: \\ud800", "view": "events"}')
    )
    assert it["chunks"][0]["events"][-1]["said"] == '"\ud800"'
