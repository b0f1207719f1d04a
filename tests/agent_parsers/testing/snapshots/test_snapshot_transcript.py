"""``snapshot_transcript``: what the transcript of a run is read as."""

import pytest

from ....helpers.project import Project

pytest_plugins = ["pytester"]

RUN = """\
Question: How late is it?
Thought: I ask the clock.
Action: clock
Action Input: Bern
Observation: noon
Thought: I now know the final answer
Final Answer: It is noon in Bern.
"""


def write(project: Project, *given: str) -> None:
    head = f"from pathlib import Path\nfrom agent_parsers import get_dialect\n\nRUN = {RUN!r}\n"
    code = (
        f"{head}\ndef test_run(snapshot_transcript):\n    snapshot_transcript({', '.join(given)})\n"
    )
    project.write("test_a.py", code)


def snapshot_of(project: Project, *given: str) -> str:
    write(project, *given)
    return project.only_snapshot()


def test_the_file_has_the_steps_with_their_places(project: Project) -> None:
    page = snapshot_of(project, "RUN")
    assert page.startswith('Transcript\n  question: "How late is it?"\n  all_steps:\n')
    assert '\n          tool: "clock"\n          tool_input: "Bern"\n' in page
    assert '\n        observation: "noon"\n' in page
    assert '\n            "output": "It is noon in Bern."\n' in page
    assert "\n        thought_span: (35, 51)\n" in page


def test_a_path_is_below_pytests_root_wherever_pytest_is_started(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write("runs/noon.txt", RUN)
    page = snapshot_of(project, "Path('runs/noon.txt')")
    assert '"It is noon in Bern."' in page
    (project.root / "elsewhere").mkdir()
    monkeypatch.chdir(project.root / "elsewhere")
    assert "1 snapshot passed" in project.run(str(project.root))


def test_an_absolute_path_is_taken_as_it_is(project: Project) -> None:
    path = project.write("runs/noon.txt", RUN)
    assert '"It is noon in Bern."' in snapshot_of(project, f"Path({str(path)!r})")


@pytest.mark.parametrize("dialect", ["'xml'", "get_dialect('xml')"])
def test_the_dialect_goes_by_name_or_value(project: Project, dialect: str) -> None:
    text = "'<tool>search</tool><tool_input>Bern</tool_input>'"
    assert 'tool: "search"' in snapshot_of(project, text, f"dialect={dialect}")


def test_several_runs_are_a_list(project: Project) -> None:
    page = snapshot_of(project, "RUN + RUN")
    assert page.count("- Transcript\n") == 2


def test_the_caller_may_name_the_file(project: Project) -> None:
    snapshot_of(project, "RUN", "name='runs/noon'")
    assert list(project.files()) == ["runs/noon.txt"]


def test_a_change_shows_the_line(project: Project) -> None:
    snapshot_of(project, "RUN")
    write(project, "RUN.replace('noon', 'late')")
    out = project.run()
    assert "this differs from the snapshot in snapshots/a/run.txt (- snapshot, + now)" in out
    assert '-         observation: "noon"' in out
    assert '+         observation: "late"' in out


def test_a_text_without_steps_is_an_error(project: Project) -> None:
    write(project, "'nothing of the kind'")
    assert "found no step in the transcript" in project.run("--snapshot-update")
    write(project, "Path('lost.txt')")
    assert "FileNotFoundError" in project.run("--snapshot-update")
    assert project.files() == {}
