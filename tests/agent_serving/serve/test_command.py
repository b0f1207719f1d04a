"""The command `agent-parsers serve`: what it takes, and that it ends well."""

import asyncio
import gc
import json
import re
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from agent_serving.cli import ServerKind
from agent_serving.serve import running
from agent_serving.serve.running import keys_in
from agent_serving.serve.upstreams.kinds import KINDS

from ...helpers.command_line import COMMAND, command, environment
from ...helpers.text_upstream import TextUpstream, Written
from .served import ASKED, TOOLS, TURN, http_client


def test_the_kinds_are_those_that_are_known() -> None:
    assert [each.value for each in ServerKind] == ["auto", *KINDS]


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["http://127.0.0.1:1"], 1, "no server answers at http://127.0.0.1:1"),
        (["127.0.0.1:1"], 1, "expected http:// or https://"),
        (["http://127.0.0.1:1", "--server", "vllm"], 1, "Pass --dialect with the dialect"),
        (["http://127.0.0.1:1", "--server", "vllm", "--dialect", "hermse"], 1, "hermes"),
        (["http://127.0.0.1:1", "--redact"], 2, "it needs --log"),
        (["http://127.0.0.1:1", "--key-env", "NO_SUCH_KEY"], 1, "NO_SUCH_KEY is not set"),
        (["http://127.0.0.1:1", "--key-file", "/no/such/file"], 1, "cannot be read"),
        (
            ["http://h:1/v1/completions", "--server", "vllm", "--dialect", "tools"],
            1,
            "cannot read: name a dialect",
        ),
        (
            ["http://h:1", "--server", "vllm", "--dialect", "react", "--prompt", "x", "--text",
             "--tools-in", "template"],
            1,
            "use no chat template",
        ),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_before_it_serves(
    arguments: list[str], status: int, said: str
) -> None:
    outcome = command("serve", *arguments)
    assert (outcome.status, outcome.stdout) == (status, "")
    assert said in re.sub(r"\s+|│", " ", outcome.stderr)


def test_keys_come_from_the_environment_or_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("THE_KEYS", "one, two")
    file = tmp_path / "keys"
    file.write_text("three\n\nfour\n", "utf-8")
    assert keys_in("THE_KEYS", None) == ("one", "two")
    assert keys_in("THE_KEYS", str(file)) == ("one", "two", "three", "four")
    assert keys_in(None, None) == ()
    file.write_text("\n", "utf-8")
    with pytest.raises(ValueError, match="contains no key"):
        keys_in(None, str(file))


def test_the_command_line_loads_no_server() -> None:
    code = (
        "import sys, agent_serving.cli; "
        "print(*{'starlette', 'uvicorn', 'httpx', 'agent_serving.serve.app'} & {*sys.modules})"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment()
    )
    assert done.stdout == "\n"


def test_what_is_not_installed_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [each for each in sys.modules if each.startswith("agent_serving.serve")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    outcome = command("serve", "http://127.0.0.1:1")
    assert outcome.status == 1
    assert "uvicorn is not installed: pip install 'agent-parsers[serve]'" in outcome.stderr


def test_a_port_in_use_is_said_before_it_serves() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        outcome = command(
            "serve", "http://h:1", "--server", "openai", "--dialect", "hermes", "--port", port
        )
    assert (outcome.status, outcome.stdout) == (1, "")
    assert f"cannot listen on port {port} of 127.0.0.1" in outcome.stderr
    assert "choose another with --port" in re.sub(r"\s+", " ", outcome.stderr)
    assert "serving at" not in outcome.stderr


async def until_it_serves(process: asyncio.subprocess.Process) -> list[str]:
    """Return what the command says until it serves."""
    assert process.stderr is not None
    lines = []
    async for line in process.stderr:
        lines.append(line.decode())
        if "serving at" in lines[-1]:
            return lines
    raise AssertionError(lines)


@asynccontextmanager
async def serving(url: str, *arguments: str) -> AsyncIterator[tuple[str, Any, list[str]]]:
    """Run the command; yield its address, its process and what it said."""
    server = await asyncio.start_server(lambda *_: None, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    server.close()
    process = await asyncio.create_subprocess_exec(
        *COMMAND, "serve", url, "--port", str(port), *arguments,
        env=environment(), stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        said = await until_it_serves(process)
        async with http_client() as http:
            while True:  # until it listens
                try:
                    await http.get(f"http://127.0.0.1:{port}/health")
                    break
                except httpx.ConnectError:
                    await asyncio.sleep(0.05)
        yield f"http://127.0.0.1:{port}", process, said
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def stopped(address: str, process: Any, gate: asyncio.Event | None) -> tuple[str, list[str]]:
    """Return the first line of a stream, and those that come after a signal to stop."""
    body = {**ASKED, "tools": TOOLS, "stream": True}
    async with (
        http_client() as http,
        http.stream("POST", f"{address}/v1/chat/completions", json=body) as reply,
    ):
        lines = aiter(reply.aiter_lines())
        first = await anext(lines)
        process.send_signal(signal.SIGTERM)
        await asyncio.sleep(0.2)
        if gate is not None:
            gate.set()
        rest = [line async for line in lines]
    await process.wait()
    return first, rest


def test_a_signal_ends_it_when_what_has_begun_is_sent(tmp_path: Path) -> None:
    async def run() -> None:
        gate = asyncio.Event()
        pages = {"/v1/models": {"data": [{"id": "Qwen/Qwen3-8B"}]}}
        upstream = TextUpstream(lambda _: Written(TURN, gate=gate, piece=3), pages)
        log = tmp_path / "runs.jsonl"
        async with (
            upstream.running() as url,
            serving(url, "--log", str(log)) as (address, process, said),
        ):
            assert "another server with OpenAI's API" in said[0]
            assert "dialect: hermes, the model is Qwen/Qwen3-8B" in said[1]
            first, rest = await stopped(address, process, gate)
            assert first.startswith("data: ")
            assert '"finish_reason": "tool_calls"' in rest[-4]
            assert rest[-2] == "data: [DONE]"
            (line,) = log.read_text("utf-8").splitlines()
            assert json.loads(line)["response"]["choices"][0]["finish_reason"] == "tool_calls"

    asyncio.run(asyncio.wait_for(run(), 60))


def test_what_takes_longer_than_its_time_of_grace_ends_in_an_error() -> None:
    async def run() -> None:
        upstream = TextUpstream(lambda _: Written(TURN, gate=asyncio.Event(), piece=3))
        options = ("--server", "openai", "--dialect", "hermes", "--grace", "1")
        async with upstream.running() as url, serving(url, *options) as (address, process, _):
            _, rest = await stopped(address, process, None)
            assert "the server was stopped" in rest[-2]

    asyncio.run(asyncio.wait_for(run(), 60))


def test_every_option_is_on_the_page() -> None:
    page = (Path(__file__).parents[3] / "docs" / "serve.md").read_text("utf-8")
    said: Any = re.findall(r"^  (--[a-z-]+)", command("serve", "--help").stdout, re.MULTILINE)
    options = [each for each in said if each != "--help"]
    assert len(options) > 15
    assert not [each for each in options if f"`{each}" not in page]


def test_garbage_is_collected_while_it_serves(monkeypatch: pytest.MonkeyPatch) -> None:
    before, seen = gc.get_threshold(), []
    monkeypatch.setattr(running, "serve", lambda *_: seen.append(gc.get_threshold()))
    try:
        gc.set_threshold(100_000, 10, 10)  # as for commands that soon end
        assert command("serve", "http://127.0.0.1:1").status == 0
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
    assert seen == [(2_000, 10, 10)]
