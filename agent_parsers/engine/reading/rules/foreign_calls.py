"""Calls that a turn holds in a form that its dialect does not have: the question and the reply.

The engine and what finds them, which knows all dialects, both import this file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from agent_parsers.engine.tables.dialect import Dialect
    from agent_parsers.events import Span
    from agent_parsers.toolset import ToolSet


class ForeignCall(NamedTuple):
    """A call in the form of another dialect, or in a form that no dialect has."""

    tool: str
    tool_input: str | dict[str, Any]
    """The input, as the tool takes it."""
    span: Span
    id: str | None = None
    frame: tuple[Span, ...] = ()
    """Spans of the calls of its turn with the marks around them, in order; they are not content."""


class Foreign(NamedTuple):
    """What looks like calls in the text of an answer."""

    form: str
    """The form, in words that follow "call": ``"in the form of hermes"``."""
    span: Span
    calls: tuple[ForeignCall, ...] = ()
    """The calls, if they can be read."""
    why: str = ""
    """Why they are not made; empty if they are."""


Signed: TypeAlias = "tuple[Iterable[Dialect], Iterable[Dialect]]"
"""The dialects of which a text has a sign: the likely ones, and the others."""
FINDERS_OF_SIGNS: Final[list[Callable[[str], Signed]]] = []
"""The function that finds those; it is put here as that of `FINDERS`."""


FINDERS_OF_DIALECTS: Final[list[Callable[[str], Dialect | None]]] = []
"""The function that finds the dialect of a text, as `get_parser("auto")` does; put here as well."""


def dialect_written(text: str) -> Dialect | None:
    """Return the dialect in which *text* is written; `None` if several are possible."""
    (find,) = FINDERS_OF_DIALECTS
    return find(text)


def dialects_signed(text: str) -> Signed:
    """Return the dialects that may have written *text*."""
    (find,) = FINDERS_OF_SIGNS
    return find(text)


FINDERS: Final[list[Callable[[str, ToolSet | None, int, bool], Foreign | None]]] = []
"""The function that is asked, `agent_parsers.foreign.finding.find_foreign`.

`agent_parsers.foreign.asked` puts it here.
"""
