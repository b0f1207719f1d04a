"""What the texts of one model show of a dialect: one trial for each text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from agent_parsers.detecting.signs import dialects_with_signs
from agent_parsers.detecting.trial import DialectTrial
from agent_parsers.registry.dialects_by_name import get_dialect

if TYPE_CHECKING:
    from agent_parsers.engine.tables.dialect import Dialect
    from output_parsers.exceptions import OutputParserException


@dataclass
class Evidence:
    """What one dialect read in texts that one model wrote."""

    dialect: Dialect
    trials: Sequence[DialectTrial]
    """One for each text that shows some dialect."""

    @property
    def is_found(self) -> bool:
        """Whether the dialect recognises more than plain text in a text."""
        return any(trial.is_found for trial in self.trials)

    @property
    def is_begun(self) -> bool:
        """Whether the dialect finds at least its markers in a text."""
        return any(trial.is_begun for trial in self.trials)

    @property
    def markers(self) -> tuple[str, ...]:
        """The markers seen, each as it was first written."""
        merged: dict[str, str] = {}
        for name, written in chain.from_iterable(each.markers.items() for each in self.trials):
            merged.setdefault(name, written)
        return tuple(merged.values())

    @property
    def errors(self) -> tuple[OutputParserException, ...]:
        """Why some of the texts could not be read."""
        return tuple(chain.from_iterable(trial.errors for trial in self.trials))

    @cached_property
    def fit(self) -> tuple[int, int]:
        """How well the dialect fits all texts."""
        marks, minus_repairs = zip(*(trial.fit for trial in self.trials), strict=True)
        return sum(marks), sum(minus_repairs)

    @cached_property
    def reading(self) -> tuple[object, ...]:
        """What was read; equal for two dialects that read all texts alike."""
        return tuple(trial.reading for trial in self.trials)

    def claims(self, other: Evidence) -> bool:
        """Return whether a text is an answer between marks that *other* reads as words."""
        return self._is(DialectTrial.claims, other)

    def outdoes(self, other: Evidence) -> bool:
        """Return whether a text favours this dialect over *other*, and no text the reverse."""
        return self._is(DialectTrial.outdoes, other)

    def _is(self, better: Callable[[DialectTrial, DialectTrial], bool], other: Evidence) -> bool:
        """Return whether a text is *better* in this dialect than in *other*, and none worse."""
        pairs = [
            (own, theirs)
            for own, theirs in zip(self.trials, other.trials, strict=True)
            if own.reading != theirs.reading
        ]
        return any(better(own, theirs) for own, theirs in pairs) and not any(
            better(theirs, own) for own, theirs in pairs
        )


def evidence_in(
    texts: Sequence[str], attempt: Callable[[Dialect, str, bool], DialectTrial]
) -> list[Evidence]:
    """Return what each possible dialect read in those *texts* that show signs of a dialect.

    Args:
        texts: Texts that one model wrote.
        attempt: Reads a text in a dialect on trial, given whether a telling marker is in it.
    """
    tried = [_trials(text, attempt) for text in texts]
    telling = [
        (text, trials)
        for text, trials in zip(texts, tried, strict=True)
        if any(trial.is_found or trial.is_begun for trial in trials.values())
    ]
    dialects = {name: trial.dialect for _, trials in telling for name, trial in trials.items()}
    for text, trials in telling:
        for name, dialect in dialects.items():
            if name not in trials:
                trials[name] = attempt(dialect, text, False)
    return [
        Evidence(dialect, [trials[name] for _, trials in telling])
        for name, dialect in sorted(dialects.items())
    ]


def _trials(
    text: str, attempt: Callable[[Dialect, str, bool], DialectTrial]
) -> dict[str, DialectTrial]:
    """Return trials of the likely dialects, by their names; of the others if those do not fit."""
    likely, others = dialects_with_signs(text)
    trials = [attempt(get_dialect(name), text, True) for name in likely]
    if not any(trial.is_clean and trial.is_told for trial in trials):
        trials += [attempt(get_dialect(name), text, False) for name in others]
    return {trial.dialect.name: trial for trial in trials}
