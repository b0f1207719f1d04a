"""The face of OpenAI's Chat Completions API.

Source: https://platform.openai.com/docs/api-reference/chat; ``openai`` 3.57.0, ``types/chat`` and
``lib/streaming/chat``.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from agent_serving.openai_reply import ChatChunks, as_usage, call_part
from agent_serving.serve.exchange.events import (
    Asked,
    ReplyCall,
    ReplyEnd,
    ReplyFailure,
    ReplyText,
    ServerEvent,
)
from agent_serving.serve.faces.fields import Fields, check_choice, check_names, schema_of_answer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agent_parsers.loop import ToolChoice

_REFUSED: Final = {
    "functions": "is the old form of `tools`: send `tools` instead",
    "function_call": "is the old form of `tool_choice`: send `tool_choice` instead",
    "audio": "is not supported, since the model writes text: leave it out",
    "web_search_options": "is a service of OpenAI: leave it out",
}
"""Fields that are refused, and why."""
_LEFT_OUT: Final = (
    "user", "metadata", "store", "service_tier", "safety_identifier", "prompt_cache_key",
    "prompt_cache_retention", "prompt_cache_options", "modalities", "moderation",
)  # fmt: skip
"""Fields that say nothing about the reply."""
_MOST_REPLIES: Final = 16


class ChatFace:
    """Chat Completions; see `Face`."""

    path = "/v1/chat/completions"

    def read(self, body: Mapping[str, Any]) -> Asked:
        """Read the body of a request; see `Face.read`."""
        fields = Fields(body)
        fields.refuse(_REFUSED)
        messages = fields.take("messages", list)
        if not messages or not all(isinstance(m, Mapping) and "role" in m for m in messages):
            raise ValueError("`messages` must be a list of messages, each with a `role`")
        _check_results(messages)
        tools, warnings = _tools(fields.take("tools", list) or [])
        tool_choice, tools = _tool_choice(fields.take("tool_choice", str, Mapping), tools)
        usual, newer = fields.take("max_tokens", int), fields.take("max_completion_tokens", int)
        most = usual if newer is None else newer
        form = fields.take("response_format", Mapping)
        given, where = (form or {}).get("json_schema"), "response_format.json_schema"
        schema = schema_of_answer(form, given, "response_format.type", where)
        count = fields.take("n", int)
        if count is not None and not 1 <= count <= _MOST_REPLIES:
            raise ValueError(f"`n` must be between 1 and {_MOST_REPLIES}, not {count}")
        options = fields.take("stream_options", Mapping) or {}
        asked = Asked(
            model=fields.take("model", str) or "",
            history=messages,
            tools=tools,
            tool_choice=tool_choice,
            parallel=fields.take("parallel_tool_calls", bool) is not False,
            stream=bool(fields.take("stream", bool)),
            include_usage=bool(options.get("include_usage")),
            count=count or 1,
            stop=fields.take_stop("stop"),
            schema=schema,
            settings={**fields.rest(_LEFT_OUT), **({} if most is None else {"max_tokens": most})},
            warnings=warnings,
        )
        if not asked.model:
            raise ValueError("`model` is missing: send the name of a model of the upstream")
        return asked

    def writer(self, asked: Asked) -> ChatWriter:
        """Return the writer of the replies."""
        return ChatWriter(asked)

    def error(self, failed: ReplyFailure) -> dict[str, Any]:
        """Return the body of a reply that is only an error."""
        usual = "api_error" if failed.status >= 500 else "invalid_request_error"
        kind = _TYPES.get(failed.status, usual)
        said = {"message": failed.message, "type": kind, "param": None}
        return {"error": {**said, "code": failed.code}}


class ChatWriter:
    """Writes replies as chunks, or as one completion with a choice for each; see `ReplyWriter`."""

    def __init__(self, asked: Asked) -> None:
        self._asked: Final = asked
        self._chunks: Final = ChatChunks(asked.model)
        self._choices: list[dict[str, Any]] = []
        self._texts: dict[str, list[str]] = {}  # of the open choice
        self._usage: dict[str, Any] | None = None

    def begin(self) -> list[ServerEvent]:
        """Begin the next choice."""
        message = {"role": "assistant", "content": None}
        self._texts = {}
        self._choices.append(
            {"index": len(self._choices), "message": message, "finish_reason": None}
        )
        return [self._event({"role": "assistant"})]

    def say(self, said: ReplyText) -> list[ServerEvent]:
        """Add text to the choice."""
        name = "content" if said.kind == "content" else "reasoning_content"
        self._texts.setdefault(name, []).append(said.text)
        if not said.logprobs:
            return [self._event({name: said.text})]
        known = self._choices[-1].setdefault("logprobs", {"content": []})["content"]
        known.extend(said.logprobs)
        return [self._event({name: said.text}, logprobs={"content": [*said.logprobs]})]

    def call(self, called: ReplyCall) -> list[ServerEvent]:
        """Add a call to the choice."""
        calls = self._choices[-1]["message"].setdefault("tool_calls", [])
        part = call_part(called.id, called.name, called.arguments)
        calls.append(part)
        index = len(calls) - 1
        head = call_part(called.id, called.name, "")
        rest = {"index": index, "function": {"arguments": called.arguments}}
        return [
            self._event({"tool_calls": [{"index": index, **head}]}),
            self._event({"tool_calls": [rest]}),
        ]

    def end(self, ended: ReplyEnd) -> list[ServerEvent]:
        """End the choice and, if it is the last one, the reply."""
        choice = self._choices[-1]
        choice["finish_reason"] = ended.reason
        choice["message"].update((name, "".join(texts)) for name, texts in self._texts.items())
        self._usage = _sum(self._usage, ended)
        events = [self._event({}, ended.reason)]
        if len(self._choices) == self._asked.count:
            if self._asked.include_usage:
                events.append(("", json.dumps(self._chunks.usage(self._usage))))
            events.append(("", "[DONE]"))
        return events

    def fail(self, failed: ReplyFailure) -> list[ServerEvent]:
        """Return the error that ends the reply."""
        return [("", json.dumps(ChatFace().error(failed)))]

    @property
    def whole(self) -> dict[str, Any]:
        """The completion."""
        return self._chunks.completion(self._choices, self._usage)

    def _event(
        self, delta: dict[str, Any], reason: str | None = None, **beside: Any
    ) -> ServerEvent:
        index = len(self._choices) - 1
        return "", json.dumps(self._chunks.chunk(delta, reason, index=index, **beside))


def _check_results(messages: Sequence[Mapping[str, Any]]) -> None:
    """Check that each result in *messages* is the only one of a call before it.

    Raises:
        ValueError: One is not.
    """
    waiting: Counter[str] = Counter()
    called: set[str] = set()
    for index, message in enumerate(messages):
        calls, call_id = message.get("tool_calls"), message.get("tool_call_id")
        for call in calls if isinstance(calls, list) else ():
            if isinstance(call, Mapping) and isinstance(call.get("id"), str):
                waiting[call["id"]] += 1
                called.add(call["id"])
        if message["role"] != "tool" or not isinstance(call_id, str):
            continue
        if not waiting[call_id]:
            told = "already has a result" if call_id in called else "was not sent before it"
            raise ValueError(
                f"`messages[{index}]` is the result of the call {call_id!r}, which {told}: send"
                " each call once, then its result"
            )
        waiting[call_id] -= 1


def _tools(tools: Sequence[Any]) -> tuple[list[Any], list[str]]:
    """Return the functions among *tools*, and a warning for each of the others."""
    functions, warnings = [], []
    for tool in tools:
        if not isinstance(tool, Mapping):
            raise ValueError("`tools` must be a list of objects with `type` and `function`")  # noqa: TRY004
        if tool.get("type", "function") != "function":
            warnings.append(f"a tool of the type {tool['type']!r} was dropped")
        elif not isinstance(tool.get("function"), Mapping) or not tool["function"].get("name"):
            raise ValueError("each of `tools` must have a `function` with a `name`")
        else:
            functions.append(tool)
    return functions, warnings


def _tool_choice(choice: Any, tools: list[Any]) -> tuple[ToolChoice, list[Any]]:
    """Return whether a tool is called, and those of *tools* that may be."""
    names = [tool["function"]["name"] for tool in tools]
    if isinstance(choice, Mapping):
        kind = choice.get("type")
        if kind == "allowed_tools":
            allowed = choice.get("allowed_tools") or {}
            listed = [_name_in(each) for each in allowed.get("tools") or ()]
            check_names(listed, names)
            mode = allowed.get("mode", "auto")
            tools = [tool for tool in tools if tool["function"]["name"] in listed]
            return check_choice(mode, tools), tools
        name = _name_in(choice)
        check_names([name], names)
        return name, tools
    return check_choice(choice or "auto", tools), tools


def _name_in(choice: Any) -> str:
    inner = choice.get("function") if isinstance(choice, Mapping) else None
    name = inner.get("name") if isinstance(inner, Mapping) else None
    if not isinstance(name, str):
        raise ValueError(  # noqa: TRY004
            '`tool_choice` must name a tool as {"type": "function", "function": {"name": …}}'
        )
    return name


def _sum(so_far: dict[str, Any] | None, ended: ReplyEnd) -> dict[str, Any] | None:
    if ended.usage is None:
        return so_far
    more = as_usage(ended.usage)
    return more if so_far is None else {name: so_far[name] + more[name] for name in more}


_TYPES: Final = {
    401: "authentication_error", 403: "permission_error", 404: "not_found_error",
    422: "model_output_error", 429: "rate_limit_error",
}  # fmt: skip
