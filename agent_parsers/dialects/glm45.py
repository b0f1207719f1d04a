"""GLM 4.5 and 4.6: calls with an element for each key and value; `glm47` has no line breaks.

The name of the tool follows ``<tool_call>`` and ends at the next tag or line. White space between
tags is ignored. Values are verbatim text without escapes: a closing tag counts only if another tag
or the end of the text follows it. Each call is a block of its own.

In lenient mode closing tags of keys and values may be missing or doubled, and a JSON object may
replace all parameters. `hermes` has the mark ``<tool_call>`` too, so the caller must choose the
dialect.

Source: the chat templates of zai-org/GLM-4.5 and zai-org/GLM-4.7.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from agent_parsers.engine.calls.tags.form import Element, TaggedForm, TagPart
from agent_parsers.families.call_blocks import calls_dialect, list_tools_in_tags
from agent_parsers.families.tagged import tagged_table
from agent_parsers.families.turn_writer import ResultsWriter, TurnWriter, inputs_of, write_value

if TYPE_CHECKING:
    from agent_parsers.engine.grammar.dialect import WrittenCall

__all__ = ["DIALECT", "ENDS", "FORM", "LENIENT_FORM", "RESULTS", "TURNS"]

SAMPLE: Final = """\
<think>I have to look it up.</think>
Let me see.
<tool_call>search
<arg_key>query</arg_key>
<arg_value>Lake Thun</arg_value>
</tool_call>
<tool_call>ping
</tool_call>"""

FORM: Final = TaggedForm(
    tags={
        TagPart.CALL: Element("<tool_call>"),
        TagPart.END_CALL: Element("</tool_call>"),
        TagPart.KEY: Element("<arg_key>"),
        TagPart.END_KEY: Element("</arg_key>"),
        TagPart.VALUE: Element("<arg_value>"),
        TagPart.END_VALUE: Element("</arg_value>"),
    }
)
LENIENT_FORM: Final = replace(FORM, lenient=True, json_arguments="odd")
ENDS: Final = ("<|user|>", "<|observation|>")


def write_call(call: WrittenCall) -> str:
    """Return one call as text."""
    values = "".join(
        f"<arg_key>{key}</arg_key>\n<arg_value>{write_value(value)}</arg_value>\n"
        for key, value in inputs_of(call).items()
    )
    return f"<tool_call>{call.tool}\n{values}</tool_call>"


TURNS: Final = TurnWriter(
    thought=("<think>", "</think>\n"),
    content=("", "\n"),
    call=write_call,
    calls=("", "\n", ""),
)
RESULTS: Final = ResultsWriter(each=("<tool_response>\n", "\n</tool_response>"), between="\n")

DIALECT: Final = calls_dialect(
    "glm45",
    SAMPLE,
    aliases=("glm46",),
    summary="<arg_key> and <arg_value> in <tool_call> (GLM 4.5 and 4.6)",
    strict=tagged_table(FORM, ends=ENDS, drafts=False),
    lenient=tagged_table(LENIENT_FORM, ends=ENDS, drafts=False),
    stop=ENDS,
    write=TURNS,
    render_results=RESULTS,
    turn_frame=("<|observation|>\n", "<|assistant|>\n"),
    list_tools=list_tools_in_tags,
)
