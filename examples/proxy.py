# pip install agent-parsers starlette httpx uvicorn && python examples/proxy.py --help
"""A proxy: tool calls for clients of OpenAI's API, from a server that only writes text.

::

    python examples/proxy.py --dialect hermes --upstream http://127.0.0.1:8080/v1/chat/completions

It takes ``POST /v1/chat/completions``, puts the tools into the prompt, and reads the calls, the
content and the reasoning in what the model writes. A client gets a whole reply or an error.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias
from uuid import uuid4

import httpx
import uvicorn
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from agent_parsers import (
    ActionComplete,
    AgentAction,
    AnswerDelta,
    Event,
    Finish,
    OutputParserException,
    ThoughtDelta,
    get_parser,
    list_dialects,
    to_openai,
)
from agent_parsers.native import to_dialect
from output_parsers import ModelRefusalError
from outputs import ProviderError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterator

    from starlette.types import Receive, Scope, Send

Json: TypeAlias = dict[str, Any]

NOT_SENT = ("messages", "tools", "tool_choice", "parallel_tool_calls", "n")
"""What of a request is not for the upstream."""
LAST_S = 5
"""How long a client may take to read the error of a reply that took too long, in seconds."""


class FailedError(Exception):
    """A reply failed: the HTTP status, and why."""


ERRORS = (FailedError, OutputParserException, ProviderError, TimeoutError, httpx.HTTPError)
"""What a client is told."""


@contextmanager
def fails_with(status: int, wanted: str) -> Iterator[None]:
    """Raise a `FailedError` for values of a wrong type or form."""
    try:
        yield
    except (AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise FailedError(status, f"{wanted}: {error}") from error


@dataclass
class Reply:
    """A reply, as far as it was read."""

    content: str = ""
    reasoning: str = ""
    calls: list[Json] = field(default_factory=list)
    ended: str | None = None
    usage: Json | None = None

    def deltas(self, event: Event) -> Iterator[Json]:
        """Take an event of the turn, and yield what it means for the client."""
        match event:
            case ThoughtDelta(text=text):
                self.reasoning += text
                yield {"reasoning_content": text}
            case AnswerDelta(text=text):
                self.content += text
                yield {"content": text}
            case ActionComplete(action=action):
                given = action.tool_input
                given = given if isinstance(given, dict) else {"__arg1": given}  # it has no schema
                call = {"name": action.tool, "arguments": json.dumps(given, ensure_ascii=False)}
                call_id = getattr(action, "tool_call_id", None) or uuid4().hex[:9]  # Mistral's form
                self.calls.append({"id": call_id, "type": "function", "function": call})
                yield {"tool_calls": [{"index": len(self.calls) - 1, **self.calls[-1]}]}
            case Finish(finish=finish):
                answer = finish.return_values["output"]
                if not answer.startswith(self.content):
                    raise FailedError(
                        502, "what was sent is not the answer; does the prompt open a thought?"
                    )
                if rest := answer[len(self.content) :]:  # the dialect answers in code
                    yield from self.deltas(AnswerDelta(rest, event.span))

    def choice(self, **said: Json) -> Json:
        """Return the choice of the whole reply, or of the last chunk."""
        is_cut = self.ended not in (None, "stop", "tool_calls")  # by a limit, a filter, …
        reason = self.ended if is_cut else "tool_calls" if self.calls else "stop"
        return {"index": 0, "finish_reason": reason, **said}

    def message(self) -> Json:
        """Return the message of the whole reply."""
        beside = {"reasoning_content": self.reasoning, "tool_calls": self.calls}
        said = {name: value for name, value in beside.items() if value}
        return {"role": "assistant", "content": self.content or None, **said}


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
        parser: Any = get_parser(self.dialect, prompt=self.prompt)
        self.has_several = parser.dialect.several
        self.emits: Any = "each"
        try:  # to emit each call when it closes, which takes marks around calls
            parser.stream_parser(calls="each")
        except ValueError:
            self.emits = "all"

    @cached_property
    def client(self) -> httpx.AsyncClient:
        """The client of the upstream; `answer` limits its time."""
        every = httpx.Limits(max_connections=None)
        return httpx.AsyncClient(timeout=None, limits=every)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, until the client disconnects or takes too long to read."""
        request = Request(scope, receive)
        try:
            async with asyncio.timeout(self.timeout_s):
                asked = await self.read(request)
        except (FailedError, TimeoutError) as error:
            return await error_response(error)(scope, receive, send)
        except ClientDisconnect:
            return None
        both = [asyncio.ensure_future(do) for do in (self.answer(asked, request, send), receive())]
        try:
            limit = self.timeout_s + LAST_S
            await asyncio.wait(both, timeout=limit, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in both:
                task.cancel()
            done, _ = await asyncio.gather(*both, return_exceptions=True)
        if isinstance(done, Exception):
            raise done
        return None

    async def read(self, request: Request) -> Json:
        """Return what a client asks."""
        text = bytearray()
        async for piece in request.stream():
            text += piece
            if len(text) > self.max_bytes:
                raise FailedError(413, f"the request is longer than {self.max_bytes} bytes")
        with fails_with(400, "expected a JSON object with messages"):
            asked: Json = {**json.loads(text)}
            asked["messages"] = [*asked["messages"]]
            if asked.get("tool_choice") == "none":
                asked["tools"] = None
            asked["stream_options"] = {**(asked.get("stream_options") or {})}
        one_call = asked.get("parallel_tool_calls") is False and self.has_several
        refused = {
            "n": asked.get("n") not in (None, 1),
            "tool_choice": asked.get("tool_choice") not in (None, "auto", "none"),
            "parallel_tool_calls": one_call and bool(asked.get("tools")),
            "functions": "functions" in asked,
        }
        for name in filter(refused.get, refused):
            raise FailedError(400, f"a server that only writes text cannot do {name}={asked[name]}")
        return asked

    async def answer(self, asked: Json, request: Request, send: Send) -> None:
        """Send the reply or an error; of a stream, perhaps an error after some chunks."""
        reply, sse = Reply(), Events(send, asked.get("model")) if asked.get("stream") else None
        to_client = request.scope, request.receive, send
        try:
            async with asyncio.timeout(self.timeout_s):
                async with aclosing(self.turn(asked, request, reply)) as deltas:
                    async for delta in deltas:
                        if sse:
                            await sse.send({"index": 0, "delta": delta, "finish_reason": None})
        except ERRORS as error:
            response = error_response(error)
            if sse and sse.are_begun:
                await sse.end(bytes(response.body))
            else:
                await response(*to_client)
            return
        if sse is None:
            whole = Events(send, asked.get("model")).about | {"object": "chat.completion"}
            choices = [reply.choice(message=reply.message())]
            await JSONResponse({**whole, "choices": choices, "usage": reply.usage})(*to_client)
            return
        await sse.send(reply.choice(delta={}))
        if reply.usage and asked["stream_options"].get("include_usage"):
            await sse.send(usage=reply.usage)
        await sse.end(b"[DONE]")

    async def turn(self, asked: Json, request: Request, reply: Reply) -> AsyncGenerator[Json, None]:
        """Yield the deltas of a turn; the model reads its error if the client has nothing yet."""
        with fails_with(400, "the tools cannot be used"):
            parser: Any = get_parser(
                self.dialect, tools=asked.get("tools") or [], prompt=self.prompt
            )
        history = asked["messages"]
        for tries_left in range(self.retries, -1, -1):
            with fails_with(400, "the messages cannot be written as text"):
                # In a thread, since it takes a while: it checks what it writes.
                prompt = await asyncio.to_thread(to_dialect, history, parser)
                body = self.body(asked, prompt, parser.stop)
            reading = parser.stream_parser(calls=self.emits)
            try:
                async with aclosing(self.choices(body, request, reply)) as choices:
                    async for thought, text in choices:
                        if thought:
                            reply.reasoning += thought
                            yield {"reasoning_content": thought}
                        for event in reading.feed(text):
                            for delta in reply.deltas(event):
                                yield delta
                        if reading.is_over:
                            break
                for event in reading.close():
                    for delta in reply.deltas(event):
                        yield delta
            except ModelRefusalError:
                raise  # asking again does not help
            except OutputParserException as error:
                if not tries_left or reply.content or reply.calls:
                    raise
                failed = AgentAction("", "", error.llm_output or "")
                history = [*history, (failed, error.observation)]
            else:
                return

    def body(self, asked: Json, prompt: list[Any], stop: list[str]) -> Json:
        """Return the request to the upstream."""
        body = {name: value for name, value in asked.items() if name not in NOT_SENT}
        given = asked.get("stop") or []
        body["stop"] = [*stop, *([given] if isinstance(given, str) else given)]
        body |= {"stream": True, "stream_options": {"include_usage": True}}
        if self.upstream.endswith("/chat/completions"):
            return body | {"messages": to_openai(prompt)}
        if any(not isinstance(message.content, str) for message in prompt):
            raise ValueError("completions take text alone")
        return body | {"prompt": "\n\n".join(message.content for message in prompt) + "\n"}

    async def choices(
        self, body: Json, request: Request, reply: Reply
    ) -> AsyncGenerator[tuple[str, str | Json], None]:
        """Yield the reasoning and the text in each chunk of the upstream; see `said_in`.

        Raises:
            FailedError: The upstream reports an error, or its stream does not come to an end.
        """
        key = request.headers.get("authorization")
        async with self.client.stream(
            "POST", self.upstream, json=body, headers={"authorization": key} if key else {}
        ) as response:
            lines, status = self.lines(response), response.status_code
            if status != 200:
                said = " ".join([line async for line in lines])[:500]
                raise FailedError(
                    status if response.is_client_error else 502, f"the upstream: {status} {said}"
                )
            reply.ended = None
            async for line in lines:
                if not line.startswith("data:"):
                    continue
                if line.removeprefix("data:").strip() == "[DONE]":
                    return
                with fails_with(502, "the upstream sent a broken chunk"):
                    chunk = json.loads(line.removeprefix("data:"))
                    if chunk.get("error"):
                        raise FailedError(502, f"the upstream: {chunk['error']}")
                    reply.usage = chunk.get("usage") or reply.usage
                    choices = chunk.get("choices") or ()
                    found = [said_in(choice) for choice in choices]
                    for choice in choices:
                        reply.ended = choice.get("finish_reason") or reply.ended
                for each in found:
                    yield each
        if reply.ended is None:
            raise FailedError(502, "the stream of the upstream broke off")

    async def lines(self, response: httpx.Response) -> AsyncGenerator[str, None]:
        """Yield the lines of *response*, up to the limit of its size."""
        rest, size = b"", 0
        async for piece in response.aiter_bytes():
            size += len(piece)
            if size > self.max_bytes:
                raise FailedError(502, f"the upstream sent more than {self.max_bytes} bytes")
            *whole, rest = (rest + piece).split(b"\n")
            for line in whole:
                yield line.decode(errors="replace")
        yield rest.decode(errors="replace")


def said_in(choice: Json) -> tuple[str, str | Json]:
    """Return the reasoning and the text of a chunk, or all of it if it has more: a call, its end.

    Raises:
        TypeError: The chunk has something that is not text.
    """
    delta = choice.get("delta") or {"content": choice.get("text")}
    said = {name: value for name, value in delta.items() if value}
    thought = said.pop("reasoning_content", None) or said.pop("reasoning", None) or ""
    ended, text = choice.get("finish_reason"), said.get("content") or ""
    if not all(isinstance(value, str) for value in (thought, text, ended or "")):
        raise TypeError("something is not text")
    if ended is None and said.keys() <= {"content", "role"}:
        return thought, text
    end = {"index": 0, "delta": said, "finish_reason": ended}
    return thought, {"object": "chat.completion.chunk", "choices": [end]}


@dataclass
class Events:
    """The server-sent events of a reply."""

    to: Send
    model: str | None
    are_begun: bool = False

    @cached_property
    def about(self) -> Json:
        """What all chunks have."""
        said = {"id": f"chatcmpl-{uuid4().hex}", "created": int(time.time())}
        return {**said, "object": "chat.completion.chunk", "model": self.model or ""}

    async def send(self, *choices: Json, **beside: Any) -> None:
        """Send a chunk."""
        if not self.are_begun:
            self.are_begun = True
            kind = (b"content-type", b"text/event-stream")
            await self.to({"type": "http.response.start", "status": 200, "headers": [kind]})
            choices[0]["delta"] = {"role": "assistant", **choices[0]["delta"]}
        chunk = json.dumps({**self.about, "choices": choices, **beside})
        await self._write(chunk.encode(), more=True)

    async def end(self, data: bytes) -> None:
        """Send the last event."""
        await self._write(data, more=False)

    async def _write(self, data: bytes, *, more: bool) -> None:
        body = b"data: %b\n\n" % data
        await self.to({"type": "http.response.body", "body": body, "more_body": more})


def error_response(error: Exception) -> JSONResponse:
    """Return what a client gets for *error*."""
    status, message = 422, str(error)  # the model's error
    match error:
        case FailedError(args=(status, message)):
            pass
        case TimeoutError():
            status, message = 504, "it takes too long"
        case httpx.HTTPError() | ProviderError():
            status, message = 502, f"the upstream failed: {type(error).__name__} {error}"
    kind = getattr(error, "problem", None)
    said = {"message": message, "type": "proxy_error", "code": kind, "param": None}
    return JSONResponse({"error": said}, status)


def app(proxy: Proxy) -> Starlette:
    """Return the application."""
    return Starlette(routes=[Route("/v1/chat/completions", proxy, methods=["POST"])])


if __name__ == "__main__":
    options = argparse.ArgumentParser(description="Tool calls from a server that writes text.")
    options.add_argument("--dialect", required=True, choices=list_dialects(), metavar="NAME")
    options.add_argument("--upstream", required=True, metavar="URL", help="/v1/[chat/]completions")
    options.add_argument(
        "--prompt", default=Proxy.prompt, help="the end of a prompt, such as '<think>'"
    )
    options.add_argument(
        "--retries", type=int, default=0, metavar="N", help="how often the model reads its error"
    )
    options.add_argument("--max-bytes", type=int, default=Proxy.max_bytes, metavar="N")
    options.add_argument("--timeout-s", type=float, default=Proxy.timeout_s, metavar="N")
    options.add_argument("--host", default="127.0.0.1")
    options.add_argument("--port", type=int, default=8000)
    given = vars(options.parse_args())
    host, port = given.pop("host"), given.pop("port")
    uvicorn.run(app(Proxy(**given)), host=host, port=port, log_level="warning")

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
# >   --prompt PROMPT  the end of a prompt, such as '<think>'
# >   --retries N      how often the model reads its error
# >   --max-bytes N
# >   --timeout-s N
# >   --host HOST
# >   --port PORT
