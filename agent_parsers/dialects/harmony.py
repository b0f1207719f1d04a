"""gpt-oss: a sequence of messages, each with a header that says what its body is.

A header has a role, a recipient (``to=``), a channel and a type, in two possible orders, and ends
at ``<|message|>``. A message with a recipient is a call, on any channel. Without a recipient,
``analysis`` is a thought, and ``final`` and ``commentary`` are content, as is a message without a
channel; what is said in ``commentary`` is never the answer. Any other channel is refused, since it
may be a thought. The body of a call is JSON whatever its type, but ``code`` and ``text`` may also
be the input of a tool without a schema. The prompt ends with ``<|start|>assistant``, so a turn
begins inside a header. ``<|call|>`` ends calls and nothing else, and no header follows text.

Calls are written with the recipient before the channel, as in the chat template of
openai/gpt-oss-20b; the content beside them is written in ``commentary``.

Source: openai/harmony, ``docs/format.md``.
"""

import re
from collections.abc import Callable, Collection
from functools import partial
from string import ascii_lowercase
from typing import TypeAlias

from typing_extensions import override

from agent_parsers.authoring import (
    PROBLEMS,
    Ahead,
    CallForm,
    EndTurn,
    Form,
    Go,
    Head,
    Literal,
    NamedJson,
    Note,
    Part,
    Problem,
    Result,
    ResultsWriter,
    Table,
    Transition,
    block_rules,
    calls_dialect,
)
from agent_parsers.engine.calls.json.headed import HeadedMessage, Header
from agent_parsers.engine.calls.marks import Before, one_of
from agent_parsers.engine.calls.reader import Call, CallReader
from agent_parsers.engine.repairs.names import repair_called_name
from agent_parsers.engine.repairs.payloads import ToolHead
from agent_parsers.engine.tables.guards import Here
from agent_parsers.events import AnswerDelta, Event, InputDelta, Repair, SkippedDelta, ThoughtDelta

SAMPLE = """\
<|channel|>analysis<|message|>I have to look it up.<|end|><|start|>assistant\
<|channel|>commentary<|message|>Let me see.<|end|><|start|>assistant\
<|channel|>commentary to=functions.search <|constrain|>json<|message|>{"query": "Lake Thun"}\
<|call|><|start|>assistant\
<|channel|>commentary to=functions.ping <|constrain|>json<|message|>{}<|call|>"""

START, MESSAGE, CHANNEL = "<|start|>", "<|message|>", "<|channel|>"
END, CALL, RETURN, CONSTRAIN = "<|end|>", "<|call|>", "<|return|>", "<|constrain|>"
MODEL, TO, TOOLS, TYPE = "assistant", "to=", "functions.", "json"
CALLED = "end of call"
THOUGHT, CONTENT, ANSWER = "analysis", "commentary", "final"
KINDS: dict[str, type[ThoughtDelta | AnswerDelta]] = {
    THOUGHT: ThoughtDelta,
    CONTENT: AnswerDelta,
    ANSWER: AnswerDelta,
}
RULES = block_rules()
ROLES = ("user", "system", "developer", "tool", TOOLS)
"""Roles whose messages the model must not write."""
TEXTS = ("code", "text")
"""Types of bodies that are the input as text."""
BEHIND = ("", TYPE, *TEXTS, *KINDS)
"""What may follow a recipient before the next mark: the type, or the channel."""
FOREIGN = ("python", "browser", "container")
"""Built-in tools of the provider, which the agent cannot call."""
NewBody: TypeAlias = Callable[[Head, int], CallReader]
"""Makes the reader of a call, given where its tool is named and the length of its header."""
recipients_in = re.compile(rf"{TO}\s*+([^\s<{{]*+)").findall
recipient_at = re.compile(r"[^\s<{]*+").match
REST = r"[^\s<{]{0,128}+\s{0,16}+[a-z]{0,16}+\s{0,16}+"
HEADER = Ahead(
    rf"(?=[^\s<{{]{REST}<\|(?:channel|constrain|message)\|>)",
    pending=rf"{REST}(?:<(?:\|[a-z]{{0,9}}+\|?)?)?",
    sample=f"{TOOLS}tool{CHANNEL}",
)
"""Requires the rest of a header to follow what names its recipient."""


