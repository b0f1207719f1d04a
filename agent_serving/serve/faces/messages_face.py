"""The face of Anthropic's Messages API.

::

    {"model": "m", "max_tokens": 500, "system": "Be brief.", "tools": [{"name": "search",
     "description": "Looks up a name.", "input_schema": {"type": "object", "properties": {…}}}],
     "messages": [
      {"role": "user", "content": "How deep is Lake Thun?"},
      {"role": "assistant", "content": [
       {"type": "thinking", "thinking": "I look it up.", "signature": "…"},
       {"type": "tool_use", "id": "1", "name": "search", "input": {"query": "Thun"}}]},
      {"role": "user", "content": [
       {"type": "tool_result", "tool_use_id": "1", "content": "217 m", "is_error": false}]}]}

`MessagesWriter` writes the replies.

Source: https://docs.anthropic.com/en/api/messages; ``anthropic`` 2.14.0, ``types``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

from agent_serving.openai_reply import image_part
from agent_serving.serve.exchange.events import Asked
from agent_serving.serve.faces.chat_messages import (
    ToldHistory,
    as_content,
    file_part,
    text_in,
    text_part,
    texts_in,
)
from agent_serving.serve.faces.fields import Fields, json_schema_in, not_nested_deeply
from agent_serving.serve.faces.messages_writer import MessagesWriter, error_body
from agent_serving.serve.faces.opaque_thoughts import unseal
from agent_serving.serve.faces.request_tools import OfferedTools

if TYPE_CHECKING:
    from agent_parsers.loop import ToolChoice
    from agent_serving.serve.exchange.events import ReplyFailure

_REFUSED: Final = {"container": "needs a provider that runs code: leave it out"}
"""Fields that are refused, and why."""
_IGNORED: Final = (
    "metadata", "service_tier", "cache_control", "inference_geo", "speed", "diagnostics",
    "user_profile_id", "workspace_id", "betas",
)  # fmt: skip
"""Fields that say nothing about the reply."""
_HOSTED: Final = ("server_tool_use", "mcp_tool_use")
_HOSTED_RESULT: Final = "_tool_result"
"""Blocks of tools that a provider has run."""
_BILLING: Final = "x-anthropic-billing-header:"
"""Begins a block of the system that Claude Code sends for its provider. It is not for the model,
and since it changes with each request, no server could reuse what it knows of the prompt."""
_LOW, _MEDIUM = 4_096, 16_384
"""Budgets of a thought, in tokens, below which the effort is low, and medium."""


class MessagesFace:
    """The face of Anthropic's Messages API; see `Face`."""

    path = "/v1/messages"

    @not_nested_deeply
    def read(self, body: Mapping[str, Any]) -> Asked:
        """Read the body of a request; see `Face.read`."""
        fields = Fields(body)
        fields.refuse(_REFUSED)
        model = fields.need("model", str)
        told = ToldHistory()
        _read_system(fields.take_content("system"), told)
        for message in fields.take_objects("messages"):
            _read_message(message, told)
        told.end("messages")
        offered = OfferedTools()
        for tool in fields.take_objects("tools"):
            _read_tool(tool, offered)
        choice = fields.take_object("tool_choice")
        parallel = not choice.take("disable_parallel_tool_use", bool)
        tool_choice = _choose(choice, offered)
        config = fields.take_object("output_config")
        thinking = fields.take_object("thinking")
        most = _most_tokens(fields)
        settings = fields.take_settings(max_tokens=most, **_effort(thinking, config))
        form, older = _form_of(config), _form_of(fields, "output_format")
        return Asked(
            model=model,
            history=told.messages,
            system=told.system,
            tools=offered.tools,
            tool_choice=tool_choice,
            parallel=parallel,
            stream=bool(fields.take("stream", bool)),
            stop=fields.take_stop("stop_sequences"),
            schema=older if form is None else form,
            settings=settings,
            echoed={"display": thinking.take("display", str)},
            warnings=[*told.warnings, *offered.warnings, *fields.unknown(_IGNORED)],
        )

    def writer(self, asked: Asked) -> MessagesWriter:
        """Return the writer of the reply."""
        return MessagesWriter(asked)

    def error(self, failed: ReplyFailure) -> dict[str, Any]:
        """Return the body of a reply that is only an error."""
        return error_body(failed)


# -- settings ------------------------------------------------------------------------------------


def _most_tokens(fields: Fields) -> int:
    most: int = fields.need("max_tokens", int)
    if most < 1:
        raise ValueError(
            f"`max_tokens` must be 1 or more, not {most}: a reply has at least one token"
        )
    return most


def _effort(thinking: Fields, config: Fields) -> dict[str, Any]:
    """Return how much the model is to think, as Chat Completions and llama.cpp have it."""
    kind = thinking.take("type", str)
    budget = thinking.take("budget_tokens", int)
    effort = config.take("effort", str)
    if kind == "disabled":
        return {"reasoning_effort": "none"}
    if kind == "enabled":
        if budget is None or budget < 1:
            raise ValueError("`thinking.budget_tokens` must be a whole number, 1 or more")
        by_budget = "low" if budget < _LOW else "medium" if budget < _MEDIUM else "high"
        return {"reasoning_effort": effort or by_budget, "thinking_budget_tokens": budget}
    if kind not in (None, "adaptive", "between_tools"):
        raise ValueError(
            f"`thinking.type` must be enabled, disabled, adaptive or between_tools, not {kind!r}"
        )
    return {"reasoning_effort": effort}


