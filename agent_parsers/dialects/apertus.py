"""Apertus: a list of objects whose only key is the name of the tool, and its value the input.

    <|inner_prefix|>I have to look it up.<|inner_suffix|>Let me see.\
<|tools_prefix|>[{"search": {"query": "Lake Thun"}}, {"ping": {}}]<|tools_suffix|>

The model also calls tools in the middle of a thought; lenient mode reads such calls if the turn
ends after them. The results follow in the same turn, so that the end of the calls is a stop
sequence. They are in one list; the template puts them there as they are, so they should be JSON.

Source: the chat template in swiss-ai/apertus_format, which is that of Apertus-8B-Instruct-2509;
vLLM's ``apertus`` and SGLang's ``apertus2509`` for calls, SGLang's for thoughts.
"""

from agent_parsers.authoring import CallFormat, Given, JsonPayload, ResultsWriter

END, END_OF_CALLS = "<|assistant_end|>", "<|tools_suffix|>"

DIALECT = CallFormat(
    name="apertus",
    aliases=("apertus2509",),
    summary='[{"name": {arguments}}] in <|tools_prefix|> (Apertus)',
    payload=JsonPayload(tool="", row=("[", ", ", "]")),
    call=("<|tools_prefix|>", END_OF_CALLS),
    thought=("<|inner_prefix|>", "<|inner_suffix|>"),
    ends=(END,),
    results=ResultsWriter(around=("[", "]"), between=", "),
    turn_frame=("", "<|assistant_start|>"),
).dialect(
    given=tuple(Given(f"<|{role}_start|>") for role in ("user", "system", "developer")),
    stop=(END_OF_CALLS, END),
    closer=END_OF_CALLS,
)
