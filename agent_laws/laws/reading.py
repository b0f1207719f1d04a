"""Laws about streams: cuts, spans and logs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from agent_laws.laws.broken import Broken, difference, law, shown
from agent_laws.trials.pieces import quiet_letters, table_of
from agent_laws.trials.stories import DELTAS, TILES, in_two, parsed, results_in, runs_in, story_of
from agent_parsers import OutputParserException, StreamParser
from agent_parsers.authoring import Part
from agent_parsers.core import whole_reader
from agent_parsers.events import (
    ActionComplete,
    AnswerDelta,
    Finish,
    Repair,
    SkippedDelta,
    ThoughtDelta,
    ToolNamed,
)
from agent_parsers.testing.chunks import cut
from agent_parsers.transcripts import TranscriptParser

if TYPE_CHECKING:
    from agent_parsers import Dialect
    from agent_parsers.authoring import Mode, OnConflict
    from agent_parsers.events import Delta


@law
def any_cut_gives_the_same_events(
    dialect: Dialect,
    mode: Mode,
    text: str,
    *,
    sizes: Sequence[int] = (1,),
    halves: bool = False,
    tools: Sequence[str] | None = None,
    on_conflict: OnConflict = "error",
) -> None:
    """Check that *text* gives the same events and result however it is cut.

    Args:
        dialect: The dialect to test.
        mode: The mode in which texts are read.
        text: The text to read.
        sizes: Sizes of the chunks in characters, used over and over; `cuts` draws such sizes.
        halves: Whether the text is also cut in two at each position.
        tools: Names of the tools; `None` if any name is valid.
        on_conflict: Which result a turn with both an action and an answer has.

    Raises:
        BrokenLawError: The events, the result or the error depend on the cut.
    """
    story = story_of(dialect, mode, [text], tools=tools, on_conflict=on_conflict)
    for chunks in _cuts_of(text, sizes, halves=halves):
        other = story_of(dialect, mode, chunks, tools=tools, on_conflict=on_conflict)
        if other != story:
            ways = ("in one piece", "in chunks")
            raise Broken(difference(story, other, ways), chunks=chunks)


def _cuts_of(text: str, sizes: Sequence[int], *, halves: bool) -> Iterator[Sequence[str]]:
    if sizes != (1,):
        yield tuple(cut(text, sizes))
    yield text
    if halves:
        yield from in_two(text)


@law
def any_cut_gives_the_same_runs(dialect: Dialect, text: str, *, sizes: Sequence[int]) -> None:
    """Check that a transcript gives the same runs in one piece and in chunks of these *sizes*.

    Raises:
        BrokenLawError: A run, or a step of it, depends on the cut.
    """
    runs = runs_in(dialect, [text])
    for chunks in _cuts_of(text, sizes, halves=False):
        other = runs_in(dialect, chunks)
        if other != runs:
            raise Broken(f"the runs are {shown(runs)}, but {shown(other)} in chunks", chunks=chunks)


@law
def each_step_of_a_transcript_is_reported_once(dialect: Dialect, text: str) -> None:
    """Check that each step is emitted once, and is the same as in the runs at the end.

    Raises:
        BrokenLawError: The steps differ, their numbers have gaps, or a step does not have either an
            action or an error.
    """
    parser = TranscriptParser(dialect)
    steps = [step for chunk in cut(text, [7]) for step in parser.feed(chunk)]
    steps += parser.close()
    kept = [step for run in parser.runs for step in run.all_steps]
    if steps != kept:
        raise Broken(f"the {len(steps)} emitted steps differ from the {len(kept)} in the runs")
    for run in parser.runs:
        found = [step.number for step in run.all_steps]
        if found != list(range(1, len(found) + 1)):
            raise Broken(f"the steps do not have consecutive numbers: {found}")
        if not all((step.action is None) == (step.error is not None) for step in run.all_steps):
            raise Broken("a step has neither an action nor an error, or it has both")


@law
def parse_gives_the_result_of_the_stream(
    dialect: Dialect,
    mode: Mode,
    text: str,
    *,
    tools: Sequence[str] | None = None,
    on_conflict: OnConflict = "error",
) -> None:
    """Check that `parse` and a stream give the same result for a turn, and `read` the same events.

    Raises:
        BrokenLawError: The results differ, or the events.
    """
    story = story_of(dialect, mode, [text], tools=tools, on_conflict=on_conflict)
    outcome = parsed(dialect, mode, text, tools=tools, on_conflict=on_conflict)
    if outcome != story.outcome:
        raise Broken(f"parsing gives {shown(outcome)}, streaming {shown(story.outcome)}")
    try:
        read = whole_reader(dialect, mode, on_conflict).read(text, tools)
    except OutputParserException:
        return  # as parsing it did
    if read is None:
        return
    if read.events != story.events:
        raise Broken(f"parsing gives {shown(read.events)}, streaming {shown(story.events)}")
    if read.repairs != tuple(story.of(Repair)) or read.result != story.outcome:
        raise Broken(f"parsing gives {shown(read)}, streaming {shown(story.events)}")


@law
def the_last_word_on_an_action_is_the_result(
    dialect: Dialect,
    mode: Mode,
    text: str,
    *,
    tools: Sequence[str] | None = None,
    on_conflict: OnConflict = "error",
) -> None:
    """Check that the actions and answers in the events of a turn are its result.

    Raises:
        BrokenLawError: An emitted action or answer is not the result, or there are several.
    """
    story = story_of(dialect, mode, text, tools=tools, on_conflict=on_conflict)
    ends = [event.action for event in story.of(ActionComplete)]
    ends += (event.finish for event in story.of(Finish))
    if ends != results_in(story.outcome):
        ends_reported = ", ".join(map(shown, ends)) or "no action and no answer"
        raise Broken(f"the stream emits {ends_reported}, but the result is {shown(story.outcome)}")


@law
def no_character_is_lost_or_repeated(
    dialect: Dialect, mode: Mode, text: str, *, sizes: Sequence[int] = (1,)
) -> None:
    """Check that the spans of the events cover each character of *text* exactly once.

    Raises:
        BrokenLawError: Spans leave a gap, overlap or lie outside the text, or the text of a delta
            is not the text at its span.
    """
    chunks = tuple(cut(text, sizes))
    story = story_of(dialect, mode, chunks)
    at = 0
    for event in sorted(story.of(*TILES), key=lambda event: event.span):
        start, end = event.span
        # A tool without a written name is emitted at the beginning of its input.
        if start != at or not (at < end or isinstance(event, ToolNamed)):
            raise Broken(
                f"text is emitted up to character {at}, and then {shown(event)}", chunks=chunks
            )
        at = end
    if at != len(text):
        raise Broken(f"text is emitted up to {at} of {len(text)} characters", chunks=chunks)
    for delta in story.of(*DELTAS):
        raw = text[slice(*delta.span)]
        # An answer in JSON is emitted with its escapes resolved, which makes it shorter.
        is_resolved = isinstance(delta, AnswerDelta) and len(delta.text) < len(raw)
        if delta.text != raw and not is_resolved:
            raise Broken(f"the span of {shown(delta)} covers other text: {raw!r}", chunks=chunks)
    for event in story.events:
        start, end = event.span
        if not 0 <= start <= end <= len(text):
            raise Broken(f"{shown(event)} has a span outside of the text", chunks=chunks)


@law
def the_log_is_the_text_of_the_model(dialect: Dialect, mode: Mode, text: str) -> None:
    """Check that the log of a turn is the whole text.

    Raises:
        BrokenLawError: The log is not the whole text, although no invented text was removed.
    """
    story = story_of(dialect, mode, text)
    is_cut = any(repair.kind == "invented" for repair in story.of(Repair))
    for log in {result.log for result in results_in(story.outcome)}:
        if is_cut and (not text.startswith(log) or log != log.rstrip()):
            raise Broken(f"the log {log!r} is not the beginning of the text")
        if not is_cut and log != text:
            raise Broken(f"the log {log!r} is not the whole text")


@law
def the_log_of_a_step_is_part_of_the_transcript(dialect: Dialect, text: str) -> None:
    """Check that the transcript contains the log of each step.

    Raises:
        BrokenLawError: A log is not part of the transcript, or has white space at its ends.
    """
    story = story_of(dialect, "transcript", text)
    logs = [event.action.log for event in story.of(ActionComplete)]
    logs += (event.finish.log for event in story.of(Finish))
    for log in logs:
        if log not in text or log != log.strip():
            raise Broken(f"the log of a step is not text from the transcript: {log!r}")


@law
def text_outside_markers_is_reported_at_once(dialect: Dialect, mode: Mode, text: str) -> None:
    """Check that characters that cannot belong to a marker are emitted at once.

    Raises:
        BrokenLawError: Such a character is held back.
    """
    quiet = quiet_places(dialect, mode, text)
    parser = StreamParser(dialect, mode=mode)
    for at, char in enumerate(text):
        ends = [event.span[1] for event in parser.feed(char) if isinstance(event, DELTAS)]
        if at in quiet and ends != [at + 1]:
            raise Broken(
                f"{char!r} at character {at} is held back, though no marker can begin with it"
            )


def quiet_places(dialect: Dialect, mode: Mode, text: str) -> set[int]:
    """Return the positions of letters in *text* that cannot belong to a marker or a call."""
    quiet = quiet_letters(dialect)
    deltas = story_of(dialect, mode, [text]).of(*DELTAS)
    table = table_of(dialect, mode)
    may_name = dialect.several and table.parts[table.initial] is Part.CALL
    spans = [_certain(event, may_call=dialect.several, may_name=may_name) for event in deltas]
    begun = _begun_marks(dialect, text)
    certain = {at for start, end in spans for at in range(start, end)} - begun
    return {at for at in certain if text[at] in quiet}


def _begun_marks(dialect: Dialect, text: str) -> set[int]:
    """Return the positions in *text* that may belong to a marker of any family's reasoning."""
    marks = [mark for pair in dialect.reasoning for mark in pair]
    return {
        at
        for at in range(len(text))
        for mark in marks
        for size in range(1, min(len(mark), at + 1) + 1)
        if text.startswith(mark[:size], at + 1 - size)
    }


def _certain(delta: Delta, *, may_call: bool, may_name: bool) -> tuple[int, int]:
    """Return the span of *delta* without the part that may be the beginning of a call.

    Args:
        delta: The delta.
        may_call: Whether a call may begin within an answer.
        may_name: Whether the first line of an answer, or of what is left out, may name a tool.
    """
    start, end = delta.span
    is_answer = isinstance(delta, AnswerDelta)
    if may_name and isinstance(delta, AnswerDelta | SkippedDelta):
        start += delta.text.find("\n") + 1 or end - start
    if may_call if is_answer else isinstance(delta, ThoughtDelta | SkippedDelta):
        mark = re.search(r"[`{\[]", delta.text)
        end = min(end, delta.span[0] + mark.start()) if mark else end
    return start, end
