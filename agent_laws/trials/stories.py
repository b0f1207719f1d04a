"""The events and results of reading a text, in a form that can be compared and printed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from agent_parsers import AgentAction, AgentFinish, StreamParser, get_parser
from agent_parsers.authoring import MAX_CHARS
from agent_parsers.events import (
    AnswerDelta,
    InputDelta,
    MarkerSeen,
    ObservationDelta,
    QuestionDelta,
    SkippedDelta,
    StepFailed,
    ThoughtDelta,
    ToolNamed,
    merge_events,
)
from agent_parsers.transcripts import TranscriptParser
from output_parsers import OutputParserException

if TYPE_CHECKING:
    from agent_parsers import Dialect
    from agent_parsers.authoring import Mode, OnConflict
    from agent_parsers.core import AnyDialectParser
    from agent_parsers.events import Event

DELTAS: Final = (
    QuestionDelta,
    ThoughtDelta,
    InputDelta,
    AnswerDelta,
    ObservationDelta,
    SkippedDelta,
)
TILES: Final = (*DELTAS, ToolNamed, MarkerSeen)
"""Events whose spans do not overlap, and which together cover the text."""

_SHORT: Final = 8
"""Texts of up to this many characters are cut in every possible way, at most 128."""


@dataclass(frozen=True)
class Refusal:
    """The content of an error, so that two errors can be equal."""

    message: str
    observation: str | None
    llm_output: str | None
    span: tuple[int, int] | None
    send_to_llm: bool
    error: OutputParserException = field(compare=False, repr=False)


Outcome: TypeAlias = AgentAction | list[AgentAction] | AgentFinish | Refusal | None
"""The result of a text; `None` for a transcript, which only has events."""


def results_in(outcome: Outcome) -> list[AgentAction | AgentFinish]:
    """Return the actions or the answer in *outcome*; an error has none."""
    if isinstance(outcome, Refusal | None):
        return []
    return [*outcome] if isinstance(outcome, list) else [outcome]


@dataclass(frozen=True)
class FailedStep:
    """The content of a `StepFailed` event, so that two of them can be equal."""

    span: tuple[int, int]
    refusal: Refusal


@dataclass(frozen=True)
class Story:
    """Joined events, and the result."""

    events: tuple[Any, ...]
    """The events, with a `FailedStep` in place of each `StepFailed`."""
    outcome: Outcome

    def of(self, *kinds: type[Any]) -> list[Any]:
        """Return the events of these *kinds*."""
        return [event for event in self.events if isinstance(event, kinds)]


def refusal(error: OutputParserException) -> Refusal:
    """Return the content of *error*."""
    return Refusal(
        str(error), error.observation, error.llm_output, error.span, error.send_to_llm, error
    )


def comparable(events: Iterable[Event]) -> tuple[Any, ...]:
    """Return joined *events*, with errors replaced by their content."""
    return tuple(
        FailedStep(event.span, refusal(event.error)) if isinstance(event, StepFailed) else event
        for event in merge_events(events)
    )


def story_of(
    dialect: Dialect,
    mode: Mode,
    chunks: Iterable[str],
    *,
    max_chars: int | None = MAX_CHARS,
    tools: Sequence[str] | None = None,
    on_conflict: OnConflict = "error",
) -> Story:
    """Return the story of the text in *chunks*; stories are cached."""
    known = None if tools is None else tuple(tools)
    return _story(dialect, mode, tuple(chunks), max_chars, known, on_conflict)


@lru_cache(maxsize=8)
def _story(
    dialect: Dialect,
    mode: Mode,
    chunks: tuple[str, ...],
    max_chars: int | None,
    tools: tuple[str, ...] | None,
    on_conflict: OnConflict,
) -> Story:
    parser = StreamParser(
        dialect, mode=mode, max_chars=max_chars, tools=tools, on_conflict=on_conflict
    )
    return story_from(parser, chunks)


def story_from(parser: StreamParser, chunks: Iterable[str]) -> Story:
    """Feed *chunks* to an unused *parser*, and return its events and its result."""
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
    """Return the runs of a transcript in *chunks*, with errors replaced by their content."""
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
    """Return the result of *do*, or a `Refusal` if it raises an error."""
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
    on_conflict: OnConflict = "error",
) -> Outcome:
    """Return the result, or the error, of parsing one turn with `parse`."""
    parser = parser_of(dialect, mode, max_chars=max_chars, tools=tools, on_conflict=on_conflict)
    outcome: Outcome = outcome_of(lambda: parser.parse(text))
    return outcome


def parser_of(
    dialect: Dialect,
    mode: Mode,
    *,
    max_chars: int = MAX_CHARS,
    tools: Sequence[str] | None = None,
    on_conflict: OnConflict = "error",
) -> AnyDialectParser:
    """Return a parser of single turns in this *mode*."""
    return get_parser(
        dialect,
        lenient=mode == "lenient",
        max_chars=max_chars,
        tools=tools,
        on_conflict=on_conflict,
    )


def in_two(text: str) -> Iterator[tuple[str, str]]:
    """Yield *text* cut in two, at each position."""
    return ((text[:at], text[at:]) for at in range(1, len(text)))


def every_cut(text: str) -> Iterator[tuple[str, ...]]:
    """Yield *text* cut in many ways, as tuples of chunks.

    It is cut into one piece, into single characters, and in two at each position; a text of up to
    eight characters is cut in every possible way. For random cuts, see `cuts`.
    """
    if len(text) > _SHORT:
        yield (text,)
        yield tuple(text)
        yield from in_two(text)
        return
    for places in range(2 ** max(len(text) - 1, 0)):
        starts = [0, *(at for at in range(1, len(text)) if places >> (at - 1) & 1)]
        yield tuple(
            text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True)
        )
