import asyncio
import pickle
import re
from collections.abc import Iterator
from typing import Any

import langchain_core.output_parsers as lc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from output_parsers.exceptions import OutputParserException
from output_parsers.list import (
    CommaSeparatedListOutputParser,
    ListOutputParser,
    MarkdownListOutputParser,
    NumberedListOutputParser,
)
from outputs import AIMessage, AIMessageChunk

from ..helpers.every_cut import every_cut, fours, pieces_of, story, sync_story
from ..helpers.growth import assert_linear

KINDS = ["CommaSeparatedListOutputParser", "NumberedListOutputParser", "MarkdownListOutputParser"]
OURS: dict[str, Any] = {
    cls.__name__: cls()
    for cls in (CommaSeparatedListOutputParser, NumberedListOutputParser, MarkdownListOutputParser)
}
THEIRS: dict[str, Any] = {name: getattr(lc, name)() for name in KINDS}

every_kind = pytest.mark.parametrize("kind", KINDS)

# Without a carriage return, for which LangChain's comma lists raise a CSV error.
texts = st.text(alphabet='ab12.,-*" \t\n\u2028é', max_size=25)
lines = st.lists(
    st.sampled_from(
        [
            "1. one",
            "2.two",
            " 3. three ",
            "see 4. four",
            "- a",
            "  * b",
            "-c",
            "1.",
            "-",
            "",
            "a, b",
        ]
    ),
    max_size=6,
).map("\n".join)


@every_kind
@given(text=texts | lines | st.text(st.characters(exclude_characters="\r")))
def test_the_items_are_those_of_langchain(kind: str, text: str) -> None:
    assert OURS[kind].parse(text) == THEIRS[kind].parse(text)


@every_kind
@given(text=texts | lines | st.text())
def test_however_a_text_is_cut_the_stream_gives_its_items_one_by_one(kind: str, text: str) -> None:
    items = OURS[kind].parse(text)
    for chunks in every_cut(text):
        assert sync_story(OURS[kind], chunks) == ([[item] for item in items], None)


@every_kind
@given(chunks=pieces_of(texts | lines))
def test_a_text_in_many_pieces_gives_its_items_one_by_one(kind: str, chunks: list[str]) -> None:
    items = OURS[kind].parse("".join(chunks))
    assert story(OURS[kind], chunks) == ([[item] for item in items], None)


@pytest.mark.parametrize(
    ("kind", "text", "items"),
    [
        (0, "foo", ["foo"]),
        (0, '"foo, foo2",bar,baz', ["foo, foo2", "bar", "baz"]),
        (0, 'a "b", c', ['a "b"', "c"]),
        (0, '"say ""so""", b', ['say "so"', "b"]),
        (0, "a ,  b\n\nc,", ["a ", "b", "c", ""]),
        (0, 'open, "a, b', ["open", "a, b"]),
        (0, "a\rb\r\nc", ["a", "b", "c"]),
        (0, "", []),
        (1, "Items:\n\n1. apple\n\n    2. banana\n\n3. cherry", ["apple", "banana", "cherry"]),
        (1, "As in 1. foo\n12. bar 3. baz", ["foo", "bar 3. baz"]),
        (1, "1) no, 2.no, 3.\n\nNo items here.", []),
        (1, "1.\n2. on the next line", ["2. on the next line"]),
        (2, "Items:\n- apple\n     - banana\n* cherry", ["apple", "banana", "cherry"]),
        (2, "not - an item\n-nor this\n+ nor this", []),
    ],
)
def test_what_an_item_is(kind: int, text: str, items: list[str]) -> None:
    assert OURS[KINDS[kind]].parse(text) == items


@pytest.mark.parametrize(
    ("kind", "chunks"),
    [
        (0, [("red,", ["red"]), ("gre", []), ('en\n"a, b"', ["green"]), (" ,", ["a, b "])]),
        (1, [("1. r", []), ("ed\n2", ["red"]), (".\n", []), ("green\n", ["green"])]),
        (2, [("- red\n-", ["red"]), ("\n", []), ("green\nmore", ["green"])]),
    ],
)
def test_an_item_comes_as_soon_as_it_is_complete(
    kind: int, chunks: list[tuple[str, list[str]]]
) -> None:
    reader = OURS[KINDS[kind]]._reader()
    for chunk, items in chunks:
        assert list(reader.feed(chunk)) == [[item] for item in items]


@every_kind
def test_an_empty_stream_gives_nothing(kind: str) -> None:
    for chunks in ([], [""], ["", ""], [AIMessageChunk(content="")]):
        assert story(OURS[kind], chunks) == ([], None)


def test_messages_of_any_library_and_text_in_blocks_are_read() -> None:
    import langchain_core.messages as theirs

    parser = CommaSeparatedListOutputParser()
    chunks = [
        AIMessageChunk(content="a, "),
        theirs.AIMessageChunk(content="b, "),
        "c, ",
        AIMessageChunk(content=[{"type": "text", "text": "d"}]),
    ]
    assert story(parser, chunks) == ([["a"], ["b"], ["c"], ["d"]], None)
    assert parser.invoke(AIMessage(content="a, b")) == ["a", "b"]
    assert asyncio.run(parser.ainvoke("a, b")) == ["a", "b"]


