"""LangChain's messages as data, in lists or in the state of a LangGraph agent.

Each message has one of these forms, by what wrote it::

    {"type": "human", "data": {"content": "Which month?", …}}                   messages_to_dict
    {"type": "human", "content": "Which month?", …}                                   model_dump
    {"lc": 1, "type": "constructor", "id": […, "HumanMessage"], "kwargs": {"content": …}}  dumpd

A file holds a list of messages, a state (``{"messages": […]}``), the updates that a graph streams
(``{"agent": {"messages": […]}}``), or several of these.

Source: ``langchain_core/messages/utils.py`` and ``load/serializable.py`` of langchain-core 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from agent_runs.reading.messages import MessageFormat, evidence_of, message_of, read_messages
from agent_runs.reading.reader import DataReader, Reading, Runs, Value, Values
from agent_runs.reading.said import Said

_ROLES: Final = {
    "human": "user", "HumanMessage": "user", "HumanMessageChunk": "user",
    "ai": "assistant", "AIMessage": "assistant", "AIMessageChunk": "assistant",
    "system": "system", "SystemMessage": "system",
    "tool": "tool", "ToolMessage": "tool", "ToolMessageChunk": "tool",
    "function": "function", "FunctionMessage": "function",
    "chat": "", "ChatMessage": "", "ChatMessageChunk": "",
}  # fmt: skip
_GONE: Final = frozenset(("remove", "RemoveMessage"))
"""Messages that only delete others."""
_BESIDE: Final = ("tool_calls", "function_call", "reasoning_content", "reasoning", "refusal")
"""What older versions have only in ``additional_kwargs``."""
LIMIT: Final = "Sorry, need more steps to process this request."
"""What LangGraph says in place of an answer when it has run out of steps."""


def object_of(value: Any) -> tuple[str, Mapping[str, Any]]:
    """Return the class of a serialized object, or its ``type``, and its fields."""
    if not isinstance(value, dict):
        return "", {}
    if isinstance(within := value.get("__lc_escaped__"), dict):
        value = within
    kind = value.get("type")
    if kind == "constructor" and value.get("id") and isinstance(value.get("kwargs"), dict):
        return str(value["id"][-1]), value["kwargs"]
    if isinstance(value.get("data"), dict) and "content" not in value:
        value = value["data"]
    return (kind if isinstance(kind, str) else ""), value


def said(message: Any) -> Said | None:
    """Return the content of a *message* as `Said`; `None` if it only deletes other messages.

    Raises:
        KeyError: It lacks a part, or its type is unknown.
        TypeError: A part has another type.
    """
    if isinstance(message, list | tuple):  # a pair, as a user may give it to a graph
        role, content = message
        return message_of({"content": content}, role)
    kind, fields = object_of(message)
    if kind in _GONE:
        return None
    role = _ROLES[kind] or str(fields.get("role"))
    if kind in ("ai", "AIMessage") and fields.get("content") == LIMIT:
        return Said("assistant", left_out=(f"LangGraph's message about its step limit: {LIMIT}",))
    beside = fields.get("additional_kwargs")
    if isinstance(beside, dict):
        own = {name: value for name, value in fields.items() if name not in _BESIDE or value}
        fields = {**{name: beside.get(name) for name in _BESIDE}, **own}
    return message_of(fields, role)


def is_message(value: Any) -> bool:
    """Return whether *value* is a message of LangChain."""
    if isinstance(value, list | tuple):
        return len(value) == 2 and all(isinstance(part, str) for part in value)
    kind, fields = object_of(value)
    return kind in _GONE or (kind in _ROLES and "content" in fields)


FORM: Final = MessageFormat(said, is_message)
"""Messages of LangChain."""


def _flat(values: Iterator[Value]) -> Iterator[Value]:
    """Yield *values*, with the messages of each update one by one."""
    for value in values:
        updates = _updates(value.data)
        if updates is None:
            yield value
        else:
            yield from (Value(message, value.line) for message in updates)


def _updates(data: Any) -> list[Any] | None:
    """Return the messages in the updates that the nodes of a graph streamed; `None` if not such."""
    if not isinstance(data, dict) or not data or "messages" in data or "type" in data:
        return None
    states = [state for name, state in data.items() if not str(name).startswith("__") and state]
    lists = [state.get("messages") for state in states if isinstance(state, dict)]
    if len(lists) != len(states) or not all(isinstance(each, list) for each in lists):
        return None
    return [message for each in lists for message in each or ()]


def _sign(message: Any) -> str:
    if isinstance(message, list | tuple):
        return ""
    kind = object_of(message)[0]
    name = "'lc' constructor" if "kwargs" in message else "'type'"
    return f"{name} {kind!r}"


def _evidence(values: Sequence[Any]) -> Sequence[str]:
    flat = [value.data for value in _flat(map(Value, values))]
    return evidence_of(flat, FORM, _sign)


def _read(values: Values, reading: Reading) -> Runs:
    return read_messages(Values(_flat(values), are_items=values.are_items), reading, FORM)


READER: Final = DataReader(
    name="langchain_messages",
    summary="LangChain's messages: messages_to_dict, model_dump, dumpd; states of LangGraph",
    evidence=_evidence,
    read=_read,
)
