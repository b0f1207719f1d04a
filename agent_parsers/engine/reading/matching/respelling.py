"""Rewrites turns that differ only in spelling as their dialect writes them, and records repairs.

A label may be spelt in another way (``**Action:**``, ``## Action:``, ``action:``), and calls in
JSON may have trailing commas or stand in a fence. Text goes in and text comes out: the matcher
decides whether the result is a turn of the dialect, and whether a call is quoted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from operator import itemgetter
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from agent_parsers.engine.markers.kinds import Label, label_words, spelt_texts
from agent_parsers.events import Repair
from agent_parsers.forms.templates import BLANK, templates_of
from outputs.growing_json.lenient.json_text import without_trailing_commas

if TYPE_CHECKING:
    from agent_parsers.engine.reading.rules.machine import Machine
    from agent_parsers.events import Span

_FENCED: Final = re.compile(rf"```(?:json|xml)?\n([^`]*+)(?<=\n)```{BLANK}").fullmatch


class Respelt(NamedTuple):
    """A turn, rewritten in the spelling of its dialect."""

    text: str
    repairs: tuple[Repair, ...]
    """What was repaired for that; the spans refer to the turn as the model wrote it."""


Respell: TypeAlias = Callable[[str], Respelt | None]
"""Rewrites a turn; returns `None` if there is nothing to change."""


def respeller(machine: Machine) -> Respell | None:
    """Return a function that respells turns; `None` in strict mode or without a form."""
    form = machine.dialect.form
    if not machine.lenient or form is None:
        return None
    return _of_calls(machine) if machine.table.several else _of_labels(machine)


def _of_labels(machine: Machine) -> Respell | None:
    """Return what spells the labels at the beginning of lines as the dialect does."""
    labels: dict[str, tuple[str, str]] = {}
    odd: set[str] = set()
    for name, label in machine.table.markers.items():
        if isinstance(label, Label) and not (label.anywhere or label.then or label.borrowed):
            is_plain = label.loose and not label.firm
            for words in map(str.lower, label_words(label)):
                spelt = label.canonical, name.lstrip("\n")
                is_known = labels.setdefault(words, spelt) == spelt
                odd.update({words} if not (is_known and is_plain) else ())
    known = sorted(labels.keys() - odd, key=len, reverse=True)
    if not known:
        return None
    either = "|".join(map(re.escape, known))
    undress = re.compile(
        rf"^(?:\*\*({either}):\*\*|(?:#{{1,6}} )?({either}):)", re.MULTILINE | re.IGNORECASE
    ).sub

    def respell(text: str) -> Respelt | None:
        repairs: list[Repair] = []

        def plain(found: re.Match[str]) -> str:
            # `re.IGNORECASE` folds more letters than markers do, such as a dotless i
            spelt, name = labels.get((found[1] or found[2]).lower(), (found[0], ""))
            if found[0] != spelt:
                message = f"read {found[0]!r} as the label {name!r}"
                repairs.append(Repair("label", found.span(), message))
            return spelt

        respelt = undress(plain, text)
        return Respelt(respelt, tuple(repairs)) if repairs else None

    return respell


def _of_calls(machine: Machine) -> Respell | None:
    """Return what removes fences and trailing commas from JSON calls."""
    form = machine.dialect.form
    assert form is not None, "respeller() checks that the dialect has a form"
    opener = form.around[0].strip() or form.calls[0].strip()
    marks = {text for marker in machine.table.markers.values() for text in spelt_texts(marker)}
    known = "".join((*form.calls, *form.around, form.call.text))
    # No mark may look like the beginning of a string, or like the end of an object or array.
    is_odd = any(text[-1:] in ']}"' and text in known for text in marks)
    if is_odd or opener not in marks or form.call.parameters or templates_of(form) is None:
        return None
    closer, is_plain = form.calls[2].strip(), form.around == ("", "")
    find_fences = re.compile(
        rf"{re.escape(opener)}{BLANK}(?P<before>```(?:json)?\n)\s*+(?P<call>[^`]*+)(?<=\n)"
        rf"(?P<behind>```)(?={BLANK}{re.escape(closer)})"
    ).finditer

    def respell(text: str) -> Respelt | None:
        start, end = text.find(opener), len(text)
        if start < 0:
            return None
        found: list[tuple[int, Repair]] = []  # by where they are reported
        left_out: list[Span] = []
        if closer and "```" in text:
            if is_plain and (whole := _FENCED(text)) is not None and whole.start(1) == start:
                span = (0, len(text.rstrip()))
                found.append((end, Repair("fence", span, "removed a fence around the calls")))
                left_out += ((0, start), (end := whole.end(1), len(text)))
            for fence in find_fences(text, start, end):
                at = fence.start("call")
                message = "accepted a call in a fence"
                found.append((fence.end("call"), Repair("fence", (at, at + 1), message)))
                left_out += (fence.span("before"), fence.span("behind"))
        for comma in without_trailing_commas(text[start:end])[1]:
            span = (start + comma, start + comma + 1)
            found.append((span[0], Repair("trailing_comma", span, "dropped a trailing comma")))
            left_out.append(span)
        return _without(text, sorted(left_out), found) if found else None

    return respell


def _without(text: str, left_out: Iterable[Span], found: list[tuple[int, Repair]]) -> Respelt:
    """Return *text* without the spans that are *left_out*, and the repairs that were *found*."""
    kept, at = [], 0
    for start, stop in left_out:
        kept.append(text[at:start])
        at = stop
    found.sort(key=itemgetter(0))
    return Respelt("".join((*kept, text[at:])), tuple(repair for _, repair in found))
