"""dots3: like `minimax_m2`, in ``<dots_function_call>``.

    <think>
    I have to look it up.
    </think>

    Let me see.
    <dots_function_call>
    <invoke name="search">
    <parameter name="query">Lake Thun</parameter>
    </invoke>
    <invoke name="ping">
    </invoke>
    </dots_function_call>

In lenient mode a block may contain JSON, as in `hermes`, which the model also writes.

Source: vLLM's and SGLang's parsers called ``dots``, and the recipe of dots-studio/dots3-note-prev.
They do not show what ends a turn nor how results are written: the end of the calls is the stop
sequence, and results are written as in `minimax_m2`, without its roles.
"""

from dataclasses import replace

from agent_parsers.authoring import Given
from agent_parsers.dialects import hermes, minimax_m2

CALLS, END_OF_CALLS = "<dots_function_call>", "</dots_function_call>"

DIALECT = replace(
    minimax_m2.FORMAT,
    name="dots",
    aliases=("dots3",),
    summary="as minimax_m2, in <dots_function_call> (dots3)",
    payload=replace(minimax_m2.PAYLOAD, json_calls=hermes.PAYLOAD),
    call=(f"\n{CALLS}\n", f"\n{END_OF_CALLS}"),
    ends=(),
    turn_frame=("\n", "\n"),
).dialect(
    given=(Given("<|userprompt|>"), Given("<|system|>")), stop=(END_OF_CALLS,), closer=END_OF_CALLS
)
