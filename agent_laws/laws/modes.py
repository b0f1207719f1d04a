"""Laws about strict and lenient mode, and about thoughts and what ends them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from agent_laws.laws.broken import Broken, law, shown
from agent_laws.trials.pieces import marker_in
from agent_laws.trials.sample_calls import NOT_CUT, Meant, calls_in, first_wrong
from agent_laws.trials.stories import Refusal, outcome_of, parsed, story_of
from agent_parsers import AgentAction, AgentFinish, StreamParser
from agent_parsers.authoring import Given, Go, Inline, Literal, Note, Part
from agent_parsers.core import END_TOKENS, REASONING, Patterns
from agent_parsers.events import AnswerDelta, InputDelta, MarkerSeen, Repair, ThoughtDelta

if TYPE_CHECKING:
    from agent_laws.trials.stories import Outcome, Story
    from agent_parsers import Dialect
    from agent_parsers.authoring import Mode, Table
    from outputs import Ended

_QUOTES: Final = re.compile(r"""\s*["'{\[]|[\s\S]*```""")
"""Matches values that may contain a label as text."""


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
            f"strict mode reads {shown(strict)}, lenient mode {shown(lenient.outcome)},"
            " and no repair is reported"
        )


CAREFUL: Final = {
    "half of a call": (
        *("open_call", "cut_input", "missing_input", "ambiguous_end", "open_quote", "open_fence"),
    ),
    "a call that cannot be read": (
        *("no_call", "bad_call", "bad_value", "bad_input", "no_plain_list", "foreign_call"),
        "stray_text",
        *("positional", "open_header", "late_message", "long_tool_name"),
        *("odd_brackets", "no_key", "no_value", "computed_value", "deep_call"),
    ),
    "a call that is quoted, mentioned, or in a thought": (
        *("call_in_quotation", "call_in_sentence", "open_reasoning"),
    ),
    "two results, or two inputs": (
        *("action_and_answer", "several_answers", "differing_calls", "stray_input", "two_inputs"),
        "second_input",
    ),
    "a key that appears twice": ("repeated_key",),
    "a result that the model invented": ("invented_first",),
    "nothing where text is required, or no tool": (
        *("no_tool_name", "no_input", "no_question", "no_reply", "action_without_tool"),
    ),
}
"""What only lenient reading refuses, and the names of its problems: a reference parser makes a call
or an answer of it. Users read about it in docs/lenient.md."""
_CAREFUL: Final = {problem for problems in CAREFUL.values() for problem in problems}


_ENDS: Final = {token.canonical for token in END_TOKENS}


@law
def lenient_reads_what_strict_reads(dialect: Dialect, text: str) -> None:
    """Check that lenient mode reads *text* if strict mode does, except for reasons in `CAREFUL`.

    Texts in which the modes find different labels are skipped; see `is_clear`.

    Raises:
        BrokenLawError: Strict mode reads *text*, and lenient mode refuses it for another reason
            than those of `CAREFUL`, or for an invented result that is not there.
    """
    strict = parsed(dialect, "strict", text)
    if isinstance(strict, Refusal):
        return
    lenient = story_of(dialect, "lenient", [text])
    if not isinstance(lenient.outcome, Refusal):
        return
    seen = {event.name for event in lenient.of(MarkerSeen)}
    only_lenient = seen - dialect.strict.markers.keys()
    if _ENDS & only_lenient or any(each.startswith(("end ", "half of ")) for each in only_lenient):
        return  # lenient mode ends turns and thoughts at marks of other templates
    problem = lenient.outcome.error.problem
    if problem == "invented_first" and not isinstance(strict, AgentFinish):
        if _given(dialect.lenient) & seen:
            return
    elif (
        problem in _CAREFUL
        or (problem == "json_goes_on" and isinstance(strict, AgentFinish))  # no JSON to strict mode
        or (problem == "no_action_or_answer" and _in_open_object(text))
        or _says_nothing(dialect, strict, lenient)
        or any(mark in text for pair in REASONING for mark in pair)  # only lenient mode knows them
        or not is_clear(dialect, text)
    ):
        return
    raise Broken(
        f"strict mode reads {shown(strict)}, lenient mode refuses it: {lenient.outcome.message}"
    )


def _in_open_object(text: str) -> bool:
    """Return whether the first fence of *text* stands in an object, or a string of it."""
    before, fence, _ = text.partition("```")
    is_open = before.count("{") > before.count("}") or before.count('"') % 2 == 1
    return bool(fence) and "{" in before and is_open


