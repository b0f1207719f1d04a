"""FireFunction 2: like `phi4_mini`, in turns of Llama.

    Let me see. functools[{"name": "search", "arguments": {"query": "Lake Thun"}}, \
{"name": "ping", "arguments": {}}]

Source: the chat template of fireworks-ai/llama-3-firefunction-v2.
"""

from dataclasses import replace

from agent_parsers.authoring import role_frame
from agent_parsers.dialects import phi4_mini

END = "<|eot_id|>"

DIALECT = replace(
    phi4_mini.FORMAT,
    name="firefunction",
    aliases=(),
    summary="functools and a JSON list, in turns of Llama (FireFunction 2)",
    call=(" functools", ""),
    odd_marks=(),
    ends=(END,),
    turn_frame=role_frame((f"{END}<|start_header_id|>", "<|end_header_id|>\n\n"), "tool"),
).dialect()
