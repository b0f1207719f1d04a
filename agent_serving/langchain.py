"""A chat model of LangChain that calls tools, around a model that writes its calls as text.

::

    from agent_serving.langchain import DialectChatModel

    model = DialectChatModel(llm=ChatOpenAI(base_url=…), dialect="hermes")
    agent = create_agent(model, tools=[search])

This module imports LangChain: `pip install "agent-parsers[langchain]"`.
"""

from __future__ import annotations

from contextlib import aclosing
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.exceptions import OutputParserException
from langchain_core.language_models import BaseChatModel, BaseLLM
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.messages.ai import UsageMetadata
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.output_parsers import (
    JsonOutputKeyToolsParser,
    JsonOutputParser,
    PydanticOutputParser,
    PydanticToolsParser,
)
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable, RunnableLambda
from langchain_core.utils.function_calling import convert_to_json_schema, convert_to_openai_tool
from langchain_core.utils.pydantic import is_basemodel_subclass
from typing_extensions import override

from agent_parsers import get_parser, to_langchain
from agent_parsers.core import as_json, errors_of_both
from agent_parsers.loop import Asking, OnBadCall, ToolsIn, atake_turn, take_turn

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator, Sequence

    from langchain_core.language_models import LangSmithParams, LanguageModelInput, ModelProfile
    from langchain_core.messages import BaseMessage
    from langchain_core.outputs import LLMResult

__all__ = ["DialectChatModel"]


