"""Functionary 3.1: like `llama3_function_tag`, with several calls in a turn, next to the content.

    Let me see.<function=search>{"query": "Lake Thun"}</function><function=ping>{}</function>

Python code after ``<|python_tag|>``, for the built-in interpreter, is content.

Source: functionary/prompt_template/jinja_templates/v3-llama3.1.txt in MeetKai/functionary.
"""

from dataclasses import replace

from agent_parsers.authoring import ResultsWriter, role_frame
from agent_parsers.dialects import llama3_function_tag, llama3_json

END, END_OF_CALLS = llama3_json.ENDS
AROUND_ROLE = ("<|start_header_id|>", "<|end_header_id|>\n\n")
FRAME = role_frame(AROUND_ROLE, "ipython")

DIALECT = replace(
    llama3_function_tag.FORMAT,
    name="functionary_v31",
    aliases=(),
    summary="JSON in <function=name>, several times (Functionary 3.1)",
    is_single=False,
    content=("", ""),
    results=ResultsWriter(between=f"{END}{FRAME[0]}"),
    turn_frame=(f"{END_OF_CALLS}{FRAME[0]}", f"{END}{FRAME[1]}"),
).dialect()
