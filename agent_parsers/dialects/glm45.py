"""GLM 4.5 and 4.6: calls with an element for each key and value; `glm47` has no line breaks.

    <think>I have to look it up.</think>
    Let me see.
    <tool_call>search
    <arg_key>query</arg_key>
    <arg_value>Lake Thun</arg_value>
    </tool_call>
    <tool_call>ping
    </tool_call>

The name of the tool follows ``<tool_call>`` and ends at the next tag or line. White space between
tags is ignored. Values are verbatim text without escapes: a closing tag counts only if another tag
or the end of the text follows it. Each call is a block of its own.

In lenient mode closing tags of keys and values may be missing or doubled, and a JSON object may
replace all parameters. `hermes` has the mark ``<tool_call>`` too, so the caller must choose the
dialect.

Source: the chat templates of zai-org/GLM-4.5 and zai-org/GLM-4.7.
"""

from agent_parsers.authoring import CallFormat, ResultsWriter, TaggedPayload, list_tools_in_tags

USER, OBSERVATION, ASSISTANT = "<|user|>", "<|observation|>", "<|assistant|>"

PAYLOAD = TaggedPayload(
    call="{tool}\n{parameters}",
    parameter="<arg_key>{key}</arg_key>\n<arg_value>{value}</arg_value>\n",
)
FORMAT = CallFormat(
    name="glm45",
    aliases=("glm46", "glm", "glm_ocr"),
    summary="<arg_key> and <arg_value> in <tool_call> (GLM 4.5 and 4.6)",
    payload=PAYLOAD,
    call=("<tool_call>", "</tool_call>"),
    between="\n",
    thought=("<think>", "</think>\n"),
    content=("", "\n"),
    ends=(USER, OBSERVATION),
    results=ResultsWriter(each=("<tool_response>\n", "\n</tool_response>"), between="\n"),
    turn_frame=(f"{OBSERVATION}\n", f"{ASSISTANT}\n"),
    list_tools=list_tools_in_tags,
)
DIALECT = FORMAT.dialect()
