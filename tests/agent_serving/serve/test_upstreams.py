"""`agent-parsers serve` before servers of each kind: how they are recognised, and asked."""

import asyncio
import json
from typing import Any

import httpx
import openai
import pytest

from agent_parsers import get_parser
from agent_serving.serve.answering import marks_of
from agent_serving.serve.running import ServeSettings, make_app, settings_in
from agent_serving.serve.upstreams.chunks import WholeCharacters
from agent_serving.serve.upstreams.recognising import find_dialect, find_upstream

from ...helpers.chat_templates import OWN
from ...helpers.text_upstream import TextUpstream, Written
from .served import ASKED, BAD, CALL, TOOLS, TURN, chatting, http_client, reply_of, served

PROBES: dict[str, dict[str, Any]] = {
    "llama_cpp": {"/props": {"default_generation_settings": {}, "chat_template": ""}},
    "ollama": {"/api/version": {"version": "0.9"}},
    "sglang": {"/get_model_info": {"model_path": "Qwen/Qwen3-8B"}},
    "vllm": {"/version": {"version": "0.33.0"}},
    "lm_studio": {"/api/v0/models": {"data": []}},
    "openai": {"/v1/models": {"data": []}},
}


def transport(pages: dict[str, Any], asked: list[str] | None = None) -> httpx.MockTransport:
    """Return a transport to a server that has *pages*."""

    def answer(request: httpx.Request) -> httpx.Response:
        if asked is not None:
            asked.append(request.url.path)
        page = pages.get(request.url.path)
        return httpx.Response(404) if page is None else httpx.Response(200, json=page)

    return httpx.MockTransport(answer)


# -- recognising -----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", PROBES)
@pytest.mark.parametrize("path", ["", "/", "/v1"])
def test_each_kind_is_recognised(kind: str, path: str) -> None:
    found = find_upstream(f"http://host:1{path}", transport=transport(PROBES[kind]))
    assert (found.kind.name, found.base, found.url) == (kind, "http://host:1", None)
    assert not found.is_text


@pytest.mark.parametrize(
    ("path", "kind", "is_text"),
    [
        ("/v1/chat/completions", "vllm", False),
        ("/v1/completions", "vllm", True),
        ("/completion", "llama_cpp", True),
        ("/api/generate", "ollama", True),
        ("/api/chat", "ollama", False),
    ],
)
def test_a_whole_address_says_what_is_asked(path: str, kind: str, is_text: bool) -> None:
    found = find_upstream(f"http://host:1{path}", transport=transport(PROBES[kind]))
    assert (found.kind.name, found.base, found.is_text) == (kind, "http://host:1", is_text)
    assert found.url == f"http://host:1{path}"


def test_ollama_is_asked_by_its_own_api() -> None:
    found = find_upstream("http://host:1/v1/chat/completions", "ollama")
    assert (found.base, found.url) == ("http://host:1", None)


def test_openai_itself_has_another_name_for_the_limit() -> None:
    found = find_upstream("https://api.openai.com/v1", "openai")
    assert found.base == "https://api.openai.com"
    assert found.kind.names == {"max_tokens": "max_completion_tokens"}
    assert not find_upstream("http://host:1", "openai").kind.names


def test_what_cannot_be_recognised_is_said() -> None:
    with pytest.raises(ValueError, match=r"not recognised.*--server \(llama_cpp, ollama"):
        find_upstream("http://host:1", transport=transport({}))
    with pytest.raises(ValueError, match="not an address: expected http"):
        find_upstream("localhost:8080")
    with pytest.raises(ValueError, match="unknown server kind 'tgi'"):
        find_upstream("http://host:1", "tgi")
    keyed = httpx.MockTransport(lambda _: httpx.Response(401))
    with pytest.raises(ValueError, match=r"requires a key.*--upstream-key-env"):
        find_upstream("http://host:1", transport=keyed)


MODELS = {"data": [{"id": "Qwen/Qwen3-8B"}]}


