"""The face of OpenAI's Responses API, before OpenAI's client."""

import copy
import json
from types import SimpleNamespace
from typing import Any

import openai
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai.types.responses import Response, ResponseStreamEvent
from pydantic import BaseModel, TypeAdapter

from agent_serving.serve.exchange.events import ReplyCall, ReplyEnd, ReplyFailure, ReplyText
from agent_serving.serve.faces.opaque_thoughts import seal
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

AREA: Any = {
    "type": "function", "name": "area", "description": "How large a lake is.", "strict": False,
    "parameters": {
        "type": "object", "properties": {"lake": {"type": "string"}}, "required": ["lake"],
    },
}  # fmt: skip
DEPTH: Any = {**AREA, "name": "depth", "description": "How deep a lake is."}
RUN: Any = {"type": "custom", "name": "run", "description": "Runs a command."}
PDF = "data:application/pdf;base64,aGk="
BODY: Any = {"model": "m", "input": "How large is Lake Thun?"}
EVENTS: Any = TypeAdapter(ResponseStreamEvent)


@pytest.fixture
def faced() -> Any:
    faced = Faced(openai, ResponsesFace())
    return SimpleNamespace(server=faced, responses=faced.client(openai.OpenAI).responses)


def read(**fields: Any) -> Any:
    return ResponsesFace().read({**BODY, **fields})


def data(events: Any) -> list[dict[str, Any]]:
    return [json.loads(text) for _, text in events]


# -- what a client is told -----------------------------------------------------------------------


def blocks_in(output: Any) -> list[tuple[str, Any]]:
    """Return the items of a response as `blocks_of` does."""
    blocks: list[tuple[str, Any]] = []
    for item in output:
        if item.type == "message":
            (part,) = item.content
            blocks.append(("content", part.text))
        elif item.type == "reasoning":
            (part,) = item.content or item.summary
            blocks.append(("thought", part.text))
        else:
            blocks.append(("call", (item.call_id, item.name, json.loads(item.arguments))))
    return blocks


@given(said=replies(), summary=st.sampled_from((None, "auto")))
def test_a_stream_adds_up_to_what_was_said(said: list[Any], summary: Any) -> None:
    server = Faced(openai, ResponsesFace())
    client = server.client(openai.OpenAI)
    server.said = said
    is_cut = said[-1].reason == "length"
    with client.responses.stream(
        model="m", input="?", tools=[AREA, DEPTH], reasoning={"summary": summary}
    ) as stream:
        events = [*stream]
        if is_cut:
            with pytest.raises(RuntimeError, match=r"response\.completed"):
                stream.get_final_response()
            last: Any = events[-1].response
        else:
            last = stream.get_final_response()
    assert [event.sequence_number for event in events] == [*range(len(events))]
    assert last.status == ("incomplete" if is_cut else "completed")
    assert blocks_in(last.output) == blocks_of(said)
    whole = Response.model_validate(server.writer.whole)
    assert blocks_in(whole.output) == blocks_of(said)
    assert [item.id for item in whole.output] == [item.id for item in last.output]
    assert not {item.id for item in whole.output} & {f"call{n:05}" for n in range(9)}
    if said[-1].usage:
        assert last.usage.output_tokens_details.reasoning_tokens == 3
        assert last.usage.input_tokens_details.cached_tokens == 5


@given(said=replies())
def test_every_event_is_one_of_the_clients_types(said: list[Any]) -> None:
    writer = ResponsesFace().writer(read(tools=[AREA, DEPTH, RUN]))
    events = written(writer, said)
    for name, text in events:
        event = EVENTS.validate_json(text)
        assert event.type == name
        assert "\n" not in text
        assert unknown_in(event) <= {"store"}


@given(said=replies())
def test_a_whole_response_has_what_was_said(said: list[Any]) -> None:
    server = Faced(openai, ResponsesFace())
    client = server.client(openai.OpenAI)
    server.said = said
    response = client.responses.create(**BODY, tools=[AREA, DEPTH])
    assert blocks_in(response.output) == blocks_of(said)
    assert response.to_dict() == server.writer.whole


