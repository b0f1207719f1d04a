"""FunctionGemma (270M): calls in Gemma's braces, between marks made of words.

The payload is that of `gemma4`, with ``<escape>`` around strings. The model has no marks for
thoughts, so thoughts are not written; ``<think>``, which models tuned from it write, is read.

Source: "FunctionGemma formatting and best practices" (ai.google.dev).
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Final

from agent_parsers.dialects import gemma4
from agent_parsers.engine.calls.code.brace_calls import BraceCalls
from agent_parsers.families.call_blocks import calls_table
from agent_parsers.families.turn_writer import ResultsWriter, TurnWriter

__all__ = ["DIALECT"]

SAMPLE: Final = """\
Let me see.\
<start_function_call>call:search{limit:3,query:<escape>Lake Thun<escape>}<end_function_call>\
<start_function_call>call:ping{}<end_function_call>"""

QUOTE: Final = "<escape>"
STOP: Final = ("<end_of_turn>", "<start_function_response>")

_calls = partial(BraceCalls, quote=QUOTE, closer="<end_function_call>")
_table = partial(calls_table, call=("<start_function_call>", "<end_function_call>"), ends=STOP)


DIALECT: Final = replace(
    gemma4.DIALECT,
    name="functiongemma",
    aliases=(),
    summary="call:name{…} in <start_function_call> (FunctionGemma)",
    sample=SAMPLE,
    strict=_table(_calls),
    lenient=_table(partial(_calls, lenient=True), lenient=True),
    stop=STOP,
    write=TurnWriter(
        call=partial(gemma4.write_call, quote=QUOTE),
        calls=(
            "<start_function_call>",
            "<end_function_call><start_function_call>",
            "<end_function_call>",
        ),
    ),
    render_results=ResultsWriter(
        text=partial(gemma4.write_result, quote=QUOTE),
        between="<end_function_response><start_function_response>",
    ),
    turn_frame=("<start_function_response>", "<end_function_response>"),
)
