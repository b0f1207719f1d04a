"""JSON readers that report where the members of one object stand, chunk by chunk.

`outputs` reads the JSON. The readers here add notes: where a key of the watched object was read,
and where its value begins and ends. The watched object is the outermost one, or one inside it under
a key that wraps calls, such as ``{"function": {"name": …}}``.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from typing_extensions import override

from agent_parsers.events import Repair
from outputs.growing_json.lenient.reader import LenientJsonReader
from outputs.growing_json.lenient.strings import LenientStrings
from outputs.growing_json.reader import JsonReader
from outputs.growing_json.scalars import NOTHING
from outputs.growing_json.steps import JsonSteps, State, Step

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from agent_parsers.engine.repairs.payloads import Lack

__all__ = ["LenientWatch", "Note", "Noted", "StrictWatch", "Watch", "repairs_within"]


class Noted(Enum):
    """What a note is about."""

    OPENED = auto()
    """An object or list was opened that may be or contain the call; ``value`` is whether it stands
    in a list."""
    CLOSED = auto()
    """It was closed, or something inside it was; ``value`` is the number that are still open."""
    KEY = auto()
    """A key was read, up to its colon; ``value`` is the key."""
    TEXT = auto()
    """Its value is a string, whose opening quote stands here."""
    CONTAINER = auto()
    """Its value is an object or list, which begins here."""
    END = auto()
    """Its value ended here; ``value`` is that value."""
    ITEM = auto()
    """Another object or list begins here in a list that contains the call already found."""


class Note(NamedTuple):
    """Something about the watched object."""

    noted: Noted
    at: int
    """Offset in `str` characters from the start of the JSON."""
    value: Any = None


class Watch(JsonReader):
    """A `JsonReader` that takes notes; `StrictWatch` and `LenientWatch` are the two kinds."""

    notes: list[Note]
    """Notes that have not been processed yet."""
    is_settled: bool
    """Whether the call is found, so that objects inside it are not watched."""
    text_left: str
    """The part that was read of a string in which the text stopped being JSON."""
    wrappers: Container[str]
    """Keys under which a call may be nested."""
    _level: int  # how many open containers may be or contain the call
    _key: str | None  # the last key read in the innermost of them
    _is_open: bool  # whether its value has not ended

    _TEXTS: ClassVar[tuple[Step, ...]] = (JsonSteps._text, JsonSteps._key_text)
    _READS_REMAINS: ClassVar = True  # so that repeated keys are noticed

    def start(self, wrappers: Container[str]) -> None:
        """Begin to take notes."""
        self.notes = []
        self.is_settled = False
        self.text_left = ""
        self.wrappers = wrappers
        self._level = 0
        self._key = None
        self._is_open = False

    @property
    def known(self) -> int:
        """How many characters were read whose meaning is certain."""
        if self.error is not None:
            return self.error.pos
        return self._offset - len(self._held)

    @property
    def is_quoting(self) -> bool:
        """Whether the text ends inside a string, and not at a quote that may end it."""
        return self._inside in self._TEXTS and self._held[:1] in ("", "\\")

    @property
    def repeats_key(self) -> bool:
        """Whether an object, at any depth, repeats a key."""
        return bool(self._grown.overwritten)

    @property
    def lacks(self) -> Lack:
        """Which closers are missing. The arguments of a call stand in the watched object.

        If no object is watched, the JSON is the arguments.
        """
        if self.end is not None or not self.depth:
            return ""
        return "arguments" if self.depth <= self._level + 1 else "values"

    @property
    def text_parts(self) -> list[str]:
        """The pieces read so far of the open string."""
        return self._parts

    @override
    def _open(self, chunk: str, pos: int, container: Any, state: State) -> int:
        grown = self._grown
        depth = grown.depth
        at = self._offset + pos
        is_item = depth > 0 and depth == self._level and type(grown.top) is list
        if depth != self._level or self.is_settled:
            if depth == self._level:
                noted = Noted.ITEM if is_item else Noted.CONTAINER
                self.notes.append(Note(noted, at))
            return super()._open(chunk, pos, container, state)
        if depth and type(grown.top) is dict and self._key not in self.wrappers:
            self.notes.append(Note(Noted.CONTAINER, at))
            return super()._open(chunk, pos, container, state)
        if depth == _MOST_LEVELS:
            return super()._open(chunk, pos, container, state)
        grown.open(container)
        self._level += 1
        self._state = state
        self._stale = True
        self.notes.append(Note(Noted.OPENED, at, is_item))
        return pos + 1

    def _note_key(self, chunk: str, pos: int) -> int:
        if self._grown.depth == self._level:
            self._key = self._grown.key
            self._is_open = True
            self.notes.append(Note(Noted.KEY, self._offset + pos + 1, self._key))
        return self._await_value(chunk, pos)

    @override
    def _text(self, chunk: str, pos: int) -> int:
        """Read a string from its beginning; the step left in ``_inside`` continues it."""
        if self._grown.depth == self._level:
            self.notes.append(Note(Noted.TEXT, self._offset + pos - 1))
        return super()._text(chunk, pos)

    @override
    def _after_value(self, pos: int) -> int:
        self._note_end(pos)
        return super()._after_value(pos)

    def _note_end(self, pos: int) -> None:
        """Add a note that a value ended at *pos*."""
        depth = self._grown.depth
        if depth < self._level:
            self._level = depth
            self._is_open = False
            self.notes.append(Note(Noted.CLOSED, self._offset + pos, depth))
        elif depth == self._level and type(self._grown.top) is dict:
            value = self._grown.top.get(self._key, NOTHING)
            self._is_open = False
            self.notes.append(Note(Noted.END, self._offset + pos, value))

    @override
    def _close_container(self, chunk: str, pos: int) -> int:
        # The closers of inner values may have been missing.
        if self._is_open and self._grown.depth == self._level:
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
            self.text_left = "".join(self._parts)
        return super()._break(chunk, pos, reason, in_string=in_string)


_MOST_LEVELS = 8
"""How deep a call may be nested; anything deeper is not a call."""


class StrictWatch(Watch):
    """Reads standard JSON, but accepts raw line breaks in strings."""

    _COLON: ClassVar = State(
        JsonReader._COLON.expected, {**JsonReader._COLON, ":": Watch._note_key}
    )


class LenientWatch(Watch, LenientJsonReader):
    """Reads JSON as models write it, and reports the repairs."""

    _TEXTS: ClassVar = (LenientStrings._text, LenientStrings._key_text)
    _COLON: ClassVar = State(
        LenientJsonReader._COLON.expected, {**LenientJsonReader._COLON, ":": Watch._note_key}
    )


def repairs_within(json: Watch, base: int, stop: int) -> Iterator[Repair]:
    """Yield the repairs of *json*, which begins at offset *base* in a text up to *stop*.

    The repair of missing text has the span of the character in its place, or of the last one.
    """
    for kind, (start, end), message in json.repairs if isinstance(json, LenientWatch) else ():
        at = min(base + start, stop - 1)
        yield Repair(kind, (at, max(base + end, at + 1)), message)
