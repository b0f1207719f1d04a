r"""Chats that people export, and chats with roles of their own, as tables.

::

    [{"title": "Fog", "mapping": {"a": {"message": {…}, "parent": null}}, "current_node": "a"}]
    [{"uuid": "u", "name": "Fog", "chat_messages": [{"sender": "human", "content": […]}]}]
    {"requesterUsername": "me", "requests": [{"message": {"text": "…"}, "response": […]}]}
    [{"role": "tool_call", "content": "{\"name\": …}"}, {"role": "tool_result", "content": "…"}]

Source: docs of mitkury/chatgpt-export-parser; exports of claude.ai and of VS Code's chat.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any, Final

from agent_runs.readers.data.tables import ANTHROPIC, ROLES
from agent_runs.tables.arranging import LeftOut
from agent_runs.tables.messages import Messages
from agent_runs.tables.part import MessagePart, at

# -- ChatGPT ---------------------------------------------------------------------------------------


def _way(record: Mapping[str, Any]) -> list[Any] | None:
    """Return the messages from the first to the current one; other branches count no more."""
    nodes = record.get("mapping")
    if not isinstance(nodes, Mapping):
        return None
    names: dict[Any, None] = {}  # from the last one back
    name = record["current_node"]
    while name in nodes and name not in names:
        names[name] = None
        name = nodes[name].get("parent")
    way = [nodes[each] for each in reversed(names)]
    circle = [LeftOut("everything before a message whose parents form a loop")] * (name in names)
    known = [node for node in way if _is_said(node.get("message"))]
    gone = sum(_is_said(node.get("message")) for node in nodes.values()) - len(known)
    found: list[Any] = [*circle, *_with_calls(node["message"] for node in known)]
    words = "1 message of another branch" if gone == 1 else f"{gone} messages of other branches"
    return [*found, LeftOut(words)] if gone else found


def _is_said(message: Any) -> bool:
    """Return whether a *message* is one that somebody sees."""
    if not isinstance(message, Mapping) or message.get("weight") == 0:
        return False
    is_hidden = at(message, "metadata.is_visually_hidden_from_conversation") is True
    is_empty = at(message, "author.role") == "system" and not any(
        at(message, "content.parts") or [at(message, "content.text")]
    )
    return not (is_hidden or is_empty)


def _with_calls(messages: Iterator[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield *messages* as ours; a result is that of the call before it, which may have several."""
    called = ""
    held: dict[str, Any] | None = None
    for message in messages:
        role = at(message, "author.role")
        if role == "tool" and called and held is not None:
            held["results"].append(message["content"])
            continue
        if held is not None:
            yield held
        held = None
        is_call = role == "assistant" and message.get("recipient") not in (None, "all")
        said = {"role": role, "about": message, "contents": [message["content"]]}
        if is_call:
            called = str(message.get("id") or "")
            said = {**said, "contents": [], "call": message}
        elif role == "tool":
            held = {"role": role, "about": message, "results": said["contents"], "id": called}
            held["name"] = at(message, "author.name")
            continue
        else:
            called = ""
        yield said
    if held is not None:
        yield held


def _shown(content: Mapping[str, Any]) -> Any:
    """Return the text in a *content*, or its parts."""
    if at(content, "content_type") == "system_error":
        return f"{content.get('name')}: {content.get('text')}"
    return at(content, "text|result|parts")


_TEXTS: Final = "text|multimodal_text"
CHATGPT: Final = Messages(
    name="chatgpt_export", summary="conversations.json of a ChatGPT data export", roles=ROLES,
    messages=_way, content=None, type_key="content_type", sign="'mapping' with 'current_node'",
    about={"title": "title", "model": "about.metadata.model_slug|default_model_slug",
           "time": "about.create_time|create_time"},
    has=("about",),
    parts=[
        MessagePart("result", at="", key="results", of="", id="id",
                    output=lambda said: "\n".join(map(_text_of, said["results"])),
                    failed="results[].content_type=system_error"),
        MessagePart("call", at="call", key="recipient", of="", name="recipient", is_text=True,
                    arguments=lambda call: _arguments(call["content"])),
        MessagePart("system", at="contents", type="user_editable_context", of=lambda content:
                    "\n".join(str(each) for each in content.values())),
        MessagePart("text", at="contents", type=_TEXTS, of=lambda content: [
            each for each in content.get("parts") or () if each]),
        MessagePart("thought", at="contents", type="thoughts", of=lambda content: "\n".join(
            f"{each.get('summary')}\n{each.get('content')}".strip()
            for each in content["thoughts"])),
        MessagePart("nothing", at="contents", type="reasoning_recap", is_sign=False),
        MessagePart("text", at="contents", type="code", of="text"),
        MessagePart("error", at="contents", type="system_error", of=_shown),
        MessagePart("nothing", at="contents", key="content_type"),
    ],
)  # fmt: skip


