"""GigaChat 3.1: like `gigachat3`, with the call in the turn of the content, after a special token.

    Let me see.<|function_call|>{"name": "search", "arguments": {"query": "Lake Thun"}}

Source: the chat template of ai-sage/GigaChat3.1-10B-A1.8B, and the parser gigachat3 of
vllm-project/vllm, which reads both.
"""

from dataclasses import replace

from agent_parsers.dialects import gigachat3

DIALECT = replace(
    gigachat3.FORMAT,
    name="gigachat31",
    summary="<|function_call|> and JSON (GigaChat 3.1)",
    call=(gigachat3.TOKEN, ""),
    adapt=gigachat3.with_eos,
    ends=(gigachat3.END, gigachat3.EOS),
    also={},
).dialect()
