"""The command ``parse``: files in, runs out, in each output format."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich import box
from rich.table import Table
from rich.text import Text

from agent_parsers.cli.options import Format
from agent_parsers.cli.screen import JsonOutput, Screen, echo_json
from agent_parsers.core import FACTS, facts_of
from agent_runs.cli.bar import ProgressBar
from agent_runs.cli.files import read_file, total_size
from agent_runs.cli.shown_runs import HowToRead, ShownRun, as_json, dumps
from agent_runs.cli.table import print_run
from agent_runs.cli.trouble import Trouble, counted, trouble_lines
from output_parsers.printable import printable

if TYPE_CHECKING:
    from agent_parsers import Transcript


def parse_files(
    files: Sequence[str], options: HowToRead, form: Format, *, full: bool, summary: bool
) -> bool:
    """Write the runs in *files* to standard output, or with *summary* only counts.

    With *full*, tables show every text whole. Errors go to standard error. Return whether
    everything could be read.
    """
    out, err = Screen(), Screen(stderr=True)
    output = JsonOutput(as_list=form is Format.JSON)
    counts = _Summary()
    # A table includes the errors of its run; do not show them twice on the same screen.
    reports_steps = summary or not (form is Format.TABLE and out.is_seen and err.is_seen)
    tally = _Tally(fail_on_notices=options.fail_on_notices)
    try:
        with ProgressBar(err, total_size(files)) as bar:
            for file in files:
                for found in read_file(file, options, bar.advance):
                    tally.add(found)
                    if out.is_seen and not summary:  # the run is written to the same screen
                        bar.hide()
                    if isinstance(found, Trouble):
                        pass  # it is reported below
                    elif summary:
                        counts.add(found.transcript)
                    elif form is Format.TABLE:
                        print_run(out, found, full=full)
                    else:
                        output.write(as_json(found))
                    troubles = [found] if isinstance(found, Trouble) else found.troubles
                    for trouble in troubles if reports_steps or isinstance(found, Trouble) else ():
                        err.print(trouble_lines(trouble, err.width), soft_wrap=True)
    except KeyboardInterrupt:
        if not options.follow:  # else it is how to end
            raise
    if summary:
        counts.write(out, as_table=form is Format.TABLE)
    elif form is not Format.TABLE:
        output.close()
    if not tally.is_clean:
        err.print(Text(str(tally), "bold"), soft_wrap=True)
    return tally.is_clean


class _Tally:
    """Counts the runs and steps that could be read, and those that could not."""

    def __init__(self, *, fail_on_notices: bool) -> None:
        notices = ("step or notice", "steps or notices")
        self._unread = notices if fail_on_notices else ("step", "")
        self._runs = 0
        self._steps = 0
        self._bad_steps = 0
        self._bad_sources = 0

    def add(self, found: ShownRun | Trouble) -> None:
        """Count a run, or a file or record that could not be read."""
        if isinstance(found, Trouble):
            self._bad_sources += 1
            return
        self._runs += 1
        self._bad_steps += len(found.troubles)
        self._steps += len(found.transcript.steps)

    @property
    def is_clean(self) -> bool:
        """Whether everything could be read."""
        return not self._bad_steps and not self._bad_sources

    def __str__(self) -> str:
        bad = []
        if self._bad_steps:
            bad.append(counted(self._bad_steps, *self._unread))
        if self._bad_sources:
            bad.append(counted(self._bad_sources, "file or record", "files or records"))
        read = f"{counted(self._steps, 'step')} of {counted(self._runs, 'run')}"
        return f"not read: {' and '.join(bad)}; read: {read}"


class _Summary:
    """Counts runs, and writes the counts at the end."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter(
            dict.fromkeys(("runs", "steps", "answers", "errors", "repairs", "notices"), 0)
        )
        self._by_kind: dict[str, Counter[str]] = {kind: Counter() for kind in FACTS}

    def add(self, run: Transcript) -> None:
        """Count one run."""
        self._counts["runs"] += 1
        self._counts["steps"] += len(run.steps)
        self._counts["answers"] += run.finish is not None
        self._counts["errors"] += len(run.failed)
        self._counts["repairs"] += len(run.repairs)
        self._counts["notices"] += len(run.notices)
        for fact in facts_of(run):
            self._by_kind[fact.kind][fact.what] += 1

    def write(self, screen: Screen, *, as_table: bool) -> None:
        """Write the counts to standard output, as a table or as JSON."""
        if not as_table:
            counts: dict[str, Any] = {**self._counts}
            counts |= {name: dict(found.most_common()) for name, found in self._by_kind.items()}
            echo_json(dumps(counts))
            return
        table = Table(box=box.SIMPLE_HEAD, show_header=False, padding=(0, 2, 0, 0))
        table.add_column(style="bold")
        table.add_column(justify="right")
        for name, count in self._counts.items():
            table.add_row(name.capitalize(), f"{count:,}")
        for name, found in self._by_kind.items():
            if found:
                table.add_row()
                table.add_row(Text(name.replace("_", " ").capitalize(), "bold cyan"))
            for what, count in found.most_common():
                table.add_row(Text(f"  {printable(what)}", "default"), f"{count:,}")
        screen.print(table)
