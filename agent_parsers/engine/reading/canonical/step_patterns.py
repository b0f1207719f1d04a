"""Patterns for the parts of short steps, and what their form tells about them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from agent_parsers.engine.markers.kinds import Label, Literal
from agent_parsers.engine.reading.canonical.leads import SAID
from agent_parsers.engine.reading.canonical.plain_text import UNSEEN
from agent_parsers.forms.form import NUMBER

if TYPE_CHECKING:
    from agent_parsers.engine.reading.canonical.plain_text import KnownMarks
    from agent_parsers.engine.reading.rules.machine import Machine
    from agent_parsers.forms.form import Form, Marks

END: Final = "\n\0"
"""What stands behind each of many steps in one text."""


def odd_in(machine: Machine, known: KnownMarks, form: Form) -> tuple[str, ...]:
    """Return the characters of which each marker of a step has one, but for those of its form."""
    odd = {*known.first, *UNSEEN, ":", "："} - {"\n"}
    for marker in machine.table.markers.values():
        if isinstance(marker, Label):
            odd |= {*marker.colon}
    if machine.lenient:
        odd |= {*"`~#"}
    if form.escape is not None:
        odd.add("[")  # tags that are text are written in brackets
    return tuple(sorted(odd | {*"{["} if has_json(form) else odd))


def may_lack_lead(machine: Machine, form: Form) -> bool:
    """Return whether a reply may go on with a thought whose label ends its prompt."""
    if form.thought is None or form.no_thought or form.thought[1] != "\n":
        return False
    return machine.initial.part in SAID and any(
        isinstance(crossing.marker, Label) and form.thought[0].startswith(crossing.marker.canonical)
        for crossing in machine.initial.crossings
    )


def has_json(form: Form) -> bool:
    """Return whether calls are objects in JSON."""
    return '{"tool"}' in form.call.text


def line_of(odd: tuple[str, ...]) -> str:
    """Return a pattern for a character of a line that is none of the *odd* ones."""
    return rf"[^{re.escape(''.join(odd))}\n]"


def lines_of(line: str, between: str) -> str:
    """Return a pattern for characters of lines, with what may stand *between* them."""
    return rf"(?>{line}*+(?:(?:{between}){line}*+)*)" if between else f"{line}*+"


def ends_lines(machine: Machine) -> bool:
    """Return whether each line break is a marker."""
    markers = machine.table.markers.values()
    return any(type(marker) is Literal and marker.canonical == "\n" for marker in markers)


def escaped(text: str) -> str:
    """Return a pattern for a *text* of a form."""
    return re.escape(text).replace(re.escape(NUMBER), r"\d{1,4}+")


def text_around(marks: Marks, text: str) -> str:
    """Return a pattern for what matches *text* between the *marks* of a form."""
    return f"{escaped(marks[0])}{text}{escaped(marks[1])}"
