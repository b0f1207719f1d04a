"""Cohere's Command 5: like `command_a_plus`, with calls and their values as typed elements.

    <|START_THINKING|>I have to look it up.<|END_THINKING|><cofl:tool_calls>\
<cofl:tool_call id="0" name="search">\
<cofl:value name="query" type="raw">Lake Thun</cofl:value></cofl:tool_call>\
<cofl:tool_call id="1" name="ping"></cofl:tool_call></cofl:tool_calls>

A value is verbatim text if its type is ``raw``, and JSON if it is ``json``. An object (``dict``)
has an element for each member, and a list (``list``) one without a name for each item. In
attributes ``&``, ``<``, ``>`` and ``"`` are escaped. Ids number the calls of a conversation from 0.

The prompt opens the thought, or has an empty one. A result is an item, in which ``&``, ``<`` and
``>`` are escaped; the template leaves out the escapes of marks such as ``<|IMG_PATCH|>``. It takes
the lines of a text for results of their own unless it is told not to; then the item is an object
``{"content": …}``. Here only a result of several lines is one, so that no result adds items.

Two more templates have flat parameters (``<cofl:tool_param>``), verbatim in one and escaped in the
other. What such a text means is unclear without knowing which, so that those calls are refused.

Source: the template cmd5 of cohere-ai/melody, and its parser of nested values.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from agent_parsers.authoring import (
    Attributes,
    CallForm,
    Element,
    Form,
    ParameterForm,
    Result,
    ResultsWriter,
    TaggedPayload,
    TagPart,
    Written,
    WrittenCall,
    inputs_of,
    write_value,
)
from agent_parsers.dialects import command_a, deepseek_dsml
from agent_parsers.dialects.command_a import RESPONSE, TEXT
from agent_parsers.engine.calls.tags.form import Hole, Tag, as_json
from agent_parsers.forms.form import Marks

CALL = "<cofl:tool_call"
CALLS = (f"{CALL}s>", "</cofl:tool_calls>")
END_OF_VALUE = "</cofl:value>"
ESCAPES = (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"))
TYPES: Mapping[type, str] = {str: "raw", dict: "dict", list: "list", object: "json"}
"""Types of values."""
_MOST_DEEP = 64
"""Deepest nesting of elements."""
_value_tag = re.compile(r'<cofl:value(?: name="([^"<>]*)")? type="(\w+)">').match
_not_space = re.compile(r"\S|\Z").search


def escape_text(text: str) -> str:
    """Return *text* as it is written in a result."""
    for sign, escaped in ESCAPES[:3]:
        text = text.replace(sign, escaped)
    return text


def escape(text: str) -> str:
    """Return *text* as it is written in an attribute."""
    return escape_text(text).replace(*ESCAPES[3])


def unescape(text: str) -> str:
    """Return the value of an attribute that is written as *text*."""
    for sign, escaped in reversed(ESCAPES):
        text = text.replace(escaped, sign)
    return text


@dataclass(frozen=True, slots=True)
class CommandTag(Attributes):
    """A tag with its attributes in the order of this format, and with escapes."""

    own: str = ""
    """Pattern for the attributes."""

    def is_canonical(self, seen: str) -> bool:
        """Return whether *seen* is the dialect's own spelling of this tag."""
        return re.fullmatch(f"{re.escape(self.canonical)}{self.own}>", seen) is not None

    def knows(self, key: str) -> bool:
        """Return whether the dialect's own tag has an attribute named *key*."""
        return f' {key}="' in self.own

    def hole(self, seen: str) -> Hole:
        """Return the hole of the tag, which is written as *seen*."""
        hole = Attributes.hole(self, seen)
        return hole._replace(name=unescape(hole.name))


class CommandPayload(TaggedPayload):
    """Calls and their values as elements."""

    def tags(self, marks: Marks | None) -> dict[TagPart, Tag]:
        """Return the tags of calls, with *marks* around them."""
        opens, closes = marks or CALLS
        return {
            TagPart.WRAP: Element(opens),
            TagPart.END_WRAP: Element(closes),
            TagPart.CALL: CommandTag(CALL, own=' id="[^"]*" name="[^"]*"'),
            TagPart.END_CALL: Element("</cofl:tool_call>"),
            TagPart.KEY: CommandTag(
                "<cofl:value", own='(?: name="[^"]*")? type="(?:raw|json|dict|list)"'
            ),
            TagPart.END_VALUE: Element(END_OF_VALUE),
        }


def holds_elements(attributes: Mapping[str, str]) -> bool:
    """Return whether a tag with these *attributes* opens an object or a list."""
    return attributes.get("type") in (TYPES[dict], TYPES[list])


