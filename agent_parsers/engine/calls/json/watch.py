"""JSON readers that tell where the members of one object stand, while it comes in.

`outputs` reads the JSON. What is added here are notes on the way: where a key of the watched object
was read, where its value begins and where it ends. The watched object is the outermost one, or one
inside it under a key that wraps calls, such as ``{"function": {"name": …}}``.
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
    """What was noted."""

    OPENED = auto()
    """An object or list that may be the call, or hold it, was opened; ``value`` tells whether it
    stands in a list."""
    CLOSED = auto()
    """It was closed, or what is inside it was; ``value`` tells how many are still open."""
    KEY = auto()
    """A key was read, up to its colon; ``value`` is the key."""
    TEXT = auto()
    """Its value is a string, whose opening quote stands here."""
    CONTAINER = auto()
    """Its value is an object or list, which begins here."""
    END = auto()
    """Its value ended here; ``value`` is that."""
    ITEM = auto()
    """Another object or list begins here in a list that holds the call, which was found before."""


class Note(NamedTuple):
    """Something about the watched object."""

    noted: Noted
    at: int
    """Where, in `str` characters from the start of the JSON."""
    value: Any = None


class Watch(JsonReader):
    """A `JsonReader` that takes notes; `StrictWatch` and `LenientWatch` are the two kinds."""

    notes: list[Note]
    """What was noted and not looked at yet."""
    is_settled: bool
    """Whether the call is found, so that no object inside it is watched."""
    text_left: str
    """What was read of the string in which the text stopped being JSON."""
    wrappers: Container[str]
    """Keys under which a call may stand."""
    _level: int  # how many open containers may be the call or hold it
    _key: str | None  # the last key read in the innermost of them
    _is_open: bool  # whether its value has not ended

    _TEXTS: ClassVar[tuple[Step, ...]] = (JsonSteps._text, JsonSteps._key_text)
    _READS_REMAINS: ClassVar = True  # so that keys that come twice are known

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
        """Whether the text ends inside a string; at a quote that may end it, it does not."""
        return self._inside in self._TEXTS and self._held[:1] in ("", "\\")

    @property
    def repeats_key(self) -> bool:
        """Whether a key comes twice in one object, at any depth."""
        return bool(self._grown.overwritten)

    @property
    def lacks(self) -> Lack:
        """What is missing, from the arguments of a call on, which stand in the watched object.

        If none is watched, they are all there is.
        """
        if self.end is not None or not self.depth:
            return ""
        return "arguments" if self.depth <= self._level + 1 else "values"

    @property
    def text_parts(self) -> list[str]:
        """What was read of the string that is open, in pieces."""
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
        """Read a string from its beginning; it is read on by what it leaves in ``_inside``."""
        if self._grown.depth == self._level:
            self.notes.append(Note(Noted.TEXT, self._offset + pos - 1))
        return super()._text(chunk, pos)

    @override
    def _after_value(self, pos: int) -> int:
        self._note_end(pos)
        return super()._after_value(pos)

    def _note_end(self, pos: int) -> None:
        """Note that a value has ended at *pos*."""
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
        # The closers of what is inside may have been missing.
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
"""A call that is wrapped more often is none."""


class StrictWatch(Watch):
    """Reads JSON by the book, raw line breaks in strings excepted."""

    _COLON: ClassVar = State(
        JsonReader._COLON.expected, {**JsonReader._COLON, ":": Watch._note_key}
    )


class LenientWatch(Watch, LenientJsonReader):
    """Reads JSON as models write it, and tells what was mended."""

    _TEXTS: ClassVar = (LenientStrings._text, LenientStrings._key_text)
    _COLON: ClassVar = State(
        LenientJsonReader._COLON.expected, {**LenientJsonReader._COLON, ":": Watch._note_key}
    )


def repairs_within(json: Watch, base: int, stop: int) -> Iterator[Repair]:
    """Yield what was mended in *json*, which begins at offset *base* in a text up to *stop*.

    What is missing is told at the character that stands in its place, or else at the last.
    """
    for kind, (start, end), message in json.repairs if isinstance(json, LenientWatch) else ():
        at = min(base + start, stop - 1)
        yield Repair(kind, (at, max(base + end, at + 1)), message)
