"""Compares the calls that a text makes with those that are meant."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from agent_parsers import AgentAction, get_parser
from agent_parsers.testing.trials.stories import outcome_of, results_in
from agent_parsers.toolset import ToolSet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agent_parsers import Dialect
    from agent_parsers.authoring import Mode
    from agent_parsers.core import AnyDialectParser
    from agent_parsers.testing.trials.stories import Outcome
    from agent_parsers.toolset import Tools
    from outputs import Ended

__all__ = [
    "Meant", "RawInput", "calls_in", "first_wrong", "is_cut_short", "quick_parser", "raw_input",
    "reading", "same_input",
]  # fmt: skip


class Meant(NamedTuple):
    """A call that a text makes, or is meant to make."""

    tool: str
    """Name of the tool."""
    tool_input: Any
    """Its input."""


class RawInput(NamedTuple):
    """The last input of a turn, which is raw text."""

    start: int
    """Offset in the text at which it begins."""
    is_json: bool
    """Whether it looks like JSON, whose end is recognisable."""
    closer: str
    """The text that must follow it; empty if it may end with the turn."""
    text: str
    """The input as it is read."""

    def may_end(self, text: str, ended: Ended) -> bool:
        """Return whether the input may be complete in *text*, a prefix of the turn.

        This is so if the input may end with the turn, or if it contains its own closer.
        """
        if len(text) < self.start:
            return ended == "unknown"  # no text yet: the tool may take no input
        return text.endswith(self.closer) if self.closer else ended != "length"


@lru_cache(maxsize=64)
def quick_parser(dialect: Dialect, mode: Mode, tools: tuple[str, ...] | ToolSet | None) -> Any:
    """Return a parser of single turns; parsers are cached."""
    return get_parser(dialect, lenient=mode == "lenient", tools=tools)


def parser_for(dialect: Dialect, mode: Mode, tools: Tools | ToolSet | None) -> AnyDialectParser:
    """Return a parser of single turns that knows these *tools*."""
    known = tools if isinstance(tools, ToolSet | None) else ToolSet(tools)
    parser: AnyDialectParser = quick_parser(dialect, mode, known)
    return parser


def reading(
    dialect: Dialect,
    mode: Mode,
    text: str,
    *,
    tools: Tools | ToolSet | None = None,
    ended: Ended = "unknown",
    as_stream: bool = False,
) -> Outcome:
    """Return the result of reading *text*, by `parse` or as a stream."""
    parser = parser_for(dialect, mode, tools)
    if as_stream:
        return outcome_of(lambda: parser.read(text, ended=ended).result)  # type: ignore[no-any-return]
    return outcome_of(lambda: parser.parse(text, ended=ended))  # type: ignore[no-any-return]


def calls_in(outcome: Outcome) -> list[Meant]:
    """Return the calls in *outcome*; answers and errors have none."""
    results = results_in(outcome)
    return [Meant(each.tool, each.tool_input) for each in results if isinstance(each, AgentAction)]


def first_wrong(calls: Sequence[Meant], meant: Sequence[Meant]) -> int | None:
    """Return the index of the first of *calls* that differs from *meant*, or `None`."""
    for place, call in enumerate(calls):
        if place >= len(meant) or call.tool != meant[place].tool:
            return place
        if not same_input(call.tool_input, meant[place].tool_input):
            return place
    return None


def same_input(one: Any, other: Any) -> bool:
    """Return whether two inputs are equal, types included: 1 equals neither `True` nor 1.0."""
    return one == other and json.dumps(one, default=repr) == json.dumps(other, default=repr)


def raw_input(dialect: Dialect, text: str) -> RawInput | None:
    """Return the last input of *text*, a whole turn, if it is raw text, or else `None`.

    The input extends to the end of the turn, to a stop sequence, or to its closer.
    """
    calls = calls_in(reading(dialect, "strict", text, ended="stop"))
    if not calls or not isinstance(calls[-1].tool_input, str) or not calls[-1].tool_input:
        return None
    written = calls[-1].tool_input
    # The rest may contain escapes.
    start = max(text.rfind(written), text.rfind(written.partition("<")[0] or "\0"))
    if start < 0 or text[:start].endswith(('"', "'")):
        return None
    behind = text[start + len(written) :].strip()
    stops = [stop.strip() for stop in dialect.stop]
    is_stop = any(stop and behind.startswith(stop) for stop in stops)
    is_json = written.lstrip()[:1] in ("{", "[")
    return RawInput(start, is_json, "" if is_stop else behind, written)


def is_cut_short(call: Meant, meant: Meant, raw: RawInput) -> bool:
    """Return whether *call* is the call *meant*, except that its *raw* input is cut."""
    if call.tool != meant.tool:
        return False
    if isinstance(call.tool_input, str):
        return isinstance(meant.tool_input, str)
    # Text is read as the lone parameter, unless it is empty.
    values = list(call.tool_input.values())
    if len(values) != 1 or values[0] in ("", None):
        return False
    return not raw.is_json or str(values[0]).startswith(raw.text)  # with half of its closer
