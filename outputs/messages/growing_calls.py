"""Tool calls that grow: what has arrived of each call, and which call a piece belongs to."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from outputs.messages.tool import ToolCallChunk, tool_call_chunk

if TYPE_CHECKING:
    from outputs.growing_json.reader import JsonReader
    from outputs.growing_json.value import Operation


class GrowingCall:
    """A call, as far as it has arrived. Its arguments are read on demand.

    Each character is read once. The value after any prefix is what `parse_partial_json` returns for
    that prefix; once a limit is exceeded, there is no value any more.

    Args:
        index: The index of its first piece.
        strict: Refuse control characters in the strings of the arguments, except the newline.
    """

    __slots__ = (
        "_has_name", "_is_refused", "_read", "_reader", "_strict", "id", "index", "name", "parts",
    )  # fmt: skip

    def __init__(self, index: int | None = None, *, strict: bool = False) -> None:
        self.index = index
        self.id: str | None = None
        self.name = ""
        """The tool's name so far."""
        self.parts: list[str] = []
        """The pieces of the arguments' text; only the first may be empty."""
        self._has_name = False  # whether a piece of the name has arrived; it may be empty
        self._strict = strict
        self._reader: JsonReader | None = None
        self._read = 0  # how many parts the reader has read
        self._is_refused = False  # whether a limit is exceeded

    def add(self, name: str | None, text: str | None) -> None:
        """Add a piece of the name and a piece of the arguments' text."""
        if name is not None:
            self.name += name
            self._has_name = True
        if text or (text is not None and not self.parts):
            self.parts.append(text)

    @property
    def written(self) -> Any:
        """The text of the arguments so far; `None` if none has arrived."""
        return "".join(self.parts) if self.parts else None

    def chunk(self) -> ToolCallChunk:
        """Return all that has arrived as one piece."""
        name = self.name if self._has_name else None
        return tool_call_chunk(name=name, args=self.written, id=self.id, index=self.index)

    @property
    def has_value(self) -> bool:
        """Whether there is a value yet."""
        reader = self._read_on()
        return not self._is_refused and reader.has_value

    @property
    def is_complete(self) -> bool:
        """Whether the value has ended, and no other text has followed it."""
        return self._read_on().end is not None

    @property
    def value(self) -> Any:
        """The value so far, `None` if there is no value yet; treat it as read-only.

        It is the same object as long as it has not changed.
        """
        return self._read_on().value if self.has_value else None

    def as_object(self) -> dict[str, Any] | None:
        """Return a copy of the object so far, ``{}`` before any text; `None` for other values."""
        value = self.value if any(self.parts) else {}
        # The caller may change the copy; the values inside are shared with later results.
        return dict(value) if isinstance(value, dict) else None

    def changes(self) -> list[Operation]:
        """Return what changed since the last call, as JSON Patch operations."""
        reader = self._read_on()
        return [] if self._is_refused else reader.changes()

    def go_on_from(self, earlier: GrowingCall) -> None:
        """Take over the reader of *earlier* if it has read the first part of this call."""
        if earlier._reader is not None and self.parts[:1] == [earlier.written]:
            self._reader, self._is_refused = earlier._reader, earlier._is_refused
            self._read = 1

    def _read_on(self) -> JsonReader:
        reader = self._reader
        if reader is None:
            reader = self._reader = self._new_reader()
        while self._read < len(self.parts) and not self._is_refused:
            text = self.parts[self._read]
            self._read += 1
            try:
                self._feed(reader, text)
            except ValueError:
                self._is_refused = True
        return reader

    def _new_reader(self) -> JsonReader:
        # Imported lazily to keep `import outputs` cheap: many programs never see a tool call.
        from outputs.growing_json.reader import JsonReader

        return JsonReader(strict=self._strict)

    def _feed(self, reader: JsonReader, text: str) -> None:
        if (rest := text[reader.feed(text) :]).strip(" \t\n\r"):
            reader.feed_trailing(rest)


C = TypeVar("C", bound=GrowingCall)

NO_IDS: Final = ("null", "None")
"""What some servers write in place of an id, in a piece of a call that has none."""


def known_id(call_id: Any) -> str | None:
    """Return the id of a call; `None` if it is not a string or means that there is none."""
    return call_id if isinstance(call_id, str) and call_id not in NO_IDS else None


class GrowingCalls(Generic[C]):
    """The calls of one message while their pieces arrive, whatever index the server gives them.

    Pieces with the same index belong together. Some servers send no index: then a piece with a name
    starts a call, and a piece without one continues the last call. Some send the same index for all
    calls: then a new id starts a call, and a piece without an id continues the last call. Some
    repeat the name in each piece, or the id and the name: the repetitions are dropped. Some write
    that there is no id: see `NO_IDS`.

    Args:
        begin: Returns a new call, given the index of its first piece.
        as_list: Follow the rules of `merge_lists` instead: a piece without an index is a whole
            call, a piece without an id continues the first call of its index, and nothing is
            dropped.
    """

    def __init__(self, begin: Callable[[int | None], C], *, as_list: bool = False) -> None:
        self._new = begin
        self._as_list = as_list
        self._by_index: dict[int | None, C] = {}
        self._by_id: dict[tuple[int | None, str], C] = {}
        self.calls: list[C] = []
        """The calls, in the order in which they began."""

    def add(self, piece: ToolCallChunk) -> None:
        """Add *piece* to its call."""
        call, name = self.call_for(piece["index"], piece["id"], piece["name"])
        call.add(name, piece["args"])

    def begin(self, index: int | None = None) -> C:
        """Start and return a call that no later piece continues."""
        call = self._new(index)
        self.calls.append(call)
        return call

    def call_for(
        self, index: int | None, call_id: str | None, name: str | None
    ) -> tuple[C, str | None]:
        """Return the call that a piece belongs to, and the *name* in the piece unless repeated."""
        if not isinstance(index, int):
            index = None
        if call_id in NO_IDS and not self._as_list:
            call_id = None
        call = self._by_id.get((index, call_id)) if call_id else None
        if index is None and (self._as_list or name is not None):
            call = self._begin_at(index)
        elif call is None:
            call = self._by_index.get(index)
            if call is None and index is None and not call_id:
                call = self.begin()  # There is no call to continue.
            elif call is None or (call_id and call.id):
                call = self._begin_at(index)
        if name and name == call.name and not self._as_list:
            name = None
        if call_id:
            self._by_id[index, call_id] = call
        if not call.id and call_id is not None:
            call.id = call_id
        return call, name

    def _begin_at(self, index: int | None) -> C:
        call = self.begin(index)
        if not (self._as_list and index in self._by_index):
            self._by_index[index] = call
        return call
