"""What stands beside the calls and the answer of a message: thoughts, other calls, choices."""

from typing import Any

import pytest

from agent_parsers import AgentFinish, ForeignCallError, OutputParserException, get_parser


def search(query: str, limit: int = 10) -> str:
    """Looks up a name."""
    return ""


def calc(expr: str = "") -> str:
    """Calculates."""
    return ""


PARSER = get_parser("tools", tools=[search, calc])
SEARCH = {"name": "search", "arguments": '{"query": "x"}'}


def chat(content: str | None, *functions: Any, reason: str = "tool_calls", **more: Any) -> Any:
    """Return a completion with this content and these calls."""
    calls = [{"id": str(n), "function": each} for n, each in enumerate(functions)]
    message = {"role": "assistant", "content": content, **({"tool_calls": calls} if calls else {})}
    return {"choices": [{"finish_reason": reason, "message": {**message, **more}}]}


def chunks(content: str) -> list[Any]:
    """Return the same content, a character a chunk."""
    found: list[Any] = [{"choices": [{"index": 0, "delta": {"content": each}}]} for each in content]
    return [*found, {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}]


def said(given: list[Any]) -> str:
    """Return the answer in a stream, or the error."""
    stream = PARSER.stream_parser()
    try:
        for each in given:
            stream.feed(each)
        stream.close()
    except OutputParserException as error:
        return str(error)
    assert isinstance(stream.result, AgentFinish)
    return str(stream.result.return_values["output"])


def called(message: Any) -> list[Any]:
    actions = PARSER.invoke(message)
    assert PARSER.read(message).result == actions
    assert isinstance(actions, list)
    return [(action.tool, action.tool_input) for action in actions]


@pytest.mark.parametrize(
    ("content", "answer", "thought"),
    [
        ("<think>Let me see.</think>It is empty.", "It is empty.", "Let me see."),
        ("Let me see.</think>\n\nIt is empty.", "It is empty.", "Let me see."),
        (" <think>a</think> <think>b</think>\nYes", "Yes", "a\nb"),
        ("[THINK]a[/THINK]Yes", "Yes", "a"),
        ("Use `</think>` to end.", "Use `</think>` to end.", ""),
        ("Use <think> to begin.", "Use <think> to begin.", ""),
        ("<thin is it", "<thin is it", ""),
    ],
)
def test_a_thought_in_the_content_is_no_part_of_the_answer(
    content: str, answer: str, thought: str
) -> None:
    turn = PARSER.read(chat(content, reason="stop"))
    assert isinstance(turn.result, AgentFinish)
    assert (turn.result.return_values["output"], turn.thought) == (answer, thought)
    assert turn.content == answer
    assert PARSER.invoke(chat(content, reason="stop")) == turn.result
    assert said(chunks(content)) == answer


@pytest.mark.parametrize("content", ["<think>\nLet me see", "<think>a</think>", "a</think>\n"])
def test_a_thought_alone_is_no_answer(content: str) -> None:
    with pytest.raises(OutputParserException, match="found only a thought"):
        PARSER.invoke(chat(content, reason="stop"))
    assert "found only a thought" in said(chunks(content))


def test_a_call_in_the_content_beside_calls_is_one_of_them_or_an_error() -> None:
    call = '<tool_call>{"name": "search", "arguments": {"query": "%s"}}</tool_call>'
    same = [("search", {"query": "x"})]
    for content in (call % "x", call[:30], f"<think>{call % 'y'}</think>", "I look for x."):
        assert called(chat(content, SEARCH)) == same
    empty = {"name": "calc", "arguments": "{}"}
    draft = "<tool_call><function=calc><parameter=expr>6*7</parameter></function></tool_call>"
    for message in (
        chat(call % "y", SEARCH),
        chat(draft, empty),
        chat(None, SEARCH, function_call={**SEARCH, "arguments": '{"query": "z"}'}),
    ):
        with pytest.raises(OutputParserException, match="which calls are meant"):
            PARSER.invoke(message)
        with pytest.raises(OutputParserException, match="which calls are meant"):
            PARSER.read(message)
    assert called(chat(None, SEARCH, function_call=SEARCH)) == same


def test_a_reason_without_its_call_names_the_choice_that_has_one() -> None:
    first, second = chat("First:")["choices"][0], chat(None, SEARCH)["choices"][0]
    whole = {"choices": [{"index": 0, **first}, {"index": 1, **second}]}
    with pytest.raises(OutputParserException, match="choice 1 has one"):
        PARSER.invoke(whole)
    pieces: list[Any] = [
        {"choices": [{"index": 0, "delta": {"content": "First:"}}]},
        {"choices": [{"index": 1, "delta": second["message"]}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]},
    ]
    assert "choice 1 has one" in said(pieces)
    pieces[-1]["choices"][0]["finish_reason"] = "stop"  # then the other choice is another sample
    assert said(pieces) == "First:"


@pytest.mark.parametrize("role", ["user", "tool", "system", "function"])
def test_the_role_of_a_delta_is_checked_as_that_of_a_whole_message_is(role: str) -> None:
    delta = {"choices": [{"index": 0, "delta": {"role": role, "content": "a"}}]}
    with pytest.raises(TypeError, match="type 'ai'"):
        PARSER.stream_parser().feed(delta)


WRITTEN = '<tool_call>{"name": "calc", "arguments": {"expr": "1+1"}}</tool_call>'
IN_APIS = [
    chat,
    lambda content: {"role": "assistant", "content": content, "reasoning": "calc(expr='3')"},
    lambda content: {
        "type": "message", "role": "assistant", "stop_reason": "end_turn",
        "content": [{"type": "text", "text": content}],
    },
    lambda content: {
        "object": "response", "status": "completed", "output": [
            {"type": "message", "role": "assistant", "content": [
                {"type": "output_text", "text": content}]}],
    },
]  # fmt: skip


@pytest.mark.parametrize(
    "other",
    [
        '[TOOL_CALLS]search[ARGS]{"query": "x"}',
        '{"name": "search", "arguments": {"query": "x"}}',
        'search(query="x")',
        "<search><query>x</query></search>",
        'Action: search\nAction Input: {"query": "x"}',
        '```json\n{"name": "search", "arguments": {"query": "x"}}\n```',
        '[TOOL_CALLS]search[ARGS]{"query": ',
    ],
)
def test_a_call_in_another_form_beside_one_in_the_content_is_an_error(other: str) -> None:
    for content in (f"{WRITTEN}\n{other}", f"{other}\n{WRITTEN}", f"I look.\n{WRITTEN}\n{other}"):
        for api in IN_APIS:
            with pytest.raises(ForeignCallError):
                PARSER.invoke(api(content))
        stream = PARSER.stream_parser()
        for chunk in chunks(content):
            stream.feed(chunk)
        with pytest.raises(ForeignCallError):
            stream.close()


@pytest.mark.parametrize(
    "other", ["", "I search for x next.", "`search(query='x')` is next.", 'calc(expr="1+1")']
)
def test_text_beside_a_call_in_the_content_is_content(other: str) -> None:
    for api in IN_APIS:
        assert called(api(f"{WRITTEN}\n{other}")) == [("calc", {"expr": "1+1"})]
        turn = PARSER.read(api(f"{other}\n{WRITTEN}"))
        assert turn.content == other
