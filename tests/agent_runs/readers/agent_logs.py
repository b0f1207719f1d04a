"""The run of `data_logs` as sessions of coding agents, exports of chats and results by id."""

import json
from typing import Any

from .table_logs import ANSWER, GIVEN, JSON, QUESTION, RESULT, STAMP, THOUGHT

NO_QUESTION = ("codex_exec", "opencode_run")
"""Readers of logs that do not show what was asked."""
NO_ANSWER = ("intercode",)


def message(role: str, *content: Any, **more: Any) -> dict[str, Any]:
    return {"type": role, "message": {"role": role, "content": [*content]}, **more}


def stream(role: str, *content: Any, caller: str | None = None, **more: Any) -> dict[str, Any]:
    ids = {"session_id": "s", "parent_tool_use_id": caller}
    return message(role, *content, **ids, **more)


def chained(*steps: tuple[str, Any]) -> dict[str, Any]:
    """Return nodes of ToolEval, each with the next in it."""
    (role, said), *rest = steps
    return {"role": role, "message": said, "next": [chained(*rest)] if rest else []}


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


USE = {"type": "tool_use", "id": "c1", "name": "search", "input": GIVEN}
USED = {"type": "tool_result", "tool_use_id": "c1", "content": RESULT}
INIT = {"type": "system", "subtype": "init", "session_id": "s", "tools": ["search"], "model": "m1",
        "cwd": "/desk", "claude_code_version": "2.1"}  # fmt: skip
DONE = {"type": "result", "subtype": "success", "is_error": False, "result": ANSWER,
        "session_id": "s", "total_cost_usd": 0.25, "num_turns": 2,
        "usage": {"input_tokens": 30, "output_tokens": 4}}  # fmt: skip


def item(kind: str, event: str = "item.completed", **fields: Any) -> dict[str, Any]:
    return {"type": event, "item": {"type": kind, **fields}}


def node(name: str, parent: str | None, role: str, content: Any, **more: Any) -> dict[str, Any]:
    said = {"id": name, "author": {"role": role}, "content": content, "recipient": "all",
            "weight": 1.0, "metadata": {}, **more}  # fmt: skip
    return {"id": name, "message": said, "parent": parent, "children": []}


def parts(*said: str) -> dict[str, Any]:
    return {"content_type": "text", "parts": [*said]}


NODES = [
    {"id": "root", "message": None, "parent": None, "children": ["a"]},
    node("a", "root", "user", parts(QUESTION)),
    node("b", "a", "assistant", {"content_type": "thoughts", "thoughts": [
        {"summary": "", "content": THOUGHT}]}),
    node("c", "b", "assistant", {"content_type": "code", "text": JSON}, recipient="search"),
    node("d", "c", "tool", {"content_type": "execution_output", "text": RESULT}),
    node("e", "d", "assistant", parts(ANSWER)),
]  # fmt: skip
CHATGPT: dict[str, Any] = {
    "title": "Fog", "create_time": 1.5, "current_node": "e", "conversation_id": "v1",
    "mapping": {each["id"]: each for each in NODES},
}  # fmt: skip

STATE = {"status": "completed", "input": GIVEN, "output": RESULT}
TOOL = {"id": "p2", "messageID": "m2", "type": "tool", "callID": "c1", "tool": "search",
        "state": STATE}  # fmt: skip


def exported(name: str, role: str, *of_parts: Any) -> dict[str, Any]:
    return {"info": {"id": name, "role": role, "sessionID": "s"}, "parts": [*of_parts]}


def happened(kind: str, **properties: Any) -> dict[str, Any]:
    return {"type": kind, "properties": properties}


REQUEST: dict[str, Any] = {
    "requestId": "r1", "message": {"text": QUESTION, "parts": []}, "modelId": "m1",
    "response": [{"kind": "toolInvocationSerialized", "toolId": "search", "toolCallId": "c1"},
                 {"value": ANSWER}],
    "result": {"metadata": {
        "toolCallRounds": [{"response": THOUGHT, "toolCalls": [
            {"id": "c1", "name": "search", "arguments": JSON}]}],
        "toolCallResults": {"c1": {"content": [{"value": RESULT}]}}}},
}  # fmt: skip


def goose(role: str, *content: Any) -> dict[str, Any]:
    return {"role": role, "created": 1, "content": [*content]}


