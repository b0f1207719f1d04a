"""Writes a derived format as a file of a dialect, to be kept and edited."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import TYPE_CHECKING, Any, Final

from agent_parsers import authoring

if TYPE_CHECKING:
    from agent_parsers.authoring import CallFormat

_WIDTH: Final = 100
_NAMES: Final = ("END", "END_OF_CALLS", "OTHER_END")


def dialect_file(form: CallFormat) -> str:
    """Return a Python file that defines the dialect of *form* as ``DIALECT``."""
    written = "".join((*form.turn_frame, *form.results.each))
    names = {end: name for end, name in zip(form.ends, _NAMES, strict=False) if end in written}
    writer = _Writer(names)
    code = writer.code(form, 0)
    constants = "".join(f"{name} = {_quoted(end)}\n" for end, name in names.items())
    parts = [_docstring(form), writer.imports(), constants, f"DIALECT = {code}.dialect()\n"]
    return "\n".join(filter(None, parts))


def _docstring(form: CallFormat) -> str:
    sample = form.dialect().sample.strip("\n").replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    lines = "\n".join(f"    {line}".rstrip() for line in sample.splitlines())
    return (
        f'"""What the chat template of {form.name} writes.\n\n{lines}\n\n'
        "agent-parsers derived this dialect from the template, and checked that it writes the same"
        " text\nand reads it back. How models deviate from it is not in a template: see docs/"
        'call-dialects.md.\n"""\n'
    )


class _Writer:
    """Writes values as code, and notes what has to be imported.

    Args:
        names: The constants, by their text.
    """

    def __init__(self, names: dict[str, str]) -> None:
        self._names = names
        self._imports: defaultdict[str, set[str]] = defaultdict(set)

    def imports(self) -> str:
        """Return the imports that the code needs."""
        return "".join(
            f"{_row(f'from {module} import ', '(', sorted(names), ')')}\n"
            for module, names in sorted(self._imports.items())
        )

    def code(self, value: Any, indent: int) -> str:
        """Return *value* as code on lines that are indented by *indent*."""
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, tuple):
            items = [self.code(item, indent) for item in value]
            return f"({', '.join(items)}{',' * (len(items) == 1)})"
        if is_dataclass(value):
            return self._call(value, indent)
        if callable(value):
            return self._imported(value.__name__, value.__module__)
        return repr(value)

    def _call(self, value: Any, indent: int) -> str:
        name = self._imported(type(value).__name__, type(value).__module__)
        own = [
            each
            for each in fields(value)
            if each.name == "ends" or not _is_default(each, getattr(value, each.name))
        ]
        given = [f"{each.name}={self.code(getattr(value, each.name), indent + 4)}" for each in own]
        line = f"{name}({', '.join(given)})"
        if indent and "\n" not in line and indent + len(line) + 24 < _WIDTH:
            return line
        pad = " " * (indent + 4)
        rows = "".join(f"{pad}{each},\n" for each in given)
        return f"{name}(\n{rows}{' ' * indent})"

    def _imported(self, name: str, module: str) -> str:
        module = authoring.__name__ if name in dir(authoring) else module
        self._imports[module].add(name)
        return name

    def _text(self, text: str) -> str:
        if text in self._names:
            return self._names[text]
        found = [end for end in self._names if end in text]
        if not found:
            return _quoted(text)
        code = text.replace("{", "{{").replace("}", "}}")
        for end in found:
            kept = end.replace("{", "{{").replace("}", "}}")
            code = code.replace(kept, f"{{{self._names[end]}}}")
        return f"f{_quoted(code)}"


def _row(before: str, opens: str, items: list[str], closes: str) -> str:
    line = f"{before}{', '.join(items)}"
    if len(line) <= _WIDTH:
        return line
    return f"{before}{opens}\n{''.join(f'    {item},{chr(10)}' for item in items)}{closes}"


def _is_default(field: Field[Any], value: Any) -> bool:
    if field.default_factory is not MISSING:
        return bool(field.default_factory() == value)
    return field.default is not MISSING and bool(field.default == value)


def _quoted(text: str) -> str:
    """Return *text* as a literal, in double quotes if it has none."""
    code = repr(text)
    if code[0] == "'" and '"' not in text:
        return f'"{code[1:-1]}"'
    return code
