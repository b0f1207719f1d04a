"""The commands about dialects: what there is, and what follows from one.

Each imports what it does when it runs.
"""

import json
from typing import Annotated, Final, Literal

import typer

from agent_parsers.cli.help import Commands
from agent_parsers.cli.options import (
    DialectArgument,
    Format,
    FormatOption,
    JsonFlag,
    ToolsGiven,
    fail,
    known_tools,
    or_json,
)
from agent_parsers.cli.wording import NAME
from agent_parsers.constrain import GrammarForm
from agent_parsers.core import TurnKind

_TOOLS: Final = {"search": "Looks a question up.", "calculator": "Works out an expression."}
"""Tools for the instructions that `show` prints."""

commands: Commands = Commands()


@commands.command()
def dialects(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="WORD",
            help="Word that the name, an alias or the summary must contain, or a model's name.",
            show_default=False,
        ),
    ] = None,
    form: FormatOption = Format.TABLE,
    as_json: JsonFlag = False,
) -> None:
    """List the dialects, the formats in which models write actions and answers."""
    from agent_parsers.cli.dialects import list_known
    from agent_parsers.cli.screen import Screen

    list_known(Screen(), or_json(form, as_json), words or ())


@commands.command()
def show(
    name: DialectArgument,
) -> None:
    """Show a dialect: its sample, stop sequences and instructions."""
    from rich.text import Text

    from agent_parsers import get_dialect, get_parser
    from agent_parsers.cli.screen import Screen

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


@commands.command(
    epilog="Exit status: 0 if the grammar was written; 1 if its format cannot express it, with the"
    " reason on standard error; 2 if the command line is wrong."
)
def grammar(
    name: DialectArgument,
    form: Annotated[GrammarForm, typer.Option("--as", help="Format of the grammar.")] = "gbnf",
    tools: ToolsGiven = None,
    turn: Annotated[TurnKind, typer.Option(help="Which turns the grammar allows.")] = "any",
    start: Annotated[
        Literal["content", "thought"] | None,
        typer.Option(help="What the turn begins with, if the prompt determines that."),
    ] = None,
    thoughts: Annotated[bool, typer.Option(help="Whether a turn may have a thought.")] = True,
    max_calls: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="Maximum number of calls in a turn; unlimited by default."
        ),
    ] = None,
    max_thought: Annotated[
        int | None,
        typer.Option(metavar="N", min=0, help="Maximum length of a thought, in characters."),
    ] = None,
    max_content: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=0, help="Maximum length of the content beside calls, in characters."
        ),
    ] = None,
    exact: Annotated[
        bool,
        typer.Option("--exact", help="Refuse schemas that the grammar cannot express in full."),
    ] = False,
) -> None:
    """Write a grammar for constrained decoding: the model can write only turns of the dialect.

    Inputs follow the schemas of the tools, if --tools names a file with schemas. What cannot be
    said of them is left out, which standard error reports.
    """
    from agent_parsers import get_dialect
    from agent_parsers.constrain import GrammarError
    from agent_parsers.core import TurnOptions, write_grammar

    try:
        options = TurnOptions(
            turn, start or "", thoughts, max_calls,
            exact=exact, max_thought=max_thought, max_content=max_content,
        )  # fmt: skip
        written = write_grammar(form, get_dialect(name), known_tools(tools), options)
    except GrammarError as error:
        fail(str(error))
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    for note in written.notes:
        typer.echo(f"{NAME}: {note}", err=True)
    if isinstance(written, str):
        typer.echo(written, nl=not written.endswith("\n"))
    else:
        typer.echo(json.dumps(written, ensure_ascii=False, indent=2))
