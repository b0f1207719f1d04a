"""A model of the OpenAI Agents SDK that calls tools, around one that writes its calls as text.

::

    from agent_serving.openai_agents import AgentsDialectModel

    ask = partial(client.chat.completions.create, model="qwen3")
    agent = Agent("Searcher", model=AgentsDialectModel(ask, "hermes"), tools=[search])

This module imports the SDK: `pip install "agent-parsers[openai-agents]"`.
"""

from __future__ import annotations

import time
from contextlib import aclosing
from dataclasses import fields
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any, Final, Unpack
from uuid import uuid4

from agents import FunctionTool, Model, ModelResponse, Usage, UserError
from openai.types import responses as wire
from openai.types.responses.response_reasoning_item import Summary
from typing_extensions import override

from agent_parsers import ToolSpec
from agent_parsers.core import as_json
from agent_parsers.loop import Asking, AskingOptions, atake_turn, check_model

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from agents import AgentOutputSchemaBase, Handoff, ModelSettings, Tool

__all__ = ["AgentsDialectModel"]

_OURS: Final = ("tool_choice", "parallel_tool_calls", "extra_args")
_SDKS: Final = ("include_usage", "metadata", "preserve_raw_usage", "retry", "store")
"""The settings that are for this module, and those that are for the SDK."""


class AgentsDialectModel(Model):
    """Adds tool calls, handoffs and structured output to a model that writes text.

    The prompt lists the tools and handoffs in the dialect. If a reply cannot be read or calls an
    unknown tool, the model sees the error and tries again. The SDK would end the run.

    Args:
        model: What is asked: a function, also an asynchronous one, as `run_agent` takes it.
            Settings such as ``temperature`` are passed to it.
        dialect: The dialect: a parser, its name, or the name of a model, as `get_parser` takes it.
        hold_content: Whether a stream gives text only when its turn was read.
        model_name: The name of the model.
        **options: How it is asked; see `AskingOptions`.

    Raises (when it is asked):
        OutputParserException: Too many replies in a row could not be read.
        UserError: A tool or the state of the conversation is kept by a server of OpenAI.
    """

    def __init__(
        self,
        model: Any,
        dialect: Any,
        *,
        hold_content: bool = False,
        model_name: str = "",
        **options: Unpack[AskingOptions],
    ) -> None:
        check_model(model, dialect)
        self.model: str = model_name or f"dialect:{dialect}"
        self._asked = model
        self._dialect = dialect
        self._hold_content = hold_content
        self._options = options

    @override
    async def get_response(self, *given: Any, **named: Any) -> ModelResponse:
        asking, model = self._asking(*given, **named)
        async for _ in atake_turn(model, asking, is_streamed=False):
            pass
        said = asking.message
        output = _items(asking, asking.thought, said.text, f"msg_{uuid4().hex}")
        return ModelResponse(output=output, usage=_usage_of(asking), response_id=None)

    @override
    async def stream_response(
        self, *given: Any, **named: Any
    ) -> AsyncIterator[wire.ResponseStreamEvent]:
        asking, model = self._asking(*given, **named)
        texts = {"thought": "", "content": ""}
        number, item_id = count(), f"msg_{uuid4().hex}"
        async with aclosing(atake_turn(model, asking, is_held=self._hold_content)) as turn:
            async for kind, text in turn:
                texts[kind] += text
                about: dict[str, Any] = {"delta": text, "sequence_number": next(number)}
                if kind == "thought":
                    yield wire.ResponseReasoningSummaryTextDeltaEvent(
                        **about,
                        item_id=f"rs_{item_id}",
                        output_index=0,
                        summary_index=0,
                        type="response.reasoning_summary_text.delta",
                    )
                else:
                    yield wire.ResponseTextDeltaEvent(
                        **about,
                        item_id=item_id,
                        output_index=1 if texts["thought"] else 0,
                        content_index=0,
                        logprobs=[],
                        type="response.output_text.delta",
                    )
        output = _items(asking, texts["thought"], texts["content"], item_id)
        for index, item in enumerate(output):
            yield wire.ResponseOutputItemDoneEvent(
                item=item,
                output_index=index,
                sequence_number=next(number),
                type="response.output_item.done",
            )
        used = _usage_of(asking)
        response = wire.Response(
            id=f"resp_{uuid4().hex}",
            created_at=time.time(),
            model=self.model,
            object="response",
            output=output,
            tool_choice="auto",
            tools=[],
            parallel_tool_calls=True,
            usage=wire.ResponseUsage(
                input_tokens=used.input_tokens,
                input_tokens_details=used.input_tokens_details,
                output_tokens=used.output_tokens,
                output_tokens_details=used.output_tokens_details,
                total_tokens=used.total_tokens,
            ),
        )
        yield wire.ResponseCompletedEvent(
            response=response, sequence_number=next(number), type="response.completed"
        )

    def _asking(
        self,
        system_instructions: str | None,
        input: str | list[Any],  # noqa: A002 - the SDK's name
        model_settings: ModelSettings,
        tools: list[Tool],
        output_schema: AgentOutputSchemaBase | None,
        handoffs: list[Handoff],
        tracing: Any = None,  # noqa: ARG002 - the SDK traces the run
        **server: Any,
    ) -> tuple[Asking[Any], Any]:
        """Return what is asked, and the model with its settings."""
        if kept := [name for name, value in server.items() if value is not None]:
            raise UserError(f"leave out {', '.join(kept)}, which only OpenAI's servers support")
        given = {
            field.name: getattr(model_settings, field.name) for field in fields(model_settings)
        }
        given = {name: value for name, value in given.items() if value is not None}
        choice = given.get("tool_choice", "auto")
        if not isinstance(choice, str):
            raise UserError(f"tool_choice must be a string, not {type(choice).__name__}")
        is_typed = output_schema is not None and not output_schema.is_plain_text()
        asking = Asking(
            self._dialect,
            input if isinstance(input, str) else None,
            system=system_instructions or "",
            history=() if isinstance(input, str) else input,
            tools=[_spec(each) for each in (*tools, *handoffs)],
            tool_choice=choice,
            parallel=given.get("parallel_tool_calls") is not False,
            output_type=output_schema.json_schema() if is_typed and output_schema else None,
            plain=True,
            **self._options,
        )
        others = {name: each for name, each in given.items() if name not in (*_OURS, *_SDKS)}
        return asking, partial(self._asked, **others, **given.get("extra_args", {}))


