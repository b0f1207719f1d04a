"""Deterministic turns for another reader than the one that makes calls of them.

It is that of another dialect, or strict mode, which makes no call that lenient mode refuses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import cycle
from typing import TYPE_CHECKING, Final, NamedTuple

from agent_laws.trials.beside_calls import beside_calls
from agent_laws.trials.enclosures import enclosed_calls
from agent_laws.trials.marked_turns import broken_calls
from agent_laws.trials.quotations import quotations
from agent_laws.trials.sample_calls import (
    Meant,
    SampleTurn,
    calls_in,
    reading,
    sample_turns,
    seams,
    usual_turn,
)
from agent_laws.trials.tool_shapes import DECLARED, tool_sets
from agent_parsers import AgentFinish
from agent_parsers.authoring import Written
from agent_parsers.toolset import ToolSet

if TYPE_CHECKING:
    from agent_parsers import Dialect

_SPECIAL: Final = re.compile(r"<[|｜][^<>\s]+?[|｜]?>|<[^<>|｜\s]+[|｜]>|\[[A-Z_]{3,}\]")
"""Special tokens, which a server may leave out of the text that it returns."""
_SIGNS: Final = re.compile(r"[{(<]")


class ForeignTurn(NamedTuple):
    """A turn with calls, and the tools that a parser for another dialect knows."""

    turn: SampleTurn
    """The turn."""
    tools: ToolSet
    """Tools that accept its calls."""
    meant: list[Meant]
    """The calls as the dialect that writes the turn reads them."""


def foreign_turns(dialect: Dialect) -> Iterator[ForeignTurn]:
    """Yield the turns of *dialect*, each with two sets of tools, of different shapes.

    One set has required parameters, the other has another shape. Turns whose calls name no tool,
    such as code, are skipped.
    """
    others = cycle(DECLARED[1:])
    for turn in sample_turns(dialect):
        if any(call.tool not in turn.text for call in turn.calls):
            continue
        known = tool_sets(turn.calls)
        for tools in (known.get(DECLARED[0]), known.get(next(others))):
            if tools is None:
                continue
            meant = calls_in(reading(dialect, "lenient", turn.text, tools=tools, ended="stop"))
            if len(meant) == len(turn.calls):
                yield ForeignTurn(turn, tools, meant)


def stripped_turns(dialect: Dialect) -> Iterator[ForeignTurn]:
    """Yield turns of *dialect* without its special tokens, if the rest still looks like a call."""
    if not _SIGNS.search(_SPECIAL.sub("", usual_turn(dialect, "lakes").text)):
        return
    for each in foreign_turns(dialect):
        text = _SPECIAL.sub("", each.turn.text)
        if any(_SPECIAL.search(str(call.tool_input)) for call in each.meant):
            continue  # its values would be others
        if text != each.turn.text and all(call.tool in text for call in each.turn.calls):
            yield each._replace(turn=each.turn._replace(text=text))


ANSWERS: Final = (
    "It is lit.",
    "Two words:\n\n- old\n- seven",
    "Opening hours: nine to five.",
    "Write {name} where the name stands.",
    '{"city": "Bern", "lamps": 3}',
    "```python\nprint(1)\n```",
    "Run this:\n```python\nprint(1)\n```\nThen stop.",
    "Use <b>bold</b> for 3 € – «so».",
)
"""Answers that have no mark of any dialect."""
_QUOTING: Final = (
    "Write it like this:\nAnswer: yes",
    "The log says\nObservation: 12\nFinal Answer: 12",
    "The chat was\nHuman: hello\nAI: hello",
    "<answer>no</answer> is what it said.",
    "A line <tool_call> opens a call.",
    "It ends in\n<final_answer>no</final_answer>",
)
"""Answers with marks of some dialects, which are words in an answer between marks of another."""
_THOUGHTS: Final = ("", "I have seen it.", "It is lit: yes.\nAnswer: that.", "No <tool_call> here.")


def told_answers(dialect: Dialect) -> Iterator[str]:
    """Yield answers as *dialect* writes them, with and without a thought.

    Those that quote marks of other dialects are left out if *dialect* writes no mark around them,
    since they may as well be turns of those.
    """
    for thought in _THOUGHTS if dialect.thinks else ("",):
        for answer in (*ANSWERS, *_QUOTING):
            text = dialect.write(Written(thought, answer=answer))
            has_marks = _without_reasoning(text, dialect) != answer
            if (answer in ANSWERS or has_marks) and _is_answer(dialect, text, answer):
                yield text


def _is_answer(dialect: Dialect, text: str, answer: str) -> bool:
    """Return whether *dialect* reads *text* as the *answer* that it wrote."""
    read = reading(dialect, "lenient", text)
    return isinstance(read, AgentFinish) and read.return_values["output"] == answer


def _without_reasoning(text: str, dialect: Dialect) -> str:
    """Return *text* without a block of reasoning that many dialects read."""
    for opens, closes in dialect.reasoning:
        if text.lstrip().startswith(opens):
            text = text.partition(closes)[2]
    return text.strip()


def told_turns(dialect: Dialect) -> Iterator[tuple[str, ToolSet]]:
    """Yield calls and answers as *dialect* writes them, with tools that accept the calls."""
    known = ToolSet([])
    for turn, known, _ in foreign_turns(dialect):
        yield turn.text, known
    for thought in ("", "I have seen it.") if dialect.thinks else ("",):
        for answer in ANSWERS[:2]:
            yield dialect.write(Written(thought, answer=answer)), known


# -- turns that strict mode must not read more boldly ----------------------------------------------


class DoubtfulTurn(NamedTuple):
    """A turn that lenient mode may refuse with good reason."""

    text: str
    """The turn."""
    tools: ToolSet | None
    """The tools that the parser knows."""


def doubtful_turns(dialect: Dialect) -> Iterator[DoubtfulTurn]:
    """Yield half calls, enclosed calls, and calls with something extra or something missing."""
    for quoted in quotations(dialect, "lenient"):
        yield DoubtfulTurn(quoted.text, None)
    for turn in sample_turns(dialect):
        for tools in tool_sets(turn.calls).values():
            for at in seams(turn):
                yield DoubtfulTurn(turn.text[:at], tools)
    for enclosed in enclosed_calls(dialect):
        yield DoubtfulTurn(enclosed.text, enclosed.tools)
    for beside in beside_calls(dialect, "lenient"):
        yield DoubtfulTurn(beside.text, beside.tools)
    for broken in broken_calls(dialect, "lenient"):
        yield DoubtfulTurn(broken.text, None)
