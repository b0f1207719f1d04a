"""The pages that the command line writes."""

from pathlib import Path

import pytest

from ...helpers.command_line import BRIDGE, MILL, command, needs_corpus
from ...helpers.html_pages import Page


def test_a_report_has_every_run_of_every_file(tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    outcome = command("report", BRIDGE, MILL, "-o", out)
    assert (outcome.status, outcome.stdout) == (1, "")
    assert "mill_runs.jsonl:2: expected an Action or a Final Answer" in outcome.stderr
    page = Page(out.read_text(encoding="utf-8"))
    assert page.title == "bridge_run.txt and 1 more"
    assert ("question", "On which day does the mill rest?") in page.fields
    assert len([1 for tag, attrs in page.elements if ("class", "ap-run") in attrs]) == 3
    assert f"{MILL}:2" in out.read_text(encoding="utf-8")


def test_a_report_goes_to_standard_output() -> None:
    outcome = command("report", "--title", "<b>", stdin=BRIDGE.read_bytes())
    assert (outcome.status, outcome.stderr) == (0, "")
    assert Page(outcome.stdout).title == "<b>"
    assert Page(command("report", stdin=BRIDGE.read_bytes()).stdout).title == "<stdin>"


def test_what_cannot_be_read_is_in_the_report_too() -> None:
    outcome = command("report", BRIDGE, "/none.log")
    assert outcome.status == 1
    assert "/none.log: No such file or directory" in outcome.stderr
    assert "/none.log: No such file or directory" in outcome.stdout


@pytest.mark.parametrize(("text", "status"), [("Final Answer: <i>3</i>\n", 0), ("Action: so\n", 1)])
def test_an_explanation_is_written_as_a_page(text: str, status: int, tmp_path: Path) -> None:
    out = tmp_path / "reply.html"
    outcome = command("explain", "--html", out, stdin=text.encode())
    assert (outcome.status, outcome.stdout) == (status, "")
    assert Page(out.read_text(encoding="utf-8")).fields[0] == ("source", text)


def test_a_page_has_no_other_form() -> None:
    outcome = command("explain", "--html", "-", "--format", "json", stdin=b"x")
    assert outcome.status == 2
    assert "--format: it is only for output to the terminal" in outcome.stderr


def test_logs_of_every_form_make_a_report(tmp_path: Path) -> None:
    logs = sorted((needs_corpus() / "runs").glob("*"))
    logs = [log for log in logs if log.suffix in {".json", ".log"} and "truth" not in log.name]
    out = tmp_path / "report.html"
    command("report", *logs[::9], "-o", out)
    page = Page(out.read_text(encoding="utf-8"))
    assert len(page.fields) > 3 * len(logs[::9]) > 30
