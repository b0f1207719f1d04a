"""The commands that read the runs of agents, and other texts, from files.

Each imports what it does when it runs.
"""

from typing import Annotated

import typer

from agent_parsers.cli.options import (
    NOT_ALL,
    DialectOption,
    Format,
    FormatOption,
    JsonFlag,
    TextOrJson,
    ToolsGiven,
    dialects_like,
    known_dialect,
    known_tools,
    only_for,
    or_json,
)
from agent_runs.cli.json_output import JSON_SHAPE
from agent_runs.cli.options import (
    FileNames,
    ReaderName,
    StrictFlag,
    known_writer,
    or_stdin,
    writers_like,
)
from agent_runs.cli.shown_runs import HowToRead

commands: typer.Typer = typer.Typer(rich_markup_mode=None)


@commands.command(
    epilog="Exit status: 0 if everything was read; 1 if a file, a record or a step could not be"
    " read, which standard error reports; 2 if the command line is wrong."
)
def parse(  # noqa: D103
    ctx: typer.Context,
    files: FileNames = None,
    reader: ReaderName = "auto",
    dialect: DialectOption = None,
    tools: ToolsGiven = None,
    form: FormatOption = Format.TABLE,
    as_json: JsonFlag = False,
    full: Annotated[bool, typer.Option("--full", help="Show whole texts in tables.")] = False,
    summary: Annotated[
        bool, typer.Option("--summary", help="Count runs, steps, tools, repairs and errors.")
    ] = False,
    strict: StrictFlag = False,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Wait for more at the end of the file.")
    ] = False,
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", metavar="PATH", help="Tables: the Parquet file to write."),
    ] = None,
    column: Annotated[
        str, typer.Option(metavar="NAME", help="Tables: the column with the replies.")
    ] = "text",
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", min=1, help="Tables: how many processes to use.")
    ] = 1,
) -> None:
    # The docstring, which is the help text, is set below, since it quotes the shape of the JSON.
    from agent_runs.cli.parse import parse_files, parse_tables

    if any(map(_is_table, files or ())):
        from agent_parsers import get_dialect

        only_for("logs", ctx, "reader", "form", "as_json", "full", "summary", "strict", "follow")
        if not all(map(_is_table, files or ())):
            raise typer.BadParameter("tables and logs are parsed apart", param_hint="FILE")
        if dialect is None or out is None:
            missing = "--dialect" if dialect is None else "--out"
            raise typer.BadParameter("Parquet files need it", param_hint=missing)
        known = known_tools(tools)
        if not parse_tables(files or (), out, get_dialect(dialect), known, column, jobs):
            raise typer.Exit(NOT_ALL)
        return
    only_for("tables, whose names end in .parquet", ctx, "out", "column", "jobs")
    options = _options_of(reader, dialect, tools, strict=strict, follow=follow)
    form = or_json(form, as_json)
    names = or_stdin(ctx, files)
    if follow and len(names) > 1:
        raise typer.BadParameter("one file at a time can be followed", param_hint="--follow")
    if not parse_files(names, options, form, full=full, summary=summary):
        raise typer.Exit(NOT_ALL)


parse.__doc__ = f"""Read runs: the thoughts, actions, observations and answers of an agent.

A file is what a framework printed or dumped, messages of an API, a data set or a trace, or text in
a dialect, also under the line prefixes of a logger. It may be packed by gzip, xz or zstd. Its form
is recognised from its content; the command `forms` lists the forms. What a log does not say is
shown as a notice. A run that comes through a pipe, or in a file that is followed, is shown when
nothing has followed its answer for a second.

A Parquet file is a table with one reply in each row. The rows of all files go to one file, in
order, with the columns kind, thought, content, calls, answer, error and repairs. If that is
interrupted, the same command continues it.

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
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", metavar="PATH", help="A folder; default: standard output."),
    ] = None,
    reader: ReaderName = "auto",
    dialect: DialectOption = None,
    tools: ToolsGiven = None,
    strict: StrictFlag = False,
) -> None:
    """Write runs in another form: for training, for tracing, or as text in another dialect.

    Files are read as by `parse`. Standard error says what of the runs the form has no place for.
    """
    from agent_runs.cli.convert import convert_files
    from agent_runs.writers.known import get_writer

    options = _options_of(reader, dialect, tools, strict=strict)
    if not convert_files(or_stdin(ctx, files), options, get_writer(to, tools=options.tools), out):
        raise typer.Exit(NOT_ALL)


@commands.command(
    epilog="Exit status: 0 if everything was read; 1 if a file, a record or a step could not be"
    " read, which the report shows too; 2 if the command line is wrong."
)
def report(
    ctx: typer.Context,
    files: FileNames = None,
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", metavar="PATH", help="The page; default: standard output."),
    ] = None,
    title: Annotated[
        str | None, typer.Option(help="Title of the page; by default the names of the files.")
    ] = None,
    reader: ReaderName = "auto",
    dialect: DialectOption = None,
    tools: ToolsGiven = None,
    strict: StrictFlag = False,
) -> None:
    """Write a page of HTML about runs: counts with links to the steps, and every step.

    Files are read as by `parse`. The page is one file that loads nothing.
    """
    from agent_runs.cli.report import report_files

    options = _options_of(reader, dialect, tools, strict=strict)
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
    dialect: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            callback=known_dialect,
            autocompletion=dialects_like,
            help="Dialect of the reply.",
        ),
    ] = "react",
    tools: ToolsGiven = None,
    view: Annotated[TextOrJson, typer.Option("--format", help="Output format.")] = TextOrJson.TEXT,
    as_json: JsonFlag = False,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict/--lenient",
            help="Read like LangChain's parser, or repair common mistakes.",
        ),
    ] = False,
    page: Annotated[
        str | None,
        typer.Option("--html", metavar="PATH", help="Write a page of HTML instead."),
    ] = None,
    follow: Annotated[
        bool, typer.Option("--follow", help="Show the reply in colours while it arrives.")
    ] = False,
) -> None:
    """Explain how a reply is read: its parts, repairs, ignored markers and errors."""
    from agent_parsers import get_dialect, get_parser
    from agent_runs.cli.explain import explain_file, follow_file

    (file,) = or_stdin(ctx, [file] if file else None)
    parser = get_parser(get_dialect(dialect), tools=known_tools(tools), lenient=not strict)
    if follow:
        only_for("a reply that is not followed", ctx, "view", "as_json", "page")
    if page:
        only_for("what is written to the terminal", ctx, "view", "as_json")
    view = or_json(view, as_json)
    if not (follow_file(file, parser) if follow else explain_file(file, parser, view, page)):
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


def _is_table(file: str) -> bool:
    """Return whether a file is a table, as its name says."""
    return file.lower().endswith(".parquet")


def _options_of(
    reader: str,
    dialect: str | None,
    tools: str | None,
    *,
    strict: bool,
    follow: bool = False,
) -> HowToRead:
    """Return the options for reading files."""
    from agent_parsers import get_dialect

    known = None if dialect is None else get_dialect(dialect)
    return HowToRead(reader, known, known_tools(tools), strict, follow)
