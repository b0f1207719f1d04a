"""Granite 20B Function Calling: ``<function_call>`` and a JSON object, once for each call.

    Let me see.<function_call> {"name": "search", "arguments": {"query": "Lake Thun"}}
    <function_call> {"name": "ping", "arguments": {}}

Nothing closes a call but its JSON. The prompt asks for a call of ``no_function`` if no tool fits,
which is read as a call.

Source: vllm-project/vllm, examples/tool_chat_template_granite_20b_fc.jinja and the parser
granite-20b-fc.
"""

from agent_parsers.authoring import CallFormat, JsonPayload, ResultsWriter

END = "<|endoftext|>"

DIALECT = CallFormat(
    name="granite_fc",
    aliases=("granite_20b_fc",),
    summary="<function_call> and JSON (Granite 20B Function Calling)",
    payload=JsonPayload(),
    call=("<function_call> ", ""),
    between="\n",
    thought=None,
    ends=(END,),
    results=ResultsWriter(each=("<function_response> ", ""), between=""),
    turn_frame=(f"\n{END}\n", "\nASSISTANT: \n"),
).dialect()
