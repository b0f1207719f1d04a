"""What can be counted in runs: how they were read, their tools, repairs, errors and notices."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from agent_parsers.actions.agent import AgentAction

if TYPE_CHECKING:
    from agent_parsers.transcripts.transcript import Transcript

FACTS: Final = (
    "read_as", "tools", "failed_tools", "repairs_by_kind", "errors_by_reason", "notices_by_kind",
)  # fmt: skip
"""The kinds of facts."""


class Fact(NamedTuple):
    """One fact about a step or a run, to be counted: a tool, a repair, an error."""

    kind: str
    """One of `FACTS`."""
    what: str
    """The tool, the kind of the repair, the reason of the error, and so on."""
    step: int = 0
    """Number of the step; 0 for the run."""


def form_of(run: Transcript) -> str:
    """Return the dialect of a run or, if its log is not text, the reader; empty if unknown."""
    return (run.source.dialect or run.source.reader) if run.source else ""


def first_line_of(run: Transcript) -> int:
    """Return the line of the file where a run begins; 0 if the log is not plain text."""
    source = run.source
    is_text = source is not None and source.reader == "plain" and not source.within
    return source.line if source is not None and is_text else 0


def facts_of(run: Transcript) -> Iterator[Fact]:
    """Yield the facts about a run and its steps; each repair and each notice is one fact."""
    yield Fact("read_as", form_of(run))
    for repair in run.question_repairs:
        yield Fact("repairs_by_kind", repair.kind)
    for step in run.all_steps:
        if isinstance(step.action, AgentAction) and step.error is None:
            yield Fact("tools", step.action.tool, step.number)
            if step.tool_failed:
                yield Fact("failed_tools", step.action.tool, step.number)
        for repair in step.repairs:
            yield Fact("repairs_by_kind", repair.kind, step.number)
        if step.error is not None:
            yield Fact("errors_by_reason", step.error.reason, step.number)
    for notice in run.notices:
        yield Fact("notices_by_kind", notice.kind, notice.step)
