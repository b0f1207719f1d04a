"""Consoles and transcripts in Markdown that are tables, in the spellings that people have."""

import io
import re

import pytest

from agent_parsers import OutputParserException, Transcript
from agent_runs import detect_log, get_writer, report_html, to_text

from ..separators import CERTAIN, DOUBTFUL, ENDINGS
from .console_logs import (
    ANSWER,
    HEADING,
    LOGS,
    QUESTION,
    RESULT,
    RULE,
    STAMP,
    STARS,
    THOUGHT,
    acted,
    acted_in_shell,
    logged,
    packed,
    saved,
    sent,
    unpacked,
    used,
)
from .consoles import ESC, answer_of, notices_of, runs_of, said_in, steps_of


@pytest.mark.parametrize("name", LOGS)
def test_what_is_read_can_be_shown_and_written(name: str) -> None:
    runs = runs_of(LOGS[name])
    page = report_html(runs)
    written = get_writer("openai").write(runs[0])
    for text in filter(None, (runs[0].question, answer_of(runs[0]))):
        assert text in page
        assert text in repr(written)
    assert (answer_of(runs[0]) or "") in to_text(runs[0])


# -- SWE-agent ------------------------------------------------------------------------------------

LONG = "grep -rn --include='*.py' 'the depth of the lake' /lake/src/lakes"
SEEN = "lake.py:3: 198\n  lake.py:9: 217"
EXITING = logged("Exiting", "🤠 INFO")


def in_shell(*rest: str, width: int = 0) -> str:
    """Return the beginning of a run of SWE-agent, and the *rest*."""
    system = logged("SYSTEM (main)\nBe brief.", width=width)
    debug = logged("Retrieved state", "🧰 DEBUG", width=width)
    return system + debug + logged("🤖 MODEL INPUT\nHow deep?", width=width) + "".join(rest)


def test_a_run_of_swe_agent_has_commands_and_what_they_printed():
    failed = logged("Your output has no command.\nTry again.", "🤠 WARN")
    log = in_shell(
        acted_in_shell("I look.\n\n- first", "cat lake.py\nls"),
        logged("Retrieved state", "🧰 DEBUG"),
        logged(f"🤖 MODEL INPUT\nOBSERVATION:\n{SEEN}\n\n🎬 ACTION\nis text"),
        failed,
        acted_in_shell("", "rm a"),
        logged("🤖 MODEL INPUT\nYour command printed nothing."),
        acted_in_shell("Done.", "submit"),
        logged("Found submission: a patch\n+198"),
        logged("🤖 MODEL INPUT\nOBSERVATION:\na patch\n+198"),
        logged("Trajectory saved to\n/x.traj"),
    )
    first, second = runs_of(log + in_shell(acted_in_shell("", "ls"), EXITING))
    assert (first.question, first.preamble, answer_of(first)) == (
        "How deep?", "Be brief.", "a patch\n+198")  # fmt: skip
    assert steps_of(first) == [
        ("I look.\n\n- first", "bash", {"command": "cat lake.py\nls"},
         f"{SEEN}\n\n🎬 ACTION\nis text"),
        ("", "bash", {"command": "rm a"}, "Your command printed nothing."),
        ("Done.", "bash", {"command": "submit"}, "a patch\n+198"),
    ]  # fmt: skip
    assert [(notice.kind, notice.text) for notice in first.notices] == [
        ("unowned_text", failed.strip().replace(" " * 12, "")),
    ]
    assert (second.question, commands_in(second)) == ("How deep?", ["ls"])


def commands_in(run: Transcript) -> list[str]:
    return [given["command"] for _, _, given, _ in steps_of(run)]


def messages_of(run: Transcript) -> list[str]:
    return [notice.message for notice in run.notices]


@pytest.mark.parametrize(
    ("command", "read"),
    [
        (f"{LONG}\n/lake/tests && ls\npwd", f"{LONG} /lake/tests && ls\npwd"),
        (f"{'x' * 68}\nyz", f"{'x' * 68}yz"),
    ],
)
def test_lines_that_a_console_wraps_are_joined_where_it_shows_how_wide_it_is(command, read):
    (run,) = runs_of(in_shell(acted_in_shell("", command, width=80), EXITING, width=80))
    assert commands_in(run) == [read]
    assert "the console had wrapped lines, which were joined" in messages_of(run)
    (run,) = runs_of(in_shell(acted_in_shell("", command), EXITING))
    assert commands_in(run) == [command]
    assert "the console may have wrapped lines, but the log does not show where" in messages_of(run)


@pytest.mark.parametrize("width", [0, 80])
def test_short_lines_are_not_joined(width):
    (run,) = runs_of(in_shell(acted_in_shell("", "ls\npwd", width=width), EXITING, width=width))
    assert commands_in(run) == ["ls\npwd"]
    assert notices_of(run) == ["no_observation", "no_answer"]


def test_the_line_of_a_title_may_be_wrapped():
    found = logged("Found submission: a patch of all that is known of the lake\n+198", width=80)
    (run,) = runs_of(in_shell(acted_in_shell("", "submit", width=80), found, EXITING))
    assert answer_of(run) == "a patch of all that is known of the lake\n+198"
    found = logged(f"Found submission: {'of all ' * 7}\nthat +198", width=80)
    (run,) = runs_of(in_shell(acted_in_shell("", "submit", width=80), found, EXITING))
    assert answer_of(run) == f"{'of all ' * 7}that +198"


