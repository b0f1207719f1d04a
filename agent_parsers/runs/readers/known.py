"""Finding readers: the modules in `text` and `data` define them, and users register their own.

An installed package adds a form by an entry point of the group ``agent_parsers.readers``, which
names a table or a reader in it.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from operator import attrgetter
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Final, TypeAlias

from agent_parsers.runs.readers import data, text
from agent_parsers.runs.readers.data import tables
from agent_parsers.runs.reading.reader import DataReader, TextReader
from agent_parsers.runs.tables.console import Console
from agent_parsers.runs.tables.messages import Messages

if TYPE_CHECKING:
    from types import ModuleType

__all__ = [
    "FormOfLog",
    "get_reader",
    "list_readers",
    "reader_of",
    "readers_of_data",
    "readers_of_text",
    "register_reader",
    "tables_of_messages",
    "unregister_reader",
]

FormOfLog: TypeAlias = Messages | Console | TextReader | DataReader
"""A form of logs: a table, or a reader."""

GROUP: Final = "agent_parsers.readers"
_own: Final[dict[str, TextReader | DataReader]] = {}
_tables: Final[dict[str, FormOfLog]] = {}


def register_reader(form: FormOfLog) -> None:
    """Have the logs of a *form* recognised, by `read_runs` and on the command line.

    Args:
        form: A table, `Messages` or `Console`, or a reader of your own.

    Raises:
        TypeError: It is none of these.
        ValueError: There is a reader with this name, or none with a name that it comes before.
    """
    reader = reader_of(form)
    known = _every()
    if reader.name in known:
        raise ValueError(f"there is a reader {reader.name!r}; choose another name")
    missing = [name for name in reader.before if name not in known]
    if missing:
        raise ValueError(f"{reader.name!r} comes before {missing[0]!r}, which is no reader")
    _own[reader.name] = reader
    _tables[reader.name] = form


def unregister_reader(name: str) -> None:
    """Take back what `register_reader` did.

    Raises:
        ValueError: No reader was registered under this *name*.
    """
    _tables.pop(name, None)
    if _own.pop(name, None) is None:
        raise ValueError(f"no reader was registered as {name!r}")


def reader_of(form: FormOfLog) -> TextReader | DataReader:
    """Return the reader of a *form*.

    Raises:
        TypeError: It is no form.
    """
    if isinstance(form, Messages | Console):
        return form.reader
    if not isinstance(form, TextReader | DataReader):
        raise TypeError(
            "expected the name of a reader, Messages, Console, TextReader or DataReader,"
            f" found {type(form).__name__}"
        )
    return form


def readers_of_text() -> dict[str, TextReader]:
    """Return the readers of text by name, in alphabetical order."""
    return {name: each for name, each in _every().items() if isinstance(each, TextReader)}


def readers_of_data() -> dict[str, DataReader]:
    """Return the readers of JSON by name, in alphabetical order."""
    return {name: each for name, each in _every().items() if isinstance(each, DataReader)}


def tables_of_messages() -> list[Messages]:
    """Return the tables of messages that are known."""
    own = (each for each in _tables.values() if isinstance(each, Messages))
    return [*tables.TABLES, *own]


def list_readers() -> dict[str, str]:
    """Return what each reader reads, by the reader's name."""
    return {name: reader.summary for name, reader in _every().items()}


def get_reader(name: str) -> TextReader | DataReader:
    """Return the reader with this name.

    Raises:
        ValueError: There is no such reader; the message suggests the closest names.
    """
    reader = _every().get(name)
    if reader is None:
        from agent_parsers.core import did_you_mean

        hint = did_you_mean(name, list_readers())
        raise ValueError(f"there is no reader {name!r}.{hint} list_readers() has their names")
    return reader


def _every() -> dict[str, TextReader | DataReader]:
    if not _own:
        return _shipped()
    return dict(sorted({**_shipped(), **_own}.items()))


@cache
def _shipped() -> dict[str, TextReader | DataReader]:
    """Return the readers of this library and of installed packages, in alphabetical order."""
    found = [*_all_in(text), *_all_in(data)]
    found += [reader_of(entry.load()) for entry in entry_points(group=GROUP)]
    return {reader.name: reader for reader in sorted(found, key=attrgetter("name"))}


def _all_in(package: ModuleType) -> list[TextReader | DataReader]:
    """Return the readers in the modules of a *package*; some modules only help others."""
    modules = [
        import_module(f"{package.__name__}.{found.name}")
        for found in iter_modules(package.__path__)
    ]
    found = [module.READER for module in modules if hasattr(module, "READER")]
    return [*found, *(table.reader for each in modules for table in getattr(each, "TABLES", ()))]
