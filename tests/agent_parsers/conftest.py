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
