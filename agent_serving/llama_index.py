"""A model of LlamaIndex that calls tools, around a model that writes its calls as text.

::

    from agent_serving.llama_index import DialectLLM

    ask = partial(client.chat.completions.create, model="qwen3")
    agent = FunctionAgent(tools=[search], llm=DialectLLM(model=ask, dialect="hermes"))

This module imports LlamaIndex: `pip install "agent-parsers[llama-index]"`.
"""

from __future__ import annotations

from contextlib import aclosing
from functools import partial
from typing import TYPE_CHECKING, Any

from llama_index.core.base.llms import types as theirs
from llama_index.core.llms.callbacks import llm_chat_callback, llm_completion_callback
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.llms.llm import ToolSelection
from pydantic import Field
from typing_extensions import override

from agent_parsers.core import as_json
from agent_parsers.loop import Asking, AskingOptions, atake_turn, check_model, take_turn
from agent_serving.openai_reply import call_part, image_part

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llama_index.core.tools.types import BaseTool

__all__ = ["DialectLLM"]


class DialectLLM(FunctionCallingLLM):
    """Adds tool calls to a model that writes text, for `FunctionAgent` and programs.

    The prompt lists the tools in the dialect. If a reply cannot be read, the model sees the error
    and tries again. A request without tools, such as those of `ReActAgent`, goes to the model
    unchanged. Other arguments of a call, such as ``temperature``, are passed to the model.

    Raises (when it is asked):
        OutputParserException: Too many replies in a row could not be read.
        TypeError: A message has a block that is neither text nor an image.
    """

    model: Any
    """What is asked: a function, also an asynchronous one, as `run_agent` takes it."""
    dialect: Any
    """The dialect: a parser, its name, or the name of a model, as `get_parser` takes it."""
    options: AskingOptions = Field(default_factory=AskingOptions)
    """How it is asked; see `AskingOptions`."""
    hold_content: bool = False
    """Whether a stream gives text only when its turn was read."""
    model_name: str = ""
    """The name of the model."""
    context_window: int = 32_768
    """How many tokens the model takes."""

    def model_post_init(self, context: Any, /) -> None:
        """Check the model and the name of the dialect."""
        super().model_post_init(context)
        check_model(self.model, self.dialect)

    @classmethod
    @override
    def class_name(cls) -> str:
        return "DialectLLM"

    @property
    @override
    def metadata(self) -> theirs.LLMMetadata:
        return theirs.LLMMetadata(
            context_window=self.context_window,
            is_chat_model=True,
            is_function_calling_model=True,
            model_name=self.model_name or f"dialect:{self.dialect}",
        )

    # -- asking ----------------------------------------------------------------------------------

    @llm_chat_callback()
    @override
    def chat(self, messages: Sequence[theirs.ChatMessage], **kwargs: Any) -> theirs.ChatResponse:
        asking, model = self._asking(messages, **kwargs)
        for _ in take_turn(model, asking, is_streamed=False):
            pass
        return _response(asking, asking.thought, asking.message.text, is_last=True)

    @llm_chat_callback()
    @override
    async def achat(
        self, messages: Sequence[theirs.ChatMessage], **kwargs: Any
    ) -> theirs.ChatResponse:
        asking, model = self._asking(messages, **kwargs)
        async for _ in atake_turn(model, asking, is_streamed=False):
            pass
        return _response(asking, asking.thought, asking.message.text, is_last=True)

    @llm_chat_callback()
    @override
    def stream_chat(
        self, messages: Sequence[theirs.ChatMessage], **kwargs: Any
    ) -> theirs.ChatResponseGen:
        def stream() -> theirs.ChatResponseGen:
            asking, model = self._asking(messages, **kwargs)
            said = {"thought": "", "content": ""}
            for kind, text in take_turn(model, asking, is_held=self.hold_content):
                said[kind] += text
                yield _response(asking, said["thought"], said["content"], kind, text)
            yield _response(asking, said["thought"], said["content"], is_last=True)

        return stream()

    @llm_chat_callback()
    @override
    async def astream_chat(
        self, messages: Sequence[theirs.ChatMessage], **kwargs: Any
    ) -> theirs.ChatResponseAsyncGen:
        async def stream() -> theirs.ChatResponseAsyncGen:
            asking, model = self._asking(messages, **kwargs)
            said = {"thought": "", "content": ""}
            async with aclosing(atake_turn(model, asking, is_held=self.hold_content)) as turn:
                async for kind, text in turn:
                    said[kind] += text
                    yield _response(asking, said["thought"], said["content"], kind, text)
            yield _response(asking, said["thought"], said["content"], is_last=True)

        return stream()

    @llm_completion_callback()
    @override
    def complete(
        self, prompt: str, formatted: bool = False, **kwargs: Any
    ) -> theirs.CompletionResponse:
        return _completion(self.chat([theirs.ChatMessage(prompt)], **kwargs))

    @llm_completion_callback()
    @override
    async def acomplete(
        self, prompt: str, formatted: bool = False, **kwargs: Any
    ) -> theirs.CompletionResponse:
        return _completion(await self.achat([theirs.ChatMessage(prompt)], **kwargs))

    @llm_completion_callback()
    @override
    def stream_complete(
        self, prompt: str, formatted: bool = False, **kwargs: Any
    ) -> theirs.CompletionResponseGen:
        chunks = self.stream_chat([theirs.ChatMessage(prompt)], **kwargs)
        return (_completion(chunk) for chunk in chunks)

    @llm_completion_callback()
    @override
    async def astream_complete(
        self, prompt: str, formatted: bool = False, **kwargs: Any
    ) -> theirs.CompletionResponseAsyncGen:
        chunks = await self.astream_chat([theirs.ChatMessage(prompt)], **kwargs)
        return (_completion(chunk) async for chunk in chunks)

    @override
    def _prepare_chat_with_tools(
        self,
        tools: Sequence[BaseTool],
        user_msg: str | theirs.ChatMessage | None = None,
        chat_history: list[theirs.ChatMessage] | None = None,
        verbose: bool = False,
        allow_parallel_tool_calls: bool = False,
        tool_required: bool = False,
        tool_choice: str | dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> dict[str, Any]:
        messages = [*(chat_history or ())]
        if user_msg is not None:
            messages.append(theirs.ChatMessage(user_msg) if isinstance(user_msg, str) else user_msg)
        return {
            "messages": messages,
            "tools": [tool.metadata.to_openai_tool(skip_length_check=True) for tool in tools],
            "tool_choice": tool_choice or ("required" if tool_required else "auto"),
            "allow_parallel_tool_calls": allow_parallel_tool_calls,
            **kwargs,
        }

    @override
    def get_tool_calls_from_response(
        self, response: theirs.ChatResponse, error_on_no_tool_call: bool = True, **kwargs: Any
    ) -> list[ToolSelection]:
        """Return the calls of a *response*.

        Raises:
            ValueError: There are none, and *error_on_no_tool_call*.
        """
        calls = [
            ToolSelection(
                tool_id=block.tool_call_id or "",
                tool_name=block.tool_name,
                tool_kwargs=block.tool_kwargs,  # an object, in a turn of ours
            )
            for block in response.message.blocks
            if isinstance(block, theirs.ToolCallBlock)
        ]
        if not calls and error_on_no_tool_call:
            raise ValueError(f"expected a tool call, found {response.message.content!r}")
        return calls

    def _asking(
        self,
        messages: Sequence[theirs.ChatMessage],
        *,
        tools: Sequence[Any] = (),
        tool_choice: Any = "auto",
        allow_parallel_tool_calls: bool = True,
        **settings: Any,
    ) -> tuple[Asking[Any], Any]:
        """Return what is asked, and the model with its settings."""
        if isinstance(tool_choice, dict):
            tool_choice = tool_choice["function"]["name"]
        asking = Asking(
            self.dialect,
            history=[_as_chat(message) for message in messages],
            tools=tools,
            tool_choice="required" if tool_choice == "any" else tool_choice,
            parallel=allow_parallel_tool_calls,
            plain=True,
            **self.options,
        )
        return asking, partial(self.model, **settings)


def _response(
    asking: Asking[Any],
    thought: str,
    content: str,
    kind: str = "",
    new: str = "",
    *,
    is_last: bool = False,
) -> theirs.ChatResponse:
    """Return the turn so far, with what is *new* of it, and of what *kind* that is."""
    blocks: list[Any] = [theirs.ThinkingBlock(content=thought)] if thought else []
    blocks += [theirs.TextBlock(text=content)] if content else []
    about: dict[str, Any] = {"thinking_delta": new} if kind == "thought" else {}
    raw = None
    if is_last:
        blocks += (
            theirs.ToolCallBlock(
                tool_call_id=call["id"], tool_name=call["name"], tool_kwargs=call["args"]
            )
            for call in asking.message.tool_calls
        )
        used: Any = asking.usage or {}
        keys = {"prompt": "input", "completion": "output", "total": "total"}
        about |= {f"{k}_tokens": used[f"{v}_tokens"] for k, v in keys.items() if used}
        raw = {"finish_reason": asking.finish_reason}
    message = theirs.ChatMessage(role=theirs.MessageRole.ASSISTANT, blocks=blocks)
    delta = new if kind == "content" else ""
    return theirs.ChatResponse(message=message, delta=delta, additional_kwargs=about, raw=raw)


def _completion(response: theirs.ChatResponse) -> theirs.CompletionResponse:
    return theirs.CompletionResponse(
        text=response.message.content or "",
        delta=response.delta,
        additional_kwargs=response.additional_kwargs,
        raw=response.raw,
    )


# -- messages --------------------------------------------------------------------------------------

_ROLES = {"developer": "system", "chatbot": "assistant", "model": "assistant", "function": "tool"}


def _as_chat(message: theirs.ChatMessage) -> dict[str, Any]:
    """Return a *message* as Chat Completions has it.

    Raises:
        TypeError: It has a block that is neither text nor an image.
    """
    content: list[dict[str, Any]] = []
    beside: dict[str, Any] = {}
    for block in message.blocks:
        match block:
            case theirs.TextBlock():
                content.append({"type": "text", "text": block.text})
            case theirs.ImageBlock():
                content.append(image_part(_url(block)))
            case theirs.ThinkingBlock():
                beside["reasoning_content"] = block.content or ""
            case theirs.ToolCallBlock():
                given = block.tool_kwargs
                arguments = given if isinstance(given, str) else as_json(given)
                call = call_part(block.tool_call_id, block.tool_name, arguments)
                beside.setdefault("tool_calls", []).append(call)
            case theirs.CachePoint():
                pass
            case _:
                raise TypeError(
                    f"messages cannot contain {type(block).__name__}: send only text and images"
                )
    role = _ROLES.get(message.role.value, message.role.value)
    if role == "tool":
        beside["tool_call_id"] = message.additional_kwargs.get("tool_call_id", "")
    is_text = all(block["type"] == "text" for block in content)
    said = "\n".join(block["text"] for block in content) if is_text else content
    return {"role": role, "content": said, **beside}


def _url(block: theirs.ImageBlock) -> str:
    if block.url is not None:
        return str(block.url)
    data = block.resolve_image(as_base64=True).read().decode()
    return f"data:{block.image_mimetype or 'image/png'};base64,{data}"
