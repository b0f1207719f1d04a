"""The package as a whole: what it exports, what it imports, and what importing it brings along."""

import ast
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

import agent_parsers
from agent_parsers import engine, testing

ROOT = Path(agent_parsers.__file__).parent.parent
LAYERS = ["outputs", "output_parsers", "agent_parsers"]
"""Each imports those before it only."""

TABLE = (
    "from ", "__all__ = ", "if TYPE_CHECKING:\n    from ", "_MODULES = ", "'Where each name is ",
    "(__getattr__, __dir__) = late_names(", "__getattr__, __dir__ = late_names(",
)  # fmt: skip
"""How the lines of an ``__init__`` begin."""
HELPERS = {"TYPE_CHECKING", "late_names"}

BRIDGE = "agent_parsers.parsers.langchain"
"""What `as_langchain` imports."""

HEAVY = {
    "asyncio", "defusedxml", "difflib", "jsonpatch", "langchain_core", "pkgutil", "pytest", "regex",
    "rich", "syrupy", "typer", "yaml",
}  # fmt: skip


# -- what it exports -----------------------------------------------------------------------------


@pytest.mark.parametrize("package", [agent_parsers, engine, testing], ids=lambda p: p.__name__)
def test_what_is_exported_is_there_and_nothing_else_is(package: ModuleType) -> None:
    late = getattr(package, "_MODULES", {})
    public = {
        name
        for name, value in vars(package).items()
        if not (name.startswith("_") or isinstance(value, ModuleType) or name in HELPERS)
    }
    assert set(package.__all__) == public | set(late)
    assert set(package.__all__) <= set(dir(package))
    assert len(set(package.__all__)) == len(package.__all__)


@pytest.mark.parametrize("package", [agent_parsers, engine], ids=lambda p: p.__name__)
def test_what_is_imported_late_is_what_its_module_has(package: ModuleType) -> None:
    for name in package._MODULES:
        assert hasattr(package, name)
    with pytest.raises(AttributeError, match="has no attribute 'ReactParser'"):
        _ = package.ReactParser


def test_an_init_is_a_table_of_contents() -> None:
    for path in sorted((ROOT / "agent_parsers").rglob("__init__.py")):
        docstring, *rest = ast.parse(path.read_text(encoding="utf-8")).body
        assert isinstance(docstring, ast.Expr), path
        for node in rest:
            assert ast.unparse(node).startswith(TABLE), f"{path}:{node.lineno}"


@pytest.mark.parametrize("name", agent_parsers.__all__)
def test_what_is_exported_is_documented(name: str) -> None:
    value = getattr(agent_parsers, name)
    if isinstance(value, type) or callable(value):
        assert value.__doc__, name


# -- what it imports -----------------------------------------------------------------------------