@pytest.mark.parametrize(
    ("given", "pages", "name", "why"),
    [
        ("hermes", {}, "hermes", "given"),
        ("Qwen/Qwen3-Coder-30B", {}, "qwen3_coder", "given"),
        ("gpt-5", {}, "tools", "given"),
        ("auto", {"/v1/models": MODELS}, "hermes", "Qwen/Qwen3-8B"),
    ],
)
def test_the_dialect_is_known(given: str, pages: Any, name: str, why: str) -> None:
    found = find_upstream("http://host:1", "openai")
    dialect = find_dialect(given, found, transport=transport(pages))
    assert dialect.name == name
    assert why in dialect.why


def test_the_dialect_is_read_in_the_template_of_llama_cpp() -> None:
    template = OWN["known_json"]
    found = find_upstream("http://host:1", "llama_cpp")
    pages = {"/props": {"chat_template": template}, "/v1/models": {"data": [{"id": "mine"}]}}
    dialect = find_dialect("auto", found, transport=transport(pages))
    assert dialect.name == "hermes"
    assert "template" in dialect.why


def test_a_dialect_that_is_not_known_is_refused_at_the_start() -> None:
    found = find_upstream("http://host:1", "openai")
    for pages, why in (
        ({"/v1/models": {"data": [{"id": "mine"}]}}, "'mine', is not known"),
        ({}, "0 models; name one with --model"),
    ):
        with pytest.raises(ValueError, match=why):
            find_dialect("auto", found, transport=transport(pages))
    with pytest.raises(ValueError, match="no dialect"):
        find_dialect("hermse", found)


def test_the_end_of_the_prompt_is_asked_of_llama_cpp() -> None:
    pages = {**PROBES["llama_cpp"], "/apply-template": {"prompt": "<s>Hello.\nassistant\n<think>"}}
    said: list[str] = []
    app = make_app(
        ServeSettings("http://host:1", dialect="hermes"),
        say=said.append,
        transport=transport(pages),
    )
    assert app.answering.options.prompt.endswith("<think>")
    assert "llama.cpp" in said[0]


# -- what is asked ---------------------------------------------------------------------------------

PATHS = {
    "llama_cpp": ("/v1/chat/completions", "/v1/completions"),
    "ollama": ("/api/chat", "/api/generate"),
    "sglang": ("/v1/chat/completions", "/v1/completions"),
    "vllm": ("/v1/chat/completions", "/v1/completions"),
    "lm_studio": ("/v1/chat/completions", "/v1/completions"),
    "openai": ("/v1/chat/completions", "/v1/completions"),
}
SETTINGS: Any = {"max_completion_tokens": 9, "seed": 3, "reasoning_effort": "low"}


@pytest.mark.parametrize("is_text", [False, True], ids=["chat", "text"])
@pytest.mark.parametrize("kind", PATHS)
def test_each_kind_is_asked_in_its_way(kind: str, is_text: bool) -> None:
    async def run() -> None:
        upstream = TextUpstream(lambda _: Written(TURN, reasoning="" if is_text else "First."))
        async with chatting(upstream, "", server=kind, is_text=is_text) as (client, _):
            for stream in (False, True):
                reply = await client.chat.completions.create(
                    **ASKED, tools=TOOLS, stream=stream, **SETTINGS
                )
                if not stream:
                    (choice,) = reply.choices
                    assert len(choice.message.tool_calls) == 2
                    thought = "" if is_text else "First.\n"
                    assert choice.message.reasoning_content == thought + "I need both."
                    assert reply.usage.total_tokens == 7
                else:
                    chunks = [chunk async for chunk in reply]
                    assert chunks[-1].choices[0].finish_reason == "tool_calls"
            body = upstream.requests[0][1]
            assert upstream.paths[0] == PATHS[kind][is_text]
            options = body["options"] if kind == "ollama" else body
            assert options["num_predict" if kind == "ollama" else "max_tokens"] == 9
            assert options["seed"] == 3
            assert "max_completion_tokens" not in body
            if kind == "ollama":
                assert body["think"] == "low"
                assert body.get("raw", False) is is_text
            if kind == "llama_cpp":
                assert body["reasoning_format"] == "none"
                assert {"<think>", "</think>", "<tool_call>", "</tool_call>"} <= {
                    *body["preserved_tokens"]
                }
            if kind in ("vllm", "sglang"):
                assert body["skip_special_tokens"] is False
            assert isinstance(
                body["prompt"] if is_text else body["messages"], str if is_text else list
            )

    asyncio.run(run())


