"""Fuzzes everything: ``python -m tools.fuzz --minutes 30``, or ``make fuzz``.

Each text is a realistic text with parts removed, moved, repeated, cut or inserted from any dialect.
It is read by each dialect in each mode, with and without tools, and by each public output parser;
the laws decide whether the result is valid. A text that breaks a law is shrunk and printed as a
case for ``tests/cases``, and the exit code is 1. The streams of clients are cut and changed as
well; their known faults are counted under their own names, and do not change the exit code.

With ``--guided``, atheris, if installed, chooses the texts by code coverage.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from functools import partial
from itertools import cycle, islice
from multiprocessing import Pool
from random import Random
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from .subjects import Found

_TURN_S: Final = 2.0
"""How long one subject is tried before the next one."""


def turn(job: tuple[int, str], *, seed: str, seconds: float) -> tuple[Counter[str], list[Found]]:
    """Try one subject for some *seconds*."""
    from .subjects import trial_of

    number, name = job
    random, trial = Random(f"{seed} {number} {name}"), trial_of(name)
    counts: Counter[str] = Counter()
    found: dict[tuple[str, str, str], Found] = {}
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        counts["texts"] += 1
        for each in trial(random, counts):
            found.setdefault(each.kind, each)
    return counts, [*found.values()]


def show(found: Found) -> None:
    """Print how a law is broken, as a test case."""
    error = found.error
    title = error.law
    print(f"\n# {found.subject}: {error.reason}")
    if len(error.chunks) > 1:
        print(f"# in chunks: {list(error.chunks)!r}")
    print(f"{title}\n.\n{error.text}\n.\n?\n.", flush=True)


def guided(chosen: list[str], seed: str, runs: int) -> None:
    """Fuzz with texts chosen by atheris, until a law is broken."""
    import atheris  # type: ignore[import-not-found, import-untyped, unused-ignore]

    # Modules imported from here on are instrumented.
    with atheris.instrument_imports(include=["agent_parsers", "output_parsers", "outputs"]):
        from .subjects import names, trial_of
        from .texts import Bytes
    trials = [trial_of(name) for name in names() if is_chosen(name, chosen)]

    def one(data: bytes) -> None:
        random = Bytes(data)
        for found in random.choice(trials)(random, Counter()):
            show(found)
            raise found.error

    number = Random(seed).randrange(1, 2**31)
    atheris.Setup([sys.argv[0], f"-runs={runs}", f"-seed={number}", "-max_len=2048"], one)
    atheris.Fuzz()


def is_chosen(name: str, chosen: list[str]) -> bool:
    """Return whether the subject *name* is among the *chosen*; an empty list chooses all."""
    return not chosen or name.split(" ")[0] in chosen


def main() -> None:
    """Fuzz, and print a report."""
    arguments = argparse.ArgumentParser(description="Fuzz all dialects and parsers.")
    arguments.add_argument("subject", nargs="*", help="react, XMLOutputParser, …; all by default")
    arguments.add_argument("--minutes", type=float, default=10)
    arguments.add_argument("--jobs", type=int, default=2, help="number of processes")
    arguments.add_argument("--seed", default="0", help="seed of the random texts")
    arguments.add_argument(
        "--guided", action="store_true", help="choose texts by coverage, with atheris"
    )
    arguments.add_argument(
        "--runs", type=int, default=100_000, help="number of texts with --guided"
    )
    options = arguments.parse_args()
    if options.guided:
        guided(options.subject, options.seed, options.runs)
        return
    from .subjects import names

    chosen = [name for name in names() if is_chosen(name, options.subject)]
    began = time.monotonic()
    all_seconds = 60 * options.minutes * options.jobs
    seconds = min(_TURN_S, all_seconds / len(chosen))
    turns = islice(cycle(chosen), round(all_seconds / seconds))
    run = partial(turn, seed=options.seed, seconds=seconds)
    total: Counter[str] = Counter()
    known: dict[tuple[str, str, str], Found] = {}
    with Pool(options.jobs) as pool:
        for counts, found in pool.imap_unordered(run, enumerate(turns)):
            total += counts
            for each in found:
                if each.kind not in known:
                    known[each.kind] = each
                    show(each)
    report(total, known, time.monotonic() - began)
    sys.exit(bool(known))


def report(total: Counter[str], known: dict[Any, Found], seconds: float) -> None:
    """Print how often each law was tried and broken."""
    broken = Counter(found.error.law for found in known.values())
    texts = total.pop("texts")
    print(f"\n{'law':75}{'readings':>12}{'broken':>8}")
    for law, tried in sorted(total.items()):
        print(f"{law:75}{tried:12,}{broken[law]:8}")
    print(f"{'all':75}{total.total():12,}{broken.total():8}")
    print(f"{texts:,} texts in {seconds / 60:.1f} minutes")


if __name__ == "__main__":
    main()
