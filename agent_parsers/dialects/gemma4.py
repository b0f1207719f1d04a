"""Gemma 4: calls in its own notation with braces.

Openers are written ``<|x>`` and closers ``<x|>``. Strings are enclosed in ``<|"|>`` tokens and have
no escapes: braces, quotes and line breaks in them are text. Names have no quotes. Content may
precede or follow the calls, as in the chat template.

The label ``thought`` after the opening mark may be missing.

In lenient mode the mark before that label may be missing at the very beginning. ``call:`` may be
missing too, parentheses may replace the braces and plain quotes the tokens, and text without quotes
is a string. A string that is not closed ends where the call is closed; if the string is closed
after that, the closer of the call belongs to the string.

Source: the chat template of google/gemma-4, and "Gemma 4 prompt formatting" (ai.google.dev).
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from typing_extensions import override

from agent_parsers.engine.calls.code.brace_calls import BraceCalls
from agent_parsers.engine.grammar.table import Go
from agent_parsers.engine.markers.kinds import LINE_END, Ahead, Literal
from agent_parsers.families.call_blocks import calls_dialect, calls_table
from agent_parsers.families.turn_writer import ResultsWriter, TurnWriter, inputs_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agent_parsers.engine.grammar.dialect import Result, WrittenCall
    from agent_parsers.engine.grammar.table import Table
    from agent_parsers.engine.markers.kinds import Marker

__all__ = ["DIALECT", "write_call", "write_result"]

SAMPLE: Final = """\
<|channel>thought
I have to look it up.
<channel|><|tool_call>call:search{limit:3,query:<|"|>Lake Thun, "old" {bridge}<|"|>}<tool_call|>\
<|tool_call>call:ping{}<tool_call|>I am looking."""

QUOTE: Final = '<|"|>'
STOP: Final = ("<turn|>", "<|tool_response>")

CHANNEL: Final = "<|channel>"
THOUGHT: Final = (f"{CHANNEL}thought", "<channel|>")

_calls = partial(BraceCalls, quote=QUOTE, closer="<tool_call|>")


@dataclass(frozen=True, slots=True)
class _Opener(Literal):
    """The opener of a thought, with or without its label, which must be a whole word."""

    @override
    def spellings(self) -> Iterator[tuple[str, ...]]:
        """Yield the atoms of each spelling, with what must or must not follow."""
        label = self.canonical.removeprefix(CHANNEL)
        begun = "".join(f"(?:{char}" for char in label) + ")?" * len(label)
        yield *map(re.escape, self.canonical), Ahead(r"(?!\w)", sample="\n")
        no_label = Ahead(rf"(?!{label}(?!\w))", pending=begun, sample="\n")
        yield *map(re.escape, CHANNEL), no_label


@dataclass(frozen=True, slots=True)
class _Label(Literal):
    """The label of a thought on a line of its own."""

    @override
    def spellings(self) -> Iterator[tuple[str, ...]]:
        """Yield the atoms of the only spelling."""
        yield *map(re.escape, self.canonical), LINE_END


def _table(*, lenient: bool = False) -> Table:
    calls = partial(_calls, lenient=lenient)
    marks = ("<|tool_call>", "<tool_call|>")
    table = calls_table(calls, call=marks, thought=THOUGHT, ends=STOP, lenient=lenient)
    markers: dict[str, Marker] = {**table.markers, "thought": _Opener(THOUGHT[0])}
    transitions = {**table.transitions}
    if lenient:
        markers["label of a thought"] = _Label("thought", place="text")
        odd = "read a thought without the mark that opens it"
        transitions["content", "label of a thought"] = Go("thought", odd=odd)
    return replace(table, markers=markers, transitions=transitions)


def _write_value(value: Any, quote: str) -> Iterator[str]:
    if isinstance(value, str):
        if quote in value:
            raise ValueError(f"a text with {quote!r} in it")
        yield f"{quote}{value}{quote}"
    elif isinstance(value, dict):
        yield "{"
        # The template sorts names, ignoring case.
        for at, key in enumerate(sorted(value, key=str.lower)):
            yield f"{',' * (at > 0)}{key}:"
            yield from _write_value(value[key], quote)
        yield "}"
    elif isinstance(value, list):
        yield "["
        for at, item in enumerate(value):
            yield "," * (at > 0)
            yield from _write_value(item, quote)
        yield "]"
    else:
        yield json.dumps(value, allow_nan=False)


def write_call(call: WrittenCall, quote: str) -> str:
    """Return a call as text, without its marks.

    Raises:
        ValueError: A string contains the *quote*.
    """
    return f"call:{call.tool}{''.join(_write_value(inputs_of(call), quote))}"


def write_result(result: Result, quote: str) -> str:
    """Return the result of one call as text, without its marks."""
    return f"response:{result.tool}{{value:{quote}{result.text}{quote}}}"


DIALECT: Final = calls_dialect(
    "gemma4",
    SAMPLE,
    aliases=("gemma",),
    summary="call:name{…} in <|tool_call> (Gemma 4)",
    strict=_table(),
    lenient=_table(lenient=True),
    stop=STOP,
    write=TurnWriter(
        thought=("<|channel>thought\n", "\n<channel|>"),
        call=partial(write_call, quote=QUOTE),
        calls=("<|tool_call>", "<tool_call|><|tool_call>", "<tool_call|>"),
        is_content_last=True,
    ),
    render_results=ResultsWriter(
        text=partial(write_result, quote=QUOTE), between="<tool_response|><|tool_response>"
    ),
    # The model continues in the same turn.
    turn_frame=("<|tool_response>", "<tool_response|>"),
)
