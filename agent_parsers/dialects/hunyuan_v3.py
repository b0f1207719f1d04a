"""Hunyuan 3: like `glm45`, with ``<tool_calls>`` around the calls, ``<tool_sep>`` after the name.

In lenient mode every tag may have the suffix that the open weights write
(``<tool_call:opensource>``), ``<tool_calls>`` or ``<tool_sep>`` may be missing, and a call may have
its arguments as JSON and end in ``<end_of_tool_call>``.

Source: the chat template of tencent/Hy3-preview.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from agent_parsers.dialects import glm45
from agent_parsers.engine.calls.tags.form import Element, TaggedForm, TagPart
from agent_parsers.families.tagged import tagged_table
from agent_parsers.families.turn_writer import TAGS, TurnWriter, inputs_of, write_value

if TYPE_CHECKING:
    from agent_parsers.engine.grammar.dialect import WrittenCall

__all__ = ["DIALECT"]

SAMPLE: Final = """\
<think>I have to look it up.</think>Let me see.<tool_calls>
<tool_call>search<tool_sep>
<arg_key>query</arg_key>
<arg_value>Lake Thun</arg_value>
</tool_call>
<tool_call>ping<tool_sep>
</tool_call>
</tool_calls>"""


def _tag(name: str, *others: str) -> Element:
    return Element(f"<{name}>", (f"<{name}:opensource>", *others))


FORM: Final = TaggedForm(
    tags={
        TagPart.WRAP: _tag("tool_calls"),
        TagPart.END_WRAP: _tag("/tool_calls"),
        TagPart.CALL: _tag("tool_call"),
        TagPart.END_NAME: _tag("tool_sep"),
        TagPart.END_CALL: _tag("/tool_call", "<end_of_tool_call>", "<end_of_tool_call:opensource>"),
        TagPart.KEY: _tag("arg_key"),
        TagPart.END_KEY: _tag("/arg_key"),
        TagPart.VALUE: _tag("arg_value"),
        TagPart.END_VALUE: _tag("/arg_value"),
    }
)
ENDS: Final = ("<｜hy_eos｜>", "<｜hy_eos:opensource｜>")
_table = partial(
    tagged_table, ends=ENDS, other_thought=("<think:opensource>", "</think:opensource>")
)


def write_call(call: WrittenCall) -> str:
    """Return one call as text."""
    values = "".join(
        f"<arg_key>{key}</arg_key>\n<arg_value>{write_value(value)}</arg_value>\n"
        for key, value in inputs_of(call).items()
    )
    return f"<tool_call>{call.tool}<tool_sep>\n{values}</tool_call>"


DIALECT: Final = replace(
    glm45.DIALECT,
    name="hunyuan_v3",
    aliases=("hy3",),
    summary="<arg_key> and <arg_value> after <tool_sep> (Hunyuan 3)",
    sample=SAMPLE,
    strict=_table(FORM),
    lenient=_table(replace(FORM, lenient=True, json_arguments="odd")),
    stop=ENDS,
    write=TurnWriter(
        thought=TAGS, call=write_call, calls=("<tool_calls>\n", "\n", "\n</tool_calls>")
    ),
    render_results=replace(glm45.RESULTS, around=("<tool_responses>\n", "\n</tool_responses>")),
    turn_frame=("<｜hy_eos｜>", "<｜hy_Assistant｜>"),
)
