"""A minimal reader of growing JSON in Python, as a lower bound for the time of ours.

It reads only valid JSON, without errors, limits, escapes, or text after the value. After any chunk
it returns a new value, which copies the open containers and shares the closed ones.
"""

from __future__ import annotations

import re
from typing import Any

_plain: Any = re.compile(r'[^"\\]*').match
_number_run: Any = re.compile(r"[-+.0-9eE]*").match
_number: Any = re.compile(r"(-?(?:0|[1-9]\d*))(\.\d+)?([eE][-+]?\d+)?").match
_WORDS = {"t": (4, True), "f": (5, False), "n": (4, None)}
_NOTHING: Any = object()
_TEXT, _KEY, _NUMBER, _WORD, _VALUE, _KEYS, _COLON, _AFTER = range(8)


class Floor:
    """Reads valid JSON in chunks: call `feed` with each, and `snapshot` at any time."""

    __slots__ = ("_keys", "_left", "_parts", "_root", "_stack", "_state", "_word")

    def __init__(self) -> None:
        self._stack: list[Any] = []
        self._keys: list[Any] = []
        self._state = _VALUE
        self._parts: list[str] = []
        self._root: Any = _NOTHING
        self._left = 0
        self._word: Any = None

    def feed(self, chunk: str) -> None:  # noqa: C901 - calls would cost more than the work
        """Read the next chunk."""
        pos = 0
        size = len(chunk)
        state = self._state
        while pos < size:
            if state <= _KEY:
                end = _plain(chunk, pos).end()
                self._parts.append(chunk[pos:end])
                if end == size:
                    break
                text = "".join(self._parts)
                self._parts = []
                pos = end + 1
                if state == _KEY:
                    self._keys[-1] = text
                    state = _COLON
                else:
                    self._put(text)
                    state = _AFTER
                continue
            if state == _NUMBER:
                end = _number_run(chunk, pos).end()
                self._parts.append(chunk[pos:end])
                pos = end
                if end < size:
                    text = "".join(self._parts)
                    self._parts = []
                    self._put(_read_number(text))
                    state = _AFTER
                continue
            if state == _WORD:
                taken = min(self._left, size - pos)
                self._left -= taken
                pos += taken
                if not self._left:
                    self._put(self._word)
                    state = _AFTER
                continue
            char = chunk[pos]
            pos += 1
            if char in " \t\n\r":
                continue
            if char in "]}":
                self._keys.pop()
                self._put(self._stack.pop())
                state = _AFTER
            elif state == _AFTER:
                state = _VALUE if type(self._stack[-1]) is list else _KEYS
            elif state == _COLON:
                state = _VALUE
            elif state == _KEYS:
                state = _KEY
            elif char == '"':
                state = _TEXT
            elif char in "{[":
                self._stack.append({} if char == "{" else [])
                self._keys.append(None)
                state = _KEYS if char == "{" else _VALUE
            else:
                pos -= 1
                state = _NUMBER
                if char in _WORDS:
                    self._left, self._word = _WORDS[char]
                    state = _WORD
        self._state = state

    def _put(self, value: Any) -> None:
        if not self._stack:
            self._root = value
            return
        top = self._stack[-1]
        if type(top) is list:
            top.append(value)
        else:
            top[self._keys[-1]] = value

    def snapshot(self) -> Any:
        """Return the value so far, which later chunks do not change."""
        value = _NOTHING
        if self._state == _TEXT:
            value = "".join(self._parts)
            self._parts = [value]
        elif self._state == _NUMBER:
            value = _read_number("".join(self._parts))
        stack = self._stack
        if not stack:
            return self._root if value is _NOTHING else value
        keys = self._keys
        for depth in range(len(stack) - 1, -1, -1):
            copy = stack[depth].copy()
            if value is not _NOTHING:
                if type(copy) is list:
                    copy.append(value)
                else:
                    copy[keys[depth]] = value
            value = copy
        return value


def _read_number(text: str) -> Any:
    found = _number(text)
    if found is None:
        return _NOTHING
    integer, fraction, exponent = found.groups()
    return float(found.group()) if fraction or exponent else int(integer)
