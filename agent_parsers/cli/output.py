"""Where a command writes: to standard output, to a file, or to files in a folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from pathlib import Path

import typer

from agent_parsers.cli.options import STDIN


def is_folder(out: str) -> bool:
    """Return whether *out* names a folder: it has no suffix, or is a folder that exists."""
    return not Path(out).suffix or out.endswith(("/", os.sep)) or Path(out).is_dir()


def write_out(
    out: str | None, files: Sequence[str], suffix: str, write: Callable[[Sequence[str]], bool]
) -> bool:
    """Write what is read from *files* to what ``--out`` names; return whether all was read.

    Args:
        out: A file, which is replaced; a folder for one new file for each of *files*; or `None` for
            standard output.
        files: Paths; ``-`` is standard input.
        suffix: The suffix of files in a folder.
        write: Writes what is read from files to standard output; returns whether all was read.
    """
    if out is None:
        return write(files)
    if not is_folder(out):
        check_is_not_read(out, files)
        with written_to(Path(out)):
            return write(files)
    all_read = True
    for file in files:
        with written_to(new_file(out, stem_of(file), suffix)):
            all_read = write([file]) and all_read
    return all_read


def check_is_not_read(out: str, files: Sequence[str]) -> None:
    """Raise a usage error if *out* is one of *files*, which it would overwrite."""
    target = Path(out)
    if target.exists() and any(Path(f).exists() and target.samefile(f) for f in files):
        raise typer.BadParameter(
            "this file is read, so it cannot be the output", param_hint="--out"
        )


@contextmanager
def written_to(path: Path) -> Iterator[None]:
    """Redirect standard output to *path*."""
    with path.open("w", encoding="utf-8", errors="backslashreplace") as file, redirect_stdout(file):
        yield


def stem_of(file: str) -> str:
    """Return the name of an input file without its folders and suffixes."""
    return "stdin" if file == STDIN else Path(file).name.partition(".")[0] or "log"


def new_file(folder: str, stem: str, suffix: str) -> Path:
    """Create a file with an unused name in *folder*, and the folder if needed; return its path."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    number = 1
    while True:
        path = Path(folder) / f"{stem if number == 1 else f'{stem}-{number}'}{suffix}"
        try:
            path.touch(exist_ok=False)
        except FileExistsError:
            number += 1
        else:
            return path
