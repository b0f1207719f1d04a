"""A server that only writes text, of any kind and with every fault, for `agent-parsers serve`."""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

Json = dict[str, Any]

FAULTS = ("500", "429", "not JSON", "closed", "no end", "error", "no list", "length", "late")
"""What may happen to a reply. The others happen when half of it was sent, "late" before its end."""


@dataclass
class Written:
    """What the upstream writes, and what happens to it."""

    text: str
    fault: str = ""
    reasoning: str = ""
    piece: int = 24
    finish_reason: str | None = "stop"
    gate: asyncio.Event | None = None
    """Half of the text is held back until it is set."""
    is_endless: bool = False
    has_logprobs: bool = False
    delta: Json | None = None
    """What its first chunk has beside text."""


@dataclass
class TextUpstream:
    """Answers each request with what `write` returns for it."""

    write: Callable[[Json], Written]
    pages: dict[str, Any] = field(default_factory=dict)
    """What stands at other paths: JSON, or a pair of a status and that."""
    refusal: tuple[int, bytes] = (0, b"")
    """The status and the body with which the fault "refused" answers."""
    requests: list[tuple[dict[str, str], Json]] = field(default_factory=list)
    """Headers and bodies so far."""
    paths: list[str] = field(default_factory=list)
    """Their paths."""
    asked: list[tuple[str, Any]] = field(default_factory=list)
    """Paths and bodies of what was asked of `pages`."""
    left: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(0))
    """Released for each client that left before the end."""
    _serving: set[asyncio.Task[None]] = field(default_factory=set)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request, and close the connection."""
        task = cast("asyncio.Task[None]", asyncio.current_task())
        self._serving.add(task)
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
            headers = dict(line.lower().split(": ", 1) for line in head[1:] if line)
            path = head[0].split(" ")[1]
            sent = await reader.readexactly(int(headers.get("content-length", "0")))
            body = json.loads(sent) if sent else None
            if path in self.pages or body is None:
                self.asked.append((path, body))
                self._show(self.pages.get(path, (404, {"error": "no such page"})), writer)
                return
            self.requests.append((headers, body))
            self.paths.append(path)
            await self._answer(self.write(body), path, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            self.left.release()
        finally:
            writer.close()
            self._serving.discard(task)

    def _show(self, page: Any, writer: asyncio.StreamWriter) -> None:
        status, page = page if isinstance(page, tuple) else (200, page)
        data = json.dumps(page).encode()
        head = b"HTTP/1.1 %d Page\r\ncontent-length: %d\r\nconnection: close\r\n\r\n"
        writer.write(head % (status, len(data)) + data)

    async def _answer(self, reply: Written, path: str, writer: asyncio.StreamWriter) -> None:
        if reply.fault in ("500", "429", "refused"):
            status, said = self.refusal
            if reply.fault != "refused":
                status, said = int(reply.fault), b'{"error": {"message": "out of order"}}'
            writer.write(b"HTTP/1.1 %d No\r\n\r\n%b" % (status, said))
            return
        writer.write(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
        if path.startswith("/api/"):
            await self._answer_as_ollama(reply, path, writer)
            return
        is_chat = "/chat/" in path
        if reply.reasoning:
            await self._send(writer, chunk({"reasoning_content": reply.reasoning}))
        if reply.delta:
            await self._send(writer, chunk(reply.delta))
        pieces = [reply.text[at:][: reply.piece] for at in range(0, len(reply.text), reply.piece)]
        half = len(pieces) // 2
        for number, piece in enumerate(pieces):
            if number == half and not await self._at_half(reply, writer):
                return
            made = chunk({"content": piece}, is_chat=is_chat)
            if reply.has_logprobs:
                told = json.loads(made)
                told["choices"][0]["logprobs"] = {"content": [_probability(piece)]}
                made = json.dumps(told)
            await self._send(writer, made)
        while reply.is_endless:
            await self._send(writer, chunk({"content": "x" * 60_000}, is_chat=is_chat))
        if reply.fault == "late":
            writer.transport.abort()
            return
        if reply.fault != "no end":
            await self._send(writer, chunk({}, reply.finish_reason, is_chat=is_chat))
            usage = {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}
            await self._send(writer, json.dumps({"choices": [], "usage": usage}))
            await self._send(writer, "[DONE]")
        writer.write(b"0\r\n\r\n")
        await writer.drain()

    async def _answer_as_ollama(
        self, reply: Written, path: str, writer: asyncio.StreamWriter
    ) -> None:
        async def send(line: Json) -> None:
            data = json.dumps(line).encode() + b"\n"
            writer.write(b"%x\r\n%b\r\n" % (len(data), data))
            await writer.drain()

        def said(text: str, thinking: str = "") -> Json:
            if path == "/api/generate":
                return {"response": text, "done": False}
            thought = {"thinking": thinking} if thinking else {}
            return {"message": {"role": "assistant", "content": text, **thought}, "done": False}

        if reply.reasoning:
            await send(said("", reply.reasoning))
        pieces = [reply.text[at:][: reply.piece] for at in range(0, len(reply.text), reply.piece)]
        for number, piece in enumerate(pieces):
            if number == len(pieces) // 2 and reply.fault == "error":
                await send({"error": "out of memory"})
                return
            await send(said(piece))
        if reply.fault != "no end":
            counts = {"prompt_eval_count": 3, "eval_count": 4}
            await send({**said(""), "done": True, "done_reason": reply.finish_reason, **counts})
        writer.write(b"0\r\n\r\n")
        await writer.drain()

    async def _at_half(self, reply: Written, writer: asyncio.StreamWriter) -> bool:
        """Do what happens in the middle; return whether the reply goes on."""
        if reply.gate is not None:
            await reply.gate.wait()
        match reply.fault:
            case "not JSON":
                await self._send(writer, '{"choices": [')
            case "no list":
                await self._send(writer, '{"choices": 3}')
            case "error":
                await self._send(writer, '{"error": {"message": "out of memory"}}')
            case "closed":
                writer.transport.abort()
                return False
            case "no end":
                writer.write(b"0\r\n\r\n")
                return False
            case "length":
                await self._send(writer, chunk({}, "length"))
                await self._send(writer, "[DONE]")
                writer.write(b"0\r\n\r\n")
                return False
        return True

    async def _send(self, writer: asyncio.StreamWriter, data: str) -> None:
        event = f"data: {data}\n\n".encode()
        writer.write(b"%x\r\n%b\r\n" % (len(event), event))
        await writer.drain()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[str]:
        """Run the server, and yield its address."""
        server = await asyncio.start_server(self.serve, "127.0.0.1", 0, backlog=1_000)
        async with server:
            try:
                yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
            finally:  # from Python 3.12 on, a server waits for its connections
                for task in self._serving:
                    task.cancel()


def _probability(token: str) -> Json:
    return {"token": token, "logprob": -0.5, "bytes": None, "top_logprobs": []}


def chunk(delta: Json, finish_reason: str | None = None, *, is_chat: bool = True) -> str:
    """Return a chunk of a completion."""
    said = {"delta": delta} if is_chat else {"text": delta.get("content", "")}
    return json.dumps({"choices": [{"index": 0, **said, "finish_reason": finish_reason}]})
