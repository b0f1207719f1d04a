"""What stands twice in a reply: a whole message behind its chunks, and a call with its result."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import langchain_core.messages as lc
import pytest

from agent_parsers import AgentFinish, OutputParserException, get_parser, run_agent
from agent_parsers.events import ActionComplete, ThoughtDelta
from output_parsers import ModelRefusalError
from outputs import AIMessage, AIMessageChunk, ChatGeneration, from_any

SAILED: list[str] = []


def sail(to: str) -> str:
    """Sails to a port."""
    SAILED.append(to)
    return "there"


def chunk(reason: str | None = None, **delta: Any) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return {"object": "chat.completion.chunk", "choices": [choice]}


def whole(reason: str = "stop", **message: Any) -> dict[str, Any]:
    choice = {"index": 0, "finish_reason": reason, "message": {"role": "assistant", **message}}
    return {"object": "chat.completion", "choices": [choice]}


def call(to: str, **more: Any) -> dict[str, Any]:
    given = json.dumps({"to": to})
    return {"id": "1", "type": "function", "function": {"name": "sail", "arguments": given}, **more}


def use(to: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": "u1", "name": "sail", "input": {"to": to}}


def anthropic(*blocks: dict[str, Any], reason: str = "end_turn") -> dict[str, Any]:
    return {"type": "message", "role": "assistant", "content": [*blocks], "stop_reason": reason}


def events_of(message: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the events in which Anthropic's API streams *message*."""
    found: list[dict[str, Any]] = []
    for index, block in enumerate(message["content"]):
        if block["type"] == "tool_use":
            start, delta = (
                {**block, "input": {}},
                {"type": "input_json_delta", "partial_json": json.dumps(block["input"])},
            )
        elif block["type"] == "text":
            start = {"type": "text", "text": ""}
            delta = {"type": "text_delta", "text": block["text"]}
        else:
            start, delta = block, {}
        found.append({"type": "content_block_start", "index": index, "content_block": start})
        if delta:
            found.append({"type": "content_block_delta", "index": index, "delta": delta})
        found.append({"type": "content_block_stop", "index": index})
    reason = {"stop_reason": message["stop_reason"]}
    return [*found, {"type": "message_delta", "delta": reason}, {"type": "message_stop"}]


def response(*items: dict[str, Any]) -> dict[str, Any]:
    return {"object": "response", "status": "completed", "output": [*items]}


def item(to: str, **more: Any) -> dict[str, Any]:
    given = json.dumps({"to": to})
    return {"type": "function_call", "call_id": "c1", "name": "sail", "arguments": given, **more}


def result(call_id: str = "c1", kind: str = "function_call_output") -> dict[str, Any]:
    return {"type": kind, "call_id": call_id, "output": "there"}


def said(text: str) -> dict[str, Any]:
    content = [{"type": "output_text", "text": text}]
    return {"type": "message", "id": "m", "role": "assistant", "content": content}


def done(*items: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"type": "response.output_item.done", "output_index": index, "item": each}
        for index, each in enumerate(items)
    ]


def read(chunks: list[Any], name: str, *, lenient: bool = True) -> Any:
    """Return where to the chunks sail, or the answer."""
    options: dict[str, Any] = {} if name == "auto" else {"lenient": lenient}
    stream: Any = get_parser(name, tools=[sail], **options).stream_parser()
    for each in chunks:
        stream.feed(each)
    stream.close()
    if isinstance(stream.result, AgentFinish):
        output = stream.result.output
        return output if isinstance(output, str) else output[-1]["text"]
    return [action.tool_input["to"] for action in stream.result]


TEXT = [chunk(content="Fair "), chunk(content="winds"), chunk("stop")]
CALLED = [chunk(tool_calls=[{"index": 0, **call("Ryde")}]), chunk("tool_calls")]
FUNCTION = [chunk(function_call=call("Ryde")["function"]), chunk("function_call")]
HERMES = '<tool_call>\n{"name": "sail", "arguments": {"to": "Ryde"}}\n</tool_call>'
LANGCHAIN = lc.AIMessage("", tool_calls=[{"name": "sail", "args": {"to": "Ryde"}, "id": "1"}])
every_mode = pytest.mark.parametrize("lenient", [True, False], ids=["lenient", "strict"])