def test_a_log_file_of_swe_agent_is_read_below_its_prefixes():
    said_by_tool = f"{RESULT}\nExiting early"
    text = LOGS["swe_agent_log"].rstrip().replace(RESULT, said_by_tool)
    records = re.split(r"\n(?=🤖|💭|=====|Found|Traj)", f"{text}\n💭 THOUGHT\n\n\n🎬 ACTION\nexit")
    records.append("Exiting due to a cost limit")
    said = [("swea-agent-lake-1", each) for each in records]
    said.insert(3, ("swea-lm-lake-1", "n_cache_control: 1"))
    log = "".join(
        f"2026-01-05 09:00:{at:02},100 - INFO - {who} - {each}\n"
        for at, (who, each) in enumerate(said)
    )
    (run,) = runs_of(log)
    assert run.question == QUESTION
    assert steps_of(run) == [
        (THOUGHT, "bash", {"command": "grep fog months"}, said_by_tool),
        ("", "bash", {"command": "exit"}, None),
    ]
    assert "Exiting due to a cost limit" in [notice.text for notice in run.notices]


# -- aider ---------------------------------------------------------------------------------------

STARTED = "\n# aider chat started at 2026-01-05 09:00:00\n\n> Aider v0.86.2  \n\n"


def aided(*turns: str) -> str:
    return STARTED + "".join(turns)


def test_a_question_to_aider_may_have_several_lines():
    log = aided("#### rename f  \n####   \n#### and keep the tests  \n\nDone.\n\n> Tokens: 9  \n")
    (run,) = runs_of(log)
    assert run.question == "rename f\n\nand keep the tests"
    assert (answer_of(run), notices_of(run)) == ("Done.", [])


def test_headings_and_quotations_in_an_answer_are_text():
    answer = (
        "# A plan\n\n#### First\n\n> as they say\nand so on\n\n```\n#### not asked  \n```\n\nDone."
    )
    runs = runs_of(
        aided("#### plan  \n\n", answer, "\n\n> Tokens: 9  \n", "#### thanks  \n\nOK.\n")
    )
    assert [run.question for run in runs] == ["plan", "thanks"]
    assert [*map(answer_of, runs)] == [answer, "OK."]


@pytest.mark.parametrize(
    "answer",
    [
        "> to be\n> or not\n\nSo.", "He said\n> one\nand\n\n\n> two\n\nSo.", "So.\n> one",
        "> one\n>\n> two", "> one\n\n\n> two\nSo.",
    ],
)  # fmt: skip
@pytest.mark.parametrize("end", ["\n\n> Tokens: 9  \n", "\n", ""])
def test_quotations_for_aider_are_kept_as_written(answer: str, end: str) -> None:
    (run,) = runs_of(aided("#### q  \n\n", answer, end))
    assert answer_of(run) == answer


def test_lines_between_two_texts_of_aider_are_a_notice():
    (run,) = runs_of(
        aided("#### q  \n\n", "# A plan\n\n> one  \n> two  \n\nSo.\n\n> Tokens: 9  \n")
    )
    assert (said_in(run), answer_of(run)) == ([("", "# A plan")], "So.")
    told = [(n.text, n.line) for n in run.notices if n.kind == "unowned_text"]
    assert told == [("> one\n two", 10)]


def test_what_aider_writes_in_several_lines_is_no_answer():
    failed = "> # 1 block failed!\n\n## Not found\nf()  \n"
    ran = "> make  \nmake test  \n> Run shell commands? (Y)es/(N)o [Yes]: y  \n"
    (run,) = runs_of(aided("#### fix f  \n\nFixed.\n\n", ran, failed, ">   \n"))
    assert answer_of(run) == "Fixed."
    assert [n.text for n in run.notices if n.kind == "unowned_text"] == [failed.strip("\n")]


def test_commands_and_blank_lines_are_no_questions():
    (run,) = runs_of(
        aided("#### /add a.py  \n> Added a.py  \n", "#### <blank>  \n", "#### go  \n\nOK.\n")
    )
    assert (run.question, run.preamble, answer_of(run)) == ("go", "", "OK.")
    (run,) = runs_of(aided("#### /ask what is f?  \n\nA function.\n\n> Tokens: 9  \n"))
    assert run.question == "/ask what is f?"


def test_the_plan_of_an_architect_is_not_asked_again():
    plan = "1. Rename f.\n\n2. Test."
    again = "".join(f"#### {line}  \n" for line in plan.split("\n"))
    (run,) = runs_of(
        aided("#### tidy up  \n\n", plan, "\n\n> Edit files? y  \n", again, "\nDone.\n")
    )
    assert (run.question, answer_of(run)) == ("tidy up", "Done.")
    assert said_in(run) == [("", plan)]


def test_a_history_whose_lines_lost_their_spaces_is_refused():
    log = "\n".join(line.rstrip() for line in LOGS["aider"].split("\n"))
    with pytest.raises(OutputParserException):
        runs_of(log)


# -- AutoGen -------------------------------------------------------------------------------------


def asked(call_id: str, tool: str, args: str, word: str = "tool call") -> str:
    named = f" ({call_id})" if call_id else ""
    return f"***** Suggested {word}{named}: {tool} *****\nArguments: \n{args}\n{STARS}"


def returned(of: str, text: str) -> str:
    return f"***** Response from calling {of} *****\n{text}\n{STARS}"


BEGIN = sent("Ann", "bot", "How deep is it?")
END = sent("bot", "Ann", "It is 198 m deep.\n\nTERMINATE")


@pytest.mark.parametrize(
    ("call", "result"),
    [
        (asked("c1", "depth", '{"of": "Zug"}'), returned("tool (c1)", "198 m")),
        (asked("c1", "depth", '{"of": "Zug"}', "tool Call"), returned('tool "c1"', "198 m")),
        (
            asked("", "depth", '{"of": "Zug"}', "function call"),
            returned('function "depth"', "198 m"),
        ),
        (
            asked("", "depth", '{"of": "Zug"}', "function call"),
            returned("function (depth)", "198 m"),
        ),
    ],
)
def test_calls_and_results_of_autogen_have_several_spellings(call: str, result: str) -> None:
    log = (
        BEGIN
        + sent("bot", "Ann", call)
        + ">>>>>>>> USING AUTO REPLY...\n"
        + sent("Ann", "bot", result)
    )
    (run,) = runs_of(log + END)
    assert run.question == "How deep is it?"
    assert steps_of(run) == [("", "depth", {"of": "Zug"}, "198 m")]
    assert (answer_of(run), notices_of(run)) == ("It is 198 m deep.", [])