def read_value(text: str, attributes: Mapping[str, str]) -> Any:
    """Return the value of a parameter written as *text*.

    Raises:
        ValueError: Elements inside it are not nested properly, or a name is missing or repeated.
    """
    kind = attributes.get("type", TYPES[str])
    if holds_elements(attributes):
        value, end = _elements(text, _after_space(text, 0), kind, 1)
        if end < len(text):
            raise ValueError("found text between elements")
        return value
    return as_json(text) if kind == "json" else text


def _elements(text: str, at: int, around: str, depth: int) -> tuple[Any, int]:
    """Return the object or list whose elements begin at *at*, and where they end."""
    members: dict[str, Any] = {}
    items: list[Any] = []
    while tag := _value_tag(text, at):
        name, kind = tag.groups()
        if depth > _MOST_DEEP or (name is None) is (around == TYPES[dict]):
            raise ValueError(
                "expected a name for each member of an object, and no name for a list item"
            )
        if holds_elements({"type": kind}):
            value, at = _elements(text, _after_space(text, tag.end()), kind, depth + 1)
        else:
            at = text.find(END_OF_VALUE, tag.end())
            value = read_value(text[tag.end() : at], {"type": kind})
        if at < 0 or not text.startswith(END_OF_VALUE, at):
            raise ValueError("expected the end of an element")
        key = unescape(name or "")
        if key in members:
            raise ValueError("the same key appears twice")
        if name is None:
            items.append(value)
        else:
            members[key] = value
        at = _after_space(text, at + len(END_OF_VALUE))
    return (members if around == TYPES[dict] else items), at


def _after_space(text: str, at: int) -> int:
    """Return where the white space that begins at *at* ends."""
    found = _not_space(text, at)
    assert found is not None, "the pattern also matches the end of the text"
    return found.start()


def other_values(text: str, attributes: Mapping[str, str]) -> Iterator[Any]:
    """Yield other possible values of a parameter written as *text*, unless it has elements."""
    if not holds_elements(attributes):
        yield from deepseek_dsml.other_values(text, attributes)


def write_elements(value: Any) -> str:
    """Return the content of an element: an object or a list has an element for each member."""
    if isinstance(value, dict):
        return VALUE({escape(key): member for key, member in value.items()})
    if isinstance(value, list):
        return "".join(ITEM({"": item}) for item in value)
    return write_value(value)


VALUE = ParameterForm(
    text=f'<cofl:value name="{{key}}" type="{{type}}">{{value}}{END_OF_VALUE}',
    write_value=write_elements,
    types=TYPES,
)
ITEM = replace(VALUE, text=VALUE.text.replace(' name="{key}"', ""))


def write_turn(step: Written) -> str:
    """Return one turn as text."""
    opens, closes = FORMAT.thought or ("", "")
    thought = f"{opens}{step.thought}{closes}" if step.thought else ""
    if not step.calls:
        return thought + step.answer.join(TEXT)
    if step.content:
        raise ValueError("a turn with calls cannot have content as well")
    calls = "".join(
        FORM.call(
            WrittenCall(
                escape(call.tool),
                {escape(key): value for key, value in inputs_of(call).items()},
                command_a.call_id(call.tool, call.id, number),
            )
        )
        for number, call in enumerate(step.calls, step.number)
    )
    return thought + calls.join(CALLS)


def write_result(result: Result) -> str:
    """Return the result of one call, as one item; several lines are written as JSON."""
    text = result.text
    if "\n" in text:
        text = json.dumps({"content": text}, ensure_ascii=False)
    return (
        f'<cofl:tool_result id="{result.id}" is_error="false"><cofl:tool_result_item index="0">'
        f"{escape_text(text)}</cofl:tool_result_item></cofl:tool_result>"
    )


FORMAT = replace(
    command_a.FORMAT,
    name="command_5",
    aliases=("cohere_command5",),
    summary="calls and values as typed elements (Command 5)",
    payload=CommandPayload(
        call="",
        parameter="",
        read_value=read_value,
        other_values=other_values,
        says_text=lambda attributes: attributes.get("type") == TYPES[str],
        holds_elements=holds_elements,
        reads_json=False,
    ),
    call=CALLS,
    answer=TEXT,
    results=ResultsWriter(
        text=write_result,
        around=("<cofl:tool_results>", "</cofl:tool_results>"),
        between="",
        call_id=command_a.call_id,
    ),
    adapt=partial(command_a.with_answer, marks=TEXT, others=RESPONSE, ends_call=False),
)
FORM = Form(
    call=CallForm(
        text=f'{CALL} id="{{id}}" name="{{tool}}">{{parameters}}</cofl:tool_call>',
        parameters=VALUE,
    ),
    calls=(CALLS[0], "", CALLS[1]),
    ids=command_a.FORMAT.ids,
    thought=FORMAT.thought,
    answer=TEXT,
    content=None,
    own=write_turn,  # attributes are escaped
)
DIALECT = FORMAT.dialect(form=FORM)
