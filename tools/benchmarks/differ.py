"""Reads many texts with two trees and counts what differs: ``tools/benchmarks/differ.py --base X``.

It shows that a change of the code changes no reading. The old tree is the commit *X*; the new one
is the tree of this file, or ``--new FOLDER``. The tree of this file makes the texts once, and both
trees read the same ones: cases, turns as the dialect writes them and as a model dresses them,
transcripts, and mutants of all of these. They are parsed, read, streamed whole and in chunks, read
as records and as rows of a table, in both modes, with each value of ``ended``, and with tools of
which nothing is known, or their names, or parameters that are required, have defaults, or are none.

Outcomes, spans of errors, observations, thoughts, content, repairs, events, steps and rows are
counted apart. A dialect is only mentioned if something differs, and the exit code is 1 then.

``--show`` prints examples, ``--dialect NAME`` selects, ``--count 1400`` makes a million readings,
and ``--seed 2`` makes other texts.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tarfile
from contextlib import ExitStack, contextmanager
from functools import partial
from multiprocessing.pool import ThreadPool
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory
from time import monotonic
from typing import TYPE_CHECKING, Final, Self

from _differ_compare import FIELDS, Tally, compared
from _differ_texts import texts_of

from agent_parsers import list_dialects

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOT: Final = Path(__file__).parents[2]
READER: Final = Path(__file__).with_name("_differ_reader.py")


# -- trees -------------------------------------------------------------------------------------


@contextmanager
def tree_of(base: str) -> Iterator[Path]:
    """Give the folder of a commit, which is removed at the end, or *base* if it is a folder."""
    if (Path(base) / "agent_parsers").is_dir():
        yield Path(base).resolve()
        return
    with TemporaryDirectory(prefix="differ-") as folder:
        packed = Path(folder) / "tree.tar"
        git = ["git", "-C", str(ROOT), "archive", "--format=tar", f"--output={packed}", base]
        if subprocess.run(git, check=False).returncode:
            sys.exit(f"there is no commit {base!r} here, and no folder with the packages")
        with tarfile.open(packed) as tar:
            tar.extractall(Path(folder) / "tree", filter="data")
        yield Path(folder).resolve() / "tree"


def environment(tree: Path) -> dict[str, str]:
    """Return the environment of a process that uses the packages of *tree*."""
    return {**os.environ, "PYTHONPATH": str(tree), "PYTHONHASHSEED": "0"}


def dialects_in(tree: Path) -> set[str]:
    """Return the names of the dialects of a tree."""
    code = "from agent_parsers import list_dialects; print(*list_dialects())"
    run = [sys.executable, "-P", "-c", code]
    return {*subprocess.check_output(run, env=environment(tree), text=True).split()}


class Reader:
    """A process that reads texts with the packages of a tree."""

    def __init__(self, tree: Path) -> None:
        self._tree = tree
        self._process = subprocess.Popen(
            [sys.executable, "-W", "ignore", str(READER), str(tree)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment(tree),
            encoding="utf-8",
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._process.kill()
        self._process.communicate()

    def read(self, texts: Path) -> Iterator[str]:
        """Yield the readings of the texts in a file, a line each."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(texts, file=self._process.stdin, flush=True)
        for line in self._process.stdout:
            if line == "\n":
                return
            yield line
        raise RuntimeError(f"the process that reads with {self._tree} has ended")


# -- reading -----------------------------------------------------------------------------------

Pair = tuple[Reader, Reader]


def differences(
    name: str, pairs: SimpleQueue[Pair], folder: Path, count: int, seed: int, most: int
) -> Tally:
    """Read *count* texts of a dialect with a free pair of readers, and return what differs."""
    texts = folder / f"{name}.jsonl"
    with texts.open("w", encoding="utf-8") as lines:
        lines.writelines(f"{json.dumps(made)}\n" for made in texts_of(name, count, seed))
    old, new = pair = pairs.get()
    try:
        return compared(texts, old.read(texts), new.read(texts), most)
    finally:
        pairs.put(pair)
        texts.unlink()


def tallies(
    trees: tuple[Path, Path], names: Sequence[str], jobs: int, count: int, seed: int, most: int
) -> Iterator[tuple[str, Tally]]:
    """Yield what differs in each dialect, with *jobs* processes that read, half of them a tree."""
    pairs: SimpleQueue[Pair] = SimpleQueue()
    size = max(jobs // 2, 1)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="differ-")))
        for _ in range(size):
            old, new = (stack.enter_context(Reader(tree)) for tree in trees)
            pairs.put((old, new))
        # One thread more makes the next texts while the others wait for their readers.
        pool = stack.enter_context(ThreadPool(size + 1))
        read = partial(differences, pairs=pairs, folder=folder, count=count, seed=seed, most=most)
        yield from zip(names, pool.imap(read, names), strict=True)


HEADS: Final = ("   texts", "readings", *FIELDS)


def row(name: str, tally: Tally) -> str:
    """Return the counts of a dialect in columns."""
    cells = [tally.texts, tally.readings, *(tally.kinds[kind] for kind in FIELDS)]
    columns = zip(HEADS, cells, strict=True)
    return f"{name:20}{''.join(f'{cell:>{len(head) + 2}}' for head, cell in columns)}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the texts, print what differs, and return 1 if anything does."""
    parser = argparse.ArgumentParser(description="Count what two trees read differently.")
    parser.add_argument("--base", required=True, help="the old tree: a commit, or a folder")
    parser.add_argument("--new", default=str(ROOT), help="the folder of the new tree")
    parser.add_argument("--dialect", action="append", choices=list_dialects())
    parser.add_argument("--count", type=int, default=500, help="texts of each dialect")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2, help="processes that read")
    parser.add_argument(
        "--show", nargs="?", type=int, const=3, default=0, metavar="MOST",
        help="print up to this many examples of each kind",
    )  # fmt: skip
    asked = parser.parse_args(arguments)
    begun, total = monotonic(), Tally()
    with tree_of(asked.base) as old, tree_of(asked.new) as new:
        both = dialects_in(old) & dialects_in(new)
        names = [name for name in asked.dialect or list_dialects() if name in both]
        print(f"{'dialect':20}{''.join(f'  {head}' for head in HEADS)}", flush=True)
        trees = (old, new)
        for name, tally in tallies(trees, names, asked.jobs, asked.count, asked.seed, asked.show):
            examples = total.add(tally, asked.show)
            if tally.kinds:
                print(row(name, tally), *examples, sep="\n", flush=True)
    print(row("all", total))
    print(f"crashes: {total.crashes[0]} old, {total.crashes[1]} new; {monotonic() - begun:.0f} s")
    return int(bool(total.kinds))


if __name__ == "__main__":
    sys.exit(main())
