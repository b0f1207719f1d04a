"""`agent-parsers serve` before a client of Chat Completions: what is written is what is told."""

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import openai
import pytest

from agent_parsers import AgentAction, AgentFinish, get_parser, list_dialects
from agent_serving.serve.faces.chat_face import ChatFace

from ...helpers.text_upstream import Written
from .served import ASKED, BAD, CALL, TOOLS, TURN, chatting, reply_of

Said = tuple[str, str, list[tuple[str, dict[str, Any]]], str | None]
LAKES = [("area", {"lake": "Thun"}), ("area", {"lake": "Zug"})]
whole_and_streamed = pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])


async def ask(client: Any, *, stream: bool, **asked: Any) -> Said:
    """Return the content, the reasoning, the calls and the reason of the end."""
    asked = {**ASKED, "tools": TOOLS, **asked}
    reply = await reply_of(client.chat.completions, stream=stream, **asked)
    (choice,) = reply.choices
    message = choice.message
    calls = [(c.function.name, json.loads(c.function.arguments)) for c in message.tool_calls or ()]
    assert len({call.id for call in message.tool_calls or ()}) == len(calls)
    thought = getattr(message, "reasoning_content", None) or ""
    return message.content or "", thought, calls, choice.finish_reason


@whole_and_streamed
@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/completions"])
def test_the_client_gets_reasoning_content_and_calls(stream: bool, path: str) -> None:
    async def run() -> None:
        async with chatting(lambda _: Written(TURN), path) as (client, upstream):
            said = await ask(client, stream=stream, temperature=0, user="me")
            assert said == ("Let me look.", "I need both.", LAKES, "tool_calls")
            ((headers, body),) = upstream.requests
            assert headers["authorization"] == "bearer secret"
            prompt = body.get("prompt") or body["messages"][0]["content"]
            assert '"name": "area"' in prompt
            assert "How large?" in json.dumps(body)
            assert body["stop"] == ["<|im_end|>"]
            assert body["temperature"] == 0
            assert not {"tools", "tool_choice", "user"} & body.keys()

    asyncio.run(run())


@whole_and_streamed
def test_an_answer_has_no_calls(stream: bool) -> None:
    async def run() -> None:
        written = Written("It has 48 km².", reasoning="Easy.")
        async with chatting(lambda _: written) as (client, _):
            said = await ask(client, stream=stream)
            assert said == ("It has 48 km².", "Easy.", [], "stop")

    asyncio.run(run())


@whole_and_streamed
def test_without_tools_nothing_is_read(stream: bool) -> None:
    async def run() -> None:
        async with chatting(lambda _: Written(BAD)) as (client, upstream):
            said = await ask(client, stream=stream, tools=openai.NOT_GIVEN, stop=["a", "b"])
            assert said[0] + "a" == BAD.partition("a")[0] + "a"
            body = upstream.requests[0][1]
            assert body["messages"] == ASKED["messages"]
            assert body["stop"] == ["a", "b"]

    asyncio.run(run())


def test_content_is_sent_while_it_is_written() -> None:
    async def run() -> None:
        gate = asyncio.Event()
        written = Written("I look. " + "And on it goes. " * 4, gate=gate, piece=8)
        async with chatting(lambda _: written) as (client, _):
            stream = await client.chat.completions.create(**ASKED, tools=TOOLS, stream=True)
            content = ""
            async for chunk in stream:
                content += chunk.choices[0].delta.content or ""
                if content:
                    gate.set()  # only now does the upstream go on
            assert content == written.text.strip()

    asyncio.run(asyncio.wait_for(run(), 20))


