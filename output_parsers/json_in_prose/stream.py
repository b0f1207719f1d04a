"""The JSON value of a stream, after each change."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from output_parsers.json_in_prose.markdown import invalid_json
from output_parsers.model_output import text_of
from outputs.growing_json.value import differ

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from output_parsers.json_in_prose.search import CandidateSearch
    from output_parsers.model_output import ModelOutput
    from outputs.growing_json.changes import Operation
    from outputs.growing_json.reader import JsonReader


class GrowingJson:
    """The value in a text that arrives in chunks.

    Args:
        finder: Finds and reads the value.
    """

    def __init__(self, finder: CandidateSearch[Any]) -> None:
        self.value: Any = None
        """The value after its last change."""
        self._finder = finder
        self._reader: JsonReader | None = None
        self._is_new = True  # whether the reader has changed since the last value
        self._replaces = True  # whether it changed between the last value and the one before
        self._repeats = 0  # how many keys had been repeated at the last value
        self.has_grown: bool = False
        """Whether the value before has only been added to at its end, to become this one."""
        self.has_text: bool = False
        """Whether any text has arrived, even if it was empty."""

    def feed(self, text: str) -> bool:
        """Read the next piece of text; return whether the value has changed.

        Raises:
            OutputParserException: The value is nested too deeply, or has too long a number.
        """
        self.has_text = True
        try:
            self._finder.feed(text)
        except json.JSONDecodeError as error:
            raise invalid_json(self._finder.text, error) from error
        reader = self._finder.reader
        if reader is None:
            return False
        if reader is not self._reader:
            self._reader = reader
            self._is_new = True
            reader.changed()
        elif not reader.changed():
            return False
        value = reader.value
        if value is None:
            return False
        if (self._is_new or reader.error is not None) and not differ(value, self.value):
            return False
        self._replaces, self._is_new = self._is_new, False
        repeats, self._repeats = self._repeats, reader.repeats
        self.has_grown = not (self._replaces or reader.error is not None or reader.is_repeating)
        self.has_grown = self.has_grown and repeats == self._repeats
        self.value = value
        return True

    def close(self) -> bool:
        """End the text and return whether the value has changed.

        Raises:
            OutputParserException: There is no value in the text, or its end cannot be read.
        """
        if not self.has_text:
            return False
        try:
            value = self._finder.close().value
        except json.JSONDecodeError as error:
            raise invalid_json(self._finder.text, error) from error
        if value is None or not differ(value, self.value):
            return False
        self._replaces = True
        self.value = value
        return True

    def operations(self) -> list[Operation]:
        """Return what changed since the last call, as JSON Patch operations."""
        operations = [] if self._reader is None else self._reader.changes()
        if not self._replaces:
            return operations
        return [{"op": "replace", "path": "", "value": self.value}]


class JsonStream:
    """Returns values or differences for the chunks of one stream.

    Args:
        finder: Finds and reads the value.
        difference: Returns the output for the new value and the previous one, which is `None` at
            first. If *difference* is `None`, the output is the value.
    """

    def __init__(
        self,
        finder: CandidateSearch[Any],
        difference: Callable[[GrowingJson, Any], Any] | None,
    ) -> None:
        self._json = GrowingJson(finder)
        self._difference = difference
        self._last: Any = None

    def feed(self, chunk: ModelOutput, /) -> Iterable[Any]:
        """Return the output for *chunk* if it has changed the value."""
        text = chunk if isinstance(chunk, str) else text_of(chunk)
        return self._output() if self._json.feed(text) else ()

    def close(self) -> Iterable[Any]:
        """Return the output for the end of the stream if it has changed the value."""
        return self._output() if self._json.close() else ()

    def _output(self) -> Iterable[Any]:
        last, self._last = self._last, self._json.value
        if self._difference is None:
            return (self._last,)
        return (self._difference(self._json, last),)
