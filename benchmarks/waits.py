"""Measures the waits of a user: one row for each, as the multiple of what it is compared with.

``python benchmarks/waits.py`` takes two minutes, and prints Markdown; a word limits it to the rows
with that word in the title. All times are CPU time. Contenders take turns, and a row has the ratio
of the best times and the median of the ratios: if they differ by a third, the machine was too busy
to tell. The peers are LangChain's parsers of the same names, and our own plain call.
"""

from __future__ import annotations

import asyncio
import json
import math
import os
import subprocess
import sys
import tempfile
import time
import tracemalloc
from functools import partial
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from _timing import interleaved, ratio, short
from langchain_classic.agents.conversational.output_parser import ConvoOutputParser
from langchain_classic.agents.output_parsers import (
    OpenAIFunctionsAgentOutputParser as LangChainFunctions,
)
from langchain_classic.agents.output_parsers import ReActSingleInputOutputParser
from langchain_core import output_parsers as langchain
from langchain_core.messages import AIMessage as LangChainMessage
from pydantic import BaseModel

import output_parsers as here
from agent_parsers import StreamParser, get_dialect, get_parser
from outputs import AIMessage

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    Call = Callable[[], object]

TEXT: Final = "Thought: I need its age.\nAction: search\nAction Input: oldest bridge in Bern"
SAID: Final = "Thought: Do I need to use a tool? Yes\nAction: search\nAction Input: bridges of Bern"
CALLED: Final = {"function_call": {"name": "search", "arguments": '{"query": "bridge", "page": 3}'}}
CALL: Final = '<tool_call>\n{"name": "search", "arguments": %s}\n</tool_call>'
PLAIN: Final = '{"query": "oldest bridge"}'
ODD: Final = {
    "escapes": CALL % r'{"query": "\u00e4ltest\u0065 bridge"}',
    "in a fence": f"```json\n{CALL % PLAIN}\n```",
    "object in a fence": (CALL % PLAIN).replace("\n", "\n```json\n", 1).replace("\n<", "\n```\n<"),
    "object in a string": CALL % json.dumps(PLAIN),
}
VALUE: Final = '{"name": "oldest bridge", "page": 3}'
FENCED: Final = "Here is what you asked for:\n```json\n%s\n```"
XML: Final = "<films><film><name>Metropolis</name><year>1927</year></film><film>M</film></films>"
LISTS: Final = {
    "CommaSeparatedListOutputParser": "red, green, blue, dark grey, light grey",
    "NumberedListOutputParser": "Some colours:\n\n1. red\n2. green\n3. blue\n4. dark grey",
    "MarkdownListOutputParser": "Some colours:\n\n- red\n- green\n- blue\n- dark grey",
}


class Item(BaseModel):
    """An item of a list."""

    name: str
    page: int = 0


class Items(BaseModel):
    """A long list."""

    items: list[Item]


def search(query: str, page: int = 1) -> str:
    """Look something up."""
    return f"{query}, page {page}"


def pairs() -> Iterator[tuple[str, Call, Call]]:
    """Yield a title, what is measured, and what it is compared with."""
    react, theirs = get_parser("react"), ReActSingleInputOutputParser()
    ours_said, said = AIMessage(TEXT), LangChainMessage(TEXT)
    yield "invoke", partial(react.invoke, ours_said), partial(theirs.invoke, said)
    loop = asyncio.new_event_loop()
    yield (
        "ainvoke",
        lambda: loop.run_until_complete(_awaited(react.ainvoke, ours_said)),
        lambda: loop.run_until_complete(_awaited(theirs.ainvoke, said)),
    )
    loop.run_until_complete(loop.shutdown_default_executor())
    functions, their_functions = get_parser("functions"), LangChainFunctions()
    ours_called = AIMessage("", additional_kwargs=CALLED)
    called = LangChainMessage("", additional_kwargs=CALLED)
    yield (
        "functions message",
        partial(functions.invoke, ours_called),
        partial(their_functions.invoke, called),
    )
    convo = ConvoOutputParser()
    for mode in (False, True):
        ours = get_parser("conversational", lenient=mode)
        title = f"conversational, {'lenient' if mode else 'strict'}"
        yield title, partial(ours.parse, SAID), partial(convo.parse, SAID)
    rows = [f"{TEXT} {number}" for number in range(1_000)]
    yield "a loop, against batch", lambda: list(map(react.parse, rows)), lambda: react.batch(rows)
    hermes = get_parser("hermes").parse
    plain = CALL % PLAIN
    checked = get_parser("hermes", tools=[search]).parse
    for count in (1, 8):
        text = "\n".join([plain] * count)
        yield f"tools=, {count} of hermes", partial(checked, text), partial(hermes, text)
    typed = get_parser("react", tools=[search]).parse
    step = TEXT.replace("oldest bridge in Bern", PLAIN)
    yield "tools=, one of react", partial(typed, step), partial(react.parse, step)
    for title, text in ODD.items():
        yield f"hermes, {title}, against plain", partial(hermes, text), partial(hermes, plain)
    lenient = here.JsonOutputParser(lenient=True).parse
    for title, value in (("", VALUE), (", a comma too many", VALUE.replace("}", ",}"))):
        text = FENCED % value
        yield f"JSON in a fence{title}", partial(lenient, text), partial(json.loads, VALUE)
    chunks = [XML[at : at + 4] for at in range(0, len(XML), 4)]
    for kind in ("defusedxml", "xml"):
        mine, their_xml = (each.XMLOutputParser(parser=kind) for each in (here, langchain))
        yield f"XMLOutputParser, {kind}", partial(mine.parse, XML), partial(their_xml.parse, XML)
        title = f"XMLOutputParser, {kind}, a stream"
        yield title, partial(_results, mine, chunks), partial(_results, their_xml, chunks)
    for name, text in LISTS.items():
        both = (getattr(each, name)().parse for each in (here, langchain))
        yield name, *(partial(parse, text) for parse in both)
    for name, text in (("react", TEXT.replace("in", "in " * 1_000)), ("hermes", CALL % _long())):
        chunks = [text[at : at + 4] for at in range(0, len(text), 4)]
        title = f"stream of {name}, a chunk, against a find in it"
        yield title, partial(_streamed, name, chunks), partial(_found, chunks)