def test_the_events_of_a_reply(faced: Any) -> None:
    faced.server.said = [
        ReplyText("thought", "Thun"), ReplyText("thought", "?"), ReplyText("content", "Wait."),
        ReplyCall("c1", "area", '{"lake": "Thun"}'), ReplyEnd("tool_calls", USAGE),
    ]  # fmt: skip
    with faced.responses.stream(**BODY, tools=[AREA]) as stream:
        kinds = [event.type.removeprefix("response.") for event in stream]
        output = stream.get_final_response().output
    assert blocks_in(output) == blocks_of(faced.server.said)
    assert kinds == [
        "created", "in_progress",
        "output_item.added", "content_part.added", "reasoning_text.delta", "reasoning_text.delta",
        "reasoning_text.done", "content_part.done", "output_item.done",
        "output_item.added", "content_part.added", "output_text.delta", "output_text.done",
        "content_part.done", "output_item.done",
        "output_item.added", "function_call_arguments.delta", "function_call_arguments.done",
        "output_item.done", "completed",
    ]  # fmt: skip


def test_a_custom_tool_is_called_with_its_text(faced: Any) -> None:
    faced.server.said = [
        ReplyCall("c1", "run", '{"input": "ls -l\\n"}'),
        ReplyCall("c2", "run", '{"__arg1": "pwd"}'),
        ReplyCall("c3", "run", '{"cmd": "id"}'), ReplyCall("c4", "run", '{"input": ""}'),
        ReplyEnd("tool_calls"),
    ]  # fmt: skip
    with faced.responses.stream(**BODY, tools=[RUN]) as stream:
        events = [*stream]
        response = stream.get_final_response()
    assert [item.type for item in response.output] == ["custom_tool_call"] * 4
    given = ["ls -l\n", "pwd", '{"cmd": "id"}', ""]
    assert [item.input for item in response.output] == given
    assert [e.input for e in events if e.type == "response.custom_tool_call_input.done"] == given


def test_what_was_cut_says_so(faced: Any) -> None:
    faced.server.said = [
        ReplyCall("c1", "area", "{}"), ReplyText("content", "It has"), ReplyEnd("length"),
    ]  # fmt: skip
    response = faced.responses.create(**BODY, tools=[AREA])
    assert response.status == "incomplete"
    assert response.incomplete_details.reason == "max_output_tokens"
    assert [item.status for item in response.output] == ["completed", "incomplete"]
    assert response.completed_at is None
    faced.server.said = [ReplyText("content", "No."), ReplyEnd("content_filter")]
    response = faced.responses.create(**BODY)
    assert response.incomplete_details.reason == "content_filter"


def test_a_thought_is_a_summary_if_one_is_asked_for(faced: Any) -> None:
    faced.server.said = [ReplyText("thought", "Deep."), ReplyEnd("stop")]
    with faced.responses.stream(**BODY, reasoning={"summary": "concise"}) as stream:
        kinds = [event.type for event in stream if "reasoning" in event.type]
        (item,) = stream.get_final_response().output
    assert kinds == [
        "response.reasoning_summary_part.added",
        "response.reasoning_summary_text.delta",
        "response.reasoning_summary_text.done",
        "response.reasoning_summary_part.done",
    ]
    assert [part.text for part in item.summary] == ["Deep."]
    assert item.content is None


def test_a_thought_is_also_sealed_if_that_is_asked_for(faced: Any) -> None:
    faced.server.said = [ReplyText("thought", "Deep 湖"), ReplyEnd("stop")]
    response = faced.responses.create(**BODY, include=["reasoning.encrypted_content"])
    (item,) = response.output
    assert item.encrypted_content == seal("Deep 湖")
    back = {"type": "reasoning", "id": item.id, "summary": []}
    sealed = {**back, "encrypted_content": item.encrypted_content}
    asked = read(input=[sealed, {"role": "assistant", "content": "So?"}, *USER])
    assert asked.history[0]["reasoning_content"] == "Deep 湖"
    asked = read(input=[{**back, "encrypted_content": "gAAAA"}, *USER])
    assert "only its provider" in asked.warnings[0]


