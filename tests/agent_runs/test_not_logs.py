"""Files that are no logs of agents: none has a run, and the error says what was seen."""

from pathlib import Path

import pytest

from agent_parsers import OutputParserException
from agent_runs import read_runs, report_html

from ..helpers.command_line import command
from .not_logs import FILES

SEEN = {
    "README.md": "lines begin like '# tidepool', '## Install', '## Usage'",
    "sales.csv": "a table with the columns 'date', 'shop', 'article', 'amount', 'price'",
    "thoughts.csv": "a table with the columns 'id', 'Thought', 'Mood'",
    "genes.tsv": "a table with the columns 'gene_id', 'symbol', 'chrom', 'start', 'end'",
    "tides.py": "'plain', but line 10, '# Thought: this could be faster', looks like the",
    "access.log": "lines begin like '203.0.113.7 - - ",
    "pytest.txt": "lines begin like '============================= test sessi'",
    "chat.txt": "'prefixed' (lines begin like '[05.01.26, 09:00:12] Ines: ') found in this log",
    "two.patch": "lines begin like '--- a/tides.py', '+++ b/tides.py'",
    "package-lock.json": "keys 'name', 'version', 'lockfileVersion', 'packages'",
    "dump.sql": "lines begin like '-- dump'",
    "config.yaml": "lines begin like 'version: 2', 'services:', 'web:'",
    "paper.tex": r"lines begin like '\\documentclass{article}'",
    "index.html": "lines begin like '<!doctype html>'",
    "setup.ini": "'prefixed' (lines begin like '[metadata]') found in this log",
    "syslog": "'prefixed' (lines begin like 'Jan  5 09:00:01 pier systemd[1]: ')",
    "trace.txt": "lines begin like 'Caused by: java.io.FileNotFoundException'",
    "film.srt": "like '00:00:01,000 --> 00:00:03,200', 'Question: who opened the gate?'",
    "mail.txt": "lines begin like 'From: Ines <ines@pier.example>'",
    "app.json": "the first value has the keys 'debug', 'ports', 'theme'",
    "events.jsonl": "'json_lines' ('event' with a time or level in the first value) found",
    "novel.txt": 'lines begin like \'"Nobody," said the pilot.',
    "prompt.txt": "line 1, 'Answer the following questions as best you can.",
    "key.b64": "the first line is 'AAECAwQFBgcICQoLDA0O",
    "image.bin": "this is not text: it has NUL bytes, and bytes that are not valid UTF-8",
    "nuls.dat": "it has NUL characters, so it may not be text",
    "empty.log": "found nothing to read",
    "blank.txt": "found nothing to read",
    "wide.txt": "the first line is 'The tide turns at nine.'",
    "latin.txt": "not UTF-8: byte 0xfc (line 1, column 3 of the file)",
    "minutes.md": "line 10, '**Action:** Urs repairs the gate.', looks like the",
    "recipe.txt": "lines begin like 'Serves: 4'",
    "history.txt": "lines begin like 'Author: Urs <urs@pier.example>'",
    "build.log": "lines begin like '> tidepool@1.0.0 build'",
    "app.log": "'prefixed' (lines begin like '2026-01-05 09:00:01,120 INFO tides.web: ')",
    "pyproject.toml": "'prefixed' (lines begin like '[project]') found in this log",
    "people.json": "the first value has the keys 'name', 'role'",
    "sheet.ipynb": "found no run in the notebook: its only cell with output does not",
    "broken.json": "not JSON: Unterminated string starting at column 43",
    "faq.txt": "lines begin like 'Q: When does the pier open?'",
    "quiz.jsonl": "the first value has the keys 'question', 'answer'",
    "todo.org": "lines begin like '* TODO Action: repair the gate'",
    "spec.json": "the first value has the keys 'openapi', 'info', 'paths'",
}
"""What the error has to say of each."""


def test_each_file_has_its_words() -> None:
    assert {*SEEN} == {*FILES}


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_no_log_is_refused_with_what_was_seen(name: str, tmp_path: Path) -> None:
    content = FILES[name]
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(OutputParserException) as raised:
        list(read_runs(path))
    reason, advice = raised.value.reason, raised.value.observation or ""
    assert SEEN[name] in reason
    assert advice.startswith(("Give a ", "Write "))
    outcome = command("parse", path)
    assert (outcome.status, outcome.stdout) == (1, "")
    said = " ".join(outcome.stderr.split())
    assert "read: 0 steps of 0 runs" in said
    ways_out = ("readers --why FILE", "--encoding", "nothing to read", "not text", "no run in the ")
    assert any(way in said for way in ways_out), said


def test_a_log_with_a_run_is_not_among_them() -> None:
    text = "Question: q\nAction: a\nAction Input: b\nObservation: c\nFinal Answer: d\n"
    assert len([*read_runs(text)]) == 1


@pytest.mark.parametrize("mark", ["<tool_call>", "<function_call>"])
def test_a_call_that_is_only_shown_is_told_what_it_needs_and_read_in_a_dialect(mark: str) -> None:
    shown = f'{mark}\n{{"name": "sail", "arguments": {{}}}}\n{mark.replace("<", "</")}'
    text = f"For example:\n```\n{shown}\n```\nThat is how."
    said = [{"role": "user", "content": "How?"}, {"role": "assistant", "content": text}]
    for run in read_runs([{"messages": said}]):
        assert all("ends in" not in str(step.error) for step in run.failed)
    (run,) = read_runs([{"messages": said}], dialect="hermes")
    assert run.output == text


def test_a_report_of_one_run_is_told_that_it_takes_several() -> None:
    (run,) = read_runs("Question: Where?\nFinal Answer: Ryde\n")
    with pytest.raises(TypeError, match=r"pass \[run\]"):
        report_html(run)  # type: ignore[arg-type]  # what a caller may do
