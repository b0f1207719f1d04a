"""K2 Horizon: like `glm45`, with tags of its own and one element around all calls.

    <ifm|think>
    I have to look it up.</ifm|think>Let me see.
    <ifm|tool_calls>
    <ifm|tool_call>search
    <ifm|arg_key>query</ifm|arg_key>
    <ifm|arg_value>Lake Thun</ifm|arg_value>
    </ifm|tool_call>
    <ifm|tool_call>ping
    </ifm|tool_call>
    </ifm|tool_calls>

The prompt opens the thought; its tag depends on how much the model should think: ``<ifm|think>``,
``<ifm|think_fast>`` or ``<ifm|think_faster>``. The first is written, the others are read in lenient
mode.

This is the default of the chat template, which can also ask for calls in JSON or for the type of
each value (``tool_call_format="json"`` and ``"xml_typed"``). Those are refused: the name would not
be where it is expected, and a type is neither a key nor a value.

Source: vLLM's ``k2_horizon`` and SGLang's ``k2_v3``, with its tests of the released templates.
"""

from dataclasses import replace

from agent_parsers.authoring import ResultsWriter, TaggedPayload, role_frame
from agent_parsers.dialects import glm45

END = "<|ifm|im_end|>"
THINK, END_OF_THINK = "<ifm|think>", "</ifm|think>"


def less(tag: str) -> tuple[str, str]:
    """Return the *tag* of a thought as it is when the model should think less."""
    return tag.replace(">", "_fast>"), tag.replace(">", "_faster>")


DIALECT = replace(
    glm45.FORMAT,
    name="k2_horizon",
    aliases=("k2_v3",),
    summary="<ifm|arg_key> and <ifm|arg_value> in <ifm|tool_calls> (K2 Horizon)",
    payload=TaggedPayload(
        call="<ifm|tool_call>{tool}\n{parameters}</ifm|tool_call>",
        parameter="<ifm|arg_key>{key}</ifm|arg_key>\n<ifm|arg_value>{value}</ifm|arg_value>\n",
        row=("", "\n", ""),
    ),
    call=("\n<ifm|tool_calls>\n", "\n</ifm|tool_calls>"),
    thought=(f"{THINK}\n", END_OF_THINK),
    content=("", ""),
    also={"thought": less(THINK), "end of thought": less(END_OF_THINK)},
    ends=(END,),
    results=ResultsWriter(),
    turn_frame=role_frame((f"{END}<|ifm|im_start|>", "\n"), "tool"),
).dialect()
