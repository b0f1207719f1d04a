# pip install agent-parsers starlette httpx uvicorn && python examples/proxy.py --help
"""A proxy: tool calls for clients of OpenAI's API, from a server that only writes text.

::

    python examples/proxy.py --dialect hermes --upstream http://127.0.0.1:8080/v1/chat/completions

It takes ``POST /v1/chat/completions``, puts the tools into the prompt, and reads the calls, the
content and the reasoning in what the model writes. A client gets a whole reply or an error.
"""

import argparse
import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from dataclasses import dataclass
from typing import Any

import httpx
import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from agent_parsers import OutputParserException, get_parser, list_dialects, to_openai
from agent_serving.openai_reply import OpenAIReply
from outputs import ProviderError

Json = dict[str, Any]
NOT_SENT = {"messages", "tools", "tool_choice", "parallel_tool_calls", "n"}  # to the upstream
LAST_S = 5  # for a client to read the end of its reply
MALFORMED = (AttributeError, LookupError, RecursionError, TypeError, ValueError)
FAILED = (*MALFORMED, ClientDisconnect, HTTPException, httpx.HTTPError, ProviderError, TimeoutError)
"""What is raised if there is no reply; an `OutputParserException` is a `ValueError`."""


class Client:
    """A client, with its request and the server-sent events of its reply."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.request, self.send, self.is_begun = Request(scope, receive), send, False

    async def event(self, data: bytes, *, more: bool = True) -> None:
        """Send an event."""
        if not self.is_begun:
            self.is_begun = True
            headers = [(b"content-type", b"text/event-stream")]
            await self.send({"type": "http.response.start", "status": 200, "headers": headers})
        body = b"data: %b\n\n" % data
        await self.send({"type": "http.response.body", "body": body, "more_body": more})


@dataclass
class Proxy:
    """The ASGI application behind the route; its fields are the options."""

    dialect: str
    upstream: str
    prompt: str = "assistant\n"
    retries: int = 0
    max_bytes: int = 10_000_000
    timeout_s: float = 600

    def __post_init__(self) -> None:
        self.http = httpx.AsyncClient(timeout=None, limits=httpx.Limits(max_connections=None))
        self.app = Starlette(routes=[Route("/v1/chat/completions", self, methods=["POST"])])

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, until its client leaves or the time is up."""
        client = Client(scope, receive, send)
        try:
            async with asyncio.timeout(self.timeout_s) as limit:
                asked, parser, body = await self.read(client.request)
                left = asyncio.ensure_future(receive())  # done when the client has left
                left.add_done_callback(lambda it: None if it.cancelled() else limit.reschedule(0))
                try:
                    last = await self.answer(client, asked, parser, body)
                finally:
                    left.cancel()
        except FAILED as error:
            last = error_response(error)
        with suppress(TimeoutError):
            async with asyncio.timeout(LAST_S):
                if client.is_begun:
                    await client.event(bytes(last.body), more=False)
                else:
                    await last(scope, receive, send)

    async def read(self, request: Request) -> tuple[Json, Any, Json]:
        """Return what a client asks, a parser with its tools, and the request to the upstream."""
        text = bytearray()
        async for piece in request.stream():
            text += piece
            if len(text) > self.max_bytes:
                raise HTTPException(413, f"the request is longer than {self.max_bytes} bytes")
        try:
            asked: Json = {**json.loads(text)}
            asked["stream_options"] = {**(asked.get("stream_options") or {})}
            tools = asked.get("tools") if asked.get("tool_choice") != "none" else None
            parser: Any = get_parser(self.dialect, tools=tools or [], prompt=self.prompt)
            can = {"n": (None, 1), "tool_choice": (None, "auto", "none"), "functions": (None,)}
            if tools and parser.dialect.several:
                can["parallel_tool_calls"] = (None, True)
            if refused := [name for name in can if asked.get(name) not in can[name]]:
                raise ValueError(f"a server that only writes text cannot do this: {refused}")
            return asked, parser, await asyncio.to_thread(self.body, asked, parser, [])
        except MALFORMED as error:
            raise HTTPException(400, f"the request: {type(error).__name__}: {error}") from error

    def body(self, asked: Json, parser: Any, failed: list[Any]) -> Json:
        """Return the request to the upstream, whose model reads how it *failed* before."""
        body = {name: value for name, value in asked.items() if name not in NOT_SENT}
        body |= {"stream": True, "stream_options": {"include_usage": True}}
        stop = asked.get("stop") or []
        body["stop"] = [*parser.stop, *([stop] if isinstance(stop, str) else stop)]
        prompt = parser.render_prompt(history=[*asked["messages"], *failed], as_messages=True)
        if self.upstream.endswith("/chat/completions"):
            return body | {"messages": to_openai(prompt)}
        return body | {"prompt": "\n\n".join(message.content for message in prompt) + "\n"}

    async def answer(self, client: Client, asked: Json, parser: Any, body: Json) -> Response:
        """Return the whole reply or, if it is streamed, its last event."""

        async def tell(chunks: list[Json]) -> None:
            for chunk in chunks if asked.get("stream") else ():
                await client.event(json.dumps(chunk).encode())

        reply = OpenAIReply(parser, model=asked.get("model") or "")
        failed: list[Any] = []
        while True:
            try:
                async with aclosing(self.chunks(client.request, body)) as chunks:
                    async for chunk in chunks:
                        await tell(reply.feed(chunk))
                        reply.usage = chunk.get("usage") or reply.usage
                        if reply.is_over:
                            break
                options = asked["stream_options"]
                await tell(reply.close(include_usage=options.get("include_usage", False)))
            except OutputParserException as error:
                if len(failed) == self.retries:
                    raise
                failed.append(reply.retry(error))
                body = await asyncio.to_thread(self.body, asked, parser, failed)
            else:
                return Response("[DONE]") if asked.get("stream") else JSONResponse(reply.completion)

    async def chunks(self, request: Request, body: Json) -> AsyncGenerator[Json, None]:
        """Yield the chunks of the upstream, or raise if they do not come to their end."""
        key = request.headers.get("authorization")
        headers, rest, size = {"authorization": key} if key else {}, b"", 0
        async with self.http.stream("POST", self.upstream, json=body, headers=headers) as reply:
            if reply.status_code != 200:
                said = await anext(reply.aiter_text(500), "")
                status = reply.status_code if reply.is_client_error else 502
                raise HTTPException(status, f"the upstream: {reply.status_code} {said}")
            async for piece in reply.aiter_bytes():
                size += len(piece)
                if size > self.max_bytes:
                    raise HTTPException(502, f"the upstream sent more than {self.max_bytes} bytes")
                *lines, rest = (rest + piece).split(b"\n")  # JSON may have other line breaks
                for line in lines:
                    name, _, data = line.partition(b":")
                    if data.strip() == b"[DONE]":
                        return
                    if name == b"data":
                        yield json.loads(data)
        raise HTTPException(502, "the stream of the upstream broke off")


