"""A model of Pydantic AI that calls tools, around a model that writes its calls as text.

::

    from agent_serving.pydantic_ai import DialectModel

    ask = partial(client.chat.completions.create, model="qwen3")
    agent = Agent(DialectModel(ask, "hermes"), tools=[search])

This module imports Pydantic AI: `pip install "agent-parsers[pydantic-ai]"`.
"""

from __future__ import annotations

from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

from pydantic_ai import messages as theirs
from pydantic_ai.exceptions import UserError
from pydantic_ai.models import Model, StreamedResponse

# What their own models call, though its module is private.
from pydantic_ai.models._tool_choice import resolve_tool_choice
from pydantic_ai.usage import RequestUsage
from typing_extensions import override

from agent_parsers import MultiActionDialectParser, ToolSpec
from agent_parsers.loop import Asking, AskingOptions, atake_turn, check_model
from agent_serving.openai_reply import call_part, image_part

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Iterator

    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.profiles import ModelProfile
    from pydantic_ai.settings import ModelSettings
    from pydantic_ai.tools import RunContext

__all__ = ["DialectModel"]


class DialectModel(Model):
    """Adds tool calls and structured output to a model that writes text.

    The prompt lists the tools in the dialect. If a reply cannot be read, the model sees the error
    and tries again. ``output_type`` works as an output tool, by default, and as `NativeOutput`.

    Args:
        model: What is asked: a function, also an asynchronous one, as `run_agent` takes it.
            Settings such as ``temperature`` are passed to it.
        dialect: The dialect: a parser, its name, or the name of a model, as `get_parser` takes it.
        hold_content: Whether a stream gives text only when its turn was read. By default it does if
            the dialect may have text beside calls, because `Agent.run_stream` takes the first text
            for the answer.
        model_name: The name of the model.
        settings: Settings for all requests.
        profile: What the model can do beside this.
        **options: How it is asked; see `AskingOptions`.

    Raises (when it is asked):
        OutputParserException: Too many replies in a row could not be read.
        UserError: A message has a part that a text model does not take.
    """

    def __init__(
        self,
        model: Any,
        dialect: Any,
        *,
        hold_content: bool | None = None,
        model_name: str = "",
        settings: ModelSettings | None = None,
        profile: ModelProfile | None = None,
        **options: Unpack[AskingOptions],
    ) -> None:
        check_model(model, dialect)
        able: ModelProfile = {"supports_json_schema_output": True, **(profile or {})}
        super().__init__(settings=settings, profile=able)
        self._model = model
        self._dialect = dialect
        self._hold_content = hold_content
        self._model_name = model_name or f"dialect:{dialect}"
        self._options = options

    @property
    @override
    def model_name(self) -> str:
        return self._model_name

    @property
    @override
    def system(self) -> str:
        return "agent-parsers"

    @override
    async def request(
        self,
        messages: list[theirs.ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> theirs.ModelResponse:
        asking, model, _ = self._asking(messages, model_settings, model_request_parameters)
        async for _ in atake_turn(model, asking, is_streamed=False):
            pass
        said = asking.message
        thought = [theirs.ThinkingPart(asking.thought)] if asking.thought else []
        text = [theirs.TextPart(said.text)] if said.text else []
        calls = [
            theirs.ToolCallPart(call["name"], call["args"], call["id"] or "")
            for call in said.tool_calls
        ]
        return theirs.ModelResponse(
            [*thought, *text, *calls],
            usage=_usage_of(asking),
            model_name=self.model_name,
            finish_reason=_finish_reason(asking),
        )

    @asynccontextmanager
    @override
    async def request_stream(
        self,
        messages: list[theirs.ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncIterator[StreamedResponse]:
        asking, model, params = self._asking(messages, model_settings, model_request_parameters)
        is_held = self._hold_content
        if is_held is None:  # otherwise all text is the answer
            is_held = isinstance(asking.parser, MultiActionDialectParser)
        async with aclosing(atake_turn(model, asking, is_held=is_held)) as turn:
            yield _Streamed(params, self.model_name, asking, turn, is_held)

    def _asking(
        self,
        messages: list[theirs.ModelMessage],
        settings: ModelSettings | None,
        params: ModelRequestParameters,
    ) -> tuple[Asking[Any], Any, ModelRequestParameters]:
        """Return what is asked, the model with its settings, and the parameters as resolved."""
        settings, params = self.prepare_request(settings, params)
        choice: Any = resolve_tool_choice(settings, params)
        tools = [*params.declared_function_tools, *params.output_tools]
        if isinstance(choice, tuple):
            choice, names = choice
            tools = [tool for tool in tools if tool.name in names]
        given: dict[str, Any] = {**(settings or {})}
        given.pop("tool_choice", None)
        native = params.output_object if params.output_mode == "native" else None
        asking = Asking(
            self._dialect,
            system="\n\n".join(
                part.content for part in self._get_instruction_parts(messages, params) or ()
            ),
            history=[each for message in messages for each in _as_chat(message)],
            tools=[
                ToolSpec(tool.name, tool.description or "", tool.parameters_json_schema)
                for tool in tools
            ],
            tool_choice=choice,
            output_type=native and native.json_schema,
            parallel=given.pop("parallel_tool_calls", None) is not False,
            stop=given.pop("stop_sequences", None) or (),
            plain=True,
            **self._options,
        )
        return asking, partial(self._model, **given), params


@dataclass
class _Streamed(StreamedResponse):
    """A response that arrives."""

    _name: str
    _asking: Asking[Any]
    _turn: AsyncGenerator[tuple[str, str]]
    _is_held: bool
    _at: datetime = field(default_factory=partial(datetime.now, UTC))

    @override
    async def _get_event_iterator(self) -> AsyncIterator[theirs.ModelResponseStreamEvent]:
        parts = self._parts_manager
        async for kind, text in self._turn:
            if kind == "content" and self._is_held and self._asking.actions:  # it is no answer
                self.model_request_parameters = replace(
                    self.model_request_parameters, allow_text_output=False
                )
            handle = parts.handle_thinking_delta if kind == "thought" else parts.handle_text_delta
            for event in handle(vendor_part_id=kind, content=text):
                yield event
        for call in self._asking.message.tool_calls:
            yield parts.handle_tool_call_part(
                vendor_part_id=None,
                tool_name=call["name"],
                args=call["args"],
                tool_call_id=call["id"],
            )
        self._usage = _usage_of(self._asking)
        self.finish_reason = _finish_reason(self._asking)

    async def close_stream(self) -> None:
        """Close the source."""
        await self._turn.aclose()

    @property
    @override
    def model_name(self) -> str:
        return self._name

    @property
    @override
    def provider_name(self) -> str:
        return "agent-parsers"

    @property
    @override
    def provider_url(self) -> None:
        return None

    @property
    @override
    def timestamp(self) -> datetime:
        return self._at


def _usage_of(asking: Asking[Any]) -> RequestUsage:
    used: Any = asking.usage or {}
    return RequestUsage(
        input_tokens=used.get("input_tokens", 0), output_tokens=used.get("output_tokens", 0)
    )


def _finish_reason(asking: Asking[Any]) -> theirs.FinishReason:
    reason = asking.finish_reason
    return "tool_call" if reason == "tool_calls" else reason


# -- messages --------------------------------------------------------------------------------------


def _as_chat(message: theirs.ModelMessage) -> Iterator[dict[str, Any]]:
    """Yield a *message* as Chat Completions has it.

    Raises:
        UserError: It has a part that a text model does not take.
    """
    if isinstance(message, theirs.ModelRequest):
        for part in message.parts:
            match part:
                case theirs.SystemPromptPart():
                    yield {"role": "system", "content": part.content}
                case theirs.UserPromptPart():
                    yield {"role": "user", "content": _content(part.content)}
                case theirs.ToolReturnPart():
                    text, files = part.model_response_str_and_user_content(wrap_if_error=False)
                    yield {"role": "tool", "tool_call_id": part.tool_call_id, "content": text}
                    if files:
                        yield {"role": "user", "content": _content(files)}
                case _:
                    raise _refused(part)
        return
    said: dict[str, Any] = {"role": "assistant", "content": message.text or ""}
    if message.thinking:
        said["reasoning_content"] = message.thinking
    calls = [
        call_part(part.tool_call_id, part.tool_name, part.args_as_json_str())
        for part in message.parts
        if isinstance(part, theirs.ToolCallPart)
    ]
    yield {**said, **({"tool_calls": calls} if calls else {})}


def _content(content: Any) -> Any:
    """Return what a user said as Chat Completions has it."""
    if isinstance(content, str):
        return content
    blocks: list[dict[str, Any]] = []
    for part in content:
        match part:
            case str():
                blocks.append({"type": "text", "text": part})
            case theirs.TextContent():
                blocks.append({"type": "text", "text": part.content})
            case theirs.ImageUrl():
                blocks.append(image_part(part.url))
            case theirs.BinaryContent() if part.is_image:
                blocks.append(image_part(part.data_uri))
            case theirs.CachePoint():
                pass
            case _:
                raise _refused(part)
    return blocks


def _refused(part: object) -> UserError:
    return UserError(f"messages cannot contain {type(part).__name__}: send only text and images")
