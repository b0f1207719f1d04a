"""The same completion is the same message, whole and as the sum of its chunks, and goes back alike.

No field is excepted. What cannot be the same is said where a client delivers it: some APIs have no
broken arguments in whole messages, or no chunks of calls. Whole messages of some APIs have no text
of the arguments, so there the text that goes back is compared as values (`HAVE_TEXT`).
"""

import json
import pickle
from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from operator import add
from typing import Any, Final

import langchain_core.messages as lc
import pytest

from agent_parsers import get_parser, to_anthropic, to_langchain, to_openai, to_openai_responses
from output_parsers.streams.accumulator import Accumulator
from outputs import (
    AIMessage,
    AIMessageChunk,
    ToolMessage,
    from_any,
    message_chunk_to_message,
    tool_call,
    tool_call_chunk,
)
from outputs.messages import utils
from outputs.messages.wire_calls import written_arguments
from tests.helpers import wire
from tests.helpers.item_events import ollama_chunk
from tests.helpers.wire import Fields, calls_of

ARGUMENTS: Final = (
    "{}",
    '{"query":"a","limit":"2"}',
    '{"query": "a", "limit": 2}',
    '{ "query" :  "a b" ,\n  "limit": 2.50 }',
    ' {"query": "a"} ',
    '{"query": "Zürich \\u00fc \\ud83d\\ude00 😀"}',
    '{"query": "say \\"hi\\"\\n\\t\\\\ \\/ end"}',
    '{"a": {"b": [1, 2, {"c": null}]}, "d": true, "e": -1e3}',
    '{"empty": "", "list": [], "object": {}}',
)
"""Arguments as models write them."""
EMPTY: Final = ""
BROKEN: Final = ('{"query": "a', "query=a", "[1, 2]")
TEXTS: Final = ("It is noon.", "Two words:\n\n- old\n- seven", "Zürich 😀 «so»", " a  b ")


def said(*arguments: str, content: str | None = None, **more: str) -> Fields:
    """Return a message of Chat Completions with a call for each of the *arguments*."""
    calls = [
        {
            "id": f"call_{number}",
            "type": "function",
            "function": {"name": f"tool_{number % 2}", "arguments": text},
        }
        for number, text in enumerate(arguments)
    ]
    message: Fields = {"role": "assistant", "content": content, **more}
    return {**message, "tool_calls": calls} if calls else message


MESSAGES: Final = (
    *(said(content=text) for text in TEXTS),
    *(said(content=text, reasoning_content="I know\nthis: now.") for text in TEXTS[:2]),
    said(refusal="I cannot help with that."),
    *map(said, ARGUMENTS),
    said(*ARGUMENTS[:2]),
    said(*ARGUMENTS[1:4], content="I look."),
    said(*ARGUMENTS[4:7], reasoning_content="I need three."),
    said(ARGUMENTS[5], content="I look.", reasoning_content="Hm."),
    said(ARGUMENTS[1], ARGUMENTS[1]),
    said(EMPTY),
    said(EMPTY, ARGUMENTS[1], content="Both."),
    said(ARGUMENTS[2], EMPTY),
    *map(said, BROKEN),
    said(ARGUMENTS[1], BROKEN[0]),
)
SIZES: Final = (1, 3, 8, 10_000)
"""How many characters a chunk has."""

# -- the clients -----------------------------------------------------------------------------------


