"""A model of smolagents that calls tools, around a model that writes its calls as text.

::

    from agent_serving.smolagents import SmolDialectModel

    ask = partial(client.chat.completions.create, model="qwen3")
    agent = ToolCallingAgent(tools=[search], model=SmolDialectModel(ask, "hermes"))

This module imports smolagents: `pip install "agent-parsers[smolagents]"`.
"""

from __future__ import annotations

from ast import literal_eval
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

from smolagents.models import (
    ChatMessage,
    ChatMessageStreamDelta,
    ChatMessageToolCall,
    ChatMessageToolCallFunction,
    ChatMessageToolCallStreamDelta,
    MessageRole,
    Model,
    get_tool_json_schema,
)
from smolagents.monitoring import TokenUsage
from smolagents.utils import encode_image_base64, make_image_url
from typing_extensions import override

from agent_parsers import DialectParser
from agent_parsers.core import as_json
from agent_parsers.loop import Asking, AskingOptions, check_model, take_turn
from agent_serving.openai_reply import image_part
from outputs import tool_call

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outputs import ToolCall

__all__ = ["SmolDialectModel"]

_ANSWER: Final = "final_answer"
"""The tool that a `ToolCallingAgent` expects an answer in."""
_KIND: Final = "function"
_CALLS: Final = "Calling tools:\n"
_TOGETHER: Final = "(the results of this turn are given together)"


class SmolDialectModel(Model):
    """Adds tool calls to a model that writes text, for `ToolCallingAgent`.

    The prompt lists the tools in the dialect. If a reply cannot be read, the model sees the error
    and tries again. An answer becomes a call of ``final_answer``. A request without tools, such as
    those of `CodeAgent`, goes to the model unchanged.

    smolagents keeps no reasoning. The text before a call in a dialect with one call in a turn, such
    as ``react``, is the content; other reasoning is in ``message.raw``.

    Args:
        model: What is asked: a function, as `run_agent` takes it.
        dialect: The dialect: a parser, its name, or the name of a model, as `get_parser` takes it.
        options: How it is asked; see `AskingOptions`.
        model_id: The name of the model.
        **settings: Settings such as ``temperature``, which are passed to the model.

    Raises (when it is asked, which ends the run):
        OutputParserException: Too many replies in a row could not be read.
        TypeError: A message has a part that is neither text nor an image.
    """

    def __init__(
        self,
        model: Any,
        dialect: Any,
        *,
        options: AskingOptions | None = None,
        model_id: str | None = None,
        **settings: Any,
    ) -> None:
        check_model(model, dialect)
        super().__init__(model_id=model_id or f"dialect:{dialect}", **settings)
        self._model = model
        self._dialect = dialect
        self._options: AskingOptions = options or {}

    @override
    def generate(self, *given: Any, **named: Any) -> ChatMessage:
        """Return a turn."""
        asking, model = self._asking(*given, **named)
        for _ in take_turn(model, asking, is_streamed=False):
            pass
        said = "\n".join(filter(None, (self._words(asking), asking.message.text)))
        calls = _calls_of(asking)
        is_answer = asking.finish is not None and bool(calls)
        return ChatMessage(
            role=MessageRole.ASSISTANT,
            content="" if is_answer else said,
            tool_calls=[
                ChatMessageToolCall(
                    ChatMessageToolCallFunction(call["args"], call["name"]),
                    call["id"] or "",
                    "function",
                )
                for call in calls
            ]
            or None,
            raw=asking.message,
            token_usage=_usage_of(asking),
        )

    def generate_stream(self, *given: Any, **named: Any) -> Iterator[ChatMessageStreamDelta]:
        """Yield a turn as it arrives; its calls come at the end."""
        asking, model = self._asking(*given, **named)
        is_word = isinstance(asking.parser, DialectParser)
        for kind, text in take_turn(model, asking):
            if kind == "content" or is_word:
                yield ChatMessageStreamDelta(content=text)
        calls = [
            ChatMessageToolCallStreamDelta(
                at, call["id"], _KIND, _function(call["name"], as_json(call["args"]))
            )
            for at, call in enumerate(_calls_of(asking))
        ]
        yield ChatMessageStreamDelta(tool_calls=calls or None, token_usage=_usage_of(asking))

    def _words(self, asking: Asking[Any]) -> str:
        """Return the reasoning, if it is what the turn says before its call."""
        return asking.thought if isinstance(asking.parser, DialectParser) else ""

    def _asking(
        self,
        messages: list[Any],
        stop_sequences: list[str] | None = None,
        response_format: dict[str, Any] | None = None,
        tools_to_call_from: list[Any] | None = None,
        **settings: Any,
    ) -> tuple[Asking[Any], Any]:
        """Return what is asked, and the model with its settings."""
        tools = [get_tool_json_schema(tool) for tool in tools_to_call_from or ()]
        form = (response_format or {}).get("json_schema", {}).get("schema")
        asking = Asking(
            self._dialect,
            history=[*_as_chat(messages)],
            tools=tools,
            output_type=form or (response_format and {"type": "object"}),
            stop=() if tools else stop_sequences or (),  # with tools, those of the dialect
            plain=True,
            **self._options,
        )
        return asking, partial(self._model, **{**settings, **self.kwargs})


