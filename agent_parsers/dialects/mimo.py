"""MiMo V2: like `qwen3_coder`, but a line break at an end of a value belongs to the value.

    <think>
    I have to look it up.
    </think>

    Let me see.

    <tool_call>
    <function=search>
    <parameter=query>Lake Thun</parameter>
    </function>
    </tool_call>
    <tool_call>
    <function=ping>
    </function>
    </tool_call>

The tags of a value stand right next to it. Line breaks between other tags mean nothing.

Source: vLLM's and SGLang's parsers called ``mimo``; all but the values as in `qwen3_coder`.
"""

from dataclasses import replace

from agent_parsers.dialects import qwen3_coder

DIALECT = replace(
    qwen3_coder.FORMAT,
    name="mimo",
    aliases=("mimo_v2",),
    summary="as qwen3_coder, with values as they stand (MiMo V2)",
    payload=replace(
        qwen3_coder.PAYLOAD, parameter="<parameter={key}>{value}</parameter>\n", trims=False
    ),
).dialect()
