"""DeepSeek V4.1: like `deepseek_dsml`, with a space after the bars, and ``calls`` around the calls.

    <think>I have to look it up.</think>Let me see.

    <｜DSML｜ calls>
    <｜DSML｜ invoke name="search">
    <｜DSML｜ parameter name="query" string="true">Lake Thun</｜DSML｜ parameter>
    </｜DSML｜ invoke>
    <｜DSML｜ invoke name="ping">

    </｜DSML｜ invoke>
    </｜DSML｜ calls>

Source: the parser of that name in vllm-project/vllm.
"""

from agent_parsers.dialects.deepseek_dsml import dsml

DIALECT = dsml("deepseek_v41", "DeepSeek V4.1", mark="｜DSML｜ ", wrapper="calls").dialect()
