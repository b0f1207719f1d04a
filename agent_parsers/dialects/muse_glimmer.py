"""Muse Glimmer and Spark: a sequence of messages with recipients; those to tools have tagged calls.

     to=self<|message|>I have to look it up.<|eom|>\
<|start|>assistant to=user<|message|>Let me see.<|eom|>\
<|start|>assistant to=search<|message|><atem:function_calls>
    <atem:invoke name="search">
    <atem:parameter name="query">Lake Thun</atem:parameter>
    </atem:invoke>
    </atem:function_calls><|eom|><|start|>assistant to=ping<|message|><atem:function_calls>
    <atem:invoke name="ping">
    </atem:invoke>
    </atem:function_calls>

The prompt ends with ``<|start|>assistant``, so a turn begins behind it, with a space. The name of
the tool stands twice; only the one in the element is read. The element around a call may be
missing, and may have several calls. Values are verbatim text, including blanks. Elements in a
message to the user or to the model itself are text. Spark also writes messages to ``commentary``,
which are content. A message without a recipient is content, as Glimmer means it; Spark means it for
a thought.

Source: the chat template of meta-models/Muse-Glimmer-30B (ggml-org/llama.cpp:
models/templates/muse-glimmer.jinja), the parsers ``muse`` and ``muse_glimmer`` of
vllm-project/vllm, and ollama/ollama: model/parsers/glimmer.go.
"""

import re
from functools import partial

from agent_parsers.authoring import (
    SAMPLE_TURN,
    CallForm,
    EndTurn,
    Form,
    Go,
    Literal,
    Part,
    Problem,
    ResultForm,
    ResultsWriter,
    Table,
    TaggedPayload,
    calls_dialect,
)
from agent_parsers.engine.calls.json.headed import HeadedMessage, Header
from agent_parsers.engine.calls.marks import Before, one_of
from agent_parsers.engine.calls.tags.tagged_calls import TaggedCalls
from agent_parsers.events import AnswerDelta, SkippedDelta, ThoughtDelta
from agent_parsers.families.call_blocks import NewCall

OTHER = "<|start|>"
MODEL = f"{OTHER}assistant"
MESSAGE, END, END_OF_TURN = "<|message|>", "<|eom|>", "<|eot|>"
SELF, USER = f" to=self{MESSAGE}", f" to=user{MESSAGE}"
SAID = ("", "user", "commentary")
"""Recipients of content."""
header_of = re.compile(rf"\s*(?:to=([\w.:/-]{{1,128}}))?\s*{re.escape(MESSAGE)}").fullmatch
recipient_in = re.compile(r"\s*(?:to=[\w.:/-]{0,128}+)?\s*").match


CALLS = ("<atem:function_calls>", "</atem:function_calls>")
PAYLOAD = TaggedPayload(
    call='<atem:invoke name="{tool}">\n{parameters}</atem:invoke>',
    parameter='<atem:parameter name="{key}">{value}</atem:parameter>\n',
)


def may_begin(text: str) -> bool:
    """Return whether a header may begin with *text*."""
    found = recipient_in(text)
    rest = text[found.end() :] if found else text
    begins = "to=".startswith(text.lstrip()) or MESSAGE.startswith(rest)
    return begins or rest.startswith(MESSAGE)


def read_header(text: str, is_whole: bool, *, new_call: NewCall, is_marked: bool) -> Header:
    """Return what a header says; without ``<|start|>`` before it, the text may be content."""
    found = header_of(text) if is_whole else None
    if found is None:
        is_header = is_marked or is_whole or MESSAGE[:2] in text
        return Header(SkippedDelta, problem="open_header") if is_header else Header()
    recipient = found[1] or ""
    if recipient == "self" or recipient in SAID:
        return Header(ThoughtDelta if recipient == "self" else AnswerDelta)
    return Header(body=new_call())


def table(*, lenient: bool) -> Table:
    """Return the table of strict or of lenient mode."""
    new_call = partial(TaggedCalls, PAYLOAD.tagged_form(CALLS, lenient=lenient))
    read = partial(read_header, new_call=new_call)
    parts = {
        "start": Part.CALL,
        "header": Part.CALL,
        "body": Part.CALL,
        "thought": Part.THOUGHT,
        "content": Part.CONTENT,
    }
    return Table(
        new_call=partial(HeadedMessage, MESSAGE, partial(read, is_marked=False), may_begin),
        readers={
            "header": partial(HeadedMessage, MESSAGE, partial(read, is_marked=True), may_begin)
        },
        markers={
            "message": Literal(MODEL),
            "message of another": Before(OTHER, ahead=one_of("user", "system", "tool")),
            "end of message": Literal(END),
            "end of turn": Literal(END_OF_TURN),
        },
        parts=parts,
        begun={"start": "body", "header": "body"},
        transitions={
            **{
                (state, name): Go("start", closes=True)
                for state in parts
                for name in ("end of message", "end of turn")
            },
            **{(state, "message"): Go("header") for state in parts},
            **{(state, "message of another"): EndTurn("header") for state in parts},
        },
        several=True,
        starts={"content": "start", "thought": "thought"},
        prompt_ends={MODEL: "header", SELF: "thought", USER: "content"},
        lenient=lenient,
    )


FORM = Form(
    thought=(SELF, f"{END}{MODEL}"),
    content=(USER, f"{END}{MODEL}"),
    call=CallForm(
        text=f" to={{tool}}{MESSAGE}{CALLS[0]}\n{PAYLOAD.call}\n{CALLS[1]}",
        parameters=PAYLOAD.form.parameters,
    ),
    calls=("", f"{END}{MODEL}", ""),
    answer=(USER, END_OF_TURN),
)
DIALECT = calls_dialect(
    "muse_glimmer",
    FORM(SAMPLE_TURN),
    aliases=("muse", "glimmer"),
    summary="messages with recipients, <atem:invoke> and <atem:parameter> (Muse Glimmer and Spark)",
    strict=table(lenient=False),
    lenient=table(lenient=True),
    stop=(END_OF_TURN,),
    form=FORM,
    render_results=ResultsWriter(
        text=ResultForm(
            f'{OTHER}tool {{tool}}{MESSAGE}<tool_output name="{{tool}}">\n{{text}}\n</tool_output>'
            f"{END_OF_TURN}"
        )
    ),
    turn_frame=(END_OF_TURN, MODEL),
    problems={
        **PAYLOAD.problems,
        "open_header": Problem(
            f"expected {MESSAGE} behind the recipient of a message",
            "The header of a message has no end, so nothing was done. Write the message again,"
            " whole.",
        ),
    },
)
