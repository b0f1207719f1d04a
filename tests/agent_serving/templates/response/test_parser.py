"""Parsers of response templates: what is wrong with a template, and with a turn."""

from __future__ import annotations

import copy
import pickle
import time
from typing import Any

import pytest

from agent_parsers import (
    AgentFinish,
    AnswerDelta,
    OutputParserException,
    ThoughtDelta,
    ToolAgentAction,
    ToolInputError,
    UnknownToolError,
)
from agent_serving.templates import TemplateError, from_response_template, response_template
from outputs import AIMessageChunk

from ....helpers.shipped_templates import SHIPPED

TEXT = {"content": {"content": "text"}}


def search(query: str, limit: int = 5) -> str:
    """Look a question up."""
    return query


def template(**fields: Any) -> dict[str, Any]:
    return {"start_anchor": "A:", "fields": fields or TEXT}


def calls(**field: Any) -> dict[str, Any]:
    function = {"name": "f", "arguments": "{content}"}
    return template(tool_calls={"open": "<c>", "close": "</c>", "transform": function, **field})


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({}, ["fields: Field required"]),
        ({**template(), "version": 2}, ["version: Input should be 1"]),
        ({"fields": TEXT}, ["expected either 'start_anchor' or 'start_anchor_pattern'"]),
        ({**template(), "start_anchor_pattern": "B"}, ["expected either 'start_anchor'"]),
        ({**template(), "one": 1, "two": 2}, ["one: unknown key", "two: unknown key"]),
        (template(content={"opens": "<a>"}), ["fields.content.opens: unknown key"]),
        (template(content={"open": ""}), ["fields.content.open", "at least 1 character"]),
        (template(content={"open": "a", "open_pattern": "b"}), ["both 'open' and 'open_pattern'"]),
        (template(content={"open_pattern": "("}), ["'(' is not a regular expression"]),
        (template(content={"open_pattern": "(?P<x>a)"}), ["add a 'transform'", "groups x"]),
        (template(content={"join": " "}), ["'join' is only allowed together with 'repeats'"]),
        (template(content={"transform_each": True}), ["'transform_each' needs 'transform'"]),
        (template(content={"content": "yaml"}), ["fields.content.content"]),
        (template(content={"content_args": {"stripe": 1}}), ["stripe: unknown key"]),
        (calls(content="xml-inline"), ["tag_pattern: Field required"]),
        (calls(content="xml-inline", content_args={"tag_pattern": "a"}), ["group named 'key'"]),
        (calls(transform="a {content}"), ["expected only a placeholder"]),
        (template(content={}, thinking={}), ["only one field may lack 'open'"]),
        (
            template(content={}, mood={"open": "a"}),
            ["unknown fields mood; the fields of a turn are"],
        ),
    ],
)
def test_a_wrong_template_is_refused(wrong: Any, said: list[str]) -> None:
    with pytest.raises(TemplateError) as raised:
        from_response_template(wrong)
    assert all(text in str(raised.value) for text in said), str(raised.value)


def test_all_problems_are_named() -> None:
    with pytest.raises(TemplateError, match=r"has 3 problem\(s\)"):
        from_response_template({"version": 3, "start_anchor": "a", "fields": TEXT, "x": 1, "y": 2})


@pytest.mark.parametrize(
    ("content", "args", "text", "arguments"),
    [
        ("json", {}, '{"a": [1, null]}', {"a": [1, None]}),
        ("json", {"unquoted_keys": True}, "{a:1,b:{c:2}}", {"a": 1, "b": {"c": 2}}),
        (
            "json",
            {"string_delims": [["<q>", "</q>"]], "unquoted_keys": True},
            '{a:<q>say "x", {b: 1}</q>}',
            {"a": 'say "x", {b: 1}'},
        ),
        ("json", {"allow_non_json": True}, " rain ", "rain"),
        ("kv-lines", {}, "a: 1\n\nb: x: y", {"a": "1", "b": "x: y"}),
        (
            "kv-lines",
            {"line_sep": ";", "kv_sep": "=", "value_parser": {"name": "int"}},
            "a=1; b=2",
            {"a": 1, "b": 2},
        ),
        (
            "xml-inline",
            {"tag_pattern": "<(?P<key>\\w)>(?P<value>.*?)</>", "merge_duplicates": True},
            "<a>1</><b>2</><a>3</>",
            {"a": ["1", "3"], "b": "2"},
        ),
        ("text", {"strip": False}, " x ", " x "),
    ],
)
def test_contents(content: str, args: Any, text: str, arguments: Any) -> None:
    parser = from_response_template(calls(content=content, content_args=args))
    (action,) = parser.parse(f"<c>{text}</c>")
    assert action.tool_input == arguments


