"""What ``pretty_print()`` of LangChain's messages shows, as of the messages of a LangGraph agent.

::

    ================================ Human Message =================================

    Which month has the most fog?
    ================================== Ai Message ==================================
    Tool Calls:
      search (c1)
     Call ID: c1
      Args:
        query: fog
    ================================= Tool Message =================================
    Name: search

    November

A title has 80 characters; in notebooks its name is bold. Arguments are printed as by `str`, so
their types are lost, and the later lines of a value are not indented: where such a value is not the
last one, its end is unclear. Results have no ids, only the name of the tool: which of several calls
of a tool one answers is known only if there are as many results as calls, in the same order.

Source: ``pretty_repr`` in ``langchain_core/messages/base.py`` and ``ai.py`` of langchain-core 0.1
to 1.7.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from agent_parsers import OutputParserException
from agent_parsers.transcripts import Notice
from agent_runs.readers.data.langchain_messages import LIMIT
from agent_runs.reading.parts import content_of, text_of
from agent_runs.reading.reader import (
    MALFORMED,
    Lines,
    Reading,
    Runs,
    TextReader,
    line_of,
    texts_behind,
)
from agent_runs.reading.reprs import value_of_repr
from agent_runs.reading.said import Said, SaidCall, SaidResult, runs_of_messages
from agent_runs.splitting.ends import DOUBT, ruled_off

_ROLES: Final = {
    "Human": "user", "Humanmessagechunk": "user", "Ai": "assistant", "Aimessagechunk": "assistant",
    "System": "system", "Systemmessagechunk": "system", "Tool": "tool", "Toolmessagechunk": "tool",
    "Function": "tool",
}  # fmt: skip
_GONE: Final = "Remove"
_WIDTH: Final = 80

_bar: Final = re.compile(
    r"^(={3,}+)((?:\x1b?\[1m)? (?P<kind>\w+) Message (?:\x1b?\[0m)?)(={3,}+)$", re.MULTILINE
)
_headings: Final = re.compile(
    r"(?:\A|\n)(?P<invalid>Invalid )?Tool Calls:\n(?=  [^\n]+ \([^\n]*\)\n Call ID: )"
).finditer
_calls_in: Final = re.compile(
    r"^  (?P<name>[^\n]+) \((?P<id>[^\n]*)\)\n Call ID: (?P=id)\n"
    r"(?:  Error: (?P<error>[^\n]*)\n)?  Args:(?:\n|\Z)",
    re.MULTILINE,
).finditer
"""Finds the head of each call."""
_argument: Final = re.compile(r"    (?P<name>[A-Za-z_][\w.-]*+):(?: (?P<value>.*))?\Z").match
_is_blocks: Final = re.compile(r"\[\{'(?:type|text)': ").match


class _Message(NamedTuple):
    kind: str
    body: str
    line: int


def _title(line: str) -> str:
    """Return the kind of message of which *line* is the title; empty if it is no title."""
    found = _bar.match(line.rstrip("\r\n"))
    if found is None:
        return ""
    left, right = len(found[1]), len(found[4])
    name = len(found["kind"]) + len("  Message ")
    is_centred = right - left == name % 2 and left + name + right == _WIDTH
    return found["kind"] if is_centred else ""


def _evidence(head: str) -> Sequence[str]:
    for found in _bar.finditer(head):
        if kind := _title(found[0]):
            return (f"the title {kind + ' Message'!r} in line {line_of(found)}",)
    return ()


def _messages(lines: Lines) -> Iterator[_Message]:
    """Yield the messages; the text before the first has no kind."""
    kind, number = "", lines.number
    body: list[str] = []
    for line in lines:
        if title := _title(line):
            yield _Message(kind, "".join(body).removesuffix("\n"), number)
            kind, number, body = title, lines.number - 1, []
        else:
            body.append(line)
    yield _Message(kind, "".join(body).removesuffix("\n"), number)


def _said(message: _Message, reading: Reading) -> Said | None:
    kind, body, line = message
    if not kind:
        left_out = (f"text before the messages: {body}",) if body.strip() else ()
        return Said("tool", left_out=left_out, line=line) if left_out else None
    if kind == _GONE:
        return None
    if kind not in _ROLES:
        error = reading.refuse(
            f"the log does not show the role of a {kind} message", body, line=line
        )
        return Said("tool", error=error, line=line)
    role = _ROLES[kind]
    name = ""
    if body.startswith("Name: "):
        name, _, body = body.removeprefix("Name: ").partition("\n")
    body = body.removeprefix("\n")
    if role == "tool":
        return Said("tool", results=(SaidResult(_content(body), "", name),), line=line)
    if role != "assistant":
        return Said(role, _content(body), line=line)  # type: ignore[arg-type]
    begin = next(_headings(body), None)
    thought, text = _two_fields(body[: begin.start()] if begin else body)
    if text == LIMIT:
        reason = f"LangGraph's message about its step limit: {LIMIT}"
        return Said("assistant", left_out=(reason,), line=line)
    calls = [*_calls(body[begin.start() :])] if begin else []
    notices = []
    if ruled := ruled_off(text):
        notices.append(Notice("unclear_end", DOUBT, text=ruled, line=line))
    return Said("assistant", text, thought, calls, notices=notices, line=line)


def _content(text: str) -> str:
    """Return *text*, or that of the blocks whose `repr` it is."""
    return _two_fields(text)[1]


def _two_fields(text: str) -> tuple[str, str]:
    """Return the reasoning, and the text: *text*, or those in the blocks whose `repr` it is."""
    if not _is_blocks(text):
        return "", text
    try:
        blocks = value_of_repr(text)
        thoughts = "\n".join(content_of(blocks).thoughts)
    except MALFORMED:
        return "", text
    texts = [block for block in blocks if isinstance(block, str) or "text" in block]
    return thoughts, text_of(texts) if texts else ""


def _calls(text: str) -> Iterator[SaidCall]:
    """Yield the calls in the *text* from their heading on; invalid ones have one of their own."""
    for heading, below in texts_behind(_headings(text), text):
        for call, behind in texts_behind(_calls_in(below), below):
            written = behind.removesuffix("\n")
            call_id = "" if call["id"] == "None" else call["id"]
            if heading["invalid"]:
                reason = call["error"] or "the arguments could not be read"
                wrong = OutputParserException(
                    reason, observation=reason, llm_output=written.strip()
                )
                yield SaidCall(call["name"], {}, call_id, error=wrong)
            else:
                arguments, unclear = _arguments(written)
                yield SaidCall(call["name"], arguments, call_id, unclear=unclear, is_untyped=True)


def _arguments(text: str) -> tuple[dict[str, str], str]:
    """Return the arguments, and the text of those whose ends are unclear.

    An argument that follows a value of several lines may be part of that value.
    """
    lines = text.split("\n") if text else []
    begins = [(at, found) for at, line in enumerate(lines) if (found := _argument(line))]
    ends = [*(at for at, _ in begins), len(lines)][1:]
    arguments: dict[str, str] = {}
    for (begin, found), end in zip(begins, ends, strict=True):
        is_last = end == len(lines)
        if found["name"] in arguments or (end - begin > 1 and not is_last):
            return arguments, "\n".join(lines[begin:])
        value = [found["value"] or "", *lines[begin + 1 : end]]
        arguments[found["name"]] = "\n".join(value)
    return arguments, "" if begins or not text.strip() else text


def _with_ids(said: Iterable[Said | None]) -> Iterator[Said]:
    """Yield what is *said*, each result with the id of its call; unclear ones are left out."""
    calls: Sequence[SaidCall] = ()
    answers: list[Said] = []
    for each in said:
        if each is not None and each.results:
            answers.append(each)
        elif each is not None:
            yield from _answers(answers, calls)
            calls, answers = each.calls, []
            yield each
    yield from _answers(answers, calls)


def _answers(said: Sequence[Said], calls: Sequence[SaidCall]) -> Iterator[Said]:
    """Yield the results that are *said* behind *calls*, with the id of the call of each."""
    results = [result for each in said for result in each.results]
    are_in_order = len(results) == len(calls) and all(
        result.tool in ("", call.tool) for result, call in zip(results, calls, strict=True)
    )
    for at, (each, result) in enumerate(zip(said, results, strict=True)):
        named = [call for call in calls if result.tool in ("", call.tool)]
        mine = [calls[at]] if are_in_order else named
        if len(mine) > 1:
            reason = f"a result of one of several calls to {result.tool!r}: {result.text}"
            yield replace(each, results=(), left_out=(reason,))
        else:
            known = result._replace(call_id=mine[0].call_id) if mine else result
            yield replace(each, results=(known,))


def _read(lines: Lines, reading: Reading) -> Runs:
    said = (_said(message, reading) for message in _messages(lines))
    yield from runs_of_messages(_with_ids(said), reading)


READER: Final = TextReader(
    name="langgraph_pretty",
    summary="messages as LangChain's pretty_print() shows them, such as those of a LangGraph agent",
    evidence=_evidence,
    read=_read,
    signs=("===",),
)
