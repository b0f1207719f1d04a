"""A line with the name of the tool and a line of JSON: GLM-4-9B, GLM-4-32B.

The first call has no mark; each later call follows ``<|assistant|>``, and so does a call after
content. A line that is not a name, or is not followed by JSON, is content. If a sentence continues
after the JSON, it may only quote the call, which is an error.

Source: the chat template of THUDM/glm-4-9b-chat.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Final

from agent_parsers.engine.calls.json.blocks import JsonCalls
from agent_parsers.engine.calls.json.named_head import Head
from agent_parsers.engine.calls.json.named_json import NamedJson
from agent_parsers.families.call_blocks import calls_table
from agent_parsers.families.json_blocks import (
    BARE_PROBLEMS,
    PROBLEMS,
    bare_rules,
    block_rules,
    json_dialect,
)
from agent_parsers.families.turn_writer import ResultsWriter, TurnWriter, write_json

if TYPE_CHECKING:
    from agent_parsers.engine.grammar.dialect import WrittenCall

__all__ = ["DIALECT"]

SAMPLE: Final = """\
Let me see.<|assistant|>search
{"query": "Lake Thun"}<|assistant|>ping
{}"""

BARE: Final = bare_rules(block_rules())
ENDS: Final = ("<|user|>", "<|observation|>")

_head: Final = re.compile(r"([\w.-]{1,64})[ \t]*\n\s*").fullmatch
_may_lead: Final = re.compile(r"[\w.-]{1,64}(?:\s*+|[ \t]*\n\s*+)").fullmatch


def read_head(text: str) -> Head | None:
    """Read the head of a call, the text before its arguments."""
    found = _head(text)
    return None if found is None else Head(*found.span(1))


def may_lead(text: str) -> bool:
    """Return whether *text* may be the beginning of a name and the line break after it."""
    return _may_lead(text) is not None


_call = partial(NamedJson, read_head, closed=False, bare=True, may_lead=may_lead)
STRICT: Final = partial(_call, BARE[0])
_unnamed = partial(JsonCalls, BARE[1], bare=True, odd="read a call without a line for its name")
LENIENT: Final = partial(_call, BARE[1], unnamed=_unnamed)
_table = partial(calls_table, call=("<|assistant|>", ""), thought=None, ends=ENDS)


def write_call(call: WrittenCall) -> str:
    """Return one call as text."""
    return f"{call.tool}\n{write_json(call.tool_input)}"


DIALECT: Final = json_dialect(
    "glm4",
    SAMPLE,
    summary="a name on a line, then JSON (GLM-4-9B)",
    strict=_table(STRICT, bare=STRICT),
    lenient=_table(LENIENT, bare=LENIENT, lenient=True),
    stop=ENDS,
    write=TurnWriter(
        content=("", "<|assistant|>"), call=write_call, calls=("", "<|assistant|>", "")
    ),
    render_results=ResultsWriter(between="<|observation|>\n"),
    turn_frame=("<|observation|>\n", "<|assistant|>\n"),
    problems={**PROBLEMS, **BARE_PROBLEMS},
)
