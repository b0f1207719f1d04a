"""The options that several commands have.

Functions import what they need of the library, so that the help appears at once.
"""

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, NoReturn, TypeAlias, TypeVar

import typer

from agent_parsers.cli.showing.runs import STDIN

if TYPE_CHECKING:
    from agent_parsers import ToolSet

FormatT = TypeVar("FormatT", bound=StrEnum)

NAME: Final = "agent-parsers"
NOT_ALL: Final = 1
"""The exit status if something could not be read or written."""
USAGE: Final = 2
"""The exit status if the command line is wrong."""


class Format(StrEnum):
    """The output format of runs."""

    TABLE = "table"
    JSON = "json"
    JSONL = "jsonl"


class TextOrJson(StrEnum):
    """The output format of an explanation."""

    TEXT = "text"
    JSON = "json"


def fail(message: str) -> NoReturn:
    """Say on standard error why there is no result, and exit."""
    typer.echo(f"{NAME}: {message}", err=True)
    raise typer.Exit(NOT_ALL)


def known_dialect(name: str | None) -> str | None:
    """Return the name of the dialect with this *name* or alias; any other is a usage error."""
    from agent_parsers import get_dialect

    try:
        return None if name is None else get_dialect(name).name
    except ValueError as error:
        said = str(error).partition(": use get_parser(")[0]
        said = said.partition("; for another model")[0]
        said = said.replace("list_dialects() has", f"`{NAME} dialects` has")
        raise typer.BadParameter(said) from None


def dialects_like(incomplete: str) -> list[str]:
    """Return the names of dialects that begin with *incomplete*."""
    from agent_parsers import list_dialects

    return [name for name in list_dialects() if name.startswith(incomplete)]


def _known_reader(name: str) -> str:
    if name != "auto":
        from agent_parsers.runs.readers.known import get_reader

        try:
            get_reader(name)
        except ValueError as error:
            raise typer.BadParameter(str(error)) from None
    return name


def _readers_like(incomplete: str) -> list[str]:
    from agent_parsers.runs.readers.known import list_readers

    return [name for name in list_readers() if name.startswith(incomplete)]


def known_writer(name: str) -> str:
    """Return *name* if a writer has it; any other is a usage error."""
    from agent_parsers.runs.writers.known import get_writer

    try:
        return get_writer(name).name
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


def writers_like(incomplete: str) -> list[str]:
    """Return the names of writers and dialects that begin with *incomplete*."""
    from agent_parsers import list_dialects
    from agent_parsers.runs.writers.known import list_writers

    return [name for name in [*list_writers(), *list_dialects()] if name.startswith(incomplete)]


def known_tools(tools: str | None) -> "ToolSet | None":
    """Return the tools that the option names; anything else is a usage error."""
    if tools is None:
        return None
    from agent_parsers.core import listed_tools

    try:
        is_file = tools.endswith(".json")
        return listed_tools(Path(tools).read_text(encoding="utf-8") if is_file else tools)
    except OSError as error:
        raise typer.BadParameter(f"{tools}: {error.strerror}", param_hint="--tools") from None
    except (ValueError, TypeError) as error:
        raise typer.BadParameter(str(error), param_hint="--tools") from None


FileNames: TypeAlias = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="FILE", help="Files, folders or patterns; - is standard input.", show_default=False
    ),
]
ReaderName: TypeAlias = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        callback=_known_reader,
        autocompletion=_readers_like,
        help="Form of the logs, of those that `forms` lists; recognised if not named.",
    ),
]
DialectOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        callback=known_dialect,
        autocompletion=dialects_like,
        help="Dialect of the models' text; recognised if not named.",
    ),
]
DialectArgument: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="NAME",
        callback=known_dialect,
        autocompletion=dialects_like,
        help="Name or alias of a dialect.",
        show_default=False,
    ),
]
ToolsGiven: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="A,B|FILE",
        help="Names of the tools, or a JSON file with their schemas; by default any is accepted.",
    ),
]
FormatOption: TypeAlias = Annotated[Format, typer.Option("--format", help="Output format.")]
JsonFlag: TypeAlias = Annotated[bool, typer.Option("--json", help="Short for --format json.")]
StrictFlag: TypeAlias = Annotated[
    bool, typer.Option("--strict", help="Count every notice as something that was not read.")
]


def or_stdin(ctx: typer.Context, files: list[str] | None) -> list[str]:
    """Return *files*, those of folders and patterns too, or standard input.

    Show the help if that is a terminal.
    """
    if files:
        from agent_parsers.runs.sources import logs_in

        return [str(each) for file in files for each in logs_in(file)]
    if sys.stdin is None or sys.stdin.isatty():
        typer.echo(ctx.get_help())
        raise typer.Exit(USAGE)
    return [STDIN]


def only_for(kind: str, ctx: typer.Context, *names: str) -> None:
    """Check that none of the options with these *names*, only for this *kind* of file, is given."""
    for parameter in ctx.command.params:
        source = ctx.get_parameter_source(parameter.name or "")
        if parameter.name in names and source is not None and source.name != "DEFAULT":
            raise typer.BadParameter(f"it is only for {kind}", param_hint=parameter.opts[0])


def or_json(form: FormatT, as_json: bool) -> FormatT:
    """Return JSON of the same kind as *form* if *as_json* asks for it; else *form*."""
    return type(form)("json") if as_json else form
