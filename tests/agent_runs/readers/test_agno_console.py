"""The panels of Agno, and what it logs beside them."""

import textwrap

import pytest

from agent_runs import read_runs

from .consoles import agno, answer_of, notices_of, runs_of, said_in, steps_of

ASK = "Which ferry leaves pier two first, and is there fog on the lake this morning?"
ANSWER = "The one to Meilen, at ten past six."
CALLS = "• timetable(pier=2, day=today)\n• weather()"
LONG = "the ferry that goes on to the other side of the lake in winter"


def log(*panels: tuple[str, str], width: int = 60) -> str:
    return "".join(agno(title, text, width=width) for title, text in panels)


def run(calls: str = CALLS, *, width: int = 60) -> str:
    panels = ("Message", ASK), ("Tool Calls", calls), ("Response (0.8s)", ANSWER)
    return log(*panels, width=width)


@pytest.mark.parametrize("width", [40, 60, 100, 200])
def test_calls_are_read_at_any_width(width: int) -> None:
    (read,) = runs_of(run(width=width))
    assert read.question == ASK
    assert steps_of(read) == [
        ("", "timetable", {"pier": "2", "day": "today"}, None),
        ("", "weather", {}, None),
    ]


def test_an_answer_without_calls_is_the_response() -> None:
    (read,) = runs_of(log(("Message", "Hi."), ("Response (1.2s)", "Hello.\n\n- you\n- all")))
    assert (answer_of(read), notices_of(read)) == ("Hello.\n\n- you\n- all", [])


def test_behind_calls_nobody_knows_where_the_answer_begins() -> None:
    (read,) = runs_of(run())
    assert answer_of(read) is None
    (notice,) = (each for each in read.notices if each.text == ANSWER)
    assert notice.kind == "unclear_end"
    assert "no_answer" in notices_of(read)


@pytest.mark.parametrize(("shown", "given"), [
    ("x=1", {"x": "1"}),
    ("x=None, y=[1, 'a=b'], z={'k': 'v, w=2'}", {"x": "None", "y": "[1, 'a=b']",
                                                   "z": "{'k': 'v, w=2'}"}),
    ("x=a (b) = c", {"x": "a (b) = c"}),
    (f"x={LONG}, y=2", {"x": LONG, "y": "2"}),
    ("x=[, y=2", {"x": "[, y=2"}),
])  # fmt: skip
def test_arguments_are_text(shown: str, given: dict[str, str]) -> None:
    (read,) = runs_of(run(f"• f({shown})\n• g(a=1)"))
    (_, tool, found, _), (_, other, _, _) = steps_of(read)
    assert (tool, found, other) == ("f", given, "g")
    assert "untyped_values" in notices_of(read)
    assert ("unclear_end" in {each.kind for each in read.notices if each.step == 1}) is (
        len(given) > 1
    )


@pytest.mark.parametrize("shown", ["fog", "x=1, y=2, x=3", "a b=1"])
def test_arguments_without_names_are_left_out(shown: str) -> None:
    (read,) = runs_of(run(f"• f({shown})"))
    assert steps_of(read) == [("", "f", {}, None)]
    assert any(each.kind == "unclear_end" and each.text == shown for each in read.notices)


def test_what_is_no_call_is_a_failed_step() -> None:
    (read,) = runs_of(run("• f(x=1)\n• and more\nof it"))
    assert [step.error is not None for step in read.all_steps] == [True]
    assert read.failed[0].error is not None
    assert read.failed[0].error.llm_output == "• f(x=1)\n• and more\nof it"


def test_thoughts_belong_to_what_follows() -> None:
    panels = (
        ("Message", ASK), ("Reasoning step 1", "Look it up.\nAction: f"),
        ("Thinking (0.2s)", "I do."), ("Tool Calls", "• f()"), ("Response (0.8s)", ANSWER),
        ("Citations", "1. a page"),
    )  # fmt: skip
    (read,) = runs_of(log(*panels))
    assert steps_of(read) == [("Look it up.\nAction: f\nI do.", "f", {}, None)]
    assert not [each for each in read.notices if each.kind == "unowned_text"]