def test_marks_that_are_tokens_are_told() -> None:
    for name, mark in (
        ("kimi_k2", "<|tool_call_begin|>"),
        ("mistral", "[TOOL_CALLS]"),
        ("harmony", "<|channel|>"),
        ("deepseek_v31", "<｜tool▁calls▁begin｜>"),
    ):
        assert mark in marks_of(get_parser(name))


def test_a_thought_that_the_upstream_separates_is_not_in_the_prompt_as_well() -> None:
    async def run() -> None:
        written = Written("It has 48.", reasoning="Easy.")
        async with chatting(lambda _: written, prompt="<think>\n") as (client, _):
            with pytest.raises(openai.InternalServerError, match="leave out --prompt"):
                await client.chat.completions.create(**ASKED, tools=TOOLS)

    asyncio.run(run())


def test_what_is_set_goes_to_the_upstream_unless_the_client_says_it() -> None:
    others = settings_in(["num_ctx=16384", "temperature=0", "keep_alive=1h"])
    assert others == {"num_ctx": 16_384, "temperature": 0, "keep_alive": "1h"}

    async def run() -> None:
        given = {"server": "ollama", "others": others}
        async with chatting(lambda _: Written("Yes."), "", **given) as (client, upstream):
            await client.chat.completions.create(**ASKED, temperature=0.5)
            body = upstream.requests[0][1]
            assert body["options"] == {"num_ctx": 16_384, "temperature": 0.5}
            assert body["keep_alive"] == "1h"

    asyncio.run(run())
    with pytest.raises(ValueError, match="NAME=VALUE"):
        settings_in(["num_ctx"])


@pytest.mark.parametrize("fault", ["error", "no end"])
def test_a_fault_of_ollama_is_an_error(fault: str) -> None:
    async def run() -> None:
        written = Written(CALL % "Thun", fault)
        async with chatting(lambda _: written, "", server="ollama", retries=0) as (client, _):
            with pytest.raises(openai.InternalServerError, match="upstream"):
                await client.chat.completions.create(**ASKED, tools=TOOLS)

    asyncio.run(run())


GRAMMARS = {
    "llama_cpp": ("grammar",),
    "vllm": ("structured_outputs", "grammar"),
    "sglang": ("ebnf",),
}
NAMED: Any = {"type": "function", "function": {"name": "area"}}


