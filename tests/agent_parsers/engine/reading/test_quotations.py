"""A call is made only at the top level of a turn."""

from __future__ import annotations

from time import process_time

import pytest

from agent_parsers import AgentAction, OutputParserException, get_parser
from agent_parsers.react_single_input import ReActSingleInputOutputParser

CALL = '<tool_call>\n{"name": "ping", "arguments": {}}\n</tool_call>'
STEP = "Action: search\nAction Input: lakes"


def outcome(name: str, text: str, *, lenient: bool = True) -> str:
    try:
        turn = get_parser(name, lenient=lenient).read(text)  # type: ignore[union-attr]
    except OutputParserException as error:
        return error.problem or "error"
    if isinstance(turn.result, list):
        return "call"
    return "call" if isinstance(turn.result, AgentAction) else "text"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"It's 5\" wide, isn't it?\n{CALL}\nIt's 7\" long.", "call"),
        (f"I need `<b>` here.\n{CALL}\nNot `</b>`.", "call"),
        (f"I read <b>this</b>.\n{CALL}\nAnd <i>that</i>.", "call"),
        (f"1. First:\n\n    {CALL}", "call"),
        (f"> `ping\n{CALL}", "text"),
        (f"> ```ping\n{CALL}", "text"),
        (f"|begin|>{CALL}", "call_in_quotation"),
        (f"The page:\n|begin|>{CALL}\nI leave it.", "call_in_quotation"),
        (f"|begin | >{CALL}", "text"),
        (f"<function_calls>\n{CALL}\n</function_calls>", "call"),
        (f"I ping.\n<use_tool>\n{CALL}\n</use_tool>", "call"),
        (f"<json>\n{CALL}\n</json>", "call"),
        (f"I saw this:\n<json>\n{CALL}\n</json>", "text"),
        (f"<tool_output>\n{CALL}\n</tool_output>\nI do not follow it.", "text"),
        (f"<answer>\n{CALL}\n</answer>", "call_in_element"),
        (f"He said “do this:\n{CALL}\nnow” and left.", "call_in_quotation"),
        (f"<a>{CALL}<b>{CALL}</a>", "call_in_element"),
        (f"I ping.\n\n---\n\n{CALL}", "call"),
        (f"I ping.\n\n---\n\n{CALL}\n\n---", "call"),
        (f"=== tool call ===\n{CALL}\n=================", "call"),
        (f"## Plan\nI ping.\n## Call\n{CALL}\n## Then\nI wait.", "call"),
        (f"**Plan**\nI ping (once).\n**Call**\n{CALL}\n**Then**\nI wait :)", "call"),
        (f"Start by pinging.\n{CALL}\nEnd of the day.", "call"),
        (f"Start the server.\n{CALL}\nStop the server.", "call"),
        (f"Open the page\n{CALL}\nClose the page", "call"),
        (f"Sorry :(\n{CALL}\nI hope it works :)", "call"),
        (f"1) I ping (once\n{CALL}\n2) I wait.", "call"),
        (f'It is 5" wide.\n{CALL}\n"Good," she said.', "call"),
        (f"A page:\n----\n{CALL}\n----\nIt is odd.", "call_in_quotation"),
        (f"A page:\n{'=' * 250}\n{CALL}\n{'=' * 250}\nIt is odd.", "call_in_quotation"),
        (f"=== {'word ' * 60}===\n{CALL}\n=== end ===\nIt is odd.", "call_in_quotation"),
        (f"A page:\n\xa0----\n{CALL}\n\xa0----\nIt is odd.", "call_in_quotation"),
        (f"A page:\n=== page ===\n{CALL}\n=== end ===", "call_in_quotation"),
        (f"BEGIN PAGE\n{CALL}\nEND PAGE\nIt is odd.", "call_in_quotation"),
        (f"cat <<EOF\n{CALL}\nEOF\nIt is odd.", "call_in_quotation"),
        (f"BEGIN_PAGE\n{CALL}\nEND_PAGE\nIt is odd.", "call_in_quotation"),
        (f"Page begins\n{CALL}\nPage ends\nIt is odd.", "call_in_quotation"),
        (f"<!-- BEGIN PAGE -->\n{CALL}\n<!-- END PAGE -->\nIt is odd.", "call_in_quotation"),
        (f"cat <<EOF > a\n{CALL}\nEOF\nIt is odd.", "call_in_quotation"),
        (f"┌──────┐\n{CALL}\n└──────┘\nIt is odd.", "call_in_quotation"),
        (f"(The page says: {CALL})", "call_in_sentence"),
        (f"(The page says:\n{CALL}\nRun it now!)\nIt is odd.", "call_in_sentence"),
        (f"[The page -> run:\n{CALL}\nnow]", "call_in_sentence"),
        (f"void page() {{\n{CALL}\n}}\nIt is odd.", "call_in_sentence"),
        (f"〖The page: {CALL} now〗", "call_in_sentence"),
        (f"[page]\n{CALL}\n[end of page]\nIt is odd.", "text"),
        (f"<start>\n{CALL}\n</start>\nIt is odd.", "text"),
        (f"<page>\n{CALL}\n--- end --- </page>\nIt is odd.", "text"),
        (f'<page title="[2024]">\n{CALL}\n</page>\nIt is odd.', "text"),
        (f"<page>\nThe tag `</page>` ends it.\n{CALL}\n</page>\nIt is odd.", "text"),
        (f"/** A page:\n{CALL}\n*/\nIt is odd.", "text"),
        (f"<!-- page\n{CALL}\nend -->\nIt is odd.", "text"),
        (f"<!-- a -> b\n{CALL}\n-->\nIt is odd.", "text"),
        (f"````\n```\n{CALL}\n```\n````\nIt is odd.", "text"),
        (f"````\nx\n```\n{CALL}\n````\nIt is odd.", "text"),
        (f"“Run “this”:\n{CALL}\nnow” is odd.", "call_in_quotation"),
        (f'"Run this:\n{CALL}\nby 2025". It is odd.', "call_in_quotation"),
        (f"1 | {CALL}\nIt is odd.", "text"),
        (f"*aside*\n{CALL}\n*/aside*\nI wait.", "text"),
        (f"<\u200bthink>\n{CALL}\n</think>\nI wait.", "text"),
    ],
)
def test_what_stands_around_a_call_says_whether_it_counts(text: str, expected: str) -> None:
    assert outcome("hermes", text) == expected
    if expected != "call":
        assert outcome("hermes", text, lenient=False) not in ("call", "text")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"Thought: I look it up.\n{STEP} <p>a</p></div>", "call"),
        (f"Thought: The <div> is odd.\n{STEP} <div>a</div>", "call"),
        (f"Thought: The <div> is odd.\n{STEP} a</div>", "call_in_quotation"),
        (f"<page>\n{STEP}\n</page>\nI do not do that.", "call_in_quotation"),
    ],
)
def test_a_raw_input_encloses_nothing(text: str, expected: str) -> None:
    assert outcome("react", text) == expected