def _text_of(content: Mapping[str, Any]) -> str:
    shown = _shown(content)
    if isinstance(shown, list):
        return "\n".join(each if isinstance(each, str) else _kind(each) for each in shown)
    return shown if isinstance(shown, str) else _kind(content)


def _kind(part: Any) -> str:
    """Return what stands for a *part* of a result that is no text, such as an image."""
    text = at(part, "text")
    return text if isinstance(text, str) else f"[{at(part, 'content_type')}]"


def _arguments(content: Mapping[str, Any]) -> Any:
    """Return the arguments in the *content* of a call: an object of JSON, code, or text."""
    text = _text_of(content)
    return at({"text": text}, "text!") if text.lstrip().startswith("{") else text


# -- claude.ai -------------------------------------------------------------------------------------

CLAUDE_AI: Final = replace(
    ANTHROPIC, name="claude_ai", summary="conversations.json of claude.ai's export of data",
    messages="chat_messages", role="sender", roles={"human": "user", "assistant": "assistant"},
    content=lambda message: message.get("content") or message.get("text"), system="", answer="",
    lacks=(), has=("sender",), sign="'sender' in 'chat_messages'", before=(), key="uuid",
    follows="parent_message_uuid", about={"title": "name", "time": "created_at"},
    parts=[
        MessagePart("result", type="tool_result", output="content", id="tool_use_id", name="name",
                    failed="is_error"),
        *(part for part in ANTHROPIC.parts if part.what != "result"),
        MessagePart("text", at="attachments", key="extracted_content"),
        MessagePart("nothing", at="attachments", where=bool, is_sign=True),
        MessagePart("nothing", at="files", where=bool, is_sign=True),
    ],
)  # fmt: skip


# -- Copilot's chat in VS Code ---------------------------------------------------------------------


def _requests(record: Mapping[str, Any]) -> list[Any] | None:
    """Return what was said in the requests of a chat."""
    requests = record.get("requests")
    if not isinstance(requests, list) or "responderUsername" not in record:
        return None
    found: list[Any] = []
    for request in requests:
        found.append({"role": "user", "text": request["message"]["text"], "about": request})
        found += _said_in(request)
        if error := at(request, "result.errorDetails.message|result.errorDetails"):
            found.append({"role": "assistant", "error": error})
        rounds = at(request, "result.metadata.toolCallRounds") or []
        known = {call["id"] for each in rounds for call in each.get("toolCalls") or ()}
        results = at(request, "result.metadata.toolCallResults") or {}
        found += [
            LeftOut("a result that belongs to no call of the request", _output(each))
            for name, each in results.items()
            if name not in known
        ]
    return [said if isinstance(said, LeftOut) else {**said, "is_of_chat": True} for said in found]


