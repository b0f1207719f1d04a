"""Messages with tool calls, whole and in chunks, and the results of parsing them."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from agent_laws.trials.stories import refusal
from agent_parsers import (
    ActionComplete,
    AgentAction,
    AgentFinish,
    AnswerDelta,
    Finish,
    InputDelta,
    MessageParser,
    OpenAIFunctionsAgentOutputParser,
    OutputParserException,
    ThoughtDelta,
    ToolAgentAction,
    ToolNamed,
    ToolsAgentOutputParser,
    merge_events,
)
from agent_parsers.events import MarkerSeen, SkippedDelta

if TYPE_CHECKING:
    from agent_parsers.messages.reading.stream import MessageStreamParser

DELTAS = (AnswerDelta, ThoughtDelta, InputDelta, SkippedDelta)
TILES = (*DELTAS, ToolNamed, MarkerSeen)

TOOLS = ["search", "look_up", "list-ports"]

# -- content of messages ------------------------------------------------------------------------

letters = st.text(st.characters(codec="utf-8"), max_size=6)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | st.floats(-9, 9, width=16) | letters,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(letters, inner, max_size=2),
    max_leaves=4,
)
arguments = st.dictionaries(st.sampled_from(["q", "page", "__arg1", "ü"]), values, max_size=2)
names = st.sampled_from([*TOOLS, "", " search ", "functions.search", "serch"])
call_ids = st.sampled_from([None, "", "call_1", "call_2", "call_3"])
contents = st.one_of(
    st.sampled_from([
        None, "", "\n", "Let me look.", "It is so.", '{"a": 1}', "```json\n[]\n```", "1 < 2", "<",
        '{"name": "search", "arguments": {"q": "rain"}}', '{"name": "search", "arguments": {"q',
        'So:\n<tool_call>\n{"name": "search", "arguments": {}}\n</tool_call> done',
        "<function=search>\n<parameter=q>\nrain\n</parameter>\n</function>", "<tool_call>",
        "<tool_",        "<think><tool_call></think>Well.", "a <f",
        "a <function=search> b",
    ]),
    letters,
)  # fmt: skip

odd_arguments = st.sampled_from([
    None, "", " ", "{", '{"q": "rai', '{"q": 1', '{"q": "rain"', "{'q': True,}", '{"q": "a\nb"}',
    "null", "0", "42", "[]", "[1]", '"text"', '"{\\"q\\": 1}"', "import os\nx = {}", "# no",
    '```json\n{"q": 1}\n```', '{"q": 1} \n', '{"q": 1} and', '{"__arg1": 5}', '{"__arg1": "x"}',
    "{{}}", "nonsense", "[" * 300,
])  # fmt: skip
written = st.one_of(arguments.map(json.dumps), odd_arguments)


@dataclass(frozen=True)
class Said:
    """The content of one message."""

    content: str | None
    calls: tuple[tuple[str, str | None, str | None], ...]
    """Name, arguments and id of each call."""

    def whole(self) -> dict[str, Any]:
        """Return the message in OpenAI's format."""
        calls = [
            {"id": i, "type": "function", "function": {"name": n, "arguments": a}}
            for n, a, i in self.calls
        ]
        message: dict[str, Any] = {"role": "assistant", "content": self.content}
        return {**message, "tool_calls": calls} if calls else message

    def whole_function(self) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": self.content}
        for name, text, _ in self.calls[:1]:
            message["function_call"] = {"name": name, "arguments": text}
        return message


@st.composite
def said(draw: st.DrawFn, arguments: st.SearchStrategy[Any] = written) -> Said:
    count = draw(st.sampled_from([0, 1, 1, 2, 3]))
    calls = [(draw(names), draw(arguments), draw(call_ids)) for _ in range(count)]
    return Said(draw(contents), tuple(calls))


def cut(text: str | None, places: Iterable[int]) -> list[str | None]:
    if not text:
        return [text]
    ends = sorted({min(place, len(text)) for place in places} | {0, len(text)})
    return [text[start:end] for start, end in pairwise(ends)]


places = st.lists(st.integers(0, 30), max_size=4)


def delta(**fields: Any) -> dict[str, Any]:
    """Return a chunk as OpenAI's API streams it."""
    return {"object": "chat.completion.chunk", "choices": [{"delta": fields}]}


def shown_end(what: Said) -> dict[str, str]:
    """Return the reason that a message needs to be read as it is whole: empty calls show no end."""
    is_shown = all(text and text.strip() for _, text, _ in what.calls)
    return {} if is_shown else {"finish_reason": "stop"}


def last_chunk(end: dict[str, str]) -> list[dict[str, Any]]:
    """Return the chunk that has this reason, if there is one."""
    return [{"choices": [{"delta": {}, **end}]}] if end else []


@st.composite
def chunks_of(draw: st.DrawFn, what: Said) -> list[dict[str, Any]]:
    """Draw chunks in which some server may stream *what*."""
    pieces: list[dict[str, Any]] = [
        delta(role="assistant", content=text) for text in cut(what.content, draw(places))
    ]
    series = [draw(pieces_of(index, call)) for index, call in enumerate(what.calls)]
    if all(is_one_value(text) for _, text, _ in what.calls) and draw(st.booleans()):
        return pieces + draw(in_turns(series))
    return [*pieces, *(piece for one in series for piece in one)]


