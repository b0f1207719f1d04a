"""Builds a release from a tag in a clone, and tries what users will install: ``VERSION [EXTRA…]``.

The wheel goes alone into a fresh environment, then with each extra alone, where what the extra is
for is run; the source distribution is built and imported. Nothing is uploaded, and the repository
itself gets no tag. It takes some ten minutes, most of which pip takes.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import tomllib
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = (
    "agent_laws", "agent_parsers", "agent_runs", "agent_serving", "output_parsers", "outputs",
)  # fmt: skip
TOOL = "def f(x: int): 'Adds one.'\n"
SAMPLES = {
    "": "from agent_parsers import get_parser\n"
    f"{TOOL}"
    "turn = get_parser('react', tools=[f]).read('Action: f\\nAction Input: {x: 1}')\n"
    "assert turn.actions[0].tool_input == {'x': 1}, turn",
    "cli": "import subprocess, sys\n"
    "run = [sys.executable, '-m', 'agent_parsers', 'parse', 'examples/bridge_run.txt']\n"
    "subprocess.run(run, check=True)",
    "yaml": "from output_parsers import YamlOutputParser\nfrom pydantic import BaseModel\n"
    "class A(BaseModel):\n    x: int\n"
    "assert YamlOutputParser(pydantic_object=A).parse('x: 1').x == 1",
    "serve": "from agent_serving.serve.running import ServeSettings, make_app",
    "templates": "from agent_serving.templates import dialect_for_template\n"
    "call = '<tool_call>\\n{{ call.function | tojson }}\\n</tool_call>'\n"
    "calls = '{% for call in m.tool_calls %}' + call + '{% endfor %}'\n"
    "template = '{% for m in messages %}{{ m.content }}' + calls + '{% endfor %}'\n"
    "assert dialect_for_template(template).candidates",
    "arrow": "from agent_runs.bulk import parse_table\nimport pyarrow",
    "ray": "import ray.data\nfrom agent_runs.bulk import TableParser",
    "openai": "import openai\nfrom agent_parsers import run_agent, to_openai",
    "anthropic": "import anthropic\nfrom agent_parsers import run_agent, to_anthropic",
    "langchain": "from agent_parsers import get_parser\n"
    "from agent_serving.langchain import DialectChatModel\n"
    "get_parser('react', tools=[]).as_langchain()",
    "llama-index": "from agent_serving.llama_index import DialectLLM",
    "openai-agents": "from agent_serving.openai_agents import AgentsDialectModel",
    "pydantic-ai": "from agent_serving.pydantic_ai import DialectModel",
    "smolagents": "from agent_serving.smolagents import SmolDialectModel",
    "testing": "from agent_parsers.testing import SnapshotPrompt\nimport syrupy, hypothesis",
}
"""What is run with each extra, and without any."""
FOR_CONTRIBUTORS = {"bench", "docs", "lint", "test"}
"""The extras that are for work on the project."""


def main(version: str, *extras: str) -> int:
    """Build, look into, install and run; return how many of these failed."""
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        clone = Path(scratch, "clone")
        _run("git", "clone", "--quiet", str(ROOT), str(clone))
        _run("git", "tag", f"v{version}", cwd=clone)
        _run(sys.executable, "-m", "build", "--outdir", str(clone / "dist"), cwd=clone)
        wheel, source = (next((clone / "dist").glob(each)) for each in ("*.whl", "*.tar.gz"))
        _run(sys.executable, "-m", "twine", "check", "--strict", str(wheel), str(source))
        assert wheel.name.startswith(f"agent_parsers-{version}-"), wheel.name
        _check_names(wheel)
        extras_there = tomllib.loads((clone / "pyproject.toml").read_text("utf-8"))["project"][
            "optional-dependencies"
        ]
        assert {"", *extras_there} - FOR_CONTRIBUTORS == {*SAMPLES}, "an extra has no sample"
        beside = Path(scratch, "beside")  # no package may be imported from the clone
        beside.mkdir()
        (beside / "examples").symlink_to(clone / "examples")
        for extra in extras or (*SAMPLES, "sdist"):
            given = (
                str(source) if extra == "sdist" else f"{wheel}[{extra}]" if extra else str(wheel)
            )
            try:
                python = _environment(Path(scratch, f"env-{extra}"), given)
                _run(python, "-c", SAMPLES.get(extra, SAMPLES[""]), cwd=beside)
            except subprocess.CalledProcessError as error:
                failed += 1
                print(f"FAILED {extra or 'alone'}\n{error.stdout}{error.stderr}")
            else:
                print(f"ok     {extra or 'alone'}", flush=True)
    return failed


def _check_names(wheel: Path) -> None:
    """Check that a *wheel* has the packages, each with its types, and nothing else."""
    with zipfile.ZipFile(wheel) as opened:
        names = opened.namelist()
    tops = {name.partition("/")[0] for name in names if ".dist-info/" not in name}
    assert tops == {*PACKAGES, "pytest_agent_parsers.py"}, tops
    missing = [each for each in PACKAGES if f"{each}/py.typed" not in names]
    assert not missing, f"without py.typed: {missing}"


def _environment(folder: Path, given: str) -> str:
    """Return the Python of a fresh environment in a *folder* that has what is *given* to pip."""
    venv.create(folder, with_pip=True)
    python = str(folder / "bin" / "python")
    _run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", given)
    return python


def _run(*command: str, cwd: Path | None = None) -> None:
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run(command, cwd=cwd, env=clean, check=True, capture_output=True, text=True)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
