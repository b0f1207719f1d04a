"""The command ``dialects``, and ``dialect``, which finds or derives one."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Final, NoReturn, TypeAlias

import typer
from rich import box
from rich.table import Table
from rich.text import Text

from agent_parsers import Dialect, get_dialect, list_dialects
from agent_parsers.cli.files import read_whole
from agent_parsers.cli.parse import Format
from agent_parsers.cli.showing.screen import Screen, echo_json
from agent_parsers.templates import dialect_for_template
from agent_parsers.templates.chat.deriving import derive_format
from agent_parsers.templates.chat.source import dialect_file

__all__ = ["commands", "list_known"]

_GROUPS: Final = {
    (False, True): "One call a turn. The text of a whole run can be read too",
    (False, False): "One call a turn. A run is read as records or messages, not as one text",
    (True, True): "Several calls a turn. The text of a whole run can be read too",
    (True, False): "Several calls a turn. A run is read as records or messages, not as one text",
}
"""What dialects have in common: whether a turn may have several calls, and transcripts exist."""


def list_known(out: Screen, form: Format, words: Sequence[str]) -> None:
    """Write the dialects whose name, alias or summary has each of *words*."""
    rows = [row for row in map(_row, map(get_dialect, list_dialects())) if _has_all(row, words)]
    if form is Format.JSON:
        echo_json(json.dumps(rows, ensure_ascii=False, indent=2))
    elif form is Format.JSONL:
        for row in rows:
            echo_json(json.dumps(row, ensure_ascii=False))
    elif not rows:
        out.print(f"no dialect has the words {' '.join(words)!r}", markup=False)
    else:
        _print_groups(out, rows)


def _row(dialect: Dialect) -> dict[str, Any]:
    return {
        "name": dialect.name,
        "aliases": dialect.aliases,
        "summary": dialect.summary,
        "stop": dialect.stop,
        "several": dialect.several,
        "transcripts": bool(dialect.lenient.transcript_start),
    }


def _has_all(row: dict[str, Any], words: Sequence[str]) -> bool:
    text = " ".join((row["name"], *row["aliases"], row["summary"])).casefold()
    return all(word.casefold() in text for word in words)


def _print_groups(out: Screen, rows: Sequence[dict[str, Any]]) -> None:
    width = max(len(row["name"]) for row in rows)
    for (several, transcripts), title in _GROUPS.items():
        group = [
            row for row in rows if (row["several"], row["transcripts"]) == (several, transcripts)
        ]
        if not group:
            continue
        out.print(Text(f"\n{title}", "bold"))
        table = Table(box=box.SIMPLE_HEAD, padding=(0, 2, 0, 0))
        table.add_column("Name", style="cyan", no_wrap=True, min_width=width)
        table.add_column("What it is", ratio=1)
        table.add_column("Also called")
        for row in group:
            table.add_row(row["name"], row["summary"], ", ".join(row["aliases"]))
        out.print(table)


# -- chat templates ------------------------------------------------------------------------------

_NAME: Final = "agent-parsers"
_FAILED: Final = 1

commands: typer.Typer = typer.Typer(
    name="dialect",
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Find or derive the dialect of a model from its chat template.",
)

_Template: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help="A chat template (.jinja), or a tokenizer_config.json; - is standard input.",
        show_default=False,
    ),
]
_EosToken: TypeAlias = Annotated[
    str | None,
    typer.Option("--eos-token", metavar="TEXT", help="The eos_token, if FILE does not have it."),
]


@commands.command(
    name="for-template",
    epilog="Exit status: 0 if there is a dialect; 1 if not, or if the template cannot be rendered;"
    " 2 if the command line is wrong.",
)
def for_template(file: _Template, eos_token: _EosToken = None) -> None:
    """Name the dialect that reads what a chat template writes; standard error says why."""
    try:
        found = dialect_for_template(_read(file), special_tokens=_tokens(eos_token))
        typer.echo(found.dialect)
    except (ValueError, ImportError) as error:
        _fail(file, error)
    typer.echo(f"{_NAME}: {found}", err=True)


@commands.command(
    name="from-template",
    epilog="Exit status: 0 if a dialect was derived; 1 if not, which standard error reports; 2 if"
    " the command line is wrong.",
)
def from_template(
    file: _Template,
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="Its name; default: that of the file.")
    ] = None,
    eos_token: _EosToken = None,
) -> None:
    """Write the Python file of a dialect that reads and writes what a chat template writes.

    Import the file, and pass its DIALECT to get_parser or register.
    """
    known = name or re.sub(r"\W+", "_", Path(file).stem.lower()).strip("_") or "derived"
    try:
        form = derive_format(_read(file), name=known, special_tokens=_tokens(eos_token))
    except (ValueError, ImportError) as error:
        _fail(file, error)
    typer.echo(dialect_file(form), nl=False)


def _read(file: str) -> str | dict[str, Any]:
    """Return the template, or the object of a tokenizer's configuration, in *file*.

    Raises:
        ValueError: It cannot be read.
    """
    text = read_whole(file)
    if not isinstance(text, str):
        raise ValueError(text.reason)  # noqa: TRY004 - the file is wrong, not a type
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        if file.endswith(".json"):
            raise ValueError(f"not JSON: {error}") from None
        return text
    return data if isinstance(data, dict) else text


def _tokens(eos_token: str | None) -> dict[str, str]:
    return {} if eos_token is None else {"eos_token": eos_token}


def _fail(file: str, error: Exception) -> NoReturn:
    typer.echo(f"{_NAME}: {file}: {error}", err=True)
    raise typer.Exit(_FAILED)
