"""The command ``convert``: runs in, another form out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

import typer
from rich.text import Text

from agent_parsers.cli.output import is_folder, new_file, stem_of, write_out, written_to
from agent_parsers.cli.screen import Screen
from agent_runs.cli.bar import ProgressBar
from agent_runs.cli.files import read_file, total_size
from agent_runs.cli.shown_runs import HowToRead, ShownRun, dumps
from agent_runs.cli.trouble import Trouble, trouble_lines
from agent_runs.writers.writer import EARLIER

if TYPE_CHECKING:
    from agent_runs.writers.writer import Writer


def convert_files(
    files: Sequence[str], options: HowToRead, writer: Writer, out: str | None
) -> bool:
    """Read *files* and convert their runs; errors and dropped parts go to standard error.

    If *out* is a folder, it gets a file of each one that is read, or of each run if the form has
    one run in a file. Return whether everything could be read and written.
    """
    err = Screen(stderr=True)
    lost: Counter[str] = Counter()
    if out is not None and is_folder(out) and writer.is_one_a_file:
        is_clean = _convert(files, options, writer, lost, out)
    else:
        write = partial(_convert, options=options, writer=writer, lost=lost)
        is_clean = write_out(out, files, ".jsonl", write)
    if lost:
        words = ", ".join(f"{name} ({count})" for name, count in lost.items())
        err.print(
            Text(f"dropped, since {writer.name} cannot store them: {words}", "bold"), soft_wrap=True
        )
    return is_clean


def _convert(
    files: Sequence[str],
    options: HowToRead,
    writer: Writer,
    lost: Counter[str],
    folder: str | None = None,
) -> bool:
    """Write the runs in *files* to standard output, or each to a file in *folder*; count losses."""
    seen, err = Screen(), Screen(stderr=True)
    is_clean, between = True, ""
    with ProgressBar(err, total_size(files)) as bar:
        for file in files:
            for found, is_written in _whole(read_file(file, options, bar.advance), writer):
                troubles = [found] if isinstance(found, Trouble) else found.troubles
                if not isinstance(found, Trouble):
                    lost.update(writer.losses(found.transcript))
                if not isinstance(found, Trouble) and is_written:
                    if folder is None and seen.is_seen:  # the run is written to the same screen
                        bar.hide()
                    try:
                        written = writer.write(found.transcript)
                    except ValueError as error:  # the form cannot hold the run
                        troubles.append(Trouble(file, str(error), None, f"run {found.number}"))
                    else:
                        text = written if isinstance(written, str) else dumps(written) + "\n"
                        if folder is None:
                            _echo(between + text)
                            between = "\n" if isinstance(written, str) else ""
                        else:
                            suffix = ".txt" if isinstance(written, str) else ".json"
                            stem = f"{stem_of(file)}-{found.number}"
                            with written_to(new_file(folder, stem, suffix)):
                                _echo(text)
                is_clean = is_clean and not troubles
                for trouble in troubles:
                    err.print(trouble_lines(trouble, err.width), soft_wrap=True)
    return is_clean


def _whole(
    found: Iterable[ShownRun | Trouble], writer: Writer
) -> Iterator[tuple[ShownRun | Trouble, bool]]:
    """Yield what was *found*, and whether it is written: of a conversation, its last run.

    That run is written with those before it, if the form has a place for them.
    """
    held: ShownRun | None = None
    for each in found:
        if isinstance(each, Trouble):
            yield each, False
            continue
        if held is not None:
            place = held.transcript.conversation
            is_last = place is None or not place.is_same(each.transcript.conversation)
            yield held, is_last or EARLIER not in writer.holds
        held = each
    if held is not None:
        yield held, True


def _echo(text: str) -> None:
    typer.echo(text.encode("utf-8", "surrogatepass"), nl=False)
