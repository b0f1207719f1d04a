"""ERNIE 4.5 Thinking: like `hermes`, with content and answers in ``<response>``.

    <think>
    I have to look it up.
    </think>
    <response>
    Let me see.
    </response>


    <tool_call>
    {"name": "search", "arguments": {"query": "Lake Thun"}}
    </tool_call>
    <tool_call>
    {"name": "ping", "arguments": {}}
    </tool_call>

The prompt opens the thought. The tags of the response may be missing.

Source: the parsers ernie45 of vllm-project/vllm and their tests; a turn of results as in
PaddlePaddle/PaddleFormers.
"""

from dataclasses import replace

from agent_parsers.authoring import Go, Literal, ResultsWriter, Table, role_frame
from agent_parsers.dialects import hermes

END = "<|im_end|>"
CALL, END_OF_CALL = hermes.FORMAT.call or ("", "")
RESPONSE, END_OF_RESPONSE = "<response>\n", "\n</response>"


def with_response(table: Table) -> Table:
    """Return *table* with the tags of the response as markers."""
    markers = {
        "response": Literal(RESPONSE.strip()),
        "end of response": Literal(END_OF_RESPONSE.strip()),
    }
    rows = {("content", name): Go("content") for name in markers}
    return replace(
        table,
        markers={**table.markers, **markers},
        transitions={**table.transitions, **rows},
    )


DIALECT = replace(
    hermes.FORMAT,
    name="ernie45",
    aliases=(),
    summary="JSON in <tool_call> tags, words in <response> (ERNIE 4.5 Thinking)",
    calls=(f"\n\n{CALL}", f"{END_OF_CALL}\n{CALL}", f"{END_OF_CALL}\n"),
    thought=("<think>\n", "\n</think>\n"),
    content=(RESPONSE, f"{END_OF_RESPONSE}\n"),
    answer=(RESPONSE, END_OF_RESPONSE),
    results=ResultsWriter(),
    turn_frame=role_frame((f"{END}\n\n<|im_start|>", "\n"), "tool"),
    adapt=with_response,
    also={},
).dialect()