def test_what_was_asked_is_repeated(faced: Any) -> None:
    faced.server.said = [ReplyEnd("stop")]
    asked: Any = {
        "instructions": "Be brief.", "metadata": {"run": "7"}, "temperature": 0.5, "top_p": 0.9,
        "max_output_tokens": 50, "tool_choice": {"type": "function", "name": "area"},
        "tools": [AREA, {"type": "web_search"}, RUN], "parallel_tool_calls": False,
        "text": {"format": {"type": "json_object"}}, "user": "u", "prompt_cache_key": "k",
        "reasoning": {"effort": "low"},
    }  # fmt: skip
    response = faced.responses.create(**BODY, **asked).to_dict()
    for name, value in asked.items():
        if name not in ("tools", "reasoning"):
            assert response[name] == value
    assert [tool["type"] for tool in response["tools"]] == ["function", "web_search", "custom"]
    assert response["reasoning"]["effort"] == "low"
    assert response["store"] is response["background"] is False
    assert response["truncation"] == "disabled"
    assert response["previous_response_id"] is None
    assert response["usage"] is None


# -- errors --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, openai.BadRequestError), (401, openai.AuthenticationError),
        (403, openai.PermissionDeniedError), (404, openai.NotFoundError),
        (422, openai.UnprocessableEntityError), (429, openai.RateLimitError),
        (500, openai.InternalServerError), (502, openai.InternalServerError),
    ],
)  # fmt: skip
def test_an_error_is_the_one_of_its_status(faced: Any, status: int, error: Any) -> None:
    faced.server.said = [ReplyFailure(status, "it is broken", "why_code")]
    with pytest.raises(error, match="it is broken") as caught:
        faced.responses.create(**BODY)
    assert caught.value.code == "why_code"
    assert caught.value.type.endswith("_error")


def test_a_wrong_request_is_refused(faced: Any) -> None:
    with pytest.raises(openai.BadRequestError, match="`previous_response_id` refers to a response"):
        faced.responses.create(**BODY, previous_response_id="resp_1")


@pytest.mark.parametrize(
    "said", [[], [ReplyText("content", "It ha")], [ReplyText("thought", "It ha")]]
)
def test_a_reply_that_breaks_off_raises(faced: Any, said: list[Any]) -> None:
    faced.server.said = [*said, ReplyFailure(502, "the upstream is gone", "gone")]
    if not said:
        faced.server.said.insert(0, ReplyText("content", ""))
    events: list[Any] = []
    with (
        pytest.raises(openai.APIError, match="the upstream is gone") as caught,
        faced.responses.stream(**BODY) as stream,
    ):
        events.extend(stream)
    assert caught.value.code == "gone"
    assert events[-1].type == "response.failed"
    assert events[-1].response.error.message == "the upstream is gone"
    with pytest.raises(openai.APIError, match="the upstream is gone"):
        for _ in faced.responses.create(**BODY, stream=True):
            pass


@pytest.mark.parametrize(
    ("status", "code"),
    [(400, "invalid_prompt"), (429, "rate_limit_exceeded"), (504, "server_error")],
)
def test_the_events_of_a_failure_are_of_the_clients_types(status: int, code: str) -> None:
    writer = ResponsesFace().writer(read())
    events = written(writer, [ReplyText("content", "It ha"), ReplyFailure(status, "gone")])
    failed, error = (EVENTS.validate_json(text) for _, text in events[-2:])
    assert (failed.type, failed.response.error.code) == ("response.failed", code)
    assert (error.type, error.message) == ("error", "gone")
    assert failed.response.output[0].status == "incomplete"


# -- what a client asks --------------------------------------------------------------------------

USER: Any = [{"role": "user", "content": "And Lake Zug?"}]
TALK: Any = [
    {"role": "developer", "content": [{"type": "input_text", "text": "Use tools."}]},
    {"type": "message", "role": "user", "content": [
        {"type": "input_text", "text": "Which lake?"},
        {"type": "input_image", "image_url": "data:image/png;base64,aGk=", "detail": "low"}]},
    {"type": "reasoning", "id": "rs_1", "summary": [],
     "content": [{"type": "reasoning_text", "text": "It may be Thun."}]},
    {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
     "content": [{"type": "output_text", "text": "I look.", "annotations": []}]},
    {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "area",
     "arguments": '{"lake": "Thun"}', "status": "completed"},
    {"type": "function_call", "id": "fc_2", "call_id": "c2", "name": "depth",
     "arguments": '{"lake": "Thun"}'},
    {"type": "function_call_output", "call_id": "c2", "output": "217 m"},
    {"type": "function_call_output", "call_id": "c1", "output": [
        {"type": "input_text", "text": "48 km²"}]},
    *USER,
]  # fmt: skip


