"""gpt-oss: a sequence of messages, each with a header that says what its body is.

A header has a role, a recipient (``to=``), a channel and a type, in two possible orders, and ends
at ``<|message|>``. A message with a recipient is a call, on any channel. Without a recipient,
``analysis`` is a thought, and ``final`` and ``commentary`` are content. The prompt ends with
``<|start|>assistant``, so a turn begins inside a header.

Calls are written with the recipient before the channel, as in the chat template of
openai/gpt-oss-20b; the content beside them is written in ``commentary``.

Source: openai/harmony, ``docs/format.md``.
"""

from __future__ import annotations

import re
from functools import partial
from string import ascii_lowercase
from typing import TYPE_CHECKING, Final

from agent_parsers.engine.calls.json.headed import HeadedMessage, Header
from agent_parsers.engine.calls.json.named_head import Head
from agent_parsers.engine.calls.json.named_json import NamedJson
from agent_parsers.engine.calls.marks import Before, one_of
from agent_parsers.engine.grammar.problems import Problem
from agent_parsers.engine.grammar.table import EndTurn, Go, Note, Part, Table
from agent_parsers.engine.markers.kinds import Literal
from agent_parsers.engine.repairs.payloads import ToolHead
from agent_parsers.events import AnswerDelta, InputDelta, Repair, SkippedDelta, ThoughtDelta
from agent_parsers.families.json_blocks import PROBLEMS, block_rules, json_dialect
from agent_parsers.families.turn_writer import ResultsWriter, TurnWriter, write_json

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from agent_parsers.engine.grammar.dialect import Result, WrittenCall
    from agent_parsers.engine.grammar.table import Transition
    from agent_parsers.engine.markers.kinds import Marker

__all__ = ["DIALECT"]

SAMPLE: Final = """\
<|channel|>analysis<|message|>I have to look it up.<|end|><|start|>assistant\
<|channel|>commentary<|message|>Let me see.<|end|><|start|>assistant\
<|channel|>commentary to=functions.search <|constrain|>json<|message|>{"query": "Lake Thun"}\
<|call|><|start|>assistant\
<|channel|>commentary to=functions.ping <|constrain|>json<|message|>{}<|call|>"""

MESSAGE: Final = "<|message|>"
RULES: Final = block_rules()
KINDS: Final[Mapping[str, type[ThoughtDelta | AnswerDelta]]] = {
    "analysis": ThoughtDelta,
    "commentary": AnswerDelta,
    "final": AnswerDelta,
}
ROLES: Final = ("user", "system", "developer", "tool", "functions.")
"""Roles whose messages the model must not write."""
BEHIND: Final = ("", "json", "code", "text", *KINDS)
"""What may follow a recipient before the next mark: the type, or the channel."""
FOREIGN: Final = ("python", "browser", "container")
"""Built-in tools of the provider, which the agent cannot call."""

_to: Final = re.compile(r"to=\s*+([^\s<{]*+)").search


def may_begin(text: str) -> bool:
    """Return whether a header may begin with *text*."""
    words = ("<|", "to=", "assistant", *KINDS)
    return any(text.startswith(word) or word.startswith(text) for word in words)


def read_header(text: str, is_whole: bool, *, lenient: bool = False) -> Header:
    """Return the parts of a header; if it is malformed, those that can be recognised."""
    text = text if is_whole else text.partition("{")[0]  # the body may contain anything
    is_marked = "<|" in text
    if is_marked and not (is_whole or lenient):
        return Header(SkippedDelta, problem="open_header")
    named, at = _recipient(text)
    if not is_whole and not named.startswith("functions."):
        at = -1
    if named.partition(".")[0] in FOREIGN:
        return Header(SkippedDelta, problem="no_call")
    if at >= 0 and named != "assistant":
        if is_whole and _behind(text, at + len(named)) not in BEHIND:
            return Header(SkippedDelta, problem="no_tool")
        start = at + len("functions.") * named.startswith("functions.")
        head = Head(start, at + len(named))
        size = len(text) if is_whole else 0
        if size and _type(text) not in ("", "json"):
            return Header(InputDelta, head=head)
        read_head = partial(_read_head, head, size, lenient=lenient)
        return Header(reader=NamedJson(read_head, RULES[lenient], size=size))
    channel, stop = _channel(text)
    kind = KINDS.get(channel, AnswerDelta)
    if is_whole:
        return Header(kind, len("assistant") * (_word(text) == "assistant"))
    if is_marked and _is_cut(text, text[stop:].lstrip()):
        return Header(SkippedDelta, problem="open_header")
    if not is_marked and not (lenient and channel and text[stop : stop + 1].isupper()):
        return Header(stop=len("assistant") * (_word(text) == "assistant"))
    return Header(kind, stop * bool(channel), odd="read a message without <|message|>")


def _is_cut(header: str, rest: str) -> bool:
    """Return whether a *header* is cut off, given the *rest* after its channel."""
    last = header[header.rfind("<") :]
    marks = ("<|channel|>", "<|constrain|>", MESSAGE)
    is_in_channel = any(kind.startswith(last.removeprefix(marks[0])) for kind in KINDS)
    is_in_mark = any(mark.startswith(last) for mark in marks)
    return not rest or rest.startswith(("<|", "to=")) or is_in_channel or is_in_mark


