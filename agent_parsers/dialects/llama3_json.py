"""Llama 3.1, 3.2 and 3.3: a turn that is a JSON object with ``name`` and ``parameters`` is a call.

    <|python_tag|>{"name": "search", "parameters": {"query": "Lake Thun"}}

It is at the beginning of the turn, or after ``<|python_tag|>``, which is not written. Nothing
closes it. Until both keys have been read, it may be an answer that happens to be JSON; an object
that is cut off is neither. Text after the object is content, but if a sentence continues there, it
may only quote the call, which is an error. So is what follows the tag and is no call, such as
Python code for a built-in tool of Meta. Llama 4 writes the same, with its own tokens at the end of
a turn, if its prompt asks for JSON.

The chat template rejects a turn with several calls, or with content beside a call, and so does
`render`.

Source: the chat template of meta-llama/Llama-3.1-70B-Instruct, and
examples/tool_chat_template_llama4_json.jinja of vLLM.
"""

from dataclasses import replace

from agent_parsers.authoring import CallFormat, JsonPayload, ResultsWriter, role_frame, write_json

ENDS = ("<|eot_id|>", "<|eom_id|>")
LLAMA4_ENDS = ("<|eot|>", "<|eom|>")
MARK = "<|python_tag|>"

FORMAT = CallFormat(
    name="llama3_json",
    aliases=("llama3", "llama4_json"),
    summary="a bare JSON object with name and parameters (Llama 3.1 to 3.3)",
    payload=JsonPayload(tool_input="parameters", bare="anywhere"),
    call=(MARK, ""),
    calls=("", "", ""),  # the model leaves out the mark
    is_single=True,
    thought=None,
    content=None,
    ends=ENDS,
    results=ResultsWriter(text=lambda result: write_json(result.text)),
    turn_frame=role_frame((f"{ENDS[0]}<|start_header_id|>", "<|end_header_id|>\n\n"), "ipython"),
    sample=f'{MARK}{{"name": "search", "parameters": {{"query": "Lake Thun"}}}}',
)
DIALECT = replace(
    FORMAT, ends=(*ENDS, *LLAMA4_ENDS), odd_marks=(("<|python_start|>", "<|python_end|>"),)
).dialect()
