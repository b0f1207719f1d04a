"""The face of Anthropic's Messages API, before Anthropic's client."""

import copy
import json
from types import SimpleNamespace
from typing import Any

import anthropic
import pytest
from anthropic.types import Message, RawMessageStreamEvent
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from agent_serving.serve.exchange.events import ReplyCall, ReplyEnd, ReplyFailure, ReplyText
from agent_serving.serve.faces.messages_face import MessagesFace
from agent_serving.serve.faces.responses_face import ResponsesFace

from ...helpers.faces import (
    DIALECTS,
    USAGE,
    Faced,
    asked_again,
    asked_in_all,
    blocks_of,
    read_or_refused,
    replies,
    spoil,
    unknown_in,
    written,
)

SCHEMA: Any = {
    "type": "object", "properties": {"lake": {"type": "string"}}, "required": ["lake"],
}  # fmt: skip
AREA: Any = {"name": "area", "description": "How large a lake is.", "input_schema": SCHEMA}
DEPTH: Any = {**AREA, "name": "depth", "type": "custom", "cache_control": {"type": "ephemeral"}}
USER: Any = {"role": "user", "content": "How large is Lake Zug?"}
BODY: Any = {"model": "m", "max_tokens": 99, "messages": [USER]}
EVENTS: Any = TypeAdapter(RawMessageStreamEvent)


@pytest.fixture
def faced() -> Any:
    faced = Faced(anthropic, MessagesFace())
    return SimpleNamespace(server=faced, messages=faced.client(anthropic.Anthropic).messages)


def read(**fields: Any) -> Any:
    return MessagesFace().read({**BODY, **fields})


def assistant(*blocks: Any) -> Any:
    return {"role": "assistant", "content": [*blocks]}


def user(*blocks: Any) -> Any:
    return {"role": "user", "content": [*blocks]}


def result(call_id: str, content: Any, **more: Any) -> Any:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **more}


def use(call_id: str, name: str, **given: Any) -> Any:
    return {"type": "tool_use", "id": call_id, "name": name, "input": given}


# -- what a client is told -----------------------------------------------------------------------


def blocks_in(content: Any) -> list[tuple[str, Any]]:
    """Return the content of a message as `blocks_of` does."""
    blocks: list[tuple[str, Any]] = []
    for block in content:
        if block.type == "text":
            blocks.append(("content", block.text))
        elif block.type == "thinking":
            assert block.signature
            blocks.append(("thought", block.thinking))
        else:
            blocks.append(("call", (block.id, block.name, block.input)))
    return blocks


@given(said=replies())
def test_a_stream_adds_up_to_what_was_said(said: list[Any]) -> None:
    server = Faced(anthropic, MessagesFace())
    server.said = said
    messages = server.client(anthropic.Anthropic).messages
    with messages.stream(**BODY, tools=[AREA, DEPTH]) as stream:
        events = [*stream]
        message = stream.get_final_message()
    assert blocks_in(message.content) == blocks_of(said)
    indexes = [event.index for event in events if event.type == "content_block_start"]
    assert indexes == [*range(len(message.content))]
    has_calls = any(isinstance(each, ReplyCall) for each in said)
    ends = {"length": "max_tokens", "tool_calls": "tool_use", "stop": "end_turn"}
    assert message.stop_reason == ends[said[-1].reason]
    assert has_calls or message.stop_reason != "tool_use"
    whole = Message.model_validate(server.writer.whole)
    assert whole.model_dump(exclude={"content"}) == message.model_dump(exclude={"content"})
    assert blocks_in(whole.content) == blocks_of(said)
    if said[-1].usage:
        assert message.usage.input_tokens == 16
        assert message.usage.cache_read_input_tokens == 5
        assert message.usage.output_tokens == 8


@given(said=replies())
def test_every_event_is_one_of_the_clients_types(said: list[Any]) -> None:
    for name, text in written(MessagesFace().writer(read(tools=[AREA, DEPTH])), said):
        event = EVENTS.validate_json(text)
        assert event.type == name
        assert "\n" not in text
        assert not unknown_in(event)


@given(said=replies())
def test_a_whole_message_has_what_was_said(said: list[Any]) -> None:
    server = Faced(anthropic, MessagesFace())
    server.said = said
    message = server.client(anthropic.Anthropic).messages.create(**BODY, tools=[AREA, DEPTH])
    assert blocks_in(message.content) == blocks_of(said)
    assert message.to_dict() == server.writer.whole


