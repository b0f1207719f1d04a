"""Kimi K3: channels for thought, response and calls, in tags that special tokens delimit.

    <|open|>think<|sep|>I have to look it up.<|close|>think<|sep|>\
<|open|>response<|sep|>Let me see.<|close|>response<|sep|><|open|>tools<|sep|>\
<|open|>call tool="search" index="1"<|sep|>\
<|open|>argument key="query" type="string"<|sep|>Lake Thun<|close|>argument<|sep|>\
<|close|>call<|sep|><|open|>call tool="ping" index="2"<|sep|><|close|>call<|sep|>\
<|close|>tools<|sep|>

The calls of a turn are numbered from 1, and so are their results. A value is verbatim text if its
type is ``string``; any other type says that it is JSON. In attributes ``"`` and ``&`` are escaped.

The prompt opens the thought, or the response if thinking is off. The response is written even if
it is empty. If the template is given the arguments as a text, as OpenAI's API has them, it writes
that into one element, ``<|open|>json type="object"``; such a call is read, and not written.

Source: the chat template of moonshotai/Kimi-K3, as in llama.cpp's models/templates; vLLM's
``kimi_k3``.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from agent_parsers.authoring import (
    Attributes,
    CallForm,
    CallFormat,
    Element,
    EndTurn,
    Form,
    Go,
    Literal,
    ParameterForm,
    Part,
    Result,
    Table,
    TaggedPayload,
    TagPart,
    Transition,
    Written,
    WrittenCall,
    inputs_of,
)
from agent_parsers.dialects import deepseek_dsml
from agent_parsers.engine.calls.tags.form import GAP, Hole, Tag, TaggedForm
from agent_parsers.engine.markers.kinds import Atom

OPEN, CLOSE, SEP, END = "<|open|>", "<|close|>", "<|sep|>", "<|end_of_msg|>"
TYPES: Mapping[type, str] = {
    str: "string",
    bool: "boolean",
    type(None): "null",
    dict: "object",
    list: "array",
    object: "number",
}
"""Types of values."""
ESCAPES = (("&", "&amp;"), ('"', "&quot;"))
ATTRIBUTES = r"[^<\n]{0,256}+"
attributes_in = re.compile(r'\s(\w+)="([^"]*)"').finditer


def escape(text: str) -> str:
    """Return *text* as it is written in an attribute."""
    for sign, escaped in ESCAPES:
        text = text.replace(sign, escaped)
    return text


def opener(tag: str, **attributes: str) -> str:
    """Return the mark that opens an element."""
    written = (f' {key}="{escape(attributes[key])}"' for key in attributes)
    return "".join((OPEN, tag, *written, SEP))


def closer(tag: str) -> str:
    """Return the mark that closes an element."""
    return f"{CLOSE}{tag}{SEP}"


def element(tag: str, text: str, **attributes: str) -> str:
    """Return *text* in an element."""
    return f"{opener(tag, **attributes)}{text}{closer(tag)}"


@dataclass(frozen=True, slots=True)
class ElementTag(Attributes):
    """A tag with the name as an attribute, as this format has it."""

    naming: str = "tool"
    """The attribute that is the name."""
    other: str = 'index="[0-9]+"'
    """Pattern for the attribute after it."""

    forms: ClassVar[tuple[tuple[Atom, ...], ...]] = ((r"\s", ATTRIBUTES, *map(re.escape, SEP)),)
    next: ClassVar[tuple[Atom, ...]] = (r"\s",)
    rests: ClassVar[tuple[tuple[Atom, ...], ...]] = forms
    names: ClassVar[str] = rf"\s{ATTRIBUTES}(?:{re.escape(SEP)}{GAP})?"
    cut: ClassVar[str] = names

    def is_canonical(self, seen: str) -> bool:
        """Return whether *seen* is the dialect's own spelling of this tag."""
        own = rf'{re.escape(self.canonical)} {self.naming}="[^"]*" {self.other}{re.escape(SEP)}'
        return re.fullmatch(own, seen) is not None

    def knows(self, key: str) -> bool:
        """Return whether the dialect's own tag has an attribute named *key*."""
        return key == self.naming or f'{key}="' in self.other

    def hole(self, seen: str) -> Hole:
        """Return the hole of the tag, which is written as *seen*."""
        found = [*attributes_in(seen)]
        values = {each[1]: each[2] for each in found}
        at = next((each.start(2) for each in found if each[1] == self.naming), -1)
        if at < 0 or len(values) < len(found):
            return Hole("", len(seen), {})
        name = values[self.naming]
        for sign, escaped in reversed(ESCAPES):
            name = name.replace(escaped, sign)
        return Hole(name, at, values)


