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
    """What of a log counts no more, in words."""

    words: str


class Arranging(NamedTuple):
    """Where objects say which of them count; the paths are those of `Messages`."""

    key: Path
    follows: Path = ""
    voids: Path = ""
    rewinds: Path = ""
    anew: Path = ""
    begins: Callable[[Mapping[str, Any]], bool] | None = None

    def session_of(self, values: Iterable[Value]) -> Iterator[tuple[int, Value]]:
        """Yield *values*, each with the number of its session, in which keys are unique."""
        session = 0
        for value in values:
            if self.begins is not None and self._begins(value.data):
                session += 1
            yield session, value

    def _begins(self, data: Any) -> bool:
        return isinstance(data, Mapping) and self.begins is not None and self.begins(data)

    def arranged(self, values: Iterable[Value]) -> list[Value]:
        """Return those of *values*, which are of one session, that count."""
        found: dict[Any, Value] = {}
        gone = 0
        for number, value in enumerate(values):
            data = value.data
            if not isinstance(data, Mapping):
                found[number] = value
                continue
            for key in self._listed(data, self.voids):
                gone += found.pop(str(key), None) is not None
            for key in self._listed(data, self.rewinds):
                behind = [*found]
                at_key = behind.index(str(key)) if str(key) in found else len(behind)
                for each in behind[at_key:]:
                    gone += isinstance(each, str)
                    del found[each]
            if self.anew and isinstance(all_of_it := at(data, self.anew), list):
                kept = {self._key(each) for each in all_of_it}
                gone += sum(isinstance(key, str) and key not in kept for key in found)
                found = {key: old for key, old in found.items() if isinstance(key, int)}
                for place, each in enumerate(all_of_it):
                    found[self._key(each) or -1 - place] = Value(each, value.line)
                continue
            name = self._key(data)
            if not name:
                found[number] = value
            else:
                found[name] = Value(data, found[name].line if name in found else value.line)
        if self.follows and any(at(each.data, self.follows) for each in found.values()):
            way = self._way_back(found)
            gone += sum(isinstance(key, str) and key not in way for key in found)
            found = {key: each for key, each in found.items() if isinstance(key, int) or key in way}
        if gone:
            words = "1 message that was" if gone == 1 else f"{gone} messages that were"
            return [*found.values(), Value(LeftOut(f"{words} taken back later"))]
        return [*found.values()]

    def _way_back(self, found: Mapping[Any, Value]) -> set[Any]:
        """Return the keys on the way from the last message back to the first."""
        key: Any = next((key for key in reversed(found) if isinstance(key, str)), None)
        way: set[Any] = set()
        while key in found and key not in way:
            way.add(key)
            before = at(found[key].data, self.follows)
            key = str(before) if before is not None else None
        return way

    def _key(self, data: Any) -> str:
        key = at(data, self.key) if isinstance(data, Mapping) else None
        return str(key) if isinstance(key, str | int) else ""

    @staticmethod
    def _listed(data: Mapping[str, Any], path: Path) -> list[Any]:
        found = at(data, path) if path else None
        return found if isinstance(found, list) else [] if found is None else [found]
