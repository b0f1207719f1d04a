"""A whole object is what a scan of it finds."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outputs.growing_json.scalars import NOTHING
from outputs.growing_json.whole import scan_object, whole_object

OBJECTS = [
    "{}", '{"a": 1}', '{"q": "é😀 x"}', '{"a": 1, "b": [1, 2]}', '{"a": {"b": 1}}', '{"a": "b: c"}',
    '{"a": 1, "a": 2}', '{"a": 1, "a": ":"}', '{"a": NaN}', '{"a": 1,}', '{"a": "\\ud800"}', '{"a"',
    '{"a": "}', '{", "b": "c"}', '{"a": 1},{"b": 2}', '{"a": 1}]', '{"a": 1}],[{"b": 2}', "", "1",
    '{"a": [{}', "{}]}", '{"a": 1} ', ' {"a": 1}', '{"a": "x\ny"}', '{"a": 1,"b": 2', '"c": 3}',
    f'{{"a": {"1" * 700}}}', f'{{"a": {"[" * 70}{"]" * 70}}}', "{'a': 1}", '{"{": "}"}',
]  # fmt: skip


def scanned(text: str) -> Any:
    value, end = scan_object(text, 0, 64)
    return value if end == len(text) else NOTHING


@given(st.sampled_from(OBJECTS) | st.text('{}[]",:a1\\', max_size=9))
def test_a_whole_object_is_what_a_scan_of_it_finds(text: str) -> None:
    assert repr(whole_object(text, 64)) == repr(scanned(text))


@pytest.mark.parametrize("text", OBJECTS)
def test_so_it_is_for_each_of_these(text: str) -> None:
    assert repr(whole_object(text, 64)) == repr(scanned(text))


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1, "a": 2}', '{"a": {"b": 1, "b": 1}}', '{"a": "\\ud800"}',
        f'{{"a": {"[" * 64}{"]" * 64}}}', f'{{"a": {"1" * 5_000}}}',
    ],
)  # fmt: skip
def test_what_only_another_reader_can_judge_is_not_read(text: str) -> None:
    assert whole_object(text, 64) is NOTHING


def test_what_is_sound_is_read() -> None:
    assert whole_object('{"a": ":", "b": {"a": [1.5]}}', 64) == {"a": ":", "b": {"a": [1.5]}}
