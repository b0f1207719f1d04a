"""Functionary 3.2: a row of messages, each with its recipient on a line of its own.

    all
    Let me see.>>>search
    {"query": "Lake Thun"}>>>ping
    {}

The prompt ends with ``>>>``, so a turn begins behind it. A message to ``all`` is content, any
other is a call of the tool with this name, whose input is JSON. The mark counts only if a name and
the end of its line follow, so ``>>> x = 1`` is text. Python code for the built-in interpreter is an
error, and so is a single word without a recipient, since it may be one that is cut.

Source: the chat template of meetkai/functionary-medium-v3.2 (ggml-org/llama.cpp:
models/templates/meetkai-functionary-medium-v3.2.jinja).
"""

import re
from dataclasses import replace
from functools import partial

from agent_parsers.authoring import (
    PROBLEMS,
    SAMPLE_TURN,
    Ahead,
    CallForm,
    Form,
    Go,
    Head,
    Literal,
    NamedJson,
    Part,
    Problem,
    ResultsWriter,
    Table,
    block_rules,
    calls_dialect,
    role_frame,
)
from agent_parsers.dialects import functionary_v31, llama3_json
from agent_parsers.engine.calls.json.headed import HeadedMessage, Header
from agent_parsers.engine.calls.marks import Before
from agent_parsers.events import AnswerDelta, SkippedDelta
from agent_parsers.families.results_writer import given_marks

MARK, ALL = ">>>", "all\n"
END = llama3_json.ENDS[0]
NAME = r"[\w/-]{1,64}+(?>(?:[.:][\w/-]{1,64}+){0,3})"
BLANKS = r"[ \t\r]{0,16}+"
BEGUN = rf"(?>(?:{NAME}[.:]?{BLANKS})?)"
RULES = block_rules()
NAMED = Ahead(rf"(?={NAME}{BLANKS}\n|{BEGUN}\Z)", pending=BEGUN, sample=ALL)
FRAME = role_frame(
    (f"{END}{functionary_v31.AROUND_ROLE[0]}", functionary_v31.AROUND_ROLE[1]), "tool"
)
begun_as = re.compile(rf"{BEGUN}|{NAME}{BLANKS}\n.*", re.DOTALL).fullmatch


def may_begin(text: str) -> bool:
    """Return whether a header may begin with *text*: a name on a line of its own."""
    return begun_as(text) is not None


def read_head(size: int, text: str, *, lenient: bool) -> Head | None:
    """Return the head of a call: its name, in the first *size* characters of *text*."""
    return (
        Head(0, len(text[:size].rstrip())) if text[size:].strip() in ("", '"' * lenient) else None
    )


def read_header(text: str, is_whole: bool, *, lenient: bool, is_marked: bool) -> Header:
    """Return what a header says; without ``>>>`` before it, it may be content."""
    if text.strip() == ALL.strip():
        return Header(AnswerDelta, len(text))  # the message may be empty
    if not is_whole and (is_marked or begun_as(text)):
        return Header(SkippedDelta, problem="open_header")
    if not is_whole:
        return Header(AnswerDelta)
    read = partial(read_head, len(text), lenient=lenient)
    return Header(reader=NamedJson(read, RULES[lenient], size=len(text)))


def table(*, lenient: bool) -> Table:
    """Return the table for strict or lenient mode."""
    parts = {"start": Part.CALL, "header": Part.CALL, "body": Part.CALL}
    read = partial(read_header, lenient=lenient)
    return Table(
        new_call=partial(HeadedMessage, "\n", partial(read, is_marked=False), may_begin),
        readers={"header": partial(HeadedMessage, "\n", partial(read, is_marked=True), may_begin)},
        markers={"message": Before(MARK, ahead=NAMED), "end of turn": Literal(END)},
        parts={**parts, "over": Part.SKIPPED},
        begun={"start": "body", "header": "body"},
        transitions={
            **{(state, "message"): Go("header") for state in parts},
            **{(state, "end of turn"): Go("over", closes=True) for state in parts},
        },
        several=True,
        starts={"content": "start"},
        prompt_ends={MARK: "header"},
        lenient=lenient,
    )


FORM = Form(
    content=(ALL, MARK),
    call=CallForm(text="{tool}\n{input}"),
    calls=("", MARK, ""),
    answer=(ALL, END),
)
DIALECT = calls_dialect(
    "functionary_v32",
    FORM(replace(SAMPLE_TURN, thought="")),
    summary="names on lines after >>>, and JSON (Functionary 3.2)",
    strict=table(lenient=False),
    lenient=table(lenient=True),
    stop=(END,),
    form=FORM,
    render_results=ResultsWriter(between=FRAME[0]),
    turn_frame=(FRAME[0], f"{FRAME[1]}{MARK}"),
    given=given_marks("", FRAME, (END,)),
    problems={
        **PROBLEMS,
        "open_header": Problem(
            "expected the end of the line that names the recipient",
            "The header of your message is cut off, so nothing was done. Write the whole message "
            "again.",
        ),
    },
)
