"""The commands about templates, and the playground."""

import json
import re
from pathlib import Path
from typing import Annotated, Any, Final, TypeAlias

import typer

from agent_parsers.cli.help import Commands
from agent_parsers.cli.options import DialectArgument, ToolsGiven, fail, known_tools
from agent_parsers.cli.wording import NAME

commands: Commands = Commands()
_derived: Final = Commands(
    name="dialect",
    no_args_is_help=True,
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


@_derived.command(
    name="for-template",
    epilog="Exit status: 0 if there is a dialect; 1 if not, or if the template cannot be rendered;"
    " 2 if the command line is wrong.",
)
def for_template(file: _Template, eos_token: _EosToken = None) -> None:
    """Name the dialect that reads what a chat template writes; standard error says why."""
    from agent_serving.templates import dialect_for_template  # lazily: rarely needed

    try:
        found = dialect_for_template(_read(file), special_tokens=_tokens(eos_token))
        typer.echo(found.dialect)
    except (ValueError, ImportError) as error:
        fail(f"{file}: {error}")
    typer.echo(f"{NAME}: {found}", err=True)


@_derived.command(
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
    from agent_serving.templates.chat.deriving import derive_format  # lazily: rarely needed
    from agent_serving.templates.chat.source import dialect_file

    known = name or re.sub(r"\W+", "_", Path(file).stem.lower()).strip("_") or "derived"
    try:
        form = derive_format(_read(file), name=known, special_tokens=_tokens(eos_token))
    except (ValueError, ImportError) as error:
        fail(f"{file}: {error}")
    typer.echo(dialect_file(form), nl=False)


def _read(file: str) -> str | dict[str, Any]:
    """Return the template, or the object of a tokenizer's configuration, in *file*.

    Raises:
        ValueError: It cannot be read.
    """
    from agent_runs.cli.files import read_whole

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


@commands.command(
    epilog="Exit status: 0 if there is such a template; 1 if a template cannot say how the dialect"
    " is spelt, which standard error reports; 2 if the command line is wrong."
)
def response_template(
    name: DialectArgument,
    tools: ToolsGiven = None,
    start_anchor: Annotated[
        list[str] | None,
        typer.Option(metavar="TEXT", help="Text after which the model begins a turn."),
    ] = None,
) -> None:
    """Write the response template of a dialect, for a tokenizer_config.json.

    With it, transformers, vLLM and SGLang read the turns of the dialect without a plugin.
    """
    from agent_serving.templates import response_template as write_template
    from agent_serving.templates.template_error import TemplateError

    try:
        written = write_template(name, tools=known_tools(tools), start_anchor=start_anchor or ())
    except TemplateError as error:
        fail(str(error))
    typer.echo(json.dumps(written, ensure_ascii=False, indent=2))


@commands.command()
def playground(
    port: Annotated[
        int,
        typer.Option(
            metavar="N", min=0, max=65535, help="Where it listens; 0 takes any free port."
        ),
    ] = 0,
    browser: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
) -> None:
    """Serve a page to try dialects on, to this machine only, until it is interrupted."""
    from agent_serving.playground.server import PlaygroundServer  # lazily: only needed here

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


commands.add_typer(_derived)
