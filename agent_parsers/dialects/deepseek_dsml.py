"""Calls in DeepSeek's markup, whose parameters say whether they are text: V4, V3.2 and V4.1.

The three generations have the same elements under different names: `deepseek_v32` has
``function_calls`` around the calls, V4 has ``tool_calls``, and `deepseek_v41` has ``calls`` and a
space after the second bar. This module writes the form of V4. The bars are full-width.

Values are verbatim text. With ``string="true"`` the text is the value. With ``"false"`` it is read
as JSON, or as text if it is not JSON (such as ``NaN``) or if the tool takes text. Values have no
escapes: a closing tag counts only if another tag or the end of the text follows it. A region may
have several calls.

The prompt opens the thought or closes it; the region ends it as well. In lenient mode closing tags
may be missing, the tags around the calls may be missing or mutilated (``<｜DSML｜tool>``), tags may
lack the space of V4.1, and a parameter may lack the attribute, in which case the value is text.

Source: the encoding scripts of deepseek-ai/DeepSeek-V3.2 and deepseek-ai/DeepSeek-V4.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.engine.calls.tags.form import (
    Attributes,
    Element,
    TaggedForm,
    TagPart,
    truth_values,
)
from agent_parsers.engine.grammar.dialect import Written, WrittenCall
from agent_parsers.families.call_blocks import calls_dialect, list_tools_in_tags
from agent_parsers.families.tagged import tagged_table
from agent_parsers.families.turn_writer import (
    TAGS,
    ResultsWriter,
    TurnWriter,
    inputs_of,
    write_json,
    write_value,
)
from outputs.growing_json.lenient.repeated_keys import may_repeat
from outputs.growing_json.scalars import NOTHING
from outputs.growing_json.whole import MAX_DEPTH, parse_whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from agent_parsers.engine.grammar.dialect import Dialect

__all__ = ["DIALECT", "dsml"]

SAMPLE: Final = Written(
    "I have to look it up.",
    tool="search",
    tool_input={"query": "Lake Thun"},
    others=(WrittenCall("ping", {}),),
    content="Let me see.",
)
_WRAPPERS: Final = ("tool_calls", "function_calls", "calls", "toolcalls", "tool_call", "tool")
"""The names of the region in all generations, and the variants that models write."""
ENDS: Final = ("<｜end▁of▁sentence｜>",)


def read_value(text: str, attributes: Mapping[str, str]) -> Any:
    """Return the value of a parameter written as *text*."""
    if attributes.get("string", "").lower() != "false":
        return text
    value = parse_whole(text, MAX_DEPTH)
    if value is NOTHING:
        return text
    if may_repeat(text, value):
        raise ValueError("a key is repeated")
    try:
        write_json(value)
    except ValueError:  # it is not a number, or too large for one
        return text
    return value


def other_values(text: str, attributes: Mapping[str, str]) -> Iterator[Any]:
    """Yield possible values of a parameter written as *text*, to be matched with the schema."""
    yield text
    yield from truth_values(text, attributes)


def _form(mark: str, wrapper: str) -> TaggedForm:
    marks = dict.fromkeys((mark, mark.rstrip()))  # models leave out the space

    words = dict.fromkeys((wrapper, *_WRAPPERS))

    def element(slash: str, *names: str) -> Element:
        canonical, *others = (f"<{slash}{each}{name}>" for each in marks for name in names)
        return Element(canonical, tuple(others))

    def named(name: str, **known: Sequence[str]) -> Attributes:
        canonical, *others = (f"<{each}{name}" for each in marks)
        return Attributes(canonical, tuple(others), known=known)

    return TaggedForm(
        tags={
            TagPart.WRAP: element("", *words),
            TagPart.END_WRAP: element("/", *words),
            TagPart.CALL: named("invoke"),
            TagPart.END_CALL: element("/", "invoke"),
            TagPart.KEY: named("parameter", string=("true", "false")),
            TagPart.END_VALUE: element("/", "parameter"),
        },
        read_value=read_value,
        other_values=other_values,
    )


def write_call(call: WrittenCall, *, mark: str) -> str:
    """Return one call as text, in tags that begin with *mark*."""
    values = "\n".join(
        f'<{mark}parameter name="{key}" string="{str(isinstance(value, str)).lower()}">'
        f"{write_value(value)}</{mark}parameter>"
        for key, value in inputs_of(call).items()
    )
    return f'<{mark}invoke name="{call.tool}">\n{values}\n</{mark}invoke>'


def dsml(name: str, models: str, *, mark: str = "｜DSML｜", wrapper: str) -> Dialect:
    """Return the dialect *name* of these *models*, with tags that begin with *mark*."""
    form = _form(mark, wrapper)
    turns = TurnWriter(
        thought=TAGS,
        call=partial(write_call, mark=mark),
        calls=(f"\n\n<{mark}{wrapper}>\n", "\n", f"\n</{mark}{wrapper}>"),
    )
    return calls_dialect(
        name,
        turns(SAMPLE),
        summary=f"<{mark}invoke> and <{mark}parameter> in <{mark}{wrapper}> ({models})",
        strict=tagged_table(form, ends=ENDS, drafts=False),
        lenient=tagged_table(replace(form, lenient=True), ends=ENDS, drafts=False),
        stop=ENDS,
        write=turns,
        render_results=ResultsWriter(each=("<tool_result>", "</tool_result>"), between="\n\n"),
        turn_frame=("<｜end▁of▁sentence｜><｜User｜>", "<｜Assistant｜>"),
        list_tools=list_tools_in_tags,
    )


DIALECT: Final = replace(
    dsml("deepseek_dsml", "DeepSeek V4", wrapper="tool_calls"), aliases=("deepseek_v4",)
)
