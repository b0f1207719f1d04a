"""Cuts the streams of clients behind every event, and puts arguments elsewhere; counts the faults.

``python -m tools.benchmarks.event_attacks``. Each cell has how many readings are wrong, of how
many, over both modes and all shapes of tools. The exit code is 1 if there is a fault.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from functools import partial
from multiprocessing import Pool
from typing import Final, NamedTuple

from tests.helpers.event_laws import CLIENTS, LAWS, SETTINGS, Setting, settings_of

WIDTH: Final = 17


class Counts(NamedTuple):
    """What was tried in one setting."""

    setting: Setting
    tried: Counter[str]
    """How many readings there are of each kind."""
    wrong: Counter[str]
    examples: list[str]


def attack(setting: Setting, *, laws: list[str], most: int) -> Counts:
    """Try all cases of all *laws* in one setting, and keep up to *most* examples of each kind."""
    counts = Counts(setting, Counter(), Counter(), [])
    for law in laws:
        if setting not in settings_of(law):
            continue
        for trial in LAWS[law](setting):
            counts.tried[trial.kind] += 1
            if not (fault := trial.fault()):
                continue
            counts.wrong[trial.kind] += 1
            if counts.wrong[trial.kind] <= most:
                what = f"{setting}, {trial.kind}, {trial.how}: {fault}"
                counts.examples.append("\n    ".join([what, *map(repr, trial.given)]))
    return counts


def row(name: str, cells: list[str]) -> str:
    return f"{name:46}{''.join(f'{cell:>{WIDTH}}' for cell in cells)}"


def cell(wrong: int, tried: int) -> str:
    return f"{wrong:,} of {tried:,}" if tried else ""


def main() -> None:
    """Run the attacks, and print the table."""
    arguments = argparse.ArgumentParser(description="Try to make parsers of messages act wrongly.")
    arguments.add_argument("--client", action="append", choices=CLIENTS)
    arguments.add_argument("--law", action="append", choices=[*LAWS])
    arguments.add_argument("--jobs", type=int, default=2, help="number of processes")
    arguments.add_argument(
        "--show", nargs="?", type=int, const=1, default=0, metavar="MOST",
        help="print up to this many faults of each kind in each mode, for each shape of tools",
    )  # fmt: skip
    options = arguments.parse_args()
    clients = options.client or [*CLIENTS]
    job = partial(attack, laws=options.law or [*LAWS], most=options.show)
    chosen = [setting for setting in SETTINGS if setting.client in clients]
    tried: Counter[tuple[str, str]] = Counter()
    wrong: Counter[tuple[str, str]] = Counter()
    with Pool(options.jobs) as pool:
        for counts in pool.imap(job, chosen):
            client = counts.setting.client
            tried.update({(kind, client): count for kind, count in counts.tried.items()})
            wrong.update({(kind, client): count for kind, count in counts.wrong.items()})
            for example in counts.examples:
                print(example)
    print(row("wrong readings", [*clients, "all"]))
    for kind in dict.fromkeys(kind for kind, _ in tried):
        cells = [(wrong[kind, client], tried[kind, client]) for client in clients]
        sums = [sum(column) for column in zip(*cells, strict=True)]
        print(row(kind, [cell(*each) for each in (*cells, sums)]))
    print(f"{wrong.total():,} of {tried.total():,} readings are wrong")
    sys.exit(bool(wrong.total()))


if __name__ == "__main__":
    main()