def error_response(error: Exception) -> Response:
    """Return what a client gets for *error*."""
    status, message = 502, f"the upstream failed: {type(error).__name__}: {error}"
    match error:
        case HTTPException():
            status, message = error.status_code, error.detail
        case OutputParserException():
            status, message = 422, str(error)
        case TimeoutError():
            status, message = 504, "it takes too long"
    said = {"message": message, "type": "proxy_error", "code": getattr(error, "problem", None)}
    return JSONResponse({"error": said}, status)


if __name__ == "__main__":
    options = argparse.ArgumentParser(description="Tool calls from a server that writes text.")
    options.add_argument("--dialect", required=True, choices=list_dialects(), metavar="NAME")
    options.add_argument("--upstream", required=True, metavar="URL", help="/v1/[chat/]completions")
    options.add_argument("--prompt", default=Proxy.prompt, help="its end, such as '<think>'")
    options.add_argument("--retries", type=int, default=0, metavar="N", help="if the model errs")
    options.add_argument("--max-bytes", type=int, default=Proxy.max_bytes, metavar="N")
    options.add_argument("--timeout-s", type=float, default=Proxy.timeout_s, metavar="N")
    options.add_argument("--host", default="127.0.0.1")
    options.add_argument("--port", type=int, default=8000)
    given = vars(options.parse_args())
    host, port = given.pop("host"), given.pop("port")
    uvicorn.run(Proxy(**given).app, host=host, port=port, log_level="warning")

# $ python examples/proxy.py --help
# > usage: proxy.py [-h] --dialect NAME --upstream URL [--prompt PROMPT]
# >                 [--retries N] [--max-bytes N] [--timeout-s N] [--host HOST]
# >                 [--port PORT]
# >
# > Tool calls from a server that writes text.
# >
# > options:
# >   -h, --help       show this help message and exit
# >   --dialect NAME
# >   --upstream URL   /v1/[chat/]completions
# >   --prompt PROMPT  its end, such as '<think>'
# >   --retries N      if the model errs
# >   --max-bytes N
# >   --timeout-s N
# >   --host HOST
# >   --port PORT
