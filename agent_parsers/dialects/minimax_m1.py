"""MiniMax M1: calls in ``<tool_calls>``, each a JSON object on a line of its own.

    <think>
    I have to look it up.
    </think>
    Let me see.
    <tool_calls>
    {"name": "search", "arguments": {"query": "Lake Thun"}}
    {"name": "ping", "arguments": {}}
    </tool_calls>

Source: docs/function_call_guide.md of MiniMax-AI/MiniMax-M1.
"""

from agent_parsers.authoring import (
    CallFormat,
    JsonPayload,
    ResultsWriter,
    list_tools_in_tags,
    role_frame,
)

END = "<end_of_sentence>"

DIALECT = CallFormat(
    name="minimax_m1",
    summary="JSON objects on lines in <tool_calls> (MiniMax M1)",
    payload=JsonPayload(row=("", "\n", "")),
    call=("<tool_calls>\n", "\n</tool_calls>"),
    thought=("<think>\n", "\n</think>\n"),
    content=("", "\n"),
    ends=(END,),
    results=ResultsWriter(
        each=("", "\n\n"),
        between="",
        text=lambda result: f"tool name: {result.tool}\ntool result: {result.text}",
    ),
    turn_frame=role_frame(
        (f"{END}\n<beginning_of_sentence>", "\n"), "tool name=tools", "ai name=MiniMax AI"
    ),
    list_tools=list_tools_in_tags,
).dialect()
