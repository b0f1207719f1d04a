"""Writes signatures and docstrings as Markdown."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reference_source import Member, Node

WIDTH = 96
"""The widest signature on one line."""

SECTION = re.compile(r"^(Args|Returns|Raises|Example):$")
FINAL = re.compile(r"^: Final\[(.*)\]$")
MARKS = ("property", "classmethod", "staticmethod", "abstractmethod")
"""The decorators that a caller should know of."""


# -- signatures ------------------------------------------------------------------------------------


def signatures(nodes: Sequence[Node], name: str) -> list[str]:
    """Return how a function is called; of one with several signatures, each of them."""
    functions = [n for n in nodes if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    several = [n for n in functions if "overload" in map(ast.unparse, n.decorator_list)]
    if not several or (several[0].args.kwarg is not None and functions[-1].args.kwonlyargs):
        several += functions[-1:]  # which has the options, with their defaults
    return [line for node in several for line in _signature(node, name)]


def _signature(node: ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> list[str]:
    marks = [f"@{mark}" for mark in map(ast.unparse, node.decorator_list) if mark in MARKS]
    returns = f" -> {ast.unparse(node.returns)}" if node.returns and node.name != "__init__" else ""
    if "@property" in marks:
        return [*marks, f"{name}{returns.replace(' -> ', ': ')}"]
    kind = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
    head = name if node.name == "__init__" else f"{kind} {name}"
    arguments = [each for each in _arguments(node.args) if each not in ("self", "cls")]
    if arguments[:1] == ["/"]:
        del arguments[0]
    line = f"{head}({', '.join(arguments)}){returns}"
    if len(line) <= WIDTH:
        return [*marks, line]
    return [*marks, f"{head}(", *(f"    {each}," for each in arguments), f"){returns}"]


def _arguments(args: ast.arguments) -> list[str]:
    """Return the arguments as they are written, one by one."""
    plain = [*args.posonlyargs, *args.args]
    defaults = [*[None] * (len(plain) - len(args.defaults)), *args.defaults]
    written = list(map(_argument, plain, defaults))
    if args.posonlyargs:
        written.insert(len(args.posonlyargs), "/")
    if args.vararg is not None:
        written.append(f"*{_argument(args.vararg, None)}")
    elif args.kwonlyargs:
        written.append("*")
    for each, default in zip(args.kwonlyargs, args.kw_defaults, strict=True):
        written.append(_argument(each, default))
    if args.kwarg is not None:
        written.append(f"**{_argument(args.kwarg, None)}")
    return written


def _argument(arg: ast.arg, default: ast.expr | None) -> str:
    if arg.annotation is None:
        return arg.arg if default is None else f"{arg.arg}={ast.unparse(default)}"
    typed = f"{arg.arg}: {ast.unparse(arg.annotation)}"
    return typed if default is None else f"{typed} = {ast.unparse(default)}"


def field_line(member: Member) -> str:
    """Return a field of a class as a line: its name, type and default, and what it is."""
    node = member.nodes[0]
    typed = ""
    if isinstance(node, ast.AnnAssign) and node.annotation is not None:
        typed = FINAL.sub(r": \1", f": {ast.unparse(node.annotation)}")
    value = _default(getattr(node, "value", None))
    said = f": {_line(member.doc)}" if member.doc else ""
    return f"`{member.name}{typed}{value}`{said}"


def _default(value: ast.expr | None) -> str:
    """Return the default of a field as it is written, if it is a value."""
    if isinstance(value, ast.Call) and ast.unparse(value.func) in ("Field", "field"):
        keys = {word.arg: word.value for word in value.keywords}
        value = value.args[0] if value.args else keys.get("default")
    if value is None or isinstance(value, ast.Call):
        return ""
    return f" = {ast.unparse(value)}"


def value_of(node: Node, module: str) -> str:
    """Return a constant of *module* as it is written, unless it is long."""
    text = ast.unparse(node)
    return text if len(text) <= 4 * WIDTH else f"{text.partition('=')[0]}= ...  # in {module}"


# -- docstrings ------------------------------------------------------------------------------------


def code_block(lines: list[str]) -> list[str]:
    """Return *lines* as a block of Python."""
    return ["```python", *lines, "```"]


def _line(text: str) -> str:
    return " ".join(text.replace("``", "`").split())


def prose(doc: str) -> list[str]:
    """Return a docstring as Markdown."""
    lines: list[str] = []
    rest = doc.splitlines()
    while rest:
        line = rest.pop(0)
        if (section := SECTION.match(line)) is not None:
            body = _block(rest)
            lines += [f"**{section[1]}:**", "", *_items(body, is_list=section[1] != "Returns")]
        elif line.endswith("::"):
            lines += [line.removesuffix("::").rstrip() + ":"] if line != "::" else []
            code = _block(rest)
            fence = "````" if any("```" in each for each in code) else "```"
            lines += [""] if lines and lines[-1] else []
            lines += [f"{fence}{_language(code)}", *code, fence]
        else:
            lines.append(line.replace("``", "`"))
    while lines and not lines[0]:
        del lines[0]
    return lines


def _block(rest: list[str]) -> list[str]:
    """Take the lines off *rest* that are indented, and return them without the indentation."""
    block: list[str] = []
    while rest and (rest[0].startswith(" ") or not rest[0]):
        block.append(rest.pop(0))
    while block and not block[-1]:
        block.pop()
        rest.insert(0, "")
    while block and not block[0]:
        del block[0]
    indent = min((len(line) - len(line.lstrip()) for line in block if line), default=0)
    return [line[indent:] for line in block]


def _items(body: list[str], *, is_list: bool) -> list[str]:
    """Return the items of a section: each begins a line, and goes on in those that are indented."""
    if not is_list:
        return [line.replace("``", "`") for line in body]
    items: list[str] = []
    for line in body:
        if line.startswith(" ") and items:
            items[-1] += f" {line.strip()}"
        elif line:
            name, _, said = line.partition(": ")
            items.append(f"- `{name}`: {said}")
    return [item.replace("``", "`") for item in items]


def _language(code: list[str]) -> str:
    try:
        ast.parse("\n".join(code))
    except SyntaxError:
        return "text"
    return "python"
