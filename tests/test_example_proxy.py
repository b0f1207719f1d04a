"""The proxy of the examples: a client gets a whole reply or an error, whatever fails."""

import asyncio
import importlib
import json
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import openai
import pytest
import starlette  # noqa: F401 - the example needs it
import uvicorn

from agent_parsers import AgentAction, AgentFinish, get_parser, list_dialects

from .helpers.effort import THOROUGH
from .helpers.text_upstream import FAULTS, TextUpstream, Written

ROOT = Path(__file__).parents[1]
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


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(ROOT / "examples")
    return importlib.import_module("proxy")


@asynccontextmanager
async def proxied(
    example: Any,
    write: Callable[[Any], Written],
    path: str = "/v1/chat/completions",
    **options: Any,
) -> AsyncIterator[tuple[Any, TextUpstream]]:
    """Run the proxy before an upstream, and yield a client of the proxy and the upstream."""
    upstream = TextUpstream(write)
    async with upstream.running() as url:
        proxy = example.Proxy(**{"dialect": "hermes", "upstream": url + path, **options})
        every = httpx.Limits(max_connections=None)
        proxy.http = httpx.AsyncClient(timeout=None, limits=every, verify=False)
        config = uvicorn.Config(proxy.app, port=0, lifespan="off", log_config=None)
        server = uvicorn.Server(config)
        config.load()
        server.lifespan = config.lifespan_class(config)
        await server.startup()
        port = server.servers[0].sockets[0].getsockname()[1]
        ticking = asyncio.create_task(server.main_loop())
        try:
            quick = openai.DefaultAsyncHttpxClient(verify=False)  # it loads no certificates
            async with openai.AsyncOpenAI(
                base_url=f"http://127.0.0.1:{port}/v1",
                api_key="secret",
                max_retries=0,
                http_client=quick,
            ) as client:
                yield client, upstream
        finally:
            server.should_exit = server.force_exit = True
            await ticking
            await server.shutdown()
            await proxy.http.aclose()


Said = tuple[str, str, list[tuple[str, dict[str, Any]]], str | None]


async def ask(client: Any, *, stream: bool, **asked: Any) -> Said:
    """Return the content, the reasoning, the calls and the reason of the end."""
    asked = {**ASKED, "tools": TOOLS, **asked}
    if not stream:
        reply = await client.chat.completions.create(**asked)
        (choice,) = reply.choices
        calls = [(c.function.name, c.function.arguments) for c in choice.message.tool_calls or ()]
        thought = getattr(choice.message, "reasoning_content", "")
        said = choice.message.content or "", thought, choice.finish_reason
    else:
        content = thought = ""
        reason, calls = None, []
        async for chunk in await client.chat.completions.create(stream=True, **asked):
            for choice in chunk.choices:
                content += choice.delta.content or ""
                thought += getattr(choice.delta, "reasoning_content", None) or ""
                reason = choice.finish_reason or reason
                for call in choice.delta.tool_calls or ():
                    assert call.index == len(calls)
                    assert call.id
                    calls.append((call.function.name, call.function.arguments))
        assert reason is not None, "a stream without its end"
        said = content, thought, reason
    return said[0], said[1], [(name, json.loads(given)) for name, given in calls], said[2]


async def collect(stream: Any, calls: list[Any]) -> None:
    """Add the calls of a stream to *calls* as they come."""
    async for chunk in stream:
        calls += chunk.choices[0].delta.tool_calls or ()


LAKES = [("area", {"lake": "Thun"}), ("area", {"lake": "Zug"})]
plain_and_streamed = pytest.mark.parametrize("stream", [False, True], ids=["plain", "streamed"])


