"""Messages in the order in which they count, where a log writes them as they come and change.

A session that is written while it goes on says a message again when more of it has arrived, takes
messages back, and begins anew behind the last one. What counts in the end:

* of messages with one key, the last, at the place of the first
* no message that a later one takes back, alone or with all behind it
* where messages point to the one before, only those on the way from the last one back
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from agent_runs.reading.reader import Value
from agent_runs.tables.part import Path, at


class LeftOut(NamedTuple):
    """A part of a log that was dropped, described in words for a notice."""

    words: str
    text: str = ""
    """Its text, if it is one."""


class Arranging(NamedTuple):
    """Says which objects of a log count, by the paths of `Messages` to their keys and links."""

    key: Path
    follows: Path = ""
    voids: Path = ""
    rewinds: Path = ""
    anew: Path = ""
    begins: Callable[[Mapping[str, Any]], bool] | None = None
    asks: Callable[[Any], bool] = lambda _: False

    def session_of(self, values: Iterable[Value]) -> Iterator[tuple[int, Value]]:
        """Yield *values*, each with the number of its session; keys are unique within a session.

        A session begins with an object that says so; a question just before it belongs to it.
        """
        session = 0
        asked: list[Value] = []
        for value in values:
            if self.asks(value.data):
                asked.append(value)
                continue
            begins = self.begins if isinstance(value.data, Mapping) else None
            is_first = begins is not None and begins(value.data)
            session += is_first
            for each in [value, *asked] if is_first else [*asked, value]:
                yield session, each
            asked.clear()
        yield from ((session, each) for each in asked)

    def arranged(self, values: Iterable[Value]) -> list[Value]:
        """Return those of *values* that count; all of them belong to one session."""
        kept = _Kept(self)
        for number, value in enumerate(values):
            if isinstance(value.data, Mapping):
                kept.take(number, value, value.data)
            else:
                kept.found[number] = value
        if self.follows:
            kept.keep_way_back()
        return kept.values()

    def key_of(self, data: Any) -> str:
        """Return the key of an object; empty if it has none."""
        key = at(data, self.key) if isinstance(data, Mapping) else None
        return str(key) if isinstance(key, str | int) else ""


class _Kept:
    """The values of a session that count so far: under their keys, or under a number."""

    def __init__(self, order: Arranging) -> None:
        self._order = order
        self._gone = 0
        self.found: dict[str | int, Value] = {}
        """The values in order."""

    def take(self, number: int, value: Value, data: Mapping[str, Any]) -> None:
        """Process the next *value*, whose data is an object."""
        order = self._order
        for key in _listed(data, order.voids):
            self._drop([str(key)])
        for key in _listed(data, order.rewinds):
            before = [*self.found]
            if str(key) in self.found:
                self._drop(before[before.index(str(key)) :])
        if order.anew and isinstance(anew := at(data, order.anew), list):
            kept = {order.key_of(each) for each in anew}
            self._drop([key for key in self.found if isinstance(key, str) and key not in kept])
            for place, each in enumerate(anew):
                self._put(order.key_of(each) or -1 - place, Value(each, value.line))
            return
        self._put(order.key_of(data) or number, value)

    def _put(self, key: str | int, value: Value) -> None:
        """Set the value with a *key*, in the place of an earlier one."""
        known = self.found.get(key)
        self.found[key] = value if known is None else Value(value.data, known.line)

    def _drop(self, keys: Iterable[str | int]) -> None:
        for key in keys:
            if self.found.pop(key, None) is not None and isinstance(key, str):
                self._gone += 1

    def keep_way_back(self) -> None:
        """Drop all values with keys that are not on the path of links back from the last one."""
        follows = {key: at(each.data, self._order.follows) for key, each in self.found.items()}
        if not any(follows.values()):
            return  # the log has no pointers
        key = next((key for key in reversed([*self.found]) if isinstance(key, str)), "")
        way: set[str] = set()
        while key in self.found and key not in way:
            way.add(key)
            key = str(follows[key])
        self._drop([key for key in self.found if isinstance(key, str) and key not in way])

    def values(self) -> list[Value]:
        """Return the values, followed by a notice if any messages were taken back."""
        found = [*self.found.values()]
        if self._gone:
            many = f"{self._gone} messages that were" if self._gone > 1 else "1 message that was"
            found.append(Value(LeftOut(f"{many} taken back later")))
        return found


def _listed(data: Mapping[str, Any], path: Path) -> list[Any]:
    """Return what stands at a *path*, one or a list, as a list."""
    found = at(data, path) if path else None
    return found if isinstance(found, list) else [] if found is None else [found]
