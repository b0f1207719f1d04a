r"""OpenAI's formats: messages of Chat Completions, as most tools and data sets store them.

::

    {"messages": [
      {"role": "user", "content": "Which month has the most fog?"},
      {"role": "assistant", "content": null, "tool_calls": [{"id": "c1", "type": "function",
        "function": {"name": "search", "arguments": "{\"query\": \"fog\"}"}}]},
      {"role": "tool", "tool_call_id": "c1", "content": "November"},
      {"role": "assistant", "content": "November."}]}

A file holds a list of messages, the body of a request with its messages, or the same with the
answer of a proxy beside it (``{"request": …, "response": …}``), one object or one a line, as for
fine-tuning and batches, or with the messages as JSON text. Benchmarks have them under ``traj``
(tau-bench), or one record for each of ``simulations`` (tau2-bench). The deprecated
``function_call`` and the role ``function`` are read too.

Source: platform.openai.com/docs/api-reference/chat.

Then items of the Responses API, and what else holds them, as tables.

::

    [{"role": "user", "content": "Which month has the most fog?"},
     {"type": "reasoning", "summary": [{"type": "summary_text", "text": "I look it up."}]},
     {"type": "function_call", "call_id": "c1", "name": "search", "arguments": "{\"query\": …}"},
     {"type": "function_call_output", "call_id": "c1", "output": "November"},
     {"type": "message", "role": "assistant", "content": [
       {"type": "output_text", "text": "November."}]}]

A file holds such a list (also that of the Agents SDK's ``to_input_list``), or an object with the
items under ``input`` and ``output``; ``input`` may be text. New items of the Agents SDK have them
under ``raw_item``, rollouts of Codex CLI under ``payload``.

Source: platform.openai.com/docs/api-reference/responses; ``agents/items.py`` of openai-agents 0.24;
``codex-rs/protocol`` of Codex CLI 0.30 and later.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from agent_runs.reading.endings import RESPONSE_KEYS
from agent_runs.reading.messages import MessageFormat, evidence_of, message_of, read_messages
from agent_runs.reading.parts import may_call
from agent_runs.reading.reader import DataReader, Reading, Runs, Value, Values
from agent_runs.tables.messages import Messages, words_for
from agent_runs.tables.part import MessagePart, at, loaded

_ROLES: Final = frozenset(("system", "developer", "user", "assistant", "tool", "function"))
_OTHERS: Final = ("output_", "input_text", "input_image", "thinking", "redacted_")
"""How the types of other APIs' parts begin."""
_TOLD_TWICE: Final = ("tool_call", "tool_output")
"""Types of parts in which some say once more what stands beside them, or what a tool returned."""
_ELSEWHERE: Final = frozenset(("parts", "items", "contents"))
"""Where messages of other forms have their content."""
_ELSEWHERE_IN_RECORDS: Final = (
    "conversations|traj|state.history|answer_generation.train_messages.-1"
)
"""Where records of data sets and benchmarks have messages: ShareGPT, tau-bench, MINT, ToolBench."""
_REQUESTS: Final = ("request", "request_body", "requestBody", "body", "input")


def _messages_of(record: Any) -> list[Any] | None:
    """Return the messages of a request, with the answer if it stands beside them."""
    if not isinstance(record, dict):
        return None
    asked = record.get("messages")
    asked = loaded(at(record, _ELSEWHERE_IN_RECORDS) if asked is None else asked)
    if not isinstance(asked, list):
        within = (record.get(name) for name in _REQUESTS)
        requests = (request for request in within if isinstance(request, dict))
        found = [request["messages"] for request in requests if "messages" in request]
        asked = found[0] if found and isinstance(found[0], list) else None
    answer = _answer_in(record)
    for name in RESPONSE_KEYS:
        answer = answer or (_answer_in(record[name]) if name in record else None)
    if asked is None:
        return [answer] if answer else None
    return [*asked, answer] if answer and answer not in asked[-1:] else asked


