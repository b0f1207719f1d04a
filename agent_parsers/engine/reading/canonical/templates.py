"""How a dialect spells its turns of calls, learnt from turns that it writes.

A template is a written turn in which one character stands for each name, id and input. White space
in it may be longer or left out, which no dialect minds, except beside a fence or a raw value.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from agent_parsers.engine.grammar.dialect import Written, WrittenCall

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agent_parsers.engine.grammar.dialect import Dialect

__all__ = [
    "BLANK", "ID", "INPUT", "KEY", "NAME", "TOOL", "VALUE", "Templates", "learn",
    "pattern",
]  # fmt: skip

TOOL, ID, INPUT, KEY, VALUE = "\ue000\ue001\ue002\ue003\ue004"
"""What stands for the name of a tool, for the id of its call, for an input in JSON, and for the
name and value of a parameter that is written in another way."""
NAME: Final = "[A-Za-z_][A-Za-z0-9_-]*+"
"""Pattern for a name that every dialect reads as it is."""
BLANK: Final = r"[ \t\r\n]*+"
_BRACKETS: Final = tuple("<>[]{}")
"""Characters beside which a line break means nothing."""
_SLOT_OR_BLANK: Final = re.compile(rf"[ \t\r\n]+|{TOOL}|{ID}")

_MakeId: TypeAlias = "Callable[[str, int], str | None]"
"""Returns the id of a call, given its tool and number."""

_TOOLS: Final = ("some_tool", "other_tool", "third_tool")
_KEYS: Final = ("some_key", "other_key")
_VALUE: Final = "some value"
_JSON: Final = re.compile(rf'\{{\s*"some_key":\s*"{_VALUE}"\s*\}}')
_THOUGHT: Final = "some thought"
_CONTENT: Final = "some content"


def _without_id(_tool: str, _number: int) -> str | None:
    return None


_IDS: Final[tuple[tuple[_MakeId, str], ...]] = (
    (
        lambda tool, number: f"functions.{tool}:{number}",
        rf"(?P<id>functions\.(?P<tool>{NAME}):[0-9]++)",
    ),
    (lambda _tool, number: f"a1b2c3d4{number}", "(?P<id>[A-Za-z0-9]{9})"),
    (lambda _tool, number: f"80808{number}", "(?P<id>[0-9]++)"),
)
"""The forms of ids: what makes one, and a pattern for it, which may have the tool in it."""
_NO_ID: Final = ("", _without_id, "")


class Templates(NamedTuple):
    """The templates of the turns that a dialect writes."""

    one: str
    """A turn with one call."""
    many: str
    """A turn with three calls; empty if a turn has one call."""
    two_parameters: str
    """A turn with one call of two parameters; empty if the input is written as JSON."""
    ids: str
    """Pattern for an id; empty if calls have no ids."""
    thought: tuple[str, str] | None
    """The text before and after a thought before the calls; `None` if the dialect writes none."""
    content: tuple[str, str] | None
    """The text before and after content before the calls; `None` if the dialect writes none."""


@cache
def learn(dialect: Dialect) -> Templates | None:
    """Return the templates of *dialect*; `None` if they do not show how its calls are spelt."""
    forms = ((_template(dialect, [1], make_id), make_id, ids) for make_id, ids in _IDS)
    one, make_id, ids = next((form for form in forms if _has_id(form[0], form[2])), _NO_ID)
    one = one or _template(dialect, [1], make_id)
    if one.count(INPUT) + one.count(VALUE) != 1:
        return None
    return Templates(
        one=one,
        many=_template(dialect, [1, 1, 1], make_id),
        two_parameters=_template(dialect, [2], make_id) if VALUE in one else "",
        ids=ids,
        thought=_around(_template(dialect, [1], make_id, thought=_THOUGHT), _THOUGHT, one),
        content=_around(_template(dialect, [1], make_id, content=_CONTENT), _CONTENT, one),
    )


def _has_id(template: str, ids: str) -> bool:
    """Return whether a *template* has an id, and the name of the tool either in it or outside."""
    return ID in template and (TOOL in template) is ("(?P<tool>" not in ids)


def _template(
    dialect: Dialect,
    counts: Sequence[int],
    make_id: _MakeId,
    *,
    thought: str = "",
    content: str = "",
) -> str:
    """Return the template of a turn; empty if the dialect cannot write it.

    Args:
        dialect: The dialect.
        counts: The number of parameters of each call.
        make_id: Returns the ids of calls.
        thought: The thought of the turn.
        content: The content beside the calls.
    """
    calls = [
        WrittenCall(tool, dict.fromkeys(_KEYS[:count], _VALUE), make_id(tool, number))
        for number, (tool, count) in enumerate(zip(_TOOLS, counts, strict=False))
    ]
    tool, tool_input, call_id = calls[0]
    turn = Written(thought, tool, tool_input, "", 1, content, call_id, tuple(calls[1:]))
    try:
        written = dialect.write(turn)
    except Exception:  # noqa: BLE001 - a writer may raise anything, and reading does not need it
        return ""
    for call in calls:
        if call.id:
            written = written.replace(call.id, ID)
        written = written.replace(call.tool, TOOL)
    written = _JSON.sub(INPUT, written).replace(_VALUE, VALUE)
    for key in _KEYS:
        written = written.replace(key, KEY)
    return written


def _around(written: str, text: str, calls: str) -> tuple[str, str] | None:
    """Return what stands before and after the *text* that precedes the *calls* of a turn."""
    if not written.endswith(calls) or written.count(text) != 1:
        return None
    before, _, after = written.removesuffix(calls).partition(text)
    return before, after


def pattern(piece: str, ids: str = "", *, first: bool = True, last: bool = True) -> str:
    """Return a pattern for a *piece* of a template.

    Args:
        piece: The text.
        ids: Pattern for an id.
        first: Whether white space at the beginning of the piece may be longer or left out.
        last: Whether white space at its end may.
    """
    made = []
    at = 0
    for found in _SLOT_OR_BLANK.finditer(piece):
        made.append(re.escape(piece[at : found.start()]))
        at = found.end()
        before, after = piece[: found.start()], piece[at:]
        if found[0] == TOOL:
            made.append(f"(?P<tool>{NAME})")
        elif found[0] == ID:
            made.append(ids)
        elif not ((before or first) and (after or last)):
            made.append(re.escape(found[0]))
        elif _is_free(before, found[0], after):
            made.append(BLANK)
        else:
            made.append(rf"[ \t\r]*+\n{BLANK}" if "\n" in found[0] else re.escape(found[0]))
    return "".join(made) + re.escape(piece[at:])


def _is_free(before: str, blank: str, after: str) -> bool:
    """Return whether white space between two texts may be left out."""
    if "\n" not in blank:
        return before.endswith(('":', ","))
    return "```" not in before + after and (before[-1:] in _BRACKETS or after[:1] in _BRACKETS)
