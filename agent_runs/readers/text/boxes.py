"""Boxes that Rich draws around text, as consoles of agents use them, and lines between boxes.

::

    ╭─ Title ──────────────╮
    │ text, wrapped at its │
    │ words                │
    ╰─ subtitle ───────────╯

What a model spoke in such a console is read in the dialect that it is in.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from agent_parsers import get_dialect
from agent_parsers.core import read_output
from agent_runs.reading.reprs import value_of_repr
from agent_runs.splitting.ansi import without_codes
from agent_runs.splitting.wrapping import cells, joined

if TYPE_CHECKING:
    from agent_parsers.transcripts import TranscriptStep
    from agent_runs.reading.building import RunBuilder
    from agent_runs.reading.reader import Lines, Reading

_TOP: Final = re.compile(r"[╭┌┏][─━]+(?: (?P<title>\S.*?) )?[─━]*[╮┐┓]")
_BOTTOM: Final = re.compile(r"[╰└┗][─━]+(?: \S.*? )?[─━]*[╯┘┛]")
_SIDES: Final = ("│", "┃")


@dataclass
class Box:
    """A box that is drawn around text in a console."""

    title: str
    width: int
    """Its width with the frame, in cells."""
    line: int
    """The line of the file where it begins."""
    lines: list[str] = field(default_factory=list)
    """The lines in it, with the spaces around them."""
    drawn: list[str] = field(default_factory=list)
    """All its lines, with the frame."""
    is_whole: bool = False
    """Whether its last line was there."""
    is_wrapped: bool = False
    """Whether `text` has joined lines."""

    def text(self, padding: int = 1, *, has_breaks: bool = True) -> str:
        """Return the text in the box, with wrapped lines joined again.

        There are *padding* spaces on each side of it. Without *has_breaks*, the text has no line
        breaks of its own.
        """
        lines = [line[padding:].rstrip() for line in self.lines]
        text = joined(lines, self.width - 2 - 2 * padding, has_breaks=has_breaks)
        self.is_wrapped = text.count("\n") < len("\n".join(lines).strip("\n").split("\n")) - 1
        return text


@dataclass
class Loose:
    """A line outside of all boxes, without escape codes."""

    text: str
    line: int


def read_boxes(lines: Lines) -> Iterator[Box | Loose]:
    """Yield the boxes of a console, and the lines between them.

    A box that the log cuts ends with its last line.
    """
    box: Box | None = None
    for raw in lines:
        line = without_codes(raw).rstrip("\n")
        number = lines.number - 1
        bare = line.strip()
        if box is not None:
            if len(bare) > 1 and bare[0] == bare[-1] and bare[0] in _SIDES:
                box.lines.append(bare[1:-1])
                box.drawn.append(line)
                continue
            if _BOTTOM.fullmatch(bare):
                box.drawn.append(line)
                box.is_whole = True
                yield box
                box = None
                continue
            yield box
            box = None
        if top := _TOP.fullmatch(bare):
            box = Box(top["title"] or "", cells(bare), number, drawn=[line])
        else:
            yield Loose(line, number)
    if box is not None:
        yield box


_LINE: Final = r"(?m:^)[ \t]*+"
_SIGNS: Final = {
    # The first dialect whose sign stands in a text has it.
    "xml": (r"<tool>|<final_answer>", "a tag of LangChain's XML agent"),
    "self_ask": (rf"{_LINE}(?:Follow up:|So the final answer is:)", "'Follow up:'"),
    "conversational": (rf"(?:{_LINE}|Thought: )Do I need to use a tool\?", "'Do I need …?'"),
    "react": (
        rf"{_LINE}Action(?: \d+)?:[ \t]*+[^\n]++\s++Action Input(?: \d+)?:",
        "'Action:' and 'Action Input:'",
    ),
    "react_docstore": (rf"{_LINE}Action(?: \d+)?:[ \t]*+\w++\[", "'Action: Tool['"),
    "structured_chat": (
        rf'{_LINE}Action:?\s*+(?:```\w*+\s*+)?[\[{{]\s*+\{{?\s*+"action',
        "'Action:' and JSON with \"action\"",
    ),
    "json": (
        r'(?:```(?:json)?\s*+|(?m:^)[^\S\n]*+)\{\s*+"action(?:_input)?"',
        'JSON with "action"',
    ),
}
_PATTERNS: Final = {name: (re.compile(sign), said) for name, (sign, said) in _SIGNS.items()}
_ANSWER: Final = re.compile(rf"{_LINE}Final Answer:")


def in_its_dialect(texts: Iterable[str], reading: Reading) -> Reading:
    """Return *reading* with the dialect that a model's *texts* show, or unchanged if none does."""
    if reading.dialect is not None:
        return reading
    is_answer = False
    for text in texts:
        for name, (sign, said) in _PATTERNS.items():
            if sign.search(text):
                return reading.in_dialect(get_dialect(name), f"{said} in the text of the model")
        is_answer = is_answer or _ANSWER.search(text) is not None
    if is_answer:
        return reading.in_dialect(get_dialect("react"), "'Final Answer:' in the text of the model")
    return reading


def read_turn(text: str, reading: Reading, *, is_followed: bool = False) -> list[TranscriptStep]:
    """Return the steps that the model wrote as *text*, in the dialect of *reading*.

    There is one, unless the dialect has several calls in a turn. If the turn *is_followed* by its
    result or by another turn, the model has ended it.
    """
    assert reading.dialect is not None
    return read_output(
        reading.dialect,
        text,
        reading.tools,
        lenient=reading.lenient,
        ended="stop" if is_followed else "unknown",
    )


def add_turn(text: str, run: RunBuilder, reading: Reading, *, is_followed: bool = False) -> None:
    """Add the steps that the model wrote as *text* to *run*; see `read_turn`."""
    for step in read_turn(text, reading, is_followed=is_followed):
        run.add(step)


def add_shown_call(tool: str, shown: str, run: RunBuilder, *, log: str) -> None:
    """Add a call to *run* whose input is *shown* as a Python value, or as text."""
    tool_input: Any = shown
    is_literal = True
    if shown.startswith(("{", "[")):
        try:
            tool_input = value_of_repr(shown)
        except ValueError:
            is_literal = False
    run.call(tool, tool_input, log=log)
    if not is_literal:
        run.notice(
            "untyped_values", "the log shows the input as Python code, which is kept as text"
        )
