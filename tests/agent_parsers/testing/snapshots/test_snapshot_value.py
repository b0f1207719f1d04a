"""``snapshot_value``: any value as readable text."""

import pytest

from ....helpers.project import Project

pytest_plugins = ["pytester"]


def shown(project: Project) -> list[str]:
    """Run the test, and return what is said of its failure."""
    lines = project.run().splitlines()
    return [line.removeprefix("E   ") for line in lines if line.startswith("E")]


def write(project: Project, value: object, more: str = "") -> None:
    code = f"def test_it(snapshot_value): snapshot_value({value!r}{more})"
    project.write("test_a.py", code)


@pytest.mark.parametrize(
    ("value", "text"),
    [("told", "told"), ("", ""), (["a", 1], '["a", 1]\n'), ({"a": None}, '"a": None\n')],
)
def test_it_is_written_as_readable_text(project: Project, value: object, text: str) -> None:
    write(project, value)
    assert "1 snapshot generated" in project.run("--snapshot-update")
    assert project.files() == {"a/it.txt": text}
    assert "1 snapshot passed" in project.run()


def test_the_caller_may_name_the_file(project: Project) -> None:
    write(project, "told", ", name='some/where'")
    project.run("--snapshot-update")
    assert list(project.files()) == ["some/where.txt"]


def test_a_long_difference_is_shown_whole(project: Project) -> None:
    write(project, "\n".join(map(str, range(100))))
    project.run("--snapshot-update")
    write(project, "\n".join(map(str, range(1000, 1100))))
    out = shown(project)
    for number in range(100):
        assert f"- {number}" in out
        assert f"+ {1000 + number}" in out


def test_lines_that_are_the_same_are_left_out_but_for_three(project: Project) -> None:
    lines = list(map(str, range(100)))
    write(project, "\n".join(lines))
    project.run("--snapshot-update")
    lines[50] = "changed"
    lines[90] = "changed too"
    write(project, "\n".join(lines))
    out = shown(project)
    start = out.index("line 48")
    end = out.index("line 88")
    assert [line.split()[-1] for line in out[start + 1 : end]] == [
        *("47", "48", "49"), "50", "changed", *("51", "52", "53")
    ]  # fmt: skip
    assert "+ changed too" in out


def test_blanks_at_the_end_of_a_line_show(project: Project) -> None:
    write(project, "Thought: \nAction:\n")
    project.run("--snapshot-update")
    write(project, "Thought:\nAction:\t \n")
    out = shown(project)
    assert {"- Thought:·", "+ Thought:"} <= set(out)
    assert {"- Action:", "+ Action:··"} <= set(out)


def test_a_line_break_at_the_end_counts(project: Project) -> None:
    write(project, "told\n")
    project.run("--snapshot-update")
    write(project, "told")
    assert (
        "this differs from the snapshot in snapshots/a/it.txt (- snapshot, + now)" in project.run()
    )


def test_what_does_not_print_is_replaced_in_the_difference(project: Project) -> None:
    write(project, "a")
    project.run("--snapshot-update")
    write(project, "\x1b[31mred")
    assert "+ \ufffd[31mred" in project.run()


def test_a_value_without_a_repr_is_refused(project: Project) -> None:
    project.write("test_a.py", "def test_it(snapshot_value): snapshot_value(object())")
    out = project.run("--snapshot-update")
    assert "TypeError: this object cannot be shown: it has no repr of its own" in out
    assert project.files() == {}
