"""Calls as Python between ``<|python_start|>`` and ``<|python_end|>``: Llama 4.

The model often leaves out the marks; then the list begins the text, as in `pythonic`.

Source: Llama 4, prompt format (zero-shot function calling); results as in the chat template of
meta-llama/Llama-4-Scout-17B-16E-Instruct.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from agent_parsers.dialects import llama3_json, pythonic

__all__ = ["DIALECT"]

END: Final = "<|eot|><|header_start|>"
FRAME: Final = (f"{END}ipython<|header_end|>\n\n", f"{END}assistant<|header_end|>\n\n")

DIALECT: Final = replace(
    pythonic.DIALECT,
    name="llama4_pythonic",
    summary="a list of Python calls in <|python_start|> (Llama 4)",
    sample=f"<|python_start|>{pythonic.SAMPLE}<|python_end|>",
    strict=pythonic.table(lenient=False),
    lenient=pythonic.table(lenient=True),
    stop=("<|eot|>", "<|eom|>"),
    write=replace(
        pythonic.TURNS, content=("", ""), calls=("<|python_start|>[", ", ", "]<|python_end|>")
    ),
    render_results=replace(llama3_json.RESULTS, between=FRAME[0]),
    turn_frame=FRAME,
)