def call(call_id: str, name: str, arguments: str) -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return {"id": call_id, "type": "function", "function": function}


def test_a_conversation_is_read_as_that_of_chat_completions() -> None:
    asked = read(input=TALK, instructions="Be brief.", tools=[AREA, DEPTH])
    assert asked.system == "Be brief.\n\nUse tools."
    image = {"url": "data:image/png;base64,aGk=", "detail": "low"}
    assert asked.history == [
        {"role": "user", "content": [
            {"type": "text", "text": "Which lake?"}, {"type": "image_url", "image_url": image}]},
        {"role": "assistant", "content": "I look.", "reasoning_content": "It may be Thun.",
         "tool_calls": [
            call("c1", "area", '{"lake": "Thun"}'), call("c2", "depth", '{"lake": "Thun"}')]},
        {"role": "tool", "tool_call_id": "c2", "content": "217 m"},
        {"role": "tool", "tool_call_id": "c1", "content": "48 km²"},
        {"role": "user", "content": "And Lake Zug?"},
    ]  # fmt: skip
    assert not asked.warnings


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_model_of_any_dialect_is_asked(dialect: str) -> None:
    prompt = asked_again(read(input=TALK, instructions="Be brief.", tools=[AREA, RUN]), dialect)
    shown = "\n".join(str(message) for message in prompt)
    for said in ("Be brief.", "Use tools.", "It may be Thun.", "I look.", "217 m", "48 km²"):
        assert said in shown
    assert shown.index("48 km²") < shown.index("And Lake Zug?")


@given(said=replies())
def test_what_the_client_got_comes_back(said: list[Any]) -> None:
    server = Faced(openai, ResponsesFace())
    client = server.client(openai.OpenAI)
    server.said = said
    response = client.responses.create(**BODY, tools=[AREA, DEPTH, RUN])
    items: list[Any] = [*USER, *response.output]
    for item in response.output:
        if item.type == "function_call":
            items.append({"type": "function_call_output", "call_id": item.call_id, "output": "1"})
    server.said = [ReplyEnd("stop")]
    client.responses.create(model="m", input=[*items, *USER], tools=[AREA, DEPTH, RUN])
    asked_in_all(server.asked, said)


def test_a_refusal_is_what_was_said() -> None:
    parts = [{"type": "refusal", "refusal": "I "}, {"type": "input_text", "text": "will not."}]
    asked = read(input=[*USER, {"role": "assistant", "content": parts}, *USER])
    assert asked.history[1]["content"] == "I will not."


def test_a_custom_tool_is_a_function_with_a_text() -> None:
    grammar = {"type": "grammar", "syntax": "lark", "definition": "start: WORD"}
    asked = read(
        tools=[{**RUN, "format": grammar}],
        input=[
            *USER,
            {"type": "custom_tool_call", "call_id": "c1", "name": "run", "input": 'echo "hi"'},
            {"type": "custom_tool_call_output", "call_id": "c1", "output": "hi"},
        ],
    )
    (tool,) = asked.tools
    assert tool["parameters"]["properties"] == {"input": {"type": "string"}}
    assert "start: WORD" in tool["description"]
    assert "not enforced" in asked.warnings[0]
    assert asked.history[1]["tool_calls"] == [call("c1", "run", '{"input": "echo \\"hi\\""}')]


def test_files_and_sounds_go_on() -> None:
    sound = {"data": "aGk=", "format": "wav"}
    asked = read(
        input=[
            {"role": "user", "content": [
                {"type": "input_file", "filename": "a.pdf", "file_data": PDF},
                {"type": "input_audio", "input_audio": sound},
            ]},
        ]
    )  # fmt: skip
    file = {"filename": "a.pdf", "file_data": PDF}
    assert asked.history[0]["content"] == [
        {"type": "file", "file": file},
        {"type": "input_audio", "input_audio": sound},
    ]


