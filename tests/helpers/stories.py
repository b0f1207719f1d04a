"""All shipped dialects in every mode, and a search for texts of a dialect."""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, TypeVar
from zlib import crc32

import pytest
from hypothesis import Phase, find, settings

from agent_laws import texts
from agent_parsers import Dialect, get_dialect, list_dialects
from agent_parsers.engine.tables.modes import Mode

from .effort import DEEP, THOROUGH

DIALECTS = [get_dialect(name) for name in list_dialects()]
TURNS: list[tuple[Dialect, Mode]] = [(d, mode) for d in DIALECTS for mode in ("strict", "lenient")]
RUNS: list[tuple[Dialect, Mode]] = [
    (d, "transcript") for d in DIALECTS if d.lenient.transcript_start
]


T = TypeVar("T")

HEADS = {
    "anthropic_xml", "conversational", "conversational_chat", "deepseek_dsml", "deepseek_v3",
    "gemma4", "glm45", "harmony", "hermes", "json_toolcall", "kimi_k2", "llama3_json", "minimax_m2",
    "mistral", "pythonic", "qwen3_coder", "react", "react_docstore", "react_json", "react_zh",
    "self_ask", "smolagents_code", "structured_chat", "xml",
}  # fmt: skip
"""One or more dialects of each kind; the others differ only a little."""


def share(dialect: Dialect) -> float:
    """Return the fraction of all cases that is tried on this dialect."""
    if THOROUGH:
        return 1
    return 0.3 if dialect.name in HEADS else 0.08


def is_tried(dialect: Dialect, test: str) -> bool:
    """Return whether *test* is run for this dialect; by default, some of the dialects are."""
    if THOROUGH:
        return True
    one_of = 8 if dialect.name in HEADS else 26
    return crc32(f"{test} {dialect.name}".encode()) % one_of == 0


def some(of: Sequence[T], dialect: Dialect, part: float = 1, *, thorough: float = 1) -> Sequence[T]:
    """Return a *part* of a sequence that depends on the dialect, or that of a *thorough* run."""
    if DEEP:
        return of
    step = round(1 / (thorough if THOROUGH else part * share(dialect)))
    return of[len(dialect.name) % max(min(step, len(of)), 1) :: step]


def named(value: Any) -> str | None:
    """Return the id of a test of this dialect."""
    return value.name if isinstance(value, Dialect) else None


every_dialect = pytest.mark.parametrize("dialect", DIALECTS, ids=named)
every_run_dialect = pytest.mark.parametrize("dialect", [d for d, _ in RUNS], ids=named)
every_turn_mode = pytest.mark.parametrize(("dialect", "mode"), TURNS, ids=named)
every_run_mode = pytest.mark.parametrize(("dialect", "mode"), RUNS, ids=named)
every_mode = pytest.mark.parametrize(("dialect", "mode"), TURNS + RUNS, ids=named)


def assert_found(dialect: Dialect, mode: Mode, condition: Callable[[str], bool]) -> None:
    """Fail if no text of *dialect* is found that meets the *condition*."""
    search = settings(max_examples=3_000, phases=[Phase.generate], database=None)
    find(texts(dialect, mode), condition, settings=search, random=Random(0))
