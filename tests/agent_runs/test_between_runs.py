"""What stands between runs, above them and behind them belongs to none of them (laws 15, 20)."""

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import pytest

from agent_parsers import (
    AgentAction,
    OutputParserException,
    Transcript,
    get_dialect,
    get_parser,
    list_dialects,
)
from agent_runs import read_runs
from agent_runs.splitting import ends, instructions, outside, prompts
from agent_runs.splitting.outside import OutsideOfRuns

from .separators import CERTAIN, DOUBTFUL, ENDINGS, HINTS

TRANSCRIPTS = [name for name in list_dialects() if get_dialect(name).lenient.transcript_start]
STEPS = "Thought: a look\nAction: gauge\nAction Input: Aare\nObservation: 2 m\n"
FIRST = f"Question: How deep is the Aare?\n{STEPS}Thought: so\nFinal Answer: 2 m\n"
SECOND = FIRST.replace("Aare", "Emme").replace("2 m", "1 m")
AROUND = (("\n", "\n\n"), ("\n", "\n"), ("", "\n"), ("\n \t\n", "\n\n\n"))
"""What stands before and behind a separator."""

Facts = list[tuple[str, list[tuple[object, object, object]], object]]


def runs_in(text: str, dialect: str | None = None) -> list[Transcript]:
    try:
        return [*read_runs(text, dialect=dialect)]
    except OutputParserException:
        return []


def facts(runs: list[Transcript]) -> Facts:
    """Return what the runs say, without spans and notices."""
    found: Facts = []
    for run in runs:
        steps: list[tuple[object, object, object]] = []
        for step in run.all_steps:
            action = step.action
            called = (action.tool, action.tool_input) if isinstance(action, AgentAction) else ()
            steps.append((called, step.thought, step.observation))
        found.append((run.question, steps, run.finish and run.finish.return_values["output"]))
    return found


def told(runs: list[Transcript], *kinds: str) -> str:
    """Return all that notices of these kinds say about texts."""
    return "\n".join(n.text for run in runs for n in run.notices if n.kind in kinds)


def halted(dialect: str) -> str:
    """Return a run in *dialect* that ends in a result."""
    (run,) = read_runs(get_dialect(dialect).sample, dialect=dialect)
    end = max(step.observation_span[1] for step in run.all_steps if step.observation_span)
    return get_dialect(dialect).sample[:end].rstrip() + "\n"


def mixed_up(dialect: str, separators: tuple[str, ...]) -> Iterator[str]:
    """Yield the *separators* that are read as a part of a run, or without a notice."""
    sample = get_dialect(dialect).sample.rstrip() + "\n"
    alone = facts(runs_in(sample, dialect))
    open_end = halted(dialect)
    stopped = facts(runs_in(open_end, dialect))
    for separator in separators:
        for before, after in AROUND:
            between = f"{before}{separator}{after}"
            texts = [(f"{sample}{between}{sample}", alone * 2)]
            if before:
                texts.append((f"{sample}{between}", alone))
            if before and open_end.count("</") == 0:
                texts.append((f"{open_end}{between}{sample}", stopped + alone))
            for text, expected in texts:
                runs = runs_in(text, dialect)
                words = set(separator.split())
                if facts(runs) != expected or not words <= set(told(runs, "unowned_text").split()):
                    yield f"{text!r} -> {facts(runs)}"


@pytest.mark.parametrize("dialect", TRANSCRIPTS)
def test_what_programs_print_between_runs_belongs_to_none(dialect: str) -> None:
    assert len(CERTAIN) >= 40
    assert [*mixed_up(dialect, CERTAIN)] == []


@pytest.mark.parametrize("dialect", TRANSCRIPTS)
def test_what_comes_again_between_runs_belongs_to_none(dialect: str) -> None:
    sample = get_dialect(dialect).sample.rstrip() + "\n"
    alone = facts(runs_in(sample, dialect))
    for separator in DOUBTFUL:
        runs = runs_in(f"{sample}\n{separator}\n\n" * 3, dialect)
        assert facts(runs) == alone * 3, separator
        assert told(runs, "unowned_text").count(separator.splitlines()[0]) == 3


