"""The actions of a turn, checked before their tools run, and the steps that they become."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
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


def run_all(turn: Any, calls: Sequence[tuple[str, Any, Any]]) -> Any:
    """Run the *calls* of a *turn*, and return its steps, or what its only call returned.

    Raises:
        TypeError: One of them is asynchronous. If its function says so, no tool was run.
        Exception: What a tool raised; see `steps_taken`.
    """
    for name, origin, _ in calls:
        if inspect.iscoroutinefunction(getattr(origin, "function", None)):
            raise TypeError(_to_be_awaited(name))
    seen: list[Any] = []
    with _Recorded(turn, calls, seen):
        for name, origin, value in calls:
            seen.append(present(origin.run(value), _to_be_awaited(name)))
    return steps_of(turn, seen)


async def arun_all(turn: Any, calls: Sequence[tuple[str, Any, Any]]) -> Any:
    """Do the same as `run_all`, and await asynchronous tools, one after the other."""
    seen: list[Any] = []
    with _Recorded(turn, calls, seen):
        for _, origin, value in calls:
            seen.append(await _arun(origin, value))
    return steps_of(turn, seen)


async def _arun(origin: Any, value: Any) -> Any:
    """Run one tool; here Python turns a `StopIteration` that it raises into a `RuntimeError`."""
    result = getattr(origin, "arun", origin.run)(value)
    return await result if inspect.isawaitable(result) else result


@dataclass(slots=True)
class _Recorded:
    """Records on what is raised in it which calls have run.

    It is a class since `contextlib` sets attributes of what is raised, which may be frozen.
    """

    turn: Any
    """What the calls were made from."""
    calls: Sequence[tuple[str, Any, Any]]
    """The calls, in the order in which they run."""
    seen: list[Any]
    """What they returned so far."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if error is None:  # else it may be that the task is cancelled
            return
        seen, actions = self.seen, _actions_of(self.turn)
        taken = [*zip([self.turn] if actions is None else actions, seen, strict=False)]
        set_field = BaseException.__setattr__  # the class may be frozen
        set_field(error, "steps_taken", taken)
        names = [repr(name) for name, *_ in self.calls]
        if len(names) > 1 and len(seen) < len(names):
            ran, (raised, *left) = names[: len(seen)], names[len(seen) :]
            said = [f"{', '.join(ran)} ran before it"] * bool(ran)
            said += [f"{', '.join(left)} did not run"] * bool(left)
            note = f"raised by the call of {raised}; {'; '.join(said)}"
            set_field(error, "__notes__", [*getattr(error, "__notes__", ()), note])


def steps_taken(error: BaseException) -> list[tuple[AgentAction, Any]]:
    """Return the steps of the calls that ran before one of them raised *error*."""
    taken: list[tuple[AgentAction, Any]] = getattr(error, "steps_taken", [])
    return taken


def _to_be_awaited(name: str) -> str:
    return f"the tool {name!r} is asynchronous: use `await tools.acall(…)`"