def test_the_events_of_a_reply(faced: Any) -> None:
    faced.server.said = [
        ReplyText("thought", "Zug"), ReplyText("thought", "?"), ReplyText("content", "\n"),
        ReplyCall("c1", "area", '{"lake": "Zug"}'), ReplyEnd("tool_calls", USAGE),
    ]  # fmt: skip
    kinds = []
    for event in faced.messages.create(**BODY, tools=[AREA], stream=True):
        delta = getattr(event, "delta", None)
        kinds.append(getattr(delta, "type", None) or event.type)
    whole = Message.model_validate(faced.server.writer.whole)
    assert blocks_in(whole.content) == blocks_of(faced.server.said)
    assert kinds == [
        "message_start",
        "content_block_start", "thinking_delta", "thinking_delta", "signature_delta",
        "content_block_stop",
        "content_block_start", "input_json_delta", "content_block_stop",
        "message_delta", "message_stop",
    ]  # fmt: skip


def test_white_space_begins_a_text_and_is_none(faced: Any) -> None:
    said = [ReplyText("content", each) for each in (" ", "\n", "Hi", " ")]
    faced.server.said = [ReplyText("thought", "\n"), *said, ReplyText("thought", ""), *said[:1],
                         ReplyText("thought", " "), *said[:1], ReplyEnd("stop")]  # fmt: skip
    with faced.messages.stream(**BODY) as stream:
        (block,) = stream.get_final_message().content
    assert block.text == " \nHi   "


@pytest.mark.parametrize(
    ("said", "reason", "stop"),
    [
        ([ReplyText("content", "It"), ReplyEnd("stop")], "end_turn", None),
        ([ReplyText("content", "It"), ReplyEnd("stop", stop="END")], "stop_sequence", "END"),
        ([ReplyCall("c", "area", "{}"), ReplyEnd("stop", stop="END")], "tool_use", None),
        ([ReplyCall("c", "area", "{}"), ReplyEnd("length")], "max_tokens", None),
        ([ReplyText("content", "It"), ReplyEnd("length", stop="END")], "max_tokens", None),
        ([ReplyText("content", "No."), ReplyEnd("content_filter")], "refusal", None),
        ([ReplyEnd("tool_calls")], "end_turn", None),
    ],
)
def test_a_message_says_why_it_ends(faced: Any, said: Any, reason: str, stop: Any) -> None:
    faced.server.said = said
    with faced.messages.stream(**BODY, tools=[AREA]) as stream:
        streamed = stream.get_final_message()
    for message in (streamed, faced.messages.create(**BODY, tools=[AREA])):
        assert (message.stop_reason, message.stop_sequence) == (reason, stop)
        assert message.usage.output_tokens == 0


def test_a_thought_that_is_not_shown_comes_back(faced: Any) -> None:
    faced.server.said = [
        ReplyText("thought", "Deep 湖"),
        ReplyCall("c", "area", "{}"),
        ReplyEnd("tool_calls"),
    ]
    hidden = {"type": "adaptive", "display": "omitted"}
    with faced.messages.stream(**BODY, tools=[AREA], thinking=hidden) as stream:
        kinds = [event.type for event in stream]
        message = stream.get_final_message()
    assert "thinking" not in kinds
    assert message.content[0].thinking == ""
    assert faced.messages.create(**BODY, tools=[AREA], thinking=hidden).content == message.content
    back = {"role": "assistant", "content": message.content}
    faced.messages.create(**{**BODY, "messages": [USER, back, user(result("c", "38 km²"))]})
    assert faced.server.asked.history[1]["reasoning_content"] == "Deep 湖"


# -- errors --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "error", "kind"),
    [
        (400, anthropic.BadRequestError, "invalid_request_error"),
        (401, anthropic.AuthenticationError, "authentication_error"),
        (403, anthropic.PermissionDeniedError, "permission_error"),
        (404, anthropic.NotFoundError, "not_found_error"),
        (413, anthropic.APIStatusError, "request_too_large"),
        (422, anthropic.UnprocessableEntityError, "invalid_request_error"),
        (429, anthropic.RateLimitError, "rate_limit_error"),
        (500, anthropic.InternalServerError, "api_error"),
        (502, anthropic.InternalServerError, "api_error"),
        (503, anthropic.InternalServerError, "overloaded_error"),
        (504, anthropic.InternalServerError, "timeout_error"),
    ],
)
def test_an_error_is_the_one_of_its_status(faced: Any, status: int, error: Any, kind: str) -> None:
    faced.server.said = [ReplyFailure(status, "it is broken")]
    with pytest.raises(error, match="it is broken") as caught:
        faced.messages.create(**BODY)
    assert caught.value.type == kind