@every_kind
@pytest.mark.parametrize(
    "shape", ["1", "1.", "1.\n", "-\n", "- ", "\n", " ", '"', '",', ",", "\r", "- a\n", "a"]
)
def test_hostile_text_takes_linear_time(kind: str, shape: str) -> None:
    def read(text: str) -> None:
        items = OURS[kind].parse(text)
        assert [item for (item,) in OURS[kind].transform(fours(text))] == items

    assert_linear(read, lambda size: shape * (size // len(shape)), 1_000)


# custom patterns and parsers

WORDS = r"(\w+);?"


@given(chunks=pieces_of(st.text(alphabet="ab; \n", max_size=30)))
def test_items_of_a_pattern_of_ones_own_are_the_same_for_any_cut(chunks: list[str]) -> None:
    text = "".join(chunks)
    for cls in (NumberedListOutputParser, MarkdownListOutputParser):
        parser = cls(pattern=WORDS)
        items = re.findall(WORDS, text)
        assert parser.parse(text) == getattr(lc, cls.__name__)(pattern=WORDS).parse(text) == items
        assert story(parser, chunks) == ([[item] for item in items], None)


def test_a_pattern_of_ones_own_streams_an_item_when_the_next_has_begun() -> None:
    reader = NumberedListOutputParser(pattern=r"\d+\)\s([^\n]+)")._reader()
    assert list(reader.feed("1) one\n2) t")) == [["one"]]
    assert list(reader.feed("wo")) == []
    assert list(reader.close()) == [["two"]]


@pytest.mark.parametrize("shape", ["1", "1) a\n", "x y"])
def test_a_pattern_of_ones_own_is_searched_in_linear_time(shape: str) -> None:
    parser = NumberedListOutputParser(pattern=r"(?<!\d)\d+\)\s([^\n]+)")

    def read(text: str) -> None:
        streamed = [item for (item,) in parser.transform(fours(text))]
        assert streamed == parser.parse(text)

    assert_linear(read, lambda size: shape * (size // len(shape)), 1_000)


def test_a_pattern_without_a_group_means_the_whole_match() -> None:
    parser = NumberedListOutputParser(pattern=r"#\w+")
    assert parser.parse("#a and #b") == ["#a", "#b"]
    assert story(parser, ["#a a", "nd #b"]) == ([["#a"], ["#b"]], None)


@pytest.mark.parametrize("cls", [NumberedListOutputParser, MarkdownListOutputParser])
def test_a_hostile_pattern_ends_in_time_whole_and_streamed(cls: Any) -> None:
    parser = cls(pattern="^(a|aa)+$", timeout_s=0.1)
    text = "a" * 90 + "b"
    for run in (parser.parse, lambda text: list(parser.transform(iter([text, text])))):
        with pytest.raises(OutputParserException, match=r"longer than 0\.1 s") as caught:
            run(text)
        assert caught.value.span is not None


def test_of_several_groups_the_first_is_the_item() -> None:
    parser = NumberedListOutputParser(pattern=r"#(\w+)(!)?")
    assert parser.parse("#a! and #b") == ["a", "b"]
    assert story(parser, ["#a", "! and #b"]) == ([["a"], ["b"]], None)


def test_a_pattern_that_is_none_is_the_callers_mistake() -> None:
    with pytest.raises(ValueError, match="is not a regular expression"):
        MarkdownListOutputParser(pattern="(")


class Shouted(NumberedListOutputParser):
    def parse(self, text: str) -> list[str]:
        return [item.upper() for item in super().parse(text)]


class Upper(CommaSeparatedListOutputParser):
    def parse(self, text: str) -> list[str]:
        return [item.upper() for item in super().parse(text)]


class Semicolons(ListOutputParser):
    def parse(self, text: str) -> list[str]:
        return [part.strip() for part in text.split(";") if part.strip()]


class Tags(ListOutputParser):
    def parse(self, text: str) -> list[str]:
        return re.findall(r"#(\w+)", text)

    def parse_iter(self, text: str) -> Iterator[re.Match[str]]:
        return re.finditer(r"#(\w+)", text)


class Hashes(NumberedListOutputParser):
    def parse_iter(self, text: str) -> Iterator[re.Match[str]]:
        return re.finditer(r"#(\w+)", text)


@pytest.mark.parametrize(
    ("parser", "text", "items"),
    [
        (Shouted(), "1. a\n2. b\n3. c", ["A", "B", "C"]),
        (Upper(), "a, b, c", ["A", "B", "C"]),
        (Semicolons(), "a ; b;; c ;", ["a", "b", "c"]),
        (Tags(), "#a and #bc", ["a", "bc"]),
        (Hashes(), "#a and #bc", ["a", "bc"]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_subclass_streams_what_it_parses(parser: Any, text: str, items: list[str]) -> None:
    assert parser.parse(text) == items
    for chunks in every_cut(text):
        assert story(parser, chunks) == ([[item] for item in items], None)


def test_a_parser_that_tells_items_one_by_one_streams_them() -> None:
    reader = Tags()._reader()
    assert list(reader.feed("#a and #bc")) == [["a"]]
    with pytest.raises(NotImplementedError):
        Semicolons().parse_iter("a; b")


# descriptions


@every_kind
def test_the_example_in_the_instructions_is_read(kind: str) -> None:
    example = OURS[kind].get_format_instructions().partition("\n\n")[2]
    expected = ["foo", "bar, or so" if kind == KINDS[0] else "bar", "baz"]
    assert OURS[kind].parse(example) == expected


@every_kind
def test_they_describe_themselves_as_langchains_do(kind: str) -> None:
    parser, twin = OURS[kind], THEIRS[kind]
    assert parser._type == twin._type
    assert parser.OutputType == twin.OutputType == list[str]
    assert repr(parser) == f"{kind}()"
    assert Tags()._type == "list"
    assert pickle.loads(pickle.dumps(parser)) == parser
