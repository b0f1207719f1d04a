"""Laws about thoughts: what ends one, and that its words and marks are no part of an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from agent_parsers import StreamParser
from agent_parsers.events import Repair
from agent_parsers.testing.laws.broken import Broken, law, shown
from agent_parsers.testing.trials.calls_meant import calls_in, first_wrong
from agent_parsers.testing.trials.stories import Refusal, outcome_of
from agent_parsers.toolset import ToolSet

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agent_parsers import Dialect
    from agent_parsers.authoring import Mode
    from agent_parsers.testing.trials.calls_meant import Meant
    from agent_parsers.testing.trials.stories import Outcome
    from outputs import Ended

__all__ = [
    "a_call_ends_an_open_thought",
    "a_thought_keeps_its_words",
    "no_answer_has_the_end_of_a_thought",
]


class _Read(NamedTuple):
    """What was read of a turn."""

    outcome: Outcome
    thought: str | None
    content: str | None
    repairs: set[str]
    chunks: list[str]


def _readings(
    dialect: Dialect,
    mode: Mode,
    text: str,
    start: str,
    *,
    ended: Ended = "unknown",
    tools: Sequence[str] | None = None,
) -> Iterator[_Read]:
    """Yield what is read of *text* in one piece, and character by character."""
    known = None if tools is None else ToolSet(tools)
    for chunks in ([text], [*text]):
        stream = StreamParser(dialect, mode=mode, start=start, tools=known)
        events = [event for chunk in chunks for event in stream.feed(chunk)]

        def close(stream: StreamParser = stream) -> Outcome:
            stream.close(ended=ended)
            return stream.result

        outcome = outcome_of(close)
        events += stream.last_events
        repairs = {event.kind for event in events if isinstance(event, Repair)}
        yield _Read(outcome, stream.thought, stream.content, repairs, chunks)


@law
def a_call_ends_an_open_thought(
    dialect: Dialect, mode: Mode, text: str, *, start: str = "", meant: Sequence[Meant]
) -> None:
    """Check that calls at the end of a thought that is open are made, and reported.

    They are not if the text was cut, if it goes on, or if the tool is not known; and strict reading
    makes none.

    Args:
        dialect: The dialect to test.
        mode: The mode in which texts are read.
        text: A turn that ends in a call, in a thought that nothing closes.
        start: The part in which the turn begins.
        meant: The calls, in order.

    Raises:
        BrokenLawError: A call is not made, or not reported, or made although it is a draft.
    """
    ends: tuple[Ended, ...] = ("unknown", "stop")
    for ended in ends if mode == "lenient" else ():
        for read in _readings(dialect, mode, text, start, ended=ended):
            calls = calls_in(read.outcome)
            if len(calls) != len(meant) or first_wrong(calls, meant) is not None:
                reason = f"it is read as {shown(read.outcome)}, where {shown(meant)} is meant"
                raise Broken(f"{reason} (ended: {ended})", chunks=read.chunks)
            if "open_reasoning" not in read.repairs:
                raise Broken("a call in reasoning is not reported", chunks=read.chunks)
    drafts: list[tuple[str, Ended, Sequence[str] | None]] = [
        (text, "length", None),
        (f"{text}\nOr should I not?", "stop", None),
        (text, "stop", ["a7tool"]),
    ]
    drafts += [(text, "stop", None)] if mode == "strict" else []
    for draft, ended, tools in drafts:
        for read in _readings(dialect, mode, draft, start, ended=ended, tools=tools):
            if not isinstance(read.outcome, Refusal):
                reason = f"a draft is read as {shown(read.outcome)} (ended: {ended})"
                raise Broken(reason, text=draft, chunks=read.chunks)


@law
def a_thought_keeps_its_words(
    dialect: Dialect, mode: Mode, text: str, *, start: str = "", thought: str, answer: str
) -> None:
    """Check that the marks of thoughts within a thought are part of it, and the rest the answer.

    Args:
        dialect: The dialect to test.
        mode: The mode in which texts are read.
        text: A turn whose thought contains such marks.
        start: The part in which the turn begins.
        thought: The thought.
        answer: The answer.

    Raises:
        BrokenLawError: The thought or the answer is read otherwise.
    """
    for read in _readings(dialect, mode, text, start):
        if isinstance(read.outcome, Refusal):
            raise Broken(f"it is {shown(read.outcome)}", chunks=read.chunks)
        if read.thought != thought:
            reason = f"the thought is {thought!r}, and is read as {read.thought!r}"
            raise Broken(reason, chunks=read.chunks)
        if read.content != answer:
            reason = f"the answer is {answer!r}, and is read as {read.content!r}"
            raise Broken(reason, chunks=read.chunks)


@law
def no_answer_has_the_end_of_a_thought(
    dialect: Dialect, mode: Mode, text: str, *, start: str = "", thought: str, answer: str
) -> None:
    """Check that a mark that closes a thought again is left out of the answer, and reported.

    Args:
        dialect: The dialect to test.
        mode: The mode in which texts are read, which is lenient.
        text: A turn with such a mark, or half of one, behind an answer.
        start: The part in which the turn begins.
        thought: The thought.
        answer: The answer; more of it may follow the mark.

    Raises:
        BrokenLawError: The mark is part of the answer, or nothing is reported.
    """
    for read in _readings(dialect, mode, text, start):
        if read.thought != thought or (read.content or "").replace(answer, "").strip():
            reason = f"the answer is {answer!r}, and is read as {read.content!r}"
            raise Broken(reason, chunks=read.chunks)
        if not read.repairs:
            raise Broken("a mark is left out and nothing is reported", chunks=read.chunks)