async def _awaited(call: Callable[[object], Awaitable[object]], said: object) -> None:
    for _ in range(16):  # as a server does, whose loop runs already
        await call(said)


def _long() -> str:
    return json.dumps({"query": "oldest bridge " * 300})


def _results(parser: Any, chunks: list[str]) -> list[object]:
    return list(parser.transform(iter(chunks)))


def _streamed(name: str, chunks: list[str]) -> None:
    parser = StreamParser(get_dialect(name))
    for chunk in chunks:
        parser.feed(chunk)
    parser.close()


def _found(chunks: list[str]) -> None:
    for chunk in chunks:
        chunk.find("<")


def memory(name: str, before: str, behind: str) -> float:
    """Return how many bytes a stream keeps for a character of a long input."""
    text = f"{before}{'oldest bridge ' * 10_000}{behind}"
    parser = StreamParser(get_dialect(name))
    parser.feed(before)
    tracemalloc.start()
    for at in range(len(before), len(text), 4):
        parser.feed(text[at : at + 4])
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return kept / (len(text) - len(before))


def growth(*, diff: bool) -> float:
    """Return the power by which the time of a stream of objects grows with its length."""
    times, sizes = [], []
    parser = here.PydanticOutputParser(pydantic_object=Items, diff=diff)
    for count in (100, 800):
        text = Items(items=[Item(name=f"item {each}") for each in range(count)]).model_dump_json()
        chunks = [text[at : at + 4] for at in range(0, len(text), 4)]
        spent = []
        for _ in range(3):
            start = time.process_time()
            for _ in parser.transform(iter(chunks)):
                pass
            spent.append(time.process_time() - start)
        times.append(min(spent))
        sizes.append(len(text))
    return math.log(times[1] / times[0]) / math.log(sizes[1] / sizes[0])


PYDANTIC: Final = "from pydantic import BaseModel\nclass A(BaseModel):\n    a: int\n"
FRESH: Final = {
    "pydantic": PYDANTIC,
    "parser": f"{PYDANTIC}from agent_parsers import ReActSingleInputOutputParser\n",
    "detect": f"{PYDANTIC}from agent_parsers import detect\ndetect({TEXT!r})\n",
}


def fresh() -> dict[str, list[float]]:
    """Return the CPU milliseconds of fresh processes."""
    taken: dict[str, list[float]] = {name: [] for name in ("bare", *FRESH)}
    with tempfile.TemporaryDirectory() as cache:
        env = {**os.environ, "PYTHONPYCACHEPREFIX": cache}
        env.pop("PYTHONDONTWRITEBYTECODE", None)
        for turn in range(8):
            for name, code in {"bare": "", **FRESH}.items():
                timed = f"{code}import time\nprint(time.process_time())"
                out = subprocess.check_output([sys.executable, "-c", timed], env=env)
                if turn:  # the first turn fills the cache of bytecode
                    taken[name].append(float(out) * 1e3)
    return taken


def main(word: str = "") -> None:
    """Print the rows with this *word* in the title."""
    print("| | best | median |\n|---|---|---|")
    for title, ours, theirs in pairs():
        if word in title:
            taken: dict[str, Any] = interleaved({"ours": ours, "theirs": theirs}, rounds=40)
            best = min(taken["ours"]) / min(taken["theirs"])
            print(f"| {title} | {best:.3g} | {ratio(taken['ours'], taken['theirs']):.3g} |")
            sys.stdout.flush()
    for diff in (False, True):
        if word in (title := f"PydanticOutputParser, diff={diff}, power of growth"):
            print(f"| {title} | {growth(diff=diff):.2f} | |", flush=True)
    for name, before, behind in (
        ("react", "Action: search\nAction Input: ", ""),
        ("hermes", *(CALL % '{"q": "|"}').split("|")),
    ):
        if word in (title := f"memory of a stream of {name}, bytes a character"):
            print(f"| {title} | {short(memory(name, before, behind))} | |", flush=True)
    if word in (title := "fresh process"):
        spent = fresh()
        base = [min(spent["bare"]), median(spent["bare"])]
        ours, peer = ([f(spent[n]) for f in (min, median)] for n in ("parser", "pydantic"))
        found = [f(spent["detect"]) for f in (min, median)]
        beyond = " | ".join(f"{a - b:.1f}" for a, b in zip(ours, peer, strict=True))
        print(f"| {title}: import beyond pydantic, ms | {beyond} |")
        first = [(a - b) / (b - c) for a, b, c in zip(found, peer, base, strict=True)]
        print(f"| {title}: first detect, against pydantic | {first[0]:.2f} | {first[1]:.2f} |")


if __name__ == "__main__":
    main(*sys.argv[1:])
