"""Calls that a turn holds in a form that its dialect does not have: the question and the reply.

The engine asks for them, and what finds them knows all dialects, which the engine does not. So both
import this file, which imports nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

if TYPE_CHECKING:
    from agent_parsers.events import Span
    from agent_parsers.toolset import ToolSet


class ForeignCall(NamedTuple):
    """A call in the form of another dialect, or of none."""

    tool: str
    tool_input: str | dict[str, Any]
    """The input, as the tool takes it."""
    span: Span
    id: str | None = None
    frame: tuple[Span, ...] = ()
    """What the calls of its turn are written in, in order: no content."""


class Foreign(NamedTuple):
    """What looks like calls in the text of an answer."""

    form: str
    """Whose form it is, to follow the word "call": ``"in the form of hermes"``."""
    span: Span
    calls: tuple[ForeignCall, ...] = ()
    """The calls, if they can be made."""
    why: str = ""
    """Why they cannot be made, if there are none."""


class FindForeign(Protocol):
    """Finds calls in the text of an answer."""

    def __call__(
        self, text: str, tools: ToolSet | None, over: int, is_own: bool, /
    ) -> Foreign | None:
        """Return what looks like calls in *text*.

        Args:
            text: The turn, in which all that is hidden is blank.
            tools: The available tools; `None` if they are not known.
            over: Where the mark stands that ends the turn. Text behind it is another turn, unless
                a dialect has that mark within its turns.
            is_own: Whether the text is refused since marks of the dialect itself hold no call of
                it. Only a dialect that reads all of it as it is written counts then.
        """


FINDERS: Final[list[FindForeign]] = []
"""The function that is asked, which `agent_parsers.foreign.asked` puts here."""
