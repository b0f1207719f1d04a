"""Apriel 1.5 and 1.6: a list of calls in JSON in ``<tool_calls>``, after reasoning in prose.

    Let me see.
    <tool_calls>[{"name": "search", "arguments": {"query": "Lake Thun"}}, \
{"name": "ping", "arguments": {}}]</tool_calls>

Before it, the model writes its thought, which the template leaves out of past turns:

    Here are my reasoning steps:
    I have to look it up.
    [BEGIN FINAL RESPONSE]

The sentence is the end of the prompt, so it counts only at the beginning of the text. A model also
thinks about what ends its thought; so that mark counts only at the beginning of a line. Apriel 1.5
ends its response with ``[END FINAL RESPONSE]``, which lenient mode leaves out; it also has other
marks around turns. The ids that the template gives to past calls are not written, since the model
writes none.

Source: the chat template of ServiceNow-AI/Apriel-1.6-15b-Thinker, as corrected in
ggml-org/llama.cpp: models/templates/Apriel-1.6-15b-Thinker-fixed.jinja.
"""

from dataclasses import replace

from agent_parsers.authoring import (
    CallFormat,
    Given,
    Go,
    JsonPayload,
    Literal,
    Part,
    ResultsWriter,
    Table,
)
from agent_parsers.families.call_tables import with_sentences

END, RESULT = "<|end|>", "<|begin_tool_result|>"
STEPS = Literal("Here are my reasoning steps:", place="text")
RESPONSE = Literal("[BEGIN FINAL RESPONSE]", place="line")
END_OF_RESPONSE = Literal("[END FINAL RESPONSE]", place="line")


def with_response(table: Table) -> Table:
    """Return *table* with thoughts and, in lenient mode, with an end of the response."""
    table = with_sentences(table, STEPS, RESPONSE)
    if not table.lenient:
        return table
    ended = Go("answered", odd="dropped a mark of another format")
    rows = {("content", "end of response"): ended, ("answered", f"end {END}"): Go("over")}
    return replace(
        table,
        markers={**table.markers, "end of response": END_OF_RESPONSE},
        parts={**table.parts, "answered": Part.SKIPPED},
        transitions={**table.transitions, **rows},
    )


DIALECT = CallFormat(
    name="apriel",
    summary="a JSON list in <tool_calls> after [BEGIN FINAL RESPONSE] (Apriel)",
    payload=JsonPayload(row=("[", ", ", "]")),
    call=("<tool_calls>", "</tool_calls>"),
    thought=None,
    content=("", "\n"),
    ends=(END,),
    results=ResultsWriter(each=(f"{RESULT}\n", "\n"), between=""),
    turn_frame=(f"\n{END}\n", "\n<|begin_assistant|>\n"),
    adapt=with_response,
).dialect(given=(Given("<|begin_user|>"), Given("<|begin_system|>")))
