"""One small run, as each framework and API writes it as data; and what tests ask of a run."""

from typing import Any

from agent_parsers import AgentAction, AgentFinish, Transcript
from agent_parsers.loop import AgentRun
from agent_runs import read_runs

from .agent_logs import LOGS as AGENT_LOGS
from .table_logs import ANSWER, GIVEN, JSON, QUESTION, RESULT, THOUGHT
from .table_logs import LOGS as TABLE_LOGS

REACT = f"{THOUGHT}\nAction: search\nAction Input: {JSON}"

_STEP = AgentAction("search", GIVEN, REACT)
_OWN_RUN = AgentRun([(_STEP, RESULT)], AgentFinish({"output": ANSWER}, ""), QUESTION, [THOUGHT, ""])
_OWN = _OWN_RUN.transcript
_ASKED = {"role": "user", "content": QUESTION}
_TOLD = {"role": "assistant", "content": ANSWER}
_CALL = {"id": "c1", "type": "function", "function": {"name": "search", "arguments": JSON}}
_RESPONSES = [
    _ASKED,
    {"type": "reasoning", "id": "r1", "summary": [{"type": "summary_text", "text": THOUGHT}]},
    {"type": "function_call", "call_id": "c1", "name": "search", "arguments": JSON},
    {"type": "function_call_output", "call_id": "c1", "output": RESULT},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": ANSWER}]},
]
_LANGCHAIN = [
    ("HumanMessage", "human", {"content": QUESTION}),
    (
        "AIMessage", "ai",
        {"content": THOUGHT, "tool_calls": [{"name": "search", "args": GIVEN, "id": "c1"}]},
    ),
    ("ToolMessage", "tool", {"content": RESULT, "tool_call_id": "c1", "name": "search"}),
    ("AIMessage", "ai", {"content": ANSWER, "tool_calls": []}),
]  # fmt: skip


def _dumpd(name: str, fields: dict[str, Any]) -> dict[str, Any]:
    path = ["langchain", "schema", "x", name]
    return {"lc": 1, "type": "constructor", "id": path, "kwargs": fields}


