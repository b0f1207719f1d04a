"""JSON in which no key comes twice in one object, and the items of a list, one after another."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from agent_parsers import OutputParserException
from agent_runs.reading.reader import NotJson, Value


class RepeatedKeyError(ValueError):
    """Raised if a key appears twice in an object, since one of its values would be lost."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        for key, value in pairs:
            if found[key] != value:
                raise RepeatedKeyError(f"the key {key!r} appears twice in an object")
    return found


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_object)
load_json: Final = _DECODER.decode
"""Returns the value of a text, as `json.loads` does.

Raises:
    RepeatedKeyError: A key comes twice in an object.
    ValueError: The text is no JSON.
"""


def value_at(text: str, at: int) -> tuple[Any, int]:
    """Return the JSON value at an offset of *text*, and the offset where it ends.

    A value in which a key appears twice is returned as text, with the reason why it is not read.

    Raises:
        ValueError: There is no JSON.
    """
    try:
        return _DECODER.raw_decode(text, at)
    except RepeatedKeyError as error:
        end = json.JSONDecoder().raw_decode(text, at)[1]
        return not_json(text[at:end], f"JSON in which {error}"), end


def not_json(text: str, reason: str) -> NotJson:
    """Return *text* as a `NotJson`, with the *reason* why it is not read as JSON."""
    found = NotJson(text)
    found.reason = reason
    return found


def keyed_twice(text: str) -> list[tuple[str, Any]]:
    """Return the keys and values of a JSON object if the values are all objects, or all lists.

    This is for objects with results by their ids, where an id may appear twice. For any other text
    it returns an empty list.
    """
    objects: list[list[tuple[str, Any]]] = []

    def keep(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        objects.append(pairs)
        return dict(pairs)

    try:
        value = json.loads(text, object_pairs_hook=keep)
    except (ValueError, RecursionError):
        return []
    if not isinstance(value, dict) or len(value) < _FEWEST_KEYS:
        return []
    *inner, pairs = objects
    are_alike = any(all(isinstance(each, kind) for _, each in pairs) for kind in (dict, list))
    return pairs if are_alike and all(len(dict(each)) == len(each) for each in inner) else []


_FEWEST_KEYS: Final = 2
"""How many keys results have: an object with one of them, twice, may be a record."""
_CHUNK: Final = 1 << 16
_blank: Final = re.compile(r"[ \t\r\n]*").match
_ENDS: Final = (",", "]", " ", "\t", "\r", "\n")
"""What may follow a number or another value that may go on."""
_NOTHING: Final = object()


class ListItems:
    """The items of a JSON list, which can be looked at before they are consumed.

    An item that is not whole is tried again when twice as much of it has been read, so that the
    work is proportional to the text, and no more than an item and a chunk is kept.

    Args:
        text: The beginning of the text, up to the ``[`` at least.
        read: Returns the next piece of the text, of at most as many characters.
    """

    def __init__(self, text: str, read: Callable[[int], str]) -> None:
        self._read = read
        self._text = text
        self._at = text.index("[") + 1
        self._line = 1 + text.count("\n", 0, self._at)
        self._keeps_text = True

    def is_list(self) -> bool:
        """Return whether the text is a list: it is empty, or it has a first item."""
        following = self._peek()
        start = self._at, self._line
        is_one = following == "]"
        if following and not is_one:
            is_one = self._item() is not _NOTHING and self._peek() in (",", "]")
        self._at, self._line = start
        return is_one

    @property
    def text(self) -> str:
        """The text read so far, if no item has been consumed yet."""
        return self._text

    def __iter__(self) -> Iterator[Value]:
        """Yield the items, with their lines.

        Raises:
            OutputParserException: The list is not JSON from some line on, or has no end.
        """
        self._keeps_text = False
        following = self._peek()
        while following != "]":
            line = self._line
            item = self._item() if following else _NOTHING
            if item is _NOTHING:
                raise self._broken()
            yield Value(item, line)
            following = self._peek()
            if following == ",":
                self._at += 1
                following = self._peek().replace("]", "")  # no item follows the comma
            elif following != "]":
                raise self._broken()
        self._at += 1
        if self._peek():
            raise self._broken()

    def _broken(self) -> OutputParserException:
        found = repr(self._text[self._at : self._at + 20]) if self._peek() else "no more text"
        return OutputParserException(
            f"expected another list item or the end of the list, found {found}"
            f" (line {self._line} of the file)",
            observation="Write a JSON list.",
            llm_output=self._text[self._at : self._at + 1000],
        )

    def _peek(self) -> str:
        """Skip white space, and return the next character; ``""`` at the end of the text."""
        while True:
            found = _blank(self._text, self._at)
            assert found is not None, "the pattern also matches an empty string"
            self._line += self._text.count("\n", self._at, found.end())
            self._at = found.end()
            if self._at < len(self._text) or not self._more(_CHUNK):
                return self._text[self._at : self._at + 1]

    def _more(self, size: int) -> bool:
        """Read more of the text, and drop what was taken; return whether there was any."""
        if not self._keeps_text:
            self._text = self._text[self._at :]
            self._at = 0
        piece = self._read(size)
        self._text += piece
        return bool(piece)

    def _item(self) -> Any:
        """Read one item; return `_NOTHING` if there is none."""
        while True:
            try:
                item, end = value_at(self._text, self._at)
            except (ValueError, RecursionError):
                item, end = _NOTHING, len(self._text)
            is_whole = isinstance(item, dict | list | str) or self._text[end : end + 1] in _ENDS
            if item is not _NOTHING and is_whole and end < len(self._text):
                self._line += self._text.count("\n", self._at, end)
                self._at = end
                return item
            if not self._more(max(_CHUNK, len(self._text) - self._at)):
                return _NOTHING
