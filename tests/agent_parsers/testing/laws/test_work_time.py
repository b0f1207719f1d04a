"""The clock tells slow reading from a busy machine; the clock and the machine are made up here."""

from collections.abc import Callable
from itertools import cycle

import pytest

from agent_parsers.testing.laws import work
from agent_parsers.testing.laws.work import takes_twice_its_share

SHORT, LONG = "a" * 4_000, "a" * 128_000


class Machine:
    """A machine whose clock shows what its work costs, times how busy it is at that moment.

    A scan costs a nanosecond a character.
    """

    def __init__(self) -> None:
        self.now_s = 0.0
        self.busy = cycle([1.0])

    def work(self, units: float) -> None:
        self.now_s += units * 1e-9 * next(self.busy)

    def reads(self, cost: Callable[[int], float]) -> Callable[[str], object]:
        return lambda text: self.work(cost(len(text)))


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    machine = Machine()
    monkeypatch.setattr(work, "_now", lambda: machine.now_s)
    monkeypatch.setattr(work, "_scan", lambda text, passes: machine.work(len(text) * passes))
    return machine


def test_work_that_grows_with_the_text_takes_its_share(machine: Machine) -> None:
    assert not takes_twice_its_share(machine.reads(lambda size: 100 * size), SHORT, LONG)


def test_work_that_grows_with_the_square_of_the_text_takes_more(machine: Machine) -> None:
    assert takes_twice_its_share(machine.reads(lambda size: size * size), SHORT, LONG)


def test_work_that_grows_with_the_square_is_seen_on_a_machine_that_is_busy(
    machine: Machine,
) -> None:
    machine.busy = cycle([1.0, 2.5, 1.5, 4.0, 3.0, 1.2, 2.0])
    assert takes_twice_its_share(machine.reads(lambda size: size * size), SHORT, LONG)


def test_a_machine_that_slows_down_all_long_work_is_no_fault_of_the_text(machine: Machine) -> None:
    def cost(size: int) -> float:
        return size * (100 if size < 8_000 else 400)

    def scan(text: str, passes: int) -> None:
        machine.work(passes * cost(len(text)) / 100)

    assert takes_twice_its_share(machine.reads(cost), SHORT, LONG)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(work, "_scan", scan)
        assert not takes_twice_its_share(machine.reads(cost), SHORT, LONG)


def test_a_long_text_that_was_slow_once_is_measured_again(machine: Machine) -> None:
    slow = iter([True] * 5)

    def cost(size: int) -> float:
        return size * (4_000 if size > 8_000 and next(slow, False) else 100)

    assert not takes_twice_its_share(machine.reads(cost), SHORT, LONG)
    assert next(slow, None) is None
