"""LongCat: like `hermes`, in ``<longcat_tool_call>`` and ``<longcat_think>``.

    <longcat_think>
    I have to look it up.
    </longcat_think>

    Let me see.
    <longcat_tool_call>
    {"name": "search", "arguments": {"query": "Lake Thun"}}
    </longcat_tool_call>
    <longcat_tool_call>
    {"name": "ping", "arguments": {}}
    </longcat_tool_call>

Source: the chat template of meituan-longcat/LongCat-Flash-Thinking, and its model card for the
beginning of a turn.
"""

from dataclasses import replace

from agent_parsers.authoring import ResultsWriter
from agent_parsers.dialects import hermes

END = "</longcat_s>"
MARKS = ("<longcat_tool_call>", "</longcat_tool_call>")

FORMAT = replace(
    hermes.FORMAT,
    name="longcat",
    aliases=(),
    summary="JSON in <longcat_tool_call> tags (LongCat)",
    call=(f"{MARKS[0]}\n", f"\n{MARKS[1]}"),
    thought=("<longcat_think>\n", "\n</longcat_think>\n\n"),
    ends=(END,),
    results=ResultsWriter(
        each=("<longcat_tool_response>\n", "\n</longcat_tool_response>"), between="\n"
    ),
    turn_frame=(f"{END}\n", " ASSISTANT:"),
    also={},
)
DIALECT = FORMAT.dialect()
