"""The console of LangChain's AgentExecutor, with and without colours."""

from contextlib import suppress

import pytest

from agent_parsers import OutputParserException
from agent_runs import detect_log, read_runs

from .consoles import (
    BLUE,
    ESC,
    GREEN,
    RESULT,
    YELLOW,
    answer_of,
    bold,
    chain,
    coloured,
    notices_of,
    runs_of,
    said_in,
    steps_of,
    without_colours,
)

CALL = " I look.\nAction: search\nAction Input: fog"
LAST = " I know.\nFinal Answer: November."
STEP = ("I look.", "search", "fog", RESULT)


def labelled(call: str, result: str, last: str) -> str:
    """Return a run as the agents of `initialize_agent` print it."""
    return chain(
        f"{coloured(call, GREEN)}\nObservation: {coloured(result, BLUE)}\nThought:"
        + coloured(last, GREEN)
    )


def unlabelled(call: str, result: str, last: str) -> str:
    """Return a run as the newer agents print it."""
    return chain(coloured(call, GREEN) + coloured(result, BLUE) + coloured(last, GREEN))


FENCE = '```json\n{"action": "search", "action_input": "fog"}\n```'
FENCED_ANSWER = '```json\n{"action": "Final Answer", "action_input": "November."}\n```'
AGENTS = {
    # dialect: a call, an answer, and the thought and tool of the call
    "react": (CALL, LAST, "I look.", "search"),
    "conversational": (
        "Thought: Do I need to use a tool? Yes\nAction: search\nAction Input: fog",
        "Thought: Do I need to use a tool? No\nAI: November.",
        "",
        "search",
    ),
    "structured_chat": (f"Thought: I look.\nAction:\n{FENCE}", f"Action:\n{FENCED_ANSWER}",
                        "I look.", "search"),
    "json": (FENCE, FENCED_ANSWER, "", "search"),
    "xml": ("<tool>search</tool><tool_input>fog", "<final_answer>November.</final_answer>",
            "", "search"),
    "self_ask": (" Yes.\nFollow up: fog", "So the final answer is: November.",
                 "Yes.", "Intermediate Answer"),
    "react_docstore": ("Thought: I look.\nAction: search[fog]",
                       "Thought: I know.\nAction: Finish[November.]", "I look.", "search"),
}  # fmt: skip


@pytest.mark.parametrize("form", [labelled, unlabelled])
@pytest.mark.parametrize("agent", AGENTS)
def test_colours_delimit_the_values_of_every_agent(agent, form):
    call, last, thought, tool = AGENTS[agent]
    (run,) = runs_of(form(call, RESULT, last))
    assert run.source.dialect == agent
    assert steps_of(run) == [(thought, tool, "fog", RESULT)]
    assert answer_of(run) == "November."
    assert notices_of(run) == []


EMPTY = [
    (" I look.\nAction: clock\nAction Input:", LAST),
    (" I look.\nAction: clock\nAction Input: ", LAST),
    ("I look.\n<tool>clock</tool><tool_input>", AGENTS["xml"][1]),
]


@pytest.mark.parametrize("form", [labelled, unlabelled])
@pytest.mark.parametrize(("call", "last"), EMPTY)
def test_a_call_that_a_result_follows_was_not_cut(form, call, last):
    (run,) = runs_of(form(call, RESULT, last))
    assert steps_of(run) == [("I look.", "clock", "", RESULT)]
    assert answer_of(run) == "November."
    assert notices_of(run) == []
    if form is labelled:
        (run,) = runs_of(without_colours(labelled(call, "It is noon.", last)))
        assert steps_of(run) == [("I look.", "clock", "", "It is noon.")]


@pytest.mark.parametrize("call", [call for call, _ in EMPTY])
def test_a_call_at_the_end_of_a_log_may_be_cut(call):
    log = f"{bold('> Entering new AgentExecutor chain...')}\n{coloured(call, GREEN)}"
    (run,) = runs_of(log)
    assert run.steps == ()
    assert "may be cut off" in str(run.failed[0].error)


@pytest.mark.parametrize("escape", ["", "\u241b", "^[", r"\x1b", r"\033"])
def test_codes_may_have_lost_their_first_character_in_pasting(escape):
    (run,) = runs_of(labelled(CALL, RESULT, LAST).replace("\x1b", escape))
    assert steps_of(run) == [STEP]
    assert answer_of(run) == "November."


