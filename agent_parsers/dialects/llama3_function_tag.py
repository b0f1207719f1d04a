"""Calls as ``<function=name>{…}</function>``: Llama 3.1, as prompted by its model card.

The arguments are a JSON object. In lenient mode the ``>`` may be missing, and parameters may be in
tags as in `qwen3_coder`. The chat template rejects a turn with several calls, and so does `render`.

Source: Meta's prompt format for Llama 3.1, "user-defined custom tool calling".
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from typing_extensions import override

from agent_parsers.dialects.llama3_json import FRAME, RESULTS, STOP
from agent_parsers.engine.calls.json.named_head import Head
from agent_parsers.engine.calls.json.named_json import NamedJson
from agent_parsers.engine.calls.tags.calls import TaggedCalls
from agent_parsers.engine.calls.tags.form import Element, Named, TaggedForm, TagPart
from agent_parsers.engine.grammar.table import Go
from agent_parsers.engine.markers.kinds import Literal
from agent_parsers.events import Repair
from agent_parsers.families.call_blocks import ONE_CALL_PROMPT, calls_table
from agent_parsers.families.json_blocks import block_rules, json_dialect
from agent_parsers.families.turn_writer import TurnWriter, inputs_of, write_json

if TYPE_CHECKING:
    from agent_parsers.engine.calls.reader import Call
    from agent_parsers.engine.grammar.dialect import WrittenCall
    from agent_parsers.events import Event

__all__ = ["DIALECT"]

SAMPLE: Final = """\
Let me see.
<function=search>{"query": "Lake Thun"}</function>"""

RULES: Final = block_rules()
FORM: Final = TaggedForm(
    tags={
        TagPart.CALL: Named("<function="),
        TagPart.END_CALL: Element("</function>"),
        TagPart.KEY: Named("<parameter="),
        TagPart.END_VALUE: Element("</parameter>"),
    },
    trims=True,
    lenient=True,
)


def may_lead(text: str) -> bool:
    """Return whether arguments in JSON may follow *text*."""
    return len(text) <= 70 and "<" not in text


def read_head(text: str, *, lenient: bool = False) -> Head | None:
    """Read the head of a call, from the name to the arguments."""
    name, mark, rest = text.partition(">")
    if not may_lead(text) or len(name.split()) > 1 or rest.strip() not in ("", '"' * lenient):
        return None
    odd = "" if mark else "read a tag without its >"
    if name != name.strip():
        odd = odd or "read a tag with blanks around the name"
    start = len(name) - len(name.lstrip())
    head = Head(start, start + len(name.strip()), odd=odd, kind="tag")
    return head if lenient or not odd else None


class InTags(TaggedCalls):
    """Reads a call whose parameters are in tags, and reports a repair."""

    __slots__ = ()

    @override
    def close(self) -> tuple[list[Event], Call]:
        """Return the events that were held back, and the first call; `more` has the others."""
        events, call = super().close()
        if not call.problem:
            call.repairs = (Repair("tag", call.span, "read parameters in tags"), *call.repairs)
        return events, call


_table = partial(calls_table, call=("<function=", "</function>"), ends=STOP)
STRICT: Final = _table(partial(NamedJson, read_head, RULES[0]))
REPAIRED: Final = _table(
    partial(
        NamedJson,
        partial(read_head, lenient=True),
        RULES[1],
        unnamed=partial(InTags, FORM, "<function="),
        may_lead=may_lead,
    ),
    also={"call": ("<function =",)},
    lenient=True,
)
LENIENT: Final = replace(
    REPAIRED,
    markers={**REPAIRED.markers, "mark of Python": Literal("<|python_tag|>")},
    transitions={
        **REPAIRED.transitions,
        ("content", "mark of Python"): Go("content", odd="left out a mark of another form"),
    },
)


def write_call(call: WrittenCall) -> str:
    """Return the call as text."""
    return f"<function={call.tool}>{write_json(inputs_of(call))}</function>"


DIALECT: Final = json_dialect(
    "llama3_function_tag",
    SAMPLE,
    summary="JSON in <function=name> (Llama 3.1, as its model card asks)",
    strict=STRICT,
    lenient=LENIENT,
    stop=STOP,
    write=TurnWriter(content=("", "\n"), call=write_call, is_single=True),
    render_results=RESULTS,
    turn_frame=FRAME,
    prompt=ONE_CALL_PROMPT,
)
