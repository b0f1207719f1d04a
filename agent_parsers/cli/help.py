"""Commands and groups of them whose help is whole and plain, and whose errors speak of options."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

import typer
from typer.core import TyperCommand, TyperGroup

from agent_parsers.cli.wording import on_command_line

F = TypeVar("F", bound=Callable[..., Any])

_WHOLE: Final = 10_000
"""More characters than a sentence has."""
_UsageError: Final[Any] = typer.BadParameter.__base__  # Typer's or Click's, as Typer has it


class Command(TyperCommand):
    """A command whose help names the arguments as its usage does, without Python's types."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments and the options."""
        records: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for each in self.get_params(ctx):
            if (record := each.get_help_record(ctx)) is not None:
                is_argument = each.param_type_name == "argument"
                name = each.metavar if is_argument and each.metavar else record[0]
                records["Arguments" if is_argument else "Options"].append((name, record[1]))
        for title, found in records.items():
            if found:
                with formatter.section(title):
                    formatter.write_dl(found)


class CommandGroup(TyperGroup):
    """A group whose help has the whole first sentence of each command."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write a line or more for each command."""
        commands = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        with formatter.section("Commands"):
            formatter.write_dl(
                [
                    (name, each.get_short_help_str(limit=_WHOLE))
                    for name, each in commands.items()
                    if each is not None and not each.hidden
                ]
            )

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find a command; the error of a group within the commands lists those it has."""
        try:
            return super().resolve_command(ctx, args)
        except _UsageError as error:
            if ctx.parent is not None:
                known = ", ".join(
                    f"`{ctx.command_path} {name}`" for name in self.list_commands(ctx)
                )
                error.message += f" There are {known}."
            raise

    def invoke(self, ctx: Any) -> Any:
        """Run a command; errors name its options, not the arguments of Python functions."""
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            error.message = on_command_line(error.message)
            raise


class Commands(typer.Typer):
    """A Typer application whose commands are of the class `Command`."""

    def __init__(self, **options: Any) -> None:
        super().__init__(cls=CommandGroup, rich_markup_mode=None, **options)

    def command(self, name: str | None = None, **options: Any) -> Callable[[F], F]:
        """Return a decorator that makes a function a command."""
        return super().command(name, cls=Command, **options)