def test_a_tool_that_only_openai_runs_is_left_out() -> None:
    hosted = [{"type": "web_search"}, {"type": "mcp", "server_label": "s"}]
    asked = read(tools=[AREA, *hosted], tool_choice="required")
    assert [tool["name"] for tool in asked.tools] == ["area"]
    assert len(asked.warnings) == 2
    assert "`tools[1]`, a tool of the type 'web_search'" in asked.warnings[0]
    with pytest.raises(ValueError, match="no tool to call: only its provider can run web_search"):
        read(tools=hosted, tool_choice="required")
    with pytest.raises(ValueError, match="no tool to call: only its provider can run"):
        read(tools=[AREA, *hosted], tool_choice={"type": "web_search"})
    items = [{"type": "web_search_call", "id": "ws_1", "status": "completed"}, *USER]
    assert "`input[0].type` is web_search_call" in read(input=items).warnings[0]


def test_tools_may_come_as_an_item() -> None:
    asked = read(input=[{"type": "additional_tools", "role": "developer", "tools": [AREA]}, *USER])
    assert [tool["name"] for tool in asked.tools] == ["area"]


def test_a_function_without_parameters_takes_no_arguments() -> None:
    for tool in (named("x"), {**named("x"), "parameters": None, "strict": None}):
        assert read(tools=[tool]).tools == [
            {**named("x"), "parameters": {"type": "object", "properties": {}}}
        ]


def test_a_tool_may_be_in_a_namespace(faced: Any) -> None:
    tools: Any = [
        AREA,
        {"type": "namespace", "name": "lakes", "description": "", "tools": [AREA, RUN]},
        {"type": "namespace", "name": "mcp__sea__", "description": "", "tools": [AREA]},
    ]
    shown = ["area", "lakes__area", "lakes__run", "mcp__sea__area"]
    faced.server.said = [
        *(ReplyCall(f"c{n}", name, '{"input": "ls"}') for n, name in enumerate(shown)),
        ReplyEnd("tool_calls"),
    ]
    with faced.responses.stream(**BODY, tools=tools) as stream:
        output = stream.get_final_response().output
    asked = faced.server.asked
    assert [tool["name"] for tool in asked.tools] == shown
    assert not asked.warnings
    calls = [(item.type, item.namespace, item.name) for item in output]
    assert calls == [
        ("function_call", None, "area"), ("function_call", "lakes", "area"),
        ("custom_tool_call", "lakes", "run"), ("function_call", "mcp__sea__", "area"),
    ]  # fmt: skip
    results = [{**RESULT, "call_id": item.call_id} for item in output]
    faced.responses.create(model="m", input=[*USER, *output, *results], tools=tools)
    told = faced.server.asked.history[1]["tool_calls"]
    assert [each["function"]["name"] for each in told] == shown
    chosen = {**named("area"), "namespace": "lakes"}
    assert read(tools=tools, tool_choice=chosen).tool_choice == "lakes__area"


def named(name: str) -> dict[str, str]:
    return {"type": "function", "name": name}


@pytest.mark.parametrize(
    ("choice", "choices", "names"),
    [
        (None, "auto", ["area", "depth"]),
        ("none", "none", ["area", "depth"]),
        ("required", "required", ["area", "depth"]),
        (named("depth"), "depth", ["area", "depth"]),
        ({"type": "allowed_tools", "mode": "auto", "tools": [named("area")]}, "auto", ["area"]),
        ({"type": "allowed_tools", "mode": "required", "tools": [named("area"), named("depth")]},
         "required", ["area", "depth"]),
        ({"type": "allowed_tools", "mode": "auto", "tools": []}, "auto", []),
        ({"type": "allowed_tools", "mode": "required", "tools": [
            named("area"), {"type": "web_search"}]}, "area", ["area", "depth"]),
    ],
)  # fmt: skip
def test_a_choice_is_honoured(choice: Any, choices: str, names: list[str]) -> None:
    asked = read(tools=[AREA, DEPTH, {"type": "web_search"}], tool_choice=choice)
    assert (asked.tool_choice, [tool["name"] for tool in asked.tools]) == (choices, names)


def test_a_tool_may_have_the_name_of_a_choice() -> None:
    asked = read(tools=[AREA, {**AREA, "name": "none"}], tool_choice=named("none"))
    assert (asked.tool_choice, [tool["name"] for tool in asked.tools]) == ("required", ["none"])
    asked = read(tools=[{**RUN, "name": "auto"}], tool_choice={"type": "custom", "name": "auto"})
    assert asked.tool_choice == "required"