@pytest.mark.parametrize("separator", DOUBTFUL)
def test_what_stands_there_once_stays_with_a_notice(separator: str) -> None:
    first, second = runs_in(f"{FIRST}\n{separator}\n\n{SECOND}")
    assert facts([first])[0][2] == f"2 m\n\n{separator}"
    (doubt,) = [n for n in first.notices if n.kind == "unclear_end"]
    assert (doubt.text, doubt.line, doubt.step) == (separator, 9, 2)
    assert facts([second]) == facts(runs_in(SECOND))


@pytest.mark.parametrize("hint", HINTS)
def test_a_hint_that_another_run_follows_stays_with_a_notice(hint: str) -> None:
    """Also directly below an answer, and a result."""
    for before, after in (("", ""), ("", "\n"), ("\n", "")):
        first, second = runs_in(f"{FIRST}{before}{hint}\n{after}{SECOND}")
        assert facts([first])[0][2] == f"2 m\n{before}{hint}"
        (doubt,) = [n for n in first.notices if n.kind == "unclear_end"]
        line = 8 if not before else 9
        assert (doubt.text, doubt.line, doubt.step) == (hint, line, 2)
        assert facts([second]) == facts(runs_in(SECOND))
        stopped = FIRST.partition("Thought: so")[0]
        first, _ = runs_in(f"{stopped}{before}{hint}\n{after}{SECOND}")
        assert hint in told([first], "unclear_end")


@pytest.mark.parametrize("answer", [
    "a list:\n- 1\n- 2", "two:\n* 7", "it is:\n42", "\n42", "in steps\n1. a look\n2. a dive",
    "next to the bridge\nthe next bridge is higher", "> 3 m", "f(x) -> 3",
])  # fmt: skip
def test_an_answer_may_end_in_numbers_and_arrows(answer: str) -> None:
    first, _ = runs_in(FIRST.replace("Answer: 2 m", f"Answer: {answer}") + SECOND)
    assert facts([first])[0][2] == answer.strip()
    assert not told([first], "unclear_end", "unowned_text")


def test_no_hint_is_in_doubt_at_the_end_of_the_log() -> None:
    for hint in HINTS:
        (run,) = runs_in(f"{FIRST}{hint}\n")
        assert facts([run])[0][2] == f"2 m\n{hint}"
        assert not told([run], "unclear_end")


@pytest.mark.parametrize(("ending", "tail"), [*product(ENDINGS, ["", f"\n{SECOND}"])])
def test_an_answer_keeps_its_last_paragraph(ending: str, tail: str) -> None:
    first, *_ = runs_in(f"{FIRST.rstrip()}\n\n{ending}\n{tail}")
    assert facts([first])[0][2] == f"2 m\n\n{ending}"


def test_a_ruler_behind_an_answer_is_a_notice() -> None:
    (run,) = runs_in(f"{FIRST}\n---\n")
    assert facts([run])[0][2] == "2 m"
    assert told([run], "unowned_text") == "---"


def test_the_ruler_of_a_result_is_its_own() -> None:
    seen = "==== test session ====\n2 items\n\n==== 2 passed in 0.1s ===="
    text = (
        f"Question: q\nThought: t\nAction: sh\nAction Input: test\nObservation: {seen}\n\n{SECOND}"
    )
    first, _ = runs_in(text)
    assert first.all_steps[0].observation == seen
    assert "unclear_end" in [notice.kind for notice in first.notices]


@pytest.mark.parametrize("ruler", ["-" * 60, "=" * 80, "─" * 72, "*" * 100])
def test_text_behind_a_ruler_as_wide_as_a_console_is_in_doubt(ruler: str) -> None:
    behind = f"{ruler}\n\nAnother question? y/n: n"
    (run,) = runs_in(f"{FIRST}{behind}\n")
    assert run.output == f"2 m\n{behind}"
    assert told([run], "unclear_end") == behind
    for kept in (ruler[:30], f"+{ruler}+", f"```\n{ruler}\nx\n```"):
        (run,) = runs_in(f"{FIRST}{kept}\n\nAnother question? y/n: n\n")
        assert told([run], "unclear_end") == ""


