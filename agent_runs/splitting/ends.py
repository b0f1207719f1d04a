"""Where a value ends, if lines that belong to nobody may stand behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from agent_runs.splitting.labels import begins_any
from agent_runs.splitting.quoted import closes_fence, opened_fence
from agent_runs.splitting.separators import (
    Tracebacks,
    is_certain,
    is_doubtful,
    is_hint,
    is_measured,
    is_printed,
    is_program_ruler,
    is_ruler,
    shape_of,
)

MOST: Final = 60
"""How many lines between two runs are looked at."""
GAP: Final = "found text between the runs"
"""The message of the notice about lines that were taken out between runs."""
AGAIN: Final = "the answer repeats itself, and a program may have printed it again"
"""The message of the notice about the second half of an answer."""
DOUBT: Final = "the log does not show whether the last lines belong to the value before them"
"""The message of the notice about lines that stay."""
_AS_WIDE_AS_A_CONSOLE: Final = 60
"""How long a ruler is that no model writes below a title or in a table."""
_TITLE: Final = 100
"""How long a title between two rulers may be."""


class EndOfValue:
    """Tells which lines after a value belong to no run.

    It knows the last lines of the value (*before*), and how often lines of each of the *shapes*
    stand between the runs of the log.
    """

    def __init__(self, before: Sequence[str], shapes: Mapping[str, int]) -> None:
        self._before = before
        self._shapes = shapes

    def is_certain(self, line: str) -> bool:
        """Return whether *line* certainly belongs to no value."""
        return is_certain(line) or self.is_known(line)

    def is_known(self, line: str) -> bool:
        """Return whether a line of the same shape appears between other runs of the log."""
        return self._shapes.get(shape_of(line), 0) > 1

    def parts(self, lines: Sequence[str], *, is_end: bool) -> tuple[int, bool]:
        """Return how many of *lines* belong to no run, and whether more of them may not."""
        blank = next((at for at, line in enumerate(lines) if not line.strip()), len(lines))
        attached, rest = lines[:blank], lines[blank:]
        last = next((line for line in reversed(self._before) if line.strip()), "")
        if not attached and last.rstrip()[-1:] in (":", "：") and begins_any(last):
            return 0, not is_end  # they are all that the value has
        certain = self._certain_in(rest)
        if any(map(self._is_drawn_above, lines)):
            return 0, not is_end
        size = next((at for at, is_one in enumerate(reversed(certain)) if not is_one), len(certain))
        if size < len(rest):
            kept = rest[: len(rest) - size]
            return self._without_lead(lines, size), not is_end or any(map(_is_in_doubt, kept))
        at = len(attached)
        while at and (
            self.is_certain(attached[at - 1])
            or (1 < at < len(attached) and is_framed(*attached[at - 2 : at + 1]))
        ):
            at -= 1
        if at < len(attached) and self._is_drawn_in(attached, at):
            return self._without_lead(lines, size), not is_end
        size += len(attached) - at
        kept = attached[:at]
        hints = [] if is_end else [each for each in kept if is_hint(each)]
        if hints == kept[:1] and last.rstrip().endswith((":", "：")):
            hints = []  # the value that the line before it announces
        return self._without_lead(lines, size), bool(hints) or any(map(_is_in_doubt, kept))

    @staticmethod
    def _without_lead(lines: Sequence[str], size: int) -> int:
        """Return *size* without the empty lines at the front, which may stay."""
        while size and not lines[len(lines) - size].strip():
            size -= 1
        return size

    def _is_drawn_above(self, line: str) -> bool:
        """Return whether the value before has a ruler like that in *line*, so that it is its own.

        It may have a title, as in what a test runner prints.
        """
        mark = line.strip()[:3]
        if len(mark) < 3 or mark[0].isalnum() or self.is_known(line):
            return False
        for before in reversed(self._before):
            text = before.strip()
            if text.startswith(mark) and (text == line.strip() or not is_ruler(text)):
                return True
            if begins_any(before):
                return f" {mark}" in before
        return False

    def _certain_in(self, lines: Sequence[str]) -> list[bool]:
        """Return which of *lines*, behind an empty one, certainly belong to no run."""
        certain = [not line.strip() or self.is_certain(line) for line in lines]
        traced = _traced_in(lines)
        is_ruled = False  # behind a ruler that only a program writes
        for at, line in enumerate(lines):
            is_ruled = is_ruled or is_program_ruler(line.strip())
            framed = 0 < at < len(lines) - 1 and is_framed(*lines[at - 1 : at + 2])
            certain[at] = certain[at] or is_ruled or framed or at in traced
        return certain

    def _is_drawn_in(self, attached: Sequence[str], at: int) -> bool:
        """Return whether the ruler *at* in *attached* may underline a title, or end a table."""
        if not is_ruler(attached[at]):
            return False
        before = [*self._before, *attached[:at]]
        start = len(before)
        while start and before[start - 1].strip() and len(before) - start < MOST:
            start -= 1
        paragraph = before[start:]
        if any(is_ruler(line) or line.lstrip().startswith(("|", "+-")) for line in paragraph):
            return True
        return len(paragraph) == 1 and not begins_any(paragraph[0])


def said_again(text: str) -> str:
    """Return the second half of a *text* that is the same twice; empty if it is not.

    So a program prints the answer that its console has shown.
    """
    lines = text.strip().splitlines()
    half = len(lines) // 2
    first, gap, again = lines[:half], lines[half : len(lines) - half], lines[len(lines) - half :]
    return "\n".join(again) if first == again and not any(map(str.strip, gap)) else ""


def ruled_off(text: str) -> str:
    """Return *text*, a value, from the first ruler on that is as long as only programs write them.

    It may be the program's, with all that follows. One of several kinds of marks is part of a
    table, and in a fence it is quoted.
    """
    mark = ""
    lines = text.splitlines(keepends=True)
    for at, line in enumerate(lines):
        if mark:
            mark = "" if closes_fence(line, mark) else mark
        elif not (mark := opened_fence(line)):
            bare = line.strip()
            if len(bare) >= _AS_WIDE_AS_A_CONSOLE and len(set(bare)) == 1 and is_ruler(bare):
                return "".join(lines[at:]).rstrip()
    return ""


def _is_in_doubt(line: str) -> bool:
    """Return whether *line* may belong to nobody even if no empty line stands before it."""
    return is_measured(line) or is_printed(line)


def is_framed(above: str, line: str, below: str) -> bool:
    """Return whether *line* is a short line between two rulers."""
    return len(line) <= _TITLE and is_ruler(above) and is_ruler(below)


class Ended(NamedTuple):
    """The lines of a value, and the lines after it."""

    kept: Sequence[str]
    """The value, and lines that may be none of it."""
    cut: Sequence[str] = ()
    """Lines that belong to nobody."""
    doubtful: Sequence[str] = ()
    """Those at the end of `kept` that may belong to nobody."""


def end_of(lines: Sequence[str], *, is_end: bool) -> Ended:
    """Return which of *lines* are a value, given that another run or the end of the log follows.

    The first line with text is always kept, and so are fences. With *is_end*, the log ends there.
    """
    first = next((at + 1 for at, line in enumerate(lines) if line.strip()), len(lines))
    first = max(first, _behind_fences(lines))
    traced = _traced_in(lines)
    start = len(lines)
    while start > max(first, len(lines) - MOST):
        line = lines[start - 1]
        framed = 1 < start < len(lines) and is_framed(*lines[start - 2 : start + 1])
        is_between = is_certain(line) or is_doubtful(line) or is_printed(line)
        is_between = is_between or is_hint(line) or start - 1 in traced
        if line.strip() and not (framed or is_between):
            break
        start -= 1
    while start < len(lines) and not (
        _may_begin(lines[start], start in traced) or (is_hint(lines[start]) and not is_end)
    ):
        start += 1
    behind = lines[start:]
    if not any(map(str.strip, behind)):
        return Ended(lines)
    size, is_in_doubt = EndOfValue(lines[:start], {}).parts(behind, is_end=is_end)
    kept = lines[: len(lines) - size]
    is_in_doubt = is_in_doubt or any(start <= at < len(kept) for at in traced)
    doubtful = kept[start:] if is_in_doubt and any(map(str.strip, kept[start:])) else ()
    return Ended(kept, lines[len(kept) :], doubtful)


def _may_begin(line: str, is_traced: bool) -> bool:
    return not line.strip() or is_traced or is_certain(line) or _is_in_doubt(line)


def _behind_fences(lines: Sequence[str]) -> int:
    """Return the line behind the last fence; the end if one is open."""
    mark, end = "", 0
    for at, line in enumerate(lines):
        if mark and closes_fence(line, mark):
            mark, end = "", at + 1
        elif not mark:
            mark = opened_fence(line)
    return len(lines) if mark.startswith("`") else end


def _traced_in(lines: Sequence[str]) -> set[int]:
    """Return which of *lines* are of tracebacks."""
    tracebacks = Tracebacks()
    return {at for at, line in enumerate(lines) if tracebacks.has(line)}