def test_settings_go_on_under_the_names_of_chat_completions() -> None:
    asked = read(
        max_output_tokens=9, temperature=1, top_p=0.5, top_k=3, seed=7, parallel_tool_calls=False,
        reasoning={"effort": "minimal"}, text={"verbosity": "low"}, stream=True,
        stream_options={"include_obfuscation": False}, store=True, truncation="auto",
    )  # fmt: skip
    assert asked.settings == {
        "max_tokens": 9, "temperature": 1, "top_p": 0.5, "top_k": 3, "seed": 7,
        "reasoning_effort": "minimal", "verbosity": "low",
    }  # fmt: skip
    assert (asked.parallel, asked.stream, asked.include_usage) == (False, True, True)
    assert not asked.warnings


def test_a_form_of_the_answer_is_a_schema() -> None:
    schema = {"type": "object", "properties": {"area": {"type": "number"}}}

    def form(**fields: Any) -> Any:
        return read(text={"format": fields}).schema

    assert form(type="json_schema", name="x", schema=schema) == schema
    assert form(type="json_object") == {"type": "object"}
    assert form(type="text") is None


def test_the_client_sends_the_schema_of_a_model(faced: Any) -> None:
    class Lake(BaseModel):
        name: str

    faced.server.said = [ReplyText("content", '{"name": "Thun"}'), ReplyEnd("stop")]
    response = faced.responses.parse(**BODY, text_format=Lake)
    assert response.output_parsed == Lake(name="Thun")
    assert faced.server.asked.schema["required"] == ["name"]


def test_a_field_that_is_not_known_is_left_out_with_a_warning() -> None:
    assert read(context_management=[{"type": "compaction"}], shine=None).warnings == [
        "`context_management` is dropped: this server does not know it"
    ]


def test_a_text_to_be_continued_goes_on() -> None:
    begun = {"role": "assistant", "content": "It is"}
    assert read(input=[*USER, begun]).history[-1] == begun
    assert read(input=[*USER, {**begun, "content": ""}]).history[-1] == USER[0]


