"""The structure of packages, folders and files, as docs/architecture.md describes it."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter, defaultdict
from dataclasses import replace
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, NamedTuple

import pytest

import agent_parsers
import output_parsers
import outputs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import FrameType

ROOT = Path(__file__).parents[1]
PACKAGES = [
    "outputs", "output_parsers", "agent_parsers", "agent_runs", "agent_serving", "agent_laws",
]  # fmt: skip
"""Each package imports only those before it."""

DOORS = [
    "outputs", "outputs.growing_json", "outputs.html", "outputs.json_form", "outputs.messages",
    "output_parsers", "output_parsers.text", "agent_parsers", "agent_parsers.authoring",
    "agent_runs.bulk", "agent_parsers.core", "agent_parsers.constrain", "agent_parsers.explain",
    "agent_parsers.html", "agent_parsers.messages", "agent_parsers.testing",
    "agent_parsers.toolset", "agent_parsers.transcripts", "agent_laws", "agent_runs",
    "agent_serving.templates",
]  # fmt: skip
"""Modules that only export names of other modules."""

APPLICATIONS = {"__main__", "cli", "testing"}
"""The rooms of `agent_parsers` beyond the border, as the packages above it are."""

PROMISED = {
    "outputs", "output_parsers", "agent_parsers", "agent_parsers.authoring",
    "agent_parsers.constrain", "agent_parsers.events", "agent_parsers.explain",
    "agent_parsers.format_scratchpad", "agent_parsers.json_form", "agent_parsers.loop",
    "agent_parsers.messages", "agent_parsers.reports", "agent_parsers.toolset",
    "agent_parsers.html", "agent_parsers.transcripts", "outputs.messages",
}  # fmt: skip
"""The modules of the core that users are promised; each file of a dialect as well."""

FOR_APPLICATIONS = {
    "agent_parsers.core": 79, "outputs.growing_json": 3, "outputs.html": 14,
    "outputs.json_form": 4, "outputs.lazy_names": 2, "output_parsers.json_form": 1,
    "output_parsers.model_output": 9,
    "output_parsers.printable": 6, "output_parsers.text": 2,
}  # fmt: skip
"""What else applications may import of the core, and how many names it has, which may fall."""

MOST_FILES = {
    "outputs": 8, "outputs/messages": 16, "output_parsers": 29, "agent_parsers": 20,
    "agent_parsers/dialects": 10_000, "agent_runs/readers/data": 10_000,
    "agent_runs/readers/text": 10_000,
}  # fmt: skip
"""Maximum number of files in a folder; 14 for folders that are not listed."""

TABLE_OF_CONTENTS = (
    "from ", "__all__ = ", "__version__ = ", "if TYPE_CHECKING:\n    from ", "_MODULES = ",
    "'The module of each name ", "if not TYPE_CHECKING:\n    (__getattr__",
    "if not TYPE_CHECKING:\n    __getattr__",
)  # fmt: skip
"""The allowed beginnings of statements in an ``__init__``."""

LANGCHAIN_BRIDGES = {
    "output_parsers.runnables.langchain_parser",
    "agent_parsers.parsers.langchain.classic",
    "agent_parsers.parsers.langchain.parser",
    "agent_parsers.parsers.langchain.pipeline",
    "agent_serving.langchain",
}
"""The modules that import LangChain; functions import them, at their first call, or users."""

FRAMEWORKS = {
    "agent_serving.langchain": "langchain_core", "agent_serving.llama_index": "llama_index",
    "agent_serving.openai_agents": "agents", "agent_serving.pydantic_ai": "pydantic_ai",
    "agent_serving.smolagents": "smolagents",
}  # fmt: skip
"""The modules with a model of a framework, which only users import, and what they import."""

NEEDS_SERVERS = {"agent_serving.sglang", "agent_serving.verl", "agent_serving.vllm"}
"""The modules that import an inference server."""

IMPORTED_BY_NAME = {
    "agent_parsers.registry.dialects_by_name": 2,  # a dialect, or a parser in a list
    "agent_runs.archives": 1,  # what can unpack an archive
    "agent_runs.readers.known": 1,  # the reader of a form of logs
    "output_parsers.runnables.langchain_parser": 1,  # the package of a parser that was dumped
    "outputs.html.viewable": 2,  # what draws a value
    "outputs.json_form.kinds": 1,  # a list of kinds
    "outputs.lazy_names": 2,  # what an ``__init__`` has names of
}
"""The modules that import others whose names they look up, and how often."""


class Import(NamedTuple):
    """One name that a file imports from another."""

    source: str
    target: str
    name: str
    kind: str
    """``"top"``, ``"function"`` or ``"typing"``; ``"late"`` by ``import_module``."""

    def __str__(self) -> str:
        return f"{self.source} imports {self.target}.{self.name} ({self.kind})"


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def modules() -> dict[str, Path]:
    """Return all modules of the packages by name."""
    return {
        module_of(path): path
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*.py"))
    }


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def statements(node: ast.AST, kind: str = "top") -> Iterator[tuple[ast.AST, str]]:
    """Yield all import statements within *node*, each with its kind."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child, kind
        elif isinstance(child, ast.If) and is_of_types(child.test):
            yield from statements(ast.Module(child.body, []), "typing")
            yield from statements(ast.Module(child.orelse, []), kind)
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef) and kind == "top":
            yield from statements(child, "function")
        elif not isinstance(child, ast.expr):
            yield from statements(child, kind)


