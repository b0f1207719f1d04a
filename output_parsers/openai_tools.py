"""Parsers of tool calls: all calls of a message, or those of one tool.

The calls are in ``message.tool_calls`` or, in legacy messages, as raw JSON in
``message.additional_kwargs["tool_calls"]``; see `parse_tool_call`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Literal, cast, overload

from pydantic import field_validator
from typing_extensions import TypeVar, override

from output_parsers.base import is_default
from output_parsers.exceptions import OutputParserException
from output_parsers.runnables.langchain import is_langchains
from output_parsers.tool_calls.calls import (
    check_content,
    make_invalid_tool_call,
    message_in,
    no_name,
    no_object,
    parse_tool_call,
    parse_tool_calls,
    raise_all,
)
from output_parsers.tool_calls.models import build, check_model, name_of
from output_parsers.tool_calls.refusal import check_refusal
from output_parsers.tool_calls.streams import CallPlace, ParsedCall, ToolCallsReader
from output_parsers.transform import BaseCumulativeTransformOutputParser
from output_parsers.types.models import dump, is_v1_model
from outputs.messages.wire_calls import unread_calls

if TYPE_CHECKING:
    from output_parsers.model_output import ModelOutput
    from output_parsers.runnables.step import RunnableConfig
    from output_parsers.streams.readers import ChunkReader
    from outputs import Generation

__all__ = [
    "JsonOutputKeyToolsParser",
    "JsonOutputToolsParser",
    "PydanticToolsParser",
    "make_invalid_tool_call",
    "parse_tool_call",
    "parse_tool_calls",
]

_CUT_SHORT = (
    "The model stopped for the `max_tokens` stop reason, so its tool call is probably cut short:"
    " raise `max_tokens`, or ask for less."
)

Calls = TypeVar("Calls", default=Any)
"""What a subclass turns the calls into."""
Tool = TypeVar("Tool")


class JsonOutputToolsParser(BaseCumulativeTransformOutputParser[Calls]):
    """Returns the tool calls of a message, in order.

    ::

        [{"type": "search", "args": {"query": "rain"}}]

    For a message without calls it returns ``[]``. A stream yields this first, and then the calls
    with the arguments so far; with ``diff`` it yields what changed, as lists of JSON Patch
    operations (RFC 6902). It ends with the result or the error for the whole message.

    Results share the arguments with the message and with each other: treat them as read-only.

    Raises:
        OutputParserException: There is no message, only text, the arguments of some calls are not
            JSON, or its content has calls that are not among those of the message.
        ModelRefusalError: The model refused, whatever it called.
    """

    strict: bool = False
    """Refuse control characters, such as line breaks, in the strings of raw calls."""

    return_id: bool = False
    """Add the ``id`` of each call."""

    first_tool_only: bool = False
    """Return only the first call instead of the list."""

    @override
    def parse_result(self, result: list[Generation], *, partial: bool = False) -> Any:
        """Return the calls in the message of the first generation in *result*; see the class.

        Args:
            result: What a chat model generated.
            partial: Whether more may follow; then calls that cannot be read are left out.
        """
        return self._parse(message_in(result), partial=partial)

    @override
    def invoke(
        self, input: ModelOutput, config: RunnableConfig | None = None, **kwargs: Any
    ) -> Calls:
        if config is not None and (theirs := self._in_langchain(config)) is not None:
            read = partial(JsonOutputToolsParser.invoke, self)
            return cast("Calls", theirs.run(read, input, config))
        # Another library's message is used as it is: converting it would take longer than parsing.
        message = getattr(input, "message", input)
        if self._is_overridden() or not hasattr(message, "additional_kwargs"):
            return super().invoke(input, config, **kwargs)
        calls: Calls = self._parse(message)
        return calls

    @override
    async def ainvoke(
        self, input: ModelOutput, config: RunnableConfig | None = None, **kwargs: Any
    ) -> Calls:
        if self._waits() or is_langchains(config):
            return await super().ainvoke(input, config, **kwargs)
        return self.invoke(input, config, **kwargs)

    @override
    def _waits(self) -> bool:
        return not (is_default(self.aparse_result) and is_default(self.aparse))

    def _parse(self, message: Any, *, partial: bool = False) -> Any:
        check_refusal(message)
        if not partial:
            check_content(message)
        try:
            calls = self._calls_in(message, partial=partial)
            return self._result_of(calls, partial=partial)
        except ValueError as error:
            if not partial and _is_cut_short(message):
                import logging

                logging.getLogger(__name__).exception(_CUT_SHORT)
                error.add_note(_CUT_SHORT)
            raise

    @override
    def parse(self, text: str) -> Any:
        """Not supported: tool calls are in a message, not in its text.

        Raises:
            NotImplementedError: Always.
        """
        raise NotImplementedError(
            "tool calls are in a message, not in its text: pass the message to invoke"
        )

    def _calls_in(self, message: Any, *, partial: bool) -> list[ParsedCall] | None:
        """Return the calls of *message*, or `None` if it has no field for calls."""
        is_ai = getattr(message, "type", "ai") in ("ai", "AIMessageChunk")
        entries: Any = unread_calls(message) if is_ai and not partial else None
        if entries is None:
            if is_ai and (calls := getattr(message, "tool_calls", None)):
                return [ParsedCall(call["name"], call["args"], call.get("id")) for call in calls]
            entries = (message.additional_kwargs or {}).get("tool_calls")
            if entries is None:
                return None
            if not isinstance(entries, list | tuple):
                raise OutputParserException(
                    f"expected a list of tool calls, found {type(entries).__name__}",
                    llm_output=repr(entries),
                    observation="Your tool calls cannot be read. Call a tool again.",
                )
            is_ai = False
        found = [self._read(entry, partial=partial, is_ai=is_ai) for entry in entries]
        return [call for call in found if call is not None]

    def _read(self, entry: Any, *, partial: bool, is_ai: bool) -> ParsedCall | None:
        """Read one call in OpenAI's format; the result of a broken call has an ``error``."""
        try:
            call = parse_tool_call(entry, partial=partial, strict=self.strict and not is_ai)
        except OutputParserException as error:
            function = entry.get("function") if isinstance(entry, dict) else None
            name = function.get("name") if isinstance(function, dict) else None
            return ParsedCall(name or "", {}, None, error=error)
        if call is None:
            return None
        parsed = ParsedCall(call["name"], call["args"], call["id"])
        if is_ai and not parsed.name:
            parsed.error = no_name(entry)
        elif is_ai and not isinstance(parsed.args, dict):
            parsed.error = no_object(parsed.name, parsed.args)
        return parsed

    def _result_of(self, calls: list[ParsedCall] | None, *, partial: bool) -> Any:  # noqa: ARG002
        """Return the parser's result for *calls*, found by `_calls_in` or in a stream.

        With *partial* the last call may still grow.
        """
        if calls is None:
            return []
        calls = calls[:1] if self.first_tool_only else calls
        raise_all(call.error for call in calls)
        results = [self._described(call) for call in calls]
        if self.first_tool_only:
            return results[0] if results else None
        return results

    def _described(self, call: ParsedCall) -> dict[str, Any]:
        if self.return_id:
            return {"args": call.args, "id": call.id, "type": call.name}
        return {"args": call.args, "type": call.name}

    @override
    def _diff(self, prev: Any, next: Any) -> Any:
        import jsonpatch

        return jsonpatch.make_patch(prev, next).patch

    @override
    def _reader(self) -> ChunkReader[Any]:
        # A subclass that overrides `parse_result` gets the sum of all chunks each time.
        if self._is_overridden():
            return super()._reader()
        return ToolCallsReader(self, places=self._places if self._reports_changes() else None)

    def _reports_changes(self) -> bool:
        """Return whether the results are made of calls as they are, whose changes are reported."""
        cls, own = JsonOutputToolsParser, type(self)
        is_ours = own._result_of in (cls._result_of, JsonOutputKeyToolsParser._result_of)
        same = own._diff is cls._diff and own._described is cls._described
        return self.diff and is_ours and same

    def _places(self, calls: list[ParsedCall]) -> list[tuple[ParsedCall, CallPlace]]:
        """Return where the result for *calls* has each of them."""
        if self.first_tool_only:
            return [(call, CallPlace("", "/args", "/type")) for call in calls[:1]]
        return [
            (call, CallPlace(f"/{number}", f"/{number}/args", f"/{number}/type"))
            for number, call in enumerate(calls)
        ]

    def _is_overridden(self) -> bool:
        own = JsonOutputToolsParser.parse_result
        return getattr(self.parse_result, "__func__", None) is not own


