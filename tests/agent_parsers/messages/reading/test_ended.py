"""Calls and answers of messages that were cut, that stopped, or that ended in an unknown way."""

import json
from typing import Any

import langchain_core.messages as lc
import pytest

from agent_parsers import (
    AgentFinish,
    Finish,
    MessageParser,
    OpenAIFunctionsAgentOutputParser,
    OutputParserException,
    Repair,
    ToolsAgentOutputParser,
    ToolSet,
    get_parser,
)
from outputs import AIMessage, Ended, ToolCall
from outputs.messages.ended import ended_of, is_filtered, is_held_back, is_paused, reason_to_call

from ....helpers.messages import cut, delta, outcome_of, story_of

PAY: Any = {
    "name": "pay",
    "parameters": {
        "type": "object",
        "properties": {"to": {"type": "string"}, "how": {"type": "object"}},
        "additionalProperties": False,
    },
}
TOOLS = ToolSet([PAY])
PARSERS: list[MessageParser] = [
    ToolsAgentOutputParser(lenient=lenient, tools=tools)
    for lenient in (False, True)
    for tools in (None, TOOLS)
]
LENIENT = PARSERS[2:]
every_parser = pytest.mark.parametrize("parser", PARSERS, ids=["", "tools", "lenient", "both"])


def chat(*calls: str | None, reason: str | None = None, content: str | None = None) -> Any:
    """Return a completion with these calls, known by their arguments."""
    entries = [
        {"id": str(n), "type": "function", "function": {"name": "pay", "arguments": written}}
        for n, written in enumerate(calls)
    ]
    message = {"role": "assistant", "content": content}
    message |= {"tool_calls": entries} if entries else {}
    return {"choices": [{"message": message, "finish_reason": reason}]}


