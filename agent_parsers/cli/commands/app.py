"""The command line as a whole."""

import io
import os
import sys
from importlib.metadata import entry_points
from typing import Annotated, Any, Final

import typer

from agent_parsers.cli.commands import dialects
from agent_parsers.cli.help import CommandGroup
from agent_parsers.cli.wording import NAME

_INTERRUPTED: Final = 130
_BROKEN_PIPE: Final = 141
"""The status that a shell reports for a program ended by a closed pipe."""


class _Commands(CommandGroup):
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
    name=NAME,
    cls=_Commands,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for each in entry_points(group="agent_parsers.commands"):
    try:
        app.add_typer(each.load())
    except ImportError as error:
        typer.echo(f"{NAME}: cannot load the commands of {each.module}: {error}", err=True)
app.add_typer(dialects.commands)


def run() -> None:
    """Run the command line with the arguments of the process, and exit with its status."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal may not support every character
            stream.reconfigure(errors="backslashreplace")
    try:
        app(prog_name=NAME)
    except OSError as error:  # such as a full disk; `parse_files` reports what cannot be read
        _forget_output()
        file = f" {error.filename}" if error.filename else ""
        sys.exit(f"{NAME}: cannot write{file}: {error.strerror or error}")


def _show_version(is_asked: bool) -> None:
    if is_asked:
        from importlib.metadata import PackageNotFoundError, version

        try:
            typer.echo(f"{NAME} {version(NAME)}")
        except PackageNotFoundError:
            typer.echo(f"{NAME} (not installed)")
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
