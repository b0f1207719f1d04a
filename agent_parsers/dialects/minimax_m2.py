"""Calls as elements with the names as attributes: MiniMax M2, M2.1 and M2.5.

    <think>
    I have to look it up.
    </think>

    Let me see.
    <minimax:tool_call>
    <invoke name="search">
    <parameter name="query">Lake Thun</parameter>
    </invoke>
    <invoke name="ping">
    </invoke>
    </minimax:tool_call>

The elements are those of `anthropic_xml`, in ``<minimax:tool_call>``. Values are verbatim text,
including line breaks and entities. They have no escapes: a closing tag counts only if another tag
or the end of the text follows it. A block may have several calls.

The prompt opens the thought; the block ends it, if nothing else does. In lenient mode the element
around the calls may be missing, or be that of Anthropic (``<function_calls>``); closing tags may be
missing, and that of a value may have the name of its parameter (``</city>``); tags may have other
quotes or more attributes; and a JSON object may replace all parameters.

Source: the chat template of MiniMaxAI/MiniMax-M2.
"""

from agent_parsers.authoring import (
    LINES,
    CallFormat,
    ResultsWriter,
    TaggedPayload,
    list_tools_in_tags,
    role_frame,
)

END = "[e~["

PAYLOAD = TaggedPayload(
    call='<invoke name="{tool}">\n{parameters}</invoke>',
    parameter='<parameter name="{key}">{value}</parameter>\n',
    row=("", "\n", ""),
    borrowed=("<function_calls>", "</function_calls>"),
    closes_with_key=True,
)
FORMAT = CallFormat(
    name="minimax_m2",
    aliases=("minimax_m25", "minimax", "minimax_append_think", "minimax_m2_append_think"),
    summary="<invoke> and <parameter> in <minimax:tool_call> (MiniMax M2)",
    payload=PAYLOAD,
    # A line break precedes the calls, whatever the content is.
    call=("\n<minimax:tool_call>\n", "\n</minimax:tool_call>"),
    thought=LINES,
    ends=(END,),
    results=ResultsWriter(each=("<response>", "</response>"), between="\n"),
    turn_frame=role_frame((f"{END}\n]~b]", "\n"), "tool", "ai"),
    list_tools=list_tools_in_tags,
)
DIALECT = FORMAT.dialect()