def test_a_title_between_a_question_and_its_answer_is_of_the_program() -> None:
    title = f"{'=' * 80}\nProcessing...\n{'=' * 80}"
    (run,) = runs_in(f"Question: How deep is it?\n\n{title}\n\nThought: so\nAnswer: 2 m\n")
    (same,) = runs_in(f"Question: How deep is it?\n\n{title}\n\nAnswer:\n2 m\n")
    for each in (run, same):
        assert (each.question, each.output) == ("How deep is it?", "2 m")
        assert told([each], "unowned_text") == title


def test_a_value_that_is_a_ruler_stays() -> None:
    first, _ = runs_in(f"{FIRST.replace('Final Answer: 2 m', 'Final Answer:')}\n=====\n\n{SECOND}")
    assert facts([first])[0][2] == "====="


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_ends_of_lines_change_nothing(end: str) -> None:
    text = f"{FIRST}\n \t\n=====\n\n{SECOND}".replace("\n", end)
    assert facts(runs_in(text)) == facts(runs_in(FIRST)) + facts(runs_in(SECOND))


@pytest.mark.parametrize("line", ["=====", "── step ──", "2026-02-03 10:11:12"])
def test_what_stands_between_a_question_and_its_first_step_is_no_part_of_it(line: str) -> None:
    (run,) = runs_in(FIRST.replace("\nThought", f"\n{line}\nThought", 1))
    assert run.question == "How deep is the Aare?"
    assert told([run], "unowned_text") == line


@pytest.mark.parametrize(
    "line",
    [
        'INFO:httpx:HTTP Request: POST https://llm.example.com "HTTP/1.1 200 OK"',
        '2026-02-03 10:11:12,345 - httpx - INFO - HTTP Request: POST https://a.b "HTTP/1.1 200 OK"',
        'HTTP Request: POST https://llm.example.com "HTTP/1.1 200 OK"',
        "DEBUG:openai._base_client:Sending",
        " 20%|██        | 2/10 [00:06<00:24,  3.05s/it]",
    ],
)
def test_lines_of_known_loggers_stand_in_no_value(line: str) -> None:
    lines = FIRST.splitlines(keepends=True)
    alone = runs_in(FIRST)
    for at in range(len(lines) + 1):
        text = "".join((*lines[:at], f"{line}\n", *lines[at:]))
        (run,) = runs_in(text)
        assert facts([run]) == facts(alone), at
        assert told([run], "unowned_text") == line.strip("\n"), at
        for step in run.all_steps:
            for span, value in (
                (step.thought_span, step.thought),
                (step.observation_span, step.observation),
            ):
                if span is not None and run.source is not None:
                    own = "".join(text.splitlines(keepends=True)[run.source.line - 1 :])
                    assert own[slice(*span)].startswith(value or ""), at


PRINTED = (
    "[INFO] the next one",
    "$ python measure.py",
    ">>> agent.run('Which?')",
    "me@box:~/rivers$ python measure.py",
    r"PS C:\rivers> python measure.py",
    "WARNING: messages before the start are lost",
    "measure.py:12: DeprecationWarning: it is old",
    "\u2717 failed (expected 3 m)",
    "{'score': 0.5}",
    'Traceback (most recent call last):\n  File "a.py", line 1\n    go()\nValueError: no',
)
"""What programs print directly behind a run, without an empty line."""


@pytest.mark.parametrize("line", PRINTED)
def test_what_is_printed_directly_behind_a_value_is_in_doubt(line: str) -> None:
    stopped = FIRST.partition("Thought: so")[0]
    for run in (FIRST, stopped):
        for behind in ("", SECOND, f"\n{SECOND}"):
            runs = runs_in(f"{run.rstrip()}\n{line}\n{behind}")
            doubts = {*told(runs[:1], "unclear_end").splitlines()}
            assert doubts == {*line.splitlines()}, (run, behind)
            assert facts(runs[1:]) == facts(runs_in(SECOND))[: bool(behind)]


@pytest.mark.parametrize("line", PRINTED)
def test_an_answer_may_quote_what_programs_print(line: str) -> None:
    for quoted in (f"{line}\nThat is all.", f"```\n{line}\n```"):
        runs = runs_in(f"{FIRST.rstrip()}\n{quoted}\n\n{SECOND}")
        assert facts(runs)[0][2] == f"2 m\n{quoted}"
        assert not told(runs, "unclear_end", "unowned_text")


