"""One run in the text of a log, read line by line or in one scan."""

from __future__ import annotations

from collections import deque
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from typing_extensions import override

from agent_parsers.authoring import Note, Part
from agent_parsers.events import MarkerSeen, ThoughtDelta, ToolNamed
from agent_parsers.runs.reading.transcript import Transcript, TranscriptStep
from agent_parsers.runs.reading.transcript_parser import TranscriptParser

if TYPE_CHECKING:
    from collections.abc import Callable

    from agent_parsers import Dialect, ToolSet
    from agent_parsers.core import WholeRuns
    from agent_parsers.events import Event

__all__ = ["LogRun", "WholeRun", "whole_run"]


class LogRun(TranscriptParser):
    """A run of a log, which takes whole lines.

    An answer ends a run: a step that follows it belongs to the next run.

    Args:
        dialect: The dialect of the log.
        line: The line of the file where the run begins.
        tools: The tools of the run; `None` to accept any name and any input.
        watch: Called with each event.
    """

    def __init__(
        self,
        dialect: Dialect,
        line: int,
        tools: ToolSet | None = None,
        watch: Callable[[Event], None] | None = None,
    ) -> None:
        super().__init__(dialect, tools=tools)
        self.line = line
        self.lines: list[str] = []
        """Its lines, until its first step begins."""
        self.is_quoted: bool = False
        """Whether its lines are quoted, so that they belong to no run."""
        self.is_labelled: bool = False
        """Whether it has a label of questions."""
        self.transcript: Transcript | None = None
        """The run, once it has ended; `None` as well if it has neither a step nor a label."""
        self._watch = watch
        self._part: Part | None = None  # of the text at the end
        self._size = 0
        self._marker_at = 0  # where the last marker is
        self._next_at = -1  # where the next run begins
        self._last: deque[tuple[int, str]] = deque()  # the lines from there on, with their offsets

    @property
    def has_steps(self) -> bool:
        """Whether any step has begun."""
        return bool(self.runs) or self._run.has_steps

    @property
    def is_begun(self) -> bool:
        """Whether a step has begun, or there is a label of questions."""
        return self.is_labelled or self._part is not None or self.has_steps

    @property
    def is_answering(self) -> bool:
        """Whether the text ends in an answer."""
        return self._part is Part.ANSWER

    @property
    def is_answered(self) -> bool:
        """Whether the last step is an answer, or the text ends in one."""
        return self.is_answering or self._run.is_answered

    @property
    def next_lines(self) -> list[str]:
        """The last lines, if they belong to the next run."""
        if self._next_at < 0:
            return []
        ends = ((at + len(line.rstrip()), line) for at, line in self._last)
        return [line for end, line in ends if end > self._next_at]

    @override
    def feed(self, chunk: str) -> list[TranscriptStep]:
        """Take the next line."""
        self._last.append((self._size, chunk))
        self._size += len(chunk)
        steps = super().feed(chunk)
        while len(self._last) > 1 and self._last[1][0] <= self._marker_at:
            self._last.popleft()
        if self.has_steps:
            self.lines.clear()
        else:
            self.lines.append(chunk)
        return steps

    def end(self) -> None:
        """End the run, and set `transcript`."""
        self.close()
        if self.runs:
            self.transcript = self.runs[0]
        elif self.is_labelled:
            self.transcript = self._run.transcript()

    @override
    def _take(self, events: list[Event]) -> list[TranscriptStep]:
        return [step for event in events for step in self._take_one(event)]

    def _take_one(self, event: Event) -> list[TranscriptStep]:
        if self._next_at >= 0:
            return []  # belongs to the next run
        if isinstance(event, MarkerSeen):
            self._marker_at = event.span[0]
            part = self._begins.get(event.name)
            is_kept = self.is_answering and event.name not in _ending_answers(self.dialect)
            if part is not None and not is_kept:
                self._part = part
            if part is Part.QUESTION and not self._run.has_steps:
                self.is_labelled = True
        steps = super()._take([event])
        if self.runs:
            self._next_at = self._marker_at
        elif self._watch is not None:
            self._watch(event)
        return steps

    @override
    def _begins_run(self, event: Event) -> bool:
        is_step = isinstance(event, ThoughtDelta | ToolNamed)
        return super()._begins_run(event) or (is_step and self._run.is_answered)


@cache
def _ending_answers(dialect: Dialect) -> frozenset[str]:
    """Return the names of the markers that end an answer; others in it belong to its text."""
    table = dialect.lenient
    return frozenset(
        name
        for (state, name), go in table.transitions.items()
        if table.parts.get(state) is Part.ANSWER
        and not isinstance(go, Note)
        and table.parts[go.to] is not Part.ANSWER
    )


class WholeRun(NamedTuple):
    """A run that was read in one scan, with what else is asked of a `LogRun`."""

    transcript: Transcript
    line: int
    lines: list[str]
    has_steps: bool = True
    is_labelled: bool = True
    is_quoted: bool = False


def whole_run(reader: WholeRuns, text: str, tools: ToolSet | None) -> Transcript | None:
    """Return the run in *text*, as *reader* reads it; `None` if a stream has to."""
    read = reader.read(text, tools)
    if read is None:
        return None
    question, steps = read
    return Transcript(
        question,
        tuple(
            TranscriptStep(
                step.number, step.thought, step.action, step.observation,
                step.thought_span, step.span, step.observation_span,
            )
            for step in steps
        ),
    )  # fmt: skip