@pytest.mark.parametrize("kind", GRAMMARS)
def test_calls_are_forced_by_a_grammar(kind: str) -> None:
    other = {"type": "function", "function": {"name": "depth"}}

    async def run() -> None:
        async with chatting(lambda _: Written(CALL % "Thun"), "", server=kind) as (client, up):
            grammars = []
            for asked in (
                {"tool_choice": "required"},
                {"tool_choice": NAMED},
                {"parallel_tool_calls": False},
                {},
            ):
                reply = await client.chat.completions.create(
                    **ASKED, tools=[*TOOLS, other], **asked
                )
                assert len(reply.choices[0].message.tool_calls) == 1
                grammar: Any = up.requests[-1][1]
                for name in GRAMMARS[kind]:
                    grammar = grammar.get(name) if grammar else None
                grammars.append(grammar)
            texts = [each and each.replace('" "', "") for each in grammars]  # Lark's letters
            required, named, single, auto = texts
            assert "depth" in required
            assert "depth" not in named
            assert single not in (None, required)
            assert auto is None

    asyncio.run(run())


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize(
    ("asked", "wrong"),
    [
        ({"tool_choice": "required"}, "It has 48."),
        ({"tool_choice": NAMED}, BAD),
        ({"parallel_tool_calls": False}, TURN),
    ],
)
def test_calls_are_asked_for_again_without_a_grammar(stream: bool, asked: Any, wrong: str) -> None:
    async def run() -> None:
        texts = [wrong, CALL % "Zug"]
        async with chatting(lambda _: Written(texts.pop(0))) as (client, upstream):
            given = {**ASKED, "tools": TOOLS, **asked}
            reply = await reply_of(client.chat.completions, stream=stream, **given)
            (call,) = reply.choices[0].message.tool_calls
            assert json.loads(call.function.arguments) == {"lake": "Zug"}
            assert len(upstream.requests) == 2
            texts += [wrong] * 3
            with pytest.raises(openai.APIError, match="after 3 tries"):
                await whole_reply(client, stream=stream, **given)

    asyncio.run(run())


async def whole_reply(client: Any, *, stream: bool, **asked: Any) -> None:
    reply = await client.chat.completions.create(**asked, stream=stream)
    if stream:
        async for _ in reply:
            pass


def test_no_call_is_made_where_none_is_wanted() -> None:
    async def run() -> None:
        texts = [CALL % "Thun", "It has 48."]
        async with chatting(lambda _: Written(texts.pop(0))) as (client, upstream):
            reply = await client.chat.completions.create(**ASKED, tools=TOOLS, tool_choice="none")
            assert reply.choices[0].message.content == "It has 48."
            assert reply.choices[0].message.tool_calls is None
            assert "area" not in json.dumps(upstream.requests[0][1]["messages"])

    asyncio.run(run())


FORM: Any = {
    "type": "json_schema",
    "json_schema": {
        "name": "size",
        "schema": {
            "type": "object",
            "properties": {"km2": {"type": "number"}},
            "required": ["km2"],
        },
    },
}


def test_the_form_of_the_answer_is_the_upstreams_without_tools_and_ours_with_them() -> None:
    texts = ['{"km2": 48}', "It has 48.", '{"km2": 48}', CALL % "Thun"]

    async def run() -> None:
        async with chatting(lambda _: Written(texts.pop(0))) as (client, upstream):
            asked = {**ASKED, "response_format": FORM}
            reply = await client.chat.completions.create(**asked)
            assert reply.choices[0].message.content == '{"km2": 48}'
            sent = upstream.requests[0][1]["response_format"]["json_schema"]["schema"]
            assert sent == FORM["json_schema"]["schema"]
            reply = await client.chat.completions.create(**asked, tools=TOOLS)
            assert json.loads(reply.choices[0].message.content) == {"km2": 48}
            assert len(upstream.requests) == 3  # the second answer was no JSON
            assert "response_format" not in upstream.requests[1][1]
            reply = await client.chat.completions.create(**asked, tools=TOOLS)
            assert reply.choices[0].finish_reason == "tool_calls"

    asyncio.run(run())


@pytest.mark.one_in(2)
@pytest.mark.parametrize("kind", ["llama_cpp", "vllm", "sglang"])
@pytest.mark.parametrize("is_text", [False, True], ids=["chat", "text"])
def test_a_reply_that_has_begun_is_continued(kind: str, is_text: bool) -> None:
    messages = [*ASKED["messages"], {"role": "assistant", "content": "It has about"}]

    async def run() -> None:
        for stream in (False, True):
            for tools in (TOOLS, openai.NOT_GIVEN):
                async with chatting(
                    lambda _: Written(" 48 km².", piece=3), "", server=kind, is_text=is_text
                ) as (client, upstream):
                    asked = {"model": "m", "messages": messages, "tools": tools}
                    reply = await reply_of(client.chat.completions, stream=stream, **asked)
                    assert reply.choices[0].message.content == " 48 km²."
                    body = upstream.requests[0][1]
                    if is_text:
                        assert body["prompt"].endswith("It has about")
                    else:
                        assert body["messages"][-1]["content"] == "It has about"
                        assert body.get("continue_final_message", False) is (kind != "llama_cpp")

    asyncio.run(run())


