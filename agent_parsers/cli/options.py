"""The options that several commands have.

Functions import what they need of the library, so that the help appears at once.
"""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, NoReturn, TypeAlias, TypeVar

import typer

if TYPE_CHECKING:
    from agent_parsers import ToolSet

FormatT = TypeVar("FormatT", bound=StrEnum)

NAME: Final = "agent-parsers"
STDIN: Final = "-"
"""The file name for standard input."""
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


def only_for(kind: str, ctx: typer.Context, *names: str) -> None:
    """Check that none of the options with these *names*, only for this *kind* of file, is given."""
    for parameter in ctx.command.params:
        source = ctx.get_parameter_source(parameter.name or "")
        if parameter.name in names and source is not None and source.name != "DEFAULT":
            raise typer.BadParameter(f"it is only for {kind}", param_hint=parameter.opts[0])


def or_json(form: FormatT, as_json: bool) -> FormatT:
    """Return JSON of the same kind as *form* if *as_json* asks for it; else *form*."""
    return type(form)("json") if as_json else form
