"""Putting the server together from what the command line says, and running it."""

from __future__ import annotations

import json
import os
import socket
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import uvicorn

from agent_serving.serve.answering import Answering, AnsweringOptions
from agent_serving.serve.app import ServeApp, ServerLimits
from agent_serving.serve.faces.chat_face import ChatFace
from agent_serving.serve.faces.messages_face import MessagesFace
from agent_serving.serve.faces.responses_face import ResponsesFace
from agent_serving.serve.run_log import RunLog
from agent_serving.serve.upstreams.recognising import end_of_prompt, find_dialect, find_upstream
from agent_serving.serve.upstreams.upstream import Upstream

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    import httpx

    from agent_parsers.loop import ToolsIn

LOOPBACK = ("127.0.0.1", "localhost", "::1")
"""The names under which only this machine is served."""


@dataclass(frozen=True, slots=True)
class ServeSettings:
    """The settings from the command line."""

    address: str
    dialect: str = "auto"
    server: str = "auto"
    is_text: bool = False
    tools_in: ToolsIn = "prompt"
    prompt: str | None = None
    model: str | None = None
    retries: int | None = None
    others: Mapping[str, Any] = field(default_factory=dict)
    """What the upstream is asked beside, unless the client says it."""
    host: str = "127.0.0.1"
    port: int = 8000
    keys: tuple[str, ...] = ()
    upstream_key: str | None = None
    limits: ServerLimits = field(default_factory=ServerLimits)
    grace_s: int = 30
    log: str | None = None
    is_redacted: bool = False


def make_app(
    settings: ServeSettings,
    *,
    say: Callable[[str], Any] = lambda _: None,
    transport: httpx.BaseTransport | None = None,
    http: httpx.AsyncClient | None = None,
) -> ServeApp:
    """Return the application; *say* gets lines about what was detected.

    Raises:
        OSError: The log cannot be written.
        ValueError: The settings are wrong, or the upstream or its dialect is not recognised.
    """
    asked: Any = {"key": settings.upstream_key, "transport": transport}
    found = find_upstream(settings.address, settings.server, is_text=settings.is_text, **asked)
    is_templated = settings.tools_in == "template"
    if is_templated and found.is_text:
        raise ValueError("text completions use no chat template: leave out --tools-in")
    dialect = find_dialect(
        settings.dialect, found, model=settings.model, is_templated=is_templated, **asked
    )
    say(f"upstream: {found.kind.title} at {found.url or found.base}")
    say(f"dialect: {dialect.name}, {dialect.why}")
    prompt = settings.prompt
    if prompt is None and dialect.name not in ("auto", "tools"):
        prompt = end_of_prompt(found, **asked)
        if prompt:
            say(f"prompts end with: {prompt[-24:]!r}")
    options = AnsweringOptions(
        dialect=dialect.name,
        tools_in=settings.tools_in,
        prompt=prompt or "",
        retries=settings.retries,
        model=settings.model,
        settings=settings.others,
    )
    if found.kind.is_ollama and "num_ctx" not in settings.others:
        say("warning: Ollama cuts prompts that exceed its context; raise it: --set num_ctx=16384")
    upstream = Upstream(
        found.kind,
        found.base,
        url=found.url,
        is_text=found.is_text,
        max_bytes=settings.limits.max_bytes,
        http=http,
    )
    return ServeApp(
        Answering(upstream, options),
        [ChatFace(), ResponsesFace(), MessagesFace()],
        settings.limits,
        keys=settings.keys,
        upstream_key=settings.upstream_key,
        is_local=settings.host in LOOPBACK,
        log=RunLog(settings.log, is_redacted=settings.is_redacted) if settings.log else None,
    )


def serve(settings: ServeSettings, say: Callable[[str], Any]) -> None:
    """Serve until a signal; replies that have begun are then still finished.

    Raises:
        OSError: The log cannot be written.
        ValueError: The settings are wrong, the port is in use, or the upstream or its dialect is
            not recognised.
    """
    app = make_app(settings, say=say)
    with _listening_at(settings.host, settings.port) as listening:
        if settings.host not in LOOPBACK and not settings.keys:
            say("warning: other machines can use this server without a key: see --key-env")
        host = f"[{settings.host}]" if ":" in settings.host else settings.host
        say(f"serving at http://{host}:{settings.port}/v1")
        config = uvicorn.Config(
            app.asgi,
            log_level="warning",
            access_log=False,
            timeout_graceful_shutdown=settings.grace_s,
        )
        with suppress(KeyboardInterrupt):
            uvicorn.Server(config).run(sockets=[listening])


def _listening_at(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=2_048)
    except OSError as error:
        why = error.strerror or error
        raise ValueError(
            f"cannot listen on port {port} of {host}: {why}; choose another with --port or --host"
        ) from None


def keys_in(variable: str | None, file: str | None) -> tuple[str, ...]:
    """Return the keys in an environment *variable*, split at commas, and in a *file*, one a line.

    Raises:
        ValueError: The variable is not set, the file cannot be read, or there is no key in it.
    """
    found: list[str] = []
    if variable is not None:
        value = os.environ.get(variable, "")
        given = [key.strip() for key in value.split(",") if key.strip()]
        if not given:
            raise ValueError(f"the environment variable {variable} is not set or has no key")
        found += given
    if file is not None:
        try:
            lines = Path(file).read_text("utf-8").splitlines()
        except (OSError, ValueError) as error:
            raise ValueError(f"{file} cannot be read: {error}") from None
        given = [line.strip() for line in lines if line.strip()]
        if not given:
            raise ValueError(f"{file} contains no key")
        found += given
    return tuple(found)


def settings_in(given: Iterable[str]) -> dict[str, Any]:
    """Return the settings *given* as ``NAME=VALUE``; a value that is not JSON is a text.

    Raises:
        ValueError: One has no name or no value.
    """
    found: dict[str, Any] = {}
    for each in given:
        name, is_set, value = each.partition("=")
        if not (name and is_set):
            raise ValueError(f"expected a setting as NAME=VALUE, not {each!r}")
        try:
            found[name] = json.loads(value)
        except ValueError:
            found[name] = value
    return found