def _answer_in(response: Any) -> Any:
    """Return the message of a completion, or of the body in which a batch has it."""
    if not isinstance(response, dict):
        return None
    choices = response.get("choices")
    if isinstance(choices, list):
        return choices[0].get("message") if choices and isinstance(choices[0], dict) else None
    if response.get("type") == "message" and "stop_reason" in response:
        return response  # of Anthropic's API, if it is nothing but text
    return _answer_in(response.get("body"))


def _is_message(value: Any) -> bool:
    has_role = isinstance(value, dict) and value.get("role") in _ROLES
    if not has_role or not _ELSEWHERE.isdisjoint(value):
        return False
    content = value.get("content")
    if content is None or isinstance(content, str):
        return True
    return isinstance(content, list) and all(map(_is_part, content))


def _is_part(part: Any) -> bool:
    kind = part.get("type") if isinstance(part, dict) else None
    if kind in _TOLD_TWICE:
        return True
    return isinstance(kind, str) and not (kind.startswith(_OTHERS) or may_call(kind))


def _sign(message: dict[str, Any]) -> str:
    calls = message.get("tool_calls")
    if isinstance(calls, list) and calls and isinstance(calls[0], dict) and "function" in calls[0]:
        return "'role', and 'tool_calls' with 'function',"
    if isinstance(message.get("function_call"), dict):
        return "'role' and 'function_call'"
    return "'role' and 'content'" if "content" in message else ""


def lack_of(message: Any) -> tuple[int, str]:
    """Return how far a value matches this form, as for `Messages.lack_of`, and what it lacks."""
    role = message.get("role") if isinstance(message, dict) else None
    if role not in _ROLES:
        return 0, f"{role!r} is not one of its roles" if role else "there is no 'role'"
    extra = [key for key in _ELSEWHERE if key in message]
    if extra:
        return 1, f"its messages have no {extra[0]!r}"
    content = message.get("content")
    if content is not None and not isinstance(content, str | list):
        return 2, "'content' is neither a string nor a list"
    odd = [part for part in content or () if not isinstance(part, str) and not _is_part(part)]
    if isinstance(content, list) and odd:
        return 3, f"{words_for(odd[0], 'type')} is unknown in this form"
    return 4, "nothing in the messages is specific to this form"


FORM: Final = MessageFormat(message_of, _is_message, _messages_of, lack_of=lack_of)


def _records(value: Any) -> list[Any]:
    """Return the records in a *value*: of a file of simulations, as of tau2-bench, one for each."""
    found = value.get("simulations") if isinstance(value, dict) else None
    return found if isinstance(found, list) else [value]


def _evidence(values: Sequence[Any]) -> Sequence[str]:
    return evidence_of([each for value in values for each in _records(value)], FORM, _sign)


def _read(values: Values, reading: Reading) -> Runs:
    flat = (
        Value(each, value.line, value.name) for value in values for each in _records(value.data)
    )
    return read_messages(Values(flat, are_items=values.are_items), reading, FORM)


READER: Final = DataReader(
    name="openai_chat",
    summary="messages of OpenAI's Chat Completions API: lists, requests, fine-tuning files",
    evidence=_evidence,
    read=_read,
    lack_of=lack_of,
)


_SERVERS: Final = ("_call", "_call_output", "_list_tools", "_approval_request", "item_reference")
"""How the types of items end that belong to tools of the server, which show no result."""
_CALLS: Final = (
    "function_call", "mcp_call", "custom_tool_call", "local_shell_call", "tool_search_call",
)  # fmt: skip
_OUTPUTS: Final = (
    "function_call_output", "custom_tool_call_output", "local_shell_call_output",
    "tool_search_output",
)  # fmt: skip
_CONTEXT: Final = ("<environment_context>", "<user_instructions>", "# AGENTS.md")
"""How messages begin that Codex says in the name of the user."""


def _role_of(item: Mapping[str, Any]) -> Any:
    """Return the role of a message; other items have none of their own."""
    return item.get("role") if item.get("type") in ("message", None) else "item"


