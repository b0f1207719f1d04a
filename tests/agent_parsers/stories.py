"""The dialects that are shipped, each in every mode, and a search for texts of one."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from hypothesis import Phase, find, settings

from agent_parsers import Dialect, get_dialect, list_dialects
from agent_parsers.engine import Mode
from agent_parsers.testing import texts

DIALECTS = [get_dialect(name) for name in list_dialects()]
TURNS: list[tuple[Dialect, Mode]] = [(d, mode) for d in DIALECTS for mode in ("strict", "lenient")]
RUNS: list[tuple[Dialect, Mode]] = [
    (d, "transcript") for d in DIALECTS if d.lenient.transcript_start
]


def _named(value: Any) -> str | None:
    return value.name if isinstance(value, Dialect) else None


every_dialect = pytest.mark.parametrize("dialect", DIALECTS, ids=_named)
every_turn_mode = pytest.mark.parametrize(("dialect", "mode"), TURNS, ids=_named)
every_run_mode = pytest.mark.parametrize(("dialect", "mode"), RUNS, ids=_named)
every_mode = pytest.mark.parametrize(("dialect", "mode"), TURNS + RUNS, ids=_named)


def assert_found(dialect: Dialect, mode: Mode, condition: Callable[[str], bool]) -> None:
    """Fail if no text of *dialect* that meets the *condition* is to be had."""
    search = settings(max_examples=3_000, phases=[Phase.generate], database=None)
    find(texts(dialect, mode), condition, settings=search, random=Random(0))