TAGS = {
    "content": "xml-inline",
    "content_args": {"tag_pattern": r"<p=(?P<key>\w+)>(?P<value>.*?)</p>"},
}


@pytest.mark.parametrize(
    ("field", "text", "said"),
    [
        ({"content": "json"}, "<c>{oops}</c>", "expected JSON"),
        ({"content": "json"}, '<c>{"a": 1, "a": 2}</c>', "the key 'a' appears twice"),
        ({"content": "json"}, f"<c>{'[' * 9999}</c>", "expected JSON"),
        ({"content": "json"}, "<c>3</c>", "expected the arguments of the call"),
        ({"content": "json", "transform": "{content}"}, "<c>[1]</c>", "expected a call"),
        ({"content": "json", "transform": "{content}"}, "<c>{}</c>", "expected the name of a tool"),
        ({"content": "json", "transform": "{content.a}"}, "<c>{}</c>", "expected 'a'"),
        (
            {"content": "json", "transform": "{a}", "transform_each": True},
            "<c>{}</c>",
            "expected a list of objects",
        ),
        ({"content": "kv-lines"}, "<c>a: 1\na: 2</c>", "the key 'a' appears twice"),
        ({"content": "kv-lines"}, "<c>a: 1", "the end of the call is missing"),
        ({"content": "kv-lines"}, "<c>a: 1\nforce</c>", "expected ':' in the line 'force'"),
        ({"content": "int"}, "<c>one</c>", "expected a whole number, not 'one'"),
        ({"content": "float"}, "<c>one</c>", "expected a number, not 'one'"),
        ({"content": "bool"}, "<c>tru</c>", "expected true or false, not 'tru'"),
        ({}, "<c>x</c><c>y</c>", "found a second call"),
        ({}, "no call", "expected an action or a final answer"),
        ({"optional": False}, "no call", "expected tool_calls"),
        ({"content": "xml-inline", "content_args": {"tag_pattern": "(?P<key>x)+"}},
         "<c>x,x</c>", "the parameter 'x' appears twice"),
        (TAGS, "<c><p=path>/tmp</c>", "expected a parameter, not '<p=path>/tmp'"),
        (TAGS, "<c><p=a>1</p><p=b>tr</c>", "expected a parameter, not '<p=b>tr'"),
        (TAGS, "<c><p=a>1</p>2</p></c>", "expected a parameter, not '2</p>'"),
        (TAGS, "<c><p=a>1</p></p></c>", "expected a parameter, not '</p>'"),
        (TAGS, "<c>x<p=a>1</p></c>", "expected a parameter, not 'x'"),
        (TAGS, "<c><p=a>say <c><p=b>1</p></c> t", "found the beginning of a call inside a call"),
        ({"close": None, "close_pattern": r"</c>\Z"}, "<c>x", "the end of the call is missing"),
        ({}, "<c>", "the end of the call is missing"),
        ({}, "<c>x</c> <", "the text was cut off at the beginning of a call"),
    ],
)  # fmt: skip
def test_a_wrong_turn_is_an_error(field: Any, text: str, said: str) -> None:
    with pytest.raises(OutputParserException, match=said) as raised:
        from_response_template(calls(**field)).parse(text)
    error = raised.value
    assert error.llm_output == text
    assert error.observation
    assert error.span is not None


def test_a_cut_text_is_no_input() -> None:
    parser = from_response_template(calls())
    assert parser.parse("<c>x") != []
    for text in ("<c>x", "<c>x</c>"):
        with pytest.raises(OutputParserException, match="the text was cut"):
            parser.parse(text, ended="length")


