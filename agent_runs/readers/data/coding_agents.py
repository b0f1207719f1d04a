"""Sessions of coding agents that are tables, besides Claude Code's and Gemini CLI's transcripts.

::

    claude        {"type": "assistant", "message": {…}, "session_id": "s"}
    codex exec    {"type": "item.completed", "item": {"id": "item_0", "type": "reasoning", …}}
    gemini        {"type": "tool_use", "tool_name": "depth", "tool_id": "t", "parameters": {…}}
    opencode run  {"type": "text", "sessionID": "s", "part": {"type": "text", "text": "One."}}
    copilot       {"type": "tool.execution_complete", "data": {"toolCallId": "c", …}}

Source: each table names its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from agent_runs.readers.data.openai import CODEX, RESPONSES
from agent_runs.readers.data.tables import ANTHROPIC, CLAUDE_CODE, GEMINI
from agent_runs.tables.messages import Messages
from agent_runs.tables.part import MessagePart, at

if TYPE_CHECKING:
    from agent_runs.reading.said import Border

_FAILED: Final = ("failed", "declined", "error")


def _borders(begins: str, ends: str, of: str = "type") -> Callable[[Mapping[str, Any]], Border]:
    """Return what says that a turn begins or ends with an object; types as in `MessagePart`."""
    known: dict[str, Border] = {
        **dict.fromkeys(begins.split("|"), "begins"), **dict.fromkeys(ends.split("|"), "ends"),
    }  # fmt: skip
    return lambda found: known.get(str(at(found, of) or "-"), "")


# sdk.d.ts of @anthropic-ai/claude-agent-sdk 0.3: claude -p --output-format stream-json.
def _is_bad_end(event: Mapping[str, Any]) -> bool:
    return event.get("type") == "result" and (
        event.get("is_error") is True or event.get("subtype") != "success"
    )


def _claude_sign(event: Mapping[str, Any]) -> str:
    if "session_id" not in event:
        return ""
    if "message" in event:
        return "'session_id' and 'message'"
    is_edge = event.get("subtype") == "init" or (event.get("type"), "num_turns" in event) == (
        "result", True)  # fmt: skip
    return f"'session_id' and type {event.get('type')!r}" if is_edge else ""


CLAUDE_STREAM: Final = replace(
    CLAUDE_CODE, name="claude_stream",
    summary="stream-json of claude -p, the Claude Agent SDK and Qwen Code", others="type",
    has=("message", "type", "session_id"), sign=_claude_sign,
    before=("claude_code",), thread=("session_id", "parent_tool_use_id"),
    caller="parent_tool_use_id", key="uuid", voids="supersedes",
    stated=lambda event: None if _is_bad_end(event) else event.get("result"),
    border=_borders("init", "result", of="subtype|type"),
    about={"model": "message.model|model", "time": "timestamp", "folder": "cwd",
           "version": "claude_code_version", "cost": "total_cost_usd",
           "input_tokens": "usage.input_tokens", "output_tokens": "usage.output_tokens"},
    skips=lambda event: "message" not in event
    and event.get("type") in ("system", "result", "stream_event", "rate_limit_event"),
    parts=[*ANTHROPIC.parts, MessagePart("error", at="", where=_is_bad_end,
                                         of="result|errors|subtype")],
)  # fmt: skip

# tests/sample_session.json of simonw/claude-code-transcripts: sessions of Claude Code on the web.
CLAUDE_WEB: Final = replace(
    CLAUDE_CODE, name="claude_web", summary="sessions of Claude Code on the web",
    messages="loglines", has=("message", "type", "timestamp"), lacks=("uuid", "session_id"),
    sign="'type', 'timestamp' and 'message'", thread=(),
)  # fmt: skip

# core/src/rollout.rs of Codex CLI, up to September 2025.
_OUTPUTS: Final = MessagePart(
    "result", at="", type="function_call_output|custom_tool_call_output|local_shell_call_output",
    id="call_id", output="output!.output|output.content|output",
    failed="output!.metadata.exit_code",
)  # fmt: skip
_CODEX_PARTS: Final = [_OUTPUTS if part.what == "result" else part for part in RESPONSES.parts]


def _codex_head(line: Mapping[str, Any]) -> str:
    """Return what shows that a *line* which is no item stands in a rollout; empty if nothing."""
    if "record_type" in line:
        return "'record_type'"
    return "'instructions' and 'git'" if {"instructions", "git"} <= line.keys() else ""


CODEX_OLD: Final = replace(
    CODEX, name="codex_old", summary="rollouts of Codex CLI before September 2025",
    message="", has=(), sign=_codex_head, before=(), parts=_CODEX_PARTS,
    skips=lambda line: bool(_codex_head(line)), about={"time": "timestamp"},
)  # fmt: skip


# exec/src/exec_events.rs of Codex CLI; the first two eras as others have them in their fixtures.
def _ran(item: Mapping[str, Any]) -> str | None:
    """Return what a command printed; `None` if it had not ended."""
    status = item.get("status")
    has_ended = item.get("exit_code") is not None or status in ("completed", *_FAILED)
    return item.get("aggregated_output") or "" if has_ended else None


def _printed(*streams: str | None) -> str:
    """Return what a command printed on its *streams*, each from a line of its own."""
    shown = [each for each in streams if each]
    return "\n".join([*(each.removesuffix("\n") for each in shown[:-1]), *shown[-1:]])


_EXEC_ITEMS: Final = (
    "agent_message", "assistant_message", "reasoning", "command_execution", "file_change",
    "mcp_tool_call", "web_search", "todo_list", "plan", "error", "turn.failed",
)  # fmt: skip
_HAS_FAILED: Final = "status=failed|status=declined|status=error|exit_code"
CODEX_EXEC: Final = Messages(
    name="codex_exec", summary="output of codex exec --json, from September 2025 on",
    roles=dict.fromkeys(_EXEC_ITEMS, "assistant"), message="item|", role="item_type|type",
    content=None, type_key="item_type|type", messages="", key="item.id",
    others="item.item_type|item.type|type",
    sign=lambda line: "'item' in an event" if str(line.get("type")).startswith("item.") else "",
    begins=lambda line: line.get("type") in ("thread.started", "session.created"),
    border=_borders("turn.started", "turn.completed|turn.failed"),
    about={"thread_id": "thread_id", "input_tokens": "usage.input_tokens",
           "output_tokens": "usage.output_tokens"},
    parts=[
        MessagePart("text", at="", type="agent_message|assistant_message", of="text|message"),
        MessagePart("thought", at="", type="reasoning", of="text"),
        MessagePart("call", at="", type="command_execution", name="item_type|type",
                    arguments=("command",), output=_ran, failed=_HAS_FAILED),
        MessagePart("call", at="", type="file_change|web_search", name="item_type|type",
                    arguments=("changes", "query")),
        MessagePart("call", at="", type="mcp_tool_call",
                    name=lambda item: f"{item['server']}.{item['tool']}",
                    output="result.content|error.message", failed="error"),
        MessagePart("error", at="", type="error|turn.failed", of="message|error.message"),
        MessagePart("nothing", at="", type="todo_list|plan"),
    ],
)  # fmt: skip
CODEX_EXEC_OLD: Final = replace(
    CODEX_EXEC, name="codex_exec_old",
    summary="output of codex exec --json, before September 2025",
    roles={**dict.fromkeys(("agent_message", "agent_reasoning", "exec_command_begin", "error"),
                           "assistant"), "exec_command_end": "tool", "": "user"},
    message="msg|", key="", others="msg.type|type", stated="msg.last_agent_message",
    sign=lambda line: "'id' and 'msg' with a type" if at(line, "msg.type") and "id" in line else "",
    begins=lambda line: "workdir" in line,
    skips=lambda line: "workdir" in line
    or str(at(line, "msg.type")).endswith(("token_count", "_delta")),
    border=_borders("task_started", "task_complete", of="msg.type"),
    about={"model": "model", "folder": "workdir"},
    parts=[
        MessagePart("text", at="", key="prompt"),
        MessagePart("text", at="", type="agent_message", of="message"),
        MessagePart("thought", at="", type="agent_reasoning", of="text"),
        MessagePart("call", at="", type="exec_command_begin", name="=exec_command", id="call_id",
                    arguments=("command",)),
        MessagePart("result", at="", type="exec_command_end", id="call_id", failed="exit_code",
                    output=lambda event: _printed(event.get("stdout"), event.get("stderr"))),
        MessagePart("error", at="", type="error", of="message"),
    ],
)  # fmt: skip

# output/types.d.ts of @google/gemini-cli-core 0.36 to 0.61.
GEMINI_STREAM: Final = Messages(
    name="gemini_stream", summary="stream-json of Gemini CLI",
    roles={"user": "user", "assistant": "assistant", "tool_use": "assistant",
           "tool_result": "tool", "error": "assistant"},
    role=lambda event: event.get("role" if event.get("type") == "message" else "type"),
    may_be_text=True, messages="", piece="delta", others="type",
    content=lambda event: event.get("content") if event.get("type") == "message" else None,
    begins=lambda event: event.get("type") == "init", border=_borders("init", "result"),
    sign=lambda event: "'tool_name' and 'tool_id'" if {"tool_name", "tool_id"} <= event.keys()
    else "'init' with 'session_id'" if event.get("type") == "init" and "session_id" in event
    else "",
    about={"model": "model", "time": "timestamp", "session_id": "session_id"},
    parts=[
        MessagePart("call", at="", type="tool_use", name="tool_name", arguments="parameters",
                    id="tool_id"),
        MessagePart("result", at="", type="tool_result", output="output|error.message|=",
                    id="tool_id", failed="status=error"),
        MessagePart("error", at="", type="error", of="message"),
        MessagePart("error", at="", type="result", of="error.message|error|status",
                    where=lambda event: event.get("status") == "error"),
    ],
)  # fmt: skip

# cli.js of @qwen-code/qwen-code 0.15: Gemini's contents in the envelope of Claude Code.
QWEN: Final = replace(
    GEMINI, name="qwen_code", summary="sessions of Qwen Code", message="message", messages="",
    system="", answer="", has=("message.parts", "uuid", "type"), lacks=(), key="uuid",
    follows="parentUuid", thread=("sessionId",), sign="'uuid', and 'message' with 'parts'",
    skips=lambda event: event.get("type") == "system" and "uuid" in event,
    program=lambda event, _: "system" if event.get("subtype") in ("cron", "notification") else "",
    about={"model": "model", "time": "timestamp"},
)  # fmt: skip

# types.gen.d.ts of @opencode-ai/sdk 1.19: an export, what a run prints, and events.
_OPENCODE_PARTS: Final = (
    MessagePart("call", type="tool", name="tool", arguments="state.input", id="callID",
                output=lambda part: {"completed": part["state"].get("output"),
                                     "error": part["state"].get("error")}.get(
                    part["state"]["status"]),
                failed="state.status=error"),
    MessagePart("thought", type="reasoning", of="text"),
    MessagePart("system", type="text", of="text",
                where=lambda part: bool(part.get("synthetic") or part.get("ignored"))),
    MessagePart("text", type="text", of="text", is_sign=False),
    MessagePart("nothing", type="step-start|step-finish|snapshot|patch|agent|retry|compaction",
                is_sign=False),
)  # fmt: skip
OPENCODE: Final = Messages(
    name="opencode", summary="exports of OpenCode",
    roles={"user": "user", "assistant": "assistant"}, role="info.role", content="parts",
    has=("info.role", "parts"), sign="'info' and 'parts'",
    about={"title": "info.title", "session_id": "info.sessionID", "model": "info.modelID",
           "cost": "info.cost", "time": "info.time.created",
           "input_tokens": "info.tokens.input", "output_tokens": "info.tokens.output"},
    parts=[*_OPENCODE_PARTS, MessagePart("error", at="info.error", where=bool, of="data.message|")],
)  # fmt: skip
OPENCODE_RUN: Final = replace(
    OPENCODE, name="opencode_run", summary="what opencode run --format json prints",
    roles=dict.fromkeys(("text", "reasoning", "tool_use", "error"), "assistant"), role="type",
    content=None, messages="", has=("type", "sessionID"), sign="'sessionID' and 'part'",
    thread=("sessionID",), others="type", about={"time": "timestamp"},
    skips=lambda event: event.get("type") in ("step_start", "step_finish"),
    border=lambda event: "ends" if event.get("type") == "step_finish"
    and at(event, "part.reason") not in (None, "tool-calls", "unknown") else "",
    parts=[*(replace(part, at="part", where=part.where or bool) for part in _OPENCODE_PARTS),
           MessagePart("error", at="error", where=bool, of="data.message|")],
)  # fmt: skip


def _opencode_sessions(events: Sequence[Any]) -> list[dict[str, Any]]:
    """Return the sessions that *events* tell of: messages with their parts, each as it was last."""
    infos: dict[str, dict[str, Any]] = {}
    parts: dict[str, dict[str, Any]] = {}
    for each in events:
        event = each.get("event", each)
        found = event.get("properties")
        if not isinstance(found, Mapping) or not isinstance(event.get("type"), str):
            return []
        match event["type"]:
            case "message.updated":
                infos[found["info"]["id"]] = found["info"]
            case "message.part.updated":
                part = found["part"]
                parts.setdefault(part["messageID"], {})[part["id"]] = part
            case "session.error":
                key = f"error {len(infos)}"
                infos[key] = {"role": "assistant", "error": found.get("error"), "id": key,
                              "sessionID": found.get("sessionID")}  # fmt: skip
    sessions: dict[str, list[Any]] = {}
    for key, info in infos.items():
        message = {"info": info, "parts": [*parts.pop(key, {}).values()]}
        sessions.setdefault(str(info.get("sessionID") or ""), []).append(message)
    if parts:
        raise ValueError("the log has parts whose messages are missing")
    return [{"id": name, "messages": messages} for name, messages in sessions.items()]


OPENCODE_EVENTS: Final = replace(
    OPENCODE, name="opencode_events", summary="events of OpenCode", gather=_opencode_sessions,
)  # fmt: skip

# Fixtures of Copilot CLI's events.jsonl.
COPILOT_CLI: Final = Messages(
    name="copilot_cli", summary="events of GitHub Copilot's CLI",
    roles={"user.message": "user", "assistant.message": "assistant",
           "assistant.reasoning": "assistant", "tool.execution_complete": "tool"},
    role="type", content=None, messages="", others="type", has=("type", "data"),
    sign="'type' and 'data'", about={"time": "timestamp", "model": "data.model"},
    skips=lambda event: event.get("type") in ("session.start", "tool.execution_start", "result")
    or str(event.get("type")).endswith("_delta"),
    parts=[
        MessagePart("text", at="", type="user.message|assistant.message", of="data.content"),
        MessagePart("call", at="data.toolRequests", key="toolCallId", of="", id="toolCallId"),
        MessagePart("result", at="", type="tool.execution_complete", of="data", id="toolCallId",
                    output="result.content|error.message|=",
                    failed=lambda data: data.get("success") is False),
        MessagePart("nothing", at="", type="assistant.reasoning"),
    ],
)  # fmt: skip


def _goose_sign(found: Mapping[str, Any]) -> str:
    """Return what of an object shows that Goose wrote it; empty if nothing."""
    if found.get("type") == "complete" and "total_tokens" in found:
        return "'complete' with 'total_tokens'"
    if at(found, "message.created") is not None and at(found, "message.content") is not None:
        return "a message with 'created' and 'content'"
    content = at(found, "message.content|content")
    kinds = [at(part, "type") for part in content] if isinstance(content, list) else []
    known = next((kind for kind in kinds if kind in ("toolRequest", "toolResponse")), "")
    return f"a part of type {known!r}" if known else ""


# conversation/message.rs of Goose.
GOOSE: Final = Messages(
    name="goose", summary="sessions of Goose, and its stream-json output", message="message|",
    roles={"user": "user", "assistant": "assistant"}, messages="conversation|messages",
    others="type", about={"time": "created", "total_tokens": "total_tokens"}, sign=_goose_sign,
    skips=lambda event: event.get("type") == "complete" and "total_tokens" in event,
    border=_borders("", "complete"),
    parts=[
        MessagePart("error", type="toolRequest", of="toolCall.error",
                    where=lambda part: at(part, "toolCall.status") == "error"),
        MessagePart("call", type="toolRequest", name="toolCall.value.name",
                    arguments="toolCall.value.arguments"),
        MessagePart("result", type="toolResponse", of="", id="id",
                    output="toolResult.value.content|toolResult.value|toolResult.error",
                    failed="toolResult.status=error"),
        MessagePart("thought", type="thinking", of="thinking", is_sign=False),
        MessagePart("text", type="text", of="text", is_sign=False),
    ],
)  # fmt: skip

TABLES: Final = (
    CLAUDE_STREAM, CLAUDE_WEB, CODEX_OLD, CODEX_EXEC, CODEX_EXEC_OLD, GEMINI_STREAM, QWEN, OPENCODE,
    OPENCODE_RUN, OPENCODE_EVENTS, COPILOT_CLI, GOOSE,
)  # fmt: skip
