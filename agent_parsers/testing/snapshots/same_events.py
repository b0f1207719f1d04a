"""Compares streams of events, whichever way their texts were cut."""

from __future__ import annotations

from dataclasses import fields
from itertools import zip_longest
from typing import TYPE_CHECKING, Final

from agent_parsers.events import Event, StepFailed, merge_events
from agent_parsers.testing.snapshots.difference import difference
from agent_parsers.testing.snapshots.readable import readable
from output_parsers import OutputParserException

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["assert_same_events", "whole_story"]

_CONTEXT: Final = 3
"""Number of events shown before the first difference, and of each stream after it."""


def assert_same_events(
    first: Iterable[Event], second: Iterable[Event], *, text: str | None = None
) -> None:
    """Assert that two streams yield the same events, whichever way their texts were cut.

    ::

        parser = get_parser("react")
        assert_same_events(parser.events(["Final Answer", ": 42"]), parser.events([whole]))

    Neighbouring deltas of one kind are joined. If a stream raises an `OutputParserException`, the
    error counts as its last event. Errors are equal if their messages and places are equal.

    Args:
        first: An iterable of events.
        second: Another iterable of events.
        text: The text that was parsed, to show the line and column of the difference.

    Raises:
        AssertionError: The events differ; the message shows the first difference in both streams,
            and the events around it.
    """
    __tracebackhide__ = True
    stories = (whole_story(first), whole_story(second))
    pairs = enumerate(zip_longest(*stories))
    parting = next(
        (at for at, (one, other) in pairs if _compared_part(one) != _compared_part(other)), None
    )
    if parting is not None:
        raise AssertionError("\n".join(_difference(stories, parting, text)))


def whole_story(events: Iterable[Event]) -> list[Event]:
    """Return *events*, joined; if they raise an `OutputParserException`, it is the last one."""
    found: list[Event] = []
    try:
        for event in events:
            found.append(event)  # noqa: PERF402 - keeps the events before an error
    except OutputParserException as error:
        found.append(StepFailed(error, error.span or (0, 0)))
    return merge_events(found)


def _compared_part(event: Event | None) -> object:
    """Return the fields of *event* that are compared."""
    if isinstance(event, StepFailed):
        return event.span, str(event.error), event.error.observation
    return event


def _difference(
    stories: tuple[list[Event], list[Event]], at: int, text: str | None
) -> Iterator[str]:
    """Yield the lines that show how the *stories* differ from this event on."""
    place = ""
    starts = [story[at].span[0] for story in stories if at < len(story)]
    if text is not None:
        error = OutputParserException("", llm_output=text, span=(min(starts), max(starts)))
        place = f", line {error.line}, column {error.column} of the text"
    yield f"the events differ from event {at + 1} on{place} (- the first, + the second):"
    yield from (f"  {_line(event)}" for event in stories[0][max(0, at - _CONTEXT) : at])
    if len(starts) == 2 and _line(stories[0][at]) == _line(stories[1][at]):
        # They differ in a field that the lines do not show, such as the log.
        yield f"  {_line(stories[0][at])}"
        yield from difference(*(_in_full(story[at]) for story in stories))
        return
    for mark, story in zip("-+", stories, strict=True):
        lines = map(_line, story[at : at + _CONTEXT]) if at < len(story) else ["(no more events)"]
        yield from (f"{mark} {line}" for line in lines)


def _in_full(event: Event) -> str:
    return readable({field.name: getattr(event, field.name) for field in fields(event)})


def _line(event: Event) -> str:
    return readable(event).removesuffix("\n")
