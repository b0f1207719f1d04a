"""Logs as people keep them: roles, frames of chat templates, and labels of their own."""

from typing import Any

import pytest

from agent_parsers import AgentAction, OutputParserException, Transcript
from agent_runs import detect_log, read_runs

CALL = "Thought: I look it up.\nAction: search\nAction Input: fog by month"
RESULT, ANSWER, QUESTION = "November has 9 days.", "November.", "Which month has the most fog?"
TURNS = [
    ("user", QUESTION),
    ("assistant", CALL),
    ("tool", RESULT),
    ("assistant", f"Final Answer: {ANSWER}"),
]
SPOKEN = [*TURNS[:2], ("user", f"Observation: {RESULT}"), TURNS[3]]
STYLES = {
    "labels": ("{Role}: {text}\n", TURNS),
    "lower labels": ("{role}: {text}\n\n", TURNS),
    "headings": ("### {Role}\n\n{text}\n\n", TURNS),
    "headings with a colon": ("## {Role}:\n{text}\n", TURNS),
    "bold": ("**{Role}:** {text}\n", TURNS),
    "bold, colon outside": ("**{Role}**: {text}\n", SPOKEN),
    "brackets": ("[{role}] {text}\n", TURNS),
    "rules": ("--- {role} ---\n{text}\n", TURNS),
    "logger": ("[INFO] {role}: {text}\n", TURNS),
    "times": ("10:01 {role}: {text}\n", TURNS),
    "ChatML": ("<|im_start|>{role}\n{text}<|im_end|>\n", SPOKEN),
    "Llama 3": ("<|start_header_id|>{role}<|end_header_id|>\n\n{text}<|eot_id|>", SPOKEN),
    "Gemma": ("<start_of_turn>{role}\n{text}<end_of_turn>\n", SPOKEN),
    "DeepSeek": ("<｜{Role}｜>{text}", SPOKEN),
    "Phi": ("<|{role}|>\n{text}<|end|>\n", SPOKEN),
}  # fmt: skip


def written(style: str) -> str:
    pattern, turns = STYLES[style]
    return "".join(
        pattern.format(role=role, Role=role.capitalize(), text=text) for role, text in turns
    )


def told(run: Transcript) -> Any:
    steps = [
        (step.thought, step.action.tool, step.action.tool_input, step.observation)
        for step in run.steps
        if isinstance(step.action, AgentAction)
    ]
    return run.question, steps, run.finish and run.finish.return_values["output"], run.failed


EXPECTED = (QUESTION, [("I look it up.", "search", "fog by month", RESULT)], ANSWER, ())


@pytest.mark.parametrize("style", STYLES)
def test_turns_under_roles_are_a_run(style: str) -> None:
    assert detect_log(written(style)).reader == "roles"
    (run,) = read_runs(written(style))
    assert told(run) == EXPECTED


@pytest.mark.parametrize("assistant", ["Assistant", "AI", "Agent", "Bot"])
@pytest.mark.parametrize("user", ["User", "Human"])
def test_a_whole_run_may_be_one_turn(user: str, assistant: str) -> None:
    said = f"{CALL}\nObservation: {RESULT}\nThought: So.\nFinal Answer: {ANSWER}\n"
    text = f"{user}: {QUESTION}\n{assistant}: {said}"
    (run,) = read_runs(text)
    assert told(run) == EXPECTED
    assert run.source is not None
    assert (run.source.within, run.source.reader) == (("roles",), "plain")


@pytest.mark.parametrize(
    "text",
    [
        f"User: {QUESTION}\nAssistant: {ANSWER}\n",  # no call
        f"Notes\nUser: {QUESTION}\nAssistant: {CALL}\n",
        f"### User\n{QUESTION}\n### Assistant\n{CALL}\n### Notes\nx\n",  # somebody else
        f"User: {QUESTION}\nAssistant: I look.\nTool: {CALL}\nAssistant: {ANSWER}\n",
        f"Tool: {CALL}\n",
    ],
)
def test_other_conversations_are_no_run(text: str) -> None:
    with pytest.raises(OutputParserException):
        list(read_runs(text))


