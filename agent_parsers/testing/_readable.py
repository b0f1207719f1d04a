"""Any value as a text that a person reads with profit, and that is the same in every run."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import PurePath
from typing import Any, Final

from pydantic import BaseModel

from agent_parsers.engine import (
    ActionComplete,
    AnswerDelta,
    Event,
    Failed,
    Finish,
    InputDelta,
    MarkerSeen,
    ObservationDelta,
    QuestionDelta,
    Repair,
    SkippedDelta,
    ThoughtDelta,
    ToolNamed,
)

__all__ = ["readable"]

_DELTAS: Final[Mapping[type, str]] = {
    QuestionDelta: "question",
    ThoughtDelta: "thought",
    InputDelta: "input",
    AnswerDelta: "answer",
    ObservationDelta: "observation",
    SkippedDelta: "skipped",
}
_EVENTS: Final = (*_DELTAS, ToolNamed, MarkerSeen, ActionComplete, Finish, Repair, Failed)
_PLAIN: Final = (type(None), bool, int, float, complex, bytes, type)
"""What `repr` writes well."""


def readable(value: object) -> str:
    r"""Return *value* as text, the same in every run.

    A `str` is returned as it is. An event is one line: where it stands, what it is, what it says::

           0-9      marker       thought
           9-24     thought      "I need the age."

    Of other values, each part has a line. A model or dataclass begins with its name, the lines
    below it are indented by two more blanks, and a text of several lines is on as many::

        AgentAction
          tool: "search"
          tool_input: "bridge"
          log:
            "Action: search\n"
            "Action Input: bridge"

    Args:
        value: A text, number, event, model, dataclass, exception, mapping, sequence or set, or
            anything whose `repr` says what it is.

    Raises:
        TypeError: The `repr` of a part is the one that every object has, with its address.
    """
    return value if isinstance(value, str) else "\n".join(_lines(value)) + "\n"


def _lines(value: object) -> Iterator[str]:
    """Give the lines of *value*; the parts of a container are indented."""
    if isinstance(value, _EVENTS):
        yield _event(value)
    elif isinstance(value, str):
        yield from _text(value)
    elif isinstance(value, _PLAIN) or isinstance(value, Enum):
        yield repr(value)
    elif isinstance(value, PurePath):
        yield _quoted(value.as_posix())
    elif isinstance(value, Mapping):
        yield from _parts("{}", value.items(), named=True)
    elif isinstance(value, Set):
        yield from _items(sorted(value, key=readable))
    elif isinstance(value, Sequence):
        yield from _items(value)
    elif (parts := _parts_of(value)) is not None:
        yield from _parts(type(value).__name__, parts, named=False)
    elif type(value).__repr__ is object.__repr__:
        raise TypeError(f"cannot tell what a {type(value).__name__} is: it has no repr of its own")
    else:
        yield repr(value)


def _parts_of(value: object) -> list[tuple[str, object]] | None:
    """Names and values of the parts of *value*; `None` if it is not made of parts."""
    if isinstance(value, BaseModel):
        shown = type(value).model_fields
        extra = value.model_extra or {}
        return [(name, getattr(value, name)) for name in shown] + list(extra.items())
    if is_dataclass(value) and not isinstance(value, type):
        return [(field.name, getattr(value, field.name)) for field in fields(value) if field.repr]
    if isinstance(value, BaseException):
        attributes = {name: v for name, v in vars(value).items() if not name.startswith("_")}
        return [("message", str(value)), *attributes.items()]
    return None


def _parts(title: str, parts: Any, *, named: bool) -> Iterator[str]:
    """Give the *title* of a value and the lines of its *parts*, each below its name."""
    parts = list(parts)
    if not named:
        yield title
    elif not parts:
        yield title
        return
    indent = "" if named else "  "
    for name, part in parts:
        key = _quoted(name) if named and isinstance(name, str) else str(name)
        yield from _below(f"{indent}{key}:", part)


def _items(items: Sequence[Any]) -> Iterator[str]:
    if not items:
        yield "[]"
    elif all(isinstance(item, _EVENTS) for item in items):
        yield from map(_event, items)
    else:
        for item in items:
            yield from _below("-", item)


def _below(head: str, part: object) -> Iterator[str]:
    """Give *part* on the line of its *head* if it has one line, else below it."""
    lines = list(_lines(part))
    first = lines[0]
    indent = " " * (len(head) - len(head.lstrip()) + 2)
    if len(lines) == 1 or head.lstrip() == "-":
        yield f"{head} {first}"
        lines = lines[1:]
    elif _parts_of(part) is not None:
        yield f"{head} {first}"
        lines = lines[1:]
    else:
        yield head
    for line in lines:
        yield f"{indent}{line}"
