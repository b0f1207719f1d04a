"""Jamba 1.5 and 1.6: a list of calls in JSON in ``<tool_calls>``.

    Let me see.<tool_calls>[{"name": "search", "arguments": {"query": "Lake Thun"}}, \
{"name": "ping", "arguments": {}}]</tool_calls>

Source: the chat template of ai21labs/AI21-Jamba-1.5-Mini.
"""

from agent_parsers.authoring import CallFormat, JsonPayload, role_frame

END = "<|eom|>"

DIALECT = CallFormat(
    name="jamba",
    summary="a JSON list in <tool_calls> (Jamba)",
    payload=JsonPayload(row=("[", ", ", "]")),
    call=("<tool_calls>", "</tool_calls>"),
    thought=None,
    ends=(END,),
    turn_frame=role_frame((f"{END}<|bom|>", " "), "<|tool|>", "<|assistant|>"),
).dialect()
