"""Gemma 4: calls in its own notation with braces.

    <|channel>thought
    I have to look it up.
    <channel|><|tool_call>\
call:search{limit:3,query:<|"|>Lake Thun, "old" {bridge}<|"|>}<tool_call|>\
<|tool_call>call:ping{}<tool_call|>I am looking.

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

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from agent_parsers.authoring import (
    SAMPLE_TURN,
    Ahead,
    CallForm,
    CallFormat,
    Given,
    Go,
    Literal,
    ParameterForm,
    Payload,
    Problem,
    Result,
    ResultsWriter,
    Table,
)
from agent_parsers.engine.calls.code.brace_calls import BraceCalls
from agent_parsers.engine.calls.marks import Before
from agent_parsers.engine.markers.kinds import LINE_END

CHANNEL, LABEL = "<|channel>", "thought"
RESPONSE = ("<|tool_response>", "<tool_response|>")


@dataclass(frozen=True, kw_only=True)
class BracePayload(Payload):
    """Calls in Gemma's notation."""

    quote: str
    """The mark at both ends of a string."""

    @property
    def problems(self) -> Mapping[str, Problem]:
        """The error of a string that goes on behind its mark, which has no escape."""
        return {
            "inner_mark": Problem(
                f"expected a comma or a bracket after {self.quote}, which ends a string",
                "Invalid Format: Text follows a string in the call. Write the call again, with"
                f" {self.quote} and a comma after each string. No string may have {self.quote} in"
                " it: write other quotation marks there, such as '''.",
            )
        }

    def reader(self, closer: str, *, lenient: bool) -> partial[BraceCalls]:
        """Return a function that makes the reader of a call, which ends in *closer*."""
        return partial(BraceCalls, quote=self.quote, closer=closer, lenient=lenient)

    @property
    def form(self) -> CallForm:
        """How one call is written, without its marks."""
        parameters = ParameterForm(
            text="{key}:{value}", between=",", write_value=self._written, sorts=True
        )
        return CallForm(text="call:{tool}{{parameters}}", parameters=parameters)

    def write_result(self, result: Result) -> str:
        """Return the result of one call as text, without its marks."""
        return f"response:{result.tool}{{value:{self.quote}{result.text}{self.quote}}}"

    def _written(self, value: Any) -> str:
        if isinstance(value, str):
            if self.quote in value:
                raise ValueError(f"a string cannot contain the quotation mark {self.quote!r}")
            return f"{self.quote}{value}{self.quote}"
        if isinstance(value, dict):
            # The template sorts names, ignoring case.
            members = (f"{key}:{self._written(value[key])}" for key in sorted(value, key=str.lower))
            return f"{{{','.join(members)}}}"
        if isinstance(value, list):
            return f"[{','.join(map(self._written, value))}]"
        return json.dumps(value, allow_nan=False)


@dataclass(frozen=True, slots=True)
class _Opener(Literal):
    """The opener of a thought, with or without its label, which must be a whole word."""

    def spellings(self) -> Iterator[tuple[str, ...]]:
        """Yield each spelling as a tuple of atoms, the last of which says what may follow."""
        begun = "".join(f"(?:{char}" for char in LABEL) + ")?" * len(LABEL)
        no_label = Ahead(rf"(?!{LABEL}(?!\w))", pending=begun, sample="\n")
        for text, ahead in ((self.canonical, Ahead(r"(?!\w)", sample="\n")), (CHANNEL, no_label)):
            (spelling,) = Literal(text).spellings()
            yield *spelling, ahead


def with_labels(table: Table) -> Table:
    """Return *table* with an optional label after the mark of a thought, or alone if lenient."""
    markers = {**table.markers, "thought": _Opener(f"{CHANNEL}{LABEL}")}
    transitions = {**table.transitions}
    if table.lenient:
        markers["label of a thought"] = Before(LABEL, place="text", ahead=LINE_END)
        odd = "accepted a thought without its opening mark"
        transitions["content", "label of a thought"] = Go("thought", odd=odd)
    return replace(table, markers=markers, transitions=transitions)


PAYLOAD = BracePayload(quote='<|"|>')
FORMAT = CallFormat(
    name="gemma4",
    aliases=("gemma", "gemma4_no_thinking", "peg_gemma4"),
    summary="call:name{…} in <|tool_call> (Gemma 4)",
    payload=PAYLOAD,
    call=("<|tool_call>", "<tool_call|>"),
    thought=(f"{CHANNEL}{LABEL}\n", "\n<channel|>"),
    is_content_last=True,
    adapt=with_labels,
    ends=("<turn|>", RESPONSE[0]),
    results=ResultsWriter(text=PAYLOAD.write_result, between=f"{RESPONSE[1]}{RESPONSE[0]}"),
    turn_frame=RESPONSE,  # the model continues in the same turn
    sample=replace(
        SAMPLE_TURN,
        tool_input={"query": 'Lake Thun, "old" {bridge}', "limit": 3},
        content="I am looking.",
    ),
)
DIALECT = FORMAT.dialect(given=(Given("<|turn>", own="model"),))
