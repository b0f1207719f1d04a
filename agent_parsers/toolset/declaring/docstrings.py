"""Reads the description and the parameters from docstrings in Google, NumPy or Sphinx style."""

from __future__ import annotations

import re
from inspect import cleandoc
from typing import Final, NamedTuple

__all__ = ["Docstring", "read_docstring"]


class Docstring(NamedTuple):
    """The parts of a docstring."""

    description: str
    """The text before the first section."""
    parameters: dict[str, str]
    """The description of each parameter, on one line."""


_PARAMETERS: Final = {
    "args", "arguments", "attributes", "keyword args", "keyword arguments", "other parameters",
    "parameters", "params",
}  # fmt: skip
_SECTIONS: Final = _PARAMETERS | {
    "example", "examples", "note", "notes", "raises", "references", "return", "returns", "see also",
    "todo", "warning", "warnings", "warns", "yield", "yields",
}  # fmt: skip
_field = re.compile(r":(\w+)(?:[ \t]+([^:]*))?:[ \t]*(.*)").fullmatch
_google_item = re.compile(r"[*]{0,2}(\w+)[ \t]*(?:\([^)]*\))?[ \t]*:[ \t]*(.*)").fullmatch
_numpy_item = re.compile(r"[*]{0,2}(\w+(?:[ \t]*,[ \t]*[*]{0,2}\w+)*)[ \t]*(?::.*)?").fullmatch
_underline = re.compile(r"-{3,}[ \t]*").fullmatch


def read_docstring(text: str | None) -> Docstring:
    """Return the parts of the docstring *text*."""
    lines = cleandoc(text or "").split("\n")
    description: list[str] = []
    parameters: dict[str, str] = {}
    section = ""
    at = 0
    while at < len(lines):
        line = lines[at]
        title = line.strip().rstrip(":").lower()
        is_title = not line[:1].isspace() and title in _SECTIONS
        is_ruled = is_title and at + 1 < len(lines) and bool(_underline(lines[at + 1].strip()))
        if is_ruled or (is_title and line.rstrip().endswith(":")):
            section = title
            end = at + 1 + is_ruled
            stop = _section_end(lines, end, is_ruled=is_ruled)
            if section in _PARAMETERS:
                parameters.update(_items(lines[end:stop], is_ruled=is_ruled))
            at = stop
            continue
        if (found := _field(line)) is not None:
            section = "fields"
            stop = at + 1
            while stop < len(lines) and lines[stop][:1].isspace():
                stop += 1
            words = (found[2] or "").split()
            if found[1] in ("param", "parameter", "arg", "argument", "key", "keyword") and words:
                said = _joined([found[3], *lines[at + 1 : stop]])
                parameters[words[-1].lstrip("*\\")] = said
            at = stop
            continue
        if not section:
            description.append(line)
        at += 1
    return Docstring("\n".join(description).strip(), parameters)


def _section_end(lines: list[str], at: int, *, is_ruled: bool) -> int:
    """Return the line at which the section that begins at line *at* ends."""
    while at < len(lines):
        line = lines[at]
        if is_ruled and at + 1 < len(lines) and line.strip() and _underline(lines[at + 1].strip()):
            break
        if not is_ruled and line.strip() and not line[:1].isspace():
            break
        at += 1
    return at


def _items(lines: list[str], *, is_ruled: bool) -> dict[str, str]:
    """Read ``name (type): text`` or, below a rule, ``name, name : type``.

    Indented lines below continue the text.
    """
    match = _numpy_item if is_ruled else _google_item
    filled = [line for line in lines if line.strip()]
    indent = min((len(line) - len(line.lstrip()) for line in filled), default=0)
    found: dict[str, list[str]] = {}
    names: list[str] = []
    for line in filled:
        head = match(line[indent:].rstrip()) if not line[indent : indent + 1].isspace() else None
        if head is not None:
            names = [name.strip().lstrip("*") for name in head[1].split(",")]
            found.update((name, [] if is_ruled else [head[2]]) for name in names)
        else:
            for name in names:
                found[name].append(line)
    return {name: _joined(texts) for name, texts in found.items()}


def _joined(lines: list[str]) -> str:
    return " ".join(" ".join(lines).split())
