"""What the error says for a text that is not read, and how little it tries."""

import json

import pytest

from agent_parsers import AgentAction, OutputParserException
from agent_parsers.cli.wording import on_command_line
from agent_runs import read_runs
from agent_runs.detecting import detect as detecting

STEPS = "Thought: a look\nAction: gauge\nAction Input: Aare\nObservation: 2 m\nFinal Answer: 2 m\n"


def reason(text: str, dialect: str | None = None) -> str:
    with pytest.raises(OutputParserException) as raised:
        list(read_runs(text, dialect=dialect))
    return raised.value.reason


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            f"Agent: otter\n{STEPS}",
            "line 1, 'Agent: otter', comes before 'Thought: a look' and may belong to another",
        ),
        (f"Agent: otter\n{STEPS}", "form: pass dialect='react' to read the log nevertheless"),
        (
            f"I read it:\n--- BEGIN LOG ---\n{STEPS}--- END LOG ---\n",
            "line 3, 'Thought: a look', is quoted, and quoted runs are not read",
        ),
        (
            "Hm.\nThought: a look\nand so on\n",
            "line 2, 'Thought: a look', looks like the beginning of a step",
        ),
    ],
)
def test_the_line_at_fault_is_named_and_what_stopped_the_nearest_reader(
    text: str, words: str
) -> None:
    said = reason(text)
    assert "the closest reader is 'plain', but " in said
    assert words in said


def test_the_way_out_reads_the_log_and_is_an_option_on_the_command_line() -> None:
    text = f"Agent: otter\n{STEPS}"
    assert "--dialect react to read the log" in on_command_line(reason(text))
    (run,) = read_runs(text, dialect="react")
    assert run.finish is not None


def test_a_log_without_a_run_says_what_it_was_read_as() -> None:
    said = reason("Good morning.", dialect="react")
    assert said.startswith("found no run in the log, which was read as 'plain' (dialect='react')")
    assert "--dialect react" in on_command_line(said)


def test_a_refusal_tries_few_parts_of_a_log_against_the_dialects(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tried = 0
    detect = detecting.detect

    def counted(text: str) -> object:
        nonlocal tried
        tried += 1
        assert len(text) <= 1 << 13
        return detect(text)

    stamp = "2026-02-03 10:11:12,345 - INFO - "
    text = "".join(
        f"{stamp}part{number}: sent\nThought: {number}\nTask: {number}\n" for number in range(400)
    )
    monkeypatch.setattr(detecting, "detect", counted)
    detecting.detect_in_head.cache_clear()
    reason(text)
    assert 0 < tried < 30


def test_a_fence_shows_the_end_of_an_input_in_a_console() -> None:
    text = (
        "> Entering new AgentExecutor chain...\n\nThought: a look\n\nAction: gauge\n\n"
        'Action Input:\n```json\n{\n  "river": "Aare"\n}\n```\n2 m\n\n'
        "Thought: so\nFinal Answer: 2 m\n\n"
        'INFO:httpx:HTTP Request: POST https://a.b "HTTP/1.1 200 OK"\n> Finished chain.\n'
    )
    (run,) = read_runs(text)
    (call, _) = run.steps
    assert isinstance(call.action, AgentAction)
    assert json.loads(str(call.action.tool_input)) == {"river": "Aare"}
    assert (call.observation or "").strip() == "2 m"
    assert run.finish is not None
    assert run.finish.return_values["output"] == "2 m"
    assert any("httpx" in notice.text for notice in run.notices)
