"""The commands, their options, and how they end."""

import io
import json
import os
import sys
from typing import Annotated, Any, Final

import typer
from rich import box
from rich.table import Table
from rich.text import Text
from typer.core import TyperGroup

from agent_parsers import get_dialect, get_parser, list_dialects
from agent_parsers.cli.explain import View, explain_file
from agent_parsers.cli.json_form import JSON_SHAPE
from agent_parsers.cli.parse import Format, parse_files
from agent_parsers.cli.runs import STDIN, Options
from agent_parsers.cli.screen import Screen, echo_json

__all__ = ["app", "run"]

_NAME: Final = "agent-parsers"
_NOT_ALL_READ: Final = 1
_USAGE: Final = 2
_INTERRUPTED: Final = 130
_NOBODY_READS: Final = 141
"""What a shell reports for a program that a closed pipe has ended."""

_TOOLS: Final = {"search": "Looks a question up.", "calculator": "Works out an expression."}
"""Tools for the instructions that `show` prints."""


class _Commands(TyperGroup):
    """Ends quietly if the user or the reader of the output has had enough."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise typer.Exit(_INTERRUPTED) from None
        except BrokenPipeError:
            _forget_output()
            raise typer.Exit(_NOBODY_READS) from None


def _forget_output() -> None:
    """Send what is still to be written nowhere, or Python would complain of it at its exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


app = typer.Typer(
    name=_NAME,
    cls=_Commands,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def run() -> None:
    """Run the command line with the arguments of the process, and exit with its status."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal may not know every character
            stream.reconfigure(errors="backslashreplace")
    try:
        app(prog_name=_NAME)
    except OSError as error:  # such as a full disk; what cannot be read is told by `parse_files`
        _forget_output()
        sys.exit(f"{_NAME}: cannot write: {error.strerror or error}")


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


def _known_dialect(name: str | None) -> str | None:
    try:
        return None if name is None else get_dialect(name).name
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


def _dialects_like(incomplete: str) -> list[str]:
    return [name for name in list_dialects() if name.startswith(incomplete)]


@app.command(
    epilog="Exit status: 0 if all was read; 1 if a file, a record or a step was not, and standard"
    " error tells which, where and why; 2 if the command itself is wrong."
)
def parse(
    ctx: typer.Context,
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FILE", help="Files to read; - is standard input.", show_default=False
        ),
    ] = None,
    dialect: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            callback=_known_dialect,
            autocompletion=_dialects_like,
            help="How the model wrote, if not as a record's 'format' says; react for text.",
        ),
    ] = None,
    form: Annotated[
        Format | None,
        typer.Option("--format", help="How to write; table in a terminal, else json."),
    ] = None,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict/--lenient",
            help="Read records by the rules of LangChain's parsers, or mend what models write.",
        ),
    ] = False,
) -> None:
    # The docstring, which is the help, is set below: it quotes the shape of the JSON.
    if not files:
        if sys.stdin is None or sys.stdin.isatty():
            typer.echo(ctx.get_help())
            raise typer.Exit(_USAGE)
        files = [STDIN]
    if not parse_files(files, Options(dialect=dialect, lenient=not strict), form):
        raise typer.Exit(_NOT_ALL_READ)


parse.__doc__ = f"""Read transcripts: what an agent thought, did, saw and answered.

A file is a text with one or several runs, a JSON record or a list of them (.json), or a record a
line (.jsonl, .ndjson), which is read line by line. The name tells (.txt, .log, .md: text); for
other names and for standard input the content does, and only what is JSON from one end to the other
is taken for records. A record has steps, each with the model's output and the observation, and the
name of the format.

JSON has for each run, with spans in characters of the text or, for a record, of the step's output:

\b
{JSON_SHAPE}
"""


@app.command(
    epilog="Exit status: 0 if the reply has a result; 1 if it has an error, or the file cannot be"
    " read; 2 if the command itself is wrong."
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
            callback=_known_dialect,
            autocompletion=_dialects_like,
            help="How the model wrote.",
        ),
    ] = "react",
    tools: Annotated[
        str | None,
        typer.Option(
            metavar="A,B", help="Names of the tools there are; any will do if none are given."
        ),
    ] = None,
    view: Annotated[
        View | None,
        typer.Option("--format", help="How to write; text in a terminal, else json."),
    ] = None,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict/--lenient",
            help="Read by the rules of LangChain's parser, or mend what models write.",
        ),
    ] = False,
) -> None:
    """Explain a reply: what each part is, what was mended, what did not count, what is wrong."""
    if file is None:
        if sys.stdin is None or sys.stdin.isatty():
            typer.echo(ctx.get_help())
            raise typer.Exit(_USAGE)
        file = STDIN
    names = None if tools is None else [name.strip() for name in tools.split(",") if name.strip()]
    try:
        parser = get_parser(dialect, tools=names, lenient=not strict)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--tools") from None
    if not explain_file(file, parser, view):
        raise typer.Exit(_NOT_ALL_READ)


@app.command()
def dialects(
    form: Annotated[
        Format | None,
        typer.Option("--format", help="How to write; table in a terminal, else json."),
    ] = None,
) -> None:
    """List the dialects: how models write actions and answers."""
    out = Screen()
    form = form or Format.for_screen(out)
    known = [get_dialect(name) for name in list_dialects()]
    keys = ("name", "aliases", "summary", "stop")
    rows = [{key: getattr(dialect, key) for key in keys} for dialect in known]
    if form is Format.JSON:
        echo_json(json.dumps(rows, ensure_ascii=False, indent=2))
    elif form is Format.JSONL:
        for row in rows:
            echo_json(json.dumps(row, ensure_ascii=False))
    else:
        table = Table(box=box.SIMPLE_HEAD, padding=(0, 2, 0, 0))
        table.add_column("Name", style="cyan", no_wrap=True)
        table.add_column("What it is")
        table.add_column("Also called")
        for dialect in known:
            table.add_row(dialect.name, dialect.summary, ", ".join(dialect.aliases))
        out.print(table)


@app.command()
def show(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            callback=_known_dialect,
            autocompletion=_dialects_like,
            help="Name or alias of a dialect.",
            show_default=False,
        ),
    ],
) -> None:
    """Show a dialect: sample, stop sequences, instructions."""
    out = Screen()
    parser = get_parser(name, tools=_TOOLS)
    dialect = parser.dialect
    parts = [("Also called", ", ".join(dialect.aliases))] if dialect.aliases else []
    parts += [
        ("Stop sequences", "\n".join(json.dumps(stop, ensure_ascii=False) for stop in parser.stop)),
        ("Sample", dialect.sample),
        (f"Instructions, for the tools {' and '.join(_TOOLS)}", parser.get_format_instructions()),
    ]
    out.print(Text.assemble((dialect.name, "bold cyan"), f": {dialect.summary}"), soft_wrap=True)
    for title, text in parts:
        out.print(Text.assemble("\n", (title, "bold"), "\n", text), soft_wrap=True)
