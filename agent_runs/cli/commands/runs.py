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
from agent_runs.cli.json_output import JSON_SHAPE
from agent_runs.cli.options import (
    EncodingName,
    FailOnNotices,
    FileNames,
    ReaderName,
    known_writer,
    or_stdin,
    writers_like,
)
from agent_runs.cli.shown_runs import HowToRead

commands: Commands = Commands()


@commands.command(
    epilog="Exit status: 0 if everything was read; 1 if a file, a record or a step could not be"
    " read, which standard error reports; 2 if the command line is wrong."
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
    full: Annotated[bool, typer.Option("--full", help="Show whole texts in tables.")] = False,
    summary: Annotated[
        bool, typer.Option("--summary", help="Count runs, steps, tools, repairs and errors.")
    ] = False,
    fail_on_notices: FailOnNotices = False,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Wait for more at the end of the file.")
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
        raise typer.BadParameter("one file at a time can be followed", param_hint="--follow")

    def write(files: Sequence[str]) -> bool:
        return parse_files(files, options, form, full=full, summary=summary)

    if not write_out(out, names, form.suffix, write):
        raise typer.Exit(NOT_ALL)


parse.__doc__ = f"""Read runs: the thoughts, actions, observations and answers of an agent.

A file is what a framework printed or dumped, messages of an API, a data set or a trace, or text in
a dialect, also under the line prefixes of a logger. It may be packed by gzip, xz or zstd. Its form
is recognised from its content; the command `forms` lists the forms. What a log does not say is
shown as a notice. A run that comes through a pipe, or in a file that is followed, is shown when
nothing has followed its answer for a second.

One reply of a model, and tables with a reply in each record, are read by `reply`.

The JSON output has for each run (spans count characters of the text in which a run or a step
stands):

\b
{JSON_SHAPE}
"""


@commands.command(
    epilog="Exit status: 0 if everything was read and written; 1 if not, which standard error"
    " reports; 2 if the command line is wrong."
)
def convert(
    ctx: typer.Context,
    to: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            callback=known_writer,
            autocompletion=writers_like,
            help="What to write, of those that `forms` lists; or a dialect with transcripts.",
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

    Files are read as by `parse`. Standard error says what of the runs the form has no place for.
    """
    from agent_runs.cli.convert import convert_files
    from agent_runs.writers.known import get_writer

    options = _options_of(reader, encoding, dialect, tools, fail_on_notices=fail_on_notices)
    if not convert_files(or_stdin(ctx, files), options, get_writer(to, tools=options.tools), out):
        raise typer.Exit(NOT_ALL)


@commands.command(
    epilog="Exit status: 0 if everything was read; 1 if a file, a record or a step could not be"
    " read, which the report shows too; 2 if the command line is wrong."
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
    """Write a page of HTML about runs: counts with links to the steps, and every step.

    Files are read as by `parse`. The page is one file that loads nothing.
    """
    from agent_runs.cli.report import report_files

    options = _options_of(reader, encoding, dialect, tools, fail_on_notices=fail_on_notices)
    if not report_files(or_stdin(ctx, files), options, out, title):
        raise typer.Exit(NOT_ALL)


@commands.command(
    epilog="Exit status: 0 if each file has a dialect; 1 if one has none, or may have several, or"
    " cannot be read; 2 if the command line is wrong."
)
def detect(
    ctx: typer.Context,
    files: FileNames = None,
    tools: ToolsGiven = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
) -> None:
    """Find the dialect of replies, with the reasons.

    A file is one text, such as a reply or the log of a run; or it has replies of one model as JSON
    lines, each a text or a message, whose evidence adds up.
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
            metavar="NAME", help="The column or key with the replies of a table.  [default: text]"
        ),
    ] = None,
    form: FormatOption = Format.TABLE,
    as_json: JsonFlag = False,
    lenient: LenientFlag = True,
    out: OutPath = None,
    jobs: Annotated[
        int,
        typer.Option(
            "--jobs", "-j", metavar="N", min=1, help="From Parquet to Parquet: how many processes."
        ),
    ] = 1,
) -> None:
    """Read one reply of a model, or a table with a reply in each record.

    Of a reply it shows the thought, the content, the calls, the answer and the repairs; or what is
    wrong with it, where, and what to send back to the model.

    A table is JSON lines or a list in JSON, CSV (.csv, .tsv) or Parquet (.parquet). It is read as
    one if its name says so, or --column names the replies. Each record is written with the columns
    kind, thought, content, calls, answer, error and repairs, in the order of the records, as JSON,
    or to Parquet if --out ends in .parquet. From Parquet to Parquet, the same command continues
    what was interrupted.
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
            only_for("Parquet files that become one Parquet file", ctx, "jobs")
        if to_parquet:
            only_for("what is not written to Parquet", ctx, "form", "as_json")
        else:
            form = format_of(ctx, form, as_json, out)
        read = read_tables(names, options, form, out, jobs)
    else:
        only_for("tables", ctx, "jobs")
        if len(names) > 1:
            message = "one reply at a time; of tables with replies, name the --column"
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
        typer.Option("--html", metavar="PATH", help="Write a page of HTML instead."),
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
        only_for("a reply that is not followed", ctx, "view", "as_json", "page")
        if dialect == AUTO:
            message = "--follow needs it: what a reply is written in is certain only at its end"
            raise typer.BadParameter(message, param_hint="--dialect")
    if page:
        only_for("what is written to the terminal", ctx, "view", "as_json")
    view = or_json(view, as_json)
    if not (follow_file(file, parser) if follow else explain_file(file, parser, view, page)):
        raise typer.Exit(NOT_ALL)


@commands.command(
    epilog="Exit status: 0 if each file is for one reader; 1 if one is for none, or for several, or"
    " cannot be opened; 2 if the command line is wrong."
)
def readers(
    ctx: typer.Context,
    files: FileNames = None,
    why: Annotated[
        bool, typer.Option("--why", help="Show what each reader makes of the file.")
    ] = False,
    encoding: EncodingName = None,
    form: FormatOption = Format.TABLE,
    as_json: JsonFlag = False,
) -> None:
    """Find the reader of logs: which one reads each file, and why not another.

    With --why, each reader that takes text, or JSON, tries the file: the table has how many runs
    it reads, and what shows its form, or the line where it stopped and what stopped it there. The
    nearest reader comes first. A reader whose form the file shows reads all of it, the others its
    beginning, as if --reader had named them.

    The JSON output has for each file: file; kind (text or JSON); readers, one if it is read without
    naming one; tried, with --why, a list with reader, runs, evidence and stopped.
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
        table.add_column("What it is")
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
