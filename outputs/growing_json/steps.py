"""The state machine that reads JSON chunk by chunk, in time linear in the text.

A state is a table of the characters that may come next and the methods that read them. Text cut by
the end of a chunk is either held back and read again with the next chunk (a literal, an escape: at
most a dozen characters), or continued by the method in ``_inside`` (a string, a number).

A lenient reader adds entries to the tables, or overrides `JsonSteps._unexpected`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, ClassVar, Final, NamedTuple, NoReturn, TypeAlias

from outputs.growing_json import scalars as scalars
from outputs.growing_json.errors import JsonLimitError, JsonSyntaxError
from outputs.growing_json.kept_text import KeptText
from outputs.growing_json.remains import Remains
from outputs.growing_json.scalars import NOTHING
from outputs.growing_json.value import GrowingValue
from outputs.growing_json.whole import MAX_DEPTH, MIN_CHARS, ContainerScanner

Step: TypeAlias = Callable[[Any, str, int], int]
"""A method that reads a chunk from a position and returns the position after what it read."""


class NextChars(dict[str, Step]):
    """What may come next: a step for each character, and the wording for an error.

    Args:
        expected: What may come next, for error messages.
        steps: The step for each first character.
        closable: Whether nothing is lost if the text ends here. By default, whether a closing
            bracket may come next.
    """

    def __init__(self, expected: str, steps: dict[str, Step], closable: bool | None = None) -> None:
        super().__init__(steps)
        self.expected = expected
        self.closable: bool = ("]" in steps or "}" in steps) if closable is None else closable


class _StringChars(NamedTuple):
    """What a string may consist of; if *strict*, no control characters but the newline."""

    strict: bool
    plain: scalars.Matcher
    """Matches text without escapes."""
    escaped: scalars.Matcher
    """Matches text with escapes."""


def _string_chars(plain: str, *, strict: bool) -> _StringChars:
    texts = f"{plain}*+", f"(?>(?: {plain}++ | {scalars.ESCAPE} )*)"
    return _StringChars(strict, *map(scalars.matcher, texts))


_ANY_CHARS: Final = _string_chars(r'[^"\\]', strict=False)
_STRICT_CHARS: Final = _string_chars(r'[^"\\\x00-\x09\x0b-\x1f]', strict=True)


class JsonSteps:
    """The states and steps of a `JsonReader`; see there for the arguments."""

    _READS_REMAINS: ClassVar = True
    """Whether the brackets after an error still change the value."""

    __slots__ = (
        "_broke_at", "_chars", "_digits", "_grown", "_held", "_inside", "_max_chars",
        "_max_depth", "_offset", "_remains", "_scanner", "_stale", "_state", "_string", "end",
        "error",
    )  # fmt: skip

    end: int | None
    """Where the value ended, in ``str`` characters from the start of the text; `None` until then.

    The end of a top-level number is known only at the character after it, or at `close`.
    """

    error: JsonSyntaxError | JsonLimitError | None
    """Why and where reading failed; `None` while the text is JSON."""

    def __init__(
        self, *, strict: bool = False, max_depth: int = MAX_DEPTH, max_chars: int | None = None
    ) -> None:
        self._chars = _STRICT_CHARS if strict else _ANY_CHARS  # of its strings
        self._max_depth = max_depth
        self._max_chars = sys.maxsize if max_chars is None else max_chars
        self.end = None
        self.error = None
        self._offset = 0  # of the chunk that is being read
        self._state = self._VALUE
        self._inside: Step | None = None
        self._held = ""
        self._string = KeptText()  # of the open string or key
        self._digits = ""  # of the open number
        self._grown = GrowingValue()
        self._stale = False  # whether the value may have changed since the last snapshot
        self._scanner: ContainerScanner | None = None
        self._remains: Remains | None = None
        self._broke_at = ""

    def _feed(self, chunk: str) -> int:
        """Read *chunk*; return how many characters were used: all until the value has ended."""
        held = len(self._held)
        if held:
            chunk = self._held + chunk
            self._held = ""
            self._offset -= held
        size = len(chunk)
        pos = 0 if self._inside is None else self._inside(self, chunk, 0)
        while pos < size:
            step = self._state.get(chunk[pos])
            if step is not None:
                pos = step(self, chunk, pos)
            elif self.end is not None:
                break
            else:
                pos = self._unexpected(chunk, pos)
        self._offset += pos
        return pos - held

    def _space(self, chunk: str, pos: int) -> int:
        return scalars.skip_space(chunk, pos).end()

    def _open_array(self, chunk: str, pos: int) -> int:
        return self._open(chunk, pos, [], self._FIRST_ITEM)

    def _open_object(self, chunk: str, pos: int) -> int:
        return self._open(chunk, pos, {}, self._FIRST_KEY)

    def _open(self, chunk: str, pos: int, container: Any, state: NextChars) -> int:
        room = self._max_depth - self._grown.depth
        if room <= 0:
            self._refuse(pos, f"expected at most {self._max_depth} nested brackets", "max_depth")
        if len(chunk) - pos >= MIN_CHARS:
            if self._scanner is None:
                overwritten = self._grown.overwritten if self._READS_REMAINS else None
                self._scanner = ContainerScanner(strict=self._chars.strict, overwritten=overwritten)
            value, end = self._scanner.scan(chunk, pos, room, self._offset)
            if value is not NOTHING:
                return self._put(value, end)
        self._grown.open(container)
        self._state = state
        self._stale = True
        return pos + 1

    def _close_container(self, _chunk: str, pos: int) -> int:
        self._grown.close()
        return self._after_value(pos + 1)

    def _close_all(self, pos: int) -> int:
        """End the value at *pos*, where its closing brackets are missing."""
        while self._grown.depth:
            self._grown.close()
        return self._after_value(pos)

    def _put(self, value: Any, pos: int) -> int:
        """Add a whole value that ends at *pos*; return *pos*."""
        self._grown.put(value)
        return self._after_value(pos)

    def _after_value(self, pos: int) -> int:
        self._stale = True
        top = self._grown.top
        if top is None:
            self._state = self._END
            self.end = self._offset + pos
        else:
            self._state = self._AFTER_ITEM if type(top) is list else self._AFTER_MEMBER
        return pos

    def _await_value(self, _chunk: str, pos: int) -> int:
        self._state = self._VALUE
        return pos + 1

    def _await_key(self, _chunk: str, pos: int) -> int:
        self._state = self._KEY
        return pos + 1

    def _open_text(self, chunk: str, pos: int) -> int:
        self._begin_text(chunk, pos)
        self._inside = JsonSteps._text
        return self._text(chunk, pos + 1)

    def _text(self, chunk: str, pos: int) -> int:
        self._stale = True
        stop = self._read_text(chunk, pos)
        if self._inside is not None:
            return stop
        text = str(self._string)
        self._string.clear()  # which takes as much memory as the text
        return self._put(text, stop)

    def _open_key(self, chunk: str, pos: int) -> int:
        self._begin_text(chunk, pos)
        self._inside = JsonSteps._key_text
        return self._key_text(chunk, pos + 1)

    def _key_text(self, chunk: str, pos: int) -> int:
        stop = self._read_text(chunk, pos)
        if self._inside is None:
            self._grown.key = str(self._string)
            self._state = self._COLON
        return stop

    def _begin_text(self, _chunk: str, _pos: int) -> None:
        """Begin a string, whose quote is at the position."""
        self._string.clear()

    def _read_text(self, chunk: str, pos: int) -> int:
        """Continue reading a string; return the position after it, or the end of the chunk."""
        size = len(chunk)
        stop = self._chars.plain(chunk, pos).end()
        if stop == size or chunk[stop] != "\\":
            self._string.add(chunk[pos:stop])
        else:
            stop = self._chars.escaped(chunk, pos).end()
            self._string.add(scalars.unescape(chunk[pos:stop]))
            if stop < size and scalars.cut_escape(chunk, stop):
                self._held = chunk[stop:]
                return size
        if stop == size:
            return size
        if chunk[stop] != '"':
            return self._break_in_text(chunk, stop)
        self._inside = None
        return stop + 1

    def _string_so_far(self) -> str:
        """Return the text of the open string; the next call needs not join it again."""
        text = str(self._string)
        self._string.clear()
        self._string.add(text)
        return text

    def _open_number(self, chunk: str, pos: int) -> int:
        if chunk.startswith("-I", pos):
            return self._word(chunk, pos)
        if pos == len(chunk) - 1 and chunk[pos] == "-":
            self._held = "-"
            return pos + 1
        self._digits = ""
        self._inside = JsonSteps._number
        return self._number(chunk, pos)

    def _number(self, chunk: str, pos: int) -> int:
        stop = scalars.number_run(chunk, pos).end()
        text = self._digits + chunk[pos:stop]
        limit = scalars.max_number_chars()
        if len(text) > limit + text.startswith("-"):
            reason = f"expected a number of at most {limit} characters"
            self._refuse(stop, reason, "max_number_chars")
        if stop == len(chunk):
            self._digits = text
            self._stale = True
            return stop
        return self._end_number(chunk, stop, text)

    def _end_number(self, chunk: str, stop: int, text: str) -> int:
        self._inside = None
        value, whole = scalars.read_number(text)
        if value is not NOTHING:
            self._put(value, stop)
        return (
            stop
            if whole
            else self._break(chunk, stop, "the number before this character is not valid")
        )

    def _word(self, chunk: str, pos: int) -> int:
        word, value = scalars.WORDS[chunk[pos]]
        if chunk.startswith(word, pos):
            return self._put(value, pos + len(word))
        if len(chunk) - pos < len(word) and word.startswith(chunk[pos:]):
            self._held = chunk[pos:]
            return len(chunk)
        return self._break(chunk, pos, "expected a value")

    def _unexpected(self, chunk: str, pos: int) -> int:
        """Handle a character for which the state has no step."""
        return self._break(chunk, pos, f"expected {self._state.expected}")

    def _break_in_text(self, chunk: str, pos: int) -> int:
        reason = "a valid escape" if chunk[pos] == "\\" else "control characters to be escaped"
        return self._break(chunk, pos, f"expected {reason}", in_string=True)

    def _break(self, chunk: str, pos: int, reason: str, *, in_string: bool = False) -> int:
        """Set the error at *pos*, and follow the brackets from there."""
        self.error = JsonSyntaxError(reason, "", self._offset + pos)
        self.end = None
        self._broke_at = chunk[pos : pos + 1] if in_string else ""
        self._inside = JsonSteps._scan
        self._string.clear()
        self._stale = True
        grown = self._grown
        self._remains = Remains(grown.frames(), grown.root, grown.overwritten, in_string=in_string)
        return self._scan(chunk, pos)

    def _scan(self, chunk: str, pos: int) -> int:
        assert self._remains is not None
        if self._remains.scan(chunk, pos):
            self._stale = True
        return len(chunk)

    def _refuse(self, pos: int, reason: str, limit: str) -> NoReturn:
        self.error = JsonLimitError(f"{reason} ({limit})", "", self._offset + pos, limit)
        self._max_chars = -1  # Every later call of `feed` raises.
        raise self.error

    _SPACE: ClassVar[dict[str, Step]] = dict.fromkeys(" \t\n\r", _space)
    _TEXTS: ClassVar[tuple[Step, ...]] = (_text, _key_text)
    """The steps within a string."""
    _VALUE: ClassVar = NextChars(
        "a value",
        {
            **_SPACE,
            '"': _open_text,
            "{": _open_object,
            "[": _open_array,
            **dict.fromkeys("-0123456789", _open_number),
            **dict.fromkeys("tfnNI", _word),
        },
    )
    _FIRST_ITEM: ClassVar = NextChars("a value or ']'", _VALUE | {"]": _close_container})
    _AFTER_ITEM: ClassVar = NextChars(
        "',' or ']'", {**_SPACE, ",": _await_value, "]": _close_container}
    )
    _KEY: ClassVar = NextChars("a key in double quotes", {**_SPACE, '"': _open_key})
    _FIRST_KEY: ClassVar = NextChars(
        "a key in double quotes or '}'", _KEY | {"}": _close_container}
    )
    _COLON: ClassVar = NextChars("':'", {**_SPACE, ":": _await_value})
    _AFTER_MEMBER: ClassVar = NextChars(
        "',' or '}'", {**_SPACE, ",": _await_key, "}": _close_container}
    )
    _END: ClassVar = NextChars("the end of the text", {})