def read_argument(text: str, attributes: Mapping[str, str]) -> Any:
    """Return the value of an argument written as *text*."""
    is_text = attributes.get("type", TYPES[str]) == TYPES[str]
    return deepseek_dsml.read_value(text, {"string": "true" if is_text else "false"})


class TypedArguments(TaggedPayload):
    """Calls as elements, with an element for each argument."""

    def tags(self, marks: tuple[str, str] | None) -> dict[TagPart, Tag]:
        """Return the tags of calls, with *marks* around them."""
        types = "|".join(TYPES.values())
        opens, closes = marks or ("", "")
        return {
            TagPart.WRAP: Element(opens),
            TagPart.END_WRAP: Element(closes),
            TagPart.CALL: ElementTag(f"{OPEN}call"),
            TagPart.END_CALL: Element(closer("call")),
            TagPart.KEY: ElementTag(f"{OPEN}argument", naming="key", other=f'type="(?:{types})"'),
            TagPart.END_VALUE: Element(closer("argument")),
            TagPart.KEYS: Element(opener("json", type=TYPES[dict])),
            TagPart.END_KEYS: Element(closer("json")),
        }

    def tagged_form(self, marks: tuple[str, str] | None, *, lenient: bool) -> TaggedForm:
        """Return the form in which calls are read, with *marks* around them."""
        form = super().tagged_form(marks, lenient=lenient)
        return replace(form, json_arguments="in keys")


def write_turn(step: Written) -> str:
    """Return one turn as text."""
    thought = element("think", step.thought) if step.thought else ""
    said = element("response", step.content if step.calls else step.answer)
    calls = "".join(
        FORM.call(
            WrittenCall(
                escape(call.tool), {escape(key): value for key, value in inputs_of(call).items()}
            ),
            number,
        )
        for number, call in enumerate(step.calls, 1)
    )
    return f"{thought}{said}{element('tools', calls) if calls else ''}"


def write_results(results: Sequence[Result], _number: int) -> str:
    """Return the results of a turn as text."""
    return "".join(
        element("message", result.text, role="tool", tool=result.tool, index=str(number)) + END
        for number, result in enumerate(results, 1)
    )


def with_response(table: Table) -> Table:
    """Return *table* with the channel of the response, and an end before the next message."""
    markers = {
        "response": Literal(opener("response")),
        "end of response": Literal(closer("response")),
        "next message": Literal(f"{OPEN}message"),
    }
    saying = [state for state, part in table.parts.items() if part is Part.CONTENT]
    transitions: dict[tuple[str, str], Transition] = {
        **table.transitions,
        **{(state, "response"): Go(state) for state in saying},
        **{(state, "end of response"): Go(state, closes=True) for state in saying},
        **{(state, "next message"): EndTurn("over") for state in saying},
        ("over", f"end {END}"): Go("over"),
    }
    return replace(
        table,
        markers={**table.markers, **markers},
        transitions=transitions,
    )


RESPONSE = (opener("response"), closer("response"))
FORMAT = CallFormat(
    name="kimi_k3",
    summary="<|open|>call and <|open|>argument in <|open|>tools (Kimi K3)",
    payload=TypedArguments(
        call="",
        parameter="",
        read_value=read_argument,
        other_values=deepseek_dsml.other_values,
        reads_json=False,
    ),
    call=(opener("tools"), closer("tools")),
    thought=(opener("think"), closer("think")),
    adapt=with_response,
    ends=(closer("message"), END),
    turn_frame=(f"{closer('message')}{END}", opener("message", role="assistant")),
)
FORM = Form(
    call=CallForm(
        text=element("call", "{parameters}", tool="{tool}", index="{number}"),
        parameters=ParameterForm(
            text=element("argument", "{value}", key="{key}", type="{type}"), types=TYPES
        ),
    ),
    calls=(opener("tools"), "", closer("tools")),
    thought=FORMAT.thought,
    content=RESPONSE,
    answer=RESPONSE,
    own=write_turn,  # attributes are escaped, and there is always a response
)
DIALECT = FORMAT.dialect(form=FORM, render_results=write_results)
