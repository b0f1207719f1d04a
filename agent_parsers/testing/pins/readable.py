"""Any value as a text that a person reads with profit, and that is the same in every run."""

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
"""The widest sequence of plain values that stands on one line, in characters."""


def readable(value: object) -> str:
    r"""Return *value* as text, the same in every run.

    A `str` is returned as it is. An event is one line: where it stands, what it is, what it says::

             0-9      marker       thought
             9-24     thought      "I need the age."

    Of other values, each part has a line. A model, dataclass or exception begins with its name; a
    text of several lines is on as many::

        AgentAction
          tool: "search"
          tool_input: "oldest bridge"
          log:
            "Action: search\n"
            "Action Input: oldest bridge"

    Args:
        value: A text, number, event, model, dataclass, exception, mapping, sequence or set, made
            of the same, or anything else whose `repr` tells what it is.

    Raises:
        TypeError: The `repr` of a part is the one that any object has, with its address.
    """
    return value if isinstance(value, str) else "\n".join(_lines(value)) + "\n"


def labelled(parts: Iterable[tuple[str, object]]) -> str:
    """Return values by name as text, each on a line of its own or on several."""
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
    """Names and values of the parts of *value*; `None` if it is not made of named parts."""
    title = type(value).__name__
    if isinstance(value, BaseModel):
        names = [*type(value).model_fields, *(value.model_extra or ())]
    elif is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in fields(value) if field.repr]
    elif isinstance(value, BaseException):
        public = [item for item in vars(value).items() if not item[0].startswith("_")]
        return [("message", str(value)), *public]
    else:
        return None
    parts = [(name, getattr(value, name)) for name in names]
    return [part for part in parts if part != ("type", title)]  # the title says it


def _named(parts: Iterable[tuple[str, object]]) -> Iterator[str]:
    """Give each part beside its name if it has one line or a title, else below."""
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
    """Return events and short plain values as they are, other items each with a dash."""
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
    """Return *value*, which is not made of parts, on one line."""
    if isinstance(value, str):
        return _quoted(value)
    if type(value).__repr__ is object.__repr__:
        raise TypeError(f"cannot tell what this {type(value).__name__} is: it has no repr")
    return repr(value)


def _quoted(text: str) -> str:
    """Return *text* in quotes, in double ones if it has none, on one line."""
    quoted = repr(text)
    return f'"{quoted[1:-1]}"' if quoted[0] == "'" and '"' not in text else quoted


def _event(event: Event) -> str:
    start, end = event.span
    word, told = _emit(event)
    return f"{start:>6}-{end:<6} {word:<11}  {told}"


def _emit(event: Event) -> tuple[str, str]:
    """Return what *event* is, in a word, and what it says."""
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
