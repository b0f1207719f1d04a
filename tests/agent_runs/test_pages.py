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


@pytest.mark.parametrize("known", [list_readers(), list_writers()], ids=["readers", "writers"])
def test_every_form_is_in_the_page(known: dict[str, str]) -> None:
    for name, summary in known.items():
        assert f"| `{name}` | {summary} |" in PAGE


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
