"""DeepSeek V3.1: like `deepseek_v3`, but the name comes first, and the JSON has no fence.

The prompt ends with ``<think>`` or ``</think>``; after ``<think>``, pass ``start="thought"``.

Source: the chat template of deepseek-ai/DeepSeek-V3.1.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from agent_parsers.dialects import deepseek_v3
from agent_parsers.dialects.deepseek_v3 import RULES, SEPARATOR, call, head_of, read_either, table
from agent_parsers.families.turn_writer import TAGS, TurnWriter, write_json

if TYPE_CHECKING:
    from agent_parsers.engine.calls.json.named_head import Head
    from agent_parsers.engine.grammar.dialect import WrittenCall

__all__ = ["DIALECT"]

SAMPLE: Final = """\
<think>I have to look it up.</think>Let me see.<｜tool▁calls▁begin｜>\
<｜tool▁call▁begin｜>search<｜tool▁sep｜>{"query": "Lake Thun"}<｜tool▁call▁end｜>\
<｜tool▁call▁begin｜>ping<｜tool▁sep｜>{}<｜tool▁call▁end｜><｜tool▁calls▁end｜>"""


def read_head(text: str) -> Head | None:
    """Read the head of a call, the text before the JSON."""
    name, separator, rest = text.partition(SEPARATOR)
    return head_of(0, name) if separator and not rest.strip() else None


def read_any(text: str) -> Head | None:
    """Do the same as `read_head`, with the name on either side and an optional fence."""
    name, separator, rest = text.partition(SEPARATOR)
    if separator and rest.strip() in ("", '"'):
        return head_of(0, name)
    head = read_either(text)
    if head is None:
        return None
    is_behind = name.strip() == "function"
    odd = f"read a name that stands behind {SEPARATOR}" if is_behind else "read JSON in a fence"
    return head._replace(odd=odd)


def write_call(call: WrittenCall) -> str:
    """Return one call as text."""
    named = f"{call.tool}{SEPARATOR}{write_json(call.tool_input)}"
    return f"<｜tool▁call▁begin｜>{named}<｜tool▁call▁end｜>"


DIALECT: Final = replace(
    deepseek_v3.DIALECT,
    name="deepseek_v31",
    aliases=(),
    summary="<｜tool▁calls▁begin｜>, names, and JSON (DeepSeek V3.1)",
    sample=SAMPLE,
    strict=table(partial(call, read_head, RULES[0])),
    lenient=table(partial(call, read_any, RULES[1]), drafts=("call",), lenient=True),
    write=TurnWriter(
        thought=TAGS,
        call=write_call,
        calls=("<｜tool▁calls▁begin｜>", "", "<｜tool▁calls▁end｜>"),
    ),
    render_results=replace(deepseek_v3.RESULTS, between=""),
    # The template has no header before the next turn of the model.
    turn_frame=("<｜end▁of▁sentence｜>", ""),
)
