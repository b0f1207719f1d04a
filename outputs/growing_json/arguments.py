"""The arguments of tool and function calls: JSON text, whole or streamed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from outputs.growing_json.errors import JsonLimitError, JsonSyntaxError
from outputs.growing_json.reader import JsonReader
from outputs.growing_json.scalars import NOTHING
from outputs.growing_json.whole import MAX_DEPTH, parse_whole

if TYPE_CHECKING:
    from outputs.growing_json.value import Operation

_SPACE = " \t\n\r"


def read_arguments(text: str, *, strict: bool = False) -> Any:
    """Return the value of *text*, like `json.loads` but within the limits of the reader.

    Args:
        text: One JSON document.
        strict: Refuse control characters in strings.

    Raises:
        json.JSONDecodeError: *text* is not JSON; the message is that of `json.loads`.
        JsonLimitError: *text* is nested too deeply, or has a number with too many digits.
    """
    value = parse_whole(text, MAX_DEPTH)
    if value is not NOTHING:
        return value
    is_shallow = text.count("[") + text.count("{") <= MAX_DEPTH
    try:
        value = json.loads(text, strict=strict)
    except json.JSONDecodeError:
        if not is_shallow:
            JsonReader(strict=strict).feed(text)  # An exceeded limit is the better error.
        raise
    except (ValueError, RecursionError):
        pass  # Too many digits or brackets, or a full stack: the reader decides.
    else:
        if is_shallow:
            return value
    reader = JsonReader(strict=strict)
    rest = text[reader.feed(text) :].strip(_SPACE)
    if rest:
        raise JsonSyntaxError("expected the end of the text", "", len(text) - len(rest))
    return reader.close()


def value_or_text(text: str) -> Any:
    """Return the value of *text*, as `read_arguments` does; the *text* itself if it has none."""
    try:
        return read_arguments(text)
    except ValueError:
        return text


class GrowingArguments:
    """The arguments of one call as they arrive; every character is read once.

    The value after any prefix is what `parse_partial_json` returns for that prefix.

    Args:
        strict: Refuse control characters in strings, except the newline.
    """

    __slots__ = ("_reader", "_refused", "started")

    def __init__(self, *, strict: bool = False) -> None:
        self._reader = JsonReader(strict=strict)
        self._refused = False
        self.started: bool = False
        """Whether any text has arrived."""

    def feed(self, text: str) -> None:
        """Read the next piece of text. Once a limit is exceeded, there is no value any more."""
        if not text or self._refused:
            return
        self.started = True
        try:
            rest = text[self._reader.feed(text) :]
        except JsonLimitError:
            self._refused = True
            return
        if rest.strip(_SPACE):
            self._reader.feed_trailing(rest)

    @property
    def has_value(self) -> bool:
        """Whether there is a value yet."""
        return not self._refused and self._reader.has_value

    @property
    def is_complete(self) -> bool:
        """Whether the value has ended."""
        return self._reader.complete

    @property
    def value(self) -> Any:
        """The value so far, `None` if there is no value yet; treat it as read-only.

        It is the same object as long as it has not changed.
        """
        return self._reader.value if self.has_value else None

    def changes(self) -> list[Operation]:
        """Return what changed since the last call, as JSON Patch operations."""
        return [] if self._refused else self._reader.changes()
