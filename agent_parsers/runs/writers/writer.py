"""What a writer of runs is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from agent_parsers.actions.agent import AgentAction, AgentFinish
from agent_parsers.runs.writers.turns import turns_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agent_parsers.runs.transcript import Transcript

__all__ = ["Writer"]


@dataclass(frozen=True, kw_only=True)
class Writer:
    """Writes runs in one form."""

    name: str
    """Its name, that of its module."""
    summary: str
    """What it writes, in a few words, with versions."""
    write: Callable[[Transcript], Any]
    """Returns a run as data of JSON, or as text."""
    is_one_a_file: bool = False
    """Whether a file holds one run, and not one on each line."""
    holds: frozenset[str] = frozenset()
    """What the form has a place for: any of ``"errors"``, ``"repairs"``, ``"notices"``,
    ``"preamble"``, ``"thought of the answer"``, ``"text inputs"``, ``"parallel calls"`` and
    ``"typed answers"``."""

    def losses(self, run: Transcript) -> Sequence[str]:
        """Return what of *run* the form has no place for, in words."""
        found = {
            "errors": len(run.failed),
            "repairs": len(run.repairs),
            "notices": len(run.notices),
            "preamble": int(bool(run.preamble)),
            "thought of the answer": sum(
                isinstance(step.action, AgentFinish) and bool(step.thought) for step in run.steps
            ),
            "text inputs": sum(
                isinstance(step.action, AgentAction) and isinstance(step.action.tool_input, str)
                for step in run.steps
            ),
            "parallel calls": sum(len(turn.calls) > 1 for turn in turns_of(run)),
            "typed answers": int(
                run.finish is not None
                and not isinstance(run.finish.return_values.get("output"), str)
            ),
        }
        return [
            f"{name} ({count})" for name, count in found.items() if count and name not in self.holds
        ]
