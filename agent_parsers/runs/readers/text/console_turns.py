"""The text that a model spoke in a console: which dialect it is in, and reading it there."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from agent_parsers import get_dialect
from agent_parsers.runs.reading.record import read_output

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agent_parsers.runs.reading.building import RunBuilder
    from agent_parsers.runs.reading.reader import Reading
    from agent_parsers.runs.reading.transcript import TranscriptStep

__all__ = ["add_turn", "in_its_dialect", "read_turn"]

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
    "json": (r'(?:```(?:json)?|(?m:^))\s*+\{\s*+"action(?:_input)?"', 'JSON with "action"'),
}
_PATTERNS: Final = {name: (re.compile(sign), said) for name, (sign, said) in _SIGNS.items()}
_ANSWER: Final = re.compile(rf"{_LINE}Final Answer:")


def in_its_dialect(texts: Iterable[str], reading: Reading) -> Reading:
    """Return *reading* in the dialect of the *texts* of a model; as it is if none is seen."""
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


def read_turn(text: str, reading: Reading) -> list[TranscriptStep]:
    """Return the steps that the model wrote as *text*, in the dialect of *reading*.

    There is one, unless the dialect has several calls in a turn.
    """
    assert reading.dialect is not None
    return read_output(reading.dialect, text, reading.tools, lenient=reading.lenient)


def add_turn(text: str, run: RunBuilder, reading: Reading) -> None:
    """Add the steps that the model wrote as *text* to *run*."""
    for step in read_turn(text, reading):
        run.add(step)
