"""gpt-oss: a sequence of messages, each with a header that says what its body is.

A header has a role, a recipient (``to=``), a channel and a type, in two possible orders, and ends
at ``<|message|>``. A message with a recipient is a call, on any channel. Without a recipient,
``analysis`` is a thought, and ``final`` and ``commentary`` are content, as is a message without a
channel. Any other channel is refused; in lenient mode it has content too. The prompt ends with
``<|start|>assistant``, so a turn begins inside a header.

Calls are written with the recipient before the channel, as in the chat template of
openai/gpt-oss-20b; the content beside them is written in ``commentary``.

Source: openai/harmony, ``docs/format.md``.
"""

from collections.abc import Collection
from functools import partial
from string import ascii_lowercase

from agent_parsers.authoring import (
    PROBLEMS,
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
from agent_parsers.engine.repairs.names import repair_called_name
from agent_parsers.engine.repairs.payloads import ToolHead
from agent_parsers.events import AnswerDelta, InputDelta, Repair, SkippedDelta, ThoughtDelta

SAMPLE = """\
<|channel|>analysis<|message|>I have to look it up.<|end|><|start|>assistant\
<|channel|>commentary<|message|>Let me see.<|end|><|start|>assistant\
<|channel|>commentary to=functions.search <|constrain|>json<|message|>{"query": "Lake Thun"}\
<|call|><|start|>assistant\
<|channel|>commentary to=functions.ping <|constrain|>json<|message|>{}<|call|>"""

START, MESSAGE, CHANNEL = "<|start|>", "<|message|>", "<|channel|>"
END, CALL, RETURN, CONSTRAIN = "<|end|>", "<|call|>", "<|return|>", "<|constrain|>"
MODEL, TO, TOOLS, TYPE = "assistant", "to=", "functions.", "json"
THOUGHT, CONTENT, ANSWER = "analysis", "commentary", "final"
KINDS: dict[str, type[ThoughtDelta | AnswerDelta]] = {
    THOUGHT: ThoughtDelta,
    CONTENT: AnswerDelta,
    ANSWER: AnswerDelta,
}
RULES = block_rules()
ROLES = ("user", "system", "developer", "tool", TOOLS)
"""Roles whose messages the model must not write."""
BEHIND = ("", TYPE, "code", "text", *KINDS)
"""What may follow a recipient before the next mark: the type, or the channel."""
FOREIGN = ("python", "browser", "container")
"""Built-in tools of the provider, which the agent cannot call."""


def may_begin(text: str) -> bool:
    """Return whether a header may begin with *text*."""
    words = ("<|", TO, MODEL, *KINDS)
    return any(text.startswith(word) or word.startswith(text) for word in words)


def read_header(text: str, is_whole: bool, *, lenient: bool = False) -> Header:
    """Return the parts of a header; if it is malformed, those that can be recognised."""
    text = text if is_whole else text.partition("{")[0]  # the body may contain anything
    is_marked = "<|" in text
    if is_marked and not (is_whole or lenient):
        return Header(SkippedDelta, problem="open_header")
    named, at = _recipient(text)
    if not is_whole and not named.startswith(TOOLS):
        at = -1
    if named.partition(".")[0] in FOREIGN:
        return Header(SkippedDelta, problem="no_call")
    if at >= 0 and named != MODEL:
        behind = text[at + len(named) :].partition("<|")[0]
        if is_whole and behind.strip() not in BEHIND:
            return Header(SkippedDelta, problem="no_tool_name")
        start = at + len(TOOLS) * named.startswith(TOOLS)
        head = Head(start, at + len(named))
        size = len(text) if is_whole else 0
        if size and _type(text) not in ("", TYPE):
            return Header(InputDelta, head=head)
        read_head = partial(_read_head, head, size, lenient=lenient)
        return Header(reader=NamedJson(read_head, RULES[lenient], size=size))
    channel, stop = _channel(text)
    kind = KINDS.get(channel, AnswerDelta)
    if is_whole:
        is_odd = CHANNEL in text and not channel
        if is_odd and not lenient:
            return Header(SkippedDelta, problem="unknown_channel")
        odd = "read a message on an unknown channel as content" if is_odd else ""
        return Header(kind, len(MODEL) * (_word(text) == MODEL), odd=odd)
    if is_marked and _is_cut(text, text[stop:].lstrip()):
        return Header(SkippedDelta, problem="open_header")
    if not is_marked and not (lenient and channel and text[stop : stop + 1].isupper()):
        return Header(stop=len(MODEL) * (_word(text) == MODEL))
    return Header(kind, stop * bool(channel), odd=f"read a message without {MESSAGE}")


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
    return head._replace(odd=f"read a call without {MESSAGE}") if lenient else None


def read_tool(written: str, names: Collection[str] | None, repairs: list[Repair]) -> ToolHead:
    """Return the tool of a name, perhaps with the type attached or in another spelling."""
    name = written.removesuffix(TYPE)
    if names is None or written in names or name not in names:
        return repair_called_name(written, names, repairs)
    repairs.append(Repair("name", (0, len(written)), f"read {written!r} as {name!r} and its type"))
    return ToolHead(name)


def _table(*, lenient: bool = False) -> Table:
    ends = {"end of message": END, "end of call": CALL, "end of turn": RETURN}
    # What remains of the marks if a server removes special tokens: it removes all of them, or none.
    lost = {"content": ANSWER, "thought": THOUGHT, "header": CONTENT} if lenient else {}
    parts = {"header": Part.CALL, "body": Part.CALL}
    own = {**parts, "content": Part.CONTENT, "thought": Part.THOUGHT}
    bare = {f"bare {state}": part for state, part in own.items()} if lenient else own
    parts = {**bare, **parts}
    starts = {state.removeprefix("bare "): state for state in bare}
    transitions: dict[tuple[str, str], Transition] = {
        **{(state, "message"): Go("header") for state in parts},
        **{(state, "message of another"): EndTurn("header") for state in parts},
        **{(state, "channel"): Go("header") for state in parts},
        **{(state, name): Go("header", closes=True) for state in parts for name in ends},
        # In a header it is part of the header.
        **{(state, "channel"): Note("header") for state in ("header", starts["header"])},
    }
    odd = "read a message whose special tokens are lost"
    for to in lost:
        transitions |= {(state, f"{to} without marks"): Go(starts[to], odd=odd) for state in bare}
    return Table(
        new_call=partial(HeadedMessage, MESSAGE, partial(read_header, lenient=lenient), may_begin),
        markers={
            "message": Literal(START),
            "message of another": Before(START, ahead=one_of(*ROLES)),
            "channel": Literal(CHANNEL),
            **{name: Literal(text) for name, text in ends.items()},
            **{f"{to} without marks": Literal(f"{MODEL}{kind}") for to, kind in lost.items()},
        },
        parts=parts,
        begun={"header": "body", starts["header"]: starts["body"]},
        transitions=transitions,
        several=True,
        starts={name: starts[name] for name in ("content", "thought")},
        prompt_ends={_header(THOUGHT): starts["thought"], _header(ANSWER): starts["content"]},
        lenient=lenient,
        read_tool=read_tool if lenient else None,
    )


def _header(channel: str) -> str:
    return f"{CHANNEL}{channel}{MESSAGE}"


def write_result(result: Result) -> str:
    """Return the result of one call as text."""
    return f"{START}{TOOLS}{result.tool} {TO}{MODEL}{_header(CONTENT)}{result.text}{END}"


NEXT = f"{START}{MODEL}"
FOREIGN_MESSAGE = Problem(
    "found a message that is not the model's to write",
    "Invalid Format: Write no messages of users or tools; they are given to you.",
)

DIALECT = calls_dialect(
    "harmony",
    SAMPLE,
    aliases=("gpt_oss",),
    summary="messages with channels and recipients (gpt-oss)",
    strict=_table(),
    lenient=_table(lenient=True),
    stop=(CALL, RETURN),
    closer=CALL,
    form=Form(
        thought=(_header(THOUGHT), f"{END}{NEXT}"),
        content=(_header(CONTENT), f"{END}{NEXT}"),
        call=CallForm(
            text=f" {TO}{TOOLS}{{tool}}{CHANNEL}{CONTENT} {TYPE}{MESSAGE}{{input}}{CALL}"
        ),
        calls=("", NEXT, ""),
        answer=(_header(ANSWER), RETURN),
    ),
    render_results=ResultsWriter(text=write_result),
    turn_frame=("", NEXT),
    problems={
        **PROBLEMS,
        "open_header": Problem(
            f"expected {MESSAGE} behind the header of a message, and its body",
            "The header of a message has no end, so nothing was done. Write the message again,"
            " whole.",
        ),
        "unknown_channel": Problem(
            f"expected {THOUGHT}, {CONTENT} or {ANSWER} as the channel of a message",
            f"Write your answer on the channel {ANSWER}.",
        ),
        "invented_first": FOREIGN_MESSAGE,
        "invented_after": FOREIGN_MESSAGE,
    },
)
