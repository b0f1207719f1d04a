"""Compares the speed of this library with LangChain, LlamaIndex and CrewAI for the same work.

``python benchmarks/frameworks.py`` takes some minutes, and prints the tables as Markdown. Given a
folder, it writes the tables and a plot there; ``make bench-page`` does this with docs. Absolute
times depend on the machine and its load: read the ratios.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
from functools import partial
from importlib.metadata import version
from pathlib import Path
from random import Random
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from _hostile import growth
from _peers import CREWAI, FRAMEWORKS, LANGCHAIN, LENIENT, LLAMAINDEX, REACT, STRICT, both
from _plot import draw
from _streamed import SLOW_S, Costs, chunk_costs
from _timing import interleaved, ratio, short
from langchain_classic.agents import output_parsers as langchain
from langchain_core.messages import AIMessage as LangChainMessage
from langchain_core.messages import ToolCall

from outputs import AIMessage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    Call = Callable[[], object]

COLUMNS: Final = (STRICT, LENIENT, *FRAMEWORKS)

THOUGHT: Final = "Thought: I need to know how old the oldest bridge of Bern is.\n"
TEXT: Final = THOUGHT + "Action: search\nAction Input: oldest bridge in Bern"
OBJECT: Final = THOUGHT + 'Action: search\nAction Input: {"query": "oldest bridge", "page": 3}'
ANSWER: Final = THOUGHT + "Final Answer: It has stood since 1489, and is built of sandstone."
WORDS: Final = [
    "the",
    "old",
    "bridge",
    "of",
    "Bern",
    "was",
    "built",
    "of",
    "oak",
    "and",
    "later",
    "of",
    "sandstone,",
    "as",
    "one",
    "can",
    "see",
]
PROSE: Final = "".join(f"{' '.join(Random(line).choices(WORDS, k=14))}.\n" for line in range(120))[
    :8_000
]
LONG: Final = f"Thought: {PROSE}\nAction: search\nAction Input: oldest bridge in Bern"
REFUSED: Final = "I do not know yet how old the oldest bridge of Bern is, so let me look it up."
BLOB: Final = '```json\n{"action": "search", "action_input": {"query": "bridge", "page": 3}}\n```'
XML: Final = "<tool>search</tool><tool_input>oldest bridge in Bern</tool_input>"
CALLS: Final = [
    ToolCall(name="search", args={"query": "oldest bridge", "page": page}, id=f"call_{page}")
    for page in range(8)
]
CALL: Final = (
    '<tool_call>\n{"name": "search", "arguments": {"query": "oldest bridge"}}\n</tool_call>'
)
BULK: Final = 200_000
LISTED: Final = (1_000, 16_000, 64_000, 256_000)
"""The lengths of streams in the table; the plot has more."""
PLOT: Final = "cost-per-chunk.svg"


def search(query: str) -> str:
    """Look something up."""
    return query


TOOL: Final = (search,)


def table(columns: tuple[str, ...], rows: list[list[str]]) -> Iterator[str]:
    """Yield the lines of a table; the first cell of a row is its title."""
    yield "| | " + " | ".join(columns) + " |"
    yield "|---|" + "---|" * len(columns)
    for row in rows:
        yield "| " + " | ".join(row) + " |"
    yield ""


def timed(title: str, calls: Mapping[str, Call], *, rounds: int = 30) -> list[str]:
    """Return a row with the microseconds of each of *calls*, and the ratios to the first."""
    taken = interleaved(calls, rounds=rounds)
    cells = [title]
    for column in COLUMNS:
        if column not in calls:
            cells.append("")
            continue
        cell = f"{short(median(taken[column]) * 1e6)}"
        if column != STRICT:
            cell += f" (×{short(ratio(taken[column], taken[STRICT]))})"
        cells.append(cell)
    return cells


def one_reply() -> Iterator[str]:
    """Yield the costs of reading one complete reply."""
    yield "## One reply\n"
    yield (
        "Microseconds, and in brackets the multiple of our strict reading. A cell is empty if a"
        " framework has no parser for the format. For JSON input, LlamaIndex and `here` return an"
        " object, LangChain and CrewAI text.\n"
    )
    json = {LANGCHAIN: langchain.JSONAgentOutputParser()}
    xml = {LANGCHAIN: langchain.XMLAgentOutputParser()}
    rows = []
    for title, dialect, peers, text in (
        ("ReAct, input of text", "react", {LANGCHAIN, CREWAI}, TEXT),
        ("ReAct, input of JSON", "react_llamaindex", set(REACT), OBJECT),
        ("ReAct, an answer", "react", {LANGCHAIN, CREWAI}, ANSWER),
        ("ReAct, a thought of 8 KB", "react", {LANGCHAIN, CREWAI}, LONG),
        ("ReAct, a reply that is refused", "react", {LANGCHAIN, CREWAI}, REFUSED),
    ):
        calls: dict[str, Call] = {
            side: partial(tried, parser.parse, text) for side, parser in both(dialect).items()
        }
        calls |= {peer: partial(tried, REACT[peer], text) for peer in REACT if peer in peers}
        rows.append(timed(title, calls))
    reads = {side: partial(parser.read, TEXT) for side, parser in both("react").items()}
    rows.append(timed("ReAct, input of text, `read`", reads))
    checked = {side: partial(parser.parse, TEXT) for side, parser in both("react", TOOL).items()}
    rows.append(timed("ReAct, input of text, with `tools=`", checked))
    opened = {side: partial(parser.parse, CALL) for side, parser in both("hermes").items()}
    rows.append(timed("a call of an open model (hermes)", opened))
    for title, dialect, theirs, text in (
        ("JSON in a fence", "json", json, BLOB),
        ("XML", "xml", xml, XML),
    ):
        parsers = both(dialect) | theirs
        rows.append(
            timed(title, {side: partial(each.parse, text) for side, each in parsers.items()})
        )
    react = both("react") | {LANGCHAIN: langchain.ReActSingleInputOutputParser()}
    tools = both("tools") | {LANGCHAIN: langchain.ToolsAgentOutputParser()}
    said, asked = messages(TEXT), messages("", CALLS)
    loop = asyncio.new_event_loop()
    rows += [
        timed("`invoke(message)`, text", {
            side: partial(parser.invoke, said[side]) for side, parser in react.items()
        }),
        timed("`invoke(message)`, 8 calls", {
            side: partial(parser.invoke, asked[side]) for side, parser in tools.items()
        }),
        timed("`ainvoke(message)`, text", {
            side: partial(waited, loop, parser, said[side]) for side, parser in react.items()
        }),
    ]  # fmt: skip
    loop.close()
    yield from table(COLUMNS, rows)


def tried(parse: Callable[[str], object], text: str) -> object:
    """Return what *parse* returns, or the error it raises."""
    try:
        return parse(text)
    except Exception as error:  # noqa: BLE001 - each framework has its own
        return error


def messages(content: str, calls: list[ToolCall] | None = None) -> dict[str, Any]:
    """Return a message in the class of each column."""
    ours = AIMessage(content, tool_calls=calls or [])
    return {
        STRICT: ours,
        LENIENT: ours,
        LANGCHAIN: LangChainMessage(content, tool_calls=calls or []),
    }


def waited(loop: asyncio.AbstractEventLoop, parser: Any, message: Any) -> object:
    """Return the result of the asynchronous *parser* for *message*."""
    return loop.run_until_complete(parser.ainvoke(message))


def bulk() -> Iterator[str]:
    """Yield the number of replies read in a second, for very many replies."""
    yield f"## {BULK:,} replies\n"
    yield (
        "Thousands of replies per second, all different, by calling `parse` in a loop, and by"
        " `batch` where there is one; in brackets the multiple of our strict reading.\n"
    )
    replies = [f'{THOUGHT}Action: search\nAction Input: {{"id": {each}}}' for each in range(BULK)]
    ours = both("react")
    theirs = langchain.ReActSingleInputOutputParser()
    reads = {side: parser.parse for side, parser in ours.items()} | REACT
    batches: dict[str, Any] = {side: parser.batch for side, parser in ours.items()}
    batches[LANGCHAIN] = theirs.batch
    rows = []
    for title, contenders in (
        ("`parse` in a loop", {side: partial(each, read, replies) for side, read in reads.items()}),
        ("`batch`", {side: partial(batch, replies) for side, batch in batches.items()}),
    ):
        taken = interleaved(contenders, rounds=3)
        cells = [title]
        for column in COLUMNS:
            if column in taken:
                rate = BULK / median(taken[column]) / 1e3
                share = ratio(taken[STRICT], taken[column])
                cells.append(short(rate) + ("" if column == STRICT else f" (×{short(share)})"))
            else:
                cells.append("")
        rows.append(cells)
    yield from table(COLUMNS, rows)


def each(read: Callable[[str], object], replies: list[str]) -> None:
    """Read *replies* one after the other."""
    for reply in replies:
        read(reply)


def streamed(costs: Costs) -> Iterator[str]:
    """Yield the cost of a chunk by the length of the text before it."""
    yield "## A chunk of a stream\n"
    yield (
        "Microseconds for a chunk of four characters, by the length of the text before it. A parser"
        " that only reads whole turns has to parse the whole text again after each chunk, because"
        " nothing else says whether the turn is complete; LangChain's JSON parser streams.\n"
    )
    rows = [
        [f"{what}, {who}", *(short(of[size]) if size in of else "–" for size in LISTED)]
        for (what, who), of in costs.items()
    ]
    yield from table(tuple(f"{size // 1000} KB" for size in LISTED), rows)
    if any("–" in row for row in rows):
        yield f"–: it took more than {SLOW_S * 1e3:.0f} ms a chunk at a lesser length.\n"
    yield f"![Cost of a chunk by the length of the text before it]({PLOT})\n"


def hostile() -> Iterator[str]:
    """Yield how the time grows with texts that are made to be slow."""
    yield "## Hostile texts\n"
    yield (
        "The power by which the time grows with the text, and the time for the longest text:"
        " lengths double up to 64 KB, or until one takes a tenth of a second. 1 is linear. `here`"
        " is the worst of strict and lenient, whole and streamed.\n"
    )
    columns = ("here", *FRAMEWORKS)
    yield from table(columns, [[title, *cells] for title, cells in growth().items()])


def imports() -> Iterator[str]:
    """Yield the CPU time of an import in a fresh process with cached bytecode."""
    statements = {
        "bare Python": "pass",
        "pydantic, one model": "from pydantic import BaseModel\nclass A(BaseModel):\n    a: int",
        "here": "from agent_parsers import ReActSingleInputOutputParser",
        LANGCHAIN: (
            "from langchain_classic.agents.output_parsers import ReActSingleInputOutputParser"
        ),
        LLAMAINDEX: "from llama_index.core.agent.react.output_parser import ReActOutputParser",
        CREWAI: "from crewai.agents.parser import parse",
    }
    taken: dict[str, list[float]] = {name: [] for name in statements}
    with tempfile.TemporaryDirectory() as cache:
        env = {**os.environ, "PYTHONPYCACHEPREFIX": cache}
        env.pop("PYTHONDONTWRITEBYTECODE", None)
        for turn in range(6):
            for name, statement in statements.items():
                code = f"import time\n{statement}\nprint(time.process_time())"
                spent = float(
                    subprocess.check_output([sys.executable, "-c", code], env=env).split()[-1]
                )
                if turn:  # the first turn fills the cache
                    taken[name].append(spent * 1e3)
    bare = min(taken.pop("bare Python"))
    yield "## Importing a ReAct parser\n"
    yield (
        "Milliseconds of CPU time in a fresh process, minus those of bare Python, which takes"
        f" {bare:.0f}.\n"
    )
    yield from table(
        tuple(taken), [["import", *(f"{min(spent) - bare:.0f}" for spent in taken.values())]]
    )


DIALECTS: Final = """
## The other dialects

