"""The actions of a turn, and the steps that they become once their tools have run."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from agent_parsers.actions.agent import AgentAction


class HasActions(Protocol):
    """A turn that was read."""

    @property
    def actions(self) -> list[AgentAction]:
        """Its calls, in order."""


def actions_of(turn: Any) -> Sequence[AgentAction] | None:
    """Return the actions of a turn or a list; `None` for an action."""
    if isinstance(turn, list | tuple):
        return turn
    return getattr(turn, "actions", None)


def steps_of(turn: Any, seen: list[Any]) -> Any:
    """Return what was *seen*, with its actions unless *turn* is an action."""
    actions = actions_of(turn)
    return seen[0] if actions is None else [*zip(actions, seen, strict=True)]


def finished(name: str, result: Any) -> Any:
    """Return the *result* of the tool *name*, which has to be there."""
    if not inspect.isawaitable(result):
        return result
    if inspect.iscoroutine(result):
        result.close()  # it is never awaited
    raise TypeError(f"the tool {name!r} is asynchronous: use `await tools.acall(…)`")