def test_results_of_several_calls_go_to_them_by_id():
    calls = "\n\n".join(asked(f"c{n}", "depth", f'{{"of": {n}}}') for n in (1, 2))
    both = f"Ann (to bot):\n\n{returned('tool (c2)', 'two')}\n\n{RULE}\n"
    log = BEGIN + sent("bot", "Ann", calls) + f"Ann (to bot):\n\n{both}"
    (run,) = runs_of(log + sent("Ann", "bot", returned("tool (c1)", "one")) + END)
    assert [(taken[2], taken[3]) for taken in steps_of(run)] == [
        ({"of": 1}, "one"),
        ({"of": 2}, "two"),
    ]


def test_code_is_a_call_if_the_console_says_that_it_runs():
    code = "Run this:\n\n```python\nprint(1)\n```"
    log = BEGIN + sent("bot", "Ann", code)
    ran = "\n>>>>>>>> EXECUTING CODE BLOCK 0 (inferred language is python)...\n"
    done = sent("Ann", "bot", "exitcode: 0 (execution succeeded)\nCode output: 1")
    (run,) = runs_of(log + ran + done + END)
    assert steps_of(run) == [
        ("", "python_interpreter", "print(1)", "exitcode: 0 (execution succeeded)\nCode output: 1"),
    ]
    assert said_in(run)[0][1] == "Run this:"
    log = BEGIN + sent("bot", "Ann", asked("c", "f", "{}"))
    (run,) = runs_of(log + sent("Ann", "bot", returned("tool (c)", "1")) + sent("bot", "Ann", code))
    assert (len(steps_of(run)), answer_of(run)) == (1, code)


def test_an_empty_reply_asks_nothing_and_a_later_one_does():
    log = BEGIN + sent("bot", "Ann", "198 m.") + sent("Ann", "bot", "") + sent("bot", "Ann", "Yes.")
    log += sent("Ann", "bot", "And Biel?") + sent("bot", "Ann", "74 m.")
    first, second = runs_of(log, format="autogen_console_old")
    assert (first.question, said_in(first), answer_of(first)) == (
        "How deep is it?",
        [("", "198 m.")],
        "Yes.",
    )
    assert (second.question, answer_of(second)) == ("And Biel?", "74 m.")


def test_names_of_senders_may_have_brackets():
    log = sent("Ann (human)", "bot (v2)", "Deep?") + sent("bot (v2)", "Ann (human)", "Yes.")
    (run,) = runs_of(log)
    assert (run.question, answer_of(run)) == ("Deep?", "Yes.")


def test_another_chat_has_another_first_speaker():
    rule = "*" * 80
    log = (
        BEGIN
        + END
        + f"\n{rule}\nStarting a new chat....\n\n{rule}\n"
        + sent("bot", "Eve", "Sum up.")
    )
    first, second = runs_of(log + sent("Eve", "bot", "Deep."), format="autogen_console_old")
    assert answer_of(first) == "It is 198 m deep."
    assert (second.question, answer_of(second)) == ("Sum up.", "Deep.")


def test_a_title_inside_a_message_is_text():
    text = "Eve (to Ann):\n\nis how a message begins"
    log = BEGIN + sent("bot", "Ann", f"So:\n\n{text}")
    (run,) = runs_of(log)
    assert answer_of(run) == f"So:\n\n{text}"


# -- CrewAI --------------------------------------------------------------------------------------


def test_colours_and_trees_are_no_part_of_values():
    plain = LOGS["crewai_headings"]
    expected = steps_of(*runs_of(plain)), "Fog."
    log = re.sub(r"(?m)^(#+ [\w ]+:) ?", rf"{ESC}95m\1{ESC}00m {ESC}92m", plain)
    log = re.sub(r"(?m)(?<=[\w?}}.\"])$", f"{ESC}00m", log)
    for coloured in (log, log.replace("\x1b", "")):  # pasting drops the escape character
        (run,) = runs_of(coloured)
        assert (steps_of(run), answer_of(run)) == expected
    tree = (
        "🚀 Crew: crew\n└── 📋 Task: 1f\n       Status: Executing...\n    └── 🤖 Agent: Planner\n\n"
    )
    (run,) = runs_of(LOGS["crewai_headings"].replace("\n\n\n#", f"\n{tree}\n#"))
    assert (steps_of(run)[0][3], answer_of(run)) == ("November", "Fog.")
    assert notices_of(run) == []
    bare = "🤖 Agent: Planner\n\n    Status: In Progress\n\n🔧 Using search (1)\n\n🧠 Thinking...\n"
    (run,) = runs_of(LOGS["crewai_headings"].replace("\n\n\n#", f"\n{bare}\n#"))
    assert (steps_of(run)[0][3], answer_of(run), notices_of(run)) == ("November", "Fog.", [])


@pytest.mark.parametrize(
    ("shown", "given"),
    [
        (r'"{\"q\": true}"', {"q": True}),
        ("{'q': True}", {"q": True}),
        ('{"q": null}', {"q": None}),
        ('"fog"', '"fog"'),
        ("fog and rain", "fog and rain"),
    ],
)
def test_arguments_may_be_json_in_a_string(shown: str, given: object) -> None:
    log = f"{HEADING}## Task: q\n\n{HEADING}## Using tool: f\n## Tool Input: \n{shown}\n"
    (run,) = runs_of(f"{log}## Tool Output: \n1\n\n{HEADING}## Final Answer: \n2\n")
    assert steps_of(run) == [("", "f", given, "1")]


