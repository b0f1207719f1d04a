"""`make growth`: what it finds, with a clock that is made up."""

import importlib
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def growth(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(ROOT)
    return importlib.import_module("tools.benchmarks.growth")


@pytest.fixture
def worst(growth: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Return the worst cell of a subject that takes some seconds for a text."""
    monkeypatch.setattr(growth, "_seconds", lambda read, text: read(text))
    monkeypatch.setattr(growth, "_scan", lambda text, passes=1: len(text) * passes * 1e-7)

    def found(takes: Callable[[str], float]) -> Any:
        return growth.measured(growth.Subject("readers", "made up", "whole", takes), 60)[0]

    return found


def test_what_is_linear_has_an_exponent_of_one(worst: Callable[..., Any]) -> None:
    assert worst(lambda text: len(text) * 1e-7).exponent == pytest.approx(1)


def test_a_step_is_no_growth(worst: Callable[..., Any]) -> None:
    found = worst(lambda text: len(text) * (1e-7 if len(text) < 200_000 else 3e-7))
    assert found.exponent < 1.1


@pytest.mark.parametrize("square", [1e-9, 1e-11, 1e-13])
def test_a_square_is_found_also_if_it_is_slow(square: float, worst: Callable[..., Any]) -> None:
    found = worst(lambda text: len(text) * 1e-7 + len(text) ** 2 * square * (text[:3] == "{//"))
    assert found.exponent >= 1.1
    assert found.run == "{//"
    assert found.is_sure


def test_without_seconds_a_suspect_is_not_sure(
    growth: Any, worst: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    subject = growth.Subject("readers", "made up", "whole", lambda text: len(text) ** 2 * 1e-9)
    monkeypatch.setattr(growth.time, "thread_time", count(step=0.004).__next__)
    unsure = [cell for cell in growth.measured(subject, 0.3) if not cell.is_sure]
    assert unsure
    assert "?" in str(unsure[0])


def test_a_read_that_does_not_end_is_ended(growth: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(growth, "ENDED_S", 0.05)
    before = growth.signal.signal(growth.signal.SIGPROF, growth._end)

    def endless(_text: str) -> None:
        while True:
            pass

    assert growth._seconds(endless, "a") < 10
    growth.signal.signal(growth.signal.SIGPROF, before)
