"""IQuest Q1: like `glm47`, in ``<iquest_tool_call>``.

    <think>I have to look it up.</think>Let me see.<iquest_tool_call>search<arg_key>query</arg_key>\
<arg_value>Lake Thun</arg_value></iquest_tool_call><iquest_tool_call>ping</iquest_tool_call>

The prompt opens the thought, or closes it if thinking is off.

Source: SGLang's parser called ``iquest_q1`` and its tests, which do not show how results are
written: a result stands in ``<tool_response>``, in a turn of the role ``tool``.
"""

from dataclasses import replace

from agent_parsers.authoring import Given, role_frame
from agent_parsers.dialects import glm47

END = "<|iquest_end|>"

DIALECT = replace(
    glm47.FORMAT,
    name="iquest_q1",
    aliases=(),
    summary="as glm47, in <iquest_tool_call> (IQuest Q1)",
    call=("<iquest_tool_call>", "</iquest_tool_call>"),
    ends=(END,),
    turn_frame=role_frame((f"{END}<|iquest_", "|>"), "tool"),
).dialect(given=(Given("<|iquest_user|>"), Given("<|iquest_system|>")))
