"""The console of smolagents."""

import pytest

from agent_runs import detect_log, read_runs

from .consoles import RESULT, answer_of, box, notices_of, runs_of, steps_of

WIDTH = 64
LONG = "November has nine days of fog, which is more than any other month of the year has."


def began(question: str = "Which month?", name: str = "") -> str:
    title = f"New run - {name}" if name else "New run"
    text = f"\n{question}\n"
    return box(title, text, width=WIDTH, padding=1, subtitle="Model - id")


def step(number: int, inside: str) -> str:
    rule = f" Step {number} ".center(WIDTH, "━")
    return f"{rule}\n{inside}[Step {number}: Duration 0.02 seconds| Input tokens: 1,2]\n"


def call(text: str) -> str:
    return box("", f"Calling tool: {text}", width=WIDTH, padding=1)


def code(*lines: str) -> str:
    inside = "".join(f"  {line.ljust(WIDTH - 4)}  \n" for line in lines)
    head = " ─ Executing parsed code: ".ljust(WIDTH - 1, "─")
    return f"{head} \n{inside} {'─' * (WIDTH - 2)} \n"


FINAL = "Observations: November.\nFinal answer: November.\n"


def test_calls_are_in_boxes_and_results_below():
    log = began() + step(1, call("'search' with arguments: {'q': 'fog', 'n': 2}")
                         + f"Observations: {RESULT}\n")  # fmt: skip
    log += step(2, call("'final_answer' with arguments: {'answer': 'November.'}") + FINAL)
    (run,) = runs_of(log)
    assert run.question == "Which month?"
    assert steps_of(run) == [("", "search", {"q": "fog", "n": 2}, RESULT)]
    assert answer_of(run) == "November."
    assert notices_of(run) == []


def test_an_error_is_the_result():
    log = began() + step(1, call("'x' with arguments: {}") + "Unknown tool x, should be y\n")
    (run,) = runs_of(f"{log}Reached max steps.\n[Step 2: Duration 0.00 seconds]\n")
    assert steps_of(run) == [("", "x", {}, "Unknown tool x, should be y")]
    assert notices_of(run) == ["no_answer"]


def test_replaced_and_wrapped_text_is_noted():
    log = began() + step(1, call("'search' with arguments: {}") + "Observations: |1, 2]\n")
    (run,) = runs_of(log)
    assert "altered_text" in notices_of(run)


def test_results_of_calls_side_by_side_are_not_guessed():
    both = call("'a' with arguments: {}") + call("'b' with arguments: {}")
    (run,) = runs_of(began() + step(1, f"{both}Observations: 1\nObservations: 2\n"))
    assert [taken[3] for taken in steps_of(run)] == [None, None]
    assert notices_of(run)[0] == "unowned_text"


def test_code_is_the_input_of_the_interpreter():
    lines = "for n in range(3):", "    print(n)", "", "Final answer: 5"
    log = began() + step(1, code(*lines[:3]) + f"Execution logs:\n{lines[3]}\n\nOut: None\n")
    log += step(2, code("final_answer('November.')") + "Final answer: November.\n")
    (run,) = runs_of(log)
    first, last = steps_of(run)
    assert first == ("", "python_interpreter", "for n in range(3):\n    print(n)",
                     "Execution logs:\nFinal answer: 5\n\nOut: None")  # fmt: skip
    assert last[2:] == ("final_answer('November.')", "November.")
    assert answer_of(run) == "November."


def test_the_text_of_the_model_may_be_shown():
    said = "Output message of the LLM: ".ljust(WIDTH, "─")
    text = f"{said}\nThought: I look.\n<code>\nx = 1\n</code>\n"
    (run,) = runs_of(began() + step(1, text + code("x = 1") + "Out: None\n"))
    assert steps_of(run)[0][0] == "I look."


@pytest.mark.parametrize("end", [
    "[Step 1: Duration 0.02 seconds| Input tokens: 1,024 | Output\ntokens: 12]",
    "[Step 1: Duration\n0.02 seconds| Input\ntokens: 1 |\nOutput tokens:\n2]",
])  # fmt: skip
def test_the_end_of_a_step_may_be_wrapped(end):
    rule = " Step 1 ".center(WIDTH, "━")
    shown = call("'search' with arguments: {}") + "Observations: 9\n"
    (run,) = runs_of(f"{began()}{rule}\n{shown}{end}\n{step(2, '')}")
    assert steps_of(run) == [("", "search", {}, "9")]
    assert notices_of(run) == ["no_answer"]


def test_what_only_looks_like_the_end_of_a_step_is_text():
    seen = "[Step 1: Duration of the fog\nis unknown"
    (run,) = runs_of(began() + step(1, call("'a' with arguments: {}") + f"Observations: {seen}\n"))
    assert steps_of(run)[0][3] == seen


@pytest.mark.parametrize("printed", ["Observations: \n", "Observations:\n"])
def test_a_result_may_be_empty(printed):
    (run,) = runs_of(began() + step(1, call("'a' with arguments: {}") + printed))
    assert steps_of(run) == [("", "a", {}, "")]


def test_frames_that_are_not_as_wide_as_the_console_are_text():
    drawn = box("New run", "Which?", width=20, padding=1) + "━━━ Step 7 ━━━\n"
    drawn += box("", "a table", width=30, padding=1) + "end"
    seen = call("'a' with arguments: {}") + f"Observations: 1\n{drawn}\n"
    (run,) = read_runs(began() + step(1, seen))
    assert [step.observation for step in run.steps] == [f"1\n{drawn}"]


