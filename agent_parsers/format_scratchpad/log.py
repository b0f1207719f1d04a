"""Writing past steps as ReAct text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from agent_parsers.actions.agent import AgentAction, observed, pair_of
from agent_parsers.dialects import react
from agent_parsers.engine.writing.escape import escape

if TYPE_CHECKING:
    from agent_parsers.engine.writing.render import Step

__all__ = ["format_log_to_str"]


def format_log_to_str(
    intermediate_steps: Iterable[Step],
    observation_prefix: str = "Observation: ",
    llm_prefix: str = "Thought: ",
) -> str:
    """Return the steps taken so far as ReAct text: for each its log, the observation, and a label.

    Args:
        intermediate_steps: Pairs of an action and what the tool returned, or steps.
        observation_prefix: Text before what a tool returned.
        llm_prefix: Label after each step, which the next thought continues.
    """
    parts: list[str] = []
    for step in intermediate_steps:
        action, observation = action_and_text(step)
        told = ""
        if observation is not None:
            told = f"{observation_prefix}{escape(react.DIALECT, observation)}\n"
        parts.append(f"{action.log}\n{told}{llm_prefix}")
    return "".join(parts)


def action_and_text(step: Step) -> tuple[AgentAction, str | None]:
    """Return the action of *step*, and `str` of what the tool returned, as LangChain does.

    An answer has no observation: it is `None`.
    """
    action, observation = pair_of(step)
    is_answer = observation is None and not action.tool
    return action, None if is_answer else str(observed(observation))
