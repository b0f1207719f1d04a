"""Command R and R+: ``Action:`` and a list of calls in a JSON fence, with keys of their own.

    Let me see.
    Action: ```json
    [
        {
            "tool_name": "search",
            "parameters": {
                "query": "Lake Thun"
            }
        },
        {
            "tool_name": "ping",
            "parameters": {}
        }
    ]
    ```

Cohere's prompt has a tool ``directly_answer``, for turns that need no other tool. A call of it is
read as a call: the model writes the answer when it is asked again without tools.

Source: Cohere's guide to single-step tool use with C4AI Command R, and the chat template of
CohereForAI/c4ai-command-r-v01 for the text around calls and results.
"""

import json
from typing import Any

from agent_parsers.authoring import CallFormat, JsonPayload, ResultsWriter, role_frame

END = "<|END_OF_TURN_TOKEN|>"


CALL = """\
    {
        "tool_name": {"tool"},
        "parameters": {input}
    }"""


def write_input(tool_input: Any) -> str:
    """Return an input as JSON on several lines, indented by four spaces."""
    text = json.dumps(tool_input, ensure_ascii=False, allow_nan=False, indent=4)
    return text.replace("\n", "\n        ")  # other line breaks are escaped inside strings


DIALECT = CallFormat(
    name="command_r",
    summary="Action: and a JSON list in a fence (Command R)",
    payload=JsonPayload(
        tool="tool_name",
        tool_input="parameters",
        text=CALL,
        write_input=write_input,
        row=("```json\n[\n", ",\n", "\n]\n```"),
    ),
    call=("Action: ", ""),
    is_word=True,
    thought=None,
    content=("", "\n"),
    ends=(END,),
    results=ResultsWriter(each=("<results>\n", "</results>")),
    turn_frame=role_frame(
        (f"{END}<|START_OF_TURN_TOKEN|>", ""), "<|SYSTEM_TOKEN|>", "<|CHATBOT_TOKEN|>"
    ),
).dialect()
