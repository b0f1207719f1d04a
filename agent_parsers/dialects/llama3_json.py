"""Llama 3.1, 3.2 and 3.3: a turn that is a JSON object with ``name`` and ``parameters`` is a call.

No mark opens or closes it. It is at the beginning of the turn, or after ``<|python_tag|>``. Until
both keys have been read, it may be an answer that happens to be JSON; an object that is cut off is
neither. Text after the object is content, but if a sentence continues there, it may only quote the
call, which is an error. Python code after the tag, for a built-in tool of Meta, is content.

The chat template rejects a turn with several calls, or with content beside a call, and so does
`render`.

Source: the chat template of meta-llama/Llama-3.1-70B-Instruct.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from agent_parsers.engine.calls.json.blocks import JsonCalls
from agent_parsers.families.call_blocks import ONE_CALL_PROMPT, calls_table
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

__all__ = ["DIALECT", "FRAME", "RESULTS", "STOP"]

SAMPLE: Final = '<|python_tag|>{"name": "search", "parameters": {"query": "Lake Thun"}}'

RULES: Final = bare_rules(block_rules(tool_input="parameters"), anywhere=True)
STRICT: Final = partial(JsonCalls, RULES[0], bare=True)
LENIENT: Final = partial(JsonCalls, RULES[1], bare=True)
STOP: Final = ("<|eot_id|>", "<|eom_id|>")
_table = partial(calls_table, call=("<|python_tag|>", ""), thought=None, ends=STOP)

END: Final = "<|eot_id|><|start_header_id|>"
FRAME: Final = (f"{END}ipython<|end_header_id|>\n\n", f"{END}assistant<|end_header_id|>\n\n")
RESULTS: Final = ResultsWriter(text=lambda result: write_json(result.text), between=FRAME[0])


def write_call(call: WrittenCall) -> str:
    """Return the call as text, which is the whole turn; content would make it an answer."""
    return write_json({"name": call.tool, "parameters": call.tool_input})


DIALECT: Final = json_dialect(
    "llama3_json",
    SAMPLE,
    aliases=("llama3",),
    summary="a bare JSON object with name and parameters (Llama 3.1 to 3.3)",
    strict=_table(STRICT, bare=STRICT),
    lenient=_table(LENIENT, bare=LENIENT, lenient=True),
    problems={**PROBLEMS, **BARE_PROBLEMS},
    stop=STOP,
    write=TurnWriter(content=None, call=write_call, is_single=True),
    render_results=RESULTS,
    turn_frame=FRAME,
    prompt=ONE_CALL_PROMPT,
)
