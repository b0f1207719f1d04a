"""Streams of events compared, so that it does not matter how the text was cut."""

from __future__ import annotations

from dataclasses import fields
from itertools import zip_longest
from typing import TYPE_CHECKING, Final

from agent_parsers.events import Event, StepFailed, merge_events
from agent_parsers.testing.pins.difference import difference
from agent_parsers.testing.pins.readable import readable
from output_parsers import OutputParserException

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["assert_same_events", "whole_story"]

_CONTEXT: Final = 3
"""How many events are shown before the stories part, and of each from there on."""


def assert_same_events(
    first: Iterable[Event], second: Iterable[Event], *, text: str | None = None
) -> None:
    """Make sure that two streams of events tell the same story, however their texts were cut.

    ::

        parser = get_parser("react")
        assert_same_events(parser.events(["Final Answer", ": 42"]), parser.events([whole]))

    Neighbouring deltas of one kind are joined. If a stream raises an `OutputParserException`, that
    is its last event. Errors are the same if they say the same of the same place.

    Args:
        first: Events, or what yields them.
        second: The same.
        text: What was read, to show where the stories part.

    Raises:
        AssertionError: They differ; the message shows the first event that does in both streams,
            and the events around it.
    """
    __tracebackhide__ = True
    stories = (whole_story(first), whole_story(second))
    pairs = enumerate(zip_longest(*stories))
    parting = next((at for at, (one, other) in pairs if _said(one) != _said(other)), None)
    if parting is not None:
        raise AssertionError("\n".join(_difference(stories, parting, text)))


def whole_story(events: Iterable[Event]) -> list[Event]:
    """Return *events*, joined; an `OutputParserException` that they raise is the last of them."""
    told: list[Event] = []
    try:
        for event in events:
            told.append(event)  # noqa: PERF402 - what came before an error counts
    except OutputParserException as error:
        told.append(StepFailed(error, error.span or (0, 0)))
    return merge_events(told)


def _said(event: Event | None) -> object:
    """Return what is compared of *event*."""
    if isinstance(event, StepFailed):
        return event.span, str(event.error), event.error.observation
    return event


def _difference(
    stories: tuple[list[Event], list[Event]], at: int, text: str | None
) -> Iterator[str]:
    """Yield the lines that say where the *stories* part, at this event."""
    place = ""
    starts = [story[at].span[0] for story in stories if at < len(story)]
    if text is not None:
        error = OutputParserException("", llm_output=text, span=(min(starts), max(starts)))
        place = f", line {error.line}, column {error.column} of the text"
    yield f"the events differ from event {at + 1} on{place} (- the first, + the second):"
    yield from (f"  {_line(event)}" for event in stories[0][max(0, at - _CONTEXT) : at])
    if len(starts) == 2 and _line(stories[0][at]) == _line(stories[1][at]):
        # They differ in what no line shows, such as a log.
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
