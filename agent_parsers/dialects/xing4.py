"""Xing 4.0 (TeleChat 4): like `glm47`, with elements of its own for keys and values.

    <think>
    I have to look it up.
    </think>Let me see.<tool_call>search<param_key>query</param_key>\
<param_value>Lake Thun</param_value></tool_call><tool_call>ping</tool_call>

The prompt opens the thought, or closes it if thinking is off. Each result is in a
``<tool_response>``, all of them in one turn.

Source: the agent template ``xing4_0`` of modelscope/ms-swift and its tests, which quote the chat
template of XingChen-AGI/Xing4.0-29B-A4B; the parser ``xingchen4`` of NVIDIA/TensorRT-LLM.
"""

from dataclasses import replace

from agent_parsers.authoring import Given, list_tools_in_tags
from agent_parsers.dialects import glm47

END = "<_end>"

DIALECT = replace(
    glm47.FORMAT,
    name="xing4",
    aliases=("xing4_0", "xingchen4", "telechat4"),
    summary="as glm47, with <param_key> and <param_value> (Xing 4.0)",
    payload=replace(
        glm47.PAYLOAD,
        parameter="<param_key>{key}</param_key><param_value>{value}</param_value>",
    ),
    thought=("<think>\n", "\n</think>"),
    ends=(END,),
    turn_frame=(f"{END}\n<_observation>", "<_bot>"),
    list_tools=list_tools_in_tags,
).dialect(given=(Given("<_user>"), Given("<_system>")))
