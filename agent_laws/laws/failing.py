"""Laws about errors and repairs, which hold for any text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from agent_laws.laws.broken import Broken, difference, law, shown
from agent_laws.trials.pieces import table_of
from agent_laws.trials.stories import (
    FailedStep,
    Refusal,
    outcome_of,
    parsed,
    refusal,
    results_in,
    story_of,
)
from agent_parsers import AgentAction, AgentFinish
from agent_parsers.events import ActionComplete, Finish, MarkerSeen, Repair
from agent_parsers.testing.chunks import cut
from agent_parsers.transcripts import parse_transcripts

if TYPE_CHECKING:
    from agent_parsers import Dialect
    from agent_parsers.authoring import Mode


def _check_refusal(refused: Refusal, text: str, before: str = "") -> None:
    """Check that an error about *text*, which follows *before*, has all that a caller needs."""
    error = refused.error
    if not refused.message:
        raise Broken("an error has no reason")
    if not (refused.observation or "").strip():
        raise Broken(f"the error {refused.message!r} has no observation for the model")
    if refused.llm_output != text:
        raise Broken(
            f"the error {refused.message!r} has the llm_output {shown(refused.llm_output)},"
            f" which is not {shown(text)}"
        )
    if refused.span is None or not 0 <= refused.span[0] <= refused.span[1] <= len(text):
        raise Broken(f"the error {refused.message!r} has the wrong span {refused.span}")
    whole, start = before + text, len(before) + refused.span[0]
    place = (whole.count("\n", 0, start) + 1, start - whole.rfind("\n", 0, start))
    if (error.line, error.column) != place:
        raise Broken(
            f"the error {refused.message!r} is at {error.line, error.column}, expected {place}"
        )
    pointer = error.pointer()
    if f"line {error.line}, column {error.column}" not in pointer or "^" not in pointer:
        raise Broken(f"the error {refused.message!r} has the wrong pointer {shown(pointer)}")


@law
def a_turn_is_read_or_refused(
    dialect: Dialect, mode: Mode, text: str, *, tools: Sequence[str] | None = None
) -> None:
    """Check that parsing *text* gives an action, an answer or a complete error.

    Raises:
        BrokenLawError: The result is not an action with a tool name, an answer, or an error with a
            reason, an observation and a span in the text.
    """
    outcome = parsed(dialect, mode, text, tools=tools)
    if isinstance(outcome, Refusal):
        _check_refusal(outcome, text)
        return
    results = results_in(outcome)
    if not results:
        raise Broken(f"expected an action, an answer or an error, found {outcome!r}")
    for result in results:
        _check_result(result)


def _check_result(result: AgentAction | AgentFinish) -> None:
    if isinstance(result, AgentFinish):
        if "output" not in result.return_values:
            raise Broken(f"the text is read as {result!r}")
        return
    if not result.tool or result.tool != result.tool.strip():
        raise Broken(f"the text is read as an action with the tool {result.tool!r}")
    if not isinstance(result.tool_input, str | dict):
        raise Broken(
            "the text is read as an action whose input is neither text nor a dictionary:"
            f" {result.tool_input!r}"
        )


@law
def a_transcript_is_read_or_refused(dialect: Dialect, text: str) -> None:
    """Check that *text* is read as a transcript with steps, or gives a complete error.

    Raises:
        BrokenLawError: There is neither a run with a step nor an error with a reason, an
            observation and a span; or a failed step does not show where it failed.
    """
    runs = outcome_of(lambda: parse_transcripts(text, dialect=dialect))
    if isinstance(runs, Refusal):
        _check_refusal(runs, text)
        return
    if not runs[0].all_steps:
        raise Broken("the text is read as a run without steps")
    failed = [step for run in runs for step in run.failed]
    for step in failed:
        error = step.error
        if error is None or error.llm_output is None or error.llm_output not in text:
            raise Broken(f"the error of step {step.number} quotes text that is not there: {error}")
        if not step.action_span or not error.span:
            raise Broken(f"the error of step {step.number} has no span: {error}")
        if error.llm_output[slice(*error.span)] != text[slice(*step.action_span)]:
            raise Broken(f"the error of step {step.number} has a wrong span: {error}")
        before = text[: max(step.action_span[0] - error.span[0], 0)]
        _check_refusal(refusal(error), error.llm_output, before)
    places = [step.action_span for step in failed]
    for failure in story_of(dialect, "transcript", [text]).of(FailedStep):
        if failure.span not in places:
            raise Broken(f"the stream emits {shown(failure)}, which is not in any run")


@law
def the_limit_is_named_in_any_cut(
    dialect: Dialect, mode: Mode, text: str, *, max_chars: int, sizes: Sequence[int] = (1,)
) -> None:
    """Check that *text* is refused if it has more than *max_chars* characters.

    Raises:
        BrokenLawError: A longer text does not give an error that names the limit, or the result
            depends on how the text is cut.
    """
    story = story_of(dialect, mode, [text], max_chars=max_chars)
    chunks = tuple(cut(text, sizes))
    other = story_of(dialect, mode, chunks, max_chars=max_chars)
    if other != story:
        raise Broken(difference(story, other, ("in one piece", "in chunks")), chunks=chunks)
    if mode != "transcript":
        outcome = parsed(dialect, mode, text, max_chars=max_chars)
        if outcome != story.outcome:
            raise Broken(f"parsing gives {shown(outcome)}, streaming {shown(story.outcome)}")
    if max_chars == len(text):
        unlimited = story_of(dialect, mode, [text])
        if story != unlimited:
            ways = (f"with max_chars={max_chars}", "without a limit")
            raise Broken(difference(story, unlimited, ways))
        return
    # In lenient mode a turn may end before the limit, at an invented observation.
    if mode == "strict" and (ends := story.of(ActionComplete, Finish)):
        raise Broken(f"with max_chars={max_chars}, the stream still emits {shown(ends[0])}")
    if not isinstance(story.outcome, Refusal):
        raise Broken(
            f"with max_chars={max_chars}, the text is still read as {shown(story.outcome)}"
        )
    if f"max_chars={max_chars:,}" not in story.outcome.message:
        raise Broken(f"the error does not name max_chars={max_chars:,}: {story.outcome.message!r}")
    _check_refusal(story.outcome, text[:max_chars])


# -- repairs -------------------------------------------------------------------------------------


@law
def strict_reading_repairs_nothing(dialect: Dialect, text: str) -> None:
    """Check that strict mode reports no repairs for *text*.

    Raises:
        BrokenLawError: A repair is reported.
    """
    for repair in story_of(dialect, "strict", cut(text, [5])).of(Repair):
        raise Broken(f"it repairs {text[slice(*repair.span)]!r}: {repair.message}")


@law
def a_repair_says_what_and_where(dialect: Dialect, mode: Mode, text: str) -> None:
    """Check that each repair of *text* has a kind, a message and a span.

    Raises:
        BrokenLawError: A repair has no kind or no message, or its span covers no text.
    """
    for repair in story_of(dialect, mode, [text]).of(Repair):
        is_reported = repair.kind.isidentifier() and repair.message.strip()
        if not is_reported or not text[slice(*repair.span)].strip():
            raise Broken(f"a repair lacks its kind, its message or its text: {shown(repair)}")


_EDGES: Final = re.compile("\\A[\\s\ufeff\u200b\u2060]++|[\\s\ufeff\u200b\u2060]++\\Z")
"""White space and zero-width characters, which other repairs report."""


@law
def a_label_that_is_spelt_otherwise_is_a_repair(dialect: Dialect, mode: Mode, text: str) -> None:
    """Check that each marker in *text* with an unusual spelling is reported as a repair.

    Raises:
        BrokenLawError: A marker is spelt differently and no repair is reported, or a repair is
            reported where there is no marker.
    """
    table = table_of(dialect, mode)
    story = story_of(dialect, mode, [text])
    seen = story.of(MarkerSeen)
    repairs = story.of(Repair)
    for start, end in (repair.span for repair in repairs if repair.kind == "label"):
        if not any(m.span[0] <= start < end <= m.span[1] for m in seen):
            raise Broken(f"the label {text[start:end]!r} is repaired, but not read as a marker")
    if isinstance(story.outcome, Refusal):
        return  # for an error, the repairs do not matter
    repaired = [r.span for r in repairs if r.kind in ("label", "tag", "closer", "open_reasoning")]
    thought_end = max((m.span[0] for m in seen if m.name == "end of thought"), default=0)
    closer = ""  # the closing tag of an element that is named after its key
    for event in seen:
        spelt = _EDGES.sub("", text[slice(*event.span)])
        if event.name == "key":
            closer = f"</{spelt[1:]}"
        elif event.name == "end of value" and (spelt == closer or event.span[0] < thought_end):
            continue  # that of a call which turned out to be a thought ends no value
        marker = table.markers.get(event.name)
        is_repaired = any(event.span[0] <= start < event.span[1] for start, _ in repaired)
        # White space at the edges does not count as spelling, but may be the whole marker.
        is_other = marker and not marker.is_canonical(spelt) and spelt != marker.canonical.strip()
        if table.lenient and is_other and not is_repaired:
            raise Broken(f"{spelt!r} is read as {event.name!r} without a repair")
