"""Mutants: small changes of a source file, each of which a test should notice."""

from __future__ import annotations

import ast
from contextlib import suppress
from copy import deepcopy
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Mutant", "mutants_of", "prompt_mutants_of"]

_COMPARISONS: Final[dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]]] = {
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
_OPERATORS: Final[dict[type[ast.operator], type[ast.operator]]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}
_FUNCTIONS: Final = {
    name: other
    for pair in (
        ("min", "max"),
        ("any", "all"),
        ("find", "rfind"),
        ("index", "rindex"),
        ("startswith", "endswith"),
        ("partition", "rpartition"),
        ("removeprefix", "removesuffix"),
        ("lstrip", "rstrip"),
    )
    for name, other in (pair, pair[::-1])
} | {"strip": "rstrip", "search": "match", "fullmatch": "match", "sorted": "list"}

_LOOSE: Final = (ast.BinOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Lambda, ast.UnaryOp)
"""Expressions that are written in brackets, so that they stay together."""
_NEGATED: Final = (ast.Compare, ast.UnaryOp)
"""Conditions that have a mutant with the opposite meaning anyway."""
_NOT_CODE: Final = (ast.Import, ast.ImportFrom, ast.Assert, ast.Global, ast.Nonlocal)
_TYPE_CALLS: Final = frozenset(("cast", "TypeVar", "assert_never"))
"""Functions whose arguments are for type checkers, except for the value that `cast` returns."""
_PROMPT_CALLS: Final = frozenset(("PromptWords",))

_Change: TypeAlias = "tuple[ast.AST, ast.AST | str]"
"""A node, and what it is replaced by."""


class Mutant(NamedTuple):
    """One change of a file."""

    path: str
    """The file, relative to the root of the project."""
    line: int
    start: int
    """Where the replaced bytes begin in the file."""
    end: int
    text: str
    """What stands in their place."""

    @property
    def place(self) -> str:
        """The file and line."""
        return f"{self.path}:{self.line}"

    def applied_to(self, source: bytes) -> bytes:
        """Return the *source* of the file with the change."""
        return source[: self.start] + self.text.encode() + source[self.end :]

    def is_valid(self, source: bytes) -> bool:
        """Return whether the changed file is another program."""
        try:
            changed = ast.parse(self.applied_to(source))
        except SyntaxError:
            return False
        return ast.dump(changed) != ast.dump(ast.parse(source))


def mutants_of(path: str, source: bytes) -> Iterator[Mutant]:
    """Yield all mutants of a file."""
    return _made(path, source, _changes(ast.parse(source)))


def prompt_mutants_of(path: str, source: bytes) -> Iterator[Mutant]:
    """Yield the mutants of the prompt words in a file of a dialect or family."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and _name_of(node.func) in _PROMPT_CALLS:
            for part in (*node.args, *node.keywords):
                yield from _made(path, source, _changes(part))


def _made(path: str, source: bytes, changes: Iterator[_Change]) -> Iterator[Mutant]:
    starts = [0, *accumulate(map(len, source.splitlines(keepends=True)))]
    for old, new in changes:
        assert isinstance(old, ast.expr | ast.stmt)
        assert old.end_lineno is not None
        assert old.end_col_offset is not None
        start = starts[old.lineno - 1] + old.col_offset
        end = starts[old.end_lineno - 1] + old.end_col_offset
        with suppress(ValueError):  # an f-string that `unparse` cannot write
            yield Mutant(path, old.lineno, start, end, new if isinstance(new, str) else _text(new))


def _text(node: ast.AST) -> str:
    text = ast.unparse(node)
    return f"({text})" if isinstance(node, _LOOSE) else text


# -- where ----------------------------------------------------------------------------------------


def _changes(node: ast.AST) -> Iterator[_Change]:
    """Yield all changes of *node* and of what is in it, in the order of the text."""
    if isinstance(node, _NOT_CODE) or _is_for_types(node):
        return
    if isinstance(node, ast.JoinedStr):  # what is in it has no reliable places before Python 3.12
        for part in node.values:
            for old, new in _changes(part):
                if isinstance(new, ast.AST):
                    yield node, deepcopy(node, {id(old): new})
        return
    if isinstance(node, ast.expr | ast.stmt) and not _is_type_call(node):
        yield from ((node, new) for new in _variants(node))
    if isinstance(node, ast.If | ast.While | ast.IfExp) and not isinstance(node.test, _NEGATED):
        yield node.test, ast.UnaryOp(ast.Not(), node.test)
    for child in _code_in(node):
        yield from _changes(child)


def _code_in(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the children of *node* that run: no types, decorators or docstrings."""
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list", "bases", "type_comment"):
            continue
        if field == "args" and _is_type_call(node):
            value = value[1:]  # noqa: PLW2901
        for child in value if isinstance(value, list) else [value]:
            is_doc = isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
            if isinstance(child, ast.AST) and not is_doc:
                yield child


def _is_type_call(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and _name_of(node.func) in _TYPE_CALLS


def _is_for_types(node: ast.AST) -> bool:
    match node:
        case ast.If(test=ast.Name("TYPE_CHECKING")):
            return True
        case ast.Assign(targets=[ast.Name("__all__" | "__slots__" | "_MODULES")]):
            return True
        case ast.AnnAssign(annotation=ast.Name("TypeAlias")):
            return True
        case (
            ast.FunctionDef(decorator_list=decorators)
            | ast.AsyncFunctionDef(decorator_list=decorators)
        ):
            return any(_name_of(each) in ("overload", "abstractmethod") for each in decorators)
    return False


def _name_of(node: ast.AST) -> str:
    return getattr(node, "id", None) or getattr(node, "attr", None) or ""


# -- what -----------------------------------------------------------------------------------------


def _variants(node: ast.expr | ast.stmt) -> Iterator[ast.AST | str]:
    """Yield what may stand in place of *node*."""
    match node:
        case ast.Constant(value=value):
            yield from map(ast.Constant, _other_values(value))
        case ast.Compare() | ast.BoolOp() | ast.UnaryOp():
            yield from _conditions(node)
        case ast.BinOp(left=left, op=op, right=right) if not (_is_text(left) or _is_text(right)):
            if other_op := _OPERATORS.get(type(op)):
                yield _with(node, op=other_op())
        case ast.Subscript(slice=ast.Slice() as part):
            yield from (_with(node, slice=other) for other in _other_slices(part))
        case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
            yield from _comprehensions(node)
        case ast.Call():
            yield from _calls(node)
        case ast.stmt():
            yield from _statements(node)


def _conditions(node: ast.expr) -> Iterator[ast.AST]:
    match node:
        case ast.Compare(ops=ops):
            for nth, op in enumerate(ops):
                for other in _COMPARISONS[type(op)]:
                    yield _with(node, ops=[*ops[:nth], other(), *ops[nth + 1 :]])
        case ast.BoolOp(op=op, values=values):
            yield _with(node, op=ast.Or() if isinstance(op, ast.And) else ast.And())
            for nth in range(len(values)):
                rest = values[:nth] + values[nth + 1 :]
                yield rest[0] if len(rest) == 1 else _with(node, values=rest)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield operand


def _statements(node: ast.stmt) -> Iterator[ast.AST | str]:
    match node:
        case ast.Return(value=ast.expr() as value):
            if not isinstance(value, ast.Constant):  # which has mutants of its own
                yield "return None"
        case ast.Expr() | ast.Raise() | ast.Delete():
            yield "pass"
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            yield "pass"
        case ast.AugAssign(op=op):
            yield "pass"
            if isinstance(op, ast.Add | ast.Sub):
                yield _with(node, op=_OPERATORS[type(op)]())
        case ast.Continue():
            yield "break"
        case ast.Break():
            yield "continue"


def _calls(node: ast.Call) -> Iterator[ast.AST]:
    """Yield the call with another function, with arguments swapped, and without a keyword."""
    args, keywords, func = node.args, node.keywords, node.func
    if isinstance(func, ast.Name) and func.id in _FUNCTIONS:
        yield _with(node, func=ast.Name(_FUNCTIONS[func.id]))
    if isinstance(func, ast.Attribute) and func.attr in _FUNCTIONS:
        yield _with(node, func=_with(func, attr=_FUNCTIONS[func.attr]))
    for nth, (one, two) in enumerate(pairwise(args)):
        if not isinstance(one, ast.Starred) and not isinstance(two, ast.Starred):
            yield _with(node, args=[*args[:nth], two, one, *args[nth + 2 :]])
    for keyword in keywords:
        if keyword.arg is not None:
            yield _with(node, keywords=[each for each in keywords if each is not keyword])


def _comprehensions(
    node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp,
) -> Iterator[ast.AST]:
    """Yield the comprehension without one of its conditions."""
    for loop in node.generators:
        for condition in loop.ifs:
            rest = [each for each in loop.ifs if each is not condition]
            yield deepcopy(node, {id(loop): _with(loop, ifs=rest)})


def _other_slices(part: ast.Slice) -> Iterator[ast.AST]:
    for name in ("lower", "upper"):
        limit = getattr(part, name)
        if limit is not None:
            yield _with(part, **{name: None})
            if not isinstance(limit, ast.Constant):
                yield _with(part, **{name: ast.BinOp(limit, ast.Add(), ast.Constant(1))})


def _other_values(value: object) -> Iterator[object]:
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from (value + 1, value - 1)
    elif isinstance(value, float):
        yield value * 2
    elif isinstance(value, str):
        yield from (value[:-1], f"{value}x") if value else ("x",)


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def _with(node: ast.AST, **changed: object) -> ast.AST:
    """Return a copy of *node* with some fields *changed*."""
    return type(node)(**{**dict(ast.iter_fields(node)), **changed})
