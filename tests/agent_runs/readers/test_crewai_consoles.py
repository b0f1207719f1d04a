"""The panels of CrewAI, and what it printed before it had them."""

import pytest

from agent_parsers import OutputParserException
from agent_runs import detect_log

from .consoles import (
    ESC,
    RESULT,
    answer_of,
    box,
    chain,
    coloured,
    notices_of,
    runs_of,
    steps_of,
    without_colours,
)

QUESTION = "Which month has the most fog, and how many days are there on average?"
LONG = "November has nine days of fog, which is more than any other month of the year has."


def started(question: str = QUESTION) -> str:
    return box("🤖 Agent Started", f"Agent: Planner\n\nTask: {question}")


def called(args: str, tool: str = "search") -> str:
    return box("🔧 Tool Execution Started (#1)", f"Tool: {tool}\nArgs: {args}\n")


def completed(output: str, tool: str = "search") -> str:
    text = f"Tool Completed\nTool: {tool}\nOutput: {output}\n"
    return box("✅ Tool Execution Completed (#1)", text)


def answered(text: str = LONG) -> str:
    return box("✅ Agent Final Answer", f"Agent: Planner\n\nFinal Answer:\n{text}")


OUTPUT = box("Tool Output", RESULT)
STEP = ("", "search", {"q": "fog"}, RESULT)


@pytest.mark.parametrize("results", [
    completed(RESULT) + OUTPUT, OUTPUT + completed(RESULT), completed(RESULT), OUTPUT,
])  # fmt: skip
def test_a_result_is_shown_once_or_twice(results):
    log = started() + called('{"q": "fog"}') + results + answered()
    (run,) = runs_of(log)
    assert run.question == QUESTION
    assert steps_of(run) == [STEP]
    assert answer_of(run) == LONG
    assert notices_of(run) == ["altered_text"]


@pytest.mark.parametrize("lead", ["", "\n", "\n    ", "\n\n        "])
@pytest.mark.parametrize(
    "task", ["Name it.", "Name it.\n        Say how deep it is.\n\n    Be brief."]
)
def test_a_task_may_begin_below_its_label(lead, task):
    shown = box("🤖 Agent Started", f"Agent: Planner\n\nTask:{lead or ' '}{task}\n    ")
    (run,) = runs_of(shown + called('{"q": "fog"}') + completed(RESULT) + answered("x"))
    assert run.question == task
    assert (steps_of(run), answer_of(run), notices_of(run)) == ([STEP], "x", [])


@pytest.mark.parametrize("lead", [" ", "\n"])
def test_a_text_of_any_panel_may_begin_below_its_label(lead):
    thought = box(
        "🔧 Agent Tool Execution",
        f"Agent: Planner\n\nThought:{lead}I search.\n\nUsing Tool: search",
    )
    shown = thought + box("Tool Input", '"{\\"q\\": \\"fog\\"}"') + OUTPUT
    failed = box(
        "❌ Tool Failure (#1)",
        f"Tool Failed\nTool: ask\nIteration: 1\nAttempt: 1\nError:{lead}no line\n",
    )
    ended = box(
        "Crew Completion",
        f"Crew Execution Completed\nName: crew\nID: 1\nFinal Output:{lead}Nine days.",
    )
    (run,) = runs_of(started("q") + shown + called("{}", "ask") + failed + ended)
    first, (*call, result) = steps_of(run)
    assert first == ("I search.", *STEP[1:])
    assert (call, result.strip()) == (["", "ask", {}], "no line")
    assert answer_of(run).strip() == "Nine days."
    assert notices_of(run) == []


def test_a_result_may_come_before_its_call():
    log = started("q") + completed(RESULT) + called('{"q": "fog"}') + OUTPUT + answered("x")
    (run,) = runs_of(log)
    assert steps_of(run) == [STEP]
    assert notices_of(run) == []


def test_results_find_their_calls_by_name():
    log = (
        started()
        + called("{}", "a")
        + called("{}", "b")
        + completed("1", "b")
        + completed("2", "a")
    )
    (run,) = runs_of(log)
    assert [(step[1], step[3]) for step in steps_of(run)] == [("a", "2"), ("b", "1")]


@pytest.mark.parametrize("width", [40, 60, 120])
def test_wrapped_lines_are_joined(width):
    text = f"{LONG}\n\n- one\n- two: {LONG}"
    log = started("q") + box("Tool Output", text, width=width)
    log += box("✅ Agent Final Answer", f"Agent: A\n\nFinal Answer:\n{text}", width=width)
    (run,) = runs_of(log)
    assert answer_of(run) == text


def test_arguments_that_are_cut_are_left_out():
    (run,) = runs_of(started() + called('{"q": "' + "fog " * 48 + "...") + completed(RESULT))
    assert steps_of(run) == [("", "search", {}, RESULT)]
    assert "cut_value" in notices_of(run)


