"""Muse Glimmer: a sequence of messages with recipients; those to tools have tagged calls.

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
the tool appears twice; if the two differ, nothing is called. The element around a call may be
missing, and may have several calls, of which one has to be for the recipient. Values are verbatim
text, including blanks. Elements in a message to the user or to the model itself are text. A message
to ``commentary`` or without a recipient is content; `muse_spark` means the latter for a thought.

Lenient mode also reads a message that begins inside another which has no end, unless anything
follows it: then the other may have quoted it. It reads a call that lacks its header as well, since
servers strip special tokens.

Source: the chat template of meta-models/Muse-Glimmer-30B (ggml-org/llama.cpp:
models/templates/muse-glimmer.jinja), the parser ``muse_glimmer`` of vllm-project/vllm, and
ollama/ollama: model/parsers/glimmer.go.
"""

import re
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from typing_extensions import override

from agent_parsers.authoring import (
    SAMPLE_TURN,
    Ahead,
    Call,
    CallForm,
    EndTurn,
    Form,
    Go,
    Literal,
    Note,
    Part,
    Problem,
    ResultForm,
    ResultsWriter,
    Table,
    TaggedPayload,
    Transition,
    calls_dialect,
)
from agent_parsers.engine.calls.json.headed import HeadedMessage, Header
from agent_parsers.engine.calls.marks import Before, one_of
from agent_parsers.engine.calls.tags.form import TaggedForm
from agent_parsers.engine.calls.tags.tagged_calls import TaggedCalls
from agent_parsers.events import AnswerDelta, Event, Repair, SkippedDelta, ThoughtDelta

if TYPE_CHECKING:
    from agent_parsers.engine.markers.kinds import Marker

Kind: TypeAlias = type[ThoughtDelta | AnswerDelta | SkippedDelta]
OTHER = "<|start|>"
MODEL = f"{OTHER}assistant"
MESSAGE, END, END_OF_TURN = "<|message|>", "<|eom|>", "<|eot|>"
TO = "to="
SELF, USER = f" {TO}self{MESSAGE}", f" {TO}user{MESSAGE}"
KINDS: Mapping[str, Kind] = {
    "": AnswerDelta,
    "commentary": AnswerDelta,
    "user": AnswerDelta,
    "self": ThoughtDelta,
}
"""What a message is, by its recipient; any other is a tool."""
header_of = re.compile(rf"\s*(?:{TO}([\w.:/-]{{1,128}}))?\s*{re.escape(MESSAGE)}").fullmatch
recipient_in = re.compile(rf"\s*(?:{TO}[\w.:/-]{{0,128}}+)?\s*").match
RECIPIENT = Ahead(
    rf"(?=[\w.:/-]{{1,128}}+\s{{0,16}}+{re.escape(MESSAGE)})",
    pending=r"[\w.:/-]{0,128}+\s{0,16}+(?:<(?:\|[a-z]{0,7}+\|?)?)?",
    sample=f"user{MESSAGE}",
)
"""Requires the rest of a header to follow."""


CALLS = ("<atem:function_calls>", "</atem:function_calls>")
PAYLOAD = TaggedPayload(
    call='<atem:invoke name="{tool}">\n{parameters}</atem:invoke>',
    parameter='<atem:parameter name="{key}">{value}</atem:parameter>\n',
)


LEFT_OUT = "dropped a message to another recipient"
INVOKE = PAYLOAD.call.partition(' name="')[0]
BARE = (CALLS[0], INVOKE)
"""What a call begins with that lacks its header."""
LATE = "late_message"
LAST = ("last header", "last body", "behind")
"""States of a message that begins inside another, and behind it, where nothing may follow."""


def may_begin(text: str) -> bool:
    """Return whether *text* may begin a header, or a call without a header."""
    found = recipient_in(text)
    rest = text[found.end() :] if found else text
    begins = TO.startswith(text.lstrip()) or MESSAGE.startswith(rest)
    is_odd = text.lstrip().startswith(TO) and rest.startswith(MESSAGE[:2])  # with another mark
    is_bare = any(mark.startswith(text.lstrip()) and mark != text.lstrip() for mark in BARE)
    return begins or is_odd or is_bare or rest.startswith(MESSAGE)


def is_header(_text: str) -> bool:
    """Return true: the marker before the text has shown that it is the rest of a header."""
    return True


def read_header(
    text: str,
    is_whole: bool,
    *,
    kinds: Mapping[str, Kind],
    form: TaggedForm,
    is_marked: bool = True,
    is_late: bool = False,
) -> Header:
    """Return what a header says.

    Args:
        text: The header, or what there is of it.
        is_whole: Whether its end was found.
        kinds: What messages are, by their recipients.
        form: How calls are read.
        is_marked: Whether a mark precedes it; without one, the text may be content.
        is_late: Whether it stands inside another message; the marker before it is its beginning.
    """
    found = header_of(f"{TO}{text}" if is_late else text) if is_whole else None
    if found is None:
        is_header = is_marked or is_whole or MESSAGE[:2] in text
        return Header(SkippedDelta, problem="open_header") if is_header else Header()
    kind = kinds.get(found[1] or "")
    if kind is None:
        body = LateCalls(form) if is_late else TaggedCalls(form)
        return Header(body=body, tool=found[1])
    return Header(kind, odd=LEFT_OUT if form.lenient and kind is SkippedDelta else "")


