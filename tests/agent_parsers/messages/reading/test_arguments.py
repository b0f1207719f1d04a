"""The arguments of a call whose tool has a schema."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_parsers import (
    AgentAction,
    MessageParser,
    OpenAIFunctionsAgentOutputParser,
    OutputParserException,
    ToolInputError,
    ToolsAgentOutputParser,
    ToolSet,
    UnknownToolError,
    get_parser,
)
from agent_parsers.parsers.message_parser import MessageTurn
from outputs import AIMessage, ToolCall

from ....helpers.messages import (
    Said,
    chunks_of,
    cut,
    delta,
    last_chunk,
    names,
    outcome_of,
    places,
    shown_end,
    story_of,
    written,
)
from ....helpers.tool_replies import JUNK, PARTS, schemas


def search(query: str, limit: int = 10) -> None:
    """Looks up a name."""


def book(place: str, nights: int) -> None:
    """Books a room."""


TOOLS = ToolSet([search, book, "ask"])


def message(name: str, arguments: Any, content: str | None = None) -> dict[str, Any]:
    call = {"id": "1", "type": "function", "function": {"name": name, "arguments": arguments}}
    return {"role": "assistant", "content": content, "tool_calls": [call]}


def read(said: Any, *, lenient: bool = True, tools: Any = TOOLS) -> MessageTurn:
    """Read a message in both ways."""
    parser = ToolsAgentOutputParser(lenient=lenient, tools=tools)
    assert outcome_of(lambda: parser.invoke(said)) == outcome_of(lambda: parser.read(said).result)
    return parser.read(said)


def taken(said: Any, **options: Any) -> Any:
    result = read(said, **options).result
    assert isinstance(result, list)
    return result[0].tool_input


def wrong(said: Any, **options: Any) -> ToolInputError:
    with pytest.raises(ToolInputError) as caught:
        read(said, **options)
    return caught.value


@pytest.mark.parametrize("lenient", [False, True])
@pytest.mark.parametrize(
    ("tool", "arguments", "value"),
    [
        ("search", '{"query": "007", "limit": "5"}', {"query": "007", "limit": 5}),
        ("book", '{"place": "5", "nights": "2"}', {"place": "5", "nights": 2}),
        ("search", '{"__arg1": "lakes"}', {"query": "lakes"}),
        ("ask", '{"limit": "5"}', {"limit": "5"}),
        ("ask", '{"__arg1": "lakes"}', "lakes"),
    ],
)
def test_the_schema_says_the_types(tool: str, arguments: str, value: Any, lenient: bool) -> None:
    assert taken(message(tool, arguments), lenient=lenient) == value
    assert not read(message(tool, arguments), lenient=lenient).repairs
    data = AIMessage("", tool_calls=[ToolCall(name=tool, args=json.loads(arguments), id="1")])
    assert taken(data, lenient=lenient) == value


def test_the_log_contains_what_is_called() -> None:
    (action,) = ToolsAgentOutputParser(tools=TOOLS).invoke(
        message("book", '{"place": "a", "nights": "2"}')
    )
    assert action.log == "\nInvoking: `book` with `{'place': 'a', 'nights': 2}`\n\n\n"


def test_text_fills_a_lone_parameter_where_one_is_known() -> None:
    assert taken(message("search", '"lakes"')) == {"query": "lakes"}
    for lenient, tool in ((False, "search"), (True, "ask")):
        with pytest.raises(OutputParserException, match="not a text"):
            read(message(tool, '"lakes"'), lenient=lenient)
    call = {
        "role": "assistant",
        "content": "",
        "function_call": {"name": "search", "arguments": '"x"'},
    }
    for lenient in (False, True):
        action = OpenAIFunctionsAgentOutputParser(tools=TOOLS, lenient=lenient).invoke(call)
        assert isinstance(action, AgentAction)
        assert action.tool_input == {"query": "x"}


@pytest.mark.parametrize("lenient", [False, True])
def test_an_error_says_all_that_is_wrong(lenient: bool) -> None:
    error = wrong(message("book", '{"night": "two"}', "Hm."), lenient=lenient)
    assert [problem.path for problem in error.problems] == [("night",), ("place",), ("nights",)]
    assert error.llm_output == 'Hm.book{"night": "two"}'
    assert error.llm_output[slice(*error.span or (0, 0))] == '{"night": "two"}'
    assert error.send_to_llm
    assert str(error.observation).split("\n") == [
        "The input of book is not right:",
        (
            '- night: expected only the keys place, nights, found the key "night";'
            ' did you mean "nights"?'
        ),
        "- place: expected a string, found nothing",
        "- nights: expected an integer, found nothing",
        'You wrote: {"night": "two"}',
        "For example, call book with these arguments:",
        '{"place": "<place>", "nights": 1}',
    ]


@pytest.mark.parametrize("lenient", [False, True])
def test_an_unknown_tool_is_an_error_with_an_example_of_the_nearest(lenient: bool) -> None:
    with pytest.raises(UnknownToolError) as caught:
        read(message("serch", "{}"), lenient=lenient)
    assert (caught.value.span, caught.value.near) == ((0, 5), ("search",))
    assert str(caught.value.observation).split("\n") == [
        "There is no tool 'serch'. Did you mean 'search'? The tools are: search, book, ask.",
        "For example, call search with these arguments:",
        '{"query": "<query>"}',
    ]


def test_names_are_repaired_as_in_text() -> None:
    for name in ("Search", "functions.search", "`search`", "mcp:search", "SEARCH "):
        turn = read(message(name, '{"query": "a"}'))
        assert isinstance(turn.result, list)
        assert turn.result[0].tool == "search"
        assert [repair.kind for repair in turn.repairs] == ["tool_name"]
    for name in ("search.book", "get time"):
        with pytest.raises(UnknownToolError):
            read(message(name, "{}"), tools=["search", "book", "get_time", "getTime"])


def test_nothing_is_called_if_one_of_several_calls_is_wrong() -> None:
    said = message("search", '{"query": "a"}')
    said["tool_calls"] += message("book", "{}")["tool_calls"]
    error = wrong(said)
    assert (error.tool, len(error.problems)) == ("book", 2)


TAGGED = (
    "<function=book>\n<parameter=place>\na\n</parameter>\n"
    "<parameter=nights>\n2\n</parameter>\n</function>"
)


@pytest.mark.parametrize(
    "content",
    [
        '<tool_call>{"name": "book", "arguments": {"place": "a", "nights": "2"}}</tool_call>',
        '{"name": "book", "arguments": {"place": "a", "nights": "2"}}',
        TAGGED,
    ],
)
def test_calls_in_the_content_have_the_types_too(content: str) -> None:
    assert taken(AIMessage(content)) == {"place": "a", "nights": 2}
    error = wrong(AIMessage(content.replace("2", "two")))
    assert error.span == (0, len(content) + 2)


# -- repeated keys ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        '{"query": "a", "query": "b"}',
        '{"query": "a", "query": "a"}',
        '{"a": {"b": 1, "b": 2}}',
        '{"query": "a", "\\u0071uery": "b"}',
        "{'query': 'a', 'query': 'b'}",
        '"{\\"q\\": 1, \\"q\\": 2}"',
    ],
)
@pytest.mark.parametrize("tools", [None, TOOLS])
def test_a_repeated_key_is_an_error(arguments: str, tools: Any) -> None:
    with pytest.raises(OutputParserException, match="twice") as caught:
        read(message("search", arguments), tools=tools)
    assert "with each key once" in str(caught.value.observation)
    assert caught.value.span == (6, 6 + len(arguments))


@pytest.mark.parametrize(
    "arguments",
    [
        '{"query": "a", "query": "b"}',
        '{"query": "a", "\\u0071uery": "b"}',
        '{"query": "a", "limit": [{"b": 1, "b": 2}]}',
    ],
)
def test_a_repeated_key_is_an_error_in_strict_mode(arguments: str) -> None:
    said = message("search", arguments)
    function = {"name": "search", "arguments": arguments}
    call = {"role": "assistant", "content": "", "function_call": function}
    pieces = [
        {"choices": [{"delta": {"tool_calls": [{"index": 0, **piece}]}}]}
        for piece in (
            {"id": "1", "function": {"name": "search", "arguments": arguments[:9]}},
            {"function": {"arguments": arguments[9:]}},
        )
    ]
    for parser, chunks in (
        (ToolsAgentOutputParser(), [said]),
        (ToolsAgentOutputParser(tools=TOOLS), [said]),
        (ToolsAgentOutputParser(), pieces),
        (OpenAIFunctionsAgentOutputParser(), [call]),
    ):
        with pytest.raises(OutputParserException, match="twice"):
            [*parser.transform(iter(chunks))]
        with pytest.raises(OutputParserException, match="twice"):
            parser.invoke(chunks[0]) if len(chunks) == 1 else [*parser.events(chunks)]


def test_two_objects_may_have_the_same_key() -> None:
    arguments = '{"a": {"b": "b:"}, "c": {"b": 1}}'
    assert taken(message("ask", arguments), lenient=False) == json.loads(arguments)


@pytest.mark.parametrize(
    "content",
    [
        '<tool_call>{"name": "ask", "arguments": {"q": 1, "q": 2}}</tool_call>',
        '{"name": "ask", "arguments": {"q": 1, "q": 2}}',
        "<function=ask>\n<parameter=q>\na\n</parameter>\n<parameter=q>\nb\n</parameter>\n</function>",
    ],
)
def test_a_repeated_key_in_the_content_is_an_error(content: str) -> None:
    with pytest.raises(OutputParserException, match="found the same key twice in a tool call"):
        read(AIMessage(content))


# -- laws ------------------------------------------------------------------------------------------

FEW = settings(max_examples=2 * settings().max_examples)
TOOL_NAMES = ["search", "look_up", "list-ports"]


@st.composite
def inputs(draw: st.DrawFn) -> str:
    value = {key: draw(PARTS[key][1]) for key in draw(st.sets(st.sampled_from(sorted(PARTS))))}
    for key in draw(st.sets(st.sampled_from([*PARTS, "other"]), max_size=2)):
        value[key] = draw(st.sampled_from(JUNK))
    return json.dumps(value)


@st.composite
def said_with(draw: st.DrawFn) -> Said:
    count = draw(st.integers(1, 3))
    calls = [(draw(names), draw(inputs() | written), f"call_{n}") for n in range(count)]
    return Said(draw(st.sampled_from([None, "Let me look."])), tuple(calls))


@st.composite
def parsers(draw: st.DrawFn, name: str) -> MessageParser:
    tools: list[Any] = [{"name": tool, "parameters": draw(schemas())} for tool in TOOL_NAMES]
    tools = ToolSet([*tools, "plain"], unknown_keys=draw(st.sampled_from(["forbid", "drop"])))
    parser = get_parser(name, tools=tools, lenient=draw(st.booleans()))  # type: ignore[call-overload]  # one of the names
    assert isinstance(parser, MessageParser)
    return parser


@FEW
@given(data=st.data())
def test_any_cut_yields_the_events_of_the_whole_message(data: st.DataObject) -> None:
    parser = data.draw(parsers("tools"), "parser")
    what = data.draw(said_with(), "said")
    end = shown_end(what)
    story = story_of(parser, [what.whole() | end])
    chunks = [*data.draw(chunks_of(what), "chunks"), *last_chunk(end)]
    assert story_of(parser, chunks) == story
    assert outcome_of(lambda: parser.invoke(what.whole())) == story.outcome  # type: ignore[attr-defined]
    for _, _, tool_input, *_ in [] if not isinstance(story.outcome, list) else story.outcome:
        assert isinstance(tool_input, dict | str)


@FEW
@given(data=st.data())
def test_any_cut_of_a_function_call_yields_the_events_of_the_whole(data: st.DataObject) -> None:
    parser = data.draw(parsers("openai_functions"), "parser")
    what = data.draw(said_with(), "said")
    end = shown_end(what)
    story = story_of(parser, [what.whole_function() | end])
    chunks = [delta(content=text) for text in cut(what.content, data.draw(places))]
    name, text, _ = what.calls[0]
    parts = cut(text, data.draw(places))
    chunks.append(delta(function_call={"name": name, "arguments": parts[0]}))
    chunks += (delta(function_call={"arguments": part}) for part in parts[1:])
    assert story_of(parser, [*chunks, *last_chunk(end)]) == story
    assert outcome_of(lambda: parser.invoke(what.whole_function())) == story.outcome  # type: ignore[attr-defined]


@FEW
@given(data=st.data())
def test_what_is_called_fits_and_what_does_not_has_an_example_that_does(
    data: st.DataObject,
) -> None:
    parser: Any = data.draw(parsers("tools"), "parser")
    tools = parser.tools
    name = data.draw(st.sampled_from(TOOL_NAMES))
    try:
        (action,) = parser.invoke(message(name, data.draw(inputs(), "arguments")))
    except ToolInputError as error:
        example = str(error.observation).rpartition("\n")[2]
        (action,) = parser.invoke(message(name, example))
        assert action.tool_input == json.loads(example)
    else:
        assert tools.check(action.tool, action.tool_input) == action.tool_input


@pytest.mark.parametrize("lenient", [True, False])
@pytest.mark.parametrize("around", [{}, {"type": "message", "stop_reason": "tool_use"}])
def test_the_input_of_a_block_may_be_text(around: dict[str, Any], lenient: bool) -> None:
    def blocks(*inputs: Any) -> dict[str, Any]:
        content = [
            {"type": "tool_use", "id": str(n), "name": "search", "input": each}
            for n, each in enumerate(inputs)
        ]
        return {**around, "role": "assistant", "content": content}

    parser: Any = get_parser("tools", lenient=lenient)
    calls = parser.invoke(blocks('{"q": "rain"}', {"q": "fog"}))
    assert [action.tool_input for action in calls] == [{"q": "rain"}, {"q": "fog"}]
    for wrong in ('{"q": "a", "q": "b"}', "[1]", [1], 5, "rain"):
        with pytest.raises(OutputParserException, match="search"):
            parser.invoke(blocks(wrong))
