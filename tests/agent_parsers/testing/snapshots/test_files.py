"""Snapshots in text files of their own, in a folder of the project."""

import pytest

from agent_parsers.testing import ReadableSnapshots, readable_snapshots

from ....helpers.project import Project

pytestmark = pytest.mark.one_in(2)  # each starts a process or more

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


def test_it_may_be_the_default_of_syrupy(project: Project) -> None:
    (project.root / "conftest.py").unlink()
    project.write("test_a.py", "def test_it(snapshot): assert 'one' == snapshot")
    name = "agent_parsers.testing.ReadableSnapshots"
    project.run("--snapshot-update", f"--snapshot-default-extension={name}")
    assert project.files() == {"a/it.txt": "one"}


@pytest.mark.parametrize("name", ["../a", "/a", "a//b", "a/./b"])
def test_a_name_must_not_lead_out_of_the_folder(project: Project, name: str) -> None:
    code = f"def test_it(snapshot): assert 'x' == snapshot(name={name!r})"
    project.write("test_a.py", code)
    assert "a snapshot is named by a path below its folder" in project.run("--snapshot-update")
    assert project.files() == {}


def test_a_folder_has_one_class() -> None:
    assert readable_snapshots("a") is readable_snapshots("a")
    assert issubclass(readable_snapshots("a"), ReadableSnapshots)
