"""Draws random texts, and finds the smallest one that breaks a law."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from agent_laws.laws.broken import BrokenLawError
from agent_laws.trials.strategies import (
    HealthCheck,
    NoSuchExample,
    Phase,
    cuts,
    find,
    given,
    policies,
    seed,
    settings,
    st,
    texts,
    tool_lists,
)

if TYPE_CHECKING:
    from agent_parsers import Dialect
    from agent_parsers.authoring import Mode, OnConflict

T = TypeVar("T")

_SHORT: Final = 24
_MOST_TRIES: Final = 500
_MOST_STEPS: Final = 150
"""Maximum number of smaller cases that are tried, to keep a check fast."""


class Trial(NamedTuple):
    """One trial of a law on a dialect."""

    law: str
    """The law, in words."""
    mode: str
    """The mode in which texts are read; empty if the law does not depend on it."""
    run: Callable[[], BrokenLawError | None]
    """Runs the trial; returns how the law is broken, or `None` if it holds."""


class Case(NamedTuple):
    """A text, and other arguments that a law may take."""

    text: str
    sizes: Sequence[int] = (1,)
    tools: Sequence[str] | None = None
    on_conflict: OnConflict = "error"

    @property
    def halves(self) -> bool:
        """Whether the text is so short that it is cut in two at each position."""
        return len(self.text) <= _SHORT

    @property
    def max_chars(self) -> int:
        """A limit that the text exceeds."""
        return len(self.text) // 2


def drawn_cases(dialect: Dialect, mode: Mode, examples: int) -> list[Case]:
    """Return *examples* random cases, the same in every run."""
    found: list[Case] = []

    @seed(0)
    @settings(_settings(examples), phases=[Phase.generate])
    @given(st.builds(Case, texts(dialect, mode), cuts(), tool_lists(dialect), policies()))
    def draw(case: Case) -> None:
        found.append(case)

    draw()
    return found


def _settings(examples: int) -> settings:
    return settings(
        max_examples=examples,
        database=None,
        deadline=None,
        derandomize=False,
        phases=[Phase.generate, Phase.shrink],  # no explanation, which nobody is shown
        suppress_health_check=list(HealthCheck),
    )


def smallest_case(
    strategy: st.SearchStrategy[T], check: Callable[[T], None], examples: int
) -> BrokenLawError | None:
    """Return the error of *check* on the smallest failing example of a *strategy*, or `None`."""
    seen: dict[str, BrokenLawError | None] = {}
    law = ""

    def fails(example: T) -> bool:
        nonlocal law
        key = repr(example)
        if key not in seen and len(seen) < examples + _MOST_STEPS:
            seen[key] = failure(check, example)
        error = seen.get(key)
        if error is not None:
            law = law or error.law
        return error is not None and error.law == law

    try:
        example = find(strategy, fails, settings=_settings(examples), random=Random(0))
    except NoSuchExample:
        return None
    return seen[repr(example)]


def smallest_text(cases: Sequence[Case], check: Callable[[Case], None]) -> BrokenLawError | None:
    """Return the error of *check* on the smallest failing text, or `None` if all *cases* pass.

    Parts of the first failing text are removed, in ever smaller sizes, as long as it still fails.
    """
    for case in cases:
        if (error := failure(check, case)) is not None:
            break
    else:
        return None
    text, tries = case.text, 0
    size = len(text)
    while size:
        at, before = 0, len(text)
        while at < len(text) and tries < _MOST_TRIES:
            tries += 1
            shorter = text[:at] + text[at + size :]
            other = failure(check, case._replace(text=shorter))
            if other is not None and other.law == error.law:
                text, error = shorter, other
            else:
                at += size
        if size > 1 or len(text) == before:
            size //= 2
    return error


def failure(check: Callable[..., None], *given: Any, **named: Any) -> BrokenLawError | None:
    """Return the error of *check* for these arguments, or `None` if it passes."""
    __tracebackhide__ = True
    try:
        check(*given, **named)
    except BrokenLawError as error:
        return error
    return None
