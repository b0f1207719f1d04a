"""The log of `agent-parsers serve` is read as the runs that clients made."""

import asyncio
import json
import stat
from pathlib import Path
from typing import Any

import openai
import pytest

from agent_parsers import AgentAction, AgentFinish
from agent_runs import read_runs
from agent_serving.serve.run_log import RunLog

from ...helpers.command_line import command
from ...helpers.text_upstream import Written
from .served import ASKED, BAD, CALL, TOOLS, chatting, clients

ANSWER = "<think>Thun it is.</think>Thun has 48 km²."


async def chat(client: Any, *, stream: bool, hands_back: bool = True) -> None:
    """Ask, answer the call, perhaps with the thought before it, and read the answer."""
    asked: Any = {**ASKED, "tools": TOOLS}
    first = await client.chat.completions.create(**asked)
    message = first.choices[0].message
    result = {"role": "tool", "tool_call_id": message.tool_calls[0].id, "content": "48 km²"}
    left_out = set() if hands_back else {"reasoning_content"}
    said = message.model_dump(exclude_none=True, exclude=left_out)
    asked["messages"] = [*asked["messages"], said, result]
    reply = await client.chat.completions.create(**asked, stream=stream)
    if stream:
        async for _ in reply:
            pass


@pytest.mark.parametrize("hands_back", [True, False], ids=["with thoughts", "without"])
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_a_run_is_read_with_its_calls_results_and_answer(
    tmp_path: Path, stream: bool, hands_back: bool
) -> None:
    file = tmp_path / "runs.jsonl"
    texts = ["<think>I look it up.</think>" + CALL % "Thun", ANSWER]

    async def run() -> None:
        async with chatting(lambda _: Written(texts.pop(0)), log=str(file)) as (client, _):
            await chat(client, stream=stream, hands_back=hands_back)

    asyncio.run(run())
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "secret" not in file.read_text("utf-8")
    *before, transcript = read_runs(file)
    assert len(before) == (not hands_back)  # what came back differs from what was said
    step, _ = transcript.steps
    assert isinstance(step.action, AgentAction)
    assert (step.action.tool, step.action.tool_input) == ("area", {"lake": "Thun"})
    assert step.observation == "48 km²"
    assert isinstance(transcript.finish, AgentFinish)
    assert transcript.finish.output == "Thun has 48 km²."


def test_all_faces_are_logged_alike(tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl"

    async def run() -> None:
        upstream = clients(lambda _: Written("It has 48 km²."), log=str(file))
        async with upstream as (ours, theirs, _):
            await ours.chat.completions.create(**ASKED)
            await ours.responses.create(model="m", input="How large?")
            await theirs.messages.create(
                model="m", max_tokens=9, messages=ASKED["messages"], system="Be brief."
            )

    asyncio.run(run())
    runs = list(read_runs(file))
    assert [each.finish and each.finish.output for each in runs] == ["It has 48 km²."] * 3
    assert [each.question for each in runs] == ["How large?"] * 3


def test_errors_are_logged(tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl"

    async def run() -> None:
        async with chatting(lambda _: Written(BAD), log=str(file), retries=0) as (client, _):
            with pytest.raises(openai.UnprocessableEntityError):
                await client.chat.completions.create(**ASKED, tools=TOOLS)

    asyncio.run(run())
    (line,) = file.read_text("utf-8").splitlines()
    assert "depth" in json.loads(line)["response"]["error"]["message"]
    (transcript,) = read_runs(file)
    assert transcript.finish is None


def test_nothing_that_was_said_is_in_a_redacted_log(tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl"
    texts = [CALL % "Thun", ANSWER]

    async def run() -> None:
        given = {"log": str(file), "is_redacted": True}
        async with chatting(lambda _: Written(texts.pop(0)), **given) as (client, _):
            await chat(client, stream=False)

    asyncio.run(run())
    logged = file.read_text("utf-8")
    assert not [said for said in ("Thun", "48 km", "How large", "Looks up") if said in logged]
    (transcript,) = read_runs(file)
    first, _ = transcript.steps
    assert isinstance(first.action, AgentAction)
    assert first.action.tool == "area"


def test_the_command_parses_a_log(tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl"
    texts = [CALL % "Thun", ANSWER]

    async def run() -> None:
        async with chatting(lambda _: Written(texts.pop(0)), log=str(file)) as (client, _):
            await chat(client, stream=True)

    asyncio.run(run())
    done = command("parse", file)
    assert done.status == 0
    assert "area" in done.stdout
    assert "Thun has 48 km²." in done.stdout
    page = tmp_path / "report.html"
    assert command("report", file, "--out", page).status == 0
    assert "Thun has 48 km²." in page.read_text("utf-8")


def test_a_log_that_cannot_be_written_is_said_at_the_start(tmp_path: Path) -> None:
    async def run() -> None:
        async with chatting(lambda _: Written(""), log=str(tmp_path / "no" / "file")):
            pass

    with pytest.raises(OSError, match="no"):
        asyncio.run(run())


def test_a_log_that_fails_does_not_fail_the_reply(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(*_: Any) -> int:
        raise OSError(28, "No space left on device")

    async def run() -> None:
        given = {"log": str(tmp_path / "runs.jsonl")}
        async with chatting(lambda _: Written("It has 48."), **given) as (client, _):
            monkeypatch.setattr(RunLog, "_append", full)
            reply = await client.chat.completions.create(**ASKED)
            assert reply.choices[0].message.content == "It has 48."

    asyncio.run(run())
    assert "a run could not be written" in caplog.text