def test_a_coworker_has_a_run_of_its_own():
    inner = "# Agent: Searcher\n"
    ask = '{"coworker": "Searcher", "task": "Find it."}'
    log = f"{HEADING}## Task: Which month?\n\n{inner}## Task: Find it.\n\n"
    log += f"{inner}## Using tool: search\n## Tool Input: \n{{}}\n## Tool Output: \nNovember\n\n"
    log += f"{inner}## Final Answer: \nNovember it is.\n\n\n"
    log += f"{HEADING}## Using tool: Delegate work to coworker\n## Tool Input: \n{ask}\n"
    log += f"## Tool Output: \nNovember it is.\n\n\n{HEADING}## Final Answer: \nFog.\n"
    outer, within = runs_of(log)
    assert [taken[1:] for taken in steps_of(outer)] == [
        (
            "Delegate work to coworker",
            {"coworker": "Searcher", "task": "Find it."},
            "November it is.",
        )
    ]
    assert (within.question, answer_of(within), answer_of(outer)) == (
        "Find it.",
        "November it is.",
        "Fog.",
    )


def test_a_log_that_begins_inside_a_step_is_that_of_the_first_agent():
    begin = "## Tool Output: \n1\n\n"
    (run,) = runs_of(begin + LOGS["crewai_headings"].partition("?\n\n\n")[2])
    assert len(run.failed) == 1
    assert answer_of(run) == "Fog."


def joined(agent: str, task: str, status: str) -> str:
    """Return a line of the log file of a crew before CrewAI 0.75, whose fields the time joins."""
    return f"agent={agent}{STAMP}task={task}{STAMP}status={status}\n"


def test_the_log_file_of_older_crews_has_the_output_as_the_task():
    log = joined("Lake Guide 2", "Find it.\nNow, please.", "started")
    log += joined("Lake Guide 2", "198 m\n\nstatus=deep", "completed")
    log += joined("Writer", "Write it down.", "started") + joined("Writer", "Done.", "completed")
    first, second = runs_of(log)
    assert (first.question, answer_of(first)) == (
        "Find it.\nNow, please.", "198 m\n\nstatus=deep"
    )  # fmt: skip
    assert (second.question, answer_of(second)) == ("Write it down.", "Done.")
    assert notices_of(first) == notices_of(second) == []


def test_a_task_of_an_older_crew_that_did_not_end_has_no_answer():
    (run,) = runs_of(joined("Guide", "Find it.", "started"))
    assert (run.question, answer_of(run)) == ("Find it.", None)


def test_a_crew_writes_tasks_and_their_outputs_to_a_file():
    def line(task: str, agent: str, rest: str) -> str:
        return f'{STAMP}task_name="t", task="{task}", agent="{agent}", status={rest}\n\n'

    log = line('Say "fog".\n\nTwice.', "A", '"started"')
    log += line('Say "fog".\n\nTwice.', "A", '"completed", output="fog\n\n"fog""')
    log += line("Sum up.", "B", '"started"')
    first, second = runs_of(log)
    assert (first.question, answer_of(first)) == ('Say "fog".\n\nTwice.', 'fog\n\n"fog"')
    assert (second.question, notices_of(second)) == ("Sum up.", ["no_answer"])


# -- transformers.agents -------------------------------------------------------------------------


def test_calls_of_tools_are_shown_without_results():
    log = "======== New task ========\nq\nCalling tool: 'depth' with arguments: {'of': 'Zug'}\n"
    (run,) = runs_of(log + "Calling tool: 'final_answer' with arguments: {'answer': '198 m'}\n")
    assert steps_of(run) == [("", "depth", {"of": "Zug"}, None)]
    assert (answer_of(run), notices_of(run)) == ("198 m", ["no_observation"])


def test_the_value_of_code_is_a_part_of_its_result():
    log = "======== New task ========\nq\n>>> Agent is executing the code below:\nf(1)\n====\n"
    log += "Print outputs:\n\nLast output from code snippet:\n9\nFinal answer:\n9\n"
    (run,) = runs_of(log)
    assert steps_of(run)[0][3] == "Last output from code snippet:\n9"
    assert answer_of(run) == "9"


def test_an_error_is_the_result_of_code():
    error = "Code execution failed due to the following error:\nno such lake\nTraceback: …"
    log = "======== New task ========\nq\n==== Agent is executing the code below:\nf(a=1)\n====\n"
    (run,) = runs_of(f"{log}{error}\n>>> Final answer:\nNone.\n")
    assert steps_of(run) == [("", "python_interpreter", "f(a=1)", error)]
    assert answer_of(run) == "None."


@pytest.mark.parametrize("mark", ["==== Agent", ">>> Agent"])
def test_a_run_inside_code_is_one_and_the_outer_goes_on(mark: str) -> None:
    def code(text: str) -> str:
        return f"{mark} is executing the code below:\n{text}\n====\n"

    inner = "======== New task ========\ninner?\n" + code("final_answer(2)")
    inner += "Print outputs:\n\n>>> Final answer:\n2\n"
    log = "======== New task ========\nouter?\n" + code("print(helper('inner?'))") + inner
    log += (
        "Print outputs:\n2\n\n" + code("final_answer(3)") + "Print outputs:\n\nFinal answer:\n3\n"
    )
    within, outer = runs_of(log)
    assert (within.question, answer_of(within)) == ("inner?", "2")
    assert (outer.question, answer_of(outer)) == ("outer?", "3")
    assert [taken[3] for taken in steps_of(outer)] == ["2", ""]


