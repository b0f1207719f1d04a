"""The commands, their options and exit statuses."""

import io
import json
import os
import sys
from typing import Annotated, Any, Final, Literal

import typer
from rich import box
from rich.table import Table
from rich.text import Text
from typer.core import TyperGroup

from agent_parsers import get_dialect, get_parser
from agent_parsers.cli.convert import convert_files
from agent_parsers.cli.detect import detect_files
from agent_parsers.cli.dialects import commands as dialect_commands
from agent_parsers.cli.dialects import list_known
from agent_parsers.cli.explain import View, explain_file, follow_file
from agent_parsers.cli.options import (
    DialectName,
    FileNames,
    NameOfDialect,
    ReaderName,
    StrictFlag,
    ToolsGiven,
    dialects_like,
    known_dialect,
    known_tools,
    known_writer,
    only_for,
    options_of,
    or_stdin,
    writers_like,
)
from agent_parsers.cli.parse import Format, is_table, parse_files, parse_tables
from agent_parsers.cli.report import report_files
from agent_parsers.cli.showing.json_form import JSON_SHAPE
from agent_parsers.cli.showing.screen import Screen
from agent_parsers.decoding import GrammarError, GrammarForm
from agent_parsers.decoding.export import write_grammar
from agent_parsers.decoding.turns.grammar import TurnKind, TurnOptions
from agent_parsers.runs.readers.known import list_readers
from agent_parsers.runs.writers.known import get_writer, list_writers
from agent_parsers.templates.problems import TemplateError
from agent_parsers.templates.response.export import response_template as write_response_template

__all__ = ["app", "run"]

_NAME: Final = "agent-parsers"
_NOT_ALL_READ: Final = 1
_INTERRUPTED: Final = 130
_BROKEN_PIPE: Final = 141
"""The status that a shell reports for a program ended by a closed pipe."""

_TOOLS: Final = {"search": "Looks a question up.", "calculator": "Works out an expression."}
"""Tools for the instructions that `show` prints."""


class _Commands(TyperGroup):
    """Ends quietly if the user interrupts it or the reader of its output closes the pipe."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise typer.Exit(_INTERRUPTED) from None
        except BrokenPipeError:
            _forget_output()
            raise typer.Exit(_BROKEN_PIPE) from None


def _forget_output() -> None:
    """Discard the rest of the output, or Python would report an error at its exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


