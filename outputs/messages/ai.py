"""Messages of the model and their chunks: content, tool calls and token usage."""

from collections.abc import Iterator, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any, Final, Literal, NotRequired, Self, cast

from pydantic import Field, field_validator
from typing_extensions import TypedDict

from outputs.messages.base import BaseMessage, BaseMessageChunk, Content
from outputs.messages.growing_calls import GrowingCall, GrowingCalls
from outputs.messages.tool import InvalidToolCall, ToolCall, ToolCallChunk, complete_calls
from outputs.messages.wire_calls import (
    calls_from_chunks,
    calls_from_wire,
    chunks_from_calls,
    chunks_from_wire,
    finished_block,
)

__all__ = [
    "AIMessage",
    "AIMessageChunk",
    "InputTokenDetails",
    "OutputTokenDetails",
    "UsageMetadata",
    "add_ai_message_chunks",
    "add_usage",
]

_MAX_DEPTH = 100
"""Of dictionaries of token counts."""

_CALL_FIELDS = frozenset(
    ("tool_calls", "invalid_tool_calls", "tool_call_chunks", "additional_kwargs")
)

_MISSING: Final[Any] = object()
"""Stands for content that is not given, which is a mistake."""


class InputTokenDetails(TypedDict, total=False):
    """The breakdown of input tokens; it may be incomplete and need not sum to the total."""

    audio: int
    """Audio tokens."""
    cache_creation: int
    """Tokens that were not cached yet and were written to the cache."""
    cache_read: int
    """Tokens that were read from the cache."""


class OutputTokenDetails(TypedDict, total=False):
    """The breakdown of output tokens; it may be incomplete and need not sum to the total."""

    audio: int
    """Audio tokens."""
    reasoning: int
    """Reasoning tokens, which are not part of the reply."""


class UsageMetadata(TypedDict):
    """Token counts of one message, in the same form for every provider."""

    input_tokens: int
    """Tokens of the prompt, of all kinds."""
    output_tokens: int
    """Tokens of the reply, of all kinds."""
    total_tokens: int
    """Input and output tokens together."""
    input_token_details: NotRequired[InputTokenDetails]
    """The breakdown of the input tokens."""
    output_token_details: NotRequired[OutputTokenDetails]
    """The breakdown of the output tokens."""


class AIMessage(BaseMessage):
    """A message from the model.

    If no calls are given, they are read from ``additional_kwargs["tool_calls"]``, where
    OpenAI-compatible providers put them::

        {"id": "call_1", "function": {"name": "search", "arguments": '{"query": "rain"}'}}

    Blocks of type ``tool_call`` among ``content_blocks`` are calls too. The content `None`, as in
    OpenAI's messages, is ``""``.
    """

    tool_calls: list[ToolCall] = Field(default_factory=list)
    """The tools to call."""
    invalid_tool_calls: list[InvalidToolCall] = Field(default_factory=list)
    """Calls whose arguments could not be read."""
    usage_metadata: UsageMetadata | None = None
    """Token counts, if the provider sent them."""
    type: Literal["ai"] = "ai"

    @field_validator("usage_metadata", mode="before")
    @classmethod
    def _only_tokens(cls, usage: Any) -> Any:
        """Return *usage*; `None` if it counts no tokens, as LangChain says it of a cached reply."""
        return None if isinstance(usage, dict) and usage.keys() <= {"total_cost"} else usage

    def __init__(
        self,
        /,
        content: Content | None = _MISSING,
        content_blocks: list[dict[str, Any]] | None = None,
        **fields: Any,
    ) -> None:
        if content is None:
            content = ""
        elif content is _MISSING:
            content = None
        if content_blocks is not None and "tool_calls" not in fields:
            calls = [block for block in content_blocks if _is_call(block)]
            if calls:
                fields["tool_calls"] = calls
        if not _CALL_FIELDS.isdisjoint(fields):
            self._fill_calls(fields)
        super().__init__(content, content_blocks, **fields)

    @classmethod
    def _fill_calls(cls, fields: dict[str, Any]) -> None:
        """Complete the calls in *fields*, or read them from where the provider put them."""
        given = complete_calls(fields, "tool_calls", "invalid_tool_calls")
        if not given and (entries := _wire_entries(fields)):
            fields["tool_calls"], fields["invalid_tool_calls"] = calls_from_wire(entries)

    def pretty_repr(self, html: bool = False) -> str:
        """Return a title line, the content and the calls, for people to read.

        Args:
            html: Make the title bold with terminal escape sequences.
        """
        lines = [super().pretty_repr(html).strip()]
        for title, calls in (
            ("Tool Calls:", self.tool_calls),
            ("Invalid Tool Calls:", self.invalid_tool_calls),
        ):
            if calls:
                lines.append(title)
                lines.extend(line for call in calls for line in _pretty_call(call))
        return "\n".join(lines).strip()


