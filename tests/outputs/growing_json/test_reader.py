"""The incremental JSON reader: its values after every chunk, and where it ends or fails."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import jsonpatch
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from langchain_core.utils.json import parse_partial_json as reference

from outputs.growing_json.errors import (
    JsonError,
    JsonIncompleteError,
    JsonLimitError,
    JsonSyntaxError,
)
from outputs.growing_json.lenient.lenient_reader import LenientJsonReader
from outputs.growing_json.reader import JsonReader, parse_partial_json
from outputs.growing_json.whole import parse_container

from ...helpers.effort import MANY

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=12)
    | st.sampled_from(["", "a\nb", 'say "x" [{', "\\", "/", "😀", "\ud83d", "\x01", "lorem " * 15])
)
keys = st.sampled_from(["a", "b", "a/b", "~", ""]) | st.text(max_size=3)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=12,
)
documents = st.builds(
    json.dumps, values, ensure_ascii=st.booleans(), indent=st.sampled_from([None, 1])
)

FRAGMENTS = [
    *'{}[]",:\\-.x \n\t\x01',
    *('"a"', '"a":', '{"a":', '{"a": [', "[1", "[[", "{}", "[]", "], ", "}, ", '", "'),
    *("tru", "true", "null", "NaN", "-Infinity", "-Inf", "0", "12", ".5", "e", "E+1", "1.5e3"),
    *("\\u", "\\ud83d", "\\ude00", "\\n", '\\"', "u", "d83d", "é", "\ud800", "\ufeff"),
    '[{"k": [1, {"z": "y"}], "k": 2, "k": {"w": [[], [3]]}}, {"k": [4], "q": "some more text"}]',
]


@st.composite
def mutated(draw: st.DrawFn) -> str:
    text = draw(documents)
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, min(len(text), start + 3)))
        text = text[:start] + draw(st.sampled_from(["", *FRAGMENTS])) + text[end:]
    return text


almost_json = (
    documents | mutated() | st.lists(st.sampled_from(FRAGMENTS), max_size=16).map("".join)
).map(lambda text: text[:160])
chunk_sizes = st.sampled_from([1, 2, 3, 5, 11, 70, 1000])


def outcome(parse: Any, text: str, **options: Any) -> str:
    """Return the result of *parse* for *text* in a form that compares types; NaN equals NaN."""
    try:
        return repr(parse(text, **options))
    except json.JSONDecodeError:
        return "nothing"


def so_far(reader: JsonReader) -> str:
    return repr(reader.value) if reader.has_value else "nothing"


def pieces(text: str, size: int) -> list[str]:
    return [text[start : start + size] for start in range(0, len(text), size)]


@MANY
@given(documents, chunk_sizes)
def test_a_document_reads_as_json_reads_it_at_any_cut(text: str, size: int) -> None:
    reader = JsonReader()
    assert sum(map(reader.feed, pieces(text, size))) == len(text)
    assert repr(reader.close()) == repr(reader.value) == repr(json.loads(text))
    assert reader.end == len(text)
    assert repr(parse_partial_json(text)) == repr(json.loads(text))


@MANY
@given(almost_json, st.booleans())
@example('[1, {"a": 2} {', False)
@example('[[1], {"a": [2], "a": 3, "b" 4}, [[', False)
@example('{"a": {"b": 1, "b": [2]}, "a": "x" 3} {"', False)
@example('{"a": 1, "a": "\\u12', False)
@example('"a\nb', True)
@example('"a\tb', True)
@example('["\\ud83d\\ude0', False)
@example("[1,]] x", False)
def test_every_prefix_has_the_value_that_langchain_gives_it(text: str, strict: bool) -> None:
    for end in range(len(text) + 1):
        expected = outcome(reference, text[:end], strict=strict)
        assert outcome(parse_partial_json, text[:end], strict=strict) == expected


@MANY
@given(almost_json, chunk_sizes, st.booleans())
@example('{"a": [0, {"b": "x\\\n"}, [', 3, False)
def test_the_value_after_any_chunk_is_that_of_the_prefix(
    text: str, size: int, strict: bool
) -> None:
    reader = JsonReader(strict=strict)
    read = 0
    for chunk in pieces(text, size):
        used = reader.feed(chunk)
        read += used
        if reader.end is not None:
            read = reader.end
        assert so_far(reader) == outcome(parse_partial_json, text[:read], strict=strict)
        if used < len(chunk):
            assert reader.complete
            break


@MANY
@given(almost_json, chunk_sizes)
def test_where_it_ends_or_fails_does_not_depend_on_the_cuts(text: str, size: int) -> None:
    def story(chunks: list[str]) -> tuple[Any, ...]:
        reader = JsonReader()
        for chunk in chunks:
            reader.feed(chunk)
        try:
            end = repr(reader.close())
        except JsonIncompleteError as error:
            end = f"{error.closers}"
        except JsonSyntaxError as error:
            end = str(error)
        return end, reader.end, so_far(reader)

    assert story(pieces(text, size)) == story([text])


@MANY
@given(almost_json, chunk_sizes)
def test_a_value_handed_out_never_changes(text: str, size: int) -> None:
    reader = JsonReader()
    handed_out = []
    for chunk in pieces(text, size):
        reader.feed(chunk)
        handed_out.append((reader.value, repr(copy.deepcopy(reader.value))))
    assert [repr(value) for value, _ in handed_out] == [then for _, then in handed_out]


@MANY
@given(almost_json, chunk_sizes, st.lists(st.booleans(), min_size=1))
@example('{"a": 1, "a": "x\\u0041', 1, [True])
@example('["x\\u0041"', 1, [True])
@example('"x\\u0041"', 1, [True])
@example('{"a/b": {"~": [1, 2.5, "x', 1, [True])
@example('[[1, 2] [3], "a"]', 1, [True])
@example("{} x", 2, [False, True])
def test_changes_applied_as_json_patch_give_the_next_value(
    text: str, size: int, asked: list[bool]
) -> None:
    reader = JsonReader()
    document: Any = None
    for number, chunk in enumerate(pieces(text, size)):
        reader.feed(chunk)
        if asked[number % len(asked)]:
            document = jsonpatch.apply_patch(document, reader.changes(), in_place=True)
            if reader.has_value:
                assert repr(document) == repr(reader.value) or document == reader.value


@MANY
@given(almost_json, chunk_sizes)
@example("[1.0, -0.0]", 1)
@example('{"a": 1, "a": 1, "b": [], "b": [], "c": {"d": "x"}, "c": {"d": "xy"}}', 1)
@example('{"a": "x", "a": "x\\u0041"}', 1)
def test_changed_tells_whether_the_value_is_another(text: str, size: int) -> None:
    reader = JsonReader()
    before: Any = None
    had_value = False
    for chunk in pieces(text, size):
        reader.feed(chunk)
        changed = reader.changed()
        if reader.error is None:
            is_same = reader.has_value == had_value and repr(reader.value) == repr(before)
            assert changed != is_same
        elif not changed:
            assert repr(reader.value) == repr(before)
        before, had_value = reader.value, reader.has_value
        assert not reader.changed()


def test_where_a_text_broke_is_told() -> None:
    for text, depth, in_string, nothing_read in [
        ("hello", 0, False, True),
        ("1.", 0, False, False),
        ("[1] x", 0, False, False),
        ('{"a": [1 2', 2, False, False),
        ('{"a": "\\x', 1, True, False),
        ("[", 1, False, False),
    ]:
        reader = JsonReader()
        reader.feed(text)
        found = (reader.depth, reader.broke_in_string, reader.nothing_read)
        assert found == (depth, in_string, nothing_read)


def test_a_container_is_read_where_it_begins() -> None:
    assert parse_container('so: {"a": "x\ny"} etc.', 4, 200) == ({"a": "x\ny"}, 16)
    for text in ("[1", "[1,]", "[" * 201 + "]" * 201, "[" * 3000, f"[{'9' * 5000}]"):
        assert parse_container(text, 0, 200)[1] == 0
    deep = "[" * 200 + "]" * 200
    assert parse_container(deep, 0, 200)[1] == len(deep)


def test_changes_say_what_is_new_and_replace_what_has_grown() -> None:
    reader = JsonReader()
    said = []
    for chunk in [
        "[",
        '{"na',
        'me": "s',
        'earch", "args": {"q": ',
        '["a"',
        ', "b"]}}',
        ", 1",
        "2]",
    ]:
        reader.feed(chunk)
        said.append([tuple(change.values()) for change in reader.changes()])
    assert said == [
        [("replace", "", [])],
        [("add", "/0", {})],
        [("add", "/0/name", "s")],
        [("replace", "/0/name", "search"), ("add", "/0/args", {})],
        [("add", "/0/args/q", ["a"])],
        [("add", "/0/args/q/1", "b")],
        [("add", "/1", 1)],
        [("replace", "/1", 12)],
    ]
    assert reader.changes() == []


def test_nothing_has_changed_before_there_is_a_value() -> None:
    reader = JsonReader()
    reader.feed("tru")
    assert reader.changes() == []
    reader.feed("e")
    assert reader.changes() == [{"op": "replace", "path": "", "value": True}]


def test_successive_values_share_what_is_closed() -> None:
    reader = JsonReader()
    reader.feed('{"done": [1, {"x": 2}], "open": ["a')
    first = reader.value
    reader.feed("b")
    second = reader.value
    assert first["done"] is second["done"]
    assert first["open"] is not second["open"]
    assert reader.value is second
    reader.feed('c"]}')
    assert reader.value is reader.close()
    assert reader.value["done"] is first["done"]


def test_text_after_the_value_is_left_alone() -> None:
    reader = JsonReader()
    assert reader.feed(' {"a": "}"') == 10
    assert not reader.complete
    assert reader.feed("} and {so on}") == 1
    assert (reader.complete, reader.end, reader.value) == (True, 11, {"a": "}"})
    assert reader.feed("more") == 0
    assert reader.close() == {"a": "}"}


def test_a_number_at_the_top_ends_with_the_character_after_it_or_the_text() -> None:
    reader = JsonReader()
    reader.feed("12")
    assert (reader.complete, reader.value) == (False, 12)
    assert reader.feed(" .") == 0
    assert (reader.end, reader.value) == (2, 12)

    reader = JsonReader()
    reader.feed("-1.5")
    assert (reader.close(), reader.end) == (-1.5, 4)


def test_a_number_cut_at_the_top_is_an_error_when_the_text_ends() -> None:
    reader = JsonReader()
    reader.feed("1.")
    assert reader.value == 1
    with pytest.raises(JsonSyntaxError, match="the number before this character"):
        reader.close()


@pytest.mark.parametrize(
    ("text", "closers"),
    [
        ("[", "]"),
        ('{"a": [1, {"b": "c"}', "]}"),
        ('{"a": {} ', "}"),
        # From here on, more than brackets is missing.
        ("[12", None),
        ("[1,", None),
        ('["a', None),
        ('["a\\', None),
        ("[tru", None),
        ('{"a', None),
        ('{"a"', None),
        ('{"a":', None),
        ('{"a": 1,', None),
    ],
)
def test_closing_tells_missing_brackets_from_a_value_cut_in_the_middle(
    text: str, closers: str | None
) -> None:
    reader = JsonReader()
    reader.feed(text)
    with pytest.raises(
        JsonIncompleteError, match="expected the rest of the value, but the text ended"
    ) as caught:
        reader.close()
    assert caught.value.closers == closers
    assert caught.value.pos == len(text)
    if closers is None:
        with pytest.raises(JsonIncompleteError):
            reader.close(supply_closers=True)
    else:
        assert reader.close(supply_closers=True) == json.loads(text + closers) == reader.value
        assert reader.end == len(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1 2]", "expected ',' or ']' (character 3)"),
        ('{"a" 1}', "expected ':' (character 5)"),
        ('{"a": 1 "b"', "expected ',' or '}' (character 8)"),
        ("{1}", "expected a key in double quotes or '}' (character 1)"),
        ('{"a": 1,}', "expected a key in double quotes (character 8)"),
        ("[,]", "expected a value or ']' (character 1)"),
        ("[1,]", "expected a value (character 3)"),
        ("[01]", "the number before this character is not valid (character 3)"),
        ("[trux]", "expected a value (character 1)"),
        ('["\\x"]', "expected a valid escape (character 2)"),
        ('{"\\x"}', "expected a valid escape (character 2)"),
        ('["\x01"]', "expected control characters to be escaped (character 2)"),
        ("Sure! [1]", "expected a value (character 0)"),
    ],
)
def test_an_error_says_what_was_expected_and_where(text: str, message: str) -> None:
    for size in (1, 3, 100):
        reader = JsonReader(strict=True)
        assert sum(map(reader.feed, pieces(text, size))) == len(text)
        assert str(reader.error) == message
        with pytest.raises(JsonSyntaxError):
            reader.close()
        assert not reader.complete


def test_an_empty_text_lacks_a_value() -> None:
    reader = JsonReader()
    reader.feed(" \n")
    with pytest.raises(JsonIncompleteError, match="expected a value, but the text ended") as caught:
        reader.close(supply_closers=True)
    assert caught.value.closers is None


def test_without_a_value_the_error_is_that_of_json() -> None:
    for text in ("", "Sure!", '{"a": 1,}', "[1 2]", "\ufeff1"):
        with pytest.raises(json.JSONDecodeError) as ours:
            parse_partial_json(text)
        with pytest.raises(json.JSONDecodeError) as theirs:
            json.loads(text)
        assert str(ours.value) == str(theirs.value)


def test_errors_keep_what_they_know_when_they_are_pickled() -> None:
    for error in (
        JsonSyntaxError("expected a value", "", 3),
        JsonIncompleteError("expected more", "", 3, "]}"),
        JsonLimitError("expected at most 2 characters", "", 2, "max_chars"),
    ):
        again = pickle.loads(pickle.dumps(error))
        assert isinstance(again, JsonError)
        assert (str(again), vars(again)) == (str(error), vars(error))


@pytest.mark.parametrize("reader", [JsonReader, LenientJsonReader])
@pytest.mark.parametrize(
    ("text", "known", "is_quoting"),
    [
        ('{"a', 3, True),
        ('{"a\\', 3, True),
        ('{"a"', 4, False),
        ('{"a": "b\\u00', 8, True),
        ('{"a": 1} b', 8, False),
        ("", 0, False),
    ],
)
def test_it_says_what_it_has_understood_and_whether_a_string_is_open(
    reader: type[JsonReader], text: str, known: int, is_quoting: bool
) -> None:
    value = reader()
    value.feed(text)
    assert (value.known, value.is_quoting) == (known, is_quoting)
