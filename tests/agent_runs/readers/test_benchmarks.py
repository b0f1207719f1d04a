"""Results of benchmarks in the spellings that they have."""

from typing import Any

import pytest

from agent_parsers import AgentAction, OutputParserException, Transcript
from agent_runs import read_runs

from .agent_logs import LOGS, chained
from .data_logs import actions, only


def answer(run: Transcript) -> Any:
    return run.finish and run.finish.return_values["output"]


# -- MINT ----------------------------------------------------------------------------------------


def mint(*turns: str) -> dict[str, Any]:
    roles = ("user", "assistant")
    history = [{"role": roles[at % 2], "content": said} for at, said in enumerate(turns)]
    return {
        "task": {"id": 3, "prompt": "How deep?", "reference": "7"},
        "state": {"history": history},
    }


def test_a_solution_that_is_refused_is_a_call_and_the_last_one_the_answer() -> None:
    run = only(mint(
        "Examples. How deep?", "<thought>A guess.</thought>\n<solution>5</solution>",
        "Observation:\nYour answer is wrong.\nYou have 2 steps left.\n",
        "Let me see. <execute>\nprint(7)\n</execute> So.", "Observation:\n7\n",
        "<solution> 7 </solution>",
    ))  # fmt: skip
    assert run.question == "How deep?"
    assert actions(run) == [
        ("solution", "5", "Your answer is wrong.\nYou have 2 steps left."),
        ("execute", "print(7)", "7"),
    ]
    assert run.steps[0].thought == "A guess."
    assert run.steps[1].content == "Let me see.  So."
    assert answer(run) == "7"


def test_a_run_of_mint_that_ends_in_code_has_no_answer() -> None:
    run = only(mint("How deep?", "<execute>a()</execute>"))
    assert actions(run) == [("execute", "a()", None)]
    assert {"no_answer", "no_observation"} <= {notice.kind for notice in run.notices}


def test_code_without_an_end_is_text() -> None:
    run = only(
        mint("How deep?", "<execute>a()", "Observation:\nI don't understand.", "<solution>7")
    )
    assert not [step for step in run.steps if isinstance(step.action, AgentAction)]
    assert "<solution>7" in answer(run)


# -- ToolBench -----------------------------------------------------------------------------------


def evaluated(*steps: tuple[str, Any]) -> dict[str, Any]:
    nodes = [chained(("system", ""), ("user", ""), *steps)]
    return {"9": {"query": "How deep?", "answer": {"answer_details": nodes}}}


CALL = {"name": "gauge", "arguments": '{"lake": "Thun"}', "response": "217"}


@pytest.mark.parametrize("shown", [CALL, str(CALL)])
def test_a_call_may_be_an_object_or_as_python_shows_it(shown: Any) -> None:
    end = {"name": "Finish", "arguments": '{"return_type": "give_answer", "final_answer": "217 m"}'}
    run = only(evaluated(("tool", shown), ("tool", end)))
    assert (run.id, run.question) == ("9", "How deep?")
    assert actions(run) == [("gauge", {"lake": "Thun"}, "217")]
    assert answer(run) == "217 m"


def test_giving_up_is_no_answer() -> None:
    run = only(evaluated(("tool", CALL), ("tool", {"name": "Finish", "arguments":
                         '{"return_type": "give_up_and_restart"}', "response": ""})))  # fmt: skip
    assert answer(run) is None
    assert "give_up_and_restart" in [notice.text for notice in run.notices]


def test_the_first_of_several_branches_is_read_and_the_others_are_told() -> None:
    log = evaluated(("tool", CALL), ("assistant", "217 m"))
    other = chained(("tool", {**CALL, "response": "none"}))
    log["9"]["answer"]["answer_details"][0]["next"][0]["next"].append(other)
    run = only(log)
    assert actions(run) == [("gauge", {"lake": "Thun"}, "217")]
    assert answer(run) == "217 m"
    assert any("another branch" in notice.message for notice in run.notices)


def test_a_call_that_is_no_object_is_refused() -> None:
    with pytest.raises(OutputParserException):
        list(read_runs(evaluated(("tool", "gauge(Thun)")), format="tooleval"))


@pytest.mark.parametrize("name", ["intercode", "mint", "tooleval"])
def test_results_of_several_tasks_are_several_runs(name: str) -> None:
    (log,) = LOGS[name]
    assert len([*read_runs({str(at): log for at in range(3)})]) == 3
    assert len([*read_runs([log] * 2)]) == 2
