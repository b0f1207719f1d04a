"""openPangu 2.0: a list of calls in JSON, on a line of its own between marks.

    <think>I have to look it up.</think>Let me see.<|tool_call_start|>
    [{"name": "search", "arguments": {"query": "Lake Thun"}}, {"name": "ping", "arguments": {}}]
    <|tool_call_end|>

The prompt opens the thought, or closes it if thinking is off. `lfm2` has Python in the same marks,
which opens no call here, and `pangu_embedded` the same list in others.

Source: the parser ``openpangu_v2`` of vllm-project/vllm, pull request 47271; the parser
``openpangu`` of jjang-ai/vmlx and its tests, which quote the chat template.
"""

from dataclasses import replace

from agent_parsers.authoring import TAGS, Ahead, Go, Table, list_tools_in_tags, role_frame
from agent_parsers.dialects import pangu_embedded
from agent_parsers.engine.calls.marks import Before
from agent_parsers.engine.markers.kinds import SPACE

START, END = "<|message_start|>", "<|message_end|>"
CALLS = ("<|tool_call_start|>\n", "\n<|tool_call_end|>")
PYTHON = rf"{SPACE}\[{SPACE}\w"
PENDING = rf"{SPACE}(?:\[{SPACE})?"


def without_python(table: Table) -> Table:
    """Return *table*; in lenient mode, a mark before a list of Python calls is no mark of its own.

    The turn is an error in both modes.
    """
    if not table.lenient:
        return table
    mark = CALLS[0].strip()
    markers = {
        "call": Before(mark, ahead=Ahead(f"(?!{PYTHON})", pending=PENDING, sample="")),
        "call in Python": Before(mark, ahead=Ahead(f"(?={PYTHON})", pending=PENDING, sample="[a")),
    }
    rows = {("content", "call in Python"): Go("content", clash="bad_call")}
    return replace(
        table,
        markers={**table.markers, **markers},
        transitions={**table.transitions, **rows},
    )


DIALECT = replace(
    pangu_embedded.FORMAT,
    name="openpangu_v2",
    summary="a JSON list in <|tool_call_start|> (openPangu 2.0)",
    call=CALLS,
    adapt=without_python,
    thought=TAGS,
    ends=(END,),
    turn_frame=role_frame((f"{END}{START}", "\n"), "tool"),
    list_tools=list_tools_in_tags,
).dialect()