def test_usage_is_told_where_it_is_asked_for() -> None:
    replies = [BAD, "Yes."]

    async def run() -> None:
        async with chatting(lambda _: Written(replies.pop(0))) as (client, _):
            whole = await client.chat.completions.create(**ASKED, tools=TOOLS)
            assert whole.usage.total_tokens == 14  # of both tries
            for options, total in (({"include_usage": True}, 7), ({}, None)):
                replies.append("Yes.")
                stream = await client.chat.completions.create(
                    stream=True, stream_options=options, **ASKED
                )
                *_, last = [chunk async for chunk in stream]
                assert (last.usage and last.usage.total_tokens) == total

    asyncio.run(run())


@whole_and_streamed
def test_several_replies(stream: bool) -> None:
    replies = ["One.", "Two."]

    async def run() -> None:
        async with chatting(lambda _: Written(replies.pop(0))) as (client, _):
            asked = {**ASKED, "n": 2, "stream": stream}
            if stream:
                asked["stream_options"] = {"include_usage": True}
            reply = await client.chat.completions.create(**asked)
            if not stream:
                said = [choice.message.content for choice in reply.choices]
                total = reply.usage.total_tokens
            else:
                said, total = ["", ""], None
                async for chunk in reply:
                    for choice in chunk.choices:
                        said[choice.index] += choice.delta.content or ""
                    total = chunk.usage and chunk.usage.total_tokens
            assert (said, total) == (["One.", "Two."], 14)

    asyncio.run(run())


# -- every dialect ---------------------------------------------------------------------------------

ONE_TOOL = {"self_ask": "Intermediate Answer", "smolagents_code": "python_interpreter"}


def sample_call_of(dialect: str) -> tuple[str, Any, Any]:
    """Return a tool that a *dialect* can call, what it is given, and the tools."""
    if dialect not in ONE_TOOL:
        return "area", {"lake": "Thun"}, TOOLS
    tool = ONE_TOOL[dialect]
    return tool, "x = 1", [{"type": "function", "function": {"name": tool}}]


@pytest.mark.one_in(25)
@pytest.mark.parametrize("name", list_dialects())
def test_every_dialect_is_told_as_it_is_read(name: str) -> None:
    tool, given, tools = sample_call_of(name)
    parser: Any = get_parser(name, tools=tools)
    steps: Any = [AgentAction(tool, given, ""), AgentFinish({"output": "It has 48."}, "")]
    try:
        texts = [parser.render(step, thought="I look it up.") for step in steps]
    except ValueError:  # it has no thoughts
        texts = [parser.render(step) for step in steps]

    async def run() -> None:
        for text in texts:
            turn = parser.read(text, ended="stop")
            for piece in (3, 10_000):
                written = Written(text, piece=piece)
                async with chatting(lambda _, w=written: w, dialect=name, prompt=None) as (c, _):
                    for stream in (False, True):
                        content, thought, calls, reason = await ask(c, stream=stream, tools=tools)
                        assert thought == turn.thought
                        if isinstance(turn.result, AgentFinish):
                            assert content == turn.result.output == "It has 48."
                            assert (calls, reason) == ([], "stop")
                        else:
                            assert content == turn.content
                            assert [(n, list(g.values())) for n, g in calls] == [
                                (tool, [given if name in ONE_TOOL else "Thun"])
                            ]
                            assert reason == "tool_calls"

    asyncio.run(run())


@pytest.mark.one_in(25)
@pytest.mark.parametrize("name", list_dialects())
def test_every_dialect_takes_its_calls_back(name: str) -> None:
    tool, given, tools = sample_call_of(name)
    parser: Any = get_parser(name, tools=tools)
    text = parser.render(AgentAction(tool, given, ""))
    texts = [text, parser.render(AgentFinish({"output": "It has 48."}, ""))]

    async def run() -> None:
        async with chatting(lambda _: Written(texts.pop(0)), dialect=name, prompt=None) as (c, up):
            asked: Any = {**ASKED, "tools": tools}
            whole = await c.chat.completions.create(**asked)
            message = whole.choices[0].message
            (call,) = message.tool_calls
            result = {"role": "tool", "tool_call_id": call.id, "content": "48"}
            asked["messages"] = [*asked["messages"], message.model_dump(exclude_none=True), result]
            assert (await ask(c, stream=True, **asked))[0] == "It has 48."
            assert not {"tool", "tool_calls"} & {
                key for each in up.requests[1][1]["messages"] for key in (*each, each["role"])
            }

    asyncio.run(run())


