"""Forms of messages that are tables, each after the pages and packages that it names.

What frameworks and APIs differ in is where messages, calls and results stand, and their names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from agent_runs.reading.parts import RESULT_PARTS, text_of
from agent_runs.tables.messages import Messages
from agent_runs.tables.part import MessagePart, at

if TYPE_CHECKING:
    from agent_runs.tables.turn import SaidByProgram

ROLES: Final[dict[str, Any]] = {
    name: name for name in ("system", "user", "assistant", "tool")
}  # fmt: skip
"""The roles of forms that call them as we do."""

# haystack/dataclasses/chat_message.py of haystack-ai 2 and 3; up to 2.9 with `_role`, `_content`.
HAYSTACK: Final = Messages(
    name="haystack", summary="chat messages of Haystack", roles=ROLES,
    role="role|_role", content="content|_content", type_key="", is_one_key=True, join="\n",
    parts=[
        MessagePart("text", key="text"),
        MessagePart("call", key="tool_call", name="tool_name"),
        MessagePart("result", key="tool_call_result", output="result", id="origin.id",
                    name="origin.tool_name", failed="error"),
        MessagePart("thought", key="reasoning", of="reasoning.reasoning_text"),
        MessagePart("nothing", key="image|file"),
    ],
)  # fmt: skip

# ai.google.dev/api/caching#Content; the Python SDK dumps names such as `function_call`.
_GEMINI_PARTS: Final = (
    MessagePart("call", key="functionCall|function_call", arguments="args"),
    MessagePart("result", key="functionResponse|function_response", output="response",
                unwrap=("result", "output", "error")),
    MessagePart("thought", key="text", where=lambda part: part.get("thought") is True),
    MessagePart("text", key="text"),
    MessagePart("nothing", key="inlineData|inline_data|fileData|file_data|executableCode"
                "|executable_code|codeExecutionResult|code_execution_result|thoughtSignature|thought_signature"),
)  # fmt: skip
GEMINI: Final = Messages(
    name="gemini", summary="contents of Gemini's API: lists, requests, responses",
    roles={"": "user", "user": "user", "model": "assistant", "function": "tool", "tool": "tool",
           "system": "system"},
    content="parts", type_key="", parts=_GEMINI_PARTS, lacks=("kind", "parts.0.type"),
    messages="contents|request.contents",
    answer="candidates.0.content|response.candidates.0.content",
    system="systemInstruction|system_instruction|request.systemInstruction"
           "|request.system_instruction",
)  # fmt: skip

# packages/core/src/services/chatRecordingService.ts of Gemini CLI: sessions below ~/.gemini/tmp.
GEMINI_CLI: Final = Messages(
    name="gemini_cli", summary="sessions of Gemini CLI",
    roles={"user": "user", "gemini": "assistant"}, role="type", type_key="", may_be_text=True,
    messages=lambda record: record["messages"] if "projectHash" in record else None,
    has=("type", "timestamp", "id"), sign="'type', 'timestamp' and 'id'",
    key="id", rewinds="$rewindTo", anew="$set.messages",
    about={"model": "model", "time": "timestamp|startTime", "kind": "kind"},
    skips=lambda message: message.get("type") in ("info", "warning", "error")
    or not {"projectHash", "$set", "$rewindTo"}.isdisjoint(message),
    parts=[
        MessagePart("error", at="", where=lambda message: message.get("type") == "error",
                    of="content"),
        MessagePart("thought", at="thoughts", key="description"),
        MessagePart("text", key="text"),
        MessagePart("call", at="toolCalls", key="args", of="", arguments="args",
                    output="result[].functionResponse.response", unwrap=("output", "error"),
                    failed="status=error"),
    ],
)  # fmt: skip

# google/adk/events/event.py and sessions/session.py of google-adk 1.
ADK: Final = Messages(
    name="google_adk", summary="sessions and events of Google's ADK", roles=GEMINI.roles,
    role="content.role", content="content.parts", type_key="", parts=_GEMINI_PARTS,
    messages="events", has=("author",), sign="'author' and 'content'",
    skips=lambda event: "author" in event
    and (event.get("partial") is True or not (event.get("content") or {}).get("parts")),
)  # fmt: skip

# pydantic_ai/messages.py of pydantic-ai 0.1 to 2. Output tools give the answer.
_IS_OUTPUT: Final = lambda part: str(part.get("tool_name")).startswith("final_result")  # noqa: E731
PYDANTIC_AI: Final = Messages(
    name="pydantic_ai", summary="messages of pydantic-ai",
    roles={"request": "user", "response": "assistant"}, role="kind", content="parts",
    type_key="part_kind", messages="messages|message_history|all_messages",
    parts=[
        MessagePart("answer", type="tool-call", where=_IS_OUTPUT, name="tool_name",
                    arguments="args"),
        MessagePart("nothing", type="tool-return", where=_IS_OUTPUT, of="content"),
        MessagePart("call", type="tool-call|builtin-tool-call", name="tool_name", arguments="args",
                    id="tool_call_id"),
        MessagePart("result", type="tool-return|builtin-tool-return", output="content",
                    id="tool_call_id", name="tool_name",
                    failed="outcome=failed|outcome=retried"),
        MessagePart("result", type="retry-prompt", where=lambda part: part.get("tool_name"),
                    output="content", id="tool_call_id", name="tool_name", failed="=error"),
        MessagePart("text", type="user-prompt|text", of="content"),
        MessagePart("system", type="system-prompt|retry-prompt|retry-feedback|instruction*",
                    of=lambda part: text_of(at(part, "content|instructions[].content"))),
        MessagePart("thought", type="thinking", of="content"),
        MessagePart("nothing", type="tool-availability-delta|capability-load-delta"
                    "|model-settings-delta", is_sign=False),
    ],
)  # fmt: skip

# docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Message.html; strands-agents 1.
CONVERSE: Final = Messages(
    name="bedrock_converse", summary="messages of Bedrock's Converse API, and of Strands Agents",
    roles=ROLES, type_key="", messages="messages|request.messages|input.messages", system="system",
    answer="output.message|response.output.message", before=("haystack",),
    parts=[
        MessagePart("call", key="toolUse", arguments="input", id="toolUseId"),
        MessagePart("result", key="toolResult", output="content", id="toolUseId",
                    unwrap=("json", "text"), failed="status=error"),
        MessagePart("thought", key="reasoningContent", of="reasoningContent.reasoningText.text"),
        MessagePart("text", key="text", is_sign=False),
        MessagePart("nothing", key="image|document|video|guardContent|citationsContent"),
        MessagePart("nothing", key="cachePoint", is_sign=False),
    ],
)  # fmt: skip

# ai-sdk.dev/docs/reference/ai-sdk-core/model-message, versions 4 to 6.
_VERCEL_TEXTS: Final = (
    MessagePart("thought", type="reasoning", of="text", is_sign=False),
    MessagePart("text", type="text", of="text", is_sign=False),
)
VERCEL: Final = Messages(
    name="vercel_ai", summary="ModelMessages of the Vercel AI SDK", roles=ROLES, may_be_text=True,
    messages="messages|request.messages", before=("openai_chat", "anthropic"),
    lacks=("tool_calls", "function_call", "tool_call_id"),
    parts=[
        MessagePart("call", type="tool-call", name="toolName", arguments="input|args",
                    id="toolCallId"),
        MessagePart("result", type="tool-result", output="output.value|output|result",
                    id="toolCallId", name="toolName"),
        *_VERCEL_TEXTS,
    ],
)  # fmt: skip


def _before_version_5(message: Mapping[str, Any]) -> Any:
    """Return the content of a *message*; calls beside it were made before its text was written."""
    calls, text = message.get("toolInvocations"), message.get("content")
    if not isinstance(text, str) or not calls:
        return text if isinstance(text, str) else None
    parts = [{"type": "tool-invocation", "toolInvocation": call} for call in calls]
    return [*parts, {"type": "text", "text": text}] if text else parts


# ai-sdk.dev/docs/reference/ai-sdk-core/ui-message, versions 3 to 6.
VERCEL_UI: Final = Messages(
    name="vercel_ai_ui", summary="UIMessages of the Vercel AI SDK, as a chat stores them",
    roles=ROLES, content=lambda message: message.get("parts") or _before_version_5(message),
    may_be_text=True, lacks=("tool_calls", "function_call", "tool_call_id"),
    sign=lambda message: "'role' and 'parts' with types" if "parts" in message
    else "'toolInvocations'" if message.get("toolInvocations") else "",
    before=("gemini", "openai_chat"),
    parts=[
        MessagePart("call", type="tool-invocation", of="toolInvocation", name="toolName",
                    arguments="args", id="toolCallId", output="result"),
        MessagePart("call", type="dynamic-tool", name="toolName", arguments="input|rawInput",
                    id="toolCallId", output="output|errorText", failed="errorText"),
        MessagePart("call", type="tool-*", name="toolName", arguments="input|rawInput",
                    id="toolCallId", output="output|errorText", failed="errorText"),
        MessagePart("nothing", type="step-start", is_sign=False),
        *_VERCEL_TEXTS,
    ],
)  # fmt: skip

# agent_framework/_types.py of agent-framework 1.
AGENT_FRAMEWORK: Final = Messages(
    name="agent_framework", summary="messages of Microsoft's Agent Framework", roles=ROLES,
    role="role.value|role", content="contents", sign="'role' and 'contents'",
    messages="messages|state.messages|chat_message_store_state.messages",
    parts=[
        MessagePart("call", type="function_call", id="call_id"),
        MessagePart("result", type="function_result", output="result", id="call_id"),
        MessagePart("thought", type="text_reasoning", of="text"),
        MessagePart("text", type="text", of="text"),
        MessagePart("nothing", type="usage", is_sign=False),
    ],
)  # fmt: skip

# semantic_kernel/contents of semantic-kernel 1.
SEMANTIC_KERNEL: Final = Messages(
    name="semantic_kernel", summary="chat histories of Semantic Kernel",
    roles={**ROLES, "developer": "system"}, content="items", type_key="content_type",
    parts=[
        MessagePart("call", type="function_call"),
        MessagePart("result", type="function_result", output="result"),
        MessagePart("thought", type="reasoning", of="text"),
        MessagePart("text", type="text", of="text"),
    ],
)  # fmt: skip

# ag2/events of ag2 1.
AG2: Final = Messages(
    name="ag2", summary="events of AG2's agents",
    roles={"ModelRequest": "user", "ModelResponse": "assistant", "ToolResultEvent": "tool"},
    role="type", content="parts", type_key="__event__", sign="events with 'type' and 'created_at'",
    has=("created_at",), messages="events|history",
    skips=lambda event: event.get("type") in ("ToolCallsEvent", "ToolCallEvent", "ToolResultsEvent")
    and "created_at" in event,
    parts=[
        MessagePart("text", type="ag2.events.input_events.TextInput", of="content"),
        MessagePart("text", at="message", key="content"),
        MessagePart("thought", at="reasoning", key="content"),
        MessagePart("call", at="tool_calls.calls", key="name", of=""),
        MessagePart("result", at="", key="result", of="", id="parent_id",
                    output="result.data.parts[].content|result"),
    ],
)  # fmt: skip

# camel/memories/records.py of camel-ai 0.2.
CAMEL: Final = Messages(
    name="camel_memory", summary="memories of CAMEL's agents",
    roles={**ROLES, "function": "tool"}, role="role_at_backend", content="message.content",
    has=("message",), sign="'role_at_backend' and 'message'", may_be_text=True,
    parts=[
        MessagePart("call", at="message.tool_calls", key="function", of="function"),
        MessagePart("result", at="message", where=lambda part: bool(part.get("func_name")),
                    output="result", id="tool_call_id", name="func_name"),
    ],
)  # fmt: skip

# log_file_handler.py of crewai 1: the tasks of a crew and their outputs, without steps.
CREWAI_LOG: Final = Messages(
    name="crewai_log", summary="log file of a CrewAI crew, as JSON",
    roles={"started": "user", "completed": "assistant"}, role="status", content=None,
    messages="", has=("task", "agent", "timestamp"), sign="'task', 'agent' and 'status'",
    parts=[
        MessagePart("text", at="", where=lambda event: event["status"] == "started", of="task"),
        MessagePart("text", at="", where=lambda event: event["status"] == "completed", of="output"),
    ],
)  # fmt: skip

# openhands/events of OpenHands 0.9 to 0.62: actions, and observations by their causes.
_NO_STEP: Final = ("change_agent_state", "recall", "agent_state_changed", "null", "",
                   "condensation", "condensation_request", "pause", "resume")  # fmt: skip
_SAYS: Final = ("message", "finish", "system")
OPENHANDS: Final = Messages(
    name="openhands", summary="trajectories of OpenHands, which are lists of events",
    roles={"user": "user", "agent": "assistant", "environment": "tool"}, role="source",
    content=None,
    messages="history|trajectory", has=("source", "id"), sign="'source' and 'action'",
    before=("json_lines",),
    skips=lambda event: event.get("action", event.get("observation")) in _NO_STEP
    and "source" in event,
    parts=[
        MessagePart("system", at="", where=lambda event: event.get("action") == "system",
                    of="args.content"),
        MessagePart("text", at="", where=lambda event: event.get("action") == "message",
                    of="args.content|message"),
        MessagePart("text", at="", where=lambda event: event.get("action") == "finish",
                    of="args.final_thought|args.thought|message"),
        MessagePart("thought", at="", key="args.thought",
                    where=lambda event: event.get("action") not in _SAYS),
        MessagePart("call", at="", key="action", of="",
                    where=lambda event: event["action"] not in _SAYS,
                    name="action", arguments=lambda event: _given(event["args"])),
        MessagePart("result", at="", key="observation", of="", output="content", id="cause",
                    failed=lambda event: event["observation"] == "error"
                    or (at(event, "extras.metadata.exit_code") or 0) > 0),
    ],
)  # fmt: skip


def _given(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the *arguments* of an action that the model gave; the others say how it is run."""
    own = ("thought", "is_input", "blocking", "hidden", "confirmation_state", "is_static", "cwd",
           "security_risk", "kernel_init_code", "include_extra", "impl_source")  # fmt: skip
    return {name: value for name, value in arguments.items() if name not in own}


