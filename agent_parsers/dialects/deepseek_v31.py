"""DeepSeek V3.1: like `deepseek_v3`, but the name comes first, and the JSON has no fence.

    <think>I have to look it up.</think>Let me see.<｜tool▁calls▁begin｜>\
<｜tool▁call▁begin｜>search<｜tool▁sep｜>{"query": "Lake Thun"}<｜tool▁call▁end｜>\
<｜tool▁call▁begin｜>ping<｜tool▁sep｜>{}<｜tool▁call▁end｜><｜tool▁calls▁end｜>

The prompt ends with ``<think>`` or ``</think>``; after ``<think>``, pass ``start="thought"``.

Source: the chat template of deepseek-ai/DeepSeek-V3.1.
"""

from dataclasses import replace

from agent_parsers.authoring import TAGS, Head, NamedPayload
from agent_parsers.dialects import deepseek_v3
from agent_parsers.dialects.deepseek_v3 import END, KIND, SEPARATOR, head_of


def read_head(text: str, *, lenient: bool) -> Head | None:
    """Read the head of a call; in lenient mode, the name may be second, and a fence may follow."""
    name, separator, rest = text.partition(SEPARATOR)
    if separator and rest.strip() in ("", '"' * lenient):
        return head_of(0, name)
    head = deepseek_v3.read_head(text, lenient=True) if lenient else None
    is_behind = name.strip() == KIND
    odd = f"read the name of the tool after {SEPARATOR}" if is_behind else "read JSON in a fence"
    return head and head._replace(odd=odd)


DIALECT = replace(
    deepseek_v3.FORMAT,
    name="deepseek_v31",
    aliases=("deepseek3",),
    summary="<｜tool▁calls▁begin｜>, names, and JSON (DeepSeek V3.1)",
    payload=NamedPayload(read_head=read_head, call=f"{{tool}}{SEPARATOR}{{input}}", mark=SEPARATOR),
    between="",
    thought=TAGS,
    results=replace(deepseek_v3.FORMAT.results, between=""),
    turn_frame=(END, ""),  # the template has no header before the next turn of the model
).dialect(given=deepseek_v3.GIVEN)
