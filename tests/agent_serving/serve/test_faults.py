"""`agent-parsers serve` when something fails: a whole reply or an error, and nothing in between."""

import asyncio
import json
from collections import Counter
from typing import Any

import httpx
import openai
import pytest

from agent_serving.serve import app as app_module
from agent_serving.serve.app import ServerLimits
from agent_serving.serve.running import ServeSettings, make_app
from agent_serving.serve.upstreams.upstream import client_for

from ...helpers.effort import THOROUGH
from ...helpers.text_upstream import FAULTS, TextUpstream, Written
from .served import ASKED, CALL, TOOLS, chatting, http_client, running, served

whole_and_streamed = pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
STATUS = {"429": 429, "length": 422}


async def said(client: Any, *, stream: bool, **asked: Any) -> tuple[str, list[Any], str | None]:
    """Return the content, the arguments of the calls, and the reason of the end."""
    asked = {**ASKED, "tools": TOOLS, "stream": stream, **asked}
    reply = await client.chat.completions.create(**asked)
    if not stream:
        (choice,) = reply.choices
        calls = [json.loads(call.function.arguments) for call in choice.message.tool_calls or ()]
        return choice.message.content or "", calls, choice.finish_reason
    content, reason = "", None
    texts: list[str] = []
    async for chunk in reply:
        for choice in chunk.choices:
            content += choice.delta.content or ""
            reason = choice.finish_reason or reason
            for call in choice.delta.tool_calls or ():
                if call.index == len(texts):
                    texts.append("")
                texts[call.index] += call.function.arguments
    assert reason is not None, "a stream without its end"
    return content, [json.loads(text) for text in texts], reason


@whole_and_streamed
@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/completions"])
def test_a_fault_is_an_error(stream: bool, path: str) -> None:
    async def run() -> None:
        def write(body: Any) -> Written:
            return Written(CALL % "Thun", fault=body["model"])

        async with chatting(write, path, retries=0) as (client, _):
            for fault in FAULTS:
                with pytest.raises(openai.APIStatusError) as caught:
                    await said(client, stream=stream, model=fault)
                assert caught.value.status_code == STATUS.get(fault, 502), fault
                assert isinstance(caught.value.body, dict)
                assert caught.value.body["message"]

    asyncio.run(run())


@whole_and_streamed
def test_an_upstream_that_does_not_stream_is_named(stream: bool) -> None:
    reply = {"choices": [{"message": {"content": "It has 48 km2."}, "finish_reason": "stop"}]}

    async def run() -> None:
        upstream = httpx.MockTransport(lambda _: httpx.Response(200, json=reply))
        settings = ServeSettings("http://up", server="openai", dialect="hermes", retries=0)
        app = make_app(settings, http=httpx.AsyncClient(transport=upstream))
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app.asgi)) as http:
            asked = {**ASKED, "stream": stream}
            got = await http.post("http://127.0.0.1/v1/chat/completions", json=asked)
        assert got.status_code == 502
        assert "one JSON object, not with the stream" in got.json()["error"]["message"]

    asyncio.run(run())


async def answered(reply: httpx.Response, *, stream: bool, server: str = "openai") -> Any:
    """Return how a request is answered if the upstream sends *reply*."""
    upstream = httpx.AsyncClient(transport=httpx.MockTransport(lambda _: reply))
    settings = ServeSettings("http://up", server=server, dialect="hermes", retries=0, prompt="")
    app = make_app(settings, http=upstream)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app.asgi)) as http:
        asked = {**ASKED, "tools": TOOLS, "stream": stream}
        return await http.post("http://127.0.0.1/v1/chat/completions", json=asked)


class Pieces(httpx.AsyncByteStream):
    """A body that arrives in pieces of some bytes."""

    def __init__(self, data: bytes, size: int) -> None:
        self._data = data
        self._size = size

    async def __aiter__(self) -> Any:
        for at in range(0, len(self._data), self._size):
            yield self._data[at:][: self._size]


@whole_and_streamed
@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_a_reply_that_cannot_be_decoded_is_the_fault_of_the_upstream(
    stream: bool, encoding: str
) -> None:
    async def run() -> None:
        body, headers = Pieces(b"data: {}\n\n", 99), {"content-encoding": encoding}
        got = await answered(httpx.Response(200, headers=headers, stream=body), stream=stream)
        assert got.status_code == 502
        assert "cannot be decoded" in got.json()["error"]["message"]

    asyncio.run(run())


