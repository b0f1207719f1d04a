"""The run of `data_logs` in the forms that are tables, and as spans and events of traces."""

import json
from typing import Any

QUESTION, THOUGHT, RESULT, ANSWER = "Which month?", "I look it up.", "November\nThought: 9", "Fog."
GIVEN = {"query": "fog", "days": 2}
JSON = json.dumps(GIVEN)
STAMP = "2026-01-05T09:00:00Z"


def _event(kind: str, role: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"type": kind, "uuid": "u", "sessionId": "s", "isSidechain": False, "timestamp": STAMP,
            "message": {"role": role, "content": content}, **more}  # fmt: skip


def _item(**payload: Any) -> dict[str, Any]:
    return {"timestamp": STAMP, "type": "response_item", "payload": payload}


def _adk(author: str, role: str, *parts: Any) -> dict[str, Any]:
    return {"author": author, "id": "e", "invocation_id": "i",
            "content": {"role": role, "parts": [*parts]}}  # fmt: skip


def _ag2(kind: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, "created_at": 1.0, **more}


def _ag2_text(text: str) -> dict[str, Any]:
    return {"__event__": "ag2.events.input_events.TextInput", "content": text}


_AG2_CALL = {"__event__": "ag2.events.tool_events.ToolCallEvent", "id": "c1", "name": "search",
             "arguments": JSON}  # fmt: skip


def _camel(role: str, **message: Any) -> dict[str, Any]:
    return {"uuid": "u", "role_at_backend": role, "message": {"role_name": "x", **message}}


