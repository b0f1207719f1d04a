"""Calls as JSON in ``<tool_call>``: Hermes, Qwen 2.5 and 3, QwQ, Granite 4, SmolLM3 and many more.

    <think>
    I have to look it up.
    </think>

    Let me see.
    <tool_call>
    {"name": "search", "arguments": {"query": "Lake Thun"}}
    </tool_call>
    <tool_call>
    {"name": "ping", "arguments": {}}
    </tool_call>

A turn may have several blocks, and content before them. ``arguments`` may come before ``name``, and
may be missing if the tool takes no input. A block ends with its JSON, not with the closing tag,
which a stop sequence may have removed. Results are in a turn of the user, in ``<tool_response>``.

Source: the chat templates of NousResearch/Hermes-3 and Qwen/Qwen3; turns are written as in the
latter.
"""

from agent_parsers.authoring import (
    LINES,
    CallFormat,
    JsonPayload,
    ResultsWriter,
    chatml,
    list_tools_in_tags,
)

PAYLOAD = JsonPayload(unmarked="read a call without its opening tag")  # models forget it
FORMAT = CallFormat(
    name="hermes",
    aliases=("qwen25", "qwen3"),
    summary="JSON in <tool_call> tags (Hermes, Qwen and many others)",
    payload=PAYLOAD,
    call=("<tool_call>\n", "\n</tool_call>"),
    between="\n",
    thought=LINES,
    content=("", "\n"),
    results=ResultsWriter(each=("<tool_response>\n", "\n</tool_response>"), between="\n"),
    turn_frame=chatml("user"),
    list_tools=list_tools_in_tags,
    also={"call": ("<function_call>",), "end of call": ("</function_call>",)},
)
DIALECT = FORMAT.dialect()
