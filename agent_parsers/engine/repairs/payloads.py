"""Payload codecs: from what stands after a label to the value that a tool gets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from agent_parsers.events import Repair, Span
    from output_parsers import OutputParserException

__all__ = [
    "AnswerReader",
    "BadPayload",
    "InputReader",
    "Lack",
    "ToolHead",
    "ToolReader",
    "Unclosed",
    "as_written",
]


Lack: TypeAlias = Literal["", "closer", "arguments", "values"]
"""What a call lacks where the text ends: nothing; its own closer, behind arguments that are closed;
the closer of its arguments, whose last value is closed; or more, if only that nobody can say
whether the last value is whole."""


class Unclosed(NamedTuple):
    """An input that ends with the text, before its closers do."""

    value: str | dict[Any, Any]
    """What it is with closers supplied."""
    arguments: Any
    """The object that it says, also where the value is its text."""
    repairs: list[Repair]
    """What was repaired to read it so; spans count from its start."""
    lacks: Lack
    """What is missing."""


class BadPayload(Exception):  # noqa: N818 - it never leaves the engine, which tells the problem
    """What stands in a place has no value.

    Args:
        problem: Name of what is wrong, as in the dialect's problems.
        span: Where, in `str` characters; a codec counts from the start of what it was given.
        error: What the tools say of it, if they do.
        unclosed: What it is if nothing is missing but closers at its end.
    """

    def __init__(
        self,
        problem: str,
        span: Span,
        error: OutputParserException | None = None,
        unclosed: Unclosed | None = None,
    ) -> None:
        super().__init__(problem)
        self.problem = problem
        self.span = span
        self.error = error
        self.unclosed = unclosed

    def moved(self, by: int) -> BadPayload:
        """Return the same for a payload that begins *by* characters later."""
        span = (self.span[0] + by, self.span[1] + by)
        return BadPayload(self.problem, span, self.error, self.unclosed)


InputReader: TypeAlias = "Callable[[str, list[Repair]], str | dict[Any, Any]]"
"""Returns the value of an input. It adds what it mended to the list, with spans from the start of
the input, and raises `BadPayload` for an input that has no value."""


AnswerReader: TypeAlias = "Callable[[str, list[Repair]], str]"
"""Does the same for the final answer."""


class ToolHead(NamedTuple):
    """What stands where the name of a tool belongs."""

    tool: str
    """Name of the tool, without dressing."""
    tool_input: str | dict[Any, Any] | None = None
    """Its input, where the name is written as a call; `None` if it is not."""
    is_answer: bool = False
    """Whether it only says that the input is the final answer."""
    needs_input: bool = False
    """Whether it may hold what should be the input, so that this cannot be left out."""


ToolReader: TypeAlias = "Callable[[str, Collection[str] | None, list[Repair]], ToolHead]"
"""Takes what is written and the names of the tools there are. As `InputReader` for the rest."""


def as_written(text: str, _repairs: list[Repair]) -> str:
    """Return *text*: the input is what the model wrote."""
    return text
