"""Calls as elements with the names as attributes: MiniMax M2, M2.1 and M2.5.

The elements are those of `anthropic_xml`, in ``<minimax:tool_call>``. Values are verbatim text,
including line breaks and entities. They have no escapes: a closing tag counts only if another tag
or the end of the text follows it. A block may have several calls.

The prompt opens the thought; the block ends it, if nothing else does. In lenient mode the element
around the calls may be missing, or be that of Anthropic (``<function_calls>``); closing tags may be
missing, and that of a value may have the name of its parameter (``</city>``); tags may have other
quotes or more attributes; and a JSON object may replace all parameters.

Source: the chat template of MiniMaxAI/MiniMax-M2.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from agent_parsers.engine.calls.tags.form import Attributes, Element, OwnName, TaggedForm, TagPart
from agent_parsers.families.call_blocks import calls_dialect, list_tools_in_tags
from agent_parsers.families.tagged import tagged_table
from agent_parsers.families.turn_writer import (
    LINES,
    ResultsWriter,
    TurnWriter,
    inputs_of,
    write_value,
)

if TYPE_CHECKING:
    from agent_parsers.engine.grammar.dialect import WrittenCall

__all__ = ["DIALECT", "ENDS"]

SAMPLE: Final = """\
<think>
I have to look it up.
</think>

Let me see.
<minimax:tool_call>
<invoke name="search">
<parameter name="query">Lake Thun</parameter>
</invoke>
<invoke name="ping">
</invoke>
</minimax:tool_call>"""

FORM: Final = TaggedForm(
    tags={
        TagPart.WRAP: Element("<minimax:tool_call>"),
        TagPart.END_WRAP: Element("</minimax:tool_call>"),
        TagPart.CALL: Attributes("<invoke"),
        TagPart.END_CALL: Element("</invoke>"),
        TagPart.KEY: Attributes("<parameter"),
        TagPart.END_VALUE: Element("</parameter>"),
    }
)
LENIENT_FORM: Final = replace(
    FORM,
    tags={
        **FORM.tags,
        TagPart.WRAP: Element("<minimax:tool_call>", borrowed=("<function_calls>",)),
        TagPart.END_WRAP: Element("</minimax:tool_call>", borrowed=("</function_calls>",)),
        TagPart.OWN_NAME: OwnName("</"),
    },
    lenient=True,
    json_arguments="odd",
)
ENDS: Final = ("[e~[",)


def write_call(call: WrittenCall) -> str:
    """Return one call as text."""
    values = "".join(
        f'<parameter name="{key}">{write_value(value)}</parameter>\n'
        for key, value in inputs_of(call).items()
    )
    return f'<invoke name="{call.tool}">\n{values}</invoke>'


DIALECT: Final = calls_dialect(
    "minimax_m2",
    SAMPLE,
    aliases=("minimax_m25",),
    summary="<invoke> and <parameter> in <minimax:tool_call> (MiniMax M2)",
    strict=tagged_table(FORM, ends=ENDS, drafts=False),
    lenient=tagged_table(LENIENT_FORM, ends=ENDS, drafts=False),
    stop=ENDS,
    write=TurnWriter(
        thought=LINES,
        call=write_call,
        # A line break precedes the calls, whatever the content is.
        calls=("\n<minimax:tool_call>\n", "\n", "\n</minimax:tool_call>"),
    ),
    render_results=ResultsWriter(each=("<response>", "</response>"), between="\n"),
    turn_frame=("[e~[\n]~b]tool\n", "[e~[\n]~b]ai\n"),
    list_tools=list_tools_in_tags,
)
