"""GLM 4.7, GLM 5 and Spark 2.5: like `glm45`, without line breaks. Both are read the same way.

    <think>I have to look it up.</think>Let me see.<tool_call>search<arg_key>query</arg_key>\
<arg_value>Lake Thun</arg_value></tool_call><tool_call>ping</tool_call>

The prompt opens the thought, or closes it if thinking is off.

Source: the chat template of zai-org/GLM-4.7.
"""

from dataclasses import replace

from agent_parsers.authoring import TAGS, ResultsWriter
from agent_parsers.dialects import glm45

PAYLOAD = replace(
    glm45.PAYLOAD,
    call="{tool}{parameters}",
    parameter="<arg_key>{key}</arg_key><arg_value>{value}</arg_value>",
)
FORMAT = replace(
    glm45.FORMAT,
    name="glm47",
    aliases=("glm5", "spark25"),
    summary="as glm45, without line breaks (GLM 4.7 and GLM 5)",
    payload=PAYLOAD,
    between="",
    thought=TAGS,
    content=("", ""),
    results=ResultsWriter(each=("<tool_response>", "</tool_response>"), between=""),
    turn_frame=(glm45.OBSERVATION, glm45.ASSISTANT),
)
DIALECT = FORMAT.dialect()
