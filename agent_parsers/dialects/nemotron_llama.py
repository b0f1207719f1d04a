"""Llama Nemotron Super 1.5: like `nemotron_v2`, in turns of Llama, and content touches the calls.

    <think>
    I have to look it up.
    </think>

    Let me see.<TOOLCALL>[{"name": "search", "arguments": {"query": "Lake Thun"}}, \
{"name": "ping", "arguments": {}}]</TOOLCALL>

Source: the chat template of nvidia/Llama-3_3-Nemotron-Super-49B-v1_5.
"""

from dataclasses import replace

from agent_parsers.authoring import role_frame
from agent_parsers.dialects import nemotron_v2

END = "<|eot_id|>"

DIALECT = replace(
    nemotron_v2.FORMAT,
    name="nemotron_llama",
    aliases=("llama_nemotron_json",),
    summary="a JSON list in <TOOLCALL>, in turns of Llama (Llama Nemotron 1.5)",
    content=("", ""),
    ends=(END,),
    turn_frame=role_frame((f"{END}<|start_header_id|>", "<|end_header_id|>\n\n"), "tool"),
).dialect()
