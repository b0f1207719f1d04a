"""Solar Open 100B: messages of thoughts, text or calls; calls have ids and names before their JSON.

    <|think|>I have to look it up.<|end|><|begin|>assistant<|content|>Let me see.<|end|>\
<|begin|>assistant<|tool_calls|><|tool_call:begin|>0000000001<|tool_call:name|>search\
<|tool_call:args|>{"query": "Lake Thun"}<|tool_call:end|><|tool_call:begin|>0000000002\
<|tool_call:name|>ping<|tool_call:args|>{}<|tool_call:end|>

The prompt ends with ``<|begin|>assistant``, so a turn begins behind it. An id is ten letters or
digits, which the model makes up; a call without one is written with its number. The same mark ends
thoughts and answers, so it is no stop sequence; ``<|calls|>``, behind the calls, is one. The chat
template leaves out text beside calls. `solar_open2` has another format.

Source: the chat template of upstage/Solar-Open-100B (ggml-org/llama.cpp:
models/templates/upstage-Solar-Open-100B.jinja).
"""

from dataclasses import replace

from agent_parsers.authoring import (
    CallFormat,
    EndTurn,
    Given,
    Go,
    HeadedPayload,
    Literal,
    Part,
    ResultForm,
    ResultsWriter,
    Table,
)
from agent_parsers.engine.calls.marks import Before, one_of

BEGIN, END, END_OF_CALLS = "<|begin|>", "<|end|>", "<|calls|>"
MODEL, TOOL = f"{BEGIN}assistant", f"{BEGIN}tool<|tool_response|>"
THOUGHT = ("<|think|>", END)
CONTENT = "<|content|>"
BETWEEN = ("content", "said", "call", "region")
"""The states in which a message may begin."""


def call_id(_tool: str, known: str | None, number: int) -> str:
    """Return the *known* id of a call; if it is `None`, its *number* in ten digits."""
    return f"{number:010d}" if known is None else known


def with_messages(table: Table) -> Table:
    """Return *table* with the marks of messages, of the model and of others."""
    content = {name: go for (state, name), go in table.transitions.items() if state == "content"}
    marks = {"message": MODEL, "said": CONTENT}
    markers = {name: Literal(text) for name, text in marks.items()}
    others = Before(BEGIN, ahead=one_of("user", "system", "tool"))
    return replace(
        table,
        markers={**table.markers, **markers, "message of another role": others},
        parts={**table.parts, "said": Part.CONTENT},
        transitions={
            **{("said", name): go for name, go in content.items()},
            **table.transitions,
            **{(state, "message"): Go("content") for state in BETWEEN},
            **{(state, "said"): Go("said") for state in BETWEEN},
            **{(state, "message of another role"): EndTurn("content") for state in table.parts},
            ("said", "message of another role"): EndTurn("content"),
            ("said", "end of thought"): Go("content"),
        },
        starts={**table.starts, "said": "said"},
        prompt_ends={**table.prompt_ends, CONTENT: "said"},
    )


FORMAT = CallFormat(
    name="solar_open",
    summary="<|tool_call:name|> and JSON after <|tool_call:args|> (Solar Open 100B)",
    payload=HeadedPayload(call="{id}<|tool_call:name|>{tool}<|tool_call:args|>{input}"),
    call=("<|tool_call:begin|>", "<|tool_call:end|>"),
    region=("<|tool_calls|>", ""),
    thought=THOUGHT,
    call_id=call_id,
    ids="{10}",
    ends=(END_OF_CALLS,),
    adapt=with_messages,
    results=ResultsWriter(
        text=ResultForm(
            "<|tool_response:begin|>{id}<|tool_response:name|>{tool}<|tool_response:result|>{text}"
            "<|tool_response:end|>"
        ),
        between="",
        call_id=call_id,
    ),
    turn_frame=(f"{END_OF_CALLS}{TOOL}", f"{END}{MODEL}"),
)
DIALECT = FORMAT.dialect(
    given=(Given(BEGIN, own="assistant"),),
    form=replace(
        FORMAT.form,
        thought=(THOUGHT[0], f"{END}{MODEL}"),
        content=(CONTENT, f"{END}{MODEL}"),
        answer=(CONTENT, END),
    ),
)
