"""What the form of a dialect with one action says of the texts in its steps."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from agent_parsers.engine.markers.kinds import Label, Literal
from agent_parsers.engine.reading.canonical.leads import SAID
from agent_parsers.engine.reading.canonical.plain_text import UNSEEN
from agent_parsers.forms.form import NUMBER, WrittenCall
from agent_parsers.forms.templates import BLANK, NAME, pattern, templates_of

if TYPE_CHECKING:
    from agent_parsers.engine.reading.canonical.plain_text import KnownMarks
    from agent_parsers.engine.reading.rules.machine import Machine
    from agent_parsers.forms.form import Form

FENCE: Final = "```json\n"
"""What opens the fence of an object."""
_STRING: Final = r'"(?P<text>[^"\\\x00-\x1f]*+)"'


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


def ends_lines(machine: Machine) -> bool:
    """Return whether each line break is a marker."""
    markers = machine.table.markers.values()
    return any(type(marker) is Literal and marker.canonical == "\n" for marker in markers)


def is_called_answer(machine: Machine, form: Form, tool: str) -> bool:
    """Return whether a call of a *tool* of this name is an answer."""
    if not has_json(form):
        return isinstance(form.answer, str) and tool.casefold() == form.answer.casefold()
    written = form.call(WrittenCall(tool, ""))
    return machine.new_call().read(written[written.find("```") :], 0).is_answer


def line_without(odd: tuple[str, ...]) -> str:
    """Return a pattern for a character of a line that is none of the *odd* ones."""
    return rf"[^{re.escape(''.join(odd))}\n]"


def lines_of(line: str, between: str) -> str:
    """Return a pattern for characters of lines, with what may stand *between* them."""
    return rf"(?>{line}*+(?:(?:{between}){line}*+)*)" if between else f"{line}*+"


def escaped(text: str) -> str:
    """Return a pattern for a *text* of a form."""
    return re.escape(text).replace(re.escape(NUMBER), r"\d{1,4}+")


def may_lack_label(form: Form) -> bool:
    """Return whether a call is an object in a fence, so that it may lack what stands before it."""
    return has_json(form) and f"{form.calls[0]}{form.call.text}".partition("{")[0].endswith(FENCE)


def json_call(form: Form, inside: str) -> str | None:
    """Return a pattern for a call with JSON, given one for what is *inside* an object."""
    templates = templates_of(form) if has_json(form) else None
    if templates is None:
        return None
    value = rf"(?:{_STRING}|(?P<input>\{{{inside}\}}))"
    head = pattern(form.calls[0] + templates.head)
    if may_lack_label(form):  # as may the tag of the fence
        label, _, head = head.partition("```json")
        head = f"(?>(?:{label})?)```(?>(?:json)?){head}"
    if isinstance(form.answer, str):
        head = head.replace(NAME, f"(?:{re.escape(form.answer)}|{NAME})")
    return f"{head}{value}{pattern(templates.tail)}{BLANK}"
