"""What was seen in a log of an unknown form, and which form comes nearest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.runs.reading.reader import MALFORMED, Lines, Values
from agent_parsers.runs.splitting.quoted import has_structure

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

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
    if not values:
        return ""
    near: tuple[int, str, str] = (1, "", "")  # how near, where, and why it is not of the form
    places = [*_messages_in(values[0])]
    for table in tables:
        for where, message in places:
            try:
                passed, why = table.lack_of(message)
            except MALFORMED:
                continue
            if passed > near[0]:
                near = passed, where, f"; the nearest form is {table.name!r}, but {why}"
    where, message = next((each for each in places if each[0] == near[1]), places[-1])
    keys = ", ".join(map(repr, [*message][:_MOST]))
    return f"{where} has the keys {keys}{near[2]}" if keys else f"{where} is empty"


def _messages_in(value: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the objects in *value* that may be messages, and where each stands, in words."""
    if isinstance(value, list):
        value = value[0] if value else {}
    if not isinstance(value, Mapping):
        value = {}
    yield "the first value", value
    for key, each in value.items():
        if isinstance(each, list) and each and isinstance(each[0], Mapping):
            yield f"the first of {key!r}", each[0]
