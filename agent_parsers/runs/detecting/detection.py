"""Finding the dialect of a text, with the reasons."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Final, Literal

from agent_parsers.engine.reading.rules.known_tools import known_tools
from agent_parsers.runs.detecting.signs import dialects_with_signs
from agent_parsers.runs.detecting.trial import Trial, try_dialect
from output_parsers.exceptions import OutputParserException

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agent_parsers.toolset import Tools, ToolSet

__all__ = ["Detection", "DialectCandidate", "detect"]

_WIDESPREAD: Final = (
    "react", "structured_chat", "json", "json_toolcall", "xml", "hermes", "qwen3_coder", "pythonic",
)  # fmt: skip
"""Of relatives that read a text equally well, the first here is named: most frameworks and models
write these. The others follow in alphabetical order."""
_MOST_MARKERS: Final = 4
"""How many markers, and how many relatives, a reason names."""
_HEAD: Final = 1 << 13
"""How much of a long text is read, if a dialect is found in it, in characters."""


@dataclass(frozen=True, slots=True)
class DialectCandidate:
    """A dialect in which a text may be written."""

    dialect: str
    """Its name."""
    relatives: tuple[str, ...]
    """Other dialects that read the same actions, answers and observations in the text."""
    form: Literal["reply", "transcript"]
    """Whether the text is one turn of a model or the log of whole runs."""
    markers: tuple[str, ...]
    """The markers seen, each as it is written for the first time, in order."""
    actions: int
    """How many actions were read."""
    answers: int
    """How many final answers were read."""
    repairs: int
    """How many repairs it took to read them."""
    errors: tuple[OutputParserException, ...]
    """Why some of the text could not be read."""
    reason: str
    """What speaks for this dialect, in words."""


@dataclass(frozen=True, slots=True)
class Detection:
    """What `detect` found out; ``str`` of it lists the candidates with their reasons."""

    candidates: tuple[DialectCandidate, ...]
    """The dialects in which the text may be written, the likeliest first."""
    is_ambiguous: bool = False
    """Whether the first two read the text differently, and equally well."""
    text: str = ""
    """The beginning of the text."""

    @property
    def dialect(self) -> str:
        """Name of the dialect of the text.

        Raises:
            OutputParserException: No dialect was found, or several fit equally well; the message
                names them.
        """
        if self.candidates and not self.is_ambiguous:
            return self.candidates[0].dialect
        raise OutputParserException(
            str(self), observation="Name the dialect of the text.", llm_output=self.text
        )

    def __str__(self) -> str:
        if not self.candidates:
            return "found no sign of a dialect in this text; list_dialects() has their names"
        first, *others = (f"{each.dialect!r} ({each.reason})" for each in self.candidates)
        if self.is_ambiguous:
            return f"this may be {first} or {others[0]}: say which, as dialect="
        return "; ".join((f"this is {first}", *(f"less likely {other}" for other in others)))


def detect(text: str, *, tools: Tools | None = None) -> Detection:
    r"""Find the dialect of a text: what a model wrote in one turn, or the log of whole runs.

    A search for the markers of all dialects finds those that come into question; these read the
    text. The one that knows the most of it as markers fits best; errors and repairs count against
    it::

        >>> from agent_parsers import detect
        >>> detect("Thought: It is late.\nAction: clock\nAction Input: Bern").dialect
        'react'

    Plain text and JSON without a call have no dialect. Of a text of more than 8,192 characters,
    the rest is read only if that much has no sign of a dialect.

    Args:
        text: The text. It may be cut off anywhere.
        tools: The tools of the agent, in any form that `get_parser` takes. A dialect that reads
            other names fits less.
    """
    known = known_tools(tools)
    detection = _judged(text[:_HEAD], known)
    return detection if detection.candidates or len(text) <= _HEAD else _judged(text, known)


def _judged(text: str, tools: ToolSet | None) -> Detection:
    likely, others = dialects_with_signs(text)
    trials = [try_dialect(dialect, text, tools) for dialect in likely]
    if not any(trial.is_clean and trial.is_told for trial in trials):
        trials += [try_dialect(dialect, text, tools) for dialect in others]
    found = [trial for trial in trials if trial.is_found]
    found = found or [trial for trial in trials if trial.is_begun]
    found.sort(key=attrgetter("reading"))
    groups = [sorted(group, key=_order) for _, group in groupby(found, key=attrgetter("reading"))]
    groups.sort(key=lambda group: _order(group[0]))
    candidates = tuple(map(_candidate, groups))
    is_ambiguous = len(groups) > 1 and groups[0][0].fit == groups[1][0].fit
    return Detection(candidates, is_ambiguous, text[:1000])


def _order(trial: Trial) -> tuple[int, int, int, str]:
    marks, minus_repairs = trial.fit
    name = trial.dialect.name
    place = _WIDESPREAD.index(name) if name in _WIDESPREAD else len(_WIDESPREAD)
    return -marks, -minus_repairs, place, name


def _candidate(group: Sequence[Trial]) -> DialectCandidate:
    """Return the first of a *group* of trials that read the same, with the reason."""
    first, *others = group
    counts = [(first.actions, "action"), (first.answers, "answer"), (len(first.errors), "error")]
    read = " and ".join(_number(count, what) for count, what in counts if count)
    quoted = [repr(marker) for marker in list(first.markers.values())[:_MOST_MARKERS]]
    by = f" by {', '.join(quoted)}" if quoted else ""
    repairs = _number(first.repairs, "repair") if first.repairs else "no repair"
    reason = f"read {read}{by}, with {repairs}"
    if others:
        equal = [trial for trial in others if trial.fit == first.fit]
        what = "reads" if len(others) == 1 else "read"
        why = "is the most widespread of those that know as much" if equal else "knows the most"
        names = ", ".join(repr(trial.dialect.name) for trial in others[:_MOST_MARKERS])
        more = f" and {len(others) - _MOST_MARKERS} more" if len(others) > _MOST_MARKERS else ""
        reason += f"; {names}{more} {what} the same, and {first.dialect.name!r} {why} of its marks"
    return DialectCandidate(
        dialect=first.dialect.name,
        relatives=tuple(trial.dialect.name for trial in others),
        form=first.form,
        markers=tuple(first.markers.values()),
        actions=first.actions,
        answers=first.answers,
        repairs=first.repairs,
        errors=tuple(first.errors),
        reason=reason,
    )


def _number(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"
