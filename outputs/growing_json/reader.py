"""Incremental JSON reading: the value so far, after every chunk.

`parse_partial_json` takes a whole text, complete or cut short; `JsonReader` takes it in chunks.
"""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from outputs.growing_json import scalars as scalars
from outputs.growing_json.errors import JsonIncompleteError, JsonLimitError
from outputs.growing_json.scalars import NOTHING
from outputs.growing_json.steps import JsonSteps
from outputs.growing_json.whole import MAX_DEPTH, parse_whole, supply_closers

if TYPE_CHECKING:
    from outputs.growing_json.value import Operation


class JsonReader(JsonSteps):
    """Reads one JSON value from text that arrives in chunks, cut anywhere.

    ::

        reader = JsonReader()
        reader.feed('{"tool": "sea')    # 13, the characters used
        reader.value                    # {"tool": "sea"}
        reader.feed('rch"} and so on')  # 5
        reader.complete, reader.end     # True, 18

    The value after any prefix is what `parse_partial_json` returns for that prefix. Python's
    ``NaN`` and ``Infinity`` are accepted, and raw control characters in strings.

    `feed` does not raise when the text stops being JSON: it sets `error`, and `value` follows the
    brackets of the rest, as in LangChain. Only an exceeded limit raises.

    Args:
        strict: Refuse control characters in strings, except the newline.
        max_depth: How many arrays and objects may be open at once.
        max_chars: How many characters may be read; `None` for no limit.
    """

    __slots__ = ("_open_value", "_snapshot")

    def __init__(
        self, *, strict: bool = False, max_depth: int = MAX_DEPTH, max_chars: int | None = None
    ) -> None:
        super().__init__(strict=strict, max_depth=max_depth, max_chars=max_chars)
        self._snapshot: Any = NOTHING
        self._open_value: Any = NOTHING  # the unfinished string or number in it

    def feed(self, chunk: str) -> int:
        """Read *chunk* and return how many of its characters were used.

        All characters are used until the value has ended; text after it is not read.

        Raises:
            JsonLimitError: A limit is exceeded. Later calls raise it again.
        """
        if self._offset + len(chunk) > self._max_chars:
            return self._feed_to_limit(chunk)
        return self._feed(chunk)

    def _feed_to_limit(self, chunk: str) -> int:
        if isinstance(self.error, JsonLimitError):
            raise self.error
        used = self._feed(chunk[: self._max_chars - self._offset])
        if self.end is None:
            self._refuse(0, f"expected at most {self._max_chars} characters", "max_chars")
        return used

    @property
    def complete(self) -> bool:
        """Whether the value has ended."""
        return self.end is not None

    @property
    def known(self) -> int:
        """The offset up to which the text is understood.

        This is the end of the text or of the value, the place of the error, or where text is
        held back.
        """
        if self.error is not None:
            return self.error.pos
        return self._offset - len(self._held) if self.end is None else self.end

    @property
    def is_quoting(self) -> bool:
        """Whether the text ends inside a string, and not at a quote that may close it."""
        return self._inside in self._TEXTS and self._held[:1] in ("", "\\")

    @property
    def depth(self) -> int:
        """How many arrays and objects are open, or were when the text stopped being JSON."""
        return self._grown.depth

    @property
    def broke_in_string(self) -> bool:
        """Whether the text stopped being JSON inside a string."""
        return bool(self._broke_at)

    @property
    def broke_at(self) -> str:
        """The character in a string at which the text stopped being JSON; else ``""``."""
        return self._broke_at

    @property
    def nothing_read(self) -> bool:
        """Whether the text stopped being JSON before any part of a value was read."""
        grown = self._grown
        return self.error is not None and grown.root is NOTHING and not grown.depth

    @property
    def has_value(self) -> bool:
        """Whether there is a value yet; if not, `value` is `None`."""
        if self._stale:
            self._look()
        return self._snapshot is not NOTHING

    @property
    def value(self) -> Any:
        """The value so far.

        A returned value never changes later. It shares all closed containers with earlier and later
        values, so treat it as read-only. Each access may copy the open containers (shallowly) and
        the open string.
        """
        if self._stale:
            self._look()
        return None if self._snapshot is NOTHING else self._snapshot

    def changed(self) -> bool:
        """Return whether `value` has changed since the last call; ``0`` and ``0.0`` differ.

        Whole values are not compared, so the cost does not depend on their size. Once the text has
        stopped being JSON (see `error`), it may return true for an equal value.
        """
        if self._stale:
            self._look()
        if self._remains is None:
            return self._grown.changed(self._open_value)
        before, self._remains.seen = self._remains.seen, self._snapshot
        return before is not self._snapshot

    def changes(self) -> list[Operation]:
        r"""Return what changed since the last call, as JSON Patch operations (RFC 6902).

        The first is a ``replace`` at path ``""`` with the whole value. After that, a new value is
        an ``add``, and a string that grows is a ``replace`` of the whole string. A value that is
        no longer readable is a ``remove``: a string that ends in ``\u12``, until the rest arrives.
        The cost does not depend on how many items the open containers have.
        """
        remains = self._remains
        if remains is not None and remains.has_moved:
            remains.has_moved = False
            return self._grown.start_again(self.value if self.has_value else NOTHING)
        if self._stale:
            self._look()
        return self._grown.changes(self._open_value)

    def close(self, *, supply_closers: bool = False) -> Any:
        """End the text and return the whole value.

        Args:
            supply_closers: Accept a value that lacks only brackets at its end.

        Raises:
            JsonSyntaxError: The text stopped being JSON.
            JsonLimitError: A limit was exceeded.
            JsonIncompleteError: The text ended before the value did; ``closers`` has the missing
                brackets if only brackets are missing.
        """
        if self._inside is JsonSteps._number and self._grown.top is None:
            self._end_number("", 0, self._digits)
        if self.error is not None:
            raise self.error
        if self.end is None:
            closers = self._missing_closers()
            if closers is None or not supply_closers:
                begun = self._grown.depth or self._inside is not None or self._held
                missing = "the rest of the value" if begun else "a value"
                reason = f"expected {missing}, but the text ended"
                raise JsonIncompleteError(reason, "", self._offset, closers)
            self._close_all(0)
        return self._grown.root

    def feed_trailing(self, chunk: str) -> None:
        """Read text after the end of the value as if it were part of it, as LangChain does.

        The value changes only if the brackets in *chunk* are unbalanced.
        """
        self._break(chunk, 0, f"expected {self._END.expected}")

    def _look(self) -> None:
        self._stale = False
        self._open_value = self._partial()
        if self._remains is None:
            self._snapshot = self._grown.snapshot(self._open_value)
        else:
            self._snapshot = self._remains.value()

    def _partial(self) -> Any:
        """Return the readable part of the open string or number, or `NOTHING`."""
        if self._inside is JsonSteps._text:
            text = self._string_so_far()
            more = scalars.read_cut_escape(self._held) if self._held[:1] == "\\" else ""
            return NOTHING if more is None else text + more
        if self._inside is JsonSteps._number:
            return scalars.read_number(self._digits)[0]
        return NOTHING

    def _missing_closers(self) -> str | None:
        if self._inside is not None or self._held or not self._state.closable:
            return None
        tops = [top for top, _ in self._grown.frames()]
        return "".join("]" if isinstance(top, list) else "}" for top in reversed(tops))