def test_a_failure_is_the_result():
    text = (
        "Tool Reported Failure\nTool: find\nReason: INVALID\nMessage: No such tool.\nPolicy: warn"
    )
    log = started("q") + box("⚠️ Tool Failure (#1)", text) + box("Tool Output", "No such tool.")
    (run,) = runs_of(log)
    assert steps_of(run) == [("", "find", {}, "No such tool.")]
    assert notices_of(run) == ["no_input", "no_answer"]


def test_delegated_work_is_a_run_of_its_own():
    inner = started("inner") + called("{}", "b") + completed("2", "b") + answered("inside")
    log = started("outer") + called("{}", "Delegate work") + inner
    log += completed("inside", "Delegate work") + answered("done")
    within, outer = sorted(runs_of(log), key=lambda run: run.question)
    assert (answer_of(within), answer_of(outer)) == ("inside", "done")
    assert steps_of(outer) == [("", "Delegate work", {}, "inside")]


def test_panels_of_older_versions_have_the_thought():
    call = box("🔧 Agent Tool Execution", "Agent: A\n\nThought: I look.\n\nUsing Tool: search")
    log = started("q") + call + box("Tool Input", '"{\\"q\\": \\"fog\\"}"') + OUTPUT
    (run,) = runs_of(log)
    assert steps_of(run) == [("I look.", *STEP[1:])]


def test_colours_are_on_each_piece():
    log = started("q") + called('{"q": "fog"}') + completed(RESULT) + answered("x")
    log = log.replace("│", f"{ESC}36m│{ESC}0m").replace("Tool:", f"{ESC}37mTool:{ESC}0m")
    (run,) = runs_of(log)
    assert steps_of(run) == [STEP]


def test_several_tasks_are_several_runs():
    crew = box("🚀 Crew Execution Started", "Crew Execution Started\nName: crew\nID: 1\n")
    log = (crew + started("q") + answered("x") + "loading\n") * 2
    runs = runs_of(log)
    assert [(run.question, answer_of(run)) for run in runs] == [("q", "x")] * 2


def failed(attempt: int, tool: str = "search") -> str:
    text = f"Tool Failed\nTool: {tool}\nIteration: 1\nAttempt: {attempt}\nError: no net\n"
    return box("⚠️ Tool Error (#1)", text)


CALL = called('{"q": "fog"}')
SEEN = box("Tool Output", "I encountered an error: no net\nMoving on then.")


@pytest.mark.parametrize(("panels", "result"), [
    (CALL + failed(1) + CALL + failed(2) + CALL + failed(3) + SEEN,
     "I encountered an error: no net\nMoving on then."),
    (CALL + failed(1) + CALL + CALL + failed(3) + failed(2) + SEEN,
     "I encountered an error: no net\nMoving on then."),
    (CALL + failed(1) + CALL + completed(RESULT) + OUTPUT, RESULT),
    (CALL + CALL + failed(1) + completed(RESULT) + OUTPUT, RESULT),
    (CALL + CALL + completed(RESULT) + failed(1) + OUTPUT, RESULT),
])  # fmt: skip
def test_tries_of_a_call_that_fails_are_one_step(panels, result):
    (run,) = runs_of(started("q") + panels + answered("x"))
    assert steps_of(run) == [("", "search", {"q": "fog"}, result)]
    assert notices_of(run) == []


def test_a_call_is_tried_three_times_then_it_is_another():
    tries = "".join(CALL + failed(attempt) for attempt in (1, 2, 3)) + SEEN
    (run,) = runs_of(started("q") + tries + CALL + completed("9") + answered("x"))
    assert [step[3] for step in steps_of(run)][1:] == ["9"]


@pytest.mark.parametrize(("results", "known"), [
    (("1", "2"), [None, None]),
    (("2", "2"), ["2", "2"]),
    (("1",), [None, None]),
    ((), [None, None]),
])  # fmt: skip
def test_results_of_calls_of_a_tool_at_once_are_not_guessed(results, known):
    log = started("q") + called('{"n": 1}') + called('{"n": 2}')
    log += "".join(map(completed, results)) + answered("x")
    (run,) = runs_of(log)
    assert [step[3] for step in steps_of(run)] == known
    unowned = [notice.text for notice in run.notices if notice.kind == "unowned_text"]
    assert unowned == ([] if known[0] else [*results])


def test_results_may_name_a_tool_in_a_plainer_way():
    log = started("q") + called("{}", "Search-the Web") + completed("9", "search_the_web")
    (run,) = runs_of(log)
    assert steps_of(run) == [("", "Search-the Web", {}, "9")]


def test_a_run_may_begin_after_its_first_panels():
    log = CALL + started("q") + completed(RESULT) + OUTPUT + answered("x")
    (run,) = runs_of(log)
    assert (run.question, steps_of(run), answer_of(run)) == ("q", [STEP], "x")


