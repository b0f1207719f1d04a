"""The server: requests of clients in, replies out, whatever fails."""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from agent_serving.serve.exchange.events import ReplyCall, ReplyEnd, ReplyFailure, ReplyText
from agent_serving.serve.faces.fields import check_whole
from agent_serving.serve.upstreams.chunks import ExchangeError

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

    from agent_serving.serve.answering import Answering, ReplyEvent
    from agent_serving.serve.exchange.events import Asked, Face, ReplyWriter, ServerEvent
    from agent_serving.serve.run_log import RunLog

_log: Final = logging.getLogger(__name__)

_LAST_S: Final = 5
"""For a client to read the end of its reply, in seconds."""
_NO_RETRY: Final = (422, 504)
"""The statuses that tell a client not to retry: the model would only do the same again."""
_ESCAPED: Final = "backslashreplace"
"""How JSON is encoded: half a surrogate pair, which UTF-8 has not, becomes an escape of JSON."""
_HERE: Final = ("127.0.0.1", "localhost", "[::1]", "::1")


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """The limits for one client, and for all of them."""

    max_bytes: int = 10_000_000
    """The longest request, and the longest reply of the upstream, in bytes."""
    timeout_s: float = 600
    """How long a reply may take, in seconds."""
    max_clients: int = 2_000
    """How many requests are answered at once."""
    ping_s: float = 15
    """How long a stream may be silent before a ping is sent, in seconds."""


class ServeApp:
    """The ASGI application.

    Args:
        answering: What answers.
        faces: The APIs that clients speak.
        limits: What clients may take.
        keys: The keys, of which clients send one; empty if they need none.
        upstream_key: The key for the upstream; `None` to hand on what the client sends.
        is_local: Whether only this machine is served, so that pages of other sites are refused.
        log: Where runs are written; `None` for nowhere.
    """

    def __init__(
        self,
        answering: Answering,
        faces: Sequence[Face],
        limits: ServerLimits | None = None,
        *,
        keys: Sequence[str] = (),
        upstream_key: str | None = None,
        is_local: bool = True,
        log: RunLog | None = None,
    ) -> None:
        self.answering: Final = answering
        self.limits: Final = limits or ServerLimits()
        self.faces: Final = faces
        self.keys: Final = tuple(key.encode() for key in keys)
        self.upstream_key: Final = upstream_key
        self.is_local: Final = is_local
        self.log: Final = log
        self.clients: int = 0
        """How many requests are being answered."""
        routes = [
            *(Route(face.path, _Replies(self, face), methods=["POST"]) for face in faces),
            *(
                Route(f"{face.path}/count_tokens", partial(self._count, face), methods=["POST"])
                for face in faces
                if face.path == "/v1/messages"
            ),
            Route("/v1/models", self._models, methods=["GET"]),
            Route("/health", self._health, methods=["GET"]),
        ]
        self.asgi: Final = Starlette(routes=routes, lifespan=self._lifespan)

    @asynccontextmanager
    async def _lifespan(self, _: Any) -> AsyncGenerator[None]:
        try:
            yield
        finally:
            await self.answering.upstream.http.aclose()

    # -- who may ask -----------------------------------------------------------------------------

    def refusal(self, request: Request) -> ReplyFailure | None:
        """Return why a request is refused; `None` if it is not."""
        if self.is_local and not _is_from_here(request):
            return ReplyFailure(403, "this server answers only programs on its own machine")
        if self.keys:
            given = _key_of(request).encode()
            if not any(hmac.compare_digest(given, key) for key in self.keys):
                return ReplyFailure(401, "the key is missing or wrong", "invalid_api_key")
        return None

    def key_for_upstream(self, request: Request) -> str | None:
        """Return the header ``Authorization`` for the upstream."""
        if self.upstream_key is not None:
            return f"Bearer {self.upstream_key}"
        if self.keys:  # the client's is for this server
            return None
        key = _key_of(request)
        return f"Bearer {key}" if key else None

    # -- what is not a reply ---------------------------------------------------------------------

    async def _health(self, _: Request) -> Response:
        return JSONResponse({"status": "ok", "clients": self.clients})

    async def _models(self, request: Request) -> Response:
        if (failed := self.refusal(request)) is not None:
            return _error(self.faces[0], failed)
        name = self.answering.options.model
        try:
            if name is not None:
                names = [name]
            else:
                key = self.key_for_upstream(request)
                said = await self.answering.upstream.json("/v1/models", key=key)
                names = [str(each["id"]) for each in said["data"]]
        except ExchangeError as error:
            return _error(self.faces[0], error.failed)
        except (KeyError, TypeError):
            return _error(self.faces[0], ReplyFailure(502, "the upstream sent no list of models"))
        models = [
            {
                "id": name, "object": "model", "created": 0, "owned_by": "upstream",
                "type": "model", "display_name": name, "created_at": "1970-01-01T00:00:00Z",
            }
            for name in names
        ]  # fmt: skip
        ends = {"first_id": names[0], "last_id": names[-1]} if names else {}
        return JSONResponse({"object": "list", "data": models, "has_more": False, **ends})

    async def _count(self, face: Face, request: Request) -> Response:
        """Count the tokens of a request, with those of the tools in its prompt."""
        if (failed := self.refusal(request)) is not None:
            return _error(face, failed)
        try:
            body = await self.read_body(request)
            asked = await asyncio.to_thread(face.read, {"max_tokens": 1, **body})
            count = await self.answering.count_tokens(asked, self.key_for_upstream(request))
        except ExchangeError as error:
            return _error(face, error.failed)
        except ClientDisconnect:
            return Response(status_code=499)
        except (TypeError, ValueError, LookupError) as error:
            return _error(face, ReplyFailure(400, f"the request: {error}"))
        return JSONResponse({"input_tokens": count})

    async def read_body(self, request: Request) -> dict[str, Any]:
        """Return the body of a request.

        Raises:
            ClientDisconnect: The client left.
            ExchangeError: It is too long, or no JSON object, or has half a character.
        """
        text = bytearray()
        async for piece in request.stream():
            text += piece
            if len(text) > self.limits.max_bytes:
                message = f"the request is longer than {self.limits.max_bytes} bytes"
                raise ExchangeError(413, message)
        try:
            body = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ExchangeError(400, f"the request is not JSON: {error}") from None
        if not isinstance(body, dict):
            raise ExchangeError(400, "the request must be a JSON object")
        try:
            check_whole(body)
        except ValueError as error:
            raise ExchangeError(400, f"the request: {error}") from None
        return body


