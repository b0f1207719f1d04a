"""Chooses the call that counts if a turn with one action contains or quotes several."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agent_parsers.engine.reading.quoting.quotations import Surroundings, is_plain, problem_of
from agent_parsers.engine.repairs.names import is_bare_name
from agent_parsers.engine.repairs.payloads import BadPayload
from agent_parsers.events import Repair
from outputs.growing_json.scalars import matcher

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from agent_parsers.engine.calls.reader import Call, CallReader
    from agent_parsers.engine.tables.modes import OnConflict
    from agent_parsers.events import Span

_blank: Final = matcher(r"\s*+")
_WINDOW: Final = 128
"""How many characters after a call are read at first."""


def call_meant(
    call: Call,
    text: str,
    *,
    base: int,
    label: Span,
    new_call: Callable[[], CallReader],
    on_conflict: OnConflict,
    stops: Iterable[str],
    repairs: list[Repair] | None,
) -> Call:
    """Return the call that counts in *text*, which may have others after the first *call*.

    A quoted call is text, and a call that is repeated counts once.

    Args:
        call: The first call.
        text: The turn up to its end.
        base: Offset of *text* in the whole text.
        label: Span of the last label, or of the marker that opens the call.
        new_call: Makes the readers of the other calls.
        on_conflict: Which call counts if calls differ.
        stops: Stop sequences; text after one is ignored.
        repairs: Collects the repairs; `None` in strict mode, in which no call may be dropped.

    Raises:
        BadPayload: All calls are quoted, a sentence forbids a call, or two calls differ.
    """
    start, stop = _hole(call, label, base + len(text))
    start, stop = start - base, stop - base
    ends = (end for end in (text.find(mark, stop) for mark in stops) if end >= 0)
    text = text[: min(ends, default=len(text))]
    if not text[stop:].strip() and is_plain(text[:start]):
        return call
    calls = [call, *_others(text, stop, base, new_call)]
    if repairs is None:
        return _chosen(calls, "error")
    holes = [(start, stop), *((a - base, b - base) for a, b in map(_place, calls[1:]))]
    around = Surroundings(text, holes, label[1] - base)
    meant: list[Call] = []
    for number, each in enumerate(calls):
        quotation = around.quotation(number)
        if quotation is not None and quotation.problem:
            raise problem_of(quotation, text, each.tool_span, base)
        if quotation is not None:
            repairs.append(quoted_repair(_place(each), quotation.what))
        elif around.is_denied(number, is_marked=not each.is_bare):
            raise BadPayload("call_in_sentence", each.tool_span)
        else:
            meant.append(each)
    if not meant:
        raise BadPayload("call_in_quotation", call.tool_span)
    chosen = _chosen(meant, on_conflict)
    for each in meant:
        if not _is_same(each, chosen):
            repairs.append(
                Repair("left_out", _place(each), "dropped another call of the same turn")
            )
    return chosen


def quoted_repair(span: Span, what: str) -> Repair:
    """Return the repair that reports that the call at *span* is in a quotation, *what*."""
    return Repair("quoted", span, f"read a call in {what} as text")


def _place(call: Call) -> Span:
    return call.whole or call.span


def _hole(call: Call, label: Span, stop: int) -> Span:
    """Return the span of the first *call* with its markers, in a text that ends at *stop*."""
    if call.whole is not None:
        return call.whole
    return label[0], call.after[0] if call.after is not None else stop


def _chosen(calls: Sequence[Call], on_conflict: OnConflict) -> Call:
    """Return the call that counts; raise `BadPayload` if calls differ and none is chosen."""
    first = calls[0]
    other = next((call for call in calls if not _is_same(call, first)), None)
    if other is None:
        return first
    if on_conflict == "first" and not first.problem:
        return first
    wanted = [call for call in calls if call.is_answer == (on_conflict == "answer")]
    is_one = bool(wanted) and all(_is_same(call, wanted[0]) for call in wanted)
    if on_conflict in ("action", "answer") and is_one and not wanted[0].problem:
        return wanted[0]
    problem = "differing_calls" if first.is_answer == other.is_answer else "action_and_answer"
    raise BadPayload(problem, other.tool_span)


def _is_same(call: Call, other: Call) -> bool:
    said = [(each.is_answer, each.tool, each.tool_input, each.problem) for each in (call, other)]
    return said[0] == said[1]


def _others(text: str, at: int, base: int, new_call: Callable[[], CallReader]) -> Iterator[Call]:
    """Yield the calls in *text* from *at* on, including broken calls."""
    text = text.rstrip()
    size = _WINDOW
    while at < len(text):
        at = _blank(text, at).end()
        reader, end = new_call(), at
        while end < len(text) and reader.rest_at < 0:
            stop = min(end + size, len(text))
            while text[stop - 1].isspace():  # no piece may end in white space
                stop += 1
            reader.feed(text[end:stop], base + end)
            end = stop
            size *= 2
        call = reader.close()[1]
        is_named = is_bare_name(call.tool) and text.startswith(call.tool, at)
        if not (call.whole or is_named) or call.is_text or call.problem == "call_in_sentence":
            return
        yield call
        size = max(_WINDOW, 2 * (_place(call)[1] - base - at))
        at = max(_place(call)[1] - base, at + 1)
