"""`JsonOutputParser`: whole replies, streams, patches, errors, compared with LangChain."""

from __future__ import annotations

import asyncio
import copy
import json
import subprocess
import sys
from contextlib import suppress
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Any

import jsonpatch
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from langchain_core.exceptions import OutputParserException as LangChainException
from langchain_core.messages import AIMessageChunk as LangChainChunk
from langchain_core.output_parsers import JsonOutputParser as LangChainParser
from pydantic import BaseModel, Field
from pydantic import v1 as pydantic_v1

from output_parsers.exceptions import OutputParserException
from output_parsers.json import JsonOutputParser, SimpleJsonOutputParser
from outputs import AIMessage, AIMessageChunk, Generation

from ..helpers.effort import MANY

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


class Ferry(BaseModel):
    """A ferry."""

    name: str = Field(description="Name, auch auf Föhr: Fähre")
    decks: int = 1


class OldFerry(pydantic_v1.BaseModel):
    name: str = pydantic_v1.Field(description="船名")


def pieces(text: str, size: int) -> list[str]:
    return [text[start : start + size] for start in range(0, len(text), size)]


def stream(text: str, size: int = 1, **fields: Any) -> list[Any]:
    return list(JsonOutputParser(**fields).transform(iter(pieces(text, size) or [""])))


def values_of(text: str, size: int, **fields: Any) -> list[Any]:
    """Return what a stream yields, and check that it raises if the whole text is an error."""
    values: list[Any] = []
    try:
        values.extend(JsonOutputParser(**fields).transform(iter(pieces(text, size))))
    except OutputParserException:
        with pytest.raises(OutputParserException):
            JsonOutputParser(**fields).parse(text)
    return values


def their_stream(text: str, size: int = 1, **fields: Any) -> list[Any]:
    return list(LangChainParser(**fields).transform(iter(pieces(text, size))))


JOKE = ["", '{"set', 'up": "Why', " did", '?"', ', "tags": [', '"a', 'b", 1', "2", "]", "}", " "]
SO_FAR: list[Any] = [
    {},
    {"setup": "Why"},
    {"setup": "Why did"},
    {"setup": "Why did?"},
    {"setup": "Why did?", "tags": []},
    {"setup": "Why did?", "tags": ["a"]},
    {"setup": "Why did?", "tags": ["ab", 1]},
    {"setup": "Why did?", "tags": ["ab", 12]},
]
PATCHES: list[list[tuple[str, str, Any]]] = [
    [("replace", "", {})],
    [("add", "/setup", "Why")],
    [("replace", "/setup", "Why did")],
    [("replace", "/setup", "Why did?")],
    [("add", "/tags", [])],
    [("add", "/tags/0", "a")],
    [("replace", "/tags/0", "ab"), ("add", "/tags/1", 1)],
    [("replace", "/tags/1", 12)],
]


def test_a_stream_gives_each_new_value_once() -> None:
    assert list(JsonOutputParser().transform(iter(JOKE))) == SO_FAR
    assert list(LangChainParser().transform(iter(JOKE))) == SO_FAR


def test_with_diff_a_stream_gives_patches() -> None:
    given = list(JsonOutputParser(diff=True).transform(iter(JOKE)))
    assert [[tuple(operation.values()) for operation in patch] for patch in given] == PATCHES
    document: Any = None
    for patch, value in zip(given, SO_FAR, strict=True):
        document = jsonpatch.apply_patch(document, patch)
        assert document == value


def test_async_streams_give_the_same() -> None:
    async def chunks() -> AsyncIterator[str]:
        for chunk in JOKE:
            yield chunk

    async def collect(**fields: Any) -> list[Any]:
        return [value async for value in JsonOutputParser(**fields).atransform(chunks())]

    assert asyncio.run(collect()) == SO_FAR
    assert asyncio.run(collect(diff=True)) == list(
        JsonOutputParser(diff=True).transform(iter(JOKE))
    )


@pytest.mark.parametrize("kind", [AIMessageChunk, LangChainChunk, AIMessage, Generation])
def test_chunks_may_be_messages_or_generations(kind: Any) -> None:
    chunks = [kind(text=text) if kind is Generation else kind(content=text) for text in JOKE]
    assert list(JsonOutputParser().transform(iter(chunks))) == SO_FAR


def test_chunks_may_have_blocks() -> None:
    chunks = [AIMessageChunk(content=[{"type": "text", "text": text}]) for text in JOKE]
    assert list(JsonOutputParser().transform(iter(chunks))) == SO_FAR


