"""xLAM: a turn that is a JSON list of calls, with no mark around it.

    [{"name": "search", "arguments": {"query": "Lake Thun"}}, {"name": "ping", "arguments": {}}]

Models also write it in a fence, in ``<tool_call>`` and after ``[TOOL_CALLS]``.

Source: the model card of Salesforce/Llama-xLAM-2-8b-fc-r, and the template for this model in
vllm-project/vllm.
"""

from agent_parsers.authoring import CallFormat, JsonPayload
from agent_parsers.dialects import llama3_json

DIALECT = CallFormat(
    name="xlam",
    summary="a bare JSON list of calls (xLAM)",
    payload=JsonPayload(row=("[", ", ", "]"), bare="on lines"),
    odd_marks=(("<tool_call>", "</tool_call>"), ("[TOOL_CALLS]", "")),
    writes_thoughts=False,
    content=None,
    ends=("<|eot_id|>",),
    turn_frame=llama3_json.FORMAT.turn_frame,
).dialect()