def test_a_traceback_between_runs_belongs_to_none() -> None:
    for behind in ("", SECOND, f"\n{SECOND}"):
        runs = runs_in(f"{FIRST}\n{PRINTED[-1]}\n{behind}")
        assert facts(runs[:1]) == facts(runs_in(FIRST))
        assert told(runs, "unowned_text") == PRINTED[-1]


LOGGED = (
    'INFO:httpx:HTTP Request: POST https://llm.example.com "HTTP/1.1 200 OK"',
    '2026-02-03 10:11:12 INFO httpx HTTP Request: POST https://a.b "HTTP/1.1 200 OK"',
    '[INFO] HTTP Request: POST https://a.b "HTTP/1.1 200 OK"',
)


@pytest.mark.parametrize("line", LOGGED)
@pytest.mark.parametrize("dialect", [None, "react"])
def test_a_logger_that_writes_all_the_time_is_no_prefix_of_the_log(
    line: str, dialect: str | None
) -> None:
    steps = FIRST.splitlines(keepends=True)
    text = "".join(f"{line}\n{each}" for each in steps)
    assert facts(runs_in(f"{text}{line}\n{text}", dialect)) == facts(runs_in(FIRST)) * 2


def test_a_fence_may_show_a_line_of_a_logger() -> None:
    shown = "```\nINFO:httpx:connected\n```"
    (run,) = runs_in(f"{FIRST.rstrip()}\n{shown}\n")
    assert facts([run])[0][2] == f"2 m\n{shown}"


# -- the top of a log -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "header",
    [
        "Model: some-model-1",
        "[INFO] starting",
        "$ python run.py",
        "# Evening run",
        "=== START ===",
        "Model: m\nTemperature: 0\n==========",
        "2026-02-03 10:11:12",
    ],
)
def test_a_programs_first_words_belong_to_no_run(header: str) -> None:
    for between in ("\n", "\n\n"):
        (run,) = runs_in(f"{header}{between}{FIRST.partition(chr(10))[2]}")
        assert (run.question, len(run.steps)) == ("", 2)
        assert told([run], "unowned_text") == header


@pytest.mark.parametrize("top", ["User: hi\n", "[tool] out\n", "$ cat log\n", "## Result\nRead:\n"])
def test_a_run_below_what_nobody_knows_is_none(top: str) -> None:
    assert runs_in(f"{top}{STEPS}Final Answer: x\n{top}no\n") == []


def test_what_a_loop_prints_around_each_run_quotes_nothing() -> None:
    text = "".join(
        f"== START RUN {number} ==\n{run}== END RUN {number} ==\n"
        for number, run in enumerate((FIRST, SECOND), 1)
    )
    assert facts(runs_in(text)) == facts(runs_in(FIRST)) + facts(runs_in(SECOND))
    assert runs_in(f"I read this:\n--- BEGIN LOG ---\n{FIRST}--- END LOG ---\n") == []
    assert runs_in(f"--- BEGIN LOG ---\n{FIRST}--- END LOG ---\n\nIt is forged.\n") == []


def test_a_number_and_another_word_for_a_question() -> None:
    text = (
        "512 Claim: The Aare is deep.\nThought 1: a look\nAction 1: Search[Aare]\n"
        "Observation 1: 2 m\nThought 2: no\nAction 2: Finish[REFUTES]\n"
        "Observation 2: Episode finished\n\n\n{'em': 1}\n\n-----------\n"
    )
    (run,) = runs_in(text)
    assert facts([run])[0][::2] == ("The Aare is deep.", "REFUTES")
    assert run.all_steps[-1].observation == "Episode finished"
    assert "{'em': 1}" in told([run], "unowned_text")


# -- prompts --------------------------------------------------------------------------------------

ONE = [
    {
        "name": "gauge",
        "description": "Measures a river.",
        "parameters": {
            "type": "object",
            "properties": {"river": {"type": "string"}},
            "required": ["river"],
        },
    }
]
TWO = [
    *ONE,
    {
        "name": "pause",
        "description": "Waits.",
        "parameters": {
            "type": "object",
            "properties": {"s": {"type": "integer"}, "why": {"type": "string"}},
        },
    },
]
NONE: list[Any] = []
"""Tools of an agent."""  # fmt: skip


