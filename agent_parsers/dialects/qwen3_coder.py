"""Calls as tags with the name after ``=``: Qwen3-Coder, Qwen 3.5, Nemotron 3, Step 3.5, MiniCPM-V.

    <think>
    I have to look it up.
    </think>

    Let me see.

    <tool_call>
    <function=search>
    <parameter=query>
    Lake Thun
    </parameter>
    </function>
    </tool_call>
    <tool_call>
    <function=ping>
    </function>
    </tool_call>

Values are verbatim text, with a line break at each end that belongs to the tags; nothing else is
removed, so code keeps its indentation. They have no escapes: a closing tag counts only if another
tag or the end of the text follows it. A turn may have several blocks, and a block several calls.

In lenient mode ``<tool_call>`` or its closing tag may be missing; a value may end where another
parameter of the tool opens, where its call closes, or at a closing tag with its own name; tags may
contain spaces; and a block may contain JSON, as in `hermes`. A call without ``<tool_call>`` in a
thought is a draft.

Source: the chat template of Qwen/Qwen3-Coder; a thought as in that of Qwen3.5.
"""

from dataclasses import replace

from agent_parsers.authoring import ResultsWriter, TaggedPayload
from agent_parsers.dialects import hermes

PAYLOAD = TaggedPayload(
    call="<function={tool}>\n{parameters}</function>",
    parameter="<parameter={key}>\n{value}\n</parameter>\n",
    trims=True,
    closes_with_key=True,
    json_calls=hermes.PAYLOAD,
)
FORMAT = replace(
    hermes.FORMAT,
    name="qwen3_coder",
    aliases=(
        "qwen3_xml",
        "qwen35",
        "nemotron_v3",
        "step3p5",
        "granite_thinking_parser",
        "interns2_preview",
        "nanbeige",
        "nano_v3",
        "nemotron_3",
        "nemotron_3_nano",
        "nemotron_3_5_nano",
        "ornith",
        "step5",
    ),
    summary="<function=name> and <parameter=key> in <tool_call> (Qwen3-Coder and others)",
    payload=PAYLOAD,
    content=("", "\n\n"),
    results=ResultsWriter(each=("<tool_response>\n", "\n</tool_response>\n"), between=""),
    also={},
)
DIALECT = FORMAT.dialect()
