"""Calls as Python, one on each line, in ``<function_calls>``: Olmo 3.

The calls are not in a list. Models that know other formats may write a list, or commas between the
calls; lenient mode reads both.

Source: the chat template of allenai/Olmo-3-7B-Instruct.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Final

from agent_parsers.dialects import pythonic
from agent_parsers.engine.calls.code.python_calls import PythonCalls
from agent_parsers.families.call_blocks import calls_table
from agent_parsers.families.turn_writer import LINES, ResultsWriter, chatml

__all__ = ["DIALECT"]

SAMPLE: Final = """\
<think>
I have to look it up.
</think>

Let me see.<function_calls>search(query="Lake Thun", limit=3)
ping()</function_calls>"""

_table = partial(calls_table, call=("<function_calls>", "</function_calls>"), ends=("<|im_end|>",))

FRAME: Final = chatml("environment")

DIALECT: Final = replace(
    pythonic.DIALECT,
    name="olmo3",
    summary="Python calls on lines in <function_calls> (Olmo 3)",
    sample=SAMPLE,
    strict=_table(partial(PythonCalls, listed=False)),
    lenient=_table(partial(PythonCalls, listed=False, lenient=True), lenient=True),
    stop=("<|im_end|>",),
    write=replace(
        pythonic.TURNS,
        thought=LINES,
        content=("", ""),
        calls=("<function_calls>", "\n", "</function_calls>"),
    ),
    render_results=ResultsWriter(between=FRAME[0]),
    turn_frame=FRAME,
)
