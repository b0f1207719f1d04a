"""Rows of ``make bench`` that read a whole reply."""

from __future__ import annotations

import asyncio
import json
import re
from functools import partial
from importlib import import_module
from random import Random
from typing import TYPE_CHECKING, Any, Final

from agent_parsers import get_dialect, get_parser, list_dialects
from agent_parsers.authoring import Written
from outputs import AIMessage
from tools.benchmarks._peers import (
    CONVERSATIONAL,
    CREWAI,
    LANGCHAIN,
    LLAMAINDEX,
    REACT,
    beside,
    tried,
)
from tools.benchmarks._timing import Row, Timed, gain, two_times

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from tools.benchmarks._timing import Call

THOUGHT: Final = "Thought: I need to know how old the oldest bridge of Bern is.\n"
ACTION: Final = THOUGHT + "Action: search\nAction Input: "
TEXT: Final = ACTION + "oldest bridge in Bern"
VALUE: Final = '{"query": "oldest bridge", "page": 3}'
COMMA: Final = '{"query": "oldest bridge", "page": 3,}'
OBJECT: Final = ACTION + VALUE
ANSWER: Final = THOUGHT + "Final Answer: It has stood since 1489, and is built of sandstone."
WORDS: Final = "the old bridge of Bern was built of oak and later of sandstone, as one can see"
LINES: Final = [f"{' '.join(Random(line).choices(WORDS.split(), k=14))}.\n" for line in range(120)]
LONG: Final = f"Thought: {''.join(LINES)[:8_000]}\nAction: search\nAction Input: oldest bridge"
PROSE: Final = "I do not know yet how old the oldest bridge of Bern is, so let me look it up."
SAID: Final = "Thought: Do I need to use a tool? Yes\nAction: search\nAction Input: bridges of Bern"
BLOB: Final = '```json\n{"action": "search", "action_input": %s}\n```'
XML: Final = "<tool>search</tool><tool_input>oldest bridge in Bern</tool_input>"
ASKED: Final = "Are follow up questions needed here: Yes.\nFollow up: How old is the oldest bridge?"
CALLED: Final = {"function_call": {"name": "search", "arguments": VALUE}}
CALLS: Final = [{"name": "search", "args": {"page": n}, "id": f"call_{n}"} for n in range(8)]
REPAIRED: Final = {
    "prose": PROSE,
    "an action without input": THOUGHT + "Action: search",
    "input in a fence": f"{ACTION}```json\n{VALUE}\n```",
    "a comma too many": ACTION + COMMA,
    "`**Action:**`": f"{THOUGHT}**Action:** search\n**Action Input:** oldest bridge",
    "`## Action:`": f"{THOUGHT}## Action: search\n## Action Input: oldest bridge",
    "`action:`": f"{THOUGHT}action: search\naction input: oldest bridge",
    "an observation of its own": TEXT + "\nObservation: 1489",
}
CALL: Final = '<tool_call>\n{"name": "search", "arguments": %s}\n</tool_call>'
PLAIN: Final = CALL % VALUE
ODD: Final = {
    "`\\u` escapes": CALL % r'{"query": "\u00e4ltest\u0065 bridge", "page": 3}',
    "the call in a fence": f"```json\n{PLAIN}\n```",
    "its object in a fence": PLAIN.replace("\n", "\n```json\n", 1).replace("\n<", "\n```\n<"),
    "its input in a string": CALL % json.dumps(VALUE),
    "a comma too many": CALL % COMMA,
}
MODES: Final = (("strict", False), ("lenient", True))
AWAITED: Final = 16
"""How many messages one run of a loop of events awaits: in a server, it runs already."""
IN_TAGS: Final = re.compile(r"<tool_call>(.*?)</tool_call>", re.DOTALL).search


def search(query: str, page: int = 1) -> str:
    """Look something up."""
    return f"{query}, page {page}"


# -- messages --------------------------------------------------------------------------------------


