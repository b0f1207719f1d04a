"""Calls among the blocks of a message that are not among the calls of the message.

Clients write calls in more forms than are read, and APIs leave tasks to the program that are no
calls of functions::

    {"toolUse": {"toolUseId": "1", "name": "search", "input": {"query": "rain"}}}
    {"type": "tool-call", "toolCallId": "1", "toolName": "search", "args": {"query": "rain"}}
    {"type": "shell_call", "call_id": "1", "action": {"commands": ["ls"]}}

What the provider's server runs itself, such as a ``web_search_call`` or a ``server_tool_use``, is
no such call, and neither is a task whose result stands in the same message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from outputs.messages.base import Content

_CALLS: Final = frozenset(("customtoolcall", "function", "functioncall", "toolcall", "tooluse"))
"""The names of calls in the formats of clients, without what separates their words."""
_TASKS: Final = frozenset(
    ("apply_patch_call", "computer_call", "local_shell_call", "mcp_approval_request", "shell_call")
)
"""The items of OpenAI's Responses that the program has to answer."""
IDS: Final = ("id", "call_id", "tool_call_id", "toolCallId", "toolUseId", "tool_use_id")
"""The keys of the ids of calls."""
_NAMES: Final = ("name", "toolName", "tool_name")


def unread_call(
    content: Content, *, ids: Collection[str | None] = (), names: Collection[Any] = ()
) -> str:
    """Return the kind of the first call in *content* that is not read; ``""`` if all are.

    A call is read if the message has a call of the same id, or of the same name if it has no ids.

    Args:
        content: The content of a message.
        ids: The ids of the calls of the message.
        names: Their names.
    """
    if isinstance(content, str):
        return ""
    blocks = [block for block in content if isinstance(block, dict)]
    done = {block.get("call_id") for block in blocks if _kind(block).endswith("_output")}
    for block in blocks:
        kind = _kind(block)
        own = [*_parts(block, kind, IDS)]
        if _is_task(kind, block):
            is_read = not done.isdisjoint(own)
        elif _plain(kind) not in _CALLS:
            continue
        elif own and any(ids):
            is_read = not set(own).isdisjoint(ids)
        else:
            own_names = [*_parts(block, kind, _NAMES)]  # a piece of a call has none
            is_read = not own_names or any(name in names for name in own_names)
        if not is_read:
            return kind
    return ""


def _is_task(kind: str, block: dict[Any, Any]) -> bool:
    if kind == "tool_search_call":
        return block.get("execution") == "client"
    return kind in _TASKS


def _kind(block: dict[Any, Any]) -> str:
    """Return the type of *block*; without one, its key, as in Bedrock's and Gemini's blocks."""
    kind = block.get("type")
    if isinstance(kind, str):
        return kind
    keys = (key for key, part in block.items() if isinstance(part, dict) and _plain(key) in _CALLS)
    return next(keys, "") if kind is None else ""


def _plain(name: Any) -> str:
    return name.replace("-", "").replace("_", "").lower() if isinstance(name, str) else ""


def _parts(block: dict[Any, Any], kind: str, keys: tuple[str, ...]) -> Iterator[str]:
    """Yield what stands under *keys* in a call, or in what it has under the name of its *kind*."""
    for fields in (block, block.get(kind)):
        if isinstance(fields, dict):
            yield from (part for key in keys if isinstance(part := fields.get(key), str) and part)