_OPENAI = [
    _ASKED,
    {"role": "assistant", "content": THOUGHT, "tool_calls": [_CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": RESULT},
    _TOLD,
]
_ACTION = {"tool": "search", "tool_input": GIVEN, "log": REACT}
_STEPS = {"input": QUESTION, "output": ANSWER}
_TREE = {
    "id": "1", "name": "Executor", "run_type": "chain", "start_time": "1",
    "inputs": {"input": QUESTION}, "outputs": {"output": ANSWER},
    "child_runs": [
        {"id": "2", "parent_run_id": "1", "name": "model", "run_type": "llm", "start_time": "2",
         "inputs": {"prompts": ["…"]}, "outputs": {"generations": [[{"text": REACT}]]}},
        {"id": "3", "parent_run_id": "1", "name": "search", "run_type": "tool", "start_time": "3",
         "inputs": {"input": JSON}, "outputs": {"output": RESULT}},
        {"id": "4", "parent_run_id": "1", "name": "model", "run_type": "llm", "start_time": "4",
         "inputs": {"prompts": ["…"]},
         "outputs": {"generations": [[{"text": f"I know.\nFinal Answer: {ANSWER}"}]]}},
    ],
}  # fmt: skip

_CONSOLE = (
    "\x1b[1m> Entering new AgentExecutor chain...\x1b[0m\n"
    f"\x1b[32;1m\x1b[1;3m\nInvoking: `search` with `{GIVEN}`\nresponded: {THOUGHT}\n\n\x1b[0m"
    f"\x1b[36;1m\x1b[1;3m{RESULT}\x1b[0m\x1b[32;1m\x1b[1;3m{ANSWER}\x1b[0m\n\n"
    "\x1b[1m> Finished chain.\x1b[0m\n"
)

CHATS_TOO = {
    (agent, chat)
    for agent in ("mini_swe_agent", "cline")
    for chat in ("anthropic", "cline", "openai_chat", "tool_roles", "vercel_ai", "vercel_ai_ui")
} | {("mint", "openai_chat")}
"""Agents whose log is a chat too, in which the calls are only text, and the readers of that."""

LOGS: dict[str, list[Any]] = {
    "anthropic": [
        {"system": "Be brief.", "messages": [
            _ASKED,
            {"role": "assistant", "content": [
                {"type": "thinking", "thinking": THOUGHT, "signature": "x"},
                {"type": "tool_use", "id": "c1", "name": "search", "input": GIVEN}]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "c1", "content": [
                    {"type": "text", "text": RESULT}]}]},
            _TOLD]},
    ],
    "atif": [
        {"schema_version": "ATIF-v1.7", "agent": {"name": "a", "version": "1"}, "steps": [
            {"step_id": 1, "source": "user", "message": QUESTION},
            {"step_id": 2, "source": "agent", "message": THOUGHT, "tool_calls": [
                {"tool_call_id": "c1", "function_name": "search", "arguments": GIVEN}],
             "observation": {"results": [{"source_call_id": "c1", "content": RESULT}]}},
            {"step_id": 3, "source": "agent", "message": [{"type": "text", "text": ANSWER}]}]},
    ],
    "autogen_messages": [
        {"stop_reason": None, "messages": [
            {"source": "user", "content": QUESTION, "type": "TextMessage"},
            {"source": "a", "content": THOUGHT, "type": "ThoughtEvent"},
            {"source": "a", "type": "ToolCallRequestEvent", "content": [
                {"id": "c1", "name": "search", "arguments": JSON}]},
            {"source": "a", "type": "ToolCallExecutionEvent", "content": [
                {"content": RESULT, "name": "search", "call_id": "c1", "is_error": False}]},
            {"source": "a", "content": ANSWER, "type": "TextMessage"}]},
    ],
    "dspy_trajectory": [
        {"question": QUESTION, "reasoning": "", "answer": ANSWER, "trajectory": {
            "thought_0": THOUGHT, "tool_name_0": "search", "tool_args_0": GIVEN,
            "observation_0": RESULT, "thought_1": "", "tool_name_1": "finish", "tool_args_1": {},
            "observation_1": "Completed."}},
    ],
    "gemini": [
        {"contents": [
            {"role": "user", "parts": [{"text": QUESTION}]},
            {"role": "model", "parts": [
                {"text": THOUGHT}, {"functionCall": {"name": "search", "args": GIVEN}}]},
            {"role": "user", "parts": [
                {"functionResponse": {"name": "search", "response": {"result": RESULT}}}]},
            {"role": "model", "parts": [{"text": ANSWER}]}]},
        {"contents": QUESTION, "candidates": [{"content": {"role": "model", "parts": [
            {"text": THOUGHT, "thought": True},
            {"function_call": {"name": "search", "args": GIVEN}}]}}]},
    ],
    "haystack": [
        [
            {"role": "user", "content": [{"text": QUESTION}]},
            {"role": "assistant", "content": [
                {"reasoning": {"reasoning_text": THOUGHT}},
                {"tool_call": {"tool_name": "search", "arguments": GIVEN, "id": "c1"}}]},
            {"role": "tool", "content": [{"tool_call_result": {
                "result": RESULT, "origin": {"tool_name": "search", "id": "c1"}, "error": False}}]},
            {"_role": "assistant", "_content": [{"text": ANSWER}]},
        ],
    ],
    "inspect_ai": [
        {"version": 2, "eval": {"task": "t"}, "samples": [
            {"id": 1, "epoch": 1, "input": QUESTION, "target": "", "messages": [
                {**_ASKED, "source": "input"},
                {"role": "assistant", "content": THOUGHT, "tool_calls": [
                    {"id": "c1", "function": "search", "arguments": GIVEN}]},
                {"role": "tool", "content": RESULT, "tool_call_id": "c1", "function": "search"},
                {"role": "user", "content": "Go on."},
                {"id": "m", "role": "assistant", "content": f"\n\n{ANSWER}", "tool_calls": []}],
             "output": {"choices": [{"message": {
                "id": "m", "role": "assistant", "content": f"\n\n{ANSWER}", "tool_calls": [
                    {"id": "c2", "function": "submit", "arguments": {"answer": ANSWER}}]}}]}}]},
    ],
    "json_lines": [
        [{"ts": "2026-01-05T09:00:00Z", "level": "info", "msg": text} for text in (
            f"Question: {QUESTION}", f"Thought: {REACT}", f"Observation: {RESULT}",
            f"Thought: I know.\nFinal Answer: {ANSWER}")],
    ],
    "langchain_messages": [
        [{"type": kind, "data": {**fields, "type": kind}} for _, kind, fields in _LANGCHAIN],
        {"messages": [{**fields, "type": kind} for _, kind, fields in _LANGCHAIN]},
        {"messages": [_dumpd(name, fields) for name, _, fields in _LANGCHAIN]},
        [
            {"agent": {"messages": [{**fields, "type": kind}]}, "__metadata__": None}
            for _, kind, fields in _LANGCHAIN
        ],
    ],
    "langchain_steps": [
        {**_STEPS, "intermediate_steps": [[_ACTION, RESULT]]},
        {**_STEPS, "intermediate_steps": [[_dumpd("AgentAction", _ACTION), RESULT]]},
        {**_STEPS, "intermediate_steps": [{"action": _ACTION, "observation": RESULT}]},
        {**_STEPS, "intermediate_steps": [[
            f"tool='search' tool_input={GIVEN!r} log={REACT!r}", RESULT]]},
    ],
    "langsmith": [
        _TREE,
        [{**run, "child_runs": None} for run in (_TREE, *_TREE["child_runs"])],
        {**_TREE, "outputs": {**_STEPS, "intermediate_steps": [[_ACTION, RESULT]]}},
        {**_TREE, "outputs": {"messages": [
            _dumpd(name, fields) for name, _, fields in _LANGCHAIN]}},
    ],
    "llamaindex_events": [
        [
            {"user_msg": QUESTION},
            {"response": {"role": "assistant", "blocks": [{"block_type": "text", "text": REACT}]},
             "tool_calls": [{"tool_id": "c1", "tool_name": "search", "tool_kwargs": GIVEN}],
             "current_agent_name": "A"},
            {"tool_name": "search", "tool_kwargs": GIVEN, "tool_id": "c1"},
            {"tool_name": "search", "tool_kwargs": GIVEN, "tool_id": "c1", "tool_output": {
                "blocks": [{"block_type": "text", "text": RESULT}]}},
            {"response": {"role": "assistant", "blocks": [{"block_type": "text", "text": ANSWER}]},
             "tool_calls": [{"tool_id": "c1", "tool_name": "search", "tool_kwargs": GIVEN}],
             "current_agent_name": "A"},
        ],
    ],
    "mini_swe_agent": [
        {"trajectory_format": "mini-swe-agent-1.1",
         "info": {"exit_status": "Submitted", "submission": ANSWER}, "messages": [
            _ASKED,
            {"role": "assistant", "content": f"THOUGHT: {THOUGHT}\n\n```bash\nls\n```"},
            {"role": "user", "content": RESULT},
            {"role": "user", "content": ANSWER}]},
        {"trajectory_format": "mini-swe-agent-1.1",
         "info": {"exit_status": "Submitted", "submission": ANSWER}, "messages": [
            _ASKED,
            {"role": "assistant", "content": THOUGHT, "tool_calls": [_CALL],
             "extra": {"actions": [{"command": "ls", "tool_call_id": "c1"}]}},
            {"role": "tool", "content": RESULT, "tool_call_id": "c1"},
            {"role": "exit", "content": ANSWER}]},
    ],
    "notebook": [
        {"nbformat": 4, "cells": [{"cell_type": "code", "source": [], "outputs": [
            {"output_type": "stream", "name": "stdout", "text": _CONSOLE.splitlines(keepends=True)},
            {"output_type": "execute_result", "data": {
                "text/plain": [f"{{'input': {QUESTION!r}, 'output': {ANSWER!r}}}"]}},
        ]}]},
    ],
    "own_json": [_OWN.to_json(), _OWN_RUN.to_json()],
    "openai_agents": [
        {"input": QUESTION, "new_items": [
            {"type": f"{item['type']}_item", "raw_item": item} for item in _RESPONSES[1:]]},
    ],
    "openai_chat": [
        _OPENAI,
        {"model": "m", "messages": _OPENAI},
        {"request": {"messages": _OPENAI[:-1]}, "response": {"choices": [{"message": _TOLD}]}},
        [{"messages": _OPENAI[:2]}, {"messages": _OPENAI}],
        [_ASKED, {"role": "assistant", "content": REACT},
         {"role": "user", "content": f"Observation: {RESULT}"},
         {"role": "assistant", "content": f"Final Answer: {ANSWER}"}],
    ],
    "openai_responses": [
        _RESPONSES,
        {"input": QUESTION, "output": _RESPONSES[1:]},
        {"request": {"input": _RESPONSES[:-1]}, "response": {"output": _RESPONSES[-1:]}},
    ],
    "pydantic_ai": [
        [
            {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": QUESTION}]},
            {"kind": "response", "parts": [
                {"part_kind": "thinking", "content": THOUGHT},
                {"part_kind": "tool-call", "tool_name": "search", "args": JSON,
                 "tool_call_id": "c1"}]},
            {"kind": "request", "parts": [
                {"part_kind": "tool-return", "tool_name": "search", "content": RESULT,
                 "tool_call_id": "c1"}]},
            {"kind": "response", "parts": [{"part_kind": "text", "content": ANSWER}]},
        ],
    ],
    "records": [
        {"format": "react", "task": QUESTION, "steps": [
            {"output": REACT, "observation": RESULT}, {"output": f"Final Answer: {ANSWER}"}]},
        {"format": "openai_tools", "task": QUESTION, "steps": [
            {"message": _OPENAI[1], "observation": RESULT}, {"message": _TOLD}]},
    ],
    "sharegpt": [
        [{"conversations": [
            {"from": "human", "value": QUESTION},
            {"from": "function_call", "value": f'{{"name": "search", "arguments": {JSON}}}'},
            {"from": "observation", "value": RESULT},
            {"from": "gpt", "value": ANSWER}]}],
        {"conversations": [
            {"from": "human", "value": QUESTION},
            {"from": "gpt", "value":
                f'{THOUGHT}\n<tool_call>\n{{"name": "search", "arguments": {JSON}}}\n</tool_call>'},
            {"from": "tool", "value": f"<tool_response>\n{RESULT}\n</tool_response>"},
            {"from": "gpt", "value": ANSWER}]},
    ],
    "smolagents_memory": [
        [
            {"task": QUESTION},
            {"step_number": 1, "model_output": THOUGHT, "tool_calls": [
                {"id": "c1", "function": {"name": "search", "arguments": GIVEN}}],
             "observations": RESULT},
            {"step_number": 2, "model_output": "", "tool_calls": [{"id": "c2", "function": {
                "name": "final_answer", "arguments": {"answer": ANSWER}}}],
             "observations": ANSWER, "is_final_answer": True},
        ],
    ],
    "swe_agent": [
        {"history": [_ASKED], "trajectory": [
            {"thought": THOUGHT, "action": "ls\n", "response": "…", "observation": RESULT}],
         "info": {"exit_status": "submitted", "submission": ANSWER}},
        {"history": [
            {"agent": "main", **_ASKED},
            {"agent": "main", "role": "assistant", "content": "…", "thought": THOUGHT,
             "action": "ls\n", "message_type": "action"},
            {"agent": "main", "role": "tool", "content": f"OBSERVATION:\n{RESULT}"}],
         "info": {"exit_status": "submitted", "submission": ANSWER}},
    ],
    **TABLE_LOGS,
    **AGENT_LOGS,
}  # fmt: skip
"""The logs, by the name of their reader; each holds the same run."""


def only(log: Any, **options: Any) -> Transcript:
    """Return the only run in *log*."""
    (run,) = read_runs(log, **options)
    return run


def actions(run: Transcript) -> list[tuple[str, Any, str | None]]:
    """Return the tool, the input and the observation of each action."""
    return [
        (step.action.tool, step.action.tool_input, step.observation)
        for step in run.steps
        if isinstance(step.action, AgentAction)
    ]
