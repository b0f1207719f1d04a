"""How many examples, and which cases, to try on each dialect by default: hooks for a conftest."""

from collections.abc import Generator, Mapping, Sequence
from typing import Any
from zlib import crc32

import pytest
from hypothesis import settings

from agent_parsers import Dialect, get_dialect, list_dialects

from .effort import EVERY_DIALECT, THOROUGH
from .stories import is_tried, share

NAMES = {*list_dialects()}


def dialect_in(params: Mapping[str, Any]) -> Dialect | None:
    """Return the dialect among the parameters of a test, which may be there by name."""
    found = params.get("dialect", params.get("name"))
    if isinstance(found, str) and found in NAMES:
        found = get_dialect(found)
    return found if isinstance(found, Dialect) else None


def dialect_of(item: pytest.Item) -> Dialect | None:
    """Return the dialect of a test that is parametrized by dialects."""
    return dialect_in(getattr(getattr(item, "callspec", None), "params", {}))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None]:
    """Use fewer examples for dialects that resemble others; see `share`."""
    test = getattr(item, "obj", None)
    dialect = dialect_of(item)
    usual = getattr(test, "_hypothesis_internal_use_settings", None)
    if usual is None or dialect is None:
        return (yield)
    few = max(round(usual.max_examples * share(dialect)), 3)
    test._hypothesis_internal_use_settings = settings(usual, max_examples=few)  # type: ignore[union-attr]
    try:
        return (yield)
    finally:
        test._hypothesis_internal_use_settings = usual  # type: ignore[union-attr]


# -- the sample ------------------------------------------------------------------------------------


def is_asked_for(config: pytest.Config) -> bool:
    """Return whether tests are selected by name or with ``-k``, so that all of them run."""
    return bool(config.option.keyword) or any("::" in asked for asked in config.args)


def has_every_dialect(test: pytest.Item, fixtures: Sequence[str]) -> bool:
    """Return whether a test that is parametrized by dialects runs for each of them."""
    if any(name.startswith("snapshot") for name in fixtures):
        return True
    return EVERY_DIALECT and "laws" in test.path.parts


@pytest.hookimpl(tryfirst=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make the tests of the dialects in the sample; to make those of all takes seconds."""
    test = metafunc.definition
    if (
        not is_asked_for(metafunc.config)
        and test.get_closest_marker("one_in") is None
        and not has_every_dialect(test, metafunc.fixturenames)
    ):
        test.own_markers[:] = [
            in_sample(mark, test.name) if mark.name == "parametrize" else mark
            for mark in test.own_markers
        ]


def in_sample(mark: pytest.Mark, test: str) -> pytest.Mark:
    """Return a mark with those of its parameters whose dialects are tried, if any is.

    All are kept if ids may count them.
    """
    argnames, values = mark.args[0], [*mark.args[1]]
    names = argnames.replace(",", " ").split() if isinstance(argnames, str) else argnames
    rows = [value if len(names) > 1 else [value] for value in values]
    tried = values
    if callable(mark.kwargs.get("ids", str)) and all(is_name(each) for row in rows for each in row):
        dialects = [dialect_in(dict(zip(names, row, strict=True))) for row in rows]
        tried = [
            value
            for value, dialect in zip(values, dialects, strict=True)
            if dialect is None or is_tried(dialect, test)
        ]
    return pytest.mark.parametrize(argnames, tried or values, **mark.kwargs).mark


def is_name(value: object) -> bool:
    """Return whether a parameter is a dialect, or a word, such as the name of a mode."""
    return isinstance(value, Dialect) or (isinstance(value, str) and value.isidentifier())


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the tests that are not in the sample.

    Snapshot tests and tests selected by name or with ``-k`` always run.
    """
    if not is_asked_for(config):
        left_out = [item for item in items if not is_in_sample(item)]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if is_in_sample(item)]


def is_in_sample(item: pytest.Item) -> bool:
    """Return whether a test belongs to the sample."""
    if mark := item.get_closest_marker("one_in"):
        # Tests with the same parameters share what they read.
        case = getattr(getattr(item, "callspec", None), "id", item.name)
        return THOROUGH or crc32(case.encode()) % mark.args[0] == 0
    dialect = dialect_of(item)
    if dialect is None or has_every_dialect(item, getattr(item, "fixturenames", ())):
        return True
    return is_tried(dialect, getattr(item, "originalname", item.name))
