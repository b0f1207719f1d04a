"""The examples before the live server: the local agent, and `agent-parsers serve` with `openai`."""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from contextlib import contextmanager, redirect_stdout, suppress
from io import StringIO
from pathlib import Path
from socket import create_connection
from typing import TYPE_CHECKING, Any

from agent_parsers import OutputParserException, ToolSet
from tools.benchmarks.live.native import PAST
from tools.benchmarks.live.questions import TOOLS
from tools.benchmarks.live.server import free_port

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tools.benchmarks.live.server import Server

EXAMPLES = Path(__file__).parents[3] / "examples"
QUESTION = "Is it raining in Oslo?"
DIALECTS = ("react", "hermes")


def report(server: Server) -> str:
    """Return what the agent did, free and constrained, and what came through the server."""
    sys.path.insert(0, str(EXAMPLES))
    said = [_agent(server, name, grammar) for name in DIALECTS for grammar in (None, "llama_cpp")]
    return "\n".join((*said, _served(server)))


def _agent(server: Server, dialect: str, grammar: str | None) -> str:
    import local_agent

    written = StringIO()
    asked = argparse.Namespace(
        question=QUESTION, url=f"{server.url}/v1", model="local", dialect=dialect,
        grammar=grammar, turns=4, tokens=160,
    )  # fmt: skip
    try:
        with redirect_stdout(written):
            end = f"answer: {local_agent.run(asked).output!r}"
    except (OutputParserException, RuntimeError) as error:  # its retries or its turns are used up
        end = f"it gave up: {error}"
    return f"local_agent, {dialect}, grammar: {grammar}\n{written.getvalue()}{end}\n"


def _served(server: Server) -> str:
    """Return what the `openai` client gets of `agent-parsers serve`: whole and streamed."""
    from openai import APIError, OpenAI

    lines = ["serve, hermes"]
    with _serving(server) as url, OpenAI(base_url=url, api_key="none", max_retries=0) as client:
        for seed in range(3):
            asked: Any = {
                "model": "local", "messages": [*PAST, {"role": "user", "content": QUESTION}],
                "tools": ToolSet(TOOLS).openai_tools(), "seed": seed, "max_tokens": 160,
            }  # fmt: skip
            try:
                whole = client.chat.completions.create(**asked)
                lines.append(f"whole: {whole.choices[0].to_dict()}")
                chunks = client.chat.completions.create(**asked, stream=True)
                deltas = [each.choices[0].delta.to_dict() for each in chunks if each.choices]
                lines.append(f"streamed: {deltas}")
            except APIError as error:
                lines.append(f"an error: {error}")
    return "\n".join(lines)


@contextmanager
def _serving(server: Server) -> Iterator[str]:
    port = free_port()
    command = [
        *(sys.executable, "-m", "agent_parsers", "serve", server.url, "--dialect", "hermes"),
        *("--server", "llama_cpp", "--retries", "2", "--port", str(port)),
    ]
    process = subprocess.Popen(command)
    try:
        until = time.monotonic() + 30
        while time.monotonic() < until:
            with suppress(OSError), create_connection(("127.0.0.1", port), 1):
                break
            time.sleep(0.2)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        process.wait(10)