def test_a_stop_sequence_is_not_looked_for_in_what_the_client_wrote() -> None:
    messages = [*ASKED["messages"], {"role": "assistant", "content": "It has. About"}]

    async def run() -> None:
        async with chatting(lambda _: Written(" 48. More.", piece=2), "", server="vllm") as (c, _):
            asked: Any = {"model": "m", "messages": messages, "stop": ".", "tools": TOOLS}
            reply = await c.chat.completions.create(**asked)
            assert reply.choices[0].message.content == " 48"

    asyncio.run(run())


@pytest.mark.parametrize("kind", ["ollama", "lm_studio", "openai"])
def test_a_reply_that_has_begun_is_refused_by_others(kind: str) -> None:
    messages = [*ASKED["messages"], {"role": "assistant", "content": "It has about"}]

    async def run() -> None:
        async with chatting(lambda _: Written("48."), "", server=kind) as (client, upstream):
            with pytest.raises(openai.BadRequestError, match="last message is the assistant's"):
                await client.chat.completions.create(model="m", messages=messages)
            assert not upstream.requests

    asyncio.run(run())


def test_roles_are_those_that_any_template_takes() -> None:
    messages = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "One."},
        {"role": "developer", "content": "Be exact."},
        {"role": "user", "content": [{"type": "text", "text": "Two."}]},
    ]

    async def run() -> None:
        async with chatting(lambda _: Written("Yes.")) as (client, upstream):
            await client.chat.completions.create(model="m", messages=messages)
            sent = upstream.requests[0][1]["messages"]
            assert [each["role"] for each in sent] == ["system", "user", "user"]
            assert "Be brief." in sent[0]["content"]
            assert "Be exact." in sent[0]["content"]

    asyncio.run(run())


IMAGE: Any = [
    {
        "role": "user",
        "content": [
            {"type": "text", "text": "What is it?"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
        ],
    }
]


def test_images() -> None:
    async def run() -> None:
        async with chatting(lambda _: Written("A lake.")) as (client, upstream):
            await client.chat.completions.create(model="m", messages=IMAGE, tools=TOOLS)
            assert IMAGE[0]["content"][1] in upstream.requests[0][1]["messages"][-1]["content"]
        async with chatting(lambda _: Written("A lake."), "", server="ollama") as (client, up):
            await client.chat.completions.create(model="m", messages=IMAGE)
            assert up.requests[0][1]["messages"][-1]["images"] == ["AAAA"]
        async with chatting(lambda _: Written("A lake."), "/v1/completions") as (client, up):
            with pytest.raises(openai.BadRequestError, match="no images"):
                await client.chat.completions.create(model="m", messages=IMAGE)

    asyncio.run(run())


# -- tools that the upstream has -------------------------------------------------------------------


def test_the_template_takes_the_tools() -> None:
    messages = [
        *ASKED["messages"],
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {
                    "name": "area", "arguments": '{"lake": "Thun"}'}}
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "48"},
    ]  # fmt: skip

    async def run() -> None:
        async with chatting(lambda _: Written(TURN), "", server="vllm", tools_in="template") as (
            client,
            upstream,
        ):
            reply = await client.chat.completions.create(model="m", messages=messages, tools=TOOLS)
            assert len(reply.choices[0].message.tool_calls) == 2
            body = upstream.requests[0][1]
            assert body["tools"][0]["function"]["name"] == "area"
            assert [each["role"] for each in body["messages"]] == ["user", "assistant", "tool"]
            assert body["messages"][1]["tool_calls"][0]["function"]["name"] == "area"

    asyncio.run(run())


