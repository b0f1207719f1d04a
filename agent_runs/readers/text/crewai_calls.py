"""The calls of an agent of CrewAI, and which of the results that are shown answers each.

Panels are printed by several threads: a result may come before its call, and both once more after
the next call. The name of the tool joins them. Where several calls of a tool are at work at once,
and they return different things, the log does not show which of them returned what.

A tool that fails is tried again with the same input, up to three times: that is one call.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from agent_runs.reading.reader import squeezed

_MAX_TRIES: Final = 3


@dataclass
class ShownCall:
    """A call in the log, which may show only its result."""

    tool: str
    shown: str | None
    """The arguments, as they are shown; `None` if they are not."""
    thought: str = ""
    result: str | None = None
    unclear: list[str] = field(default_factory=list)
    """Results of which one is that of this call."""
    is_failure: bool = False
    tries: int = 1
    is_started: bool = True
    is_echoed: bool = False
    """Whether its result has been shown a second time."""


@dataclass
class _AtWork:
    """The calls of one tool that are at work at once."""

    calls: list[ShownCall] = field(default_factory=list)
    results: list[tuple[bool, str]] = field(default_factory=list)
    """Whether each is a success, and its text."""

    @property
    def is_waiting(self) -> bool:
        return len(self.calls) > len(self.results)


class Calls:
    """The calls of a task, in the order in which they are shown."""

    def __init__(self) -> None:
        self._calls: list[ShownCall] = []
        self._at_work: dict[str, _AtWork] = {}
        self._outputs: list[tuple[str, int]] = []
        self._done = 0

    @property
    def last(self) -> ShownCall | None:
        """The last call; `None` if there is none."""
        return self._calls[-1] if self._calls else None

    @property
    def are_waiting(self) -> bool:
        """Whether a tool is still running."""
        return len(self._calls) > max(self._done, len(self._outputs))

    @property
    def has_output(self) -> bool:
        """Whether a result has been shown without the name of its tool."""
        return bool(self._outputs)

    def waits_for(self, tool: str) -> bool:
        """Return whether a call of *tool* is still running."""
        at_work = self._at_work.get(_key(tool))
        return at_work is not None and at_work.is_waiting

    def add(self, call: ShownCall) -> None:
        """Add a *call* whose result is shown without the name of the tool."""
        self._calls.append(call)

    def start(self, tool: str, shown: str) -> None:
        """Add a call of *tool* with the arguments *shown*."""
        at_work = self._at_work.setdefault(_key(tool), _AtWork())
        early = next((call for call in at_work.calls if not call.is_started), None)
        if early is not None:
            early.tool, early.shown, early.is_started = tool, shown, True
        else:
            at_work.calls.append(ShownCall(tool, shown))
            self._calls.append(at_work.calls[-1])
        self._settle(tool)

    def complete(self, tool: str, result: str, *, is_failure: bool = False) -> None:
        """Add a *result* of *tool*; its call may be shown only later."""
        at_work = self._at_work.setdefault(_key(tool), _AtWork())
        if not at_work.is_waiting:
            at_work.calls.append(ShownCall(tool, None, is_started=False))
            self._calls.append(at_work.calls[-1])
        at_work.results.append((not is_failure, result))
        self._done += 1
        self._settle(tool)

    def refuse(self, tool: str, reason: str) -> None:
        """Add the *reason* why a call of *tool* was not made; the call itself may not be shown."""
        if self.waits_for(tool):
            self.complete(tool, reason, is_failure=True)
        else:
            self._done += 1
            self._calls.append(ShownCall(tool, None, result=reason, is_failure=True))

    def echo(self, text: str, line: int) -> None:
        """Add a result that is shown without the name of its tool, usually for the second time."""
        self._outputs.append((text, line))

    def close(self) -> tuple[list[ShownCall], list[tuple[str, int]]]:
        """Return the calls with their results, and the texts that belong to no call, with lines."""
        for at_work in self._at_work.values():
            _share(at_work)
        self._at_work.clear()
        calls: list[ShownCall] = []
        for call in self._calls:
            if calls and _is_retry(call, calls[-1]):
                tries = calls[-1].tries + 1
                calls[-1] = call
                call.tries = tries
            else:
                calls.append(call)
        return calls, [(text, line) for text, line in self._outputs if not _echoes(text, calls)]

    def _settle(self, tool: str) -> None:
        """Give results to the calls of *tool* if there are as many of both."""
        at_work = self._at_work[_key(tool)]
        if not at_work.is_waiting and all(call.is_started for call in at_work.calls):
            _share(at_work)
            del self._at_work[_key(tool)]


def _share(at_work: _AtWork) -> None:
    """Give each call its result, if that is known."""
    calls, results = at_work.calls, at_work.results
    if len({call.shown for call in calls}) == 1:
        results = sorted(results)  # failures come before what was tried again
    elif len({squeezed(text) for _, text in results}) > 1:
        results = []
    if len(results) < len(calls):
        for call in calls if at_work.results else ():
            call.unclear = [text for _, text in at_work.results]
        return
    for call, (is_success, text) in zip(calls, results, strict=True):
        call.result, call.is_failure = text, not is_success


def _is_retry(call: ShownCall, before: ShownCall) -> bool:
    is_same = (call.tool, call.shown) == (before.tool, before.shown) and call.shown is not None
    return is_same and before.is_failure and before.tries < _MAX_TRIES


def _echoes(text: str, calls: list[ShownCall]) -> bool:
    """Give *text* to the call that returned it, and return whether there is one."""
    shown = squeezed(text)
    start = shown.removesuffix("...")
    for call in calls:
        if call.is_echoed:
            continue
        result = squeezed(call.result or "")
        is_same = call.result is not None and (
            shown == result or (start != shown and result.startswith(start))
        )
        is_known = is_same or any(squeezed(each) == shown for each in call.unclear)
        is_only_here = call.result is None and not call.unclear
        if is_known or is_only_here or (call.is_failure and result in shown):
            call.is_echoed = True
            call.result = call.result if is_known else text
            return True
    return False


def _key(tool: str) -> str:
    """Return what the names of *tool* have in common: panels of results have a plainer one."""
    return re.sub(r"[^a-z0-9]", "", tool.lower()) or tool
