"""Nemotron Nano 2: a list of calls in JSON in ``<TOOLCALL>``.

    <think>
    I have to look it up.
    </think>

    Let me see.

    <TOOLCALL>[{"name": "search", "arguments": {"query": "Lake Thun"}}, \
{"name": "ping", "arguments": {}}]</TOOLCALL>

The prompt opens the thought, or closes it at once. All results are in one list, in a turn of the
user; the template puts them there as they are, so they should be JSON.

Source: the chat template of nvidia/NVIDIA-Nemotron-Nano-9B-v2, as corrected in ggml-org/llama.cpp:
models/templates/NVIDIA-Nemotron-Nano-v2.jinja. Nemotron 3 writes `qwen3_coder`.
"""

from agent_parsers.authoring import LINES, CallFormat, JsonPayload, ResultsWriter

END, TURN = "<SPECIAL_12>", "<SPECIAL_11>"

FORMAT = CallFormat(
    name="nemotron_v2",
    aliases=("nemotron_json",),
    summary="a JSON list in <TOOLCALL> (Nemotron Nano 2)",
    payload=JsonPayload(row=("[", ", ", "]")),
    call=("<TOOLCALL>", "</TOOLCALL>"),
    thought=LINES,
    content=("", "\n\n"),
    ends=(END,),
    results=ResultsWriter(around=("<TOOL_RESPONSE>[", "]</TOOL_RESPONSE>"), between=", "),
    turn_frame=(f"\n{END}\n\n{TURN}User\n", f"\n\n{TURN}Assistant\n"),
)
DIALECT = FORMAT.dialect()
