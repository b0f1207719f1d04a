"""The actions of a turn, checked before their tools run, and the steps that they become."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias

from output_parsers.printable import kind_of
from output_parsers.runnables.functions import present

if TYPE_CHECKING:
    from agent_parsers.actions.agent import AgentAction
    from agent_parsers.toolset.problems.errors import CheckedInput
    from agent_parsers.toolset.schemas.spec import ToolSpec

Approve: TypeAlias = "Callable[[Any], Any]"
"""A function that is given an action before its tool runs. It returns true to allow it, with the
arguments that the action then has; or other arguments as a dictionary; or false, or a text for the
model, to refuse it."""
ToolErrors: TypeAlias = "type[Exception] | tuple[type[Exception], ...]"
"""Kinds of exceptions that tools raise for the model to read."""

_REFUSED: Final = "This call was not allowed."
_THEIR_EXCEPTIONS: Final = {"langchain_core": "ToolException", "pydantic_ai": "ModelRetry"}
"""The exceptions of other packages, by the name of the package, that mean the same as ours."""


class ToolException(Exception):  # noqa: N818 - LangChain's name
    """Raised by a tool to tell the model what is wrong; its text is the result of the call."""


class FailedResult(str):
    """The result, for the model, of a call whose tool failed or that was not allowed."""

    __slots__ = ()

    status: Final = "error"
    """Goes to messages of results that have such a field."""


class AnyAction(Protocol):
    """An action, of any library."""

    @property
    def tool(self) -> str:
        """The name of the tool."""

    @property
    def tool_input(self) -> Any:
        """What the model gives to it."""


class HasActions(Protocol):
    """A turn that was read."""

    @property
    def actions(self) -> Sequence[AnyAction]:
        """Its calls, in order."""


@dataclass(slots=True)
class _Call:
    """A call whose input was checked."""

    action: Any
    """What the model asked for; with other arguments, if those were given."""
    tool: str
    origin: Any
    """What runs the tool."""
    value: Any
    """What the tool takes."""
    seen: Any = None
    """What the tool returned, or what the model is told instead."""
    is_over: bool = False
    """Whether there is such a result."""
    has_begun: bool = False
    """Whether the tool was run, perhaps not to its end."""
    raised: BaseException | None = None
    """What the tool raised, unless that is for the model to read."""

    def end(self, seen: Any) -> None:
        """End the call with what is *seen*.

        Raises:
            TypeError: It is a generator or another iterator, of which nothing has run.
        """
        if isinstance(seen, Iterator | AsyncIterator):
            raise TypeError(
                f"the tool {self.tool!r} returned {kind_of(seen)}, which the model cannot read:"
                " return a list or a text"
            )
        self.seen, self.is_over = seen, True


@dataclass(slots=True)
class TurnOfCalls:
    """The calls of a turn, in order, with checked inputs.

    Args:
        turn: A turn, or a list of actions.
        specs: The tools.
        read: Checks the input of a tool.
        errors: See `ToolErrors`.
        approve: See `Approve`.

    Raises:
        TypeError: Something is not an action, or a tool cannot be run.
        UnknownToolError: There is no such tool.
        ToolInputError: An input does not fit.
    """

    turn: Any
    specs: Mapping[str, ToolSpec]
    read: Callable[[str, Any], CheckedInput]
    errors: Any = ()
    approve: Approve | None = None
    calls: list[_Call] = field(init=False)

    def __post_init__(self) -> None:
        self.errors = _kinds(self.errors)
        check_approve(self.approve)
        actions = _actions_of(self.turn)
        if actions is None:
            hint = ": use `call` for one action" if hasattr(self.turn, "tool") else ""
            raise TypeError(
                f"run takes a turn or a list of actions, not {kind_of(self.turn)}{hint}"
            )
        self.calls = [*map(self._checked, actions)]

    def _checked(self, action: Any) -> _Call:
        if not hasattr(action, "tool"):
            raise TypeError(f"expected an action, such as AgentAction, not {kind_of(action)}")
        tool, value, _ = self.read(action.tool, action.tool_input)
        spec = self.specs[tool]
        if spec.origin is None:
            how = "by name" if spec.parameters is None else "by its schema alone"
            raise TypeError(f"the tool {tool!r} cannot be run: declare it as a function, not {how}")
        return _Call(action, tool, spec.origin, value)

    def _decide(self, call: _Call, asked: Any, decided: Any) -> None:
        """Do with a *call* what was *decided* of the action that was *asked* for."""
        if isinstance(decided, str) or decided is False:
            call.end(FailedResult(decided or _REFUSED))
        elif isinstance(decided, Mapping):
            self._change(call, dict(decided))
        elif decided is not True:
            raise TypeError(
                "approve must return True, False, a string for the model, or other arguments as a"
                f" dictionary, not {kind_of(decided)}"
            )
        elif asked is not call.action:  # it may have been changed in place
            if asked.tool != call.tool:
                raise TypeError("approve must not change the tool of an action")
            if asked.tool_input != call.value:
                self._change(call, asked.tool_input)

    def _change(self, call: _Call, tool_input: Any) -> None:
        call.value = self.read(call.tool, tool_input).value
        if hasattr(call.action, "model_copy"):
            call.action = call.action.model_copy(update={"tool_input": call.value})

    def run(self) -> list[tuple[Any, Any]]:
        """Run the tools, and return the steps.

        Raises:
            TypeError: A tool is asynchronous. If its function says so, none was run.
            Exception: What a tool raised; see `steps_taken`.
        """
        for call in self.calls:
            if is_asynchronous(call.origin):
                raise TypeError(_to_be_awaited(call.tool))
        with _Recorded(self.calls):
            if self.approve is not None:
                for call in self.calls:
                    asked = _asked(call)
                    decided = self.approve(asked)
                    decided = present(decided, _ASYNCHRONOUS)
                    self._decide(call, asked, decided)
            for call in self._open:
                with _Told(call, self.errors):
                    call.end(
                        present(call.origin.run(deepcopy(call.value)), _to_be_awaited(call.tool))
                    )
        return self._steps()

    async def arun(self, *, is_sequential: bool) -> list[tuple[Any, Any]]:
        """Do the same as `run`, with tools that may be asynchronous.

        Args:
            is_sequential: Whether they run one after the other. Otherwise they run concurrently.
        """
        with _Recorded(self.calls):
            if self.approve is not None:
                for call in self.calls:
                    asked = _asked(call)
                    decided = self.approve(asked)
                    decided = await decided if inspect.isawaitable(decided) else decided
                    self._decide(call, asked, decided)
            calls = self._open
            if is_sequential or len(calls) < 2 or not has_asyncio():
                for call in calls:
                    await self._arun(call)
            else:
                await _together([*map(self._arun, calls)])
        return self._steps()

    async def _arun(self, call: _Call) -> None:
        with _Told(call, self.errors):
            call.end(await _result_of(call.origin, deepcopy(call.value)))

    @property
    def _open(self) -> list[_Call]:
        return [call for call in self.calls if not call.is_over]

    def _steps(self) -> list[tuple[Any, Any]]:
        return [(call.action, call.seen) for call in self.calls]


_ASYNCHRONOUS: Final = "approve is asynchronous: use `acall` or `arun`, or `await arun_agent(…)`"


def check_approve(approve: Any) -> None:
    """Check that *approve* is a function, or `None`.

    Raises:
        TypeError: It is something else.
    """
    if approve is not None and not callable(approve):
        raise TypeError(
            f"approve must be a function that is given an action, not {kind_of(approve)}"
        )


def _actions_of(turn: Any) -> Sequence[Any] | None:
    """Return the actions of a turn or a list; `None` for anything else."""
    return turn if isinstance(turn, list | tuple) else getattr(turn, "actions", None)


def one_action(action: Any) -> list[Any]:
    """Return a list of the *action*.

    Raises:
        TypeError: It is a turn, or a list.
    """
    if _actions_of(action) is not None:
        raise TypeError(
            f"call takes one action, not {kind_of(action)}: use `run` for a turn or a list"
        )
    return [action]


def _kinds(errors: Any) -> tuple[type[BaseException], ...]:
    """Return the kinds of exceptions that *errors*, one or several, are.

    Raises:
        TypeError: One is no class of exceptions.
    """
    kinds = tuple(errors) if isinstance(errors, list | tuple) else (errors,)
    for kind in kinds:
        if not (isinstance(kind, type) and issubclass(kind, BaseException)):
            raise TypeError(f"errors must be exception classes, such as LookupError, not {kind!r}")
    return kinds


def _asked(call: _Call) -> Any:
    """Return the action that is to be approved: the tool that would run, and what it would get."""
    if not hasattr(call.action, "model_copy"):
        return call.action
    return call.action.model_copy(update={"tool": call.tool, "tool_input": deepcopy(call.value)})


def is_asynchronous(origin: Any) -> bool:
    """Return whether *origin*, which runs a tool, has a coroutine function."""
    return inspect.iscoroutinefunction(getattr(origin, "function", None))


def _to_be_awaited(name: str) -> str:
    return f"the tool {name!r} is asynchronous: use `await tools.acall(…)` or `arun`"


# -- running asynchronously ------------------------------------------------------------------------


def has_asyncio() -> bool:
    """Return whether the loop that is running is asyncio's."""
    import asyncio  # lazily, as below: it takes long to import

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