def messages() -> Iterator[Row]:
    react, said, loop = get_parser("react"), AIMessage(TEXT), asyncio.new_event_loop()
    yield LANGCHAIN.row(
        "`invoke(message)`",
        partial(react.invoke, said),
        lambda them: partial(them.ReActSingleInputOutputParser().invoke, _message(TEXT)),
        aim=0.06,
    )
    yield LANGCHAIN.row(
        f"`ainvoke(message)`, {AWAITED} in a running loop",
        _awaiting(loop, react.ainvoke, said),
        lambda them: _awaiting(loop, them.ReActSingleInputOutputParser().ainvoke, _message(TEXT)),
        aim=0.03,
        per=AWAITED,
    )
    yield LANGCHAIN.row(
        "`invoke` of a message with a function",
        partial(get_parser("functions").invoke, AIMessage("", additional_kwargs=CALLED)),
        lambda them: partial(
            them.OpenAIFunctionsAgentOutputParser().invoke, _message("", additional_kwargs=CALLED)
        ),
        aim=0.15,
    )
    for count in (1, 8):
        calls: Any = CALLS[:count]
        yield LANGCHAIN.row(
            f"`invoke` of a message with {count} of `tool_calls`",
            partial(get_parser("tools").invoke, AIMessage("", tool_calls=calls)),
            lambda them, calls=calls: partial(
                them.ToolsAgentOutputParser().invoke, _message("", tool_calls=calls)
            ),
            aim=0.25,
        )
    rows = [f"{TEXT} {number}" for number in range(1_000)]
    yield beside(
        "`batch`, times as fast",
        "a loop of ours that keeps results",
        lambda: react.batch(rows),
        lambda: list(map(react.parse, rows)),
        aim=0.9,
        per=len(rows),
        figure=gain,
        more_is_better=True,
    )
    few = rows[:200]
    yield LANGCHAIN.row(
        "`batch`",
        lambda: react.batch(few),
        lambda them: partial(them.ReActSingleInputOutputParser().batch, few),
        aim=0.1,
        per=len(few),
    )


def _message(content: str, **fields: Any) -> Any:
    return import_module("langchain_core.messages").AIMessage(content, **fields)


def _awaiting(
    loop: asyncio.AbstractEventLoop, call: Callable[[Any], Awaitable[object]], said: object
) -> Call:
    async def awaited() -> None:
        for _ in range(AWAITED):
            await call(said)

    return lambda: loop.run_until_complete(awaited())


# -- replies ---------------------------------------------------------------------------------------


def replies() -> Iterator[Row]:
    for mode, lenient in MODES:
        for title, text, name, peers in (
            ("input of text", TEXT, "react", (LANGCHAIN, CREWAI)),
            ("input of JSON", OBJECT, "react_llamaindex", (LANGCHAIN, LLAMAINDEX, CREWAI)),
            ("an answer", ANSWER, "react", (LANGCHAIN, CREWAI)),
            ("a thought of 8 KB", LONG, "react", (LANGCHAIN, CREWAI)),
            ("prose, refused", PROSE, "react", (LANGCHAIN, CREWAI) if not lenient else ()),
        ):
            parse = get_parser(name, lenient=lenient).parse
            for peer in peers:
                yield peer.row(
                    f"ReAct, {title}, {mode}",
                    partial(tried, parse, text),
                    lambda them, make=REACT[peer], text=text: partial(tried, make(them), text),
                    aim=0.75 if peer is LANGCHAIN and text is not PROSE else None,
                )
        yield CONVERSATIONAL.row(
            f"`conversational`, {mode}",
            partial(get_parser("conversational", lenient=lenient).parse, SAID),
            lambda them: partial(them.ConvoOutputParser().parse, SAID),
            aim=1.0,
        )
        for name, theirs, text in (
            ("json", "JSONAgentOutputParser", BLOB % VALUE),
            ("react_json", "ReActJsonSingleInputOutputParser", f"{THOUGHT}{BLOB % VALUE}"),
            ("xml", "XMLAgentOutputParser", XML),
            ("self_ask", "SelfAskOutputParser", ASKED),
        ):
            yield LANGCHAIN.row(
                f"`{name}`, {mode}",
                partial(get_parser(name, lenient=lenient).parse, text),
                lambda them, theirs=theirs, text=text: partial(getattr(them, theirs)().parse, text),
                aim=0.25 if name == "json" else None,
            )
    different = [f'{THOUGHT}Action: search\nAction Input: {{"id": {row}}}' for row in range(1_000)]
    parse = get_parser("react").parse
    for peer, make in REACT.items():
        yield peer.row(
            "1,000 different replies, lenient",
            partial(_each, parse, different),
            lambda them, make=make: partial(_each, make(them), different),
            per=len(different),
        )
    for name, text in (("react", TEXT), ("hermes", PLAIN)):
        parser = get_parser(name)
        both = partial(parser.read, text), partial(parser.parse, text)
        yield beside(f"`{name}`, `read`", "`parse`", *both)


