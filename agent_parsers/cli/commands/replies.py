"""The commands that show how a reply is read."""

from typing import Annotated

import typer

from agent_parsers.cli.options import (
    NOT_ALL,
    JsonFlag,
    TextOrJson,
    ToolsGiven,
    dialects_like,
    known_dialect,
    known_tools,
    only_for,
    or_json,
    or_stdin,
)

commands: typer.Typer = typer.Typer(rich_markup_mode=None)


@commands.command(
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
    view: Annotated[TextOrJson, typer.Option("--format", help="Output format.")] = TextOrJson.TEXT,
    as_json: JsonFlag = False,
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
    from agent_parsers import get_dialect, get_parser
    from agent_parsers.cli.explain import explain_file, follow_file

    (file,) = or_stdin(ctx, [file] if file else None)
    parser = get_parser(get_dialect(dialect), tools=known_tools(tools), lenient=not strict)
    if follow:
        only_for("a reply that is not followed", ctx, "view", "as_json", "page")
    if page:
        only_for("what is written to the terminal", ctx, "view", "as_json")
    view = or_json(view, as_json)
    if not (follow_file(file, parser) if follow else explain_file(file, parser, view, page)):
        raise typer.Exit(NOT_ALL)


@commands.command()
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
