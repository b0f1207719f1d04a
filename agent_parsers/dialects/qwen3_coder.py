"""Calls as tags with the name after ``=``: Qwen3-Coder, Qwen 3.5, Nemotron 3, Step 3.5, MiMo V2.

Values are verbatim text, with a line break at each end that belongs to the tags; nothing else is
removed, so code keeps its indentation. They have no escapes: a closing tag counts only if another
tag or the end of the text follows it. A turn may have several blocks, and a block several calls.

In lenient mode ``<tool_call>`` or its closing tag may be missing; a value may end where another
parameter of the tool opens, where its call closes, or at a closing tag with its own name; tags may
contain spaces; and a block may contain JSON, as in `hermes`. A call without ``<tool_call>`` in a
thought is a draft.

Source: the chat template of Qwen/Qwen3-Coder; a thought as in that of Qwen3.5.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from agent_parsers.dialects import hermes
from agent_parsers.engine.calls.json.blocks import JsonCalls
from agent_parsers.engine.calls.tags.form import Element, Named, OwnName, TaggedForm, TagPart
from agent_parsers.families.call_blocks import calls_dialect, list_tools_in_tags
from agent_parsers.families.tagged import tagged_table
from agent_parsers.families.turn_writer import (
    LINES,
    ResultsWriter,
    TurnWriter,
    chatml,
    inputs_of,
    write_value,
)

if TYPE_CHECKING:
    from agent_parsers.engine.grammar.dialect import WrittenCall

__all__ = ["DIALECT", "FORM", "LENIENT_FORM", "TURNS"]

SAMPLE: Final = """\
<think>
I have to look it up.
</think>

Let me see.

<tool_call>
<function=search>
<parameter=query>
Lake Thun
</parameter>
</function>
</tool_call>
<tool_call>
<function=ping>
</function>
</tool_call>"""

FORM: Final = TaggedForm(
    tags={
        TagPart.WRAP: Element("<tool_call>"),
        TagPart.END_WRAP: Element("</tool_call>"),
        TagPart.CALL: Named("<function="),
        TagPart.END_CALL: Element("</function>"),
        TagPart.KEY: Named("<parameter="),
        TagPart.END_VALUE: Element("</parameter>"),
    },
    trims=True,
)
LENIENT_FORM: Final = replace(
    FORM,
    tags={**FORM.tags, TagPart.OWN_NAME: OwnName("</")},
    lenient=True,
    json_arguments="odd",
    json_calls=partial(JsonCalls, hermes.RULES[1]),
)


def write_call(call: WrittenCall) -> str:
    """Return one call as text, in a block of its own."""
    values = "".join(
        f"<parameter={key}>\n{write_value(value)}\n</parameter>\n"
        for key, value in inputs_of(call).items()
    )
    return f"<tool_call>\n<function={call.tool}>\n{values}</function>\n</tool_call>"


TURNS: Final = TurnWriter(
    thought=LINES, content=("", "\n\n"), call=write_call, calls=("", "\n", "")
)

DIALECT: Final = calls_dialect(
    "qwen3_coder",
    SAMPLE,
    aliases=("qwen3_xml", "qwen35", "nemotron_v3", "step3p5", "mimo_v2"),
    summary="<function=name> and <parameter=key> in <tool_call> (Qwen3-Coder and others)",
    strict=tagged_table(FORM, ends=("<|im_end|>",), drafts=False),
    lenient=tagged_table(LENIENT_FORM, ends=("<|im_end|>",), drafts=False),
    stop=("<|im_end|>",),
    write=TURNS,
    render_results=ResultsWriter(each=("<tool_response>\n", "\n</tool_response>\n")),
    turn_frame=chatml("user"),
    list_tools=list_tools_in_tags,
)