def may_begin(text: str) -> bool:
    """Return whether a header may begin with *text*."""
    words = ("<|", TO, MODEL, *KINDS)
    return any(text.startswith(word) or word.startswith(text) for word in words)


def is_header(_text: str) -> bool:
    """Return true: the marker before the text has shown that it is the rest of a header."""
    return True


def names_a_tool(here: Here) -> str:
    """Refuse a recipient that is not a tool."""
    found = recipient_at(here.found.string, here.found.end())
    name, tools = found[0] if found else "", here.reader.tools
    if name.startswith(TOOLS) or (tools is not None and name in tools):
        return ""
    return "the recipient is not a tool"


def read_header(
    text: str,
    is_whole: bool,
    *,
    lenient: bool = False,
    channel: str = "",
    lead: str = "",
    new_body: NewBody | None = None,
) -> Header:
    """Return the parts of a header; if it is malformed, those that can be recognised.

    Args:
        text: The header, or what there is of it and perhaps of the body.
        is_whole: Whether the end of the header was found.
        lenient: Whether parts may be missing.
        channel: The channel, if the marker before the header names it.
        lead: The beginning of the header, if the marker before it is that.
        new_body: Makes the reader of a call whose body is not JSON.
    """
    text = text if is_whole else text.partition("{")[0]  # the body may contain anything
    text = lead + text
    is_marked = "<|" in text
    if is_marked and not (is_whole or lenient):
        return Header(SkippedDelta, problem="open_header")
    if len({name.removeprefix(TOOLS) for name in recipients_in(text)}) > 1:
        return Header(SkippedDelta, problem="two_recipients")
    named, at = _recipient(text)
    if not is_whole and not named.startswith(TOOLS):
        is_cut = at >= 0 and (named or not text[at:].strip())
        if is_cut and text.partition(TO)[0].strip() in ("", MODEL):
            return Header(SkippedDelta, problem="open_header")
        at = -1
    if named.partition(".")[0] in FOREIGN:
        return Header(SkippedDelta, problem="no_call")
    if at >= 0 and named != MODEL:
        return _header_of_call(text, at, named, len(lead), is_whole, lenient, new_body)
    written, stop = _channel(text)
    channel = written or channel
    said = Header(KINDS.get(channel, AnswerDelta), is_aside=channel == CONTENT)
    role = len(MODEL) * (_word(text) == MODEL)
    if is_whole:
        if CHANNEL in text and not written:
            return Header(SkippedDelta, problem="unknown_channel")
        return said._replace(stop=role)
    if is_marked and _is_cut(text, text[stop:].lstrip()):
        return Header(SkippedDelta, problem="open_header")
    if is_marked or (lenient and written and text[stop : stop + 1].isupper()):
        return said._replace(stop=stop * bool(written), odd=f"accepted a message without {MESSAGE}")
    return Header(stop=role) if written else said._replace(stop=role)


def _header_of_call(
    text: str,
    at: int,
    named: str,
    lead: int,
    is_whole: bool,
    lenient: bool,
    new_body: NewBody | None,
) -> Header:
    """Return what a header says that names a recipient *at* this offset, behind its *lead*."""
    before = text.partition(TO)[0]
    words = before.partition("<|")[0].split()
    has_other_mark = "<|" in before.replace(CHANNEL, "").replace(CONSTRAIN, "")
    if has_other_mark or not {*words} <= {MODEL, *KINDS}:
        return Header(SkippedDelta, problem="late_header")
    behind = text[at + len(named) :].partition("<|")[0]
    if is_whole and behind.strip() not in BEHIND:
        return Header(SkippedDelta, problem="no_tool_name")
    start = at + len(TOOLS) * named.startswith(TOOLS)
    head = Head(start - lead, at + len(named) - lead)
    size = len(text) - lead if is_whole else 0
    kind = _type(text) if size else ""
    if new_body is not None and is_whole:
        return Header(reader=new_body(head, size))
    if kind in TEXTS:
        return Header(InputDelta, head=head)
    read_head = partial(_read_head, head, size, lenient=lenient)
    return Header(reader=NamedJson(read_head, RULES[lenient], size=size))


