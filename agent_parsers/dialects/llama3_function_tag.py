"""Calls as ``<function=name>{…}</function>``: Llama 3.1, as prompted by its model card.

    Let me see.
    <function=search>{"query": "Lake Thun"}</function>

The arguments are a JSON object. In lenient mode the ``>`` may be missing, and parameters may be in
tags as in `qwen3_coder`. The chat template rejects a turn with several calls, and so does `render`.

Source: Meta's prompt format for Llama 3.1, "user-defined custom tool calling".
"""

from dataclasses import replace
from functools import partial

from agent_parsers.authoring import (
    Call,
    CallFormat,
    Go,
    Head,
    Literal,
    NamedPayload,
    Table,
    TaggedPayload,
)
from agent_parsers.dialects import llama3_json
from agent_parsers.engine.calls.tags.tagged_calls import TaggedCalls
from agent_parsers.events import Event, Repair
from agent_parsers.forms.form import write_object

MARKS = ("<function=", "</function>")
TAGGED = TaggedPayload(
    call=f"{MARKS[0]}{{tool}}>\n{{parameters}}{MARKS[1]}",
    parameter="<parameter={key}>\n{value}\n</parameter>\n",
    trims=True,
    reads_json=False,
)


def may_lead(text: str) -> bool:
    """Return whether arguments in JSON may follow *text*."""
    return len(text) <= 70 and "<" not in text


def read_head(text: str, *, lenient: bool) -> Head | None:
    """Read the head of a call, from the name to the arguments."""
    name, mark, rest = text.partition(">")
    if not may_lead(text) or len(name.split()) > 1 or rest.strip() not in ("", '"' * lenient):
        return None
    odd = "" if mark else "read a tag without its >"
    if name != name.strip():
        odd = odd or "read a tag with white space around the name"
    start = len(name) - len(name.lstrip())
    head = Head(start, start + len(name.strip()), odd=odd, kind="tag")
    return head if lenient or not odd else None


class InTags(TaggedCalls):
    """Reads a call whose parameters are in tags, and reports a repair."""

    __slots__ = ()

    def close(self) -> tuple[list[Event], Call]:
        """Return the events that were held back, and the first call; the others are in `more`."""
        events, call = super().close()
        if not call.problem:
            call.repairs = (
                Repair("tag", call.span, "read parameters in tags, not JSON"),
                *call.repairs,
            )
        return events, call


def with_foreign_mark(table: Table) -> Table:
    """Return *table*, which in lenient mode drops the mark of `llama3_json`."""
    if not table.lenient:
        return table
    dropped = Go("content", odd="dropped a mark of another format")
    return replace(
        table,
        markers={**table.markers, "mark of Python": Literal(llama3_json.MARK)},
        transitions={**table.transitions, ("content", "mark of Python"): dropped},
    )


FORMAT = replace(
    llama3_json.FORMAT,
    name="llama3_function_tag",
    aliases=(),
    summary="JSON in <function=name> (Llama 3.1, as its model card asks)",
    payload=NamedPayload(
        read_head=read_head,
        call="{tool}>{input}",
        write_input=write_object,
        may_lead=may_lead,
        unnamed=lambda lenient: (
            partial(InTags, TAGGED.tagged_form(None, lenient=True), MARKS[0]) if lenient else None
        ),
    ),
    call=MARKS,
    calls=None,
    also={"call": ("<function =",)},
    adapt=with_foreign_mark,
    thought=("<think>", "</think>"),
    writes_thoughts=False,
    content=("", "\n"),
    sample=CallFormat.sample,
)
DIALECT = FORMAT.dialect()
