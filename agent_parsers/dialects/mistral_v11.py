"""Mistral Small 3.2 and Magistral of mid-2025: like `mistral`, with an id for each call.

    <think>
    I have to look it up.
    </think>

    Let me see.[TOOL_CALLS]search[CALL_ID]a1b2c3d4e[ARGS]{"query": "Lake Thun"}\
[TOOL_CALLS]ping[CALL_ID]f5g6h7i8j[ARGS]{}

An id has nine letters or digits; the chat template rejects others. For a call without an id, the
call and its result are written with its number.

Source: the v11 instruct tokenizer of mistralai/mistral-common.
"""

from dataclasses import replace

from agent_parsers.authoring import LINES, SAMPLE_TURN, Result, WrittenCall
from agent_parsers.dialects import mistral
from agent_parsers.dialects.mistral import ARGS, CALL_ID

IDS = "{9}"
SAMPLE = replace(SAMPLE_TURN, id="a1b2c3d4e", others=(WrittenCall("ping", {}, "f5g6h7i8j"),))


def call_id(_tool: str, known: str | None, number: int) -> str:
    """Return the *known* id of a call, or an id made from its *number*.

    Raises:
        ValueError: The known id does not have nine letters or digits.
    """
    if known is None:
        return f"{number:09d}"
    if len(known) != 9 or not (known.isascii() and known.isalnum()):
        raise ValueError(f"a call id must have nine letters or digits, unlike {known!r}")
    return known


def write_result(result: Result) -> str:
    """Return the result of one call as text."""
    return f"{result.id}[TOOL_CONTENT]{result.text}"


DIALECT = replace(
    mistral.FORMAT,
    name="mistral_v11",
    aliases=(),
    summary="[TOOL_CALLS], a name, an id, and JSON after [ARGS] (Mistral Small 3.2)",
    payload=replace(mistral.PAYLOAD, call=f"{{tool}}{CALL_ID}{{id}}{ARGS}{{input}}"),
    thought=LINES,
    other_thought=mistral.THOUGHT,
    call_id=call_id,
    ids=IDS,
    results=replace(mistral.FORMAT.results, text=write_result, call_id=call_id),
    sample=SAMPLE,
).dialect(given=mistral.GIVEN)