`python benchmarks/dialects.py` compares each with the least that Python can do, a regular
expression and `json.loads`. Most take 1.9 to 2.7 times as long if a call is spelt as the dialect
writes it; `glm4`, `json_toolcall`, `minimax_m3` and lenient `harmony` take 37 to 93 times as long,
as does any call that is spelt in another way, but for commas before closing brackets.

`python benchmarks/repaired.py` measures replies that lenient ReAct refuses or repairs. Prose, or a
tool without its input, takes 3 to 4 times as long as LangChain takes to raise; a fence, a trailing
comma or dressed labels take 3 to 5 times as long as it takes to return the text. A call in `hermes`
with a trailing comma takes 2.3 times as long as one without, and an unknown tool among a thousand
23 times as long as a known one. The first stream takes 2 ms longer than the second, or some 35 ms
if it has more than a kilobyte, since patterns are compiled then.
"""
"""What another script measures."""


def page(costs: Costs) -> Iterator[str]:
    """Yield the lines of the page."""
    named = ("langchain-core", *FRAMEWORKS.values(), "pydantic")
    versions = ", ".join(f"`{name}` {version(name)}" for name in named)
    yield "# What it costs, compared with others\n"
    yield (
        f"Written by `make bench-page`, from one run on Python {sys.version.split()[0]} with"
        f" {versions}. Times are medians of CPU time, and all parsers in a row took turns. On other"
        " machines the times differ, but the ratios hardly change.\n"
    )
    for section in (one_reply(), bulk(), streamed(costs), hostile(), imports(), [DIALECTS]):
        yield from section


if __name__ == "__main__":
    measured = chunk_costs()
    lines = page(measured)
    if len(sys.argv) > 1:
        folder = Path(sys.argv[1])
        draw(measured, folder / PLOT)
        (folder / "benchmarks.md").write_text("\n".join(lines), "utf-8")
    else:
        for line in lines:
            print(line, flush=True)
