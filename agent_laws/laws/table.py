"""Laws about the tables of a dialect, and how its parts fit together."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from agent_laws.laws.broken import Broken, law
from agent_laws.trials.enclosures import quotes
from agent_laws.trials.pieces import marker_in, table_of, written
from agent_parsers import get_dialect, list_dialects
from agent_parsers.authoring import Part, Result, instructions
from agent_parsers.core import Patterns, spelt_texts

if TYPE_CHECKING:
    from agent_parsers import Dialect
    from agent_parsers.authoring import Marker, Mode, Table

_LABEL: Final = re.compile(r"(?m)^([^\W\d_][\w ]{0,40}[:：])[ \t]*\S")
"""Matches a label with text after it."""


@law
def every_transcript_has_a_beginning(dialect: Dialect) -> None:
    """Check that the lenient table has a state in which a transcript begins.

    Dialects with several calls in a turn are exempt: their runs are lists of messages.

    Raises:
        BrokenLawError: ``transcript_start`` is empty.
    """
    if not (dialect.several or dialect.lenient.transcript_start):
        raise Broken("transcript_start is empty in the lenient table, so no run can be read")


@law
def every_state_can_be_reached(dialect: Dialect, mode: Mode) -> None:
    """Check that transitions lead to every state of a table.

    Raises:
        BrokenLawError: No transition leads to a state, so its own transitions are unused.
    """
    table = table_of(dialect, mode)
    if lost := [state for state in table.parts if state not in reached(table)]:
        raise Broken(f"no transition of the table leads to {_listed(lost)}")


def reached(table: Table, *, by_caller: bool = True) -> set[str]:
    """Return the states that can be reached from the states in which a text may begin.

    Args:
        table: The table.
        by_caller: Whether to include the states in which the caller or the prompt may start.
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
    """Check that ``new_call`` returns a new call reader each time.

    Raises:
        BrokenLawError: It returns the same reader twice, so that calls share its state.
    """
    new_call = table_of(dialect, mode).new_call
    if new_call is not None and new_call() is new_call():
        raise Broken("new_call returns the same reader twice")


@law
def every_marker_is_written(dialect: Dialect) -> None:
    """Check that each marker of strict mode occurs in text that the dialect writes.

    Raises:
        BrokenLawError: A marker is neither in the sample nor in the texts that ``write`` and
            ``render_observation`` return, so nothing shows how it is used.
    """
    seen = dialect.results_text([Result("search", "word")])
    shown = (dialect.sample, *written(dialect), seen, *dialect.turn_frame, *dialect.stop)
    thinks = (
        dialect.thinks or not dialect.several
    )  # reasoning markers of other families are read anywhere
    for name, marker in dialect.strict.markers.items():
        if not thinks and Part.THOUGHT in _roles_at(dialect.strict, name):
            continue
        if not any(Patterns({name: marker}).whole.search(f"\n{text}\n", 0) for text in shown):
            raise Broken(
                f"{marker.canonical!r}, the marker {name!r}, is neither in the sample nor in what"
                " write and render_observation return"
            )


def _roles_at(table: Table, marker: str) -> set[Part]:
    """Return the parts of the states to which a *marker* leads, and of those that it ends."""
    transitions = (
        (state, transition.to)
        for (state, name), transition in table.transitions.items()
        if name == marker
    )
    return {table.parts[state] for ends in transitions for state in ends}


@law
def no_marker_ends_in_white_space(dialect: Dialect) -> None:
    """Check that no marker of lenient mode ends in white space.

    White space next to a marker belongs to it anyway. If a marker ends in white space, an
    observation that ends in the marker cannot be escaped, since the white space is not kept.

    Raises:
        BrokenLawError: A marker ends in white space, and has other characters.
    """
    for name, marker in dialect.lenient.markers.items():
        if marker.canonical.strip() and marker.canonical[-1:].isspace():
            raise Broken(
                f"{marker.canonical!r}, the marker {name!r}, ends in white space; remove it"
            )


@law
def a_stop_sequence_is_a_marker(dialect: Dialect) -> None:
    """Check that each stop sequence is a marker, or the closer of an action.

    Raises:
        BrokenLawError: A stop sequence is not a marker, the beginning of one, or the closer.
    """
    known = dialect.lenient.markers
    for stop in dialect.stop:
        if stop == dialect.closer or (stop.strip() and marker_in(dialect, stop)):
            continue
        if not stop or not any(f"\n{m.canonical}".startswith(stop) for m in known.values()):
            raise Broken(f"{stop!r} is neither a marker of the lenient table nor the closer")


@law
def the_instructions_show_no_label_that_is_not_read(dialect: Dialect) -> None:
    """Check that the instructions show no labels that the dialect does not read.

    Raises:
        BrokenLawError: In a paragraph that shows labels, a line begins with something like a label
            that is not read as one.
    """
    known = dialect.lenient.markers
    for paragraph in instructions(dialect).split("\n\n"):
        labels = _LABEL.findall(paragraph)
        unread = [label for label in labels if not _begins(known, label)]
        if unread and len(unread) < len(labels):
            raise Broken(
                f"shown next to labels, but not read as a label: {_listed(unread)}", text=paragraph
            )


@law
def a_name_is_that_of_one_dialect(dialect: Dialect) -> None:
    """Check that no other dialect has the name or an alias of this one.

    Raises:
        BrokenLawError: Another dialect has one of the names, or this dialect has one twice.
    """
    names = [dialect.name, *dialect.aliases]
    for name in names:
        if names.count(name) > 1:
            raise Broken(f"the dialect has the name {name!r} twice")
    for other in map(get_dialect, list_dialects()):
        if other is dialect:
            continue
        for name in (other.name, *other.aliases):
            if name in names:
                raise Broken(f"another dialect, {other.name!r}, also has the name {name!r}")


def _begins(markers: Mapping[str, Marker], text: str) -> bool:
    match = Patterns(markers).whole.match
    return any(match(f"{start}{text}\n", 0) for start in ("\n", ""))


def _listed(names: list[str]) -> str:
    return ", ".join(map(repr, names))


@law
def no_mark_of_a_call_quotes(dialect: Dialect) -> None:
    """Check that no mark that opens a call is one that quotes, or that opens a thought.

    Such marks are ``<example>``, ``Example:`` and ``> ``. A model writes them around what it does
    not mean. Marks that the dialect itself writes are its own affair, as are labels of thoughts in
    dialects with one action in a turn.

    Raises:
        BrokenLawError: There is such a mark, in one of its spellings.
    """
    own = "".join(written(dialect))
    for table in (dialect.strict, dialect.lenient) if dialect.several else ():
        for (state, name), transition in table.transitions.items():
            is_other = transition.to not in (state, table.initial)
            opens = is_other and table.parts[transition.to] is Part.CALL
            for text in spelt_texts(table.markers[name]) if opens else ():
                if quotes(text) and text not in own:
                    raise Broken(f"{text!r}, the marker {name!r}, opens a call, but it quotes")
