"""The modules that are imported with the package, and when using a little of it."""

import json
import os
import subprocess
import sys
from functools import cache
from importlib.metadata import version
from pathlib import Path

import pytest

import agent_parsers

ROOT = Path(__file__).parents[2]

HEAVY = {
    "agents", "asyncio", "defusedxml", "difflib", "jsonpatch", "langchain_core", "llama_index",
    "pkgutil", "pydantic_ai", "pytest", "regex", "rich", "smolagents", "syrupy", "typer", "yaml",
}  # fmt: skip


# -- names ---------------------------------------------------------------------------------------


def test_all_names_can_be_imported_at_once_and_leave_the_callers_version() -> None:
    names: dict[str, object] = {"__version__": "mine"}
    exec("from agent_parsers import *", names)
    assert {*agent_parsers.__all__} <= names.keys()
    assert names["__version__"] == "mine"


def test_the_version_is_that_of_the_package() -> None:
    assert "__version__" in dir(agent_parsers)
    assert agent_parsers.__version__ == version("agent-parsers")


# -- packages that a file hides ------------------------------------------------------------------


@pytest.mark.parametrize("name", ["outputs", "output_parsers"])
@pytest.mark.parametrize("hidden_by", ["{}.py", "{}/__init__.py"])
@pytest.mark.parametrize("content", ["RESULTS = 3", "from agent_parsers import get_parser"])
@pytest.mark.parametrize("script", ["agent.py", "{}.py"])
def test_a_file_that_hides_a_package_is_named(
    tmp_path: Path, name: str, hidden_by: str, content: str, script: str
) -> None:
    file = tmp_path / hidden_by.format(name)
    file.parent.mkdir(exist_ok=True)
    file.write_text(content)
    main = tmp_path / script.format(name)
    if main != file:
        main.write_text("import agent_parsers")
    done = subprocess.run(
        [sys.executable, str(main)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    said = f"ImportError: {file} hides the package {name!r} of agent-parsers: rename that file"
    if main == file and "import" not in content:
        assert done.returncode == 0  # a script that does not need us
    else:
        assert done.stderr.splitlines()[-1] == said


@pytest.mark.parametrize("package", ["output_parsers", "agent_parsers"])
def test_it_is_named_whichever_package_is_imported_first(tmp_path: Path, package: str) -> None:
    (tmp_path / "outputs.py").write_text("RESULTS = 3")
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import {package}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "hides the package 'outputs' of agent-parsers" in done.stderr.splitlines()[-1]


def test_another_missing_package_is_not_blamed_on_a_file(tmp_path: Path) -> None:
    (tmp_path / "pydantic.py").write_text("raise ImportError('no pydantic here')")
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from agent_parsers import AgentAction"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1] == "ImportError: no pydantic here"


# -- imported modules ----------------------------------------------------------------------------


@cache
def modules_after(code: str) -> set[str]:
    """Return the modules that a new interpreter has loaded after *code*."""
    code += "\nimport json, sys; print(json.dumps(list(sys.modules)))"
    return set(json.loads(subprocess.check_output([sys.executable, "-c", code], text=True)))


def heavy_after(code: str) -> set[str]:
    """Return the heavy modules that *code* loads but pydantic alone does not."""
    return HEAVY & modules_after(code) - modules_after("import pydantic.main, pydantic.fields")


@pytest.mark.parametrize("package", ["agent_parsers", "output_parsers", "outputs"])
def test_importing_a_package_loads_only_the_list_of_its_names(package: str) -> None:
    python = modules_after("import __future__, typing, importlib")
    loaded = modules_after(f"import {package}") - python
    known = {
        "agent_parsers.engine", "agent_parsers.engine.reading",
        "agent_parsers.engine.reading.rules", "agent_parsers.engine.reading.rules.foreign_calls",
        "agent_parsers.foreign", "agent_parsers.foreign.asked",
        "agent_parsers.neighbours", "output_parsers.neighbours", "outputs.lazy_names",
    }  # fmt: skip
    assert loaded <= {"agent_parsers", "output_parsers", "outputs"} | known


BY_CLASS = """
from agent_parsers.react_single_input import ReActSingleInputOutputParser
parser = ReActSingleInputOutputParser(lenient=True, tools=["look"])
print(parser.parse(f"Final Answer: {CALL}").tool)
"""
BY_DIALECT = """
from agent_parsers.dialects.qwen3_coder import DIALECT
from agent_parsers.engine.stream_parser import StreamParser
parser = StreamParser(DIALECT, tools=["look"])
parser.feed(CALL), parser.close()
print(parser.result[0].tool)
"""


@pytest.mark.parametrize("code", [BY_CLASS, BY_DIALECT])
def test_what_a_text_means_does_not_depend_on_what_was_imported_before(code: str) -> None:
    call = '<tool_call>\n{"name": "look", "arguments": {"at": "lakes"}}\n</tool_call>'
    code = f"CALL = {call!r}{code}"
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "look\n"


def test_importing_it_stays_light() -> None:
    assert not heavy_after("from agent_parsers import AgentAction, get_parser")
    loaded = modules_after("import agent_parsers")
    assert not {name for name in loaded if name.startswith("agent_parsers.testing")}


def test_using_it_stays_light() -> None:
    used = (
        "agent_parsers.get_parser('react').parse('Final Answer: 42')",
        "agent_parsers.ReActOutputParser().invoke('Action 1: Finish[42]')",
        "agent_parsers.parse_transcript('Final Answer: 42')",
        "list(agent_parsers.get_parser('react').events(['Final ', 'Answer: 42']))",
    )
    assert not heavy_after("; ".join(("import agent_parsers", *used)))


PARSE = "import agent_parsers; agent_parsers.get_parser('react').parse('Final Answer: 42')"


def test_one_parser_brings_along_one_dialect() -> None:
    dialects = "agent_parsers.dialects."
    loaded = {name for name in modules_after(PARSE) if name.startswith(dialects)}
    assert loaded == {f"{dialects}react"}


UNUSED = [
    "cli", "explain", "format_scratchpad", "native", "runs.run", "runs.transcript", "testing",
    "tools", "toolset.set", "engine.calls", "engine.reading.stream", "engine.writing.escape",
    "engine.writing.render",
]  # fmt: skip


@pytest.mark.parametrize("unused", UNUSED)
def test_one_parser_brings_along_no_more_than_it_needs(unused: str) -> None:
    known = f"agent_parsers.{unused}"
    assert not {n for n in modules_after(PARSE) if n == known or n.startswith(f"{known}.")}


def test_a_call_behind_labels_is_read_without_the_stream() -> None:
    call = {"action": "search", "action_input": "Bern"}
    text = f"Thought: hm\\nAction:\\n```json\\n{json.dumps(call)}\\n```"
    code = f"import agent_parsers; agent_parsers.get_parser('react_json').parse('{text}')"
    assert "agent_parsers.engine.reading.stream" not in modules_after(code)


def test_a_codec_comes_with_the_dialect_that_reads_by_it() -> None:
    loaded = modules_after(PARSE.replace("react", "react_json"))
    assert "agent_parsers.engine.calls.json.call" in loaded
    assert "agent_parsers.engine.calls.tags.pair" not in loaded