def test_calls_of_tools_agents_are_literals():
    def invoking(tool_input: str, said: str) -> str:
        said = f"responded: {said}\n" if said else "\n"
        return coloured(f"\nInvoking: `search` with `{tool_input}`\n{said}\n", GREEN)

    log = chain(
        invoking("{'q': \"it's\", 'n': 2}", "I look.")
        + coloured(RESULT, BLUE)
        + invoking(
            "`two`\n\nlines",
            "[{'type': 'thinking', 'thinking': 'Hm.'}, {'type': 'text', 'text': 'Again.'}]",
        )
        + coloured("", YELLOW)
        + coloured("November.", GREEN)
    )
    (run,) = runs_of(log)
    assert steps_of(run) == [
        ("", "search", {"q": "it's", "n": 2}, RESULT),
        ("Hm.", "search", "`two`\n\nlines", ""),
    ]
    assert said_in(run) == [("", "I look."), ("Hm.", "Again."), ("", "")]
    assert answer_of(run) == "November."


def test_uncoloured_results_are_langchains_own():
    log = chain(
        f"{coloured(' Hm.', GREEN)}Invalid Format: Missing 'Action:' after 'Thought:'"
        f"{coloured(CALL, GREEN)}search is not a valid tool, try one of [find, look].INFO: hello"
        f"{coloured(LAST, GREEN)}"
    )
    (run,) = runs_of(log)
    refused, step = steps_of(run)
    assert refused == ("Hm.", None, None, "Invalid Format: Missing 'Action:' after 'Thought:'")
    assert step[3] == "search is not a valid tool, try one of [find, look]."
    assert [(n.kind, n.text) for n in run.notices] == [("unowned_text", "INFO: hello")]


BOTH = "Parsing LLM output produced both a final answer and a parse-able action:: Thought: Hm."


@pytest.mark.parametrize("labels", [("\nObservation: ", "\nThought:"), ("", "")])
@pytest.mark.parametrize("colours", [True, False])
def test_a_turn_that_langchain_refused_calls_no_tool(labels, colours):
    before, after = labels
    turn = f"{BOTH}\nAction: search\nAction Input: print('Final Answer: 5')\n\nFor help, visit x "
    log = chain(
        f"{coloured(turn, GREEN)}{before}Invalid or incomplete response{after}"
        f"{coloured(LAST, GREEN)}"
    )
    (run,) = runs_of(log if colours else without_colours(log))
    assert [step[1] for step in steps_of(run)] == [None]
    assert steps_of(run)[0][3] == "Invalid or incomplete response"
    assert answer_of(run) == "November."


def test_the_answer_of_an_agent_that_calls_natively_may_look_like_a_turn():
    said = "It says:\nFinal Answer: none"
    call = "\nInvoking: `search` with `{}`\n\n\n"
    (run,) = runs_of(chain(f"{coloured(call, GREEN)}{coloured('9', BLUE)}{coloured(said, GREEN)}"))
    assert answer_of(run) == said


@pytest.mark.parametrize(
    "log",
    [labelled(CALL, RESULT, ""), unlabelled(CALL, RESULT, "")],
    ids=["labelled", "unlabelled"],
)
def test_a_limit_of_iterations_leaves_no_answer(log):
    (run,) = runs_of(log)
    assert steps_of(run) == [STEP]
    assert answer_of(run) is None
    assert notices_of(run) == ["no_answer"]


def test_the_result_of_a_tool_may_be_the_answer():
    log = chain(f"{coloured(CALL, GREEN)}\nObservation: {coloured('9 days', BLUE)}\n"
                f"{coloured('', GREEN)}")  # fmt: skip
    for form in log, without_colours(log):
        (run,) = runs_of(form)
        assert answer_of(run) == "9 days"


def test_an_invented_observation_is_not_the_result():
    (run,) = runs_of(labelled(f"{CALL}\nObservation: none\nThought: ah", RESULT, LAST))
    assert steps_of(run) == [STEP]


def test_what_a_tool_prints_belongs_to_no_step():
    inside = f"{coloured(CALL, GREEN)}searching\n\nObservation: {coloured(RESULT, BLUE)}\nThought:"
    (run,) = runs_of(chain(f"{inside}retrying\n{coloured(LAST, GREEN)}"))
    assert steps_of(run) == [STEP]
    assert [notice.text.strip() for notice in run.notices] == ["searching", "retrying"]


def test_results_may_have_colours_of_their_own():
    for inner in (f"{ESC}31m9{ESC}0m days", f"{ESC}1m{ESC}31m9{ESC}39m days", f"{ESC}31m9 days"):
        (run,) = runs_of(labelled(CALL, inner, LAST))
        assert steps_of(run) == [("I look.", "search", "fog", "9 days")]
        assert answer_of(run) == "November."


def test_uncoloured_frames_in_a_coloured_log_are_text():
    result = "> Finished chain.\n> Entering new X chain..."
    log = labelled(CALL, result, LAST)
    (run,) = read_runs(log)
    assert steps_of(run) == [("I look.", "search", "fog", result)]


