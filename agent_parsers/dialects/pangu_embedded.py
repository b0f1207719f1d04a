"""openPangu Embedded and R: a list of calls in JSON, in marks that are named as unused tokens.

    [unused16]I have to look it up.[unused17]Let me see.[unused11][{"name": "search", \
"arguments": {"query": "Lake Thun"}}, {"name": "ping", "arguments": {}}][unused12]

The model opens the thought, and leaves it empty if the user's words end in ``/no_think``.
`openpangu_v2` has the same list in other marks; servers read both under the name ``pangu``.

Source: the parsers ``pangu`` of vllm-project/vllm, pull request 32583, for calls and thoughts; the
template ``pangu-embedded`` in src/llama-chat.cpp of ggml-org/llama.cpp for turns and results.
"""

from agent_parsers.authoring import CallFormat, JsonPayload, role_frame

START, END = "[unused9]", "[unused10]"

FORMAT = CallFormat(
    name="pangu_embedded",
    summary="a JSON list in [unused11] (openPangu Embedded)",
    payload=JsonPayload(row=("[", ", ", "]")),
    call=("[unused11]", "[unused12]"),
    thought=("[unused16]", "[unused17]"),
    ends=(END,),
    turn_frame=role_frame((f"{END}{START}", "："), "工具", "助手"),
)
DIALECT = FORMAT.dialect()
