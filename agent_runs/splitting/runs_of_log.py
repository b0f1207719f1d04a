"""The runs in a log: where each begins and ends, and reading one, by lines or in one scan."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Callable, Container, Iterator
from functools import cache, partial
from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple

from typing_extensions import override

from agent_parsers.authoring import Note, Part, unescape
from agent_parsers.core import LISTENERS, run_matcher
from agent_parsers.events import Event, MarkerSeen, ThoughtDelta, ToolNamed
from agent_parsers.transcripts import Transcript, TranscriptParser, TranscriptStep
from agent_runs.splitting.labels import (
    begins_marked,
    begins_question,
    begins_step,
    is_step,
    may_begin_question,
)
from agent_runs.splitting.quoted import Quotations

if TYPE_CHECKING:
    from agent_parsers import Dialect, ToolSet
    from agent_runs.reading.reader import Lines


class LogRun(TranscriptParser):
    """Parses one run of a log, line by line.

    An answer ends a run: a step that follows it belongs to the next run. The run begins at a *line*
    of the file, and *watch* is called with each event.
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
        self.offset: int = 0
        """How much of the log stands before it, in characters."""
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
        """Whether a step has begun, or a question with a label."""
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
    """A run that was read in one scan, with the same attributes as a `LogRun`."""

    transcript: Transcript
    line: int
    lines: list[str]
    offset: int = 0
    has_steps: bool = True
    is_labelled: bool = True
    is_quoted: bool = False


def whole_run(dialect: Dialect, text: str, tools: ToolSet | None) -> Transcript | None:
    """Return the run in *text*; `None` if it is not spelt exactly as in *dialect*."""
    read = run_matcher(dialect).read(text, tools)
    if read is None:
        return None
    question, steps = read
    return Transcript(
        question,
        tuple(
            TranscriptStep(
                number, step.thought, step.action, seen and unescape(dialect, seen),
                step.thought_span, step.span, observation_span,
            )
            for number, (step, seen, observation_span) in enumerate(steps, 1)
        ),
    )  # fmt: skip


_COUNT: Final = r"[ \t]*[:=][ \t]*\$?\d[\d.,_]*[ \t]*"
FRAMES: Final = {
    "begin": re.compile(r"[ \t]*> Entering new [^\n]{1,100}chain\.\.\.[ \t]*\n?\Z"),
    "end": re.compile(r"[ \t]*> Finished (?:\w+ )?chain\.[ \t]*\n?\Z"),
    "counts": re.compile(
        r"(?:[ \t]*(?:(?:total|prompt|completion|input|output)[ _](?:cached[ _])?tokens?"
        r"(?:[ _]used)?|tokens[ _]used|successful requests|total cost \(usd\))"
        rf"{_COUNT}[,;]?)+\n?\Z",
        re.IGNORECASE,
    ),
}
"""The lines that belong to no run: the edges of LangChain's chains, and counts of tokens."""

_COUNTS: Final = FRAMES["counts"].match
_MOST_STREAMED: Final = 1 << 14
"""The size of the logs in a dialect, in characters, up to which streams read them all: compiling
the patterns that read whole runs takes as long."""
_streamed: Final[Counter[Dialect]] = Counter()
"""The size of the logs in each dialect that streams have read."""
_MOST_CHARS: Final = 1 << 18
"""How long a run may be that is read in one scan."""
_FAR: Final = 100
"""How many lines a step in an answer is looked at, to see whether it is one."""


