"""`readable`: any value as text for a person, the same in every run; and where two differ."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from difflib import unified_diff
from enum import Enum
from itertools import zip_longest
from pathlib import PurePath
from typing import Final, TypeGuard, assert_never

from pydantic import BaseModel

from agent_parsers.events import (
    ActionComplete,
    Delta,
    Event,
    Finish,
    MarkerSeen,
    Repair,
    StepFailed,
    ToolNamed,
    merge_events,
)
from output_parsers import OutputParserException
from output_parsers.printable import printable

_CONTEXT: Final = 3
"""Number of lines shown around those that differ."""
_hunk: Final = re.compile(r"@@ -(\d+)").match


def difference(snapshot: str, now: str) -> Iterator[str]:
    """Yield the lines that differ and those around them, below the number of the first line.

    ::

        line 9
          Write in this form:

        - Action: the tool to use
        + Step: the tool to use
          Action Input: the input for that tool

    In lines that differ, trailing white space is shown as middle dots.
    """
    if snapshot.endswith("\n") and now.endswith("\n"):
        snapshot, now = snapshot[:-1], now[:-1]
    lines = unified_diff(snapshot.split("\n"), now.split("\n"), n=_CONTEXT, lineterm="")
    for line in list(lines)[2:]:
        if found := _hunk(line):
            yield f"line {found[1]}"
        else:
            yield _shown(line)


def _shown(line: str) -> str:
    mark, text = line[0], line[1:]
    if mark == " ":
        return f"  {printable(text)}".rstrip()
    kept = text.rstrip()
    return f"{mark} {printable(kept)}{'·' * (len(text) - len(kept))}"


# -- values as text --------------------------------------------------------------------------------

_MAX_COLUMNS: Final = 80
"""Sequences of plain values up to this many characters are written on one line."""


def readable(value: object) -> str:
    r"""Return *value* as text, the same in every run.

    A `str` is returned unchanged. An event is one line: its span, its kind and its content::

             0-9      marker       thought
             9-24     thought      "I need the age."

    Other values have one line for each part. A model, dataclass or exception begins with its name,
    and a text of several lines is split into as many::

        AgentAction
          tool: "search"
          tool_input: "oldest bridge"
          log:
            "Action: search\n"
            "Action Input: oldest bridge"

    Args:
        value: A text, number, event, model, dataclass or exception; a mapping, sequence or set of
            such values; or any other object with a `repr` of its own.

    Raises:
        TypeError: A part has the default `repr` of objects, which contains an address.
    """
    return value if isinstance(value, str) else "\n".join(_lines(value)) + "\n"


def labelled(parts: Iterable[tuple[str, object]]) -> str:
    """Return named values as text, each on one or more lines of its own."""
    return "".join(f"{line}\n" for line in _named(parts))


def _lines(value: object) -> list[str]:
    """Return the lines of *value*."""
    if isinstance(value, str):
        is_long = "\n" in value.strip("\n")
        return list(map(_quoted, value.splitlines(keepends=True) if is_long else [value]))
    if isinstance(value, Event):
        return [_event(value)]
    if isinstance(value, PurePath):
        return [_quoted(value.as_posix())]
    if isinstance(value, Mapping):
        return list(_named((_flat(name), part) for name, part in value.items())) or ["{}"]
    if isinstance(value, AbstractSet):
        return _items(sorted(value, key=readable), "{}")
    if _is_list(value):
        return _items(value, "()" if isinstance(value, tuple) else "[]")
    parts = _parts(value)
    if parts is None:
        return [_flat(value)]
    return [type(value).__name__, *(f"  {line}" for line in _named(parts))]


def _is_list(value: object) -> TypeGuard[Sequence[object]]:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes | bytearray | range)


def _parts(value: object) -> list[tuple[str, object]] | None:
    """Return the named parts of *value*, or `None` if it has no named parts."""
    title = type(value).__name__
    if isinstance(value, BaseModel):
        names = [*type(value).model_fields, *(value.model_extra or ())]
    elif is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in fields(value) if field.repr]
    elif isinstance(value, BaseException):
        names = [name for name in vars(value) if not name.startswith("_")]
        public = [(name, getattr(value, name)) for name in names]
        return [("message", str(value)), *public]
    else:
        return None
    parts = [(name, getattr(value, name)) for name in names]
    return [part for part in parts if part != ("type", title)]  # the title shows the type


def _named(parts: Iterable[tuple[str, object]]) -> Iterator[str]:
    """Yield each part next to its name if it has one line or a title, else below the name."""
    for name, part in parts:
        first, *rest = lines = _lines(part)
        if _needs_own_lines(part, lines):
            yield f"{name}:"
            yield from (f"  {line}" for line in lines)
        else:
            yield f"{name}: {first}"
            yield from rest


def _needs_own_lines(part: object, lines: list[str]) -> bool:
    if isinstance(part, Event | Mapping):
        return lines != ["{}"]
    if isinstance(part, AbstractSet) or _is_list(part):
        return lines[0][0] not in "([{"
    return len(lines) > 1 and _parts(part) is None


def _items(items: Sequence[object], brackets: str) -> list[str]:
    """Return events and short plain values unchanged, and other items each with a dash."""
    if items and all(isinstance(item, Event) for item in items):
        return [line for item in items for line in _lines(item)]
    blocks = [_lines(item) for item in items]
    if all(_is_plain(item) and len(block) == 1 for item, block in zip(items, blocks, strict=True)):
        line = brackets[0] + ", ".join(block[0] for block in blocks) + brackets[1]
        if len(line) <= _MAX_COLUMNS:
            return [line]
    return [f"{'  ' if nth else '- '}{line}" for block in blocks for nth, line in enumerate(block)]


def _is_plain(value: object) -> bool:
    return value is None or isinstance(value, str | int | float | Enum)


def _flat(value: object) -> str:
    """Return *value*, which has no parts, on one line."""
    if isinstance(value, str):
        return _quoted(value)
    if type(value).__repr__ is object.__repr__:
        raise TypeError(f"this {type(value).__name__} cannot be shown: its class needs a __repr__")
    return repr(value)


def _quoted(text: str) -> str:
    """Return *text* on one line in quotes; in double quotes unless it contains some."""
    quoted = repr(text)
    return f'"{quoted[1:-1]}"' if quoted[0] == "'" and '"' not in text else quoted


def _event(event: Event) -> str:
    start, end = event.span
    word, content = _kind_and_content(event)
    return f"{start:>6}-{end:<6} {word:<11}  {content}"


def _kind_and_content(event: Event) -> tuple[str, str]:
    """Return the kind of *event*, in one word, and its content."""
    if isinstance(event, Delta):
        return type(event).__name__.removesuffix("Delta").lower(), _quoted(event.text)
    match event:
        case ToolNamed(tool=tool):
            return "tool", _quoted(tool)
        case MarkerSeen(name=name):
            return "marker", name
        case ActionComplete(action=action):
            return "action", f"{action.tool} {_flat(action.tool_input)}"
        case Finish(finish=finish):
            return "finish", _flat(finish.return_values.get("output", finish.return_values))
        case Repair(kind=kind, message=message):
            return "repair", f"{kind}: {message}"
        case StepFailed(error=error):
            return "failed", str(error)
        case _:
            assert_never(event)


# -- streams of events -----------------------------------------------------------------------------

_EVENTS_BEFORE: Final = 3
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
    """Return the merged *events*; an `OutputParserException` that they raise is the last one."""
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
    yield from (f"  {_line(event)}" for event in stories[0][max(0, at - _EVENTS_BEFORE) : at])
    if len(starts) == 2 and _line(stories[0][at]) == _line(stories[1][at]):
        # They differ in a field that the lines do not show, such as the log.
        yield f"  {_line(stories[0][at])}"
        yield from difference(*(_in_full(story[at]) for story in stories))
        return
    for mark, story in zip("-+", stories, strict=True):
        lines = (
            map(_line, story[at : at + _EVENTS_BEFORE]) if at < len(story) else ["(no more events)"]
        )
        yield from (f"{mark} {line}" for line in lines)


def _in_full(event: Event) -> str:
    return readable({field.name: getattr(event, field.name) for field in fields(event)})


def _line(event: Event) -> str:
    return readable(event).removesuffix("\n")
