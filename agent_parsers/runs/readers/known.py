"""Finding readers: each module in `text` and `data` defines a ``READER``."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from agent_parsers.runs.readers import data, text
from agent_parsers.runs.reading.reader import DataReader, TextReader

__all__ = ["get_reader", "list_readers", "readers_of_data", "readers_of_text"]


@cache
def readers_of_text() -> dict[str, TextReader]:
    """Return the readers of text by name, in alphabetical order."""
    readers = (_load(f"{text.__name__}.{found.name}") for found in iter_modules(text.__path__))
    return {reader.name: reader for reader in readers if isinstance(reader, TextReader)}


@cache
def readers_of_data() -> dict[str, DataReader]:
    """Return the readers of JSON by name, in alphabetical order."""
    readers = (_load(f"{data.__name__}.{found.name}") for found in iter_modules(data.__path__))
    return {reader.name: reader for reader in readers if isinstance(reader, DataReader)}


def list_readers() -> dict[str, str]:
    """Return what each reader reads, by the reader's name."""
    summaries = {name: reader.summary for name, reader in readers_of_text().items()}
    summaries |= {name: reader.summary for name, reader in readers_of_data().items()}
    return dict(sorted(summaries.items()))


def get_reader(name: str) -> TextReader | DataReader:
    """Return the reader with this name.

    Raises:
        ValueError: There is no such reader; the message suggests the closest names.
    """
    reader = readers_of_text().get(name) or readers_of_data().get(name)
    if reader is None:
        from agent_parsers.toolset.problems.names import did_you_mean

        hint = did_you_mean(name, list_readers())
        raise ValueError(f"there is no reader {name!r}.{hint} list_readers() has their names")
    return reader


def _load(module: str) -> TextReader | DataReader | None:
    """Return the reader of *module*; `None` if it only helps other readers."""
    return getattr(import_module(module), "READER", None)