def events(end: str, *, is_split: bool = False) -> str:
    """Return a stream whose lines end with *end*; the data of an event may be on several lines."""
    texts = ["It has ", "48 km²."]
    deltas = [({"content": text}, None) for text in texts] + [({}, "stop")]
    lines = []
    for delta, reason in deltas:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        data = json.dumps({"choices": [choice]}, indent=1 if is_split else None)
        lines += ["event: message", *(f"data: {line}" for line in data.split("\n")), ""]
    return end.join([*lines, "data: [DONE]", "", ""])


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("is_split", [False, True])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_events_are_read_as_the_standard_has_them(end: str, is_split: bool, mark: str) -> None:
    async def run() -> None:
        data = (mark + events(end, is_split=is_split)).encode()
        for size in (1, 7, len(data)):
            got = await answered(httpx.Response(200, stream=Pieces(data, size)), stream=False)
            message = got.json()["choices"][0]["message"]
            assert message["content"] == "It has 48 km²."

    asyncio.run(run())


@whole_and_streamed
@pytest.mark.parametrize("more", [{"content": "And more."}, {"tool_calls": [
    {"function": {"name": "area", "arguments": {"lake": "Zug"}}}]}])  # fmt: skip
def test_a_stream_of_ollama_ends_with_its_end(stream: bool, more: Any) -> None:
    lines = [
        {"message": {"content": "It has 48 km²."}, "done": False},
        {"message": {"content": ""}, "done": True, "done_reason": "stop"},
        {"message": more, "done": False},
        {"message": {"content": ""}, "done": True, "done_reason": "stop"},
    ]

    async def run() -> None:
        for count, status in ((2, 200), (4, 502)):
            data = "\n".join(map(json.dumps, lines[:count])).encode()
            reply = httpx.Response(200, stream=Pieces(data, 99))
            got = await answered(reply, stream=stream, server="ollama")
            assert ("goes on after" in got.text) == (status == 502)
            assert got.status_code == (200 if stream else status)

    asyncio.run(run())


def test_an_error_after_content_ends_the_stream() -> None:
    async def run() -> None:
        def write(body: Any) -> Written:
            return Written("It has quite a lot of it. " + CALL % "Zug", fault=body["model"])

        async with chatting(write) as (client, _):
            for fault in ("closed", "no end", "error", "not JSON", "no list", "late"):
                stream = await client.chat.completions.create(
                    **{**ASKED, "model": fault}, tools=TOOLS, stream=True
                )
                chunks: list[Any] = []
                with pytest.raises(openai.APIError, match="upstream"):
                    await collect(stream, chunks)
                assert any(chunk.choices[0].delta.content for chunk in chunks)
                assert not any(chunk.choices[0].delta.tool_calls for chunk in chunks)

    asyncio.run(run())


async def collect(stream: Any, chunks: list[Any]) -> None:
    async for chunk in stream:
        chunks.append(chunk)


ODD: Any = [
    ({"tool_calls": 3}, 502), ({"tool_calls": [3]}, 502), ({"content": ["x"]}, 502),
    ({"reasoning_content": 3}, None), ({"x": 1}, None),
]  # fmt: skip


@pytest.mark.parametrize(("delta", "status"), ODD, ids=[json.dumps(each[0]) for each in ODD])
def test_a_chunk_of_another_form_is_not_the_clients_fault(delta: Any, status: int | None) -> None:
    async def run() -> None:
        async with chatting(lambda _: Written("Yes.", delta=delta), retries=0) as (client, _):
            if status is None:  # it says nothing
                assert (await said(client, stream=False))[:2] == ("Yes.", [])
                return
            with pytest.raises(openai.APIStatusError) as caught:
                await said(client, stream=False)
            assert caught.value.status_code == status

    asyncio.run(run())


@pytest.mark.parametrize(
    ("status", "body", "told", "message", "code"),
    [
        (400, b'{"error": {"code": 400, "message": "no such"}}', 400, "no such", "upstream_error"),
        (400, b'{"object": "error", "message": "flat"}', 400, "flat", "upstream_error"),
        (404, b'{"error": "no model"}', 404, "no model", "upstream_error"),
        (422, b'{"detail": [{"loc": ["n"]}]}', 422, "loc", "upstream_error"),
        (503, b"<html>busy</html>", 502, "busy", "upstream_error"),
        (500, b"", 502, "500", "upstream_error"),
        (
            400,
            b'{"error": {"type": "exceed_context_size_error", "message": "the context size"}}',
            400,
            "context size",
            "context_length_exceeded",
        ),
    ],
)
def test_what_an_upstream_refuses(
    status: int, body: bytes, told: int, message: str, code: str
) -> None:
    async def run() -> None:
        upstream = TextUpstream(lambda _: Written("", "refused"), refusal=(status, body))
        async with chatting(upstream) as (client, _):
            with pytest.raises(openai.APIStatusError, match=message) as caught:
                await said(client, stream=True)
            assert (caught.value.status_code, caught.value.code) == (told, code)

    asyncio.run(run())


