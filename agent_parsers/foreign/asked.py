"""Lets the engine ask this folder; imported with the package, so no import changes a reading."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent_parsers.engine.reading.rules.foreign_calls import (
    FINDERS,
    FINDERS_OF_DIALECTS,
    FINDERS_OF_SIGNS,
)

if TYPE_CHECKING:
    from agent_parsers.engine.reading.rules.foreign_calls import Foreign, Signed
    from agent_parsers.engine.tables.dialect import Dialect
    from agent_parsers.toolset import ToolSet


def _find_foreign(text: str, tools: ToolSet | None, over: int, is_own: bool) -> Foreign | None:
    from agent_parsers.foreign.finding import find_foreign  # imported lazily: it loads all dialects

    return find_foreign(text, tools, over, is_own)


def _find_signed(text: str) -> Signed:
    from agent_parsers.detecting.signs import dialects_with_signs  # imported lazily, as above
    from agent_parsers.registry.dialects_by_name import get_dialect

    likely, others = dialects_with_signs(text)
    return map(get_dialect, likely), map(get_dialect, others)


def _find_dialect(text: str) -> Dialect | None:
    from agent_parsers.auto import dialect_of  # imported lazily, as above

    return dialect_of(text)


FINDERS[:] = [_find_foreign]
FINDERS_OF_DIALECTS[:] = [_find_dialect]
FINDERS_OF_SIGNS[:] = [_find_signed]
