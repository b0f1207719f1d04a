"""The arguments of a call in code, chunk by chunk: what Python calls and Gemma's braces share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.engine.calls.nesting import Nesting
from outputs.growing_json.kept_text import KeptText

if TYPE_CHECKING:
    from agent_parsers.events import Repair

MAX_DEPTH: Final = 100
"""How many brackets may be open at once; Python's own parser gives up at twice as many."""
_CLOSERS: Final = {"(": ")", "[": "]", "{": "}"}


class Arguments(ABC):
    """Reads arguments from offset *at*, behind *opener*, up to the bracket that closes it."""

    def __init__(self, at: int, opener: str, *, lenient: bool) -> None:
        self.start = at
        self._at = at  # offset of the tail, or of what is read next
        self._tail = ""  # the beginning of a mark, or a mark whose meaning is not known
        self._end = at
        self._lenient = lenient
        self._open = Nesting(_CLOSERS[opener])  # closers of the open brackets
        self._code = KeptText()  # text outside strings, after the last mark or string
        self._value_at = at
        self._quote = ""  # opening quote of the open string
        self._string_at = at
        self._body = KeptText()  # text of the open string
        self.values: dict[str, Any] = {}
        """The arguments so far, by name."""
        self.unnamed: list[Any] = []
        """The positional arguments, which come before the others in Python."""
        self.written: dict[str, str] = {}
        """The arguments that may be text without quotes, as written."""
        self.repairs: list[Repair] = []
        """The repairs that were made."""
        self.problem: str = ""
        """Name of the first problem found, or ``""``."""

    @property
    @abstractmethod
    def is_quoting(self) -> bool:
        """Whether the next text is inside a string, as far as is known."""

    @property
    @abstractmethod
    def known(self) -> int:
        """Offset up to which the text is known to be arguments; excludes the last bracket."""

    def feed(self, text: str) -> int:
        """Read *text*; return where in it the arguments end, or -1 if they go on."""
        before = len(self._tail)
        buffer, self._tail = self._tail + text, ""
        at = 0
        while at < len(buffer) and self._open:
            at = (self._read_string if self._quote else self._read_code)(buffer, at)
        self._end = self._at + at
        self._at += len(buffer) - len(self._tail)
        return -1 if self._open else at - before

    @abstractmethod
    def _read_code(self, text: str, at: int) -> int:
        """Read *text* from *at* through the next mark; return where that mark ends."""

    @abstractmethod
    def _read_string(self, text: str, at: int) -> int:
        """Read *text* from *at* through the next mark in a string; return where that mark ends."""

    def _open_bracket(self, mark: str) -> None:
        self._open.open(_CLOSERS[mark])
        if len(self._open) > MAX_DEPTH + 1:
            self._wrong("deep_call")

    def _is_closer(self, mark: str) -> bool:
        """Return whether a bracket that *mark* closes is open, perhaps around others."""
        if self._open[-1] != mark:
            self._wrong("odd_brackets")
        return mark in self._open

    def _wrong(self, problem: str) -> None:
        self.problem = self.problem or problem

    def _repaired(self, *repairs: Repair) -> None:
        self.repairs += repairs
        if repairs and not self._lenient:
            self._wrong("other_form")