def test_a_wrong_request_is_refused(faced: Any) -> None:
    with pytest.raises(anthropic.BadRequestError, match="`container` needs a provider"):
        faced.messages.create(**BODY, container="c")


@pytest.mark.parametrize("said", [ReplyText("content", ""), ReplyText("content", "It ha")])
def test_a_reply_that_breaks_off_raises(faced: Any, said: Any) -> None:
    faced.server.said = [said, ReplyFailure(502, "the upstream is gone")]
    with (
        pytest.raises(anthropic.APIStatusError, match="the upstream is gone") as caught,
        faced.messages.stream(**BODY) as stream,
    ):
        stream.get_final_message()
    assert caught.value.type == "api_error"
    with pytest.raises(anthropic.APIStatusError, match="the upstream is gone"):
        for _ in faced.messages.create(**BODY, stream=True):
            pass


# -- what a client asks --------------------------------------------------------------------------

IMAGE: Any = {"type": "base64", "media_type": "image/png", "data": "aGk="}
TALK: Any = [
    user({"type": "text", "text": "Which lake?"}, {"type": "image", "source": IMAGE}),
    assistant(
        {"type": "thinking", "thinking": "It may be Thun.", "signature": "x"},
        {"type": "text", "text": "I "}, {"type": "text", "text": "look."},
        use("c1", "area", lake="Thun"), use("c2", "depth", lake="Thun"),
    ),
    user(
        result("c2", [{"type": "text", "text": "no such lake"}], is_error=True),
        result("c1", "48 km²"),
        {"type": "text", "text": "And Lake Zug?", "cache_control": {"type": "ephemeral"}},
    ),
]  # fmt: skip


def call(call_id: str, name: str, arguments: str) -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return {"id": call_id, "type": "function", "function": function}


def test_a_conversation_is_read_as_that_of_chat_completions() -> None:
    asked = read(messages=TALK, tools=[AREA, DEPTH])
    image = {"url": "data:image/png;base64,aGk="}
    assert asked.history == [
        {"role": "user", "content": [
            {"type": "text", "text": "Which lake?"}, {"type": "image_url", "image_url": image}]},
        {"role": "assistant", "content": "I look.", "reasoning_content": "It may be Thun.",
         "tool_calls": [
            call("c1", "area", '{"lake": "Thun"}'), call("c2", "depth", '{"lake": "Thun"}')]},
        {"role": "tool", "tool_call_id": "c2", "content": "Error: no such lake"},
        {"role": "tool", "tool_call_id": "c1", "content": "48 km²"},
        {"role": "user", "content": "And Lake Zug?"},
    ]  # fmt: skip
    assert not asked.warnings


def test_two_apis_ask_the_same() -> None:
    instructions = "Be brief."
    theirs = [
        {"role": "user", "content": [
            {"type": "input_text", "text": "Which lake?"},
            {"type": "input_image", "image_url": "data:image/png;base64,aGk="}]},
        {"type": "reasoning", "id": "r", "summary": [
            {"type": "summary_text", "text": "It may be Thun."}]},
        {"role": "assistant", "content": [{"type": "output_text", "text": "I look."}]},
        {"type": "function_call", "call_id": "c1", "name": "area",
         "arguments": '{"lake": "Thun"}'},
        {"type": "function_call", "call_id": "c2", "name": "depth",
         "arguments": '{"lake": "Thun"}'},
        {"type": "function_call_output", "call_id": "c2", "output": "Error: no such lake"},
        {"type": "function_call_output", "call_id": "c1", "output": "48 km²"},
        {"role": "user", "content": "And Lake Zug?"},
    ]  # fmt: skip
    function = {"type": "function", "name": "area", "parameters": SCHEMA}
    tools = [{**function, "description": AREA["description"]}]
    one = ResponsesFace().read({
        "model": "m", "instructions": instructions, "input": theirs, "tools": tools,
        "tool_choice": {"type": "function", "name": "area"}, "max_output_tokens": 99,
        "parallel_tool_calls": False, "reasoning": {"effort": "high"}, "temperature": 1,
        "text": {"format": {"type": "json_schema", "name": "x", "schema": SCHEMA}},
    })  # fmt: skip
    other = read(
        system=instructions, messages=TALK, tools=[AREA], temperature=1,
        tool_choice={"type": "tool", "name": "area", "disable_parallel_tool_use": True},
        thinking={"type": "adaptive"},
        output_config={"effort": "high", "format": {"type": "json_schema", "schema": SCHEMA}},
    )  # fmt: skip
    for name in (
        "model", "system", "history", "tools", "tool_choice", "parallel", "stream", "schema",
        "settings", "count", "warnings",
    ):  # fmt: skip
        assert getattr(one, name) == getattr(other, name), name


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_model_of_any_dialect_is_asked(dialect: str) -> None:
    prompt = asked_again(read(messages=TALK, system="Be brief.", tools=[AREA, DEPTH]), dialect)
    shown = "\n".join(str(message) for message in prompt)
    for said in ("Be brief.", "It may be Thun.", "I look.", "Error: no such lake", "48 km²"):
        assert said in shown
    assert shown.index("48 km²") < shown.index("And Lake Zug?")


