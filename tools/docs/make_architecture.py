"""Draws the house in docs/architecture.md from the imports.

With ``--check`` it writes nothing, and fails if the drawing is out of date. The sources are read
and not imported.
"""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from typing import TYPE_CHECKING

from reference_source import PACKAGES, ROOT

if TYPE_CHECKING:
    from pathlib import Path

PAGE = ROOT / "docs" / "architecture.md"
BEGIN, END = "<!-- drawn by tools/docs/make_architecture.py -->", "<!-- end of the drawing -->"
WIDTH = 100


def modules() -> dict[str, Path]:
    """Return the modules of the packages by name."""
    found = {}
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def room_of(module: str, path: Path) -> str:
    """Return the room of a *module*: its folder in the package, or itself if it is in none."""
    package, *folders = path.relative_to(ROOT).parent.parts
    return f"{package}.{folders[0]}" if folders else module


def needs_of(known: dict[str, Path]) -> dict[str, set[str]]:
    """Return which rooms each room imports, at the top of a file, in functions or for types."""
    needs: defaultdict[str, set[str]] = defaultdict(set)
    for module, path in known.items():
        if path.name == "__init__.py":  # it only hands on names
            continue
        room = room_of(module, path)
        needs[room] |= set()
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.ImportFrom) or node.module not in known:
                continue
            for alias in node.names:
                target = _home(known, node.module, alias.name)
                if known[target].name != "__init__.py":
                    needs[room] |= {room_of(target, known[target])} - {room}
    return dict(needs)


def _home(known: dict[str, Path], module: str, name: str) -> str:
    """Return the module that defines a *name*, which an ``__init__`` may hand on."""
    if f"{module}.{name}" in known:
        return f"{module}.{name}"
    if known[module].name == "__init__.py":
        for node in ast.walk(ast.parse(known[module].read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and name in {each.name for each in node.names}:
                return _home(known, node.module or "", name)
    return module


def floors(rooms: set[str], needs: dict[str, set[str]]) -> list[list[str]]:
    """Return the *rooms* by floor, the ground floor last; each needs only rooms below it."""
    above: list[list[str]] = []
    left = set(rooms)
    while left:
        floor = sorted(room for room in left if not needs[room] & left)
        if not floor:
            raise ValueError(f"a circle of rooms: {sorted(left)}")
        above.insert(0, floor)
        left -= set(floor)
    return above


def drawing() -> str:
    """Return the drawing: for each package its floors, top first."""
    known = modules()
    needs = needs_of(known)
    lines = []
    for package in reversed(PACKAGES):
        rooms = {room for room in needs if room.split(".")[0] == package}
        lines += [f"┌─ {package} ".ljust(WIDTH, "─")]
        for floor in floors(rooms, needs):
            row = "│"
            for room in floor:
                name = room.partition(".")[2] or room
                folder = (ROOT / package / name).is_dir()
                cell = f" {name}{'/' if folder else ''} "
                if len(row) + len(cell) > WIDTH:
                    lines.append(row)
                    row = "│"
                row += f"{cell}·"
            lines.append(row.removesuffix("·").rstrip())
        lines += ["└".ljust(WIDTH, "─")]
    return "\n".join(lines)


def main() -> int:
    """Write the drawing into the page, or with ``--check`` say whether it is up to date."""
    text = PAGE.read_text("utf-8")
    head, _, rest = text.partition(BEGIN)
    _, _, tail = rest.partition(END)
    made = f"{head}{BEGIN}\n```text\n{drawing()}\n```\n{END}{tail}"
    if "--check" in sys.argv[1:]:
        if made != text:
            print("docs/architecture.md is out of date: run `make architecture`")
        return int(made != text)
    PAGE.write_text(made, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
