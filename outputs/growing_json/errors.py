"""Errors raised while JSON is read.

::

    ValueError
    └── json.JSONDecodeError
        └── JsonError               base class of the reader's errors
            ├── JsonSyntaxError     from ``pos`` on, the text is not JSON
            ├── JsonIncompleteError the text ended before its value did
            └── JsonLimitError      the text exceeds the limit named by ``limit``

All of them are subclasses of `json.JSONDecodeError`, so handlers of that catch these too.
"""

from __future__ import annotations

import json
from typing import Any, Self


class JsonError(json.JSONDecodeError):
    """The text cannot be read as JSON: it is invalid, incomplete or exceeds a limit.

    The reader does not keep the text, so ``doc`` is empty and the place is given as a character
    offset; callers that have the text can compute line and column from ``pos``.
    """

    doc: str
    """Always empty here; `json.JSONDecodeError` promises the attribute."""

    pos: int
    """Where the error is, in ``str`` characters from the start of the text."""

    def __init__(self, msg: str, doc: str, pos: int) -> None:
        super().__init__(msg, doc, pos)
        # The line and column of an empty document would mislead.
        self.args: tuple[Any, ...] = (f"{msg} (character {pos})",)

    def moved(self, by: int) -> Self:
        """Return the same error with ``pos`` moved *by* characters, for an enclosing text."""
        cls, (msg, doc, pos, *more) = type(self), self.__reduce__()[1]
        return cls(msg, doc, pos + by, *more)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.msg, self.doc, self.pos)


class JsonSyntaxError(JsonError):
    """The text stops being JSON at ``pos``."""


class JsonIncompleteError(JsonError):
    """The text ended before the JSON value was complete."""

    closers: str | None
    """The brackets that would complete it, such as ``]}``; `None` if a value was cut in the middle.

    A number at the very end of an open container counts as cut: ``[12`` may have been ``[120]``.
    """

    def __init__(self, msg: str, doc: str, pos: int, closers: str | None = None) -> None:
        super().__init__(msg, doc, pos)
        self.closers = closers

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.msg, self.doc, self.pos, self.closers)


class JsonLimitError(JsonError):
    """The text exceeds a limit that guards against hostile or runaway input."""

    limit: str
    """The name of the limit: ``max_depth``, ``max_chars`` or ``max_number_chars``."""

    def __init__(self, msg: str, doc: str, pos: int, limit: str = "") -> None:
        super().__init__(msg, doc, pos)
        self.limit = limit

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.msg, self.doc, self.pos, self.limit)
