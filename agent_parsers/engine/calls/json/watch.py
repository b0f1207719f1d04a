"""JSON readers that show the members of a call to an observer, chunk by chunk.

`outputs` reads the JSON. The readers here tell `Members` where a key of the watched object was
read, and where its value begins and ends. The watched object is the outermost one, or one inside it
under a key that wraps calls, such as ``{"function": {"name": …}}``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Final

from typing_extensions import override

from agent_parsers.engine.calls.json.members import CallKeys, Members
from agent_parsers.engine.repairs.payloads import fault_at
from agent_parsers.events import Repair
from outputs.growing_json.errors import JsonError, JsonIncompleteError, JsonLimitError
from outputs.growing_json.lenient.lenient_reader import LenientJsonReader
from outputs.growing_json.reader import JsonReader
from outputs.growing_json.steps import NextChars

if TYPE_CHECKING:
    from agent_parsers.engine.repairs.payloads import Lack

_MOST_LEVELS: Final = 8
"""How deep a call may be nested; anything deeper is not a call."""
_NOBODY: Final = Members(CallKeys(tool="", input=""))
"""The observer of JSON that is not a call but its arguments; it is never told anything."""


class JsonWatch(JsonReader):
    """A `JsonReader` that reports what it reads to an observer; see its two subclasses.

    The observer, *members*, is `None` if the JSON is the arguments of a call. All positions count
    from the start of a text in which the JSON begins at *base*.
    """

    _READS_REMAINS: ClassVar = True  # so that repeated keys are noticed

    def __init__(self, members: Members | None = None, base: int = 0) -> None:
        super().__init__()
        self._offset = base
        self._members = members or _NOBODY
        # How many open containers may be or contain the call; -1 without an observer.
        self._level = -1 if members is None else 0
        self.text_left: str = ""
        """The part that was read of a string in which the text stopped being JSON."""

    @override
    def feed(self, chunk: str) -> int:
        """Read *chunk* and return how many characters were used; a limit may set `error`."""
        try:
            return self._feed(chunk)
        except JsonLimitError:
            return len(chunk)

    def end_text(self, *, supply_closers: bool) -> str:
        """End the text; return the problem if the JSON is incomplete or invalid, else ``""``."""
        try:
            self.close(supply_closers=supply_closers)
        except JsonIncompleteError:
            return "open_call"
        except JsonError:
            return self.fault
        return ""

    @property
    def fault(self) -> str:
        """The problem of the text, once it stopped being JSON."""
        return fault_at(self.broke_at, "bad_call")

    @property
    def repeats_key(self) -> bool:
        """Whether an object, at any depth, repeats a key."""
        return bool(self._grown.overwritten)

    @property
    def lacks(self) -> Lack:
        """What the missing closers would close: only the arguments of a call, or nested values.

        If no object is watched, the JSON is the arguments.
        """
        if self.end is not None or not self.depth:
            return ""
        return "arguments" if self.depth <= max(self._level, 0) + 1 else "values"

    def text_from(self, start: int) -> str:
        """Return the text of the string being read, from its character *start* on."""
        return self._string.tail(start)

    @override
    def _open(self, chunk: str, pos: int, container: Any, state: NextChars) -> int:
        grown, members = self._grown, self._members
        depth, at = grown.depth, self._offset + pos
        if depth != self._level:
            return super()._open(chunk, pos, container, state)
        is_item = type(grown.top) is list
        may_be_call = is_item or not depth or grown.key in members.keys.wrappers
        if members.tool is not None and is_item:
            members.has_more = True
        elif members.tool is not None or not may_be_call:
            members.begin_value(at)
        elif depth < _MOST_LEVELS:
            grown.open(container)
            self._level += 1
            self._state = state
            self._stale = True
            members.open()
            return pos + 1
        return super()._open(chunk, pos, container, state)

    def _note_key(self, chunk: str, pos: int) -> int:
        if self._grown.depth == self._level:
            self._members.add_key(self._grown.key or "", self._offset + pos + 1)
        return self._await_value(chunk, pos)

    @override
    def _text(self, chunk: str, pos: int) -> int:
        """Read a string from its beginning; the step left in ``_inside`` continues it."""
        if self._grown.depth == self._level:
            self._members.begin_value(self._offset + pos - 1, is_text=True)
        return super()._text(chunk, pos)  # of `LenientStrings` in a `LenientWatch`

    @override
    def _after_value(self, pos: int) -> int:
        if self._grown.depth <= self._level:
            self._note_end(pos)
        return super()._after_value(pos)

    def _note_end(self, pos: int) -> None:
        """Note that a value, or a container that may be the call, ended at *pos*."""
        depth, top = self._grown.depth, self._grown.top
        if depth < self._level:
            self._level = depth
            self._members.close(depth)
        elif depth == self._level and type(top) is dict:
            self._members.end_value(self._offset + pos, top)

    @override
    def _close_container(self, chunk: str, pos: int) -> int:
        # The closers of inner values may have been missing.
        if self._grown.depth == self._level:
            self._note_end(pos)
        return super()._close_container(chunk, pos)

    @override
    def _close_all(self, pos: int) -> int:
        while self._grown.depth > 1:
            self._grown.close()
            self._note_end(pos)
        return super()._close_all(pos)

    @override
    def _break(self, chunk: str, pos: int, reason: str, *, in_string: bool = False) -> int:
        if in_string:
            self.text_left = str(self._string)
        return super()._break(chunk, pos, reason, in_string=in_string)


class StrictWatch(JsonWatch):
    """Reads standard JSON, but accepts raw line breaks in strings."""

    _COLON: ClassVar = NextChars(
        JsonReader._COLON.expected, {**JsonReader._COLON, ":": JsonWatch._note_key}
    )


class LenientWatch(JsonWatch, LenientJsonReader):
    """Reads JSON as models write it, and reports the repairs."""

    _COLON: ClassVar = NextChars(
        LenientJsonReader._COLON.expected, {**LenientJsonReader._COLON, ":": JsonWatch._note_key}
    )


def watch(members: Members | None = None, base: int = 0, *, lenient: bool) -> JsonWatch:
    """Return a reader for JSON that begins at offset *base*; *members* observes it."""
    return LenientWatch(members, base) if lenient else StrictWatch(members, base)


def repairs_within(json: JsonWatch, stop: int) -> Iterator[Repair]:
    """Yield the repairs of *json*, which ends before offset *stop*.

    If text is missing, the repair has the span of the character at that place, or of the last one.
    """
    for kind, (start, end), message in json.repairs if isinstance(json, LenientWatch) else ():
        at = min(start, stop - 1)
        yield Repair(kind, (at, max(end, at + 1)), message)
