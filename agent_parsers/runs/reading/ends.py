"""Values that end where the log ends: more of them may have followed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from agent_parsers import AgentAction, OutputParserException
from agent_parsers.runs.reading.reader import Lines, text_in_line
from agent_parsers.runs.reading.transcript import Notice

if TYPE_CHECKING:
    from agent_parsers.runs.reading.transcript import Transcript, TranscriptStep

__all__ = ["is_open_end", "with_open_end"]

_OPEN_END: Final = "the log ends where"

_SPACE: Final = re.compile(r"\s+")


def with_open_end(runs: Iterable[Transcript], lines: Lines) -> Iterator[Transcript]:
    """Yield the *runs* in *lines*, and say which of their values the log may have cut.

    A value is cut, as far as anybody can tell, if the last line with text ends in it; if several
    do, it is that of the last run, and of each that has no answer, since runs may stand in others.
    A call with such a value is a failed step; another value has a notice.
    """
    last: list[Transcript] = []  # the runs that were read when the log was over
    for run in runs:
        if lines.is_over and lines.last:
            last.append(run)
        else:
            yield run
    is_found = False
    for at, run in reversed([*enumerate(last)]):
        if any(map(is_open_end, run.notices)) or (is_found and run.finish is not None):
            continue
        last[at] = _cut(run, lines.last)
        is_found = is_found or last[at] is not run
    yield from last


def is_open_end(notice: Notice) -> bool:
    """Return whether a *notice* says no more than that a value ends where the log does."""
    return notice.kind == "cut_value" and notice.message.startswith(_OPEN_END)


def _cut(run: Transcript, last: Sequence[str]) -> Transcript:
    """Return *run*, given the *last* lines of its log; of a box, one that was cut has no text."""
    found = _cut_behind(run, last[-1])
    is_cut = not last[-1].endswith(_WHOLE)
    return _cut_behind(run, last[0]) if found is run and is_cut else found


_WHOLE: Final = ("\n", "╯", "┘", "┛")
"""What ends a line that was not cut."""


def _cut_behind(run: Transcript, last: str) -> Transcript:
    tail = _squeezed(text_in_line(last))
    if not tail:
        return run
    for step in reversed(run.all_steps[-_MOST:]):
        if step.observation is not None and _ends(step.observation, tail):
            what = "what the last tool returned" if step is run.all_steps[-1] else "a result"
            return _noticed(run, what, step.number)
        if step.error is not None:
            continue
        if step.observation is None and _ends(step.thought, tail):
            return _noticed(run, "a thought", step.number)
        if isinstance(step.action, AgentAction):
            if step.observation is None and _ends_in_call(step.action, tail):
                return _failed(run, step, last)
        elif step.action is not None:
            answers = _texts(step.action.return_values.get("output"))
            if any(_ends(text, tail) for text in answers):
                return _noticed(run, "the answer", step.number)
    if not run.all_steps and _ends(run.question, tail):
        return _noticed(run, "the question", 0)
    return run


_MOST: Final = 20
"""How many steps may wait for their results at the end of a log."""


def _noticed(run: Transcript, what: str, step: int) -> Transcript:
    message = f"{_OPEN_END} {what} does, of which more may have followed"
    return replace(run, notices=(*run.notices, Notice("cut_value", message, step)))


def _failed(run: Transcript, step: TranscriptStep, last: str) -> Transcript:
    reason = "the log ends where the input of a call does, of which more may have followed"
    error = OutputParserException(reason, observation="Give the whole log.", llm_output=last)
    steps = list(run.all_steps)
    steps[steps.index(step)] = replace(step, action=None, error=error)
    missing = ("no_observation", step.number)
    notices = tuple(each for each in run.notices if (each.kind, each.step) != missing)
    return replace(run, all_steps=tuple(steps), notices=notices)


def _ends_in_call(action: AgentAction, tail: str) -> bool:
    values = [*filter(str.strip, _texts(action.tool_input))] or [action.tool]
    return any(_ends(value, tail) and not _is_closed(value) for value in values)


def _is_closed(value: str) -> bool:
    """Return whether *value* is an object or a list in JSON, which says itself where it ends."""
    try:
        return value.lstrip().startswith(("{", "[")) and bool(json.loads(value) or True)
    except (ValueError, RecursionError):
        return False


def _ends(value: str, tail: str) -> bool:
    """Return whether the line whose text is *tail* ends as *value* does."""
    whole = text_in_line(value)
    if not whole:
        return False
    last = _squeezed(whole.rpartition("\n")[2])
    return tail.endswith(last) or _squeezed(whole[-len(tail) * 3 :]).endswith(tail)


def _squeezed(text: str) -> str:
    return _SPACE.sub("", text)


def _texts(value: Any) -> Iterator[str]:
    """Yield the texts in *value*."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)