def test_the_template_of_llama_cpp_is_rendered_first() -> None:
    async def run() -> None:
        pages = {"/apply-template": {"prompt": "<s>tools: area\nassistant\n"}}
        upstream = TextUpstream(lambda _: Written(TURN), pages)
        given = {"server": "llama_cpp", "tools_in": "template"}
        async with chatting(upstream, "", **given) as (client, _):
            reply = await client.chat.completions.create(**ASKED, tools=TOOLS)
            assert len(reply.choices[0].message.tool_calls) == 2
            (path, asked) = upstream.asked[-1]
            assert path == "/apply-template"
            assert asked["tools"][0]["function"]["name"] == "area"
            assert upstream.paths == ["/v1/completions"]
            assert upstream.requests[0][1]["prompt"] == "<s>tools: area\nassistant\n"
            assert not {"tools", "messages"} & upstream.requests[0][1].keys()

    asyncio.run(run())


NATIVE: Any = {
    "tool_calls": [
        {"index": 0, "id": "n1", "type": "function", "function": {
            "name": "area", "arguments": '{"lake": "Thun"}'}}
    ]
}  # fmt: skip


def test_calls_that_the_upstream_reads_are_an_error_in_a_dialect_and_calls_without() -> None:
    async def run() -> None:
        written = Written("", delta=NATIVE, finish_reason="tool_calls")
        async with chatting(lambda _: written, tools_in="template") as (client, _):
            with pytest.raises(openai.InternalServerError, match="--dialect tools"):
                await client.chat.completions.create(**ASKED, tools=TOOLS)
        async with chatting(lambda _: written, dialect="tools", prompt=None) as (client, up):
            for stream in (False, True):
                given = {**ASKED, "tools": TOOLS, "tool_choice": NAMED}
                reply = await reply_of(client.chat.completions, stream=stream, **given)
                (call,) = reply.choices[0].message.tool_calls
                assert (call.id, call.function.name) == ("n1", "area")
            assert up.requests[0][1]["tools"]
            assert up.requests[0][1]["tool_choice"] == NAMED

    asyncio.run(run())


def test_a_native_call_behind_a_stop_sequence_in_its_chunk_is_not_made() -> None:
    made = {"content": "One. STOP Two.", "reasoning_content": "Easy.", **NATIVE}

    async def run() -> None:
        written = Written("", delta=made, finish_reason="tool_calls")
        async with chatting(lambda _: written, dialect="tools", prompt=None) as (client, _):
            for stop in ("STOP", "Two.", "never", "Easy."):
                given: Any = {**ASKED, "tools": TOOLS, "stop": stop}
                reply = await reply_of(client.chat.completions, stream=True, **given)
                message, is_found = reply.choices[0].message, stop in made["content"]
                assert message.reasoning_content == "Easy."
                assert bool(message.tool_calls) != is_found
                assert message.content.strip() == made["content"].partition(stop)[0].strip()

    asyncio.run(run())


def test_auto_reads_each_reply_where_the_template_takes_the_tools() -> None:
    texts = [TURN, "It has 48.", "<|python_tag|>nothing"]

    async def run() -> None:
        given = {"server": "vllm", "dialect": "auto", "tools_in": "template", "prompt": None}
        upstream = TextUpstream(lambda _: Written(texts.pop(0)), {"/v1/models": {"data": []}})
        async with upstream.running() as url:
            app = await asyncio.to_thread(make_app, ServeSettings(url, **given))
            assert app.answering.options.dialect == "auto"
        upstream = TextUpstream(lambda _: Written(texts.pop(0)))
        async with chatting(upstream, "", **given, model="m") as (client, _):
            reply = await client.chat.completions.create(**ASKED, tools=TOOLS)
            message = reply.choices[0].message
            assert message.content == "Let me look."
            assert message.reasoning_content == "I need both."
            assert len(message.tool_calls) == 2
            stream = await client.chat.completions.create(**ASKED, tools=TOOLS, stream=True)
            content = "".join([c.choices[0].delta.content or "" async for c in stream if c.choices])
            assert content == "It has 48."

    asyncio.run(run())