strings = st.text(max_size=6) | st.sampled_from(["```", "a\nb", "x ", "1.0", " `"])
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | strings,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(strings, inner, max_size=4),
    max_leaves=8,
)
FRAGMENTS = [
    '{"a": 1, ',
    '"a": 1}',
    "[1, ",
    "]",
    "}",
    '"x',
    '": ',
    "```json\n",
    "\n```",
    "1.0",
    "Hm ",
]


@st.composite
def replies(draw: st.DrawFn) -> str:
    text = json.dumps(draw(values), indent=draw(st.sampled_from([None, 1])))
    before = draw(st.sampled_from(["", "```json\n", "Sure:\n```json\n", "Sure:\n```\n"]))
    after = draw(st.sampled_from(["", "\n```", "\n```\nDone."])) if before else ""
    text = before + text + after
    return text[: draw(st.integers(0, len(text)))] if draw(st.booleans()) else text


sizes = st.sampled_from([1, 2, 3, 7, 50])


@MANY
@given(replies(), sizes)
@example("[1.0, -0.0, 1e0, true]", 1)
@example('{"a": 1, "a": 1, "b": [], "b": [], "c": {"d": "x"}, "c": {"d": "xy"}}', 1)
@example('["x\\u00e9", "y\\ud83d\\ude00z"]', 1)
def test_a_stream_gives_what_langchain_gives(text: str, size: int) -> None:
    # LangChain leaves out a value that equals the one before it, as 1.0 does 1.
    given = [value for value, _ in groupby(values_of(text, size))]
    assert given == their_stream(text, size)


@MANY
@given(replies() | st.lists(st.sampled_from(FRAGMENTS), max_size=10).map("".join), sizes)
def test_patches_lead_from_value_to_value(text: str, size: int) -> None:
    document: Any = None
    patches = copy.deepcopy(values_of(text, size, diff=True))
    for patch, value in zip(patches, values_of(text, size), strict=True):
        document = jsonpatch.apply_patch(document, patch)
        assert document == value


@MANY
@given(replies() | st.lists(st.sampled_from(FRAGMENTS), max_size=10).map("".join), sizes)
@example("1. Hm:\n```json\n[1.0]\n```", 2)
@example("[-0.0]", 1)
@example("[1.0 x", 2)
def test_a_stream_ends_in_the_value_of_the_whole(text: str, size: int) -> None:
    try:
        whole = JsonOutputParser().parse(text)
    except OutputParserException:
        with pytest.raises(OutputParserException):
            stream(text, size)
        return
    if whole is not None:
        given = stream(text, size)
        assert repr(given[-1]) == repr(whole)
        assert all(repr(a) != repr(b) for a, b in pairwise(given))


@MANY
@given(replies(), sizes)
def test_values_given_out_never_change(text: str, size: int) -> None:
    seen: list[tuple[Any, str]] = []
    with suppress(OutputParserException):
        seen.extend(
            (value, repr(value)) for value in JsonOutputParser().transform(iter(pieces(text, size)))
        )
    assert all(repr(value) == then for value, then in seen)


def test_a_value_that_is_replaced_is_told_from_the_root() -> None:
    text = '1. Here:\n```json\n{"a": [1]}\n```'
    assert stream(text, 7) == [1, {}, {"a": [1]}]
    assert stream(text, 7, diff=True)[:2] == [
        [{"op": "replace", "path": "", "value": 1}],
        [{"op": "replace", "path": "", "value": {}}],
    ]


def test_a_stream_without_json_ends_in_an_error_and_without_text_in_nothing() -> None:
    for text in ("No JSON.", "```json\n", '{"a": 1, oops}', '{"a": 1, \\"b\\": 2}'):
        with pytest.raises(OutputParserException, match="Invalid json output"):
            list(JsonOutputParser().transform(iter(pieces(text, 3))))
    assert list(JsonOutputParser().transform(iter([]))) == []
    assert stream("null") == their_stream("null") == []


