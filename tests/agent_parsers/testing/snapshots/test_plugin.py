"""The pytest plugin is loaded in every run, so it must cost nothing until a fixture is used."""

import ast
import os
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

import pytest_agent_parsers

from ....helpers.project import Project

pytestmark = pytest.mark.one_in(2)  # each starts a process or more

pytest_plugins = ["pytester"]

ROOT = Path(pytest_agent_parsers.__file__).parent
FIXTURES = ["snapshot_events", "snapshot_prompt", "snapshot_transcript", "snapshot_value"]
HEAVY = ["agent_parsers", "output_parsers", "outputs", "pydantic", "syrupy", "hypothesis"]

RUN = """
import sys
{before}
import pytest
code = pytest.main(["-q", "-p", "no:cacheprovider", *sys.argv[1:]])
print("imported:", *sorted(set({heavy}) & sys.modules.keys()))
"""


def run_alone(project: Project, *args: str, before: str = "") -> str:
    """Run the tests of *project* in a process of its own."""
    code = RUN.format(before=before, heavy=HEAVY)
    done = subprocess.run(
        [sys.executable, "-c", code, *args],
        cwd=project.root,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(project.root), str(ROOT)])},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


def test_a_run_that_uses_no_fixture_imports_none_of_the_packages(project: Project) -> None:
    project.write("test_a.py", "def test_it(): pass")
    out = run_alone(project, "-p", "pytest_agent_parsers")
    assert "1 passed" in out
    assert out.splitlines()[-1] == "imported:"


def test_it_is_installed_under_the_name_of_its_module() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    plugins = project["project"]["entry-points"]["pytest11"]
    assert plugins == {"pytest_agent_parsers": "pytest_agent_parsers"}
    built = project["tool"]["hatch"]["build"]["targets"]
    assert "pytest_agent_parsers.py" in built["wheel"]["only-include"]
    assert "/pytest_agent_parsers.py" in built["sdist"]["include"]


def test_loading_it_by_hand_as_well_does_no_harm(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    about = project.root / "some_plugin-1.0.dist-info"
    project.write(f"{about.name}/METADATA", "Name: some-plugin\nVersion: 1.0\n")
    entry = "[pytest11]\npytest_agent_parsers = pytest_agent_parsers\n"
    project.write(f"{about.name}/entry_points.txt", entry)
    project.write("test_a.py", "def test_it(): pass")
    monkeypatch.delenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    slow = ("syrupy", "hypothesispytest", "xdist", "langsmith_plugin", "anyio", "pytest_cov")
    others = [part for name in slow for part in ("-p", f"no:{name}")]
    listed = run_alone(project, "--trace-config", *others)
    assert "pytest_agent_parsers.py" in listed
    out = run_alone(project, *["-p", "pytest_agent_parsers"] * 2, *others)
    assert "1 passed" in out
    assert "warning" not in out


def test_without_the_libraries_only_what_needs_them_fails(project: Project) -> None:
    project.write(
        "test_a.py",
        """
        def test_plain():
            pass

        def test_script():
            from agent_parsers.testing import ScriptedModel, assert_same_events, readable
            assert ScriptedModel(["noon"])("") == "noon"
            assert readable([]) == "[]\\n"
            assert_same_events([], [])

        def test_snapshot(snapshot_prompt):
            pass
        """,
    )
    before = "sys.modules['syrupy'] = sys.modules['hypothesis'] = None"
    out = run_alone(project, "-p", "pytest_agent_parsers", before=before)
    assert "2 passed, 1 error" in out
    assert (
        "test_snapshot compares snapshots, which needs syrupy: it is not installed"
        " (pip install 'agent-parsers[testing]') or not loaded (-p syrupy)"
    ) in out
    assert "Traceback" not in out


def test_the_import_of_snapshots_says_what_to_install(project: Project) -> None:
    project.write(
        "test_a.py",
        """
        def test_it():
            from agent_parsers.testing import ReadableSnapshots
        """,
    )
    before = "sys.modules['syrupy'] = sys.modules['syrupy.data'] = None"
    out = run_alone(project, before=before)
    assert "syrupy, which is not installed: pip install 'agent-parsers[testing]'" in out


@pytest.mark.parametrize("fixture", FIXTURES)
def test_a_fixture_says_so_if_syrupy_is_not_loaded(project: Project, fixture: str) -> None:
    project.write("test_a.py", f"def test_it({fixture}): pass")
    out = project.run(plugins=["pytest_agent_parsers"])
    assert "test_it compares snapshots, which needs syrupy: it is not installed" in out
    assert "1 error" in out


def test_the_fixtures_are_listed_with_what_they_do(project: Project) -> None:
    out = project.run("--fixtures", "-q")
    for fixture in FIXTURES:
        _, _, text = out.partition(f"\n{fixture} -- ")
        assert text.partition("\n")[2].startswith("    "), fixture


def test_it_imports_nothing_but_pytest_at_once() -> None:
    tree = ast.parse(Path(pytest_agent_parsers.__file__).read_text(encoding="utf-8"))
    found = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    assert [ast.unparse(node) for node in found] == [
        "from __future__ import annotations",
        "from typing import TYPE_CHECKING",
        "import pytest",
    ]


def test_every_late_name_is_there() -> None:
    testing = import_module("agent_parsers.testing")
    for name in testing.__all__:
        assert getattr(testing, name).__doc__, name


def test_what_is_missing_without_pytest_is_said() -> None:
    code = (
        "import sys; sys.modules['pytest'] = None\n"
        "from agent_parsers.testing import ScriptedModel\n"
        "from agent_parsers.testing import SnapshotPrompt\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=False
    )
    said = 'the snapshots need pytest and syrupy: pip install "agent-parsers[testing]"'
    assert said in done.stderr.splitlines()[-1]
