"""Objects with commas before closing brackets are read as the reader repairs them."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_parsers.engine.repairs.inputs import repair_json_input
from outputs.growing_json.errors import JsonError
from outputs.growing_json.lenient.json_text import without_trailing_commas
from outputs.growing_json.lenient.lenient_reader import KeyReader


@pytest.mark.parametrize(
    ("text", "plain", "commas"),
    [
        ('{"a": [1,],}', '{"a": [1]}', [8, 10]),
        ('{"a": 1 ,\n}', '{"a": 1 \n}', [8]),
        ('{"a": ",]", "b": "\\",}"}', None, []),
        ('{"a": ",]",}', '{"a": ",]"}', [10]),
        ("[1, 2]", None, []),
        ("[1,,]", "[1,]", [3]),
        ('{"a": [,],}', None, []),
        ("{ ,}", None, []),
        ('{"a": 1,} "', None, []),
        ('"' * 5 + ",]", None, []),
    ],
)
def test_a_comma_goes_that_follows_a_value_outside_of_strings(
    text: str, plain: str | None, commas: list[int]
) -> None:
    assert without_trailing_commas(text) == (text if plain is None else plain, commas)


texts = st.text(st.sampled_from("ab ,:[]{}\"\\\n'é`"), max_size=8)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


@given(value=st.dictionaries(texts, values, max_size=4), data=st.data())
def test_the_repairs_are_those_of_the_reader(value: dict[str, object], data: st.DataObject) -> None:
    text = json.dumps(value, ensure_ascii=data.draw(st.booleans()))
    text = re.sub(
        r"(?<![\[{])(?=[\]}])",
        lambda _: data.draw(st.sampled_from(["", "", ",", ", ", " ,\n", ",,"])),
        text,
    )
    reader = KeyReader()
    try:
        reader.feed(text)
        expected = reader.close()
    except JsonError:
        return
    repairs: list[object] = []
    if "`" in text or reader.repeated_key is not None:
        return
    assert repair_json_input(text, repairs) == expected
    made = [(repair.kind, repair.span, repair.message) for repair in repairs]
    assert made == [tuple(repair) for repair in reader.repairs]


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('{"a": 1, "b": {"c": 1, "c": 2}}', "c"),
        ('{"a": 1, "a": 2,}', "a"),
        ('{x: {"a": "' + 64 * "long " + '", "b": 1, "b": 2}}', "b"),
        ('{"a": 1, "b": {"a": 1},}', None),
    ],
)
def test_a_reader_knows_a_key_that_stands_twice(text: str, key: str | None) -> None:
    reader = KeyReader()
    reader.feed(text)
    assert reader.repeated_key == key
