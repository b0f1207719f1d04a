"""Laws about errors and repairs, which hold for any text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from agent_parsers.actions.agent import AgentAction, AgentFinish
from agent_parsers.engine.grammar.reasoning import REASONING
from agent_parsers.engine.grammar.table import Note, Part
from agent_parsers.engine.markers.kinds import Inline, Literal
from agent_parsers.engine.markers.patterns import Patterns
from agent_parsers.events import ActionComplete, AnswerDelta, Finish, InputDelta, MarkerSeen, Repair
from agent_parsers.runs.reading.transcript_parser import parse_transcripts
from agent_parsers.testing.laws.broken import Broken, difference, law, shown
from agent_parsers.testing.trials.pieces import table_of
from agent_parsers.testing.trials.stories import (
    FailedStep,
    Refusal,
    cut,
    outcome_of,
    parsed,
    refusal,
    results_in,
    story_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agent_parsers.engine.grammar.dialect import Dialect
    from agent_parsers.engine.grammar.modes import Mode
    from agent_parsers.engine.grammar.table import Table
    from agent_parsers.testing.trials.stories import Outcome

__all__ = [
    "a_label_that_is_spelt_otherwise_is_a_repair",
    "a_repair_says_what_and_where",
    "a_transcript_is_read_or_refused",
    "a_turn_is_read_or_refused",
    "is_clear",
    "strict_reading_repairs_nothing",
    "the_limit_is_named_in_any_cut",
    "without_a_repair_both_readings_are_the_same",
]


_QUOTES: Final = re.compile(r"""\s*["'{\[]|[\s\S]*```""")
"""Matches values that may contain a label as text."""


def _check_refusal(refused: Refusal, text: str) -> None:
    """Check that an error about *text* has all that a caller needs."""
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
        raise Broken(f"the error {refused.message!r} points to {refused.span}")
    start = refused.span[0]
    place = (text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start))
    if (error.line, error.column) != place:
        raise Broken(f"the error {refused.message!r} is at {place}, not {error.line, error.column}")
    pointer = error.pointer()
    if f"line {error.line}, column {error.column}" not in pointer or "^" not in pointer:
        raise Broken(f"the error {refused.message!r} is shown as {shown(pointer)}")


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
        raise Broken(f"it is read as {outcome!r}")
    for result in results:
        _check_result(result)


def _check_result(result: AgentAction | AgentFinish) -> None:
    if isinstance(result, AgentFinish):
        if "output" not in result.return_values:
            raise Broken(f"it is read as {result!r}")
        return
    if not result.tool or result.tool != result.tool.strip():
        raise Broken(f"it is read as an action with the tool {result.tool!r}")
    if not isinstance(result.tool_input, str | dict):
        raise Broken(f"it is read as an action with the input {result.tool_input!r}")


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
        raise Broken("it is a run without a step")
    failed = [step for run in runs for step in run.failed]
    for step in failed:
        error = step.error
        if error is None or error.llm_output is None or error.llm_output not in text:
            raise Broken(f"step {step.number} failed: {error}, about other text")
        _check_refusal(refusal(error), error.llm_output)
        if not step.action_span or not error.span:
            raise Broken(f"step {step.number} failed: {error}, at no place")
        if error.llm_output[slice(*error.span)] != text[slice(*step.action_span)]:
            raise Broken(f"step {step.number} failed: {error}, at another place than it says")
    places = [step.action_span for step in failed]
    for failure in story_of(dialect, "transcript", [text]).of(FailedStep):
        if failure.span not in places:
            raise Broken(f"it emits {shown(failure)}, which is not in any run")


@law
def the_limit_is_named_in_any_cut(
    dialect: Dialect, mode: Mode, text: str, *, max_chars: int, sizes: Sequence[int] = (1,)
) -> None:
    """Check that *text*, which has *max_chars* characters or more, is refused if it is longer.

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
            raise Broken(f"it is read as {shown(outcome)}, and streamed as {shown(story.outcome)}")
    if max_chars == len(text):
        unlimited = story_of(dialect, mode, [text])
        if story != unlimited:
            ways = (f"with max_chars={max_chars}", "without a limit")
            raise Broken(difference(story, unlimited, ways))
        return
    # In lenient mode a turn may end before the limit, at an invented observation.
    if mode == "strict" and (ends := story.of(ActionComplete, Finish)):
        raise Broken(f"with max_chars={max_chars} it emits {shown(ends[0])}")
    if not isinstance(story.outcome, Refusal):
        raise Broken(f"with max_chars={max_chars} it is read as {shown(story.outcome)}")
    if f"max_chars={max_chars:,}" not in story.outcome.message:
        raise Broken(f"with max_chars={max_chars} the error is {story.outcome.message!r}")
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
            raise Broken(f"it repairs {text[slice(*repair.span)]!r} and reports {shown(repair)}")


_EDGES: Final = re.compile("\\A[\\s\ufeff\u200b\u2060]++|[\\s\ufeff\u200b\u2060]++\\Z")
"""White space and zero-width characters, which other repairs report."""


@law
def a_label_that_is_spelt_otherwise_is_a_repair(dialect: Dialect, mode: Mode, text: str) -> None:
    """Check that a marker in *text* that is not spelt as the dialect writes it is a repair.

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
            raise Broken(f"it repairs the label {text[start:end]!r}, which is not read as a marker")
    if isinstance(story.outcome, Refusal):
        return  # for an error, the repairs do not matter
    repaired = [r.span for r in repairs if r.kind in ("label", "tag", "closer", "open_reasoning")]
    closer = ""  # the closing tag of an element that is named after its key
    for event in seen:
        spelt = _EDGES.sub("", text[slice(*event.span)])
        if event.name == "key":
            closer = f"</{spelt[1:]}"
        elif event.name == "end of value" and spelt == closer:
            continue
        marker = table.markers.get(event.name)
        is_repaired = any(event.span[0] <= start < event.span[1] for start, _ in repaired)
        # White space at the edges does not count as spelling, but may be the whole marker.
        is_other = marker and not marker.is_canonical(spelt) and spelt != marker.canonical.strip()
        if table.lenient and is_other and not is_repaired:
            raise Broken(f"it reads {spelt!r} as {event.name!r} without a repair")


