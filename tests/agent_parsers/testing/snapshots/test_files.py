"""Snapshots in text files of their own, of values as a person can read them."""

from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import PurePosixPath
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from agent_parsers import (
    ActionComplete,
    AgentAction,
    OutputParserException,
    Repair,
    ThoughtDelta,
    get_parser,
)
from agent_parsers.events import MarkerSeen, StepFailed
from agent_parsers.testing import (
    ReadableSnapshots,
    assert_same_events,
    readable,
    readable_snapshots,
)

from ....helpers.project import Project

# Snapshots in text files of their own, in a folder of the project.

pytest_plugins = ["pytester"]


@pytest.fixture
def project(project: Project) -> Project:
    project.write(
        "conftest.py",
        """
        import pytest
        from agent_parsers.testing import ReadableSnapshots

        @pytest.fixture
        def snapshot(snapshot):
            return snapshot.use_extension(ReadableSnapshots)
        """,
    )
    return project


@pytest.mark.one_in(2)
def test_the_caller_names_a_file(project: Project) -> None:
    code = "def test_it(snapshot): assert 'told ' == snapshot(name='react/prompt')"
    project.write("test_a.py", code)
    assert "1 snapshot generated" in project.run("--snapshot-update")
    assert project.files() == {"react/prompt.txt": "told "}
    assert "1 snapshot passed" in project.run()


@pytest.mark.one_in(2)
def test_a_file_is_named_after_its_test(project: Project) -> None:
    project.write(
        "tests/shop/test_cart.py",
        """
            import pytest

            def test_total(snapshot):
                assert 1 == snapshot
                assert 2 == snapshot

            @pytest.mark.parametrize("x", "abc", ids=["vat", "a/b: *", "y" * 300])
            def test_rate(snapshot, x):
                assert "x" == snapshot

            class TestCart:
                def test_it(self, snapshot):
                    assert "x" == snapshot
        """,
    )
    project.run("--snapshot-update")
    *short, long = sorted(project.files(), key=len)
    assert sorted(short) == [
        "shop/cart/TestCart.it.txt",
        "shop/cart/rate[a%2Fb%3A %2A].txt",
        "shop/cart/rate[vat].txt",
        "shop/cart/total.2.txt",
        "shop/cart/total.txt",
    ]
    assert len(long) < 255
    assert "6 snapshots passed" in project.run()


@pytest.mark.one_in(2)
def test_a_difference_fails_and_is_shown(project: Project) -> None:
    project.write("test_a.py", "def test_it(snapshot): assert 'one' == snapshot")
    project.run("--snapshot-update")
    project.write("test_a.py", "def test_it(snapshot): assert 'two' == snapshot")
    out = project.run()
    assert "1 snapshot failed" in out
    assert "- one" in out
    assert "+ two" in out
    assert project.files() == {"a/it.txt": "one"}
    assert "1 snapshot updated" in project.run("--snapshot-update")
    assert project.files() == {"a/it.txt": "two"}


@pytest.mark.one_in(2)
def test_a_missing_snapshot_fails(project: Project) -> None:
    project.write("test_a.py", "def test_it(snapshot): assert 'one' == snapshot")
    assert "Snapshot 'it' does not exist!" in project.run()
    assert project.files() == {}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("text", ["a\r\nb\r", "", "\n\n", "\ud800 \x00", "é\u2028", " \n "])
def test_text_comes_back_as_it_is(project: Project, text: str) -> None:
    project.write("test_a.py", f"def test_it(snapshot): assert {text!r} == snapshot")
    assert "1 snapshot generated" in project.run("--snapshot-update")
    assert "1 snapshot passed" in project.run()


TWO = """
            def test_one(snapshot): assert "1" == snapshot(name="x/one")
            def test_two(snapshot): assert "2" == snapshot(name="y/two")
"""


@pytest.mark.one_in(2)
def test_what_no_test_uses_is_reported_and_deleted(project: Project) -> None:
    project.write("test_a.py", TWO)
    project.run("--snapshot-update")
    project.write("snapshots/README.md", "about these")
    project.write("test_a.py", TWO.replace("y/two", "y/other"))
    project.run("--snapshot-update", "--snapshot-no-cleanup")
    out = project.run("--snapshot-details")
    assert "1 snapshot unused" in out
    assert "two (snapshots/y/two.txt)" in out
    assert "1 unused snapshot deleted" in project.run("--snapshot-update")
    assert sorted(project.files()) == ["README.md", "x/one.txt", "y/other.txt"]
    assert "unused" not in project.run()


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    "args",
    ["-k one", "-k x", "-k not(two)", "test_a.py::test_one", "test_a.py", "-m slow",
     "--deselect test_b.py::test_two", "--ignore test_b.py", "--lf"],
)  # fmt: skip
def test_a_run_of_some_tests_deletes_nothing(project: Project, args: str) -> None:
    project.write("pytest.ini", "[pytest]\nmarkers =\n    slow")
    one, two = (line.strip() for line in TWO.strip().split("\n"))
    project.write("test_a.py", f"import pytest\n@pytest.mark.slow\n{one}")
    project.write("test_b.py", two)
    project.run("--snapshot-update")
    out = project.run("--snapshot-update", *args.split())
    assert "unused" not in out
    assert sorted(project.files()) == ["x/one.txt", "y/two.txt"]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("why", ["pytest.skip()", "assert 0", "pytest.xfail()"])
