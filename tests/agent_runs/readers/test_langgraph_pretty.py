"""What pretty_print() of LangChain's messages shows."""

from typing import Any

import pytest

from agent_parsers import AgentAction, Transcript
from agent_runs import read_runs

from .consoles import notices_of
from .data_logs import only


def title(name: str) -> str:
    padded = f" {name} Message "
    bar = "=" * ((80 - len(padded)) // 2)
    return f"{bar}{padded}{bar}{'=' * (len(padded) % 2)}"


def call(name: str, args: str, call_id: str = "c1") -> str:
    return f"  {name} ({call_id})\n Call ID: {call_id}\n  Args:\n{args}"


HUMAN = f"{title('Human')}\n\nWhich?\n"
ANSWER = f"{title('Ai')}\n\nFog.\n"


def asked(args: str) -> str:
    return f"{HUMAN}{title('Ai')}\nTool Calls:\n{call('search', args)}\n{ANSWER}"


def first_input(run: Transcript) -> Any:
    assert isinstance(run.steps[0].action, AgentAction)
    return run.steps[0].action.tool_input


@pytest.mark.parametrize(
    ("args", "given"),
    [
        ("    q: fog", {"q": "fog"}),
        ("    q: fog\n    n: 2", {"q": "fog", "n": "2"}),
        ("    n: 2\n    code: for x in y:\n    print(x)\n\ndone", {
            "n": "2", "code": "for x in y:\n    print(x)\n\ndone"}),
        ("    q: ", {"q": ""}),
        ("    q: a: b", {"q": "a: b"}),
        ("", {}),
    ],
)  # fmt: skip
def test_arguments_are_text(args: str, given: Any) -> None:
    run = only(asked(args))
    assert first_input(run) == given
    kinds = [kind for kind in notices_of(run) if kind != "no_observation"]
    assert kinds == (["untyped_values"] if given else [])


def test_arguments_take_the_types_of_the_tool() -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    tools = [{"name": "search", "description": "", "parameters": schema}]
    assert first_input(only(asked("    n: 2"), tools=tools)) == {"n": 2}


@pytest.mark.parametrize(
    ("args", "known"),
    [
        ("    n: 2\n    code: if x:\ny\n    total: int = 3", {"n": "2"}),
        ("    n: 2\n    n: 3", {"n": "2"}),
    ],
)
def test_an_argument_that_may_be_part_of_another_is_left_out(args: str, known: Any) -> None:
    run = only(asked(args))
    assert first_input(run) == known
    (notice,) = [notice for notice in run.notices if notice.kind == "unclear_end"]
    assert notice.text in args


def test_parallel_results_go_by_name() -> None:
    calls = "\n".join(call(name, f"    q: {name}", name) for name in ("a", "b"))
    results = "".join(f"{title('Tool')}\nName: {name}\n\nof {name}\n" for name in ("b", "a"))
    run = only(f"{HUMAN}{title('Ai')}\n\nTwo.\nTool Calls:\n{calls}\n{results}{ANSWER}")
    assert [step.observation for step in run.steps] == ["of a", "of b", None]
    assert [step.content for step in run.steps] == ["Two.", "", ""]


@pytest.mark.parametrize(
    ("called", "returned", "known"),
    [
        ("aab", "aab", ["a1", "a2", "b3"]),
        ("aab", "aba", [None, None, "b2"]),  # as results are streamed: by the time they took
        ("aab", "a", [None, None, None]),  # as states are streamed: only their last messages
        ("aab", "ab", [None, None, "b2"]),
        ("ab", "b", [None, "b1"]),
    ],
)
def test_a_result_that_may_belong_to_several_calls_belongs_to_none(
    called: str, returned: str, known: list[str | None]
) -> None:
    calls = "\n".join(call(name, f"    q: {at}", f"c{at}") for at, name in enumerate(called))
    results = "".join(
        f"{title('Tool')}\nName: {name}\n\n{name}{at}\n" for at, name in enumerate(returned, 1)
    )
    run = only(f"{HUMAN}{title('Ai')}\nTool Calls:\n{calls}\n{results}{ANSWER}")
    assert [step.observation for step in run.steps] == [*known, None]
    left_out = [notice for notice in run.notices if notice.kind == "unowned_text"]
    assert len(left_out) == len(returned) - sum(text is not None for text in known)


def test_a_result_answers_the_call_before_it_even_if_an_earlier_one_waits() -> None:
    turn = f"{title('Ai')}\nTool Calls:\n{call('a', '    q: x', '%s')}\n"
    run = only(f"{HUMAN}{turn % ('c1', 'c1')}{turn % ('c2', 'c2')}{title('Tool')}\nName: a\n\nA\n")
    assert [step.observation for step in run.steps] == [None, "A"]


def test_an_invalid_call_is_a_failed_step() -> None:
    invalid = "Invalid Tool Calls:\n  f (c9)\n Call ID: c9\n  Error: no JSON\n  Args:\n    {"
    run = only(f"{HUMAN}{title('Ai')}\nTool Calls:\n{call('a', '    q: x')}\n{invalid}\n{ANSWER}")
    (failed,) = run.failed
    assert (str(failed.error), first_input(run)) == ("no JSON", {"q": "x"})


@pytest.mark.parametrize("bold", ["\x1b[1m%s\x1b[0m", "[1m%s[0m"])
def test_titles_may_be_bold(bold: str) -> None:
    log = f"{HUMAN}{ANSWER}"
    for name in (" Human Message ", " Ai Message "):
        log = log.replace(name, bold % name)
    run = only(log)
    assert (run.question, run.finish is not None) == ("Which?", True)


def test_what_only_looks_like_a_title_is_text() -> None:
    fake = "===== Human Message ====="
    text = f"{HUMAN}{title('Ai')}\n\nSo:\n{fake}\nTool Calls:\nnone\n"
    run = only(text)
    assert run.finish is not None
    assert run.finish.return_values == {"output": f"So:\n{fake}\nTool Calls:\nnone"}


def test_content_in_blocks_is_their_text() -> None:
    blocks = "[{'type': 'text', 'text': 'Fog.'}, {'type': 'image', 'url': 'x'}]"
    run = only(f"{HUMAN}{title('Ai')}\n\n{blocks}\n")
    assert run.finish is not None
    assert run.finish.return_values == {"output": "Fog."}


def test_text_behind_a_ruler_as_wide_as_a_console_is_in_doubt() -> None:
    behind = f"{'-' * 75}\n\nContinue with another question? y/n: n"
    run = only(f"{HUMAN}{ANSWER}{behind}\n")
    assert run.output == f"Fog.\n{behind}"
    assert [n.text for n in run.notices if n.kind == "unclear_end"] == [behind]
    assert "unclear_end" not in notices_of(only(HUMAN + ANSWER))


def test_each_question_begins_a_run_and_text_before_it_is_a_notice() -> None:
    runs = [*read_runs(f"Loading …\n{HUMAN}{ANSWER}{HUMAN}{ANSWER}")]
    assert [run.question for run in runs] == ["Which?", "Which?"]
    assert "Loading …" in runs[0].notices[0].message


def test_langchain_prints_so() -> None:
    from langchain_core import messages

    given = {"code": "for x in y:\n    print(x)"}
    said = [
        messages.SystemMessage("Be brief."),
        messages.HumanMessage("Which?"),
        messages.AIMessage("I look.", tool_calls=[{"name": "a", "args": given, "id": "c"}]),
        messages.ToolMessage("x\n", tool_call_id="c", name="a"),
        messages.AIMessage("Fog."),
    ]
    run = only("".join(f"{message.pretty_repr()}\n" for message in said))
    assert (run.preamble, run.question, first_input(run)) == ("Be brief.", "Which?", given)
    assert run.steps[0].observation == "x\n"
    assert run.finish is not None
