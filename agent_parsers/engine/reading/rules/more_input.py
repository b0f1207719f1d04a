"""Finds arguments behind a call: an object that may be its input, or more of it.

Few turns have text behind a call, so this is imported when one does.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING, Final

from agent_parsers.engine.reading.quoting.quotations import BETWEEN
from agent_parsers.engine.reading.quoting.spans import without
from agent_parsers.engine.repairs.payloads import BadPayload
from outputs.growing_json.whole import MAX_DEPTH, scan_object

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from agent_parsers.engine.reading.quoting.beside import TextBeside
    from agent_parsers.engine.reading.quoting.judge import FoundCall
    from agent_parsers.toolset import ToolSet

_lead: Final = re.compile(
    r"""(?>(?:[\s`*\[(\ufeff\u200b]|(?<=`)json\b|-{1,2}(?=\w)|<(?=\w))*)"""
    r"""(?:(?:arguments?|args?|inputs?|param(?:eter)?s?|action[ _]input)\**\s?[:=]\**"""
    r"""[\s`\[(]*+)?""",
    re.IGNORECASE,
).match
"""Matches what may stand before arguments: a fence, a list, and a label."""
_argument: Final = re.compile(
    r"""([^\W\d][\w-]*+)(?:[ \t]*+=[ \t]*+(?=["'\d\[{]|(?<==)\S)|:[ \t]|>)"""
).match
"""Matches an argument as code, lines, options and elements have them."""
_keys: Final = re.compile(r"""\{\s*+["']?([\w-]++)["']?\s*+[:=]""").findall
"""Finds the first keys of objects that are no JSON."""


def more_input(
    text: str, met: Sequence[FoundCall], beside: TextBeside, tools: ToolSet
) -> BadPayload | None:
    """Return the problem if content directly behind a call may be its input, or more of it.

    The calls *met* in *text* are in order, and *beside* is the text outside them.
    """
    calls = [each for each in met if each.made is not None]
    for start, stop in beside.content:
        before = bisect_right(calls, start, key=lambda each: each.place[1]) - 1
        made = calls[before].made if before >= 0 else None
        if made is None:
            continue
        (_, end), place = calls[before].hole, calls[before].place
        between = without([(max(end, place[1]), start)], beside.marks)
        if not any("".join(text[slice(*s)].split()).strip(BETWEEN + "{`") for s in between):
            call, given = text[place[0] : start].rstrip(), made.tool_input
            if may_go_on(call, text[place[0] + len(call) : stop], made.tool, given, tools):
                return BadPayload("json_goes_on", (start, stop))
    return None


def may_go_on(call: str, text: str, tool: str, given: object, tools: ToolSet) -> bool:
    """Return whether *text* behind a *call* of *tool* has its input, or more than it was *given*.

    Only the schema of the tool can tell. If no mark stands between the two, so that the call ends
    with its input, an object may also follow words on the line of the input, and repeat a key.
    """
    if not tools.checks(tool):
        return False
    is_next = call[-1:] == "}"
    lead = _lead(text)
    begin = lead.end() if lead else 0
    start = text.find("{")
    words = text[begin : max(start, begin)]
    if (begun := _argument(text, begin)) is not None and (not given or begun[0][-1:] not in ": >"):
        keys: Collection[str] = [begun[1]]
    elif start < 0 or (words.strip() and (not is_next or "\n" in text[:start])):
        return False
    else:
        found, _ = scan_object(text, start, MAX_DEPTH)
        keys = found if isinstance(found, dict) else _keys(text, start)
        inner = found.values() if isinstance(found, dict) else ()
        keys = [*keys, *(key for each in inner if isinstance(each, dict) for key in each)]
    inside = given if isinstance(given, dict) and not is_next else ()
    return tools.declares_any(
        tool, (k for k in keys if k not in inside and k.lower() not in inside)
    )


def has_several_objects(text: str, tool: str, tools: ToolSet) -> bool:
    """Return whether *text* is objects in a row, one of which may be the input of *tool*."""
    found, end = scan_object(text, 0, MAX_DEPTH)
    if not isinstance(found, dict) or not text[end:].lstrip().startswith("{"):
        return False
    return tools.declares_any(tool, (*found, *_keys(text, end)))
