"""The commands and their options.

Each imports what it does when it runs.
"""

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from agent_parsers.cli.help import Commands
from agent_parsers.cli.options import (
    AUTO,
    NOT_ALL,
    DialectOption,
    Format,
    FormatOption,
    JsonFlag,
    LenientFlag,
    OutPath,
    TextOrJson,
    ToolsGiven,
    format_of,
    known_tools,
    only_for,
    or_json,
)
from agent_runs.cli.options import (
    EncodingName,
    FailOnNotices,
    FileNames,
    ReaderName,
    known_writer,
    or_stdin,
    writers_like,
)
from agent_runs.cli.shown_runs import JSON_SHAPE, HowToRead

commands: Commands = Commands()


@commands.command(
    epilog="Exit status: 0 if everything was read; 1 if a file, a record or a step could not be"
    " read (standard error has the details); 2 if the command line is wrong."
)
def parse(  # noqa: D103
    ctx: typer.Context,
    files: FileNames = None,
    reader: ReaderName = AUTO,
    encoding: EncodingName = None,
    dialect: DialectOption = AUTO,
    tools: ToolsGiven = None,
    form: FormatOption = Format.TABLE,
    as_json: JsonFlag = False,
    full: Annotated[bool, typer.Option("--full", help="Show long texts in full.")] = False,
    summary: Annotated[
        bool,
        typer.Option("--summary", help="Show only counts: runs, steps, tools, repairs and errors."),
    ] = False,
    fail_on_notices: FailOnNotices = False,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Keep waiting for more, like tail -f.")
    ] = False,
    out: OutPath = None,
) -> None:
    # The docstring, which is the help text, is set below, since it quotes the shape of the JSON.
    from agent_parsers.cli.output import write_out
    from agent_runs.cli.parse import parse_files

    options = _options_of(
        reader, encoding, dialect, tools, fail_on_notices=fail_on_notices, follow=follow
    )
    form = format_of(ctx, form, as_json, out)
    names = or_stdin(ctx, files)
    if follow and len(names) > 1:
        raise typer.BadParameter("only one file can be followed at a time", param_hint="--follow")

    def write(files: Sequence[str]) -> bool:
        return parse_files(files, options, form, full=full, summary=summary)

    if not write_out(out, names, form.suffix, write):
        raise typer.Exit(NOT_ALL)


parse.__doc__ = f"""Read runs: the thoughts, actions, observations and answers of an agent.

A file may contain console output or a dump of a framework, API messages, a data set, a trace, or
text in a dialect, with or without the line prefixes of a logger. It may be compressed with gzip, xz
or zstd. Its form is recognised from its content; the command `forms` lists the forms. Anything that
a log does not say is reported as a notice. From a pipe, or with `--follow`, a run is shown when
nothing more has arrived for a second after its answer.

To read a single reply of a model, or a table with a reply in each record, use `reply`.

The JSON output has these keys for each run (spans are character offsets in the text of the run or
of the step):

\b
{JSON_SHAPE}
"""


@commands.command(
    epilog="Exit status: 0 if everything was read and written; 1 if not (standard error has the"
    " details); 2 if the command line is wrong."
)
def convert(
    ctx: typer.Context,
    to: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            callback=known_writer,
            autocompletion=writers_like,
            help="Form to write: one that `forms` lists, or a dialect that can write whole runs.",
        ),
    ],
    files: FileNames = None,
    out: OutPath = None,
    reader: ReaderName = AUTO,
    encoding: EncodingName = None,
    dialect: DialectOption = AUTO,
    tools: ToolsGiven = None,
    fail_on_notices: FailOnNotices = False,
) -> None:
    """Write runs in another form: for training, for tracing, or as text in another dialect.

    Files are read as by `parse`. Parts of the runs that the form has no place for are reported on
    standard error.
    """
    from agent_runs.cli.convert import convert_files
    from agent_runs.writers.known import get_writer

    options = _options_of(reader, encoding, dialect, tools, fail_on_notices=fail_on_notices)
    if not convert_files(or_stdin(ctx, files), options, get_writer(to, tools=options.tools), out):
        raise typer.Exit(NOT_ALL)


