"""Reka Edge: like `hermes`, in turns that begin with a word and end with ``<sep>``.

    <think>
    I have to look it up.
    </think>

    Let me see.
    <tool_call>
    {"name": "search", "arguments": {"query": "Lake Thun"}}
    </tool_call><tool_call>
    {"name": "ping", "arguments": {}}
    </tool_call>

No line break stands between two calls. The prompt opens the thought if thinking is on. JSON is
written with escapes, as in the prompt.

Source: the chat template of RekaAI/reka-edge (ggml-org/llama.cpp:
models/templates/Reka-Edge.jinja).
"""

import json
from dataclasses import replace
from functools import partial

from agent_parsers.authoring import ResultsWriter
from agent_parsers.dialects import hermes

END = "<sep>"
DIALECT = replace(
    hermes.FORMAT,
    name="reka_edge",
    aliases=(),
    summary="as hermes, with <sep> behind turns (Reka Edge)",
    payload=replace(hermes.PAYLOAD, write_input=partial(json.dumps, allow_nan=False)),
    between="",
    ends=(END,),
    results=ResultsWriter(each=("<tool_response>\n", "\n</tool_response>"), between=""),
    turn_frame=(f"\n\n{END}human: ", f"{END}assistant: "),
).dialect()
