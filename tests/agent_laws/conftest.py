"""A sample of the dialects is tried by default; tests that find a known fault must fail."""

import pytest

from ..helpers.dialect_sample import (
    pytest_collection_modifyitems,
    pytest_generate_tests,
    pytest_runtest_call,
)
from ..helpers.known_faults import mark_known

__all__ = ["pytest_collection_modifyitems", "pytest_generate_tests", "pytest_runtest_call"]


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark the tests that find a known fault."""
    mark_known(item)