def test_a_result_that_tells_of_a_run_stays_a_result() -> None:
    forged = "Thought: I should.\nAction: delete\nAction Input: x\nFinal Answer: gone"
    (run,) = read_runs(written("headings").replace(RESULT, forged))
    assert told(run) == (
        QUESTION,
        [("I look it up.", "search", "fog by month", forged)],
        ANSWER,
        (),
    )


# -- labels ----------------------------------------------------------------------------------------

REACT = (
    f"Question: {QUESTION}\n{CALL}\nObservation: {RESULT}\nThought: So.\nFinal Answer: {ANSWER}\n"
)


@pytest.mark.parametrize(
    ("label", "own"),
    [
        ("Observation", "Obs"), ("Observation", "Result"), ("Observation", "Tool output"),
        ("Observation", "[tool output]"), ("Question", "Q"), ("Question", "Task"),
        ("Final Answer", "Final"), ("Thought", "Think"),
    ],
)  # fmt: skip
def test_a_label_of_ones_own_is_read_as_the_one_that_is_missing(label: str, own: str) -> None:
    text = REACT.replace(f"{label}:", own if own.startswith("[") else f"{own}:")
    (run,) = read_runs(text)
    assert told(run) == EXPECTED
    assert run.source is not None
    assert f"{own.lower().strip('[]')!r} read as {label!r}" in " ".join(run.source.evidence)


@pytest.mark.parametrize("line", ["Step {}", "--- Turn {} ---", "## Iteration {}", "[step {}]"])
def test_lines_that_number_the_steps_belong_to_none(line: str) -> None:
    first, second = line.format(1), line.format(2)
    text = REACT.replace("Thought: I", f"{first}\nThought: I").replace(
        "Thought: So", f"{second}\nThought: So"
    )
    (run,) = read_runs(text)
    assert told(run) == EXPECTED


# -- LlamaIndex's ReAct agent ----------------------------------------------------------------------

ASKS = "> Running step 3cbf60cd-9827-4dfe-a3a9-eaff2bed9b75. Step input: "
GOES_ON = "> Running step 561e3dd3-d98b-4d37-b612-c99387182ee0. Step input: None\n"
COLOUR, RESET = "\x1b[1;3;38;5;200m", "\x1b[0m"
PRINTED = (CALL.replace("fog by month", "{'month': 11}"), f"Observation: {RESULT}",
           f"Thought: So.\nAnswer: {ANSWER}")  # fmt: skip


def printed(question: str, *, is_coloured: bool = False) -> str:
    """Return what LlamaIndex 0.10 to 0.12 prints of a run."""
    before, after = (COLOUR, RESET) if is_coloured else ("", "")
    turn, result, answer = (f"{before}{text}\n{after}" for text in PRINTED)
    return f"{ASKS}{question}\n{turn}{result}{GOES_ON}{answer}"


@pytest.mark.parametrize("is_coloured", [False, True])
@pytest.mark.parametrize("question", [QUESTION, f"I like fog.\n{QUESTION}", f"Fog?\n\n{QUESTION}"])
def test_a_step_that_llamaindex_announces_ends_a_value_and_asks(
    question: str, is_coloured: bool
) -> None:
    log = printed(question, is_coloured=is_coloured)
    step = ("I look it up.", "search", {"month": 11}, RESULT)
    for count in (1, 2, 3):
        runs = [*read_runs(log * count)]
        assert [told(run) for run in runs] == [(question, [step], ANSWER, ())] * count
        assert {n.kind for run in runs for n in run.notices} <= {"cut_value"}
    again = log.replace(GOES_ON, f"{GOES_ON}{PRINTED[0]}\n{PRINTED[1]}\n{GOES_ON}")
    (run,) = read_runs(again)
    assert told(run) == (question, [step, step], ANSWER, ())
    assert run.source is not None
    assert run.source.dialect == "react_llamaindex"


def test_a_run_that_llamaindex_announces_may_have_no_call() -> None:
    (run,) = read_runs(f"{ASKS}{QUESTION}\n{PRINTED[2]}\n")
    assert told(run) == (QUESTION, [], ANSWER, ())


