"""Granite 3: ``<|tool_call|>`` and a list of calls in JSON. Granite 4 writes `hermes`.

    Let me see.<|tool_call|>[{"name": "search", "arguments": {"query": "Lake Thun"}}, \
{"name": "ping", "arguments": {}}]

If the prompt asks for thoughts, Granite 3.2 writes sentences around them: ``Here is my thought
process:`` and ``Here is my response:``. They count at the beginning of a line. No other dialect
reads them, since they are prose.

Source: the chat templates of ibm-granite/granite-3.1-8b-instruct and granite-3.2-8b-instruct.
"""

from dataclasses import replace

from agent_parsers.authoring import CallFormat, Go, JsonPayload, Literal, Part, Table, role_frame

END = "<|end_of_text|>"


def with_thoughts(table: Table) -> Table:
    """Return *table* with the sentences around a thought as markers."""

    def sentence(rest: str) -> Literal:
        return Literal(f"Here is my {rest}:", (f"Here's my {rest}:",), place="line")

    return replace(
        table,
        markers={
            **table.markers,
            "thought": sentence("thought process"),
            "end of thought": sentence("response"),
        },
        parts={**table.parts, "thought": Part.THOUGHT},
        transitions={
            **table.transitions,
            **{(state, "thought"): Go("thought") for state in ("content", "call")},
            ("thought", "end of thought"): Go("content", closes=True),
            ("thought", f"end {END}"): Go("over"),
        },
        ends={**table.ends, "thought": "open_reasoning"},
        starts={**table.starts, "thought": "thought"},
    )


DIALECT = CallFormat(
    name="granite",
    summary="<|tool_call|> and a JSON list (Granite 3)",
    payload=JsonPayload(row=("[", ", ", "]")),
    call=("<|tool_call|>", ""),
    odd_marks=(("<tool_call>", "</tool_call>"),),  # Granite 3.0 wrote a tag, and rarely closed it
    thought=None,
    adapt=with_thoughts,
    ends=(END,),
    turn_frame=role_frame((f"{END}\n<|start_of_role|>", "<|end_of_role|>"), "tool_response"),
).dialect()