class _Replies:
    """The route of a face; a class, since Starlette wraps functions for requests and responses."""

    def __init__(self, app: ServeApp, face: Face) -> None:
        self._app = app
        self._face = face

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, until its client leaves or the time is up."""
        app, request = self._app, Request(scope, receive)
        reply = _Reply(app, self._face, send)
        failed = app.refusal(request)
        if failed is None and app.clients >= app.limits.max_clients:
            busy = f"the server is busy with {app.clients} requests: try again later"
            failed = ReplyFailure(429, busy)
        if failed is not None:
            await reply.fail(failed)
            return
        app.clients += 1
        try:
            await self._answer(request, receive, reply)
        finally:
            app.clients -= 1

    async def _answer(self, request: Request, receive: Receive, reply: _Reply) -> None:
        app = self._app
        has_left = is_answered = False
        failed: ReplyFailure | None = None
        try:
            async with asyncio.timeout(app.limits.timeout_s) as limit:

                def leave(_: Any) -> None:
                    nonlocal has_left
                    if not (is_answered or left.cancelled()):
                        has_left = True
                        limit.reschedule(0)

                body = await app.read_body(request)
                left = asyncio.ensure_future(receive())  # done when the client has left
                left.add_done_callback(leave)
                try:
                    await reply.answer(body, app.key_for_upstream(request))
                finally:
                    is_answered = True
                    left.cancel()
        except TimeoutError:
            failed = ReplyFailure(504, f"the reply took longer than {app.limits.timeout_s:g} s")
        except ExchangeError as error:
            failed = error.failed
        except asyncio.CancelledError:  # the server is stopped, and its time of grace is over
            await self._fail(reply, ReplyFailure(503, "the server was stopped"))
            raise
        except ClientDisconnect:
            has_left = True
        except OSError:  # the client left while something was sent
            has_left = True
        except Exception:  # noqa: BLE001 - the client waits for an end, and the log has the error
            _log.exception("a request to %s failed", self._face.path)
            failed = ReplyFailure(500, "the server failed; see its log for the reason")
        if has_left:
            reply.record(ReplyFailure(499, "the client disconnected"))
        elif failed is not None:
            await self._fail(reply, failed)

    async def _fail(self, reply: _Reply, failed: ReplyFailure) -> None:
        reply.record(failed)
        with suppress(TimeoutError, OSError):
            async with asyncio.timeout(_LAST_S):
                await reply.fail(failed)


class _Reply:
    """The reply to a request: what is sent of it, and what is logged."""

    def __init__(self, app: ServeApp, face: Face, send: Send) -> None:
        self._app = app
        self._face = face
        self._send = send
        self._asked: Asked | None = None
        self._writer: ReplyWriter | None = None
        self._is_begun = False  # whether the status was sent
        self._is_within = False  # whether a reply was begun, and not ended
        self._ended = 0  # how many replies were
        self._last_at = 0.0  # when something was sent
        self._lock = asyncio.Lock()  # of what is sent
        self._record: Callable[[ReplyEvent | ReplyFailure], None] = lambda _: None

    async def answer(self, body: Mapping[str, Any], key: str | None) -> None:
        """Send the reply.

        Raises:
            ExchangeError: The reply cannot be sent, or only its beginning could.
        """
        try:
            asked = await asyncio.to_thread(self._face.read, body)
        except (TypeError, ValueError, LookupError, RecursionError) as error:
            raise ExchangeError(400, f"the request: {error}") from error
        self._asked = asked
        for warning in asked.warnings:
            _log.warning("%s: %s", self._face.path, warning)
        if self._app.log is not None:
            self._record = self._app.log.record(asked)
        writer = self._writer = self._face.writer(asked)
        self._last_at = asyncio.get_running_loop().time()
        pinging = asyncio.ensure_future(self._ping(writer)) if asked.stream else None
        try:
            for _ in range(asked.count):
                async with aclosing(self._app.answering.reply(asked, key)) as events:
                    async for event in events:
                        await self._tell(writer, event)
        finally:
            if pinging is not None:
                pinging.cancel()
        if asked.stream:
            await self._end()
        else:
            await self._whole(200, writer.whole)

    async def _ping(self, writer: ReplyWriter) -> None:
        """Say that a stream is alive whenever nothing was sent for some time."""
        silent_s, loop = self._app.limits.ping_s, asyncio.get_running_loop()
        while True:
            await asyncio.sleep(max(0, self._last_at + silent_s - loop.time()))
            if loop.time() >= self._last_at + silent_s:
                await self._tell(writer, None)

    async def _tell(self, writer: ReplyWriter, event: ReplyEvent | None) -> None:
        """Tell an *event*, or that the stream is alive."""
        assert self._asked is not None
        if event is None and self._ended == self._asked.count:
            return
        async with self._lock:
            told = []
            if not self._is_within:
                self._is_within = True
                told += writer.begin()
            match event:
                case ReplyText():
                    told += writer.say(event)
                case ReplyCall():
                    told += writer.call(event)
                case ReplyEnd():
                    told += writer.end(event)
                    self._is_within = False
                    self._ended += 1
            if event is not None:
                self._record(event)
            if self._asked.stream:
                await self._events(told, ping=event is None)
                self._last_at = asyncio.get_running_loop().time()

    def record(self, failed: ReplyFailure) -> None:
        """Log that the reply failed."""
        self._record(failed)

    async def fail(self, failed: ReplyFailure) -> None:
        """Send an error: as the reply, or in the stream of the reply if that has begun."""
        if not self._is_begun:
            await self._whole(failed.status, self._face.error(failed))
            return
        if self._writer is not None:
            await self._events(self._writer.fail(failed))
        await self._end()

    # -- bytes -----------------------------------------------------------------------------------

    async def _whole(self, status: int, body: Any) -> None:
        self._is_begun = True
        data = json.dumps(body, ensure_ascii=False).encode(errors=_ESCAPED)
        headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(data))]
        if status in _NO_RETRY:
            headers.append((b"x-should-retry", b"false"))
        if status == 429:
            headers.append((b"retry-after", b"1"))
        await self._send({"type": "http.response.start", "status": status, "headers": headers})
        await self._send({"type": "http.response.body", "body": data})

    async def _events(self, events: Sequence[ServerEvent], *, ping: bool = False) -> None:
        lines = [f"event: {name}\ndata: {data}\n\n" if name else f"data: {data}\n\n"
                 for name, data in events]  # fmt: skip
        if ping:
            lines.append(": ping\n\n")
        if not lines:
            return
        if not self._is_begun:
            self._is_begun = True
            headers = [
                (b"content-type", b"text/event-stream; charset=utf-8"),
                (b"cache-control", b"no-cache"),
                (b"x-accel-buffering", b"no"),
            ]
            await self._send({"type": "http.response.start", "status": 200, "headers": headers})
        body = "".join(lines).encode(errors=_ESCAPED)
        await self._send({"type": "http.response.body", "body": body, "more_body": True})

    async def _end(self) -> None:
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})


def _error(face: Face, failed: ReplyFailure) -> Response:
    return JSONResponse(face.error(failed), failed.status)


def _key_of(request: Request) -> str:
    """Return the key that a client sends, by either of two headers."""
    said = request.headers.get("authorization", "")
    kind, _, key = said.partition(" ")
    if kind.lower() == "bearer" and key.strip():
        return key.strip()
    return request.headers.get("x-api-key", "")


def _is_from_here(request: Request) -> bool:
    """Return whether a request names this machine, and is not made by a page of another site.

    A page can have its name resolve to this machine, or send requests to it.
    """
    host = urlsplit(f"//{request.headers.get('host', '')}").hostname or ""
    origin = request.headers.get("origin")
    is_own = origin is None or (urlsplit(origin).hostname or "") in _HERE
    return host in _HERE and is_own
