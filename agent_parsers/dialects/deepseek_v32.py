"""DeepSeek V3.2: like `deepseek_dsml`, with ``function_calls`` around the calls.

    <think>I have to look it up.</think>Let me see.

    <｜DSML｜function_calls>
    <｜DSML｜invoke name="search">
    <｜DSML｜parameter name="query" string="true">Lake Thun</｜DSML｜parameter>
    </｜DSML｜invoke>
    <｜DSML｜invoke name="ping">

    </｜DSML｜invoke>
    </｜DSML｜function_calls>

Source: the encoding script of deepseek-ai/DeepSeek-V3.2.
"""

from dataclasses import replace

from agent_parsers.authoring import Given, ResultsWriter
from agent_parsers.dialects.deepseek_dsml import END, dsml

DIALECT = replace(
    dsml("deepseek_v32", "DeepSeek V3.2", wrapper="function_calls"),
    results=ResultsWriter(
        each=("<result>", "</result>"),
        between="\n",
        around=("<function_results>\n", "\n</function_results>"),
    ),
    # The template has no header before the next turn of the model.
    turn_frame=(f"{END}\n\n", "\n\n"),
).dialect(given=(Given("<｜User｜>"),))
