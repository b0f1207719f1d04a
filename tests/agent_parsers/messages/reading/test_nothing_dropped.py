"""No call of a message is dropped, replaced by another, or made of half of its input.

Each rule is tried in the messages of several clients, whole and in pieces, in both modes.
"""

from __future__ import annotations

import json
from typing import Any

import langchain_core.messages as lc
import pytest

from agent_parsers import AgentFinish, OutputParserException, Repair, get_parser
from agent_parsers.messages.reading.arguments import ARGUMENT
from output_parsers import JsonOutputToolsParser, PydanticToolsParser
from outputs import AIMessage, from_any, message_chunk_to_message


def mail(to: str, copies: int = 0) -> str:
    """Sends a letter."""
    return ""


def lock(door: bool = False) -> str:
    """Locks the house, or only the door."""
    return ""


def bell() -> str:
    """Rings."""
    return ""


def memo(text: str) -> str:
    """Keeps a text."""
    return ""


TOOLS = [mail, lock, bell, memo]
every_mode = pytest.mark.parametrize("lenient", [True, False], ids=["lenient", "strict"])


def said(given: Any, *, lenient: bool = True, name: str = "tools") -> Any:
    """Return the calls, or the text of the answer, in a message or in the pieces of one."""
    parser: Any = get_parser(name, tools=TOOLS, lenient=lenient)
    if not isinstance(given, list):
        result = parser.read(given).result
        assert parser.invoke(given) == result
    else:
        stream = parser.stream_parser()
        for each in given:
            stream.feed(each)
        stream.close()
        result = stream.result
    if isinstance(result, AgentFinish):
        output = result.return_values["output"]
        return output if isinstance(output, str) else "".join(it.get("text", "") for it in output)
    actions = result if isinstance(result, list) else [result]
    return [(action.tool, action.tool_input) for action in actions]


def refused(given: Any, *, lenient: bool, name: str = "tools") -> str:
    """Return the error of a message that is one."""
    with pytest.raises(OutputParserException) as raised:
        said(given, lenient=lenient, name=name)
    assert raised.value.observation
    return str(raised.value)


# -- messages of several clients -------------------------------------------------------------------


def call(tool: str, arguments: Any, call_id: str = "c1", **more: Any) -> dict[str, Any]:
    function = {"name": tool, "arguments": arguments}
    return {"id": call_id, "type": "function", "function": function, **more}


