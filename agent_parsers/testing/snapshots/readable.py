"""`readable`: any value as text for a person, the same in every run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from enum import Enum
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
)

__all__ = ["labelled", "readable"]

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
        raise TypeError(f"this {type(value).__name__} cannot be shown: it has no repr of its own")
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