def test_spaces_at_the_end_of_a_line_of_arguments_are_kept():
    text = "x\\n" + " " * 6 + "return n * 2000000000"
    log = began() + step(
        1, call(f"'run' with arguments: {{'code': '{text}'}}") + "Observations: 9\n"
    )
    (run,) = runs_of(log)
    assert steps_of(run)[0][2] == {"code": text.replace("\\n", "\n")}


@pytest.mark.parametrize("answer", ["November " + "x" * (WIDTH - 28), "[9] or [10]"])
def test_an_answer_begins_a_line_whatever_stands_before_it(answer):
    final = f"Observations: {answer.replace('[', '|')}\nFinal answer: {answer}\n"
    (run,) = runs_of(began() + step(1, call("'final_answer' with arguments: {}") + final))
    assert answer_of(run) == answer


def test_managed_agents_have_runs_of_their_own():
    inner = began("inner?", "helper") + step(
        1, call("'b' with arguments: {}") + "Observations: 2\n"
    )
    inner += step(2, call("'final_answer' with arguments: {'answer': 'in'}")
                  + "Observations: in\nFinal answer: in\n")  # fmt: skip
    outside = call("'helper' with arguments: {}")
    log = began() + step(1, f"{outside}{inner}Observations: in\n")
    log += step(2, call("'final_answer' with arguments: {}") + FINAL)
    within, outer = runs_of(log)
    assert (within.id, within.question, answer_of(within)) == ("helper", "inner?", "in")
    assert steps_of(outer) == [("", "helper", {}, "in")]
    assert answer_of(outer) == "November."


def test_several_runs_with_text_between_them():
    log = began() + step(1, call("'final_answer' with arguments: {}") + FINAL) + "bye\n"
    runs = runs_of(log * 2)
    assert [answer_of(run) for run in runs] == ["November.", "November."]
    assert [notice.text for run in runs for notice in run.notices] == ["bye", "bye"]


def test_wrapped_answers_are_joined():
    wrapped = LONG.replace(" than", "\nthan")
    final = f"Observations: {wrapped}\nFinal answer: {wrapped}\n"
    (run,) = runs_of(began() + step(1, call("'final_answer' with arguments: {}") + final))
    assert " ".join(answer_of(run).split()) == LONG


def test_the_evidence_is_a_frame():
    assert detect_log(began()).evidence == ("'New run' in a frame of smolagents",)


# -- code in a box -------------------------------------------------------------------------------


def boxed(*lines: str, title: str = "Executing this code:") -> str:
    head = f"╭{f'─ {title} '.ljust(WIDTH - 2, '─')}╮\n"
    inside = "".join(f"│ {line.ljust(WIDTH - 4)} │\n" for line in lines)
    return f"{head}{inside}╰{'─' * (WIDTH - 2)}╯\n"


def test_code_in_a_box_has_numbers():
    log = began() + step(0, boxed("  1 n = fog('May')", "  2 ", "  3 print(n)")
                         + "Execution logs:\n9\n\nOut: None\n")  # fmt: skip
    log += step(1, boxed("  1 final_answer(n)") + "Out - Final answer: 9\n")
    (run,) = runs_of(log)
    assert [taken[1:3] for taken in steps_of(run)] == [
        ("python_interpreter", "n = fog('May')\n\nprint(n)"),
        ("python_interpreter", "final_answer(n)"),
    ]
    assert steps_of(run)[0][3] == "Execution logs:\n9\n\nOut: None"
    assert answer_of(run) == "9"
    assert notices_of(run) == []


def test_a_line_of_code_that_was_wrapped_has_one_number():
    first = f"say('{'fog ' * 12}and')".ljust(60)[:53]
    lines = [f"   {n} f({n})" for n in range(1, 10)] + [f"  10 {first}", "     more')"]
    (run,) = runs_of(began() + step(0, boxed(*lines) + "Out: None\n"))
    code = steps_of(run)[0][2]
    assert code.split("\n")[8] == "f(9)"
    assert code.split("\n")[9].split() == [*first.split(), "more')"]
    assert "altered_text" in notices_of(run)


def test_a_box_without_numbers_is_text():
    (run,) = runs_of(began() + step(0, "Final answer: 9\n"))
    assert answer_of(run) == "9"
    with_text = boxed("n = fog()", title="Executing this code:")
    runs = [*read_runs(began() + step(0, with_text + "Out - Final answer: 9\n"))]
    assert [answer_of(run) for run in runs] == ["9"]
    assert "n = fog()" in "".join(n.text for n in runs[0].notices if n.kind == "unowned_text")


@pytest.mark.parametrize("times", [1, 2])
def test_managed_agents_of_code_run_inside_the_code_that_calls_them(times):
    inner = began("inner?", "helper") + step(0, boxed("  1 final_answer(2)")
                                             + "Out - Final answer: 2\n")  # fmt: skip
    log = began() + step(0, boxed("  1 print(helper('inner?'))") + inner * times
                         + "Execution logs:\n2\n\nOut: None\n")  # fmt: skip
    log += step(1, boxed("  1 final_answer(3)") + "Out - Final answer: 3\n")
    *within, outer = runs_of(log)
    assert [(run.question, answer_of(run)) for run in within] == [("inner?", "2")] * times
    assert len(steps_of(outer)) == 2
    assert steps_of(outer)[0][3] == "Execution logs:\n2\n\nOut: None"
    assert answer_of(outer) == "3"
