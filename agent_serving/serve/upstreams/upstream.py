"""The upstream servers: how each is asked, and what it sends, as chunks of Chat Completions.

Sources: ``tools/server`` of llama.cpp; ``docs/api`` of Ollama; ``vllm/entrypoints`` of vLLM 0.33;
``srt/entrypoints/openai`` of SGLang 0.5; the documentation of LM Studio.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import httpx

from agent_parsers import to_openai
from agent_serving.serve.upstreams.chunks import (
    Chunk,
    ExchangeError,
    WholeCharacters,
    broken_off,
    loaded,
    ollama_chunks,
    openai_chunks,
    refusal_of,
    says_more,
)
from agent_serving.serve.upstreams.event_data import EventData

if TYPE_CHECKING:
    from agent_parsers.loop import ToolChoice
    from agent_parsers.toolset import ToolSet
    from agent_serving.serve.upstreams.kinds import UpstreamKind
    from outputs import BaseMessage

_NO_STREAM: Final = (
    "the upstream answered with one JSON object, not with the stream that it was asked for"
)
_GOES_ON: Final = "the stream of the upstream goes on after the end of the reply (`done: true`)"
_HALF_IN_PAST: Final = (
    "a past call or message has half a surrogate pair, which no model can be sent: replace that"
    " character, or leave it out"
)


@dataclass(frozen=True, slots=True)
class UpstreamRequest:
    """A request for an upstream."""

    prompt: str | list[BaseMessage]
    model: str
    stop: Sequence[str] = ()
    tools: ToolSet | None = None
    """The tools that its chat template takes, or that it calls itself."""
    tool_choice: ToolChoice | Mapping[str, Any] = "auto"
    settings: Mapping[str, Any] = field(default_factory=dict)
    schema: Mapping[str, Any] | None = None
    """The schema of the answer, if the upstream is to follow it."""
    fields: Mapping[str, Any] = field(default_factory=dict)
    """What else it is asked, such as a grammar."""
    begun: str = ""
    """How the reply begins, which the model continues."""
    is_templated: bool = False
    """Whether the chat template takes the tools, and the calls are to stay in the text."""
    key: str | None = None
    """The header ``Authorization``."""


class Upstream:
    """A server whose model writes the replies.

    Args:
        kind: What kind of server it is.
        base: Its address, before the paths.
        url: The address of the requests, if it is not the usual one of the kind.
        is_text: Whether it takes a text, not messages.
        max_bytes: The longest reply, in bytes.
        http: The client; one is made if it is `None`.
    """

    def __init__(
        self,
        kind: UpstreamKind,
        base: str,
        *,
        url: str | None = None,
        is_text: bool = False,
        max_bytes: int = 10_000_000,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        self.kind: Final = kind
        self.base: Final = base
        self.is_text: Final = is_text
        self._url = url or base + (kind.text_path if is_text else kind.chat_path)
        self._max_bytes: Final = max_bytes
        self.http: Final = http or client_for(base)

    async def chunks(self, request: UpstreamRequest) -> AsyncGenerator[Chunk]:
        """Yield the reply.

        Raises:
            ExchangeError: The reply does not come, or not to its end.
        """
        url, body = self._url, self._body(request)
        if request.is_templated and self.kind.name == "llama_cpp":
            url, body = await self._rendered(request, body)
        headers = {} if request.key is None else {"authorization": request.key}
        has_ended = False
        read = ollama_chunks if self.kind.is_ollama else openai_chunks
        characters = WholeCharacters()
        try:
            async with self.http.stream("POST", url, json=body, headers=headers) as reply:
                if reply.status_code != 200:
                    raise await self._refused(reply)
                if reply.headers.get("content-type", "").startswith("application/json"):
                    raise ExchangeError(502, _NO_STREAM, "upstream_does_not_stream")
                async for data in self._lines(reply):
                    for chunk, is_last in read(data):
                        if has_ended and self.kind.is_ollama and says_more(chunk):
                            raise ExchangeError(502, _GOES_ON)
                        has_ended |= is_last
                        yield characters.joined(chunk, is_last=is_last)
        except httpx.RequestError as error:
            if not has_ended:
                raise broken_off(error) from error
        except UnicodeEncodeError as error:
            raise ExchangeError(400, _HALF_IN_PAST) from error
        if not has_ended:
            message = "the stream of the upstream ended without a stop reason"
            raise ExchangeError(502, message, "upstream_broke_off")

    async def json(self, path: str, body: Any = None, key: str | None = None) -> Any:
        """Return the JSON that the upstream sends at a *path*.

        Raises:
            ExchangeError: It sends none.
        """
        headers = {} if key is None else {"authorization": key}
        method = "GET" if body is None else "POST"
        try:
            reply = await self.http.request(
                method, self.base + path, json=body, headers=headers, timeout=30
            )
            if reply.status_code != 200:
                raise await self._refused(reply)
            return reply.json()
        except httpx.RequestError as error:
            raise broken_off(error) from error
        except ValueError as error:
            message = f"the upstream did not send valid JSON at {path}: {error}"
            raise ExchangeError(502, message) from error

    async def _refused(self, reply: httpx.Response) -> ExchangeError:
        said = bytearray()
        with suppress(httpx.HTTPError):
            async for piece in reply.aiter_bytes():
                said += piece
                if len(said) > 10_000:
                    break
        return refusal_of(reply.status_code, bytes(said))

    async def _lines(self, reply: httpx.Response) -> AsyncGenerator[Any]:
        """Yield the data of the events, or of the lines."""
        events = None if self.kind.is_ollama else EventData()
        rest, size = b"", 0
        async for piece in reply.aiter_bytes():
            size += len(piece)
            if size > self._max_bytes:
                message = f"the upstream sent more than {self._max_bytes} bytes"
                raise ExchangeError(502, message, "upstream_too_long")
            if events is not None:
                for value in events.feed(piece):
                    yield value
                if events.is_over:
                    return
                continue
            *lines, rest = (rest + piece).split(b"\n")  # JSON may have other line breaks
            for line in lines:
                if line.strip():
                    yield loaded(line)
        if rest.strip():
            yield loaded(rest)

    # -- bodies ----------------------------------------------------------------------------------

    def _body(self, request: UpstreamRequest) -> dict[str, Any]:
        if self.kind.is_ollama:
            return self._ollama_body(request)
        names = self.kind.names
        settings = {names.get(name, name): value for name, value in request.settings.items()}
        body = {**settings, **request.fields, "model": request.model, "stream": True}
        body["stream_options"] = {"include_usage": True}
        if request.stop:
            body["stop"] = [*request.stop]
        if request.schema is not None:
            body |= self._schema_fields(request.schema)
        if isinstance(request.prompt, str):
            return {**body, "prompt": request.prompt + request.begun}
        messages = chat_messages(request.prompt, is_native=request.tools is not None)
        if request.begun:
            messages.append({"role": "assistant", "content": request.begun})
            body |= self.kind.continues or {}
        if request.tools is not None:
            body["tools"] = request.tools.openai_tools()
            if request.tool_choice != "auto":
                body["tool_choice"] = request.tool_choice
        return {**body, "messages": messages}

    def _schema_fields(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        is_any = schema == {"type": "object"}
        if self.is_text and self.kind.name == "llama_cpp":
            return {"json_schema": schema}
        form = {"name": "answer", "schema": schema, "strict": True}
        json_schema = {"type": "json_schema", "json_schema": form}
        return {"response_format": {"type": "json_object"} if is_any else json_schema}

    def _ollama_body(self, request: UpstreamRequest) -> dict[str, Any]:
        given = dict(request.settings)
        options = {**given.pop("options", {})}
        for name, theirs in _OLLAMA_OPTIONS.items():
            if name in given:
                options[theirs] = given.pop(name)
        if request.stop:
            options["stop"] = [*request.stop]
        body: dict[str, Any] = {"model": request.model, "stream": True, "options": options}
        effort = given.pop("reasoning_effort", None)
        if effort is not None:
            body["think"] = False if effort == "none" else effort
        for name in ("think", "keep_alive"):
            if name in given:
                body[name] = given[name]
        if request.schema is not None:
            body["format"] = request.schema
        if isinstance(request.prompt, str):
            return {**body, "prompt": request.prompt + request.begun, "raw": True}
        messages = chat_messages(request.prompt, is_native=request.tools is not None)
        body["messages"] = [_ollama_message(each) for each in messages]
        if request.tools is not None:
            body["tools"] = request.tools.openai_tools()
        return body

    async def _rendered(
        self, request: UpstreamRequest, body: dict[str, Any]
    ) -> tuple[str, dict[str, Any]]:
        """Return the request with the prompt that the chat template of llama.cpp renders."""
        asked = {"messages": body.pop("messages"), "tools": body.pop("tools", None)}
        said = await self.json("/apply-template", asked, request.key)
        if not isinstance(said, Mapping) or not isinstance(said.get("prompt"), str):
            raise ExchangeError(502, "the upstream did not render a prompt at /apply-template")
        body.pop("tool_choice", None)
        return self.base + self.kind.text_path, {**body, "prompt": said["prompt"]}


_OLLAMA_OPTIONS: Final = {
    "max_tokens": "num_predict", "num_ctx": "num_ctx", "temperature": "temperature",
    "top_p": "top_p", "top_k": "top_k", "min_p": "min_p", "seed": "seed",
    "repeat_penalty": "repeat_penalty", "presence_penalty": "presence_penalty",
    "frequency_penalty": "frequency_penalty",
}  # fmt: skip
"""Settings that are options in Ollama's own API."""


