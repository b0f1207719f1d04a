"""Calls as Python between ``<|tool_call_start|>`` and ``<|tool_call_end|>``: LFM2 and LFM2.5.

    <think>I have to look it up.</think><|tool_call_start|>\
[search(query="Lake Thun", limit=3), ping()]<|tool_call_end|>I am looking.

Text may precede or follow the calls. If the prompt asks for JSON, or sometimes without being asked,
the model writes JSON between the marks, which lenient mode reads.

Source: the chat template of LiquidAI/LFM2-1.2B, and its guide to tool use; a thought as in that of
LFM2.5-8B-A1B.
"""

from dataclasses import replace

from agent_parsers.authoring import CallFormat, JsonPayload, ResultsWriter, chatml
from agent_parsers.dialects.pythonic import SAMPLE, PythonPayload

DIALECT = CallFormat(
    name="lfm2",
    aliases=("lfm2_thinking",),
    summary="a list of Python calls in <|tool_call_start|> (LFM2)",
    payload=PythonPayload(json=JsonPayload()),
    call=("<|tool_call_start|>", "<|tool_call_end|>"),
    is_content_last=True,
    results=ResultsWriter(each=("<|tool_response_start|>", "<|tool_response_end|>")),
    turn_frame=chatml("tool"),
    sample=replace(SAMPLE, content="I am looking."),
).dialect()
