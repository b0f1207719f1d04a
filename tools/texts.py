"""Lists what users read: errors, repairs, notices, help and the first lines of docstrings.

Run it as ``python -m tools.texts``; ``--draw 150 --seed 7`` prints a sample to be rated, and
``--kind help`` one kind. The texts are found in the syntax trees: sentences wherever they stand, as
in ``raise ValueError("…")`` and ``reason = "…"``, and docstrings of public names. What an f-string
fills in is shown as ``{}``.
"""

from __future__ import annotations

import argparse
import ast
import random
import re
from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from tools.docs.reference_source import PACKAGES, ROOT

_HELP = {"Option", "Argument", "command", "Typer", "add_typer", "BadParameter"}
"""Calls whose sentences are printed by ``--help``."""
_CODE = {"compile", "replace", "matcher", "removeprefix", "removesuffix", "partition", "startswith"}
"""Calls whose arguments are patterns or parts of texts, and not read by anybody."""
_WORD = re.compile(r"""(?<!\S)['"`(]?[A-Za-z][a-z']*[a-z]['"`)]?[,.:;?!]?(?!\S)""")
_MARKUP = re.compile(r"[<>\\|]")
_Defined: TypeAlias = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


class UserText(NamedTuple):
    """A text that users read."""

    path: str
    """The file that has it, from the root of the project."""
    line: int
    kind: str
    """``help``, ``docstring``, ``error`` or ``message``."""
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.kind}: {' '.join(self.text.split())}"


def texts_of(path: str, code: str) -> Iterator[UserText]:
    """Yield the texts in the *code* of the file at *path*."""
    for node in ast.walk(tree := ast.parse(code)):
        if isinstance(node, _Defined) and not node.name.startswith("_"):
            doc = ast.get_docstring(node)
            if doc:
                yield UserText(path, node.lineno, "docstring", doc.partition("\n\n")[0])
    yield from _sentences(tree, path, "message")


def _sentences(node: ast.AST, path: str, kind: str) -> Iterator[UserText]:
    """Yield the sentences in *node*, which are of a *kind* unless a call within says another."""
    match node:
        case ast.Expr(value=ast.Constant()):
            return  # a docstring
        case ast.Raise(exc=ast.Call()):
            kind = "error"
        case ast.Call(func=function):
            name = _name_of(function)
            if name in _CODE:
                return
            is_error = name.endswith(("Error", "Exception", "Problem"))
            kind = "help" if name in _HELP else "error" if is_error else kind
    text = _literal(node) if isinstance(node, ast.expr) else None
    if text is not None:
        if _is_sentence(text):
            yield UserText(path, getattr(node, "lineno", 0), kind, text)
        return
    for child in ast.iter_child_nodes(node):
        yield from _sentences(child, path, kind)


def all_texts() -> list[UserText]:
    """Return the texts of all packages, in the order of their files."""
    return [
        found
        for package in PACKAGES
        for file in sorted((ROOT / package).rglob("*.py"))
        for found in sorted(texts_of(file.relative_to(ROOT).as_posix(), file.read_text("utf-8")))
    ]


def _name_of(function: ast.expr) -> str:
    match function:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def _literal(node: ast.expr) -> str | None:
    """Return the text that *node* writes, or `None` if it is no literal."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=values):
            return "".join(_literal(value) or "{}" for value in values)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            parts = _literal(left), _literal(right)
            return None if None in parts else "".join(part or "" for part in parts)
        case _:
            return None


def _is_sentence(text: str) -> bool:
    """Tell whether *text* is words and not a pattern, a mark, names or markup."""
    return len(_WORD.findall(text)) >= 3 and _MARKUP.search(text) is None


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, prog="python -m tools.texts")
    parser.add_argument("--draw", type=int, help="print that many, drawn by --seed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", choices=["help", "docstring", "error", "message"])
    options = parser.parse_args()
    found = [text for text in all_texts() if options.kind in (None, text.kind)]
    if options.draw is not None:
        found = random.Random(options.seed).sample(found, min(options.draw, len(found)))
    print(*found, sep="\n")


if __name__ == "__main__":
    _main()