# -- halves of characters --------------------------------------------------------------------------

HALF = "Thun \ud800!"
CUT_CALL = CALL % "\ud83d\ude00 \ud83c\udfd4"


@pytest.mark.parametrize("piece", [1, 2, 3, 999])
def test_a_character_that_chunks_cut_in_half_is_whole(piece: int) -> None:
    async def run() -> None:
        written = Written("a\ud83d\ude00b " + CUT_CALL, piece=piece, reasoning="\ud83c\udfd4")
        for given in ({}, {"stop": "never"}):
            async with chatting(lambda _: written) as (client, _):
                for stream in (False, True):
                    asked: Any = {**ASKED, "tools": TOOLS, **given}
                    reply = await reply_of(client.chat.completions, stream=stream, **asked)
                    message = reply.choices[0].message
                    (call,) = message.tool_calls
                    assert message.content.strip() == "a😀b"
                    assert message.reasoning_content == "🏔"
                    assert json.loads(call.function.arguments) == {"lake": "😀 🏔"}

    asyncio.run(run())


@pytest.mark.parametrize("escaped", [False, True])
def test_half_a_character_stays_half_and_becomes_no_other(escaped: bool) -> None:
    lake = r"Thun \ud800!" if escaped else HALF

    async def run() -> None:
        for text in (CALL % lake, f"It is {HALF}"):
            written = Written(text, piece=1)
            async with chatting(lambda _, w=written: w) as (client, _):
                said = []
                for stream in (False, True):
                    given: Any = {**ASKED, "tools": TOOLS}
                    reply = await reply_of(client.chat.completions, stream=stream, **given)
                    message = reply.choices[0].message
                    calls = [json.loads(c.function.arguments) for c in message.tool_calls or ()]
                    said.append((message.content or "", calls))
                is_call = text.startswith("<")
                assert said == [("", [{"lake": HALF}]) if is_call else (f"It is {HALF}", [])] * 2

    asyncio.run(run())


def test_a_half_at_the_end_of_a_reply_is_not_lost() -> None:
    characters = WholeCharacters()
    end: Any = {"choices": [{"delta": {}, "finish_reason": "stop"}]}
    assert characters.joined("a\ud83d", is_last=False) == "a"
    last: Any = characters.joined(end, is_last=True)
    assert last["choices"][0]["delta"] == {"content": "\ud83d"}


def test_a_past_call_with_half_a_character_is_refused() -> None:
    function = {"name": "area", "arguments": json.dumps({"lake": HALF})}
    call = {"id": "c", "type": "function", "function": function}
    messages = [
        *ASKED["messages"],
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "48"},
    ]

    async def run() -> None:
        async with chatting(lambda _: Written("Yes.")) as (client, _):
            with pytest.raises(openai.BadRequestError, match="half a surrogate pair"):
                await client.chat.completions.create(model="m", messages=messages, tools=TOOLS)

    asyncio.run(run())


# -- models and tokens -----------------------------------------------------------------------------


def test_models_are_those_of_the_upstream() -> None:
    async def run() -> None:
        upstream = TextUpstream(lambda _: Written("Yes."), {"/v1/models": MODELS})
        async with chatting(upstream) as (client, _):
            assert [each.id async for each in client.models.list()] == ["Qwen/Qwen3-8B"]
            assert upstream.requests == []
        async with chatting(upstream, model="mine") as (client, _):
            assert [each.id async for each in client.models.list()] == ["mine"]
            await client.chat.completions.create(**ASKED)
            assert upstream.requests[0][1]["model"] == "mine"

    asyncio.run(run())


def test_health() -> None:
    async def run() -> None:
        async with served(lambda _: Written("Yes.")) as (address, _), http_client() as http:
            assert (await http.get(f"{address}/health")).status_code == 200

    asyncio.run(run())
