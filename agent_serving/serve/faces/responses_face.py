"""The face of OpenAI's Responses API.

::

    {"model": "m", "instructions": "Be brief.", "tools": [{"type": "function", "name": "search",
     "description": "Looks up a name.", "parameters": {"type": "object", "properties": {…}}}],
     "input": [
      {"role": "user", "content": "How deep is Lake Thun?"},
      {"type": "reasoning", "id": "rs_1", "summary": [],
       "content": [{"type": "reasoning_text", "text": "I look it up."}]},
      {"type": "function_call", "call_id": "1", "name": "search", "arguments": "{…}"},
      {"type": "function_call_output", "call_id": "1", "output": "217 m"}]}

`ResponsesWriter` writes the replies.

Source: https://platform.openai.com/docs/api-reference/responses; ``openai`` 3.57.0,
``types/responses``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from agent_serving.openai_reply import image_part
from agent_serving.serve.exchange.events import Asked
from agent_serving.serve.faces.chat_face import ChatFace
from agent_serving.serve.faces.chat_messages import (
    ToldHistory,
    as_content,
    file_part,
    text_in,
    text_part,
    texts_in,
)
from agent_serving.serve.faces.fields import Fields, not_nested_deeply, schema_of_answer
from agent_serving.serve.faces.opaque_thoughts import unseal
from agent_serving.serve.faces.request_tools import OfferedTools, as_custom, shown_name
from agent_serving.serve.faces.responses_writer import ResponsesWriter

if TYPE_CHECKING:
    from agent_parsers.loop import ToolChoice
    from agent_serving.serve.exchange.events import ReplyFailure

_STORED: Final = "which is not stored here"
_REFUSED: Final = {
    "previous_response_id": f"refers to a response, {_STORED}: send the earlier items in `input`",
    "conversation": f"refers to a conversation, {_STORED}: send its items in `input`",
    "prompt": f"refers to a prompt, {_STORED}: send its text in `instructions`",
    "background": f"asks for a response to fetch later, {_STORED}: leave it out",
    "moderation": "is a service of OpenAI: leave it out, and check the texts yourself",
    "top_logprobs": "asks for log probabilities, which this server has only at"
    " /v1/chat/completions",
}
"""Fields that are refused, and why."""
_LOGPROBS: Final = "message.output_text.logprobs"
_IGNORED: Final = (
    "store", "stream_options", "service_tier", "max_tool_calls", "prompt_cache_options",
    "prompt_cache_retention", "truncation",
)  # fmt: skip
"""Fields that say nothing about the reply."""
_REPEATED: Final = ("user", "safety_identifier", "prompt_cache_key")
"""Those of them that the response repeats."""
_TOOLS: Final = ("function", "custom")
_HOSTED: Final = (
    "apply_patch_call", "apply_patch_call_output", "code_interpreter_call", "computer_call",
    "computer_call_output", "file_search_call", "image_generation_call", "local_shell_call",
    "local_shell_call_output", "mcp_approval_request", "mcp_approval_response", "mcp_call",
    "mcp_list_tools", "program", "program_output", "shell_call", "shell_call_output",
    "tool_search_call", "tool_search_output", "web_search_call",
)  # fmt: skip
"""The types of items of tools that only their provider knows."""


_COMPACTED: Final = (
    "is a part of the conversation that only OpenAI can read: send the items that it replaces, or a"
    " summary of them as a message"
)
_NOT_TAKEN: Final = {
    "item_reference": f"refers to an item, {_STORED}: send the item itself",
    "compaction": _COMPACTED,
    "compaction_summary": _COMPACTED,
}
"""The types of items that are refused, and why."""


class ResponsesFace:
    """Responses; see `Face`."""

    path = "/v1/responses"

    @not_nested_deeply
    def read(self, body: Mapping[str, Any]) -> Asked:
        """Read the body of a request; see `Face.read`."""
        fields = Fields(body)
        fields.refuse(_REFUSED)
        model = fields.need("model", str)
        told, offered = ToldHistory(), OfferedTools()
        instructions = fields.take("instructions", str)
        told.add_system(instructions or "")
        tools = body.get("tools") or []
        for tool in fields.take_objects("tools"):
            _read_tool(tool, offered)
        _read_input(fields.take_content("input"), told, offered)
        told.end("input")
        choice = fields.take("tool_choice", str, Mapping)
        tool_choice = _choose(choice, offered)
        parallel = fields.take("parallel_tool_calls", bool) is not False
        included = fields.take("include", list) or []
        if _LOGPROBS in included:
            raise ValueError(f"`include`: {_LOGPROBS} {_REFUSED['top_logprobs']}")
        text, reasoning = fields.take_object("text"), fields.take_object("reasoning")
        form = text.take("format", Mapping)
        effort = reasoning.take("effort", str)
        summary = reasoning.take("summary", str) or reasoning.take("generate_summary", str)
        metadata = fields.take("metadata", Mapping)
        settings = fields.take_settings(
            max_tokens=_most_tokens(fields),
            reasoning_effort=effort,
            verbosity=text.take("verbosity", str),
        )
        echoed = {
            "instructions": instructions,
            "tools": [*map(_repeated, tools)],
            "tool_choice": choice or "auto",
            "parallel_tool_calls": parallel,
            "text": {"format": form or {"type": "text"}},
            "reasoning": {"effort": effort, "summary": summary},
            "metadata": metadata or {},
            "max_output_tokens": settings.get("max_tokens"),
            "temperature": settings.get("temperature"),
            "top_p": settings.get("top_p"),
            "background": False,
            "previous_response_id": None,
            "store": False,
            "truncation": "disabled",
            **{name: fields.take(name, str) for name in _REPEATED},
            "include": included,
        }
        return Asked(
            model=model,
            history=told.messages,
            system=told.system,
            tools=offered.tools,
            tool_choice=tool_choice,
            parallel=parallel,
            stream=bool(fields.take("stream", bool)),
            schema=schema_of_answer(form, form, "text.format.type", "text.format"),
            settings=settings,
            echoed=echoed,
            warnings=[*told.warnings, *offered.warnings, *fields.unknown(_IGNORED)],
        )

    def writer(self, asked: Asked) -> ResponsesWriter:
        """Return the writer of the reply."""
        return ResponsesWriter(asked)

    def error(self, failed: ReplyFailure) -> dict[str, Any]:
        """Return the body of a reply that is only an error."""
        return ChatFace().error(failed)


# -- settings ------------------------------------------------------------------------------------


def _most_tokens(fields: Fields) -> int | None:
    most: int | None = fields.take("max_output_tokens", int)
    if most is not None and most < 1:
        raise ValueError(f"`max_output_tokens` must be 1 or more, not {most}")
    return most


# -- tools ---------------------------------------------------------------------------------------


def _read_tool(tool: Fields, offered: OfferedTools, namespace: str = "") -> None:
    kind = tool.need("type", str)
    if kind == "function":
        offered.add_function(tool, "parameters", namespace=namespace)
    elif kind == "custom":
        offered.add_custom(tool, namespace)
    elif kind == "namespace" and not namespace:
        within = tool.need("name", str)
        for each in tool.take_objects("tools"):
            _read_tool(each, offered, within)
    else:
        offered.leave_out(tool, kind)


def _choose(choice: str | Mapping[str, Any] | None, offered: OfferedTools) -> ToolChoice:
    if choice is None or isinstance(choice, str):
        return offered.choose(choice or "auto")
    fields = Fields(choice, "tool_choice")
    kind = fields.need("type", str)
    if kind == "allowed_tools":
        mode = fields.take("mode", str) or "auto"
        return offered.choose(mode, [_chosen(tool) for tool in fields.take_objects("tools")])
    return offered.choose("required", [_chosen(Fields(choice, "tool_choice"))])


def _chosen(tool: Fields) -> str:
    """Return the name of a *tool* that is chosen, or the type of one that only OpenAI can run."""
    kind: str = tool.need("type", str)
    return _name_in(tool) if kind in _TOOLS else kind


def _name_in(fields: Fields) -> str:
    """Return the name of a tool by which the model knows it."""
    return shown_name(fields.need("name", str), fields.take("namespace", str) or "")


def _repeated(tool: Mapping[str, Any]) -> dict[str, Any]:
    """Return a *tool* as a response has it, in which no field of a function is missing."""
    filled = {"parameters": None, "strict": None} if tool["type"] == "function" else {}
    return {**filled, **tool}


# -- items ---------------------------------------------------------------------------------------


def _read_input(given: str | list[Fields], told: ToldHistory, offered: OfferedTools) -> None:
    if isinstance(given, str):
        if given:
            told.add_user(given)
        return
    for item in given:
        kind = item.take("type", str)
        if kind in (None, "message"):
            _read_message(item, told)
        elif kind == "additional_tools":
            for tool in item.take_objects("tools"):
                _read_tool(tool, offered)
        elif kind in _READERS:
            _READERS[kind](item, told)
        elif kind in _HOSTED:
            told.drop_hosted(item, kind)
        else:
            why = _NOT_TAKEN.get(kind, "is an unknown type here: leave the item out")
            raise ValueError(f"{item.at('type')}, {kind}, {why}")


def _read_message(item: Fields, told: ToldHistory) -> None:
    role = item.need("role", str)
    content = item.need_content("content")
    if role in ("system", "developer"):
        for text in texts_in(content, "input_text", "text"):
            told.add_system(text)
    elif role == "user":
        told.add_user(_content(content))
    elif role == "assistant":
        said = content if isinstance(content, str) else "".join(map(_said, content))
        told.add_said("content", said)
    else:
        raise ValueError(
            f"{item.at('role')} must be user, assistant, system or developer, not {role!r}"
        )


def _said(part: Fields) -> str:
    """Return the text of a *part* of what the assistant said."""
    kind = part.need("type", str)
    if kind == "refusal":
        return str(part.need("refusal", str))
    if kind not in ("output_text", "input_text", "text"):
        raise ValueError(f"{part.at('type')} must be output_text or refusal, not {kind!r}")
    return text_in(part)


def _content(content: str | list[Fields]) -> str | list[Any]:
    """Return what a user says, or what a tool returned, as Chat Completions has it."""
    return content if isinstance(content, str) else as_content([*map(_part, content)])


def _part(part: Fields) -> dict[str, Any]:
    kind = part.need("type", str)
    if kind in ("input_text", "output_text", "text"):
        return text_part(text_in(part))
    if kind == "input_image":
        image, detail = image_part(_given(part, "image_url")), part.take("detail", str)
        if detail is not None:
            image["image_url"]["detail"] = detail
        return image
    if kind == "input_file":
        return file_part(_given(part, "file_data"), part.take("filename", str) or "file")
    if kind == "input_audio":
        return {"type": kind, "input_audio": dict(part.need("input_audio", Mapping))}
    raise ValueError(
        f"{part.at('type')} must be input_text, input_image, input_file or input_audio, not"
        f" {kind!r}"
    )


def _given(part: Fields, name: str) -> str:
    """Return the field with this *name*, which has a file or its address.

    Raises:
        ValueError: The file is elsewhere.
    """
    for other in ("file_id", "file_url"):
        if part.take(other, str):
            raise ValueError(
                f"{part.at(other)} refers to a file, {_STORED}: send it in {part.at(name)}"
            )
    return str(part.need(name, str))


def _read_reasoning(item: Fields, told: ToldHistory) -> None:
    """Read a thought: its text, or else its summary, or what stands in for it."""
    for name in ("content", "summary"):
        if texts := list(filter(None, map(text_in, item.take_objects(name)))):
            told.add_said("thought", "\n\n".join(texts))
            return
    sealed = item.take("encrypted_content", str) or ""
    thought = unseal(sealed)
    told.add_said("thought", thought or "")
    if sealed and thought is None:
        told.drop_unreadable(item.at("encrypted_content"))


def _read_call(item: Fields, told: ToldHistory) -> None:
    call_id, name = item.need("call_id", str), _name_in(item)
    arguments = item.take("arguments", str)
    told.add_call(call_id, name, arguments or "{}", item.at("call_id"))


def _read_custom_call(item: Fields, told: ToldHistory) -> None:
    call_id, name = item.need("call_id", str), _name_in(item)
    text = item.take("input", str) or ""
    told.add_call(call_id, name, as_custom(text), item.at("call_id"))


def _read_result(item: Fields, told: ToldHistory) -> None:
    content = _content(item.need_content("output"))
    told.add_result(item.need("call_id", str), content, item.at("call_id"))


_READERS: Final = {
    "reasoning": _read_reasoning,
    "function_call": _read_call,
    "function_call_output": _read_result,
    "custom_tool_call": _read_custom_call,
    "custom_tool_call_output": _read_result,
}
"""What reads an item of each type but those of messages."""
