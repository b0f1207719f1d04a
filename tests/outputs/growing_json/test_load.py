"""Whole documents within the common depth limit, on any Python version."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outputs.growing_json.load import load_json

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
