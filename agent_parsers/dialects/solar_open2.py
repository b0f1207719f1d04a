"""Solar Open 2: calls with a mark for each name, key and value.

    <|think:start|>I have to look it up.<|think:end|>Let me see.<|tool_call:start|>search
    <|tool_arg:start|>query<|tool_arg:value|>Lake Thun<|tool_arg:end|>
    <|tool_call:end|>
    <|tool_call:start|>ping
    <|tool_call:end|>

The name of the tool ends with its line. Values are verbatim text. Each call is a block of its own.
The prompt opens the thought, or has an empty one.

Source: the parser ``solar_open2`` of vllm-project/vllm and its tests, for upstage/Solar-Open2-250B;
the frame of turns as in servers of the model.
"""

from agent_parsers.authoring import CallFormat, ResultsWriter, TaggedPayload, role_frame

END = "<|im:end|>"

DIALECT = CallFormat(
    name="solar_open2",
    summary="<|tool_arg:start|> and <|tool_arg:value|> in <|tool_call:start|> (Solar Open 2)",
    payload=TaggedPayload(
        call="{tool}\n{parameters}",
        parameter="<|tool_arg:start|>{key}<|tool_arg:value|>{value}<|tool_arg:end|>\n",
    ),
    call=("<|tool_call:start|>", "<|tool_call:end|>"),
    between="\n",
    thought=("<|think:start|>", "<|think:end|>"),
    ends=(END,),
    results=ResultsWriter(each=("<|tool_response:start|>", "<|tool_response:end|>\n"), between=""),
    turn_frame=role_frame((f"{END}\n<|im:start|>", "<|im:content|>"), "tool"),
).dialect()
