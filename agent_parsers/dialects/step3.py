"""Step 3: a row of calls, each an element with the names as attributes, between full-width marks.

    <think>I have to look it up.</think>Let me see.<｜tool_calls_begin｜>
    <｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="search">
    <steptml:parameter name="query">Lake Thun</steptml:parameter>
    </steptml:invoke><｜tool_call_end｜>
    <｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="ping">
    </steptml:invoke><｜tool_call_end｜>
    <｜tool_calls_end｜>

The marks resemble those of `deepseek_v3`, but the words in them are divided by ``_`` and not by
``▁``. What stands before the element of a call is always the same, so it is taken for the beginning
of its tag. Step 3.5 writes `qwen3_coder`.

The prompt opens the thought. Values are verbatim text.

Source: vLLM's and SGLang's parsers called ``step3``; the frame of turns as in vLLM's example of
offline inference with stepfun-ai/step3. They do not show how results are written, so a result
stands in a turn of the role ``tool``.
"""

from agent_parsers.authoring import CallFormat, TaggedPayload, role_frame

END = "<|EOT|>"

DIALECT = CallFormat(
    name="step3",
    summary="<steptml:invoke> and <steptml:parameter> (Step 3)",
    payload=TaggedPayload(
        call='<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="{tool}">\n'
        "{parameters}</steptml:invoke><｜tool_call_end｜>",
        parameter='<steptml:parameter name="{key}">{value}</steptml:parameter>\n',
        row=("", "\n", ""),
        closes_with_key=True,
    ),
    call=("<｜tool_calls_begin｜>\n", "\n<｜tool_calls_end｜>"),
    ends=(END,),
    turn_frame=role_frame((f"{END}<|BOT|>", "\n"), "tool"),
).dialect()