def _form_of(fields: Fields, name: str = "format") -> Mapping[str, Any] | None:
    """Return the JSON Schema of the answer in the field with this *name*."""
    form = fields.take(name, Mapping)
    if form is None:
        return None
    if form.get("type") != "json_schema":
        raise ValueError(
            f"{fields.at(name)} must have the type json_schema, not {form.get('type')!r}"
        )
    return json_schema_in(form, fields.path_of(name))


# -- tools ---------------------------------------------------------------------------------------


def _read_tool(tool: Fields, offered: OfferedTools) -> None:
    kind = tool.take("type", str)
    if kind in (None, "custom"):
        offered.add_function(tool, "input_schema", is_needed=True)
    else:
        offered.leave_out(tool, kind)


def _choose(choice: Fields, offered: OfferedTools) -> ToolChoice:
    kind = choice.take("type", str)
    if kind == "tool":
        return offered.choose("required", [choice.need("name", str)])
    modes = {None: "auto", "auto": "auto", "any": "required", "none": "none"}
    if kind not in modes:
        raise ValueError(f"`tool_choice.type` must be auto, any, tool or none, not {kind!r}")
    return offered.choose(modes[kind])


# -- messages ------------------------------------------------------------------------------------


def _read_system(content: str | list[Fields], told: ToldHistory) -> None:
    for text in texts_in(content, "text"):
        if not text.startswith(_BILLING):
            told.add_system(text)


def _read_message(message: Fields, told: ToldHistory) -> None:
    role = message.need("role", str)
    content = message.need_content("content")
    if role in ("system", "developer"):
        _read_system(content, told)
    elif role == "user":
        _read_user(content, told)
    elif role == "assistant":
        _read_assistant(content, told)
    else:
        raise ValueError(f"{message.at('role')} must be user, assistant or system, not {role!r}")


def _read_user(content: str | list[Fields], told: ToldHistory) -> None:
    if isinstance(content, str):
        told.add_user(content)
        return
    said = []
    for block in content:
        kind = block.need("type", str)
        if kind == "tool_result":
            _read_result(block, told)
        else:
            said.append(_part(kind, block))
    if said or not content:
        told.add_user(as_content(said))


def _read_result(block: Fields, told: ToldHistory) -> None:
    call_id, content = block.need("tool_use_id", str), block.take_content("content")
    told.add_result(
        call_id,
        content
        if isinstance(content, str)
        else as_content([_part(inner.need("type", str), inner) for inner in content]),
        block.at("tool_use_id"),
        is_error=bool(block.take("is_error", bool)),
    )


def _read_assistant(content: str | list[Fields], told: ToldHistory) -> None:
    """Read what the assistant says; texts next to each other are one, as Anthropic has them."""
    if isinstance(content, str):
        told.add_said("content", content)
        return
    blocks = [(block.need("type", str), block) for block in content]
    for kind, group in groupby(blocks, key=itemgetter(0)):
        if kind == "text":
            told.add_said("content", "".join(text_in(block) for _, block in group))
            continue
        for _, block in group:
            _read_said(kind, block, told)


def _read_said(kind: str, block: Fields, told: ToldHistory) -> None:
    if kind == "thinking":
        thought = block.take("thinking", str) or unseal(block.take("signature", str) or "")
        told.add_said("thought", thought or "")
    elif kind == "tool_use":
        call_id, name = block.need("id", str), block.need("name", str)
        given = block.take("input", Mapping) or {}
        told.add_call(call_id, name, json.dumps(given, ensure_ascii=False), block.at("id"))
    elif kind == "redacted_thinking":
        told.add_said("thought", "")
        told.drop_unreadable(block.at("data"))
    elif kind in _HOSTED or kind.endswith(_HOSTED_RESULT):
        told.drop_hosted(block, kind)
    else:
        raise ValueError(
            f"{block.at('type')} must be text, thinking or tool_use in an assistant message, not"
            f" {kind!r}"
        )


def _part(kind: str, block: Fields) -> dict[str, Any]:
    """Return a *block* of a user, or of a result, as Chat Completions has it."""
    if kind == "text":
        return text_part(text_in(block))
    if kind == "image":
        source = block.take_object("source")
        return image_part(_address(source.need("type", str), source, "base64", "url"))
    if kind == "document":
        return _document(block)
    if kind == "search_result":
        head = [block.take(name, str) for name in ("title", "source")]
        return _lines(*head, *texts_in(block.take_content("content"), "text"))
    if kind == "tool_reference":
        return text_part(block.need("tool_name", str))
    raise ValueError(
        f"{block.at('type')} must be text, image, document, search_result or tool_result, not"
        f" {kind!r}"
    )


def _document(block: Fields) -> dict[str, Any]:
    """Return a document: a text as text, another as a file."""
    title, context = block.take("title", str), block.take("context", str)
    source = block.take_object("source")
    kind = source.need("type", str)
    if kind in ("text", "content"):
        content = source.take_content("data" if kind == "text" else kind)
        return _lines(title, context, *texts_in(content, "text"))
    return file_part(_address(kind, source, "base64", "text", "content"), title or "document")


def _lines(*texts: str | None) -> dict[str, Any]:
    return text_part("\n".join(filter(None, texts)))


def _address(kind: str, source: Fields, *kinds: str) -> str:
    """Return the address of a file, which may be a data URL.

    Args:
        kind: The type of what has it.
        source: Its other fields.
        kinds: The types that are possible.

    Raises:
        ValueError: It is of another type, such as the id of a stored file.
    """
    if kind not in kinds:
        raise ValueError(
            f"{source.at('type')} must be {' or '.join(kinds)}, not {kind!r}: send the content of"
            " the file itself"
        )
    if kind == "url":
        return str(source.need("url", str))
    return f"data:{source.need('media_type', str)};base64,{source.need('data', str)}"
