"""The command ``report``: runs in, a page of HTML out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from agent_parsers.cli.options import STDIN
from agent_parsers.cli.output import write_out
from agent_parsers.cli.screen import Screen
from agent_parsers.transcripts import RunSource
from agent_runs.cli.bar import ProgressBar
from agent_runs.cli.files import read_file, total_size
from agent_runs.cli.trouble import Trouble, name_of, trouble_lines
from agent_runs.report import report_html

if TYPE_CHECKING:
    from agent_parsers import Transcript
    from agent_runs.cli.shown_runs import HowToRead, ShownRun


def report_files(
    files: Sequence[str], options: HowToRead, out: str | None, title: str | None
) -> bool:
    """Write a report of the runs in *files*; errors also go to standard error.

    If *out* is a folder, each file gets a page of its own. Return whether everything could be read.
    """
    return write_out(out, files, ".html", partial(_report, options=options, title=title))


def _report(files: Sequence[str], options: HowToRead, title: str | None) -> bool:
    """Write a report of the runs in *files* to standard output."""
    err = Screen(stderr=True)
    troubles: list[Trouble] = []
    unread: list[str] = []
    with ProgressBar(err, total_size(files)) as bar:

        def runs() -> Iterator[Transcript]:
            for file in files:
                for found in read_file(file, options, bar.advance):
                    if isinstance(found, Trouble):
                        troubles.append(found)
                        unread.append(str(trouble_lines(found, err.width)).partition("\n")[0])
                    else:
                        troubles.extend(found.troubles)
                        yield _named(found)

        page = report_html(runs(), title=title or _title(files), unread=unread)
    for trouble in troubles:
        err.print(trouble_lines(trouble, err.width), soft_wrap=True)
    typer.echo(page.encode(), nl=False)
    return not troubles


def _named(run: ShownRun) -> Transcript:
    """Return the run with the name of its file."""
    source = run.transcript.source or RunSource("")
    return replace(run.transcript, source=replace(source, file=name_of(run.file)))


def _title(files: Sequence[str]) -> str:
    names = [name_of(file) if file == STDIN else Path(file).name for file in files]
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"