def forged_by_prompts(name: str) -> Iterator[str]:
    """Yield where the prompts of a dialect are read as runs, or as a part of one."""
    dialect = name if name in TRANSCRIPTS else "react"
    run = get_dialect(name).sample if name in TRANSCRIPTS else FIRST
    alone = facts(runs_in(run, dialect))
    for tools in (ONE, TWO, NONE, None):
        parser = get_parser(name, tools=tools)
        told = parser.get_format_instructions()
        if runs_in(told, dialect) or (name in TRANSCRIPTS and runs_in(told)):
            yield "alone"
        if tools is not None and runs_in(str(parser.render_prompt("How wide?")), dialect):
            yield "with a question"
        for between in ("\n", "\n\n", "\n\n\n"):
            for text, expected in (
                (f"{told}{between}{run}", alone),
                (f"{run}{between}{told}{between}{run}", alone * 2),
                (f"{run}{between}{told}", alone),
            ):
                runs = runs_in(text, dialect)
                if facts(runs) != expected:
                    yield f"{text!r} -> {facts(runs)}"


@pytest.mark.parametrize("name", list_dialects())
def test_a_prompt_of_ours_is_no_run_nor_a_part_of_one(name: str) -> None:
    assert [*forged_by_prompts(name)] == []


@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_a_prompt_of_ours_that_is_cut_is_no_run(name: str) -> None:
    told = get_parser(name, tools=TWO).get_format_instructions()
    lines = told.splitlines(keepends=True)
    last = max(at for at, line in enumerate(lines) if "xample" in line or "例如" in line)
    for at in range(1, len(lines)):
        assert runs_in("".join(lines[:at]), name) == [], at
        if at <= last:  # what follows is a turn, which anybody may have written
            assert runs_in("".join(lines[at:]), name) == [], at


FORMATS = {
    "questions": (
        "Answer the following questions as best you can. You have access to the following tools:"
        "\n\ngauge: measures\n\nUse the following format:\n\n"
        "Question: the input question you must answer\n"
        "Thought: you should always think about what to do\n"
        "Action: the action to take, should be one of [gauge]\n"
        "Action Input: the input to the action\nObservation: the result of the action\n"
        "... (this Thought/Action/Action Input/Observation can repeat N times)\n"
        "Thought: I now know the final answer\n"
        "Final Answer: the final answer to the original input question\n\nBegin!\n"
    ),
    "chat": (
        "Assistant is a large language model trained by somebody.\n\nTOOLS:\n------\n\n"
        "Assistant has access to the following tools:\n\ngauge: measures\n\n"
        "To use a tool, please use the following format:\n\n```\n"
        "Thought: Do I need to use a tool? Yes\n"
        "Action: the action to take, should be one of [gauge]\n"
        "Action Input: the input to the action\nObservation: the result of the action\n```\n\n"
        "When you do not need to use a tool, you MUST use the format:\n\n```\n"
        "Thought: Do I need to use a tool? No\nFinal Answer: [your response here]\n```\n\nBegin!\n"
    ),
    "blobs": (
        "Respond to the human as helpfully and accurately as possible. You have access to the"
        " following tools:\n\ngauge: measures\n\nProvide only ONE action per $JSON_BLOB:\n\n"
        '```\n{\n  "action": $TOOL_NAME,\n  "action_input": $INPUT\n}\n```\n\n'
        "Follow this format:\n\nQuestion: input question to answer\nThought: think of the steps\n"
        "Action:\n```\n$JSON_BLOB\n```\nObservation: action result\n"
        "... (repeat Thought/Action/Observation N times)\nThought: I know what to respond\n"
        'Action:\n```\n{\n  "action": "Final Answer",\n  "action_input": "Final words"\n}\n```\n\n'
        "Begin! Reminder to ALWAYS respond with a valid json blob of a single action.\n"
    ),
    "roles": (
        "You are a surveyor.\nYour personal goal is: to measure.\n"
        "You ONLY have access to the following tools:\n\nTool Name: gauge\n\n"
        "Use the following format:\n\nThought: you should always think about what to do\n"
        "Action: the action to take, only one name of [gauge], just the name.\n"
        "Action Input: the input to the action, just a simple dictionary\n"
        "Observation: the result of the action\n\n"
        "Once all necessary information is gathered:\n\nThought: I now know the final answer\n"
        "Final Answer: the final answer to the original input question\n"
    ),
}
"""Formats as other programs write them, shortened."""


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("dialect", [None, "react", "structured_chat"])
def test_a_prompt_of_others_is_no_run_nor_a_part_of_one(name: str, dialect: str | None) -> None:
    told = FORMATS[name]
    assert runs_in(told, dialect) == []
    assert runs_in(f"{told}\nQuestion: {{input}}\nThought:{{agent_scratchpad}}\n", dialect) == []
    if dialect == "structured_chat":
        return
    first, second = facts(runs_in(FIRST)), facts(runs_in(SECOND))
    assert facts(runs_in(f"{told}\n{FIRST}", dialect)) == first
    assert facts(runs_in(f"{told}{FIRST}", dialect)) == first
    assert facts(runs_in(f"{FIRST}\n{told}\n{SECOND}", dialect)) == first + second
    assert facts(runs_in(f"{FIRST}\n{told}", dialect)) == first


