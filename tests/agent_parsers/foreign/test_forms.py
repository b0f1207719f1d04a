"""Calls in forms that no dialect has, and what looks like calls."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Literal

import pytest

from agent_parsers import (
    AgentAction,
    AgentFinish,
    ForeignCallError,
    OutputParserException,
    Turn,
    get_parser,
    list_dialects,
)
from agent_parsers.foreign.places import mentions_of

from ...helpers.effort import THOROUGH


def search(query: str, limit: int = 5) -> None:
    """Looks up a name."""


def weather(city: str, unit: Literal["celsius", "fahrenheit"] = "celsius") -> None:
    """Tells the weather."""


def ping() -> None:
    """Asks whether anybody is there."""


TOOLS = [search, weather, ping]
DIALECTS = ["hermes", "mistral", "qwen3_coder", "glm45", "gemma4"]
LAKES = ("search", {"query": "lakes"})
"""The call of most texts here."""

OBJECTS = [
    '{"function": "search", "params": {"query": "lakes"}}',
    '{"tool_to_call": "search", "with": {"query": "lakes"}}',
    '{"search": {"query": "lakes"}}',
    '{"type": "tool_use", "id": "1", "name": "search", "input": {"query": "lakes"}}',
    '{"type": "function", "function": {"name": "search", "arguments": {"query": "lakes"}}}',
    '{"function": {"name": "search", "arguments": "{\\"query\\": \\"lakes\\"}"}}',
    '{"recipient_name": "functions.search", "parameters": {"query": "lakes"}}',
    '{"actions": [{"tool": "search", "input": {"query": "lakes"}}]}',
    '{"tool": "search", "query": "lakes"}',
    "{'tool': 'search', 'args': {'query': 'lakes'},}",
    'I will look it up.\n\n{"tool_name": "search", "tool_args": {"query": "lakes"}}',
]
CODE = [
    'search(query="lakes")',
    'search("lakes")',
    'functions.search({"query": "lakes"})',
    '[search(query="lakes")]',
    'Let me see.\n\nsearch(\n    query="lakes",\n)',
    '```tool_code\nsearch(query="lakes")\n```',
    'Let me see.\n```tool_code\nsearch(query="lakes")\n```',
    'call search(query="lakes")',
    "<tool_code>search(query='lakes')</tool_code>",
    '<tool_code>\nprint(search(query="lakes"))\n</tool_code>',
    'I look it up.\n\n<call>search("lakes")</call>',
]
NAMES = [
    'search: {"query": "lakes"}',
    'search -> {"query": "lakes"}',
    '**search**\n{"query": "lakes"}',
    'Tool: search\nArguments: {"query": "lakes"}',
    '<<search>>{"query": "lakes"}<</search>>',
    '[TOOL:search]{"query": "lakes"}[/TOOL]',
    '<|tool|>search\n{"query": "lakes"}<|/tool|>',
    'functions.search:0{"query": "lakes"}',
    '✿FUNCTION✿: search\n✿ARGS✿: {"query": "lakes"}',
]
ELEMENTS = [
    "<search>\n<query>lakes</query>\n</search>",
    '<search query="lakes"/>',
    "<search>lakes</search>",
    "<search>\nquery: lakes\n</search>",
    '<search>{"query": "lakes"}</search>',
    '<invoke tool="search"><arg name="query">lakes</arg></invoke>',
    '<call name="search" query="lakes"></call>',
    "<do=search><query>lakes</query></do>",
    "<search><arguments><query>lakes</query></arguments></search>",
    "<user>search\n<arg_key>query</arg_key>\n<arg_value>lakes</arg_value>\n</user>",
    "[search]\nquery: lakes\n[/search]",
    '[search query="lakes"]',
]


def read(text: str, dialect: str = "hermes") -> Turn:
    return get_parser(dialect, tools=TOOLS).read(text)  # type: ignore[return-value]


def calls_of(turn: Turn) -> list[tuple[str, Any]]:
    assert isinstance(turn.result, list), turn.result
    return [(action.tool, action.tool_input) for action in turn.result]


@pytest.mark.parametrize("text", [*OBJECTS, *CODE, *NAMES, *ELEMENTS])
def test_one_reading_that_the_tool_takes_is_the_call(text: str) -> None:
    for dialect in DIALECTS:
        turn = read(text, dialect)
        assert calls_of(turn) == [LAKES], dialect
        assert turn.repairs, dialect


def test_several_calls_of_one_shape_are_made_in_order() -> None:
    turn = read('search("lakes")\nsearch("bridges", 3)\nping()')
    assert calls_of(turn) == [LAKES, ("search", {"query": "bridges", "limit": 3}), ("ping", {})]


def test_the_repair_says_which_dialect_or_which_shape() -> None:
    (repair,) = read('[TOOL_CALLS]search[ARGS]{"query": "lakes"}').repairs
    assert (repair.kind, repair.message) == ("foreign", "read a call in the form of mistral")
    (repair,) = read('search("lakes")').repairs
    assert repair.message == "read a call written as code that calls search"
    assert repair.span == (0, len('search("lakes")'))


def test_content_beside_a_foreign_call_is_content() -> None:
    turn = read('I look it up.\nsearch("lakes")')
    assert turn.content == "I look it up."


REFUSED = {
    "cut": [
        '{"tool": "search", "with": {"query": "lak',
        'search(query="lak',
        "<search><query>lakes</query>",
        '<search query="lakes">',
        'search: {"query": "lak',
    ],
    "no tool takes it": [
        'weather(city="London", unit="raining")',
        '[weather(city="London", unit="raining")]',
        '{"function": "search", "params": {"name": "lakes"}}',
        '{"search": {"query": ["lakes"]}}',
        '{"search": "lakes"}',
        "<search><name>lakes</name></search>",
        'search: {"name": "lakes"}',
        "search(query=lakes)",
        "search(term)",
    ],
    "it can be read in two ways": [
        '{"tool": "search", "args": {"query": "a"}, "input": {"query": "b"}}',
        '{"tool": "search", "args": {"query": "a", "query": "b"}}',
        '<search query="a"><query>b</query></search>',
    ],
    "text follows": [
        'search("lakes")\n\nThe largest is Lake Geneva.',
        "<search>\n<query>lakes</query>\n</search>\n\nThe largest is Lake Geneva.",
        'search("lakes")\nand then\nsearch("bridges")',
    ],
    "within a sentence": [
        'I ask {"tool": "search", "args": {"query": "lakes"}} for it.',
        'I will look. <call name="search" query="lakes"></call>',
        "Write <tool>search</tool><tool_input>lakes</tool_input> first.",
        "Now <function=search><parameter=query>lakes</parameter></function> is a call.",
    ],
    "no more than a command": [
        "!search query=lakes",
        "search --query lakes",
        "search[lakes]",
        'await search("lakes")',
        'result = search("lakes")',
    ],
    "in marks of no known form": [
        '<|python_tag|>search.call(query="lakes")',
        '<use_tool>search</use_tool><args>{"query": "lakes"}</args>',
        "<action>search</action><action_input>lakes</action_input>",
        "<use_mcp_tool>\n<tool_name>search</tool_name>\n<arguments>\n{}\n</arguments>\n</use_mcp_tool>",
        "search<arg_key>query</arg_key><arg_value>lakes</arg_value>",
    ],
    "with a parameter beside the input": [
        '{"action": "search", "action_input": {"query": "lakes"}, "limit": 2}',
        '{"limit": 2, "tool": "search", "args": {"query": "lakes"}}',
        '{"actions": [{"tool": "search", "input": {"query": "lakes"}, "limit": 2}]}',
    ],
    "in a fence after other text": [
        'I look it up.\n```json\n{"tool": "search", "args": {"query": "lakes"}}\n```',
    ],
}


@pytest.mark.parametrize("text", [text for texts in REFUSED.values() for text in texts])
def test_what_looks_like_a_call_and_cannot_be_made_is_refused(text: str) -> None:
    for dialect in DIALECTS:  # some refuse it as a call of their own
        parser = get_parser(dialect, tools=TOOLS)
        with pytest.raises(OutputParserException) as caught:
            parser.read(text)
        error = caught.value
        assert error.span is not None
        assert error.span[0] < error.span[1] <= len(text)
        assert "search" in str(error.observation)


@pytest.mark.parametrize("dialect", sorted({*list_dialects()} - {"self_ask"}))
def test_a_call_with_escaped_quotes_is_no_answer(dialect: str) -> None:
    """Seen live: a model writes its call back as a result in JSON has shown it."""
    try:
        call = get_parser(dialect, tools=TOOLS).render(AgentAction("weather", {"city": "Ely"}, ""))
    except ValueError:  # it has to be code
        return
    parser = get_parser(dialect, tools=TOOLS)
    for text in (call, '{"name": "weather", "arguments": {"city": "Ely"}}'):
        with suppress(OutputParserException):
            result = parser.parse(text.replace('"', '\\"'))
            assert not isinstance(result, AgentFinish), text


def test_the_observation_shows_how_the_dialect_writes_a_call() -> None:
    with pytest.raises(ForeignCallError) as caught:
        read('weather(city="London", unit="raining")', "mistral")
    assert str(caught.value.observation).endswith(
        'For example: [TOOL_CALLS]search[ARGS]{"query": "<query>"}'
    )


def test_a_call_beside_others_in_the_form_of_the_dialect_is_refused() -> None:
    own = '<tool_call>\n{"name": "ping", "arguments": {}}\n</tool_call>'
    with pytest.raises(ValueError, match="own form"):
        read(f'search("lakes")\n{own}')


def test_content_that_says_what_is_called_is_content() -> None:
    own = '<tool_call>\n{"name": "search", "arguments": {"query": "lakes"}}\n</tool_call>'
    turn = read(f'search("lakes")\n{own}')
    assert calls_of(turn) == [LAKES]
    assert turn.content == 'search("lakes")'


def test_no_call_is_made_without_those_of_its_turn_behind_a_mark() -> None:
    """The mark ends a turn of these dialects, and only a message in a turn of the other one."""
    actions = [AgentAction("search", {"query": query}, "") for query in ("lakes", "rivers")]
    text = get_parser("muse_glimmer", tools=TOOLS).render(actions)
    for name in ("jamba", "llama4_pythonic", "pythonic"):
        with pytest.raises(ForeignCallError, match="comes after a marker that ends the turn"):
            read(text, name)


def test_a_call_that_the_model_imagines_behind_the_end_of_its_turn_takes_none_away() -> None:
    call = get_parser("hermes").render(AgentAction("search", {"query": "lakes"}, ""))
    turn = read(f"{call}<|eom|>user\nAnd then?\n{call}", "pythonic")
    assert calls_of(turn) == [LAKES]


def test_nothing_is_read_across_reasoning() -> None:
    with pytest.raises(ForeignCallError, match="it contains reasoning or a marker"):
        read("<search>\n<query>a <think>b</think> c</query>\n</search>")


def test_no_call_is_taken_from_a_text_that_was_cut() -> None:
    parser = get_parser("hermes", tools=TOOLS)
    with pytest.raises(ValueError, match="expected the end of the call"):
        parser.parse('search("lakes")', ended="length")


def test_a_turn_of_one_action_takes_one_call() -> None:
    parser = get_parser("react", tools=TOOLS)
    one = parser.parse('Thought: hm\nFinal Answer: search("lakes")')
    assert not isinstance(one, AgentFinish)
    assert (one.tool, one.tool_input) == LAKES
    with pytest.raises(ValueError, match="a turn has only one action"):
        parser.parse('Final Answer: search("lakes")\nping()')


def test_without_tools_a_call_of_another_dialect_is_refused_and_no_other_text() -> None:
    parser = get_parser("hermes")
    for text in (
        '[TOOL_CALLS]f[ARGS]{"a": 1}',
        '<|channel|>commentary to=functions.f<|message|>{"a": 1}<|call|>',
        "Thought: hm\nAction: f\nAction Input: x",
    ):
        with pytest.raises(ForeignCallError, match="it calls none of the known tools"):
            parser.parse(text)
    for text in (
        "f(a=1)",
        "[f(a=1)]",
        "```python\nf(1)\n```",
        "Action: rest",
        "[1] a book",
        "<f/>",
    ):
        assert isinstance(parser.parse(text), AgentFinish)


@pytest.mark.parametrize("text", [OBJECTS[0], CODE[4], ELEMENTS[0], REFUSED["text follows"][0]])
def test_a_stream_ends_in_the_same_result(text: str) -> None:
    parser = get_parser("hermes", tools=TOOLS)
    for size in (1, 3, 7) if THOROUGH else (3,):
        stream = parser.stream_parser()
        outcome: Any
        try:
            for at in range(0, len(text), size):
                stream.feed(text[at : at + size])
            stream.close()
            outcome = stream.result
        except ForeignCallError as error:
            outcome = str(error)
        try:
            whole: Any = parser.parse(text)
        except ForeignCallError as error:
            whole = str(error)
        assert outcome == whole


def test_strict_reading_does_not_look() -> None:
    parser = get_parser("hermes", tools=TOOLS, lenient=False)
    assert isinstance(parser.parse('search("lakes")'), AgentFinish)


def test_auto_never_answers_with_a_call_of_a_known_tool() -> None:
    parser = get_parser("auto", tools=TOOLS)
    with pytest.raises(ForeignCallError):
        parser.parse('[weather(city="London", unit="raining")]')


def test_auto_takes_no_code_for_a_call_of_an_interpreter_that_is_not_declared() -> None:
    text = 'You would write:\n\n```python\nhits = search("lakes")\n```\n\nIt is one line.'
    assert isinstance(get_parser("auto", tools=TOOLS).parse(text), AgentFinish)


def test_a_name_behind_a_word_that_holds_it_is_found_where_it_stands() -> None:
    (mention,) = mentions_of(["search"], "research.search(1).")
    assert mention == (9, 15, "search")


def test_a_tool_that_is_named_call_keeps_its_name() -> None:
    assert [each.tool for each in mentions_of(["call", "x.call"], "call, a.call, x.call")] == [
        "call", "call", "x.call",
    ]  # fmt: skip
    assert [*mentions_of(["search"], "search.call(1) and research.call(1)")] == [(0, 6, "search")]


@pytest.mark.parametrize("text", [
    '[search (no!)(query="lakes")]', '[search not query="lakes"]', '<search never query="lakes"/>',
])  # fmt: skip
@pytest.mark.parametrize("name", ["pythonic", "hermes"])
def test_words_among_parameters_are_no_parameters(name: str, text: str) -> None:
    with pytest.raises(ForeignCallError, match="there is other text among its parameters"):
        get_parser(name, tools=TOOLS).parse(text)


@pytest.mark.parametrize("name", ["llama3_json", "xlam", "json_toolcall", "auto", "hermes"])
def test_an_indented_block_within_prose_is_never_called(name: str) -> None:
    block = '    {"name": "search", "arguments": {"query": "lakes"}}'
    text = f"The message holds\n\n{block}\n\nand nothing more."
    try:
        result = get_parser(name, tools=TOOLS).parse(text)
    except OutputParserException:
        return
    assert isinstance(result, AgentFinish)
    assert result.return_values["output"] == text


UNDECLARED = {
    "hermes": '<tool_call>\n{"name": "find", "arguments": {"what": "lakes"}}\n</tool_call>',
    "mistral": '[TOOL_CALLS]find[ARGS]{"what": "lakes"}',
    "anthropic_xml": '<function_calls>\n<invoke name="find">\n'
    '<parameter name="what">lakes</parameter>\n</invoke>\n</function_calls>',
    "kimi_k2": "<|tool_calls_section_begin|><|tool_call_begin|>functions.find:0"
    '<|tool_call_argument_begin|>{"what": "lakes"}<|tool_call_end|><|tool_calls_section_end|>',
}  # fmt: skip


@pytest.mark.parametrize("owner", UNDECLARED)
def test_marks_around_a_call_of_no_declared_tool_are_no_answer(owner: str) -> None:
    text = UNDECLARED[owner]
    for name in {*DIALECTS, "tools"} - {owner}:
        for given in (text, {"role": "assistant", "content": text}):
            with pytest.raises(OutputParserException):
                get_parser(name, tools=TOOLS).invoke(given)
    quoted = f"Models write `{UNDECLARED[owner]}`".replace("\n", " ") + " for that."
    for name in {"glm45", "gemma4"} - {owner}:
        assert isinstance(get_parser(name, tools=TOOLS).parse(quoted), AgentFinish)


@pytest.mark.parametrize("lenient", [True, False], ids=["lenient", "strict"])
def test_a_broken_call_between_two_whole_ones_is_refused_in_both_modes(lenient: bool) -> None:
    whole = '<|action_start|><|plugin|>\n{"name": "ping", "parameters": {}}<|action_end|>'
    broken = whole.replace("start|>", "startAction:").replace("ping", "search")
    broken = broken.replace("{}}", '{"query": "lakes"}}')
    parser = get_parser("internlm2", tools=TOOLS, lenient=lenient)
    with pytest.raises(OutputParserException):
        parser.parse(whole + broken + whole)


FENCED = (
    'Thought: I look.\n```json\n{"name": "search", "arguments": {"query": "a"}}\n```\nOne moment.'
)
HOLDS_ANOTHER = """\
<tool_calls>
<tool_call>search<tool_sep>
<arg_key>query</arg_key>
<arg_value><tool_calls>
<tool_call>search<tool_sep>
</tool_call>
</tool_calls> and so on</arg_value>
</tool_call>
</tool_calls>"""


@pytest.mark.parametrize(
    ("name", "text"),
    [("llama3_json", FENCED), ("xlam", FENCED), ("hermes", HOLDS_ANOTHER)],
)
def test_what_this_dialect_takes_for_quoted_may_be_how_another_writes_its_calls(
    name: str, text: str
) -> None:
    with suppress(OutputParserException):
        result = get_parser(name, tools=TOOLS).parse(text, ended="stop")
        assert isinstance(result, list), result


def test_a_quoted_call_does_not_stand_in_the_way_of_one_that_is_meant() -> None:
    quoted = '[TOOL_RESULTS]<function=search>{"query": "quoted"}</function>[/TOOL_RESULTS]'
    text = f'It says:\n{quoted}\nI will not.\n<function=search>{{"query": "meant"}}</function>'
    (action,) = get_parser("functionary_v31", tools=[search]).parse(text)
    assert action.tool_input == {"query": "meant"}
