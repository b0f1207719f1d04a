"""The fixtures: events, transcripts and values as readable text, and their folder."""

import pytest

from ....helpers.project import Project

# ``snapshot_events``: the events of replies that come in piece by piece.

pytest_plugins = ["pytester"]

HEAD = """
from agent_parsers import get_dialect, get_parser
from outputs import AIMessage

REPLY = "Thought: look\\nAction: search\\nAction Input: Bern"
"""

PAGE = """\
| Thought: look
| Action: search
| Action Input: Bern

     0-9      marker       thought
     9-13     thought      "look"
    13-22     marker       action
    22-28     tool         "search"
    28-43     marker       input
    43-47     input        "Bern"
    22-47     action       search "Bern"
"""


def write(project: Project, *given: str) -> None:
    code = f"{HEAD}\ndef test_events(snapshot_events):\n    snapshot_events({', '.join(given)})\n"
    project.write("test_a.py", code)


def snapshot_of(project: Project, *given: str) -> str:
    write(project, *given)
    return project.only_snapshot()


@pytest.mark.parametrize(
    "parser", ["'react'", "get_dialect('react')", "get_parser('react')", "get_parser('mrkl')"]
)
def test_the_file_has_the_reply_and_its_events(project: Project, parser: str) -> None:
    assert snapshot_of(project, parser, "REPLY") == PAGE


def test_an_error_ends_them(project: Project) -> None:
    assert snapshot_of(
        project, "'react'", "'Action: serch\\nAction Input: x'", "tools=['search']"
    ) == (
        "| Action: serch\n"
        "| Action Input: x\n"
        "\n"
        "     0-8      marker       action\n"
        '     8-13     tool         "serch"\n'
        "    13-28     marker       input\n"
        '    28-29     input        "x"\n'
        "'serch' is not one of the tools\n"
        "  --> line 1, column 9\n"
        "1 | Action: serch\n"
        "  |         ^^^^^\n"
    )


def test_several_replies_are_below_their_titles(project: Project) -> None:
    page = snapshot_of(project, "'react'", "{'a call': REPLY, 'the end': 'Final Answer: 42'}")
    assert page.startswith(f"a call\n------\n{PAGE}\nthe end\n-------\n| Final Answer: 42\n\n")
    assert '\n    14-16     finish       "42"\n' in page


def test_replies_without_titles_are_numbered(project: Project) -> None:
    page = snapshot_of(project, "'react'", "['Final Answer: 42', REPLY]")
    assert page.startswith("reply 1\n-------\n| Final Answer: 42\n")
    assert page.endswith(f"\nreply 2\n-------\n{PAGE}")


def test_a_message_is_a_reply_too(project: Project) -> None:
    page = snapshot_of(project, "'tools'", "AIMessage('noon')")
    assert "| noon\n" in page
    assert page.endswith('     0-4      finish       "noon"\n')


def test_the_caller_may_name_the_file(project: Project) -> None:
    snapshot_of(project, "'react'", "REPLY", "name='events'")
    assert list(project.files()) == ["events.txt"]


def test_a_change_shows_the_events(project: Project) -> None:
    snapshot_of(project, "'react'", "REPLY")
    write(project, "'react'", "REPLY + ', then Thun'")
    out = project.run()
    assert "this differs from the snapshot in snapshots/a/events.txt (- snapshot, + now)" in out
    assert '-     43-47     input        "Bern"' in out
    assert '+     43-58     input        "Bern, then Thun"' in out


def test_a_cut_that_matters_fails(project: Project) -> None:
    project.write(
        "test_a.py",
        """
        from agent_parsers import DialectParser, get_dialect

        class Hasty(DialectParser):
            def events(self, chunks):
                return super().events(chunk.strip() for chunk in chunks)

        def test_events(snapshot_events):
            snapshot_events(Hasty(dialect=get_dialect("react")), "Final Answer: it is noon")
        """,
    )
    out = project.run("--snapshot-update")
    assert "the events differ from event " in out
    assert ", column " in out
    assert project.files() == {}


# ``snapshot_transcript``: what the transcript of a run is read as.

RUN = """\
Question: How late is it?
Thought: I ask the clock.
Action: clock
Action Input: Bern
Observation: noon
Thought: I now know the final answer
Final Answer: It is noon in Bern.
"""


def write_transcript(project: Project, *given: str) -> None:
    head = f"from pathlib import Path\nfrom agent_parsers import get_dialect\n\nRUN = {RUN!r}\n"
    code = (
        f"{head}\ndef test_run(snapshot_transcript):\n    snapshot_transcript({', '.join(given)})\n"
    )
    project.write("test_a.py", code)


def snapshot_of_transcript(project: Project, *given: str) -> str:
    write_transcript(project, *given)
    return project.only_snapshot()


def test_the_file_has_the_steps_with_their_places(project: Project) -> None:
    page = snapshot_of_transcript(project, "RUN")
    assert page.startswith('Transcript\n  question: "How late is it?"\n  all_steps:\n')
    assert '\n          tool: "clock"\n          tool_input: "Bern"\n' in page
    assert '\n        observation: "noon"\n' in page
    assert '\n            "output": "It is noon in Bern."\n' in page
    assert "\n        thought_span: (35, 51)\n" in page


