"""Finding writers: each module beside this one that defines a ``WRITER``; and every dialect."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

from agent_parsers.engine.reading.rules.known_tools import known_tools
from agent_parsers.registry.dialects_by_name import get_dialect, list_dialects
from agent_parsers.runs import writers
from agent_parsers.runs.writers.text import writer_in
from agent_parsers.runs.writers.writer import Writer
from agent_parsers.toolset.problems.names import did_you_mean

if TYPE_CHECKING:
    from agent_parsers.toolset import Tools

__all__ = ["get_writer", "list_writers"]


@cache
def _writers() -> dict[str, Writer]:
    modules = (
        import_module(f"{writers.__name__}.{m.name}") for m in iter_modules(writers.__path__)
    )
    found = (getattr(module, "WRITER", None) for module in modules)
    return {writer.name: writer for writer in found if isinstance(writer, Writer)}


def list_writers() -> dict[str, str]:
    """Return what each writer writes, by the writer's name; dialects are writers too."""
    return {name: writer.summary for name, writer in _writers().items()}


def get_writer(name: str, *, tools: Tools | None = None) -> Writer:
    """Return the writer with this name, or that of text in the dialect with this name.

    Args:
        name: The name.
        tools: The tools of the runs, for text in a dialect; see `to_text`.

    Raises:
        ValueError: There is no such writer or dialect, and the message suggests the closest names;
            or the dialect has no transcripts.
    """
    writer = _writers().get(name)
    if writer is not None:
        return writer
    try:
        dialect = get_dialect(name)
    except ValueError:
        hint = did_you_mean(name, [*list_writers(), *list_dialects()])
        raise ValueError(
            f"there is no writer and no dialect {name!r}.{hint} list_writers() has the writers"
        ) from None
    return writer_in(dialect, known_tools(tools))