def _said_in(request: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    shown = [each for each in request.get("response") or () if isinstance(each, Mapping)]
    known = at(request, "result.metadata.toolCallRounds")
    if isinstance(known, list) and known:
        results = at(request, "result.metadata.toolCallResults") or {}
        for each in known:
            calls = each.get("toolCalls") or []
            yield {"role": "assistant", "text": each.get("response"), "thinking":
                   at(each, "thinking.text|thinking.value|thinking"), "calls": calls}  # fmt: skip
            for call in calls:
                if call["id"] in results:
                    yield {"role": "tool", "result": results[call["id"]], "id": call["id"]}
        if not known[-1].get("toolCalls"):
            return
        last = max((at for at, each in enumerate(shown) if "toolCallId" in each), default=-1)
        shown = shown[last + 1 :]
    for each in shown:
        kind = each.get("kind")
        if kind in (None, "markdownContent", "inlineReference"):
            text = at(each, "value|content.value|name|inlineReference.name")
            yield {"role": "assistant", "text": text, "goes_on": True}
        elif kind == "thinking":
            yield {"role": "assistant", "thinking": each.get("value"), "text": ""}
        elif kind == "toolInvocationSerialized":
            yield {"role": "assistant", "shown": each}


def _output(result: Mapping[str, Any]) -> str:
    return "\n".join(str(each.get("value", "")) for each in result["content"])


def _with_patches(objects: Sequence[Any]) -> list[Any]:
    """Return the chat that the lines of a session are, each of which changes what was before."""
    if not all(isinstance(at(each, "kind"), int) and {*each} & {"k", "v"} for each in objects):
        return [*objects]
    state: dict[str, Any] = {}
    for each in deepcopy([*objects]):
        if each["kind"] not in (0, 1, 2) or not {*each} <= {"kind", "k", "v"} or "v" not in each:
            keys = ", ".join(map(repr, each))
            raise ValueError(f"unknown kind of change, {each['kind']}, with the keys {keys}")
        if each["kind"] == 0:
            state = each["v"]
            continue
        *way, last = each["k"]
        within: Any = state
        for key in way:
            within = within[key]
        if each["kind"] == 2:
            if isinstance(within, dict):
                within.setdefault(last, [])
            within[last].extend(each["v"])
        elif isinstance(within, list) and last == len(within):
            within.append(each["v"])
        else:
            within[last] = each["v"]
    return [state]


COPILOT_CHAT: Final = Messages(
    name="copilot_chat", summary="exports and sessions of GitHub Copilot's chat in VS Code",
    roles=ROLES, messages=_requests, gather=_with_patches, content=None, piece="goes_on",
    border=lambda said: "begins" if said.get("role") == "user" else "",
    has=("role", "is_of_chat"), sign="'requests' with 'message' and 'response'",
    about={"model": "about.modelId", "time": "about.timestamp",
           "is_cancelled": "about.isCanceled"},
    parts=[
        MessagePart("thought", at="", key="thinking"),
        MessagePart("text", at="", key="text"),
        MessagePart("error", at="", key="error"),
        MessagePart("call", at="calls", key="name", of=""),
        MessagePart("result", at="", key="result", of="", id="id",
                    output=lambda said: _output(said["result"])),
        MessagePart("call", at="shown", key="toolSpecificData.command", of="", name="toolId",
                    arguments=lambda call: {"command": call["toolSpecificData"]["command"]},
                    id="toolCallId", output="resultDetails.output",
                    failed="resultDetails.isError"),
        MessagePart("call", at="shown", key="toolId", of="", name="toolId", arguments=None,
                    where=lambda call: at(call, "toolSpecificData.command") is None,
                    id="toolCallId", output="resultDetails.output",
                    failed="resultDetails.isError"),
    ],
)  # fmt: skip


# -- chats with roles of their own -----------------------------------------------------------------

_CALLS: Final = ("tool_call", "tool_result", "tool_output")
TOOL_ROLES: Final = Messages(
    name="tool_roles", summary="chats in which calls and results have roles of their own",
    roles={"system": "system", "developer": "system", "user": "user", "human": "user",
           "assistant": "assistant", "tool_call": "assistant", "tool_result": "tool",
           "tool_output": "tool"},
    lacks=("tool_calls", "function_call", "tool_call_id"),
    content=lambda message: None if message.get("role") in _CALLS else message.get("content"),
    may_be_text=True, sign=lambda message: "the role 'tool_call'"
    if message.get("role") == "tool_call" else "",
    parts=[
        MessagePart("call", at="", where=lambda message: message["role"] == "tool_call",
                    of="metadata.function|content!", id="="),
        MessagePart("result", at="", where=lambda message: message["role"] in _CALLS[1:], of="",
                    output="content", id="=", name="="),
        MessagePart("text", type="text", of="text", is_sign=False),
    ],
)  # fmt: skip

TABLES: Final = (CHATGPT, CLAUDE_AI, COPILOT_CHAT, TOOL_ROLES)