class JsonOutputKeyToolsParser(JsonOutputToolsParser):
    """Returns the arguments of all calls of one tool, in order.

    ::

        JsonOutputKeyToolsParser(key_name="search")  # returns [{"query": "rain"}]

    With ``first_tool_only``, only those of the first such call, or `None`. With ``return_id``, each
    is a dictionary as in `JsonOutputToolsParser`. Streams and errors are the same as there.
    """

    key_name: str
    """The tool's name."""

    @override
    def _result_of(self, calls: list[ParsedCall] | None, *, partial: bool) -> Any:
        named = [call for call in calls or () if call.name == self.key_name]
        counting = named[:1] if self.first_tool_only else calls or ()
        raise_all(call.error for call in counting)
        results = [self._described(call) if self.return_id else call.args for call in named]
        if self.first_tool_only:
            return results[0] if results else None
        return results

    @override
    def _places(self, calls: list[ParsedCall]) -> list[tuple[ParsedCall, CallPlace]]:
        places = super()._places([call for call in calls if call.name == self.key_name])
        if self.return_id:
            return places
        return [(call, CallPlace(place.call, place.call, None)) for call, place in places]


def _is_cut_short(message: Any) -> bool:
    metadata = getattr(message, "response_metadata", None) or {}
    stop: object = metadata.get("stop_reason")
    finish: object = metadata.get("finish_reason")
    return stop == "max_tokens" or finish == "length"


