"""Deterministic turns in which a mark of the dialect stands where it must not.

They have marks that open a call which is not there, or the results that the model is given.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Final, NamedTuple

from agent_laws.trials.pieces import table_of, written
from agent_laws.trials.quotations import own_marks
from agent_laws.trials.sample_calls import Meant, calls_in, reading, usual_turn
from agent_parsers.authoring import Go, Literal, Part, Result, Table, Written
from agent_parsers.core import Before, CallStart, machine, spelt_texts

if TYPE_CHECKING:
    from agent_parsers import Dialect
    from agent_parsers.authoring import Marker, Mode, Transition

_SIGNS: Final = "\"'{}[]():,<>=|"
"""What is taken out of a call, one after another."""
PROSE: Final = "a7word and more"
"""What follows a mark, and is no call."""
_SEEN: Final = "a7seen"
_MARK: Final = re.compile(r"[<\[\]][^<>\[\]\s]+[>\]]").match
"""Matches a mark in brackets."""
_ELEMENT: Final = re.compile(r"<[a-z]+>", re.IGNORECASE).match
_OWN_ROLES: Final = ("assistant", "chatbot", "model", "bot", "ai")
"""What templates call a model, the surest word first."""


class MarkedTurn(NamedTuple):
    """A turn with a mark that begins a call."""

    text: str
    """The turn."""
    mark: str
    """The mark."""


class GivenResult(NamedTuple):
    """A turn in which the model goes on and writes a result or another turn itself."""

    text: str
    """The turn."""
    seen: str
    """The result in it."""
    meant: tuple[Meant, ...] = ()
    """The calls before it."""
    is_all: bool = False
    """Whether nothing stands before it."""


@cache
def call_marks(dialect: Dialect, mode: Mode) -> tuple[str, ...]:
    """Return the marks that begin a call in this *mode*, in all spellings.

    Words are not among them, nor are marks that open a turn of the model, since both may come
    before an answer. If a mark counts only at the beginning of a line, it begins with a line break.
    """
    if not dialect.several:
        return ()
    table = table_of(dialect, mode)
    found: dict[str, None] = {}
    for (state, name), transition in table.transitions.items():
        if _opens_call(table, state, transition):
            found |= dict.fromkeys(_texts(dialect, table.markers[name]))
    return tuple(mark for mark in found if mark not in dialect.turn_frame[1])


def _opens_call(table: Table, state: str, transition: Transition) -> bool:
    to = transition.to
    if not isinstance(transition, Go) or transition.closes or transition.clash:
        return False
    if state in table.drafts or to in table.drafts or to in (state, table.initial):
        return False
    if table.parts[to] is Part.CONTENT:  # between the marks that enclose calls
        return to not in table.starts.values()
    from_thought = table.parts[state] is Part.THOUGHT
    return table.parts[to] is Part.CALL and not from_thought and to not in table.begun


def _texts(dialect: Dialect, marker: Marker) -> tuple[str, ...]:
    """Return the texts of a *marker* that cannot be prose, whatever follows."""
    if not isinstance(marker, CallStart):
        is_alone = isinstance(marker, Literal) and not isinstance(marker, Before)
        texts = spelt_texts(marker) if is_alone else ()
        return tuple(text for text in texts if not text[0].isalnum())
    call = usual_turn(dialect, "value")
    _, opens, rest = call.text.partition(marker.canonical)
    name, closes, _ = rest.partition(">")
    is_named = opens and call.calls[0].tool in name  # the name belongs to the mark
    begins = "\n" if marker.place else ""
    return (f"{begins}{opens}{name}{closes}",) if is_named else ()


@cache
def broken_calls(dialect: Dialect, mode: Mode) -> tuple[MarkedTurn, ...]:
    """Return turns with marks of calls that are alone, repeated, or not followed by a call."""
    marks = call_marks(dialect, mode)
    call = usual_turn(dialect, "value").text.strip() if marks else ""
    said = dialect.write(Written(answer="It is noon.")) if marks else ""
    found: list[MarkedTurn] = []
    for mark in marks:
        broken = (mark, f"{mark}\n{PROSE}", f'{mark}{{"name": {PROSE}}}', f"{mark}\n{mark}")
        texts = [
            *broken,
            *(f"{lead}\n{text}" for lead in ("It is noon.", said, call) for text in broken),
            *(f"{said}{text}" for text in broken),
            *(f"{mark}{gap}{call}" for gap in (("\n",) if mark[0] == "\n" else ("", "\n"))),
            *(f"{call}{gap}{mark}" for gap in ("", "\n")),
        ]
        found += (MarkedTurn(text.lstrip(), mark.strip()) for text in texts)
    for text in _mutants(call):
        found += (MarkedTurn(text, mark.strip()) for mark in marks if mark in f"\n{text}")
    return tuple(found)


def _mutants(call: str) -> Iterator[str]:
    """Yield *call* cut at each place, without its name, and without each of its signs."""
    yield from (call[:at] for at in range(len(call)))
    yield from (call.replace(word, "") for word in ("transfer", "query", "value"))
    for at, char in enumerate(call):
        if char in _SIGNS:
            yield call[:at] + call[at + 1 :]


@cache
def given_results(dialect: Dialect, mode: Mode) -> tuple[GivenResult, ...]:
    """Return turns that continue with a result, or with the turn of another role.

    There are none if nothing but words or brackets marks a result.
    """
    if not dialect.several:
        return ()
    seen = dialect.results_text([Result("lookup", _SEEN)])
    before, after = dialect.turn_frame
    marks = _given_marks(dialect)
    found: list[GivenResult] = []
    said = dialect.write(Written(answer="It is noon."))
    call = usual_turn(dialect, "value").text
    meant = tuple(calls_in(reading(dialect, mode, call, ended="stop")))
    for text in (seen, f"{before}{seen}{after}", f"{before}{seen}{after}It is noon."):
        opens = text.partition(_SEEN)[0].strip()
        if not (opens.startswith(marks) or _MARK(opens)):
            continue
        found.append(GivenResult(text, _SEEN, is_all=True))
        for gap in ("", "\n") if text.strip()[0] in "<[" else ("\n",):  # words begin a line
            found.append(GivenResult(f"{said}{gap}{text}", _SEEN))
            found.append(GivenResult(f"{call}{gap}{text}", _SEEN, meant))
    again = usual_turn(dialect, _SEEN).text
    if _MARK(role := _without_ends(dialect, before)):
        found += (GivenResult(f"{call}{gap}{role}{again}", _SEEN, meant) for gap in ("", "\n"))
    if user := user_turn(dialect):
        asked = f"{user}Do it.\n{_without_ends(dialect, after)}{again}"
        for text, gap in product((f"{user}{again}", asked, f"{user}{_SEEN}"), ("", "\n")):
            found.append(GivenResult(f"{said}{gap}{text}", _SEEN))
            found.append(GivenResult(f"{call}{gap}{text}", _SEEN, meant))
    return tuple(found)


def user_turn(dialect: Dialect) -> str:
    """Return what opens a turn of the user, if the mark before the model's own turn shows it.

    An element of one word, such as ``<user>``, is no mark, since answers may write it.
    """
    opens, own = _without_ends(dialect, dialect.turn_frame[1]), "".join(written(dialect))
    while (mark := _MARK(opens)) and mark[0] in own and _MARK(rest := opens[mark.end() :].lstrip()):
        opens = rest  # it ends a part of the turn before
    if mark is not None and not _ELEMENT(opens):
        for word, case in product(_OWN_ROLES, (str.lower, str.title, str.upper)):
            asked = re.sub(rf"(?<![a-zA-Z]){case(word)}(?![a-zA-Z])", case("user"), opens)
            if asked != opens:
                return asked
    return ""


def _without_ends(dialect: Dialect, text: str) -> str:
    """Return *text* without what ends a turn of the model, and without white space around it."""
    text = text.strip()
    while end := next(filter(text.startswith, dialect.stop), ""):
        text = text.removeprefix(end).lstrip()
    return text


def _given_marks(dialect: Dialect) -> tuple[str, ...]:
    """Return the marks that are known to open a result, or to end a turn."""
    marks = (*(mark.canonical for mark in dialect.given), *dialect.stop)
    return tuple({mark.strip() for mark in marks} - {""})


# -- thoughts that are open, nested, or closed too often -------------------------------------------

_PROBE, _ANSWER = "a7thought", "It is lit."


class OpenThought(NamedTuple):
    """A turn with a call in a thought that nothing closes."""

    text: str
    """The turn."""
    start: str
    """The part in which it begins; empty if it opens the thought itself."""
    meant: tuple[Meant, ...]
    """The calls."""


class Thought(NamedTuple):
    """A turn with a thought and an answer."""

    text: str
    """The turn."""
    start: str
    """The part in which it begins; empty if it opens the thought itself."""
    thought: str
    """The thought."""
    answer: str
    """The answer."""


def open_thoughts(dialect: Dialect, mode: Mode) -> Iterator[OpenThought]:
    """Yield turns in which a call ends an open thought, if *dialect* has a mark that begins calls.

    Strict reading knows only the marks that the dialect writes around thoughts.
    """
    if not machine(dialect, "lenient").marks_calls:
        return
    turn = usual_turn(dialect, "meant")
    call, meant = turn.text, tuple(calls_in(reading(dialect, "strict", turn.text, ended="stop")))
    if not _opens_a_call(dialect.lenient, call):
        return
    for opens, _ in own_marks(dialect):
        yield OpenThought(f"{opens}\nI look it up.\n{call}", "", meant)
        yield OpenThought(f"I look it up.\n{call}", "thought", meant)
    for opens, _ in dialect.reasoning if mode == "lenient" else ():
        if not _is_known(dialect.lenient, opens):
            yield OpenThought(f"{opens}I look it up.{call}", "", meant)


def nested_thoughts(dialect: Dialect, _mode: Mode) -> Iterator[Thought]:
    """Yield turns with thoughts that contain the thought marks of *dialect*."""
    for opens, closes in own_marks(dialect):
        if not _is_known(dialect.strict, opens):
            continue
        written = dialect.write(Written(_PROBE, answer=_ANSWER))
        for thought in (
            f"It wrote {opens}quick{closes} first.",
            f"It wrote {opens}a{opens}b{closes}c{closes}.",
            f"Twice {opens}a{closes} and {opens}b{closes}.",
            f"It wrote {opens}quick{closes}",
        ):
            text = written.replace(_PROBE, thought)
            yield Thought(text, "", thought, _ANSWER)
            if written.lstrip().startswith(opens):
                behind = text.lstrip().removeprefix(opens).lstrip()
                yield Thought(behind, "thought", thought, _ANSWER)


def stray_ends(dialect: Dialect, mode: Mode) -> Iterator[Thought]:
    """Yield turns with a second closing mark of a thought, or half of one, after the answer.

    Half of a mark is clear if no other mark begins with it. Strict reading repairs nothing.
    """
    spelt = {text for marker in dialect.lenient.markers.values() for text in spelt_texts(marker)}
    for opens, closes in own_marks(dialect):
        if not {opens, closes} <= spelt or mode == "strict":
            continue
        others = spelt - {closes}
        written = dialect.write(Written(_PROBE, answer=_ANSWER))
        if written.rstrip().endswith(_ANSWER):
            for end in range(len(closes) // 2 + 1, len(closes) + 1):
                if not any(text.startswith(closes[:end]) for text in others):
                    yield Thought(f"{written.rstrip()}{closes[:end]}", "", _PROBE, _ANSWER)
            yield Thought(f"{written.rstrip()}\n{closes}\n{_ANSWER}", "", _PROBE, _ANSWER)


def _opens_a_call(table: Table, text: str) -> bool:
    """Return whether *text* begins with a marker of *table* that leads from content to a call."""
    begun = {
        table.parts[transition.to]
        for (state, name), transition in table.transitions.items()
        if state == table.initial and transition.to != table.initial
        if any(text.lstrip().startswith(spelt) for spelt in spelt_texts(table.markers[name]))
    }
    return not begun.isdisjoint(_CALLS)


_CALLS: Final = (Part.CALL, Part.CONTENT)
"""The parts of a call, and of the text between the calls of a group."""


def _is_known(table: Table, text: str) -> bool:
    """Return whether *text* is a marker of *table*."""
    return any(text in spelt_texts(marker) for marker in table.markers.values())
