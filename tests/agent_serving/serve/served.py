"""Running the server of `agent-parsers serve` before an upstream of the tests."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import anthropic
import httpx
import openai
import uvicorn

from agent_serving.serve.running import ServeSettings, make_app
from agent_serving.serve.upstreams.upstream import client_for

from ...helpers.text_upstream import TextUpstream, Written

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from agent_serving.serve.app import ServeApp

TOOLS: Any = [
    {
        "type": "function",
        "function": {
            "name": "area",
            "description": "Looks up how large a lake is.",
            "parameters": {
                "type": "object",
                "properties": {"lake": {"type": "string"}},
                "required": ["lake"],
            },
        },
    }
]
ASKED: Any = {"model": "m", "messages": [{"role": "user", "content": "How large?"}]}
CALL = '<tool_call>\n{"name": "area", "arguments": {"lake": "%s"}}\n</tool_call>\n'
TURN = "<think>I need both.</think>Let me look. " + CALL % "Thun" + CALL % "Zug"
BAD = '<tool_call>\n{"name": "depth", "arguments": {}}\n</tool_call>'
_FINAL_REPLY = {
    "AsyncCompletions": "get_final_completion",
    "AsyncResponses": "get_final_response",
    "AsyncMessages": "get_final_message",
}


@asynccontextmanager
async def running(app: ServeApp) -> AsyncIterator[str]:
    """Run *app* on a free port, and yield its address."""
    config = uvicorn.Config(app.asgi, port=0, lifespan="off", log_config=None)
    server = uvicorn.Server(config)
    config.load()
    server.lifespan = config.lifespan_class(config)
    await server.startup()
    port = server.servers[0].sockets[0].getsockname()[1]
    ticking = asyncio.create_task(server.main_loop())
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = server.force_exit = True
        await ticking
        await server.shutdown()
        await app.answering.upstream.http.aclose()


@asynccontextmanager
async def served(
    write: Callable[[Any], Written] | TextUpstream,
    path: str = "/v1/chat/completions",
    **settings: Any,
) -> AsyncIterator[tuple[str, TextUpstream]]:
    """Serve before an upstream; yield the address and the upstream."""
    upstream = write if isinstance(write, TextUpstream) else TextUpstream(write)
    async with upstream.running() as url:
        given = {"dialect": "hermes", "server": "openai", "prompt": "assistant\n", **settings}
        app = make_app(ServeSettings(url + path, **given), http=client_for(url))
        async with running(app) as address:
            yield address, upstream


@asynccontextmanager
async def clients(
    write: Callable[[Any], Written] | TextUpstream,
    path: str = "/v1/chat/completions",
    **settings: Any,
) -> AsyncIterator[tuple[Any, Any, TextUpstream]]:
    """Serve before an upstream; yield a client of OpenAI's, one of Anthropic's and the upstream."""
    async with (
        served(write, path, **settings) as (address, upstream),
        openai.DefaultAsyncHttpxClient(verify=False) as quick,  # it loads no certificates
        openai.AsyncOpenAI(
            base_url=f"{address}/v1", api_key="secret", max_retries=0, http_client=quick
        ) as ours,
        anthropic.DefaultAsyncHttpxClient(verify=False) as fast,
        anthropic.AsyncAnthropic(
            base_url=address, api_key="secret", max_retries=0, http_client=fast
        ) as theirs,
    ):
        yield ours, theirs, upstream


@asynccontextmanager
async def chatting(
    write: Callable[[Any], Written] | TextUpstream,
    path: str = "/v1/chat/completions",
    **settings: Any,
) -> AsyncIterator[tuple[Any, TextUpstream]]:
    """Serve before an upstream; yield a client of OpenAI's and the upstream."""
    async with clients(write, path, **settings) as (client, _, upstream):
        yield client, upstream


async def reply_of(resource: Any, *, stream: bool, **asked: Any) -> Any:
    """Return the reply to what is *asked* of a client's *resource*, such as `chat.completions`."""
    if not stream:
        return await resource.create(**asked)
    async with resource.stream(**asked) as events:
        return await getattr(events, _FINAL_REPLY[type(resource).__name__])()


def http_client() -> httpx.AsyncClient:
    """Return a client that loads no certificates."""
    return httpx.AsyncClient(verify=False, timeout=20)
