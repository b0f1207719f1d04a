"""Calls in other places of a message than its calls: unread ones, and those that say another thing.

Clients write calls in more forms and places than are read, and APIs leave tasks to the program that
are no calls of functions::

    {"toolUse": {"toolUseId": "1", "name": "search", "input": {"query": "rain"}}}
    {"type": "tool-call", "toolCallId": "1", "toolName": "search", "args": {"query": "rain"}}
    {"type": "shell_call", "call_id": "1", "action": {"commands": ["ls"]}}
    {"role": "assistant", "content": "I look.", "toolCalls": [{"name": "search", "args": {}}]}

What the provider's server runs itself, such as a ``web_search_call`` or a ``server_tool_use``, is
no such call, and neither is a call or a task whose result stands in the same message: somebody has
run it. Providers also say the calls of a message twice, in its content or raw in
``additional_kwargs``: then both have to be the same.
"""

from __future__ import annotations

from collections import Counter
from itertools import starmap
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from outputs.clients.text_input import TEXT_ARGUMENT

if TYPE_CHECKING:
    from collections.abc import (
        Collection,
        Container,
        Hashable,
        Iterable,
        Iterator,
        Mapping,
        Sequence,
    )  # fmt: skip

    from outputs.messages.base import Content

_CALLS: Final = frozenset(
    ("customtoolcall", "function", "functioncall", "invalidtoolcall", "toolcall", "toolcallchunk",
     "tooluse")
)  # fmt: skip
"""The names of calls in the formats of clients, without what separates their words."""
_TASKS: Final = frozenset(
    ("apply_patch_call", "computer_call", "local_shell_call", "mcp_approval_request", "shell_call")
)
"""The items of OpenAI's Responses that the program has to answer."""
_RESULTS: Final = frozenset(("functionresponse", "toolresult"))
"""The names of results in the formats of clients, in the same way."""
_SERVED: Final = frozenset(
    ("code_interpreter_call", "file_search_call", "image_generation_call", "mcp_call",
     "server_tool_call", "server_tool_call_chunk", "tool_search_call", "web_search_call")
)  # fmt: skip
"""The blocks that are calls which the provider's server runs."""
IDS: Final = ("id", "call_id", "tool_call_id", "toolCallId", "toolUseId", "tool_use_id")
"""The keys of the ids of calls."""
_CALL_IDS: Final = IDS[1:]
"""Those under which a result has the id of its call."""
_NAMES: Final = ("name", "toolName", "tool_name")
ARGUMENTS: Final = frozenset(
    ("action_input", "args", "argument", "arguments", "input", "kwargs", "parameters", "params",
     "partial_json", "toolInput", "tool_input")
)  # fmt: skip
"""What the arguments of a call are called, in one API or another."""
_READ: Final = ("function_call", "tool_calls")
"""The members of a message whose calls are read."""
_NO_CALLS: Final = ("functions", "parsed", "tools")
"""Members that may look like calls: the tools of the request, and the answer as data."""

NamedCall: TypeAlias = "tuple[Any, Any]"
"""The name of a call, and its arguments: data, or JSON text."""


def unread_call(
    content: Content,
    *,
    ids: Collection[str | None] = (),
    names: Collection[Any] = (),
    tools: Container[str] = (),
) -> str:
    """Return the kind of the first call in *content* that the message does not list, or ``""``.

    It lists a call if it has one with the same id, or with the same name if it has no ids.

    Args:
        content: The content of a message.
        ids: The ids of the calls of the message.
        names: Their names.
        tools: The names of tools: a block of any other type that names one is a call, too.
    """
    if isinstance(content, str):
        return ""
    done = answered_ids(content)
    for block in (block for block in content if isinstance(block, dict)):
        kind, tool = _kind(block), ""
        own = [*_parts(block, kind, IDS)]
        if not done.isdisjoint(own):
            continue
        if _is_task(kind, block):
            is_read = False
        elif _plain(kind) not in _CALLS and not (tool := _calls_one_of(tools, block, kind)):
            if beside := calls_beside(block):
                return next(iter(beside))
            continue
        elif tool or (own and any(ids)):
            is_read = not set(own).isdisjoint(ids)
        else:
            own_names = [*_parts(block, kind, _NAMES)]  # a piece of a call has none
            is_read = not own_names or any(name in names for name in own_names)
        if not is_read:
            return kind or tool
    return ""


def answered_ids(content: str | Sequence[Any]) -> set[str]:
    """Return the ids of the calls whose results are in *content* too: they have been run."""
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


def unread_member(members: Mapping[Any, Any], tools: Container[str] = ()) -> str:
    """Return the name of the first of *members* with a call that the message does not list.

    Args:
        members: The members beside those of all messages, as in ``additional_kwargs``.
        tools: The names of tools: what names one, with arguments, is a call, too.
    """
    for name, part in members.items():
        if name in _READ or name in _NO_CALLS or not part:
            continue
        entries = part if isinstance(part, list | tuple) else (part,)
        if says_calls(name) or any(
            isinstance(entry, dict) and _calls_one_of(tools, entry, _kind(entry))
            for entry in entries
        ):
            return str(name)
    return ""