SAID: list[dict[str, Any]] = [
    {"role": "user", "content": QUESTION},
    {"role": "assistant", "content": THOUGHT, "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "search", "arguments": JSON}}]},
    {"role": "tool", "tool_call_id": "c1", "content": RESULT},
    {"role": "assistant", "content": ANSWER},
]  # fmt: skip

LOGS: dict[str, list[Any]] = {
    "chatgpt_export": [[CHATGPT]],
    "claude_ai": [
        [{"uuid": "u", "name": "Fog", "created_at": STAMP, "chat_messages": [
            {"uuid": "a", "sender": "human", "text": QUESTION, "content": [text(QUESTION)]},
            {"uuid": "b", "sender": "assistant", "text": "", "content": [
                text(THOUGHT),
                {"type": "tool_use", "name": "search", "input": GIVEN},
                {"type": "tool_result", "name": "search", "content": [text(RESULT)]},
                text(ANSWER)]}]}],
    ],
    "claude_stream": [
        [
            INIT,
            stream("user", text(QUESTION), isReplay=True),
            stream("assistant", text(THOUGHT)),
            stream("assistant", USE),
            {"type": "stream_event", "event": {}, "session_id": "s"},
            stream("user", USED),
            stream("assistant", text(ANSWER)),
            DONE,
        ],
    ],
    "claude_web": [
        {"loglines": [
            {**message(role, *content), "timestamp": STAMP}
            for role, *content in (
                ("user", text(QUESTION)), ("assistant", text(THOUGHT), USE), ("user", USED),
                ("assistant", text(ANSWER)))]},
    ],
    "codex_exec": [
        [
            {"type": "thread.started", "thread_id": "t"},
            {"type": "turn.started"},
            item("reasoning", id="item_0", text=THOUGHT),
            item("mcp_tool_call", "item.started", id="item_1", server="desk", tool="search",
                 arguments=GIVEN, status="in_progress"),
            item("mcp_tool_call", id="item_1", server="desk", tool="search", arguments=GIVEN,
                 result={"content": [text(RESULT)]}, status="completed"),
            item("agent_message", id="item_2", text=ANSWER),
            {"type": "turn.completed", "usage": {"input_tokens": 30, "output_tokens": 4}},
        ],
    ],
    "codex_exec_old": [
        [
            {"model": "m1", "workdir": "/desk"},
            {"prompt": QUESTION},
            *({"id": "0", "msg": event} for event in (
                {"type": "task_started"},
                {"type": "agent_reasoning", "text": THOUGHT},
                {"type": "exec_command_begin", "call_id": "c1", "command": ["search"]},
                {"type": "exec_command_end", "call_id": "c1", "stdout": RESULT, "stderr": "",
                 "exit_code": 0},
                {"type": "token_count"},
                {"type": "agent_message", "message": ANSWER},
                {"type": "task_complete", "last_agent_message": ANSWER})),
        ],
    ],
    "codex_old": [
        [
            {"id": "s", "timestamp": STAMP, "instructions": None, "git": {}},
            {"record_type": "state"},
            {"type": "message", "role": "user", "content": [
                {"type": "input_text", "text": "<user_instructions>…</user_instructions>"}]},
            {"type": "message", "role": "user", "content": [
                {"type": "input_text", "text": QUESTION}]},
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": THOUGHT}]},
            {"type": "function_call", "name": "search", "arguments": JSON, "call_id": "c1"},
            {"type": "function_call_output", "call_id": "c1", "output": json.dumps(
                {"output": RESULT, "metadata": {"exit_code": 0}})},
            {"type": "message", "role": "assistant", "content": [
                {"type": "output_text", "text": ANSWER}]},
        ],
    ],
    "copilot_chat": [
        {"requesterUsername": "me", "responderUsername": "Copilot", "requests": [REQUEST]},
    ],
    "copilot_cli": [
        [
            {"type": "session.start", "timestamp": STAMP, "data": {"version": 1}},
            {"type": "user.message", "timestamp": STAMP, "data": {"content": QUESTION}},
            {"type": "assistant.message", "data": {"content": THOUGHT, "toolRequests": [
                {"toolCallId": "c1", "name": "search", "arguments": GIVEN}]}},
            {"type": "tool.execution_start", "data": {"toolCallId": "c1"}},
            {"type": "tool.execution_complete", "data": {
                "toolCallId": "c1", "success": True, "result": {"content": RESULT}}},
            {"type": "assistant.message", "data": {"content": ANSWER, "toolRequests": []}},
        ],
    ],
    "gemini_stream": [
        [
            {"type": "init", "session_id": "s", "model": "m1", "timestamp": STAMP},
            {"type": "message", "role": "user", "content": QUESTION},
            {"type": "message", "role": "assistant", "content": THOUGHT[:4], "delta": True},
            {"type": "message", "role": "assistant", "content": THOUGHT[4:], "delta": True},
            {"type": "tool_use", "tool_name": "search", "tool_id": "c1", "parameters": GIVEN},
            {"type": "tool_result", "tool_id": "c1", "status": "success", "output": RESULT},
            {"type": "message", "role": "assistant", "content": ANSWER[:2], "delta": True},
            {"type": "message", "role": "assistant", "content": ANSWER[2:], "delta": True},
            {"type": "result", "status": "success", "stats": {}},
        ],
    ],
    "goose": [
        {"conversation": [
            goose("user", text(QUESTION)),
            goose("assistant", text(THOUGHT), {"type": "toolRequest", "id": "c1", "toolCall": {
                "status": "success", "value": {"name": "search", "arguments": GIVEN}}}),
            goose("user", {"type": "toolResponse", "id": "c1", "toolResult": {
                "status": "success", "value": {"content": [text(RESULT)]}}}),
            goose("assistant", text(ANSWER))]},
    ],
    "intercode": [
        {"task_id": 7, "query": QUESTION, "turn_history": {
            "thoughts": [THOUGHT], "actions": [f"search[{JSON}]"], "observations": [RESULT],
            "rewards": [1.0]}},
    ],
    "mint": [
        {"task": {"task_id": "7", "prompt": QUESTION, "reference": ANSWER},
         "state": {"success": True, "token_counter": {"prompt_tokens": 40}, "history": [
            {"role": "user", "content": f"Examples first.\n{QUESTION}"},
            {"role": "assistant",
             "content": f"<thought> {THOUGHT} </thought>\n<execute>\nsearch('fog')\n</execute>"},
            {"role": "user", "content": f"Observation:\n{RESULT}\n"},
            {"role": "assistant", "content": f"<solution> {ANSWER} </solution>"}]}},
    ],
    "opencode": [
        {"info": {"id": "s", "title": "Fog"}, "messages": [
            exported("m1", "user", text(QUESTION)),
            exported("m2", "assistant", {"type": "step-start"}, text(THOUGHT), TOOL),
            exported("m3", "assistant", text(ANSWER))]},
    ],
    "opencode_events": [
        [
            happened("message.updated", info={"id": "m1", "role": "user", "sessionID": "s"}),
            happened("message.part.updated",
                     part={**text(QUESTION), "id": "p0", "messageID": "m1"}),
            happened("message.updated", info={"id": "m2", "role": "assistant", "sessionID": "s"}),
            happened("message.part.updated", part={**text(THOUGHT), "id": "p1", "messageID": "m2"}),
            happened("message.part.updated", part={**TOOL, "state": {"status": "pending",
                                                                     "input": {}}}),
            happened("message.part.updated", part=TOOL),
            happened("message.updated", info={"id": "m3", "role": "assistant", "sessionID": "s"}),
            happened("message.part.updated", part={**text(ANSWER), "id": "p3", "messageID": "m3"}),
        ],
    ],
    "opencode_run": [
        [
            {"type": "step_start", "sessionID": "s", "part": {"type": "step-start"}},
            {"type": "text", "timestamp": 2, "sessionID": "s", "part": text(THOUGHT)},
            {"type": "tool_use", "timestamp": 3, "sessionID": "s", "part": TOOL},
            {"type": "text", "timestamp": 4, "sessionID": "s", "part": text(ANSWER)},
        ],
    ],
    "tooleval": [
        {"query": QUESTION, "available_tools": [], "answer": {
            "method": "CoT@1", "total_steps": 4, "final_answer": json.dumps(
                {"return_type": "give_answer", "final_answer": ANSWER}),
            "answer_details": [chained(
                ("system", ""), ("user", ""), ("assistant", THOUGHT),
                ("tool", repr({"name": "search", "arguments": JSON, "response": RESULT})),
                ("tool", {"name": "Finish", "arguments": json.dumps(
                    {"return_type": "give_answer", "final_answer": ANSWER}), "response": ""}))]}},
    ],
    "qwen_code": [
        [
            {"uuid": name, "parentUuid": above, "sessionId": "s", "timestamp": STAMP,
             "type": kind, "model": "m1", "message": {"role": role, "parts": [*said]}}
            for name, above, kind, role, *said in (
                ("a", None, "user", "user", {"text": QUESTION}),
                ("b", "a", "assistant", "model", {"text": THOUGHT, "thought": True},
                 {"functionCall": {"id": "c1", "name": "search", "args": GIVEN}}),
                ("c", "b", "tool_result", "user", {"functionResponse": {
                    "id": "c1", "name": "search", "response": {"output": RESULT}}}),
                ("d", "c", "assistant", "model", {"text": ANSWER}))
        ],
    ],
    "vcr_cassette": [
        {"interactions": [
            {"request": {"uri": "https://api.example.com/v1/messages", "body": json.dumps(
                {"model": "m1", "messages": SAID[:number]})},
             "response": {"body": {"string": json.dumps(
                 {"choices": [{"index": 0, "message": SAID[number]}]})}}}
            for number in (1, 3)], "version": 1},
    ],
    "tool_roles": [
        [
            {"role": "user", "content": QUESTION},
            {"role": "assistant", "content": THOUGHT},
            {"role": "tool_call", "content": json.dumps({"name": "search", "arguments": GIVEN})},
            {"role": "tool_result", "content": RESULT},
            {"role": "assistant", "content": ANSWER},
        ],
        [
            {"role": "user", "content": QUESTION},
            {"role": "tool_call", "content": THOUGHT, "metadata": {
                "function": {"name": "search", "arguments": JSON}}},
            {"role": "tool_result", "content": RESULT},
            {"role": "assistant", "content": ANSWER},
        ],
    ],
}  # fmt: skip
