"""Measures what `agent-parsers serve` adds to each chunk, its memory, and what becomes of faults.

Run ``python -m tools.benchmarks.serve``, perhaps with ``--clients 1000``, ``--chunks 50``,
``--pause-ms 1000`` and ``--rounds 3``. The upstream and the server have a process each. The
upstream writes the time into each chunk, so the delay of a chunk is known where it arrives; rounds
with and without the server alternate. The requests have a tool, so each chunk is read in a dialect.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import time
from collections import Counter
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from socket import create_connection, create_server
from statistics import quantiles
from typing import TYPE_CHECKING, Any

import httpx
from openai import APIError, AsyncOpenAI

from tests.helpers.text_upstream import FAULTS, TextUpstream, Written, chunk

if TYPE_CHECKING:
    from collections.abc import Iterator

CALL = '<tool_call>\n{"name": "area", "arguments": {"lake": "%s"}}\n</tool_call>\n'
PATH = "/v1/chat/completions"
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, usual in (("clients", 1_000), ("chunks", 50), ("pause-ms", 1_000), ("rounds", 3)):
        options.add_argument(f"--{name}", type=int, default=usual)
    options.add_argument("--requests", type=int, default=100, help="of each fault")
    asked = options.parse_args()
    with upstream(asked.chunks, asked.pause_ms / 1_000) as url, served(url) as (through, pid):
        delays: dict[str, list[float]] = {"direct": [], "served": []}
        print(f"memory of the server at its start: {megabytes(pid):.0f} MB")
        used = cpu_seconds(pid)
        for number in range(1, asked.rounds + 1):
            for name, address in (("direct", url), ("served", through)):
                delays[name] += asyncio.run(delays_of(address, asked.clients, asked.chunks))
            most, now = megabytes(pid, "VmHWM"), megabytes(pid)
            print(f"round {number}: at most {most:.0f} MB so far, {now:.0f} MB after it")
        used = (cpu_seconds(pid) - used) / (asked.rounds * asked.clients * asked.chunks)
        print(f"CPU of the server per chunk, with its part of the request: {used * 1e6:.0f} µs")
        print(f"{asked.clients} streams, a chunk every {asked.pause_ms} ms; delay of a chunk in ms")
        found = {name: quantiles(each, n=100) for name, each in delays.items()}
        for at in (50, 99):
            direct, through_it = (found[name][at - 1] * 1e3 for name in ("direct", "served"))
            added = through_it - direct
            print(f"p{at}: direct {direct:.2f}, served {through_it:.2f}, added {added:.2f}")
        print(f"\n{asked.requests} requests of each fault, {asked.clients} at once")
        for fault in ("", *FAULTS):
            counts = asyncio.run(outcomes(through, fault, asked.requests, asked.clients))
            print(f"{fault or 'none':10}", *(f"{counts[each]:>5} {each}" for each in OUTCOMES))


# -- the servers -----------------------------------------------------------------------------------


@contextmanager
def upstream(chunks: int, pause_s: float) -> Iterator[str]:
    """Run the upstream in a process, and yield its address."""
    port = free_port()
    process = get_context("spawn").Process(target=serve, args=(port, chunks, pause_s), daemon=True)
    process.start()
    try:
        wait_for(port)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.join()


@contextmanager
def served(url: str) -> Iterator[tuple[str, int]]:
    """Run the server in a process, and yield its address and the number of the process."""
    port = free_port()
    command = [
        *(sys.executable, "-m", "agent_parsers", "serve", url + PATH, "--dialect", "hermes"),
        *("--server", "openai", "--prompt", "assistant", "--port", str(port)),
    ]
    with subprocess.Popen(command) as process:
        try:
            wait_for(port)
            yield f"http://127.0.0.1:{port}", process.pid
        finally:
            process.terminate()


def megabytes(pid: int, what: str = "VmRSS") -> float:
    """Return the memory of a process, now or at most (``VmHWM``)."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    (line,) = (line for line in lines if line.startswith(what))
    return int(line.split()[1]) / 1_024


