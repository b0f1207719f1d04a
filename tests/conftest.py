"""Settings of the property tests.

The default profile, ``fast``, tries a few examples of each law on each dialect, and a sample of the
listed cases. ``HYPOTHESIS_PROFILE=ci`` tries nearly all listed cases, and more examples, which are
the same in every run. ``HYPOTHESIS_PROFILE=deep`` searches for new examples.
"""

import asyncio
import gc
import os
import shutil
from asyncio import AbstractEventLoop
from collections.abc import Generator, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from .helpers.peers import missing_peer

# Looking for garbage as often as usual, among all that is kept, took a fifth of the time.
gc.set_threshold(10_000, 50, 100)

FAST_EXAMPLES = 8

# Texts of a grammar need many small choices, which the health checks reject as wasteful.
SLOW_TO_DRAW = [HealthCheck.too_slow, HealthCheck.data_too_large]

settings.register_profile(
    "fast",
    max_examples=FAST_EXAMPLES,
    deadline=None,
    derandomize=bool(os.environ.get("CI")),
    suppress_health_check=SLOW_TO_DRAW,
)
settings.register_profile(
    "ci",
    max_examples=24,
    deadline=None,
    derandomize=True,
    suppress_health_check=SLOW_TO_DRAW,
)
settings.register_profile(
    "deep",
    max_examples=4_000,
    deadline=None,
    suppress_health_check=SLOW_TO_DRAW,
    print_blob=True,
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fast"))


QUICK = [
    Path(__file__).parent / name
    for name in (
        "agent_parsers/actions",
        "agent_parsers/dialects/test_cases.py",
        "agent_parsers/parsers",
        "agent_parsers/toolset",
        "agent_runs/readers/test_by_hand.py",
        "output_parsers/json_in_prose",
        "output_parsers/test_json.py",
        "outputs",
        "test_loop.py",
    )
]
"""The tests of ``pytest -m quick``: what all else stands on, and each dialect's cases."""


def pytest_configure(config: pytest.Config) -> None:
    """Register the markers."""
    config.addinivalue_line("markers", "one_in(count): one test in this many is run by default")
    config.addinivalue_line("markers", "quick: what to run after each change, in half a minute")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """With ``-m quick``, leave out all other files, which take long to collect."""
    if config.option.markexpr != "quick" or collection_path.suffix != ".py":
        return None
    return None if _is_quick(collection_path) else True


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that are quick, before others are left out."""
    for item in items:
        if _is_quick(item.path):
            item.add_marker("quick")


def _is_quick(path: Path) -> bool:
    return any(path.is_relative_to(each) for each in QUICK)


def pytest_collection_finish() -> None:
    """Leave all tests and modules out of garbage collection, which would walk them each time."""
    gc.freeze()


@pytest.fixture
def brief_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make `check_dialect` try fewer texts, unless the run is thorough."""
    from agent_laws import plan as _plan

    from .helpers.effort import THOROUGH

    if not THOROUGH:
        for name in ("shapes", "small_inputs"):
            all_of = getattr(_plan, name)
            monkeypatch.setattr(_plan, name, lambda dialect, all_of=all_of: all_of(dialect)[::28])
        first = _plan.smallest_text
        monkeypatch.setattr(_plan, "smallest_text", lambda cases, check: first(cases[::4], check))


@pytest.fixture
def brief_checks(brief_texts: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make `check_dialect` try a third of its laws as well."""
    from agent_laws import check as _check

    from .helpers.effort import THOROUGH

    if not THOROUGH:
        planned = _check.plan_of_reading

        def few(*given: Any) -> list[Any]:
            every = enumerate(planned(*given))
            return [trial._replace(run=lambda: None) if at % 3 else trial for at, trial in every]

        monkeypatch.setattr(_check, "plan_of_reading", few)


# -- packages that only some tests need ----------------------------------------------------------


def _why_skipped(error: BaseException) -> str:
    """Return why a test with this *error* is skipped; empty if it fails, as in CI all do."""
    peer = missing_peer(error)
    return f"{peer} is not installed, which is in the group 'peers'" if peer else ""


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Skip a file of tests that imports a peer that is not installed."""
    report = yield
    call = getattr(report, "call", None)
    reason = _why_skipped(call.excinfo.value) if call is not None and call.excinfo else ""
    if reason:
        report.outcome, report.longrepr = "skipped", (str(collector.path), 1, reason)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup() -> Generator[None, None, None]:
    """Skip a test with a fixture that imports a peer that is not installed."""
    yield from _skipped_without_peers()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None, None, None]:
    """Skip a test that imports a peer that is not installed."""
    yield from _skipped_without_peers()


def _skipped_without_peers() -> Generator[None, None, None]:
    try:
        yield
    except Exception as error:
        reason = _why_skipped(error)
        if reason:
            pytest.skip(reason)
        raise


# -- a browser ------------------------------------------------------------------------------------


BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "chrome"))), None)


@pytest.fixture(scope="session")
def chromium() -> Iterator[tuple[Any, AbstractEventLoop]]:
    """A Chromium that is installed, and the loop that drives it."""
    if BROWSER is None:
        pytest.skip("no Chromium is installed")
    if find_spec("playwright") is None:
        if os.environ.get("CI") == "true":
            pytest.fail("there is a browser, but playwright is not installed")
        pytest.skip("playwright is not installed")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        opened = started.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        loop = asyncio.get_running_loop()
        asyncio._set_running_loop(None)
        yield opened, loop
        asyncio._set_running_loop(loop)
        opened.close()


@pytest.fixture
def browser(chromium: tuple[Any, AbstractEventLoop]) -> Iterator[Any]:
    """A Chromium that is installed; without one, the test is skipped.

    Playwright leaves its loop running in this thread, where other tests run theirs: so it runs for
    the tests that have a browser, and for no other.
    """
    opened, loop = chromium
    asyncio._set_running_loop(loop)
    yield opened
    asyncio._set_running_loop(None)
