"""The options that several commands have.

Functions import what they need of the library, so that the help appears at once.
"""

import re
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, NoReturn, TypeAlias, TypeVar

import typer

from agent_parsers.cli.wording import NAME, on_command_line

if TYPE_CHECKING:
    from agent_parsers import ToolSet

FormatT = TypeVar("FormatT", bound=StrEnum)

AUTO: Final = "auto"
"""What stands for a dialect, or a form of logs, that is to be recognised."""
STDIN: Final = "-"
"""The file name for standard input."""
NOT_ALL: Final = 1
"""The exit status if something could not be read or written."""
USAGE: Final = 2
"""The exit status if the command line is wrong."""


class Format(StrEnum):
    """The output format of runs and replies."""

    TABLE = "table"
    JSON = "json"
    JSONL = "jsonl"

    @property
    def suffix(self) -> str:
        """The suffix of a file in this format."""
        return ".txt" if self is Format.TABLE else f".{self.value}"


SUFFIXES: Final = {".json": Format.JSON, ".jsonl": Format.JSONL, ".ndjson": Format.JSONL}
"""The formats that the name of a file says."""
_NOT_WRITTEN: Final = (".csv", ".tsv", ".parquet", ".html", ".htm", ".xlsx", ".pdf")


class TextOrJson(StrEnum):
    """The output format of an explanation."""

    TEXT = "text"
    JSON = "json"


def fail(message: str) -> NoReturn:
    """Print *message*, which says why there is no result, to standard error, and exit."""
    typer.echo(f"{NAME}: {on_command_line(message)}", err=True)
    raise typer.Exit(NOT_ALL)


def known_dialect(name: str) -> str:
    """Return the name of the dialect with this *name* or alias, or raise a usage error."""
    from agent_parsers import get_dialect

    try:
        return get_dialect(name).name
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


def known_or_auto(name: str) -> str:
    """Return `known_dialect` of *name*, or ``"auto"``."""
    return name if name == AUTO else known_dialect(name)


def dialects_like(incomplete: str) -> list[str]:
    """Return the names of dialects that begin with *incomplete*."""
    from agent_parsers import list_dialects

    return [name for name in list_dialects() if name.startswith(incomplete)]


def known_tools(tools: str | None) -> "ToolSet | None":
    """Return the tools that the option names; anything else is a usage error."""
    if tools is None:
        return None
    from agent_parsers.core import listed_tools

    is_file, where = tools.endswith(".json"), ""
    try:
        if is_file:
            where = f"{tools}: "
            return listed_tools(_schemas_in(tools))
        _check_names(tools)
        return listed_tools(tools)
    except OSError as error:
        raise typer.BadParameter(f"{where}{error.strerror}", param_hint="--tools") from None
    except (ValueError, TypeError) as error:
        raise typer.BadParameter(f"{where}{error}", param_hint="--tools") from None


def _schemas_in(file: str) -> str:
    """Return the text of a *file* with schemas.

    Raises:
        OSError: It cannot be read.
        ValueError: It is empty, or no text.
    """
    text = Path(file).read_text(encoding="utf-8")
    if not text.strip():
        raise ValueError("the file is empty, and has no schemas of tools")
    return text


def _check_names(tools: str) -> None:
    """Check that *tools* are names, and neither a file of another kind nor the schemas themselves.

    Raises:
        ValueError: They are.
    """
    for name in map(str.strip, tools.split(",")):
        if name and (_NO_NAME(name) or _is_path(name)):
            raise ValueError(
                f"{name!r} is not the name of a tool: give names, such as search,clock, or a JSON"
                " file with schemas, whose name ends in .json"
            )


def _is_path(name: str) -> bool:
    try:
        return not name.isidentifier() and Path(name).exists()
    except (OSError, ValueError):  # it is too long, or has a character that no path has
        return False


_NO_NAME: Final = re.compile(r"[\s{}\[\]\"]|\.(?:txt|ya?ml|toml|jsonl|csv|py)$").search


DialectOption: TypeAlias = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        callback=known_or_auto,
        autocompletion=dialects_like,
        help="Dialect of the text, or a model that writes it; detected by default.",
    ),
]
DialectArgument: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="NAME",
        callback=known_dialect,
        autocompletion=dialects_like,
        help="Name or alias of a dialect, or the name of a model that writes it.",
        show_default=False,
    ),
]
LenientFlag: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--lenient/--strict",
        help="Repair common mistakes, or accept only text that follows the dialect exactly.",
    ),
]
OutPath: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--out",
        "-o",
        metavar="PATH",
        help="Write to this file or, if the name has no suffix, to files in this folder.",
    ),
]
ToolsGiven: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="A,B|FILE",
        help="Names of the tools, or a JSON file with their schemas; by default, any tool.",
    ),
]
FormatOption: TypeAlias = Annotated[Format, typer.Option("--format", help="Output format.")]
JsonFlag: TypeAlias = Annotated[bool, typer.Option("--json", help="Short for --format json.")]


def only_for(kind: str, ctx: typer.Context, *names: str) -> None:
    """Check that no option with one of *names* is given: they are only for this *kind* of file."""
    for parameter in ctx.command.params:
        source = ctx.get_parameter_source(parameter.name or "")
        if parameter.name in names and source is not None and source.name != "DEFAULT":
            raise typer.BadParameter(f"it is only for {kind}", param_hint=parameter.opts[0])


def format_of(ctx: typer.Context, form: Format, as_json: bool, out: str | None) -> Format:
    """Return the output format: what the options say, or else the suffix of the file *out*.

    The suffix of a table format that cannot be written is a usage error.
    """
    source = ctx.get_parameter_source("form")
    if as_json or out is None or (source is not None and source.name != "DEFAULT"):
        return or_json(form, as_json)
    suffix = Path(out).suffix.lower()
    if suffix in _NOT_WRITTEN:
        written = ".json, .jsonl or .txt, or .parquet for a table of replies"
        message = f"this command cannot write {suffix} files: choose {written}"
        raise typer.BadParameter(message, param_hint="--out")
    return SUFFIXES.get(suffix, form)


def or_json(form: FormatT, as_json: bool) -> FormatT:
    """Return *form*, or the JSON member of its enumeration if *as_json* is true."""
    return type(form)("json") if as_json else form