def says_calls(name: Any) -> bool:
    """Return whether *name* is one under which a message has tool calls."""
    plain = _plain(name).removesuffix("s")
    return plain in _CALLS and plain != "function"


def calls_beside(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the *fields* outside the message whose names say that they have tool calls."""
    return {name: part for name, part in fields.items() if part and says_calls(name)}


def _calls_one_of(tools: Container[str], block: dict[Any, Any], kind: str) -> str:
    """Return that of the *tools* which a *block* of some *kind* names with arguments, or ``""``."""
    if kind in _SERVED or kind.endswith(("_tool_use", "_result", "_output")):
        return ""
    inner = block.get(kind)
    fields = {**block, **(inner if isinstance(inner, dict) else {})}
    if ARGUMENTS.isdisjoint(fields):
        return ""
    texts = (part for part in fields.values() if isinstance(part, str))
    return next((text for text in texts if text in tools), "")


def _is_task(kind: str, block: dict[Any, Any]) -> bool:
    if kind == "tool_search_call":
        return block.get("execution") == "client"
    if kind in _TASKS:
        return True
    # A type that is not known yet: the id is what the program answers with.
    is_new = kind.endswith("_call") and kind not in _SERVED and _plain(kind) not in _CALLS
    return is_new and isinstance(block.get("call_id"), str)


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


# -- calls that are said twice ---------------------------------------------------------------------


def call_elsewhere(message: Any, *places: Iterable[NamedCall]) -> str | None:
    """Return the tool of a call that is in one of *places*, but not among the *message*'s calls.

    Args:
        message: An AI message of any library.
        places: The calls in each of the other places, such as those of `raw_calls` or `calls_in`.

    Returns:
        The name; `None` if the message has no calls, or all that it has are among them.
    """
    own = [(call["name"], call["args"]) for call in _calls_of(message)]
    known: Counter[Hashable] | None = None
    for place in places if own else ():
        left: Counter[Hashable] | None = None
        for name, arguments in place:
            known = known or Counter(starmap(call_key, own))
            left = left or known.copy()
            key = call_key(_said_once(name, own), arguments)
            if not left[key]:
                return str(name)
            left[key] -= 1
    return None


def _said_once(name: Any, own: Iterable[NamedCall]) -> Any:
    """Return a raw *name* as a call of the message has it: a sum repeats it with each piece."""
    if not isinstance(name, str) or not name:
        return name
    once = (its for its, _ in own if its and name == its * (len(name) // len(its)))
    return next(once, name)


def _calls_of(message: Any) -> list[Any]:
    """Return the calls of *message*, also those that cannot be read."""
    if pieces := getattr(message, "tool_call_chunks", None):
        return list(pieces)
    find = (getattr(message, kind, None) or () for kind in ("tool_calls", "invalid_tool_calls"))
    return [call for calls in find for call in calls]


def raw_calls(entries: Any) -> list[NamedCall]:
    """Return the calls in OpenAI's format in *entries*; anything else is dropped."""
    found: list[NamedCall] = []
    for entry in entries if isinstance(entries, list | tuple) else ():
        if not isinstance(entry, dict):
            continue
        kind = next((key for key in ("function", "custom") if isinstance(entry.get(key), dict)), "")
        fields = entry[kind] if kind else entry
        if kind == "custom":
            found.append((fields.get("name"), {TEXT_ARGUMENT: fields.get("input")}))
        elif "name" in fields:
            found.append((fields["name"], _arguments_in(fields)))
    return found


def calls_in(content: Content | None) -> Iterator[NamedCall]:
    """Yield the calls in *content* that should also be among the message's calls.

    Calls whose results are in *content* too are left out.
    """
    blocks = [] if isinstance(content, str | None) else content
    done = answered_ids(blocks)
    for block in blocks:
        if not isinstance(block, dict) or (call := _call_in(block)) is None:
            continue
        if not done or done.isdisjoint(_parts(block, _kind(block), IDS)):
            yield call


def _call_in(block: dict[Any, Any]) -> NamedCall | None:
    """Return the call that a *block* is, in the form of any client; `None` if it is not one."""
    kind = _kind(block)
    name = next(_parts(block, kind, _NAMES), None) if _plain(kind) in _CALLS else None
    if name is None:
        return None
    inner = block.get(kind)
    fields = inner if isinstance(inner, dict) else block
    if kind == "custom_tool_call":
        return name, {TEXT_ARGUMENT: fields.get("input")}
    return name, _arguments_in(fields)


def _arguments_in(fields: dict[Any, Any]) -> Any:
    """Return the arguments of a call with these *fields*; other members may hold more of them."""
    own = ("input", "arguments", "args", "partial_json")
    names = own if any(name in fields for name in own) else sorted(ARGUMENTS)
    return next((fields[name] for name in names if fields.get(name)), None)


def call_key(tool: Any, arguments: Any) -> Hashable:
    """Return a key that is the same for equal calls; *arguments* may be JSON text."""
    from outputs.growing_json.arguments import value_or_text  # lazily: few messages need them
    from outputs.growing_json.load import value_key

    if isinstance(arguments, str):
        arguments = value_or_text(arguments)
    try:
        return value_key([tool or "", arguments or {}])
    except (RecursionError, TypeError):
        return repr((tool, arguments))