def test_tools_check_calls() -> None:
    parser = from_response_template(SHIPPED["qwen3_5"], tools=[search])
    text = "<tool_call><function={}><parameter=query>x</parameter><parameter=limit>{}</parameter>"
    (action,) = parser.parse(text.format("search", "3") + "</function></tool_call>")
    assert isinstance(action, ToolAgentAction)
    assert action.tool_input == {"query": "x", "limit": 3}
    with pytest.raises(UnknownToolError):
        parser.parse(text.format("find", "3") + "</function></tool_call>")
    with pytest.raises(ToolInputError, match="limit") as raised:
        parser.parse(text.format("search", "many") + "</function></tool_call>")
    assert raised.value.llm_output is not None


def test_a_prompt_may_open_the_thought() -> None:
    prompt = "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n<think>\n"
    turn = from_response_template(SHIPPED["qwen3"], prompt=prompt).read("I greet.</think>\nHello.")
    assert (turn.thought, turn.content) == ("I greet.", "Hello.")
    assert turn.events[0] == ThoughtDelta("I greet.", (0, 8))


def test_text_is_emitted_as_it_arrives() -> None:
    parser = from_response_template(response_template("hermes"))
    stream = parser.stream_parser()
    assert stream.feed("It is") == [AnswerDelta("It is", (0, 5))]
    assert stream.feed(AIMessageChunk(" 42 <too")) == [AnswerDelta(" 42 ", (5, 9))]
    assert stream.feed("th>") == [AnswerDelta("<tooth>", (9, 16))]
    stream.close()
    assert isinstance(stream.result, AgentFinish)
    assert list(parser.events(["a", "b"]))
    with pytest.raises(RuntimeError, match="after close"):
        stream.feed("x")


@pytest.mark.parametrize("run", [" \n", "\n ", "\n\t\n"])
def test_a_stream_of_what_may_be_half_a_mark_is_read_in_linear_time(run: str) -> None:
    parser = from_response_template(response_template("conversational"), timeout_s=60)

    def seconds(size: int) -> float:
        text = run * (size // len(run))
        stream = parser.stream_parser()
        start = time.thread_time()
        for at in range(0, len(text), 16):
            stream.feed(text[at : at + 16])
        return time.thread_time() - start

    # Searched again after each chunk, sixteen times the text would take 256 times as long.
    assert min(seconds(16_000) for _ in range(2)) < 60 * min(seconds(1_000) for _ in range(3))


def test_a_pattern_may_end_in_a_comment() -> None:
    made = template(content={"open_pattern": "(?x) <a> # the answer", "close": "</a>"})
    result = from_response_template(made).parse("<a>Thun</a>")
    assert isinstance(result, AgentFinish)
    assert result.return_values["output"] == "Thun"


def test_limits() -> None:
    with pytest.raises(OutputParserException, match="longer than max_chars=3"):
        from_response_template(template(), max_chars=3).parse("four")
    slow = from_response_template(
        template(content={"close_pattern": "(a|aa)+b|(a|a)+c"}), timeout_s=0.05
    )
    with pytest.raises(OutputParserException, match=r"took longer than 0\.05 s"):
        slow.parse("a" * 5000)
    endless = from_response_template(template(content={"open_pattern": "", "close_pattern": ""}))
    with pytest.raises(TemplateError, match="opens, closes and opens again"):
        endless.parse("x")
    with pytest.raises(ValueError, match="a template needs calls='all'"):
        endless.stream_parser(calls="each")


def test_a_parser_can_be_copied() -> None:
    parser = from_response_template(response_template("react"), name="mine")
    for again in (copy.deepcopy(parser), pickle.loads(pickle.dumps(parser))):
        assert again.parse("Final Answer: 42") == parser.parse("Final Answer: 42")
    assert (parser.stop, parser.get_format_instructions(), parser.name) == ([], "", "mine")


def test_a_message_is_read_too() -> None:
    parser = from_response_template(response_template("react"))
    finish = parser.invoke(AIMessageChunk("Final Answer: 42"))
    assert isinstance(finish, AgentFinish)
