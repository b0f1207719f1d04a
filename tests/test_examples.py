"""The examples run unchanged, without a network, and print the output shown below them."""

import ast
import asyncio
import importlib
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from agent_parsers import AgentAction, AgentFinish, ToolSet, get_parser, list_dialects
from agent_parsers.testing import ScriptedModel
from outputs import AIMessage

from .helpers.samples import missing_engine

ROOT = Path(__file__).parents[1]
FILES = sorted((ROOT / "examples").glob("*.py"))
HELPERS = {"executor", "scripted_server"}
"""Examples that others import."""
TALKATIVE = {"llama_index_agent", "ray_batches"}
"""Examples whose libraries write to standard error."""
OURS = {"agent_parsers", "agent_runs", "agent_serving", "output_parsers", "outputs"}
BROUGHT_BY = {
    "openai": {"openai"},
    "anthropic": {"anthropic"},
    "langchain": {"langchain_core", "langchain_classic"},
    "llama-index": {"llama_index"},
    "openai-agents": {"agents"},
    "pydantic-ai": {"pydantic_ai"},
    "ray": {"pyarrow", "ray"},
    "smolagents": {"smolagents"},
}
"""The packages that the extras install."""

COMMAND = re.compile(
    r'# pip install (?:agent-parsers|"agent-parsers\[([\w-]+)\]")((?: \w+)*)'
    r' && python examples/(\w+)\.py(?: --help)?\n"""'
)
RUN = re.compile(r"^# \$ python examples/\w+\.py(.*)\n((?:# >.*\n)*)", re.MULTILINE)


MEMO = r"tool='search' tool_input='lakes' log='Tool: search\nWith: lakes'"
"""What `own_dialect` prints."""


def runs() -> list[Any]:
    """Return each file with the arguments and the output shown below it."""
    # The output of this one is in docs/dialects.md, which begins with its code.
    found = [pytest.param(ROOT / "examples" / "own_dialect.py", [], [MEMO], id="own_dialect")]
    for file in FILES:
        for arguments, printed in RUN.findall(file.read_text("utf-8")):
            said = [line.removeprefix("# >").removeprefix(" ") for line in printed.splitlines()]
            found.append(pytest.param(file, arguments.split(), said, id=f"{file.stem}{arguments}"))
    return found


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("file", "arguments", "said"), runs())
def test_an_example_prints_what_it_says(
    file: Path, arguments: list[str], said: list[str], tmp_path: Path
) -> None:
    if engine := missing_engine(file.read_text("utf-8")):
        pytest.skip(f"{engine} is not installed")
    is_quiet = file.stem not in TALKATIVE
    done = subprocess.run(
        [sys.executable, *(("-W", "error") if is_quiet else ()), str(file), *arguments],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert done.stderr == "" or not is_quiet
    assert done.stdout.splitlines() == said


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_an_example_says_how_to_run_it(file: Path) -> None:
    text = file.read_text("utf-8")
    if file.stem == "scripted_server":
        assert not set(imported(text)) - sys.stdlib_module_names
        return
    found = COMMAND.match(text)
    assert found is not None, f"{file.name} does not begin with the command that runs it"
    extra, others, name = found.groups()
    assert name == file.stem
    assert RUN.search(text) or name == "own_dialect", f"{file.name} does not say what it prints"
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert extra is None or extra in extras["optional-dependencies"]
    brought = {*BROUGHT_BY.get(extra, ()), *others.split()}
    allowed = OURS | HELPERS | brought | sys.stdlib_module_names
    assert not set(imported(text)) - allowed


def imported(text: str) -> list[str]:
    """Return the packages that a program imports."""
    names = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.append(node.module)
    return [name.partition(".")[0] for name in names]


def test_the_executor_has_at_most_fifteen_lines_of_code() -> None:
    tree = ast.parse((ROOT / "examples" / "executor.py").read_text("utf-8"))
    loops = [node for node in tree.body if getattr(node, "name", "") in ("run", "arun")]
    assert len(loops) == 2
    for loop in loops:
        assert isinstance(loop, ast.FunctionDef | ast.AsyncFunctionDef)
        _docstring, *body = loop.body
        assert len(ast.unparse(body).splitlines()) <= 15


OWN_TOOLS = {"self_ask": "Intermediate Answer", "smolagents_code": "python_interpreter"}
"""The name of the tool in dialects with only one."""


class Tools:
    """Stands in for a `ToolSet`, including the tools that only some dialects have."""

    def run(self, turn: Any) -> list[Any]:
        return [(action, "48.3 km²") for action in turn.actions]

    async def arun(self, turn: Any) -> list[Any]:
        return self.run(turn)


@pytest.fixture
def executor(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(ROOT / "examples")
    return importlib.import_module("executor")


@pytest.mark.parametrize("name", list_dialects())
def test_the_executor_runs_every_dialect(name: str, executor: Any) -> None:
    tools = ToolSet([executor.area])
    parser = get_parser(name, tools=[OWN_TOOLS[name]] if name in OWN_TOOLS else tools)
    call = AgentAction(OWN_TOOLS.get(name, "area"), "Thun", "")
    finish = AgentFinish({"output": "It has 48.3 km²."}, "")
    script = ["", parser.render(call), parser.render(finish)]  # the first reply is empty
    for is_async in (False, True):
        model = ScriptedModel(script)
        if is_async:
            done = executor.arun(model.astream, "How large?", parser, Tools(), len)
            assert asyncio.run(done) == "It has 48.3 km²."
        else:
            done = executor.run(model.stream, "How large?", parser, Tools(), len)
            assert done == "It has 48.3 km²."
        wrote, _ = model.calls[1].prompt[-2:]
        assert isinstance(wrote, AIMessage)
        assert call.tool not in wrote.text
        assert "48.3 km²" in model.calls[2].prompt[-1].content