CALLS: dict[str, tuple[list[Any], Any]] = {
    "OpenAI": (CALLED, whole("tool_calls", content=None, tool_calls=[call("Ryde")])),
    "another id": (CALLED, whole("tool_calls", tool_calls=[call("Ryde", id="2")])),
    "Anthropic": (events_of(anthropic(use("Ryde"))), anthropic(use("Ryde"))),
    "Responses": (done(item("Ryde")), response(item("Ryde"))),
    "LangChain": ([lc.AIMessageChunk(content="", tool_call_chunks=[
        {"name": "sail", "args": '{"to": "Ryde"}', "id": "1", "index": 0}])], LANGCHAIN),
}  # fmt: skip
"""A call in chunks, and the whole message of it."""


@pytest.mark.parametrize(("chunks", "message"), CALLS.values(), ids=CALLS)
@every_mode
def test_a_call_of_a_whole_message_behind_its_chunks_is_made_once(
    chunks: list[Any], message: Any, lenient: bool
) -> None:
    assert read([*chunks, message], "tools", lenient=lenient) == ["Ryde"]
    assert read([*chunks, message, message], "tools", lenient=lenient) == ["Ryde"]
    assert read([*chunks, message], "auto") == ["Ryde"]
    SAILED.clear()
    replies = iter([[*chunks, message], "There."])
    run_agent(lambda _prompt, tools: next(replies), "?", "tools", [sail])
    assert SAILED == ["Ryde"]


@pytest.mark.parametrize(("chunks", "_message"), CALLS.values(), ids=CALLS)
@pytest.mark.parametrize("other", [
    whole("tool_calls", tool_calls=[call("Yarmouth")]),
    whole("tool_calls", tool_calls=[call("Ryde"), call("Ryde", id="2")]),
    whole(content="No."), anthropic(use("Yarmouth")), response(item("Yarmouth")),
    whole("function_call", function_call=call("Ryde")["function"]),
    anthropic(use("Ryde"), {"type": "shell_call", "call_id": "s", "action": {}}),
])  # fmt: skip
@every_mode
@pytest.mark.one_in(2)
def test_other_calls_behind_the_chunks_are_an_error(
    chunks: list[Any], _message: Any, other: Any, lenient: bool
) -> None:
    with pytest.raises(OutputParserException, match="the chunks contradicts them") as raised:
        read([*chunks, other], "tools", lenient=lenient)
    assert raised.value.problem == "other_whole"


def test_a_function_call_behind_its_chunks_is_made_once() -> None:
    message = whole("function_call", function_call=call("Ryde")["function"])
    parser: Any = get_parser("openai_functions", tools=[sail])
    made = [e for e in parser.events([*FUNCTION, message]) if isinstance(e, ActionComplete)]
    assert len(made) == 1


TEXTS: dict[str, tuple[list[Any], Any]] = {
    "OpenAI": (TEXT, whole(content="Fair winds")),
    "Anthropic": (
        events_of(anthropic({"type": "text", "text": "Fair "}, {"type": "text", "text": "winds"})),
        anthropic({"type": "text", "text": "Fair "}, {"type": "text", "text": "winds"}),
    ),
    "Responses": (done(said("Fair winds")), response(said("Fair winds"))),
    "ours": ([AIMessageChunk("Fair "), AIMessageChunk("winds")], AIMessage("Fair winds")),
    "generation": (TEXT, ChatGeneration(message=AIMessage("Fair winds"))),
    "LangChain": ([lc.AIMessageChunk(content="Fair winds")], lc.AIMessage("Fair winds")),
    "white space": (TEXT, whole(content="Fair winds\n")),
}
every_parser = pytest.mark.parametrize("name", ["tools", "hermes", "auto", "openai_functions"])


@pytest.mark.parametrize(("chunks", "message"), TEXTS.values(), ids=TEXTS)
@every_parser
def test_a_text_behind_its_chunks_is_said_once(chunks: list[Any], message: Any, name: str) -> None:
    alone = read(chunks, name)
    assert read([*chunks, message], name).strip() == alone
    assert "winds" in alone


@every_parser
def test_a_text_that_differs_is_an_error(name: str) -> None:
    for text in ("Fair", "Foul winds", "Fair winds".upper()):
        with pytest.raises(OutputParserException, match="the chunks contradicts them"):
            read([*TEXT, whole(content=text)], name)


