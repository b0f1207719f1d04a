"""What lenient mode repairs and reports, and what it rejects."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_laws.trials.stories import Refusal
from agent_parsers import (
    AgentFinish,
    ForeignCallError,
    OpenAIFunctionsAgentOutputParser,
    OutputParserException,
    Repair,
    ToolAgentAction,
    ToolsAgentOutputParser,
    get_parser,
)
from agent_parsers.engine.repairs.names import tool_named
from agent_parsers.messages.reading.content import ContentHold
from agent_parsers.parsers.message_parser import MessageTurn
from outputs import AIMessage

from ....helpers.messages import TOOLS, Said, outcome_of, said

TOOL_PARSER = ToolsAgentOutputParser(lenient=True, tools=TOOLS)
ANY_TOOL_PARSER = ToolsAgentOutputParser(lenient=True)
FUNCTION_PARSER = OpenAIFunctionsAgentOutputParser(lenient=True, tools=TOOLS)


def read_call(arguments: Any, name: str = "search", parser: Any = TOOL_PARSER) -> MessageTurn:
    call = {"id": "1", "function": {"name": name, "arguments": arguments}}
    return parser.read({"role": "assistant", "content": None, "tool_calls": [call]})


def read_function(arguments: Any, name: str = "search") -> MessageTurn:
    call = {"name": name, "arguments": arguments}
    return FUNCTION_PARSER.read({"role": "assistant", "content": "", "function_call": call})


def the_action(turn: MessageTurn) -> Any:
    return turn.result[0] if isinstance(turn.result, list) else turn.result


def kinds(turn: MessageTurn) -> list[str]:
    return [repair.kind for repair in turn.repairs]


# -- arguments -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "value", "repaired"),
    [
        ('{"q": "rain"}', {"q": "rain"}, []),
        ("{'q': 'rain',}", {"q": "rain"}, ["quotes", "quotes", "trailing_comma"]),
        ('{"q": True, "p": None}', {"q": True, "p": None}, ["literal", "literal"]),
        ('{"q": "a\nb"}', {"q": "a\nb"}, ["control_characters"]),
        ('```json\n{"q": 1}\n```', {"q": 1}, ["surrounding_text", "surrounding_text"]),
        ('"{\\"q\\": 1}"', {"q": 1}, ["double_encoding"]),
        ('"{\\"q\\": 1,}"', {"q": 1}, ["double_encoding", "trailing_comma"]),
        ("", {}, []),
        (None, {}, []),
        ("null", {}, []),
        (" \n", {}, ["missing_input"]),
        ('{"__arg1": "rain"}', "rain", []),
        ("{'__arg1': {}}", {}, ["quotes"]),
    ],
)
def test_arguments_of_a_tool(written: Any, value: Any, repaired: list[str]) -> None:
    turn = read_call(written)
    assert the_action(turn).tool_input == value
    assert kinds(turn) == repaired
    for repair in turn.repairs:
        start, end = repair.span
        assert len("search") <= start <= end <= len("search") + len(written)


@pytest.mark.parametrize(
    ("written", "value", "repaired"),
    [
        ({"q": 1}, {"q": 1}, ["data_arguments"]),
        (None, {}, ["missing_input"]),
        (" ", {}, []),
        ('"rain"', "rain", []),
        ('"{\\"q\\": 1}"', {"q": 1}, ["double_encoding"]),
        ('{"q": "a\nb"}', {"q": "a\nb"}, ["control_characters"]),
    ],
)
def test_arguments_of_a_function(written: Any, value: Any, repaired: list[str]) -> None:
    turn = read_function(written)
    assert the_action(turn).tool_input == value
    assert kinds(turn) == repaired


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ('{"file": "log.txt", "text": "At noon we', "end in the middle of a value"),
        ('{"amount": 1', "end in the middle of a value"),
        ('"{\\"amount\\": 1"', "end in the middle of a value"),
        ("import os\nx = {}", "not valid JSON"),
        ('Sure: {"q": 1}', "not valid JSON"),
        ('{"q": 1} is what I search', "not valid JSON"),
        ("# which tables are there?", "not valid JSON"),
        ("42", "not a number"),
        ("4.5", "not a number"),
        ("true", "not a truth value"),
        ("[1]", "not a list"),
        ('"rain"', "not a text"),
        ('{"__arg1": 5}', "not a number"),
        ('{"__arg1": null}', "not nothing"),
        ("[" * 300, "max_depth"),
        (5, "not a number"),
    ],
)
def test_arguments_that_are_not_an_input(written: Any, reason: str) -> None:
    with pytest.raises(OutputParserException, match=reason) as raised:
        read_call(written)
    error = raised.value
    assert error.send_to_llm
    assert error.observation
    assert "search" in error.observation
    assert error.span is not None
    assert error.span[0] >= len("search")


@given(st.recursive(
    st.none() | st.integers() | st.text(max_size=5),
    lambda inner: st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=5,
), st.data())  # fmt: skip
def test_half_an_input_is_never_taken_for_a_whole(value: Any, data: st.DataObject) -> None:
    text = json.dumps({"a": value, "b": "x"})
    cut = text[: data.draw(st.integers(1, len(text) - 1))]
    try:
        found = the_action(read_call(cut)).tool_input
    except OutputParserException:
        return
    whole = {"a": value, "b": "x"}
    assert is_part(found, whole)


def is_part(part: Any, whole: Any) -> bool:
    """Return whether *part* has only members of *whole*, and no value is cut."""
    if isinstance(part, dict) and isinstance(whole, dict):
        return all(key in whole and is_part(value, whole[key]) for key, value in part.items())
    return bool(part == whole)


# -- names ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "tool"),
    [
        ("search", "search"),
        (" search\n", "search"),
        ("`look_up`", "look_up"),
        ("functions.search", "search"),
        ("default_api.search", "search"),
        ("tools/look_up", "look_up"),
        ("mcp:list-ports", "list-ports"),
        ("serch", "serch"),
        ("a.b", "a.b"),
    ],
)
def test_names_of_known_tools(name: str, tool: str) -> None:
    assert tool_named(name, TOOLS) == tool


@pytest.mark.parametrize(
    ("name", "tool"), [("functions.f", "f"), ("a.f", "a.f"), ("'f'", "f"), ("f", "f")]
)
def test_names_of_tools_that_are_not_known(name: str, tool: str) -> None:
    turn = read_call("{}", name, ANY_TOOL_PARSER)
    assert the_action(turn).tool == tool
    assert kinds(turn) == ([] if name == tool else ["tool_name"])
    assert the_action(turn).log.startswith(f"\nInvoking: `{tool}` with")


def test_a_tool_that_is_called_as_another_with_a_namespace_is_itself() -> None:
    parser = ToolsAgentOutputParser(lenient=True, tools=["functions.f", "f"])
    assert the_action(read_call("{}", "functions.f", parser)).tool == "functions.f"


@pytest.mark.parametrize("lenient", [False, True])
def test_an_unknown_tool_is_an_error_that_names_the_nearest(lenient: bool) -> None:
    parser = ToolsAgentOutputParser(lenient=lenient, tools=TOOLS)
    with pytest.raises(OutputParserException, match="'serch' is not one of the tools") as raised:
        read_call("{}", "serch", parser)
    assert raised.value.observation == (
        "There is no tool 'serch'. Did you mean 'search'? The tools are: search, look_up,"
        " list-ports."
    )
    assert raised.value.send_to_llm
    assert raised.value.span == (0, 5)


@pytest.mark.parametrize("lenient", [False, True])
@pytest.mark.parametrize("name", ["", "  ", None])
def test_a_call_has_a_name(lenient: bool, name: Any) -> None:
    parser = ToolsAgentOutputParser(lenient=lenient)
    with pytest.raises(OutputParserException, match="the name of a tool"):
        read_call("{}", name, parser)


@pytest.mark.parametrize("lenient", [False, True])
@pytest.mark.parametrize(
    "kwargs",
    [
        {"tool_calls": [None]},
        {"tool_calls": [{"id": "1"}]},
        {"tool_calls": "search"},
        {"tool_calls": {"function": 3}},
    ],
)
def test_an_entry_that_is_not_a_call_is_an_error(lenient: bool, kwargs: dict[str, Any]) -> None:
    with pytest.raises(OutputParserException, match="the name of a tool"):
        ToolsAgentOutputParser(lenient=lenient).invoke(AIMessage("", additional_kwargs=kwargs))


def test_a_malformed_function_call_is_an_error() -> None:
    message = AIMessage("", additional_kwargs={"function_call": "search"})
    with pytest.raises(OutputParserException, match="the name of a tool"):
        FUNCTION_PARSER.invoke(message)


# -- calls in the content ------------------------------------------------------------------------

JSON_CALL = '{"name": "search", "arguments": {"q": "rain"}}'
TAGGED = "<function=search>\n<parameter=q>\nrain\n</parameter>\n</function>"


def read_content(content: str, parser: Any = TOOL_PARSER) -> MessageTurn:
    return parser.read(AIMessage(content))


@pytest.mark.parametrize(
    "content",
    [
        JSON_CALL,
        f"\n{JSON_CALL}\n",
        f"```json\n{JSON_CALL}\n```",
        f"[{JSON_CALL}]",
        JSON_CALL.replace("arguments", "parameters"),
        JSON_CALL.replace('"', "'"),
        f'{{"type": "function", "function": {JSON_CALL}}}',
        '{"name": "search", "arguments": "{\\"q\\": \\"rain\\"}"}',
        '{"name": "functions.search", "arguments": {"q": "rain"}}',
        f"<tool_call>\n{JSON_CALL}\n</tool_call>",
        f"<tool_call>{JSON_CALL}",
        f"<tool_call>\n{TAGGED}\n</tool_call>",
        TAGGED,
        f"Let me see.\n{TAGGED}\nSo.",
        f"<think>{TAGGED}</think>\n{TAGGED}",
    ],
)
def test_a_call_that_was_left_in_the_content(content: str) -> None:
    turn = read_content(content)
    action = the_action(turn)
    assert isinstance(action, ToolAgentAction)
    assert (action.tool, action.tool_input) == ("search", {"q": "rain"})
    assert action.tool_call_id is None
    assert "content_call" in kinds(turn)
    assert action.message_log == [AIMessage(content)]


def test_content_around_a_call_is_content_without_the_call() -> None:
    turn = read_content(f"Let me see.\n{TAGGED}\nSo.")
    assert (turn.thought, turn.content) == ("", "Let me see.\nSo.")
    (repair,) = turn.repairs
    assert repair == Repair(
        "content_call", (12, 12 + len(TAGGED)), "read a call that the server left in the content"
    )


def test_several_calls_in_the_content() -> None:
    for content in (f"{TAGGED}\n{TAGGED}", f"[{JSON_CALL}, {JSON_CALL}]"):
        result = read_content(content).result
        assert isinstance(result, list)
        assert [action.tool for action in result] == ["search", "search"]
        with pytest.raises(OutputParserException, match="several calls"):
            FUNCTION_PARSER.invoke(AIMessage(content))


def test_a_closing_tag_inside_of_a_value_is_text() -> None:
    text = 'a </tool_call> b </parameter> "c"'
    call = json.dumps({"name": "search", "arguments": {"q": text}})
    for content in (
        f"<tool_call>{call}</tool_call>",
        f"<function=search><parameter=q>\n{text}\n</parameter></function>",
    ):
        assert the_action(read_content(content)).tool_input == {"q": text}


@pytest.mark.parametrize(
    "content",
    [
        '{"depth_m": 4.2}',
        '{"name": "Ada", "arguments": {}}',
        '{"name": "search"}',
        f"{JSON_CALL} is how to call it",
        f"Call it so: {JSON_CALL}",
        "[1, 2",
        "[]",
        "```json\n[]\n```",
        "```python\nprint()\n```",
        "{name} is a hole",
        f"Never write `{TAGGED}`, please.",
        "`<tool_call>` begins a call.",
        "a < b",
        "<tool_",
        "<",
    ],
)
def test_content_that_is_an_answer(content: str) -> None:
    turn = read_content(content)
    assert turn.result == AgentFinish({"output": content}, content)
    assert turn.repairs == ()
    assert turn.thought == ""


@pytest.mark.parametrize(
    "content",
    [
        f"[{JSON_CALL}, 5]",
        f"I looked it up {JSON_CALL} today",
        "<search><q>",
        "search(q=rain)",
    ],
)
def test_content_that_looks_like_a_call_is_refused(content: str) -> None:
    with pytest.raises(ForeignCallError, match="expected a native call, found"):
        read_content(content)


@pytest.mark.parametrize(
    "content",
    [
        'search(q="rain")',
        '[TOOL_CALLS]search[ARGS]{"q": "rain"}',
        "<search><q>rain</q></search>",
        '<think>Hm.</think>\n[{"function": "search", "parameters": {"q": "rain"}}]',
    ],
)
def test_content_in_the_form_of_a_dialect_is_a_call(content: str) -> None:
    turn = read_content(content)
    assert the_action(turn).tool_input == {"q": "rain"}
    assert [repair.kind for repair in turn.repairs] == ["foreign"]


def test_json_is_no_call_and_no_answer_if_the_tools_are_not_known() -> None:
    with pytest.raises(ForeignCallError, match="no tools are given"):
        read_content(JSON_CALL, ANY_TOOL_PARSER)
    assert isinstance(read_content(TAGGED, ANY_TOOL_PARSER).result, list)


def test_a_cut_call_in_the_content_beside_a_call_is_not_a_call() -> None:
    calls = [{"name": "look_up", "args": {}, "id": "1"}]
    turn = TOOL_PARSER.read(AIMessage(TAGGED[:20], tool_calls=calls))
    assert the_action(turn).tool == "look_up"
    assert (turn.thought, turn.content) == ("", TAGGED[:20])
    assert turn.repairs == ()
    with pytest.raises(OutputParserException, match="which calls are meant"):
        TOOL_PARSER.read(AIMessage(TAGGED, tool_calls=calls))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (JSON_CALL[:-8], "written as content is cut off or broken"),
        (f"{JSON_CALL}\n{JSON_CALL}", "written as content is cut off or broken"),
        (f"<tool_call>{JSON_CALL[:-8]}", "written as content is cut off or broken"),
        ("<tool_call>", "written as content is cut off or broken"),
        ("<tool_call>search</tool_call>", "written as content is cut off or broken"),
        ("<tool_call>[5]</tool_call>", "a whole tool call"),
        (TAGGED[:-25], "written as content is cut off or broken"),
        ("<function=search> and so on", "a whole tool call"),
        ("<function=search>", "written as content is cut off or broken"),
        ("<function=>", "the name of a tool"),
        ("<tool_call><function=serch></function></tool_call>", "not one of the tools"),
        ('<tool_call>{"name": "search", "arguments": "x"}</tool_call>', "not valid JSON"),
    ],
)
def test_a_call_in_the_content_that_cannot_be_made(content: str, reason: str) -> None:
    with pytest.raises(OutputParserException, match=reason) as raised:
        TOOL_PARSER.invoke(AIMessage(content))
    assert raised.value.llm_output == content
    assert raised.value.span is not None


@given(st.lists(st.sampled_from(["<", "<tool", "_call>", "<function", "=f>", "{", "a", " ", "`"])))
def test_what_is_held_back_may_be_a_call_and_nothing_is_lost(parts: list[str]) -> None:
    for may_be_json in (False, True):
        hold = ContentHold(may_be_json=may_be_json)
        emitted = "".join(map(hold.feed, parts))
        held = hold.rest()
        text = "".join(parts)
        assert emitted + held == text
        if not may_be_json:
            assert "<tool_call>" not in emitted
            assert "<function=" not in emitted


# -- and strict reading --------------------------------------------------------------------------


@given(said())
def test_what_is_read_strictly_is_read_leniently(what: Said) -> None:
    if "<" in (what.content or "") or "{" in (what.content or ""):
        return  # The content may be a call.
    whole = what.whole()
    strict = outcome_of(lambda: ToolsAgentOutputParser(tools=TOOLS).invoke(whole))
    lenient = outcome_of(lambda: TOOL_PARSER.invoke(whole))
    if not isinstance(strict, Refusal) and '"{' not in json.dumps(whole):
        assert lenient == strict or says_nothing(strict)


@pytest.mark.parametrize("content", [None, "", " \n", [], [{"type": "input_audio"}]])
def test_an_empty_message_is_not_an_answer(content: Any) -> None:
    message = {"role": "assistant", "content": content}
    assert says_nothing(ToolsAgentOutputParser().invoke(message))
    with pytest.raises(OutputParserException, match="found no text and no call") as raised:
        ANY_TOOL_PARSER.invoke(message)
    assert raised.value.observation == "You wrote nothing. Call a tool, or write your answer."


def says_nothing(result: Any) -> bool:
    output = result.return_values["output"] if isinstance(result, AgentFinish) else "a call"
    return not output or (isinstance(output, list) or not output.strip())


def test_blocks_are_an_answer_as_text() -> None:
    message = AIMessage([{"type": "text", "text": "It is "}, "so."])
    strict = ToolsAgentOutputParser().invoke(message)
    assert isinstance(strict, AgentFinish)
    assert strict.return_values["output"] == message.content
    lenient = ToolsAgentOutputParser(lenient=True).invoke(message)
    assert isinstance(lenient, AgentFinish)
    assert lenient.return_values["output"] == "It is so."
    assert lenient.log == "It is so."


def test_calls_of_the_other_kind_are_not_an_answer() -> None:
    call = {"name": "search", "arguments": "{}"}
    with pytest.raises(OutputParserException, match="parser reads tool calls"):
        get_parser("tools").read({"role": "assistant", "content": "", "function_call": call})
    with pytest.raises(OutputParserException, match="reads a single function call"):
        FUNCTION_PARSER.invoke(AIMessage("", tool_calls=[{"name": "f", "args": {}, "id": "1"}]))
