"""Granite 3: ``<|tool_call|>`` and a list of calls in JSON. Granite 4 writes `hermes`.

    Let me see.<|tool_call|>[{"name": "search", "arguments": {"query": "Lake Thun"}}, \
{"name": "ping", "arguments": {}}]

If the prompt asks for thoughts, Granite 3.2 writes sentences around them: ``Here is my thought
process:`` and ``Here is my response:``. They count at the beginning of a line. No other dialect
reads them, since they are prose.

Source: the chat templates of ibm-granite/granite-3.1-8b-instruct and granite-3.2-8b-instruct.
"""

from functools import partial

from agent_parsers.authoring import CallFormat, JsonPayload, Literal, role_frame
from agent_parsers.families.call_tables import with_sentences

END = "<|end_of_text|>"
THOUGHT, RESPONSE = (
    Literal(f"Here is my {what}:", (f"Here's my {what}:",), place="line")
    for what in ("thought process", "response")
)

DIALECT = CallFormat(
    name="granite",
    summary="<|tool_call|> and a JSON list (Granite 3)",
    payload=JsonPayload(row=("[", ", ", "]")),
    call=("<|tool_call|>", ""),
    odd_marks=(("<tool_call>", "</tool_call>"),),  # Granite 3.0 wrote a tag, and rarely closed it
    thought=None,
    adapt=partial(with_sentences, opens=THOUGHT, closes=RESPONSE),
    ends=(END,),
    turn_frame=role_frame((f"{END}\n<|start_of_role|>", "<|end_of_role|>"), "tool_response"),
).dialect()