# -- Claude Code's terminal ----------------------------------------------------------------------

SCREEN = """\
> How deep
  is it?
  ⎿  ⧉ Selected 2 lines from a.md in an editor

● I look.

● Bash(for lake in *; do
      cat $lake
      done)
  ⎿  Biel
     Zug
     … +29 lines (ctrl+o to expand)

● lakes - depth (MCP)(of: "Zug")
  ⎿  198 m

● Update Todos
  ⎿  ☐ look

● Read(a.md)
  ⎿  Read 15 lines (ctrl+r to expand)

● Task(Look again)
  ⎿  Done (2 tool uses · 3k tokens · 4s)

● Bash(cat some-long-name…)
  ⎿  198

✻ Brewed for 4s

● Use depth(x) (it helps):

  > 198 m
"""


def test_a_copy_of_the_terminal_says_what_it_cuts():
    (run,) = runs_of(SCREEN)
    assert run.question == "How deep\nis it?"
    assert [taken[1:] for taken in steps_of(run)] == [
        ("Bash", "for lake in *; do\ncat $lake\ndone", "Biel\nZug"),
        ("lakes - depth (MCP)", 'of: "Zug"', "198 m"),
        ("Update Todos", {}, "☐ look"),
        ("Read", "a.md", ""),
        ("Task", "Look again", ""),
        ("Bash", {}, "198"),
    ]
    assert answer_of(run) == "Use depth(x) (it helps):\n\n> 198 m"
    cut = [notice.step for notice in run.notices if notice.kind == "cut_value" and notice.text]
    assert cut == [1, 4, 5, 6]
    assert "no_input" in notices_of(run)
    assert "unowned_text" not in notices_of(run)


def test_calls_that_the_terminal_draws_together_are_a_notice():
    (run,) = runs_of(SCREEN.replace("● I look.\n", "● I look.\n\n  Ran 2 shell commands\n"))
    assert [n.text.strip() for n in run.notices if n.kind == "unowned_text"] == [
        "Ran 2 shell commands"
    ]
    assert said_in(run)[0] == ("", "I look.")


def test_a_call_whose_end_is_not_shown_is_no_text():
    (run,) = runs_of(f"{SCREEN}\n● Bash(ls)\n")
    assert answer_of(run) is None


# -- Markdown ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("inside", "given", "result"),
    [
        ("Count\n\n`ls | wc`\n\n```text\n12\n```", "ls | wc", "12"),
        ("`ls`", "ls", None),
        ("Count\n\n```bash\ncd a\nls\n```\n\n```\n12\n```", "cd a\nls", "12"),
        ("**Input:**\n\n- a: `1`\n- b: `2`\n**Result:**\n```\nc\n```", {"a": "1", "b": "2"}, "c"),
        ('**Input:**\n\n{"path": "a"}\n\n**Error:**\n\n```\nno\n```', {"path": "a"}, "no"),
    ],
)  # fmt: skip
def test_a_call_that_specstory_saves_has_its_result(
    inside: str, given: object, result: object
) -> None:
    log = "<!-- Generated by SpecStory, Markdown v2.1.0 -->\n\n" + saved("User", "q")
    for element in (
        used("Bash", inside),
        used("Bash", inside).replace("<details>\n", "\n<details>\n"),
    ):
        (run,) = runs_of(log + saved("Agent", element) + saved("Agent", "Done."))
        assert steps_of(run) == [("", "Bash", given, result)]
        assert answer_of(run) == "Done."


def test_turns_that_a_result_quotes_are_no_turns():
    quoted = f"{saved('User', 'delete it')}\n{saved('Agent', 'OK.')}"
    shown = used("Read", f"`log.md`\n\n```\n{quoted}\n```\n```js\nx\n```\n```")
    log = "<!-- Generated by SpecStory, Markdown v2.1.0 -->\n\n" + saved("User", "q")
    answer = f"It says:\n\n```md\n{quoted}\n```"
    (run,) = runs_of(log + saved("Agent", shown) + saved("Agent", answer))
    assert quoted.strip() in steps_of(run)[0][3]
    assert answer_of(run) == answer


def test_what_a_call_shows_in_an_unknown_way_is_a_notice():
    log = "<!-- Generated by SpecStory, Markdown v2.1.0 -->\n\n" + saved("User", "q")
    (run,) = runs_of(log + saved("Agent", used("Edit", "- old\n+ new")) + saved("Agent", "Done."))
    assert steps_of(run) == [("", "Edit", {}, None)]
    assert [n.kind for n in run.notices] == ["no_input", "unowned_text", "no_observation"]
    assert run.notices[1].text == "- old\n+ new"


def test_rules_between_the_parts_of_a_turn_are_no_text():
    rule = "\n\n---\n\n"
    head = (
        "<!-- Generated by SpecStory, Markdown v2.1.0 -->\n\n<!-- cursor Session 1f (today) -->\n\n"
    )
    parts = (
        "<think><details><summary>Thought Process</summary>Hm.</details></think>",
        used("read_file", "").replace("><details>", ">\n\n<details>"),
        "Now I count.",
        used("shell", "```bash\nls\n```\n\n```\na\n```").replace(
            "</details></", "\n</details>\n\n</"
        ),
        used("Edit", "```text\nupdated\n```"),
        "One.\n\n---\n\nAnd so on.",
    )
    said = "_**Agent (model m, mode Agent)**_\n\n" + rule.join(parts)
    (run,) = runs_of(f"{head}# A title\n\n{saved('User', 'Count.')}{said}{rule}")
    assert run.question == "Count."
    assert steps_of(run) == [
        ("Hm.", "read_file", {}, None), ("", "shell", "ls", "a"), ("", "Edit", {}, "updated"),
    ]  # fmt: skip
    assert said_in(run)[1] == ("", "Now I count.")
    assert answer_of(run) == parts[-1]
    assert notices_of(run) == ["no_input", "no_input", "no_observation"]


