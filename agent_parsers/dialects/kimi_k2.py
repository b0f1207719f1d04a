"""Kimi K2, K2-Thinking and K2.5: a sequence of calls whose ids contain the name of the tool.

    <think>I have to look it up.</think>Let me see.<|tool_calls_section_begin|><|tool_call_begin|>\
functions.search:0<|tool_call_argument_begin|>{"query": "Lake Thun"}<|tool_call_end|>\
<|tool_call_begin|>functions.ping:1<|tool_call_argument_begin|>{}<|tool_call_end|>\
<|tool_calls_section_end|>

The id is ``functions.``, the name, a colon, and the number of the call in the whole conversation,
from 0. The result has the same id. Without the number the name is not reliable, so such a call is
not read; a call without such an id is written with its number.

Source: the chat templates of moonshotai/Kimi-K2-Instruct and Kimi-K2-Thinking, and the guide to
tool calls.
"""

from agent_parsers.authoring import (
    CallFormat,
    Given,
    Head,
    NamedPayload,
    Problem,
    ResultsWriter,
    role_frame,
)
from agent_parsers.families.json_blocks import PROBLEMS
from agent_parsers.families.results_writer import NumberedIds

END = "<|im_end|>"
ARGUMENTS = "<|tool_call_argument_begin|>"
PREFIX = "functions."


def read_head(text: str, *, lenient: bool) -> Head | None:
    """Read the head of a call, the text before its arguments."""
    header, mark, rest = text.partition(ARGUMENTS)
    call_id = header.strip()
    named, _, number = call_id.rpartition(":")
    name = named.removeprefix(PREFIX)
    is_id = number.isdecimal() and (mark or name != named)  # without either, it may be any text
    if not is_id or rest.strip() not in ("", '"' * lenient):
        return None
    odd = f"read an id that does not begin with {PREFIX!r}" if name == named else ""
    if not mark:
        odd = f"accepted an id without {ARGUMENTS} after it"
    if header != call_id:
        odd = odd or "read an id with white space around it"
    start = header.index(call_id) + len(named) - len(name)
    return Head(start, start + len(name), call_id, odd) if lenient or not odd else None


IDS = f"{PREFIX}{{tool}}:{{number}}"
CALL_ID = NumberedIds(IDS)
DIALECT = CallFormat(
    name="kimi_k2",
    aliases=("kimi_k25",),
    summary="<|tool_call_begin|> with functions.name:0 and JSON (Kimi K2)",
    payload=NamedPayload(read_head=read_head, call=f"{{id}}{ARGUMENTS}{{input}}", mark=ARGUMENTS),
    call=("<|tool_call_begin|>", "<|tool_call_end|>"),
    region=("<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"),
    call_id=CALL_ID,
    ids=IDS,
    also={
        "region": ("<|tool_call_section_begin|>",),
        "end of region": ("<|tool_call_section_end|>",),
    },
    ends=(END,),
    results=ResultsWriter(
        text=lambda result: f"## Return of {result.id}\n{result.text}", call_id=CALL_ID
    ),
    turn_frame=role_frame((END, "<|im_middle|>"), "<|im_system|>tool", "<|im_assistant|>assistant"),
).dialect(
    given=(Given("<|im_user|>"),),
    problems={
        **PROBLEMS,
        "bad_head": Problem(
            f"expected an id such as {PREFIX}search:0, then {ARGUMENTS}, before the input",
            "Invalid Format: The text before the input of the call cannot be read. Write an id "
            f"there, such as {PREFIX}search:0, with the name of the tool and the number of the "
            f"call, then {ARGUMENTS}.",
        ),
    },
)