# -- what the model gets wrong ---------------------------------------------------------------------


@whole_and_streamed
def test_an_error_of_the_model_goes_to_the_model_and_then_to_the_client(stream: bool) -> None:
    replies = [BAD, BAD, TURN]

    async def run() -> None:
        async with chatting(lambda _: Written(replies.pop(0)), retries=2) as (client, up):
            assert (await ask(client, stream=stream))[2] == LAKES
            *_, wrote, told = up.requests[-1][1]["messages"]
            assert wrote["content"].startswith(BAD)
            assert "There is no tool 'depth'" in told["content"]
            replies.extend([BAD] * 3)
            with pytest.raises(openai.UnprocessableEntityError, match="depth") as caught:
                await ask(client, stream=stream)
            assert caught.value.response.headers["x-should-retry"] == "false"

    asyncio.run(run())


def test_with_retries_only_reasoning_is_sent_before_a_turn_is_read() -> None:
    replies = ["<think>Hm.</think>I look. " + BAD, "<think>Ah.</think>I look. " + CALL % "Zug"]

    async def run() -> None:
        async with chatting(lambda _: Written(replies.pop(0)), retries=1) as (client, _):
            said = await ask(client, stream=True)
            assert said == ("I look.", "Hm.\n\nAh.", LAKES[1:], "tool_calls")

    asyncio.run(run())


def test_a_stream_ends_in_an_error_if_content_was_sent() -> None:
    async def run() -> None:
        async with chatting(lambda _: Written(TURN + BAD)) as (client, up):
            stream = await client.chat.completions.create(**ASKED, tools=TOOLS, stream=True)
            calls: list[Any] = []

            async def collect() -> None:
                async for chunk in stream:
                    calls.extend(chunk.choices[0].delta.tool_calls or ())

            with pytest.raises(openai.APIError, match="depth"):
                await collect()
            assert not calls  # of a turn that cannot be read, none is told
            assert len(up.requests) == 1

    asyncio.run(run())


@whole_and_streamed
def test_a_turn_that_was_cut(stream: bool) -> None:
    texts = [(CALL % "Thun")[:-25], "It has 4", CALL % "Thun" + (CALL % "Zug")[:20]]

    async def run() -> None:
        def write(_: Any) -> Written:
            return Written(texts.pop(0), finish_reason="length")

        async with chatting(write, retries=0) as (client, _):
            with pytest.raises(openai.UnprocessableEntityError, match="end of the call"):
                await ask(client, stream=stream)
            reply = await client.chat.completions.create(**ASKED, tools=TOOLS)
            assert reply.choices[0].message.content == "It has 4"
            assert reply.choices[0].finish_reason == "length"
            with pytest.raises(openai.UnprocessableEntityError):
                await ask(client, stream=stream)

    asyncio.run(run())


def test_a_thought_that_the_prompt_opened() -> None:
    async def run() -> None:
        text = "I need both.</think>Let me look. " + CALL % "Thun"
        async with chatting(lambda _: Written(text), prompt="<think>\n") as (client, _):
            for stream in (False, True):
                said = await ask(client, stream=stream)
                assert said == ("Let me look.", "I need both.", LAKES[:1], "tool_calls")
        async with chatting(lambda _: Written("Easy.</think>\n\n48."), prompt="<think>\n") as (
            c,
            _,
        ):
            for stream in (False, True):  # without tools, too
                said = await ask(c, stream=stream, tools=openai.NOT_GIVEN)
                assert (said[0].strip(), said[1]) == ("48.", "Easy.")
        async with chatting(lambda _: Written(text), prompt="") as (client, _):
            stream = await client.chat.completions.create(**ASKED, tools=TOOLS, stream=True)
            with pytest.raises(openai.APIError, match="--prompt"):
                [chunk async for chunk in stream]

    asyncio.run(run())