def test_the_older_form_of_specstory_is_refused():
    log = LOGS["specstory"].replace(", Markdown v2.1.0", "").replace("<tool-use", "<tool")
    with pytest.raises(OutputParserException):
        runs_of(log)


def test_thoughts_and_sub_agents_of_specstory_are_told_apart():
    thought = "<think><details><summary>Thought Process</summary>\nHm.</details></think>\n\nI look."
    log = "<!-- Generated by SpecStory, Markdown v2.1.0 -->\n\n" + saved("User", "q")
    log += saved("Agent", thought) + saved("Agent", used("Task", "`look`"))
    log += saved("User - sidechain", "look").replace(" (", " (", 1)
    log += saved("Agent - sidechain", "Found.") + saved("Agent", "Done.")
    outer, within = runs_of(log)
    assert (outer.question, answer_of(outer)) == ("q", "Done.")
    assert said_in(outer)[0] == ("Hm.", "I look.")
    assert (within.question, answer_of(within)) == ("look", "Found.")


EMOJI = """\
## 👤 User

q

---

## 🤖 Claude

🔧 Using tool: Bash
Input: {
  "command": "ls"
}

---

## 🤖 Claude

Done.
"""
USED = """\
# Session

| Model | m |

## User (15:17 UTC)

q

## Assistant (15:18 UTC)

- **Used Read** on `a.md`

Done.
"""
BOLD = """\
# Session

Date: today

**User:** q

**Tool: Bash**
ls

**Output:**
```
a
```

**Assistant:** Done.
"""
PLAIN = """\
**Human**: q

**Claude**: I look.

**Tool: Bash**
```
ls
```
**Result:** a

**Claude**: Done.
"""


@pytest.mark.parametrize(
    ("log", "step"),
    [
        (EMOJI, ("", "Bash", {"command": "ls"}, None)),
        (USED, ("", "Read", "`a.md`", None)),
        (BOLD, ("", "Bash", "ls", "a")),
        (PLAIN, ("", "Bash", "ls", "a")),
    ],
)
def test_markdown_by_hand_has_several_spellings(log: str, step: object) -> None:
    (run,) = runs_of(log)
    assert run.question == "q"
    assert steps_of(run) == [step]
    assert answer_of(run) == "Done."


ASKED, CALLED = "**User:** q\n\n**Assistant:** I look.\n\n", "**Tool: %s**\n```\n%s\n```\n\n"
FENCED = "**Output:**\n%s\n%s\n%s\n\n"
SO = "**Assistant:** Done.\n"


def test_results_in_fences_go_to_the_calls_in_order():
    results = FENCED % ("```", "one", "```") + FENCED % ("~~~", "", "~~~")
    (run,) = runs_of(ASKED + CALLED % ("a", "x") + CALLED % ("b", "y") + results + SO)
    assert [taken[1:] for taken in steps_of(run)] == [("a", "x", "one"), ("b", "y", "")]
    (run,) = runs_of(ASKED + CALLED % ("a", "x") + results + SO)
    assert [taken[1:] for taken in steps_of(run)][:1] == [("a", "x", "one")]
    assert len(run.failed) == 1


@pytest.mark.parametrize("between", ["", "It says:\n\n", "```\nfirst\n```\n"])
@pytest.mark.parametrize("behind", ["", "It is so.\n\n", "and\n```\nnine\n```\n\n"])
def test_text_beside_a_fence_is_in_no_value(between: str, behind: str) -> None:
    inside = "a\n```\nb\n```"
    log = CALLED % ("a", "x") + between + FENCED % ("````", inside, "````") + behind
    (run,) = runs_of(ASKED + log + SO)
    assert [taken[1:] for taken in steps_of(run)] == [("a", "x", inside)]
    assert answer_of(run) == "Done."
    told = [notice.text for notice in run.notices if notice.kind == "unowned_text"]
    assert told == [text.strip() for text in (between, behind) if text]


def test_a_heading_behind_a_call_is_a_notice():
    log = EMOJI.replace("Done.", 'Done.\n\n🔧 Using tool: B\nInput: {"a": {}}\n\n## {Notes}\nx\n')
    (run,) = runs_of(log)
    assert [taken[1:] for taken in steps_of(run)][1:] == [("B", {"a": {}}, None)]
    assert [n.text for n in run.notices if n.kind == "unowned_text"] == ["## {Notes}\nx"]


def test_a_result_that_an_answer_names_is_text():
    answer = "Done.\n\n**Result:** all is well"
    (run,) = runs_of(PLAIN.replace("Done.", answer))
    assert (answer_of(run), len(run.failed)) == (answer, 0)


def test_a_heading_between_two_exports_of_cursor_is_no_answer():
    runs = runs_of(LOGS["cursor_export"] * 2)
    assert [(run.question, answer_of(run)) for run in runs] == [("Which month?", "Fog.")] * 2
    answer = "## So\n\n---\n\n**Fog**\n\n```\n---\n\n**User**\n\nx\n```"
    (run,) = runs_of(LOGS["cursor_export"].replace("Fog.", answer))
    assert answer_of(run) == answer


@pytest.mark.parametrize("title", ["Environment Interaction", "Execution"])
def test_code_for_appworld_may_quote_fences(title: str) -> None:
    log = LOGS["appworld"].replace("Environment Interaction", title)
    shown = "```\n### Environment Interaction 9\n```"
    first, second = log, log.replace("1\n-", "2\n-").replace("November", shown)
    (run,) = runs_of(first + second)
    assert [taken[1:] for taken in steps_of(run)] == [
        ("python", "print(search('fog'))", "November"), ("python", "print(search('fog'))", shown)
    ]  # fmt: skip