def client_for(url: str) -> httpx.AsyncClient:
    """Return a client for a server; the certificates are loaded only if they are needed."""
    return httpx.AsyncClient(
        timeout=httpx.Timeout(None, connect=10),
        limits=httpx.Limits(max_connections=None, max_keepalive_connections=100),
        verify=url.startswith("https:"),
    )


def chat_messages(prompt: Sequence[BaseMessage], *, is_native: bool) -> list[dict[str, Any]]:
    """Return a *prompt* as messages that any chat template takes.

    There is one system message, at the beginning, and successive texts of one role are joined.
    """
    messages: list[dict[str, Any]] = to_openai(prompt, new_id="call{:05}".format)
    head = [each["content"] for each in messages if each["role"] in ("system", "developer")]
    merged: list[dict[str, Any]] = []
    if head:
        merged.append({"role": "system", "content": "\n\n".join(filter(None, head))})
    for each in messages:
        if each["role"] in ("system", "developer"):
            continue
        last = merged[-1] if merged else {}
        if not is_native and _is_text(last) and _is_text(each) and last["role"] == each["role"]:
            merged[-1] = {**last, "content": f"{last['content']}\n\n{each['content']}"}
        else:
            merged.append(each)
    return merged


def _is_text(message: Mapping[str, Any]) -> bool:
    is_plain = message.keys() == {"role", "content"} and isinstance(message["content"], str)
    return is_plain and message["role"] in ("user", "assistant")


def _ollama_message(message: Mapping[str, Any]) -> dict[str, Any]:
    """Return a *message* of Chat Completions as Ollama's API has it."""
    made = {"role": message["role"], "content": message.get("content") or ""}
    if isinstance(made["content"], list):
        texts, images = [], []
        for part in made["content"]:
            if part.get("type") == "text":
                texts.append(part["text"])
            elif part.get("type") == "image_url":
                head, found, data = part["image_url"]["url"].partition(";base64,")
                if not found or not head.startswith("data:"):
                    raise ExchangeError(
                        400, "Ollama takes images only as base64 `data:` URLs, not as links"
                    )
                images.append(data)
            else:
                raise ExchangeError(400, f"Ollama takes text and images, not {part.get('type')!r}")
        made |= {"content": "\n".join(texts), "images": images}
    if calls := message.get("tool_calls"):
        made["tool_calls"] = [
            {
                "function": {
                    "name": call["function"]["name"],
                    "arguments": loaded(call["function"]["arguments"].encode()),
                }
            }
            for call in calls
        ]
    return made