@given(said=replies())
def test_what_the_client_got_comes_back(said: list[Any]) -> None:
    server = Faced(anthropic, MessagesFace())
    messages = server.client(anthropic.Anthropic).messages
    server.said = said
    message = messages.create(**BODY, tools=[AREA, DEPTH])
    talk = [USER]
    if message.content:
        talk.append({"role": "assistant", "content": message.content})
    results = [result(block.id, "1") for block in message.content if block.type == "tool_use"]
    server.said = [ReplyEnd("stop")]
    messages.create(
        model="m",
        max_tokens=9,
        messages=[*talk, user(*results, {"type": "text", "text": "?"})],
        tools=[AREA, DEPTH],
    )
    asked_in_all(server.asked, said)


def test_what_is_said_one_after_another_is_one_message() -> None:
    said = [
        {"role": "assistant", "content": "One."},
        assistant(
            {"type": "text", "text": "Two"}, {"type": "thinking", "thinking": "a", "signature": ""},
            {"type": "thinking", "thinking": "b", "signature": ""}, {"type": "text", "text": "."},
        ),
    ]  # fmt: skip
    asked = read(messages=[USER, *said, USER])
    assert asked.history[1:-1] == [
        {"role": "assistant", "content": "One.\n\nTwo\n\n.", "reasoning_content": "a\n\nb"}
    ]


def test_the_system_is_one_text() -> None:
    blocks = [
        {"type": "text", "text": "x-anthropic-billing-header: cch=0f3a;"},
        {"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}},
        {"type": "text", "text": "Use tools."},
    ]
    asked = read(system=blocks, messages=[USER, {"role": "system", "content": "Now."}])
    assert asked.system == "Be brief.\n\nUse tools.\n\nNow."
    assert len(asked.history) == 1


def test_documents_and_references_go_on() -> None:
    pdf = {"type": "base64", "media_type": "application/pdf", "data": "aGk="}
    asked = read(
        messages=[
            user(
                {"type": "document", "title": "Lakes", "source": {"type": "text", "data": "Zug"}},
                {"type": "document", "source": {
                    "type": "content", "content": [{"type": "text", "text": "Thun"}]}},
                {"type": "search_result", "title": "A", "source": "b", "content": [
                    {"type": "text", "text": "c"}]},
                {"type": "document", "source": pdf},
                {"type": "image", "source": {"type": "url", "url": "http://x/y.png"}},
            ),
            assistant(use("c", "find")),
            user(result("c", [{"type": "tool_reference", "tool_name": "area"}])),
        ]
    )  # fmt: skip
    file = {"filename": "document", "file_data": "data:application/pdf;base64,aGk="}
    assert asked.history[0]["content"] == [
        {"type": "text", "text": "Lakes\nZug"},
        {"type": "text", "text": "Thun"},
        {"type": "text", "text": "A\nb\nc"},
        {"type": "file", "file": file},
        {"type": "image_url", "image_url": {"url": "http://x/y.png"}},
    ]
    assert asked.history[2]["content"] == "area"


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", "Error"), ("it failed", "Error: it failed"), ("ERROR 5", "ERROR 5"),
        ([{"type": "image", "source": IMAGE}], "Error:"),
    ],
)  # fmt: skip
def test_a_model_sees_that_a_tool_failed(content: Any, told: str) -> None:
    talk = [USER, assistant(use("c", "area")), user(result("c", content, is_error=True))]
    said = read(messages=talk).history[2]["content"]
    assert (said if isinstance(said, str) else said[0]["text"]) == told


