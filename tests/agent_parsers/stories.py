"""The dialects that are shipped, each in every mode, and a search for texts of one."""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, TypeVar

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


T = TypeVar("T")

HEADS = {
    "deepseek_dsml", "deepseek_v3", "gemma4", "glm45", "harmony", "hermes", "kimi_k2",
    "llama3_json", "minimax_m2", "mistral", "pythonic", "qwen3_coder",
}  # fmt: skip
"""One dialect of each kind that may have several calls; what others have of their own is little."""


def share(dialect: Dialect) -> float:
    """Return how much of what is tried on other dialects is tried on this one."""
    if settings.get_current_profile_name() == "deep" or not dialect.several:
        return 1
    return 0.4 if dialect.name in HEADS else 0.15


def some(of: Sequence[T], dialect: Dialect, part: float = 1) -> Sequence[T]:
    """Return a *part* of something, another one for each dialect; all of it when there is time."""
    if settings.get_current_profile_name() == "deep":
        return of
    step = round(1 / (part * share(dialect)))
    return of[len(dialect.name) % max(min(step, len(of)), 1) :: step]


def _named(value: Any) -> str | None:
    return value.name if isinstance(value, Dialect) else None


every_dialect = pytest.mark.parametrize("dialect", DIALECTS, ids=_named)
every_run_dialect = pytest.mark.parametrize("dialect", [d for d, _ in RUNS], ids=_named)
every_turn_mode = pytest.mark.parametrize(("dialect", "mode"), TURNS, ids=_named)
every_run_mode = pytest.mark.parametrize(("dialect", "mode"), RUNS, ids=_named)
every_mode = pytest.mark.parametrize(("dialect", "mode"), TURNS + RUNS, ids=_named)


def assert_found(dialect: Dialect, mode: Mode, condition: Callable[[str], bool]) -> None:
    """Fail if no text of *dialect* that meets the *condition* is to be had."""
    search = settings(max_examples=3_000, phases=[Phase.generate], database=None)
    find(texts(dialect, mode), condition, settings=search, random=Random(0))