FUNCTION_CALL: Any = {
    "type": "function_call", "call_id": "c1", "name": "area", "arguments": "{}",
}  # fmt: skip
RESULT: Any = {"type": "function_call_output", "call_id": "c1", "output": "1"}


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"input": [{"role": "assistant", "content": [{"type": "input_image"}]}]},
         r"`input\[0\].content\[0\].type` must be output_text or refusal, not 'input_image'"),
        ({"model": None}, "`model` is missing"),
        ({"input": None}, "`input` has no user message"),
        ({"input": []}, "`input` has no user message"),
        ({"input": [{"role": "developer", "content": "x"}]}, "`input` has no user message"),
        ({"input": 5}, "`input` must be a string or a list, not 5"),
        ({"input": "Zug \ud83c"}, "valid text: character 5 is half a surrogate pair"),
        ({"input": ["x"]}, r"`input\[0\]` must be an object, not 'x'"),
        ({"input": [{"role": "usr", "content": ""}]}, r"`input\[0\].role` must be user, assistant"),
        ({"input": [{"role": "user"}]}, r"`input\[0\].content` is missing"),
        ({"input": [{"role": "user", "content": [{"type": "input_text"}]}]},
         r"`input\[0\].content\[0\].text` is missing"),
        ({"input": [{"role": "user", "content": [{"type": "video"}]}]}, "not 'video'"),
        ({"input": [{"role": "user", "content": [{"type": "input_image", "file_id": "f"}]}]},
         "`input.*file_id` refers to a file, which is not stored here: send it in `.*image_url`"),
        ({"input": [{"role": "system", "content": [{"type": "input_image"}]}]},
         "must be input_text or text here, not 'input_image'"),
        ({"input": [{"type": "item_reference", "id": "x"}]}, "send the item itself"),
        ({"input": [{"type": "compaction", "encrypted_content": "x"}]}, "only OpenAI can read"),
        ({"input": [{"type": "hologram"}]}, "an unknown type here"),
        ({"input": [*USER, FUNCTION_CALL]}, r"the call 'c1' \(.*\) has no result"),
        ({"input": [*USER, FUNCTION_CALL, *USER]}, r"the call 'c1' \(.*\) has no result"),
        ({"input": [*USER, FUNCTION_CALL, FUNCTION_CALL]}, "of another call without a result"),
        ({"input": [*USER, RESULT]}, "the call 'c1', which was not sent before it"),
        ({"input": [*USER, FUNCTION_CALL, RESULT, RESULT]}, "'c1', which already has a result"),
        ({"input": [{**FUNCTION_CALL, "name": ""}]}, r"`input\[0\].name` is missing"),
        ({"input": [*USER, FUNCTION_CALL, {**RESULT, "output": None}]}, "output` is missing"),
        ({"input": [*USER, TALK[2]]}, "no model reliably continues"),
        ({"instructions": ["x"]}, "`instructions` must be a string"),
        ({"tools": {}}, "`tools` must be a list"),
        ({"tools": [{"name": "x"}]}, r"`tools\[0\].type` is missing"),
        ({"tools": [{"type": "function"}]}, r"`tools\[0\].name` is missing"),
        ({"tools": [{**AREA, "parameters": "x"}]}, r"`tools\[0\].parameters` must be an object"),
        ({"tools": [AREA, AREA]}, "two tools have the name 'area'"),
        ({"tools": [AREA], "tool_choice": "any"}, "`tool_choice` must be auto, none, required"),
        ({"tools": [AREA], "tool_choice": named("depth")}, "'depth', which is not in `tools`"),
        ({"tools": [AREA], "tool_choice": {}}, "`tool_choice.type` is missing"),
        ({"tool_choice": "required"}, "no tool to call"),
        ({"tools": [AREA], "tool_choice": {"type": "allowed_tools", "mode": "required"}},
         "no tool to call"),
        ({"conversation": "c"}, "`conversation` refers to a conversation, which is not stored"),
        ({"background": True}, "`background` asks"),
        ({"prompt": {"id": "p"}}, "send its text in `instructions`"),
        ({"moderation": {"model": "x"}}, "`moderation` is a service"),
        ({"top_logprobs": 2}, "which this server has only at"),
        ({"include": ["message.output_text.logprobs"]}, "which this server has only at"),
        ({"text": {"format": {"type": "xml"}}}, "json_object or json_schema, not 'xml'"),
        ({"text": {"format": {"type": "json_schema"}}}, "`text.format` must have a `schema`"),
        ({"temperature": "hot"}, "`temperature` must be a number"),
        ({"max_output_tokens": 0}, "`max_output_tokens` must be 1 or more"),
        ({"stream": "yes"}, "`stream` must be true or false"),
        ({"reasoning": {"effort": 3}}, "`reasoning.effort` must be a string"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(fields: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        read(**fields)


@pytest.mark.parametrize(
    "fields",
    [{"background": False}, {"top_logprobs": 0}, {"previous_response_id": None}, {"prompt": None}],
)
def test_what_asks_for_nothing_is_taken(fields: dict[str, Any]) -> None:
    assert not read(**fields).warnings


FULL: Any = {
    **BODY, "input": TALK, "tools": [AREA, DEPTH, RUN], "tool_choice": named("area"),
    "reasoning": {"effort": "low"}, "text": {"format": {"type": "json_schema", "schema": {}}},
    "temperature": 1, "metadata": {}, "include": [], "instructions": "x",
}  # fmt: skip


@given(st.data())
def test_any_other_shape_is_read_or_refused(data: st.DataObject) -> None:
    body = copy.deepcopy(FULL)
    for _ in range(data.draw(st.integers(1, 2))):
        spoil(body, data)
    asked = read_or_refused(ResponsesFace(), body)
    if asked is not None:
        said = [ReplyCall("c", "run", '{"a": 1}'), ReplyEnd("tool_calls")]
        assert written(ResponsesFace().writer(asked), said)


def test_a_request_may_be_nested() -> None:
    schema: Any = {}
    for _ in range(300):
        schema = {"properties": {"x": schema}}
    asked = read(tools=[{**AREA, "parameters": schema}])
    assert written(ResponsesFace().writer(asked), [ReplyEnd("stop")])
    item = {**FUNCTION_CALL, "arguments": "[" * 100_000}
    assert asked_again(read(input=[*USER, item, RESULT], tools=[AREA]), "hermes")