def test_a_system_message_before_a_prompt_may_be_no_part_of_the_answer() -> None:
    runs = runs_in(f"{FIRST}\nWe measure rivers here.\n\n{FORMATS['questions']}\n{SECOND}")
    assert told(runs[:1], "unclear_end") == "We measure rivers here."


@pytest.mark.parametrize("told", [FORMATS["questions"], None])
def test_a_run_that_each_prompt_repeats_is_one(told: str | None) -> None:
    told = told or f"{get_parser('react', tools=TWO).get_format_instructions()}\n\nBegin.\n"
    question, thought, action, given, seen, rest, answer = FIRST.splitlines(keepends=True)
    first = f"{told}\n{question}{thought}{action}{given}"
    log = f"{first}\n{told}\n{question}{thought}{action}{given}{seen}{rest}{answer}"
    runs = runs_in(log)
    assert facts(runs) == facts(runs_in(FIRST))
    assert "gauge" in told_by(runs)
    assert len(runs_in(f"{log}\n{told}\n{FIRST}")) == 2  # an answered run was not repeated
    assert len(runs_in(f"{first}\n{told}\n{SECOND}")) == 2


@pytest.mark.parametrize("between", ["\n", "\n=====\n\n"])
def test_a_question_behind_an_input_begins_a_run(between: str) -> None:
    open_end = FIRST.partition("Observation")[0]
    runs = runs_in(f"{open_end}{between}{SECOND}")
    assert facts(runs)[0][1] == [(("gauge", "Aare"), "a look", None)]
    assert facts(runs)[1:] == facts(runs_in(SECOND))


def told_by(runs: list[Transcript]) -> str:
    return told(runs, "unowned_text")


EXAMPLE = "Question: Is it old?\nThought 1: a look\nAction 1: Search[it]\nObservation 1: yes\n"
DONE = "Thought 2: so\nAction 2: Finish[yes]\n"
SHOTS = f"Solve it in steps. Here are some examples:\n\n{EXAMPLE}{DONE}\n"


def test_examples_before_an_open_question_are_no_runs() -> None:
    (run,) = runs_in(f"{SHOTS}{EXAMPLE.replace('old', 'new')}")
    assert (run.question, len(run.steps), run.finish) == ("Is it new?", 1, None)
    (done,) = runs_in(f"{SHOTS}(END OF EXAMPLES)\n\n{EXAMPLE.replace('old', 'new')}{DONE}")
    assert (done.question, done.finish is None) == ("Is it new?", False)


def test_a_logged_prompt_is_no_run() -> None:
    stamp = "2026-02-03 10:11:{:02},000 - INFO - "
    prompt = f"PROMPT:\n{SHOTS}{EXAMPLE.replace('old', 'new')}"
    text = "".join(
        f"{stamp.format(at)}{each}\n" for at, each in enumerate((prompt, "sent", prompt))
    )
    assert runs_in(text) == []