class PydanticToolsParser(JsonOutputToolsParser[Calls]):
    """Returns the tool calls of a message as pydantic objects, in order.

    ::

        class Search(BaseModel):
            query: str

        PydanticToolsParser(tools=[Search])  # returns [Search(query="rain")]

    A stream yields each object as soon as the arguments so far are valid, and again as they grow,
    though not after every chunk if there are many values. It ends with the result or the error for
    the whole message. With ``diff``, it yields what changed in the objects as data.

    Raises:
        pydantic.ValidationError: The arguments of a call are not valid for its model. If the reply
            was cut because of ``max_tokens``, a note on the error and the log say so.
        OutputParserException: The message calls a tool that is not among `tools`; also as in
            `JsonOutputToolsParser`.
        ValueError: At construction: one of the `tools` is not a pydantic model.
    """

    tools: list[type[Any]]
    """Pydantic or ``pydantic.v1`` models. A tool's name is the ``title`` in its model's config, or
    else the name of the class."""

    if TYPE_CHECKING:

        @overload
        def __init__(
            self: PydanticToolsParser[list[Tool]],
            *,
            tools: list[type[Tool]],
            first_tool_only: Literal[False] = False,
            **options: Any,
        ) -> None: ...
        @overload
        def __init__(
            self: PydanticToolsParser[Tool | None],
            *,
            tools: list[type[Tool]],
            first_tool_only: Literal[True],
            **options: Any,
        ) -> None: ...
        @overload
        def __init__(
            self: PydanticToolsParser[Any], *, tools: list[type[Any]], **options: Any
        ) -> None: ...
        def __init__(self, **options: Any) -> None: ...

    @field_validator("tools")
    @classmethod
    def _are_models(cls, tools: list[type[Any]]) -> list[type[Any]]:
        for tool in tools:
            check_model(tool)
        return tools

    @override
    def _result_of(self, calls: list[ParsedCall] | None, *, partial: bool) -> Any:
        calls = (calls or [])[:1] if self.first_tool_only else calls or []
        raise_all(call.error for call in calls)
        # Of models with the same name, one of pydantic.v1 wins, else the last one.
        models = {name_of(tool): tool for tool in sorted(self.tools, key=is_v1_model)}
        objects = []
        for call in calls:
            if call.is_due:
                call.is_due, call.built = False, build(call, models, partial=partial)
            if call.built is not None:
                objects.append(call.built)
        if self.first_tool_only:
            return objects[0] if objects else None
        return objects

    @override
    def _diff(self, prev: Any, next: Any) -> Any:
        return super()._diff(*map(_as_data, (prev, next)))


def _as_data(result: Any) -> Any:
    return [*map(dump, result)] if isinstance(result, list) else dump(result)