def _is_cut(header: str, rest: str) -> bool:
    """Return whether a *header* is cut off, given the *rest* after its channel."""
    last = header[header.rfind("<") :]
    is_in_channel = any(kind.startswith(last.removeprefix(CHANNEL)) for kind in KINDS)
    is_in_mark = any(mark.startswith(last) for mark in (CHANNEL, CONSTRAIN, MESSAGE))
    return not rest or rest.startswith(("<|", TO)) or is_in_channel or is_in_mark


def _word(text: str) -> str:
    """Return the word that *text* begins with."""
    return text[: len(text) - len(text.lstrip(ascii_lowercase))]


def _recipient(text: str) -> tuple[str, int]:
    """Return the recipient in a header, and its offset; -1 if there is no recipient."""
    _, mark, rest = text.partition(TO)
    rest = rest.lstrip()
    stops = (at for at, char in enumerate(rest) if char.isspace() or char in "<{")
    return (rest[: next(stops, len(rest))], len(text) - len(rest)) if mark else ("", -1)


def _channel(text: str) -> tuple[str, int]:
    """Return the last channel in a header, and the offset of its end."""
    before, mark, _ = text.rpartition(CHANNEL)
    at = len(before) + len(mark)
    channel = next((kind for kind in KINDS if text.startswith(kind, at)), "")
    return channel, at + len(channel)


def _type(text: str) -> str:
    """Return the type of the body in a header; ``""`` if it has no type."""
    text = text.removesuffix(MESSAGE).rstrip()
    constrained = text.rpartition(CONSTRAIN)
    return _word(constrained[2].lstrip()) if constrained[1] else "code" * text.endswith(" code")


def _read_head(head: Head, size: int, text: str, *, lenient: bool) -> Head | None:
    """Return the *head* of a call if only JSON follows its header of this *size*."""
    if size:
        return head if text[size:].strip() in ("", '"' * lenient) else None
    return head._replace(odd=f"accepted a call without {MESSAGE}") if lenient else None


class LateMessage(HeadedMessage):
    """Reads a message whose header comes after other text; no call is made from it."""

    @override
    def close(self) -> tuple[list[Event], Call]:
        events, call = super().close()
        call.refuse("late_header")
        return events, call


def read_tool(written: str, names: Collection[str] | None, repairs: list[Repair]) -> ToolHead:
    """Return the tool that a name means, perhaps with a type attached or in another spelling."""
    name = written.removesuffix(TYPE)
    if names is None or written in names or name not in names:
        return repair_called_name(written, names, repairs)
    repairs.append(
        Repair("name", (0, len(written)), f"read {written!r} as the name {name!r} and a type")
    )
    return ToolHead(name)


