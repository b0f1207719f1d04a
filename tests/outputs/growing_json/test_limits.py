"""The JSON reader on hostile input: named limits, and time linear in the text."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outputs.growing_json.errors import JsonLimitError
from outputs.growing_json.load import load_json
from outputs.growing_json.reader import JsonReader, parse_partial_json

from ...helpers.growth import assert_linear

if TYPE_CHECKING:
    from collections.abc import Callable

HOSTILE: dict[str, Callable[[int], str]] = {
    "backslashes": lambda n: '"' + "\\" * n,
    "escaped quotes": lambda n: '["' + '\\"' * (n // 2),
    "cut escapes": lambda n: '["' + "\\u" * (n // 2),
    "high surrogates": lambda n: '["' + "\\ud83d" * (n // 6),
    "surrogate pairs": lambda n: '["' + "\\ud83d\\ude00" * (n // 12),
    "control characters": lambda n: '["' + "\x01" * n,
    "invalid escapes": lambda n: '"\\x"' * (n // 4),
    "quotes": lambda n: '"' * n,
    "open strings": lambda n: '["a' + '","a' * (n // 4),
    "white space": lambda n: '{"a":' + " " * n,
    "commas": lambda n: "[" + "," * n,
    "minus signs": lambda n: "[" + "-" * n,
    "repeated keys": lambda n: "{" + '"a":[1],' * (n // 8),
    "deep and wide": lambda n: '{"a":[' * 99 + '{"b":1},' * (n // 8),
    "a deep string": lambda n: "[" * 199 + '"' + "x" * n,
    "closing brackets": lambda n: "]" * n,
    "brackets after an error": lambda n: "[1 2" + "[" * n,
    "pairs after an error": lambda n: "[[1],2 3" + "[]" * (n // 2),
    "kinds after an error": lambda n: "[" + "[{}]," * (n // 10) + " x " + "[{[{}]}]" * (n // 16),
    "prose": lambda n: 'the "quick" {brown} [fox] ' * (n // 26),
}


def attempt(read: Callable[[str], Any], text: str) -> None:
    try:
        read(text)
    except json.JSONDecodeError:
        return


def stream(text: str, size: int = 4, **options: Any) -> JsonReader:
    reader = JsonReader(**options)
    for start in range(0, len(text), size):
        reader.feed(text[start : start + size])
    return reader


def steps(read: Callable[[str], Any], text: str) -> int:
    """Return how many calls it takes to read *text*; unlike the time, this is deterministic."""
    count = 0

    def tally(*_: object) -> None:
        nonlocal count
        count += 1

    sys.setprofile(tally)
    try:
        attempt(read, text)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("name", HOSTILE)
def test_the_work_grows_no_faster_than_the_text(name: str) -> None:
    text = HOSTILE[name]
    for read in (parse_partial_json, stream):
        assert steps(read, text(8_000)) <= 5 * steps(read, text(2_000)) + 100
    assert_linear(lambda it: attempt(parse_partial_json, it), text, 1_500)


def test_a_chunk_costs_the_same_early_and_late() -> None:
    text = json.dumps([{"id": n, "name": f"widget {n}", "tags": ["a", "b"]} for n in range(400)])
    reader = JsonReader()
    costs = []
    for start in range(0, len(text), 4):
        chunk = text[start : start + 4]
        costs.append(steps(lambda chunk: (reader.feed(chunk), reader.value), chunk))
        costs[-1] += steps(lambda _: reader.changes(), chunk)
    quarter = len(costs) // 4
    assert sum(costs[-quarter:]) < 1.1 * sum(costs[:quarter])


@pytest.mark.parametrize("opening", ["[", '{"a":', '[{"a":'])
def test_deep_nesting_is_refused_by_name(opening: str) -> None:
    text = opening * 100_000
    with pytest.raises(
        JsonLimitError, match=r"at most 200 nested brackets \(max_depth\)"
    ) as caught:
        parse_partial_json(text)
    assert caught.value.limit == "max_depth"
    reader = JsonReader()
    with pytest.raises(JsonLimitError, match="max_depth"):
        reader.feed(text)
    with pytest.raises(JsonLimitError, match="max_depth"):
        reader.feed("]")
    with pytest.raises(JsonLimitError, match="max_depth"):
        reader.close()


ROADS: dict[str, Callable[[int], str]] = {
    "whole": lambda depth: "[" * depth + "]" * depth,
    "cut": lambda depth: '{"a":' * depth,
    "with a raw newline": lambda depth: '["a\n",' + "[" * (depth - 1) + "]" * depth,
    "late in a wide array": lambda depth: (
        "[" + "{}," * 300 + "[" * (depth - 1) + "]" * depth + " and so on"
    ),
    "with brackets in strings": lambda depth: (
        "[" * (depth - 1) + '{"[[[[[[": "' + "]" * 500 + '"}' + "]" * (depth - 1)
    ),
}


@pytest.mark.parametrize("max_depth", [2, 3, 199, 200, 201, 300])
@pytest.mark.parametrize("road", ROADS)
def test_the_depth_limit_is_exact_on_every_road(max_depth: int, road: str) -> None:
    text = ROADS[road](max_depth)
    value = parse_partial_json(text, max_depth=max_depth)
    too_deep = ROADS[road](max_depth + 1)
    with pytest.raises(JsonLimitError, match="max_depth"):
        parse_partial_json(too_deep, max_depth=max_depth)
    for size in (4, 150, 10_000):
        assert stream(text, size, max_depth=max_depth).value == value
        with pytest.raises(JsonLimitError, match="max_depth"):
            stream(too_deep, size, max_depth=max_depth)


def test_deep_nesting_is_no_problem_for_a_caller_deep_in_calls() -> None:
    text = "[" * 150 + '"a\n'

    def call(depth: int) -> Any:
        return call(depth - 1) if depth else parse_partial_json(text + '"' + "]" * 150)

    assert call(sys.getrecursionlimit() - 100 - _stack_depth()) == parse_partial_json(text)


def _stack_depth() -> int:
    depth, frame = 0, sys._getframe()
    while frame.f_back is not None:
        depth, frame = depth + 1, frame.f_back
    return depth


def test_text_too_deep_for_json_itself_fails_in_our_words() -> None:
    with pytest.raises(json.JSONDecodeError):
        parse_partial_json("[" * 3000 + "x{", max_depth=5000)


def test_long_text_is_refused_by_name() -> None:
    reader = JsonReader(max_chars=8)
    assert reader.feed('{"a": ') == 6
    with pytest.raises(JsonLimitError, match=r"at most 8 characters \(max_chars\)") as caught:
        reader.feed('"xyz"}')
    assert (caught.value.limit, caught.value.pos) == ("max_chars", 8)
    assert reader.value == {"a": "x"}
    for _ in range(2):
        with pytest.raises(JsonLimitError, match="max_chars"):
            reader.feed("")
    with pytest.raises(JsonLimitError, match=r"at most 8 characters \(max_chars\)"):
        parse_partial_json('{"a": "xyz"}', max_chars=8)
    assert parse_partial_json('{"a": 1}', max_chars=8) == {"a": 1}


def test_a_value_may_take_all_characters_that_are_allowed() -> None:
    reader = JsonReader(max_chars=8)
    assert reader.feed('{"a": 1} and more') == 8
    assert reader.close() == {"a": 1}


@pytest.mark.parametrize("number", ["9" * 4301, "-" + "9" * 4301, "0." + "1" * 4299, "1" * 10**6])
@pytest.mark.parametrize("around", ["@", "[@]", '{"a": @}', '["a\n", @', '{"b": [], "a": [@]}'])
def test_long_numbers_are_refused_by_name(number: str, around: str) -> None:
    text = around.replace("@", number)
    with pytest.raises(JsonLimitError, match=r"at most 4300 characters \(max_number_chars\)"):
        parse_partial_json(text)
    for size in (1000, 10**7):
        with pytest.raises(JsonLimitError, match="max_number_chars"):
            stream(text, size)
    reader = JsonReader()
    with pytest.raises(JsonLimitError) as caught:
        reader.feed(text)
    assert caught.value.limit == "max_number_chars"
    assert len(repr(reader.value)) < 5000


def test_long_numbers_within_the_limit_are_exact() -> None:
    for number in ("9" * 4300, "-" + "9" * 4300):
        assert parse_partial_json(f"[{number}") == [int(number)]
        assert parse_partial_json(f'["a\n", {number}]') == ["a\n", int(number)]


def test_digits_in_a_string_are_no_number() -> None:
    text = '{"a": "' + "9" * 10_000 + '"}'
    assert parse_partial_json(text) == parse_partial_json(text[:-2]) == json.loads(text)


@given(st.text(st.sampled_from('{}[]",:\\u1dD8e+-.tfnNI \n\x00\ud83d\udc00'), max_size=300))
def test_any_text_is_a_value_or_a_json_error(text: str) -> None:
    attempt(parse_partial_json, text)
    attempt(stream, text)


# -- whole documents within the common depth limit, on any Python version --------------------------

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(VALUES)
def test_a_document_is_read_as_json_reads_it(value: object) -> None:
    assert load_json(json.dumps(value)) == value


def test_many_brackets_are_no_depth() -> None:
    value = [{"a": [n]} for n in range(500)]
    assert load_json(json.dumps(value)) == value


@pytest.mark.parametrize(
    "text", ["[" * 201 + "]" * 201, '{"a":' * 5_000 + "1" + "}" * 5_000, "[" * 10**5, "", "[1"]
)
def test_what_is_too_deep_or_no_document_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        load_json(text)
