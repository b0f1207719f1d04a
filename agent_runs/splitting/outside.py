"""Lines of a log that belong to no run: they are taken out before the runs are read.

They are prompts, lines of known loggers, what a program prints between two runs, and its first
words. Only the lines from the last empty line to the next question are in doubt, and only if each
of them is a ruler, a title, ``key: value``, a time stamp or a line of a logger::

    Final Answer: 198 m

    Score: 1.0              taken out, if this stands between other runs of the log, too
    ====================    taken out
    Question: …

At the end of the log, as of a run, only what is certain is taken out. Whatever is taken out, and
whatever stays although it may belong to nobody, is a notice.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from agent_parsers.transcripts import Notice
from agent_runs.splitting.blocks import is_block_ruler
from agent_runs.splitting.ends import DOUBT, GAP, MOST, EndOfValue, is_framed
from agent_runs.splitting.labels import (
    begins_answer,
    begins_any,
    begins_marked,
    begins_question,
    begins_step,
    is_step,
)
from agent_runs.splitting.prompts import (
    Prompts,
    may_begin_prompt,
    opens_prompt,
    size_of_examples,
    size_of_rest,
)
from agent_runs.splitting.runs_of_log import FRAMES
from agent_runs.splitting.separators import (
    LOGGED,
    Tracebacks,
    is_certain,
    is_doubtful,
    is_header,
    is_hint,
    is_logged,
    is_measured,
    is_printed,
    may_be_certain,
    shape_of,
)

if TYPE_CHECKING:
    from agent_parsers import Dialect
    from agent_parsers.events import Span

_FAR: Final = 100
"""How many lines a step is looked at, to see whether it is one."""
_MOST_HEADERS: Final = 4
"""How many lines at the top may be a program's first words, rulers and counters aside."""
FOUND_PROMPT: Final = "found a prompt"
"""The message of the notice about a prompt."""


BEHIND: Final = "found text after the coloured answer"
"""The message of the notice about lines behind an answer that was printed in a colour."""


class Removed(NamedTuple):
    """Lines that were removed from a log."""

    at: int
    """How many characters of the log before them were not removed."""
    size: int


