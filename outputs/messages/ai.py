"""Messages of the model: content, tool calls and token usage."""

from collections.abc import Iterator
from typing import Any, Final, Literal

from pydantic import Field

from outputs.messages.content import Content
from outputs.messages.roles import BaseMessage
from outputs.messages.tool_calls import InvalidToolCall, ToolCall, complete_calls
from outputs.messages.usage import UsageMetadata
from outputs.messages.wire_calls import calls_from_wire

_CALL_FIELDS = frozenset(
    ("tool_calls", "invalid_tool_calls", "tool_call_chunks", "additional_kwargs")
)


_MISSING: Final[Any] = object()
"""Stands for content that is not given, which is a mistake."""


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
        if not given and (entries := wire_entries(fields)):
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


def wire_entries(fields: dict[str, Any]) -> list[Any] | None:
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