def _each(read: Callable[[str], object], texts: list[str]) -> None:
    for text in texts:
        read(text)


def repaired() -> Iterator[Row]:
    react = get_parser("react").parse
    for title, text in REPAIRED.items():
        yield LANGCHAIN.row(
            f"ReAct, {title}",
            partial(tried, react, text),
            lambda them, text=text: partial(tried, them.ReActSingleInputOutputParser().parse, text),
        )
    yield LANGCHAIN.row(
        "`json`, a comma too many",
        partial(get_parser("json").parse, BLOB % COMMA),
        lambda them: partial(tried, them.JSONAgentOutputParser().parse, BLOB % COMMA),
    )
    hermes = get_parser("hermes").parse
    for title, text in ODD.items():
        both = partial(hermes, text), partial(hermes, PLAIN)
        aim = 5 if "escapes" in title or "fence" in title else None
        yield beside(f"`hermes`, {title}", "a plain call", *both, aim=aim)
    tools = [_tool(number) for number in range(1_000)]
    known = get_parser("react", tools=tools).parse
    good = partial(known, OBJECT.replace("search", "search_7"))
    yield beside("`react`, none of 1,000 tools", "one of them", partial(tried, known, TEXT), good)


def _tool(number: int) -> Callable[..., str]:
    def bridge(query: str, page: int = 1) -> str:
        """Look a bridge up."""
        return f"{query}, page {page}"

    bridge.__name__ = f"search_{number}"
    return bridge


def checked() -> Iterator[Row]:
    for title, name, text in (
        ("a call of `hermes`", "hermes", PLAIN),
        ("8 calls of `hermes`", "hermes", "\n".join([PLAIN] * 8)),
        ("a step of `react`", "react", OBJECT),
    ):
        both = (get_parser(name, tools=tools) for tools in ([search], None))
        yield beside(
            f"`tools=` with a function, {title}",
            "without tools",
            *(partial(each.parse, text) for each in both),
            aim=1.5,
        )


# -- models ----------------------------------------------------------------------------------------


def models() -> Iterator[Row]:
    call = Written("It is far.", "search", {"query": "Lake Thun"})
    floor = Timed(partial(_find_json, get_dialect("hermes").write(call)))
    for name in list_dialects():
        if get_dialect(name).several:
            both = (get_parser(name, lenient=lenient) for _, lenient in MODES)
            ours = (Timed(partial(each.parse, each.dialect.write(call))) for each in both)
            yield Row(
                f"`{name}`",
                "a pattern and `json.loads`",
                (*ours, floor),
                figure=lambda strict, lenient, floor: max(strict, lenient) / floor,
                cells=lambda strict, lenient, floor: two_times(max(strict, lenient), floor),
                weight=0.25,
            )


def _find_json(text: str) -> object:
    """Return the JSON in a call of hermes, if nothing is odd."""
    found = IN_TAGS(text)
    return found and json.loads(found[1])
