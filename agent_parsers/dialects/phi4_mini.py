"""Phi-4 mini: ``functools`` and a list of calls in JSON, or a list in ``<|tool_call|>``.

    Let me see.functools[{"name": "search", "arguments": {"query": "Lake Thun"}}, \
{"name": "ping", "arguments": {}}]

Source: the model card of microsoft/Phi-4-mini-instruct, and its output. Its chat template has no
results; they are written after the model's special token for them.
"""

from agent_parsers.authoring import CallFormat, JsonPayload

END = "<|end|>"

FORMAT = CallFormat(
    name="phi4_mini",
    aliases=("functools", "phi4_mini_json"),
    summary="functools and a JSON list (Phi-4 mini)",
    payload=JsonPayload(row=("[", ", ", "]")),
    call=("functools", ""),
    is_word=True,
    odd_marks=(("<|tool_call|>", "<|/tool_call|>"),),
    thought=None,
    ends=(END,),
    turn_frame=(f"{END}<|tool_response|>", f"{END}<|assistant|>"),
)
DIALECT = FORMAT.dialect()