@every_parser
def test_the_whole_message_has_what_the_chunks_lack(name: str) -> None:
    assert read([*TEXT[:1], whole(content="Fair winds")], name) == "Fair winds"
    assert read([chunk(role="assistant"), whole(content="Fair winds")], name) == "Fair winds"
    with pytest.raises(ModelRefusalError, match="No"):
        read([*TEXT, whole(content="Fair winds", refusal="No.")], name)
    stream: Any = get_parser(name, tools=[sail]).stream_parser()
    for each in (*TEXT[:2], whole("length", content="Fair winds")):
        stream.feed(each)
    assert stream.ended == "length"
    if name in ("tools", "auto"):
        calls = whole("tool_calls", content="Fair winds", tool_calls=[call("Ryde")])
        assert read([*TEXT[:2], calls], name) == ["Ryde"]


@every_parser
def test_a_task_that_only_the_whole_message_has_is_not_dropped(name: str) -> None:
    task = {"type": "shell_call", "call_id": "s", "action": {"commands": ["ls"]}}
    for chunks, behind in (
        (done(said("Fair")), response(said("Fair"), task)),
        (events_of(anthropic({"type": "text", "text": "Fair"})),
         anthropic({"type": "text", "text": "Fair"}, task)),
    ):  # fmt: skip
        with pytest.raises(OutputParserException):
            read([*chunks, behind], name)


@pytest.mark.parametrize("name", ["hermes", "auto", "tools"])
def test_a_call_in_a_text_behind_its_chunks_is_made_once(name: str) -> None:
    chunks = [chunk(content=HERMES[:30]), chunk(content=HERMES[30:]), chunk("stop")]
    assert read([*chunks, whole(content=HERMES)], name) == ["Ryde"]
    assert read([HERMES[:30], HERMES[30:], AIMessage(HERMES)], name) == ["Ryde"]
    with pytest.raises(OutputParserException, match="contradicts them"):
        read([*chunks, whole(content=HERMES.replace("Ryde", "Hull"))], name)


def test_the_reasoning_is_told_once() -> None:
    thought = {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}
    message = anthropic(thought, {"type": "text", "text": "Fair winds"})
    beside = [chunk(reasoning_content="Hm."), *TEXT]
    for chunks in (
        [*events_of(message), message],
        [*beside, whole(content="Fair winds", reasoning_content="Hm.")],
        [*TEXT, whole(content="Fair winds", reasoning_content="Hm.")],
    ):
        for name in ("tools", "hermes", "auto"):
            parser: Any = get_parser(name, tools=[sail])
            told = [e.text for e in parser.events(chunks) if isinstance(e, ThoughtDelta)]
            assert told == ["Hm."], name


def test_pieces_that_are_messages_are_still_pieces() -> None:
    ollama: list[Any] = [
        {"message": {"role": "assistant", "content": "ha"}, "done": False},
        {"message": {"role": "assistant", "content": "ha"}, "done": True, "done_reason": "stop"},
    ]
    older: list[Any] = [
        {"object": "text_completion", "choices": [{"text": "ha", "finish_reason": reason}]}
        for reason in (None, "stop")
    ]
    mixed = [chunk(content="ha"), "ha"]
    for chunks in (ollama, older, mixed, ["ha", "ha"], ["h", AIMessage("aha")]):
        for name in ("tools", "hermes", "auto"):
            assert read(chunks, name) == "haha"


# -- what comes again ------------------------------------------------------------------------------

CALL = chunk("tool_calls", tool_calls=[{"index": 0, **call("Ryde")}, {"index": 1, **call("Ryde")}])
AGAIN: dict[str, list[Any]] = {
    "OpenAI": [whole("tool_calls", tool_calls=[call("Ryde"), call("Ryde")])],
    "OpenAI in chunks": [CALL],
    "OpenAI twice": [whole("tool_calls", tool_calls=[call("Ryde")])] * 2,
    "chunks behind the whole": [whole("tool_calls", tool_calls=[call("Ryde")]), *CALLED],
    "Anthropic": [anthropic(use("Ryde"), use("Ryde"), reason="tool_use")],
    "Anthropic in events": events_of(anthropic(use("Ryde"), use("Ryde"), reason="tool_use")),
    "Responses": [response(item("Ryde"), item("Ryde"))],
    "Responses in events": done(item("Ryde"), item("Ryde")),
    "Responses twice": [response(item("Ryde"))] * 2,
    "last event": [{"type": "response.completed", "response": response(item("Ryde"))}] * 2,
    "all events": [*done(item("Ryde")), *[
        {"type": "response.completed", "response": response(item("Ryde"))}] * 2],
    "Ollama": [{"message": {"role": "assistant", "tool_calls": [call("Ryde")]}, "done": True}] * 2,
    "LangChain": [lc.AIMessage("", tool_calls=LANGCHAIN.tool_calls * 2)],
}  # fmt: skip


