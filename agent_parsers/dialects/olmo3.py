"""Calls as Python, one on each line, in ``<function_calls>``: Olmo 3.

    <think>
    I have to look it up.
    </think>

    Let me see.<function_calls>search(query="Lake Thun", limit=3)
    ping()</function_calls>

The calls are not in a list. Models that know other formats may write a list, or commas between the
calls; lenient mode reads both.

Source: the chat template of allenai/Olmo-3-7B-Instruct.
"""

from agent_parsers.authoring import LINES, CallFormat, chatml
from agent_parsers.dialects.pythonic import SAMPLE, PythonPayload

DIALECT = CallFormat(
    name="olmo3",
    aliases=("olmo3_think",),
    summary="Python calls on lines in <function_calls> (Olmo 3)",
    payload=PythonPayload(row=("", "\n", "")),
    call=("<function_calls>", "</function_calls>"),
    thought=LINES,
    turn_frame=chatml("environment"),
    sample=SAMPLE,
).dialect()