def test_an_upstream_that_is_not_there() -> None:
    async def run() -> None:
        url = "http://127.0.0.1:1/v1/chat/completions"
        app = make_app(ServeSettings(url, dialect="hermes", server="openai"), http=client_for(url))
        async with running(app) as address, http_client() as http:
            assert (await http.get(f"{address}/health")).json() == {"status": "ok", "clients": 0}
            reply = await http.post(f"{address}/v1/chat/completions", json=ASKED)
            assert reply.status_code == 502
            assert reply.json()["error"]["code"] == "upstream_unreachable"
            assert (await http.get(f"{address}/v1/models")).status_code == 502

    asyncio.run(run())


@whole_and_streamed
def test_what_takes_too_long_or_is_too_large(stream: bool) -> None:
    async def run() -> None:
        def write(body: Any) -> Written:
            is_endless = body["model"] == "endless"
            gate = None if is_endless else asyncio.Event()
            return Written("Well. ", gate=gate, is_endless=is_endless)

        limits = ServerLimits(timeout_s=0.3, max_bytes=100_000)
        async with chatting(write, limits=limits) as (client, _):
            with pytest.raises(openai.APIStatusError, match=r"longer than 0\.3 s") as caught:
                await said(client, stream=stream)
            assert caught.value.status_code == 504
            assert caught.value.response.headers["x-should-retry"] == "false"
            with pytest.raises(openai.APIError, match="more than 100000 bytes"):
                await said(client, stream=stream, model="endless")
            asked = [{"role": "user", "content": "x" * 200_000}]
            with pytest.raises(openai.APIStatusError) as caught:
                await said(client, stream=stream, messages=asked)
            assert caught.value.status_code == 413

    asyncio.run(run())


@whole_and_streamed
def test_ten_megabytes_arrive_if_a_reply_may_be_so_long(stream: bool) -> None:
    """The server has one limit, `--max-bytes`; a parser's own would be below it."""
    long = 10_000_000 if THOROUGH or stream else 1_000_000

    async def run() -> None:
        def write(body: Any) -> Written:
            return Written("x" * long + " " + CALL % ("y" * 100_000), piece=50_000)

        limits = ServerLimits(max_bytes=3 * long)
        async with chatting(write, limits=limits) as (client, _):
            content, calls, reason = await said(client, stream=stream)
            assert (len(content), calls, reason) == (long, [{"lake": "y" * 100_000}], "tool_calls")

    asyncio.run(run())


def test_a_stream_that_takes_too_long_ends_in_an_error() -> None:
    async def run() -> None:
        def write(_: Any) -> Written:
            return Written("Well. " * 20, gate=asyncio.Event())

        async with chatting(write, limits=ServerLimits(timeout_s=0.5)) as (client, _):
            stream = await client.chat.completions.create(**ASKED, stream=True)
            with pytest.raises(openai.APIError, match="longer than"):
                await collect(stream, [])

    asyncio.run(asyncio.wait_for(run(), 20))


def test_a_silent_stream_says_that_it_is_alive() -> None:
    async def run() -> None:
        gate = asyncio.Event()
        limits = ServerLimits(ping_s=0.05)
        async with (
            served(lambda _: Written("Yes.", gate=gate), limits=limits) as (address, _),
            http_client() as http,
            http.stream(
                "POST", f"{address}/v1/chat/completions", json={**ASKED, "stream": True}
            ) as reply,
        ):
            lines = []
            async for line in reply.aiter_lines():
                lines.append(line)
                if line == ": ping":
                    gate.set()
        assert lines.count(": ping") >= 1
        assert lines[-2] == "data: [DONE]"
        assert '"role": "assistant"' in lines[0]  # the stream begins with the first sign of life
        assert sum('"role"' in line for line in lines) == 1

    asyncio.run(asyncio.wait_for(run(), 20))


def test_the_upstream_is_left_with_the_client() -> None:
    async def run() -> None:
        gate = asyncio.Event()

        def write(body: Any) -> Written:
            is_waiting = body["model"] == "waits"
            return Written("Well. ", gate=gate if is_waiting else None, is_endless=True)

        limits = ServerLimits(max_bytes=10**12)
        async with chatting(write, limits=limits) as (client, upstream):
            stream = await client.chat.completions.create(**ASKED, stream=True)
            async for _ in stream:
                break
            await stream.close()
            for is_stream in (False, True):
                with pytest.raises(openai.APITimeoutError):  # before anything was sent
                    await client.with_options(timeout=0.1).chat.completions.create(
                        **{**ASKED, "model": "waits"}, stream=is_stream
                    )
            gate.set()  # the upstream writes, and finds that nobody reads
            for _ in range(3):
                await upstream.left.acquire()

    asyncio.run(asyncio.wait_for(run(), 20))


