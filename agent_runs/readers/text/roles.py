r"""Conversations as people keep them in text: each turn under the name of who speaks.

::

    User: Which month has the most fog?         ### User          <|im_start|>user
    Assistant: I look it up.                    Which month?      Which month?<|im_end|>
    Action: search
    Action Input: fog                           **User:** Which month?
    Tool: November                              [INFO] user: Which month?
    Assistant: Final Answer: November.          10:01 user: Which month?

The turns may also stand in the frames of a chat template: ChatML, Llama 3, Gemma, DeepSeek, Phi.
What the assistant says is read in the dialect that it shows. A text is such a log only if it begins
with a turn, the user and the assistant speak, and a turn of the assistant has the mark of a call.
Above the first turn may stand a title and lines such as ``Date: today``, which are a notice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Final, Literal, NamedTuple

from agent_parsers.transcripts import Notice
from agent_runs.reading.reader import Lines, Reading, Runs, TextReader, texts_behind
from agent_runs.reading.said import Said, SaidResult, runs_of_messages
from agent_runs.reading.spoken import sign_of_call
from agent_runs.splitting.ansi import without_codes

Role = Literal["system", "user", "assistant", "tool"]
_ROLES: Final[Mapping[str, Role]] = {
    "system": "system", "developer": "system",
    "user": "user", "human": "user", "customer": "user",
    "assistant": "assistant", "ai": "assistant", "agent": "assistant", "bot": "assistant",
    "model": "assistant", "llm": "assistant", "gpt": "assistant", "chatgpt": "assistant",
    "tool": "tool", "function": "tool", "environment": "tool", "env": "tool", "ipython": "tool",
    "tool result": "tool", "tool output": "tool", "tool response": "tool",
}  # fmt: skip
_ROLE: Final = "(?P<role>" + "|".join(sorted(_ROLES, key=len, reverse=True)) + ")"
_ANY: Final = r"(?P<other>[A-Za-z][\w ]{0,30})"


class _Style(NamedTuple):
    """How turns begin and end."""

    begin: re.Pattern[str]
    end: re.Pattern[str] | None = None
    other: re.Pattern[str] | None = None
    """Finds turns of others, whose roles are not known."""
    is_by_line: bool = False
    """Whether each line has a role, so that turns of one speaker are one."""


def _style(before: str, after: str, *, is_strict: bool = True, is_by_line: bool = False) -> _Style:
    """Return the style of turns that begin with a role on a line, between two patterns."""
    flags = re.MULTILINE | re.IGNORECASE
    begin = re.compile(rf"^{before}{_ROLE}{after}", flags | re.ASCII)
    other = re.compile(rf"^{before}{_ANY}{after}", flags) if is_strict else None
    return _Style(begin, None, other, is_by_line)


def _template(begin: str, end: str) -> _Style:
    return _Style(
        re.compile(begin.replace("ROLE", _ROLE), re.IGNORECASE | re.ASCII),
        re.compile(rf"(?:{end})\s*\Z"),
    )


_STYLES: Final = (
    _template(r"<\|im_start\|>ROLE\n", r"<\|im_end\|>"),
    _template(
        r"(?:<\|begin_of_text\|>)?<\|start_header_id\|>ROLE<\|end_header_id\|>\n*",
        r"<\|(?:eot_id|eom_id|end_of_text)\|>",
    ),
    _template(r"(?:<bos>)?<start_of_turn>ROLE\n", r"<end_of_turn>"),
    _template(r"(?:<｜begin▁of▁sentence｜>)?<｜ROLE｜>", r"<｜end▁of▁sentence｜>"),
    _template(r"(?:\[gMASK\]<sop>)?<\|ROLE\|>\n?", r"<\|(?:end|eot|endoftext)\|>|</s>"),
    _style(r"#{1,6}[ \t]+", r"[ \t]*:?[ \t]*$\n?"),
    _style(r"\*\*", r"[ \t]*:?\*\*[ \t]*:?[ \t]*"),
    _style(r"\[(?:DEBUG|INFO|NOTICE|WARNING|WARN)\][ \t]+", r"[ \t]*:[ \t]*", is_by_line=True),
    _style(r"\[?\d\d?:\d\d(?::\d\d)?\]?[ \t]+(?:-[ \t]+)?", r"[ \t]*:[ \t]*", is_by_line=True),
    _style(r"\[", r"\][ \t]*:?[ \t]*"),
    _style(r"[-=]{2,}[ \t]*", r"[ \t]*[-=]{2,}[ \t]*$\n?"),
    _style("", r"[ \t]*:[ \t]*", is_strict=False),
)  # fmt: skip
_OBSERVED: Final = re.compile(r"^[ \t]*Observation[ \t]*:", re.MULTILINE).search


_SPEAKER: Final = "|".join(_ROLES.keys() - {"model", "agent", "llm", "environment", "env"})
"""Who may speak first; the others are also names of what stands above conversations."""
_LABEL: Final = r"question|claim|thought|action|observation|answer|final answer|input|output"
"""What begins a line of a run."""
_HEAD: Final = re.compile(
    r"#{1,6}[ \t][^\n]*|<!--[^\n]*-->|\|[^\n]*\||-{3,}|={3,}|[*_][^*_\n]+[*_]"
    rf"|(?:[-*][ \t]+)?(?:\*\*)?(?!(?:{_SPEAKER}|{_LABEL})\b)[A-Za-z][\w ]{{0,30}}"
    r"(?:\*\*:|:(?:\*\*)?)[ \t][^\n]*",
    re.IGNORECASE,
).fullmatch
"""Matches a line as it stands above the conversations that programs write: a title, a value."""
_FIRST: Final = re.compile(
    rf"\W*(?:{_SPEAKER})\W*(?:\n|\Z|[^\n]*[:>\]][^\n]*)", re.IGNORECASE
).match


def _end_of_head(text: str) -> int:
    """Return where the lines end that stand above the first turn in *text*."""
    end = 0
    for line in text.splitlines(keepends=True):
        if line.strip() and (_FIRST(line) or not _HEAD(line.strip())):
            return end
        end += len(line)
    return end


class _Turn(NamedTuple):
    role: Role
    text: str
    at: int


def _style_of(text: str) -> _Style | None:
    """Return the style in which *text* begins; `None` if it begins with no turn."""
    start = len(text) - len(text.lstrip())
    found = (
        style for style in _STYLES if (match := style.begin.search(text)) and match.start() == start
    )
    return next(found, None)


def _turns(text: str, style: _Style) -> list[_Turn]:
    turns: list[_Turn] = []
    for found, behind in texts_behind(style.begin.finditer(text), text):
        said = behind.strip("\n")
        if style.end is not None:
            said = style.end.sub("", said)
        role = _ROLES[found["role"].lower()]
        if style.is_by_line and turns and turns[-1].role == role:
            turns[-1] = turns[-1]._replace(text=f"{turns[-1].text}\n{said}")
        else:
            turns.append(_Turn(role, said, found.start()))
    return turns


def _evidence(head: str) -> Sequence[str]:
    text = without_codes(head)
    above = _end_of_head(text)
    text = "\n" * text.count("\n", 0, above) + text[above:]
    style = _style_of(text)
    if style is None:
        return ()
    if style.other is not None and any(
        found["other"].strip().lower() not in _ROLES for found in style.other.finditer(text)
    ):
        return ()  # somebody else speaks
    turns = _turns(text, style)
    roles = {turn.role for turn in turns}
    if not {"user", "assistant"} <= roles:
        return ()
    calls = [turn for turn in turns if turn.role == "assistant" and sign_of_call(turn.text)]
    line = text.count("\n", 0, calls[0].at) + 1 if calls else 0
    return (f"a turn of the assistant with a call in line {line}",) if calls else ()


def _read(lines: Lines, reading: Reading) -> Runs:
    text = without_codes("".join(lines))
    end = _end_of_head(text)
    above, text = text[:end].strip(), "\n" * text.count("\n", 0, end) + text[end:]
    style = _style_of(text)
    if style is None:
        reading.refuse(
            "expected text that begins with a turn, such as 'User: …'", text[:1000], line=1
        )
        return
    turns = _turns(text, style)
    if any(turn.role == "assistant" and _OBSERVED(turn.text) for turn in turns):
        # Whole runs in the turns of the assistant: only who asks is said by roles.
        asked = {"user": "Question: ", "assistant": "", "system": "", "tool": "Observation: "}
        said = "".join(f"{asked[turn.role]}{turn.text}\n" for turn in turns)
        notice = Notice("unowned_text", "dropped the text above the first turn", 0, above, 1)
        for number, run in enumerate(reading.inside(Lines(said.splitlines(keepends=True)))):
            is_noticed = above and not number
            yield replace(run, notices=(notice, *run.notices)) if is_noticed else run
        return
    head = [Said("tool", left_out=("text above the first turn",), unowned=above, line=1)]
    yield from runs_of_messages(chain(head if above else (), _said(turns, text)), reading)


def _said(turns: Sequence[_Turn], text: str) -> Iterator[Said]:
    line, at = 1, 0
    for turn in turns:
        line += text.count("\n", at, turn.at)
        at = turn.at
        if turn.role == "tool":
            yield Said("tool", results=(SaidResult(turn.text),), line=line)
        else:
            yield Said(turn.role, turn.text, line=line)


READER: Final = TextReader(
    name="roles",
    summary="conversations with roles: User:, ### User, **User:**, ChatML, Llama 3, Gemma",
    evidence=_evidence,
    read=_read,
    before=("llamaindex_stream", "prefixed"),
    signs=tuple(name for name, role in _ROLES.items() if role == "user"),
)