async def in_thread(function: Callable[[], Any]) -> Any:
    """Return the result of *function*, run in its own thread if the running loop is asyncio's."""
    if not has_asyncio():
        return function()
    import asyncio

    return await asyncio.to_thread(_without_stop, function)


async def _result_of(origin: Any, value: Any) -> Any:
    """Run one tool; a function that is not asynchronous runs in a thread of its own."""
    if hasattr(origin, "arun"):
        result = origin.arun(value)
    elif is_asynchronous(origin) or not hasattr(origin, "function"):
        result = origin.run(value)
    else:
        result = await in_thread(partial(origin.run, value))
    return await result if inspect.isawaitable(result) else result


def _without_stop(function: Callable[[], Any]) -> Any:
    """Do what *function* does; no future takes a `StopIteration`."""
    try:
        return function()
    except StopIteration as error:
        raise RuntimeError("a function raised StopIteration") from error


async def _together(running: Sequence[Coroutine[Any, Any, None]]) -> None:
    """Await all that is *running*; if one fails, or the caller is cancelled, cancel the others.

    Raises:
        Exception: What the first of them raised that failed.
    """
    import asyncio

    tasks = [asyncio.create_task(_uninterrupted(each)) for each in running]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
    finally:
        ended = [task for task in tasks if task.done()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in ended:
        if isinstance(found := task.exception(), _Interrupt):
            raise found.interrupt
        task.result()


class _Interrupt(Exception):  # noqa: N818 - it says what happened, and is never seen
    """Stands for an *interrupt* that a task raised."""

    def __init__(self, interrupt: BaseException) -> None:
        self.interrupt = interrupt


async def _uninterrupted(running: Coroutine[Any, Any, None]) -> None:
    """Await what is *running*; an interrupt in a task would stop the loop before its caller."""
    try:
        await running
    except (KeyboardInterrupt, SystemExit) as error:
        raise _Interrupt(error) from None


# -- what is raised --------------------------------------------------------------------------------


@dataclass(slots=True)
class _Told:
    """Ends a *call* with what it raises, if that is for the model to read."""

    call: _Call
    errors: tuple[type[BaseException], ...]

    def __enter__(self) -> None:
        self.call.has_begun = True

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> bool:
        if error is None:
            return False
        is_told = isinstance(error, ToolException) or _is_theirs(error)
        if not (is_told or isinstance(error, self.errors)):
            self.call.raised = error
            return False
        try:
            said = str(getattr(error, "message", "") or error).strip()
        except Exception:  # noqa: BLE001 - its text is its author's
            said = ""
        if not is_told:
            said = f"{type(error).__name__}: {said}"
        self.call.end(FailedResult(said or f"{self.call.tool} failed"))
        return True


def _is_theirs(error: BaseException) -> bool:
    return any(
        _THEIR_EXCEPTIONS.get(kind.__module__.partition(".")[0]) == kind.__name__
        for kind in type(error).__mro__
    )


@dataclass(slots=True)
class _Recorded:
    """Records on what is raised in it which *calls* have run.

    It is a class since `contextlib` sets attributes of what is raised, which may be frozen.
    """

    calls: Sequence[_Call]

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if error is None:  # else it may be that the task is cancelled
            return
        ran = [call for call in self.calls if call.is_over]
        _set(error, "steps_taken", [(call.action, call.seen) for call in ran])
        left = [call for call in self.calls if not call.is_over]
        if not left or len(self.calls) == 1:
            return
        told = {
            "raised by the call to {}": [call for call in self.calls if call.raised is error],
            "{} ran before it": ran,
            "{} did not finish": [
                call for call in left if call.has_begun and call.raised is not error
            ],
            "{} did not run": [call for call in left if not call.has_begun],
        }
        note = "; ".join(
            said.format(", ".join(map(self._name_of, calls)))
            for said, calls in told.items()
            if calls
        )
        _set(error, "__notes__", [*getattr(error, "__notes__", ()), note])

    def _name_of(self, call: _Call) -> str:
        """Return the name of the tool, and which call it is if the tool is called several times."""
        same = [each for each in self.calls if each.tool == call.tool]
        number = next(n for n, each in enumerate(self.calls, 1) if each is call)
        return repr(call.tool) if len(same) == 1 else f"{call.tool!r} (call {number})"


def _set(error: BaseException, name: str, value: Any) -> None:
    """Set an attribute of an *error*, whose class may be frozen, or have its own of this name."""
    with suppress(AttributeError):
        BaseException.__setattr__(error, name, value)


def steps_taken(error: BaseException) -> list[tuple[AgentAction, Any]]:
    """Return the steps of the calls that had a result when another one raised *error*."""
    taken: list[tuple[AgentAction, Any]] = getattr(error, "steps_taken", [])
    return taken