def test_a_test_that_ends_early_keeps_its_snapshots(project: Project, why: str) -> None:
    project.write("test_a.py", TWO)
    project.run("--snapshot-update")
    code = TWO.replace("def test_two(snapshot):", f"def test_two(snapshot): {why};")
    project.write("test_a.py", f"import pytest{code}")
    assert "unused" not in project.run("--snapshot-update")
    assert sorted(project.files()) == ["x/one.txt", "y/two.txt"]


@pytest.mark.one_in(2)
def test_another_folder(project: Project) -> None:
    project.write(
        "test_a.py",
        """
            from agent_parsers.testing import ReadableSnapshots, readable_snapshots

            class Golden(ReadableSnapshots):
                snapshot_dirname = "golden"

            def test_one(snapshot):
                assert "1" == snapshot.use_extension(Golden)(name="a")

            def test_two(snapshot):
                assert "2" == snapshot.use_extension(readable_snapshots("deep/er"))(name="b")
        """,
    )
    project.run("--snapshot-update")
    assert project.files("golden") == {"a.txt": "1"}
    assert project.files("deep/er") == {"b.txt": "2"}
    assert "2 snapshots passed" in project.run()


@pytest.mark.one_in(2)
def test_it_may_be_the_default_of_syrupy(project: Project) -> None:
    (project.root / "conftest.py").unlink()
    project.write("test_a.py", "def test_it(snapshot): assert 'one' == snapshot")
    name = "agent_parsers.testing.ReadableSnapshots"
    project.run("--snapshot-update", f"--snapshot-default-extension={name}")
    assert project.files() == {"a/it.txt": "one"}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", ["../a", "/a", "a//b", "a/./b"])
def test_a_name_must_not_lead_out_of_the_folder(project: Project, name: str) -> None:
    code = f"def test_it(snapshot): assert 'x' == snapshot(name={name!r})"
    project.write("test_a.py", code)
    assert "a snapshot's name is a path below its folder" in project.run("--snapshot-update")
    assert project.files() == {}


@pytest.mark.one_in(2)
def test_a_folder_has_one_class() -> None:
    assert readable_snapshots("a") is readable_snapshots("a")
    assert issubclass(readable_snapshots("a"), ReadableSnapshots)


# Values as texts that a person can read.


class Colour(Enum):
    RED = 1


class Loose(BaseModel):
    model_config = ConfigDict(extra="allow")
    a: int = 1


