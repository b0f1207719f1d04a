"""Measures speed, next to LangChain where it can do the same work: ``python benchmarks/run.py``.

All of a section is measured interleaved in one run. Absolute times depend on the machine and on
what else it does; read the ratios.
"""

from __future__ import annotations

import asyncio
import math
import os
import subprocess
import sys
import tempfile
from contextlib import suppress
from statistics import median
from typing import TYPE_CHECKING

from _timing import interleaved, ratio
from langchain_classic.agents.output_parsers import (
    ReActSingleInputOutputParser as LangChainReAct,
)
from langchain_core.messages import AIMessage as LangChainAIMessage

from agent_parsers import (
    OutputParserException,
    ReActSingleInputOutputParser,
    StreamParser,
    get_dialect,
    get_parser,
)
from agent_parsers.engine import Mode, machine
from outputs import AIMessage

if TYPE_CHECKING:
    from collections.abc import Callable

ACTION = (
    "Thought: I need to know how old the oldest bridge of Bern is.\n"
    "Action: search\n"
    "Action Input: oldest bridge in Bern"
)
DIALECTS = ("react", "react_docstore")
MODES: tuple[Mode, ...] = ("strict", "lenient")
WORDS = "The bridge was built of oak, burnt down in 1460 and then built again of stone. "


def one_shot() -> None:
    """Compare `parse`, `invoke`, `ainvoke` and a loop over many outputs."""
    ours, theirs = ReActSingleInputOutputParser(), LangChainReAct()
    lenient = get_parser("react")
    our_message, their_message = AIMessage(content=ACTION), LangChainAIMessage(content=ACTION)
    loop = asyncio.new_event_loop()
    batch = [ACTION] * 200
    rows: list[tuple[str, dict[str, Callable[[], object]]]] = [
        ("parse(text)", {
            "ours": lambda: ours.parse(ACTION),
            "theirs": lambda: theirs.parse(ACTION),
        }),
        ("parse(text), lenient", {
            "ours": lambda: lenient.parse(ACTION),
            "theirs": lambda: theirs.parse(ACTION),
        }),
        ("invoke(message)", {
            "ours": lambda: ours.invoke(our_message),
            "theirs": lambda: theirs.invoke(their_message),
        }),
        ("ainvoke(message)", {
            "ours": lambda: loop.run_until_complete(ours.ainvoke(our_message)),
            "theirs": lambda: loop.run_until_complete(theirs.ainvoke(their_message)),
        }),
        ("batch of 200 texts", {
            "ours": lambda: ours.batch(batch),
            "theirs": lambda: theirs.batch(batch),
        }),
    ]  # fmt: skip
    print(f"{'ReAct, one shot':<28}{'ours, µs':>12}{'LangChain, µs':>16}{'ratio':>9}")
    for name, contenders in rows:
        taken = interleaved(contenders, rounds=20)
        ours_us, theirs_us = (median(taken[side]) * 1e6 for side in ("ours", "theirs"))
        share = ratio(taken["ours"], taken["theirs"])
        print(f"{name:<28}{ours_us:>12.2f}{theirs_us:>16.2f}{share:>9.3f}")
    loop.close()


def streaming() -> None:
    """Show what a 4-character chunk costs, by length of the text."""
    print(f"\n{'streamed, µs a chunk of 4':<28}{'1 KB':>12}{'16 KB':>12}{'256 KB':>12}")
    for mode in MODES:
        for place in ("thought", "input", "answer"):
            runs = {str(size): _stream(mode, place, size) for size in (1_000, 16_000, 256_000)}
            taken = interleaved({name: run for name, (run, _) in runs.items()}, rounds=5)
            cells = "".join(
                f"{min(taken[name]) / count * 1e6:>12.2f}" for name, (_, count) in runs.items()
            )
            print(f"{f'{place}, {mode}':<28}{cells}")