def test_a_panel_may_begin_behind_what_another_thread_prints():
    printed = f"{ESC}35m[Finalize] todos_count=0, todos_with_results=0{ESC}0m"
    log = started("q") + printed + CALL + completed(RESULT) + f"{printed}\n" + answered("x")
    (run,) = runs_of(log)
    assert steps_of(run) == [STEP]
    assert notices_of(run) == []


def test_spaces_at_the_end_of_a_line_of_arguments_are_kept():
    text = '{"code": "def f(n):\\n' + " " * 12 + 'return n * 2000000000"}'
    (run,) = runs_of(started("q") + called(text) + completed("9"))
    assert steps_of(run)[0][2] == {"code": "def f(n):\n" + " " * 12 + "return n * 2000000000"}


PURPLE = "95"


def printed(result: str, colour: str = PURPLE) -> str:
    return f"{ESC}{colour}m \n\n{result}\n{ESC}00m\n"


def old(result: str, *, colour: str = PURPLE) -> str:
    call = 'Thought: I look.\nAction: search\nAction Input: {"q": "fog"}\n'
    inside = coloured(call, "32;1") + printed(result, colour)
    inside += coloured(f"Thought: I know.\nFinal Answer: {LONG}", "32;1")
    head = f"{ESC}1m{ESC}95m [DEBUG]: == Working Agent: Planner{ESC}00m\n"
    head += f"{ESC}1m{ESC}95m [INFO]: == Starting Task: {QUESTION}{ESC}00m\n"
    end = f"{ESC}1m{ESC}92m [DEBUG]: == [Planner] Task output: {LONG}\n\n{ESC}00m\n"
    return head + chain(inside, "CrewAgentExecutor")[:-1] + "\n" + end


@pytest.mark.parametrize("show", [str, without_colours])
def test_a_turn_that_a_result_follows_was_not_cut(show):
    log = old("It is noon.").replace('Action Input: {"q": "fog"}\n', "Action Input: \n")
    (run,) = runs_of(show(log))
    (failed,) = run.failed  # CrewAI's inputs are objects
    assert (failed.observation, "cut" in str(failed.error)) == ("It is noon.", False)
    assert answer_of(run) == LONG


@pytest.mark.parametrize("colour", ["95", "91"])
@pytest.mark.parametrize("pasted", [False, True])
def test_old_consoles_print_results_in_a_colour(colour, pasted):
    log = old(RESULT, colour=colour) * 2
    for run in runs_of(log.replace("\x1b", "") if pasted else log):
        assert run.source.reader == "crewai_console_old"
        assert run.question == QUESTION
        assert steps_of(run) == [("I look.", "search", {"q": "fog"}, RESULT)]
        assert answer_of(run) == LONG
        assert notices_of(run) == []


def test_old_consoles_without_colours():
    (run,) = runs_of(without_colours(old("9 days\n\nof fog\n")))
    assert run.question == QUESTION
    assert steps_of(run) == [("I look.", "search", {"q": "fog"}, "9 days\n\nof fog\n")]
    assert answer_of(run) == LONG
    (run,) = runs_of(without_colours(old(f"a\n\nThought: {RESULT}")))
    assert steps_of(run)[0][3] is None
    assert "unclear_end" in notices_of(run)


def test_old_consoles_may_lack_the_lines_around_the_chain():
    inside = coloured(f"Thought: I know.\nFinal Answer: {LONG}", "32;1")
    for log in chain(inside, "CrewAgentExecutor"), f"x\n{chain(inside, 'CrewAgentExecutor')}y\n":
        (run,) = runs_of(log)
        assert (run.source.reader, answer_of(run)) == ("crewai_console_old", LONG)


@pytest.mark.parametrize(("name", "reader"), [
    ("CrewAgentExecutor", "langchain_console"), ("AgentExecutor", "crewai_console_old"),
])  # fmt: skip
def test_chains_of_the_other_framework_are_no_runs(name, reader):
    log = chain(coloured("Thought: I know.\nFinal Answer: x", "32;1"), name)
    with pytest.raises(OutputParserException, match="no run"):
        runs_of(log, format=reader)


def test_the_evidence_names_a_panel_or_a_line():
    assert detect_log(started()).evidence == ("a panel with the title 'Agent Started'",)
    assert detect_log(old("x")).evidence == ("'[DEBUG]: == Working Agent: Planner' in line 1",)


@pytest.mark.parametrize("title", ["❌ LLM Error", "❌ Tool Usage Failed", "Something new"])
def test_a_crew_that_ends_in_an_error_has_no_run_of_its_own(title):
    log = started("q") + box("❌ Crew Failure", "Crew Execution Failed\nName: crew")
    (run,) = runs_of(log + box(title, "the key is wrong"))
    assert run.question == "q"
    assert any("the key is wrong" in n.text for n in run.notices if n.kind == "unowned_text")
