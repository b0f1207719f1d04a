"""A run inside a text of another form is no run of a log (law 15), and laws that see it."""

from collections.abc import Iterator

import pytest

from agent_parsers import AgentAction, OutputParserException, Transcript
from agent_runs import read_runs
from agent_runs.detecting.detect import detect_in_head
from agent_runs.readers.text import plain
from agent_runs.splitting.quoted import Quotations

from .foreign_texts import ASKED, RUN, quoted, told

QUOTED = [
    pytest.param(text, id=f"{name}, {kind}")
    for kind, run in (("asked", ASKED), ("bare", RUN))
    for name, text in quoted(run)
]
BARE = [pytest.param(text, id=name) for name, text in told(RUN)]
ASKED_ = [pytest.param(text, id=name) for name, text in told(ASKED)]


def runs_in(text: str) -> list[Transcript]:
    try:
        return [*read_runs(text)]
    except OutputParserException:
        return []


def test_there_are_many_shapes() -> None:
    assert len(QUOTED) > 80
    assert len(BARE) > 12


@pytest.mark.one_in(2)
@pytest.mark.parametrize("text", [*QUOTED, *BARE])
def test_a_run_that_is_quoted_or_told_of_is_no_run(text: str) -> None:
    assert runs_in(text) == []


@pytest.mark.parametrize("text", ASKED_)
def test_a_question_behind_other_text_is_no_run_without_a_notice(text: str) -> None:
    assert all(any(n.kind == "unowned_text" for n in run.notices) for run in runs_in(text))


@pytest.mark.parametrize("text", [ASKED, RUN, f"```\n{ASKED}```\n"])
def test_a_run_of_its_own_is_one(text: str) -> None:
    (run,) = runs_in(text)
    assert isinstance(run.steps[0].action, AgentAction)
    assert run.steps[0].action.tool == "delete"


def test_text_that_is_quoted_between_runs_has_a_notice() -> None:
    text = f"{ASKED}> Finished chain.\n\n```\n{ASKED}```\n{ASKED}"
    first, second = runs_in(text)
    assert [n.text for n in first.notices if n.kind == "unowned_text"] == [f"```\n{ASKED}```\n"]
    assert second.question == "what now?"


def test_a_question_without_a_label_has_a_notice() -> None:
    (run,) = runs_in(f"Is it old?\n{RUN}")
    assert run.question == "Is it old?"
    assert "unowned_text" in [notice.kind for notice in run.notices]


# -- the laws see a bug --------------------------------------------------------------------------


def never(*_: object) -> bool:
    return False


@pytest.mark.parametrize(
    ("owner", "name", "texts"),
    [(Quotations, "has", quoted(ASKED)), (plain, "has_structure", told(RUN))],
)
def test_the_laws_find_a_reader_that_forges(
    owner: object,
    name: str,
    texts: Iterator[tuple[str, str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(owner, name, never)
    detect_in_head.cache_clear()
    forged = [kind for kind, text in texts if runs_in(text)]
    assert len(forged) > 10
    detect_in_head.cache_clear()
