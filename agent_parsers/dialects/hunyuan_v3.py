"""Hunyuan 3: like `glm45`, with ``<tool_calls>`` around the calls, ``<tool_sep>`` after the name.

    <think>I have to look it up.</think>Let me see.<tool_calls>
    <tool_call>search<tool_sep>
    <arg_key>query</arg_key>
    <arg_value>Lake Thun</arg_value>
    </tool_call>
    <tool_call>ping<tool_sep>
    </tool_call>
    </tool_calls>

In lenient mode every tag may have the suffix that the open weights write
(``<tool_call:opensource>``), ``<tool_calls>`` or ``<tool_sep>`` may be missing, and a call may have
its arguments as JSON and end in ``<end_of_tool_call>``.

Source: the chat template of tencent/Hy3-preview.
"""

from dataclasses import replace

from agent_parsers.authoring import TAGS, TaggedPayload
from agent_parsers.dialects import glm45

END = "<｜hy_eos｜>"
CALL, END_OF_CALL = "<tool_call>", "</tool_call>"


def opensource(tag: str) -> str:
    """Return a *tag* as the open weights write it."""
    return f"{tag[:-1]}:opensource>"


def spellings(tag: str) -> tuple[str, ...]:
    """Return the other spellings of a *tag*."""
    also = ("<end_of_tool_call>",) if tag == END_OF_CALL else ()
    return (opensource(tag), *also, *map(opensource, also))


FORMAT = replace(
    glm45.FORMAT,
    name="hunyuan_v3",
    aliases=("hy3", "hy_v3"),
    summary="<arg_key> and <arg_value> after <tool_sep> (Hunyuan 3)",
    payload=TaggedPayload(
        call=f"{CALL}{{tool}}<tool_sep>\n{{parameters}}{END_OF_CALL}",
        parameter=glm45.PAYLOAD.parameter,
        row=("", "\n", ""),
        spellings=spellings,
    ),
    call=("<tool_calls>\n", "\n</tool_calls>"),
    thought=TAGS,
    content=("", ""),
    also={"thought": (opensource(TAGS[0]),), "end of thought": (opensource(TAGS[1]),)},
    ends=(END, "<｜hy_eos:opensource｜>"),
    results=replace(glm45.FORMAT.results, around=("<tool_responses>\n", "\n</tool_responses>")),
    turn_frame=(END, "<｜hy_Assistant｜>"),
)
DIALECT = FORMAT.dialect()
