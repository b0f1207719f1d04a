"""The command ``convert``: runs in, another form out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.text import Text

from agent_parsers.cli.options import STDIN
from agent_parsers.cli.screen import Screen
from agent_runs.cli.bar import ProgressBar
from agent_runs.cli.files import read_file, size_of
from agent_runs.cli.json_output import dumps
from agent_runs.cli.trouble import Trouble, trouble_lines

if TYPE_CHECKING:
    from agent_runs.cli.shown_runs import HowToRead, ShownRun
    from agent_runs.writers.writer import Writer


def convert_files(
    files: Sequence[str], options: HowToRead, writer: Writer, out: str | None
) -> bool:
    """Read *files* and write their runs; errors and losses go to standard error.

    Args:
        files: Paths; ``-`` is standard input.
        options: How to read them.
        writer: What to write.
        out: A folder, which is made if it does not exist; `None` for standard output.

    Returns:
        Whether everything could be read and written.
    """
    seen, err = Screen(), Screen(stderr=True)
    is_clean = True
    lost: Counter[str] = Counter()
    output = _Output(writer, out)
    with ProgressBar(err, sum(size_of(file) or 0 for file in files) or None) as bar:
        for file in files:
            for found in read_file(file, options, bar.advance):
                troubles = [found] if isinstance(found, Trouble) else found.troubles
                if not isinstance(found, Trouble):
                    if out is None and seen.is_seen:  # the run is written to the same screen
                        bar.hide()
                    try:
                        output.write(found, writer.write(found.transcript))
                    except ValueError as error:  # the form cannot hold the run
                        troubles.append(Trouble(file, str(error), None, f"run {found.number}"))
                    lost.update(writer.losses(found.transcript))
                is_clean = is_clean and not troubles
                for trouble in troubles:
                    err.print(trouble_lines(trouble, err.width), soft_wrap=True)
    if lost:
        words = ", ".join(f"{name} ({count})" for name, count in lost.items())
        err.print(Text(f"{writer.name} has no place for: {words}", "bold"), soft_wrap=True)
    return is_clean


class _Output:
    """Standard output, or files in a folder: one for each run, or one for each file of runs."""

    def __init__(self, writer: Writer, folder: str | None) -> None:
        self._writer = writer
        self._folder = None if folder is None else Path(folder)
        self._has_written = False
        self._files: dict[str, Path] = {}  # by the name of the file that was read

    def write(self, run: ShownRun, written: Any) -> None:
        """Write one run."""
        is_text = isinstance(written, str)
        text = written if is_text else dumps(written) + "\n"
        if self._folder is None:
            between = "\n" if is_text and self._has_written else ""  # runs are easier told apart
            typer.echo((between + text).encode("utf-8", "surrogatepass"), nl=False)
            self._has_written = True
            return
        stem = "stdin" if run.file == STDIN else Path(run.file).name.partition(".")[0] or "log"
        suffix = ".txt" if is_text else ".json" if self._writer.is_one_a_file else ".jsonl"
        if self._writer.is_one_a_file:
            self._new(f"{stem}-{run.number}", suffix).write_text(text, "utf-8", "surrogatepass")
            return
        if run.file not in self._files:
            self._files[run.file] = self._new(stem, suffix)
        with self._files[run.file].open("a", encoding="utf-8", errors="surrogatepass") as file:
            file.write(text)

    def _new(self, stem: str, suffix: str) -> Path:
        """Create a file with an unused name, and return its path."""
        assert self._folder is not None
        self._folder.mkdir(parents=True, exist_ok=True)
        number = 1
        while True:
            name = stem if number == 1 else f"{stem}-{number}"
            path = self._folder / f"{name}{suffix}"
            try:
                path.touch(exist_ok=False)
            except FileExistsError:
                number += 1
            else:
                return path
