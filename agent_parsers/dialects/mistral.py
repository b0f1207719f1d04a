"""Calls after ``[TOOL_CALLS]``: Mistral's models, in three generations with the same mark.

* v3, v7 (7B v0.3, Nemo, Small 3.1, Large 2): a list of objects, ``[TOOL_CALLS] [{"name": …}]``
* v11 (Small 3.2): ``[TOOL_CALLS]search[CALL_ID]a1b2c3d4e[ARGS]{…}``
* v13 and later (Magistral, Devstral, Ministral 3, Medium and Large 3), the form that is written:
  ``[TOOL_CALLS]search[ARGS]{…}``

All are read; the first character after the mark decides which it is. Nothing closes a call, which
ends with its JSON. A call in a thought is a draft, and does not end the thought. Before September
2025 Magistral wrote ``<think>`` for a thought.

Source: the instruct tokenizers of mistralai/mistral-common.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Final

from agent_parsers.engine.calls.json.blocks import JsonCalls
from agent_parsers.engine.calls.json.named_head import Head
from agent_parsers.engine.calls.json.named_json import NamedJson
from agent_parsers.families.call_blocks import calls_table
from agent_parsers.families.json_blocks import bare_rules, block_rules, json_dialect
from agent_parsers.families.turn_writer import TAGS, ResultsWriter, TurnWriter, write_json

if TYPE_CHECKING:
    from agent_parsers.engine.grammar.dialect import WrittenCall
    from agent_parsers.engine.grammar.table import Table

__all__ = ["DIALECT", "MARKS", "tables"]

SAMPLE: Final = """\
[THINK]I have to look it up.[/THINK]Let me see.\
[TOOL_CALLS]search[ARGS]{"query": "Lake Thun"}[TOOL_CALLS]ping[ARGS]{}"""

RULES: Final = block_rules(call_id="id", enclosed="[")
BARE: Final = bare_rules(RULES)


_is_name: Final = re.compile(r"[\w.:/-]*\w").fullmatch


def read_head(text: str, *, lenient: bool = False) -> Head | None:
    """Read the head of a call; if it has no name, the JSON may have it."""
    named, args, rest = text.partition("[ARGS]")
    named, _, call_id = named.partition("[CALL_ID]")
    name = named.rstrip()
    odd = "" if args else "read a name without [ARGS] behind it"
    if args and name != named:
        odd = "read a name with a blank behind it"
    is_named = name[:1] not in '["' if args else _is_name(name)
    if not is_named or len(name.split()) != 1 or rest.strip() not in ("", '"' * lenient):
        return None
    return Head(0, len(name), call_id.strip() or None, odd) if lenient or not odd else None


_may_be_name: Final = re.compile(r"""(?:[^\s[\]{}"]{1,128}+(?:\[.*)?)?""", re.DOTALL).fullmatch
"""Matches the beginning of a name, with a mark attached to it."""


def may_lead(text: str) -> bool:
    """Return whether *text* may be the beginning of the head of a call."""
    if text.lstrip()[:1] == "[":
        return False
    named, _, _ = text.partition("[CALL_ID]")
    name, *rest = named.split() or [""]
    return _may_be_name(name) is not None and "".join(rest)[:1] in ("", "[", '"')


_call = partial(NamedJson, closed=False, may_lead=may_lead)
_calls = partial(JsonCalls, closed=False)
_lenient_call = partial(
    _call, partial(read_head, lenient=True), RULES[1], unnamed=partial(_calls, RULES[1])
)
# Servers that remove special tokens leave only the list.
_bare = partial(JsonCalls, BARE[1], bare=True, odd="read calls without [TOOL_CALLS]")


def tables(thought: tuple[str, str], other: tuple[str, str]) -> tuple[Table, Table]:
    """Return the tables for the marks of a *thought*, and those of *other* models."""
    table = partial(
        calls_table,
        call=("[TOOL_CALLS]", ""),
        thought=thought,
        also={"thought": other[:1], "end of thought": other[1:]},
        ends=("</s>",),
    )
    call = partial(_call, read_head, RULES[0], unnamed=partial(_calls, RULES[0]))
    return table(call), table(_lenient_call, bare=_bare, lenient=True)


MARKS: Final = ("[THINK]", "[/THINK]")
STRICT, LENIENT = tables(MARKS, TAGS)


def write_call(call: WrittenCall) -> str:
    """Return one call as text."""
    return f"[TOOL_CALLS]{call.tool}[ARGS]{write_json(call.tool_input)}"


DIALECT: Final = json_dialect(
    "mistral",
    SAMPLE,
    aliases=("mistral_v13",),
    summary="[TOOL_CALLS], a name, and JSON after [ARGS] (Mistral)",
    strict=STRICT,
    lenient=LENIENT,
    stop=("</s>",),
    write=TurnWriter(thought=MARKS, call=write_call),
    render_results=ResultsWriter(each=("[TOOL_RESULTS]", "[/TOOL_RESULTS]")),
    turn_frame=("</s>", ""),
)