@commands.command(
    epilog="Exit status: 0 if everything was read; 1 if a file, a record or a step could not be"
    " read (the report shows this as well); 2 if the command line is wrong."
)
def report(
    ctx: typer.Context,
    files: FileNames = None,
    out: OutPath = None,
    title: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Title of the page; by default the names of the files."),
    ] = None,
    reader: ReaderName = AUTO,
    encoding: EncodingName = None,
    dialect: DialectOption = AUTO,
    tools: ToolsGiven = None,
    fail_on_notices: FailOnNotices = False,
) -> None:
    """Write an HTML page about runs: counts with links to the steps, and every step.

    Files are read as by `parse`. The page is one file that loads nothing.
    """
    from agent_runs.cli.report import report_files

    options = _options_of(reader, encoding, dialect, tools, fail_on_notices=fail_on_notices)
    if not report_files(or_stdin(ctx, files), options, out, title):
        raise typer.Exit(NOT_ALL)


@commands.command(
    epilog="Exit status: 0 if the dialect of each file was found; 1 if a file has none, could have"
    " several, or cannot be read; 2 if the command line is wrong."
)
def detect(
    ctx: typer.Context,
    files: FileNames = None,
    tools: ToolsGiven = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
) -> None:
    """Find out which dialect replies are in, and why.

    A file is one text, such as a reply or the log of a run, or it has replies of one model as JSON
    lines, each a text or a message. The evidence in all of these replies is added up.
    """
    from agent_runs.cli.detect import detect_files

    if not detect_files(or_stdin(ctx, files), known_tools(tools), as_json=as_json):
        raise typer.Exit(NOT_ALL)


@commands.command(
    epilog="Exit status: 0 if everything was read; 1 if a reply, a record or a file could not be"
    " read; 2 if the command line is wrong."
)
def reply(
    ctx: typer.Context,
    files: FileNames = None,
    dialect: DialectOption = AUTO,
    tools: ToolsGiven = None,
    column: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Column or key that contains the replies, for tables.  [default: text]",
        ),
    ] = None,
    form: FormatOption = Format.TABLE,
    as_json: JsonFlag = False,
    lenient: LenientFlag = True,
    out: OutPath = None,
    jobs: Annotated[
        int,
        typer.Option(
            "--jobs",
            "-j",
            metavar="N",
            min=1,
            help="Number of processes; only if both input and output are Parquet.",
        ),
    ] = 1,
) -> None:
    """Read one reply of a model, or a table with a reply in each record.

    For a single reply, the output shows the thought, the content, the calls, the answer and the
    repairs; or what is wrong with it, where, and what to send back to the model.

    A table is a file of JSON lines, a JSON list, CSV (.csv, .tsv) or Parquet (.parquet). A file is
    read as a table if its extension says so, or if --column is given. Each record is written with
    the added columns kind, thought, content, calls, answer, error and repairs, in the same order,
    as JSON, or as Parquet if --out ends in .parquet. If a run from Parquet to Parquet is
    interrupted, the same command continues it.
    """
    from agent_runs.cli.files import is_parquet
    from agent_runs.cli.replies.one import read_reply
    from agent_runs.cli.replies.records import is_table
    from agent_runs.cli.replies.rows import HowToReadReplies
    from agent_runs.cli.replies.tables import read_tables

    names = or_stdin(ctx, files)
    options = HowToReadReplies(dialect, known_tools(tools), lenient, column or "text")
    if column is not None or any(map(is_table, names)):
        to_parquet = out is not None and is_parquet(out)
        if not (to_parquet and all(map(is_parquet, names))):
            only_for("Parquet input with Parquet output", ctx, "jobs")
        if to_parquet:
            only_for("output that is not Parquet", ctx, "form", "as_json")
        else:
            form = format_of(ctx, form, as_json, out)
        read = read_tables(names, options, form, out, jobs)
    else:
        only_for("tables", ctx, "jobs")
        if len(names) > 1:
            message = "only one reply at a time can be read; for tables of replies, give --column"
            raise typer.BadParameter(message, param_hint="FILE")
        read = read_reply(names[0], options, format_of(ctx, form, as_json, out), out)
    if not read:
        raise typer.Exit(NOT_ALL)


