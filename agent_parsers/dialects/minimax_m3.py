"""MiniMax M3: calls as elements named after tools and parameters, with a mark before each tag.

    <mm:think>I have to look it up.</mm:think>Let me see.]<]minimax[>[<tool_call>
    ]<]minimax[>[<invoke name="search">]<]minimax[>[<query>Lake Thun]<]minimax[>[</query>\
]<]minimax[>[</invoke>
    ]<]minimax[>[<invoke name="ping">]<]minimax[>[</invoke>
    ]<]minimax[>[</tool_call>

A parameter is ``<city>Bern</city>``, and every tag is preceded by the mark ``]<]minimax[>[``, so
that values may contain tags of their own. An object has an element for each member, and a list has
an ``<item>`` for each item: a value with elements is one of the two. Other values are text. In
lenient mode, elements of one name beside each other are the items of a list of that name.

Source: the chat template of MiniMaxAI/MiniMax-M3; results as in `minimax_m2`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from agent_parsers.authoring import TaggedPayload, write_value
from agent_parsers.dialects import minimax_m2
from agent_parsers.engine.calls.tags.form import OddValueError, truth_values

MARK = "]<]minimax[>["
ELEMENT = f"{MARK}<{{key}}>{{value}}{MARK}</{{key}}>"
ITEM = "item"
WRAPS = ("<tool_call>", "</tool_call>")
_MOST_DEEP = 64
"""Deepest nesting of elements."""


def read_value(text: str, _attributes: Mapping[str, str]) -> Any:
    """Return the value of a parameter written as *text*.

    Raises:
        OddValueError: An element is repeated.
        ValueError: The elements are not nested properly, or have text between them.
    """
    lists: list[tuple[str, ...]] = []
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
        path = (*(name for name, _, _ in open_tags[1:]), opened)
        siblings.append((opened, _joined(before, members, path, lists)))
        open_tags[-1] = (around, outside + after, siblings)
    if len(open_tags) > 1:
        raise ValueError("expected the end of an element")
    value = _joined(*open_tags[0][1:], (), lists)
    if lists:
        raise OddValueError(f"read the repeated element {lists[0][-1]!r} as a list", value, lists)
    return value


def _joined(
    text: str, members: list[tuple[str, Any]], path: tuple[str, ...], lists: list[tuple[str, ...]]
) -> Any:
    """Return the value of *text*, or of *members* with nothing between them, at a *path*.

    Where elements are repeated, which have a list of values, is collected in *lists*.
    """
    if not members:
        return text
    values: dict[str, list[Any]] = {}
    for name, value in members:
        values.setdefault(name, []).append(value)
    several = [name for name, each in values.items() if len(each) > 1]
    if text.strip() or (ITEM in several and len(values) > 1):
        raise ValueError("found text between elements, or items next to members")
    if values.keys() == {ITEM}:
        return values[ITEM]
    around = tuple(name for name in path if name != ITEM)
    lists += ((*around, name) for name in several)
    return {name: each if len(each) > 1 else each[0] for name, each in values.items()}


def other_values(text: str, attributes: Mapping[str, str]) -> Iterator[Any]:
    """Yield other possible values of a parameter written as *text*.

    An empty list or an empty object looks like an empty text.
    """
    if not text:
        yield from ([], {})
    yield from truth_values(text, attributes)


def write_elements(value: Any) -> str:
    """Return a value as text, with an element for each member or item."""
    if not isinstance(value, dict | list):
        return write_value(value)
    members = value.items() if isinstance(value, dict) else ((ITEM, item) for item in value)
    return "".join(ELEMENT.format(key=key, value=write_elements(each)) for key, each in members)


# Of other roles, the end of the model's turn comes first; engines have no room for more marks.
DIALECT = replace(
    minimax_m2.FORMAT,
    name="minimax_m3",
    aliases=("peg_minimax_m3",),
    summary="elements named like parameters, each after ]<]minimax[>[ (MiniMax M3)",
    payload=TaggedPayload(
        call=f'{MARK}<invoke name="{{tool}}">{{parameters}}{MARK}</invoke>',
        parameter=ELEMENT,
        row=("", "\n", ""),
        # Models leave out the mark before the tags around the calls.
        spellings=lambda tag: tuple(wrap for wrap in WRAPS if tag == f"{MARK}{wrap}"),
        read_value=read_value,
        other_values=other_values,
        write_value=write_elements,
        reads_json=False,
    ),
    call=(f"{MARK}{WRAPS[0]}\n", f"\n{MARK}{WRAPS[1]}"),
    thought=("<mm:think>", "</mm:think>"),
).dialect()
