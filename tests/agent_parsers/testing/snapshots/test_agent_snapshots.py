"""The option ``agent_snapshots``: the folder of the snapshots."""

import pytest

from ....helpers.project import Project

pytest_plugins = ["pytester"]


def test_it_names_the_folder(project: Project) -> None:
    project.configure("agent_snapshots = tests/prompts")
    project.write("test_a.py", "def test_it(snapshot_value): snapshot_value('told')")
    assert "1 snapshot generated" in project.run("--snapshot-update")
    assert project.files("tests/prompts") == {"a/it.txt": "told"}
    assert "1 snapshot passed" in project.run()
    assert not (project.root / "snapshots").exists()


@pytest.mark.parametrize(
    "fixture", ["snapshot_prompt", "snapshot_events", "snapshot_transcript", "snapshot_value"]
)
def test_all_fixtures_follow_it(project: Project, fixture: str) -> None:
    project.configure("agent_snapshots = golden")
    given = {
        "snapshot_prompt": "'react'",
        "snapshot_events": "'react', 'Final Answer: 42'",
        "snapshot_transcript": "'Final Answer: 42'",
        "snapshot_value": "[]",
    }
    code = f"def test_it({fixture}): {fixture}({given[fixture]})"
    project.write("test_a.py", code)
    project.run("--snapshot-update")
    assert list(project.files("golden")) == ["a/it.txt"]
    assert "1 snapshot passed" in project.run()


def test_what_no_test_uses_any_more_is_deleted_there_and_nowhere_else(project: Project) -> None:
    project.configure("agent_snapshots = golden")
    project.write("golden/old.txt", "of a test that is gone")
    project.write("snapshots/notes.txt", "of somebody else")
    project.write("test_a.py", "def test_it(snapshot_prompt): snapshot_prompt('react')")
    assert "1 unused snapshot deleted" in project.run("--snapshot-update")
    assert list(project.files("golden")) == ["a/it.txt"]
    assert list(project.files("snapshots")) == ["notes.txt"]


def test_a_snapshot_that_fails_deletes_nothing(project: Project) -> None:
    project.write("snapshots/x/two.txt", "of the second")
    project.write(
        "test_a.py",
        """
        def test_one(snapshot_prompt):
            snapshot_prompt("react")
            assert 0
        """,
    )
    assert "unused" not in project.run("--snapshot-update")
    assert "x/two.txt" in project.files()


def test_syrupys_own_snapshots_stay_as_they_are(project: Project) -> None:
    project.write("test_a.py", "def test_it(snapshot): assert 'told' == snapshot")
    project.run("--snapshot-update")
    assert list(project.files("__snapshots__")) == ["test_a.ambr"]
