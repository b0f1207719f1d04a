"""Seed-OSS: like `qwen3_coder`, with verbatim values and its own marks.

The template writes lists and objects as Python literals, and they are read as such if the tool
takes them. In lenient mode calls may also have the marks of `qwen3_coder`.

Source: the chat template of ByteDance-Seed/Seed-OSS-36B-Instruct.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.dialects import qwen3_coder
from agent_parsers.engine.calls.code.python_scan import read_literal
from agent_parsers.engine.calls.tags.form import Element, TagPart, truth_values
from agent_parsers.engine.repairs.payloads import BadPayload
from agent_parsers.families.tagged import tagged_table
from agent_parsers.families.turn_writer import ResultsWriter, inputs_of, write_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from agent_parsers.engine.calls.tags.form import TaggedForm
    from agent_parsers.engine.grammar.dialect import WrittenCall
    from agent_parsers.engine.grammar.table import Table

__all__ = ["DIALECT"]

SAMPLE: Final = """\
<seed:think>I have to look it up.</seed:think>
Let me see.

<seed:tool_call>
<function=search>
<parameter=query>Lake Thun</parameter>
</function>
</seed:tool_call>
<seed:tool_call>
<function=ping>
</function>
</seed:tool_call>"""

_MARKS: Final = {
    TagPart.WRAP: Element("<seed:tool_call>", borrowed=("<tool_call>",)),
    TagPart.END_WRAP: Element("</seed:tool_call>", borrowed=("</tool_call>",)),
}
ENDS: Final = ("<seed:eos>",)


def other_values(text: str, attributes: Mapping[str, str]) -> Iterator[Any]:
    """Yield possible values of a parameter written as *text*, including Python literals."""
    if text.lstrip()[:1] in ("[", "{"):
        with suppress(BadPayload):
            yield read_literal(text)
    yield from truth_values(text, attributes)


def _table(form: TaggedForm) -> Table:
    tags = {**form.tags, **_MARKS}
    form = replace(form, tags=tags, trims=False, other_values=other_values)
    return tagged_table(form, thought=("<seed:think>", "</seed:think>"), ends=ENDS)


def write_call(call: WrittenCall) -> str:
    """Return one call as text, in a block of its own."""
    values = "".join(
        f"<parameter={key}>{write_value(value)}</parameter>\n"
        for key, value in inputs_of(call).items()
    )
    return f"<seed:tool_call>\n<function={call.tool}>\n{values}</function>\n</seed:tool_call>"


FRAME: Final = ("<seed:eos><seed:bos>tool\n", "<seed:eos><seed:bos>assistant\n")

DIALECT: Final = replace(
    qwen3_coder.DIALECT,
    name="seed_oss",
    aliases=(),
    summary="as qwen3_coder, in <seed:tool_call> (Seed-OSS)",
    sample=SAMPLE,
    strict=_table(qwen3_coder.FORM),
    lenient=_table(qwen3_coder.LENIENT_FORM),
    stop=ENDS,
    write=replace(qwen3_coder.TURNS, thought=("<seed:think>", "</seed:think>\n"), call=write_call),
    render_results=ResultsWriter(between=FRAME[0]),
    turn_frame=FRAME,
)
