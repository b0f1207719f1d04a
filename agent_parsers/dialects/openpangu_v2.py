"""openPangu 2.0: a list of calls in JSON, on a line of its own between marks.

    <think>I have to look it up.</think>Let me see.<|tool_call_start|>
    [{"name": "search", "arguments": {"query": "Lake Thun"}}, {"name": "ping", "arguments": {}}]
    <|tool_call_end|>

The prompt opens the thought, or closes it if thinking is off. `lfm2` has Python in the same marks,
and `pangu_embedded` the same list in others.

Source: the parser ``openpangu_v2`` of vllm-project/vllm, pull request 47271; the parser
``openpangu`` of jjang-ai/vmlx and its tests, which quote the chat template.
"""

from dataclasses import replace

from agent_parsers.authoring import TAGS, list_tools_in_tags, role_frame
from agent_parsers.dialects import pangu_embedded

START, END = "<|message_start|>", "<|message_end|>"

DIALECT = replace(
    pangu_embedded.FORMAT,
    name="openpangu_v2",
    summary="a JSON list in <|tool_call_start|> (openPangu 2.0)",
    call=("<|tool_call_start|>\n", "\n<|tool_call_end|>"),
    thought=TAGS,
    ends=(END,),
    turn_frame=role_frame((f"{END}{START}", "\n"), "tool"),
    list_tools=list_tools_in_tags,
).dialect()
