"""Inkling: a sequence of messages, each with a mark that says what it holds.

    <|content_thinking|>I have to look it up.<|end_message|>\
<|message_model|><|content_text|>Let me see.<|end_message|>\
<|message_model|>search<|content_invoke_tool_json|>{"name":"search","args":{"query":"Lake Thun"}}\
<|end_message|><|message_model|>ping<|content_invoke_tool_json|>{"name":"ping","args":{}}\
<|end_message|>

The prompt ends with ``<|message_model|>``, so a turn begins behind it. The name of the tool stands
twice, and both have to be the same; that before the mark may be missing. Calls that are text
(``<|content_invoke_tool_text|>``) name no tool, and the error of a tool
(``<|content_tool_error|>``) is not the model's to write: both are refused. The renderers sort the
keys of past inputs; here they stay in order.

Source: vLLM's renderer and parser called ``inkling``, and SGLang's parsers of this name.
"""

import json
import re
from functools import partial
from typing import Any

from agent_parsers.authoring import (
    PROBLEMS,
    SAMPLE_TURN,
    CallForm,
    EndTurn,
    Form,
    Go,
    JsonPayload,
    Literal,
    Part,
    Problem,
    ResultForm,
    ResultsWriter,
    Table,
    calls_dialect,
)
from agent_parsers.engine.calls.json.headed import HeadedMessage, Header
from agent_parsers.engine.tables.reasoning import other_reasoning
from agent_parsers.events import AnswerDelta, SkippedDelta, ThoughtDelta

MODEL, TOOL, USER = "<|message_model|>", "<|message_tool|>", "<|message_user|>"
TEXT, THOUGHT = "<|content_text|>", "<|content_thinking|>"
CALL, TEXT_CALL = "<|content_invoke_tool_json|>", "<|content_invoke_tool_text|>"
TOOL_ERROR = "<|content_tool_error|>"
KINDS = (TEXT, THOUGHT, CALL, TEXT_CALL, TOOL_ERROR)
END, END_OF_TURN = "<|end_message|>", "<|content_model_end_sampling|>"
PAYLOAD = JsonPayload(tool_input="args")
name_in = re.compile(r"[\w.:/-]{0,64}+").match


def may_begin(text: str) -> bool:
    """Return whether a header may begin with *text*: perhaps a name, then a mark."""
    name = name_in(text)
    rest = text[name.end() :] if name else text
    return any(kind.startswith(rest) or rest.startswith(kind) for kind in KINDS)


def read_header(text: str, is_whole: bool, *, lenient: bool, is_marked: bool) -> Header:
    """Return what a header says; without ``<|message_model|>`` before it, it may be content."""
    kind = next((kind for kind in KINDS if is_whole and text.endswith(kind)), "")
    if kind == CALL:
        tool = text.removesuffix(kind).strip()
        return Header(body=PAYLOAD.reader(END, lenient=lenient)(), tool=tool)
    if kind == TEXT_CALL:
        return Header(SkippedDelta, problem="no_tool_name")
    if kind == TOOL_ERROR:
        return Header(SkippedDelta, problem="tool_error")
    if not kind and (is_marked or "<|" in text):
        return Header(SkippedDelta, problem="open_header")
    return Header(ThoughtDelta if kind == THOUGHT else AnswerDelta)


def table(*, lenient: bool) -> Table:
    """Return the table for strict or lenient mode."""
    read = partial(read_header, lenient=lenient)
    parts = {"start": Part.CALL, "header": Part.CALL, "body": Part.CALL}
    parts |= {"content": Part.CONTENT, "thought": Part.THOUGHT}
    ended = Go("start", closes=True)
    between = ("start", "header")  # in a message, only its end counts
    return Table(
        new_call=partial(HeadedMessage, "|>", partial(read, is_marked=False), may_begin),
        readers={"header": partial(HeadedMessage, "|>", partial(read, is_marked=True), may_begin)},
        markers={
            "message": Literal(MODEL),
            "message of another role": Literal(TOOL, (USER,)),
            "end of message": Literal(END),
            "end of turn": Literal(END_OF_TURN),
        },
        parts=parts,
        begun={"start": "body", "header": "body"},
        transitions={
            **{
                (state, name): ended
                for state in parts
                for name in ("end of message", "end of turn")
            },
            **{(state, "message"): Go("header") for state in between},
            **{(state, "message of another role"): EndTurn("header") for state in between},
        },
        several=True,
        starts={"content": "start", "thought": "thought"},
        prompt_ends={MODEL: "header", THOUGHT: "thought", TEXT: "content"},
        lenient=lenient,
    )


def write_input(tool_input: Any) -> str:
    """Return an input as JSON without white space."""
    return json.dumps(tool_input, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


FORM = Form(
    thought=(THOUGHT, f"{END}{MODEL}"),
    content=(TEXT, f"{END}{MODEL}"),
    call=CallForm(
        text=f'{{tool}}{CALL}{{"name":{{"tool"}},"args":{{input}}}}{END}', write_input=write_input
    ),
    calls=("", MODEL, ""),
    answer=(TEXT, END),
)
DIALECT = calls_dialect(
    "inkling",
    FORM(SAMPLE_TURN),
    summary="messages that begin with a mark for their kind, calls in JSON (Inkling)",
    strict=table(lenient=False),
    lenient=table(lenient=True),
    stop=(END_OF_TURN,),
    form=FORM,
    render_results=ResultsWriter(text=ResultForm(f"{TOOL}{{tool}}{TEXT}{{text}}{END}")),
    turn_frame=(END_OF_TURN, MODEL),
    reasoning=other_reasoning(THOUGHT),
    problems={
        **PROBLEMS,
        "several_tools": Problem(
            "expected the same tool name before the call's JSON and inside it, found two names",
            "Your call names two tools, so nothing was done. Write the call again, with one tool "
            "name.",
        ),
        "open_header": Problem(
            "expected a mark that says what kind of message follows",
            "The header of your message is cut off, so nothing was done. Write the whole message "
            "again.",
        ),
        "tool_error": Problem(
            "found the error message of a tool; the model must not write it",
            "Invalid Format: Do not write what a tool returns. Write a call, or the answer.",
        ),
    },
)