class DialectChatModel(BaseChatModel):
    """Adds tool calls, streaming and structured output to a model that writes text.

    The prompt lists the tools in the dialect and the calls come back as `tool_calls`, so that
    LangChain, LangGraph and what is built on them can use it like a model with native calls. If a
    reply cannot be read, the model sees the error and tries again. A request without tools and
    without calls in its history goes to the model unchanged.

    The callbacks of a run see this model alone; those set on *llm* itself see its requests.
    Settings such as ``temperature``, given to a call or by `bind`, go to *llm*.

    A message says in ``response_metadata`` how it ended (``finish_reason``), what was wrong with
    turns that were asked again (``failed_turns``) and what was ``repaired``.

    Raises (by ``invoke`` and the like):
        OutputParserException: More than *max_retries* replies in a row could not be read. It is an
            exception of LangChain as well as ours.
        ModelRefusalError: The model refused.
        TypeError: A tool is one that only a provider runs.
        ValueError: *tool_choice* is no tool.
    """

    llm: Any
    """What is asked: a chat model or LLM of LangChain, or a function, as `run_agent` takes it."""
    dialect: Any
    """The dialect: a parser, its name, or the name of a model, as `get_parser` takes it."""
    max_retries: int = 2
    """How many replies in a row may be unreadable."""
    on_bad_call: OnBadCall = "retry"
    """Who corrects calls of unknown tools and wrong inputs: the model, asked again, or, with
    ``"return"``, LangChain, which gets the call as it was written."""
    tools_in: ToolsIn = "prompt"
    """Where the model learns of the tools; see `ToolsIn`."""
    as_messages: bool | None = None
    """Whether *llm* takes messages; by default all but LangChain's LLMs do."""
    hold_content: bool = False
    """Whether a stream gives content only when its turn was read. What was streamed cannot be taken
    back: words beside a call that is asked for again stay, and a wrong answer raises an error."""

    @override
    def model_post_init(self, context: Any, /) -> None:
        super().model_post_init(context)
        if isinstance(self.dialect, str):
            get_parser(self.dialect)  # a wrong name is an error now

    @property
    @override
    def _llm_type(self) -> str:
        return "dialect-chat-model"

    @property
    @override
    def _identifying_params(self) -> dict[str, Any]:  # by which LangChain's cache knows a model
        inner = getattr(self.llm, "_identifying_params", None) or repr(self.llm)
        names = ("tools_in", "on_bad_call", "max_retries", "as_messages", "hold_content")
        mine = {name: getattr(self, name) for name in names}
        return {"llm": inner, "dialect": repr(self.dialect), **mine}

    @override
    def get_token_ids(self, text: str) -> list[int]:
        known = getattr(self.llm, "get_token_ids", super().get_token_ids)
        ids: list[int] = known(text)
        return ids

    @override
    def _get_ls_params(self, stop: list[str] | None = None, **kwargs: Any) -> LangSmithParams:
        of_llm = getattr(self.llm, "_get_ls_params", super()._get_ls_params)
        name = self._name or str(self.dialect)
        return {"ls_model_name": name, **of_llm(stop=stop, **kwargs), "ls_model_type": "chat"}

    @override
    def _resolve_model_profile(self) -> ModelProfile:
        of_llm = getattr(self.llm, "profile", None) or {}
        able = {"tool_calling": True, "tool_choice": True, "structured_output": True}
        return {**of_llm, **able}  # type: ignore[typeddict-item]

    @override
    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | Any],
        *,
        tool_choice: str | bool | dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """Return the model with *tools*.

        Args:
            tools: The tools, as LangChain takes them.
            tool_choice: ``"auto"``, ``"none"``, ``"any"`` or ``"required"``, or the name of the
                tool that has to be called. It is enforced: an answer is asked for again.
            **kwargs: ``parallel_tool_calls=False`` allows one call in a turn. ``response_format``
                is a JSON Schema of the answer, as OpenAI takes it. Others go to the model.

        Raises:
            TypeError: A tool is one that only a provider runs.
        """
        for tool in tools:
            if isinstance(tool, dict) and _is_run_elsewhere(tool):
                raise TypeError(
                    "a model that writes its calls as text cannot call a tool that only a provider"
                    f" runs: pass a tool of your own; this one has the keys {', '.join(tool)}"
                )
        given = [convert_to_openai_tool(tool) for tool in tools]
        return self.bind(tools=given, tool_choice=tool_choice, **kwargs)

    @override
    def with_structured_output(
        self,
        schema: dict[str, Any] | type,
        *,
        include_raw: bool = False,
        method: str = "json_schema",
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, Any]:
        """Return the model with answers that fit a *schema*.

        Args:
            schema: A pydantic model, a `TypedDict`, a JSON Schema or a tool of OpenAI.
            include_raw: Whether to return the message and an error as well, as LangChain does.
            method: ``"json_schema"`` asks for an answer in JSON, which is checked against the
                schema and asked for again; ``"function_calling"`` for a call; ``"json_mode"`` for
                any object, without telling the model of the schema.
            **kwargs: Others go to the model.

        Raises:
            ValueError: There is no such *method*.
        """
        kwargs.pop("strict", None)  # it always is
        about = {"kwargs": {"method": method}, "schema": schema}
        is_model = isinstance(schema, type) and is_basemodel_subclass(schema)
        kind: Any = schema
        asked: Any
        parser: Any
        if method in ("json_schema", "json_mode"):
            form = {"type": method, "json_schema": {"schema": convert_to_json_schema(schema)}}
            kwargs["response_format"] = {"type": "json_object"} if method == "json_mode" else form
            asked = self.bind(ls_structured_output_format=about, **kwargs)
            parser = PydanticOutputParser(pydantic_object=kind) if is_model else None
            parser = parser or JsonOutputParser()
        elif method == "function_calling":
            asked = self.bind_tools(
                [schema], tool_choice="any", ls_structured_output_format=about, **kwargs
            )
            parser = PydanticToolsParser(tools=[kind], first_tool_only=True) if is_model else None
            name = convert_to_openai_tool(schema)["function"]["name"]
            parser = parser or JsonOutputKeyToolsParser(key_name=name, first_tool_only=True)
        else:
            known = "'json_schema', 'function_calling' or 'json_mode'"
            raise ValueError(f"method must be {known}, not {method!r}")
        if not include_raw:
            plain: Runnable[LanguageModelInput, Any] = asked | parser
            return plain

        def read(given: Any) -> dict[str, Any]:
            error = given if isinstance(given, OutputParserException) else None
            raw = AIMessage(error.llm_output or "") if error else given
            try:
                parsed = None if error else parser.invoke(raw)
            except OutputParserException as wrong:
                error, parsed = wrong, None
            return {"raw": raw, "parsed": parsed, "parsing_error": error}

        safe: Any = (RunnableLambda(itemgetter("messages")) | asked).with_fallbacks(
            [RunnableLambda(itemgetter("error"))],
            exceptions_to_handle=(OutputParserException,),
            exception_key="error",
        )
        given: Any = RunnableLambda(lambda messages: {"messages": messages})
        chain: Runnable[LanguageModelInput, Any] = given | safe | read
        return chain

    # -- asking ----------------------------------------------------------------------------------

    @override
    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: Any = None,
        **kwargs: Any,
    ) -> ChatResult:
        asking, model = self._asking(messages, stop, kwargs, "invoke")
        with errors_of_both():
            for _ in take_turn(model, asking, is_streamed=False):
                pass
        return self._result(asking)

    @override
    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: Any = None,
        **kwargs: Any,
    ) -> ChatResult:
        asking, model = self._asking(messages, stop, kwargs, "ainvoke")
        with errors_of_both():
            async for _ in atake_turn(model, asking, is_streamed=False):
                pass
        return self._result(asking)

    @override
    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: Any = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        asking, model = self._asking(messages, stop, kwargs, "stream")
        with errors_of_both():
            for kind, text in take_turn(model, asking, is_held=self.hold_content):
                yield _chunk(kind, text)
        yield self._end(asking)

    @override
    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: Any = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        asking, model = self._asking(messages, stop, kwargs, "astream")
        turn = atake_turn(model, asking, is_held=self.hold_content)
        with errors_of_both():
            async with aclosing(turn):
                async for kind, text in turn:
                    yield _chunk(kind, text)
        yield self._end(asking)

    def _asking(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None,
        settings: dict[str, Any],
        method: str,
    ) -> tuple[Asking[Any], Any]:
        """Return what is asked, and the model that is asked by a *method* of LangChain's models."""
        settings.pop("ls_structured_output_format", None)
        settings.pop("strict", None)  # inputs and answers always are
        choice = settings.pop("tool_choice", None) or "auto"
        parallel = settings.pop("parallel_tool_calls", None) is not False
        if isinstance(choice, dict):
            parallel = parallel and not choice.get("disable_parallel_tool_use")  # Anthropic's
            choice = choice.get("function", choice).get("name", choice.get("type"))
        inner = self.llm
        stops = [*(stop or ())]
        while hasattr(inner, "bound"):
            stops += inner.kwargs.get("stop") or ()
            inner = inner.bound
        as_messages = self.as_messages
        asking = Asking(
            self.dialect,
            history=messages,
            tools=settings.pop("tools", ()),
            tool_choice="required" if choice in ("any", True) else choice,
            parallel=parallel,
            output_type=_schema_in(settings.pop("response_format", None)),
            stop=stops,
            plain=True,
            tools_in=self.tools_in,
            as_messages=not isinstance(inner, BaseLLM) if as_messages is None else as_messages,
            on_bad_call=self.on_bad_call,
            max_retries=self.max_retries,
        )
        if isinstance(self.llm, Runnable):  # whose events would be taken for those of this model
            bound = self.llm.bind(**settings) if settings else self.llm
            if isinstance(inner, BaseLLM):
                return asking, _from_llm(bound, method)
            return asking, partial(getattr(bound, method), config={"callbacks": []})
        return asking, partial(self.llm, **settings)

    def _result(self, asking: Asking[Any]) -> ChatResult:
        said = asking.message
        message = AIMessage(
            said.text,
            tool_calls=said.tool_calls,
            additional_kwargs=said.additional_kwargs,
            response_metadata=self._about(asking),
            usage_metadata=asking.usage,
        )
        return ChatResult(generations=[ChatGeneration(message=message)])

    def _end(self, asking: Asking[Any]) -> ChatGenerationChunk:
        """Return the last chunk, which has the calls: a chunk with half of one would be a call."""
        chunks = [
            tool_call_chunk(name=call["name"], args=as_json(call["args"]), id=call["id"], index=at)
            for at, call in enumerate(asking.message.tool_calls)
        ]
        message = AIMessageChunk(
            content="",
            tool_call_chunks=chunks,
            response_metadata=self._about(asking),
            usage_metadata=asking.usage,
            chunk_position="last",
        )
        return ChatGenerationChunk(message=message)

    def _about(self, asking: Asking[Any]) -> dict[str, Any]:
        """Return the metadata of a reply."""
        about = {
            "finish_reason": asking.finish_reason,
            "model_name": self._name,
            "failed_turns": [str(each) for each in asking.steps],
            "repaired": [each.message for each in asking.repairs],
        }
        return {name: value for name, value in about.items() if value}

    @property
    def _name(self) -> str | None:
        """The name of the model that is asked."""
        names = (getattr(self.llm, name, None) for name in ("model_name", "model"))
        return next((name for name in names if isinstance(name, str)), None)


