"""A stream as it arrives, in a notebook."""

from __future__ import annotations

from collections.abc import AsyncIterable, Iterable
from time import monotonic
from typing import Any, Final

from agent_parsers.events import (
    ActionComplete,
    Event,
    Finish,
    MarkerSeen,
    Repair,
    StepFailed,
    ToolNamed,
    merge_events,
)
from agent_parsers.explain.explanation import PARTS_OF_EVENTS
from agent_parsers.explain.findings import input_as_text
from agent_parsers.html.turn_pages import badges_html, messages_html
from output_parsers.exceptions import OutputParserException
from outputs.html import NamedText, fields_html, fragment, problem_html

_PAUSE_S: Final = 0.1
"""Shortest time between two pictures, in seconds."""


def show(events: Iterable[Event]) -> list[Event]:
    """Show the *events* of a stream in a notebook as they arrive, as in ``show(parser.events(…))``.

    Returns:
        The events; neighbouring deltas are joined. Assign them: a cell shows its last value.

    Raises:
        ImportError: There is no IPython, and so no notebook.
        OutputParserException: As the *events* raise it; the error is shown, too.
    """
    live = _Live()
    try:
        for event in events:
            live.add(event)
    except OutputParserException as error:
        live.fail(error)
        raise
    return live.end()


async def ashow(events: AsyncIterable[Event]) -> list[Event]:
    """Do the same as `show` for asynchronous *events*, such as ``parser.aevents(…)``."""
    live = _Live()
    try:
        async for event in events:
            live.add(event)
    except OutputParserException as error:
        live.fail(error)
        raise
    return live.end()


class _Live:
    """A picture in a notebook that is drawn again while events arrive."""

    def __init__(self) -> None:
        try:
            from IPython.display import HTML, display
        except ImportError as error:
            raise ImportError(
                "show needs IPython, which every notebook has; elsewhere, loop over the events,"
                " or use `agent-parsers explain --follow` in a terminal"
            ) from error
        self._html: Any = HTML
        self._events: list[Event] = []
        self._handle: Any = display(HTML(self._drawn()), display_id=True)
        self._next = monotonic() + _PAUSE_S

    def add(self, event: Event) -> None:
        """Add an event, and draw all events again unless this was just done."""
        self._events.append(event)
        if monotonic() >= self._next:
            self._update(self._drawn())
            self._next = monotonic() + _PAUSE_S

    def fail(self, error: OutputParserException) -> None:
        """Draw the events for the last time, with the error."""
        self._update(self._drawn(is_over=True) + fragment(problem_html(error)))

    def end(self) -> list[Event]:
        """Draw the events for the last time, and return them."""
        self._update(self._drawn(is_over=True))
        return self._events

    def _update(self, html: str) -> None:
        if self._handle is not None:  # outside of a notebook, nothing is drawn again
            self._handle.update(self._html(html))

    def _drawn(self, *, is_over: bool = False) -> str:
        self._events = merge_events(self._events)
        return fragment(stream_html(self._events, is_over=is_over))


def stream_html(events: Iterable[Event], *, is_over: bool = False) -> str:
    """Return the merged *events* of a stream so far as HTML, for a page with the `STYLES`."""
    fields: list[NamedText] = []
    messages: list[tuple[str, str]] = []
    done = 0
    for event in events:
        match event:
            case ToolNamed(tool=tool):
                fields.append(NamedText("tool", tool))
            case MarkerSeen():
                pass
            case ActionComplete(action=action):
                done += 1
                if not isinstance(action.tool_input, str):
                    fields.append(NamedText("input", input_as_text(action.tool_input), "read as"))
            case Finish():
                done += 1
            case Repair(message=message):
                messages.append(("repaired", message))
            case StepFailed(error=error):
                messages.append(("error", error.reason))
            case delta:
                fields.append(NamedText(PARTS_OF_EVENTS[type(delta)], delta.text))
    state = ("muted", "over") if is_over else ("answer", "arriving …")
    return (
        f'<section class="ap-explained">{badges_html([state])}'
        f"{fields_html(fields)}{messages_html(messages)}</section>"
    )