def parse_partial_json(
    text: str, *, strict: bool = False, max_depth: int = MAX_DEPTH, max_chars: int | None = None
) -> Any:
    r"""Return the value of the longest readable prefix of *text*.

    Values open at the end are closed, and unreadable text there is dropped::

        {"tool": "search", "input": {"query": "par   {"tool": "search", "input": {"query": "par"}}
        {"tool": "search", "inp                      {"tool": "search"}
        {"ok": tru                                   {}

    This is the rule of ``langchain_core.utils.json.parse_partial_json``, with all its consequences:
    an unmatched closing bracket makes the value `None`, and after text that is not JSON the
    brackets of the rest still determine the value.

    Args:
        text: JSON, whole or cut short. Text after the value is ignored if its brackets match.
        strict: Refuse control characters in strings, except the newline.
        max_depth: How many arrays and objects may be open at once.
        max_chars: How long *text* may be; `None` for no limit.

    Raises:
        json.JSONDecodeError: No prefix has a value; the message is that of `json.loads`.
        JsonLimitError: *text* exceeds a limit (a subclass of `json.JSONDecodeError`).
    """
    if max_chars is not None and len(text) > max_chars:
        reason = f"expected at most {max_chars} characters (max_chars)"
        raise JsonLimitError(reason, "", max_chars, "max_chars")
    value = parse_whole(text, max_depth)
    if value is NOTHING:
        value = parse_whole(supply_closers(text), max_depth)
    if value is not NOTHING:
        return value
    reader = JsonReader(strict=strict, max_depth=max_depth)
    used = reader.feed(text)
    if used < len(text):
        reader.feed_trailing(text[used:])
    if not reader.has_value:
        with suppress(RecursionError):
            json.loads(text, strict=strict)  # Raises the familiar error.
        reader.close()
    return reader.value