class RunsOfLog:
    """Finds the runs in the lines of a log.

    It calls *watch* with each event, and the offset of its run in the log. Lines at the offsets in
    *begins* begin a run, whatever is in them.
    """

    def __init__(
        self,
        lines: Lines,
        dialect: Dialect,
        tools: ToolSet | None = None,
        watch: Callable[[Event, int], None] | None = None,
        begins: Container[int] = (),
    ) -> None:
        self._lines = lines
        self._begins = begins
        self._dialect = dialect
        self._tools = tools
        self._watch = watch
        # Whoever watches sees events, which only a stream has; else the first question shows it.
        self._scans = None if watch is None and not LISTENERS else False
        self._size = 0  # of the lines before this one
        self._run: LogRun | None = None
        self._depth = 0  # of chains inside the run
        self._fences = 0  # in the answer
        self.is_labelled: bool = False
        """Whether any question had a label so far."""
        self._quotations = Quotations(partial(begins_marked, dialect))
        self._quoted: LogRun | None = None  # lines that are quoted outside of all runs

    def __iter__(self) -> Iterator[LogRun | WholeRun]:
        """Yield each run as soon as its first step begins, and again when it has ended.

        Text that no run owns is yielded as a run that has ended and has no transcript.
        """
        while line := self._lines.peek():
            number = self._lines.number
            next(self._lines)
            frame = self._frame_of(line)
            if frame == "begin" and self._run is not None and self._run.is_labelled:
                line = " " * (len(line) - 1) + "\n"  # so offsets stay right
            elif frame is not None or self._quotations.closes(line):
                yield from self._end()
                self._size += len(line)
                continue
            is_begun = self._run is not None and self._run.is_begun
            if (is_begun and self._size in self._begins) or self._begins_run(line):
                yield from self._end()
            if (self._run is None or not self._run.is_begun) and self._is_quoted(line, number):
                line = " " * (len(line) - 1) + "\n"
            elif self._quoted is not None:
                yield self._quoted
                self._quoted = None
            if (whole := self._whole_run([line], number)) is not None:
                yield whole
            else:
                yield from self._take(line, number)
        if self._quoted is not None:
            yield self._quoted
        yield from self._end()

    def _is_quoted(self, line: str, number: int) -> bool:
        """Take a *line* that is quoted outside of all runs; return whether it is."""
        if not self._quotations.has(line, self._lines.peek):
            return False
        if self._quoted is None:
            self._quoted = LogRun(self._dialect, number)
            self._quoted.is_quoted = True
        self._quoted.lines.append(line)
        return True

    def _take(self, line: str, number: int) -> Iterator[LogRun | WholeRun]:
        """Take a *line* of a run."""
        run = self._run
        if run is None and not line.strip():
            self._size += len(line)
            return
        if run is None:
            run = self._run = LogRun(self._dialect, number, self._tools, self._watcher())
            run.offset = self._size
            self._depth = self._fences = 0
        self.is_labelled = self.is_labelled or begins_question(self._dialect, line)
        had_steps = run.has_steps
        run.feed(line)
        self._size += len(line)
        if run.is_answering:
            self._fences += line.count("```")
        if run.has_steps and not had_steps:
            yield run
        if lines := run.next_lines:
            self._size -= sum(map(len, lines))
            yield from self._end()
            first = number - len(lines) + 1
            if (whole := self._whole_run(lines, first)) is not None:
                yield whole
                return
            for at, each in enumerate(lines, first):
                yield from self._take(each, at)

    def _whole_run(self, lines: list[str], number: int) -> WholeRun | None:
        """Read a run that begins with *lines* in one scan; `None` if it takes a stream.

        It goes up to the next question. Whatever may belong to no run takes a stream as well.
        """
        if self._quotations.is_wrapped or self._run is not None:
            return None
        if self._scans is None and may_begin_question(lines[0]):
            self._scans = self._is_worth_scanning()
        if not self._scans:
            return None
        whole = run_matcher(self._dialect)
        if not lines[0].startswith(whole.questions):
            return None
        if lines[0].strip() in whole.questions:
            return None  # only the next line shows whether it is a question
        found = [*lines]
        size = ahead = 0
        while (line := self._lines.peek(ahead)) and not line.startswith(whole.questions):
            size += len(line)
            if size > _MOST_CHARS or line.lstrip().startswith(">") or _COUNTS(line):
                return None
            found.append(line)
            ahead += 1
        text = "".join(found)
        run = whole_run(self._dialect, text, self._tools)
        if run is None:
            return None
        for _ in range(ahead):
            next(self._lines)
        offset = self._size
        self._size += len(text)
        self.is_labelled = True
        return WholeRun(run, number, [], offset)

    def _is_worth_scanning(self) -> bool:
        """Return whether the log is long, or others in its dialect were, so that patterns pay."""
        _streamed[self._dialect] += len(self._lines.head(_MOST_STREAMED + 1))
        return _streamed[self._dialect] > _MOST_STREAMED

    def _watcher(self) -> Callable[[Event], None] | None:
        watch, offset = self._watch, self._size
        return None if watch is None else lambda event: watch(event, offset)

    def _frame_of(self, line: str) -> str | None:
        """Return the frame that *line* is; `None` if it may belong to a run."""
        run = self._run
        is_inside = run is not None and not run.is_answered
        if is_inside and not line.lstrip().startswith(">"):
            return None
        frame = next((name for name, pattern in FRAMES.items() if pattern.match(line)), None)
        if run is None or not is_inside:
            return frame
        if frame == "begin":
            if not run.has_steps:
                return frame
            self._depth += 1
        elif frame == "end":
            if not self._depth:
                return frame
            self._depth -= 1
        return None

    def _begins_run(self, line: str) -> bool:
        """Return whether *line* begins a run, though it has no label of questions."""
        run = self._run
        if run is None or not run.is_answering or self._fences % 2:
            return False
        ahead = (self._lines.peek(index) for index in range(_FAR))
        return begins_step(self._dialect, line) and is_step(self._dialect, chain((line,), ahead))

    def _end(self) -> Iterator[LogRun | WholeRun]:
        run, self._run = self._run, None
        if run is not None:
            run.end()
            yield run
