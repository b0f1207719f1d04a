"""What must be true of a dialect's parts together, which no part can tell by itself."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from agent_parsers.engine.grammar.dialect import Result
from agent_parsers.engine.grammar.table import Part
from agent_parsers.engine.markers.patterns import Patterns
from agent_parsers.engine.writing.prompt import instructions
from agent_parsers.registry.dialects_by_name import get_dialect, list_dialects
from agent_parsers.testing.laws.broken import Broken, law
from agent_parsers.testing.trials.pieces import marker_in, table_of, written

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agent_parsers.engine.grammar.dialect import Dialect
    from agent_parsers.engine.grammar.modes import Mode
    from agent_parsers.engine.grammar.table import Table
    from agent_parsers.engine.markers.kinds import Marker

__all__ = [
    "a_name_is_that_of_one_dialect",
    "a_stop_sequence_is_a_marker",
    "every_call_has_a_reader_of_its_own",
    "every_marker_is_written",
    "every_state_can_be_reached",
    "every_transcript_has_a_beginning",
    "no_marker_ends_in_white_space",
    "the_instructions_show_no_label_that_is_not_read",
]

_LABEL: Final = re.compile(r"(?m)^([^\W\d_][\w ]{0,40}[:：])[ \t]*\S")
"""What looks like a label with something after it."""


@law
def every_transcript_has_a_beginning(dialect: Dialect) -> None:
    """Look for the state in which a transcript begins.

    Raises:
        BrokenLawError: The table says of none. Where turns may have several calls, a run is a row
            of messages, and no transcript.
    """
    if not (dialect.several or dialect.lenient.transcript_start):
        raise Broken("transcript_start is empty in the lenient table, so no run can be read")


@law
def every_state_can_be_reached(dialect: Dialect, mode: Mode) -> None:
    """Go along all rows of a table.

    Raises:
        BrokenLawError: No row leads to a state, so its own rows mean nothing.
    """
    table = table_of(dialect, mode)
    if lost := [state for state in table.parts if state not in reached(table)]:
        raise Broken(f"no row of the table leads to {_listed(lost)}")


def reached(table: Table, *, by_caller: bool = True) -> set[str]:
    """Return the states to which rows lead, from where a text may begin.

    Args:
        table: The rows.
        by_caller: Whether that may be where the caller, or the prompt, says.
    """
    starts = {table.initial, table.transcript_start or table.initial}
    if by_caller:
        starts |= {*table.starts.values(), *table.prompt_ends.values()}
    queue = list(starts)
    for state in queue:
        transitions = (
            transition.to
            for (source, _), transition in table.transitions.items()
            if source == state
        )
        for to in (table.begun.get(state, state), *transitions):
            if to not in starts:
                starts.add(to)
                queue.append(to)
    return starts


@law
def every_call_has_a_reader_of_its_own(dialect: Dialect, mode: Mode) -> None:
    """Make two readers of calls, if a table has any.

    Raises:
        BrokenLawError: They are one, so that a call begins where the last one ended.
    """
    new_call = table_of(dialect, mode).new_call
    if new_call is not None and new_call() is new_call():
        raise Broken("new_call returns the reader that it returned before")


@law
def every_marker_is_written(dialect: Dialect) -> None:
    """Look for the markers of strict reading in all that the dialect writes.

    Raises:
        BrokenLawError: One is neither in the sample nor in what `write` and `render_observation`
            write, so nothing shows how it is meant.
    """
    seen = dialect.results_text([Result("search", "word")])
    shown = (dialect.sample, *written(dialect), seen, *dialect.turn_frame, *dialect.stop)
    thinks = dialect.thinks or not dialect.several  # those of others are read wherever they come
    for name, marker in dialect.strict.markers.items():
        if not thinks and Part.THOUGHT in _roles_at(dialect.strict, name):
            continue
        if not any(_finds({name: marker}, text) for text in shown):
            raise Broken(
                f"{marker.canonical!r}, the marker {name!r}, is not in the sample, nor in what"
                " write and render_observation write"
            )


def _roles_at(table: Table, marker: str) -> set[Part]:
    """Return the roles of the states to which a *marker* leads, and of those it ends."""
    transitions = (
        (state, transition.to)
        for (state, name), transition in table.transitions.items()
        if name == marker
    )
    return {table.parts[state] for ends in transitions for state in ends}


@law
def no_marker_ends_in_white_space(dialect: Dialect) -> None:
    """Look at the ends of the markers of lenient reading.

    White space beside a marker belongs to it, so none need stand in it. Where it does, an
    observation that ends in this marker cannot be escaped, since its own white space is not kept.

    Raises:
        BrokenLawError: One ends in white space, and is not white space alone.
    """
    for name, marker in dialect.lenient.markers.items():
        if marker.canonical.strip() and marker.canonical[-1:].isspace():
            raise Broken(f"{marker.canonical!r}, the marker {name!r}, does; leave it out there")


@law
def a_stop_sequence_is_a_marker(dialect: Dialect) -> None:
    """Look for the stop sequences among the markers.

    Raises:
        BrokenLawError: One is no marker, no beginning of one, and not what closes an action.
    """
    known = dialect.lenient.markers
    for stop in dialect.stop:
        if stop == dialect.closer or (stop.strip() and marker_in(dialect, stop)):
            continue
        if not stop or not any(f"\n{m.canonical}".startswith(stop) for m in known.values()):
            raise Broken(f"{stop!r} is no marker of the lenient table, nor the closer")


@law
def the_instructions_show_no_label_that_is_not_read(dialect: Dialect) -> None:
    """Look at the paragraphs of the instructions that show labels.

    Raises:
        BrokenLawError: A line of one begins with what looks like a label, and is not read as one.
    """
    known = dialect.lenient.markers
    for paragraph in instructions(dialect, []).split("\n\n"):
        labels = _LABEL.findall(paragraph)
        unread = [label for label in labels if not _begins(known, label)]
        if unread and len(unread) < len(labels):
            raise Broken(f"{_listed(unread)} is told beside labels, and is none", text=paragraph)


@law
def a_name_is_that_of_one_dialect(dialect: Dialect) -> None:
    """Look for the name and the aliases among those of other dialects.

    Raises:
        BrokenLawError: Another dialect has one of them, or it has one twice.
    """
    names = [dialect.name, *dialect.aliases]
    for name in names:
        if names.count(name) > 1:
            raise Broken(f"it has the name {name!r} twice")
    for other in map(get_dialect, list_dialects()):
        if other is dialect:
            continue
        for name in (other.name, *other.aliases):
            if name in names:
                raise Broken(f"another dialect, {other.name!r}, has the name {name!r}")


def _finds(markers: Mapping[str, Marker], text: str) -> bool:
    return Patterns(markers).whole.search(f"\n{text}\n", 0) is not None


def _begins(markers: Mapping[str, Marker], text: str) -> bool:
    match = Patterns(markers).whole.match
    return any(match(f"{start}{text}\n", 0) for start in ("\n", ""))


def _listed(names: list[str]) -> str:
    return ", ".join(map(repr, names))
