"""K2 Horizon: like `glm45`, with tags of its own and one element around all calls.

    <ifm|think>
    I have to look it up.</ifm|think>Let me see.
    <ifm|tool_calls>
    <ifm|tool_call>search
    <ifm|arg_key>query</ifm|arg_key>
    <ifm|arg_value>Lake Thun</ifm|arg_value>
    </ifm|tool_call>
    <ifm|tool_call>ping
    </ifm|tool_call>
    </ifm|tool_calls>

The prompt opens the thought; its tag depends on how much the model should think: ``<ifm|think>``,
``<ifm|think_fast>`` or ``<ifm|think_faster>``. The first is written, the others are read in lenient
mode.

This is the default of the chat template. It can also ask for calls in JSON, or for the type of each
value before it (``tool_call_format="json"`` and ``"xml_typed"``), which lenient mode reads::

    <ifm|tool_call>{"name": "search", "arguments": {"query": "Lake Thun"}}</ifm|tool_call>

    <ifm|arg_key>limit</ifm|arg_key>
    <ifm|arg_type>integer</ifm|arg_type>
    <ifm|arg_value>3</ifm|arg_value>

Source: vLLM's ``k2_horizon`` and SGLang's ``k2_v3``, with its tests of the released templates.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from typing_extensions import override

from agent_parsers.authoring import ResultsWriter, TaggedPayload, role_frame
from agent_parsers.dialects import glm45, hermes
from agent_parsers.dialects.deepseek_dsml import other_values
from agent_parsers.engine.calls.tags.form import Element, Tag, TagPart, as_json
from agent_parsers.engine.markers.kinds import SPACE, Atom
from agent_parsers.forms.form import Marks

END = "<|ifm|im_end|>"
THINK, END_OF_THINK = "<ifm|think>", "</ifm|think>"
TYPE, END_OF_TYPE = "<ifm|arg_type>", "</ifm|arg_type>"
_TEXTS = ("string", "any")
"""The types whose values are texts, unless the tool says otherwise."""


def less(tag: str) -> tuple[str, str]:
    """Return the two variants of a thought's *tag* for a model that should think less."""
    return tag.replace(">", "_fast>"), tag.replace(">", "_faster>")


@dataclass(frozen=True, slots=True)
class Typed(Element):
    """The tag that opens a value, perhaps with an element before it that says its type."""

    @override
    def marks(self) -> Iterator[tuple[Atom, ...]]:
        """Yield the atoms of the tag, alone and after a type."""
        tag = tuple(map(re.escape, self.canonical))
        yield tag
        yield (*map(re.escape, TYPE), r"[^<>]{0,64}+", *map(re.escape, END_OF_TYPE), SPACE, *tag)

    @override
    def attributes(self, seen: str) -> Mapping[str, str]:
        """Return the ``type`` that stands before the tag, which is written as *seen*, if any."""
        written, found, _ = seen.removeprefix(TYPE).partition(END_OF_TYPE)
        return {"type": written.strip()} if found else {}


class HorizonPayload(TaggedPayload):
    """Calls in tags, which may have the type of a value before it."""

    @override
    def tags(self, marks: Marks | None) -> dict[TagPart, Tag]:
        tags = super().tags(marks)
        return tags | {TagPart.VALUE: Typed(tags[TagPart.VALUE].canonical)}


def read_value(text: str, attributes: Mapping[str, str]) -> Any:
    """Return the value of a parameter written as *text*."""
    return text if attributes.get("type", "string") in _TEXTS else as_json(text)


DIALECT = replace(
    glm45.FORMAT,
    name="k2_horizon",
    aliases=("k2_v3",),
    summary="<ifm|arg_key> and <ifm|arg_value> in <ifm|tool_calls> (K2 Horizon)",
    payload=HorizonPayload(
        call="<ifm|tool_call>{tool}\n{parameters}</ifm|tool_call>",
        parameter="<ifm|arg_key>{key}</ifm|arg_key>\n<ifm|arg_value>{value}</ifm|arg_value>\n",
        row=("", "\n", ""),
        read_value=read_value,
        other_values=other_values,
        says_text=lambda attributes: attributes.get("type") == "string",
        json_calls=hermes.PAYLOAD,
    ),
    call=("\n<ifm|tool_calls>\n", "\n</ifm|tool_calls>"),
    thought=(f"{THINK}\n", END_OF_THINK),
    content=("", ""),
    also={"thought": less(THINK), "end of thought": less(END_OF_THINK)},
    ends=(END,),
    results=ResultsWriter(),
    turn_frame=role_frame((f"{END}<|ifm|im_start|>", "\n"), "tool"),
).dialect()
