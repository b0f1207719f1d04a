"""Pages: the events and errors of messages, and past steps as messages."""

from typing import Any

from agent_parsers import (
    AgentAction,
    AgentStep,
    get_dialect,
    get_parser,
    list_dialects,
    parse_transcripts,
    to_anthropic,
    to_langchain,
    to_openai,
    to_openai_responses,
)
from agent_parsers.testing import SnapshotEvents, SnapshotValue, readable
from agent_parsers.testing.snapshots.pages import heading
from outputs import AIMessage, HumanMessage, SystemMessage, ToolMessage

from ...helpers.errors_page import errors_page


def search(query: str, limit: int = 5) -> str:
    """Looks up a name."""
    raise NotImplementedError(query, limit)


def clock() -> str:
    """Tells the time."""
    raise NotImplementedError


TOOLS = [search, clock]


# -- messages of providers ------------------------------------------------------------------------


def openai(*calls: tuple[str, Any], says: str | None = None, ended: str = "tool_calls") -> Any:
    """Return a completion of OpenAI with a call for each name and arguments."""
    entries = [
        {"id": f"call_{number}", "type": "function", "function": {"name": name, "arguments": given}}
        for number, (name, given) in enumerate(calls, 1)
    ]
    message = {"role": "assistant", "content": says, **({"tool_calls": entries} if calls else {})}
    return {"object": "chat.completion", "choices": [{"finish_reason": ended, "message": message}]}


def openai_function(name: str, arguments: Any, ended: str = "function_call", **more: Any) -> Any:
    """Return a completion of OpenAI with the call of a function."""
    call = {"name": name, "arguments": arguments}
    message = {"role": "assistant", "content": None, "function_call": call, **more}
    return {"object": "chat.completion", "choices": [{"finish_reason": ended, "message": message}]}


def anthropic(*content: dict[str, Any], ended: str = "tool_use") -> dict[str, Any]:
    """Return a message of Anthropic with these blocks."""
    return {"type": "message", "role": "assistant", "content": [*content], "stop_reason": ended}


