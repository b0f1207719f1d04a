"""Checks one dialect against all laws, and reports what was checked."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import chain
from textwrap import indent
from typing import TYPE_CHECKING, Final

from agent_laws import laws
from agent_laws.laws.broken import ONE_WAY_TO_FAIL, BrokenLawError, crashed, named
from agent_laws.plan import plan_of_form, plan_of_reading

if TYPE_CHECKING:
    import pytest

    from agent_laws.smallest import Trial
    from agent_parsers import Dialect


@dataclass(frozen=True)
class DialectReport:
    """The result of `check_dialect`; ``str`` turns it into text."""

    dialect: str
    """Name of the dialect."""
    failures: tuple[BrokenLawError, ...]
    """The broken laws, each with the smallest failing text that was found."""
    tried: int
    """Number of laws tried; a law that is tried in three modes counts three times."""
    skipped: int = 0
    """Number of laws not tried, since the dialect cannot read what it renders."""

    @property
    def ok(self) -> bool:
        """Whether all laws hold."""
        return not self.failures

    def raise_for_failures(self) -> None:
        """Raise an `AssertionError` if a law is broken.

        Raises:
            AssertionError: At least one law is broken; the message is the whole report.
        """
        if self.failures:
            raise AssertionError(str(self))

    def __str__(self) -> str:
        if self.ok:
            return f"{self.dialect}: all {self.tried} laws hold"
        by_law: dict[str, list[BrokenLawError]] = {}
        for failure in self.failures:
            by_law.setdefault(failure.law, []).append(failure)
        lines = [f"{self.dialect}: {len(self.failures)} of {self.tried} laws do not hold"]
        for number, (law, (first, *others)) in enumerate(by_law.items(), 1):
            modes = ", ".join(failure.mode for failure in (first, *others) if failure.mode)
            title = f"{law} ({modes})" if modes else law
            lines.append(f"\n{number}. {title}\n{indent(first.details, '   ')}")
        if self.skipped:
            lines.append(f"\n{self.skipped} more laws were not tried; fix these failures first.")
        return "\n".join(lines)


# -- the check -------------------------------------------------------------------------------------

_EXAMPLES: Final = 50
_FIRST: Final = {ONE_WAY_TO_FAIL, named(laws.plain_words_are_never_refused)}
"""Laws that must hold before the others can be tried."""


def check_dialect(dialect: Dialect, *, examples: int = _EXAMPLES) -> DialectReport:
    """Check *dialect* against all laws, and return a report of the broken ones.

    The laws are those of `agent_laws.laws`. They are tried on the sample of the dialect,
    turns that it renders, walks through its transitions, and random texts close to its format. The
    texts are the same in every run.

    Args:
        dialect: The dialect to check; it need not be registered.
        examples: Number of random texts, and of random steps, that each law is tried on.

    Returns:
        A report. ``report.ok`` is whether all laws hold, ``report.raise_for_failures()`` raises if
        a law is broken, and ``str(report)`` lists the broken laws with the reasons.
    """
    failures: dict[tuple[str, str], BrokenLawError] = {}
    plans = [plan_of_form(dialect, examples), plan_of_reading(dialect, examples)]
    tried = 0
    for plan in plans:
        # A dialect that cannot read what it renders breaks most other laws, too.
        if any(law in _FIRST for law, _ in failures):
            break
        for trial in plan:
            tried += 1
            if (error := _try(dialect, trial)) is not None:
                failures.setdefault((error.law, error.mode), error)
    planned = sum(map(len, plans))
    return DialectReport(dialect.name, tuple(failures.values()), tried, planned - tried)


def _try(dialect: Dialect, trial: Trial) -> BrokenLawError | None:
    """Return how the law is broken, or `None`; errors in the dialect's code break it, too."""
    try:
        return trial.run()
    except Exception as error:  # noqa: BLE001 - the dialect's own code may raise anything
        return crashed(dialect, trial.mode, error)


def dialect_laws(*dialects: Dialect, examples: int = _EXAMPLES) -> pytest.MarkDecorator:
    """Return a decorator that makes one test for each law, mode and dialect.

    ::

        @dialect_laws(MEMO)
        def test_memo(law):
            law()

    Args:
        dialects: The dialects to test; they need not be registered.
        examples: Number of random texts, and of random steps, that each law is tried on.
    """
    import pytest

    params = [
        pytest.param(partial(_hold, dialect, trial), id=_title(dialect, trial))
        for dialect in dialects
        for trial in chain(plan_of_form(dialect, examples), plan_of_reading(dialect, examples))
    ]
    return pytest.mark.parametrize("law", params)


def _title(dialect: Dialect, trial: Trial) -> str:
    return "-".join(filter(None, (dialect.name, trial.mode, trial.law.replace(" ", "_"))))


def _hold(dialect: Dialect, trial: Trial) -> None:
    __tracebackhide__ = True
    if (error := _try(dialect, trial)) is not None:
        raise error
