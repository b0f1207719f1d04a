"""Payload codecs for states in which a tool's name and its input stand together."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from typing_extensions import override

from agent_parsers.events import (
    AnswerDelta,
    Event,
    InputDelta,
    MarkerSeen,
    Repair,
    SkippedDelta,
    Span,
    ThoughtDelta,
    ToolNamed,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from agent_parsers.engine.repairs.payloads import Lack

__all__ = ["Call", "CallReader", "CallsReader", "EmittingReader"]

TextEvent: TypeAlias = type[
    InputDelta | AnswerDelta | ThoughtDelta | SkippedDelta | MarkerSeen | ToolNamed
]


@dataclass(slots=True)  # frozen, making one takes three times as long
class Call:
    """What a call reader made of its text."""

    tool: str
    """Name of the tool."""
    tool_input: str | dict[Any, Any]
    """Its input; the final answer may be any value."""
    span: Span
    """Where the call stands."""
    tool_span: Span = (0, 0)
    """Where the name of the tool stands."""
    is_answer: bool = False
    """Whether the input is the final answer, and the tool only says so."""
    problem: str = ""
    """Name of the problem that makes it no call, or ``""``."""
    after: Span | None = None
    """Text that follows the call and is no part of it."""
    is_text: bool = False
    """Whether there is no call, and the text as it stands is the final answer, or, in a turn that
    may have several calls, what is said beside them."""
    repairs: tuple[Repair, ...] = ()
    """What was mended."""
    input_span: Span | None = None
    """Where its input stands; `None` if it has none, or that is nowhere in particular."""
    id: str | None = None
    """What the model calls it by, so that the result can name it."""
    others: Mapping[str, Callable[[], Iterable[Any]]] = field(default_factory=dict)
    """What else values of the input may be, by name: for a tool that does not take the first."""
    lacks: Lack = ""
    """What closes it and is missing where the text ends."""
    openers: Sequence[str] = ()
    """Names of parameters whose tags ended a value that nothing closed: only the schema of the tool
    can say that they are its parameters, and not part of the value."""
    whole: Span | None = field(default=None, compare=False)
    """Where all of it stands, if that is more than its span: with the braces of its JSON."""
    is_bare: bool = field(default=False, compare=False)
    """Whether no mark of the dialect opens it, so that text may speak of it."""
    is_short: bool = False
    """Whether what closes the call ended a value that nothing closed. The value may have quoted it,
    unless nothing follows."""
    unnamed: Sequence[Any] = ()
    """Values that have no names, which those of the tool's parameters may be; the problem is
    ``"positional"`` then."""


class CallReader(ABC):
    """Reads one call as its text comes in; a new one is made for each call.

    The text has no white space at its ends, and no piece of it ends in white space.
    """

    __slots__ = ()

    problems: ClassVar[frozenset[str]] = frozenset(
        {"no_tool", "no_call", "open_call", "after_call"}
    )
    """Names of what it may find wrong; a dialect has words for them."""
    opener: ClassVar[str] = ""
    """What every call begins with; text without it begins none. Empty if any text may."""

    @property
    def is_begun(self) -> bool:
        """Whether a call has begun; in a state of `Table.begun`, all before it is a thought."""
        return True

    @property
    def is_quoting(self) -> bool:
        """Whether what comes next is inside a quoted value, so that it is no marker."""
        return False

    @property
    def is_in_value(self) -> bool:
        """Whether the text ends in a value, be it behind what may close it."""
        return self.is_quoting

    @property
    def rest_at(self) -> int:
        """Where other text begins behind the call; -1 if none is known to."""
        return -1

    @abstractmethod
    def feed(self, text: str, at: int) -> list[Event]:
        """Take *text*, which stands at offset *at*, and return the events it completes."""

    def meet(self) -> None:  # noqa: B027 - for most readers the end is the end
        """Hear that a marker closes the text, so that nothing of it was cut off."""

    def go_on(self) -> None:  # noqa: B027 - likewise
        """Hear that another call opens behind the text, so that it is not cut off."""

    more: tuple[Call, ...] = ()
    """The calls that follow the one `close` returns, if there are several in one text."""

    @abstractmethod
    def close(self) -> tuple[list[Event], Call]:
        """Return the events that were held back, and the call: its text has ended."""

    def read(self, text: str, at: int) -> Call:
        """Read the whole *text*, which stands at offset *at*; it may be empty."""
        if text:
            self.feed(text, at)
        return self.close()[1]


class EmittingReader(CallReader):
    """A call reader that tells its text from one end to the other, with no gap."""

    __slots__ = ("_at",)

    _at: int  # where what is told next stands

    def _emit(self, text: str, kind: TextEvent, events: list[Event], name: str = "") -> None:
        """Tell of *text*, which is what is read next, by *name* if it is not told as it stands."""
        if text:
            span = (self._at, self._at + len(text))
            self._at = span[1]
            events.append(kind(name or text, span))


class CallsReader(EmittingReader):
    """A reader of all calls in a block, which may leave that to another, its *inner* reader."""

    __slots__ = ("_goes_on", "_inner", "_is_met", "more")

    def __init__(self) -> None:
        self._inner: CallReader | None = None
        self._is_met = False  # whether a marker closes the block
        self._goes_on = False  # whether another call opens behind it
        self.more: tuple[Call, ...] = ()

    @override
    def meet(self) -> None:
        """Hear that a marker closes the text, so that nothing of it was cut off."""
        self._is_met = True
        if self._inner is not None:
            self._inner.meet()

    @override
    def go_on(self) -> None:
        """Hear that another call opens behind the text, so that it is not cut off."""
        self._goes_on = True