class AIMessageChunk(AIMessage, BaseMessageChunk):
    """A piece of an `AIMessage`.

    The calls are read from ``tool_call_chunks`` when the chunk is created, with the arguments that
    have arrived: ``""``, `None` and ``{"b":`` are read as ``{}``; ``abc`` and ``[1]`` are invalid.
    In a sum, pieces with the same index become one.
    """

    # In a sum: its calls, until the next sum takes them out of the list and goes on reading.
    __slots__ = ("_growing",)

    # Subclasses narrow the type to their own name, which type checkers forbid.
    type: Literal["AIMessageChunk"] = "AIMessageChunk"  # type: ignore[assignment]
    tool_call_chunks: list[ToolCallChunk] = Field(default_factory=list)
    """The pieces of tool calls in this piece of the message."""
    chunk_position: Literal["last"] | None = None
    """``last`` in the last piece of a message, and in a sum that includes it."""

    if TYPE_CHECKING:

        def __init__(self, content: Content = ..., **fields: Any) -> None: ...

    @classmethod
    def _fill_calls(cls, fields: dict[str, Any]) -> None:
        given = complete_calls(fields, "tool_calls", "invalid_tool_calls", "tool_call_chunks")
        if not given and (entries := _wire_entries(fields)):
            fields["tool_call_chunks"] = chunks_from_wire(entries)

    def model_post_init(self, context: Any, /) -> None:
        """Read the calls; in the last chunk, complete the typed blocks of the content too.

        Args:
            context: In a sum, its calls, which may have been read in part.
        """
        if self.tool_call_chunks:
            growing = context if isinstance(context, GrowingCalls) else None
            calls, unread = calls_from_chunks(self.tool_call_chunks, growing)
            self.tool_calls: list[ToolCall] = calls
            self.invalid_tool_calls: list[InvalidToolCall] = unread
            if growing is not None:
                object.__setattr__(self, "_growing", [growing])
        elif self.tool_calls or self.invalid_tool_calls:
            self.tool_call_chunks = chunks_from_calls(self.tool_calls, self.invalid_tool_calls)
        if (
            self.chunk_position == "last"
            and self.response_metadata.get("output_version") == "v1"
            and isinstance(self.content, list)
        ):
            by_id = {call["id"]: call for call in self.tool_calls}
            self.content: Content = [finished_block(block, by_id) for block in self.content]

    def __add__(self, other: Any) -> Self:
        """Add a chunk, or a list of chunks in one go, in time linear in their size.

        Tool call chunks and usage are added, as well as the fields of every `BaseMessageChunk`. The
        ``id`` is the first from a provider, else the first ``lc_run-…``, else the first of any.

        Raises:
            TypeError: *other* is neither a chunk nor a list of chunks, or values cannot be merged;
                see `merge_dicts`.
            ValueError: Usages cannot be added; see `add_usage`.
        """
        others = self._others(other)
        fields = self._sum(others)
        calls = GrowingCalls(GrowingCall)
        for chunk in (self, *others):
            for piece in getattr(chunk, "tool_call_chunks", ()):
                calls.add(piece)
        growing = None
        if calls.calls:
            fields["tool_call_chunks"] = [call.chunk() for call in calls.calls]
            if self._pass_on(calls) or len(others) == 1:
                growing = calls  # A list is usually the whole message: faster to read in one go.
        else:
            self._fill_calls(fields)
        total = type(self).__new__(type(self))
        self.__pydantic_validator__.validate_python(fields, self_instance=total, context=growing)
        return total

    def _pass_on(self, calls: GrowingCalls[GrowingCall]) -> bool:
        """Let *calls*, those of a sum, go on where this chunk's were read; only one sum can."""
        kept: list[GrowingCalls[GrowingCall]] = getattr(self, "_growing", [])
        try:
            earlier = kept.pop()
        except IndexError:
            return False
        for call, known in zip(calls.calls, earlier.calls, strict=False):
            call.go_on_from(known)
        return True

    def _sum(self, others: Sequence[BaseMessageChunk]) -> dict[str, Any]:
        chunks = [self, *[chunk for chunk in others if isinstance(chunk, AIMessageChunk)]]
        usages = [chunk.usage_metadata for chunk in chunks if chunk.usage_metadata]
        return {
            **super()._sum(others),
            "id": _best_id([chunk.id for chunk in chunks]),
            "usage_metadata": reduce(add_usage, usages) if usages else None,
            "chunk_position": "last" if "last" in [c.chunk_position for c in chunks] else None,
        }


