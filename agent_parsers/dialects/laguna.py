"""Poolside Laguna: like `glm47`, in turns of ``<assistant>``.

    <think>I have to look it up.</think>Let me see.<tool_call>search<arg_key>query</arg_key>\
<arg_value>Lake Thun</arg_value></tool_call><tool_call>ping</tool_call>

Laguna XS.2 writes the line breaks of `glm45`, which mean nothing; the 2.1 models and this module
write none. The prompt opens the thought, or closes it if thinking is off. Each result is in a
``<tool_response>`` of its own, outside of the turns.

Source: the chat templates laguna_glm_thinking_v5 and v8 of poolside, as ollama's renderer tests
quote them; vLLM's and SGLang's ``poolside_v1``.
"""

from dataclasses import replace

from agent_parsers.authoring import ResultsWriter
from agent_parsers.dialects import glm47, hermes

TURN = ("<assistant>", "</assistant>")

DIALECT = replace(
    glm47.FORMAT,
    name="laguna",
    aliases=("poolside_v1",),
    payload=replace(glm47.PAYLOAD, json_calls=hermes.PAYLOAD),
    summary="as glm47, in turns of <assistant> (Poolside Laguna)",
    ends=(TURN[1],),
    results=ResultsWriter(each=("<tool_response>", "</tool_response>\n"), between=""),
    turn_frame=(f"{TURN[1]}\n", TURN[0]),
).dialect()