def test_what_only_a_provider_can_read_or_run_is_left_out() -> None:
    web = {"type": "web_search_20250305", "name": "web_search"}
    said = assistant(
        {"type": "redacted_thinking", "data": "x"},
        {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}},
        {"type": "web_search_tool_result", "tool_use_id": "s", "content": []},
        {"type": "text", "text": "Found."},
    )
    asked = read(tools=[AREA, web], messages=[USER, said, USER], mcp_servers=[{"url": "x"}])
    assert [tool["name"] for tool in asked.tools] == ["area"]
    assert asked.history[1] == {"role": "assistant", "content": "Found."}
    assert len(asked.warnings) == 5
    with pytest.raises(ValueError, match="no tool to call: only its provider can run web_search"):
        read(tools=[web], tool_choice={"type": "any"})
    with pytest.raises(ValueError, match="no tool to call: only its provider can run"):
        read(tools=[AREA, web], tool_choice={"type": "tool", "name": "web_search"})


@pytest.mark.parametrize(
    ("choice", "told", "parallel"),
    [
        (None, "auto", True),
        ({"type": "auto", "disable_parallel_tool_use": True}, "auto", False),
        ({"type": "any"}, "required", True),
        ({"type": "none"}, "none", True),
        ({"type": "tool", "name": "depth", "disable_parallel_tool_use": False}, "depth", True),
    ],
)
def test_a_choice_is_honoured(choice: Any, told: str, parallel: bool) -> None:
    asked = read(tools=[AREA, DEPTH], tool_choice=choice)
    assert (asked.tool_choice, asked.parallel) == (told, parallel)
    assert len(asked.tools) == 2


@pytest.mark.parametrize(
    ("thinking", "config", "settings"),
    [
        (None, None, {}),
        (None, {"effort": "max"}, {"reasoning_effort": "max"}),
        ({"type": "disabled"}, {"effort": "high"}, {"reasoning_effort": "none"}),
        ({"type": "adaptive"}, {"effort": "low"}, {"reasoning_effort": "low"}),
        ({"type": "between_tools"}, None, {}),
        ({"type": "enabled", "budget_tokens": 1024}, None,
         {"reasoning_effort": "low", "thinking_budget_tokens": 1024}),
        ({"type": "enabled", "budget_tokens": 10_000}, None,
         {"reasoning_effort": "medium", "thinking_budget_tokens": 10_000}),
        ({"type": "enabled", "budget_tokens": 32_000}, {"effort": "xhigh"},
         {"reasoning_effort": "xhigh", "thinking_budget_tokens": 32_000}),
    ],
)  # fmt: skip
def test_how_much_to_think_goes_on(thinking: Any, config: Any, settings: Any) -> None:
    asked = read(thinking=thinking, output_config=config)
    assert asked.settings == {"max_tokens": 99, **settings}


def test_settings_go_on_under_the_names_of_chat_completions() -> None:
    asked = read(
        temperature=0.2, top_p=1, top_k=4, stop_sequences=["END"], stream=True,
        metadata={"user_id": "u"}, service_tier="auto", output_format={
            "type": "json_schema", "schema": SCHEMA},
    )  # fmt: skip
    expected = {"max_tokens": 99, "temperature": 0.2, "top_p": 1, "top_k": 4}
    assert asked.settings == expected
    assert (asked.stop, asked.stream, asked.schema) == (["END"], True, SCHEMA)
    form = {"type": "json_schema", "schema": {}}
    both = {"output_config": {"format": form}, "output_format": {**form, "schema": SCHEMA}}
    assert read(**both).schema == {}
    assert not asked.warnings


def test_a_text_to_be_continued_goes_on() -> None:
    begun = assistant({"type": "text", "text": "It is"})
    expected = {"role": "assistant", "content": "It is"}
    assert read(messages=[USER, begun]).history[-1] == expected


