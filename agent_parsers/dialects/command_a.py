"""Command A and R7B: a list of calls in JSON in ``<|START_ACTION|>``, and tokens around answers.

    <|START_THINKING|>I have to look it up.<|END_THINKING|><|START_ACTION|>[
        {"tool_call_id": "0", "tool_name": "search", "parameters": {"query": "Lake Thun"}},
        {"tool_call_id": "1", "tool_name": "ping", "parameters": {}}
    ]<|END_ACTION|>

A turn has calls or an answer, which is in ``<|START_RESPONSE|>`` or, in later models, in
``<|START_TEXT|>`` (`command_a_plus`). Both are read in lenient mode. The plan before the calls is a
thought. Ids number the calls of a conversation from 0; the template gives any other id such a
number. The marks of citations, ``<co>`` and ``</co: 0:[1]>``, remain in the answer.

Source: the chat template of CohereForAI/c4ai-command-r7b-12-2024, and the templates cmd3 of
cohere-ai/melody; results are written as in the latter.
"""

from functools import partial

from agent_parsers.authoring import (
    CallFormat,
    Go,
    JsonPayload,
    Literal,
    Result,
    ResultsWriter,
    Table,
    role_frame,
    write_json,
)
from agent_parsers.families.call_tables import with_answer_block

END = "<|END_OF_TURN_TOKEN|>"
RESPONSE = ("<|START_RESPONSE|>", "<|END_RESPONSE|>")
TEXT = ("<|START_TEXT|>", "<|END_TEXT|>")


def call_id(_tool: str, known: str | None, number: int) -> str:
    """Return the *known* id of a call, or one made from its *number*."""
    return known if known is not None and known.isdecimal() else str(number - 1)


def write_result(result: Result) -> str:
    """Return the result of one call as an item of a list."""
    results = f'"results": {{\n            "0": {write_json({"content": result.text})}\n        }}'
    head = f'"tool_call_id": {write_json(result.id)}'
    return f'    {{\n        {head},\n        {results},\n        "is_error": null\n    }}'


def with_answer(
    table: Table, marks: tuple[str, str], others: tuple[str, str], *, ends_call: bool = True
) -> Table:
    """Return *table* with the *marks* around an answer, and *others* in lenient mode.

    Calls may follow an answer, which is then the content beside them; other text is left out. In
    lenient mode an answer may end a call that lacks its closer, unless it may stand in a value.
    """
    also = others if table.lenient else ()
    opens, closes = Literal(marks[0], also[:1]), Literal(marks[1], also[1:])
    behind = {("call", "answer"): Go("content")} if table.lenient and ends_call else {}
    return with_answer_block(table, {"answer": opens, "end of answer": closes}, behind)


FORMAT = CallFormat(
    name="command_a",
    aliases=("cohere_command3",),
    summary="<|START_ACTION|> and a JSON list (Command A, Command R7B)",
    payload=JsonPayload(
        tool="tool_name",
        tool_input="parameters",
        call_id="tool_call_id",
        text='    {"tool_call_id": {"id"}, "tool_name": {"tool"}, "parameters": {input}}',
        row=("[\n", ",\n", "\n]"),
    ),
    call=("<|START_ACTION|>", "<|END_ACTION|>"),
    thought=("<|START_THINKING|>", "<|END_THINKING|>"),
    answer=RESPONSE,
    content=None,
    call_id=call_id,
    ids="{number}",
    ends=(END,),
    results=ResultsWriter(
        text=write_result,
        between=",\n",
        around=("<|START_TOOL_RESULT|>[\n", "\n]<|END_TOOL_RESULT|>"),
        call_id=call_id,
    ),
    turn_frame=role_frame(
        (f"{END}<|START_OF_TURN_TOKEN|>", ""), "<|SYSTEM_TOKEN|>", "<|CHATBOT_TOKEN|>"
    ),
    adapt=partial(with_answer, marks=RESPONSE, others=TEXT),
)
DIALECT = FORMAT.dialect()