@plain_and_streamed
@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/completions"])
def test_the_client_gets_reasoning_content_and_calls(example: Any, stream: bool, path: str) -> None:
    async def run() -> None:
        async with proxied(example, lambda _: Written(TURN), path) as (client, upstream):
            said = await ask(client, stream=stream, stop="!", temperature=0)
            assert said == ("Let me look.", "I need both.", LAKES, "tool_calls")
            ((headers, body),) = upstream.requests
            assert headers["authorization"] == "bearer secret"
            prompt = body.get("prompt") or body["messages"][0]["content"]
            assert '"name": "area"' in prompt
            assert "How large?" in json.dumps(body)
            assert body["stop"] == ["<|im_end|>", "!"]
            assert body["temperature"] == 0
            assert "tools" not in body

    asyncio.run(run())


@plain_and_streamed
def test_an_answer_has_no_calls(example: Any, stream: bool) -> None:
    def write(_: Any) -> Written:
        return Written("It has 48 km².", reasoning="Easy.")

    async def run() -> None:
        async with proxied(example, write) as (client, _):
            said = await ask(client, stream=stream)
            assert said == ("It has 48 km².", "Easy.", [], "stop")

    asyncio.run(run())


def test_usage_is_passed_on(example: Any) -> None:
    async def run() -> None:
        async with proxied(example, lambda _: Written("Yes.")) as (client, _):
            whole = await client.chat.completions.create(**ASKED)
            assert whole.usage.total_tokens == 7
            options = {"include_usage": True}
            stream = await client.chat.completions.create(
                stream=True, stream_options=options, **ASKED
            )
            *_, last = [chunk async for chunk in stream]
            assert last.usage.total_tokens == 7

    asyncio.run(run())


def test_a_call_is_told_when_it_closes(example: Any) -> None:
    async def run() -> None:
        gate = asyncio.Event()
        piece = len(CALL % "Thun")

        def write(_: Any) -> Written:
            return Written(CALL % "Thun" + CALL % "Biel", piece=piece, gate=gate)

        async with proxied(example, write) as (client, _):
            calls = []
            async for chunk in await client.chat.completions.create(
                **ASKED, tools=TOOLS, stream=True
            ):
                for call in chunk.choices[0].delta.tool_calls or ():
                    calls.append(call.function.arguments)
                    gate.set()  # only now does the upstream write the second call
        assert [json.loads(each)["lake"] for each in calls] == ["Thun", "Biel"]

    asyncio.run(asyncio.wait_for(run(), 20))


# -- every dialect ---------------------------------------------------------------------------------

ONE_TOOL = {"self_ask": "Intermediate Answer", "smolagents_code": "python_interpreter"}


@pytest.mark.one_in(25)
@pytest.mark.parametrize("name", list_dialects())
def test_every_dialect(name: str, example: Any) -> None:
    tool = ONE_TOOL.get(name, "area")
    given: Any = "x = 1" if name in ONE_TOOL else {"lake": "Thun"}
    tools: Any = (
        TOOLS if name not in ONE_TOOL else [{"type": "function", "function": {"name": tool}}]
    )
    parser = get_parser(name, tools=tools)
    texts = [
        parser.render(AgentAction(tool, given, "")),
        parser.render(AgentFinish({"output": "It has 48."}, "")),
    ]

    async def run() -> None:
        async with proxied(example, lambda _: Written(texts.pop(0), piece=5), dialect=name) as (
            client,
            _,
        ):
            asked: Any = {**ASKED, "tools": tools}
            whole = await client.chat.completions.create(**asked)
            message = whole.choices[0].message
            (call,) = message.tool_calls
            assert call.function.name == tool
            assert list(json.loads(call.function.arguments).values()) == [
                given if name in ONE_TOOL else "Thun"
            ]
            result = {"role": "tool", "tool_call_id": call.id, "content": "48"}
            asked["messages"] = [*asked["messages"], message.model_dump(exclude_none=True), result]
            said = await ask(client, stream=True, **asked)
            assert said == ("It has 48.", "", [], "stop")

    asyncio.run(run())


# -- what the model gets wrong ---------------------------------------------------------------------