@pytest.mark.parametrize(
    "text", ["hello", "", '  {"a": 1,}\n', '```json\n{"a" 1}\n```', "{'a': 1}", 'So: {"a": 1}']
)
def test_errors_have_langchains_message_and_more(text: str) -> None:
    with pytest.raises(LangChainException) as theirs:
        LangChainParser().parse(text)
    with pytest.raises(OutputParserException) as ours:
        JsonOutputParser().parse(text)
    assert str(ours.value) == str(theirs.value).split("\nFor troubleshooting")[0]
    assert ours.value.llm_output == theirs.value.llm_output == text.strip()
    assert isinstance(ours.value.__cause__, json.JSONDecodeError)
    assert ours.value.observation is not None
    assert ours.value.observation.startswith("That is not valid JSON: ")
    assert JsonOutputParser().parse_result([Generation(text=text)], partial=True) is None


def test_an_error_points_at_the_character() -> None:
    with pytest.raises(OutputParserException) as caught:
        JsonOutputParser().parse('\nSo:\n```json\n{"a": 1 2}\n```\n')
    error = caught.value
    assert error.llm_output is not None
    assert error.span is not None
    assert error.llm_output[slice(*error.span)] == "2"
    assert (error.line, error.column) == (3, 9)
    assert error.observation is not None
    assert "at line 3, column 9" in error.observation


def test_too_deep_a_value_is_an_error_that_names_the_limit() -> None:
    text = "Hm:\n```\n" + "[" * 300
    with pytest.raises(OutputParserException) as caught:
        JsonOutputParser().parse(text)
    assert "max_depth" in str(caught.value.__cause__)
    assert caught.value.span == (208, 209)
    for lenient in (False, True):
        with pytest.raises(OutputParserException) as caught:
            stream(text, 10, lenient=lenient)
        assert "max_depth" in str(caught.value.__cause__)


def test_partial_results_are_values_so_far() -> None:
    for text, value in (('{"a": [1', {"a": [1]}), ("hello", None), ("{'a': 'b", {})):
        result = [Generation(text=text)]
        assert JsonOutputParser().parse_result(result, partial=True) == value
    result = [Generation(text="So {'a': 'b")]
    assert JsonOutputParser(lenient=True).parse_result(result, partial=True) == {"a": "b"}
    result = [Generation(text="So")]
    assert JsonOutputParser(lenient=True).parse_result(result, partial=True) is None


def test_lenient_reads_what_models_write() -> None:
    parser = JsonOutputParser(lenient=True)
    text = "Sure, I use {braces}:\n{'q': 'it's', n: None,} // that is all"
    assert parser.parse(text) == {"q": "it's", "n": None}
    for size in (1, 2, 3, 7):
        assert stream(text, size, lenient=True)[-1] == {"q": "it's", "n": None}
    with pytest.raises(OutputParserException):
        JsonOutputParser().parse(text)


def test_lenient_refuses_half_a_value_and_strict_takes_it() -> None:
    text = '{"path": "a.txt", "text": "Dear'
    assert JsonOutputParser().parse(text) == {"path": "a.txt", "text": "Dear"}
    assert stream(text, 9)[-1] == {"path": "a.txt", "text": "Dear"}
    parser = JsonOutputParser(lenient=True)
    with pytest.raises(OutputParserException) as caught:
        parser.parse(text)
    assert caught.value.span == (len(text), len(text))
    given = []
    with pytest.raises(OutputParserException) as caught:
        given.extend(iter(parser.transform(iter(pieces(text, 9)))))
    assert caught.value.llm_output == text


def test_lenient_streams_end_in_the_value_or_the_error_of_the_whole() -> None:
    for text, value in (
        ("'all of it'", "all of it"),
        ("It is {a: 1}", {"a": 1}),
        ("[]", []),
        ('"a {b: 1} c"', "a {b: 1} c"),
    ):
        for fields in ({}, {"diff": True}):
            given = stream(text, 2, lenient=True, **fields)
            if fields:
                assert given[-1] == [{"op": "replace", "path": "", "value": value}]
            else:
                assert given[-1] == value
    assert stream("null", lenient=True) == []
    for text in ("hello", "{a: 1} {a: 2}"):
        with pytest.raises(OutputParserException):
            stream(text, 3, lenient=True)


def test_without_a_model_the_instructions_ask_for_json() -> None:
    assert JsonOutputParser().get_format_instructions() == "Return a JSON object."


@pytest.mark.parametrize(("model", "text"), [(Ferry, "auch auf Föhr: Fähre"), (OldFerry, "船名")])
def test_instructions_tell_the_schema_as_it_is(model: type[Any], text: str) -> None:
    instructions = JsonOutputParser(pydantic_object=model).get_format_instructions()
    assert text in instructions
    schema = json.loads(instructions.split("```")[-2])
    assert schema["properties"]["name"]["description"].endswith(text)
    assert "title" not in schema
    assert "type" not in schema
    assert schema["required"] == ["name"]