def cut(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def as_objects(message: Fields) -> list[Fields] | None:
    """Return the calls with arguments that are objects, `None` if these are none."""
    try:
        made = [{**c, "arguments": json.loads(c["arguments"] or "{}")} for c in calls_of(message)]
    except ValueError:
        return None
    return made if all(isinstance(each["arguments"], dict) for each in made) else None


def chat(message: Fields, _size: int) -> tuple[Any, list[Any]]:
    return wire.completion(message), wire.completion_chunks(message)


def function(message: Fields, size: int) -> tuple[Any, list[Any]] | None:
    """Return the older form, in which a message has one call."""
    calls = message.get("tool_calls", [])
    if len(calls) != 1:
        return None
    beside = {name: part for name, part in message.items() if name != "tool_calls"}
    return chat({**beside, "function_call": calls[0]["function"]}, size)


def responses(message: Fields, _size: int) -> tuple[Any, list[Any]]:
    return wire.response(message), wire.response_events(message)


def anthropic(message: Fields, _size: int) -> tuple[Any, list[Any]] | None:
    """Return a message whose arguments are objects: the API has no others in whole messages."""
    if (whole := wire.anthropic_message(message)) is None or message.get("refusal"):
        return None
    *events, ended, stop = wire.anthropic_events(message)
    delta = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    return whole, [*events, {**ended, "delta": delta}, stop]


def ollama(message: Fields, size: int) -> tuple[Any, list[Any]] | None:
    """Return a message whose calls are data, which come in one piece."""
    if (calls := as_objects(message)) is None or message.get("refusal"):
        return None
    functions = [
        {"function": {"name": call["name"], "arguments": call["arguments"]}} for call in calls
    ]
    beside: Fields = {"tool_calls": functions} if calls else {}
    thought, text = message.get("reasoning_content") or "", message["content"] or ""
    whole = ollama_chunk({"thinking": thought, "content": text, **beside}, done=True)
    pieces = [
        *(ollama_chunk({"thinking": piece}) for piece in cut(thought, size)),
        *(ollama_chunk({"content": piece}) for piece in cut(text, size)),
        *(ollama_chunk({"tool_calls": [each]}) for each in functions),
        ollama_chunk({}, done=True),
    ]
    return whole, pieces


def messages(
    make: Callable[..., Any], make_chunk: Callable[..., Any]
) -> Callable[[Fields, int], tuple[Any, list[Any]] | None]:
    """Return a way to deliver messages of LangChain's kind, whose arguments are objects.

    The sum of its chunks closes what is broken, which the whole message has as an invalid call.
    """

    def delivered(message: Fields, size: int) -> tuple[Any, list[Any]] | None:
        if (calls := as_objects(message)) is None:
            return None
        more = {n: message[n] for n in ("reasoning_content", "refusal") if message.get(n)}
        content = message["content"] or ""
        whole = make(
            content=content,
            tool_calls=[tool_call(name=c["name"], args=c["arguments"], id=c["id"]) for c in calls],
            additional_kwargs=more,
            response_metadata={"finish_reason": "stop"},
            id="run-1",
        )
        pieces = [
            *(
                make_chunk(content="", additional_kwargs={n: p})
                for n in more
                for p in cut(more[n], size)
            ),
            *(make_chunk(content=piece) for piece in cut(content, size)),
        ]
        for index, call in enumerate(calls_of(message)):
            first = tool_call_chunk(name=call["name"], args="", id=call["id"], index=index)
            rest = [tool_call_chunk(args=p, index=index) for p in cut(call["arguments"], size)]
            pieces += (make_chunk(content="", tool_call_chunks=[each]) for each in (first, *rest))
        end = make_chunk(content="", response_metadata={"finish_reason": "stop"}, id="run-1")
        return whole, [*pieces, end]

    return delivered


CLIENTS: Final[dict[str, Callable[[Fields, int], tuple[Any, list[Any]] | None]]] = {
    "chat": chat,
    "functions": function,
    "responses": responses,
    "anthropic": anthropic,
    "ollama": ollama,
    "langchain": messages(lc.AIMessage, lc.AIMessageChunk),
    "ours": messages(AIMessage, AIMessageChunk),
}
HAVE_TEXT: Final = ("chat", "functions", "responses")
"""The clients whose whole messages have the arguments as the model wrote them."""


@pytest.fixture(params=SIZES)
def size(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    size: int = request.param
    monkeypatch.setattr(wire, "cut", lambda text: cut(text, size))
    return size


def cases(client: str, size: int) -> Iterator[tuple[Fields, AIMessage, list[AIMessage]]]:
    """Yield each message with the whole message and with the sums of its chunks."""
    return cases_of(client, MESSAGES, size)


def cases_of(
    client: str, messages: Sequence[Fields], size: int
) -> Iterator[tuple[Fields, AIMessage, list[AIMessage]]]:
    for message in messages:
        if (found := CLIENTS[client](message, size)) is not None:
            whole, chunks = found
            ours = from_any(whole)
            assert isinstance(ours, AIMessage)
            yield message, ours, [*sums(chunks)]


def sums(chunks: Sequence[Any]) -> Iterator[AIMessage]:
    """Yield the messages of the sums of *chunks*: at once, one by one, and as parsers add them."""
    ours = [from_any(chunk) for chunk in chunks]
    pieces = [chunk for chunk in ours if isinstance(chunk, AIMessageChunk)]
    if len(pieces) == len(ours):  # Ollama's API has no chunks: each of its pieces is a message
        yield as_message(pieces[0] + pieces[1:])
        yield as_message(reduce(add, pieces))
    accumulator = Accumulator()
    for chunk in ours:
        accumulator.add(chunk)
    yield as_message(getattr(accumulator.generation(), "message"))  # noqa: B009 - of a chat


def as_message(total: Any) -> AIMessage:
    message = message_chunk_to_message(total)
    assert type(message) is AIMessage
    return message


@pytest.mark.parametrize("client", CLIENTS)
def test_whole_equals_streamed(client: str, size: int) -> None:
    found = 0
    for message, whole, totals in cases(client, size):
        found += 1
        # A parser's sum of a response closes what is broken, as it does while the stream goes on;
        # the parser itself refuses such a call.
        is_closed = client == "responses" and whole.invalid_tool_calls
        for total in totals[:-1] if is_closed else totals:
            assert total == whole, message
            assert whole == total, message
    assert found > 10


def history_of(message: AIMessage) -> list[Any]:
    """Return *message* with a result for each of its calls."""
    if call := message.additional_kwargs.get("function_call"):
        return [message, {"role": "function", "name": call["name"], "content": "seen"}]
    calls = [*message.tool_calls, *message.invalid_tool_calls]
    results = [
        ToolMessage(f"seen {number}", tool_call_id=call["id"] or "")
        for number, call in enumerate(calls)
    ]
    return [message, *results]


WRITERS: Final[dict[str, Callable[..., list[Any]]]] = {
    "openai": to_openai,
    "anthropic": to_anthropic,
    "responses": to_openai_responses,
    "langchain": to_langchain,
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("client", CLIENTS)
def test_whole_and_streamed_go_back_alike(client: str, writer: str, size: int) -> None:
    for message, whole, totals in cases(client, size):
        if not whole.invalid_tool_calls:
            known = written(writer, whole, as_values=client not in HAVE_TEXT)
            for total in totals:
                again = written(writer, total, as_values=client not in HAVE_TEXT)
                assert again == known, message


def written(writer: str, message: AIMessage, *, as_values: bool) -> list[Any]:
    found = WRITERS[writer](history_of(message), new_id="call_{}".format)
    if as_values and writer != "langchain":
        for said in found:
            for call in said.get("tool_calls") or ():
                call["function"]["arguments"] = json.loads(call["function"]["arguments"])
            if "arguments" in said:
                said["arguments"] = json.loads(said["arguments"])
    return found


@pytest.mark.parametrize("client", [client for client in CLIENTS if client != "ollama"])
def test_arguments_go_back_as_the_model_wrote_them(client: str, size: int) -> None:
    for message, whole, totals in cases(client, size):
        for known in (whole, *totals) if client in HAVE_TEXT else totals:
            first, *_ = to_openai(history_of(known))
            texts = [each["function"]["arguments"] for each in first.get("tool_calls") or ()]
            if "function_call" in first:
                texts = [first["function_call"]["arguments"]]
            meant = [call["arguments"] for call in calls_of(message)]
            for text, given in zip(texts, meant, strict=True):
                assert text == given or given in (*BROKEN, EMPTY)


@pytest.mark.parametrize("client", [client for client in CLIENTS if client != "functions"])
def test_the_steps_of_a_parser_go_back_alike(client: str, size: int) -> None:
    parser = get_parser("tools")
    for message in MESSAGES:
        delivered = CLIENTS[client](message, size)
        if delivered is None or not calls_of(message) or is_broken(message):
            continue
        whole, chunks = delivered
        (streamed,) = parser.transform(iter(chunks))
        meant = [call["arguments"] or "{}" for call in calls_of(message)]
        for actions in (parser.invoke(whole), streamed):
            assert isinstance(actions, list)
            first, *_ = to_openai([(each, "seen") for each in actions], new_id="call_{}".format)
            texts = [each["function"]["arguments"] for each in first["tool_calls"]]
            assert [*map(json.loads, texts)] == [*map(json.loads, meant)]
            if client in HAVE_TEXT or (actions is streamed and client != "ollama"):
                assert texts == meant


def is_broken(message: Fields) -> bool:
    return any(call["arguments"] in BROKEN for call in calls_of(message))


def test_a_call_that_was_changed_goes_back_as_it_is_now() -> None:
    ((_, _, (message, *_)),) = cases_of("ours", [said(ARGUMENTS[1])], 3)
    (call,) = message.tool_calls
    assert written_arguments(message, call) == ARGUMENTS[1]
    call["args"]["query"] = "b"
    assert written_arguments(message, call) is None
    first, *_ = to_openai(history_of(message))
    assert first["tool_calls"][0]["function"]["arguments"] == '{"query": "b", "limit": "2"}'


def test_copies_keep_the_text_and_it_is_no_part_of_equality_or_of_the_json() -> None:
    ((_, whole, (message, *_)),) = cases_of("ours", [said(ARGUMENTS[1])], 3)
    for copied in (
        message.model_copy(), message.model_copy(deep=True), pickle.loads(pickle.dumps(message)),
    ):  # fmt: skip
        assert written_arguments(copied, copied.tool_calls[0]) == ARGUMENTS[1]
    assert message.model_dump() == whole.model_dump()
    assert repr(message) == repr(whole)
    assert written_arguments(whole, whole.tool_calls[0]) is None


def test_members_of_a_call_go_back_from_a_stream() -> None:
    """Gemini's API refuses a call without its signature."""
    signed = {"extra_content": {"google": {"thought_signature": "c2ln"}}}
    message = said(ARGUMENTS[1], ARGUMENTS[2])
    message["tool_calls"][1] |= signed
    whole, chunks = chat(message, 3)
    for total in sums(chunks):
        assert total == from_any(whole)
        calls = to_openai(history_of(total))[0]["tool_calls"]
        assert "extra_content" not in calls[0]
        assert calls[1]["extra_content"] == signed["extra_content"]


def test_a_custom_tool_has_its_text_in_both() -> None:
    custom = {"id": "1", "type": "custom", "custom": {"name": "run", "input": 'echo "é"\nls'}}
    whole = wire.completion({"role": "assistant", "content": None, "tool_calls": [custom]})
    first = {**custom, "index": 0, "custom": {"name": "run", "input": ""}}
    deltas = [{"tool_calls": [first]}] + [
        {"tool_calls": [{"index": 0, "custom": {"input": piece}}]}
        for piece in cut('echo "é"\nls', 3)
    ]
    chunks = [*map(wire.completion_chunk, deltas), *wire.completion_chunks({})[-2:]]
    for total in sums(chunks):
        assert total == from_any(whole)
        assert to_openai(history_of(total))[0]["tool_calls"] == [custom]


@pytest.mark.parametrize("reason", ["length", None])
def test_a_call_whose_arguments_may_be_cut_is_not_made_of_chunks(reason: str | None) -> None:
    for text in (EMPTY, *BROKEN):
        *chunks, _, usage = wire.completion_chunks(said(text))
        chunks += [wire.completion_chunk({}, reason), usage]
        for total in sums(chunks):
            assert not total.tool_calls
            assert [call["args"] for call in total.invalid_tool_calls] == [text]


def test_the_law_catches_a_sum_that_keeps_the_form_of_chunks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(utils, "WHOLE_FORMS", [])
    for client in ("chat", "responses", "anthropic"):
        assert any(totals[0] != whole for _, whole, totals in cases(client, 8))


def test_the_law_catches_a_sum_that_forgets_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(utils, "keep_arguments", lambda *_: None)
    for client in ("anthropic", "ours", "langchain"):
        with pytest.raises(AssertionError):
            test_arguments_go_back_as_the_model_wrote_them(client, 8)