def refuse(_text: str, _is_whole: bool) -> Header:
    """Return the header of a message that is an error in this place."""
    return Header(SkippedDelta, problem=LATE)


class LateCalls(TaggedCalls):
    """Reads calls of a message inside another; if text comes after them, they may be quoted."""

    __slots__ = ()

    @override
    def close(self) -> tuple[list[Event], Call]:
        events, call = super().close()
        problem = LATE if any(each.is_text for each in self.more) else ""
        for each in (call, *self.more):
            each.is_short = True
            each.refuse(problem)
        return events, call


class BareCalls(TaggedCalls):
    """Reads calls that lack the header of their message, and reports a repair."""

    __slots__ = ()

    @override
    def close(self) -> tuple[list[Event], Call]:
        events, call = super().close()
        repair = Repair("header", call.span, "accepted a call without the header of its message")
        call.repairs = (repair, *call.repairs)
        return events, call


class MuseMessage(HeadedMessage):
    """Reads a message, or in lenient mode calls that lack its header."""

    def __init__(self, *args: Any, form: TaggedForm, **options: Any) -> None:
        super().__init__(*args, **options)
        self._form = form

    @override
    def _open(self, header: Header, text: str, stop: int, events: list[Event]) -> str:
        if self._form.lenient and header == Header() and text.lstrip().startswith(BARE):
            header = Header(body=BareCalls(self._form))
        return super()._open(header, text, stop, events)


def table(kinds: Mapping[str, Kind] = KINDS, *, lenient: bool) -> Table:
    """Return the table of strict or of lenient mode, for messages of these *kinds*."""
    form = PAYLOAD.tagged_form(CALLS, lenient=lenient)
    read = partial(read_header, kinds=kinds, form=form)
    new_message = partial(MuseMessage, MESSAGE, form=form)
    headers = {
        "start": partial(
            new_message, read_header=partial(read, is_marked=False), may_begin=may_begin
        ),
        "header": partial(new_message, read_header=read, may_begin=may_begin),
    }
    markers: dict[str, Marker] = {
        "message": Literal(MODEL),
        "message of another role": Before(OTHER, ahead=one_of("user", "system", "tool")),
        "end of message": Literal(END),
        "end of turn": Literal(END_OF_TURN),
    }
    if lenient:
        asides = [f"{to}{MESSAGE}" for to, kind in kinds.items() if to and kind is not AnswerDelta]
        markers |= {
            "recipient of an aside": Before(TO, ahead=one_of(*asides)),
            "recipient": Before(TO, ahead=RECIPIENT),
        }
        if kinds[""] is ThoughtDelta:
            markers["end of header"] = Literal(MESSAGE)
        new_late = partial(new_message, may_begin=is_header)
        read_late = partial(read, is_late=True)
        headers |= {
            "header of an aside": partial(new_late, read_header=read_late),
            "last header": partial(new_late, read_header=read_late),
            "behind": partial(new_late, read_header=refuse),
        }
    begun = {state: "last body" if state in LAST else "body" for state in headers}
    parts = {
        **dict.fromkeys([*headers, *begun.values()], Part.CALL),
        "thought": Part.THOUGHT,
        "content": Part.CONTENT,
    }
    in_header = ("recipient of an aside", "recipient", "end of header")  # they are part of it
    odd = "read a message after one without an end mark"
    rows: dict[str, Transition] = {
        "message": Go("header"),
        "message of another role": EndTurn("header"),
        "end of message": Go("start", closes=True),
        "end of turn": Go("start", closes=True),
        "recipient of an aside": Go("header of an aside", odd=odd),
        "recipient": Go("last header", odd=odd),
        "end of header": Go("thought", odd=odd),
    }
    rows_of_last = rows | {
        "message": Go("behind"),
        "end of message": Go("behind", closes=True),
        "end of turn": Go("behind", closes=True),
        "recipient of an aside": rows["recipient"],
        "end of header": Go("behind"),
    }
    return Table(
        new_call=headers["start"],
        readers={state: new for state, new in headers.items() if state != "start"},
        markers=markers,
        parts=parts,
        begun=begun,
        transitions={
            (state, name): Note(state) if state in headers and name in in_header else goes[name]
            for state in parts
            for goes in [rows_of_last if state in LAST else rows]
            for name in markers
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
        text=f" {TO}{{tool}}{MESSAGE}{CALLS[0]}\n{PAYLOAD.call}\n{CALLS[1]}",
        parameters=PAYLOAD.form.parameters,
    ),
    calls=("", f"{END}{MODEL}", ""),
    answer=(USER, END_OF_TURN),
)
DIALECT = calls_dialect(
    "muse_glimmer",
    FORM(SAMPLE_TURN),
    aliases=("glimmer",),
    summary="messages with recipients, <atem:invoke> and <atem:parameter> (Muse Glimmer)",
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
            f"expected {MESSAGE} after the recipient of a message",
            "The header of your message is cut off, so nothing was done. Write the whole message "
            "again.",
        ),
        LATE: Problem(
            f"expected {END} at the end of a message, found another message inside it",
            f"A message begins inside another one, which has no {END} before it. It may be a "
            f"quotation: nothing was done. Write all messages again, each with {END} at its end.",
        ),
    },
)