def test_a_filter_that_ends_a_reply_is_told() -> None:
    async def run() -> None:
        written = Written("It has 4", finish_reason="content_filter")
        async with chatting(lambda _: written) as (client, _):
            assert (await ask(client, stream=False))[3] == "content_filter"
            with pytest.raises(openai.ContentFilterFinishReasonError):
                await ask(client, stream=True)

    asyncio.run(run())


def test_usage_is_told_only_if_that_of_each_try_is_known() -> None:
    async def run() -> None:
        for second, tokens in (("It has 48 km².", 14), ("It is.\n<tool_response>\n48" * 40, None)):
            texts = [BAD, second]
            write = lambda _, t=texts: Written(t.pop(0))  # noqa: E731
            async with chatting(write, retries=1) as (client, _):
                reply = await client.chat.completions.create(**ASKED, tools=TOOLS)
                assert (reply.usage and reply.usage.total_tokens) == tokens

    asyncio.run(run())


RESULT = {"role": "tool", "content": "48"}


@pytest.mark.parametrize(
    ("ids", "told"),
    [(["c", "d"], ""), (["c", "c"], "already has a result"), (["e"], "was not sent before it")],
)
def test_each_result_is_that_of_a_call(ids: list[str], told: str) -> None:
    function = {"name": "area", "arguments": "{}"}
    calls = [{"id": each, "type": "function", "function": function} for each in "cd"]
    said = {"role": "assistant", "content": None, "tool_calls": calls}
    results = [{**RESULT, "tool_call_id": each} for each in ids]

    async def run() -> None:
        async with chatting(lambda _: Written("Yes.")) as (client, _):
            messages: Any = [*ASKED["messages"], said, *results]
            asked = client.chat.completions.create(model="m", messages=messages, tools=TOOLS)
            if not told:
                assert (await asked).choices[0].message.content == "Yes."
                return
            with pytest.raises(openai.BadRequestError, match=told):
                await asked

    asyncio.run(run())


# -- what the client says --------------------------------------------------------------------------


@whole_and_streamed
@pytest.mark.parametrize(
    ("text", "content", "calls", "reason"),
    [
        ("One. STOP Two. " + CALL % "Thun", "One. ", [], "stop"),
        ("One. " + CALL % "STOP", "One.", [("area", {"lake": "STOP"})], "tool_calls"),
        ("<think>STOP</think>One. STO", "One. STO", [], "stop"),
        ("One. STOP " + CALL % "Thun" + "Two.", "One. ", [], "stop"),
        ("One. STOP" + CALL % "Thun", "One. ", [], "stop"),
        ("One. STOSTOP" + CALL % "Thun", "One. STO", [], "stop"),
        ("One. ```\nSTOP\n```\n" + CALL % "Thun", "One. ```\n", [], "stop"),
        (
            CALL % "STOP" + CALL % "Zug",
            "",
            [("area", {"lake": "STOP"}), ("area", {"lake": "Zug"})],
            "tool_calls",
        ),
    ],
)
@pytest.mark.parametrize("piece", [1, 3, 24, 9_999])
def test_a_stop_sequence_ends_the_content(
    stream: bool, piece: int, text: str, content: str, calls: Any, reason: str
) -> None:
    async def run() -> None:
        for retries in (0, 1):
            written = Written(text, piece=piece)
            async with chatting(lambda _, w=written: w, retries=retries) as (client, up):
                said = await ask(client, stream=stream, stop="STOP")
                assert (said[0].rstrip(), *said[2:]) == (content.rstrip(), calls, reason)
                assert up.requests[0][1]["stop"] == ["<|im_end|>"]

    asyncio.run(run())


