"""What the readers of calls in code share: a name, arguments in brackets, text after them."""

from __future__ import annotations

from abc import abstractmethod
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final

from typing_extensions import override

from agent_parsers.engine.calls.reader import Call, CallsReader
from agent_parsers.events import Event, MarkerSeen, Repair, ToolNamed

if TYPE_CHECKING:
    import re

    from agent_parsers.engine.calls.code.code_arguments import Arguments

LONGEST_HEAD: Final = 200
"""Longest text before a bracket, in characters; longer text does not begin a call."""


class CodeCalls(CallsReader):
    """Reads calls as a name with arguments in brackets, step by step.

    If they are *bare*, no marker of the dialect opens them.
    """

    _ends_head: ClassVar[re.Pattern[str]]
    """Finds the first character that is not part of what precedes a bracket."""

    def __init__(self, *, bare: bool, lenient: bool) -> None:
        super().__init__(self._read_start, lenient=lenient)
        self._is_bare = bare
        self._paused = self._step
        self._rest_at = -1  # where text that is not a call begins
        self._lead = ""  # brackets, commas and white space not emitted yet
        self._call = Call("", "", (-1, -1))  # the current one
        self._odd: list[Repair] = []  # repairs before the arguments
        self._arguments: Arguments | None = None  # while they are read
        self._calls: list[Call] = []

    @property
    @override
    def is_quoting(self) -> bool:
        reader = self._arguments or self._inner
        return reader is not None and reader.is_quoting

    # -- steps: each returns the text to read next ------------------------------------------------

    @abstractmethod
    def _read_start(self, text: str, events: list[Event]) -> str:
        """Read up to the first call."""

    def _hold(self, text: str) -> str:
        """Hold *text*, which may be what precedes a bracket; then the current step goes on."""
        self._held.clear()
        self._held.add(text)
        self._paused, self._step = self._step, self._read_head
        return ""

    def _read_head(self, text: str, _events: list[Event]) -> str:
        self._held.add(text)
        if self._ends_head.search(text) is None and len(self._held) <= LONGEST_HEAD:
            return ""
        self._step = self._paused
        return self._take_held()

    def _begin_call(
        self, head: tuple[str, str, str], marks: tuple[str, str], events: list[Event]
    ) -> None:
        """Emit the *head* of a call: the name, what precedes it and what follows it."""
        before, name, after = head
        start = self._at
        self._emit(before, MarkerSeen, events, marks[0])
        span = (self._at, self._at + len(name))
        self._call = Call(name, "", (start, -1), tool_span=span, is_bare=self._is_bare)
        self._emit(name, ToolNamed, events)
        self._emit(after, MarkerSeen, events, marks[1])

    def _read_arguments(self, text: str, events: list[Event]) -> str:
        arguments = self._arguments
        assert arguments is not None, "the arguments are created after the head of the call"
        end = arguments.feed(text)
        self._emit_known(text if end < 0 else text[: end - 1], arguments.known, events)
        if end < 0:
            return ""
        self._end_call(arguments, self._at + 1)
        self._lead = text[end - 1]
        self._step = self._read_next
        return text[end:]

    @abstractmethod
    def _read_next(self, text: str, events: list[Event]) -> str:
        """Read what follows a call."""

    def _end_call(self, arguments: Arguments, stop: int, problem: str = "") -> None:
        """Add the call that ends at *stop*."""
        call, odd = self._call, (*self._odd, *arguments.repairs)
        if self._odd and not self._lenient:
            problem = problem or "other_form"
        call.problem = problem or arguments.problem
        call.tool_input = arguments.values
        call.span = (call.span[0], stop)
        if arguments.start < self._at:
            call.input_span = (arguments.start, self._at)
        if not call.problem:
            call.repairs, call.unnamed = odd, arguments.unnamed
            call.problem = "positional" if call.unnamed else ""
        call.others = {key: partial(tuple, [text]) for key, text in arguments.written.items()}
        self._calls.append(call)
        self._odd.clear()
        self._arguments = None
        self._held.clear()

    def _take_blank(self, text: str) -> str:
        """Add the white space at the beginning of *text* to the next mark."""
        body = text.lstrip()
        self._lead += text[: len(text) - len(body)]
        return body


def no_call(problem: str, span: tuple[int, int]) -> Call:
    """Return a `Call` for text that is not a call: content or, with a *problem*, an error."""
    return Call("", "", span, problem=problem, is_text=not problem)
