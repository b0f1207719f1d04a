"""Finding out what server stands behind, and what its model writes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

import httpx

from agent_parsers import dialect_for_model, get_parser
from agent_serving.serve.upstreams.kinds import KINDS

if TYPE_CHECKING:
    from agent_serving.serve.upstreams.kinds import UpstreamKind

_PATHS: Final = (
    "/v1/chat/completions", "/chat/completions", "/v1/completions", "/completions", "/completion",
    "/api/chat", "/api/generate", "/v1",
)  # fmt: skip
"""What an address may end in beyond that of the server."""
_ASKED_OF_TEMPLATE: Final = [{"role": "user", "content": "Hello."}]
_END: Final = 64
"""How many characters of the end of a prompt say whether a thought is open."""


@dataclass(frozen=True, slots=True)
class FoundUpstream:
    """An upstream server that was recognised."""

    kind: UpstreamKind
    base: str
    """Its address, before the paths."""
    url: str | None
    """The address of the requests, if the user gave it."""
    is_text: bool
    """Whether it takes a text."""


def find_upstream(
    address: str,
    kind: str = "auto",
    *,
    is_text: bool = False,
    key: str | None = None,
    transport: httpx.BaseTransport | None = None,
) -> FoundUpstream:
    """Return the server at an *address*.

    Args:
        address: Its address, or that of its chat or text completions.
        kind: Its kind, or ``"auto"`` to ask it.
        is_text: Whether it is to be given a text.
        key: The key that it takes.
        transport: How it is asked, for tests.

    Raises:
        ValueError: The address is none, nothing answers there, or it is not recognised.
    """
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(
            f"{address!r} is not an address: expected http:// or https:// at its start"
        )
    trimmed = address.rstrip("/")
    path = next((each for each in _PATHS if trimmed.endswith(each)), "")
    base = trimmed.removesuffix(path)
    is_whole = path.endswith(("completions", "completion", "/api/chat", "/api/generate"))
    is_text = is_text or (is_whole and "chat" not in path)
    if path.startswith("/api/"):
        kind = "ollama" if kind == "auto" else kind
    if kind == "auto":
        found = _recognised(base, key, transport)
    elif kind in KINDS:
        found = KINDS[kind]
    else:
        raise ValueError(f"unknown server kind {kind!r}; the kinds are {', '.join(KINDS)}, auto")
    if parts.hostname == "api.openai.com":  # whose newer models take no other name
        found = replace(found, names={"max_tokens": "max_completion_tokens"})
    # Ollama's own API tells what its other one hides; so does llama.cpp's of completions.
    is_its_own = is_whole and not (found.is_ollama and not path.startswith("/api/"))
    return FoundUpstream(found, base, trimmed if is_its_own else None, is_text)


def _recognised(base: str, key: str | None, transport: httpx.BaseTransport | None) -> UpstreamKind:
    why = "it does not answer like any of the supported servers"
    with _client(base, key, transport) as client:
        for kind in KINDS.values():
            try:
                reply = client.get(base + kind.probe)
            except httpx.RequestError as error:
                raise ValueError(
                    f"no server answers at {base}: {error}; start the server first, or name its"
                    " kind with --server"
                ) from None
            if reply.status_code in (401, 403):
                why = f"it requires a key (status {reply.status_code}); see --upstream-key-env"
                continue
            said = _object_in(reply)
            if reply.status_code == 200 and kind.sign in said:
                return kind
    known = ", ".join(KINDS)
    raise ValueError(
        f"the server at {base} is not recognised: {why}; name its kind with --server ({known});"
        " openai is any other with that API"
    )


def _client(base: str, key: str | None, transport: httpx.BaseTransport | None) -> httpx.Client:
    headers = {} if key is None else {"authorization": f"Bearer {key}"}
    return httpx.Client(
        timeout=10, headers=headers, transport=transport, verify=base.startswith("https:")
    )


def _object_in(reply: httpx.Response) -> Mapping[str, Any]:
    try:
        said = reply.json()
    except ValueError:
        return {}
    return said if isinstance(said, Mapping) else {}


@dataclass(frozen=True, slots=True)
class FoundDialect:
    """The dialect of a model, and how it was found."""

    name: str
    why: str


def find_dialect(
    given: str,
    found: FoundUpstream,
    *,
    model: str | None = None,
    is_templated: bool = False,
    key: str | None = None,
    transport: httpx.BaseTransport | None = None,
) -> FoundDialect:
    """Return the dialect of the upstream server's model.

    Args:
        given: A dialect, the name of a model, or ``"auto"``: then the name of the model says it, or
            the chat template of the upstream; or, if that takes the tools, each reply.
        found: The upstream.
        model: The name of the model, if the user gave it.
        is_templated: Whether the upstream's chat template takes the tools.
        key: The key that it takes.
        transport: How it is asked, for tests.

    Raises:
        ValueError: It is not known, which is to be said.
    """
    if given != "auto":
        parser = get_parser(given)
        name = parser.dialect.name if hasattr(parser, "dialect") else "tools"
        return FoundDialect(name, "as given")
    tried: list[str] = []
    with _client(found.base, key, transport) as client:
        names = [model] if model else _models(client, found.base)
        for name in names[:1] if len(names) == 1 else ():
            if (dialect := dialect_for_model(name)) is not None:
                return FoundDialect(dialect, f"the model is {name}")
            tried.append(f"the model's name, {name!r}, is not known")
        if len(names) != 1:
            tried.append(f"the upstream has {len(names)} models; name one with --model")
        template = _template(client, found)
        if template is not None:
            from agent_serving.templates import dialect_for_template  # lazily: needs Jinja

            try:
                known = dialect_for_template(template)
                return FoundDialect(known.dialect, "according to the upstream's chat template")
            except (ValueError, ImportError) as error:
                tried.append(f"its chat template does not show the dialect: {error}")
    if is_templated:
        return FoundDialect("auto", "detected in each reply")
    raise ValueError(
        f"the dialect is not known: {'; '.join(tried)}. Pass --dialect with the dialect, or with a"
        " model whose dialect is known"
    )


def _models(client: httpx.Client, base: str) -> list[str]:
    try:
        data = _object_in(client.get(f"{base}/v1/models")).get("data")
    except httpx.RequestError:
        return []
    listed = data if isinstance(data, list) else []
    return [each["id"] for each in listed if isinstance(each, Mapping) and "id" in each]


def _template(client: httpx.Client, found: FoundUpstream) -> str | None:
    """Return the chat template of the upstream, if it shows it."""
    if found.kind.name != "llama_cpp":
        return None
    try:
        template = _object_in(client.get(f"{found.base}/props")).get("chat_template")
    except httpx.RequestError:
        return None
    return template if isinstance(template, str) and template else None


def end_of_prompt(
    found: FoundUpstream, *, key: str | None = None, transport: httpx.BaseTransport | None = None
) -> str:
    """Return the end of the prompts of the upstream's chat template; empty if unknown.

    It may have opened a thought, which the model then continues.
    """
    if found.kind.name != "llama_cpp" or found.is_text:
        return ""
    with _client(found.base, key, transport) as client:
        try:
            reply = client.post(
                f"{found.base}/apply-template", json={"messages": _ASKED_OF_TEMPLATE}
            )
        except httpx.RequestError:
            return ""
        prompt = _object_in(reply).get("prompt") if reply.status_code == 200 else None
    return prompt[-_END:] if isinstance(prompt, str) else ""
