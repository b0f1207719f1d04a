"""Calls as frameworks and models spell them: each is the call, or an error that names it."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

from agent_parsers import AgentFinish, ForeignCallError, OutputParserException, Turn, get_parser

if TYPE_CHECKING:
    from collections.abc import Sequence


def search(query: str, limit: int = 5) -> None: ...
def read_file(path: str) -> None: ...
def tide(harbour: str = "Bremen", day: int = 1) -> None: ...
def moon(phase: str = "full") -> None: ...


TOOLS = [search, read_file, tide, moon]
HOSTS = (
    "hermes", "qwen3_coder", "glm45", "mistral", "kimi_k2", "kimi_k3", "longcat", "gemma4", "lfm2",
    "pythonic", "xlam", "deepseek_v31",
)  # fmt: skip
OWN = ("hermes", "qwen3_coder", "glm45")
"""Those that write some of the spellings themselves."""
LAKES = ("search", {"query": "lakes"})
FENCE = "```"

LONGCAT = (
    "<longcat_tool_call>search\n<longcat_arg_key>query</longcat_arg_key>"
    "<longcat_arg_value>lakes</longcat_arg_value>\n</longcat_tool_call>"
)
TWICE = '<tool_call>\n{"name": "search", "arguments": {"query": "a"}, "name": "tide"}\n</tool_call>'
HALF = (
    "<tool_call>\n<function=search>\n<parameter=query>\na\n</parameter>\n</function>\n</tool_call>\n"
    "<tool_call>\n{"
)

READ = {
    "of a relative": [
        "<tool_call>\n<function=search>\n<parameter=query>\nlakes\n</parameter>\n</function>\n</tool_call>",
        '<tool_call>\n{"name": "search", "arguments": {"query": "lakes"}}\n</tool_call>',
        "<tool_call>search\n<arg_key>query</arg_key>\n<arg_value>lakes</arg_value>\n</tool_call>",
        LONGCAT,
        "<tool_call>search<param_key>query</param_key><param_value>lakes</param_value></tool_call>",
    ],
    "without its opener": [
        'functions.search:0<|tool_call_argument_begin|>{"query": "lakes"}',
        'functions.search:0<|tool_call_argument_begin|>{"query": "lakes"}<|tool_call_end|>',
        'search<|tool_call_argument_begin|>{"query": "lakes"}<|tool_calls_section_end|>',
        'search<｜tool▁sep｜>{"query": "lakes"}',
        'search[ARGS]{"query": "lakes"}',
        'functionsearch\n```json\n{"query": "lakes"}\n```',
        'search000000001{"query": "lakes"}',
    ],
    "as code": [
        'print(default_api.search(query="lakes"))',
        f'{FENCE}tool_code\nprint(default_api.search(query="lakes"))\n{FENCE}',
        'Search(query="lakes")',
        'call_tool("search", {"query": "lakes"})',
        'await mcp.call_tool(name="search", arguments={"query": "lakes"})',
        '["search", {"query": "lakes"}]',
        '→ search(query="lakes")',
        '<% search(query="lakes") %>',
    ],
    "in words": [
        '[Calling tool: search(query="lakes")]',
        '[Calling tool: search({"query": "lakes"})]',
        '[Calling tool="search" query="lakes"]',
        'Calling tool search with {"query": "lakes"}',
        'Calling `search` with arguments: {"query": "lakes"}',
        'Using the search tool with the following parameters: {"query": "lakes"}',
        'Running search(query="lakes")...',
        'assistant to=functions.search {"query": "lakes"}',
        '### TOOL_CALL: search\n```json\n{"query": "lakes"}\n```',
    ],
    "in elements": [
        "<tool: search>\nlakes\n</tool>",
        '<lobeTool identifier="search" query="lakes"/>',
        "<Search>\n<query>lakes</query>\n</Search>",
    ],
}
"""Spellings that are read; some dialects refuse those that begin with marks of their own."""

REFUSED = {
    "lines": [
        "tool: search\narguments:\n  query: lakes",
        "- name: search\n  arguments:\n    query: lakes",
        "function_call:\n  name: search\n  arguments:\n    query: lakes",
        "TOOL_NAME: search\nBEGIN_ARG: query\nlakes\nEND_ARG",
        f"I look.\n{FENCE}tool\nTOOL_NAME: search\nBEGIN_ARG: query\nlakes\nEND_ARG\n{FENCE}",
        f"{FENCE}yaml\ntool: search\narguments:\n  query: lakes\n{FENCE}",
        "**Tool:** search\n**Query:** lakes",
        '[tool_call]\nname = "search"\n[tool_call.arguments]\nquery = "lakes"',
        "I look.\n\nAction: Search",
    ],
    "marks of no known form": [
        '[TOOL_CALL]\n{tool => "search", args => {\n  --query "lakes"\n}}\n[/TOOL_CALL]',
        '<tool_use>\n<name>search</name>\n<arguments>{"query": "lakes"}</arguments>\n</tool_use>',
        "<tool_use><tool_name>search</tool_name><params><query>lakes</query></params></tool_use>",
    ],
    "code": [
        'use_tool(search, query="lakes")',
        'const hits = await tools.search({query: "lakes"});',
        "ToolUse(id='x', input={'query': 'lakes'}, name='search')",
        '(search :query "lakes")',
        "[search: lakes]",
    ],
    "in a sentence": [
        'I will use the search tool: {"query": "lakes"}',
        'One moment.search{"query": "lakes"}',
        'Let me check: [search(query="lakes")] and wait.',
        '[search(query="lakes")]One moment.',
    ],
}


def outcome(text: str, host: str) -> Turn | OutputParserException:
    try:
        return get_parser(host, tools=TOOLS).read(text)  # type: ignore[return-value]
    except OutputParserException as error:
        return error


def calls_of(turn: Turn | OutputParserException) -> list[tuple[str, Any]] | None:
    if isinstance(turn, OutputParserException):
        return None
    assert not isinstance(turn.result, AgentFinish), turn
    made = turn.result if isinstance(turn.result, list) else [turn.result]
    return [(each.tool, each.tool_input) for each in made]


@pytest.mark.parametrize("text", [text for texts in READ.values() for text in texts])
def test_a_spelling_is_read_and_nothing_of_it_is_content(text: str) -> None:
    for host in HOSTS:
        for before in ("", "I look it up.\n"):
            turn = outcome(before + text, host)
            calls = calls_of(turn)
            assert calls in ([LAKES], None), (host, turn)
            if calls is not None:
                assert isinstance(turn, Turn)
                assert turn.content == before.strip(), host
                assert turn.repairs or host in OWN, host
        if host == "mistral":
            assert calls_of(outcome(text, host)) == [LAKES]


@pytest.mark.parametrize("text", [text for texts in REFUSED.values() for text in texts])
def test_a_spelling_that_is_not_read_is_an_error_that_names_the_tool(text: str) -> None:
    for host in HOSTS:
        error = outcome(text, host)
        assert isinstance(error, OutputParserException), (host, error)
        assert "search" in str(error.observation)


@pytest.mark.parametrize("host", ["hermes", "qwen3_coder", "glm45", "longcat"])
def test_what_auto_reads_the_family_reads(host: str) -> None:
    for text in READ["of a relative"][:3]:
        assert calls_of(outcome(text, host)) == calls_of(outcome(text, "auto")) == [LAKES]


@pytest.mark.parametrize("host", ["hermes", "qwen3_coder", "glm45"])
def test_strict_reading_stays_with_its_own(host: str) -> None:
    parser = get_parser(host, tools=TOOLS, lenient=False)
    read = 0
    for text in READ["of a relative"][:3]:
        with suppress(OutputParserException):
            read += not isinstance(parser.parse(text), AgentFinish)
    assert read == 1


@pytest.mark.parametrize("text", [
    TWICE, HALF,
    "<tool_call>\n<function=search>\n<parameter=query>\nlakes\n</tool_call>",
    "<tool_call>search\n<arg_key>query</arg_key>\n<arg_value>lakes",
])  # fmt: skip
def test_a_broken_body_of_a_relative_is_refused(text: str) -> None:
    for host in ("hermes", "glm45"):
        assert isinstance(outcome(text, host), OutputParserException), host


def test_a_second_call_without_its_mark_is_not_lost() -> None:
    text = '[TOOL_CALLS]search[ARGS]{"query": "a"}read_file[ARGS]{"path": "b"}'
    for host in ("hermes", "mistral", "gemma4", "auto"):
        turn = outcome(text, host)
        assert calls_of(turn) == [("search", {"query": "a"}), ("read_file", {"path": "b"})], host


@pytest.mark.parametrize("host", ["pythonic", "hermes", "auto"])
def test_a_colon_may_lead_to_a_list_of_calls_that_ends_its_line(host: str) -> None:
    turn = outcome('Let me check: [search(query="lakes")]', host)
    assert calls_of(turn) == [("search", {"query": "lakes"})]
    for shown in ('For example: [search(query="lakes")]', 'Never write: [search(query="lakes")]'):
        assert isinstance(outcome(shown, host).result, AgentFinish)


def test_a_name_in_an_attribute_of_kimi_k3_may_be_escaped() -> None:
    text = (
        '<|open|>tools<|sep|><|open|>call tool="echo&amp;log" index="1"<|sep|>'
        "<|close|>call<|sep|><|close|>tools<|sep|>"
    )
    turn = get_parser("kimi_k3").read(text, ended="stop")
    assert calls_of(turn) == [("echo&log", {})]  # type: ignore[arg-type]


TORN = [
    "[x,\ntide()]",
    "[moon(a=b),\ntide()]",
    "[moon(), x,\n tide()]",
    "> [moon(),\ntide()]",
    "foo(\ntide()\n)",
    "(see\ntide())",
    "# moon()\ntide()",
    "-moon()\n+tide()",
    "if dry:\ntide()",
    "def later():\n    tide()",
    f"{FENCE}\n[x,\ntide()]\n{FENCE}",
    '> ```json\n[\n  {"name": "moon", "arguments": {}}',
    '[x,\n{"moon": {}}]',
    '[\n"a",\n{"name": "moon", "arguments": {}}]',
    '[{"name": "moon", "arguments": {}},\n {"name": "x"',
]


@pytest.mark.parametrize("text", TORN)
def test_nothing_acts_of_a_list_that_is_broken_or_quoted_in_part(text: str) -> None:
    for host in ("hermes", "pythonic", "xlam", "json_toolcall", "mistral", "lfm2"):
        turn = outcome(text, host)
        assert isinstance(turn, OutputParserException) or isinstance(turn.result, AgentFinish), host


def test_a_whole_list_of_calls_acts() -> None:
    for text in ("[moon(),\ntide()]", "I look.\n[moon(), tide()]", "moon()\ntide()"):
        assert calls_of(outcome(text, "hermes")) == [("moon", {}), ("tide", {})]


def test_one_raw_input_that_names_a_parameter_is_no_input() -> None:
    with pytest.raises(ForeignCallError):
        get_parser("hermes", tools=TOOLS).parse("Action: search\nAction Input: query: lakes")


MANY = {
    "objects that are no calls": '{"name": "x", "arguments": {}}\n',
    "objects with the name of a tool": '{"kind": "search", "count": 3}\n',
    "names and colons": "search: it is a word\n",
    "names in another case": "Search: it is a word\n",
    "elements": "<item><name>search</name></item>\n",
    "lines as in YAML": "- name: search\n  kind: word\n",
    "opened brackets": "( [ search { ",
}


@pytest.mark.parametrize("piece", MANY.values(), ids=MANY)
def test_many_candidates_take_linear_time(piece: str) -> None:
    parser = get_parser("hermes", tools=TOOLS)

    def seconds(size: int) -> float:
        text = "I answer.\n" + piece * (size // len(piece)) + "\nThat is all."
        begin = time.process_time()
        with_errors(parser, text)
        return time.process_time() - begin

    seconds(10_000)
    few, many = seconds(25_000), seconds(100_000)
    assert many < 16 * max(few, 0.02)


def with_errors(parser: Any, text: str) -> Sequence[Any] | None:
    try:
        return [parser.parse(text)]
    except OutputParserException:
        return None


def test_a_call_behind_many_candidates_is_not_lost() -> None:
    for piece in MANY.values():
        for call in (
            '{"name": "search", "arguments": {"query": "lakes"}}',
            'search(query="lakes")',
        ):
            text = f"I answer.\n{piece * (40_000 // len(piece))}\n\n{call}"
            turn = outcome(text, "hermes")
            calls = calls_of(turn)
            assert calls in ([LAKES], None), piece