@pytest.mark.parametrize("chunks", AGAIN.values(), ids=AGAIN)
@every_mode
def test_a_call_that_comes_again_with_its_id_is_made_once(chunks: list[Any], lenient: bool) -> None:
    assert read(chunks, "tools", lenient=lenient) == ["Ryde"]
    if len(chunks) == 1:
        parser: Any = get_parser("tools", tools=[sail], lenient=lenient)
        assert len(parser.invoke(chunks[0])) == 1


def line(to: str = "", text: str = "", *, end: str = "") -> dict[str, Any]:
    """Return a line of Ollama's stream."""
    calls = [{"function": {"name": "sail", "arguments": {"to": to}}}] if to else []
    message = {"role": "assistant", "content": text, "tool_calls": calls}
    return {"message": message, "done": bool(end), **({"done_reason": end} if end else {})}


@pytest.mark.parametrize(
    "lines",
    [
        [line("Ryde"), line(end="stop"), line("Ryde"), line(end="stop")],
        [line("Ryde", end="stop"), line("Ryde", end="stop")],
        [line("Ryde", end="stop"), line(text="Well."), line("Hull")],
        [line(text="Well.", end="length"), line("Hull", end="stop")],
    ],
)
@every_mode
def test_a_call_behind_the_end_of_a_stream_of_lines_is_an_error(
    lines: list[Any], lenient: bool
) -> None:
    with pytest.raises(ValueError, match="follows the end of the reply"):
        read(lines, "tools", lenient=lenient)


@every_mode
def test_calls_before_the_end_of_a_stream_of_lines_are_all_made(lenient: bool) -> None:
    for lines in (
        [line("Ryde"), line("Ryde"), line("Hull"), line(end="stop")],
        [line("Ryde"), line("Ryde"), line("Hull", end="stop"), line(end="stop")],
    ):
        assert read(lines, "tools", lenient=lenient) == ["Ryde", "Ryde", "Hull"]


def test_calls_with_one_id_or_none_that_may_differ_are_all_made() -> None:
    for calls in ([call("Ryde"), call("Hull")], [call("Ryde", id=""), call("Ryde", id="null")]):
        assert len(read([whole("tool_calls", tool_calls=calls)], "tools")) == 2


@pytest.mark.parametrize("name", ["tools", "auto"])
def test_the_text_of_a_last_event_that_comes_again_is_said_once(name: str) -> None:
    last = {"type": "response.completed", "response": response(said("Fair"), said("winds"))}
    for chunks in ([last], [*done(said("Fair"), said("winds")), last]):
        assert read([*chunks, last], name) == read(chunks, name)


def test_an_equal_item_that_only_the_last_event_has_is_another() -> None:
    first = done({"type": "reasoning", "id": "r", "summary": []}, item("Ryde"))
    output = response(item("Ryde"), item("Ryde", call_id="c2"))
    assert (
        read([*first, {"type": "response.completed", "response": output}], "tools") == ["Ryde"] * 2
    )


EVENTS: list[dict[str, Any]] = [
    {"type": "response.output_item.added", "item": item("", id="f", arguments="")},
    {"type": "response.function_call_arguments.delta", "item_id": "f", "delta": '{"to": "Ryde"}'},
    *({**event, "output_index": 1} for event in done(item("Ryde", id="f"))),
    {"type": "response.completed", "response": response(
        {"type": "reasoning", "id": "r", "summary": []}, item("Ryde", id="f"))},
]  # fmt: skip