def use(name: str, given: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": "toolu_1", "name": name, "input": given}


def says(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def responses(*output: dict[str, Any]) -> dict[str, Any]:
    """Return a response of OpenAI's Responses API with these items."""
    return {"object": "response", "status": "completed", "output": [*output]}


READ = {
    "OpenAI, a call": openai(("search", '{"query": "Lake Thun"}')),
    "OpenAI, two calls and words": openai(
        ("search", '{"query": "Lake Thun", "limit": 1}'), ("clock", "{}"), says="Let me see."
    ),
    "OpenAI, an answer": openai(says="217 metres", ended="stop"),
    "OpenAI, an answer that was cut": openai(says="It is 217", ended="length"),
    "OpenAI, arguments with repairs": openai(
        ("functions.Search", "{'query': 'Lake Thun',}"), ("clock", "")
    ),
    "OpenAI, a call in the content": openai(
        says='I look.\n<tool_call>\n{"name": "clock", "arguments": {}}\n</tool_call>', ended="stop"
    ),
    "OpenAI's Responses, reasoning and a call": responses(
        {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Hm."}]},
        {"type": "function_call", "call_id": "c1", "name": "search", "arguments": '{"query": "a"}'},
    ),
    "Anthropic, thinking, words and a call": anthropic(
        {"type": "thinking", "thinking": "Which lake?", "signature": "s"},
        says("I look."),
        use("search", {"query": "Lake Thun"}),
    ),
    "Anthropic, an answer in two blocks": anthropic(
        says("It is "), says("deep."), ended="end_turn"
    ),
}
"""Messages that the parser of tool calls reads."""

READ_FUNCTIONS = {
    "a call": openai_function("search", '{"query": "Lake Thun"}'),
    "a call with words and repairs": openai_function("SEARCH", "{'query': 5", content="I look."),
    "an answer": openai(says="217 metres", ended="stop"),
}
"""Messages that the parser of function calls reads."""

WRONG = {
    "a tool that there is not": openai(("serch", '{"query": "a"}')),
    "no name": openai(("", "{}")),
    "an argument that is missing": openai(("search", '{"limit": 1}')),
    "arguments of a wrong type": openai(("search", '{"query": "a", "limit": "many"}')),
    "arguments that are no JSON": openai(("search", "the lake")),
    "arguments with a small mistake": openai(("search", "{'query': 'a',}")),
    "arguments that are cut": openai(("search", '{"query": "Lake Th')),
    "arguments that are not closed, in a message that was cut": openai(
        ("search", '{"query": "a"'), ended="length"
    ),
    "a list in place of arguments": openai(("search", '["a"]')),
    "a number in place of arguments": openai(("search", 5)),
    "a key that is repeated": openai(("search", '{"query": "a", "query": "b"}')),
    "no arguments": openai(("search", None)),
    "a second call that is broken": openai(("clock", "{}"), ("search", "{")),
    "a call in the content that is cut": openai(
        says='<tool_call>\n{"name": "search", "arguments": {"query": "a', ended="stop"
    ),
    "a tag without a call": openai(says="<tool_call>\nso\n</tool_call>", ended="stop"),
    "the call of a function": openai_function("search", '{"query": "a"}'),
    "nothing": openai(says="", ended="stop"),
    "a refusal": {"role": "assistant", "content": None, "refusal": "I can't help with that."},
    "a reply that was filtered": openai(says="", ended="content_filter"),
    "Anthropic, a missing argument": anthropic(use("search", {"limit": 1})),
    "Anthropic, a turn that is paused": anthropic(says("Well,"), ended="pause_turn"),
    "Anthropic, a refusal": anthropic(says("I can't."), ended="refusal"),
    "Anthropic, a call that was cut": anthropic(use("clock", {}), ended="max_tokens"),
}
"""Messages that are errors for the parser of tool calls, at least if it is strict."""

WRONG_FUNCTIONS = {
    "a function that there is not": openai_function("serch", '{"query": "a"}'),
    "no name": openai_function("", "{}"),
    "no arguments": openai_function("search", None),
    "arguments that are no JSON": openai_function("search", "the lake"),
    "arguments that are cut": openai_function("search", '{"query": "Lake Th', ended="length"),
    "calls of tools": openai(("search", '{"query": "a"}')),
    "several calls in the content": openai(
        says='<tool_call>\n{"name": "clock", "arguments": {}}\n</tool_call>' * 2, ended="stop"
    ),
    "nothing": openai(says="", ended="stop"),
}
"""Messages that are errors for the parser of function calls, at least if it is strict."""


def test_events_of_tool_calls(snapshot_events: SnapshotEvents) -> None:
    snapshot_events("tools", READ, tools=TOOLS, name="messages/events_of_tools")


def test_events_of_function_calls(snapshot_events: SnapshotEvents) -> None:
    name = "messages/events_of_functions"
    snapshot_events("openai_functions", READ_FUNCTIONS, tools=TOOLS, name=name)


def test_errors_of_tool_calls(snapshot_value: SnapshotValue) -> None:
    strict, lenient = (get_parser("tools", tools=TOOLS, lenient=way) for way in (False, True))
    snapshot_value(errors_page(strict, lenient, WRONG), name="messages/errors_of_tools")


def test_errors_of_function_calls(snapshot_value: SnapshotValue) -> None:
    ways = (False, True)
    strict, lenient = (get_parser("openai_functions", tools=TOOLS, lenient=way) for way in ways)
    page = errors_page(strict, lenient, WRONG_FUNCTIONS)
    snapshot_value(page, name="messages/errors_of_functions")


# -- past steps as messages -----------------------------------------------------------------------


def steps_of(name: str) -> list[tuple[AgentAction, Any]]:
    """Return the steps in the sample of a dialect, with the ids that it gives to calls."""
    dialect = get_dialect(name)
    if dialect.lenient.transcript_start:
        (run,) = parse_transcripts(dialect.sample, dialect=dialect)
        return [(step.action, step.observation) for step in run.steps if step.observation]
    actions = get_parser(name).invoke(dialect.sample)
    return [(action, f"what {action.tool} returned") for action in actions]


def test_steps_of_text_dialects_as_messages(snapshot_value: SnapshotValue) -> None:
    sections = []
    for name in list_dialects():
        parser = get_parser(name, tools=TOOLS)
        system, *rest = parser.render_prompt("Why?", steps_of(name), as_messages=True)
        assert system == SystemMessage(parser.get_format_instructions())
        sections.append(heading(name) + "\n\n".join(message.pretty_repr() for message in rest))
    snapshot_value("\n\n".join(sections) + "\n", name="messages/steps_of_text_dialects")


def history() -> list[Any]:
    """Return a run in which models of several kinds took part, as steps and messages."""
    parser = get_parser("tools")
    search_call, clock_call = parser.invoke(READ["OpenAI, two calls and words"])
    (thought_call,) = parser.invoke(READ["Anthropic, thinking, words and a call"])
    return [
        HumanMessage("How deep is Lake Thun, and what time is it?"),
        (search_call, "It is 217 m deep."),
        (clock_call, {"hour": 12}),
        AIMessage("Noon. Again?"),
        HumanMessage("Yes, and slowly."),
        AgentStep(action=thought_call, observation=217.0),
        AIMessage(
            "", tool_calls=[{"name": "clock", "args": {}, "id": "call_3", "type": "tool_call"}]
        ),
        ToolMessage("no battery", tool_call_id="call_3", name="clock", status="error"),
        *get_parser("react", tools=TOOLS).render_prompt(
            "Once more?", steps_of("react"), as_messages=True
        )[1:],
    ]


def test_steps_for_providers(snapshot_value: SnapshotValue) -> None:
    system = SystemMessage("You know lakes.")
    pages = {
        "OpenAI's Chat Completions": to_openai([system, *history()]),
        "OpenAI's Responses": to_openai_responses([system, *history()]),
        "Anthropic": to_anthropic(history()),
        "LangChain": [
            {"type": message.type, **message.model_dump(exclude_defaults=True)}
            for message in to_langchain([system, *history()])
        ],
    }
    page = "\n".join(f"{heading(title)}{readable(value)}" for title, value in pages.items())
    snapshot_value(page, name="messages/steps_for_providers")