def cpu_seconds(pid: int) -> float:
    """Return the CPU time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def free_port() -> int:
    with create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


def wait_for(port: int) -> None:
    for _ in range(600):
        try:
            create_connection(("127.0.0.1", port)).close()
        except ConnectionRefusedError:
            time.sleep(0.05)
        else:
            return
    raise TimeoutError(f"nothing answers on port {port}")


def serve(port: int, chunks: int, pause_s: float) -> None:
    """Write the time, in *chunks*, to whoever asks for the model "timed"; faults to others."""

    def written(body: dict[str, Any]) -> Written:
        fault, number = body["model"].split("/")
        return Written("I look. " + CALL % f"Thun {number}" + CALL % f"Zug {number}", fault)

    class Timed(TextUpstream):
        async def _answer(self, reply: Written, path: str, writer: Any) -> None:
            if reply.fault != "timed":
                await super()._answer(reply, path, writer)
                return
            writer.write(HEAD)
            for _ in range(chunks):
                await asyncio.sleep(pause_s)
                writer.write(f"data: {chunk({'content': f'{time.monotonic()};'})}\n\n".encode())
                await writer.drain()
            writer.write(f"data: {chunk({}, 'stop')}\n\ndata: [DONE]\n\n".encode())

    async def run() -> None:
        server = Timed(written)
        handler = await asyncio.start_server(server.serve, "127.0.0.1", port, backlog=2_000)
        await handler.serve_forever()

    asyncio.run(run())


# -- the clients -----------------------------------------------------------------------------------


async def delays_of(url: str, clients: int, chunks: int) -> list[float]:
    """Return the delay of each chunk, in seconds."""
    body = {
        "model": "timed/0",
        "messages": [{"role": "user", "content": "Q"}],
        "tools": [{"type": "function", "function": {"name": "area"}}],
        "stream": True,
    }
    delays: list[float] = []

    async def one(client: httpx.AsyncClient, number: int) -> None:
        await asyncio.sleep(number / clients)  # so that not all chunks come at once
        rest = ""
        async with client.stream("POST", url + PATH, json=body) as response:
            async for line in response.aiter_lines():
                now = time.monotonic()
                if not line.startswith("data: {"):
                    continue
                for choice in json.loads(line.removeprefix("data: "))["choices"]:
                    *times, rest = (rest + choice["delta"].get("content", "")).split(";")
                    delays.extend(now - float(each) for each in times)

    every = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(timeout=None, limits=every) as client:
        await asyncio.gather(*(one(client, number) for number in range(clients)))
    if len(delays) != clients * chunks:
        raise RuntimeError(f"{clients * chunks} chunks were written, and {len(delays)} arrived")
    return delays


OUTCOMES = ("whole", "cut", "error", "lost")
"""All that was written; whole calls and ``finish_reason="length"``; an error; anything else."""


async def outcomes(url: str, fault: str, requests: int, at_once: int) -> Counter[str]:
    """Return how often each of `OUTCOMES` came of streamed requests with a fault."""
    slots = asyncio.Semaphore(at_once)

    async def one(client: AsyncOpenAI, number: int) -> str:
        content, reason = "", None
        calls: list[str] = []
        lakes = [f"Thun {number}", f"Zug {number}"]
        try:
            async with slots:
                stream: Any = await client.chat.completions.create(
                    model=f"{fault}/{number}",
                    messages=[{"role": "user", "content": "How large?"}],
                    tools=[{"type": "function", "function": {"name": "area"}}],
                    stream=True,
                )
                async for each in stream:
                    for choice in each.choices:
                        content += choice.delta.content or ""
                        for call in choice.delta.tool_calls or ():
                            calls += [""] * (call.index + 1 - len(calls))
                            calls[call.index] += call.function.arguments
                        reason = choice.finish_reason or reason
        except APIError:
            return "error"
        given = [json.loads(call)["lake"] for call in calls]
        if (content, given, reason) == ("I look.", lakes, "tool_calls"):
            return "whole"
        return "cut" if reason == "length" and given == lakes[: len(given)] else "lost"

    async with AsyncOpenAI(base_url=f"{url}/v1", api_key="-", max_retries=0) as client:
        return Counter(await asyncio.gather(*(one(client, n) for n in range(requests))))


if __name__ == "__main__":
    main()