@pytest.mark.parametrize("numbered", [*product([True, False], repeat=3)], ids=str)
@pytest.mark.parametrize("first", [[], done({"type": "reasoning", "id": "r", "summary": []})])
@every_mode
def test_an_event_without_the_number_of_its_item_is_of_no_other_call(
    first: list[Any], numbered: tuple[bool, ...], lenient: bool
) -> None:
    events: list[dict[str, Any]] = [
        {**event, "output_index": 1} if has_number else
        {name: part for name, part in event.items() if name != "output_index"}
        for event, has_number in zip(EVENTS, numbered, strict=False)
    ]  # fmt: skip
    has_delta_elsewhere = numbered[0] != numbered[1]
    for chunks in ([*events], [*events, EVENTS[-1]], [events[0], *events[2:]]):
        if has_delta_elsewhere and events[1] in chunks:
            with pytest.raises(OutputParserException, match="name of a tool"):
                read([*first, *chunks], "tools", lenient=lenient)
        else:
            assert read([*first, *chunks], "tools", lenient=lenient) == ["Ryde"]


# -- a call whose result is in the reply -----------------------------------------------------------

ANSWERED: dict[str, list[Any]] = {
    "whole": [response(item("Ryde"), result(), said("There."))],
    "items": [[item("Ryde"), result(), said("There.")]],
    "custom": [response(
        {"type": "custom_tool_call", "call_id": "c1", "name": "sail", "input": "Ryde"},
        result(kind="custom_tool_call_output"), said("There."))],
    "items that are done": done(item("Ryde"), result(), said("There.")),
    "last event": [{"type": "response.completed", "response": response(
        item("Ryde"), result(), said("There."))}],
    "all events": [
        {"type": "response.output_item.added", "output_index": 0, "item": item("", arguments="")},
        {"type": "response.function_call_arguments.delta", "output_index": 0,
         "delta": '{"to": "Ryde"}'},
        *done(item("Ryde"), result()),
        {"type": "response.output_text.delta", "output_index": 2, "delta": "There."},
        {"type": "response.completed", "response": response(
            item("Ryde"), result(), said("There."))}],
    "Anthropic": [anthropic(
        use("Ryde"), {"type": "tool_result", "tool_use_id": "u1", "content": "there"},
        {"type": "text", "text": "There."})],
    "Anthropic in events": events_of(anthropic(
        use("Ryde"), {"type": "tool_result", "tool_use_id": "u1", "content": "there"},
        {"type": "text", "text": "There."})),
    "parts": [{"role": "assistant", "content": [
        {"type": "tool-call", "toolCallId": "1", "toolName": "sail", "args": {"to": "Ryde"}},
        {"type": "tool-result", "toolCallId": "1", "toolName": "sail", "result": "there"},
        {"type": "text", "text": "There."}]}],
    "LangChain": [lc.AIMessage(
        [{"type": "tool_use", "id": "u1", "name": "sail", "input": {"to": "Ryde"}},
         {"type": "tool_result", "tool_use_id": "u1", "content": "there"},
         {"type": "text", "text": "There."}],
        tool_calls=[{"name": "sail", "args": {"to": "Ryde"}, "id": "u1"}])],
}  # fmt: skip


@pytest.mark.parametrize("chunks", ANSWERED.values(), ids=ANSWERED)
@every_mode
def test_a_call_with_its_result_was_made(chunks: list[Any], lenient: bool) -> None:
    assert read(chunks, "tools", lenient=lenient) == "There."


@pytest.mark.parametrize("chunks", [ANSWERED[n] for n in ANSWERED if n != "LangChain"])
@pytest.mark.parametrize("name", ["hermes", "auto"])
def test_so_is_the_text_beside_it(chunks: list[Any], name: str) -> None:
    assert read(chunks, name) == "There."


@pytest.mark.parametrize("items", [
    [item("Ryde"), result(), item("Hull", call_id="c2")],
    [item("Hull", call_id="c2"), item("Ryde"), result()],
    [item("Ryde"), result(), item("Hull", call_id="c2"), result("c3")],
])  # fmt: skip
@every_mode
def test_a_call_without_its_result_is_made(items: list[Any], lenient: bool) -> None:
    for chunks in ([response(*items)], done(*items)):
        assert read(chunks, "tools", lenient=lenient) == ["Hull"]
        with pytest.raises(OutputParserException, match="found a call to 'sail'"):
            read(chunks, "hermes", lenient=lenient)


def test_the_message_has_no_call_that_was_made() -> None:
    message = from_any(response(item("Ryde"), result(), said("There.")))
    assert isinstance(message, AIMessage)
    assert message.tool_calls == []
    assert len(message.content) == 3
