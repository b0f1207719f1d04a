"""What was seen in a log of an unknown form, and which form comes nearest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.runs.reading.reader import MALFORMED, Lines, Values
from agent_parsers.runs.splitting.quoted import has_structure

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from agent_parsers.runs.tables.messages import Messages

__all__ = ["seen_in"]

_MOST: Final = 8
"""How many keys or lines are named."""
_HEAD: Final = 4_000
_PAGE: Final = "docs/log-forms.md shows how to have a form of your own read"


def seen_in(log: Lines | Values, tables: Iterable[Messages]) -> str:
    """Return what was seen in a *log* of an unknown form, to follow the reason; empty if nothing.

    Nothing of the log is taken.
    """
    if isinstance(log, Lines):
        lines = [line.strip() for line in log.head(_HEAD).splitlines() if has_structure(line)]
        titles = [*dict.fromkeys(line[:40] for line in lines)][:3]
        seen = f"lines begin like {', '.join(map(repr, titles))}" if titles else ""
    else:
        seen = _seen_in_values(log.head(1), tables)
    return f": {seen}; {_PAGE}" if seen else ""


def _seen_in_values(values: Sequence[Any], tables: Iterable[Messages]) -> str:
    found = _message_in(values[0]) if values else None
    if found is None:
        return ""
    where, message = found
    keys = ", ".join(map(repr, [*message][:_MOST]))
    said = f"{where} has the keys {keys}" if keys else f"{where} is empty"
    best, score, lack = None, 1, ""
    for table in tables:
        try:
            passed, why = table.lack_of(message)
        except MALFORMED:
            continue
        if passed > score:
            best, score, lack = table, passed, why
    return f"{said}; the nearest form is {best.name!r}, but {lack}" if best else said


def _message_in(value: Any) -> tuple[str, Mapping[str, Any]] | None:
    """Return the object in *value* that is most like a message, and where it stands, in words."""
    if isinstance(value, list):
        return _message_in(value[0]) if value else None
    if not isinstance(value, Mapping):
        return None
    lists = {key: each for key, each in value.items() if isinstance(each, list) and each}
    for key, each in sorted(lists.items(), key=lambda item: -len(item[1])):
        if isinstance(each[0], Mapping) and "role" not in value:
            return f"the first of {key!r}", each[0]
    return "the first value", value
