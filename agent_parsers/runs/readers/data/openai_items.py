r"""Items of OpenAI's Responses API, and what else holds them, as tables.

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

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.runs.tables.messages import Messages
from agent_parsers.runs.tables.part import Part
from agent_parsers.runs.tables.paths import at

if TYPE_CHECKING:
    from collections.abc import Mapping

_SERVERS: Final = ("_call", "_call_output", "_list_tools", "_approval_request", "item_reference")
"""How the types of items end that belong to tools of the server, which show no result."""
_CALLS: Final = ("function_call", "mcp_call", "custom_tool_call", "local_shell_call")
_OUTPUTS: Final = ("function_call_output", "custom_tool_call_output", "local_shell_call_output")
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
        Part("text", type="input_text|output_text", of="text"),
        Part("nothing", type="input_*|output_*", is_sign=True),
        Part("text", type="refusal", of="refusal", is_sign=False),
        Part("call", at="", type="function_call|mcp_call", id="call_id|id", output="output"),
        Part("call", at="", type="custom_tool_call", arguments="input", id="call_id",
             is_text=True, output="output"),
        Part("call", at="", type="local_shell_call", name="type", arguments="action",
             id="call_id"),
        Part("result", at="", type="|".join(_OUTPUTS),
             output="output.content|output", id="call_id"),
        Part("thought", at="", type="reasoning",
             of=lambda item: item.get("summary") or item.get("content")),
        Part("nothing", at="", where=lambda item: str(item.get("type")).endswith(_SERVERS)
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
CODEX: Final = replace(
    RESPONSES,
    name="codex", summary="rollouts of Codex CLI", message="payload", messages="", system="",
    lacks=(), has=("payload.type", "timestamp"), sign="'type' and 'payload'",
    before=("json_lines",),
    role=lambda item: "system"
    if str(at(item, "content.0.text") or "").lstrip().startswith(_CONTEXT) else _role_of(item),
    skips=lambda line: "payload" in line
    and (line.get("type") != "response_item" or at(line, "payload.type") == "ghost_snapshot"),
)  # fmt: skip
TABLES: Final = (RESPONSES, AGENTS, CODEX)
