"""The tests of the example project pass; if a label changes, they show the old and new one."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import pytest_agent_parsers

pytestmark = pytest.mark.one_in(4)  # each runs the tests of a project

ROOT = Path(pytest_agent_parsers.__file__).parent
EXAMPLE = Path(__file__).parents[4] / "examples" / "snapshot_agent"

CHANGED_LINES = {
    # in the instructions, the example and a past step; in a reply; in an observation
    "- Order: the tool to use, one of [tides, depth, convert]": (
        "+ Inquiry: the tool to use, one of [tides, depth, convert]"
    ),
    "- Order: tides": "+ Inquiry: tides",
    "- | Order: tides": "+ | Inquiry: tides",
    "- expected an Order or a Radio": "+ expected an Inquiry or a Radio",
    "- | For example: Order: tides": "+ | For example: Inquiry: tides",
}


def run(project: Path, *args: str) -> str:
    """Run the tests of *project* in a process of its own, as its user does."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *args, "-p", "syrupy", "-p", "pytest_agent_parsers"],
        cwd=project,
        # Its tests are a run of their own; workers of xdist report nothing.
        env={key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
        | {
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": str(ROOT),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


def files(folder: Path) -> dict[str, str]:
    found = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in found}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    ignored = shutil.ignore_patterns("__pycache__", ".*")
    return shutil.copytree(EXAMPLE, tmp_path / "snapshot_agent", ignore=ignored)


@pytest.mark.one_in(1)
def test_a_change_of_one_label_fails_and_shows_it(project: Path) -> None:
    before = files(project / "snapshots")
    assert sorted(before) == ["format/events.txt", "format/prompt.txt", "format/run.txt"]
    out = run(project)
    assert "12 passed" in out, f"{out}\nin examples/snapshot_agent: pytest --snapshot-update"

    dialect = project / "harbour" / "dialect.py"
    code = dialect.read_text(encoding="utf-8")
    assert code.count('"Order"') == 1
    dialect.write_text(code.replace('"Order"', '"Inquiry"'), encoding="utf-8")
    out = run(project, "tests/test_format.py::test_prompt", "-p", "xdist", "-n", "1")
    shown = [line.removeprefix("E").strip() for line in out.splitlines()]
    assert (
        "Failed: this differs from the snapshot in snapshots/format/prompt.txt (- snapshot, + now)"
        in shown
    ), out
    for old, new in CHANGED_LINES.items():
        assert old in shown, out
        assert new in shown, out
    assert files(project / "snapshots") == before

    out = run(project, "--snapshot-update", "tests/test_format.py")
    assert "3 passed" in out
    assert "3 snapshots updated" in out
    now = files(project / "snapshots")
    assert "Order" not in now["format/prompt.txt"]
    assert "3 passed" in run(project, "tests/test_format.py")


def test_a_snapshot_that_is_edited_by_hand_fails(project: Path) -> None:
    path = project / "snapshots" / "format" / "run.txt"
    path.write_text(path.read_text("utf-8").replace("11.2 feet", "12 feet"), encoding="utf-8")
    out = run(project, "tests/test_format.py::test_run")
    assert '-         observation: "12 feet"' in out
    assert '+         observation: "11.2 feet"' in out