def _given(table: Table) -> set[str]:
    """Return the names of the markers before text that the model must not write."""
    return {name for name, marker in table.markers.items() if isinstance(marker, Given)} | {
        name
        for (_, name), row in table.transitions.items()
        if isinstance(row, Go) and table.parts[row.to] is Part.OBSERVATION
    }


def _says_nothing(dialect: Dialect, strict: Outcome, lenient: Story) -> bool:
    """Return whether *strict* is an answer of which *lenient* reads no word as one.

    They are a thought, whose end lenient mode knows, or marks, or none that can be seen.
    """
    if not isinstance(strict, AgentFinish):
        return False
    answer = str(strict.return_values["output"])
    is_left_out = any(repair.kind == "left_out" for repair in lenient.of(Repair))
    is_thought = dialect.several and bool(lenient.of(ThoughtDelta))
    is_mark = marker_in(dialect, answer) != ""
    return is_left_out or is_thought or is_mark or not any(map(str.isalnum, answer))


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
    finders = (
        Patterns.of(marker).whole.finditer
        for marker in table.markers.values()
        if marker.canonical.strip() and not isinstance(marker, Inline)
    )
    return {found.end() for find in finders for found in find("\n" + text)}


def _without_edges(result: Outcome) -> Outcome:
    """Return *result* without the white space around values, which some dialects keep if strict."""
    match result:
        case AgentAction(tool_input=str(text)):
            return result.model_copy(update={"tool_input": text.strip()})
        case AgentFinish(return_values={"output": str(text)}):
            return result.model_copy(update={"return_values": {"output": text.strip()}})
        case _:
            return result


# -- laws about thoughts ---------------------------------------------------------------------------


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
    for chunks in ([text], [*text]):
        stream = StreamParser(dialect, mode=mode, start=start, tools=tools)
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
    """Check that calls at the end of an open thought are made, and reported as a repair.

    They are not made if the text was cut, if it goes on, if the tool is unknown, or in strict mode.

    Args:
        dialect: The dialect to test.
        mode: The mode in which texts are read.
        text: A turn that ends in a call, in a thought that nothing closes.
        start: The part in which the turn begins.
        meant: The calls, in order.

    Raises:
        BrokenLawError: A call is not made, or not reported, or made although it is a draft.
    """
    for ended in NOT_CUT if mode == "lenient" else ():
        for read in _readings(dialect, mode, text, start, ended=ended):
            calls = calls_in(read.outcome)
            if len(calls) != len(meant) or first_wrong(calls, meant) is not None:
                reason = f"the text is read as {shown(read.outcome)}, expected {shown(meant)}"
                raise Broken(f"{reason} (ended: {ended})", chunks=read.chunks)
            if "open_reasoning" not in read.repairs:
                raise Broken("no repair reports the call in reasoning", chunks=read.chunks)
    drafts: list[tuple[str, Ended, Sequence[str] | None]] = [
        (text, "length", None),
        (f"{text}\nOr should I not?", "stop", None),
        (text, "stop", ["a7tool"]),
    ]
    drafts += [(text, "stop", None)] if mode == "strict" else []
    for draft, ended, tools in drafts:
        for read in _readings(dialect, mode, draft, start, ended=ended, tools=tools):
            if not isinstance(read.outcome, Refusal):
                reason = f"the draft of a call is read as {shown(read.outcome)} (ended: {ended})"
                raise Broken(reason, text=draft, chunks=read.chunks)


@law
def a_thought_keeps_its_words(
    dialect: Dialect, mode: Mode, text: str, *, start: str = "", thought: str, answer: str
) -> None:
    """Check that thought markers inside a thought belong to it, and that the rest is the answer.

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
            raise Broken(f"the turn is read as {shown(read.outcome)}", chunks=read.chunks)
        if read.thought != thought:
            reason = f"the thought {thought!r} is read as {read.thought!r}"
            raise Broken(reason, chunks=read.chunks)
        if read.content != answer:
            reason = f"the answer {answer!r} is read as {read.content!r}"
            raise Broken(reason, chunks=read.chunks)


@law
def no_answer_has_the_end_of_a_thought(
    dialect: Dialect, mode: Mode, text: str, *, start: str = "", thought: str, answer: str
) -> None:
    """Check that a second closing mark of a thought is dropped from the answer, and reported.

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
            reason = f"the answer {answer!r} is read as {read.content!r}"
            raise Broken(reason, chunks=read.chunks)
        if not read.repairs:
            raise Broken("a mark is dropped, but no repair is reported", chunks=read.chunks)
