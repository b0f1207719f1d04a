"""Ling 3: like `glm45`, with fewer line breaks, in turns that begin with a ``<role>``.

    <think>I have to look it up.</think>Let me see.
    <tool_call>search<arg_key>query</arg_key>
    <arg_value>Lake Thun</arg_value>
    </tool_call>
    <tool_call>ping
    </tool_call>

The prompt opens the thought, or closes it if thinking is off; a call ends it as well. Models also
write a line break after the name, as in `glm45`.

Source: the chat template of inclusionAI/Ling-3.0-tiny; vLLM's and SGLang's ``ling3``.
"""

from dataclasses import replace

from agent_parsers.authoring import TAGS, Given, ResultsWriter, role_frame
from agent_parsers.dialects import glm45

END = "<|role_end|>"
ROLE = "<role>{}</role>"
OPENS, _, CLOSES = ROLE.partition("{}")

DIALECT = replace(
    glm45.FORMAT,
    name="ling3",
    aliases=(),
    summary="as glm45, in turns that begin with a role (Ling 3)",
    payload=replace(
        glm45.PAYLOAD,
        call="{tool}{parameters}\n",
        parameter="<arg_key>{key}</arg_key>\n<arg_value>{value}</arg_value>",
    ),
    call=("\n<tool_call>", "</tool_call>"),
    between="",
    thought=TAGS,
    content=("", ""),
    ends=(END,),
    results=ResultsWriter(each=("\n<tool_response>\n", "\n</tool_response>"), between=""),
    turn_frame=role_frame((END + OPENS, CLOSES), "OBSERVATION", "ASSISTANT"),
).dialect(given=(Given(ROLE.format("HUMAN")), Given(ROLE.format("SYSTEM"))))