def is_one_value(text: str | None) -> bool:
    """Return whether nothing follows the first JSON value in *text*."""
    return text is not None and text.strip() == text and not text.endswith("and")


@st.composite
def pieces_of(
    draw: st.DrawFn, index: int, call: tuple[str, str | None, str | None]
) -> list[dict[str, Any]]:
    name, text, call_id = call
    if draw(st.booleans()) and draw(st.booleans()):  # all at once, and without an index
        function = {"name": name, "arguments": text}
        return [delta(content=None, tool_calls=[{"id": call_id, "function": function}])]
    parts: list[str | None] = list(cut(text, draw(places)))
    functions: list[dict[str, Any]] = [
        {"name": name, "arguments": draw(st.sampled_from([None, ""]))}
    ]
    if text is None:
        functions[0].pop("arguments")
        parts = []
    elif draw(st.booleans()):
        functions[0]["arguments"] = parts.pop(0)
    functions += ({"arguments": part} for part in parts)
    entries: list[dict[str, Any]] = [
        {"index": index, "function": function} for function in functions
    ]
    late = draw(st.integers(0, len(entries) - 1))
    if call_id:
        entries[late]["id"] = call_id
    return [delta(tool_calls=[entry]) for entry in entries]


@st.composite
def in_turns(draw: st.DrawFn, series: Sequence[list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Draw an order in which calls begin one after the other, and then alternate."""
    waiting = [list(one) for one in series]
    order: list[dict[str, Any]] = []
    begun = 0
    while any(waiting):
        open_ones = [one for one in waiting[:begun] if one]
        if begun < len(waiting) and (not open_ones or draw(st.booleans())):
            order.append(waiting[begun].pop(0))
            begun += 1
        else:
            order.append(draw(st.sampled_from(open_ones)).pop(0))
    return order


# -- results of parsing --------------------------------------------------------------------------


def plain(result: Any) -> Any:
    """Return *result* without the messages that actions keep."""
    if isinstance(result, list):
        return [plain(action) for action in result]
    if isinstance(result, AgentAction):
        call_id = result.tool_call_id if isinstance(result, ToolAgentAction) else None
        return (type(result).__name__, result.tool, result.tool_input, result.log, call_id or None)
    return result


def outcome_of(do: Callable[[], Any]) -> Any:
    """Return the result of *do*, or the content of the error that it raises."""
    try:
        return plain(do())
    except OutputParserException as error:
        return refusal(error)


@dataclass(frozen=True)
class Story:
    """Joined events, and the result."""

    events: tuple[Any, ...]
    outcome: Any
    text: str
    fields: tuple[str, str] | None
    """The thought and the content; `None` for an error."""

    def of(self, *kinds: type[Any]) -> list[Any]:
        return [event for event in self.events if isinstance(event, kinds)]

    @property
    def results(self) -> list[Any]:
        """The results in the events."""
        return [event[0] for event in self.events if isinstance(event, tuple)]


def story_of(parser: MessageParser, chunks: Iterable[Any]) -> Story:
    """Return the story of the message in *chunks*."""
    stream: MessageStreamParser = parser.stream_parser()
    events: list[Any] = []
    outcome: Any
    fields: tuple[str, str] | None = None
    try:
        for chunk in chunks:
            events += stream.feed(chunk)
        events += stream.close()
        outcome, fields = plain(stream.result), (stream.thought, stream.content)
    except OutputParserException as error:
        events += stream.last_events
        outcome = refusal(error)
    return Story(tuple(map(_comparable, merge_events(events))), outcome, stream.text, fields)


def _comparable(event: Any) -> Any:
    if isinstance(event, ActionComplete):
        return (plain(event.action), event.span)
    return (event.finish, event.span) if isinstance(event, Finish) else event


def as_expected(result: Any) -> dict[str, Any]:
    """Return *result* in the format of the corpus."""
    if isinstance(result, list):
        actions = [as_expected(action) for action in result]
        return actions[0] if len(actions) == 1 else {"kind": "actions", "actions": actions}
    if isinstance(result, AgentFinish):
        return {"kind": "finish", "output": result.return_values["output"]}
    return {"kind": "action", "tool": result.tool, "tool_input": result.tool_input}


PARSERS: list[MessageParser] = [
    ToolsAgentOutputParser(),
    ToolsAgentOutputParser(tools=TOOLS),
    ToolsAgentOutputParser(lenient=True),
    ToolsAgentOutputParser(lenient=True, tools=TOOLS),
]
FUNCTION_PARSERS: list[MessageParser] = [
    OpenAIFunctionsAgentOutputParser(),
    OpenAIFunctionsAgentOutputParser(tools=TOOLS),
    OpenAIFunctionsAgentOutputParser(lenient=True),
    OpenAIFunctionsAgentOutputParser(lenient=True, tools=TOOLS),
]


def name_of(parser: Any) -> str:
    mode = "lenient" if parser.lenient else "strict"
    return f"{mode}-{'any' if parser.tools is None else 'known'}"