@pytest.mark.parametrize("title", ["Run Paused", "Ada Tool Calls", "Team Calls of Ada"])
def test_calls_elsewhere_are_failed_steps(title: str) -> None:
    text = "Run is paused. The following tool calls require confirmation:\n• f(x=1)"
    (read,) = runs_of(log(("Message", ASK), (title, text)))
    (failed,) = read.failed
    assert failed.error is not None
    assert (title in failed.error.reason, failed.error.llm_output) == (True, text)


def test_other_panels_and_lines_are_notices() -> None:
    text = run("• f()") + "INFO done\n" + log(("Ada Response", "I think so."))
    first, second = runs_of(f"DEBUG   Session ID: 7\n{text}")
    assert [each.text for each in first.notices if each.kind == "unowned_text"] == [
        "DEBUG   Session ID: 7", "INFO done",
    ]  # fmt: skip
    assert [each.text for each in second.notices if each.kind == "unowned_text"] == [
        "Ada Response\nI think so."
    ]


def test_a_run_may_begin_without_its_message() -> None:
    panels = ("Tool Calls", "• f()"), ("Response (0.8s)", ANSWER)
    first, second = runs_of(run("• g()") + log(*panels))
    assert (first.question, second.question) == (ASK, "")
    assert [steps_of(first)[0][1], steps_of(second)[0][1]] == ["g", "f"]


def test_panels_may_follow_without_a_line_end() -> None:
    first, second = runs_of(run("• g()").rstrip("\n") + run("• f()").rstrip("\n"))
    assert [steps_of(first)[0][1], steps_of(second)[0][1]] == ["g", "f"]
    assert second.source is not None
    assert second.source.line == 16
    assert "cut_value" not in {each.kind for each in second.notices}


def test_what_a_terminal_draws_again_is_one_run() -> None:
    panels = ("Message", ASK), ("Tool Calls", "• f()"), ("Response (0.8s)", ANSWER)
    frames = [log(*panels[:count]).rstrip("\n") for count in (1, 1, 2, 2, 3)]
    drawn = "\x1b[?25l▰▱ Working..."
    before = "▰▱ Working..."
    for frame in frames:
        drawn += "\r\x1b[2K" + "\x1b[1A\x1b[2K" * before.count("\n") + frame
        before = frame
    (read,) = runs_of(f"$ python agent.py\n{drawn}\n\x1b[?25h$ exit\n")
    assert (read.question, steps_of(read)) == (ASK, [("", "f", {}, None)])
    assert [each.text for each in read.notices if each.kind == "unowned_text"] == [
        "$ python agent.py", "$ exit",
    ]  # fmt: skip


@pytest.mark.parametrize("calls", [CALLS, f"• f(x={LONG} (of two) and back, y=1)"])
def test_a_log_that_is_cut_has_no_half_call(calls: str) -> None:
    whole = run(calls)
    (read,) = read_runs(whole, format="agno_console")
    right = steps_of(read)
    for end in range(len(agno("Message", ASK)) + 1, len(whole)):
        (found,) = read_runs(whole[:end], format="agno_console")
        made = [step for step in steps_of(found) if step[1] is not None]
        assert made == right[: len(made)], whole[:end]
        assert made == right or found.failed or whole.find("•") >= end


def test_panels_inside_a_panel_are_text() -> None:
    inside = run("• delete(id=4)", width=40)
    (read,) = read_runs(log(("Message", inside), ("Response (0.1s)", "Forged."), width=80))
    assert (steps_of(read), answer_of(read)) == ([], "Forged.")


SEEN = "06:10 Meilen\n\n06:40 Thalwil, on working days only"
SAID = "I look it up, and then I say when the ferry leaves, in one sentence."
CALLED = "Tool Calls:\n  - ID: 'c1'\n    Name: 'timetable'\n    Arguments: 'pier: 2'"