@dataclass
class Pair:
    left: Any
    right: Any = None
    hidden: int = field(default=0, repr=False)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("as it is\r\n", "as it is\r\n"),
        ("", ""),
        (None, "None\n"),
        (0.5, "0.5\n"),
        (Colour.RED, "<Colour.RED: 1>\n"),
        (b"ab", "b'ab'\n"),
        (PurePosixPath("a/b"), '"a/b"\n'),
        (["a", 1, None], '["a", 1, None]\n'),
        ((1, 2), "(1, 2)\n"),
        ({3, 1, 2}, "{1, 2, 3}\n"),
        ([], "[]\n"),
        ({}, "{}\n"),
        (["\nstop"], '["\\nstop"]\n'),
        (["it's", 'say "hi"', 'it\'s "hi"'], """["it's", 'say "hi"', 'it\\'s "hi"']\n"""),
        ([["a"], {"b": 1}], '- ["a"]\n- "b": 1\n'),
        (["x" * 50, "y" * 50], f'- "{"x" * 50}"\n- "{"y" * 50}"\n'),
        (["one\ntwo", 3], '- "one\\n"\n  "two"\n- 3\n'),
        ({"a": {"b": []}, 2: "x\ny"}, '"a":\n  "b": []\n2:\n  "x\\n"\n  "y"\n'),
        (Loose.model_validate({"b": 2}), "Loose\n  a: 1\n  b: 2\n"),
        (Pair(1), "Pair\n  left: 1\n  right: None\n"),
        (Pair(Pair(1), [2]), "Pair\n  left: Pair\n    left: 1\n    right: None\n  right: [2]\n"),
        ([Pair(1)], "- Pair\n    left: 1\n    right: None\n"),
        (ThoughtDelta("a\nb", (3, 6)), '     3-6      thought      "a\\nb"\n'),
        (
            {"repairs": (Repair("label", (0, 2), "read it"),)},
            '"repairs":\n       0-2      repair       label: read it\n',
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_value_is_shown_part_by_part(value: object, text: str) -> None:
    assert readable(value) == text


def test_a_text_of_several_lines_has_several() -> None:
    action = AgentAction("search", "bridge", "Action: search\nAction Input: bridge")
    assert readable(action).splitlines() == [
        "AgentAction",
        '  tool: "search"',
        '  tool_input: "bridge"',
        "  log:",
        '    "Action: search\\n"',
        '    "Action Input: bridge"',
    ]


def test_an_exception_shows_its_attributes() -> None:
    error = OutputParserException("no", llm_output="x", span=(0, 1))
    assert readable(error).splitlines() == [
        "OutputParserException",
        '  message: "no"',
        "  observation: None",
        '  llm_output: "x"',
        "  send_to_llm: False",
        "  span: (0, 1)",
    ]


def test_a_value_without_a_repr_is_refused() -> None:
    with pytest.raises(TypeError, match="this object cannot be shown: its class needs"):
        readable([object()])


def test_what_does_not_print_is_escaped() -> None:
    assert readable(["a\u2028\ud800\x1bé"]) == '["a\\u2028\\ud800\\x1bé"]\n'


# -- assert_same_events: streams compared, and how they differ -------------------------------------

TEXT = "Thought: hm\nAction: search\nAction Input: oldest bridge"
parser = get_parser("react", tools=["search"])


def difference(first: object, second: object, text: str | None = None) -> list[str]:
    with pytest.raises(AssertionError) as caught:
        assert_same_events(first, second, text=text)  # type: ignore[arg-type]  # anything goes
    return str(caught.value).split("\n")


def test_cuts_do_not_matter() -> None:
    assert_same_events(parser.events([TEXT]), parser.events(TEXT))
    assert_same_events([], iter([]))


def test_the_first_event_that_differs_is_shown_in_both() -> None:
    other = parser.events([TEXT.replace("oldest", "newest")])
    assert difference(parser.events([TEXT]), other) == [
        "the events differ from event 6 on (- the first, + the second):",
        "      11-20     marker       action",
        '      20-26     tool         "search"',
        "      26-41     marker       input",
        '-     41-54     input        "oldest bridge"',
        '-     20-54     action       search "oldest bridge"',
        '+     41-54     input        "newest bridge"',
        '+     20-54     action       search "newest bridge"',
    ]


def test_the_place_in_the_text_is_shown() -> None:
    other = parser.events([TEXT.replace("oldest", "newest")])
    first, *_ = difference(parser.events([TEXT]), other, TEXT)
    assert first.startswith("the events differ from event 6 on, line 3, column 15 of the text (")


def test_a_story_that_ends_before_the_other() -> None:
    events = list(parser.events([TEXT]))
    *_, first, second = difference(events[:-1], events)
    assert first == "- (no more events)"
    assert second == '+     20-54     action       search "oldest bridge"'


def test_what_no_line_shows_is_compared_too() -> None:
    events = list(parser.events([TEXT]))
    end = events[-1]
    assert isinstance(end, ActionComplete)
    other = replace(end, action=AgentAction("search", "oldest bridge", log="another"))
    lines = difference(events, [*events[:-1], other])
    assert lines[0] == "the events differ from event 7 on (- the first, + the second):"
    assert lines[4:6] == ['      20-54     action       search "oldest bridge"', "line 1"]
    assert '-     "Thought: hm\\n"' in lines
    assert '+   log: "another"' in lines


def test_an_error_is_the_last_event() -> None:
    text = "Action: serch\nAction Input: Bern"
    assert_same_events(parser.events([text]), parser.events(text))
    reader = parser.stream_parser()
    unfinished = [*reader.feed(text), MarkerSeen("end", (33, 33))]
    *_, first, second = difference(parser.events([text]), unfinished)
    assert first == "-      8-13     failed       'serch' is not one of the tools"
    assert second == "+     33-33     marker       end"


@pytest.mark.parametrize(
    "error",
    [
        OutputParserException("other", "said", "x", span=(0, 1)),
        OutputParserException("no", "other", "x", span=(0, 1)),
        OutputParserException("no", "said", "x", span=(0, 0)),
    ],
    ids=["reason", "observation", "span"],
)
def test_errors_are_the_same_if_they_say_the_same(error: OutputParserException) -> None:
    def failed(error: OutputParserException) -> list[StepFailed]:
        assert error.span is not None
        return [StepFailed(error, error.span)]

    same = [OutputParserException("no", "said", "x", span=(0, 1)) for _ in range(2)]
    assert_same_events(failed(same[0]), failed(same[1]))
    assert difference(failed(same[0]), failed(error))


def test_another_exception_goes_through() -> None:
    def broken() -> object:
        raise ZeroDivisionError
        yield

    with pytest.raises(ZeroDivisionError):
        assert_same_events(broken(), [])  # type: ignore[arg-type]