def test_an_agent_in_a_tool_has_a_run_of_its_own():
    inner = labelled(CALL, "inner", " k\nFinal Answer: inside")
    result = f"\nObservation: {coloured('inside', BLUE)}\nThought:{coloured(LAST, GREEN)}"
    log = chain(coloured(CALL, GREEN) + inner + result)
    for form in log, without_colours(log):
        within, outer = runs_of(form)
        assert answer_of(within) == "inside"
        assert steps_of(outer) == [("I look.", "search", "fog", "inside")]
        assert answer_of(outer) == "November."


def test_another_chain_in_a_tool_is_no_run():
    prompt = coloured("Action: one of [search]\nAction Input: it", GREEN)
    inner = chain(f"Prompt after formatting:\n{prompt}", "LLMChain")
    result = f"\nObservation: {coloured(RESULT, BLUE)}\nThought:{coloured(LAST, GREEN)}"
    (run,) = runs_of(chain(coloured(CALL, GREEN) + inner + result))
    assert steps_of(run) == [STEP]
    assert notices_of(run) == ["unowned_text"]


def test_a_run_that_failed_does_not_contain_the_next_one():
    begin = bold("> Entering new AgentExecutor chain...")
    failed = f"\n\n{begin}\n{coloured(CALL, GREEN)}Traceback (most recent call last):\n  KeyError\n"
    first, second = runs_of(failed + unlabelled(CALL, RESULT, LAST))
    assert steps_of(first) == [("I look.", "search", "fog", None)]
    assert notices_of(first) == ["unowned_text", "no_observation", "no_answer"]
    assert steps_of(second) == [STEP]


def test_text_around_runs_belongs_to_no_answer():
    log = f"Loading\n{labelled(CALL, RESULT, LAST)}Total tokens: 5\n" * 2
    runs = runs_of(log)
    assert [answer_of(run) for run in runs] == ["November.", "November."]
    assert [notice.text for notice in runs[0].notices] == ["Loading", "Total tokens: 5\nLoading"]
    assert [notice.line for notice in runs[0].notices] == [1, 16]


def test_the_value_of_the_chain_has_the_question():
    returned = "{'input': \"it's?\",\n 'output': 'November.'}\n"
    (run,) = runs_of(labelled(CALL, RESULT, LAST) + returned)
    assert (run.question, run.notices) == ("it's?", ())
    with_objects = "{'input': 'why?', 'history': [HumanMessage(content='x')], 'output': 'y'}"
    (run,) = runs_of(labelled(CALL, RESULT, LAST) + with_objects)
    assert run.question == "why?"


def test_names_of_chains_are_the_users():
    (run,) = runs_of(chain(coloured("Hello.", GREEN), "My bot"))
    assert answer_of(run) == "Hello."


class TestWithoutColours:
    def test_labels_delimit_values(self):
        (run,) = runs_of(without_colours(labelled(CALL, "9 days\n\nof fog", LAST)))
        assert steps_of(run) == [("I look.", "search", "fog", "9 days\n\nof fog")]
        assert answer_of(run) == "November."
        assert notices_of(run) == []

    def test_a_result_with_labels_is_left_out(self):
        (run,) = runs_of(without_colours(labelled(CALL, RESULT, LAST)))
        assert steps_of(run) == [("I look.", "search", "fog", None)]
        assert answer_of(run) == "November."
        assert "unclear_end" in notices_of(run)

    def test_an_input_that_runs_into_its_result_is_left_out(self):
        (run,) = runs_of(without_colours(unlabelled(CALL, "9 days", LAST)))
        assert steps_of(run) == [("I look.", "search", {}, None)]
        assert answer_of(run) == "November."
        assert "unclear_end" in notices_of(run)

    def test_json_shows_where_an_input_ends(self):
        call = ' I look.\nAction: search\nAction Input: {"q": [1]}'
        (run,) = runs_of(without_colours(unlabelled(call, "9 days", LAST)))
        assert steps_of(run) == [("I look.", "search", '{"q": [1]}', None)]
        (run,) = runs_of(without_colours(unlabelled(call, "9 days", f"Thought:{LAST}")))
        assert steps_of(run) == [("I look.", "search", '{"q": [1]}', "9 days")]

    def test_fences_and_calls_delimit_results(self):
        log = chain(f"{FENCE}9 days{FENCE}8 days{FENCED_ANSWER}")
        (run,) = runs_of(without_colours(log))
        assert [step[3] for step in steps_of(run)] == ["9 days", "8 days"]
        call = "\nInvoking: `search` with `{'q': 1}`\n\n\n"
        (run,) = runs_of(without_colours(chain(f"{call}9 days{call}8 days.November")))
        assert [step[2:] for step in steps_of(run)] == [({"q": 1}, "9 days"), ({"q": 1}, None)]
        assert answer_of(run) is None

    def test_what_langchain_returns_shows_both_ends(self):
        own = "search is not a valid tool, try one of [find]."
        (run,) = runs_of(without_colours(unlabelled(CALL, own, LAST)))
        assert steps_of(run) == [("I look.", "search", "fog", own)]