class OutsideOfRuns:
    """Removes the lines that belong to no run from a log.

    Args:
        lines: The lines of the log, with their numbers.
        dialect: The dialect of the log.
        head: The first lines of the log, which are looked at to know what stands between its runs.
        is_whole: Whether these are all of them.
        behind: The numbers of lines of which the log shows that they stand behind an answer; it may
            have those of a line once this was taken from *lines*.
    """

    def __init__(
        self,
        lines: Iterable[tuple[int, str]],
        dialect: Dialect,
        head: Sequence[str] = (),
        *,
        is_whole: bool = False,
        behind: Container[int] = (),
    ) -> None:
        self._lines = iter(lines)
        self._dialect = dialect
        self._behind = behind
        self._ahead: deque[tuple[int, str]] = deque()
        self._before: deque[str] = deque(maxlen=_FAR)  # the last lines that stay
        self._notices: deque[tuple[int, Notice]] = deque()  # with the size of what stays before
        self._removed: deque[Removed] = deque()  # from the beginning of the run on
        self._size = 0  # of the lines that stay
        self._is_fenced = self._has_begun = False
        self._index = 0  # of the next line
        self._looked_until = 0  # no gap begins before this line
        self._cut = (-1, 0)  # the line where the next gap begins, and how many lines it has
        self._shapes = _shapes_between(head, dialect)
        self._prompts = Prompts(self._at, self._begins_question)
        self._end = EndOfValue(self._before, self._shapes)
        self._is_behind_gap = False
        self.begins: set[int] = set()
        """How much stands before each question that stands in no value: a run begins there."""
        self._first: tuple[int, set[str]] = (0, set())  # how many shapes there were, see `_firsts`
        self._examples = size_of_examples(head, self._begins_question) if is_whole else 0
        self._rest = 0 if self._examples else size_of_rest(head, dialect)
        self._counted = len(head)

    def __iter__(self) -> Iterator[tuple[int, str]]:
        """Yield the lines that may belong to a run, with their numbers."""
        if self._examples and self._at(self._examples):
            self._take_out(self._examples, "found the examples of a prompt")
        if self._rest and self._at(self._rest - 1):
            self._take_out(self._rest, "found the last lines of a prompt")
        self._take_header()
        while line := self._at(0):
            if not self._takes_out(line):
                number, _ = self._ahead.popleft()
                self._index += 1
                if self._asks_anew(line):
                    self.begins.add(self._size)
                self._is_behind_gap = self._is_behind_gap and not line.strip()
                self._size += len(line)
                self._before.append(line)
                yield number, line

    def notices_before(self, offset: float) -> list[Notice]:
        """Remove and return the notices about the text before a run.

        The run begins at *offset* in the text that was read.
        """
        found = []
        while self._notices and self._notices[0][0] <= offset:
            found.append(self._notices.popleft()[1])
        return found

    def shift(self, offset: int) -> Callable[[Span], Span] | None:
        """Return a function that turns a span of a run into the same span in the log.

        The run begins at *offset* in the text that was read. `None` means that no span changes.
        """
        while self._removed and self._removed[0].at <= offset:
            self._removed.popleft()
        removed = [(each.at - offset, each.size) for each in self._removed]
        if not removed:
            return None

        def shifted(span: Span) -> Span:
            start, end = span
            return (
                start + sum(size for at, size in removed if at <= start),
                end + sum(size for at, size in removed if at < end),
            )

        return shifted

    def _at(self, index: int) -> str:
        """Return the line that comes *index* lines after the next; ``""`` behind the last."""
        while len(self._ahead) <= index:
            found = next(self._lines, None)
            if found is None:
                return ""
            self._ahead.append(found)
        return self._ahead[index][1]

    def _take_out(self, count: int, message: str) -> bool:
        taken = [self._ahead.popleft() for _ in range(count)]
        self._index += count
        text = "".join(line for _, line in taken)
        number = next((number for number, line in taken if line.strip()), taken[0][0])
        self._removed.append(Removed(self._size, len(text)))
        self._is_behind_gap = self._is_behind_gap or message != LOGGED
        if text.strip():
            self._note(Notice("unowned_text", message, text=text.strip("\r\n"), line=number))
        return True

    def _doubt(self, lines: Sequence[str], number: int) -> None:
        text = "".join(lines).strip("\r\n")
        self._note(Notice("unclear_end", DOUBT, text=text, line=number))

    def _note(self, notice: Notice) -> None:
        self._notices.append((self._size, notice))

    def _takes_out(self, line: str) -> bool:
        """Take the next line out, and more, if it is outside of all runs; return whether it is."""
        if "```" in line and line.lstrip().startswith("```"):
            self._is_fenced = not self._is_fenced
        elif self._is_fenced and begins_any(line):
            self._is_fenced = False
        if may_begin_prompt(line) and (size := self._prompts.size_at(self._index)):
            if self._has_begun and (paragraph := self._paragraph_before()):
                self._doubt(paragraph, self._ahead[0][0] - 1)
            if is_block_ruler(line):
                self.begins.add(self._size)  # of the question, which is the last block
            return self._take_out(size, FOUND_PROMPT)
        if count := self._size_behind():
            self._is_fenced = False
            return self._take_out(count, BEHIND)
        if self._is_fenced:
            return False
        if is_logged(line):
            return self._take_out(1, LOGGED)
        if not self._has_begun:
            self._has_begun = begins_any(line) or self._begins_question(line)
        elif self._index >= self._looked_until and self._may_begin_gap(line):
            self._find_gap()
        if self._index == self._cut[0]:
            return self._take_out(self._cut[1], GAP)
        return False

    def _size_behind(self) -> int:
        """Return how many of the next lines stand behind an answer, as the log shows."""
        count = 0
        while (
            (line := self._at(count))
            and self._ahead[count][0] in self._behind
            and not (count and may_begin_prompt(line))
        ):
            count += 1
        return count

    def _begins_question(self, line: str) -> bool:
        return begins_question(self._dialect, line)

    def _asks_anew(self, line: str) -> bool:
        """Return whether *line*, which was taken, is a question that stands in no value.

        It is behind lines that were taken out, or behind an empty line and before a step.
        """
        is_behind_blank = bool(self._before) and self._before[-1].isspace()
        if not (self._is_behind_gap or is_behind_blank) or not self._begins_question(line):
            return False
        return self._is_behind_gap or begins_step(self._dialect, self._at(0))

    def _paragraph_before(self) -> list[str]:
        """Return the last paragraph that stays, unless it begins with a label or is the first."""
        before = [*self._before]
        while before and not before[-1].strip():
            before.pop()
        start = len(before)
        while start and before[start - 1].strip():
            start -= 1
        paragraph = before[start:]
        is_labelled = any(begins_any(line) or begins_answer(line) for line in paragraph)
        return [] if not start or is_labelled else paragraph

    # -- the top of the log -----------------------------------------------------------------------

    def _take_header(self) -> None:
        """Take the lines before the first label, unless that is of a question."""
        lines: list[str] = []
        while (line := self._at(len(lines))) and len(lines) < MOST:
            if begins_marked(self._dialect, line) or FRAMES["begin"].match(line):
                break
            lines.append(line)
        if not any(map(str.strip, lines)):
            return
        if self._begins_question(line):
            texts = (each.strip() for each in lines)
            self._shapes.update({shape_of(each): 2 for each in texts if each[:3].strip("`~")})
        elif line and is_header_of_log(lines):
            self._take_out(len(lines), "found text before the run")

    # -- gaps between runs ------------------------------------------------------------------------

    def _may_begin_gap(self, line: str) -> bool:
        if line.isspace():
            return True
        if self._shapes and shape_of(line[:2])[:1] in self._firsts() and self._end.is_known(line):
            return not begins_any(line)
        if is_printed(line) or is_hint(line):
            return not begins_any(line)
        if not (may_be_certain(line) or is_measured(line)):
            return False
        return (is_measured(line) or is_certain(line)) and not begins_any(line)

    def _firsts(self) -> set[str]:
        """Return the characters with which lines between runs begin."""
        if len(self._shapes) != self._first[0]:
            self._first = len(self._shapes), {shape[:1] for shape in self._shapes}
        return self._first[1]

    def _find_gap(self) -> None:
        """Look whether a gap begins with the next lines, and set where it is cut."""
        count = 0
        tracebacks = Tracebacks()
        while (line := self._at(count)) and count < MOST:
            if self._prompts.has_blocks(self._index, count):
                break
            framed = count and is_framed(self._at(count - 1), line, self._at(count + 1))
            if not (tracebacks.has(line) or framed or self._may_be_between(line)):
                break
            count += 1
        self._looked_until = self._index + count
        lines = [self._ahead[at][1] for at in range(count)]
        if not any(map(str.strip, lines)):
            return
        kind = self._boundary(line, count)
        if not kind:
            return
        if kind == "run" and self._index >= self._counted:
            self._shapes.update({shape_of(each) for each in _doubtful(lines)})
        size, is_doubtful_ = self._end.parts(lines, is_end=kind == "end")
        stays = [(at, each) for at, each in enumerate(lines[: count - size]) if each.strip()]
        if stays and is_doubtful_ and kind != "step":
            self._doubt([each for _, each in stays], self._ahead[stays[0][0]][0])
        if size:
            self._cut = (self._index + count - size, size)

    def _may_be_between(self, line: str) -> bool:
        if not line.strip():
            return True
        if begins_marked(self._dialect, line):
            return False
        return self._end.is_certain(line) or is_doubtful(line) or is_printed(line) or is_hint(line)

    def _boundary(self, line: str, count: int) -> str:
        """Return what begins with *line*, which comes behind *count* lines; empty if nothing."""
        if not line or FRAMES["end"].match(line):
            return "end"
        if self._begins_question(line) or FRAMES["begin"].match(line) or opens_prompt(line):
            return "run"
        if self._prompts.has_blocks(self._index, count):
            return "run"
        is_step_ = begins_step(self._dialect, line)
        if not (is_step_ or begins_answer(line)):
            return ""
        last = [*self._before]
        while last and not (
            begins_step(self._dialect, last[-1]) or self._begins_question(last[-1])
        ):
            last.pop()
        if last and self._begins_question(last[-1]):
            return "step"
        if not is_step_:
            return ""
        since = [*self._before][max(len(last) - 1, 0) :]
        if not any(map(begins_answer, since)):
            return ""
        following = (self._at(count + at) for at in range(_FAR))
        return "run" if is_step(self._dialect, following) else ""


