"""Members of a call, in a message, that may hold what its arguments lack.

Servers send more with a call than its name and arguments, most of which is nobody's business::

    {"id": "1", "type": "function", "function": {"name": "send", "arguments": "{…}"},
     "extra_content": {"google": {"thought_signature": "c2ln"}}}

But what stands under the name of another API's arguments, or of a parameter, belongs to the input.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeGuard

from outputs.clients.unread_calls import ARGUMENTS, IDS, call_key

_OWN: Final = {
    "custom_tool_call": frozenset(("input",)),
    "function_call": frozenset(("arguments",)),
    "tool_call": frozenset(("args",)),
    "tool_use": frozenset(("input", "partial_json")),
}
"""What a block of this type has its arguments under."""

_NOTHING: Final = frozenset(
    (*IDS, "cache_control", "caller", "created_by", "description", "extra_content", "extras",
     "index", "name", "namespace", "parsed_arguments", "provider_specific_fields", "signature",
     "status", "strict", "thoughtSignature", "thought_signature", "toolset_name", "type")
)  # fmt: skip
"""Members that are known to hold no arguments."""


def members_of_block(block: Mapping[Any, Any]) -> dict[str, Any]:
    """Return the members of *block*, a call, except for those of each such call."""
    own = _OWN.get(block["type"], frozenset())
    given, written = block.get("input"), block.get("partial_json")
    if given and written and call_key("", given) != call_key("", written):
        own = own - {"partial_json"}  # which of them are the arguments?
    return {name: part for name, part in block.items() if name not in own}


def is_call(block: Any) -> TypeGuard[dict[Any, Any]]:
    """Return whether a *block* of the content is a call of a supported type."""
    return isinstance(block, dict) and block.get("type") in _OWN


def id_of(block: Mapping[Any, Any]) -> Any:
    """Return the id of the call in *block*."""
    return block.get("call_id") or block.get("id")


def odd_member(
    members: Mapping[str, Any], *, is_absent: bool, is_missing: Callable[[str], bool]
) -> str:
    """Return the first of *members* that may hold arguments; ``""`` if none does.

    Args:
        members: The members of a call other than its name and arguments.
        is_absent: Whether the call has no arguments, or empty ones.
        is_missing: Returns whether a name is that of a parameter that the arguments lack.
    """
    for name, part in members.items():
        if part in (None, "", [], {}):
            continue
        if name in ARGUMENTS:
            return name
        inner = part if isinstance(part, dict) else ()
        if name not in _NOTHING and (is_absent or any(map(is_missing, (name, *inner)))):
            return name
    return ""