def is_of_types(test: ast.expr) -> bool:
    return any(isinstance(node, ast.Name) and node.id == "TYPE_CHECKING" for node in ast.walk(test))


@cache
def imports_of(path: Path) -> tuple[Import, ...]:
    """Return all imports of a file."""
    return (*imports_in(path),)


def imports_in(path: Path) -> Iterator[Import]:
    source = module_of(path)
    for node, kind in statements(tree_of(path)):
        if isinstance(node, ast.Import):
            yield from (Import(source, alias.name, "", kind) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            if node.level:  # one test imports another
                assert path.is_relative_to(ROOT / "tests"), f"{path}:{node.lineno}: relative"
                continue
            assert node.module is not None
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                if inner in modules():
                    yield Import(source, inner, "", kind)
                else:
                    yield Import(source, node.module, alias.name, kind)
    for call in late_imports_in(path):
        target = call.args[0]
        if isinstance(target, ast.Constant):
            yield Import(source, target.value, "", "late")


def late_imports_in(path: Path) -> Iterator[ast.Call]:
    """Yield the calls of ``import_module`` in a file."""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            yield node


@cache
def handed_on(door: str) -> dict[str, str]:
    """Return from where an ``__init__`` has the names that it hands on."""
    path = modules()[door]
    is_door = path.name == "__init__.py"
    return {each.name: each.target for each in imports_of(path)} if is_door else {}


@cache
def own_imports() -> tuple[Import, ...]:
    """Return all imports between modules of the packages, each from where the name is defined."""
    found: list[Import] = []
    for path in modules().values():
        for source, target, name, kind in imports_of(path):
            home = target
            while home in modules() and name in handed_on(home):
                home = handed_on(home)[name]
            if home in modules():
                found.append(Import(source, home, name, kind))
    return tuple(found)


def circles(edges: Iterable[tuple[str, str]]) -> dict[str, set[str]]:
    """Return what remains of a graph after nodes without dependencies are removed repeatedly."""
    needs: defaultdict[str, set[str]] = defaultdict(set)
    for source, target in edges:
        needs[source] |= {target} - {source}
    while free := {name for name in needs if not needs[name] & needs.keys()}:
        for name in free:
            del needs[name]
    return dict(needs)


# -- which way imports point ---------------------------------------------------------------------


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_point_one_way(package: str) -> None:
    above = PACKAGES[PACKAGES.index(package) + 1 :]
    wrong = [
        str(each)
        for each in own_imports()
        if each.source.split(".")[0] == package and each.target.split(".")[0] in above
    ]
    assert not wrong


@pytest.mark.parametrize(
    "kinds", [["top"], ["top", "function", "late"], ["top", "function", "late", "typing"]]
)
def test_no_files_import_each_other_in_a_circle(kinds: list[str]) -> None:
    assert not circles((each.source, each.target) for each in own_imports() if each.kind in kinds)


@pytest.mark.parametrize("depth", [2, 3, 4])
def test_no_folders_import_each_other_in_a_circle(depth: int) -> None:
    """A file directly in a package counts as a folder; an ``__init__`` only exports names."""

    def room(module: str) -> str:
        folder = module_of(modules()[module].parent / "x.py").rpartition(".")[0]
        return module if folder in PACKAGES else ".".join(folder.split(".")[:depth])

    edges = [
        (room(each.source), room(each.target))
        for each in own_imports()
        if "__init__.py" not in {modules()[m].name for m in (each.source, each.target)}
    ]
    assert not circles(edges)


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_is_imported_without_those_above_it(package: str) -> None:
    if package == "agent_runs":
        import pyarrow as pa  # noqa: F401 - or the test is skipped
    above = PACKAGES[PACKAGES.index(package) + 1 :]
    left_out = LANGCHAIN_BRIDGES | NEEDS_SERVERS | FRAMEWORKS.keys()
    names = [n for n in modules() if n.split(".")[0] == package and n not in left_out]
    blocked = [*above, *FRAMEWORKS.values()]
    code = (
        "import sys; from importlib import import_module\n"
        f"sys.modules |= dict.fromkeys({blocked!r})\n"
        f"for name in {names!r}: import_module(name)\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_readmes_first_sample_needs_none_of_the_packages_above() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    sample = readme.partition("```python\n")[2].partition("```")[0]
    above = PACKAGES[PACKAGES.index("agent_parsers") + 1 :]
    code = f"import sys; sys.modules |= dict.fromkeys({above!r})\n{sample}"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_modules_are_imported_by_a_name_that_is_written_there() -> None:
    """Otherwise no test of this file sees what they need."""
    unseen = Counter(
        module
        for module, path in modules().items()
        for call in late_imports_in(path)
        if not isinstance(call.args[0], ast.Constant)
    )
    assert unseen == IMPORTED_BY_NAME


def test_a_circle_is_found() -> None:
    """The function that these tests rely on finds circles."""
    assert not circles([("a", "b"), ("b", "c"), ("a", "c")])
    assert circles([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")]).keys() == {"a", "b", "c"}


def test_only_its_own_folder_knows_the_help_for_tests() -> None:
    for each in own_imports():
        if not each.source.startswith(("agent_parsers.testing", "agent_laws")):
            assert not each.target.startswith("agent_parsers.testing"), each


def test_only_bridges_import_langchain_and_only_functions_and_bridges_import_them() -> None:
    for name, path in modules().items():
        named = (each.target for each in imports_of(path) if each.kind != "late")
        is_bridge = any(target.startswith("lang") for target in named)
        assert is_bridge is (name in LANGCHAIN_BRIDGES), name
    for each in own_imports():
        if each.target in LANGCHAIN_BRIDGES and each.source not in LANGCHAIN_BRIDGES:
            assert each.kind in ("function", "typing"), each


def test_only_its_own_module_imports_a_framework_and_only_users_import_that() -> None:
    frameworks = {*FRAMEWORKS.values()} - {"langchain_core"}
    for name, path in modules().items():
        found = {each.target.split(".")[0] for each in imports_of(path)} & frameworks
        assert found <= {FRAMEWORKS.get(name)}, name
    assert not [str(each) for each in own_imports() if each.target in FRAMEWORKS]


# -- the border ----------------------------------------------------------------------------------


def is_application(module: str) -> bool:
    package, _, inner = module.partition(".")
    if package == "agent_parsers":
        return inner.partition(".")[0] in APPLICATIONS
    return PACKAGES.index(package) > PACKAGES.index("agent_parsers")


def test_applications_import_only_what_the_core_has_for_them() -> None:
    deep = [
        str(each)
        for name, path in modules().items()
        if is_application(name)
        for each in imports_of(path)
        if each.target in modules() and not is_application(each.target)
        if each.target not in PROMISED | FOR_APPLICATIONS.keys()
        if not each.target.startswith("agent_parsers.dialects.")
    ]
    assert not deep


def test_applications_import_only_names_that_are_exported() -> None:
    for name, path in modules().items():
        for each in imports_of(path) if is_application(name) else ():
            if each.target in modules() and each.name and not is_application(each.target):
                names = getattr(import_module(each.target), "__all__", None)
                assert names is None or each.name in names, str(each)


@pytest.mark.parametrize(("module", "size"), FOR_APPLICATIONS.items())
def test_what_applications_need_beyond_what_is_promised_grows_less(module: str, size: int) -> None:
    assert len(import_module(module).__all__) == size


def test_what_the_core_has_for_applications_is_needed() -> None:
    used = {
        each.name
        for name, path in modules().items()
        if is_application(name)
        for each in imports_of(path)
        if each.target == "agent_parsers.core"
    }
    assert {*import_module("agent_parsers.core").__all__} == used


# -- what is private -----------------------------------------------------------------------------


def is_private(name: str) -> bool:
    return any(part.startswith("_") and part[:2] != "__" for part in name.split("."))


NAMES_PRIVATE = re.compile(
    r"^\s*(?:from|import)\b(?:[^\n(]|\([^)]*)*?\b_[^_\W]", re.MULTILINE
).search
"""Finds what may be an import of a private name."""


def test_no_file_imports_a_private_name() -> None:
    assert not [str(each) for each in own_imports() if is_private(f"{each.target}.{each.name}")]


def test_neither_do_tests_examples_and_benchmarks() -> None:
    for folder in ("tests", "examples", "tools"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            if not NAMES_PRIVATE(path.read_text("utf-8")):
                continue
            ours = [e for e in imports_of(path) if e.target.split(".")[0] in PACKAGES]
            assert not [str(each) for each in ours if is_private(f"{each.target}.{each.name}")]


def test_an_inner_file_has_no_list_of_its_names() -> None:
    """Packages have one, modules with a name that is promised, and one that is like LangChain's."""
    fronts = PROMISED | FOR_APPLICATIONS.keys()
    promised = {name for front in fronts for name in import_module(front).__all__}
    for name, path in modules().items():
        if path.name == "__init__.py" or "\n__all__" not in path.read_text("utf-8"):
            continue
        if name == "output_parsers.format_instructions" or is_application(name):
            continue
        if not name.startswith("agent_parsers.dialects."):
            assert promised.intersection(import_module(name).__all__), name


def test_what_authors_of_dialects_need_is_not_part_of_the_engine() -> None:
    private = {"Machine", "machine", "BadPayload", "ToolHead", "TurnStream", "WholeReader"}
    names = set(import_module("agent_parsers.authoring").__all__)
    assert not names & private
    assert not [name for name in names if name.startswith(("repair_", "mend_"))]


# -- names ---------------------------------------------------------------------------------------


def test_the_name_of_a_class_stands_for_one_thing() -> None:
    names = Counter(
        node.name
        for name, path in modules().items()
        if name not in LANGCHAIN_BRIDGES  # their classes are ours and LangChain's at once
        for node in tree_of(path).body
        if isinstance(node, ast.ClassDef) and not is_private(node.name)
    )
    assert not {name for name, count in names.items() if count > 1}


def test_the_name_of_a_file_stands_in_three_rooms_at_most() -> None:
    langchains = re.compile(r"agent_parsers/(format_scratchpad/\w+|\w+/output_parser)\.py")
    names = Counter(
        path.name
        for path in modules().values()
        if path.name != "__init__.py"
        if not langchains.fullmatch(path.relative_to(ROOT).as_posix())  # whose paths LangChain has
    )
    assert not {name for name, count in names.items() if count > 3}


# -- how much a folder holds ---------------------------------------------------------------------


def test_no_folder_is_a_flat_list() -> None:
    sizes = Counter(str(path.parent.relative_to(ROOT)) for path in modules().values())
    assert not {folder: size for folder, size in sizes.items() if size > MOST_FILES.get(folder, 14)}


def test_every_folder_says_what_it_holds() -> None:
    for folder in {path.parent for path in modules().values()}:
        assert ast.get_docstring(tree_of(folder / "__init__.py")), folder


def test_an_init_is_a_table_of_contents() -> None:
    for path in modules().values():
        if path.name == "__init__.py":
            for node in tree_of(path).body[1:]:
                assert ast.unparse(node).startswith(TABLE_OF_CONTENTS), f"{path}:{node.lineno}"


# -- what is public ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", DOORS)
def test_a_door_has_what_it_lists_and_nothing_else(name: str) -> None:
    door = import_module(name)
    late = getattr(door, "_MODULES", {})
    helpers = {"TYPE_CHECKING", "late_names", "modules_of"}
    at_once = {
        each
        for each, value in vars(door).items()
        if not (each.startswith("_") or isinstance(value, ModuleType) or each in helpers)
    }
    assert {*door.__all__} == at_once | {*late} - {"__version__"}
    assert {*door.__all__} <= {*dir(door)}
    assert len({*door.__all__}) == len(door.__all__)
    for each in door.__all__:
        assert getattr(door, each, None) is not None, each
    if late:
        with pytest.raises(AttributeError, match="has no attribute 'ReactParser'"):
            _ = door.ReactParser


@pytest.mark.parametrize("package", [outputs, output_parsers, agent_parsers])
def test_what_is_exported_is_documented(package: ModuleType) -> None:
    for name in package.__all__:
        value = getattr(package, name)
        if isinstance(value, type) or callable(value):
            assert value.__doc__ or type(value).__module__ == "typing", name


def test_the_front_door_has_few_names() -> None:
    assert len(agent_parsers.__all__) <= 66


def test_no_group_is_repeated_possessively() -> None:
    """``(?>(?:ab|c)*)`` and not ``(?:ab|c)*+``, which Python 3.11.0 to 3.11.4 match wrongly."""
    may_be_possessive = re.compile(r"[*+?}][\"'\s]*\+").search
    possessive = re.compile(r"\)(?:[*+?]|\{\{?[\d,]+\}\}?)\+").search
    found = [
        f"{path}: {node.value}"
        for path in modules().values()
        if may_be_possessive(path.read_text("utf-8"))
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and possessive(node.value)
    ]
    assert not found


def test_the_packages_have_types() -> None:
    for package in PACKAGES:
        assert (ROOT / package / "py.typed").exists()


def test_the_drawing_of_the_house_is_up_to_date() -> None:
    command = [
        sys.executable,
        "-B",
        str(ROOT / "tools" / "docs" / "make_architecture.py"),
        "--check",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("", 0), done.stdout + done.stderr


def test_every_file_that_the_architecture_names_is_there() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    package = ROOT / "agent_parsers"
    engine = package / "engine"
    collecting = engine / "reading" / "collecting"
    roots = (ROOT, package, collecting, engine / "writing")
    for name in re.findall(r"`([\w/]+(?:\.py|/))`", page):
        assert any((root / name).exists() for root in roots), name


# -- the ways of texts ---------------------------------------------------------------------------


class Step(NamedTuple):
    """A function on the way of a text, where it is, and what it calls, as the page tells it."""

    function: tuple[str, str]
    calls: list[Step]


def way_of(title: str) -> list[Step]:
    """Return the way with this *title* in docs/architecture.md."""
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    block = page.partition(f"<!-- {title}: ")[2].partition("```text\n")[2].partition("```")[0]
    callers: list[list[Step]] = [[]]
    for line in block.splitlines():
        found = re.match(r"( *)(\S+) +(\S+\.py)", line)
        assert found, line
        del callers[len(found[1]) // 2 + 1 :]
        step = Step((found[2], found[3]), [])
        callers[-1].append(step)
        callers.append(step.calls)
    assert callers[0]
    return callers[0]


def calls_of(act: Callable[[], object]) -> list[tuple[tuple[str, str], int]]:
    """Return the functions that *act* calls, in order, each with the place where it returns."""
    package = ROOT / "agent_parsers"
    calls: list[tuple[tuple[str, str], int]] = []
    begun: list[int] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        path = Path(frame.f_code.co_filename)
        if path.is_relative_to(package) and event == "call":
            begun.append(len(calls))
            name = frame.f_code.co_qualname
            calls.append(((name, path.relative_to(package).as_posix()), 0))
        elif path.is_relative_to(package) and event == "return":
            at = begun.pop()
            calls[at] = calls[at][0], len(calls)

    sys.setprofile(note)
    try:
        act()
    finally:
        sys.setprofile(None)
    return calls


def goes(way: list[Step], calls: list[tuple[tuple[str, str], int]], begin: int, end: int) -> bool:
    """Return whether *calls* go this *way* between two places; others may be between."""
    return not way or any(
        way[0].function == function
        and goes(way[0].calls, calls, at + 1, returns)
        and goes(way[1:], calls, returns, end)
        for at, (function, returns) in enumerate(calls[begin:end], begin)
    )


def turned_round(way: list[Step]) -> list[Step]:
    return [Step(step.function, turned_round(step.calls)) for step in reversed(way)]


def feed_two_chunks(dialect: agent_parsers.Dialect) -> None:
    parser = agent_parsers.StreamParser(dialect)
    parser.feed('I look.\n<tool_call>\n{"name": "search", "arguments": {"query": "la')
    parser.feed('kes"}}\n</tool_call>')
    parser.close()


def parse_a_comment(dialect: agent_parsers.Dialect) -> None:
    text = '{"name": "search", "arguments": { // where\n"query": "lakes"}}'
    agent_parsers.get_parser(dialect).parse(f"<tool_call>\n{text}\n</tool_call>")


@pytest.mark.parametrize(
    ("title", "act"),
    [("the way of a chunk", feed_two_chunks), ("the way of a whole text", parse_a_comment)],
)
def test_texts_go_the_way_that_is_told(
    title: str, act: Callable[[agent_parsers.Dialect], None]
) -> None:
    way = way_of(title)
    dialect = replace(agent_parsers.get_dialect("hermes"))
    act(dialect)  # what is imported or compiled at first is not on the way
    calls = calls_of(partial(act, dialect))
    assert goes(way, calls, 0, len(calls))
    assert not goes(turned_round(way), calls, 0, len(calls)), "the order counts"