def test_a_path_is_below_pytests_root_wherever_pytest_is_started(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write("runs/noon.txt", RUN)
    page = snapshot_of_transcript(project, "Path('runs/noon.txt')")
    assert '"It is noon in Bern."' in page
    (project.root / "elsewhere").mkdir()
    monkeypatch.chdir(project.root / "elsewhere")
    assert "1 snapshot passed" in project.run(str(project.root))


def test_an_absolute_path_is_taken_as_it_is(project: Project) -> None:
    path = project.write("runs/noon.txt", RUN)
    assert '"It is noon in Bern."' in snapshot_of_transcript(project, f"Path({str(path)!r})")


@pytest.mark.parametrize("dialect", ["'xml'", "get_dialect('xml')"])
def test_the_dialect_goes_by_name_or_value(project: Project, dialect: str) -> None:
    text = "'<tool>search</tool><tool_input>Bern</tool_input>'"
    assert 'tool: "search"' in snapshot_of_transcript(project, text, f"dialect={dialect}")


def test_several_runs_are_a_list(project: Project) -> None:
    page = snapshot_of_transcript(project, "RUN + RUN")
    assert page.count("- Transcript\n") == 2


def test_the_caller_may_name_the_file_of_a_transcript(project: Project) -> None:
    snapshot_of_transcript(project, "RUN", "name='runs/noon'")
    assert list(project.files()) == ["runs/noon.txt"]


def test_a_change_shows_the_line(project: Project) -> None:
    snapshot_of_transcript(project, "RUN")
    write_transcript(project, "RUN.replace('noon', 'late')")
    out = project.run()
    assert "this differs from the snapshot in snapshots/a/run.txt (- snapshot, + now)" in out
    assert '-         observation: "noon"' in out
    assert '+         observation: "late"' in out


def test_a_text_without_steps_is_an_error(project: Project) -> None:
    write_transcript(project, "'nothing of the kind'")
    assert "found no step of an agent in the transcript" in project.run("--snapshot-update")
    write_transcript(project, "Path('lost.txt')")
    assert "FileNotFoundError" in project.run("--snapshot-update")
    assert project.files() == {}


# ``snapshot_value``: any value as readable text.


def shown(project: Project) -> list[str]:
    """Run the test, and return what is said of its failure."""
    lines = project.run().splitlines()
    return [line.removeprefix("E   ") for line in lines if line.startswith("E")]


def write_value(project: Project, value: object, more: str = "") -> None:
    code = f"def test_it(snapshot_value): snapshot_value({value!r}{more})"
    project.write("test_a.py", code)


@pytest.mark.parametrize(
    ("value", "text"),
    [("told", "told"), ("", ""), (["a", 1], '["a", 1]\n'), ({"a": None}, '"a": None\n')],
)
def test_it_is_written_as_readable_text(project: Project, value: object, text: str) -> None:
    write_value(project, value)
    assert "1 snapshot generated" in project.run("--snapshot-update")
    assert project.files() == {"a/it.txt": text}
    assert "1 snapshot passed" in project.run()


def test_the_caller_may_name_the_file_of_a_value(project: Project) -> None:
    write_value(project, "told", ", name='some/where'")
    project.run("--snapshot-update")
    assert list(project.files()) == ["some/where.txt"]


def test_a_long_difference_is_shown_whole(project: Project) -> None:
    write_value(project, "\n".join(map(str, range(100))))
    project.run("--snapshot-update")
    write_value(project, "\n".join(map(str, range(1000, 1100))))
    out = shown(project)
    for number in range(100):
        assert f"- {number}" in out
        assert f"+ {1000 + number}" in out


def test_lines_that_are_the_same_are_left_out_but_for_three(project: Project) -> None:
    lines = list(map(str, range(100)))
    write_value(project, "\n".join(lines))
    project.run("--snapshot-update")
    lines[50] = "changed"
    lines[90] = "changed too"
    write_value(project, "\n".join(lines))
    out = shown(project)
    start = out.index("line 48")
    end = out.index("line 88")
    assert [line.split()[-1] for line in out[start + 1 : end]] == [
        *("47", "48", "49"), "50", "changed", *("51", "52", "53")
    ]  # fmt: skip
    assert "+ changed too" in out


def test_blanks_at_the_end_of_a_line_show(project: Project) -> None:
    write_value(project, "Thought: \nAction:\n")
    project.run("--snapshot-update")
    write_value(project, "Thought:\nAction:\t \n")
    out = shown(project)
    assert {"- Thought:·", "+ Thought:"} <= set(out)
    assert {"- Action:", "+ Action:··"} <= set(out)


def test_a_line_break_at_the_end_counts(project: Project) -> None:
    write_value(project, "told\n")
    project.run("--snapshot-update")
    write_value(project, "told")
    assert (
        "this differs from the snapshot in snapshots/a/it.txt (- snapshot, + now)" in project.run()
    )


def test_what_does_not_print_is_replaced_in_the_difference(project: Project) -> None:
    write_value(project, "a")
    project.run("--snapshot-update")
    write_value(project, "\x1b[31mred")
    assert "+ \ufffd[31mred" in project.run()


def test_a_value_without_a_repr_is_refused(project: Project) -> None:
    project.write("test_a.py", "def test_it(snapshot_value): snapshot_value(object())")
    out = project.run("--snapshot-update")
    assert "TypeError: this object cannot be shown" in out
    assert project.files() == {}


# The option ``agent_snapshots``: the folder of the snapshots.


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
