"""Token usage is added count by count."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages.ai import add_usage as langchain_add_usage

from outputs import InputTokenDetails, OutputTokenDetails, UsageMetadata, add_usage

COUNTS = st.integers(0, 1000)
USAGE: st.SearchStrategy[Any] = st.none() | st.fixed_dictionaries(
    {"input_tokens": COUNTS, "output_tokens": COUNTS, "total_tokens": COUNTS},
    optional={
        "input_token_details": st.dictionaries(st.sampled_from(["audio", "cache_read"]), COUNTS),
        "output_token_details": st.dictionaries(st.sampled_from(["audio", "reasoning"]), COUNTS),
    },
)


def test_counts_are_added_and_missing_ones_are_zero() -> None:
    left = UsageMetadata(
        input_tokens=5,
        output_tokens=0,
        total_tokens=5,
        input_token_details=InputTokenDetails(cache_read=3),
    )
    right = UsageMetadata(
        input_tokens=0,
        output_tokens=10,
        total_tokens=10,
        output_token_details=OutputTokenDetails(reasoning=4),
    )
    assert add_usage(left, right) == {
        "input_tokens": 5,
        "output_tokens": 10,
        "total_tokens": 15,
        "input_token_details": {"cache_read": 3},
        "output_token_details": {"reasoning": 4},
    }


def test_no_usage_at_all_is_zero() -> None:
    assert add_usage(None, None) == {"input_tokens": 0, "output_tokens": 0, "total_tokens": 0}


@given(USAGE, USAGE)
def test_usage_adds_up_as_in_langchain(left: Any, right: Any) -> None:
    assert add_usage(left, right) == langchain_add_usage(left, right)


@pytest.mark.parametrize(
    ("left", "right", "reason"),
    [
        ({"n": "1"}, {"n": 1}, "'n' must be a count or a dictionary of counts, not str and int"),
        ({"n": 1}, {"n": {"m": 1}}, "not int and dict"),
        ({"n": 1.5}, {"m": 1}, "not float"),
    ],
)
def test_what_is_no_count_is_refused(left: Any, right: Any, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        add_usage(left, right)


def test_counts_nested_without_end_are_refused() -> None:
    endless: dict[str, Any] = {}
    endless["more"] = endless
    usage: Any = endless
    with pytest.raises(ValueError, match="more than 100 levels deep"):
        add_usage(usage, usage)
