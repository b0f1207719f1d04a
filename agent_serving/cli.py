"""The commands about templates, the playground, and the server in front of another."""

import gc
import json
import re
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Final, TypeAlias

import typer

from agent_parsers.cli.help import Commands
from agent_parsers.cli.options import (
    AUTO,
    DialectArgument,
    ToolsGiven,
    dialects_like,
    fail,
    known_tools,
)
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
    typer.Option("--eos-token", metavar="TEXT", help="The eos_token, if FILE does not contain it."),
]


@_derived.command(
    name="for-template",
    epilog="Exit status: 0 if there is a dialect; 1 if not, or if the template cannot be rendered;"
    " 2 if the command line is wrong.",
)
def for_template(file: _Template, eos_token: _EosToken = None) -> None:
    """Name the dialect of a chat template; the reason goes to standard error."""
    from agent_serving.templates import dialect_for_template  # lazily: rarely needed

    try:
        found = dialect_for_template(_read(file), special_tokens=_tokens(eos_token))
        typer.echo(found.dialect)
    except (ValueError, ImportError) as error:
        fail(f"{file}: {error}")
    typer.echo(f"{NAME}: {found}", err=True)


@_derived.command(
    name="from-template",
    epilog="Exit status: 0 if a dialect was derived; 1 if not, with the reason on standard error; 2"
    " if the command line is wrong.",
)
def from_template(
    file: _Template,
    name: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Name of the dialect; default: that of the file."),
    ] = None,
    eos_token: _EosToken = None,
) -> None:
    """Write the Python file of a new dialect, derived from a chat template.

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
    epilog="Exit status: 0 if there is such a template; 1 if a template cannot describe the"
    " dialect, with the reason on standard error; 2 if the command line is wrong."
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
        typer.Option(metavar="N", min=0, max=65535, help="Port to listen on; 0 for any free port."),
    ] = 0,
    browser: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
) -> None:
    """Serve a page for trying out dialects, only to this machine, until interrupted."""
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
        _collect_garbage()
        server.serve_forever()


def _collect_garbage() -> None:
    """Collect garbage regularly; a command that soon ends rarely does."""
    gc.freeze()  # what is imported never becomes garbage
    gc.set_threshold(2_000, 10, 10)


class ServerKind(StrEnum):
    """The kind of the upstream server."""

    AUTO = "auto"
    LLAMA_CPP = "llama_cpp"
    OLLAMA = "ollama"
    SGLANG = "sglang"
    VLLM = "vllm"
    LM_STUDIO = "lm_studio"
    OPENAI = "openai"


class ToolsPlace(StrEnum):
    """What tells the model about the tools."""

    PROMPT = "prompt"
    TEMPLATE = "template"


_KeyEnv: TypeAlias = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Environment variable with the keys that clients send."),
]
_KeyFile: TypeAlias = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="File with the keys that clients send, one a line."),
]


@commands.command(
    epilog="Exit status: 0 if stopped with Ctrl+C, 143 if with SIGTERM; 1 if it cannot start, with"
    " the reason on standard error; 2 if the command line is wrong."
)
def serve(
    upstream: Annotated[
        str,
        typer.Argument(
            metavar="URL",
            help="URL of the upstream server, such as http://127.0.0.1:8080, or of its chat or text"
            " completions.",
            show_default=False,
        ),
    ],
    dialect: Annotated[
        str,
        typer.Option(
            metavar="NAME|MODEL|auto",
            autocompletion=dialects_like,
            help="What the model writes: the name of a dialect or a model, or tools if the server"
            " itself returns tool calls; auto asks the server for its model.",
        ),
    ] = AUTO,
    server: Annotated[
        ServerKind, typer.Option(help="The kind of the server; auto asks it.")
    ] = ServerKind.AUTO,
    text: Annotated[
        bool, typer.Option("--text", help="Ask for text completions, without a chat template.")
    ] = False,
    tools_in: Annotated[
        ToolsPlace,
        typer.Option(
            help="What tells the model about the tools: the prompt, or the server's chat template."
        ),
    ] = ToolsPlace.PROMPT,
    prompt: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            help="How the prompt ends that the model continues, such as '<think>'; llama.cpp is"
            " asked.",
            show_default=False,
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Model to request, instead of the one a client names."),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Field to add to requests for the upstream server, such as num_ctx=16384, unless"
            " the client sends it; may be repeated.",
        ),
    ] = None,
    retries: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            help="How many times to ask the model again if its reply cannot be read; by default 2,"
            " but 0 for streams, so that text is sent as it comes.",
            show_default=False,
        ),
    ] = None,
    host: Annotated[
        str,
        typer.Option(metavar="NAME", help="Address to listen on; only this machine by default."),
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(metavar="N", min=1, max=65535)] = 8000,
    key_env: _KeyEnv = None,
    key_file: _KeyFile = None,
    upstream_key_env: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Environment variable with the key for the upstream server; by default the key of"
            " the client is passed on.",
        ),
    ] = None,
    upstream_key_file: Annotated[
        str | None, typer.Option(metavar="FILE", help="File with the key for the upstream server.")
    ] = None,
    max_bytes: Annotated[
        int,
        typer.Option(
            metavar="N", min=1_000, help="Maximum size of a request and of a reply, in bytes."
        ),
    ] = 10_000_000,
    max_clients: Annotated[
        int, typer.Option(metavar="N", min=1, help="Maximum number of requests at once.")
    ] = 2_000,
    timeout: Annotated[
        float, typer.Option(metavar="SECONDS", min=0.1, help="Maximum time for a reply.")
    ] = 600,
    ping: Annotated[
        float,
        typer.Option(
            metavar="SECONDS", min=0.1, help="Send a ping in a stream that is silent for this long."
        ),
    ] = 15,
    grace: Annotated[
        int,
        typer.Option(
            metavar="SECONDS", min=0, help="How long replies may continue after a signal to stop."
        ),
    ] = 30,
    log: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Append each run to this file, for the commands parse and report."
        ),
    ] = None,
    redact: Annotated[
        bool,
        typer.Option("--redact", help="Log how long texts and arguments are, not the content."),
    ] = False,
) -> None:
    """Serve tool calls in front of a server whose model writes text.

    Clients of OpenAI's Chat Completions and Responses and of Anthropic's Messages get calls,
    content and reasoning, whole or streamed; the upstream server gets prompts with the tools in the
    format of its model.

    \b
      agent-parsers serve http://127.0.0.1:8080 --dialect hermes
      agent-parsers serve http://127.0.0.1:11434 --model qwen3:8b --set num_ctx=16384
      agent-parsers serve https://host/v1 --dialect tools --upstream-key-env KEY

    docs/serve.md describes it.
    """  # noqa: D301 - a line with \b is not filled
    if redact and log is None:
        raise typer.BadParameter("it needs --log", param_hint="--redact")
    try:
        from agent_serving.serve import running  # lazily: loads a web server
        from agent_serving.serve.app import ServerLimits
    except ImportError as error:
        fail(f"{error.name} is not installed: pip install 'agent-parsers[serve]'")
    try:
        upstream_keys = running.keys_in(upstream_key_env, upstream_key_file)
        if len(upstream_keys) > 1:
            fail("found several keys for the upstream server: give only one")
        settings = running.ServeSettings(
            upstream,
            dialect=dialect,
            server=server.value,
            is_text=text,
            tools_in=tools_in.value,
            prompt=prompt,
            model=model,
            retries=retries,
            others=running.settings_in(set_ or ()),
            host=host,
            port=port,
            keys=running.keys_in(key_env, key_file),
            upstream_key=upstream_keys[0] if upstream_keys else None,
            limits=ServerLimits(max_bytes, timeout, max_clients, ping),
            grace_s=grace,
            log=log,
            is_redacted=redact,
        )
        _collect_garbage()
        running.serve(settings, lambda line: typer.echo(f"{NAME}: {line}", err=True))
    except (OSError, ValueError) as error:
        fail(str(error))


commands.add_typer(_derived)