def _word(text: str) -> str:
    """Return the word that *text* begins with."""
    return text[: len(text) - len(text.lstrip(ascii_lowercase))]


def _recipient(text: str) -> tuple[str, int]:
    """Return the recipient in a header, and its offset; -1 if there is no recipient."""
    found = _to(text)
    return (found[1], found.start(1)) if found is not None else ("", -1)


def _behind(text: str, at: int) -> str:
    """Return the text of a header from *at* to the next mark."""
    return text[at:].partition("<|")[0].strip()


def _channel(text: str) -> tuple[str, int]:
    """Return the last channel in a header, and the offset of its end."""
    mark = text.rfind("<|channel|>")
    at = mark + len("<|channel|>") if mark >= 0 else 0
    channel = next((kind for kind in KINDS if text.startswith(kind, at)), "")
    return channel, at + len(channel)


def _type(text: str) -> str:
    """Return the type of the body in a header; ``""`` if it has no type."""
    text = text.removesuffix(MESSAGE).rstrip()
    constrained = text.rpartition("<|constrain|>")
    return _word(constrained[2].lstrip()) if constrained[1] else "code" * text.endswith(" code")


def _read_head(head: Head, size: int, text: str, *, lenient: bool) -> Head | None:
    """Return the *head* of a call if only JSON follows its header of this *size*."""
    if size:
        return head if text[size:].strip() in ("", '"' * lenient) else None
    return head._replace(odd="read a call without <|message|>") if lenient else None


def read_tool(written: str, names: Collection[str] | None, repairs: list[Repair]) -> ToolHead:
    """Return the tool of a name with the type attached, if there is a tool of that name."""
    name = written.removesuffix("json")
    if names is None or written in names or name not in names:
        return ToolHead(written)
    repairs.append(Repair("name", (0, len(written)), f"read {written!r} as {name!r} and its type"))
    return ToolHead(name)


def _table(*, lenient: bool = False) -> Table:
    ends = {"end of message": "<|end|>", "end of call": "<|call|>", "end of turn": "<|return|>"}
    # What remains of the marks if a server removes special tokens: it removes all of them, or none.
    lost = {"content": "assistantfinal", "thought": "assistantanalysis"}
    lost = {**lost, "header": "assistantcommentary"} if lenient else {}
    parts = {"header": Part.CALL, "body": Part.CALL, "content": Part.CONTENT}
    parts["thought"] = Part.THOUGHT
    bare = {f"bare {state}": part for state, part in parts.items()} if lenient else parts
    parts = {**bare, "header": Part.CALL, "body": Part.CALL}
    starts = {state.removeprefix("bare "): state for state in bare}
    markers: dict[str, Marker] = {
        "message": Literal("<|start|>"),
        "message of another": Before("<|start|>", ahead=one_of(*ROLES)),
        "channel": Literal("<|channel|>"),
        **{name: Literal(text) for name, text in ends.items()},
        **{f"{to} without marks": Literal(text) for to, text in lost.items()},
    }
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
        markers=markers,
        parts=parts,
        begun={"header": "body", starts["header"]: starts["body"]},
        transitions=transitions,
        several=True,
        starts={name: starts[name] for name in ("content", "thought")},
        prompt_ends={
            f"<|channel|>analysis{MESSAGE}": starts["thought"],
            f"<|channel|>final{MESSAGE}": starts["content"],
        },
        lenient=lenient,
        read_tool=read_tool if lenient else None,
    )


def write_call(call: WrittenCall) -> str:
    """Return one call as text, from the role in its header on."""
    header = f" to=functions.{call.tool}<|channel|>commentary json"
    return f"{header}{MESSAGE}{write_json(call.tool_input)}<|call|>"


def write_result(result: Result) -> str:
    """Return the result of one call as text."""
    header = f"<|start|>functions.{result.tool} to=assistant<|channel|>commentary"
    return f"{header}{MESSAGE}{result.text}<|end|>"


NEXT: Final = "<|start|>assistant"

DIALECT: Final = json_dialect(
    "harmony",
    SAMPLE,
    aliases=("gpt_oss",),
    summary="messages with channels and recipients (gpt-oss)",
    strict=_table(),
    lenient=_table(lenient=True),
    stop=("<|call|>", "<|return|>"),
    closer="<|call|>",
    write=TurnWriter(
        thought=(f"<|channel|>analysis{MESSAGE}", f"<|end|>{NEXT}"),
        content=(f"<|channel|>commentary{MESSAGE}", f"<|end|>{NEXT}"),
        call=write_call,
        calls=("", NEXT, ""),
        answer=(f"<|channel|>final{MESSAGE}", "<|return|>"),
    ),
    render_results=ResultsWriter(text=write_result),
    turn_frame=("", NEXT),
    problems={
        **PROBLEMS,
        "open_header": Problem(
            "expected <|message|> behind the header of a message, and its body",
            "The header of a message has no end, so nothing was done. Write the message again,"
            " whole.",
        ),
        "invented": Problem(
            "found a message that is not the model's to write",
            "Invalid Format: Write no messages of users or tools; they are given to you.",
        ),
    },
)
