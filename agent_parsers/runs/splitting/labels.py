"""Lines of a log that begin with a label."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

from agent_parsers import StreamParser
from agent_parsers.authoring import Label, Note, Part
from agent_parsers.core import Patterns, has_telling_marker
from agent_parsers.events import (
    ActionComplete,
    AnswerDelta,
    Finish,
    InputDelta,
    MarkerSeen,
    StepFailed,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agent_parsers import Dialect

__all__ = [
    "begins_marked",
    "begins_question",
    "begins_step",
    "is_step",
    "size_of_observation_label",
]

_STEPS: Final = frozenset({Part.THOUGHT, Part.TOOL, Part.CALL})

_BEGINS: Final = re.compile(
    r"[ \t*_#]{0,16}(?:question|thought|observation|action|final answer|follow up|tool|new input|"
    r"task|code|问题|思考|观察|行动|最终答案)(?: input)?[ \t\d*_]{0,16}[:：]"
    r"|[ \t]*(?:<(?:tool|tool_input|thinking|observation|final_answer|code)\b|```(?:py|json))",
    re.IGNORECASE,
).match
"""Matches a line with a mark of a dialect that has transcripts."""
_OPENER: Final = re.compile(r"[ \t]*[<\[][^<>\s]{1,40}>?").match


def begins_any(line: str) -> bool:
    """Return whether *line* begins with a mark of any dialect."""
    opener = _OPENER(line)
    return bool(_BEGINS(line) or (opener is not None and has_telling_marker(opener[0])))


def begins_question(dialect: Dialect, line: str) -> bool:
    """Return whether *line* begins with a label of questions."""
    return _labels(dialect, frozenset({Part.QUESTION})).match(f"\n{line}") is not None


def begins_marked(dialect: Dialect, line: str) -> bool:
    """Return whether *line* begins with a marker of the dialect, or is a fence that it writes."""
    if line.strip() in _fences(dialect):
        return True
    found = _marks(dialect).match(f"\n{line.lstrip()}")
    return found is not None and bool(found[0].strip())


def begins_step(dialect: Dialect, line: str) -> bool:
    """Return whether *line* begins with the label of a thought or an action."""
    return _labels(dialect, _STEPS).match(f"\n{line}") is not None


def size_of_observation_label(dialect: Dialect, text: str) -> int:
    """Return the size of the label of observations with which *text* begins, or 0."""
    found = _labels(dialect, frozenset({Part.OBSERVATION})).match(f"\n{text}")
    return 0 if found is None else found.end() - 1


def is_step(dialect: Dialect, lines: Iterable[str]) -> bool:
    """Return whether *lines* begin with a step that has an action or an answer.

    Args:
        dialect: The dialect of the lines.
        lines: The lines; few of them are taken.
    """
    parser = StreamParser(dialect, mode="transcript", max_chars=None)
    answers = _leading_to(dialect, frozenset({Part.ANSWER}))
    thoughts = _labels(dialect, frozenset({Part.THOUGHT}))
    for number, line in enumerate(lines):
        if number and thoughts.match(f"\n{line}"):
            return False
        for event in parser.feed(line):
            match event:
                case ActionComplete() | Finish() | InputDelta() | AnswerDelta():
                    return True
                case MarkerSeen(name=name) if name in answers:
                    return True
                case StepFailed():
                    return False
    return False


@cache
def _fences(dialect: Dialect) -> frozenset[str]:
    """Return the fences with which a dialect opens a call, as its form says."""
    form = dialect.form
    lines = f"{form.calls[0]}{form.call.text}".splitlines() if form is not None else ()
    return frozenset(line for line in lines if line.startswith("```") and line.strip("`"))


@cache
def _marks(dialect: Dialect) -> Patterns:
    return Patterns(dialect.lenient.markers)


@cache
def _labels(dialect: Dialect, parts: frozenset[Part]) -> Patterns:
    """Return the labels that lead to some *parts*, at the beginning of a line."""
    markers = map(dialect.lenient.markers.__getitem__, _leading_to(dialect, parts))
    found = {
        marker.canonical: marker
        for marker in markers
        if isinstance(marker, Label) and not marker.then
    }
    return Patterns(found)


@cache
def _leading_to(dialect: Dialect, parts: frozenset[Part]) -> frozenset[str]:
    """Return the names of the markers that lead to some *parts*."""
    table = dialect.lenient
    return frozenset(
        name
        for (_, name), transition in table.transitions.items()
        if table.parts[transition.to] in parts and not isinstance(transition, Note)
    )
