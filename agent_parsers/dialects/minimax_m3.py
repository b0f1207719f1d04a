"""MiniMax M3: calls as elements named after tools and parameters, with a mark before each tag.

A parameter is ``<city>Bern</city>``, and every tag is preceded by the mark ``]<]minimax[>[``, so
that values may contain tags of their own. An object has an element for each member, and a list has
an ``<item>`` for each item: a value with elements is one of the two. Other values are text.

Source: the chat template of MiniMaxAI/MiniMax-M3; results as in `minimax_m2`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.dialects import minimax_m2
from agent_parsers.engine.calls.tags.form import (
    Attributes,
    Element,
    OwnName,
    TaggedForm,
    TagPart,
    truth_values,
)
from agent_parsers.families.tagged import tagged_table
from agent_parsers.families.turn_writer import TurnWriter, inputs_of, write_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from agent_parsers.engine.grammar.dialect import WrittenCall

__all__ = ["DIALECT"]

MARK: Final = "]<]minimax[>["
SAMPLE: Final = f"""\
<mm:think>I have to look it up.</mm:think>Let me see.{MARK}<tool_call>
{MARK}<invoke name="search">{MARK}<query>Lake Thun{MARK}</query>{MARK}</invoke>
{MARK}<invoke name="ping">{MARK}</invoke>
{MARK}</tool_call>"""
_MOST_DEEP: Final = 64
"""Deepest nesting of elements."""


def read_value(text: str, _attributes: Mapping[str, str]) -> Any:
    """Return the value of a parameter written as *text*.

    Raises:
        ValueError: The elements are not nested properly, or have text between them.
    """
    first, *tags = text.split(f"{MARK}<")
    if not tags:
        return text
    open_tags: list[tuple[str, str, list[tuple[str, Any]]]] = [("", first, [])]
    for tag in tags:
        name, _, after = tag.partition(">")
        if name[:1] != "/":
            open_tags.append((name, after, []))
            continue
        opened, before, members = open_tags.pop()
        if opened != name[1:] or not open_tags or len(open_tags) > _MOST_DEEP:
            raise ValueError(f"found </{name[1:]}> for <{opened}>")
        around, outside, siblings = open_tags[-1]
        siblings.append((opened, _joined(before, members)))
        open_tags[-1] = (around, outside + after, siblings)
    if len(open_tags) > 1:
        raise ValueError("expected the end of an element")
    return _joined(*open_tags[0][1:])


def _joined(text: str, members: list[tuple[str, Any]]) -> Any:
    """Return the value of *text*, or of *members* with nothing between them."""
    if not members:
        return text
    names = {name for name, _ in members}
    if text.strip() or (len(names) < len(members) and names != {"item"}):
        raise ValueError("found text between elements, or a repeated element")
    return [value for _, value in members] if names == {"item"} else dict(members)


def other_values(text: str, attributes: Mapping[str, str]) -> Iterator[Any]:
    """Yield other possible values of a parameter written as *text*.

    An empty list or an empty object looks like an empty text.
    """
    if not text:
        yield from ([], {})
    yield from truth_values(text, attributes)


FORM: Final = TaggedForm(
    tags={
        TagPart.WRAP: Element(f"{MARK}<tool_call>", ("<tool_call>",)),
        TagPart.END_WRAP: Element(f"{MARK}</tool_call>", ("</tool_call>",)),
        TagPart.CALL: Attributes(f"{MARK}<invoke"),
        TagPart.END_CALL: Element(f"{MARK}</invoke>"),
        TagPart.KEY: OwnName(f"{MARK}<"),
        TagPart.END_VALUE: OwnName(f"{MARK}</"),
    },
    nests=True,
    read_value=read_value,
    other_values=other_values,
)
THOUGHT: Final = ("<mm:think>", "</mm:think>")


def _elements(name: str, value: Any) -> str:
    if isinstance(value, dict):
        text = "".join(_elements(key, member) for key, member in value.items())
    elif isinstance(value, list):
        text = "".join(_elements("item", member) for member in value)
    else:
        text = write_value(value)
    return f"{MARK}<{name}>{text}{MARK}</{name}>"


def write_call(call: WrittenCall) -> str:
    """Return one call as text."""
    values = "".join(_elements(key, value) for key, value in inputs_of(call).items())
    return f'{MARK}<invoke name="{call.tool}">{values}{MARK}</invoke>'


DIALECT: Final = replace(
    minimax_m2.DIALECT,
    name="minimax_m3",
    aliases=(),
    summary="elements named like parameters, each after ]<]minimax[>[ (MiniMax M3)",
    sample=SAMPLE,
    strict=tagged_table(FORM, thought=THOUGHT, ends=minimax_m2.ENDS),
    lenient=tagged_table(replace(FORM, lenient=True), thought=THOUGHT, ends=minimax_m2.ENDS),
    write=TurnWriter(
        thought=THOUGHT,
        call=write_call,
        calls=(f"{MARK}<tool_call>\n", "\n", f"\n{MARK}</tool_call>"),
    ),
)
