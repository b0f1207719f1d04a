# pip install "agent-parsers[openai]" && python examples/stop_early.py
"""A server that ignores stop sequences: the client stops the stream as soon as the turn is over.

With such a server, the model continues after its action, and invents the observation and further
steps. With ``stop_early``, the parser takes no more chunks once the turn is over. This closes the
generator of chunks, and with it the connection, so the server stops generating.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from openai import AsyncOpenAI, OpenAI
from scripted_server import ScriptedServer

from agent_parsers import answer_stream, get_parser

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

TURN = "I need its area.\nAction: area\nAction Input: Thun\nObservation: 7 km²\n"
MADE_UP = "Thought: I need more.\nAction: area\nAction Input: Brienz\nObservation: 8 km²\n" * 60
MESSAGES: list[Any] = [{"role": "user", "content": "How large is Lake Thun?"}]
parser = get_parser("react")


def chunks(url: str) -> Iterator[Any]:
    """Yield the chunks of a reply; closing the generator closes the connection."""
    with (
        OpenAI(base_url=f"{url}/v1", api_key="none") as client,
        client.chat.completions.create(
            model="gpt-5", messages=MESSAGES, stop=parser.stop, stream=True
        ) as stream,
    ):
        yield from stream


async def achunks(url: str) -> AsyncIterator[Any]:
    """Yield the chunks of a reply, asynchronously."""
    async with (
        AsyncOpenAI(base_url=f"{url}/v1", api_key="none") as client,
        await client.chat.completions.create(
            model="gpt-5", messages=MESSAGES, stop=parser.stop, stream=True
        ) as stream,
    ):
        async for chunk in stream:
            yield chunk


async def read_async(url: str) -> list[str]:
    """Return the names of the tools that a turn calls, read asynchronously."""
    said = answer_stream(parser.aevents(achunks(url), stop_early=True))
    async for _ in said:
        pass
    return [action.tool for action in said.actions]


def read(url: str, *, stop_early: bool) -> list[str]:
    """Return the names of the tools that a turn calls."""
    said = answer_stream(parser.events(chunks(url), stop_early=stop_early))
    for _ in said:
        pass
    return [action.tool for action in said.actions]


if __name__ == "__main__":
    with ScriptedServer([TURN + MADE_UP] * 3, heeds_stop=False, pause_s=0.002) as server:
        found = [
            read(server.url, stop_early=True),
            asyncio.run(read_async(server.url)),
            read(server.url, stop_early=False),
        ]
    for tools, end in zip(found, server.ends, strict=True):
        print(f"to call: {tools}; the stream, says the server: {end}")

# $ python examples/stop_early.py
# > to call: ['area']; the stream, says the server: the client left
# > to call: ['area']; the stream, says the server: the client left
# > to call: ['area']; the stream, says the server: whole