_RESPONSES: Final = ("response", "response_body", "responseBody")


def _response_in(record: dict[str, Any]) -> Any:
    """Return the message of a response that is a *record*, or stands in it."""
    for found in (record, *map(record.get, _RESPONSES)):
        if isinstance(found, dict) and found.get("type") == "message" and "stop_reason" in found:
            return found
    return None


_EMPTY_RESULT: Final = {"type", "tool_use_id", "is_error", "cache_control"}


def _is_anthropic_result(part: Mapping[str, Any]) -> bool:
    """Return whether a *part* names its call, and has what the tool returned, if it has anything.

    Others have results of the same type, with the id and the output elsewhere, such as Amp.
    """
    return "tool_use_id" in part and ("content" in part or part.keys() <= _EMPTY_RESULT)


# docs.anthropic.com/en/api/messages: lists, requests, requests with their responses.
_REQUESTS: Final = ("", "request.", "request_body.", "requestBody.", "body.", "params.")
ANTHROPIC: Final = Messages(
    name="anthropic",
    summary="messages of Anthropic's Messages API: lists, requests, requests with responses",
    roles={name: ROLES[name] for name in ("system", "user", "assistant")}, may_be_text=True,
    messages="|".join(f"{place}messages" for place in _REQUESTS), lacks=("tool_calls",),
    system="|".join(f"{place}system" for place in _REQUESTS),
    answer=_response_in,
    before=("openai_chat",),
    parts=[
        MessagePart("call", type="tool_use|server_tool_use|mcp_tool_use", arguments="input"),
        MessagePart("result", type="|".join(sorted(RESULT_PARTS)), output="content",
                    id="tool_use_id", failed="is_error", where=_is_anthropic_result),
        MessagePart("thought", type="thinking", of="thinking"),
        MessagePart("nothing", type="redacted_thinking", is_sign=False),
        MessagePart("text", type="text", of="text", is_sign=False),
        MessagePart("nothing", type="compaction", is_sign=False),
    ],
)  # fmt: skip
# The transcripts below ~/.claude/projects of Claude Code 1 and 2: one event a line.
_CLAUDE_OTHERS: Final = ("summary", "file-history-snapshot", "system", "progress", "last-prompt",
                         "queue-operation", "custom-title", "agent-name")  # fmt: skip
