"""Finds what a package exports in its sources, without importing anything."""

from __future__ import annotations

import ast
from functools import cache
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple, TypeAlias

SIGNS = {"__call__", "__new__", "__add__", "__radd__", "__or__", "__ror__"}
"""Methods that are called by signs; others with such names are for Python."""
ROOT = Path(__file__).parents[2]
PACKAGES = (
    "outputs",
    "output_parsers",
    "agent_parsers",
    "agent_runs",
    "agent_serving",
    "agent_laws",
)

Node: TypeAlias = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef | ast.Assign | ast.AnnAssign


class Found(NamedTuple):
    """What a name stands for."""

    module: str
    """Where it is defined."""
    nodes: list[Node]
    """Its definition; a function that has several signatures has a node for each."""
    doc: str
    """Its docstring."""


class Member(NamedTuple):
    """A field, a property or a method of a class."""

    name: str
    nodes: list[Node]
    doc: str


@cache
def tree_of(module: str) -> ast.Module:
    """Return the syntax tree of a *module* of ours."""
    path = ROOT.joinpath(*module.split("."))
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return ast.parse(file.read_text("utf-8"))


def doc_of(module: str) -> str:
    """Return the docstring of a *module*."""
    return ast.get_docstring(tree_of(module)) or ""


def exports(module: str) -> list[str]:
    """Return the names in the ``__all__`` of a *module*."""
    names: list[str] = import_module(module).__all__
    return names


def find(module: str, name: str) -> Found | None:
    """Return what *name* stands for in *module*; `None` if that is not of ours."""
    body = [*_statements(tree_of(module).body)]
    nodes = [node for node, _ in body if _name_of(node) == name]
    if nodes:
        docs = [doc for node, doc in body if _name_of(node) == name and doc]
        if (aliased := _alias(nodes[-1])) and (other := find(module, aliased)) and not docs:
            return other
        return Found(module, nodes, docs[-1] if docs else "")
    source = _imports(module).get(name)
    return find(*source) if source and source[0].split(".")[0] in PACKAGES else None


def bases(found: Found) -> list[tuple[str, Found | None]]:
    """Return what a class inherits from, as written and as found."""
    node = found.nodes[-1]
    if not isinstance(node, ast.ClassDef):
        return []
    written = [ast.unparse(base) for base in node.bases]
    return [(name, find(found.module, name.partition("[")[0])) for name in written]


def members(found: Found) -> list[Member]:
    """Return the public members of a class, in order, with their docstrings."""
    node = found.nodes[-1]
    if not isinstance(node, ast.ClassDef):
        return []
    known: dict[str, Member] = {}
    for statement, doc in [*_statements(node.body), *_set_by_init(node)]:
        name = _name_of(statement)
        if _is_public(name) or (name in SIGNS and doc):
            before = known.get(name, Member(name, [], ""))
            known[name] = Member(name, [*before.nodes, statement], doc or before.doc)
    return [*known.values()]


def init_of(found: Found) -> list[Node]:
    """Return the ``__init__`` that a class has of its own, with its overloads."""
    node = found.nodes[-1]
    if not isinstance(node, ast.ClassDef):
        return []
    return [each for each, _doc in _statements(node.body) if _name_of(each) == "__init__"]


def _is_public(name: str) -> bool:
    return name[:1] not in ("", "_") and name != "model_config"


def _name_of(node: ast.AST) -> str:
    match node:
        case ast.ClassDef(name=name) | ast.FunctionDef(name=name):
            return name
        case ast.AsyncFunctionDef(name=name):
            return name
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            return name
        case ast.AnnAssign(target=ast.Attribute(value=ast.Name(id="self"), attr=name)):
            return name
    return ""


def _statements(body: list[ast.stmt]) -> list[tuple[Node, str]]:
    """Return the definitions in *body* with their docstrings, which stand in them or below."""
    found: list[tuple[Node, str]] = []
    for node, below in pairwise([*body, ast.Pass()]):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            if not any(ast.unparse(each).endswith(".setter") for each in node.decorator_list):
                found.append((node, ast.get_docstring(node) or ""))
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            found.append((node, _text(below)))
    return found


def _set_by_init(node: ast.ClassDef) -> list[tuple[Node, str]]:
    """Return the documented attributes that ``__init__`` sets."""
    init = next((s for s in node.body if _name_of(s) == "__init__"), None)
    if not isinstance(init, ast.FunctionDef):
        return []
    return [(each, doc) for each, doc in _statements(init.body) if doc and _name_of(each)]


def _text(node: ast.stmt) -> str:
    match node:
        case ast.Expr(value=ast.Constant(value=str(text))):
            first, _, rest = text.partition("\n")
            return "\n".join((first, *(line.strip() for line in rest.splitlines()))).strip()
    return ""


def _alias(node: Node) -> str:
    match node:
        case ast.Assign(value=ast.Name(id=name)):
            return name
    return ""


@cache
def _imports(module: str) -> dict[str, tuple[str, str]]:
    """Return where the names that *module* imports come from."""
    known: dict[str, tuple[str, str]] = {}
    for node in ast.walk(tree_of(module)):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                known[alias.asname or alias.name] = (node.module, alias.name)
    return known