class _LastResult(BaseCallbackHandler):
    """Keeps the result of an LLM, whose methods return the bare text."""

    run_inline = True

    def __init__(self) -> None:
        self._result: LLMResult | None = None

    @override
    def on_llm_end(self, response: LLMResult, **kwargs: Any) -> None:
        self._result = response

    def message(self, text: str) -> AIMessageChunk:
        """Return *text* as a message with its stop reason and its number of tokens."""
        result = self._result
        if result is None or not (result.generations and result.generations[0]):
            return AIMessageChunk(content=text)
        about = dict(result.generations[0][0].generation_info or {})
        usage = (result.llm_output or {}).get("token_usage") or {}
        sent, got = usage.get("prompt_tokens"), usage.get("completion_tokens")
        counted = None
        if isinstance(sent, int) and isinstance(got, int):
            counted = UsageMetadata(input_tokens=sent, output_tokens=got, total_tokens=sent + got)
        return AIMessageChunk(content=text, response_metadata=about, usage_metadata=counted)


def _from_llm(llm: Any, method: str) -> Callable[..., Any]:
    """Return a function that asks an *llm* by a *method*, and whose replies say how they ended."""

    def given(prompt: Any, stop: Any) -> tuple[_LastResult, Any, dict[str, Any]]:
        seen = _LastResult()
        asked = prompt if isinstance(prompt, str) else to_langchain(prompt)
        return seen, asked, {"config": {"callbacks": [seen]}, **({"stop": stop} if stop else {})}

    def invoke(prompt: Any, stop: Any = None) -> Any:
        seen, asked, settings = given(prompt, stop)
        return seen.message(llm.invoke(asked, **settings))

    async def ainvoke(prompt: Any, stop: Any = None) -> Any:
        seen, asked, settings = given(prompt, stop)
        return seen.message(await llm.ainvoke(asked, **settings))

    def stream(prompt: Any, stop: Any = None) -> Iterator[Any]:
        seen, asked, settings = given(prompt, stop)
        yield from llm.stream(asked, **settings)
        yield seen.message("")

    async def astream(prompt: Any, stop: Any = None) -> AsyncIterator[Any]:
        seen, asked, settings = given(prompt, stop)
        async with aclosing(llm.astream(asked, **settings)) as chunks:
            async for chunk in chunks:
                yield chunk
        yield seen.message("")

    ways = {"invoke": invoke, "ainvoke": ainvoke, "stream": stream, "astream": astream}
    return ways[method]


def _chunk(kind: str, text: str) -> ChatGenerationChunk:
    beside = {"reasoning_content": text} if kind == "thought" else {}
    content = text if kind == "content" else ""
    return ChatGenerationChunk(message=AIMessageChunk(content=content, additional_kwargs=beside))


def _is_run_elsewhere(tool: dict[str, Any]) -> bool:
    """Return whether a *tool* is one that only a provider runs, which has a type of its own."""
    is_plain = tool.get("type") in (None, "function", "object")
    return not is_plain and not {"function", "parameters", "input_schema"} & tool.keys()


def _schema_in(response_format: Any) -> Any:
    """Return the schema of an answer in a *response_format*; `None` if it has none."""
    if response_format is None or response_format == {"type": "text"}:
        return None
    if not isinstance(response_format, dict):
        return convert_to_json_schema(response_format)
    kind = response_format.get("type")
    if kind == "json_schema":
        return response_format["json_schema"]["schema"]
    return {"type": "object"} if kind == "json_object" else response_format
