"""Finding writers: each module beside this one that defines a ``WRITER``; and every dialect."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from agent_parsers.runs import writers
from agent_parsers.runs.writers.text import writer_in
from agent_parsers.runs.writers.writer import Writer

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


def get_writer(name: str) -> Writer:
    """Return the writer with this name, or that of text in the dialect with this name.

    Raises:
        ValueError: There is no such writer or dialect, or the dialect has no transcripts.
    """
    return _writers().get(name) or writer_in(name)