_CLAUDE_OWN: Final = ("<command-", "<local-command-", "<system-reminder>", "Caveat: ",
                      "[Request interrupted", "<task-notification>", "Stop hook feedback:",
                      "This session is being continued from a previous conversation")  # fmt: skip
"""How messages begin that the program says in the name of the user."""
_CLAUDE_MARKS: Final = ("isMeta", "isCompactSummary", "isVisibleInTranscriptOnly", "isSynthetic")
"""What is true of messages that the program says."""


def _of_claude_code(event: Mapping[str, Any], text: str) -> SaidByProgram:
    """Return what a *text* in an *event* is if the program says it."""
    if event.get("isApiErrorMessage") or event.get("error"):
        return "error"
    is_own = event.get("type") == "user" and text.lstrip().startswith(_CLAUDE_OWN)
    return "system" if is_own or any(map(event.get, _CLAUDE_MARKS)) else ""


CLAUDE_CODE: Final = replace(
    ANTHROPIC, name="claude_code", summary="transcripts of Claude Code", message="message",
    messages="", system="", answer="", lacks=(), before=(), has=("message", "uuid", "type"),
    sign="'uuid', 'type' and 'message'", thread=("sessionId", "isSidechain"),
    program=_of_claude_code,
    about={"model": lambda event: None if event.get("isApiErrorMessage")
           else at(event, "message.model"), "time": "timestamp", "version": "version",
           "branch": "gitBranch", "folder": "cwd"},
    skips=lambda event: "message" not in event and isinstance(event.get("type"), str)
    and ("sessionId" in event or event["type"] in _CLAUDE_OTHERS),
)  # fmt: skip

# opentelemetry.io/docs/specs/semconv/gen-ai: the messages in the attributes of spans.
OTEL: Final = Messages(
    name="otel_messages", summary="messages of OpenTelemetry's conventions for generative AI",
    roles=ROLES, content="parts", before=("vercel_ai_ui", "gemini"),
    parts=[
        MessagePart("call", type="tool_call"),
        MessagePart("result", type="tool_call_response", output="response|result"),
        MessagePart("thought", type="reasoning|thinking", of="content"),
        MessagePart("text", type="text", of="content", where=lambda part: "content" in part),
    ],
)  # fmt: skip

TABLES: Final = (
    ANTHROPIC, HAYSTACK, GEMINI, ADK, PYDANTIC_AI, CONVERSE, VERCEL, VERCEL_UI, AGENT_FRAMEWORK,
    SEMANTIC_KERNEL, AG2, CAMEL, CLAUDE_CODE, CREWAI_LOG,
    OPENHANDS, OTEL, GEMINI_CLI,
)  # fmt: skip
