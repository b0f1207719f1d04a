"""InternLM 2 and 2.5: JSON in ``<|action_start|><|plugin|>``, with ``parameters``.

    I look it up.<|action_start|><|plugin|>
    {"name": "search", "parameters": {"query": "Lake Thun"}}<|action_end|><|action_start|><|plugin|>
    {"name": "ping", "parameters": {}}<|action_end|>

Source: the guide to the chat format of InternLM/InternLM; several calls as in the template for
this model in vllm-project/vllm.
"""

from dataclasses import replace

from agent_parsers.authoring import SAMPLE_TURN, CallFormat, JsonPayload, chatml

MARK = "<|plugin|>"
START = "<|action_start|>"

DIALECT = CallFormat(
    name="internlm2",
    aliases=("internlm", "interns1"),
    summary="JSON in <|action_start|><|plugin|> (InternLM 2)",
    payload=JsonPayload(tool_input="parameters"),
    call=(f"{START}{MARK}\n", "<|action_end|>"),
    odd_marks=((f"{START} {MARK}", ""), (f"{START}\n{MARK}", "")),
    thought=None,
    sample=replace(SAMPLE_TURN, content="I look it up."),
    turn_frame=chatml(f"environment name={MARK}"),
).dialect()
