"""Command R and R+: ``Action:`` and a list of calls in a JSON fence, with keys of their own.

Cohere's prompt has a tool ``directly_answer``, for turns that need no other tool. A call of it is
read as a call: the model writes the answer when it is asked again without tools.

Source: Cohere's guide to single-step tool use with C4AI Command R, and the chat template of
CohereForAI/c4ai-command-r-v01 for the text around calls and results.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from agent_parsers.families.json_blocks import block_rules, list_dialect
from agent_parsers.families.turn_writer import ResultsWriter, TurnWriter

if TYPE_CHECKING:
    from agent_parsers.engine.grammar.dialect import WrittenCall

__all__ = ["DIALECT"]

SAMPLE: Final = """\
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
```"""

END: Final = "<|END_OF_TURN_TOKEN|><|START_OF_TURN_TOKEN|>"
FRAME: Final = (f"{END}<|SYSTEM_TOKEN|>", f"{END}<|CHATBOT_TOKEN|>")


def write_call(call: WrittenCall) -> str:
    """Return one call as an item of the list."""
    written = {"tool_name": call.tool, "parameters": call.tool_input}
    text = json.dumps(written, ensure_ascii=False, allow_nan=False, indent=4)
    return "    " + text.replace("\n", "\n    ")  # other line breaks are escaped inside strings


DIALECT: Final = list_dialect(
    "command_r",
    SAMPLE,
    summary="Action: and a JSON list in a fence (Command R)",
    marks=("Action:", ""),
    is_word=True,
    end="<|END_OF_TURN_TOKEN|>",
    rules=block_rules("tool_name", "parameters", enclosed="```json["),
    write=TurnWriter(
        content=("", "\n"),
        call=write_call,
        calls=("Action: ```json\n[\n", ",\n", "\n]\n```"),
    ),
    render_results=ResultsWriter(each=("<results>\n", "</results>"), between=FRAME[0]),
    turn_frame=FRAME,
)
