"""How a dialect spells its turns of calls, as its form says it.

A template is a turn in which one character stands for each name, id and input. White space in it
may be longer or left out, which no dialect minds, except beside a fence or a raw value.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from agent_parsers.forms.form import Form

TOOL, ID, INPUT, KEY, VALUE, TYPE = "\ue000\ue001\ue002\ue003\ue004\ue005"
"""What stands for the name of a tool, for the id of its call, for its input, and for the name of
a parameter, its value, and the type of that."""
BREAK: Final = "\ue006"
"""Stands for a line break within a mark, which has to be there."""
COUNT: Final = "\ue007"
"""Stands for the number of a call."""
NAME: Final = "[A-Za-z_][A-Za-z0-9_-]{0,63}+"
"""Pattern for a name that every dialect reads as it is; some read no longer ones."""
BLANK: Final = r"[ \t\r\n]*+"
_BRACKETS: Final = tuple("<>[]{}")
"""Characters beside which a line break means nothing."""
_WITHIN_JSON: Final = ('{"', ',"', "}")
"""What stands around a line break that means nothing even in a fence; nothing before the last."""
_OPENS_FENCE: Final = re.compile(r"```\w*\Z").search
_SLOT_OR_BLANK: Final = re.compile(rf"[ \t\r\n]+|{TOOL}|{ID}|{COUNT}")


class Templates(NamedTuple):
    """The templates of the calls of a dialect."""

    head: str
    """A call up to its input, or to its parameters."""
    tail: str
    """The rest of the call, after the input or the parameters."""
    parameter: str
    """One parameter; empty if the input is written as JSON."""
    between: str
    """Text between two parameters."""
    ids: str
    """Pattern for an id; empty if calls have no ids."""
    plain: str = ""
    """One parameter with a number; empty if a text is spelt in the same way."""
    types: tuple[str, ...] = ()
    """The types that a value may have, of which the first is that of a text, and the others those
    of JSON; empty if the type of a value is not written."""
    elements: tuple[str, ...] = ()
    """The types of an object and of a list that have an element for each member; empty for none."""
    item: str = ""
    """An item of such a list."""


@cache
def templates_of(form: Form) -> Templates | None:
    """Return the templates of a *form*; `None` if they do not show how calls are spelt."""
    call, parameters = form.call, form.call.parameters
    slots = {"tool": TOOL, "id": ID, "input": INPUT, '"tool"': f'"{TOOL}"', '"id"': f'"{ID}"'}
    slots["number"] = COUNT
    parameter = between = plain = item = ""
    types: tuple[str, ...] = ()
    elements: tuple[str, ...] = ()
    if parameters is not None:
        written = parameters.write_value(VALUE)
        values = {"key": KEY, "value": written, "is_text": TYPE, "type": TYPE}
        parameter, between = _joined(parameters.segments, values), parameters.between
        if TYPE in parameter:
            spelt = {**parameters.types}
            if parameters.write_value([VALUE]) != f'["{VALUE}"]':
                elements = spelt.pop(dict), spelt.pop(list)
                item = parameters.write_value([VALUE]).replace(spelt[str], TYPE)
            types = spelt.pop(str), *sorted(spelt.values())
        if values["value"] != VALUE and parameters.write_value(1) == "1":
            plain = _joined(parameters.segments, {**values, "value": VALUE})
        slots["parameters"] = INPUT
    elif not call.has_json_input:
        return None
    head, found, tail = _joined(call.segments, slots).partition(INPUT)
    ids = form.pattern_of_ids(f"(?P<tool>{NAME})")
    made = Templates(head, tail, parameter, between, ids, plain, types, elements, item)
    return made if found else None


def _joined(segments: tuple[str, ...], slots: Mapping[str, str]) -> str:
    """Return the text of *segments*, with what stands in *slots* for the holes in it."""
    return "".join(slots[each] if number % 2 else each for number, each in enumerate(segments))


def pattern(piece: str, ids: str = "", *, first: bool = True, last: bool = True) -> str:
    """Return a regular expression for a *piece* of a template, with *ids* in place of an id.

    White space at its beginning may be longer or missing if it is the *first*, at its end if
    *last*.
    """
    made = []
    at = 0
    for found in _SLOT_OR_BLANK.finditer(piece):
        made.append(re.escape(piece[at : found.start()]))
        at = found.end()
        before, after = piece[: found.start()], piece[at:]
        if found[0] == TOOL:
            made.append("(?P=tool)" if TOOL in before else f"(?P<tool>{NAME})")
        elif found[0] == ID:
            made.append(ids)
        elif found[0] == COUNT:
            made.append("[0-9]++")
        elif not ((before or first) and (after or last)):
            made.append(re.escape(found[0]))
        elif _is_free(before, found[0], after):
            made.append(BLANK)
        elif "\n" not in found[0]:
            made.append(re.escape(found[0]))
        else:  # a line that opens a fence may have to end in a line break alone
            made.append(rf"\n{BLANK}" if _OPENS_FENCE(before) else rf"[ \t\r]*+\n{BLANK}")
    return ("".join(made) + re.escape(piece[at:])).replace(BREAK, "\n")


def _is_free(before: str, blank: str, after: str) -> bool:
    """Return whether white space between two texts may be left out."""
    if "\n" not in blank:
        return before.endswith(('":', ","))
    if before[-1:] + after[:1] in _WITHIN_JSON:
        return True
    if "```" in before + after or after[:1].isalpha():  # a word may have to begin a line
        return False
    return before[-1:] in _BRACKETS or after[:1] in _BRACKETS
