"""Payload codecs: functions that read the text after a label into the value passed to a tool."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from outputs.growing_json.lenient.json_text import may_repeat
from outputs.growing_json.load import load_json

if TYPE_CHECKING:
    from agent_parsers.events import Repair, Span
    from output_parsers import OutputParserException
    from outputs.messages.ended import Ended

Lack: TypeAlias = Literal["", "closer", "input", "parameters", "arguments", "values"]
"""What is missing from a call at the end of the text.

``""``: nothing. ``"closer"``: the closer of the call; its arguments are closed. ``"arguments"``:
the closer of the arguments; their last value is closed. ``"input"``: an input that only the end of
the text could close, as far as it goes; nothing of it, perhaps. ``"parameters"``: the closer of
the call, which closes its arguments too, so that more of them may have followed. ``"values"``: more
than that, or it is not certain that the last value is complete."""


def may_lack(lacks: Lack, ended: Ended, fills: Callable[[], bool]) -> bool:
    """Return whether a call at the end of a text counts although it *lacks* its end.

    Only lenient mode accepts such calls. A model that stopped by itself has only omitted closers. A
    text that was cut may lack more. If it is not known how the text ended, the arguments must be
    closed, or must be all that the tool takes, as *fills* says.
    """
    if not lacks or ended == "stop":
        return True
    if ended == "length" or lacks in ("input", "values"):
        return False
    return lacks == "closer" or fills()


class Unclosed(NamedTuple):
    """An input at the end of the text that lacks its closing brackets."""

    value: str | dict[Any, Any]
    """Its value with the missing closers supplied."""
    arguments: Any
    """The object in the input, even if `value` is text."""
    repairs: list[Repair]
    """The repairs made to read it; spans count from its start."""
    lacks: Lack
    """Which closing brackets are missing."""


class BadPayload(Exception):  # noqa: N818 - internal: the engine reports the problem
    """Raised by payload codecs for text that has no valid value.

    Args:
        problem: Name of the problem, as in the dialect's problems.
        span: Where it is, in `str` characters from the start of the text the codec was given.
        error: The exception that the tools raised for it, if any.
        unclosed: The value with closers supplied, if only closers at its end are missing.
        mark: The mark that is wrong, if the problem names it.
    """

    def __init__(
        self,
        problem: str,
        span: Span,
        error: OutputParserException | None = None,
        unclosed: Unclosed | None = None,
        mark: str = "",
    ) -> None:
        super().__init__(problem)
        self.problem = problem
        self.span = span
        self.error = error
        self.unclosed = unclosed
        self.mark = mark

    def moved(self, by: int) -> BadPayload:
        """Return the same problem with its span moved *by* characters."""
        span = (self.span[0] + by, self.span[1] + by)
        return BadPayload(self.problem, span, self.error, self.unclosed, self.mark)


InputReader: TypeAlias = "Callable[[str, list[Repair]], str | dict[Any, Any]]"
"""Returns the value of an input. It appends its repairs to the list, with spans from the start of
the input, and raises `BadPayload` for an input that has no value."""


AnswerReader: TypeAlias = "Callable[[str, list[Repair]], str]"
"""Returns the value of a final answer; otherwise like `InputReader`."""


class ToolHead(NamedTuple):
    """The name of a tool as a model wrote it, parsed."""

    tool: str
    """Name of the tool, without dressing."""
    tool_input: str | dict[Any, Any] | None = None
    """Its input, if the name is written as a call; otherwise `None`."""
    is_answer: bool = False
    """Whether the name only says that the input is the final answer."""
    needs_input: bool = False
    """Whether the name may contain what should be the input, so that an input is required."""
    is_called: bool = False
    """Whether brackets behind the name close it as a call."""


ToolReader: TypeAlias = "Callable[[str, Collection[str] | None, list[Repair]], ToolHead]"
"""Returns the tool that a model means, given its text and the names of the known tools; otherwise
like `InputReader`."""


def as_written(text: str, _repairs: list[Repair]) -> str:
    """Return *text* unchanged: the input is what the model wrote."""
    return text


def unreadable(problem: str, span: Span) -> Exception:
    """Return the exception that a codec raises for text that has no valid value.

    ::

        raise unreadable("bad_input", (0, len(text)))

    Args:
        problem: Name of the problem, one of the dialect's or of those that every dialect has.
        span: Where it is, in `str` characters from the start of the codec's text.
    """
    return BadPayload(problem, span)


# -- inputs in JSON --------------------------------------------------------------------------------


def fault_at(char: str, otherwise: str) -> str:
    """Return the problem of JSON that broke off at this *char* of a string, or *otherwise*."""
    return "bad_escape" if char == "\\" else "bad_string" if char >= " " else otherwise


def fault_of(text: str) -> str:
    """Return the problem of an input that is no object in JSON."""
    from outputs.growing_json.lenient.lenient_reader import broken_at  # lazily: it is rare

    return fault_at(broken_at(text), "bad_input")


def read_json_input(text: str, _repairs: list[Repair]) -> dict[str, Any]:
    """Read an input that is a JSON object and nothing else; see also `repair_json_input`.

    Raises:
        BadPayload: The text is not a JSON object, or an object repeats a key.
    """
    try:
        value = load_json(text)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise BadPayload(fault_of(text), (0, len(text)))
    if may_repeat(text, value):
        raise BadPayload("repeated_key", (0, len(text)))
    return value


def repeats_key(text: str) -> bool:
    """Return whether *text* is a JSON object or list that repeats a key, at any depth."""
    if text.lstrip()[:1] not in ("{", "["):
        return False
    try:
        value = load_json(text)
    except ValueError:
        return False
    return may_repeat(text, value)


def write_json_input(tool_input: str | dict[Any, Any]) -> str:
    """Write an input as JSON on one line; text is returned unchanged.

    Raises:
        TypeError: The input holds a value of a type that JSON does not have.
        ValueError: The input holds a number that JSON does not have, such as infinity.
    """
    if isinstance(tool_input, str):
        return tool_input
    return json.dumps(tool_input, ensure_ascii=False, allow_nan=False)
