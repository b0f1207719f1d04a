"""Command A Plus: like `command_a`, with other tokens around answers.

    <|START_THINKING|>I have to look it up.<|END_THINKING|><|START_ACTION|>[
        {"tool_call_id": "0", "tool_name": "search", "parameters": {"query": "Lake Thun"}},
        {"tool_call_id": "1", "tool_name": "ping", "parameters": {}}
    ]<|END_ACTION|>

The prompt opens the thought, or has an empty one.

Source: the templates cmd4 of cohere-ai/melody.
"""

from dataclasses import replace
from functools import partial

from agent_parsers.dialects.command_a import FORMAT, RESPONSE, TEXT, with_answer

DIALECT = replace(
    FORMAT,
    name="command_a_plus",
    aliases=("cohere_command4", "cohere", "cohere2_moe"),
    summary="<|START_ACTION|> and a JSON list, <|START_TEXT|> (Command A Plus)",
    answer=TEXT,
    adapt=partial(with_answer, marks=TEXT, others=RESPONSE),
).dialect()