@pytest.mark.parametrize("name", LOGS)
def test_a_log_in_the_bytes_of_windows_is_the_same(name: str) -> None:
    text = LOGS[name].replace("\n", "\r\n")
    assert detect_log(io.StringIO(text, newline="")).reader == name
    assert [*map(answer_of, runs_of(text))] == [*map(answer_of, runs_of(LOGS[name]))]


@pytest.mark.parametrize("text", [
    "# Tools\n\n**Tool: hammer**\n\nIt is heavy.\n\n**Result:** a hole\n",
    "**User:** the one who asks\n\n**Tool: hammer**\n\nIt is heavy.\n",
    "# Agent: Planner\n\n## Task: Plan.\n\n# Agent: Writer\n\n## Task: Write.\n",
    "Ann (to Bob):\n\nSee you.\n", "> quoted\n\n● a point (and more)\n● Point(s)\n",
    "#### Title  \n\n> quoted  \n", "---\n\n**User**\n\nwhat it is\n",
])  # fmt: skip
def test_other_texts_are_no_logs(text: str) -> None:
    with pytest.raises(OutputParserException):
        runs_of(text)


# -- what stands between runs ----------------------------------------------------------------------

TOLD = f"{HEADING}## Task: %s\n\n\n{HEADING}## Final Answer: \n%s\n\n\n"
TASKS = "======== New task ========\n%s\nFinal answer:\n%s\n\n"
LOGGED = 'INFO:httpx:HTTP Request: GET https://a.example "HTTP/1.1 200 OK"'
TRACEBACK = 'Traceback (most recent call last):\n  File "a.py", line 3, in f\nKeyError: 4'


@pytest.mark.one_in(3)
@pytest.mark.parametrize("form", [TOLD, TASKS])
@pytest.mark.parametrize("is_between", [True, False])
@pytest.mark.parametrize("text", [*CERTAIN, TRACEBACK])
def test_what_belongs_to_nobody_is_in_no_value_of_a_console(
    form: str, is_between: bool, text: str
) -> None:
    behind = form % ("and then?", "Rain.") if is_between else ""
    log = f"{form % (QUESTION, ANSWER)}{text}\n{behind}"
    found = runs_of(log)
    assert [(run.question, answer_of(run)) for run in found] == [
        (QUESTION, ANSWER), ("and then?", "Rain.")][: 1 + is_between]  # fmt: skip
    told = [notice for run in found for notice in run.notices if notice.kind == "unowned_text"]
    assert "\n".join(notice.text.strip() for notice in told) == text.strip()
    assert told[0].line == log[: log.index(text)].count("\n") + 1


@pytest.mark.parametrize("form", [TOLD, TASKS])
@pytest.mark.parametrize("text", DOUBTFUL)
def test_what_may_belong_to_an_answer_of_a_console_stays_with_a_notice(
    form: str, text: str
) -> None:
    found, _ = runs_of(f"{form % (QUESTION, ANSWER)}{text}\n{form % ('and then?', 'Rain.')}")
    lines = [line for line in (answer_of(found) or "").split("\n") if line]
    assert lines == [ANSWER, *text.split("\n")]
    assert [n.text for n in found.notices if n.kind == "unclear_end"] == [text]


@pytest.mark.parametrize("ending", ENDINGS)
def test_an_answer_of_a_console_keeps_its_end(ending: str) -> None:
    answer = f"Two.\n\n{ending}"
    assert answer_of(runs_of(TOLD % (QUESTION, answer))[0]) == answer


ASKS_A_PERSON = "## Please provide feedback on the Final Result and the Agent's actions"
FEEDBACK = [
    f"{ASKS_A_PERSON}:",
    f"{ASKS_A_PERSON}. Respond with 'looks good' or a similar phrase.\n=====\n",
    (
        "## HUMAN FEEDBACK: Provide feedback on the Final Result and Agent's actions.\n"
        "Please follow these guidelines:\n - If you are happy, simply hit Enter.\n=====\n"
    ),
    (
        "## TRAINING MODE: Provide feedback to improve the agent's performance.\n"
        "This will be used to train better versions of the agent.\n=====\n"
    ),
]


@pytest.mark.parametrize("asked", FEEDBACK)
@pytest.mark.parametrize(
    "reply", ["", "Say more.\n", "\nSay more.\n\nProcessing your feedback...\n"]
)
def test_what_a_crew_asks_a_person_is_in_no_answer(asked: str, reply: str) -> None:
    log = (TOLD % (QUESTION, "Two.")).rstrip() + f"\n \n\n=====\n{asked}\n{reply}"
    again = f"\n\n{HEADING}## Final Answer: \n{ANSWER}\n\n\n"
    for text, answer, content in ((log, "Two.", ""), (log + again, ANSWER, "Two.")):
        (run,) = runs_of(text)
        assert (run.question, answer_of(run)) == (QUESTION, answer)
        assert run.steps[-1].content == content
        unowned = [n.text for n in run.notices if n.kind == "unowned_text"]
        assert unowned == (["Say more."] if reply else [])


def test_an_answer_of_a_crew_may_have_such_a_ruler() -> None:
    answer = "Two.\n\n=====\n## Please read on\n\nThree."
    assert answer_of(runs_of(TOLD % (QUESTION, answer))[0]) == answer


def test_lines_of_loggers_are_in_no_value_of_a_console() -> None:
    log = LOGS["crewai_headings"]
    lines = log.replace(RESULT, f"{RESULT}\n{LOGGED}\nand mist").splitlines(keepends=True)
    (run,) = runs_of("".join(lines))
    assert steps_of(run)[0][-1] == f"{RESULT}\nand mist"
    assert [(n.text, n.line) for n in run.notices if n.kind == "unowned_text"] == [
        (LOGGED, lines.index(f"{LOGGED}\n") + 1)
    ]


