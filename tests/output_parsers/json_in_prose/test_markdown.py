"""JSON in replies by LangChain's rules: the same values and errors, and improvements."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from langchain_core.exceptions import OutputParserException as LangChainException
from langchain_core.output_parsers import JsonOutputParser as LangChainParser
from langchain_core.utils.json import parse_and_check_json_markdown as their_check
from langchain_core.utils.json import parse_json_markdown as theirs

from output_parsers.exceptions import OutputParserException
from output_parsers.json import JsonOutputParser
from output_parsers.json_in_prose.find import JsonFinder
from output_parsers.json_in_prose.markdown import (
    parse_and_check_json_markdown,
    parse_json_markdown,
)
from output_parsers.json_in_prose.search import STRIP
from outputs.growing_json.errors import JsonError, JsonLimitError
from outputs.growing_json.reader import JsonReader, parse_partial_json

from ...helpers.effort import MANY
from ...helpers.growth import assert_linear

if TYPE_CHECKING:
    from collections.abc import Callable


NESTED = '{\n  "note": "a fence: ```json\\n{}\\n```",\n  "tags": ["[", "}"]\n}'
REPLIES = [
    '{"tool": "search", "args": {"q": "tide"}}',
    '```json\n{"a": [1, 2]}\n```',
    '```\n{"a": 1}\n```',
    '```json{"a": 1}```',
    'Here it is:\n\n```json\n{"a": 1}\n```\n\nAnything else?',
    'Here it is:\n```json\n{"a": {"b": "c"',
    "Here it is:\n```json\n",
    '```json\n{"a": 1',
    '`{"a": 1}`',
    '\n\n  {"a": 1}  \n',
    '{"a": 1} and that is all',
    '{"a": "one\ntwo\tthree"}',
    '{"action": "x", "action_input": "SELECT *\nFROM t"}',
    '{"action": "x", "action_input": "{\\"a\\": 1}"}',
    NESTED,
    f"```json\n{NESTED}\n```",
    f"Look:\n```\n{NESTED}\n``` done",
    "```json\n42\n```",
    "```json42```",
    "```jsontrue```",
    "```json5```",
    '```\n"text"\n```',
    "```\ntrue",
    "```json\nfals",
    "null",
    "NaN",
    "-1.5e3",
    '"text',
    "[1, 2",
    '[{"a": 1}, {"b',
    '{"a": tru',
    "",
    "   ",
    "``",
    "```",
    "no JSON here",
    "no ```JSON``` here",
    '{"a": 1,}',
    "{'a': 1}",
    'Leading prose {"a": 1}',
    '{"a" 1}',
    '```json\n{"a" 1}\n```',
    '[1] ```json\n{"a": 1}\n```',
    'x ```json\n{"a": 1}\n``` y ```json\n{"b": 2}\n```',
]

# text, LangChain's value or the class of its error, ours
DIFFERENCES: list[tuple[str, Any, Any]] = [
    ('{"a": 1} :]', None, {"a": 1}),
    ('{"a": {"b": 1}} and [', json.JSONDecodeError, {"a": {"b": 1}}),
    ('See ]: ```json\n{"a": 1}\n```', None, {"a": 1}),
    ("Sorry :]", None, json.JSONDecodeError),
    ('1. Here:\n```json\n{"a": 1}\n```', 1, {"a": 1}),
    ('``` json\n{"a": 1}\n```', json.JSONDecodeError, {"a": 1}),
    ('```JSON\n{"a": 1}\n```', json.JSONDecodeError, {"a": 1}),
    ('```python\n{"a": 1}\n```', json.JSONDecodeError, {"a": 1}),
    ('```json5\n{"a": 1}\n```', 5, {"a": 1}),
    ('Sure:\n```\n```json\n{"a": 1}\n```\n```', json.JSONDecodeError, {"a": 1}),
    ('Run `x`.\n```sh\nls\n```\n```json\n{"a": 1}\n```', json.JSONDecodeError, {"a": 1}),
    ('{"a": oops, "b": "```json{}"}', {}, json.JSONDecodeError),
    ('[[], x "``` {}"]', {}, json.JSONDecodeError),
    ('{"a": 1, oops ```json\n{"b": 1}\n```', {"a": 1}, json.JSONDecodeError),
    ('{"a": 1, \\"b\\": 2}', {"a": 1}, json.JSONDecodeError),
    ('{\\"a\\": 1}', {}, json.JSONDecodeError),
    ('{"a": 1]', None, json.JSONDecodeError),
    ("[1}", None, json.JSONDecodeError),
    ('[{"a": 1}```x}```null', None, json.JSONDecodeError),
]


def outcome(call: Callable[..., Any], *args: Any) -> Any:
    """Return the value as text, which compares types, or the class of the error."""
    try:
        return repr(call(*args))
    except ValueError as error:
        return "JSON error" if isinstance(error, json.JSONDecodeError) else str(error)


def streamed(text: str, size: int) -> Any:
    finder = JsonFinder()
    for start in range(0, len(text), size):
        finder.feed(text[start : start + size])
    return outcome(lambda: finder.close().value)


@pytest.mark.parametrize("text", REPLIES)
def test_a_reply_reads_as_langchain_reads_it(text: str) -> None:
    assert outcome(parse_json_markdown, text) == outcome(theirs, text)
    for size in (1, 2, 3, 7):
        assert streamed(text, size) == outcome(parse_json_markdown, text)


@pytest.mark.parametrize(("text", "their_value", "our_value"), DIFFERENCES)
def test_where_langchain_stumbles_we_do_not(text: str, their_value: Any, our_value: Any) -> None:
    for call, expected in ((theirs, their_value), (parse_json_markdown, our_value)):
        if expected is json.JSONDecodeError:
            with pytest.raises(json.JSONDecodeError):
                call(text)
        else:
            assert call(text) == expected
    for size in (1, 2, 3, 7):
        assert streamed(text, size) == outcome(parse_json_markdown, text)


scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False)
strings = st.text(max_size=8) | st.sampled_from(
    ["```", "```json\n{}\n```", "a\nb", "x ", "`", "[{", "}]", "tail ``` "]
)
values = st.recursive(
    scalars | strings,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(strings, inner, max_size=4),
    max_leaves=8,
)
documents = st.builds(
    json.dumps, values, ensure_ascii=st.booleans(), indent=st.sampled_from([None, 1])
)
with_raw_breaks = documents.map(
    lambda text: re.sub(r"\\(.)", lambda escape: "\n" if escape[1] == "n" else escape[0], text)
)
sizes = st.sampled_from([1, 2, 3, 7, 50])


@st.composite
def replies(draw: st.DrawFn) -> str:
    """Documents, wrapped and cut as models do, except those that we read differently."""
    text = draw(documents | with_raw_breaks)
    if draw(st.booleans()):
        before = draw(st.sampled_from(["", "Sure:\n", "\n"]))
        fence = draw(st.sampled_from(["```json\n", "```\n", "```json", "```json \n"]))
        after = draw(st.sampled_from(["\n```", "```", "", "\n```\nThat is it."]))
        text = before + fence + text + after
    return text[: draw(st.integers(0, len(text)))] if draw(st.booleans()) else text


half_a_number = re.compile(r"\d(?:\.|[eE][+-]?)\s*(?:```|\Z)").search


@MANY
@given(replies(), sizes)
@example("```json5```", 1)
@example("```json\n0.", 1)
def test_dressed_and_cut_documents_read_as_langchain_reads_them(text: str, size: int) -> None:
    expected = outcome(theirs, text.strip())
    if half_a_number(text) and expected != "JSON error" and not {*"{["} & {*text}:
        expected = "JSON error"  # LangChain drops its end
    assert outcome(parse_json_markdown, text.strip()) == expected
    if expected != "JSON error":
        assert streamed(text.strip(), size) == expected


FRAGMENTS = [
    *'{}[]",:\\ \na1`',
    *('"a"', '"a":', '{"a":', "[1", "], ", "tru", "null", "1.", "x", "[]", "{}"),
    *("```", "```json\n", "``", "\n```\n", "Here: ", "I ", "json", "``` json", "```py\n", '\\"'),
]
fragments = st.lists(st.sampled_from(FRAGMENTS), max_size=14).map("".join)


@MANY
@given(fragments, sizes)
@example("I thijsonnk\n`````\njson\n[]\n`]``\n```json\n{}", 3)
@example('[[],\n```\n1e +30\n```\n```json\n{"z":1}`\n1}\n`', 2)
@example("-1```2\n```[ ", 3)
@example('{"a": oops, "b": "\\"}```[]"}\n```\n[1]', 1)
@example("0.5.json5\n\n[it]", 2)
def test_any_cut_gives_the_value_of_the_whole(text: str, size: int) -> None:
    assert streamed(text, size) == outcome(parse_json_markdown, text)


@MANY
@given(fragments.filter(lambda text: "```" not in text))
@example("``{,")
def test_without_fences_a_value_that_langchain_finds_is_ours(text: str) -> None:
    expected = outcome(theirs, text)
    reader = JsonReader()
    reader.feed(text.strip().strip(STRIP))
    if expected not in ("JSON error", "None") and (reader.error is None or not reader.depth):
        found = outcome(parse_json_markdown, text)
        is_scalar = expected[0] not in "[{"
        assert found == expected or (is_scalar and found == "JSON error")


@pytest.mark.parametrize(
    "text",
    [
        *(
            "5 apples",
            "12:30",
            "1.2.3",
            "007",
            "3-4",
            "-7 is is {",
            "5\nThat is all.",
            "```json\n5 apples\n```",
        ),
        *("true-ish", "null.", "falsehood", '"name": "Ada", "age": 36}', '"a", "b"]', '"a" is it'),
    ],
)
def test_a_scalar_that_something_continues_is_no_value(text: str) -> None:
    assert outcome(parse_json_markdown, text) == "JSON error"
    assert streamed(text, 1) == "JSON error"


@pytest.mark.parametrize(
    "text", ["5", " 5\n", "```json\n5\n```", "```\ntrue\n```\nThat is it.", '"a"']
)
def test_a_scalar_alone_is_a_value(text: str) -> None:
    assert outcome(parse_json_markdown, text) in ("5", "True", "'a'")


@pytest.mark.parametrize("text", [row for row in REPLIES if row != "```\ntrue"])
def test_another_parser_gets_the_text_that_langchain_gives_it(text: str) -> None:
    def loads(text: str) -> Any:
        return json.loads(text)

    ours, expected = (
        outcome(lambda text, call=call: call(text, parser=loads), text)
        for call in (parse_json_markdown, theirs)
    )
    if expected != "JSON error":
        assert ours == expected


def test_another_parser_gets_the_value_without_the_text_after_it() -> None:
    text = 'Sure:\n```json\n{"a": "```"}\n```\nMore?'
    assert parse_json_markdown(text, parser=str) == text
    assert parse_json_markdown(text, parser=json.loads) == {"a": "```"}
    with pytest.raises(json.JSONDecodeError):
        theirs(text, parser=json.loads)


CHECKS = [
    ('{"a": 1}', ["a"]),
    ('```json\n{"a": 1, "b": 2}\n```', ["a", "b"]),
    ('{"a": 1}', []),
    ('{"a": 1}', ["b"]),
    ("[1]", ["a"]),
    ("null", ["a"]),
    ('"a"', ["a"]),
    ("hello", ["a"]),
    ("", ["a"]),
    ('```json\n{"a" 1}\n```', ["a"]),
    ('So: ```json\n{"a": }\n```', ["a"]),
]


@pytest.mark.parametrize(("text", "keys"), CHECKS)
def test_checks_have_langchains_results_and_messages(text: str, keys: list[str]) -> None:
    try:
        expected = their_check(text, keys)
    except LangChainException as error:
        message = str(error).split("\nFor troubleshooting")[0]
    else:
        assert parse_and_check_json_markdown(text, keys) == expected
        return
    with pytest.raises(OutputParserException) as caught:
        parse_and_check_json_markdown(text, keys)
    assert str(caught.value) == message
    assert caught.value.llm_output == text
    assert caught.value.observation


def test_a_check_that_fails_tells_where() -> None:
    with pytest.raises(OutputParserException) as caught:
        parse_and_check_json_markdown('So: ```json\n{"a": }\n```', ["a"])
    assert caught.value.span is not None
    assert caught.value.llm_output is not None
    assert caught.value.llm_output[slice(*caught.value.span)] == "}"


def test_what_fails_after_a_fence_is_not_looked_for_before_it() -> None:
    for text, where in (("no ```no", "n"), ("`` ```json\n```", "")):
        with pytest.raises(OutputParserException) as caught:
            parse_and_check_json_markdown(text, ["a"])
        assert caught.value.span is not None
        start, end = caught.value.span
        assert start > text.index("```")
        assert text[start:end] == where


def test_the_finder_tells_where_the_value_stands() -> None:
    finder = JsonFinder()
    finder.feed('Sure:\n```json\n{"a": ')
    assert finder.span is None
    assert finder.reader is not None
    assert finder.reader.value == {}
    finder.feed("1}\n``` and more")
    assert finder.span == (14, 22)
    assert JsonFinder().span is None


HOSTILE: dict[str, Callable[[int], str]] = {
    "nested brackets": lambda n: "see " + "[" * n,
    "open braces": lambda n: "see " + "{" * n,
    "braces that lead nowhere": lambda n: "see " + '{"a": ' * (n // 6),
    "fences": lambda n: "x " + "```" * (n // 3),
    "fences with tags": lambda n: "x " + "```x " * (n // 5),
    "fences with brackets": lambda n: "x " + "```\n{" * (n // 5),
    "fences with numbers": lambda n: "x " + "```1 " * (n // 5),
    "fences with quotes": lambda n: "x " + '```"' * (n // 4),
    "backticks apart": lambda n: "` " * (n // 2),
    "white space": lambda n: " \n" * (n // 2),
    "a broken start": lambda n: '{"a": oops ' + '[}"' * (n // 3),
    "backslashes": lambda n: '```json\n{"a": "' + "\\" * n,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_costs_no_more_than_its_length(name: str) -> None:
    text = HOSTILE[name]
    for read in (parse_json_markdown, lambda text: streamed(text, 5)):
        assert_linear(lambda it, read=read: outcome(read, it), text, 1_000)


def test_a_hundred_thousand_brackets_are_refused_by_name() -> None:
    for text in ("[" * 100_000, "So:\n```json\n" + '{"a":' * 100_000):
        with pytest.raises(JsonLimitError, match=r"at most 200 nested brackets \(max_depth\)"):
            parse_json_markdown(text)
        with pytest.raises(JsonLimitError, match="max_depth"):
            streamed(text, 1000)


def test_what_is_exported_is_the_readers_function() -> None:
    assert parse_partial_json('{"a": [1') == {"a": [1]}


# -- strict by default, as in LangChain, and lenient on request ----------------------------------

MET_IN_REPLIES = {
    'The answer: {"a": 1}': {"a": 1},
    'Sure. {"a": 1} Anything else?': {"a": 1},
    '```json\nHere it is: {"a": 1}\n```': {"a": 1},
    '```python\nresult = {"a": 1}\n```': {"a": 1},
    '```json\n// the result\n{"a": 1}\n```': {"a": 1},
    '{"a": 1,}': {"a": 1},
    "{'a': 1}": {"a": 1},
    '{"a": True}': {"a": True},
    '{"a": 1 /* one */}': {"a": 1},
}


@pytest.mark.parametrize("text", MET_IN_REPLIES)
def test_json_in_prose_and_what_is_not_quite_json_takes_lenient(text: str) -> None:
    """The first section of ``docs/differences.md``."""
    for strict in (theirs, parse_json_markdown):
        with pytest.raises(json.JSONDecodeError):
            strict(text)
    assert parse_json_markdown(text, lenient=True) == MET_IN_REPLIES[text]
    with pytest.raises(LangChainException):
        LangChainParser().parse(text)
    with pytest.raises(OutputParserException):
        JsonOutputParser().parse(text)
    assert JsonOutputParser(lenient=True).parse(text) == MET_IN_REPLIES[text]


@pytest.mark.parametrize("text", ['{"a": 1, "b": "x', '{"a": 1} {"b": 2}'])
def test_lenient_refuses_half_a_value_and_the_first_of_two(text: str) -> None:
    assert parse_json_markdown(text) == theirs(text)
    with pytest.raises(JsonError):
        parse_json_markdown(text, lenient=True)


def test_lenient_reading_takes_no_parser_of_another() -> None:
    with pytest.raises(ValueError, match="lenient=True and parser= cannot be combined"):
        parse_json_markdown("[1]", parser=json.loads, lenient=True)
