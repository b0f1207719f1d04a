"""Lets the engine ask for the calls that this folder finds.

The package imports this file first of all, so what a text means does not depend on what else has
been imported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent_parsers.engine.reading.rules.foreign_calls import FINDERS

if TYPE_CHECKING:
    from agent_parsers.engine.reading.rules.foreign_calls import Foreign
    from agent_parsers.toolset import ToolSet


def _find_foreign(text: str, tools: ToolSet | None, over: int, is_own: bool) -> Foreign | None:
    from agent_parsers.foreign.finding import find_foreign  # imported lazily: it loads all dialects

    return find_foreign(text, tools, over, is_own)


FINDERS[:] = [_find_foreign]