def test_a_log_may_be_cut_anywhere():
    log = unlabelled(CALL, RESULT, LAST)
    for end in range(1, len(log), 3):
        with suppress(OutputParserException):  # there is no run yet
            for run in runs_of(log[:end], format="langchain_console"):
                assert answer_of(run) in (None, *("November."[:n] for n in range(10)))


def test_a_log_may_end_with_the_answer():
    log = labelled(CALL, "9 days", LAST)
    for form in log[: log.index("> Finished")], without_colours(log)[:-17]:
        (run,) = runs_of(form)
        assert answer_of(run).strip() == "November."
        assert "no_answer" not in notices_of(run)


def test_the_evidence_says_where():
    form = detect_log(f"x\n{labelled(CALL, RESULT, LAST)}")
    assert form.reader == "langchain_console"
    assert form.evidence == ("'> Entering new AgentExecutor chain...' in line 4",)


@pytest.mark.parametrize("is_coloured", [True, False])
def test_the_end_of_a_chain_may_have_its_name(is_coloured: bool) -> None:
    log = labelled(CALL, "9 days", LAST).replace(
        "> Finished chain.", "> Finished AgentExecutor chain."
    )
    (run,) = runs_of(log if is_coloured else without_colours(log))
    assert (answer_of(run), notices_of(run)) == ("November.", [])


def test_the_labels_around_a_result_may_have_numbers() -> None:
    call, last = "Thought 1: I look.\nAction 1: Search[fog]", " I know.\nAction 2: Finish[November]"
    log = chain(
        f"{coloured(call, GREEN)}\nObservation 1: {coloured('9 days', BLUE)}\nThought 2:"
        + coloured(last, GREEN)
    )
    (run,) = runs_of(log)
    assert steps_of(run) == [("I look.", "Search", "fog", "9 days")]
    assert (answer_of(run), notices_of(run)) == ("November", [])


BEGIN, END = chain("").split("\n\n\n")
OTHER = CALL.replace("fog", "rain")


def together(*inside: str, ends: int = 2) -> str:
    """Return what two agents print that run at the same time."""
    return f"{BEGIN}\n\n{BEGIN}\n{''.join(inside)}" + f"\n\n{END}" * ends


SEEN = [f"\nObservation: {coloured(text, BLUE)}\nThought:" for text in ("wet", "9 days")]


@pytest.mark.parametrize("is_coloured", [True, False])
def test_chains_that_run_at_the_same_time_are_refused(is_coloured: bool) -> None:
    mixed = together(coloured(CALL, GREEN), coloured(OTHER, GREEN), *SEEN, coloured(LAST, GREEN))
    log = mixed + labelled(CALL, "9 days", LAST)
    log = log if is_coloured else without_colours(log)
    with pytest.raises(OutputParserException, match="found 2 chains that ran at the same time"):
        runs_of(log)
    errors: list[OutputParserException] = []
    (run,) = runs_of(log, on_error=errors.append)
    assert (len(errors), answer_of(run)) == (1, "November.")
    assert steps_of(run)[0][-1] == "9 days"


def test_chains_that_end_behind_one_another_ran_at_the_same_time() -> None:
    turns = (coloured(CALL, GREEN), SEEN[0], coloured(OTHER, GREEN), SEEN[1])
    log = together(*turns, coloured(LAST, GREEN), ends=1) + coloured(LAST, GREEN) + f"\n\n{END}"
    errors: list[OutputParserException] = []
    runs = runs_of(log + labelled(CALL, "9 days", LAST), on_error=errors.append)
    assert "found 2 chains that ran at the same time" in str(errors[0])
    assert [len(run.all_steps) for run in runs] == [0, 2]


def test_a_chain_that_failed_at_once_is_not_mixed_with_the_next() -> None:
    log = together(coloured(CALL, GREEN), SEEN[1], coloured(LAST, GREEN), ends=1)
    *empty, run = runs_of(f"{BEGIN}\n\n{log}")
    assert [each.all_steps for each in empty] == [(), ()]
    assert answer_of(run) == "November."
    assert steps_of(run) == [("I look.", "search", "fog", "9 days")]
