"""Many whole objects that are read at once are what each is when it is read alone."""

from __future__ import annotations

import json
from random import Random
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from outputs.growing_json import whole
from outputs.growing_json.whole import whole_object, whole_objects

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pytest

OBJECTS = [
    "{}", '{"a": 1}', '{"q": "é😀 x"}', '{"a": 1, "b": [1, 2]}', '{"a": {"b": 1}}', '{"a": "b: c"}',
    '{"a": 1, "a": 2}', '{"a": 1, "a": ":"}', '{"a": NaN}', '{"a": 1,}', '{"a": "\\ud800"}', '{"a"',
    '{"a": "}', '{", "b": "c"}', '{"a": 1},{"b": 2}', '{"a": 1}]', '{"a": 1}],[{"b": 2}', "", "1",
    '{"a": [{}', "{}]}", '{"a": 1} ', ' {"a": 1}', '{"a": "x\ny"}', '{"a": 1,"b": 2', '"c": 3}',
    f'{{"a": {"1" * 700}}}', f'{{"a": {"[" * 70}{"]" * 70}}}', "{'a': 1}", '{"{": "}"}',
]  # fmt: skip


def differences(lists: Sequence[Sequence[str]]) -> list[Sequence[str]]:
    """Return those *lists* of texts that are read otherwise at once."""
    return [
        texts
        for texts in lists
        if repr(whole_objects(texts, 64)) != repr([whole_object(each, 64) for each in texts])
    ]


def drawn(seed: int) -> list[list[str]]:
    """Return lists of few texts, and of many of which few are odd."""
    random = Random(seed)
    plain = [f'{{"q": "bridge {number}"}}' for number in range(100)]
    few = [random.choices(OBJECTS, k=random.randrange(5)) for _ in range(3_000)]
    return [*few, *([*plain, *random.choices(OBJECTS, k=2), *plain] for _ in range(100))]


def test_many_objects_are_what_each_is_alone() -> None:
    assert not differences(drawn(1))


@given(st.lists(st.sampled_from(OBJECTS) | st.text('{}[]",:a1\\', max_size=9)))
def test_any_texts_are_what_each_is_alone(texts: list[str]) -> None:
    assert not differences([texts])


def any_objects(texts: Sequence[str], _: int) -> list[object] | None:
    """Return what stands in an array of *texts*, if it has as many items."""
    try:
        values: list[object] = json.loads(f"[{','.join(texts)}]")
    except ValueError:
        return None
    return values if len(values) == len(texts) else None


def test_it_would_find_bugs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whole, "_short_objects", any_objects)
    assert differences(drawn(1))
