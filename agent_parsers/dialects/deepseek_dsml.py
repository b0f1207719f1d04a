"""Calls in DeepSeek's markup, whose parameters say whether they are text: V4, V3.2 and V4.1.

    <think>I have to look it up.</think>Let me see.

    <｜DSML｜tool_calls>
    <｜DSML｜invoke name="search">
    <｜DSML｜parameter name="query" string="true">Lake Thun</｜DSML｜parameter>
    </｜DSML｜invoke>
    <｜DSML｜invoke name="ping">

    </｜DSML｜invoke>
    </｜DSML｜tool_calls>

The three generations have the same elements under different names: `deepseek_v32` has
``function_calls`` around the calls, V4 has ``tool_calls``, and `deepseek_v41` has ``calls`` and a
space after the second bar. This module writes the form of V4. The bars are full-width.

Values are verbatim text. With ``string="true"`` the text is the value, such as the word ``null``,
unless the tool takes no text. With ``"false"`` it is read as JSON, or as text if it is not JSON
(such as ``NaN``) or if the tool takes text. Values have no escapes: a closing tag counts only if
another tag or the end of the text follows it. A region may have several calls.

The prompt opens the thought or closes it; the region ends it as well. In lenient mode closing tags
may be missing, the tags around the calls may be missing or mutilated (``<｜DSML｜tool>``), the bars
may be doubled or those of ASCII, tags may lack the space of V4.1, and a parameter may lack the
attribute, in which case the value is text. A call may have a JSON object in place of parameters.

Source: the encoding scripts of deepseek-ai/DeepSeek-V3.2 and deepseek-ai/DeepSeek-V4.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from agent_parsers.authoring import CallFormat, ResultsWriter, TaggedPayload, list_tools_in_tags
from agent_parsers.engine.calls.tags.form import as_json, truth_values

END = "<｜end▁of▁sentence｜>"
WRAPPERS = ("tool_calls", "function_calls", "calls", "toolcalls", "tool_call", "tool")
"""The names of the region in all generations, and the variants that models write."""
BARS = ("｜｜", "|", "||")
"""Bars on both sides of the word in a mark that models write for the dialect's own."""


def read_value(text: str, attributes: Mapping[str, str]) -> Any:
    """Return the value of a parameter written as *text*."""
    if attributes.get("string", "").lower() != "false":
        return text
    return as_json(text)


def says_text(attributes: Mapping[str, str]) -> bool:
    """Return whether the tag of a parameter says that its value is a text."""
    return attributes.get("string", "").lower() == "true"


def other_values(text: str, attributes: Mapping[str, str]) -> Iterator[Any]:
    """Yield possible values of a parameter written as *text*, to be matched with the schema."""
    yield text
    yield from truth_values(text, attributes)


def _spellings(tag: str, *, mark: str, wrapper: str) -> tuple[str, ...]:
    names = (wrapper, *WRAPPERS) if tag.endswith(f"{wrapper}>") else ("",)
    bare = mark.rstrip()  # models leave out the space
    marks = (mark, bare, *(bare.replace("｜", bars) for bars in BARS))
    spelt = [tag.replace(mark, each).replace(wrapper, name) for each in marks for name in names]
    return tuple(dict.fromkeys(spelt))[1:]


def dsml(name: str, models: str, *, wrapper: str, mark: str = "｜DSML｜") -> CallFormat:
    """Return the format *name* of these *models*, with tags that begin with *mark*."""
    return CallFormat(
        name=name,
        summary=f"<{mark}invoke> and <{mark}parameter> in <{mark}{wrapper}> ({models})",
        payload=TaggedPayload(
            call=f'<{mark}invoke name="{{tool}}">\n{{parameters}}\n</{mark}invoke>',
            parameter=f'<{mark}parameter name="{{key}}" string="{{is_text}}">{{value}}'
            f"</{mark}parameter>",
            between="\n",
            row=("", "\n", ""),
            spellings=partial(_spellings, mark=mark, wrapper=wrapper),
            read_value=read_value,
            other_values=other_values,
            says_text=says_text,
        ),
        call=(f"\n\n<{mark}{wrapper}>\n", f"\n</{mark}{wrapper}>"),
        ends=(END,),
        results=ResultsWriter(each=("<tool_result>", "</tool_result>"), between="\n\n"),
        turn_frame=(f"{END}<｜User｜>", "<｜Assistant｜>"),
        list_tools=list_tools_in_tags,
    )


DIALECT = dsml("deepseek_dsml", "DeepSeek V4", wrapper="tool_calls").dialect(
    aliases=("deepseek_v4",)
)
