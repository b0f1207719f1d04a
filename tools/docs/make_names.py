"""Writes what is known of dialects and of readers of logs before they are loaded.

``python tools/docs/make_names.py [--check]``. The names of dialects are types for the overloads of
`get_parser`; aliases and signs tell which dialects and readers to load.
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from textwrap import fill
from typing import TYPE_CHECKING

from agent_parsers import get_dialect, list_dialects
from agent_parsers.detecting.signs import signs_of
from agent_runs.readers import data, text
from agent_runs.readers.known import reader_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import ModuleType

    from agent_runs.reading.reader import DataReader, TextReader

ROOT = Path(__file__).parents[2]
HEAD = '''\
"""The names of the shipped dialects, written by make_names.py: change the dialects instead."""

from typing import Final, Literal, TypeAlias
'''
SIGNS = '''\
"""The signs of the shipped dialects, written by make_names.py: change the dialects instead."""

from typing import Final, TypeAlias

OwnSigns: TypeAlias = tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...], bool]
"""The words of telling labels, other telling markers, marks around answers and thoughts, and
whether calls may stand without any."""

SIGNS: Final[dict[str, OwnSigns]] = {
'''

READERS = '''\
"""The readers of this library, written by make_names.py: change the readers instead."""

from typing import Final

TEXT: Final[dict[str, tuple[str, tuple[str, ...]]]] = {
'''


def names_page() -> str:
    """Return the text of the module with the names."""
    known = [get_dialect(name) for name in list_dialects()]
    one = [name for d in known if not d.several for name in (d.name, *d.aliases)]
    several = [name for d in known if d.several for name in (d.name, *d.aliases)]
    return "\n".join(
        [
            HEAD,
            *_literal("OneCallName", one),
            '"""Names and aliases of the dialects with one call in a turn."""',
            *_literal("SeveralCallsName", several),
            '"""Names and aliases of the dialects whose turns may have several calls."""',
            "_ALIASES: Final = {",
            *(_filled(f'"{d.name}": {_tuple(sorted(d.aliases))},') for d in known if d.aliases),
            "}  # fmt: skip",
            "ALIASES: Final = {alias: name for name, own in _ALIASES.items() for alias in own}",
            '"""The name of the dialect that has the alias."""',
            "",
        ]
    )


def signs_page() -> str:
    """Return the text of the module with the signs."""
    rows = ((name, signs_of(get_dialect(name))) for name in list_dialects())
    written = (_filled(f'"{name}": {_row(*signs)},') for name, signs in rows)
    return SIGNS + "\n".join(written) + "\n}  # fmt: skip\n"


def readers_page() -> str:
    """Return the text of the module with the readers of logs."""
    texts = (
        _filled(f'"{reader.name}": ("{module}", {_tuple(getattr(reader, "signs", ()))}),')
        for module, reader in _readers_in(text)
    )
    names: dict[str, list[str]] = {}
    for module, reader in _readers_in(data):
        names.setdefault(module, []).append(reader.name)
    others = (_filled(f'"{module}": {_tuple(names[module])},') for module in sorted(names))
    told = '"""The module of each reader of text, and its signs."""'
    begin, end = "DATA: Final[dict[str, tuple[str, ...]]] = {", "}  # fmt: skip"
    written = "\n".join((*texts, end, told, begin, *others, end))
    return f'{READERS}{written}\n"""The readers of JSON in each module."""\n'


def _readers_in(package: ModuleType) -> list[tuple[str, TextReader | DataReader]]:
    """Return the readers in the modules of *package*, by name, each with its module."""

    def found() -> Iterator[tuple[str, TextReader | DataReader]]:
        for each in iter_modules(package.__path__):
            module = import_module(f"{package.__name__}.{each.name}")
            place = f"{package.__name__.rpartition('.')[2]}.{each.name}"
            if hasattr(module, "READER"):  # some modules only help others
                yield place, module.READER
            for table in getattr(module, "TABLES", ()):
                yield place, reader_of(table)

    return sorted(found(), key=lambda row: row[1].name)


def _row(
    labels: Iterable[str], literals: Iterable[str], frames: Iterable[str], is_bare: bool
) -> str:
    return f"({_tuple(labels)}, {_tuple(literals)}, {_tuple(frames)}, {is_bare})"


def _tuple(texts: Iterable[str]) -> str:
    written = [_quoted(text).replace(" ", "\0") for text in texts]
    return f"({', '.join(written)}{',' * (len(written) == 1)})"


def _quoted(text: str) -> str:
    return f"'{text}'" if '"' in text else json.dumps(text, ensure_ascii=False)


def _filled(row: str) -> str:
    """Return *row* on lines of 100 characters, broken at no space within a text."""
    filled = fill(
        row,
        80,  # a full-width character counts for two
        initial_indent="    ",
        subsequent_indent="        ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return filled.replace("\0", " ")


def _literal(name: str, values: list[str]) -> list[str]:
    return [f"{name}: TypeAlias = Literal[", *(f'    "{value}",' for value in sorted(values)), "]"]


def main() -> int:
    """Write the modules, or with ``--check`` say which are out of date."""
    pages = {
        "agent_parsers/registry/names.py": names_page(),
        "agent_parsers/detecting/shipped.py": signs_page(),
    }
    pages["agent_runs/readers/shipped.py"] = readers_page()
    old = [name for name, page in pages.items() if (ROOT / name).read_text("utf-8") != page]
    if "--check" not in sys.argv[1:]:
        for name in old:
            (ROOT / name).write_text(pages[name], "utf-8")
        return 0
    for name in old:
        print(f"{name} is out of date: run `make names`")
    return 1 if old else 0


if __name__ == "__main__":
    sys.exit(main())