def chat(content: Any = None, *calls: Any, **more: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": content, **more}
    message |= {"tool_calls": [*calls]} if calls else {}
    return {"choices": [{"index": 0, "message": message, "finish_reason": None}]}


def piece(reason: str | None = None, **delta: Any) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return {"object": "chat.completion.chunk", "choices": [choice]}


def pieces(*calls: Any, reason: str | None = "tool_calls", **delta: Any) -> list[dict[str, Any]]:
    found = [piece(**delta)] if delta else []
    found += [piece(tool_calls=[{"index": n, **each}]) for n, each in enumerate(calls)]
    return [*found, piece(reason)] if reason else found


def use(tool: str, given: Any, call_id: str = "c1", **more: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": tool, "input": given, **more}


def claude(*blocks: Any, reason: str = "tool_use", **more: Any) -> dict[str, Any]:
    fields = {"type": "message", "role": "assistant", "content": [*blocks]}
    return {**fields, "stop_reason": reason, **more}


def claude_pieces(*blocks: Any, reason: str = "tool_use") -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for number, block in enumerate(blocks):
        found.append({"type": "content_block_start", "index": number, "content_block": block})
        found.append({"type": "content_block_stop", "index": number})
    return [*found, {"type": "message_delta", "delta": {"stop_reason": reason}}]


def item(tool: str, arguments: Any, **more: Any) -> dict[str, Any]:
    parts = {"type": "function_call", "call_id": "c1", "name": tool, "arguments": arguments}
    return {**parts, **more}


def text_item(text: str, **more: Any) -> dict[str, Any]:
    content = [{"type": "output_text", "text": text}]
    return {"type": "message", "id": "m", "role": "assistant", "content": content, **more}


def response(*items: Any, **more: Any) -> dict[str, Any]:
    return {"object": "response", "status": "completed", "output": [*items], **more}


def added(number: int, it: dict[str, Any]) -> dict[str, Any]:
    return {"type": "response.output_item.added", "output_index": number, "item": it}


def done(number: int, it: dict[str, Any]) -> dict[str, Any]:
    return {"type": "response.output_item.done", "output_index": number, "item": it}


def text_delta(number: int, text: str) -> dict[str, Any]:
    place = {"output_index": number, "content_index": 0, "item_id": f"m{number}"}
    return {"type": "response.output_text.delta", **place, "delta": text}


TEXT = {"type": "text", "text": "All is well."}

# -- an end has to be seen -------------------------------------------------------------------------


def custom(text: str, **more: Any) -> dict[str, Any]:
    return {"id": "c1", "type": "custom", "custom": {"name": "memo", "input": text, **more}}


@every_mode
def test_a_text_input_without_an_end_is_half_of_one(lenient: bool) -> None:
    begun = pieces(custom("rm -r /tm"), reason=None)
    more = piece(tool_calls=[{"index": 0, "custom": {"input": "p/x"}}])
    refused(begun, lenient=lenient)
    refused([*begun, more], lenient=lenient)
    refused([*begun, piece("length")], lenient=lenient)
    whole = [("memo", {"text": "rm -r /tmp/x"})]
    assert said([*begun, more, piece("tool_calls")], lenient=lenient) == whole
    assert said(chat(None, custom("rm -r /tmp/x")), lenient=lenient) == whole
    both = pieces(custom("rm"), call("bell", "{}", "c2"), reason=None)
    assert said(both, lenient=lenient) == [("memo", {"text": "rm"}), ("bell", {})]


@pytest.mark.parametrize("reason", [None, "tool_calls"])
def test_the_message_of_a_text_input_without_an_end_has_no_call(reason: str | None) -> None:
    total: Any = AIMessage("")
    first, *rest = map(from_any, pieces(custom("rm -r /tm"), reason=reason))
    total = first
    for each in rest:
        total += each
    message: Any = message_chunk_to_message(total)
    calls = [(each["name"], each["args"]) for each in message.tool_calls]
    assert calls == ([("memo", {ARGUMENT: "rm -r /tm"})] if reason else [])
    assert len(message.invalid_tool_calls) == (0 if reason else 1)


@every_mode
def test_commentary_without_an_end_is_commentary(lenient: bool) -> None:
    draft = '<tool_call>{"name": "mail", "arguments": {"to": "Ann"}}</tool_call>'
    note, answer = text_item(draft, phase="commentary"), text_item("No.", phase="final_answer")
    events = [
        added(0, {**note, "content": []}), text_delta(0, draft[:9]), text_delta(0, draft[9:]),
        done(0, note), added(1, {**answer, "content": []}), text_delta(1, "No."), done(1, answer),
    ]  # fmt: skip
    completed = {"type": "response.completed", "response": response(note, answer)}
    ends = [each for each in events if "done" in each["type"]]
    bare = [each for each in events if each not in ends]
    assert said(response(note, answer), lenient=lenient) == "No."
    for given in (events, bare, [*events, completed], [*bare, completed]):
        assert said(given, lenient=lenient) == "No."
    assert "only a thought" in refused(bare[:3], lenient=lenient)
    total: Any = from_any(bare[0])
    for each in bare[1:]:
        total += from_any(each)
    said_first: Any = message_chunk_to_message(total).content[0]
    assert said_first["phase"] == "commentary"


# -- one call, said in two places ------------------------------------------------------------------

A, B = {"to": "Ann"}, {"to": "Bob"}
OTHERS = [("mail", B), ("bell", {}), ("mail", {"to": "Ann", "copies": 1})]


def raw(tool: str, arguments: Any, call_id: str = "c1") -> dict[str, Any]:
    return call(tool, json.dumps(arguments), call_id)


def parsed(tool: str, arguments: Any, call_id: str = "c1") -> dict[str, Any]:
    return {"name": tool, "args": arguments, "id": call_id}


def langchain(content: Any, *calls: Any, **more: Any) -> list[Any]:
    """Return the same message as LangChain's, as ours, and as data."""
    fields = {"content": content, "tool_calls": [*calls], **more}
    return [lc.AIMessage(**fields), AIMessage(**fields), {"type": "ai", **fields}]


@pytest.mark.parametrize("call_id", ["c1", "c9"])
@pytest.mark.parametrize(("tool", "arguments"), OTHERS)
@every_mode
def test_a_block_does_not_replace_another_call(
    tool: str, arguments: Any, call_id: str, lenient: bool
) -> None:
    refused(chat([use(tool, arguments, call_id)], raw("mail", A)), lenient=lenient)
    refused(chat([use(tool, arguments, call_id), TEXT], raw("mail", A)), lenient=lenient)
    refused(claude(use(tool, arguments), tool_calls=[raw("mail", A)]), lenient=lenient)
    for message in langchain([use(tool, arguments, call_id)], parsed("mail", A)):
        refused(message, lenient=lenient)


@every_mode
def test_the_same_call_in_a_block_is_one(lenient: bool) -> None:
    one = [("mail", A)]
    assert said(chat([TEXT, use("mail", A)], raw("mail", A)), lenient=lenient) == one
    assert said(claude(use("mail", A), tool_calls=[raw("mail", A)]), lenient=lenient) == one
    blocks: list[dict[str, Any]] = [
        use("mail", A),
        use("mail", {}, partial_json='{"to": "Ann"}', index=1),
        use("mail", '{"to": "Ann"}'),
        item("mail", '{"to": "Ann"}', id="fc"),
        {"type": "tool_call", "id": "c1", "name": "mail", "args": A},
    ]
    for block in blocks:
        for message in langchain([TEXT, block], parsed("mail", A)):
            assert said(message, lenient=lenient) == one
    text = {"type": "custom_tool_call", "call_id": "c1", "name": "memo", "input": "x"}
    for message in langchain([text], parsed("memo", {ARGUMENT: "x"})):
        assert said(message, lenient=lenient) == [("memo", {"text": "x"})]


@pytest.mark.parametrize("lost", [[("mail", A), ("mail", B)], [("mail", B)], [("mail", A)] * 2])
@every_mode
def test_the_raw_calls_of_a_message_are_its_calls(lost: list[Any], lenient: bool) -> None:
    entries = [raw(tool, given, f"c{n}") for n, (tool, given) in enumerate(lost, 1)]
    for message in langchain("", parsed("mail", A), additional_kwargs={"tool_calls": entries}):
        refused(message, lenient=lenient)
    first = {"name": "mail", "args": '{"to": "Ann"}', "id": "c1", "index": 0}
    numbered = [{"index": n, **entry} for n, entry in enumerate(entries)]
    chunk = lc.AIMessageChunk(
        content="", tool_call_chunks=[first], additional_kwargs={"tool_calls": numbered}
    )
    refused([chunk, lc.AIMessageChunk(content="")], lenient=lenient)


@every_mode
def test_raw_calls_may_differ_in_what_does_not_matter(lenient: bool) -> None:
    own = [parsed("mail", {"to": "A\nB"}), parsed("bell", {}, "c2")]
    both = [("mail", {"to": "A\nB"}), ("bell", {})]
    written = '{ "to": "A\nB" }'  # which `json.loads` takes only with strict=False
    for entries in (
        [call("mail", written), call("bell", "", "c2")],
        [call("bell", "{}", "other"), call("mail", written, "another")],
        [call("bell", None)],
    ):
        for message in langchain("", *own, additional_kwargs={"tool_calls": entries}):
            assert said(message, lenient=lenient) == both
    steps: list[dict[str, Any]] = [
        {"index": 0, "id": "c1", "function": {"name": "mail", "arguments": ""}},
        {"index": 0, "id": "c1", "function": {"name": "mail", "arguments": '{"to": "Ann"}'}},
    ]
    chunks = [
        lc.AIMessageChunk(
            content="",
            tool_call_chunks=[
                {"name": "mail", "args": step["function"]["arguments"], "id": "c1", "index": 0}
            ],
            additional_kwargs={"tool_calls": [step]},
        )
        for step in steps
    ]
    assert said(chunks, lenient=lenient) == [("mail", A)]


def test_without_tools_a_strict_parser_takes_the_calls_as_langchain_does() -> None:
    parser = get_parser("tools", lenient=False)
    (edited, *_) = langchain(
        "", parsed("mail", B), additional_kwargs={"tool_calls": [raw("mail", A)]}
    )
    (action,) = parser.invoke(edited)
    assert action.tool_input == B


@pytest.mark.parametrize("cls", [JsonOutputToolsParser, PydanticToolsParser])
def test_a_parser_of_calls_refuses_other_calls_in_the_content(cls: type[Any]) -> None:
    from pydantic import BaseModel

    class Mail(BaseModel):
        to: str

    parser = cls(tools=[Mail]) if cls is PydanticToolsParser else cls()
    with pytest.raises(OutputParserException, match="a call to 'Mail' in the content"):
        parser.invoke(chat([use("Mail", B)], raw("Mail", A)))
    assert len(parser.invoke(chat([use("Mail", A)], raw("Mail", A)))) == 1
    assert len(parser.invoke(claude(use("Mail", A)))) == 1


FOREIGN: list[dict[str, Any]] = [
    {"functionCall": {"name": "mail", "args": B}},
    {"toolUse": {"name": "mail", "input": B}},
    {"type": "tool-call", "toolName": "mail", "args": B},
    {"type": "weird", "name": "mail", "input": B},
]


@pytest.mark.parametrize("block", FOREIGN, ids=str)
@every_mode
def test_a_block_without_an_id_is_not_taken_for_another_call_of_its_tool(
    block: dict[str, Any], lenient: bool
) -> None:
    refused(claude(use("mail", A), block), lenient=lenient)
    for message in langchain([TEXT, block], parsed("mail", A)):
        refused(message, lenient=lenient)


# -- arguments -------------------------------------------------------------------------------------

MEMBERS = ["kwargs", "tool_input", "input_json", "raw", "payload", "body", "data", "value", "x"]


@pytest.mark.parametrize("part", [{"door": True}, '{"door": true}', [True]], ids=str)
@pytest.mark.parametrize("member", MEMBERS)
@every_mode
def test_nothing_beside_empty_arguments_is_dropped(member: str, part: Any, lenient: bool) -> None:
    entry = call("lock", "{}")
    inner = {**entry, "function": {**entry["function"], member: part}}
    for given in (
        chat(None, {**entry, member: part}), pieces({**entry, member: part}),
        chat(None, inner), pieces(inner),
        claude(use("lock", {}, **{member: part})), claude_pieces(use("lock", {}, **{member: part})),
        response(item("lock", "{}", **{member: part})),
        [added(0, item("lock", "{}", **{member: part})), done(0, item("lock", "{}"))],
    ):  # fmt: skip
        assert "the call also has the field" in refused(given, lenient=lenient)


@every_mode
def test_a_parameter_inside_an_unknown_member_is_not_dropped(lenient: bool) -> None:
    entry = raw("mail", A)
    for part in ({"copies": 2}, {"copies": 2, "to": "Ann"}):
        assert "'extra'" in refused(chat(None, {**entry, "extra": part}), lenient=lenient)
    for part in ({"speed": 2}, "x", {"to": "Ann"}):
        assert said(chat(None, {**entry, "extra": part}), lenient=lenient) == [("mail", A)]
    known = {"extra_content": {"door": 1}, "caller": {"type": "direct"}, "index": 3}
    assert said(chat(None, {**call("lock", "{}"), **known}), lenient=lenient) == [("lock", {})]
    assert "'arguments'" in refused(chat(None, custom("a", arguments="b")), lenient=lenient)


@every_mode
def test_langchains_partial_json_is_the_input(lenient: bool) -> None:
    written = '{"door": true}'
    made = [("lock", {"door": True})]
    assert said(claude(use("lock", {}, partial_json=written)), lenient=lenient) == made
    assert said(claude(use("lock", {"door": True}, partial_json=written)), lenient=lenient) == made
    refused(claude(use("lock", {"door": False}, partial_json=written)), lenient=lenient)
    refused(claude(use("lock", {}, partial_json=written[:9])), lenient=lenient)


@pytest.mark.parametrize("value", [False, 0, [], ""], ids=repr)
@every_mode
def test_an_empty_value_is_no_object(value: Any, lenient: bool) -> None:
    text = json.dumps(value)
    forms: list[Any] = [
        chat(None, call("lock", text)), pieces(call("lock", text)),
        claude(use("lock", text)), claude_pieces(use("lock", text)), response(item("lock", text)),
        [added(0, item("lock", "")), done(0, item("lock", text))],
        *langchain("", additional_kwargs={"tool_calls": [call("lock", text)]}),
    ]  # fmt: skip
    if value != "":  # which stands for none
        forms += [
            chat(None, call("lock", value)), pieces(call("lock", value)),
            claude(use("lock", value)), response(item("lock", value)),
        ]  # fmt: skip
    for given in forms:
        assert "expected a JSON object" in refused(given, lenient=lenient)


@pytest.mark.parametrize("text", ["", "null", "{}", None])
@every_mode
def test_no_arguments_are_an_empty_object(text: Any, lenient: bool) -> None:
    for given in (chat(None, call("lock", text)), pieces(call("lock", text))):
        assert said(given, lenient=lenient) == [("lock", {})]


def test_parsers_of_calls_take_an_empty_value_as_langchains_do() -> None:
    parser = JsonOutputToolsParser()
    for text in ("false", "[]", '""', "0"):
        message = {"tool_calls": [call("lock", text)]}
        expected = [{"type": "lock", "args": {}}]
        assert parser.invoke(lc.AIMessage("", additional_kwargs=message)) == expected
        assert parser.invoke(AIMessage("", additional_kwargs=message)) == expected
    for value in (False, 0, []):
        with pytest.raises(OutputParserException, match="as a JSON string"):
            parser.invoke(chat(None, call("lock", value)))


def test_a_call_of_a_function_and_of_a_custom_tool_is_neither() -> None:
    both = {**call("mail", '{"to": "Ann"}'), **custom("x")}
    for given in (chat(None, {**call("bell", "{}"), **both}), pieces(both)):
        for parser in (get_parser("tools"), JsonOutputToolsParser()):
            with pytest.raises(ValueError, match="`function` or `custom`, found both"):
                [*parser.transform(iter(given if isinstance(given, list) else [given]))]
    text, function = custom("x"), {"function": {"arguments": "{}"}}
    for first, second in ((text, function), (raw("mail", {}), {"custom": {"input": "x"}})):
        with pytest.raises(ValueError, match="`function` or `custom`, found both"):
            said([*pieces(first, reason=None), *pieces(second)])
    empty = {"function": {"name": None, "arguments": ""}}
    for same in (empty, {"function": None}, {"function": {}}):
        given = {**custom("x"), **same}
        assert said(chat(None, given)) == said(pieces(given)) == [("memo", {"text": "x"})]


# -- calls in unknown places -----------------------------------------------------------------------

UNREAD: list[dict[str, Any]] = [
    {"type": "invalid_tool_call", "id": "c1", "name": "mail", "args": "{", "error": "cut"},
    {"type": "weird", "name": "mail", "input": {"to": "Ann"}},
    {"type": "weird", "toolName": "mail", "arguments": '{"to": "Ann"}'},
    {"type": "act", "tool": "mail", "tool_input": {"to": "Ann"}},
    {"type": "mail", "kwargs": {"to": "Ann"}},
    {"name": "mail", "args": {"to": "Ann"}},
    {"type": "new_call", "call_id": "c1", "action": "x"},
]
NO_CALLS: list[dict[str, Any]] = [
    {"type": "server_tool_use", "id": "s", "name": "mail", "input": {"to": "Ann"}},
    {"type": "mcp_tool_use", "id": "s", "name": "mail", "server_name": "x", "input": {"to": "Ann"}},
    {"type": "mcp_call", "id": "s", "name": "mail", "arguments": "{}", "output": "x"},
    {"type": "server_tool_call", "id": "s", "name": "mail", "args": {"to": "Ann"}},
    {"type": "tool_result", "tool_use_id": "s", "name": "mail", "content": "sent"},
    {"type": "weird", "name": "other", "input": {"to": "Ann"}},
    {"type": "new_call", "id": "s", "status": "completed"},
]


def around(block: dict[str, Any]) -> list[Any]:
    """Return a block beside a text in messages of all clients, whole and streamed."""
    forms: list[Any] = [
        chat([TEXT, block]), claude(TEXT, block, reason="end_turn"),
        claude_pieces(TEXT, block, reason="end_turn"), *langchain([TEXT, block]),
    ]  # fmt: skip
    if "type" not in block or block["type"].endswith("_tool_use"):
        return forms if "type" in block else [*forms[:2], *forms[3:]]
    whole = response(text_item(TEXT["text"]), block)
    return [*forms, whole, [text_delta(0, TEXT["text"]), added(1, block), done(1, block)]]


@pytest.mark.parametrize("block", UNREAD, ids=str)
@every_mode
def test_a_call_in_an_unknown_block_is_not_dropped(block: dict[str, Any], lenient: bool) -> None:
    for given in around(block):
        assert "that is not supported" in refused(given, lenient=lenient)
    refused(claude(use("bell", {}, "c8"), block), lenient=lenient)


@pytest.mark.parametrize("block", NO_CALLS, ids=lambda block: str(block["type"]))
@every_mode
def test_what_is_no_call_of_the_program_is_ignored(block: dict[str, Any], lenient: bool) -> None:
    for given in around(block):
        assert said(given, lenient=lenient) == TEXT["text"]


@every_mode
def test_an_item_that_has_only_begun_is_not_dropped(lenient: bool) -> None:
    for kind in ("new_call", "shell_call"):
        begun = added(1, {"type": kind, "call_id": "c1"})
        assert kind in refused([text_delta(0, "Hi"), begun], lenient=lenient)
        result = {"type": f"{kind}_output", "call_id": "c1", "output": "x"}
        ended = [done(1, begun["item"]), done(2, result)]
        assert said([text_delta(0, "Hi"), begun, *ended], lenient=lenient) == "Hi"
    search = added(1, {"type": "web_search_call", "id": "s"})
    assert said([text_delta(0, "Hi"), search], lenient=lenient) == "Hi"


@pytest.mark.parametrize("key", ["toolCalls", "tool_call", "function_calls", "tool_uses"])
@every_mode
def test_a_member_that_says_it_has_calls_is_not_dropped(key: str, lenient: bool) -> None:
    calls = {key: [raw("mail", A)]}
    text = text_item("Hi")
    for given in (
        chat("Hi", **calls), pieces(reason="stop", content="Hi", **calls),
        claude(TEXT, reason="end_turn", **calls), response(text, **calls),
        {**chat("Hi"), **calls}, *langchain("Hi", additional_kwargs=calls),
        *langchain("Hi", **calls),
    ):  # fmt: skip
        assert f"the field {key!r}" in refused(given, lenient=lenient)
    assert said(chat("Hi", **{key: []}), lenient=lenient) == "Hi"


@every_mode
def test_a_member_that_names_a_tool_with_arguments_is_not_dropped(lenient: bool) -> None:
    for part in ({"name": "mail", "args": A}, [{"tool": "mail", "input": A}]):
        assert "'action'" in refused(chat("Hi", action=part), lenient=lenient)
        assert "'action'" in refused(
            pieces(reason="stop", content="Hi", action=part), lenient=lenient
        )
    for part in ({"name": "other", "args": A}, {"name": "mail"}, "mail"):
        assert said(chat("Hi", action=part), lenient=lenient) == "Hi"
    declared = [{"type": "function", "name": "mail", "parameters": {}}]
    assert said(chat("Hi", tools=declared), lenient=lenient) == "Hi"


@every_mode
def test_calls_beside_a_message_are_read(lenient: bool) -> None:
    calls = {"tool_calls": [raw("mail", A)]}
    one = [("mail", A)]
    choice = chat("Hi")
    choice["choices"][0] |= calls
    for given in (
        choice, {**chat("Hi"), **calls}, claude(TEXT, **calls), response(text_item("Hi"), **calls)
    ):  # fmt: skip
        assert said(given, lenient=lenient) == one
    with pytest.raises(ValueError, match="pass only one of them"):
        said({**chat("Hi", raw("bell", {})), **calls}, lenient=lenient)


@every_mode
def test_a_message_beside_a_delta_has_no_other_calls(lenient: bool) -> None:
    def both(message: dict[str, Any], reason: str = "stop", **delta: Any) -> dict[str, Any]:
        found = piece(reason, **delta)
        found["choices"][0]["message"] = message
        return found

    calls = {"role": "assistant", "content": "Hi", "tool_calls": [raw("mail", A)]}
    assert "but not in its chunks" in refused([both(calls, content="Hi")], lenient=lenient)
    refused([both(calls, tool_calls=[{"index": 0, **raw("bell", {})}])], lenient=lenient)
    same = [piece(tool_calls=[{"index": 0, **raw("mail", A)}]), both(calls, "tool_calls")]
    assert said(same, lenient=lenient) == [("mail", A)]
    # Perplexity's chunks have the text so far.
    texts = [both({"content": "H"}, content="H"), both({"content": "Hi"}, content="i")]
    assert said(texts, lenient=lenient) == "Hi"
    alone = both(calls)
    del alone["choices"][0]["delta"]
    refused([alone], lenient=lenient)
    assert said([*same, alone], lenient=lenient) == [("mail", A)]


@every_mode
def test_calls_beside_the_pieces_of_a_stream_are_not_added(lenient: bool) -> None:
    calls = {"tool_calls": [raw("mail", A)]}
    delta = {"stop_reason": "tool_use"}
    completed = {"type": "response.completed", "response": response(**calls)}
    beside = {**piece("tool_calls"), **calls}
    ends: list[tuple[list[Any], list[Any], list[Any]]] = [
        (claude_pieces(use("mail", A))[:-1], claude_pieces(TEXT)[:-1], [
            {"type": "message_delta", "delta": {**delta, **calls}},
            {"type": "message_delta", "delta": delta, **calls},
        ]),
        ([added(0, item("mail", json.dumps(A)))], [text_delta(0, "Hi")], [completed]),
        (pieces(raw("mail", A), reason=None), [piece(content="Hi")], [beside]),
    ]  # fmt: skip
    for call_first, text_first, lasts in ends:
        for last in lasts:
            assert said([*call_first, last], lenient=lenient) == [("mail", A)]
            refused([*text_first, last], lenient=lenient)
    legacy = {"choices": [{"text": "Hi", "finish_reason": "stop"}], **calls}
    refused(legacy, lenient=lenient)


@every_mode
def test_a_block_that_says_it_has_calls_is_not_dropped(lenient: bool) -> None:
    calls = {"tool_calls": [raw("mail", A)]}
    text = text_item("Hi")
    part = {**text["content"][0], **calls}
    for given in (
        chat([{**TEXT, **calls}]), claude({**TEXT, **calls}, reason="end_turn"),
        claude_pieces({**TEXT, **calls}, reason="end_turn"), response({**text, **calls}),
        response({**text, "content": [part]}), [text_delta(0, "Hi"), done(0, {**text, **calls})],
    ):  # fmt: skip
        assert "'tool_calls'" in refused(given, lenient=lenient)


@every_mode
def test_a_call_in_the_start_of_a_message_is_not_dropped(lenient: bool) -> None:
    def start(*blocks: Any) -> dict[str, Any]:
        return {"type": "message_start", "message": {"role": "assistant", "content": [*blocks]}}

    text = claude_pieces(TEXT, reason="end_turn")
    assert "tool_use" in refused([start(use("mail", A, "c0")), *text], lenient=lenient)
    assert said([start(), *text], lenient=lenient) == TEXT["text"]
    again = claude_pieces(use("mail", A))
    assert said([start(use("mail", A)), *again], lenient=lenient) == [("mail", A)]


# -- texts -----------------------------------------------------------------------------------------


def claude_stream(first: list[Any], *blocks: Any) -> list[Any]:
    """Return the events of a message that begins with *first*, and of further *blocks*."""
    start: Any = {"id": "1", "type": "message", "role": "assistant", "content": first}
    events: list[Any] = [{"type": "message_start", "message": start}]
    for number, block in enumerate(blocks, len(first)):
        empty = {**block, "text": ""}
        delta = {"type": "text_delta", "text": block["text"]}
        events += [
            {"type": "content_block_start", "index": number, "content_block": empty},
            {"type": "content_block_delta", "index": number, "delta": delta},
            {"type": "content_block_stop", "index": number},
        ]
    end = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}
    return [*events, end, {"type": "message_stop"}]


def response_stream(*items: Any) -> list[Any]:
    done = [
        {"type": "response.output_item.done", "output_index": number, "item": item}
        for number, item in enumerate(items)
    ]
    return [*done, {"type": "response.completed", "response": response(*items)}]


SAFE: Any = {"type": "text", "text": "It is safe"}
UNLESS: Any = {"type": "markdown", "text": ", unless it rains."}
SAFE_ITEM: Any = {
    "type": "message", "id": "m", "role": "assistant", "status": "completed",
    "content": [{"type": "output_text", "text": "It is safe"}],
}  # fmt: skip
UNLESS_ITEM: Any = {"type": "remark", "id": "r", "text": ", unless it rains."}
BOTH_ITEM: Any = {**SAFE_ITEM, "content": [*SAFE_ITEM["content"], UNLESS]}
WITH_UNKNOWN_TEXTS: list[Any] = [
    {"role": "assistant", "content": [SAFE, UNLESS]},
    {"type": "message", "role": "assistant", "content": [UNLESS, SAFE], "stop_reason": "end_turn"},
    AIMessage([SAFE, UNLESS]),
    lc.AIMessage([SAFE, UNLESS]),
    claude_stream([], SAFE, UNLESS),
    claude_stream([UNLESS], SAFE),
    response(BOTH_ITEM),
    response_stream(BOTH_ITEM),
    response(SAFE_ITEM, UNLESS_ITEM),
    response_stream(SAFE_ITEM, UNLESS_ITEM),
]


def repairs_of(given: Any) -> list[str]:
    """Return the kinds of the repairs of a message, or of the chunks of one."""
    chunks = given if isinstance(given, list) else [given]
    events = get_parser("tools", tools=TOOLS).events(chunks)
    return [event.kind for event in events if isinstance(event, Repair)]


@pytest.mark.parametrize("given", WITH_UNKNOWN_TEXTS, ids=range(len(WITH_UNKNOWN_TEXTS)))
def test_a_text_in_a_block_of_unknown_type_is_reported(given: Any) -> None:
    assert said(given) == "It is safe"
    assert repairs_of(given) == ["unread_text"]
    call = {"id": "1", "type": "tool_call", "name": "bell", "args": {}}
    turn = get_parser("tools", tools=TOOLS).read(AIMessage([UNLESS], tool_calls=[call]))
    assert [repair.kind for repair in turn.repairs] == ["unread_text"]


@pytest.mark.parametrize(
    "block",
    [
        {"type": "markdown", "text": " "},
        {"type": "markdown"},
        {"type": "text-plain", "text": "a file", "mime_type": "text/plain"},
        {"type": "web_search_tool_result", "tool_use_id": "1", "text": "found"},
        {"type": "reasoning_text", "text": "Hm."},
    ],
)
def test_what_is_no_text_of_the_answer_needs_no_report(block: Any) -> None:
    assert said(AIMessage([SAFE, block])) == "It is safe"
    assert repairs_of(AIMessage([SAFE, block])) == []


@every_mode
def test_a_text_in_the_first_event_of_a_message_counts(lenient: bool) -> None:
    for first in ([SAFE], [{"type": "thinking", "thinking": "Hm."}, SAFE]):
        for name in ("tools", "hermes") if lenient else ("tools",):
            end: Any = {"type": "text", "text": " today."}
            given = claude_stream(first, end)
            assert said(given, lenient=lenient, name=name) == "It is safe today."
        assert said(claude_stream([*first, {"type": "text", "text": ""}])) == "It is safe"
