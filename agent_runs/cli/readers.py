"""The command ``readers``: which reader each file is for, and where the others stop."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rich import box
from rich.table import Table
from rich.text import Text

from agent_parsers.cli.options import STDIN, Format
from agent_parsers.cli.screen import JsonOutput, Screen
from agent_parsers.cli.wording import on_command_line
from agent_runs.cli.files import open_file
from agent_runs.cli.shown_runs import dumps
from agent_runs.cli.trouble import name_of, trouble_lines, unread_file
from agent_runs.reader_report import try_readers
from output_parsers.printable import printable

if TYPE_CHECKING:
    from agent_runs.reader_report import Tried, TriedLog

_SHARE: Final = 3
"""The names of readers have at most one of so many parts of the width."""


def find_readers(files: Sequence[str], encoding: str | None, form: Format, *, why: bool) -> bool:
    """Print which readers recognise each of *files*; return whether each file is for one reader.

    With *why*, print what each reader makes of the file, too.
    """
    out, err = Screen(), Screen(stderr=True)
    output = None if form is Format.TABLE else JsonOutput(as_list=form is Format.JSON)
    is_clear = True
    for file in files:
        try:
            log = try_readers(_source(file), encoding=encoding, each=why)
        except (OSError, ValueError) as error:
            err.print(trouble_lines(unread_file(file, error), err.width), soft_wrap=True)
            is_clear = False
            continue
        is_clear = is_clear and len(log.forms) == 1
        if output is None:
            _print(out, file, log)
        else:
            output.write(dumps(_as_json(file, log, why=why)))
    if output is not None:
        output.close()
    return is_clear


def _source(file: str) -> Path | bytes:
    """Return the path of a file, or what standard input has, which can be read once only."""
    if file != STDIN:
        return Path(file)
    with open_file(file) as stream:
        return stream.read()


def _print(out: Screen, file: str, log: TriedLog) -> None:
    first, *others = log.forms or (None,)
    if first is None:
        said = Text.assemble(("no reader", "bold"), f" for this {printable(log.kind)}")
    elif others:
        names = " or ".join(form.reader for form in log.forms)
        said = Text.assemble(("ambiguous", "bold"), f": {names}; --reader names one")
    else:
        shown = printable(", ".join(first.evidence))
        said = Text.assemble((first.reader, "bold cyan"), f": {shown}")
    out.print(Text.assemble(f"{name_of(file)}: ", said), soft_wrap=True)
    if log.tried:
        out.print(_table(log.tried, out.width))


def _table(tried: Sequence[Tried], width: int) -> Table:
    """Return a table of readers, in which those that say the same share a row."""
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 2, 0, 0), leading=1)
    table.add_column("Reader", style="cyan", max_width=width // _SHARE, overflow="fold")
    table.add_column("Runs", justify="right")
    table.add_column("Signs found, or where it stopped", overflow="fold")
    rows: dict[tuple[int, str], list[str]] = {}
    for each in tried:
        rows.setdefault((each.runs, _said(each)), []).append(each.reader)
    for (runs, said), names in rows.items():
        table.add_row(", ".join(names), str(runs or ""), Text(printable(said)))
    return table


def _said(tried: Tried) -> str:
    """Return what shows the form of a reader, and where it stopped."""
    stopped = on_command_line(tried.stopped)
    return "; but ".join(filter(None, (", ".join(tried.evidence), stopped)))


def _as_json(file: str, log: TriedLog, *, why: bool) -> dict[str, Any]:
    found = {"file": file, "kind": log.kind, "readers": [form.reader for form in log.forms]}
    if not why:
        return found
    tried = [
        {"reader": each.reader, "runs": each.runs, "evidence": each.evidence,
         "stopped": on_command_line(each.stopped)}
        for each in log.tried
    ]  # fmt: skip
    return {**found, "tried": tried}
