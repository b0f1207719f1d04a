"""Measures what a reply costs that is refused or has to be repaired.

``python benchmarks/repaired.py`` takes half a minute. The first table has the lenient parse of such
a reply as the multiple of LangChain's parse of the same text, which raises or returns something
else; the second has multiples of our own parse of a good reply. Read the ratios: absolute times
depend on the machine.
"""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from statistics import median
from typing import TYPE_CHECKING, Final

from _timing import interleaved, ratio, short
from langchain_classic.agents.output_parsers import (
    JSONAgentOutputParser,
    ReActSingleInputOutputParser,
)

from agent_parsers import get_parser

if TYPE_CHECKING:
    from collections.abc import Callable

THOUGHT: Final = "Thought: I need to know how old the oldest bridge of Bern is.\n"
ACTION: Final = THOUGHT + "Action: search\nAction Input: "
OBJECT: Final = '{"query": "oldest bridge", "page": 3}'
COMMA: Final = '{"query": "oldest bridge", "page": 3,}'
REACT: Final = {
    "prose": "I do not know yet how old the oldest bridge of Bern is, so let me look it up.",
    "an action without input": THOUGHT + "Action: search",
    "input in a fence": f"{ACTION}```json\n{OBJECT}\n```",
    "a comma too many": ACTION + COMMA,
    "`**Action:**`": f"{THOUGHT}**Action:** search\n**Action Input:** oldest bridge",
    "`## Action:`": f"{THOUGHT}## Action: search\n## Action Input: oldest bridge",
    "`action:`": f"{THOUGHT}action: search\naction input: oldest bridge",
}
JSON: Final = {
    "`json`, a comma too many": (
        '```json\n{"action": "search", "action_input": {"query": "oldest bridge", "page": 3,}}\n```'
    )
}
HERMES: Final = '<tool_call>\n{"name": "search", "arguments": %s}\n</tool_call>'


def tools(count: int) -> list[Callable[..., str]]:
    """Return *count* tools with different names."""
    made: list[Callable[..., str]] = []
    for number in range(count):

        def bridge(query: str, page: int = 1) -> str:
            """Look a bridge up."""
            return f"{query}, page {page}"

        bridge.__name__ = f"search_{number}"
        made.append(bridge)
    return made


def tried(parse: Callable[[str], object], text: str) -> object:
    """Return what *parse* returns, or the error it raises."""
    try:
        return parse(text)
    except Exception as error:  # noqa: BLE001 - each library has its own
        return error


def row(title: str, ours: Callable[[], object], theirs: Callable[[], object]) -> None:
    """Print the microseconds of both, and the ratio."""
    taken = interleaved({"ours": ours, "theirs": theirs}, rounds=30)
    times = (short(median(taken[who]) * 1e6) for who in ("ours", "theirs"))
    share = ratio(taken["ours"], taken["theirs"])
    print(f"| {title} | {' | '.join(times)} | ×{short(share)} |", flush=True)


def against_langchain() -> None:
    """Print the first table."""
    print("| | here, lenient | LangChain | |\n|---|---|---|---|")
    for dialect, theirs, texts in (
        ("react", ReActSingleInputOutputParser(), REACT),
        ("json", JSONAgentOutputParser(), JSON),
    ):
        parse = get_parser(dialect).parse
        for title, text in texts.items():
            row(title, partial(tried, parse, text), partial(tried, theirs.parse, text))


def against_good_replies() -> None:
    """Print the second table."""
    print("\n| | here, lenient | a good reply | |\n|---|---|---|---|")
    hermes = get_parser("hermes").parse
    row("`hermes`, a comma too many", *(partial(hermes, HERMES % it) for it in (COMMA, OBJECT)))
    known = get_parser("react", tools=tools(1_000)).parse
    bad, good = ACTION + "oldest bridge", ACTION.replace("search", "search_7") + OBJECT
    row("`react`, none of 1,000 tools", partial(tried, known, bad), partial(known, good))


FIRST: Final = """
import time
from agent_parsers import StreamParser, get_dialect, get_parser
get_parser("react").parse("Final Answer: 1489")
def stream():
    began = time.process_time()
    parser = StreamParser(get_dialect("react"))
    for at in range(0, len(text), 4):
        parser.feed(text[at : at + 4])
    parser.close()
    return time.process_time() - began
print(stream() - stream())
"""


def first_stream() -> None:
    """Print by how much the first stream of a process takes longer than the second."""
    code = f"text = {ACTION + OBJECT!r}\n{FIRST}"
    taken = [float(subprocess.check_output([sys.executable, "-c", code])) for _ in range(7)]
    print(f"\nFirst lenient stream: {median(taken) * 1e3:.0f} ms more than the second.")


if __name__ == "__main__":
    against_langchain()
    against_good_replies()
    first_stream()