def typed(kind: str, **fields: Any) -> Any:
    return {"type": kind, **fields}


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"model": ""}, "`model` is missing"),
        ({"max_tokens": None}, "`max_tokens` is missing"),
        ({"max_tokens": 0}, "`max_tokens` must be 1 or more"),
        ({"max_tokens": True}, "`max_tokens` must be a whole number"),
        ({"messages": []}, "`messages` has no user message"),
        ({"messages": "x"}, "`messages` must be a list"),
        ({"messages": [5]}, r"`messages\[0\]` must be an object"),
        ({"messages": [{"role": "tool", "content": ""}]}, "must be user, assistant or system"),
        ({"messages": [{"role": "user"}]}, r"`messages\[0\].content` is missing"),
        ({"messages": [user({"text": "x"})]}, r"`messages\[0\].content\[0\].type` is missing"),
        ({"messages": [user(typed("text"))]}, r"content\[0\].text` is missing"),
        ({"messages": [user(typed("video"))]}, "not 'video'"),
        ({"messages": [user(typed("image"))]}, r"content\[0\].source.type` is missing"),
        ({"messages": [user(typed("image", source=typed("file", file_id="f")))]},
         "must be base64 or url, not 'file': send the content of the file itself"),
        ({"messages": [user(typed("document", source=typed("url", url="u")))]},
         "must be base64 or text or content, not 'url'"),
        ({"messages": [assistant(typed("image"))]}, "in an assistant message, not 'image'"),
        ({"messages": [assistant(typed("tool_use", id="c", name="x", input="[]"))]},
         "input` must be an object"),
        ({"messages": [assistant(use("", "x"))]}, r"content\[0\].id` is missing"),
        ({"messages": [USER, assistant(use("c", "area"))]}, r"the call 'c' \(.*\) has no result"),
        (
            {"messages": [USER, assistant(use("c", "area")), USER]},
            r"the call 'c' \(.*\) has no result",
        ),
        ({"messages": [user(result("c", "1"))]}, "the call 'c', which was not sent before it"),
        ({"messages": [USER, assistant(typed("thinking", thinking="x"))]}, "reliably continues"),
        ({"system": 5}, "`system` must be a string or a list"),
        ({"system": [typed("image")]}, r"`system\[0\].type` must be text here, not 'image'"),
        ({"tools": [{"name": "x"}]}, r"`tools\[0\].input_schema` is missing"),
        ({"tools": [{"input_schema": {}}]}, r"`tools\[0\].name` is missing"),
        ({"tools": [AREA, AREA]}, "two tools have the name 'area'"),
        ({"tools": [AREA], "tool_choice": "any"}, "`tool_choice` must be an object"),
        ({"tools": [AREA], "tool_choice": {"type": "all"}}, "auto, any, tool or none, not 'all'"),
        ({"tools": [AREA], "tool_choice": {"type": "tool"}}, "`tool_choice.name` is missing"),
        ({"tools": [AREA], "tool_choice": {"type": "tool", "name": "x"}}, "'x', which is not in"),
        ({"tool_choice": {"type": "any"}}, "no tool to call"),
        ({"container": {"skills": [1]}}, "`container` needs"),
        ({"thinking": {"type": "enabled"}}, "`thinking.budget_tokens` must be a whole number"),
        ({"thinking": {"type": "on"}}, "adaptive or between_tools, not 'on'"),
        ({"output_config": {"format": {"type": "xml"}}}, "have the type json_schema, not 'xml'"),
        ({"output_config": {"format": {"type": "json_schema"}}}, "output_config.format` must have"),
        ({"stop_sequences": [""]}, "`stop_sequences` must be a string or a list of strings"),
        ({"stream": 1}, "`stream` must be true or false"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(fields: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        read(**fields)


FULL: Any = {
    **BODY, "messages": TALK, "tools": [AREA, DEPTH], "tool_choice": {"type": "any"},
    "system": [{"type": "text", "text": "x"}], "thinking": {"type": "enabled", "budget_tokens": 9},
    "output_config": {"format": {"type": "json_schema", "schema": {}}}, "stop_sequences": ["x"],
}  # fmt: skip


@given(st.data())
def test_any_other_shape_is_read_or_refused(data: st.DataObject) -> None:
    body = copy.deepcopy(FULL)
    for _ in range(data.draw(st.integers(1, 2))):
        spoil(body, data)
    asked = read_or_refused(MessagesFace(), body)
    if asked is not None:
        said = [
            ReplyText("thought", "x"),
            ReplyCall("c", "run", '{"a": 1}'),
            ReplyEnd("tool_calls"),
        ]
        assert json.loads(written(MessagesFace().writer(asked), said)[0][1])