def _items_of(record: Mapping[str, Any]) -> list[Any] | None:
    """Return the items of a request and of its response."""
    items: list[Any] = []
    found = False
    for name in ("input", "request", "output", "response"):
        value = record.get(name)
        if name in ("request", "response") and isinstance(value, dict):
            inner = _items_of(value)
            found = found or inner is not None
            items += inner or ()
        elif name == "input" and isinstance(value, str) and "output" in record:
            items.append({"role": "user", "content": value})
        elif isinstance(value, list):
            found = True
            items += value
    return items if found else None


RESPONSES: Final = Messages(
    name="openai_responses",
    summary="items of OpenAI's Responses API: lists, requests, responses",
    roles={"system": "system", "developer": "system", "user": "user", "assistant": "assistant",
           "item": "assistant"},
    role=_role_of, messages=_items_of, system="instructions", lacks=("raw_item",),
    may_be_text=True, is_closed=True,
    content=lambda item: item.get("content") if _role_of(item) != "item" else None,
    parts=[
        MessagePart("text", type="input_text|output_text", of="text"),
        MessagePart("nothing", type="input_*|output_*", is_sign=True),
        MessagePart("refusal", type="refusal", of="refusal", is_sign=False),
        MessagePart("call", at="", type="function_call|mcp_call", id="call_id|id", output="output"),
        MessagePart("call", at="", type="custom_tool_call", arguments="input", id="call_id",
                    is_text=True, output="output"),
        MessagePart("call", at="", type="local_shell_call|tool_search_call", name="type",
                    arguments="action|arguments", id="call_id"),
        MessagePart("result", at="", type="|".join(_OUTPUTS),
                    output="output.content|output|tools", id="call_id"),
        MessagePart("thought", at="", type="reasoning",
                    of=lambda item: item.get("summary") or item.get("content")),
        MessagePart("nothing", at="", where=lambda item: str(item.get("type")).endswith(_SERVERS)
                    and item["type"] not in _CALLS + _OUTPUTS),
    ],
)  # fmt: skip


def _new_items(record: Mapping[str, Any]) -> list[Any] | None:
    """Return the items of a result of the Agents SDK, with the question before them."""
    items = record.get("new_items")
    if not isinstance(items, list):
        return None
    asked = record.get("input")
    if isinstance(asked, str):
        asked = [{"role": "user", "content": asked}]
    asked = asked if isinstance(asked, list) else []
    return [*({"type": "input_item", "raw_item": item} for item in asked), *items]


AGENTS: Final = replace(
    RESPONSES,
    name="openai_agents", summary="new items of a result of the OpenAI Agents SDK",
    message="raw_item", messages=_new_items, lacks=(), sign="'raw_item' and 'type'",
    skips=lambda item: isinstance(item.get("raw_item"), dict)
    and not RESPONSES.form.is_message(item["raw_item"]),
)  # fmt: skip


def _asked_in(line: Mapping[str, Any]) -> str | None:
    """Return what the user asks in an event of Codex; most sessions have a message with it, too."""
    text = at(line, "payload.message") if at(line, "payload.type") == "user_message" else None
    return text if isinstance(text, str) and not text.lstrip().startswith(_CONTEXT) else None


CODEX: Final = replace(
    RESPONSES,
    name="codex", summary="rollouts of Codex CLI", message="payload", messages="", system="",
    lacks=(), has=("payload.type", "timestamp"), sign="'type' and 'payload'",
    before=("json_lines",), question=_asked_in,
    role=lambda item: "system"
    if str(at(item, "content.0.text") or "").lstrip().startswith(_CONTEXT) else _role_of(item),
    skips=lambda line: "payload" in line
    and (line.get("type") != "response_item" or at(line, "payload.type") == "ghost_snapshot"),
)  # fmt: skip
TABLES: Final = (RESPONSES, AGENTS, CODEX)
