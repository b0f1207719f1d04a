"""The actions of a turn, checked before their tools run, and the steps that they become."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from output_parsers.printable import kind_of
from output_parsers.runnables.functions import present

if TYPE_CHECKING:
    from agent_parsers.actions.agent import AgentAction
    from agent_parsers.toolset.problems.errors import CheckedInput
    from agent_parsers.toolset.schemas.spec import ToolSpec


class HasActions(Protocol):
    """A turn that was read."""

    @property
    def actions(self) -> list[AgentAction]:
        """Its calls, in order."""


def _actions_of(turn: Any) -> Sequence[AgentAction] | None:
    """Return the actions of a turn or a list; `None` for an action."""
    if isinstance(turn, list | tuple):
        return turn
    return getattr(turn, "actions", None)


def checked_calls(
    turn: Any, specs: Mapping[str, ToolSpec], read: Callable[[str, Any], CheckedInput]
) -> list[tuple[str, Any, Any]]:
    """Return the name of each tool of *turn*, what it was made from, and its input, checked."""

    def checked(action: Any) -> tuple[str, Any, Any]:
        if not hasattr(action, "tool"):
            raise TypeError(
                "call takes a turn, a list of actions, or an action such as AgentAction, not"
                f" {kind_of(action)}"
            )
        tool, value, _ = read(action.tool, action.tool_input)
        spec = specs[tool]
        if spec.origin is None:
            how = "by name" if spec.parameters is None else "by its schema alone"
            raise TypeError(f"the tool {tool!r} cannot be run: declare it as a function, not {how}")
        return tool, spec.origin, value

    actions = _actions_of(turn)
    return [*map(checked, [turn] if actions is None else actions)]


def steps_of(turn: Any, seen: list[Any]) -> Any:
    """Return what was *seen*, with its actions unless *turn* is an action."""
    actions = _actions_of(turn)
    return seen[0] if actions is None else [*zip(actions, seen, strict=True)]


def run_all(calls: Sequence[tuple[str, Any, Any]]) -> list[Any]:
    """Return what the tools of *calls* return: the name, what it was made from, and the input.

    Raises:
        TypeError: One of them is asynchronous. If its function says so, no tool was run.
    """
    for name, origin, _ in calls:
        if inspect.iscoroutinefunction(getattr(origin, "function", None)):
            raise TypeError(_to_be_awaited(name))
    return [present(origin.run(value), _to_be_awaited(name)) for name, origin, value in calls]


def _to_be_awaited(name: str) -> str:
    return f"the tool {name!r} is asynchronous: use `await tools.acall(…)`"


async def arun(_name: str, origin: Any, value: Any) -> Any:
    """Return what a tool made from *origin*, asynchronous or not, returns for an input."""
    result = getattr(origin, "arun", origin.run)(value)
    return await result if inspect.isawaitable(result) else result
