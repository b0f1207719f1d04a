"""Judges the calls that were found in a turn: which are made, and which are only text."""

from __future__ import annotations

from bisect import bisect_right
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from agent_parsers.engine.reading.quoting.meant import quoted_repair
from agent_parsers.engine.reading.quoting.quotations import (
    Surroundings,
    is_wrapper,
    likeness,
    problem_of,
)
from agent_parsers.engine.reading.quoting.spans import joined_with, merged, trimmed, without
from agent_parsers.engine.repairs.payloads import BadPayload
from agent_parsers.events import Repair

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agent_parsers.engine.reading.quoting.beside import TextBeside
    from agent_parsers.events import Span


class ReadyCall(NamedTuple):
    """A call that can be executed."""

    tool: str
    tool_input: str | dict[Any, Any]
    id: str | None
    span: Span


class FoundCall(NamedTuple):
    """A call that was found, whether it counts or is quoted."""

    hole: Span
    """Span of the call with its markers."""
    place: Span
    """Span of the call without its markers."""
    is_bare: bool
    made: ReadyCall | None
    """The call itself; `None` if it is wrong."""
    bad: BadPayload | None = None
    """What is wrong with the call."""
    is_short: bool = False
    """Whether only its position shows that a value in it is complete; see `Call.is_short`."""


class Judgement(NamedTuple):
    """Which calls of a turn count, and which are only quoted."""

    made: list[ReadyCall]
    """The calls that can be executed, in order."""
    quoted: list[FoundCall]
    """The calls that are only text."""
    content: list[Span]
    """The content outside calls, including quoted calls, without the fences around the others."""
    repairs: list[Repair]
    """What was repaired."""
    problem: BadPayload | None
    """The first call that is wrong."""
    hidden: list[Span]
    """Where quoted calls stand that no other dialect reads either.

    Only calls of this dialect are among them, and none in a fence or an element in which another
    may write its calls.
    """


def judge(text: str, met: Sequence[FoundCall], beside: TextBeside, *, lenient: bool) -> Judgement:
    """Decide which of the calls in *text* that were *met* count, and which are only quoted.

    If *lenient*, a quoted call, or text that is not a call, is content; otherwise it is an error.
    """
    content, thoughts, last = beside.content, beside.thoughts, beside.last
    judged = Judgement([], [], content, [], None, [])
    bare = [each.hole for each in met if each.is_bare]
    marked = [each.hole for each in met if not each.is_bare]
    holes = merged([*merged([*marked, *beside.marks], text), *bare, *thoughts])
    around = Surroundings(text, holes)
    problem: BadPayload | None = None
    marks: set[Span] = set()  # of what encloses quoted calls
    like_made = {likeness(frame, text) for frame in around.dressing}
    for each in met:
        number = bisect_right(holes, each.hole[0], key=itemgetter(0)) - 1
        quotation = around.quotation(number)
        if quotation is not None and lenient and not quotation.problem:
            what, name = likeness(quotation, text)
            if (what, name) in like_made:
                problem = problem or BadPayload("call_in_quotation", each.place)
            judged.repairs.append(quoted_repair(each.place, quotation.what))
            judged.quoted.append(each)
            marks |= {mark for mark in quotation.marks if mark[1]}
            may_be_frame = what == "a fence" or is_wrapper(name, is_led=True)
            if each.bad is None and not may_be_frame:
                judged.hidden.append(each.hole)
            continue
        bad = each.bad
        if bad is not None and bad.problem == "no_call" and each.is_bare and lenient:
            continue  # it is content
        if quotation is not None:
            bad = bad or problem_of(quotation, text, each.place)
        elif (
            each.is_bare and (not around.is_alone(number) or around.is_alternative(number))
        ) or around.is_denied(number, is_marked=not each.is_bare):
            is_before_mark = each.is_bare and around.is_before_mark(number)
            wrong = "after_call" if is_before_mark else "call_in_sentence"
            bad = bad or BadPayload(wrong, each.place)
        if bad is None and each.is_short and each.place[0] < last:
            bad = BadPayload("ambiguous_end", each.place)
        problem = problem or bad
        if bad is None and each.made is not None:
            judged.made.append(each.made)
    if dressing := around.dressing if lenient else []:
        for frame in () if bare else dressing:  # readers of bare calls report it
            kind = "fence" if frame.what in ("a fence", "backticks") else "wrapped"
            message = f"removed {frame.what} around the calls"
            judged.repairs.append(Repair(kind, (frame.start, frame.stop), message))
        left = without(content, merged(mark for each in dressing for mark in each.marks))
        content = [trimmed(text, *span) for span in left if text[slice(*span)].strip()]
    if judged.quoted:
        quoted = {each.hole for each in judged.quoted}
        others = [each.hole for each in met if each.hole not in quoted]
        content = joined_with(content, [*quoted, *marks], [*others, *thoughts])
    return judged._replace(content=content, problem=problem)
