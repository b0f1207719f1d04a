"""Mistral Small 3.2 and Magistral of mid-2025: like `mistral`, with an id for each call.

An id has nine letters or digits; the chat template rejects others. For a call without an id, the
call and its result are written with its number.

Source: the v11 instruct tokenizer of mistralai/mistral-common.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from agent_parsers.dialects import mistral
from agent_parsers.families.turn_writer import LINES, TAGS, ResultsWriter, TurnWriter, write_json

if TYPE_CHECKING:
    from agent_parsers.engine.grammar.dialect import Result, WrittenCall

__all__ = ["DIALECT", "call_id"]

SAMPLE: Final = """\
<think>
I have to look it up.
</think>

Let me see.[TOOL_CALLS]search[CALL_ID]a1b2c3d4e[ARGS]{"query": "Lake Thun"}\
[TOOL_CALLS]ping[CALL_ID]f5g6h7i8j[ARGS]{}"""

_is_id: Final = re.compile(r"[a-zA-Z0-9]{9}").fullmatch


def call_id(_tool: str, known: str | None, number: int) -> str:
    """Return the *known* id of a call, or an id made of its *number*.

    Raises:
        ValueError: The known id does not have nine letters or digits.
    """
    if known is None:
        return f"{number:09d}"
    if _is_id(known) is None:
        raise ValueError(f"the id of a call has nine letters or digits, unlike {known!r}")
    return known


def write_call(call: WrittenCall) -> str:
    """Return one call as text."""
    return f"[TOOL_CALLS]{call.tool}[CALL_ID]{call.id}[ARGS]{write_json(call.tool_input)}"


def write_result(result: Result) -> str:
    """Return the result of one call as text."""
    return f"[TOOL_RESULTS]{result.id}[TOOL_CONTENT]{result.text}[/TOOL_RESULTS]"


STRICT, LENIENT = mistral.tables(TAGS, mistral.MARKS)

DIALECT: Final = replace(
    mistral.DIALECT,
    name="mistral_v11",
    aliases=(),
    summary="[TOOL_CALLS], a name, an id, and JSON after [ARGS] (Mistral Small 3.2)",
    sample=SAMPLE,
    strict=STRICT,
    lenient=LENIENT,
    write=TurnWriter(thought=LINES, call=write_call, call_id=call_id),
    render_results=ResultsWriter(text=write_result, call_id=call_id),
)