def modules(package: str) -> dict[str, Path]:
    """The modules of a package by name."""
    found = {}
    for path in sorted((ROOT / package).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imported(path: Path, *, at_import: bool) -> Iterator[str]:
    """Names of what a module imports, or of what importing it imports at once."""
    nodes: list[Sequence[ast.AST]] = [ast.parse(path.read_text(encoding="utf-8")).body]
    while nodes:
        for node in nodes.pop():
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{path}:{node.lineno}: a relative import"
                assert node.module is not None
                yield node.module
                yield from (f"{node.module}.{alias.name}" for alias in node.names)
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and at_import:
                continue
            elif isinstance(node, ast.If) and at_import and "TYPE_CHECKING" in ast.dump(node.test):
                nodes.append(node.orelse)
            else:
                nodes.append(list(ast.iter_child_nodes(node)))


@pytest.mark.parametrize("package", LAYERS)
def test_imports_point_one_way(package: str) -> None:
    above = set(LAYERS[LAYERS.index(package) + 1 :])
    for name, path in modules(package).items():
        tops = {module.partition(".")[0] for module in imported(path, at_import=False)}
        assert not tops & above, name


def test_no_import_at_run_time_goes_round_in_a_circle() -> None:
    known = {name: path for package in LAYERS for name, path in modules(package).items()}
    needs = {
        name: {module for module in imported(path, at_import=True) if module in known}
        # A package's `__init__` imports its modules, which do not need it.
        - {name.rpartition(".")[0]}
        for name, path in known.items()
    }
    while free := {name for name, needed in needs.items() if not needed & needs.keys()}:
        for name in free:
            del needs[name]
    assert not needs


def test_only_its_own_package_knows_the_help_for_tests() -> None:
    for name, path in modules("agent_parsers").items():
        if name.split(".")[1:2] != ["testing"]:
            assert not any("testing" in module for module in imported(path, at_import=False)), name


def test_one_module_imports_langchain_and_is_imported_when_it_is_asked_for() -> None:
    for package in LAYERS:
        for name, path in modules(package).items():
            tops = {module.partition(".")[0] for module in imported(path, at_import=False)}
            assert any(top.startswith("lang") for top in tops) is (name == BRIDGE), name
            assert BRIDGE not in imported(path, at_import=True), name


# -- what importing it brings along --------------------------------------------------------------


@cache
def modules_after(code: str) -> set[str]:
    """The modules a new interpreter has loaded after *code*."""
    code += "\nimport json, sys; print(json.dumps(list(sys.modules)))"
    return set(json.loads(subprocess.check_output([sys.executable, "-c", code], text=True)))


def heavy_after(code: str) -> set[str]:
    """The heavy modules among those that *code* loads and pydantic alone does not."""
    return HEAVY & modules_after(code) - modules_after("import pydantic.main, pydantic.fields")


def test_importing_it_stays_light() -> None:
    assert not heavy_after("import agent_parsers")
    loaded = modules_after("import agent_parsers")
    assert not {name for name in loaded if name.startswith("agent_parsers.testing")}


@pytest.mark.parametrize(
    "code",
    [
        "agent_parsers.get_parser('react').parse('Final Answer: 42')",
        "agent_parsers.ReActOutputParser().invoke('Action 1: Finish[42]')",
        "agent_parsers.parse_transcript('Final Answer: 42')",
        "list(agent_parsers.get_parser('react').events(['Final ', 'Answer: 42']))",
    ],
)
def test_using_it_stays_light(code: str) -> None:
    assert not heavy_after(f"import agent_parsers; {code}")


PARSE = "import agent_parsers; agent_parsers.get_parser('react').parse('Final Answer: 42')"


def test_one_parser_brings_along_one_dialect() -> None:
    dialects = "agent_parsers.dialects."
    loaded = {name for name in modules_after(PARSE) if name.startswith(dialects)}
    assert loaded == {f"{dialects}react"}


@pytest.mark.parametrize(
    "unused",
    ["_explain", "_scratchpad", "_transcript", "cli", "native", "testing", "tools",
     "engine._calls", "engine._escape", "engine._json", "engine._parameter_calls", "engine._render",
     "engine._stream", "engine._tag_calls"],
)  # fmt: skip
def test_one_parser_brings_along_no_more_than_it_needs(unused: str) -> None:
    assert not {name for name in modules_after(PARSE) if name.startswith(f"agent_parsers.{unused}")}


def test_a_call_behind_labels_is_read_without_the_stream() -> None:
    call = {"action": "search", "action_input": "Bern"}
    text = f"Thought: hm\\nAction:\\n```json\\n{json.dumps(call)}\\n```"
    code = f"import agent_parsers; agent_parsers.get_parser('react_json').parse('{text}')"
    assert "agent_parsers.engine.reading.stream" not in modules_after(code)


def test_a_codec_comes_with_the_dialect_that_reads_by_it() -> None:
    loaded = modules_after(PARSE.replace("react", "react_json"))
    assert "agent_parsers.engine.calls.json.call" in loaded
    assert "agent_parsers.engine.calls.tags.pair" not in loaded