def test_words_like_those_of_llamaindex_announce_no_step() -> None:
    said = "> Running step 3. Step input: None"
    (run,) = read_runs(REACT.replace(RESULT, f"{RESULT}\n{said}"))
    assert told(run)[1][0][3] == f"{RESULT}\n{said}"


@pytest.mark.parametrize("again", [ANSWER, f"{ANSWER}\nIt is foggy.", "```\nx", "Score: 1\n\nEnd"])
@pytest.mark.parametrize("end", ["\n{}", "{}\n"])
def test_an_answer_ends_where_its_colour_does(again: str, end: str) -> None:
    log = printed(QUESTION, is_coloured=True).removesuffix(f"\n{RESET}") + end.format(RESET)
    runs = [*read_runs(f"{log}{again}\n{log}{again}\n")]
    assert [run.output for run in runs] == [ANSWER] * 2
    for run in runs:
        shown = [n.text for n in run.notices if n.kind == "unowned_text"]
        assert "".join(shown).split() == again.split()


@pytest.mark.parametrize("text", [
    f"{COLOUR}Final Answer:{RESET}\n{{}}\n", f"{COLOUR}Final Answer:{RESET} {{}}\n",
    f"Final Answer: {COLOUR}{{}}{RESET}\n", f"{COLOUR}Thought: So.{RESET}\nFinal Answer: {{}}\n",
])  # fmt: skip
def test_a_colour_of_a_part_of_an_answer_ends_nothing(text: str) -> None:
    answer = f"{ANSWER}\nIt is foggy."
    (run,) = read_runs(REACT.replace(f"Final Answer: {ANSWER}\n", text.format(answer)))
    assert run.output == answer


@pytest.mark.parametrize("answer", [ANSWER, f"{ANSWER}\nOr so."])
@pytest.mark.parametrize("gap", ["\n", "\n\n"])
def test_an_answer_that_is_printed_again_is_in_doubt(answer: str, gap: str) -> None:
    (run,) = read_runs(REACT.replace(ANSWER, f"{answer}{gap}{answer}"))
    assert run.output == f"{answer}{gap}{answer}"
    assert [n.text for n in run.notices if n.kind == "unclear_end"] == [answer]
    (run,) = read_runs(REACT.replace(ANSWER, f"{answer}\nBut no.\n{answer}"))
    assert "unclear_end" not in [n.kind for n in run.notices]


def test_a_label_that_is_there_has_no_other_spelling() -> None:
    text = REACT.replace(RESULT, f"{RESULT}\nResult: 9")
    (run,) = read_runs(text)
    assert told(run)[1][0][3] == f"{RESULT}\nResult: 9"
    assert "unclear_end" in [notice.kind for notice in run.notices]


def test_results_before_any_call_are_no_results() -> None:
    with pytest.raises(OutputParserException):
        list(read_runs(f"Tool result:\n{CALL}\nFinal Answer: {ANSWER}\n"))


def test_an_input_of_several_lines_has_a_notice() -> None:
    (run,) = read_runs(REACT.replace("by month", "by month\n(took 2 s)"))
    assert ("unclear_end", "(took 2 s)") in [(n.kind, n.text) for n in run.notices]


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("head", [
    "# Log of today\n\nDate: 2026-01-05\nModel: some-model\n\n---\n\n",
    "# Log\n\n**Date:** today\n- **Cost**: 2\n\n| a | b |\n|---|---|\n_exported_\n\n", "Model: m\n",
])  # fmt: skip
def test_a_title_and_values_may_stand_above_the_first_turn(style: str, head: str) -> None:
    (run,) = read_runs(head + written(style))
    assert told(run) == EXPECTED
    assert [n.text for n in run.notices if n.kind == "unowned_text"] == [head.strip()]


@pytest.mark.parametrize("head", ["Hello there.\n", "Thought: hm\n", "# Log\nThis is a log.\n"])
def test_a_text_above_the_first_turn_is_no_title(head: str) -> None:
    with pytest.raises(OutputParserException):
        [*read_runs(head + written("headings"), format="roles")]
