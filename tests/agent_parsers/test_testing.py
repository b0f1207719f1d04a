"""What `agent_parsers.testing` offers: readable values, and snapshots that are plain files."""

import subprocess
import sys
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
import syrupy
from pydantic import BaseModel, ConfigDict

from agent_parsers import AgentAction, OutputParserException, Repair, ThoughtDelta
from agent_parsers.testing import ReadableSnapshots, readable, readable_snapshots

pytest_plugins = ["pytester"]

# -- readable -----------------------------------------------------------------------------------


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
            {"mended": (Repair("label", (0, 2), "read it"),)},
            '"mended":\n       0-2      repair       label: read it\n',
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_value_is_told_part_by_part(value: object, text: str) -> None:
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


def test_an_exception_tells_its_attributes() -> None:
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
    with pytest.raises(TypeError, match="cannot tell what this object is: it has no repr"):
        readable([object()])


def test_what_does_not_print_is_escaped() -> None:
    assert readable(["a\u2028\ud800\x1bé"]) == '["a\\u2028\\ud800\\x1bé"]\n'


# -- snapshots ----------------------------------------------------------------------------------


class Project:
    """A project with tests and snapshots of its own."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self.pytester = pytester
        self.root = pytester.path
        pytester.makeini("[pytest]\nfilterwarnings = error")
        self.write(
            "conftest.py",
            """
            import pytest
            from agent_parsers.testing import ReadableSnapshots

            @pytest.fixture
            def snapshot(snapshot):
                return snapshot.use_extension(ReadableSnapshots)
            """,
        )

    def write(self, name: str, code: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        indent = " " * 12
        path.write_text("\n".join(line.removeprefix(indent) for line in code.split("\n")))

    def run(self, *args: str) -> str:
        return str(self.pytester.runpytest_inprocess("-p", "syrupy", *args).stdout)

    def files(self, folder: str = "snapshots") -> dict[str, str]:
        root = self.root / folder
        files = (path for path in sorted(root.rglob("*")) if path.is_file())
        return {path.relative_to(root).as_posix(): path.read_bytes().decode() for path in files}


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)  # the run within is a single process
    monkeypatch.setattr(syrupy, "_syrupy", syrupy._syrupy)  # a run within this one sets it
    return Project(pytester)


def test_the_caller_names_a_file(project: Project) -> None:
    code = "def test_it(snapshot): assert 'told ' == snapshot(name='react/prompt')"
    project.write("test_a.py", code)
    assert "1 snapshot generated" in project.run("--snapshot-update")
    assert project.files() == {"react/prompt.txt": "told "}
    assert "1 snapshot passed" in project.run()


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


def test_a_missing_snapshot_fails(project: Project) -> None:
    project.write("test_a.py", "def test_it(snapshot): assert 'one' == snapshot")
    assert "Snapshot 'it' does not exist!" in project.run()
    assert project.files() == {}


@pytest.mark.parametrize("text", ["a\r\nb\r", "", "\n\n", "\ud800 \x00", "é\u2028", " \n "])
def test_text_comes_back_as_it_is(project: Project, text: str) -> None:
    project.write("test_a.py", f"def test_it(snapshot): assert {text!r} == snapshot")
    assert "1 snapshot generated" in project.run("--snapshot-update")
    assert "1 snapshot passed" in project.run()


TWO = """
            def test_one(snapshot): assert "1" == snapshot(name="x/one")
            def test_two(snapshot): assert "2" == snapshot(name="y/two")
"""


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


@pytest.mark.parametrize("why", ["pytest.skip()", "assert 0", "pytest.xfail()"])
def test_a_test_that_ends_early_keeps_its_snapshots(project: Project, why: str) -> None:
    project.write("test_a.py", TWO)
    project.run("--snapshot-update")
    code = TWO.replace("def test_two(snapshot):", f"def test_two(snapshot): {why};")
    project.write("test_a.py", f"import pytest{code}")
    assert "unused" not in project.run("--snapshot-update")
    assert sorted(project.files()) == ["x/one.txt", "y/two.txt"]


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


@pytest.mark.parametrize("name", ["../a", "/a", "a//b", "a/./b"])
def test_a_name_must_not_lead_out_of_the_folder(project: Project, name: str) -> None:
    project.write("test_a.py", f"def test_it(snapshot): assert 'x' == snapshot(name={name!r})")
    assert "a snapshot is named by a path below its folder" in project.run("--snapshot-update")
    assert project.files() == {}


def test_a_folder_has_one_class() -> None:
    assert readable_snapshots("a") is readable_snapshots("a")
    assert issubclass(readable_snapshots("a"), ReadableSnapshots)


# -- imports ------------------------------------------------------------------------------------


def test_without_syrupy_the_import_says_what_to_install(tmp_path: Path) -> None:
    code = """
import sys
sys.modules["syrupy"] = sys.modules["syrupy.data"] = None
try:
    import agent_parsers.testing
except ImportError as error:
    print(error)
"""
    out = subprocess.check_output([sys.executable, "-c", code], text=True)
    assert "syrupy, which is not installed: pip install 'agent-parsers[test]'" in out
