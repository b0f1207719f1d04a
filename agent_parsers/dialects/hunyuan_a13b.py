"""Hunyuan A13B: a list of calls in JSON in ``<tool_calls>``, and ``<answer>`` around it.

    <think>
    I have to look it up.
    </think>
    <answer>
    Let me see.<tool_calls>[{"name": "search", "arguments": {"query": "Lake Thun"}}, \
{"name": "ping", "arguments": {}}]</tool_calls>
    </answer>

* ``<answer>`` contains everything but the thought: calls, or text. The chat template leaves it out
  of earlier turns, and servers remove it, so it may be missing.
* Text for the user begins with ``助手：`` (Assistant:), as the template instructs the model. At the
  beginning of a line it is never part of the text.
* Quick thinking is a thought without text.

Sources: the guide to agents in Tencent-Hunyuan/Hunyuan-A13B for the turns of the model;
vllm-project/vllm, examples/tool_chat_template_hunyuan_a13b.jinja, for results.
"""

from dataclasses import replace

from agent_parsers.authoring import (
    CallFormat,
    Given,
    Go,
    JsonPayload,
    Label,
    Literal,
    ResultsWriter,
    Table,
)
from agent_parsers.families.call_tables import with_answer_block

END, EXTRA = "<|eos|>", "<|extra_0|>"
ANSWER, END_OF_ANSWER = "<answer>", "</answer>"
WORDS, COLON = "助手", "："
THOUGHT = ("<think>\n", "\n</think>\n")


def with_answer(table: Table) -> Table:
    """Return *table* with the tags of the answer as markers; an answer or calls may follow one."""
    # The end of a thought may follow: the prompt opened it, so the list was a draft.
    return with_answer_block(
        table,
        {
            "answer": Literal(ANSWER, (f"{ANSWER}{WORDS}{COLON}",)),
            "words": Label(WORDS, colon=COLON),
            "end of answer": Literal(END_OF_ANSWER),
        },
        {("content", "words"): Go("content"), ("call", "end of answer"): Go("answered")},
    )


FORMAT = CallFormat(
    name="hunyuan_a13b",
    summary="a JSON list in <tool_calls>, in <answer> (Hunyuan A13B)",
    payload=JsonPayload(row=("[", ", ", "]")),
    call=("<tool_calls>", "</tool_calls>"),
    thought=THOUGHT,
    answer=(f"{WORDS}{COLON}", ""),
    adapt=with_answer,
    ends=(END,),
    results=ResultsWriter(each=("<tool_response>", "</tool_response>"), between=EXTRA),
    turn_frame=(END, EXTRA),
)
FORM = replace(FORMAT.form, around=(f"{ANSWER}\n", f"\n{END_OF_ANSWER}"))
DIALECT = FORMAT.dialect(given=(Given("<|startoftext|>"),), form=FORM)
