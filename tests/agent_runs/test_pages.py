"""The page on runs lists every reader, notice and writer; its recipes work."""

import re
from pathlib import Path
from typing import get_args

import pytest

from agent_parsers.transcripts.transcript import NoticeKind
from agent_runs import list_readers, list_writers, read_runs

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "transcripts.md").read_text("utf-8")
RUN = "Question: Where?\nAction: search\nAction Input: Bern\nObservation: 桥\nFinal Answer: Here.\n"


def test_every_reader_is_in_the_page_once() -> None:
    table = PAGE.partition("| what | readers |\n")[2].partition("\n\n")[0]
    named = re.findall(r"`(\w+)`", re.sub(r"\(.*?\)", "", table))
    assert sorted(named) == sorted(list_readers())


def test_every_writer_is_in_the_page() -> None:
    assert all(f"| `{name}` | {summary} |" in PAGE for name, summary in list_writers().items())


def test_every_notice_is_in_the_page() -> None:
    assert all(f"| `{kind}` | " in PAGE for kind in get_args(NoticeKind))


def test_the_log_for_inspect_is_read_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("inspect_ai", reason="Inspect AI, which is large, is not among the extras")
    (recipe,) = re.findall(r"^```python inspect\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "console.log").write_text(RUN, encoding="utf-8")
    exec(compile(recipe, "recipe", "exec"), {})
    (run,), (again,) = read_runs("console.log"), read_runs("console.eval")
    assert again.source is not None
    assert again.source.reader == "inspect_ai"
    assert (again.question, again.finish and again.finish.return_values) == (
        run.question,
        run.finish and run.finish.return_values,
    )
    assert [step.observation for step in again.steps] == [step.observation for step in run.steps]