@commands.command(
    epilog="Exit status: 0 if the reply has a result; 1 if it has an error, or the file cannot be"
    " read; 2 if the command line is wrong."
)
def explain(
    ctx: typer.Context,
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE", help="File with one reply; - is standard input.", show_default=False
        ),
    ] = None,
    dialect: DialectOption = AUTO,
    tools: ToolsGiven = None,
    view: Annotated[TextOrJson, typer.Option("--format", help="Output format.")] = TextOrJson.TEXT,
    as_json: JsonFlag = False,
    lenient: LenientFlag = True,
    page: Annotated[
        str | None,
        typer.Option(
            "--html", metavar="PATH", help="Write an HTML page to PATH instead of printing."
        ),
    ] = None,
    follow: Annotated[
        bool, typer.Option("--follow", help="Show the reply in colours while it arrives.")
    ] = False,
) -> None:
    """Explain how a reply is read: its parts, repairs, ignored markers and errors."""
    from agent_parsers import get_parser
    from agent_runs.cli.explain import explain_file, follow_file

    (file,) = or_stdin(ctx, [file] if file else None)
    parser: Any = get_parser(dialect, tools=known_tools(tools), lenient=lenient)
    if follow:
        only_for("use without --follow", ctx, "view", "as_json", "page")
        if dialect == AUTO:
            message = (
                "required with --follow, since a dialect cannot be detected before a reply ends"
            )
            raise typer.BadParameter(message, param_hint="--dialect")
    if page:
        only_for("output to the terminal", ctx, "view", "as_json")
    view = or_json(view, as_json)
    if not (follow_file(file, parser) if follow else explain_file(file, parser, view, page)):
        raise typer.Exit(NOT_ALL)


@commands.command(
    epilog="Exit status: 0 if exactly one reader was found for each file; 1 if a file has none or"
    " several, or cannot be opened; 2 if the command line is wrong."
)
def readers(
    ctx: typer.Context,
    files: FileNames = None,
    why: Annotated[
        bool, typer.Option("--why", help="Try each reader, and show how far it gets.")
    ] = False,
    encoding: EncodingName = None,
    form: FormatOption = Format.TABLE,
    as_json: JsonFlag = False,
) -> None:
    """Find out which reader reads each file, and why the others do not.

    With --why, each reader for text, or for JSON, tries the file. The table shows how many runs it
    reads, and the signs of its form, or the line where it stopped and why. The closest match comes
    first. A reader whose form is recognised reads all of the file; the others read only the
    beginning, as if --reader had named them.

    The JSON output has these keys for each file: file; kind (text or JSON); readers (only one if
    the file can be read without --reader); and with --why tried, a list with reader, runs, evidence
    and stopped.
    """
    from agent_runs.cli.readers import find_readers

    form = or_json(form, as_json)
    if not find_readers(or_stdin(ctx, files), encoding, form, why=why):
        raise typer.Exit(NOT_ALL)


@commands.command()
def forms() -> None:
    """List the forms of logs that `parse` reads, and those that `convert` writes."""
    from rich import box
    from rich.table import Table

    from agent_parsers.cli.screen import Screen
    from agent_runs.readers.known import list_readers
    from agent_runs.writers.known import list_writers

    out = Screen()
    for title, known in (("Reads", list_readers()), ("Writes", list_writers())):
        table = Table(box=box.SIMPLE_HEAD, padding=(0, 2, 0, 0))
        table.add_column(title, style="cyan", no_wrap=True)
        table.add_column("Description")
        for name, summary in known.items():
            table.add_row(name, summary)
        out.print(table)


def _options_of(
    reader: str,
    encoding: str | None,
    dialect: str,
    tools: str | None,
    *,
    fail_on_notices: bool,
    follow: bool = False,
) -> HowToRead:
    """Return the options for reading files."""
    from agent_parsers import get_dialect

    known = None if dialect == AUTO else get_dialect(dialect)
    return HowToRead(reader, known, known_tools(tools), fail_on_notices, follow, encoding)