def is_header_of_log(lines: Sequence[str]) -> bool:
    """Return whether *lines* at the top of a log are the header that a program prints."""
    texts = [line for line in lines if line.strip()]
    named = [line for line in texts if not is_certain(line)]
    return all(map(is_header, texts)) and len(named) <= _MOST_HEADERS


def _doubtful(lines: Sequence[str]) -> Iterator[str]:
    """Yield those of *lines* behind the first empty one that may belong to an answer."""
    is_behind = False
    for line in lines:
        is_behind = is_behind or not line.strip()
        if is_behind and line.strip():
            yield line


def _shapes_between(lines: Sequence[str], dialect: Dialect) -> Counter[str]:
    """Return the shapes of the last lines before each run in *lines*, and how many runs have it."""
    shapes: Counter[str] = Counter()
    is_answered = False
    for at, line in enumerate(lines):
        is_step_ = begins_step(dialect, line)
        if begins_question(dialect, line) or (is_step_ and is_answered):
            start = at
            while start and (
                not lines[start - 1].strip()
                or is_certain(lines[start - 1])
                or (is_doubtful(lines[start - 1]) and not begins_marked(dialect, lines[start - 1]))
            ):
                start -= 1
            shapes.update({shape_of(each) for each in _doubtful(lines[start:at])})
            is_answered = False
        if is_step_:
            is_answered = False
        is_answered = is_answered or begins_answer(line)
    return shapes
