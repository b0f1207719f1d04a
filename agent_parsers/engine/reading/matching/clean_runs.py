"""Reads runs of clean steps: a question, then each step by the match, up to an answer."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from agent_parsers.actions.agent import AgentFinish
from agent_parsers.engine.markers.kinds import Label
from agent_parsers.engine.reading.matching.step_matcher import step_matcher
from agent_parsers.engine.reading.quoting.spans import trimmed
from agent_parsers.engine.reading.rules.machine import machine
from agent_parsers.engine.tables.table import Part

if TYPE_CHECKING:
    from agent_parsers.engine.reading.matching.matcher import PlainStep
    from agent_parsers.engine.reading.rules.known_tools import KnownTools
    from agent_parsers.engine.tables.dialect import Dialect
    from agent_parsers.events import Span


class ObservedStep(NamedTuple):
    """A step of a run, and what its tool returned."""

    step: PlainStep
    observation: str | None
    """The observation as it is written; `None` for an answer."""
    observation_span: Span | None


class RunMatcher:
    """Reads unambiguous runs of a *dialect* with regular expressions, faster than a stream.

    It returns the same as a stream, or `None` where the stream is needed.
    """

    def __init__(self, dialect: Dialect) -> None:
        compiled = machine(dialect, "transcript")
        self._steps = steps = None if dialect.several else step_matcher(compiled)
        self.questions: tuple[str, ...] = ()
        """The labels of questions, with which a run begins; empty if runs cannot be read here."""
        questions, observations = (_labels(dialect, part) for part in _PARTS)
        if steps is None or not (questions and len(observations) == 1):
            return
        self.questions = questions
        text, begins = steps.pattern.before_step, steps.pattern.begins_step
        asked = "|".join(map(re.escape, questions))
        self._question = re.compile(rf"(?:{asked})(?P<text>{text})\n(?={begins})").match
        self._observed = f"\n{observations[0]}"
        observed = re.escape(self._observed)
        self._observation = re.compile(rf"{observed}(?P<text>{text})\n(?={begins})").match

    def read(self, text: str, tools: KnownTools) -> tuple[str, list[ObservedStep]] | None:
        """Return the question and steps of a run; `None` if it needs a stream.

        The *text* ends before the next question.
        """
        if self._steps is None or (asked := self._question(text)) is None:
            return None
        steps: list[ObservedStep] = []
        found: re.Match[str] | None = asked
        while found is not None:
            at = found.end()
            end = text.find(self._observed, at)
            step = self._steps.step(text[at : end if end >= 0 else None].rstrip(), tools, at)
            if step is None or isinstance(step.action, AgentFinish) != (end < 0):
                return None
            if end < 0:
                return asked["text"].strip(), [*steps, ObservedStep(step, None, None)]
            if (found := self._observation(text, end)) is not None:
                start, stop = trimmed(text, *found.span("text"))
                span = (start, stop) if start < stop else None
                steps.append(ObservedStep(step, text[start:stop], span))
        return None


_PARTS: Final = (Part.QUESTION, Part.OBSERVATION)


def _labels(dialect: Dialect, part: Part) -> tuple[str, ...]:
    """Return the labels with which a *part* of a transcript begins."""
    table = dialect.lenient
    labels = {
        table.markers[marker].canonical
        for (_, marker), go in table.transitions.items()
        if table.parts.get(go.to) is part and isinstance(table.markers[marker], Label)
    }
    return tuple(sorted(labels))


@cache
def run_matcher(dialect: Dialect) -> RunMatcher:
    """Return the cached reader of the runs of a *dialect*."""
    return RunMatcher(dialect)