@plain_and_streamed
def test_an_error_of_the_model_goes_to_the_client(example: Any, stream: bool) -> None:
    async def run() -> None:
        async with proxied(example, lambda _: Written(BAD)) as (client, upstream):
            with pytest.raises(openai.UnprocessableEntityError, match="depth"):
                await ask(client, stream=stream)
            assert len(upstream.requests) == 1

    asyncio.run(run())


@plain_and_streamed
def test_an_error_of_the_model_goes_to_the_model(example: Any, stream: bool) -> None:
    replies = [BAD, BAD, TURN]

    async def run() -> None:
        async with proxied(example, lambda _: Written(replies.pop(0)), retries=2) as (client, up):
            assert (await ask(client, stream=stream))[2] == LAKES
            *_, wrote, told = up.requests[-1][1]["messages"]
            assert wrote["content"].startswith(BAD)
            assert "There is no tool 'depth'" in told["content"]
            replies.extend([BAD] * 3)
            with pytest.raises(openai.UnprocessableEntityError):
                await ask(client, stream=stream)

    asyncio.run(run())


def test_a_call_that_was_told_is_not_taken_back(example: Any) -> None:
    async def run() -> None:
        async with proxied(example, lambda _: Written(TURN + BAD), retries=5) as (client, up):
            stream = await client.chat.completions.create(**ASKED, tools=TOOLS, stream=True)
            calls: list[Any] = []
            with pytest.raises(openai.APIError, match="depth"):
                await collect(stream, calls)
            assert len(calls) == 2
            assert len(up.requests) == 1

    asyncio.run(run())


@plain_and_streamed
def test_a_turn_that_was_cut(example: Any, stream: bool) -> None:
    texts = [(CALL % "Thun")[:-25], "It has 4"]

    async def run() -> None:
        def write(_: Any) -> Written:
            return Written(texts.pop(0), finish_reason="length")

        async with proxied(example, write) as (client, _):
            with pytest.raises(
                openai.UnprocessableEntityError, match="expected the end of the call"
            ):
                await ask(client, stream=stream)
            assert await ask(client, stream=stream) == ("It has 4", "", [], "length")

    asyncio.run(run())


@plain_and_streamed
def test_other_ends_are_passed_on(example: Any, stream: bool) -> None:
    async def run() -> None:
        def write(body: Any) -> Written:
            return Written("Yes.", finish_reason=body["model"])

        async with proxied(example, write) as (client, _):
            said = await ask(client, stream=stream, model="abort")
            assert said == ("Yes.", "", [], "abort")
            with pytest.raises(openai.APIError, match="failed"):
                await ask(client, stream=stream, model="error")

    asyncio.run(run())


# -- what fails ------------------------------------------------------------------------------------

STATUS = {"429": 429, "length": 422}


@plain_and_streamed
def test_a_fault_is_an_error(example: Any, stream: bool) -> None:
    def write(body: Any) -> Written:
        return Written(CALL % "Thun", fault=body["model"])

    async def run() -> None:
        async with proxied(example, write) as (client, _):
            for fault in FAULTS:
                with pytest.raises(openai.APIError) as caught:
                    await ask(client, stream=stream, model=fault)
                if stream and fault == "late":  # the status was sent before the call
                    continue
                assert isinstance(caught.value, openai.APIStatusError)
                assert caught.value.status_code == STATUS.get(fault, 502)

    asyncio.run(run())


@plain_and_streamed
def test_what_takes_too_long_or_is_too_large(example: Any, stream: bool) -> None:
    async def run() -> None:
        def write(body: Any) -> Written:
            is_endless = body["model"] == "endless"
            return Written(
                "Well. ", gate=None if is_endless else asyncio.Event(), is_endless=is_endless
            )

        limits = {"timeout_s": 0.3, "max_bytes": 100_000}
        async with proxied(example, write, **limits) as (client, _):
            with pytest.raises(openai.APIStatusError, match="too long"):
                await ask(client, stream=stream)
            with pytest.raises(openai.APIError, match="more than 100000 bytes"):
                await ask(client, stream=stream, model="endless")
            asked = [{"role": "user", "content": "x" * 200_000}]
            with pytest.raises(openai.APIStatusError) as caught:
                await ask(client, stream=stream, messages=asked)
            assert caught.value.status_code == 413

    asyncio.run(run())