_OPENAI = [
    {"role": "user", "content": QUESTION},
    {"role": "assistant", "content": THOUGHT, "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "search", "arguments": JSON}}]},
    {"role": "tool", "tool_call_id": "c1", "content": RESULT},
    {"role": "assistant", "content": ANSWER},
]  # fmt: skip
_OTEL: list[dict[str, Any]] = [
    {"role": "user", "parts": [{"type": "text", "content": QUESTION}]},
    {"role": "assistant", "parts": [
        {"type": "text", "content": THOUGHT},
        {"type": "tool_call", "id": "c1", "name": "search", "arguments": GIVEN}]},
    {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": RESULT}]},
    {"role": "assistant", "parts": [{"type": "text", "content": ANSWER}]},
]  # fmt: skip


def _otlp(*attributes: dict[str, Any]) -> dict[str, Any]:
    """Return spans as OTLP has them, the last one first."""
    spans = [
        {"traceId": "t", "spanId": str(at), "name": "x", "startTimeUnixNano": f"17{at}",
         "attributes": [
             {"key": key, "value": {"stringValue": value}} for key, value in own.items()]}
        for at, own in enumerate(attributes)
    ]  # fmt: skip
    return {"resourceSpans": [{"scopeSpans": [{"spans": spans[::-1]}]}]}


def _mlflow(number: int, kind: str, given: Any, returned: Any) -> dict[str, Any]:
    attributes = {"spanType": kind, "spanInputs": given, "spanOutputs": returned}
    return {
        "trace_id": "dA==",
        "span_id": str(number),
        "name": "search",
        "start_time_unix_nano": 1795782111531581367 + number,
        "attributes": {f"mlflow.{key}": json.dumps(own) for key, own in attributes.items()},
    }


def _choice(message: dict[str, Any]) -> dict[str, Any]:
    return {"choices": [{"index": 0, "message": message}]}


def _spread(name: str, messages: list[dict[str, Any]]) -> dict[str, Any]:
    """Return *messages* as the attributes of OpenInference."""
    found = {}
    for at, message in enumerate(messages):
        start = f"llm.{name}.{at}.message"
        for key, value in message.items():
            if key != "tool_calls":
                found[f"{start}.{key}"] = value
        for number, call in enumerate(message.get("tool_calls") or ()):
            own = f"{start}.tool_calls.{number}.tool_call"
            found[f"{own}.id"] = call["id"]
            found[f"{own}.function.name"] = call["function"]["name"]
            found[f"{own}.function.arguments"] = call["function"]["arguments"]
    return found


def _sdk_span(number: int, attributes: dict[str, Any]) -> dict[str, Any]:
    return {"name": "x", "context": {"trace_id": "t", "span_id": str(number)},
            "start_time": f"2026-01-05T09:00:0{number}Z", "attributes": attributes}  # fmt: skip


LOGS: dict[str, list[Any]] = {
    "ag2": [
        [
            _ag2("ModelRequest", parts=[_ag2_text(QUESTION)]),
            _ag2("ModelResponse", message={"content": THOUGHT}, tool_calls={"calls": [_AG2_CALL]}),
            _ag2("ToolCallsEvent", calls=[_AG2_CALL]),
            _ag2("ToolCallEvent", **{key: _AG2_CALL[key] for key in ("id", "name", "arguments")}),
            _ag2("ToolResultEvent", parent_id="c1", name="search",
                 result={"data": {"parts": [_ag2_text(RESULT)]}}),
            _ag2("ToolResultsEvent", results=[]),
            _ag2("ModelResponse", message={"content": ANSWER}, tool_calls={"calls": []}),
        ],
    ],
    "agent_framework": [
        [
            {"role": "user", "contents": [{"type": "text", "text": QUESTION}]},
            {"role": "assistant", "contents": [
                {"type": "text", "text": THOUGHT},
                {"type": "function_call", "call_id": "c1", "name": "search", "arguments": JSON}]},
            {"role": "tool", "contents": [
                {"type": "function_result", "call_id": "c1", "result": RESULT}]},
            {"role": {"value": "assistant"}, "contents": [{"type": "text", "text": ANSWER}]},
        ],
    ],
    "bedrock_converse": [
        {"system": [{"text": "Be brief."}], "messages": [
            {"role": "user", "content": [{"text": QUESTION}]},
            {"role": "assistant", "content": [
                {"reasoningContent": {"reasoningText": {"text": THOUGHT}}},
                {"toolUse": {"toolUseId": "c1", "name": "search", "input": GIVEN}}]},
            {"role": "user", "content": [{"toolResult": {
                "toolUseId": "c1", "content": [{"text": RESULT}], "status": "success"}}]}],
         "output": {"message": {"role": "assistant", "content": [{"text": ANSWER}]}}},
    ],
    "camel_memory": [
        [
            _camel("user", content=QUESTION),
            _camel("assistant", content=THOUGHT, tool_calls=[
                {"id": "c1", "function": {"name": "search", "arguments": JSON}}]),
            _camel("function", content="", func_name="search", result=RESULT, tool_call_id="c1"),
            _camel("assistant", content=ANSWER),
        ],
    ],
    "claude_code": [
        [
            {"type": "summary", "summary": "Fog", "leafUuid": "u"},
            _event("user", "user", QUESTION),
            _event("assistant", "assistant", [{"type": "text", "text": THOUGHT}]),
            _event("assistant", "assistant", [
                {"type": "tool_use", "id": "c1", "name": "search", "input": GIVEN}]),
            _event("user", "user", [
                {"type": "tool_result", "tool_use_id": "c1", "content": RESULT}],
                toolUseResult={"stdout": RESULT}),
            _event("assistant", "assistant", [{"type": "text", "text": ANSWER}]),
        ],
    ],
    "cline": [
        [
            {"role": "user", "content": [{"type": "text", "text": f"<task>\n{QUESTION}\n</task>"}]},
            {"role": "assistant", "content": f"<thinking>{THOUGHT}</thinking>\n\n<use_search>\n"
             "<query>fog</query>\n<days>\n2\n</days>\n</use_search>"},
            {"role": "user", "content": f"[use_search for 'fog'] Result:\n\n{RESULT}"},
            {"role": "assistant", "content": "<attempt_completion>\n<result>\n"
             f"{ANSWER}\n</result>\n</attempt_completion>"},
        ],
    ],
    "codex": [
        [
            {"timestamp": STAMP, "type": "session_meta", "payload": {"id": "s"}},
            _item(type="message", role="user", content=[
                {"type": "input_text", "text": "<environment_context>…</environment_context>"}]),
            _item(type="message", role="user", content=[{"type": "input_text", "text": QUESTION}]),
            _item(type="reasoning", summary=[{"type": "summary_text", "text": THOUGHT}]),
            _item(type="function_call", name="search", arguments=JSON, call_id="c1"),
            _item(type="function_call_output", call_id="c1", output=RESULT),
            {"timestamp": STAMP, "type": "event_msg", "payload": {"type": "token_count"}},
            _item(type="message", role="assistant", content=[
                {"type": "output_text", "text": ANSWER}]),
        ],
    ],
    "crewai_log": [
        [
            {"timestamp": STAMP, "task": QUESTION, "agent": "A", "status": "started"},
            {"timestamp": STAMP, "task": QUESTION, "agent": "A", "status": "completed",
             "output": ANSWER},
        ],
    ],
    "gemini_cli": [
        {"sessionId": "s", "projectHash": "0f", "startTime": STAMP, "lastUpdated": STAMP,
         "messages": [
             {"id": "1", "timestamp": STAMP, "type": "user", "content": [{"text": QUESTION}]},
             {"id": "2", "timestamp": STAMP, "type": "gemini", "content": THOUGHT,
              "toolCalls": [
                  {"id": "c1", "name": "search", "args": GIVEN, "status": "success",
                   "result": [{"functionResponse": {
                       "id": "c1", "name": "search", "response": {"output": RESULT}}}]}]},
             {"id": "3", "timestamp": STAMP, "type": "info", "content": "saved"},
             {"id": "4", "timestamp": STAMP, "type": "gemini", "content": ANSWER}]},
    ],
    "google_adk": [
        {"appName": "app", "events": [
            _adk("user", "user", {"text": QUESTION}),
            _adk("a", "model", {"text": THOUGHT},
                 {"functionCall": {"id": "c1", "name": "search", "args": GIVEN}}),
            {"author": "a", "id": "e", "actions": {"stateDelta": {}}},
            _adk("a", "user", {"functionResponse": {
                "id": "c1", "name": "search", "response": {"result": RESULT}}}),
            _adk("a", "model", {"text": ANSWER})]},
    ],
    "langchain_stream": [
        [
            {"event": "on_chain_start", "run_id": "r", "parent_ids": [],
             "data": {"input": {"messages": [["user", QUESTION]]}}},
            {"event": "on_chat_model_end", "run_id": "m", "parent_ids": ["r"], "data": {"output": {
                "type": "ai", "content": THOUGHT, "tool_calls": [
                    {"name": "search", "args": GIVEN, "id": "c1"}]}}},
            {"event": "on_tool_end", "run_id": "t", "parent_ids": ["r"], "data": {"output": {
                "type": "tool", "content": RESULT, "tool_call_id": "c1", "name": "search"}}},
            {"event": "on_chat_model_end", "run_id": "m", "parent_ids": ["r"], "data": {"output": {
                "type": "ai", "content": ANSWER, "tool_calls": []}}},
            {"event": "on_chain_end", "run_id": "r", "parent_ids": [], "data": {"output": {}}},
        ],
    ],
    "openhands": [
        [
            {"id": 0, "timestamp": STAMP, "source": "user", "message": QUESTION,
             "action": "message", "args": {"content": QUESTION}},
            {"id": 1, "timestamp": STAMP, "source": "environment", "message": "",
             "observation": "agent_state_changed", "content": "", "extras": {}},
            {"id": 2, "timestamp": STAMP, "source": "agent", "message": "Searching",
             "action": "search", "args": {**GIVEN, "thought": THOUGHT, "hidden": False}},
            {"id": 3, "timestamp": STAMP, "source": "agent", "message": "Searched", "cause": 2,
             "observation": "search", "content": RESULT},
            {"id": 4, "timestamp": STAMP, "source": "agent", "message": ANSWER,
             "action": "finish", "args": {"final_thought": ANSWER, "thought": ""}},
        ],
    ],
    "otel_messages": [_OTEL],
    "semantic_kernel": [
        {"messages": [
            {"content_type": "message", "role": "user", "items": [
                {"content_type": "text", "text": QUESTION}]},
            {"content_type": "message", "role": "assistant", "items": [
                {"content_type": "function_call", "id": "c1", "name": "search", "arguments": JSON},
                {"content_type": "text", "text": THOUGHT}]},
            {"content_type": "message", "role": "tool", "items": [
                {"content_type": "function_result", "id": "c1", "name": "search",
                 "result": RESULT}]},
            {"content_type": "message", "role": "assistant", "items": [
                {"content_type": "text", "text": ANSWER}]}]},
    ],
    "spans": [
        _otlp(
            {"gen_ai.operation.name": "chat", "gen_ai.input.messages": json.dumps(_OTEL[:1]),
             "gen_ai.output.messages": json.dumps(_OTEL[1:2])},
            {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search",
             "gen_ai.tool.call.id": "c1", "gen_ai.tool.call.result": RESULT},
            {"gen_ai.operation.name": "chat", "gen_ai.input.messages": json.dumps(_OTEL[:3]),
             "gen_ai.output.messages": json.dumps(_OTEL[3:])},
        ),
        [
            _sdk_span(0, {**_spread("input_messages", _OPENAI[:1]),
                          **_spread("output_messages", _OPENAI[1:2])}),
            _sdk_span(1, {**_spread("input_messages", _OPENAI[:3]),
                          **_spread("output_messages", _OPENAI[3:])}),
        ],
        {"id": "t", "traceId": "t", "observations": [
            {"traceId": "t", "type": "GENERATION", "name": "g", "startTime": "1",
             "input": {"messages": _OPENAI[:1]}, "output": _OPENAI[1]},
            {"traceId": "t", "type": "TOOL", "name": "search", "startTime": "2", "input": GIVEN,
             "output": RESULT},
            {"traceId": "t", "type": "GENERATION", "name": "g", "startTime": "3",
             "input": _OPENAI[:3], "output": _OPENAI[3]}]},
        [
            {"op_name": "weave:///chat", "trace_id": "t", "started_at": "1",
             "inputs": {"messages": _OPENAI[:1]},
             "output": {"choices": [{"message": _OPENAI[1]}]}},
            {"op_name": "weave:///search", "trace_id": "t", "started_at": "2", "inputs": GIVEN,
             "output": RESULT},
            {"op_name": "weave:///chat", "trace_id": "t", "started_at": "3",
             "inputs": {"messages": _OPENAI[:3]},
             "output": {"choices": [{"message": _OPENAI[3]}]}},
        ],
        {"info": {"trace_id": "tr-t"}, "data": {"spans": [
            _mlflow(0, "CHAT_MODEL", {"messages": _OPENAI[:1]}, _choice(_OPENAI[1])),
            _mlflow(1, "TOOL", GIVEN, RESULT),
            _mlflow(2, "CHAT_MODEL", {"messages": _OPENAI[:3]}, _choice(_OPENAI[3])),
            _mlflow(3, "AGENT", {"question": QUESTION}, ANSWER)]}},
        [
            {"object": "trace", "id": "t", "workflow_name": "w"},
            {"object": "trace.span", "id": "1", "trace_id": "t", "started_at": "1",
             "span_data": {"type": "generation", "input": _OPENAI[:1], "output": [_OPENAI[1]]}},
            {"object": "trace.span", "id": "2", "trace_id": "t", "started_at": "2",
             "span_data": {"type": "function", "name": "search", "input": JSON, "output": RESULT}},
            {"object": "trace.span", "id": "3", "trace_id": "t", "started_at": "3",
             "span_data": {"type": "generation", "input": _OPENAI[:3], "output": [_OPENAI[3]]}},
        ],
    ],
    "vercel_ai": [
        [
            {"role": "user", "content": QUESTION},
            {"role": "assistant", "content": [
                {"type": "reasoning", "text": THOUGHT},
                {"type": "tool-call", "toolCallId": "c1", "toolName": "search", "input": GIVEN}]},
            {"role": "tool", "content": [
                {"type": "tool-result", "toolCallId": "c1", "toolName": "search",
                 "output": {"type": "text", "value": RESULT}}]},
            {"role": "assistant", "content": [{"type": "text", "text": ANSWER}]},
        ],
    ],
    "vercel_ai_ui": [
        [
            {"id": "1", "role": "user", "parts": [{"type": "text", "text": QUESTION}]},
            {"id": "2", "role": "assistant", "parts": [
                {"type": "step-start"}, {"type": "text", "text": THOUGHT},
                {"type": "tool-search", "toolCallId": "c1", "state": "output-available",
                 "input": GIVEN, "output": RESULT},
                {"type": "step-start"}, {"type": "text", "text": ANSWER}]},
        ],
        [
            {"id": "1", "role": "user", "content": QUESTION},
            {"id": "2", "role": "assistant", "content": THOUGHT},
            {"id": "3", "role": "assistant", "content": ANSWER, "toolInvocations": [
                {"state": "result", "step": 0, "toolCallId": "c1", "toolName": "search",
                 "args": GIVEN, "result": RESULT}]},
        ],
    ],
}  # fmt: skip
"""The logs, by the name of their reader; each holds the same run."""