def chat_chunks(
    *calls: str | None, reason: str | None = None, content: str | None = None
) -> list[Any]:
    chunks = [delta(content=content)]
    for n, written in enumerate(calls):
        function = {"name": "pay", "arguments": ""}
        chunks.append(delta(tool_calls=[{"index": n, "id": str(n), "function": function}]))
        chunks += (
            delta(tool_calls=[{"index": n, "function": {"arguments": part}}])
            for part in cut(written, [2, 5, 9])
        )
    last: Any = {"choices": [{"delta": {}, "finish_reason": reason}]}
    usage = {"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 1}}
    return [*chunks, {"object": "chat.completion.chunk", **last}, usage]


def inputs_of(parser: MessageParser, *calls: str | None, reason: str | None = None) -> Any:
    """Return the inputs of these calls, or ``"cut"`` or another word of the error; in any form."""
    whole = outcome_of(lambda: parser.invoke(chat(*calls, reason=reason)))
    assert outcome_of(lambda: parser.read(chat(*calls, reason=reason)).result) == whole
    assert story_of(parser, [chat(*calls, reason=reason)]).outcome == whole
    streamed = story_of(parser, chat_chunks(*calls, reason=reason))
    assert streamed.outcome == whole
    if isinstance(whole, list):
        return [action[2] for action in whole]
    assert not streamed.results
    return "error"


BOTH = '{"to": "A", "how": {"a": "b"}}'


@every_parser
def test_a_cut_message_has_no_call_but_those_with_their_own_end(parser: MessageParser) -> None:
    for size in range(len(BOTH)):
        assert inputs_of(parser, BOTH[:size], reason="length") == "error"
    for reason in ("length", "max_tokens", "content_filter", "abort"):
        assert inputs_of(parser, BOTH, reason=reason) == [json.loads(BOTH)]
        assert inputs_of(parser, None, reason=reason) == "error"
        assert inputs_of(parser, "0", reason=reason) == "error"
        assert inputs_of(parser, BOTH, '{"to": "B"}', reason=reason) == [
            json.loads(BOTH), {"to": "B"},
        ]  # fmt: skip
        assert inputs_of(parser, BOTH, "", reason=reason) == "error"
    assert inputs_of(parser, "", BOTH, reason="length") == [{}, json.loads(BOTH)]


@every_parser
def test_missing_arguments_are_empty_if_nothing_is_cut(parser: MessageParser) -> None:
    for empty in ("", None, "{}"):
        assert inputs_of(parser, empty, reason="stop") == [{}]


@every_parser
def test_missing_arguments_are_empty_only_where_the_call_has_ended(parser: MessageParser) -> None:
    assert inputs_of(parser, "{}") == [{}]
    for empty in ("", None):
        whole = parser.read(chat(empty)).result
        assert isinstance(whole, list)
        assert [action.tool_input for action in whole] == [{}]
        assert story_of(parser, chat_chunks(empty, BOTH)).outcome != "error"
        cut_off = story_of(parser, chat_chunks(BOTH, empty))
        assert not cut_off.results
        assert "may be cut" in str(cut_off.outcome)


@pytest.mark.parametrize(
    ("written", "unknown"),
    [
        ('{"how": {}, "to": "A"', True),
        ('{"to": "A", "how": {"a": 1}', True),
        ('{"to": "A", "how": {"a": "b"', False),  # a value is open
        ('{"to": "A"', False),  # more may have followed
    ],
)
def test_brackets_may_be_missing_where_nothing_else_can_be(written: str, unknown: bool) -> None:
    anything, known = LENIENT
    value = json.loads(written + "}" * (written.count("{") - written.count("}")))
    for parser in LENIENT:
        assert inputs_of(parser, written, reason="length") == "error"
        assert inputs_of(parser, written, reason="tool_calls") == [value]
        # The next call shows that the one before has ended.
        assert inputs_of(parser, written, "{}") == [value, {}]
        assert inputs_of(parser, written, "{}", reason="length") == [value, {}]
    assert inputs_of(anything, written) == "error"
    assert inputs_of(known, written) == ([value] if unknown else "error")
    for parser in PARSERS[:2]:
        assert inputs_of(parser, written, reason="stop") == "error"


@pytest.mark.parametrize(
    "written", ["{", '{"to": "A', '{"to": 1', '{"to": tru', '{"to": "A",', '{"to']
)
def test_nothing_ends_a_value_or_goes_on_with_one(written: str) -> None:
    for parser in PARSERS:
        for reason in (None, "stop", "length"):
            assert inputs_of(parser, written, reason=reason) == "error"
            assert inputs_of(parser, written, "{}", reason=reason) == "error"


def test_a_function_call_is_cut_likewise() -> None:
    for lenient in (False, True):
        parser = OpenAIFunctionsAgentOutputParser(lenient=lenient)
        for written in ("", " ", "{", '{"to": "A"', "42"):
            call = {"role": "assistant", "function_call": {"name": "pay", "arguments": written}}
            with pytest.raises(OutputParserException):
                parser.invoke({"choices": [{"message": call, "finish_reason": "length"}]})


# -- what does not show its own end ----------------------------------------------------------------


def claude(*blocks: dict[str, Any], reason: str = "max_tokens") -> dict[str, Any]:
    message = {"type": "message", "role": "assistant", "model": "m", "content": [*blocks]}
    return {**message, "stop_reason": reason}


USE = {"type": "tool_use", "id": "1", "name": "pay", "input": {"to": "A"}}
TEXT = {"type": "text", "text": "So."}


@every_parser
def test_data_at_the_end_of_a_cut_message_may_be_cut(parser: Any) -> None:
    for message in (
        claude(USE),
        claude(TEXT, USE),
        claude(USE, {**USE, "id": "2", "input": {}}),
        AIMessage(
            "",
            tool_calls=[ToolCall(name="pay", args={"to": "A"}, id="1")],
            response_metadata={"finish_reason": "length"},
        ),
        lc.AIMessage(
            "",
            tool_calls=[lc.ToolCall(name="pay", args={"to": "A"}, id="1")],
            response_metadata={"stop_reason": "max_tokens"},
        ),
    ):
        with pytest.raises(OutputParserException, match="the rest of the arguments"):
            parser.invoke(message)
        assert isinstance(parser.invoke(message, ended="stop"), list)
    for message in (claude(USE, TEXT), claude(USE, reason="tool_use")):
        (action,) = parser.invoke(message)
        assert action.tool_input == {"to": "A"}


def custom(status: str) -> dict[str, Any]:
    item = {"type": "custom_tool_call", "id": "c", "call_id": "1", "name": "sh", "input": "rm /a"}
    return {**item, "status": status}


@pytest.mark.parametrize("lenient", [False, True])
def test_a_text_is_cut_where_its_message_is(lenient: bool) -> None:
    parser = ToolsAgentOutputParser(lenient=lenient)
    piece = {"index": 0, "id": "1", "custom": {"name": "sh", "input": "rm /a"}}
    chunks = [delta(tool_calls=[piece])]
    whole = {"id": "1", "type": "custom", "custom": {"name": "sh", "input": "rm /a"}}
    for reason, is_cut in (("length", True), ("tool_calls", False)):
        last = {"choices": [{"delta": {}, "finish_reason": reason}]}
        status = "incomplete" if is_cut else "completed"
        response = {"object": "response", "status": status, "output": [custom(status)]}
        added = {"type": "response.output_item.added", "output_index": 0}
        events = [
            {**added, "item": {**custom("in_progress"), "input": ""}},
            {
                "type": "response.custom_tool_call_input.delta",
                "output_index": 0,
                "delta": "rm /a",
            },
            {"type": "response.output_item.done", "output_index": 0, "item": custom(status)},
            {"type": f"response.{status}", "response": response},
        ]
        message = {"role": "assistant", "content": None, "tool_calls": [whole]}
        for form in (
            [*chunks, last],
            [{"choices": [{"message": message, "finish_reason": reason}]}],
            [response],
            events,
        ):
            if is_cut:
                with pytest.raises(OutputParserException):
                    [*parser.transform(iter(form))]
            else:
                ((action,),) = parser.transform(iter(form))
                assert action.tool_input == "rm /a"


CONTENT_CALLS = {
    "<function=pay>\n<parameter=to>\nA\n</parameter>\n</function>": [True, True, True],
    "<function=pay>\n<parameter=to>\nA\n</parameter>\n": [False, True, False],
    '<tool_call>{"name": "pay", "arguments": {"to": "A"}}</tool_call>': [True, True, True],
    '<tool_call>{"name": "pay", "arguments": {"to": "A"}}': [True, True, False],
    '<tool_call>{"name": "pay", "arguments": {"to": "A"}': [True, True, False],
    '<tool_call>{"name": "pay", "arguments": {"to": "A"': [False, True, False],
    '<tool_call>{"name": "pay", "arguments": {"to": "A", "how": {}': [True, True, False],
    '<tool_call>{"name": "pay", "arguments": {"to": "A", "how": {"a": "b"': [False, True, False],
    '{"name": "pay", "arguments": {"to": "A"}}': [True, True, True],
    '[{"name": "pay", "arguments": {"to": "A"}}': [True, True, False],
    '{"name": "pay", "arguments": {"to": "A"': [False, True, False],
    '{"function": {"name": "pay", "arguments": {"to": "A"': [False, True, False],
    '{"function": {"name": "pay", "arguments": {"to": "A"}': [True, True, False],
    '{"name": "pay", "arguments": "{\\"to\\": \\"A\\""}': [True, True, True],
}


@pytest.mark.parametrize("content", CONTENT_CALLS)
def test_a_call_in_the_content_is_cut_with_it(content: str) -> None:
    kinds: tuple[Ended, ...] = ("unknown", "stop", "length")
    parser = LENIENT[1]
    for ended, acts in zip(kinds, CONTENT_CALLS[content], strict=True):
        if acts:
            result = parser.read(AIMessage(content), ended=ended).result
            assert isinstance(result, list)
            assert isinstance(result[0].tool_input, dict)
            assert result[0].tool_input["to"] == "A"
        else:
            with pytest.raises(
                OutputParserException, match="written as content is cut off or broken"
            ):
                parser.read(AIMessage(content), ended=ended)


# -- answers ---------------------------------------------------------------------------------------


@every_parser
def test_an_answer_that_was_cut_says_so(parser: MessageParser) -> None:
    finish = AgentFinish({"output": "It is ca"}, "It is ca")
    notice = Repair("cut", (8, 8), "the text was cut off; the answer may be incomplete")
    for form in (
        [chat(reason="length", content="It is ca")],
        chat_chunks(reason="length", content="It is ca"),
    ):
        assert [*parser.events(form)][-2:] == [notice, Finish(finish, (0, 8))]
        assert [*parser.transform(iter(form))] == [finish]
    assert parser.invoke(AIMessage("It is ca"), ended="length") == finish
    assert parser.read(AIMessage("It is ca"), ended="length").repairs == (notice,)
    assert not parser.read(chat(reason="stop", content="It is ca")).repairs


@every_parser
def test_an_argument_overrides_how_a_message_ended(parser: Any) -> None:
    message = chat('{"to": "A"', reason="length")
    for stops in (message, chat('{"to": "A"')):
        if parser.lenient:
            (action,) = parser.invoke(stops, ended="stop")
            assert action.tool_input == {"to": "A"}
        with pytest.raises(OutputParserException):
            parser.invoke(stops, ended="length")
    stream = parser.stream_parser()
    stream.feed(chat("", reason="tool_calls"))
    with pytest.raises(OutputParserException, match="the rest of the arguments"):
        stream.close(ended="length")


def test_a_parser_of_ones_own_that_reads_results_keeps_working() -> None:
    class Own(ToolsAgentOutputParser):
        def parse_result(self, result: Any, *, partial: bool = False) -> Any:
            return super().parse_result(result, partial=partial)

    with pytest.raises(OutputParserException):
        Own().invoke(chat("{", reason="length"), ended="length")
    assert get_parser("tools").invoke(chat("{}", reason="stop"))


# -- where a message says how it ended -----------------------------------------------------------

CUT_WORDS = {
    "finish_reason": "length",
    "done_reason": "length",
    "stop_reason": "max_tokens",
    "stopReason": "max_tokens",
    "finishReason": "MAX_TOKENS",
    "status": "incomplete",
}
RAW = {"role": "assistant", "content": "Action: clean\nAction Input: /tmp/a"}
DATA = {"role": "assistant", "content": "", "tool_calls": [
    {"id": "1", "function": {"name": "clean", "arguments": {"path": "/tmp/a"}}}]}  # fmt: skip


@pytest.mark.parametrize(("field", "word"), CUT_WORDS.items())
@pytest.mark.parametrize("place", ["message", "around", "choice"])
@pytest.mark.parametrize(("name", "message"), [("react", RAW), ("tools", DATA)])
def test_a_cut_counts_wherever_a_message_says_so(
    name: str, message: dict[str, Any], place: str, field: str, word: str
) -> None:
    parser = get_parser(name)

    def given(said: str) -> dict[str, Any]:
        if place == "message":
            return {**message, field: said}
        around = {"message": message, field: said}
        return around if place == "around" else {"choices": [around]}

    assert not isinstance(parser.invoke(given("stop")), AgentFinish)
    with pytest.raises(OutputParserException, match="the rest of"):
        parser.invoke(given(word))


@pytest.mark.parametrize("is_list", [True, False])
def test_an_item_that_is_not_complete_was_cut(is_list: bool) -> None:
    text = {"type": "output_text", "text": RAW["content"]}
    item = {"type": "message", "role": "assistant", "status": "incomplete", "content": [text]}
    call = {"type": "custom_tool_call", "call_id": "1", "name": "sh", "input": "ls"}
    for name, half in (("react", item), ("tools", {**call, "status": "incomplete"})):
        with pytest.raises(OutputParserException, match="the rest of"):
            get_parser(name).invoke([half] if is_list else half)
        whole = {**half, "status": "completed"}
        assert get_parser(name).invoke([whole] if is_list else whole)


@pytest.mark.parametrize(
    ("about", "is_filter"),
    [
        ({"finish_reason": "sensitive"}, True),
        ({"amazon-bedrock-guardrailAction": "INTERVENED", "stop_reason": "stop"}, True),
        ({"finish_reason": 3}, True),
        ({"finish_reason": "network_error"}, False),
        ({"finish_reason": 2}, False),
        ({"completionReason": "LENGTH"}, False),
        ({"messageStop": {"stopReason": "max_tokens"}}, False),
        ({"message_stop": {"stop_reason": "guardrail_intervened"}}, True),
        ({"generation_info": {"finish_reason": "length"}}, False),
        ({"finish_reason": "stop", "choices": [{}, {"finish_reason": "length"}]}, False),
    ],
)
def test_reasons_of_other_providers(about: dict[str, Any], is_filter: bool) -> None:
    assert ended_of(about) == "length"
    assert is_held_back(about) is is_filter
    whole = {"amazon-bedrock-guardrailAction": "NONE", "finish_reason": 1, "status": 200}
    assert ended_of(whole) == "stop"


@pytest.mark.parametrize(
    ("words", "meaning"),
    [
        (("tool-calls", "ToolCalls", "tool_calls ", "tool-callstool-calls"), "tool_calls"),
        (("toolUse", "TOOL-USE"), "tool_use"),
        (("function-call", "functionCall"), "function_call"),
        (("requires_action", "requiresAction"), "requires_action"),
        (("content-filter", "contentFilter"), "filter"),
        (("pause-turn",), "pause"),
        (("maxTokens", "max-output-tokens"), "cut"),
        (("endTurn", "stop-sequence"), ""),
    ],
)
def test_a_reason_may_have_any_case_and_separators(words: tuple[str, ...], meaning: str) -> None:
    for word in words:
        about = {"finish_reason": word}
        is_cut = meaning in ("filter", "pause", "cut")
        assert ended_of(about) == ("length" if is_cut else "stop")
        assert is_filtered(about) == (meaning == "filter")
        assert is_filtered({"incomplete_details": {"reason": word}}) == (meaning == "filter")
        assert is_paused(about) == (meaning == "pause")
        assert reason_to_call(about) == ("" if is_cut else meaning)


@pytest.mark.parametrize("text", [" stop", "max tokens", "stop.", "toolbox"])
def test_what_is_no_reason_says_nothing(text: str) -> None:
    assert ended_of({"finish_reason": text}) == "unknown"
