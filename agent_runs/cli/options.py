"""The options of the commands that read logs.

Functions import what they need of the library, so that the help appears at once.
"""

import sys
from typing import Annotated, TypeAlias

import typer

from agent_parsers.cli.options import AUTO, STDIN, USAGE


def _known_reader(name: str) -> str:
    if name != AUTO:
        from agent_runs.readers.known import get_reader

        try:
            get_reader(name)
        except ValueError as error:
            raise typer.BadParameter(str(error)) from None
    return name


def _known_encoding(name: str | None) -> str | None:
    from agent_runs.sources import check_encoding

    try:
        return name and check_encoding(name)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


def _readers_like(incomplete: str) -> list[str]:
    from agent_runs.readers.known import list_readers

    return [name for name in list_readers() if name.startswith(incomplete)]


def known_writer(name: str) -> str:
    """Return the name of the writer *name*; it is a usage error if there is none."""
    from agent_runs.writers.known import get_writer

    try:
        return get_writer(name).name
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


def writers_like(incomplete: str) -> list[str]:
    """Return the names of writers and dialects that begin with *incomplete*."""
    from agent_parsers import list_dialects
    from agent_runs.writers.known import list_writers

    return [name for name in [*list_writers(), *list_dialects()] if name.startswith(incomplete)]


FileNames: TypeAlias = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="FILE",
        help="Files, folders or glob patterns; - is standard input.",
        show_default=False,
    ),
]
ReaderName: TypeAlias = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        callback=_known_reader,
        autocompletion=_readers_like,
        help="Form of the logs, one of those that `forms` lists; recognised by default.",
    ),
]
EncodingName: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        callback=_known_encoding,
        help="Encoding of the files, such as cp1252; UTF-8 or UTF-16 by default.",
        show_default=False,
    ),
]
FailOnNotices: TypeAlias = Annotated[
    bool,
    typer.Option("--fail-on-notices", help="Count notices as steps that could not be read."),
]


def or_stdin(ctx: typer.Context, files: list[str] | None) -> list[str]:
    """Return *files* with folders and patterns expanded, or standard input if there are none.

    If standard input is a terminal, show the help and exit.
    """
    if files:
        from agent_runs.sources import logs_in

        return [str(each) for file in files for each in logs_in(file)]
    if sys.stdin is None or sys.stdin.isatty():
        typer.echo(ctx.get_help())
        raise typer.Exit(USAGE)
    return [STDIN]