def _function(name: str, arguments: Any) -> ChatMessageToolCallFunction:
    return ChatMessageToolCallFunction(arguments, name)


def _calls_of(asking: Asking[Any]) -> list[ToolCall]:
    """Return the calls of a turn; an answer is one of the tool for it."""
    message = asking.message
    if asking.finish is not None and _ANSWER in asking.tools:
        return [tool_call(name=_ANSWER, args={"answer": message.text}, id=uuid4().hex[:9])]
    return message.tool_calls


def _usage_of(asking: Asking[Any]) -> TokenUsage | None:
    used: Any = asking.usage
    return used and TokenUsage(used["input_tokens"], used["output_tokens"])


# -- messages --------------------------------------------------------------------------------------


def _as_chat(messages: list[Any]) -> Iterator[dict[str, Any]]:
    """Yield *messages* as Chat Completions has them, with the calls that they tell in words."""
    said: dict[str, Any] | None = None  # an assistant's words, which calls may follow
    waiting: list[str] = []  # the ids of calls without results
    for message in (
        m if isinstance(m, ChatMessage) else ChatMessage.from_dict(m) for m in messages
    ):
        content = _content(message.content)
        role = MessageRole(message.role)
        calls = _calls_in(content) if role is MessageRole.TOOL_CALL else None
        if calls is not None:
            yield {**(said or {"role": "assistant", "content": ""}), "tool_calls": calls}
            said, waiting = None, [call["id"] for call in calls]
            continue
        if said is not None:
            yield said
            said = None
        if role in (MessageRole.ASSISTANT, MessageRole.TOOL_CALL):
            said = {"role": "assistant", "content": content}
        elif role is MessageRole.TOOL_RESPONSE and waiting:
            told = content.removeprefix("Observation:\n") if isinstance(content, str) else content
            for call_id in waiting:
                yield {"role": "tool", "tool_call_id": call_id, "content": told}
                told = _TOGETHER
            waiting = []
        else:
            role = MessageRole.USER if role is MessageRole.TOOL_RESPONSE else role
            yield {"role": role.value, "content": content}
    if said is not None:
        yield said


def _calls_in(content: Any) -> list[dict[str, Any]] | None:
    """Return the calls that smolagents writes as a list of Python; `None` if there is none."""
    if isinstance(content, str) and content.startswith(_CALLS):
        with suppress(ValueError, SyntaxError):
            calls = literal_eval(content.removeprefix(_CALLS))
            for each in calls:
                each["function"]["arguments"] = as_json(each["function"]["arguments"])
            return list(calls)
    return None


def _content(content: Any) -> Any:
    """Return the content of a message as Chat Completions has it, as text if it is text alone."""
    blocks: list[dict[str, Any]] = []
    for part in [content or ""] if isinstance(content, str | None) else content:
        block = {"type": "text", "text": part} if isinstance(part, str) else part
        if block["type"] == "image" and "image" in block:
            block = image_part(make_image_url(encode_image_base64(block["image"])))
        elif block["type"] not in ("text", "image_url"):
            raise TypeError(
                f"messages cannot contain parts of type {block['type']}: send only text and images"
            )
        blocks.append(block)
    is_text = all(block["type"] == "text" for block in blocks)
    return "\n".join(block["text"] for block in blocks) if is_text else blocks
