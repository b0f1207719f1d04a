"""Lets the engine ask this folder; imported with the package, so no import changes a reading."""

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