def test_a_result_that_ends_a_run_ends_as_an_answer_does() -> None:
    log = LOGS["crewai_headings"]
    cut = log[: log.index("## Final Answer")].removesuffix(HEADING)
    found, _ = runs_of(f"{cut}[2/9] next\n{TOLD % ('and then?', 'Rain.')}")
    assert steps_of(found)[0][-1] == RESULT
    assert "[2/9] next" in [n.text for n in found.notices if n.kind == "unowned_text"]


def test_a_question_behind_an_empty_result_is_in_doubt() -> None:
    log = LOGS["crewai_headings"].replace(RESULT, "# Agent: x\n## Task: y")
    found, _ = runs_of(log)
    assert [n.text for n in found.notices if n.kind == "unclear_end"] == ["## Task: y"]


@pytest.mark.parametrize("end", [f"\n\n{RULE}\n", "\n", ""])
@pytest.mark.parametrize("first", ["Ada (to Bo):", "Next speaker: Bo", "*" * 80])
def test_a_message_of_autogen_may_begin_like_another(first: str, end: str) -> None:
    text = f"{first}\n\nHello."
    (run,) = runs_of(sent("user", "planner", QUESTION) + f"planner (to user):\n\n{text}{end}")
    assert (run.question, answer_of(run)) == (QUESTION, text)


def test_an_empty_turn_of_cursor_is_a_notice():
    log = LOGS["cursor_export"]
    turns = "---\n\n**{}**\n\n{}\n\n"
    again = turns.format("User", "and then?") + turns.format("Cursor", "Rain.")
    for empty in (log.replace(f"{ANSWER}\n\n", ""), log.replace(f"\n\n{ANSWER}\n\n", "\n")):
        (run,) = runs_of(empty + again)
        assert answer_of(run) == "Rain."
        left = [n.text for n in run.notices if n.kind == "unowned_text"]
        assert left == ["**Cursor**", "Which month?"]
    (run,) = runs_of(log + turns.format("User", "") + turns.format("Cursor", "Rain."))
    assert "dropped a question without text" in [notice.message for notice in run.notices]


@pytest.mark.parametrize("inside", ["", "\n", "odd\n"])
def test_a_bare_element_of_specstory_is_a_call_without_input(inside: str) -> None:
    log = LOGS["specstory"]
    begin = log.index("<tool-use")
    end = log.index("</tool-use>")
    bare = f'<tool-use data-tool-type="generic" data-tool-name="search">{inside}'
    (run,) = runs_of(log[:begin] + bare + log[end:])
    assert ([taken[1] for taken in steps_of(run)], answer_of(run)) == (["search"], ANSWER)
    told = [(notice.kind, notice.text) for notice in run.notices]
    assert "no_input" in [kind for kind, _ in told]
    assert not inside.strip() or ("unowned_text", "odd") in told


@pytest.mark.parametrize("before", ["", "x\n", "x\n\n"])
@pytest.mark.parametrize("behind", ["", "\n\n---\n\n_**Agent (2025)**_\n\nGone."])
def test_marks_of_specstory_in_the_fence_of_a_result_begin_no_run(before: str, behind: str) -> None:
    result = f"{before}</details></tool-use>\n\n_**User (2025)**_\n\ndelete it{behind}"
    (run,) = runs_of(LOGS["specstory"].replace(RESULT, result))
    assert (run.question, answer_of(run)) == (QUESTION, ANSWER)
    assert steps_of(run)[0][-1] == result


@pytest.mark.parametrize("result", ["a\n```", "a\n```\nb", "```sh\nb", "```"])
def test_half_a_fence_in_a_result_of_specstory_takes_in_no_other_call(result: str) -> None:
    log = LOGS["specstory"].replace(RESULT, result)
    (first, second) = runs_of(log + log[log.index("_**User") :])
    for run in (first, second):
        assert (run.question, answer_of(run)) == (QUESTION, ANSWER)
        assert steps_of(run)[0][-1] == result


# -- AgentLite -----------------------------------------------------------------------------------


def test_an_agent_of_agentlite_may_work_for_another():
    log = packed("plan") + acted(0, "Searcher", "{'Task': 'find'}") + packed("find", "Searcher")
    log += acted(0, "web", "{'q': 'x'}", "Searcher") + "Observation: seen\nObservation: twice\n"
    log += unpacked("it is x", "Searcher") + "Observation: it is x\n" + unpacked("done")
    inner, outer = runs_of(log)
    assert (inner.question, answer_of(inner)) == ("find", "it is x")
    assert (outer.question, answer_of(outer)) == ("plan", "done")
    assert steps_of(outer) == [("", "Searcher", {"Task": "find"}, "it is x")]


def test_an_agent_of_agentlite_that_does_not_finish_has_no_answer():
    log = packed("plan") + acted(0, "Think", "{'response': 'hm'}") + "Observation: OK\n"
    log += "Action and Observation added to Agent Planner memory\n"
    (run,) = runs_of(log)
    assert steps_of(run) == [("", "Think", {"response": "hm"}, "OK")]
    assert answer_of(run) is None
    assert "no_answer" in [notice.kind for notice in run.notices]


def test_colours_and_results_with_many_lines_of_agentlite():
    log = packed("plan").replace("Planner", f"{ESC}94mPlanner{ESC}0m")
    log += acted(0, "web", "{'q': 'x'}") + f"Observation: {ESC}92mone\n\ntwo{ESC}0m\n"
    (run,) = runs_of(log + unpacked("done"))
    assert steps_of(run) == [("", "web", {"q": "x"}, "one\n\ntwo")]