SHOT = "Question: Is it {}?\nAnswer: No.\n"
BLOCK = (
    "Context: {0}\n\nQuestion: {1}\n\nReasoning: Let's think step by step in order to {2}\n\n"
    "Answer:{3}\n"
)
FORMAT = BLOCK.format("relevant facts", "${question}", "${produce the answer}. We ...", " a word")


def prompt_of_dspy(shots: int, reasoned: int, question: str, answer: str) -> str:
    """Return what ``inspect_history`` of DSPy 2.0 to 2.4 prints of a call of the model."""
    blocks = [
        "Answer in a word.\n", *(SHOT.format(at) for at in range(shots)),
        f"Follow the following format.\n\n{FORMAT}",
        *(BLOCK.format("x", f"Is {at} odd?", "see.", " Yes.") for at in range(reasoned)),
        BLOCK.format("[1] «The lake is deep.»", question, "know.", answer),
    ]  # fmt: skip
    return "\n\n\n" + "\n---\n\n".join(blocks) + "\n\n\n"


@pytest.mark.parametrize("colour", ["", "\x1b[32m"])
@pytest.mark.parametrize(("shots", "reasoned"), [(0, 0), (2, 0), (0, 3), (8, 1)])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_only_the_last_block_of_a_prompt_of_dspy_is_a_run(
    colour: str, shots: int, reasoned: int, count: int
) -> None:
    answer = f"{colour} It is.\x1b[0m" if colour else " It is."
    text = "".join(
        prompt_of_dspy(shots, reasoned, f"Is lake {at} deep?", answer) for at in range(count)
    )
    thought = "Let's think step by step in order to know."
    runs = runs_in(text)
    expected = [(f"Is lake {at} deep?", [((), thought, None)], "It is.") for at in range(count)]
    assert facts(runs) == expected
    said = told_by(runs)
    assert said.count("Follow the following format.") == count
    assert said.count("The lake is deep.") == count
    assert said.count("Answer in a word.") == count


def test_rulers_without_a_format_are_those_of_a_program() -> None:
    text = f"{FIRST}\n---\n\n{SECOND}\n---\n\nFollow the following format\n"
    assert [run.question for run in runs_in(text)] == [
        "How deep is the Aare?", "How deep is the Emme?"
    ]  # fmt: skip


# -- the laws see a bug ---------------------------------------------------------------------------


def never(*_: object, **__: object) -> Any:
    return None


BUGS: dict[str, tuple[object, str, Callable[..., Any]]] = {
    "no gap": (OutsideOfRuns, "_find_gap", never),
    "no ruler": (ends, "is_certain", lambda _line: False),
    "no end": (OutsideOfRuns, "_boundary", lambda _self, line, _count: "run" if line else ""),
    "no notice": (OutsideOfRuns, "_note", never),
}


@pytest.mark.parametrize("bug", BUGS)
def test_the_law_of_gaps_finds_a_bug(bug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert [*mixed_up("react", CERTAIN)] == []
    owner, name, instead = BUGS[bug]
    monkeypatch.setattr(owner, name, instead)
    assert [*mixed_up("react", CERTAIN)]


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("instructions_at", lambda _ahead: instructions.Instructions()),
        ("_end_of_example", lambda _ahead, at: at),
        ("_open_question", lambda *_: 0),
    ],
)
def test_the_law_of_prompts_finds_a_bug(
    name: str, instead: Callable[..., object], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert [*forged_by_prompts("react")] == []
    monkeypatch.setattr(prompts, name, instead)
    assert [*forged_by_prompts("react")]


def test_the_laws_of_loggers_and_endings_find_bugs(monkeypatch: pytest.MonkeyPatch) -> None:
    logged = FIRST.replace("Aare\n", "Aare\nINFO:httpx:connected\n")
    ended = f"{FIRST.rstrip()}\n\n## Sources\n\n{SECOND}"
    monkeypatch.setattr(outside, "is_logged", lambda _line: False)
    assert facts(runs_in(logged))[0] != facts(runs_in(FIRST))[0]
    for module in (outside, ends):
        monkeypatch.setattr(module, "is_certain", lambda _line: True)
    assert facts(runs_in(ended))[0][2] == "2 m"
