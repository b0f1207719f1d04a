"""What a writer of runs is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from agent_parsers import AgentAction, AgentFinish
from agent_parsers.runs.writers.turns import turns_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from agent_parsers.runs.reading.transcript import Transcript, TranscriptStep

__all__ = ["EVERYTHING", "IN_MESSAGES", "Writer"]

IN_MESSAGES: Final = frozenset(
    {"preamble", "thoughts of calls", "text inputs", "object inputs", "parallel calls"}
)
"""What messages of a chat have a place for."""
EVERYTHING: Final = IN_MESSAGES | {
    "errors", "repairs", "notices", "thoughts of answers", "typed answers",
}  # fmt: skip
"""All that a run may have, besides its question, calls, results and answer."""


@dataclass(frozen=True, kw_only=True)
class Writer:
    """Writes runs in one form."""

    name: str
    """Its name."""
    summary: str
    """What it writes, in a few words, with versions."""
    write: Callable[[Transcript], Any]
    """Returns a run as data of JSON, or as text."""
    is_one_a_file: bool = False
    """Whether a file holds one run, and not one on each line."""
    holds: frozenset[str] = frozenset()
    """What the form has a place for, of `EVERYTHING`."""

    def losses(self, run: Transcript) -> dict[str, int]:
        """Return what of *run* the form has no place for, and how often it occurs."""
        calls = [step for step in run.steps if isinstance(step.action, AgentAction)]
        answers = [step for step in run.steps if isinstance(step.action, AgentFinish)]
        found = {
            "errors": len(run.failed),
            "repairs": len(run.repairs),
            "notices": len(run.notices),
            "preamble": int(bool(run.preamble)),
            "thoughts of calls": sum(bool(step.thought) for step in calls),
            "thoughts of answers": sum(bool(step.thought) for step in answers),
            "text inputs": sum(isinstance(_input_of(step), str) for step in calls),
            "object inputs": sum(isinstance(_input_of(step), dict) for step in calls),
            "parallel calls": sum(len(turn.calls) > 1 for turn in turns_of(run)),
            "typed answers": sum(not isinstance(_output_of(step), str) for step in answers),
        }
        return {name: count for name, count in found.items() if count and name not in self.holds}


def _input_of(step: TranscriptStep) -> Any:
    return step.action.tool_input if isinstance(step.action, AgentAction) else None


def _output_of(step: TranscriptStep) -> Any:
    return step.action.return_values.get("output") if isinstance(step.action, AgentFinish) else None