def test_a_client_that_does_not_read_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app_module, "_LAST_S", 0.1)

    async def run() -> None:
        limits = ServerLimits(timeout_s=0.5, max_bytes=10**12)
        async with chatting(lambda _: Written("Well. ", is_endless=True), limits=limits) as (
            client,
            upstream,
        ):
            url = client.base_url
            reader, writer = await asyncio.open_connection(url.host, url.port, limit=1_000)
            body = json.dumps({**ASKED, "stream": True}).encode()
            head = b"POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\n"
            writer.write(head + b"content-length: %d\r\n\r\n" % len(body) + body)
            await upstream.left.acquire()
            writer.transport.abort()
            assert reader is not None

    asyncio.run(asyncio.wait_for(run(), 20))


def test_too_many_clients() -> None:
    async def run() -> None:
        gate = asyncio.Event()
        limits = ServerLimits(max_clients=1)
        async with chatting(lambda _: Written("Yes.", gate=gate), limits=limits) as (client, up):
            first = asyncio.ensure_future(client.chat.completions.create(**ASKED))
            while not up.requests:  # noqa: ASYNC110 - it has no event
                await asyncio.sleep(0.01)
            with pytest.raises(openai.RateLimitError):
                await client.chat.completions.create(**ASKED)
            gate.set()
            await first

    asyncio.run(asyncio.wait_for(run(), 20))


def test_many_clients_lose_nothing() -> None:
    faults, count = ["", "", *FAULTS], 200 if THOROUGH else 80

    def write(body: Any) -> Written:
        number = int(body["model"])
        text = "I look. " + CALL % f"Thun {number}" + CALL % f"Zug {number}"
        return Written(text, faults[number % len(faults)], piece=40)

    async def one(client: Any, number: int) -> str:
        lakes = [{"lake": f"{lake} {number}"} for lake in ("Thun", "Zug")]
        try:
            told = await said(client, stream=bool(number // len(faults) % 2), model=str(number))
        except openai.APIError:
            return "error"
        if told == ("I look.", lakes[:1], "length"):
            return "cut"  # between two calls, and the client learns of it
        return "whole" if told == ("I look.", lakes, "tool_calls") else "lost"

    async def run() -> Counter[str]:
        async with chatting(write, retries=0) as (client, _):
            return Counter(await asyncio.gather(*(one(client, n) for n in range(count))))

    meant = Counter(faults[number % len(faults)] for number in range(count))
    whole, cut = meant[""], meant["length"]
    assert asyncio.run(run()) == {"whole": whole, "cut": cut, "error": count - whole - cut}


# -- who may ask -----------------------------------------------------------------------------------


def test_a_client_needs_a_key_if_there_are_keys() -> None:
    async def run() -> None:
        keys = ("other", "secret")
        async with chatting(lambda _: Written("Yes."), keys=keys, upstream_key="up") as (c, up):
            await c.chat.completions.create(**ASKED)
            assert up.requests[0][0]["authorization"] == "bearer up"
            with pytest.raises(openai.AuthenticationError):
                await c.with_options(api_key="wrong").chat.completions.create(**ASKED)
            assert len(up.requests) == 1
        async with chatting(lambda _: Written("Yes."), keys=keys) as (c, up):
            await c.chat.completions.create(**ASKED)
            assert "authorization" not in up.requests[0][0]  # the key is for this server alone

    asyncio.run(run())


def test_the_key_of_anthropics_clients_is_taken_too() -> None:
    async def run() -> None:
        async with served(lambda _: Written("Yes.")) as (address, up), http_client() as http:
            headers = {"x-api-key": "secret"}
            url = f"{address}/v1/chat/completions"
            assert (await http.post(url, json=ASKED, headers=headers)).status_code == 200
            assert up.requests[0][0]["authorization"] == "bearer secret"

    asyncio.run(run())


@pytest.mark.parametrize(
    "headers", [{"origin": "https://example.com"}, {"host": "attacker.example"}]
)
def test_pages_of_other_sites_are_refused(headers: dict[str, str]) -> None:
    async def run() -> None:
        async with served(lambda _: Written("Yes.")) as (address, up), http_client() as http:
            url = f"{address}/v1/chat/completions"
            reply = await http.post(url, json=ASKED, headers=headers)
            assert reply.status_code == 403
            assert "own machine" in reply.json()["error"]["message"]
            assert not up.requests

    asyncio.run(run())


@pytest.mark.parametrize("body", [b"", b"[]", b'{"model": ', b"3", b"[" * 100_000])
def test_what_is_no_request(body: bytes) -> None:
    async def run() -> None:
        async with served(lambda _: Written("Yes.")) as (address, _), http_client() as http:
            reply = await http.post(f"{address}/v1/chat/completions", content=body)
            assert reply.status_code == 400
            assert reply.json()["error"]["type"] == "invalid_request_error"

    asyncio.run(run())
