"""A sample of the dialects is tried by default."""

from ..helpers.dialect_sample import (
    pytest_collection_modifyitems,
    pytest_generate_tests,
    pytest_runtest_call,
)

__all__ = ["pytest_collection_modifyitems", "pytest_generate_tests", "pytest_runtest_call"]
