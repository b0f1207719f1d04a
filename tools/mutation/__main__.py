"""Mutation testing: ``python -m tools.mutation --count 200 --seed 1``, or ``make mutants``.

A mutant is the project with one small change: ``<`` in place of ``<=``, a statement left out, a
word of a prompt altered. For each mutant in a sample the related tests run until one fails, in a
copy of the project. A mutant that no test kills is shown as a diff: it behaves like the original,
or a test is missing. The exit code is 1 if any survived.

Name files or lines, as in ``python -m tools.mutation output_parsers/xml.py:120``, to try every
mutant there.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter, defaultdict
from difflib import unified_diff
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from .related import ROOT, all_mutants, group_of, stages_for
from .trial import Copy

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .mutants import Mutant


def sample(mutants: Iterable[Mutant], count: int, seed: int) -> list[Mutant]:
    """Return *count* mutants of different lines, sorted by place."""
    random = Random(seed)
    lines: defaultdict[str, list[Mutant]] = defaultdict(list)
    for mutant in mutants:
        lines[mutant.place].append(mutant)
    chosen: list[Mutant] = []
    for place in random.sample([*lines], len(lines)):
        if len(chosen) == count:
            break
        chosen += valid(random.sample(lines[place], len(lines[place])))[:1]
    return sorted(chosen)


def valid(mutants: Iterable[Mutant]) -> list[Mutant]:
    """Return the *mutants* that are other programs than the original."""
    return [each for each in mutants if each.is_valid((ROOT / each.path).read_bytes())]


def at(mutants: Iterable[Mutant], places: Sequence[str]) -> list[Mutant]:
    """Return all *mutants* in the files and lines that are named."""
    return valid(each for each in mutants if {each.path, each.place} & {*places})


def diff_of(mutant: Mutant) -> str:
    """Return how *mutant* differs from the original."""
    source = (ROOT / mutant.path).read_bytes()
    before, after = (text.decode().splitlines() for text in (source, mutant.applied_to(source)))
    return "\n".join([*unified_diff(before, after, n=1, lineterm="")][2:])


def table(tried: Counter[str], survived: Counter[str]) -> str:
    """Return how many mutants of each group were killed."""
    lines = [f"{'group':<16}{'mutants':>8}{'killed':>8}{'survived':>10}{'%':>8}"]
    tried["all"], survived["all"] = tried.total(), survived.total()
    for group, count in tried.items():
        killed = count - survived[group]
        share = 100 * killed / count
        lines.append(f"{group:<16}{count:>8}{killed:>8}{survived[group]:>10}{share:>8.1f}")
    return "\n".join(lines)


class Trials:
    """Runs the related tests of one mutant after another.

    Args:
        copy: The copy of the project in which they run.
        quick: Whether to leave out the slow ones.
    """

    def __init__(self, copy: Copy, *, quick: bool) -> None:
        self._copy = copy
        self._quick = quick
        self._sound: set[str] = set()

    def killer(self, mutant: Mutant) -> str | None:
        """Return the test that fails for *mutant*, or `None` if it survives all related tests.

        Raises:
            SystemExit: That test fails without the mutant, too.
        """
        with self._copy.changed(mutant):
            stages = stages_for(mutant.path, quick=self._quick)
            killer = next(filter(None, map(self._copy.killer, stages)), None)
        if killer is not None and "::" in killer and killer not in self._sound:
            if self._copy.killer([killer]) is not None:
                sys.exit(f"{killer} fails without any mutant")
            self._sound.add(killer)
        return killer


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m tools.mutation", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("places", nargs="*", help="files or lines, to try all mutants there")
    parser.add_argument("--count", type=int, default=200, help="how many mutants to try")
    parser.add_argument("--seed", type=int, default=1, help="chooses them")
    parser.add_argument("--quick", action="store_true", help="leave out the slow tests")
    asked = parser.parse_args()
    found = all_mutants()
    chosen = at(found, asked.places) if asked.places else sample(found, asked.count, asked.seed)
    tried: Counter[str] = Counter()
    survived: Counter[str] = Counter()
    with TemporaryDirectory() as folder:
        trials = Trials(Copy(Path(folder)), quick=asked.quick)
        for number, mutant in enumerate(chosen, 1):
            began = time.monotonic()
            killer = trials.killer(mutant)
            took = time.monotonic() - began
            tried[group_of(mutant.path)] += 1
            survived[group_of(mutant.path)] += killer is None
            print(f"{number}/{len(chosen)} {mutant.place} {took:.0f}s {killer or 'SURVIVED'}")
            if killer is None:
                print(diff_of(mutant))
            sys.stdout.flush()
    print(f"\n{table(tried, survived)}")
    sys.exit(survived["all"] > 0)


if __name__ == "__main__":
    main()
