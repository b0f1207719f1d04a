"""Writing past steps in XML tags."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

from agent_parsers.engine.tables.dialect import Result
from agent_parsers.engine.writing.escape import escape
from agent_parsers.format_scratchpad.log import action_and_text
from agent_parsers.forms.form import Written

if TYPE_CHECKING:
    from agent_parsers.engine.writing.render import Step

__all__ = ["format_xml"]


def format_xml(
    intermediate_steps: Iterable[Step], *, escape_format: Literal["minimal"] | None = "minimal"
) -> str:
    """Return the steps taken so far in XML tags: the tool, its input and what it returned.

    Args:
        intermediate_steps: Pairs of an action and what the tool returned, or steps.
        escape_format: ``"minimal"`` writes tags of the format inside a name or an input as
            ``[[tool]]``; `None` leaves them unchanged.
    """
    from agent_parsers.dialects import xml  # imported lazily: only this format needs it

    dialect = xml.make_dialect(escape_format)
    parts: list[str] = []
    for number, step in enumerate(intermediate_steps, 1):
        action, observation = action_and_text(step)
        if observation is None:
            parts.append(action.log)
            continue
        parts.append(dialect.write(Written(tool=action.tool, tool_input=action.tool_input)))
        parts.append(
            dialect.results_text([Result(action.tool, escape(dialect, observation))], number)
        )
    return "".join(parts)
