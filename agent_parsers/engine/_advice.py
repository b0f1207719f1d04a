"""What to tell a model that wrote something wrong: what, where, and how to write it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Collection

    from agent_parsers.engine._dialect import Dialect
    from agent_parsers.engine._events import Span
    from agent_parsers.engine._problems import Problem

__all__ = ["advice"]

_MOST_SHOWN: Final = 80
"""How much is shown of what was written, in characters."""


def advice(
    dialect: Dialect, problem: Problem, text: str, span: Span, tools: Collection[str] | None
) -> str:
    """Return what can be sent back to a model, with an example of an action.

    Args:
        dialect: How the model should write.
        problem: What is wrong.
        text: What it wrote.
        span: Where that is wrong.
        tools: Names of the tools there are. The example has the one most like what was written,
            or the first.
    """
    from difflib import get_close_matches  # only errors need it

    lines = [problem.observation]
    found = _shown(text[slice(*span)])
    if found and found not in problem.observation:
        lines.append(f"You wrote: {found}")
    example = dialect.example
    if tools:
        near = get_close_matches(found, tools, n=1)
        example = replace(example, tool=near[0] if near else next(iter(tools)))
    # In a scratchpad the example stands within an observation, where a label must begin no line.
    lines += ("For example:", *(f"| {line}" for line in dialect.write(example).split("\n")))
    return "\n".join(lines)


def _shown(text: str) -> str:
    """Return *text* on one line, cut if it is long."""
    line = " ".join(text[: 4 * _MOST_SHOWN].split())
    return line if len(line) <= _MOST_SHOWN else line[: _MOST_SHOWN - 1] + "…"
