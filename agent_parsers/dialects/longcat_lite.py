"""LongCat Flash Lite: the elements of `glm45`, with the marks of `longcat`.

    <longcat_think>
    I have to look it up.
    </longcat_think>

    Let me see.
    <longcat_tool_call>search
    <longcat_arg_key>query</longcat_arg_key>
    <longcat_arg_value>Lake Thun</longcat_arg_value>
    </longcat_tool_call>
    <longcat_tool_call>ping
    </longcat_tool_call>

Lenient mode also reads the JSON that `longcat` has in the same mark, which servers read under one
name.

Source: mlx_lm/tool_parsers/longcat.py of ml-explore/mlx-lm and its tests, which read both forms.
They do not show how thoughts and results are written: those are as in `longcat`.
"""

from dataclasses import replace

from agent_parsers.dialects import glm45, hermes, longcat

DIALECT = replace(
    longcat.FORMAT,
    name="longcat_lite",
    summary="as glm45, in <longcat_tool_call> (LongCat Flash Lite)",
    payload=replace(
        glm45.PAYLOAD,
        parameter="<longcat_arg_key>{key}</longcat_arg_key>\n"
        "<longcat_arg_value>{value}</longcat_arg_value>\n",
        json_calls=hermes.PAYLOAD,
    ),
    call=longcat.MARKS,
).dialect()