@law
def without_a_repair_both_readings_are_the_same(dialect: Dialect, text: str) -> None:
    """Check that strict and lenient mode agree on *text* if no repair is reported.

    Texts in which the modes find different labels are skipped; see `is_clear`.

    Raises:
        BrokenLawError: The results differ although no repair is reported.
    """
    lenient = story_of(dialect, "lenient", [text])
    if isinstance(lenient.outcome, Refusal | None) or not is_clear(dialect, text):
        return
    if lenient.of(Repair) or _is_answer_with_labels(dialect, lenient.outcome, text):
        return
    is_known = all(event.name in dialect.strict.markers for event in lenient.of(MarkerSeen))
    if not is_known or any(mark in text for pair in REASONING for mark in pair):
        return  # markers that only lenient mode knows are not repairs
    strict = parsed(dialect, "strict", text)
    if isinstance(strict, Refusal):
        # Leaving out the optional thought before an action is not a repair.
        is_same = strict.message.startswith("expected a Thought before")
    else:
        is_same = _without_edges(strict) == _without_edges(lenient.outcome)
    if not is_same:
        raise Broken(
            f"it is read strictly as {shown(strict)}, leniently as {shown(lenient.outcome)},"
            " and no repair is reported"
        )


def _is_answer_with_labels(dialect: Dialect, outcome: Outcome, text: str) -> bool:
    """Return whether *text* is only an answer, or an answer that may contain labels as text."""
    if not isinstance(outcome, AgentFinish):
        return False
    transitions = dialect.lenient.transitions.items()
    notes = (name for (_, name), transition in transitions if isinstance(transition, Note))
    is_all = str(outcome.return_values["output"]).strip() == text.strip()
    return is_all or any(dialect.lenient.markers[name].canonical in text for name in notes)


def is_clear(dialect: Dialect, text: str) -> bool:
    """Return whether both tables of *dialect* find the labels of *text* at the same places.

    Strict mode follows a reference implementation, which may find labels in the middle of a line,
    or may end at each line. In lenient mode such labels are part of the text, which is not a
    repair: the dialect does not write labels there.
    """
    encloses = {
        dialect.lenient.markers[marker].canonical
        for (_, marker), transition in dialect.lenient.transitions.items()
        if isinstance(transition, Note) and transition.in_turn
    } | _reasoning(dialect.lenient)
    if any(mark in text for mark in encloses):
        return False  # within these a label is text, which is not a repair
    if any(
        not m.canonical.strip() and m.canonical in text for m in dialect.strict.markers.values()
    ):
        return False
    for marker in dialect.strict.markers.values():
        literal = marker.canonical
        if text.count(literal.rstrip() or literal) != text.count(literal):
            return False  # only strict mode requires the space after the marker
    places = _places(dialect.strict, text)
    for value in story_of(dialect, "lenient", [text]).of(InputDelta, AnswerDelta):
        start, end = value.span
        if _QUOTES.match(value.text) and any(start < at - 1 <= end for at in places):
            return False  # the label is within a quotation in the value
    return text == text.rstrip() and places <= _places(dialect.lenient, text)


def _reasoning(table: Table) -> set[str]:
    """Return the tags that open a block of reasoning."""
    roles = table.parts
    return {
        table.markers[name].canonical
        for (state, name), transition in table.transitions.items()
        if isinstance(table.markers[name], Literal)
        and roles[state] is roles[transition.to] is Part.THOUGHT
        and transition.to not in (state, table.initial)
    }


def _places(table: Table, text: str) -> set[int]:
    """Return where markers of *table* end in *text*, whether or not they cause a transition.

    `Inline` markers are left out, since they are read in few states.
    """
    patterns = (
        Patterns({name: marker})
        for name, marker in table.markers.items()
        if marker.canonical.strip() and not isinstance(marker, Inline)
    )
    return {m.end() for pattern in patterns for m in pattern.whole.finditer("\n" + text)}


def _without_edges(result: Outcome) -> Outcome:
    """Return *result* without the white space around values, which some dialects keep if strict."""
    match result:
        case AgentAction(tool_input=str(text)):
            return result.model_copy(update={"tool_input": text.strip()})
        case AgentFinish(return_values={"output": str(text)}):
            return result.model_copy(update={"return_values": {"output": text.strip()}})
        case _:
            return result
