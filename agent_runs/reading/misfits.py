"""Messages of a log that are not in the form of the others: one error is about all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from agent_parsers import OutputParserException
from agent_runs.reading.reader import MALFORMED, Reading, Value

_MOST_KINDS: Final = 6
"""How many kinds of messages are named."""
_KNOWN_ROLE: Final = 2
"""How much of a message a value has at least whose role is known; see `lack_of` of tables."""


class Misfits:
    """Collects the messages of a log that are not in the form of the others.

    Of a value, *lack_of* returns how much of a message it has, and what it lacks.
    """

    def __init__(self, reading: Reading, lack_of: Callable[[Any], tuple[int, str]] | None) -> None:
        self._reading = reading
        self._lack_of = lack_of
        self._kinds: dict[str, int] = {}
        self._first: Value | None = None
        self._error: OutputParserException | None = None  # of the last one
        self.total: int = 0
        """How many messages the log has so far."""

    def add(self, message: Value) -> OutputParserException:
        """Add a *message* of another form, and return the error of the step that begins with it."""
        self.total += 1
        self._first = message if self._first is None else self._first
        kind = self._kind_of(message.data)
        self._kinds[kind] = self._kinds.get(kind, 0) + 1
        where = f" (line {message.line} of the file)" if message.line else ""
        self._error = OutputParserException(
            "a message is not in the form of the other messages, "
            f"{self._reading.source.reader!r}: {kind}{where}",
            observation="Give a log whose records are all in the same form.",
            llm_output=repr(message.data)[:1000],
        )
        return self._error

    def tell(self) -> None:
        """Report the messages, if there are any.

        Raises:
            OutputParserException: There are some, and the reading has no ``on_error``.
        """
        if self._first is None or self._error is None:
            return
        source = self._reading.source
        evidence = [each for each in source.evidence if not each.startswith("format=")]
        shown = f" ({evidence[-1]})" if evidence else ""
        place = f", from line {self._first.line} of the file on," if self._first.line else ""
        count = sum(self._kinds.values())
        if count == 1:
            if self._reading.on_error is None:
                raise self._error
            self._reading.on_error(self._error)
            return
        kinds = ", ".join([*self._kinds][:_MOST_KINDS])
        kinds += ", …" if len(self._kinds) > _MOST_KINDS else ""
        self._reading.refuse(
            f"read as {source.reader!r}{shown}, but {count} of {self.total} messages{place} are "
            f"not in this form: {kinds}; if another reader knows them, pass its name as format=",
            repr(self._first.data)[:1000],
        )

    def _kind_of(self, data: Any) -> str:
        """Return what is called what has another form: by what it lacks, its type or its keys."""
        if not isinstance(data, Mapping):
            return f"a {type(data).__name__}"
        if self._lack_of is not None:
            try:
                passed, lack = self._lack_of(data)
            except MALFORMED:
                passed, lack = 0, ""
            if passed >= _KNOWN_ROLE:
                return lack
        for key in ("type", "role"):
            if isinstance(data.get(key), str):
                return f"{key} {data[key]!r}"
        return f"keys {', '.join(map(repr, [*data][:3]))}" if data else "an empty object"
