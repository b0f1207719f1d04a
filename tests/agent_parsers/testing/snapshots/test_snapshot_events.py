"""``snapshot_events``: the events of replies that come in piece by piece."""

import pytest

from ....helpers.project import Project

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
