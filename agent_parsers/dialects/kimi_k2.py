"""Kimi K2, K2-Thinking and K2.5: a sequence of calls whose ids contain the name of the tool.

The id is ``functions.``, the name, a colon, and the number of the call in the whole conversation,
from 0. The result has the same id. Without the number the name is not reliable, so such a call is
not read; a call without such an id is written with its number.

Source: the chat templates of moonshotai/Kimi-K2-Instruct and Kimi-K2-Thinking, and the guide to
tool calls.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from agent_parsers.engine.calls.json.named_head import Head
from agent_parsers.engine.calls.json.named_json import NamedJson
from agent_parsers.families.call_blocks import calls_table
from agent_parsers.families.json_blocks import block_rules, json_dialect
from agent_parsers.families.turn_writer import TAGS, ResultsWriter, TurnWriter, write_json

if TYPE_CHECKING:
    from agent_parsers.engine.grammar.dialect import WrittenCall

__all__ = ["DIALECT"]

SAMPLE: Final = """\
<think>I have to look it up.</think>Let me see.<|tool_calls_section_begin|><|tool_call_begin|>\
functions.search:0<|tool_call_argument_begin|>{"query": "Lake Thun"}<|tool_call_end|>\
<|tool_call_begin|>functions.ping:1<|tool_call_argument_begin|>{}<|tool_call_end|>\
<|tool_calls_section_end|>"""

ARGUMENTS: Final = "<|tool_call_argument_begin|>"
RULES: Final = block_rules()


def read_head(text: str, *, lenient: bool = False) -> Head | None:
    """Read the head of a call, the text before its arguments."""
    header, mark, rest = text.partition(ARGUMENTS)
    call_id = header.strip()
    named, _, number = call_id.rpartition(":")
    name = named.removeprefix("functions.")
    is_id = number.isdecimal() and (mark or name != named)  # without either, it may be any text
    if not is_id or rest.strip() not in ("", '"' * lenient):
        return None
    odd = "read an id that does not begin with 'functions.'" if name == named else ""
    if not mark:
        odd = f"read an id without {ARGUMENTS} behind it"
    if header != call_id:
        odd = odd or "read an id with blanks around it"
    start = header.index(call_id) + len(named) - len(name)
    return Head(start, start + len(name), call_id, odd) if lenient or not odd else None


_call = partial(NamedJson, mark=ARGUMENTS)
_table = partial(
    calls_table,
    call=("<|tool_call_begin|>", "<|tool_call_end|>"),
    region=("<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"),
    ends=("<|im_end|>",),
    drafts=(),
)


def call_id(tool: str, known: str | None, number: int) -> str:
    """Return the *known* id of a call if it names *tool*, else an id made of *number*."""
    head = None if known is None else read_head(f"{known}{ARGUMENTS}")
    if known is not None and head is not None and known[head.start : head.stop] == tool:
        return known
    return f"functions.{tool}:{number - 1}"


def write_call(call: WrittenCall) -> str:
    """Return one call as text."""
    return f"<|tool_call_begin|>{call.id}{ARGUMENTS}{write_json(call.tool_input)}<|tool_call_end|>"


FRAME: Final = (
    "<|im_end|><|im_system|>tool<|im_middle|>",
    "<|im_end|><|im_assistant|>assistant<|im_middle|>",
)

DIALECT: Final = json_dialect(
    "kimi_k2",
    SAMPLE,
    aliases=("kimi",),
    summary="<|tool_call_begin|> with functions.name:0 and JSON (Kimi K2)",
    strict=_table(partial(_call, read_head, RULES[0])),
    lenient=_table(
        partial(_call, partial(read_head, lenient=True), RULES[1]),
        also={
            "region": ("<|tool_call_section_begin|>",),
            "end of region": ("<|tool_call_section_end|>",),
        },
        lenient=True,
    ),
    stop=("<|im_end|>",),
    write=TurnWriter(
        thought=TAGS,
        call=write_call,
        calls=("<|tool_calls_section_begin|>", "", "<|tool_calls_section_end|>"),
        call_id=call_id,
    ),
    render_results=ResultsWriter(
        text=lambda result: f"## Return of {result.id}\n{result.text}",
        between=FRAME[0],
        call_id=call_id,
    ),
    turn_frame=FRAME,
)