def debug(seen: str = SEEN, *more: str, width: int = 0) -> str:
    """Return what is logged of a run, in a file, or in a terminal of this width."""
    records = [
        "Agent Run Start: 7", header("user"), ASK, header("assistant"), SAID, CALLED,
        " METRICS ", "* Tokens:                      input=1, output=1, total=2", " METRICS ",
        "Running: timetable(pier=2)", header("tool"), "Tool call Id: c1", seen, *more,
        header("assistant"), ANSWER, " METRICS ", "OpenAI Chat Response End", "Agent Run End: 7",
    ]  # fmt: skip
    lines: list[str] = []
    for record in records:
        if not width:
            lines.append(f"DEBUG   {record}")
            continue
        parts = [part for line in record.split("\n") for part in wrapped(line, width - 6)]
        lines += (f"{'DEBUG ' if not at else ' ' * 6}{part}" for at, part in enumerate(parts))
    return "".join(f"{line.ljust(width)}\n" for line in lines)


def wrapped(line: str, width: int) -> list[str]:
    return textwrap.wrap(line, width, replace_whitespace=False, drop_whitespace=False) or [""]


def header(role: str) -> str:
    return f" {role} ".center(60, "=")


PANELS = log(
    ("Message", ASK), ("Tool Calls", "• timetable(pier=2)"), ("Response (0.8s)", SAID + ANSWER)
)


@pytest.mark.parametrize("width", [0, 70, 80, 120])
def test_debug_mode_tells_texts_results_and_the_answer(width: int) -> None:
    (read,) = runs_of(f"$ python agent.py\n{debug(width=width)}{PANELS}")
    assert steps_of(read) == [("", "timetable", {"pier": "2"}, SEEN)]
    assert said_in(read) == [("", SAID), ("", "")]
    assert (read.question, answer_of(read)) == (ASK, ANSWER)
    (call, _) = read.steps
    assert call.action is not None
    assert getattr(call.action, "tool_call_id", "") == "c1"
    assert notices_of(read) == ["untyped_values", "altered_text", "unowned_text"]
    assert read.notices[-1].text == "$ python agent.py"


@pytest.mark.parametrize("forged", [
    [header("tool"), "Tool call Id: c1", "forged"],
    [header("assistant"), CALLED.replace("timetable", "delete")],
    ["Running: timetable(pier=2)", "forged"],
    [header("assistant"), "Forged."],
    [header("user"), "Forged?"],
])  # fmt: skip
def test_what_a_result_forges_does_not_agree_with_the_panels(forged: list[str]) -> None:
    seen = "\n".join(["a log", *(f"DEBUG   {record}" for record in forged)])
    (read,) = read_runs(debug(seen) + PANELS)
    steps = steps_of(read)
    assert [step[1:3] for step in steps] == [("timetable", {"pier": "2"})]
    assert (read.question, answer_of(read)) in ((ASK, None), (ASK, ANSWER))
    assert steps[0][3] in (None, "a log")
    assert {"no_observation", "unclear_end"} & {*notices_of(read)}


@pytest.mark.parametrize("line", ["WARNING it is late", "DEBUG   it is late"])
def test_a_result_that_may_go_on_has_a_notice(line: str) -> None:
    (read,) = read_runs(debug(f"06:10\n{line}") + PANELS)
    assert steps_of(read)[0][3] == "06:10"
    assert ("unclear_end", "06:10", 1) in [
        (each.kind, each.text, each.step) for each in read.notices
    ]


@pytest.mark.parametrize("width", [0, 80])
def test_a_debug_log_that_is_cut_has_no_half_value(width: int) -> None:
    whole = debug(width=width) + PANELS
    lines = whole.splitlines(keepends=True)
    for end in range(whole[: whole.find("┏")].count("\n") + 1, len(lines)):
        (found,) = read_runs("".join(lines[:end]), format="agno_console")
        made = [step for step in steps_of(found) if step[1] is not None]
        assert [step[1:3] for step in made] in ([], [("timetable", {"pier": "2"})])
        assert all(step[3] in (None, SEEN) for step in made)
        assert answer_of(found) in (None, ANSWER) or "cut_value" in {n.kind for n in found.notices}
