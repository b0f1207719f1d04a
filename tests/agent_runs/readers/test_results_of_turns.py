"""A result belongs to the calls right before it; a call without one has a notice."""

import pytest

from agent_parsers import AgentAction, Transcript
from agent_runs import Console, ConsolePiece, read_runs
from agent_runs.reading.building import UNASKED

from .text_logs import LOGS, RESULT

TURNS = {
    "agentlite": ("Agent Planner takes 0-step", "Observation: November"),
    "autogen_console": ("---------- ThoughtEvent", "---------- ToolCallExecutionEvent"),
    "autogen_console_old": ("planner (to user):\n\nI look", "user (to planner):\n\n*****"),
    "claude_terminal": ("⏺ I look", "  ⎿"),
    "crewai_headings": ("# Agent: Planner\n## Thought", "## Tool Output"),
    "langgraph_pretty": (
        f"{' Ai Message '.center(80, '=')}\n\nI",
        " Tool Message ".center(80, "="),
    ),
    "llamaindex_workflow": ("📤 Output: I look", "🔧 Tool Result"),
    "markdown_by_hand": ("**Assistant:** I look", "**Output:**"),
    "roles": ("### Assistant\nI look", "### Tool\n"),
    "semantic_kernel_xml": ('<message role="assistant"><text>I look', '<message role="tool">'),
    "swe_agent_console": (
        "🤠 INFO     💭 THOUGHT",
        "🤠 INFO     🤖 MODEL INPUT\n            OBSERVATION",
    ),
    "swe_agent_log": ("💭 THOUGHT", "🤖 MODEL INPUT\nOBSERVATION"),
    "transformers_agents": ("=== Agent thoughts", f"Print outputs:\n{RESULT}"),
}
"""How a turn with a call begins in each console, and its result."""
TOGETHER = {
    "agno_console", "appworld", "crewai_console", "crewai_console_old", "dspy_history",
    "langchain_console", "llamaindex_stream", "llamaindex_verbose", "plain", "prefixed",
    "python_repr", "smolagents_console", "specstory",
}  # fmt: skip
"""Consoles in which a result is part of its step, or has the id of its call."""
WITHOUT_RESULTS = {"aider", "crewai_log_text", "cursor_export", "strands_console"}


def test_the_law_knows_every_console() -> None:
    assert {*LOGS} == {*TURNS} | TOGETHER | WITHOUT_RESULTS


def seen_in(run: Transcript) -> list[str | None]:
    """Return the result of each call of *run*, and of each step that failed."""
    is_call = (isinstance(step.action, AgentAction) or step.error for step in run.all_steps)
    return [step.observation for step, call in zip(run.all_steps, is_call, strict=True) if call]


@pytest.mark.parametrize("name", TURNS)
def test_a_result_is_never_that_of_a_call_of_an_earlier_turn(name: str) -> None:
    log = LOGS[name].replace("⏺ search", "⏺ Search")  # without a result, no other is a call
    log = log.replace("<function_call", "<text>I look</text><function_call", 1)
    begin, end = map(log.index, TURNS[name])
    (run,) = read_runs(log[:end] + log[begin:])
    assert [(seen or "").strip() for seen in seen_in(run)[:2]] == ["", RESULT]
    assert [n.step for n in run.notices if n.kind == "no_observation"] == [1]


def console(result: str = r"GOT ", *, is_paired: bool = False) -> Console:
    return Console(
        name="desk_turns",
        summary="what a desk prints",
        is_paired=is_paired,
        pieces=[
            ConsolePiece("question", r"ASKED ", is_sign=True),
            ConsolePiece("call", r"RUN (?P<tool>\w+)\n", ""),
            ConsolePiece("result", result),
            ConsolePiece("text", r"SAID "),
        ],
    )


def read(log: str, form: Console) -> Transcript:
    (run,) = read_runs("ASKED q\n" + log.replace("; ", "\n") + "\nSAID so\n", format=form)
    return run


NONE = None


@pytest.mark.parametrize(
    ("log", "seen"),
    [
        ("RUN a; RUN b; GOT 1; GOT 2", ["1", "2"]),
        ("RUN a; SAID t; RUN b; GOT 1", [NONE, "1"]),
        ("RUN a; SAID t; RUN b; RUN c; GOT 1; GOT 2", [NONE, "1", "2"]),
        ("RUN a; SAID t; GOT 1", ["1"]),
        ("RUN a; RUN b; GOT 1; RUN c; GOT 2", [NONE, NONE, "2"]),
        ("RUN a; GOT 1; SAID t; RUN b; SAID u; RUN c; GOT 2", ["1", NONE, "2"]),
    ],
)
def test_results_are_those_of_the_last_turn_in_their_order(
    log: str, seen: list[str | None]
) -> None:
    run = read(log, console())
    assert seen_in(run) == seen
    missing = [at for at, each in enumerate(seen, 1) if each is None]
    assert [n.step for n in run.notices if n.kind == "no_observation"] == missing
    known = {*filter(None, seen), *(n.text for n in run.notices)}
    assert known >= {each[4:] for each in log.split("; ") if each.startswith("GOT")}


def test_a_result_too_many_is_a_step_that_is_not_read() -> None:
    run = read("RUN a; SAID t; RUN b; GOT 1; GOT 2", console())
    assert seen_in(run) == [None, "1", "2"]
    assert [step.error.reason for step in run.failed if step.error] == [UNASKED]


def test_a_late_result_that_names_its_tool_has_the_call_of_it() -> None:
    form = console(r"GOT (?P<tool>\w+) ")
    assert seen_in(read("RUN a; SAID t; RUN b; GOT b 1; GOT a 2", form)) == ["2", "1"]
    assert seen_in(read("RUN a; SAID t; RUN a; GOT a 1", form)) == [None, "1"]


def test_a_result_right_behind_its_call_is_never_that_of_another() -> None:
    form = console(is_paired=True)
    assert seen_in(read("RUN a; RUN b; GOT 1", form)) == [None, "1"]
    assert seen_in(read("RUN a; RUN b; GOT 1\nGOT 2", form)) == [None, "1\nGOT 2"]
