"""Calls that a turn holds in a form that its dialect does not have: the question and the reply.

The engine and what finds them, which knows all dialects, both import this file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

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


FINDERS: Final[list[Callable[[str, ToolSet | None, int, bool], Foreign | None]]] = []
"""The function that is asked, `agent_parsers.foreign.finding.find_foreign`.

`agent_parsers.foreign.asked` puts it here.
"""