def _spec(tool: Any) -> ToolSpec:
    """Return a tool or a handoff as ours.

    Raises:
        UserError: It is run by a server of OpenAI.
    """
    if isinstance(tool, FunctionTool):
        return ToolSpec(tool.name, tool.description, tool.params_json_schema)
    if not hasattr(tool, "input_json_schema"):
        raise UserError(f"expected a FunctionTool or a Handoff, not {type(tool).__name__}")
    return ToolSpec(tool.tool_name, tool.tool_description, tool.input_json_schema)


def _items(asking: Asking[Any], thought: str, content: str, item_id: str) -> list[Any]:
    """Return the items of a turn."""
    items: list[Any] = []
    if thought:
        summary = [Summary(text=thought, type="summary_text")]
        items.append(
            wire.ResponseReasoningItem(id=f"rs_{item_id}", summary=summary, type="reasoning")
        )
    if content or not asking.actions:
        text = wire.ResponseOutputText(annotations=[], text=content, type="output_text")
        items.append(
            wire.ResponseOutputMessage(
                id=item_id, content=[text], role="assistant", status="completed", type="message"
            )
        )
    calls = [
        wire.ResponseFunctionToolCall(
            call_id=call["id"] or "",
            name=call["name"],
            arguments=as_json(call["args"]),
            type="function_call",
        )
        for call in asking.message.tool_calls
    ]
    return [*items, *calls]


def _usage_of(asking: Asking[Any]) -> Usage:
    used: Any = asking.usage
    if used is None:
        return Usage()
    return Usage(
        requests=1,
        input_tokens=used["input_tokens"],
        output_tokens=used["output_tokens"],
        total_tokens=used["total_tokens"],
    )
