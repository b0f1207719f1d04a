"""Calls as JSON in ``<tool_call>``: Hermes, Qwen 2.5 and 3, QwQ, Granite 4, SmolLM3 and many more.

A turn may have several blocks, and content before them. ``arguments`` may come before ``name``, and
may be missing if the tool takes no input. A block ends with its JSON, not with the closing tag,
which a stop sequence may have removed. Results are in a turn of the user, in ``<tool_response>``.

Source: the chat templates of NousResearch/Hermes-3 and Qwen/Qwen3; turns are written as in the
latter.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from agent_parsers.engine.calls.json.blocks import JsonCalls
from agent_parsers.families.call_blocks import calls_table, list_tools_in_tags
from agent_parsers.families.json_blocks import bare_rules, block_rules, json_dialect, write_named
from agent_parsers.families.turn_writer import LINES, ResultsWriter, TurnWriter, chatml

if TYPE_CHECKING:
    from agent_parsers.engine.grammar.table import Table

__all__ = ["DIALECT", "RESULTS", "RULES", "TURNS", "tables"]

SAMPLE: Final = """\
<think>
I have to look it up.
</think>

Let me see.
<tool_call>
{"name": "search", "arguments": {"query": "Lake Thun"}}
</tool_call>
<tool_call>
{"name": "ping", "arguments": {}}
</tool_call>"""

RULES: Final = block_rules()
BARE: Final = bare_rules(RULES)


def tables(
    tag: str, *others: str, thought: str = "think", end: str = "<|im_end|>"
) -> tuple[Table, Table]:
    """Return the tables for calls in the element *tag*, or in lenient mode also in *others*."""
    table = partial(
        calls_table,
        call=(f"<{tag}>", f"</{tag}>"),
        thought=(f"<{thought}>", f"</{thought}>"),
        ends=(end,),
    )
    return table(partial(JsonCalls, RULES[0])), table(
        partial(JsonCalls, RULES[1]),
        # A call at the beginning of content needs no opening tag: models forget it.
        bare=partial(JsonCalls, BARE[1], bare=True, odd="read a call without its opening tag"),
        also={
            "call": tuple(f"<{other}>" for other in others),
            "end of call": tuple(f"</{other}>" for other in others),
        },
        lenient=True,
    )


STRICT, LENIENT = tables("tool_call", "function_call")
TURNS: Final = TurnWriter(
    thought=LINES,
    content=("", "\n"),
    call=write_named,
    calls=("<tool_call>\n", "\n</tool_call>\n<tool_call>\n", "\n</tool_call>"),
)
RESULTS: Final = ResultsWriter(each=("<tool_response>\n", "\n</tool_response>"), between="\n")

DIALECT: Final = json_dialect(
    "hermes",
    SAMPLE,
    aliases=("qwen25", "qwen3"),
    summary="JSON in <tool_call> tags (Hermes, Qwen and many others)",
    strict=STRICT,
    lenient=LENIENT,
    stop=("<|im_end|>",),
    write=TURNS,
    render_results=RESULTS,
    turn_frame=chatml("user"),
    list_tools=list_tools_in_tags,
)