def add_ai_message_chunks(left: AIMessageChunk, *others: AIMessageChunk) -> AIMessageChunk:
    """Add up chunks in one go; see `AIMessageChunk.__add__`."""
    return left + list(others)


def add_usage(left: UsageMetadata | None, right: UsageMetadata | None) -> UsageMetadata:
    """Add two token usages, count by count; `None` and missing counts are zero.

    Example:
        ``{"input_tokens": 5, "output_tokens": 0, "total_tokens": 5}`` and
        ``{"input_tokens": 0, "output_tokens": 7, "total_tokens": 7}`` give
        ``{"input_tokens": 5, "output_tokens": 7, "total_tokens": 12}``.

    Raises:
        ValueError: A value is neither a count nor a dictionary of counts, a count meets a
            dictionary, or dictionaries are nested more than 100 levels deep.
    """
    if left and right:
        return cast("UsageMetadata", _add(dict(left), dict(right), depth=0))
    return left or right or UsageMetadata(input_tokens=0, output_tokens=0, total_tokens=0)


def _add(left: dict[str, Any], right: dict[str, Any], *, depth: int) -> dict[str, Any]:
    if depth >= _MAX_DEPTH:
        raise ValueError(f"token counts are nested more than {_MAX_DEPTH} levels deep")
    total: dict[str, Any] = {}
    for key in left | right:
        ours, theirs = left.get(key, 0), right.get(key, 0)
        if isinstance(ours, int) and isinstance(theirs, int):
            total[key] = ours + theirs
            continue
        ours, theirs = left.get(key, {}), right.get(key, {})
        if not (isinstance(ours, dict) and isinstance(theirs, dict)):
            found = [type(usage[key]).__name__ for usage in (left, right) if key in usage]
            raise ValueError(  # noqa: TRY004 - the type LangChain raises
                f"cannot add {' and '.join(found)} for the key {key!r}: expected two counts, "
                "or two dictionaries of counts"
            )
        total[key] = _add(ours, theirs, depth=depth + 1)
    return total


def _wire_entries(fields: dict[str, Any]) -> list[Any] | None:
    """Return the tool calls in OpenAI's format among the *fields* of a message, or `None`."""
    additional = fields.get("additional_kwargs")
    entries = additional.get("tool_calls") if isinstance(additional, dict) else None
    return list(entries) if isinstance(entries, (list, tuple)) else None


def _is_call(block: object) -> bool:
    return isinstance(block, dict) and block.get("type") == "tool_call"


def _pretty_call(call: ToolCall | InvalidToolCall) -> Iterator[str]:
    yield f"  {call.get('name', 'Tool')} ({call.get('id')})"
    yield f" Call ID: {call.get('id')}"
    if error := call.get("error"):
        yield f"  Error: {error}"
    yield "  Args:"
    args = call.get("args")
    if isinstance(args, str):
        yield f"    {args}"
    elif isinstance(args, dict):
        for name, value in args.items():
            yield f"    {name}: {value}"


def _best_id(ids: list[str | None]) -> str | None:
    """Return the first id from a provider, else the first of a run, else the first of any."""
    best = None
    for id_ in ids:
        if not id_:
            continue
        if not id_.startswith("lc_"):
            return id_
        if best is None or (id_.startswith("lc_run-") and not best.startswith("lc_run-")):
            best = id_
    return best
