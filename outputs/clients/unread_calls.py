"""Calls among the blocks of a message that are not among the calls of the message.

Clients write calls in more forms than are read, and APIs leave tasks to the program that are no
calls of functions::

    {"toolUse": {"toolUseId": "1", "name": "search", "input": {"query": "rain"}}}
    {"type": "tool-call", "toolCallId": "1", "toolName": "search", "args": {"query": "rain"}}
    {"type": "shell_call", "call_id": "1", "action": {"commands": ["ls"]}}

What the provider's server runs itself, such as a ``web_search_call`` or a ``server_tool_use``, is
no such call, and neither is a call or a task whose result stands in the same message: somebody has
run it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from outputs.messages.base import Content

_CALLS: Final = frozenset(("customtoolcall", "function", "functioncall", "toolcall", "tooluse"))
"""The names of calls in the formats of clients, without what separates their words."""
_TASKS: Final = frozenset(
    ("apply_patch_call", "computer_call", "local_shell_call", "mcp_approval_request", "shell_call")
)
"""The items of OpenAI's Responses that the program has to answer."""
_RESULTS: Final = frozenset(("functionresponse", "toolresult"))
"""The names of results in the formats of clients, in the same way."""
IDS: Final = ("id", "call_id", "tool_call_id", "toolCallId", "toolUseId", "tool_use_id")
"""The keys of the ids of calls."""
_CALL_IDS: Final = IDS[1:]
"""Those under which a result has the id of its call."""
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
    done = answered_ids(content)
    for block in (block for block in content if isinstance(block, dict)):
        kind = _kind(block)
        own = [*_parts(block, kind, IDS)]
        if not done.isdisjoint(own):
            continue
        if _is_task(kind, block):
            is_read = False
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


def answered_ids(content: str | Sequence[Any]) -> set[str]:
    """Return the ids of the calls whose results stand in *content* too: somebody ran them."""
    if isinstance(content, str):
        return set()
    return {
        call_id
        for block in content
        if isinstance(block, dict) and _is_result(kind := _kind(block))
        for call_id in _parts(block, kind, _CALL_IDS)
    }


def _is_result(kind: str) -> bool:
    return kind.endswith("_output") or _plain(kind) in _RESULTS


def _is_task(kind: str, block: dict[Any, Any]) -> bool:
    if kind == "tool_search_call":
        return block.get("execution") == "client"
    return kind in _TASKS


def _kind(block: dict[Any, Any]) -> str:
    """Return the type of *block*; without one, its key, as in Bedrock's and Gemini's blocks."""
    kind = block.get("type")
    if isinstance(kind, str):
        return kind
    keys = (
        key
        for key, part in block.items()
        if isinstance(part, dict) and (_plain(key) in _CALLS or _plain(key) in _RESULTS)
    )
    return next(keys, "") if kind is None else ""


def _plain(name: Any) -> str:
    return name.replace("-", "").replace("_", "").lower() if isinstance(name, str) else ""


def _parts(block: dict[Any, Any], kind: str, keys: tuple[str, ...]) -> Iterator[str]:
    """Yield what stands under *keys* in a call, or in what it has under the name of its *kind*."""
    for fields in (block, block.get(kind)):
        if isinstance(fields, dict):
            yield from (part for key in keys if isinstance(part := fields.get(key), str) and part)
