"""Runs a small live model on this machine, and measures prompts, grammars and readers with it.

Run ``python -m benchmarks.live [first] [constrained] [free] [--questions 40] [--replies FILE]``, by
default all three. It installs nothing; it says which two packages it needs. A token takes some 20
ms of CPU, so all of it takes an hour.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.live import constrained, first_tokens, free
from benchmarks.live.questions import QUESTIONS
from benchmarks.live.server import running

PARTS = ("first", "constrained", "free")


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
    with running(asked.threads) as server:
        print(f"model: {server.model}")
        for part in asked.parts or PARTS:
            print(f"\n## {part}\n", flush=True)
            if part == "first":
                print(first_tokens.table(server, min(asked.questions, 10)))
            elif part == "constrained":
                print(constrained.table(server, dialects))
            else:
                step = max(len(QUESTIONS) // asked.questions, 1)
                found = [*free.replies(server, dialects or free.DIALECTS, QUESTIONS[::step])]
                print(free.table(found))
                print(f"read otherwise in pieces: {len(free.streamed_otherwise(found))}")
                if asked.replies:
                    free.write(found, asked.replies)


if __name__ == "__main__":
    main()