def test_the_model_does_not_validate() -> None:
    assert JsonOutputParser(pydantic_object=Ferry).parse('{"decks": "x"}') == {"decks": "x"}


def test_the_old_name_is_the_same_class() -> None:
    assert SimpleJsonOutputParser is JsonOutputParser
    assert JsonOutputParser().asdict()["_type"] == "simple_json_output_parser"


class Upper(JsonOutputParser):
    def parse_result(self, result: list[Generation], *, partial: bool = False) -> Any:
        value = super().parse_result(result, partial=partial)
        return value.upper() if isinstance(value, str) else value


class Counted(JsonOutputParser):
    def _diff(self, prev: Any, next: Any) -> Any:  # noqa: A002 - LangChain's name for it
        return len(prev or ""), len(next)


def test_subclasses_are_asked_for_their_results_and_differences() -> None:
    assert list(Upper().transform(iter(['"ab', 'c"']))) == ["AB", "ABC"]
    assert list(Upper(diff=True).transform(iter(['"ab', 'c"'])))[1] == [
        {"op": "replace", "path": "", "value": "ABC"}
    ]
    assert list(Counted(diff=True).transform(iter(['"ab', 'c"']))) == [(0, 2), (2, 3)]


@pytest.mark.parametrize("fields", [{}, {"diff": True}, {"lenient": True}], ids=str)
def test_a_chunk_costs_the_same_early_and_late(fields: dict[str, Any]) -> None:
    text = json.dumps([{"id": n, "name": f"widget {n}", "tags": ["a", "b"]} for n in range(400)])
    calls: list[int] = []

    def count(*_: object) -> None:
        calls[-1] += 1

    reader = JsonOutputParser(**fields)._reader()
    for chunk in pieces("Sure:\n```json\n" + text, 4):
        calls.append(0)
        sys.setprofile(count)
        reader.feed(chunk)
        sys.setprofile(None)
    quarter = len(calls) // 4
    assert sum(calls[-quarter:]) < 1.1 * sum(calls[quarter : 2 * quarter])


def test_importing_the_parser_does_not_import_jsonpatch() -> None:
    code = (
        "import sys, output_parsers.json, output_parsers.pydantic;"
        "print('jsonpatch' in sys.modules, 'pydantic.v1' in sys.modules)"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "False False"


HOSTILE = {
    "brackets": "[" * 100_000,
    "braces in prose": "see " + "{" * 100_000,
    "digits": "9" * 1_000_000,
    "digits in a fence": "```json\n[" + "9" * 1_000_000,
    "backslashes": '{"a": "' + "\\" * 1_000_000,
    "surrogates": '["\ud83d", "\\ud83d"]' * 1000,
    "fences": "```" * 100_000,
    "fences with tags": "x ```json\n" * 100_000,
    "a fence in each string": '["```json", ' * 100 + "```" * 100_000,
}


@pytest.mark.parametrize("lenient", [False, True], ids=["strict", "lenient"])
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_ends_in_a_value_or_an_error(name: str, lenient: bool) -> None:
    parser = JsonOutputParser(lenient=lenient)
    with suppress(OutputParserException):
        parser.parse(HOSTILE[name])
    with suppress(OutputParserException):
        list(parser.transform(iter(pieces(HOSTILE[name], 10_000))))


@MANY
@given(st.text(st.sampled_from("{}[]\"'`:,\\u1dD8e+-.tfnNI \n\x00\ud83d\udc00"), max_size=100))
def test_any_text_is_a_value_or_an_error(text: str) -> None:
    for parser in (JsonOutputParser(), JsonOutputParser(lenient=True)):
        with suppress(OutputParserException):
            parser.parse(text)
        with suppress(OutputParserException):
            list(parser.transform(iter(pieces(text, 5))))


def test_the_pointer_of_an_error_says_why() -> None:
    with pytest.raises(OutputParserException) as caught:
        JsonOutputParser().parse('{"a": oops}')
    assert str(caught.value) == 'Invalid json output: {"a": oops}'
    assert caught.value.pointer().splitlines() == [
        "the JSON cannot be read: Expecting value",
        "  --> line 1, column 7",
        '1 | {"a": oops}',
        "  |       ^",
    ]
