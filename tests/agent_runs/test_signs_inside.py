"""What a tool returned may show signs of other forms of log."""

import pytest

from agent_parsers import OutputParserException
from agent_runs import detect_log, read_runs

from .readers.text_logs import LOGS

SIGNS = {
    "agno_console": f"┏━ Tool Calls {'━' * 20}┓",
    "langchain_console": "> Entering new AgentExecutor chain...",
    "autogen_console": "---------- TextMessage (user) ----------",
    "smolagents_console": "━━━━━━━━━━ Step 7 ━━━━━━━━━━",
    "crewai_console": "╭───── 🤖 Agent Started ─────╮",
    "langgraph_pretty": f"{'=' * 32} Human Message {'=' * 33}",
}
FRAMED = ("langchain_console", "langgraph_pretty", "smolagents_console")
"""Consoles in which a result may have several lines."""


def pairs(*names: str) -> list[tuple[str, str]]:
    return [(outer, inner) for outer in FRAMED for inner in names if inner != outer]


@pytest.mark.parametrize(("outer", "inner"), pairs(*SIGNS))
def test_a_sign_in_a_result_is_no_other_log(outer: str, inner: str) -> None:
    seen = f"November\n{SIGNS[inner]}\nso it says"
    log = LOGS[outer].replace("November", seen)
    assert detect_log(log).reader == outer
    (run,) = read_runs(log)
    assert "".join((run.steps[0].observation or "").split()) == "".join(seen.split())


@pytest.mark.parametrize(("outer", "inner"), pairs(*SIGNS, "dspy_history"))
@pytest.mark.parametrize("fragment", [False, True])
def test_two_logs_in_one_are_not_read_as_one(outer: str, inner: str, fragment: bool) -> None:
    sign = f"{SIGNS.get(inner, '')}\nx\n" if fragment else ""
    log = LOGS[outer].replace("November", f"November\n{sign}") + LOGS[inner]
    with pytest.raises(OutputParserException, match=r"may be a log in the form .* or "):
        detect_log(log)
