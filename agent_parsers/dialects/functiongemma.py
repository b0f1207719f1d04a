"""FunctionGemma (270M): calls in Gemma's braces, between marks made of words.

    Let me see.\
<start_function_call>call:search{limit:3,query:<escape>Lake Thun<escape>}<end_function_call>\
<start_function_call>call:ping{}<end_function_call>

The payload is that of `gemma4`, with ``<escape>`` around strings. The model has no marks for
thoughts, so thoughts are not written; ``<think>``, which models tuned from it write, is read.

Source: "FunctionGemma formatting and best practices" (ai.google.dev).
"""

from agent_parsers.authoring import CallFormat, Given, ResultsWriter
from agent_parsers.dialects.gemma4 import BracePayload
from agent_parsers.dialects.pythonic import SAMPLE

RESPONSE = ("<start_function_response>", "<end_function_response>")
PAYLOAD = BracePayload(quote="<escape>")

DIALECT = CallFormat(
    name="functiongemma",
    summary="call:name{…} in <start_function_call> (FunctionGemma)",
    payload=PAYLOAD,
    call=("<start_function_call>", "<end_function_call>"),
    writes_thoughts=False,
    ends=("<end_of_turn>", RESPONSE[0]),
    results=ResultsWriter(text=PAYLOAD.write_result, between=f"{RESPONSE[1]}{RESPONSE[0]}"),
    turn_frame=RESPONSE,
    sample=SAMPLE,
).dialect(given=(Given("<start_of_turn>", own="model"),))
