"""Runs a small live model on this machine, and measures prompts, grammars and readers with it.

Run ``python -m tools.benchmarks.live [PART…] [--questions 40] [--dialects a,b] [--replies FILE]``.
The parts are *first* tokens, *constrained* and *free* replies, the *loop*, *mending* of calls that
are broken on purpose, *native* calls of the server beside ours, the *agents* of the examples, and
agents in other *frameworks*; by default all.

It installs nothing; it says which two packages it needs. The agents also need ``openai`` and what
the extra [serve] has; frameworks that are not installed are left out. A token takes some 20 ms of
CPU, so all of it takes two hours.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from tools.benchmarks.live import (
    agents,
    constrained,
    first_tokens,
    frameworks,
    free,
    loop,
    mending,
    native,
)
from tools.benchmarks.live.questions import QUESTIONS
from tools.benchmarks.live.server import running

PARTS = ("first", "constrained", "free", "loop", "mending", "native", "agents", "frameworks")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("parts", nargs="*", help=f"some of {', '.join(PARTS)}")
    options.add_argument("--questions", type=int, default=len(QUESTIONS))
    options.add_argument("--dialects", default="", help="names, with commas between them")
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--replies", type=Path, help="where to write the free replies")
    asked = options.parse_args()
    if unknown := {*asked.parts} - {*PARTS}:
        options.error(f"there is no part {sorted(unknown)}")
    dialects = [each for each in asked.dialects.split(",") if each]
    step = max(len(QUESTIONS) // asked.questions, 1)
    parts = asked.parts or PARTS
    with running(asked.threads) as server:
        print(f"model: {server.model}")
        for part in (each for each in parts if each != "native"):
            print(f"\n## {part}\n", flush=True)
            if part == "first":
                print(first_tokens.table(server, min(asked.questions, 10)))
            elif part == "constrained":
                print(constrained.table(server, dialects))
            elif part == "free":
                found = [*free.replies(server, dialects or free.DIALECTS, QUESTIONS[::step])]
                print(free.table(found))
                print(f"read otherwise in pieces: {len(free.streamed_otherwise(found))}")
                if asked.replies:
                    free.write(found, asked.replies)
            elif part == "loop":
                print(loop.table([*loop.runs(server, dialects, QUESTIONS[::step])]))
            elif part == "mending":
                print(mending.table([*mending.runs(server, dialects)]))
            elif part == "agents":
                print(agents.report(server))
            elif part == "frameworks":
                print(frameworks.table(server))
    if "native" in parts:
        with running(asked.threads, native.TEMPLATE) as server:
            print("\n## native\n", flush=True)
            print(native.table([*native.replies(server, QUESTIONS[::step])]))


if __name__ == "__main__":
    main()
