"""Writes the names of the dialects as types: ``python docs/make_names.py [--check]``.

The types are for the overloads of `get_parser`; the aliases are found without loading all dialects.
"""

from __future__ import annotations

import sys
from pathlib import Path

from agent_parsers import get_dialect, list_dialects

PATH = Path(__file__).parents[1] / "agent_parsers" / "registry" / "names.py"
HEAD = '''\
"""The names of the shipped dialects, written by docs/make_names.py: change the dialects instead."""

from typing import Final, Literal, TypeAlias

__all__ = ["ALIASES", "OneCallName", "SeveralCallsName"]
'''


def page() -> str:
    """Return the text of the module."""
    known = [get_dialect(name) for name in list_dialects()]
    owners = {alias: dialect.name for dialect in known for alias in dialect.aliases}
    one = [name for d in known if not d.several for name in (d.name, *d.aliases)]
    several = [name for d in known if d.several for name in (d.name, *d.aliases)]
    return "\n".join(
        [
            HEAD,
            *_literal("OneCallName", one),
            '"""Names and aliases of the dialects with one call in a turn."""',
            *_literal("SeveralCallsName", several),
            '"""Names and aliases of the dialects whose turns may have several calls."""',
            "ALIASES: Final = {",
            *(f'    "{alias}": "{owners[alias]}",' for alias in sorted(owners)),
            "}",
            '"""The name of the dialect that has the alias."""',
            "",
        ]
    )


def _literal(name: str, values: list[str]) -> list[str]:
    return [f"{name}: TypeAlias = Literal[", *(f'    "{value}",' for value in sorted(values)), "]"]


def main() -> int:
    """Write the module, or with ``--check`` say whether it is out of date."""
    if "--check" not in sys.argv[1:]:
        PATH.write_text(page(), "utf-8")
    elif PATH.read_text("utf-8") != page():
        print(f"{PATH.name} is out of date: run `make names`")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