def test_a_stream_that_takes_too_long_ends_in_an_error(example: Any) -> None:
    async def run() -> None:
        def write(_: Any) -> Written:
            return Written("Well. " * 20, gate=asyncio.Event())

        async with proxied(example, write, timeout_s=0.5) as (client, _):
            stream = await client.chat.completions.create(**ASKED, stream=True)
            with pytest.raises(openai.APIError, match="too long"):
                await collect(stream, [])

    asyncio.run(asyncio.wait_for(run(), 20))


REFUSED: Any = [
    {"messages": 3},
    {"n": 2},
    {"tool_choice": "required"},
    {"parallel_tool_calls": False},
    {"tools": [{"type": "other"}]},
    {"stop": 3},
    {"stream_options": 3},
]


def test_a_request_that_cannot_be_met_is_refused(example: Any) -> None:
    async def run() -> None:
        async with proxied(example, lambda _: Written("Yes.")) as (client, upstream):
            for asked in REFUSED:
                with pytest.raises(openai.BadRequestError) as caught:
                    await client.post(
                        "/chat/completions",
                        cast_to=object,
                        body={**ASKED, "tools": TOOLS, **asked},
                    )
                assert caught.value.body["message"]
            assert not upstream.requests

    asyncio.run(run())


def test_the_upstream_is_left_with_the_client(example: Any) -> None:
    async def run() -> None:
        gate = asyncio.Event()

        def write(body: Any) -> Written:
            return Written(
                "Well. ", gate=gate if body["model"] == "waits" else None, is_endless=True
            )

        async with proxied(example, write, max_bytes=10**12) as (client, upstream):
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


def test_a_client_that_does_not_read_is_left(example: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(example, "LAST_S", 0.1)

    async def run() -> None:
        def write(_: Any) -> Written:
            return Written("Well. ", is_endless=True)

        async with proxied(example, write, timeout_s=0.5, max_bytes=10**12) as (client, upstream):
            url = client.base_url
            reader, writer = await asyncio.open_connection(url.host, url.port, limit=1_000)
            body = json.dumps({**ASKED, "stream": True}).encode()
            head = f"POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: {len(body)}"
            writer.write(head.encode() + b"\r\n\r\n" + body)
            await upstream.left.acquire()
            writer.transport.abort()
            assert reader is not None

    asyncio.run(asyncio.wait_for(run(), 20))


# -- two hundred clients ---------------------------------------------------------------------------


def test_many_clients_lose_nothing(example: Any) -> None:
    faults, count = ["", "", *FAULTS], 200 if THOROUGH else 80

    def write(body: Any) -> Written:
        number = int(body["model"])
        text = "I look. " + CALL % f"Thun {number}" + CALL % f"Zug {number}"
        return Written(text, faults[number % len(faults)], piece=40)

    async def one(client: Any, number: int) -> str:
        calls = [("area", {"lake": f"{lake} {number}"}) for lake in ("Thun", "Zug")]
        try:
            said = await ask(client, stream=bool(number // len(faults) % 2), model=str(number))
        except openai.APIError:
            return "error"
        if said == ("I look.", "", calls[:1], "length"):
            return "cut"  # between two calls, and the client learns of it
        return "whole" if said == ("I look.", "", calls, "tool_calls") else "lost"

    async def run() -> Counter[str]:
        async with proxied(example, write) as (client, _):
            return Counter(await asyncio.gather(*(one(client, n) for n in range(count))))

    meant = Counter(faults[number % len(faults)] for number in range(count))
    whole, cut = meant[""], meant["length"]
    assert asyncio.run(run()) == {"whole": whole, "cut": cut, "error": count - whole - cut}
