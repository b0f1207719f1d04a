"""The result of checking a dialect."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import indent
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agent_parsers.testing.laws.broken import BrokenLawError

__all__ = ["DialectReport"]


@dataclass(frozen=True)
class DialectReport:
    """The result of `check_dialect`; ``str`` returns it as a text."""

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
        """Raise if a law is broken.

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
            lines.append(f"\n{self.skipped} more were not tried; fix these first.")
        return "\n".join(lines)