app: typer.Typer = typer.Typer(
    name=_NAME,
    cls=_Commands,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(dialect_commands)


def run() -> None:
    """Run the command line with the arguments of the process, and exit with its status."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal may not support every character
            stream.reconfigure(errors="backslashreplace")
    try:
        app(prog_name=_NAME)
    except OSError as error:  # such as a full disk; `parse_files` reports what cannot be read
        _forget_output()
        file = f" {error.filename}" if error.filename else ""
        sys.exit(f"{_NAME}: cannot write{file}: {error.strerror or error}")


def _show_version(is_asked: bool) -> None:
    if is_asked:
        from importlib.metadata import PackageNotFoundError, version

        try:
            typer.echo(f"{_NAME} {version(_NAME)}")
        except PackageNotFoundError:
            typer.echo(f"{_NAME} (not installed)")
        raise typer.Exit


@app.callback()
def _main(
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Turn what a language model wrote into the next action or the final answer."""


@app.command(
    epilog="Exit status: 0 if everything was read; 1 if a file, a record or a step could not be"
    " read, which standard error reports; 2 if the command line is wrong."
)
def parse(
    ctx: typer.Context,
    files: FileNames = None,
    reader: ReaderName = "auto",
    dialect: DialectName = None,
    tools: ToolsGiven = None,
    form: Annotated[
        Format | None,
        typer.Option("--format", help="Output format; default: table in a terminal, else json."),
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="Show whole texts in tables.")] = False,
    summary: Annotated[
        bool, typer.Option("--summary", help="Count runs, steps, tools, repairs and errors.")
    ] = False,
    strict: StrictFlag = False,
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
    if any(map(is_table, files or ())):
        only_for("logs", ctx, "reader", "form", "full", "summary", "strict")
        if not all(map(is_table, files or ())):
            raise typer.BadParameter("tables and logs are parsed apart", param_hint="FILE")
        if dialect is None or out is None:
            missing = "--dialect" if dialect is None else "--out"
            raise typer.BadParameter("Parquet files need it", param_hint=missing)
        known = known_tools(tools)
        if not parse_tables(files or (), out, get_dialect(dialect), known, column, jobs):
            raise typer.Exit(_NOT_ALL_READ)
        return
    only_for("tables, whose names end in .parquet", ctx, "out", "column", "jobs")
    options = options_of(reader, dialect, tools, strict=strict)
    if not parse_files(or_stdin(ctx, files), options, form, full=full, summary=summary):
        raise typer.Exit(_NOT_ALL_READ)


parse.__doc__ = f"""Read runs: the thoughts, actions, observations and answers of an agent.

A file is what a framework printed or dumped, messages of an API, a data set or a trace, or text in
a dialect, also under the line prefixes of a logger. Its form is recognised from its content; the
command `forms` lists the forms. What a log does not say is shown as a notice.

A Parquet file is a table with one reply in each row. The rows of all files go to one file, in
order, with the columns kind, thought, content, calls, answer, error and repairs. If that is
interrupted, the same command continues it.

The JSON output has for each run (spans count characters of the text in which a run or a step
stands):

\b
{JSON_SHAPE}
"""


@app.command(
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
    dialect: DialectName = None,
    tools: ToolsGiven = None,
    strict: StrictFlag = False,
) -> None:
    """Write runs in another form: for training, for tracing, or as text in another dialect.

    Files are read as by `parse`. Standard error says what of the runs the form has no place for.
    """
    options = options_of(reader, dialect, tools, strict=strict)
    if not convert_files(or_stdin(ctx, files), options, get_writer(to), out):
        raise typer.Exit(_NOT_ALL_READ)


@app.command(
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
    view: Annotated[
        View | None,
        typer.Option("--format", help="Output format; default: text in a terminal, else json."),
    ] = None,
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
    (file,) = or_stdin(ctx, [file] if file else None)
    parser = get_parser(get_dialect(dialect), tools=known_tools(tools), lenient=not strict)
    if follow:
        only_for("a reply that is not followed", ctx, "view", "page")
    if page:
        only_for("what is written to the terminal", ctx, "view")
    if not (follow_file(file, parser) if follow else explain_file(file, parser, view, page)):
        raise typer.Exit(_NOT_ALL_READ)


@app.command(
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
    dialect: DialectName = None,
    tools: ToolsGiven = None,
    strict: StrictFlag = False,
) -> None:
    """Write a page of HTML about runs: counts with links to the steps, and every step.

    Files are read as by `parse`. The page is one file that loads nothing.
    """
    options = options_of(reader, dialect, tools, strict=strict)
    if not report_files(or_stdin(ctx, files), options, out, title):
        raise typer.Exit(_NOT_ALL_READ)


@app.command(
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
    if not detect_files(or_stdin(ctx, files), known_tools(tools), as_json=as_json):
        raise typer.Exit(_NOT_ALL_READ)


@app.command(
    epilog="Exit status: 0 if there is such a grammar; 1 if the form cannot say it, which standard"
    " error reports; 2 if the command line is wrong."
)
def grammar(
    name: NameOfDialect,
    form: Annotated[GrammarForm, typer.Option("--as", help="Form of the grammar.")] = "gbnf",
    tools: ToolsGiven = None,
    turn: Annotated[TurnKind, typer.Option(help="Which turns it has.")] = "any",
    start: Annotated[
        Literal["content", "thought"] | None,
        typer.Option(help="Where a turn begins, if the prompt says so."),
    ] = None,
    thoughts: Annotated[bool, typer.Option(help="Whether a turn may have a thought.")] = True,
    max_calls: Annotated[
        int | None, typer.Option(min=1, help="The most calls of a turn; by default any number.")
    ] = None,
) -> None:
    """Write a grammar for constrained decoding: the model can write only turns of the dialect.

    Inputs follow the schemas of the tools, if --tools names a file with schemas.
    """
    try:
        options = TurnOptions(turn, start or "", thoughts, max_calls)
        written = write_grammar(form, get_dialect(name), known_tools(tools), options)
    except GrammarError as error:
        typer.echo(f"{_NAME}: {error}", err=True)
        raise typer.Exit(_NOT_ALL_READ) from None
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    if isinstance(written, str):
        typer.echo(written, nl=not written.endswith("\n"))
    else:
        typer.echo(json.dumps(written, ensure_ascii=False, indent=2))


@app.command(
    epilog="Exit status: 0 if there is such a template; 1 if a template cannot say how the dialect"
    " is spelt, which standard error reports; 2 if the command line is wrong."
)
def response_template(
    name: NameOfDialect,
    tools: ToolsGiven = None,
    start_anchor: Annotated[
        list[str] | None,
        typer.Option(metavar="TEXT", help="Text after which the model begins a turn."),
    ] = None,
) -> None:
    """Write the response template of a dialect, for a tokenizer_config.json.

    With it, transformers, vLLM and SGLang read the turns of the dialect without a plugin.
    """
    try:
        written = write_response_template(
            name, tools=known_tools(tools), start_anchor=start_anchor or ()
        )
    except TemplateError as error:
        typer.echo(f"{_NAME}: {error}", err=True)
        raise typer.Exit(_NOT_ALL_READ) from None
    typer.echo(json.dumps(written, ensure_ascii=False, indent=2))


@app.command()
def dialects(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="WORD",
            help="Only those whose name or summary has all words.",
            show_default=False,
        ),
    ] = None,
    form: Annotated[
        Format | None,
        typer.Option("--format", help="Output format; default: table in a terminal, else json."),
    ] = None,
) -> None:
    """List the dialects, the formats in which models write actions and answers."""
    out = Screen()
    list_known(out, form or Format.for_screen(out), words or ())


@app.command()
def forms() -> None:
    """List the forms of logs that `parse` reads, and those that `convert` writes."""
    out = Screen()
    for title, known in (("Reads", list_readers()), ("Writes", list_writers())):
        table = Table(box=box.SIMPLE_HEAD, padding=(0, 2, 0, 0))
        table.add_column(title, style="cyan", no_wrap=True)
        table.add_column("What it is")
        for name, summary in known.items():
            table.add_row(name, summary)
        out.print(table)


@app.command()
def show(
    name: NameOfDialect,
) -> None:
    """Show a dialect: its sample, stop sequences and instructions."""
    out = Screen()
    dialect = get_dialect(name)
    parser = get_parser(dialect, tools=_TOOLS)
    parts = [("Also called", ", ".join(dialect.aliases))] if dialect.aliases else []
    parts += [
        ("Stop sequences", "\n".join(json.dumps(stop, ensure_ascii=False) for stop in parser.stop)),
        ("Sample", dialect.sample),
        (f"Instructions, for the tools {' and '.join(_TOOLS)}", parser.get_format_instructions()),
    ]
    out.print(Text.assemble((dialect.name, "bold cyan"), f": {dialect.summary}"), soft_wrap=True)
    for title, text in parts:
        out.print(Text.assemble("\n", (title, "bold"), "\n", text), soft_wrap=True)


@app.command()
def playground(
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Where it listens; 0 takes any free port.")
    ] = 0,
    browser: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
) -> None:
    """Serve a page to try dialects on, to this machine only, until it is interrupted."""
    from agent_parsers.playground.server import PlaygroundServer  # lazily: only needed here

    try:
        server = PlaygroundServer(port)
    except OSError as error:
        message = f"port {port} cannot be used: {error.strerror or error}"
        raise typer.BadParameter(message, param_hint="--port") from None
    with server:
        typer.echo(server.url)
        if browser:
            typer.launch(server.url)
        server.serve_forever()
