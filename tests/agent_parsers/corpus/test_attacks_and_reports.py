"""Attacks on the promises of docs/safety.md, and public bug reports: those of the shared corpus."""

import json
import os
import runpy
from typing import Any

import pytest

from ...helpers.command_line import CORPUS

if not CORPUS.is_dir() and os.environ.get("CI") != "true":
    pytest.skip(f"the corpus is not at {CORPUS}", allow_module_level=True)

NOT_HELD: set[str] = set()
"""Attacks that are not refused, or whose calls are not those that are meant."""
READ_OTHERWISE = {
    "n-cline-envelope",  # of a kind that we do not take: a `TypeError`
    "n-gemini-native-malformed",
}
"""Reports that are read in another way than a careful person reads them."""


def rows_of(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (CORPUS / name).read_text("utf-8").splitlines()]


def test_every_attack_is_refused_or_calls_what_is_meant() -> None:
    failures = runpy.run_path(str(CORPUS / "attack4_verdict.py"))["failures"]
    rows = rows_of("attack4.jsonl")
    assert len(rows) == 78
    assert {row["id"] for row in rows if [*failures(row)]} == NOT_HELD


def test_every_report_is_read_as_a_careful_person_reads_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    script = str(CORPUS / "reports4_verdict.py")
    monkeypatch.setattr("sys.argv", [script, str(CORPUS / "reports4.jsonl"), "--show"])
    with pytest.raises(SystemExit):
        runpy.run_path(script, run_name="__main__")
    *shown, last = capsys.readouterr().out.splitlines()
    assert "/124 " in last
    assert {line.split(maxsplit=1)[0] for line in shown} == READ_OTHERWISE
