"""Calls as Python between ``<|python_start|>`` and ``<|python_end|>``: Llama 4.

    <|python_start|>[search(query="Lake Thun", limit=3), ping()]<|python_end|>

The model often leaves out the marks; then the list begins the text, as in `pythonic`.

Source: Llama 4, prompt format (zero-shot function calling); results as in the chat template of
meta-llama/Llama-4-Scout-17B-16E-Instruct.
"""

from dataclasses import replace

from agent_parsers.authoring import role_frame
from agent_parsers.dialects import llama3_json, pythonic

STOP = llama3_json.LLAMA4_ENDS

DIALECT = replace(
    pythonic.MARKED,
    name="llama4_pythonic",
    summary="a list of Python calls in <|python_start|> (Llama 4)",
    results=llama3_json.FORMAT.results,
    turn_frame=role_frame((f"{STOP[0]}<|header_start|>", "<|header_end|>\n\n"), "ipython"),
    sample=replace(pythonic.SAMPLE, content=""),
).dialect(stop=STOP)
