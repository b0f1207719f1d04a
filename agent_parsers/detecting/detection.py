"""Finding the dialect of a text, with the reasons."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from agent_parsers.actions.agent import AgentAction
from agent_parsers.detecting.evidence import Evidence, evidence_in
from agent_parsers.detecting.trial import DialectTrial, try_reply
from output_parsers.exceptions import OutputParserException

if TYPE_CHECKING:
    from agent_parsers.engine.tables.dialect import Dialect
    from agent_parsers.toolset import ToolSet

_WIDESPREAD: Final = (
    "react", "structured_chat", "json", "json_toolcall", "xml", "hermes", "qwen3_coder", "pythonic",
    "harmony",
)  # fmt: skip
"""Of relatives that read a text equally well, the first here is named: most frameworks and models
write these. The others follow in alphabetical order."""
_MOST_MARKERS: Final = 4
"""How many markers, and how many relatives, a reason names."""


@dataclass(frozen=True, slots=True)
class DialectCandidate:
    """A dialect in which a text may be written."""

    dialect: str
    """Its name."""
    relatives: tuple[str, ...]
    """Other dialects that read the same actions, answers and observations in the text."""
    form: Literal["reply", "transcript"]
    """Whether the texts are turns of a model, or one of them is the log of whole runs."""
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
    """The dialects in which the text may be written, the likeliest first, and after it those that
    speak against it."""
    is_ambiguous: bool = False
    """Whether the text may as well be written in the second as in the first, which read it
    differently."""
    text: str = ""
    """The beginning of the text."""

    @property
    def dialect(self) -> str:
        """Name of the dialect of the text.

        Raises:
            OutputParserException: No dialect was found, or the text is ambiguous; the message names
                the first two.
        """
        if self.candidates and not self.is_ambiguous:
            return self.candidates[0].dialect
        said = f"{self}: pass one of them as dialect=" if self.is_ambiguous else str(self)
        raise OutputParserException(
            said, observation="Name the dialect of the text.", llm_output=self.text
        )

    def __str__(self) -> str:
        if not self.candidates:
            return "found no sign of any dialect in this text; list_dialects() returns the names"
        first, *others = (f"{each.dialect!r} ({each.reason})" for each in self.candidates)
        if self.is_ambiguous:
            return f"this may be {first} or {others[0]}"
        return "; ".join((f"this is {first}", *(f"less likely {other}" for other in others)))


def detect_reply(text: str, tools: ToolSet | None) -> Detection:
    """Find the dialect of *text*, which is one turn of a model.

    If the tools are known, what a dialect reads as a call of another, such as an interpreter that
    takes any code, is no sign of it.
    """

    def attempt(dialect: Dialect, text: str, is_likely: bool) -> DialectTrial:
        trial = try_reply(dialect, text, tools, is_likely=is_likely)
        made = trial.result if isinstance(trial.result, list) else [trial.result]
        called = {each.tool for each in made if isinstance(each, AgentAction)}
        if tools is None or called <= {*tools.names}:
            return trial
        return DialectTrial(dialect, "reply", len(text), is_likely)

    return detection_of([text], attempt)


def detection_of(
    texts: Sequence[str], attempt: Callable[[Dialect, str, bool], DialectTrial]
) -> Detection:
    """Find the dialect of *texts*, which one model wrote; see `evidence_in`."""
    beginning = texts[0][:1000] if texts else ""
    alike, against, others = ranked(texts, attempt)
    if not alike:
        return Detection((), text=beginning)
    groups = [alike, *_groups(against), *_groups(others)]
    return Detection(tuple(map(_candidate, groups)), bool(against), beginning)


def ranked(
    texts: Sequence[str], attempt: Callable[[Dialect, str, bool], DialectTrial]
) -> tuple[list[Evidence], list[Evidence], list[Evidence]]:
    """Return the evidence for the dialect that fits *texts* best, with its relatives.

    The arguments are those of `detection_of`.

    Returns:
        The dialects that read what the best one reads, and the best one first; those that speak
        against them; and the others that know something of the texts. All are empty if none does.
    """
    every = evidence_in(texts, attempt)
    found = [each for each in every if each.is_found] or [each for each in every if each.is_begun]
    if not found:
        return [], [], []
    framed = [each for each in found if not any(other.claims(each) for other in found)]
    best = min(framed or found, key=_order)
    alike = sorted((each for each in found if each.reading == best.reading), key=_order)
    against = [e for e in every if e.reading != best.reading and not best.outdoes(e)]
    others = [e for e in found if e not in alike and e not in against]
    return alike, against, others


def _groups(evidence: list[Evidence]) -> list[list[Evidence]]:
    """Return those that read the same together, the likeliest first."""
    groups: dict[object, list[Evidence]] = {}
    for each in sorted(evidence, key=_order):
        groups.setdefault(each.reading, []).append(each)
    return [*groups.values()]


def _order(evidence: Evidence) -> tuple[int, int, int, str]:
    marks, minus_repairs = evidence.fit
    name = evidence.dialect.name
    place = _WIDESPREAD.index(name) if name in _WIDESPREAD else len(_WIDESPREAD)
    return -marks, -minus_repairs, place, name


def _candidate(group: Sequence[Evidence]) -> DialectCandidate:
    """Return the first of a *group* that read the same, with the reason."""
    first, *others = sorted(group, key=_order)
    trials = first.trials
    actions = sum(trial.actions for trial in trials)
    answers = sum(trial.answers for trial in trials)
    repairs = sum(trial.repairs for trial in trials)
    counts = [(actions, "action"), (answers, "answer"), (len(first.errors), "error")]
    read = " and ".join(_number(count, what) for count, what in counts if count) or "nothing"
    quoted = [repr(marker) for marker in first.markers[:_MOST_MARKERS]]
    by = f" by {', '.join(quoted)}" if quoted else ""
    reason = f"read {read}{by}, with {_number(repairs, 'repair') if repairs else 'no repair'}"
    if len(trials) > 1:
        shown = sum(trial.is_found or trial.is_begun for trial in trials)
        reason += f", in {shown} of {_number(len(trials), 'text')}"
    if others:
        equal = [each for each in others if each.fit == first.fit]
        what = "reads" if len(others) == 1 else "read"
        why = "is the most widely used of those that fit best" if equal else "fits best"
        names = ", ".join(repr(each.dialect.name) for each in others[:_MOST_MARKERS])
        more = f" and {len(others) - _MOST_MARKERS} more" if len(others) > _MOST_MARKERS else ""
        reason += f"; {names}{more} {what} the same, and {first.dialect.name!r} {why}"
    return DialectCandidate(
        dialect=first.dialect.name,
        relatives=tuple(each.dialect.name for each in others),
        form="transcript" if any(trial.form == "transcript" for trial in trials) else "reply",
        markers=first.markers,
        actions=actions,
        answers=answers,
        repairs=repairs,
        errors=first.errors,
        reason=reason,
    )


def _number(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"
