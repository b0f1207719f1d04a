"""Calls as ``<function>`` and ``<param>`` with the names as attributes: MiniCPM5.

Nothing encloses the calls. A value is verbatim text, or is in ``<![CDATA[…]]>``, which is not part
of the value. A value with a mark or a line break is written in CDATA, where no tag counts before
``]]>`` and the end of the value. In lenient mode ``]]>`` may be missing at the end of the call.

Source: the chat template of openbmb/MiniCPM5-1B.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from agent_parsers.dialects import hermes
from agent_parsers.engine.calls.tags.form import Attributes, Element, OwnName, TaggedForm, TagPart
from agent_parsers.families.call_blocks import calls_dialect, list_tools_in_tags
from agent_parsers.families.tagged import tagged_table
from agent_parsers.families.turn_writer import LINES, TurnWriter, chatml, inputs_of, write_value

if TYPE_CHECKING:
    from agent_parsers.engine.grammar.dialect import WrittenCall

__all__ = ["DIALECT"]

SAMPLE: Final = """\
<think>
I have to look it up.
</think>

Let me see.
<function name="search"><param name="query">Lake Thun</param></function>
<function name="ping"></function>"""

CDATA: Final = ("<![CDATA[", "]]>")

FORM: Final = TaggedForm(
    tags={
        TagPart.CALL: Attributes("<function"),
        TagPart.END_CALL: Element("</function>"),
        TagPart.KEY: Attributes("<param"),
        TagPart.END_VALUE: Element("</param>"),
    },
    quote=CDATA,
)
ENDS: Final = ("<|im_end|>",)


def _write_value(text: str) -> str:
    return text.join(CDATA) if any(mark in text for mark in "<&\n") else text


def write_call(call: WrittenCall) -> str:
    """Return one call as text."""
    values = "".join(
        f'<param name="{key}">{_write_value(write_value(value))}</param>'
        for key, value in inputs_of(call).items()
    )
    return f'<function name="{call.tool}">{values}</function>'


LENIENT_FORM: Final = replace(
    FORM,
    tags={**FORM.tags, TagPart.OWN_NAME: OwnName("</")},
    lenient=True,
    json_arguments="odd",
)

DIALECT: Final = calls_dialect(
    "minicpm5",
    SAMPLE,
    summary="<function name> and <param name> (MiniCPM5)",
    strict=tagged_table(FORM, ends=ENDS),
    lenient=tagged_table(LENIENT_FORM, ends=ENDS),
    stop=ENDS,
    write=TurnWriter(thought=LINES, content=("", "\n"), call=write_call, calls=("", "\n", "")),
    render_results=hermes.RESULTS,
    turn_frame=chatml("user"),
    list_tools=list_tools_in_tags,
)