@pytest.mark.parametrize(
    "mark",
    ["-", "#", "*", "<a>", "</a>", "[", ' "x', "~~ ", "`a", "(", "---\n", "==a\n", "“a ", "=+-"],
)
def test_many_marks_take_linear_time(mark: str) -> None:
    def seconds(size: int) -> float:
        text = mark * (size // len(mark))
        started = process_time()
        outcome("hermes", f"{text}\n{CALL}\n{text}")
        return process_time() - started

    assert min(seconds(40_000) for _ in range(2)) < 12 * min(seconds(10_000) for _ in range(3)) + 1


def test_of_two_fences_that_a_word_joins_neither_is_a_call() -> None:
    shown = '```json\n{"name": "ping", "arguments": {"host": "a"}}\n```'
    other = shown.replace('"a"', '"b"')
    text = f"You may write\n\n{shown}\n\nAND\n\n{other}\n\nas you like."
    assert outcome("json_toolcall", text.replace("AND", "then")) == "call"
    assert outcome("json_toolcall", text.replace("AND", "or")) == "call_in_sentence"
    assert outcome("json_toolcall", text.replace("AND", "Or, alternatively:")) == "call_in_sentence"


def test_a_quoted_call_is_read_by_no_other_dialect() -> None:
    call = '<answer>\n<tool_calls>[{"name": "rm", "arguments": {}}]</tool_calls>\n</answer>'
    parser = get_parser("hunyuan_a13b", tools=["rm"])
    assert not parser.read(f"The page says:\n~~\n{call}\n~~\nI will not do that.").actions


def test_an_action_in_an_answer_is_refused_whatever_quotes_its_values() -> None:
    blob = '```json\n{"action": "search", "action_input": "Lake Thun"}\n```'
    with pytest.raises(OutputParserException):
        get_parser("json", tools=["search"]).parse(f"Final Answer: 42\n{blob}")


def test_backticks_in_an_object_open_no_fence() -> None:
    (action,) = get_parser("react").read('Action: f\nAction Input: {"a": "```json"}').actions
    assert "```json" in str(action.tool_input)


def test_the_error_names_the_element() -> None:
    with pytest.raises(OutputParserException) as info:
        get_parser("hermes").parse(f"<answer>{CALL}</answer>")
    assert info.value.observation is not None
    assert "write it again, without <answer>" in info.value.observation


def test_the_class_is_the_contract() -> None:
    quoted = f"The page says:\n<page>\n{STEP}\n</page>\nI do not do that."
    thought = f"<thinking>\n{STEP}\n</thinking>\nI do not do that."
    assert isinstance(ReActSingleInputOutputParser().parse(quoted), AgentAction)
    for text, tools in ((quoted, ["search"]), (thought, None)):
        with pytest.raises(OutputParserException):
            ReActSingleInputOutputParser(tools=tools).parse(text)


def test_a_semicolon_parts_calls_but_quotes_one_that_begins_a_line_of_comment() -> None:
    call = '{"name": "ping", "parameters": {}}'
    assert outcome("llama3_json", f"{call}\n; {call}") == "call"
    assert outcome("llama3_json", f"I would write\n; {call}\n; {call}\nor wait.") != "call"


@pytest.mark.parametrize("given", ['{"query": "lakes"}', "lakes"])
@pytest.mark.parametrize("fence", ["~~~", "```"])
def test_a_fence_on_a_quoted_line_ends_with_it_before_a_label(fence: str, given: str) -> None:
    step = f"Thought: I see.\n> {fence}\nAction: search\nAction Input: {given}"
    assert [outcome("react", step, lenient=lenient) for lenient in (False, True)] == ["call"] * 2
    assert outcome("react", f"{step}\n{fence}\nI leave it.") == "call_in_quotation"
