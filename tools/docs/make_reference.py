"""Writes docs/reference from the docstrings: ``python tools/docs/make_reference.py [--check]``.

The sources are read and not imported, so the pages do not depend on what is installed.
"""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from reference_source import Found, bases, doc_of, exports, find, init_of, members
from reference_text import code_block, field_line, prose, signatures, value_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reference_source import Member

CALLED = {
    "__call__": "{}: to call it", "__new__": "{}(…)", "__add__": "{} + …", "__radd__": "… + {}",
    "__or__": "{} | …", "__ror__": "… | {}",
}  # fmt: skip
"""How methods are written that are called by their signs."""
FOLDER = Path(__file__).parents[2] / "docs" / "reference"
MODULES = (
    "outputs",
    "output_parsers",
    "agent_parsers",
    "agent_parsers.authoring",
    "agent_parsers.constrain",
    "agent_parsers.events",
    "agent_parsers.explain",
    "agent_parsers.format_scratchpad",
    "agent_parsers.html",
    "agent_parsers.json_form",
    "agent_parsers.loop",
    "agent_parsers.messages",
    "agent_parsers.reports",
    "agent_parsers.testing",
    "agent_parsers.toolset",
    "agent_parsers.transcripts",
    "agent_runs",
    "agent_runs.bulk",
    "agent_serving.openai_reply",
    "agent_laws",
)
"""What has a page. What several of them export is told of on the page of the first."""

NAME = re.compile(r"(?<![`\[])`([A-Za-z_][\w.]*)`(?!`)")
CODE = re.compile(r"^(?:(?P<fence>`{3,}).*?^(?P=fence)$|#[^\n]*$)", re.MULTILINE | re.DOTALL)
HEAD = "<!-- Written by tools/docs/make_reference.py from the docstrings: change those. -->\n"


def pages() -> dict[str, str]:
    """Return the text of each page by its file's name."""
    return {"README.md": _contents(), **{f"{m}.md": _page(m, _homes(m)) for m in MODULES}}


def main() -> int:
    """Write the pages, or with ``--check`` say which are not as they should be."""
    made = pages()
    there = {path.name: path.read_text("utf-8") for path in FOLDER.glob("*.md")}
    stale = [name for name in sorted({*made, *there}) if made.get(name) != there.get(name)]
    if "--check" in sys.argv[1:]:
        for name in stale:
            print(f"docs/reference/{name} is out of date: run `make reference`")
        return 1 if stale else 0
    FOLDER.mkdir(exist_ok=True)
    for name in stale:
        path = FOLDER / name
        if name in made:
            path.write_text(made[name], "utf-8")
        else:
            path.unlink()
    return 0


def _homes(module: str) -> dict[str, str]:
    """Return on whose page each name is told of, as *module* knows the names."""
    homes = {name: each for each in reversed(MODULES) for name in exports(each)}
    for name in exports(module):  # another module may have something else of this name
        homes[name] = next(
            each
            for each in MODULES
            if name in exports(each) and _definition(each, name) is _definition(module, name)
        )
    return homes


def _definition(module: str, name: str) -> ast.AST:
    found = find(module, name)
    assert found is not None, f"{module}.{name} is not in the sources"
    return found.nodes[-1]


# -- pages -----------------------------------------------------------------------------------------


def _contents() -> str:
    lines = [HEAD, "# Reference", ""]
    lines += [f"- [`{name}`]({name}.md): {_first(doc_of(name))}" for name in MODULES]
    return "\n".join(lines) + "\n"


def _page(module: str, homes: dict[str, str]) -> str:
    def link(match: re.Match[str]) -> str:
        name = match[1].partition(".")[0]
        if name not in homes:
            return match[0]
        page = "" if homes[name] == module else f"{homes[name]}.md"
        return f"[`{match[1]}`]({page}#{name.lower()})"

    head = [HEAD, f"# {module}", "", *prose(doc_of(module)), ""]
    entries: list[str] = []
    for name in exports(module):
        found = find(module, name)
        assert found is not None, f"{module}.{name} is not in the sources"
        home = homes[name]
        at = "" if home == module else f"{home}.md"
        head.append(f"- [`{name}`]({at}#{name.lower()}): {_first(found.doc)}".removesuffix(": "))
        if home == module:
            entries += ["", *_entry(name, found, homes)]
    text = "\n".join([*head, *entries]) + "\n"
    parts: list[str] = []
    done = 0
    for code in CODE.finditer(text):
        parts += [NAME.sub(link, text[done : code.start()]), code[0]]
        done = code.end()
    return "".join((*parts, NAME.sub(link, text[done:])))


def _first(doc: str) -> str:
    """Return the first sentence of *doc*, without what it introduces."""
    return doc.split("\n\n")[0].replace("\n", " ").removesuffix("::").replace("``", "`")


def _entry(name: str, found: Found, homes: dict[str, str]) -> Iterator[str]:
    yield from (f"## {name}", "")
    node = found.nodes[-1]
    if isinstance(node, ast.ClassDef):
        yield from _class(name, found, homes)
        return
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        yield from code_block(signatures(found.nodes, name))
    else:
        yield from code_block([value_of(node, found.module)])
    yield from _said(found.doc)


def _class(name: str, found: Found, homes: dict[str, str]) -> Iterator[str]:
    node = found.nodes[-1]
    assert isinstance(node, ast.ClassDef)
    shown = [base for base, _ in bases(found) if not base.startswith("_")]
    inner = f"({', '.join(shown)})" if shown else ""
    lines = [f"class {name}{inner}"]
    lines += signatures(init_of(found), name)
    yield from (*code_block(lines), *_said(found.doc))
    own = _all_members(found, homes)
    fields = [each for each in own if isinstance(each.nodes[-1], ast.Assign | ast.AnnAssign)]
    if fields:
        yield from ("", "**Attributes:**", "")
    for field in fields:
        yield f"- {field_line(field)}"
    for each in own:
        if each not in fields:
            yield from ("", *_method(name, each))


def _all_members(found: Found, homes: dict[str, str]) -> list[Member]:
    """Return the members of a class, and of those it inherits from that have no page."""
    own = members(found)
    for written, base in bases(found):
        if base is not None and written.partition("[")[0] not in homes:
            known = {each.name for each in own}
            own += [each for each in _all_members(base, homes) if each.name not in known]
    return own


def _method(owner: str, member: Member) -> Iterator[str]:
    called = CALLED.get(member.name, "{}.{name}").format(owner, name=member.name)
    lines = signatures(member.nodes, member.name)
    if member.name in CALLED:
        lines = [line.replace(f"def {member.name}", owner) for line in lines]
        if member.name == "__call__":
            lines = [line.replace(owner, "it", 1) for line in lines]
        elif member.name != "__new__":
            lines = [called]
    yield from (f"### {called}", "", *code_block(lines))
    yield from _said(member.doc)


def _said(doc: str) -> list[str]:
    return ["", *prose(doc)] if doc else []


if __name__ == "__main__":
    sys.exit(main())
