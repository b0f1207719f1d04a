"""Spans in a turn: of errors, of text without white space, and operations on spans."""

from __future__ import annotations

import re
from collections import deque
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from agent_parsers.engine.calls.reader import Call
    from agent_parsers.events import Span


def end_span(problem: str, text: str, entry: int) -> Span:
    """Return the span of a *problem* that is found at the end of *text*.

    It begins at offset *entry*, at the marker that led to the last state. For the problem
    ``"no_action_or_answer"``, which has no such marker, it is the last line that is not blank.
    """
    end = len(text.rstrip())
    if problem == "no_action_or_answer":
        return (text.rfind("\n", 0, end) + 1, end)
    entry = max(entry, 0)  # there is no line break before the text
    entry += text.startswith("\n", entry)  # a line break before a label belongs to the line above
    return (entry, max(entry, end))


def trimmed(text: str, start: int, stop: int) -> Span:
    """Return the span between *start* and *stop* without white space at both ends."""
    body = text[start:stop]
    left = stop - len(body.lstrip())
    return (left, max(left, start + len(body.rstrip())))


def merged(spans: Iterable[Span], text: str = "") -> list[Span]:
    """Return *spans* in order; those that overlap or have only white space between are joined."""
    found: list[Span] = []
    for start, stop in sorted(spans):
        last = found[-1][1] if found else -1
        if start < last or (found and text and not text[last:start].strip()):
            found[-1] = found[-1][0], max(stop, found[-1][1])
        else:
            found.append((start, stop))
    return found


def joined_with(spans: Iterable[Span], links: Iterable[Span], walls: Iterable[Span]) -> list[Span]:
    """Return *spans* and *links*; a link is joined with its neighbours unless a wall is between."""
    pieces = [(span, kind) for kind, each in enumerate((spans, links, walls)) for span in each]
    found: list[tuple[Span, int]] = []
    for (start, stop), kind in sorted(pieces):
        if found and found[-1][1] < 2 and kind < 2 and kind + found[-1][1]:
            found[-1] = (found[-1][0][0], max(stop, found[-1][0][1])), 1
        else:
            found.append(((start, stop), kind))
    return [span for span, kind in found if kind < 2]


def without(spans: Iterable[Span], cuts: Iterable[Span]) -> list[Span]:
    """Return *spans* without the *cuts*, which must not overlap."""
    left: list[Span] = []
    waiting = deque(sorted(cuts))
    for start, stop in sorted(spans):
        at = start
        while waiting and waiting[0][0] < stop:
            first, last = waiting[0]
            if at < first:
                left.append((at, first))
            at = max(at, min(last, stop))
            if last > stop:
                break
            waiting.popleft()
        if at < stop:
            left.append((at, stop))
    return left


def is_torn(text: str, spans: Iterable[Span]) -> bool:
    """Return whether one of the calls at *spans* is in brackets that also contain other text.

    An opening bracket that nothing closes counts if it begins a line.
    """
    pieces, at = [""], 0
    for start, stop in (trimmed(text, *span) for span in merged(spans)):
        call = text[start:stop]
        first = start + len(call) - len(call.lstrip(f"[({{{_SEPARATORS}"))
        last = start + len(call.rstrip(f"])}}{_SEPARATORS}"))
        pieces += (text[at:first], _CALL * (last - first))
        at = max(last, first)
    blank = "".join(pieces) + text[at:]
    opened: list[int] = []
    pairs: list[Span] = []
    for bracket in _BRACKETS.finditer(blank):
        if bracket[0] in _CLOSED_BY:
            opened.append(bracket.start())
        elif opened and _CLOSED_BY[blank[opened[-1]]] == bracket[0]:
            pairs.append((opened.pop(), bracket.end()))
    begins = (at for at in opened if blank[max(0, at - 99) : at].rstrip(" \t")[-1:] in ("", "\n"))
    pairs += ((at, len(blank)) for at in begins)
    called = ((max(0, a - 1) if blank[a] == "(" else a, b) for a, b in pairs)
    return any(_CALL in blank[a:b] and _SAYS(blank[a:b]) for a, b in merged(called))


_CALL: Final = "\0"
_SEPARATORS: Final = ",; \t\r\n"
_CLOSED_BY: Final = {"[": "]", "(": ")", "{": "}"}
_BRACKETS: Final = re.compile(r"[\[\](){}]")
_SAYS: Final = re.compile(r"[^\W_]").search


def call_span(problem: str, call: Call, stop: int) -> Span:
    """Return the span of a *problem* with a *call* whose state ends at *stop*.

    It is empty for a call without any text.
    """
    if problem == "after_call" and call.after is not None:
        return call.after
    return call.span if call.span[0] >= 0 else (stop, stop)


def call_holes(calls: Sequence[Call], stop: int, opened_at: int, *, is_closed: bool) -> list[Span]:
    """Return the spans of *calls* with their markers, in a text that ends at *stop*.

    The label or header of the first call begins at offset *opened_at*. If *is_closed*, a marker at
    the end closes the last call.
    """
    edges = [*(call.span[0] for call in calls[1:]), stop]
    pairs = zip(calls, edges, strict=True)
    holes = [call.whole or (call.span[0], max(call.span[0], edge)) for call, edge in pairs]
    numbers = [number for number, call in enumerate(calls) if not call.is_text]
    if not numbers:
        return holes
    first, last = numbers[0], numbers[-1]
    if not calls[first].is_bare:
        holes[first] = opened_at, holes[first][1]
    if is_closed:
        holes[last] = holes[last][0], stop
    return holes