@whole_and_streamed
def test_logprobs_are_passed_on_where_nothing_is_read(stream: bool) -> None:
    async def run() -> None:
        written = Written("Yes.", piece=2, has_logprobs=True)
        async with chatting(lambda _: written) as (client, _):
            with pytest.raises(openai.BadRequestError, match="logprobs"):
                await ask(client, stream=False, logprobs=True)
            asked = {**ASKED, "logprobs": True, "stream": stream}
            reply = await client.chat.completions.create(**asked)
            if stream:
                choices = [choice async for chunk in reply for choice in chunk.choices]
            else:
                choices = reply.choices
            tokens = [t.token for c in choices if c.logprobs for t in c.logprobs.content]
            assert tokens == ["Ye", "s."]

    asyncio.run(run())


REFUSED: Any = [
    ({"messages": 3}, "messages"),
    ({"messages": []}, "messages"),
    ({"model": None}, "model"),
    ({"n": 0}, "n"),
    ({"n": True}, "n"),
    ({"tool_choice": "sometimes"}, "tool_choice"),
    ({"tool_choice": {"type": "function", "function": {"name": "depth"}}}, "depth"),
    ({"tool_choice": "required", "tools": []}, "tool_choice"),
    ({"functions": [{"name": "area"}]}, "functions"),
    ({"tools": [{"type": "function"}]}, "tools"),
    ({"tools": [3]}, "tools"),
    ({"stop": 3}, "stop"),
    ({"stop": [""]}, "stop"),
    ({"stream_options": 3}, "stream_options"),
    ({"response_format": {"type": "xml"}}, "response_format"),
    ({"max_tokens": "many"}, "max_tokens"),
]


@pytest.mark.parametrize(("asked", "named"), REFUSED, ids=[json.dumps(e[0]) for e in REFUSED])
def test_a_request_that_cannot_be_met_is_refused(asked: Any, named: str) -> None:
    with pytest.raises(ValueError, match=named):
        ChatFace().read({**ASKED, "tools": TOOLS, **asked})


def test_tools_that_only_a_provider_can_run_are_left_out_with_a_warning() -> None:
    asked = ChatFace().read({**ASKED, "tools": [*TOOLS, {"type": "custom", "custom": {}}]})
    assert list(asked.tools) == TOOLS
    assert asked.warnings == ["a tool of the type 'custom' was dropped"]


def test_tools_that_are_allowed() -> None:
    other = {"type": "function", "function": {"name": "depth"}}
    allowed = {"mode": "required", "tools": [{"type": "function", "function": {"name": "depth"}}]}
    choice = {"type": "allowed_tools", "allowed_tools": allowed}
    asked = ChatFace().read({**ASKED, "tools": [*TOOLS, other], "tool_choice": choice})
    assert (list(asked.tools), asked.tool_choice) == ([other], "required")


def test_the_page_says_what_becomes_of_each_field() -> None:
    page = (Path(__file__).parents[3] / "docs" / "serve-fields.md").read_text("utf-8")
    rows = {
        row.strip(): re.findall(r"`(\w+)`", fields)
        for row, fields in re.findall(
            r"^\|([^|]+)\|([^|]+)\|$", page.partition("## Chat Completions")[2], re.MULTILINE
        )
    }
    for name in rows["ignored"]:
        asked = ChatFace().read({**ASKED, name: "x"})
        assert name not in asked.settings
    for name in rows["refused"]:
        with pytest.raises(ValueError, match=name):
            ChatFace().read({**ASKED, name: {"x": 1}})
    for name in rows["honoured"]:
        with pytest.raises(ValueError, match=name):
            ChatFace().read({**ASKED, name: 3.5})
    assert ChatFace().read({**ASKED, "min_p": 0.1, "top_logprobs": 3}).settings == {
        "min_p": 0.1,
        "top_logprobs": 3,
    }
    assert ChatFace().read({**ASKED, "max_completion_tokens": 7, "max_tokens": 9}).settings == {
        "max_tokens": 7
    }
