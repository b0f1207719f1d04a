"""What a dialect makes of a text, in a form that can be compared."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import cycle
from typing import Any, TypeAlias

import pytest

from agent_parsers import (
    AgentAction,
    AgentFinish,
    AnswerDelta,
    Dialect,
    DialectParser,
    Event,
    Failed,
    InputDelta,
    MarkerSeen,
    ObservationDelta,
    OutputParserException,
    QuestionDelta,
    SkippedDelta,
    StreamParser,
    ThoughtDelta,
    ToolNamed,
    TranscriptParser,
    get_dialect,
    list_dialects,
    merge_events,
)
from agent_parsers._tools import read_tools
from agent_parsers.engine import MAX_CHARS, Both, Mode

DELTAS = (
    QuestionDelta,
    ThoughtDelta,
    InputDelta,
    AnswerDelta,
    ObservationDelta,
    SkippedDelta,
)
TILES = (*DELTAS, ToolNamed, MarkerSeen)
"""Events that tell of characters which no other event tells of."""

DIALECTS = [get_dialect(name) for name in list_dialects()]
TURNS: list[tuple[Dialect, Mode]] = [(d, mode) for d in DIALECTS for mode in ("strict", "lenient")]
RUNS: list[tuple[Dialect, Mode]] = [
    (d, "transcript") for d in DIALECTS if d.lenient.transcript_start
]


def _named(value: Any) -> str | None:
    return value.name if isinstance(value, Dialect) else None


every_dialect = pytest.mark.parametrize("dialect", DIALECTS, ids=_named)
every_turn_mode = pytest.mark.parametrize(("dialect", "mode"), TURNS, ids=_named)
every_run_mode = pytest.mark.parametrize(("dialect", "mode"), RUNS, ids=_named)
every_mode = pytest.mark.parametrize(("dialect", "mode"), TURNS + RUNS, ids=_named)


@dataclass(frozen=True)
class Refusal:
    """An error by what it says, so that two of them can be equal."""

    message: str
    observation: str | None
    llm_output: str | None
    span: tuple[int, int] | None
    send_to_llm: bool
    error: OutputParserException = field(compare=False, repr=False)


def refusal(error: OutputParserException) -> Refusal:
    return Refusal(
        str(error),
        error.observation,
        error.llm_output,
        error.span,
        error.send_to_llm,
        error,
    )


Outcome: TypeAlias = AgentAction | AgentFinish | Refusal | None
"""What a text comes to; `None` for a transcript, whose events are all there is."""


@dataclass(frozen=True)
class Story:
    """Events, joined, and what they led to."""

    events: tuple[Any, ...]
    outcome: Outcome

    def of(self, *kinds: type[Any]) -> list[Any]:
        return [event for event in self.events if isinstance(event, kinds)]


@dataclass(frozen=True)
class ToldFailure:
    """A `Failed` by what it says."""

    span: tuple[int, int]
    refusal: Refusal


def comparable(events: Iterable[Event]) -> tuple[Any, ...]:
    """Join *events*, and tell the errors among them by what they say."""
    return tuple(
        ToldFailure(event.span, refusal(event.error)) if isinstance(event, Failed) else event
        for event in merge_events(events)
    )


def told(
    dialect: Dialect,
    mode: Mode,
    chunks: Iterable[str],
    *,
    max_chars: int | None = MAX_CHARS,
    tools: Sequence[str] | None = None,
    both: Both = "error",
) -> Story:
    """Return the story of the text that comes in *chunks*."""
    parser = StreamParser(dialect, mode=mode, max_chars=max_chars, tools=tools, both=both)
    events: list[Event] = []
    outcome: Outcome
    try:
        for chunk in chunks:
            events += parser.feed(chunk)
        events += parser.close()
        outcome = parser.result
    except OutputParserException as error:
        events += parser.last_events
        outcome = refusal(error)
    return Story(comparable(events), outcome)


def runs_in(dialect: Dialect, chunks: Iterable[str]) -> list[tuple[Any, ...]]:
    """Return the runs of a transcript that comes in *chunks*, errors by what they say."""
    parser = TranscriptParser(dialect)
    for chunk in chunks:
        parser.feed(chunk)
    parser.close()
    return [
        (
            replace(run, all_steps=()),
            [(replace(s, error=None), s.error and refusal(s.error)) for s in run.all_steps],
        )
        for run in parser.runs
    ]


def outcome_of(do: Callable[[], Any]) -> Any:
    """Return what *do* returns, or the error that it raises by what that says."""
    try:
        return do()
    except OutputParserException as error:
        return refusal(error)


def parsed(
    dialect: Dialect,
    mode: Mode,
    text: str,
    *,
    max_chars: int = MAX_CHARS,
    tools: Sequence[str] | None = None,
    both: Both = "error",
) -> Outcome:
    """Return what one-shot parsing of *text* gives or raises."""
    parser = parser_of(dialect, mode, max_chars=max_chars, tools=tools, both=both)
    outcome: Outcome = outcome_of(lambda: parser.parse(text))
    return outcome


def parser_of(
    dialect: Dialect,
    mode: Mode,
    *,
    max_chars: int = MAX_CHARS,
    tools: Sequence[str] | None = None,
    both: Both = "error",
) -> DialectParser:
    return DialectParser(
        dialect=dialect,
        lenient=mode == "lenient",
        max_chars=max_chars,
        tools=None if tools is None else read_tools(tools),
        both=both,
    )


def cut(text: str, sizes: Iterable[int]) -> Iterator[str]:
    """Cut *text* into pieces of these *sizes*, over and over."""
    at = 0
    for size in cycle(sizes):
        if at >= len(text):
            return
        yield text[at : at + size]
        at += size


def in_two(text: str) -> Iterator[tuple[str, str]]:
    """Cut *text* in two, at each place."""
    return ((text[:at], text[at:]) for at in range(1, len(text)))
