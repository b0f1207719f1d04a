"""Deterministic turns with thoughts that are open, nested, or closed too often."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from agent_parsers.authoring import Part, Table, Written
from agent_parsers.core import machine, spelt_texts
from agent_parsers.testing.trials.calls_meant import Meant, calls_in, reading
from agent_parsers.testing.trials.quotations import own_marks
from agent_parsers.testing.trials.sample_calls import usual_turn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agent_parsers import Dialect
    from agent_parsers.authoring import Mode

__all__ = ["OpenThought", "Thought", "nested_thoughts", "open_thoughts", "stray_ends"]

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
    """Yield turns in which a call ends an open thought, if a mark opens the calls of *dialect*.

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
    """Yield turns with thoughts that contain the marks of *dialect* for thoughts."""
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
    """Yield turns with an answer that another end of a thought follows, or half of one.

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
