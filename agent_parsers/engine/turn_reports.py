"""Reports the repairs and errors of one text while it is read."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from agent_parsers.events import ActionComplete, Event, Finish, Repair, Span, StepFailed, ToolNamed
from agent_parsers.reports import LISTENERS, Report
from output_parsers import OutputParserException

if TYPE_CHECKING:
    from agent_parsers.toolset import ToolSet
    from outputs.messages.ended import Ended


class TurnReports:
    """Reports the repairs and errors of a text to the listeners, given its events.

    A repair is reported with the first result that ends after it, or at the end of the text.
    """

    def __init__(self, dialect: str, tools: ToolSet | None, *, lenient: bool) -> None:
        self._dialect = dialect
        self._lenient = lenient
        self._tools = tools
        self._repairs: list[Repair] = []
        self._named: list[ToolNamed] = []  # since the last result
        self._last = ""  # the tool of that result

    def during(self, feed: Callable[[Any], list[Event]], chunk: Any) -> list[Event]:
        """Return the events of *chunk*, and report its repairs and errors."""
        try:
            events = feed(chunk)
        except OutputParserException as error:
            self.fail(error)
            raise
        self._take(events)
        return events

    def to_end(
        self, close: Callable[..., list[Event]], ended: Ended, last: list[Event]
    ) -> list[Event]:
        """Call *close*, report the repairs and errors, and return the *last* events."""
        try:
            close(ended=ended)
        except OutputParserException as error:
            self._take(last)
            self.fail(error)
            raise
        self._take(last)
        self._end()
        return last

    def fail(self, error: OutputParserException) -> None:
        """Report the *error* of the text."""
        tool = self._named[-1].tool if self._named else self._last
        self._end()
        self._tell_error(error, error.span, tool)

    def _take(self, events: Iterable[Event]) -> None:
        for event in events:
            match event:
                case Repair():
                    self._repairs.append(event)
                case ToolNamed():
                    self._named.append(event)
                case ActionComplete(action=action, span=span):
                    self._finish(action.tool, span)
                case Finish(span=span):
                    self._finish("", span)
                case StepFailed(error=error, span=span):
                    tool = self._named[-1].tool if self._named else ""
                    self._finish(tool, span)
                    self._tell_error(error, span, tool)
                case _:
                    pass

    def _finish(self, tool: str, span: Span) -> None:
        """Report the repairs of a result: those that begin before its end."""
        waiting, self._repairs = self._repairs, []
        for repair in waiting:
            if repair.span[0] <= span[1]:
                self._tell(repair.kind, repair.span, tool, repair)
            else:
                self._repairs.append(repair)
        self._named.clear()
        self._last = tool

    def _end(self) -> None:
        """Report the repairs that are left, with the tool that is named before them."""
        for repair in self._repairs:
            before = [each for each in self._named if each.span[0] <= repair.span[0]]
            tool = (before or self._named[:1] or [ToolNamed(self._last, (0, 0))])[-1].tool
            self._tell(repair.kind, repair.span, tool, repair)
        self._repairs.clear()

    def _tell_error(self, error: OutputParserException, span: Span | None, tool: str) -> None:
        tool = getattr(error, "tool", None) or getattr(error, "name", None) or tool
        self._tell(error.problem or type(error).__name__, span, tool, error)

    def _tell(
        self, name: str, span: Span | None, tool: str, cause: Repair | OutputParserException
    ) -> None:
        is_known = self._tools is not None and tool in self._tools
        what: Literal["repair", "error"] = "repair" if isinstance(cause, Repair) else "error"
        report = Report(what, name, self._dialect, self._lenient, tool if is_known else "", span)
        for listener in tuple(LISTENERS):
            if listener.with_text:
                listener.hear(replace(report, tool=tool, cause=cause))
            else:
                listener.hear(report)


def report_error(
    error: OutputParserException, dialect: str, tools: ToolSet | None, *, lenient: bool
) -> None:
    """Report the *error* of a text that is not read any further; see `TurnReports`."""
    if LISTENERS:
        TurnReports(dialect, tools, lenient=lenient).fail(error)
