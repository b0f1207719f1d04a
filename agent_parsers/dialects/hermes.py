"""Calls as JSON in ``<tool_call>``: Hermes, Qwen 2.5 and 3, QwQ, Granite 4, SmolLM3 and many more.

    <think>
    I have to look it up.
    </think>

    Let me see.
    <tool_call>
    {"name": "search", "arguments": {"query": "Lake Thun"}}
    </tool_call>
    <tool_call>
    {"name": "ping", "arguments": {}}
    </tool_call>

In lenient mode calls may also be in ``<tools>`` or ``<tool_calls>``; the tools themselves, repeated
from the prompt, are no calls.

A turn may have several blocks, and content before them. ``arguments`` may come before ``name``, and
may be missing if the tool takes no input. A block ends with its JSON, not with the closing tag,
which a stop sequence may have removed. Results are in a turn of the user, in ``<tool_response>``.

Source: the chat templates of NousResearch/Hermes-3 and Qwen/Qwen3; turns are written as in the
latter.
"""

from dataclasses import replace

from agent_parsers.authoring import (
    LINES,
    CallFormat,
    Go,
    JsonPayload,
    Literal,
    ResultsWriter,
    Table,
    chatml,
    list_tools_in_tags,
)
from agent_parsers.engine.calls.marks import OBJECT, Before


def with_tools(table: Table) -> Table:
    """Return *table*, which if lenient also reads calls in ``<tools>`` and ``<tool_calls>``."""
    if not table.lenient:
        return table
    for name in ("tools", "tool_calls"):
        marks = {
            "call": (name, Before(f"<{name}>", ahead=OBJECT)),
            "end of call": (f"end of {name}", Literal(f"</{name}>")),
        }
        rows = {
            (state, marks[mark][0]): go._replace(
                odd="accepted a mark that this dialect does not use"
            )
            for (state, mark), go in table.transitions.items()
            if isinstance(go, Go) and (mark == "call" or (state, mark) == ("call", "end of call"))
        }
        table = replace(
            table,
            markers={**table.markers, **dict(marks.values())},
            transitions={**table.transitions, **rows},
        )
    return table


PAYLOAD = JsonPayload(unmarked="accepted a call without its opening tag")  # models forget it
FORMAT = CallFormat(
    name="hermes",
    aliases=(
        "qwen25",
        "qwen3",
        "granite4",
        "json_tools",
        "qwen",
        "qwen2d5",
        "qwen3_json",
        "qwen3_thinking",
        "qwen3_vl_instruct",
        "qwen3_vl_thinking",
        "trinity",
    ),
    summary="JSON in <tool_call> tags (Hermes, Qwen and many others)",
    payload=PAYLOAD,
    call=("<tool_call>\n", "\n</tool_call>"),
    between="\n",
    thought=LINES,
    content=("", "\n"),
    results=ResultsWriter(each=("<tool_response>\n", "\n</tool_response>"), between="\n"),
    turn_frame=chatml("user"),
    list_tools=list_tools_in_tags,
    also={"call": ("<function_call>",), "end of call": ("</function_call>",)},
)
DIALECT = replace(FORMAT, adapt=with_tools).dialect()
