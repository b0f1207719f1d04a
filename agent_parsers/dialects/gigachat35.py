"""GigaChat 3.5: like `deepseek_dsml`, in marks of its own.

    <think>I have to look it up.</think>

    Let me see.

    <｜GCML｜tool_calls>
    <｜GCML｜invoke name="search">
    <｜GCML｜parameter name="query" string="true">Lake Thun</｜GCML｜parameter>
    </｜GCML｜invoke>
    <｜GCML｜invoke name="ping">
    </｜GCML｜invoke>
    </｜GCML｜tool_calls>

The bars are full-width. The prompt opens the thought if the model should think. Results are in
elements with the name of the tool, all in one turn.

Source: the chat template of ai-sage/GigaChat3.5 (ggml-org/llama.cpp:
models/templates/GigaChat3.5.jinja), and SGLang's parser ``gigachat35``.
"""

from dataclasses import replace

from agent_parsers.authoring import ResultForm, ResultsWriter, TaggedPayload, list_tools, role_frame
from agent_parsers.dialects import gigachat3
from agent_parsers.dialects.deepseek_dsml import dsml

MARK, WRAPPER = "｜GCML｜", "tool_calls"
DSML = dsml("gigachat35", "GigaChat 3.5", mark=MARK, wrapper=WRAPPER)
PAYLOAD = DSML.payload
assert isinstance(PAYLOAD, TaggedPayload)

DIALECT = replace(
    DSML,
    payload=replace(
        PAYLOAD,
        call=f'<{MARK}invoke name="{{tool}}">\n{{parameters}}</{MARK}invoke>',
        parameter=f"{PAYLOAD.parameter}\n",
        between="",
    ),
    call=(f"<{MARK}{WRAPPER}>\n", f"\n</{MARK}{WRAPPER}>"),
    thought=("<think>", "</think>\n\n"),
    content=("", "\n\n"),
    ends=(gigachat3.END, gigachat3.EOS),
    adapt=gigachat3.with_eos,
    results=ResultsWriter(
        text=ResultForm('<function_response name="{tool}">{text}</function_response>'),
        between="\n",
    ),
    turn_frame=role_frame((f"{gigachat3.END}\n\n", f"{gigachat3.ROLE}\n"), "function result"),
    list_tools=list_tools,
).dialect()