def _stream(mode: Mode, place: str, size: int) -> tuple[Callable[[], None], int]:
    body = (WORDS * (size // len(WORDS) + 1))[:size]
    text = {
        "thought": f"Thought: {body}\nAction: search\nAction Input: x",
        "input": f"Thought: hm\nAction: write\nAction Input: {body}",
        "answer": f"Thought: hm\nFinal Answer: {body}",
    }[place]
    chunks = [text[at : at + 4] for at in range(0, len(text), 4)]
    dialect = get_dialect("react")

    def run() -> None:
        parser = StreamParser(dialect, mode=mode)
        feed = parser.feed
        for chunk in chunks:
            feed(chunk)
        parser.close()

    return run, len(chunks)


HOSTILE = {
    "Action: repeated": "Action: ",
    "Action with blanks": "Action" + " " * 40,
    "label after label": "\nAction:\nAction Input:\nFinal Answer:",
    "half labels": "\nFinal Answ\nObserv\nActio",
    "blanks": " \t",
    "line breaks": "\r\n",
    "quotes": '"',
    "open brackets": "Action: Search[",
    "closing brackets": "] ",
    "digits": "Action 1",
}


def growth() -> None:
    """Show by what power the time grows when a hostile text does; the worst mode counts."""
    print(f"\n{'hostile text, exponent':<28}{'parse':>12}{'streamed':>12}   (1 is linear)")
    for name, piece in HOSTILE.items():
        exponents = (
            max(_exponent(read, piece, dialect, mode) for dialect in DIALECTS for mode in MODES)
            for read in (_parse, _feed)
        )
        print(f"{name:<28}" + "".join(f"{exponent:>12.2f}" for exponent in exponents))


def _exponent(
    read: Callable[[str, str, Mode], None], piece: str, dialect: str, mode: Mode
) -> float:
    small, big = (f"Action: a[{piece * (size // len(piece))}" for size in (20_000, 160_000))
    taken = interleaved(
        {
            "small": lambda: read(small, dialect, mode),
            "big": lambda: read(big, dialect, mode),
        },
        rounds=3,
        seconds=0.02,
    )
    return math.log(min(taken["big"]) / min(taken["small"]), 8)


def _parse(text: str, dialect: str, mode: Mode) -> None:
    with suppress(OutputParserException):
        machine(get_dialect(dialect), mode).parse(text)


def _feed(text: str, dialect: str, mode: Mode) -> None:
    parser = StreamParser(get_dialect(dialect), mode=mode)
    for at in range(0, len(text), 4):
        parser.feed(text[at : at + 4])
    with suppress(OutputParserException):
        parser.close()


def imports() -> None:
    """Show the CPU time that an import takes, in fresh processes with their bytecode cached."""
    statements = {
        "bare python": "pass",
        "from pydantic import BaseModel": "from pydantic import BaseModel",
        "… and one model": "from pydantic import BaseModel\nclass A(BaseModel):\n    a: int",
        "outputs": "import outputs",
        "output_parsers": "import output_parsers",
        "agent_parsers": "from agent_parsers import ReActSingleInputOutputParser",
        "LangChain's parser": (
            "from langchain_classic.agents.output_parsers import ReActSingleInputOutputParser"
        ),
    }
    taken: dict[str, list[float]] = {name: [] for name in statements}
    with tempfile.TemporaryDirectory() as cache:
        env = {**os.environ, "PYTHONPYCACHEPREFIX": cache}
        env.pop("PYTHONDONTWRITEBYTECODE", None)
        for turn in range(8):
            for name, statement in statements.items():
                code = f"import time\n{statement}\nprint(time.process_time())"
                spent = float(subprocess.check_output([sys.executable, "-c", code], env=env))
                if turn:  # the first turn fills the cache
                    taken[name].append(spent * 1e3)
    bare = min(taken["bare python"])
    print(f"\n{'import, ms beyond python':<32}")
    for name, spent in taken.items():
        print(f"{name:<32}{min(spent) - bare:>8.1f}")


if __name__ == "__main__":
    one_shot()
    streaming()
    growth()
    imports()