def table(*, lenient: bool, new_body: NewBody | None = None) -> Table:
    """Return the table for strict or lenient mode.

    Args:
        lenient: Whether it is for lenient mode.
        new_body: Makes the reader of a call whose body is not JSON; then ``<|call|>`` may end any
            message.
    """
    ends = {"end of message": END, CALLED: CALL, "end of turn": RETURN}
    # What remains of the marks if a server removes special tokens: it removes all of them, or none.
    lost = {"content": ANSWER, "thought": THOUGHT, "aside": CONTENT} if lenient else {}
    parts = {"header": Part.CALL, "late header": Part.CALL, "body": Part.CALL}
    own = {"header": Part.CALL, "body": Part.CALL, "content": Part.CONTENT, "thought": Part.THOUGHT}
    own |= dict.fromkeys(lost.keys() - own.keys(), Part.CALL)
    bare = {f"bare {state}": part for state, part in own.items()} if lenient else own
    parts = {**bare, **parts}
    starts = {state.removeprefix("bare "): state for state in bare}
    headers = [state for state in parts if state.endswith(("header", "aside"))]
    late = Go("late header", guards=(names_a_tool,))
    of_call = "" if new_body else "end_of_call"
    transitions: dict[tuple[str, str], Transition] = {
        **{(state, "message"): Go("header") for state in parts},
        **{(state, "message of another role"): EndTurn("header") for state in parts},
        **{(state, "channel"): Go("header") for state in parts},
        **{(state, "recipient"): late for state in parts},
        **{(state, name): Go("header", closes=True) for state in parts for name in ends},
        **{(state, CALLED): Go("header", closes=True, of_call=of_call) for state in parts},
        # In a header they are part of the header.
        **{(state, "channel"): Note("header") for state in headers},
        **{(state, "recipient"): Note(state) for state in headers},
    }
    odd = "accepted a message without its special tokens"
    for to in lost:
        transitions |= {(state, f"{to} without marks"): Go(starts[to], odd=odd) for state in bare}
    read = partial(read_header, lenient=lenient, new_body=new_body)
    new_message = partial(HeadedMessage, MESSAGE)
    readers: dict[str, Callable[[], CallReader]] = {
        "late header": partial(LateMessage, MESSAGE, partial(read, lead=TO), is_header),
    }
    if lost:
        aside = partial(read, channel=CONTENT)
        readers[starts["aside"]] = partial(new_message, aside, may_begin)
    return Table(
        new_call=partial(new_message, read, may_begin),
        readers=readers,
        markers={
            "message": Literal(START),
            "message of another role": Before(START, ahead=one_of(*ROLES)),
            "channel": Literal(CHANNEL),
            "recipient": Before(TO, ahead=HEADER),
            **{name: Literal(text) for name, text in ends.items()},
            **{f"{to} without marks": Literal(f"{MODEL}{kind}") for to, kind in lost.items()},
        },
        parts=parts,
        begun={state: starts["body"] if state in bare else "body" for state in headers},
        transitions=transitions,
        several=True,
        starts={name: starts[name] for name in ("content", "thought")},
        prompt_ends={header(THOUGHT): starts["thought"], header(ANSWER): starts["content"]},
        lenient=lenient,
        read_tool=read_tool if lenient else None,
    )


def header(channel: str) -> str:
    """Return the header of a message on a *channel*."""
    return f"{CHANNEL}{channel}{MESSAGE}"


def write_result(result: Result) -> str:
    """Return the result of one call as text."""
    return f"{START}{TOOLS}{result.tool} {TO}{MODEL}{header(CONTENT)}{result.text}{END}"


NEXT = f"{START}{MODEL}"
FOREIGN_MESSAGE = Problem(
    "found a message from the user or a tool; the model must not write it",
    "Invalid Format: Do not write the messages of the user or of tools; they are given to you.",
)

DIALECT = calls_dialect(
    "harmony",
    SAMPLE,
    aliases=("gpt_oss", "openai_gptoss"),
    summary="messages with channels and recipients (gpt-oss)",
    strict=table(lenient=False),
    lenient=table(lenient=True),
    stop=(CALL, RETURN),
    closer=CALL,
    form=Form(
        thought=(header(THOUGHT), f"{END}{NEXT}"),
        content=(header(CONTENT), f"{END}{NEXT}"),
        call=CallForm(
            text=f" {TO}{TOOLS}{{tool}}{CHANNEL}{CONTENT} {TYPE}{MESSAGE}{{input}}{CALL}"
        ),
        calls=("", NEXT, ""),
        answer=(header(ANSWER), RETURN),
    ),
    render_results=ResultsWriter(text=write_result),
    turn_frame=("", NEXT),
    problems={
        **PROBLEMS,
        "open_header": Problem(
            f"expected {MESSAGE} and a body after the header of a message",
            "The header of your message is cut off, so nothing was done. Write the whole message "
            "again.",
        ),
        "unknown_channel": Problem(
            f"expected {THOUGHT}, {CONTENT} or {ANSWER} as the channel of a message",
            f"Write your answer on the channel {ANSWER}.",
        ),
        "end_of_call": Problem(
            f"expected {END} or {RETURN} at the end of a message that is not a call, found {CALL}",
            f"Your message ended in {CALL} but was not a call, so nothing was done. Write the call"
            " again, with the name of the tool, or write your answer.",
        ),
        "late_header": Problem(
            f"expected the header of a call directly after {START}, found other text there",
            "Other text comes before your call, so nothing was done. Write the call as a message "
            "of its own.",
        ),
        "two_recipients": Problem(
            "expected one recipient in the header of a message, found several",
            "Your message has several recipients, so nothing was done. Write the message again, "
            "to one tool only.",
        ),
        "invented_first": FOREIGN_MESSAGE,
        "invented_after": FOREIGN_MESSAGE,
    },
)
