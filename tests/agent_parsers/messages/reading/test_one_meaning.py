"""A message means one thing: whole or in pieces, said once or twice, in whatever order of keys."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from agent_parsers import AgentFinish, OutputParserException, get_parser
from agent_parsers.messages.reading import outcome
from outputs.clients.late_fields import LateFields

if TYPE_CHECKING:
    from collections.abc import Iterable


def send(to: str = "", amount: float = 1) -> str:
    return f"{to} {amount}"


def said(message: Any, *, lenient: bool = True) -> Any:
    turn = get_parser("tools", tools=[send], lenient=lenient).read(message)
    return _known(turn.result)


def said_in_pieces(pieces: Iterable[Any], *, lenient: bool = True) -> Any:
    stream = get_parser("tools", tools=[send], lenient=lenient).stream_parser()
    for piece in pieces:
        stream.feed(piece)
    stream.close()
    return _known(stream.result)


def _known(result: Any) -> Any:
    if isinstance(result, AgentFinish):
        return result.return_values["output"]
    return [(action.tool_input, action.tool_call_id) for action in result]


def reply(**message: Any) -> dict[str, Any]:
    fields = {"role": "assistant", "content": None, **message}
    return {"choices": [{"index": 0, "finish_reason": None, "message": fields}]}


def piece(**delta: Any) -> dict[str, Any]:
    return {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta}]}


def call(arguments: Any, call_id: Any = "1") -> dict[str, Any]:
    return {"index": 0, "id": call_id, "function": {"name": "send", "arguments": arguments}}


def response(*items: dict[str, Any]) -> dict[str, Any]:
    return {"object": "response", "status": "completed", "output": [*items]}


def item(arguments: str = "{}", **more: Any) -> dict[str, Any]:
    parts = {"type": "function_call", "call_id": "1", "name": "send", "arguments": arguments}
    return {**parts, **more}


GIVEN, TURNED = '{"to": "A", "amount": 2}', '{"amount": 2.0, "to": "A"}'
every_mode = pytest.mark.parametrize("lenient", [True, False], ids=["lenient", "strict"])


def test_the_same_call_in_both_fields_is_one_whatever_the_order_of_its_keys() -> None:
    twice = {"tool_calls": [call(GIVEN)], "function_call": {"name": "send", "arguments": TURNED}}
    assert said(reply(**twice)) == [({"to": "A", "amount": 2}, "1")]


@pytest.mark.parametrize("other", ['{"to": "A", "amount": 3}', '{"to": "A", "amount": true}'])
@every_mode
def test_another_call_in_the_other_field_is_an_error(other: str, lenient: bool) -> None:
    given = '{"to": "A", "amount": 1}'
    twice = {"tool_calls": [call(given)], "function_call": {"name": "send", "arguments": other}}
    with pytest.raises(OutputParserException, match="in addition to the message's tool calls"):
        said(reply(**twice), lenient=lenient)


@every_mode
def test_another_call_in_the_content_is_an_error_where_the_tools_are_known(lenient: bool) -> None:
    content = f'<tool_call>{{"name": "send", "arguments": {GIVEN}}}</tool_call>'
    with pytest.raises(OutputParserException, match="in addition to the message's tool calls"):
        said(reply(content=content, tool_calls=[call("{}")]), lenient=lenient)
    twice = reply(content=content, tool_calls=[call(TURNED)])
    assert said(twice, lenient=lenient) == [({"to": "A", "amount": 2.0}, "1")]


@pytest.mark.parametrize("call_id", ["null", "None"])
@every_mode
def test_a_word_for_no_id_is_none(call_id: Any, lenient: bool) -> None:
    calls = {"tool_calls": [call(GIVEN, call_id)]}
    assert said(reply(**calls), lenient=lenient)[0][1] is None
    assert get_parser("tools").invoke(reply(**calls))[0].tool_call_id is None
    block = {"type": "tool_use", "id": call_id, "name": "send", "input": {"to": "A"}}
    message = {"type": "message", "role": "assistant", "content": [block]}
    assert said(message, lenient=lenient)[0][1] is None


@pytest.mark.parametrize("calls", ["x", ["x"], [None], [{}], [{"function": "send"}], call("{}")])
@every_mode
def test_malformed_calls_are_the_same_whole_and_in_pieces(calls: Any, lenient: bool) -> None:
    def outcome_of(read: Any, given: Any) -> Any:
        try:
            return read(given, lenient=lenient)
        except OutputParserException as error:
            return str(error)

    whole = outcome_of(said, reply(tool_calls=calls))
    assert outcome_of(said_in_pieces, [piece(tool_calls=calls), _stop()]) == whole


def _stop() -> dict[str, Any]:
    chunk = piece()
    chunk["choices"][0]["finish_reason"] = "tool_calls"
    return chunk


@pytest.mark.parametrize("content", [5, {"text": "a"}, [5], [None]])
def test_a_malformed_message_is_one_clear_error(content: Any) -> None:
    one_line = r"^the message cannot be read[^\n]*$"
    with pytest.raises(ValueError, match=one_line):
        said(reply(content=content))
    with pytest.raises(ValueError, match=one_line):
        said_in_pieces([piece(content=content)])


@pytest.mark.parametrize("missing", ["arguments", "call_id", "name"])
@every_mode
def test_a_call_that_lacks_a_part_is_an_error_in_the_last_event_too(
    missing: str, lenient: bool
) -> None:
    broken = item()
    del broken[missing]
    done = {"type": "response.output_item.done", "output_index": 0, "item": broken}
    completed = {"type": "response.completed", "response": response(broken)}
    with pytest.raises(ValueError, match=missing):
        said(response(broken), lenient=lenient)
    for event in (done, completed):
        with pytest.raises(ValueError, match=missing):
            said_in_pieces([event], lenient=lenient)


def test_a_response_that_comes_only_as_a_whole_keeps_the_order_of_its_calls() -> None:
    text = {"type": "custom_tool_call", "call_id": "2", "name": "send", "input": '{"to": "B"}'}
    whole = response(item(), text, item('{"to": "C"}', call_id="3"))
    expected = [({}, "1"), ({"to": "B"}, "2"), ({"to": "C"}, "3")]
    assert said(whole) == expected
    assert said_in_pieces([{"type": "response.completed", "response": whole}]) == expected


@every_mode
def test_the_error_names_the_choice_that_has_the_call(lenient: bool) -> None:
    choices = [
        {"finish_reason": "tool_calls", "message": {"content": "I send it."}},
        {"finish_reason": "tool_calls", "message": {"tool_calls": [call(GIVEN)]}},
    ]
    with pytest.raises(OutputParserException, match="choice 1 has one"):
        said({"choices": choices}, lenient=lenient)
    choices[0]["finish_reason"] = "stop"  # then the others are other samples
    assert said({"choices": choices}, lenient=lenient) == "I send it."


@pytest.mark.parametrize("role", ["user", "tool", "function", "system"])
@every_mode
def test_a_message_of_another_role_is_refused(role: str, lenient: bool) -> None:
    with pytest.raises(TypeError, match="a message from the model"):
        said(reply(content="Sent.", role=role), lenient=lenient)
    with pytest.raises(TypeError, match="a message from the model"):
        said_in_pieces([piece(content="Sent.", role=role)], lenient=lenient)


def test_an_input_that_came_as_text_is_read_in_strict_mode_whole_and_in_pieces() -> None:
    block = {"type": "tool_use", "id": "1", "name": "send", "input": GIVEN}
    message = {"type": "message", "role": "assistant", "content": [block]}
    events = [
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_stop", "index": 0},
    ]
    assert said(message, lenient=False) == said_in_pieces(events, lenient=False)


@pytest.mark.parametrize("reason", ["UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"])
@every_mode
def test_every_reason_that_speaks_of_calls_needs_one(reason: str, lenient: bool) -> None:
    message = reply(content="I send it.")
    message["choices"][0]["finish_reason"] = reason
    with pytest.raises(OutputParserException, match="has no call"):
        said(message, lenient=lenient)


@every_mode
def test_a_stream_without_a_text_is_no_answer(lenient: bool) -> None:
    start = {"type": "message_start", "message": {"role": "assistant", "content": []}}
    with pytest.raises(OutputParserException, match="found no text and no call"):
        said_in_pieces([start], lenient=lenient)


@pytest.mark.parametrize(
    ("content", "answer"),
    [
        ("The tag </think> closes a thought.", "The tag </think> closes a thought."),
        ("Write `</think>` at its end.", "Write `</think>` at its end."),
        ("It is late.\n</think>\nNo.", "No."),
    ],
)
def test_a_mark_of_thoughts_may_be_mentioned(content: str, answer: str) -> None:
    assert said(reply(content=content)) == answer


# -- work ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("call_id", ["1", None])
def test_blocks_with_one_id_are_looked_at_once(
    call_id: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Any] = []
    look = outcome.members_of_block
    monkeypatch.setattr(outcome, "members_of_block", lambda block: seen.append(0) or look(block))
    items = [item(f'{{"amount": {number}}}', call_id=call_id) for number in range(50)]
    assert len(said(response(*items))) == 50
    assert len(seen) == 50


def test_the_last_forms_of_many_items_are_found_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []
    rests = LateFields._rests
    monkeypatch.setattr(
        LateFields, "_rests", lambda self, *args: seen.append(0) or rests(self, *args)
    )
    items = [item(call_id=str(number)) for number in range(50)]
    events = [
        {"type": "response.output_item.added", "output_index": number, "item": each}
        for number, each in enumerate(items)
    ]
    events.append({"type": "response.completed", "response": response(*reversed(items))})
    assert len(said_in_pieces(events)) == 50
    assert len(seen) == 50


@pytest.mark.parametrize("lenient", [True, False])
@pytest.mark.parametrize(
    ("written", "named"), [("NaN", "NaN"), ("1e400", "Infinity"), ("-Infinity", "-Infinity")]
)
def test_a_number_that_json_does_not_have_is_named(written: str, named: str, lenient: bool) -> None:
    arguments = f'{{"to": "ann", "amount": {written}}}'
    block = {"type": "tool_use", "id": "1", "name": "send", "input": json.loads(arguments)}
    calls = [call(arguments)]
    for message in (
        reply(tool_calls=calls),
        reply(tool_calls=calls, content="Now."),
        reply(tool_calls=calls, function_call=calls[0]["function"]),
        {"type": "message", "role": "assistant", "content": [block], "stop_reason": "tool_use"},
        response(item(arguments)),
    ):
        with pytest.raises(OutputParserException, match=f"found {named}"):
            said(message, lenient=lenient)
    with pytest.raises(OutputParserException, match=f"found {named}"):
        said_in_pieces([piece(tool_calls=calls), _stop()], lenient=lenient)
