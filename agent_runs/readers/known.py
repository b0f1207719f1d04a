"""Finding readers: the modules in `text` and `data` define them, and users register their own.

Those of this library are loaded when they are asked for by name, or for a log with a sign of
theirs; `shipped` says which there are. An installed package adds a form by an entry point of the
group ``agent_parsers.readers``, which names a table or a reader in it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, TypeAlias, Union

from agent_runs.readers.shipped import DATA, TEXT
from agent_runs.reading.reader import DataReader, TextReader
from agent_runs.splitting.ansi import without_codes

if TYPE_CHECKING:
    from agent_runs.tables.console import Console
    from agent_runs.tables.messages import Messages

FormOfLog: TypeAlias = Union["Messages", "Console", TextReader, DataReader]
"""A form of logs: a table, or a reader."""

GROUP: Final = "agent_parsers.readers"
_OF_DATA: Final = {name: module for module, names in DATA.items() for name in names}
"""The module of each reader of JSON."""
_own: Final[dict[str, TextReader | DataReader]] = {}


def register_reader(form: FormOfLog) -> None:
    """Register a *form* of logs, which `read_runs` and the command line then recognise.

    Args:
        form: A table, `Messages` or `Console`, or a reader of your own.

    Raises:
        TypeError: It is not one of these.
        ValueError: There is already a reader with this name, or ``before`` has an unknown name.
    """
    reader = reader_of(form)
    known = _names()
    if reader.name in known:
        raise ValueError(f"there is already a reader {reader.name!r}; choose another name")
    missing = [name for name in reader.before if name not in known]
    if missing:
        raise ValueError(f"before= of {reader.name!r} names {missing[0]!r}, which is not a reader")
    _own[reader.name] = reader


def unregister_reader(name: str) -> None:
    """Remove a reader that was added with `register_reader`.

    Raises:
        ValueError: No reader was registered under this *name*.
    """
    if _own.pop(name, None) is None:
        raise ValueError(f"no reader with the name {name!r} was registered")


def reader_of(form: FormOfLog) -> TextReader | DataReader:
    """Return the reader of a *form*, which is a table or itself a reader.

    Raises:
        TypeError: It is not a form.
    """
    if isinstance(form, TextReader | DataReader):
        return form
    from agent_runs.tables.console import Console  # imported lazily: a log may need neither
    from agent_runs.tables.messages import Messages

    if not isinstance(form, Messages | Console):
        raise TypeError(
            "expected the name of a reader, or a Messages, Console, TextReader or DataReader"
            f" object, found {type(form).__name__}"
        )
    return form.reader


def readers_for(head: str) -> Iterator[TextReader]:
    """Yield the readers of text that have a sign in the *head* of a log, in alphabetical order."""
    texts = (head.casefold(), without_codes(head).casefold())
    signs = {name: own for name, (_, own) in TEXT.items()}
    signs |= {name: getattr(reader, "signs", ()) for name, reader in _added().items()}
    for name, own in sorted(signs.items()):
        if not own or any(sign in text for sign in own for text in texts):
            reader = get_reader(name)
            if isinstance(reader, TextReader):
                yield reader


def readers_of_text() -> dict[str, TextReader]:
    """Return all readers of text by name, in alphabetical order."""
    return {name: each for name, each in _every().items() if isinstance(each, TextReader)}


def readers_of_data() -> dict[str, DataReader]:
    """Return all readers of JSON by name, in alphabetical order."""
    return {name: each for name, each in _every().items() if isinstance(each, DataReader)}


def forms_of_messages() -> list[tuple[str, Callable[[Any], tuple[int, str]]]]:
    """Return the forms of messages by name, each with a function that says how well one fits.

    The most common form comes first.
    """
    readers = sorted(readers_of_data().values(), key=lambda reader: reader.name != "openai_chat")
    return [(each.name, each.lack_of) for each in readers if each.lack_of is not None]


def list_readers() -> dict[str, str]:
    """Return all readers by name, each with a short description of what it reads."""
    return {name: reader.summary for name, reader in _every().items()}


def get_reader(name: str) -> TextReader | DataReader:
    """Return the reader with this name.

    Raises:
        ValueError: There is no such reader; the message suggests the closest names.
    """
    if (added := _added().get(name)) is not None:
        return added
    if name in TEXT or name in _OF_DATA:
        return _shipped(name)
    from agent_parsers.core import did_you_mean

    hint = did_you_mean(name, _names())
    raise ValueError(f"there is no reader {name!r}.{hint} list_readers() returns all names")


def _names() -> list[str]:
    return sorted({*TEXT, *_OF_DATA, *_added()})


def _every() -> dict[str, TextReader | DataReader]:
    return {name: get_reader(name) for name in _names()}


def _added() -> dict[str, TextReader | DataReader]:
    """Return the readers of users and of installed packages."""
    return {**_installed(), **_own}


@cache
def _installed() -> dict[str, TextReader | DataReader]:
    """Return the readers of installed packages; a warning names each that cannot be used."""
    from importlib.metadata import entry_points  # imported lazily: by the help, for example

    found: dict[str, TextReader | DataReader] = {}
    for entry in entry_points(group=GROUP):
        try:
            reader = reader_of(entry.load())
        except Exception as error:  # noqa: BLE001 - the code of a package may raise anything
            why = f"{type(error).__name__}: {error}"
        else:
            is_taken = reader.name in found or reader.name in TEXT or reader.name in _OF_DATA
            why = f"there is already a reader {reader.name!r}" if is_taken else ""
            found.setdefault(reader.name, reader)
        if why:
            package = f" of {entry.dist.name}" if entry.dist is not None else ""
            message = f"skipped the reader {entry.name} = {entry.value!r}{package}: {why}"
            warnings.warn(message, stacklevel=2)
    return {name: reader for name, reader in found.items() if name not in {*TEXT, *_OF_DATA}}


@cache
def _shipped(name: str) -> TextReader | DataReader:
    """Return the reader of this library with this name: of a module, or of a table in one."""
    place = TEXT[name][0] if name in TEXT else _OF_DATA[name]
    module = import_module(f"{__package__}.{place}")
    for table in getattr(module, "TABLES", ()):
        if table.name == name:
            return reader_of(table)
    reader: TextReader | DataReader = module.READER
    return reader
