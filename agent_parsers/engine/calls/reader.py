"""Call readers, for states in which a tool's name and its input stand together."""

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


@dataclass(slots=True)  # a frozen one takes three times as long to create
class Call:
    """The call that a call reader found in its text."""

    tool: str
    """Name of the tool."""
    tool_input: str | dict[Any, Any]
    """Its input; the final answer may be any value."""
    span: Span
    """Where the call stands."""
    tool_span: Span = (0, 0)
    """Where the name of the tool stands."""
    is_answer: bool = False
    """Whether the input is the final answer; the tool name only says so."""
    problem: str = ""
    """Name of the problem that makes the call invalid, or ``""``."""
    after: Span | None = None
    """Where text stands that follows the call and is not part of it; `None` if nothing does."""
    is_text: bool = False
    """Whether this is text and not a call: the final answer or, in a turn that may have several
    calls, content beside them."""
    repairs: tuple[Repair, ...] = ()
    """The repairs that were made."""
    input_span: Span | None = None
    """Where its input stands; `None` if it has no input, or no single place for it."""
    id: str | None = None
    """The id that the model gave the call, if any; the tool's result can refer to it."""
    others: Mapping[str, Callable[[], Iterable[Any]]] = field(default_factory=dict)
    """Other values that the text of a parameter may stand for, by parameter name; tried if the tool
    does not accept the first one."""
    lacks: Lack = ""
    """Which closers are missing at the end of the text."""
    openers: Sequence[str] = ()
    """Names of parameters whose tags ended a value that had no closing tag. Only the tool schema
    can show that they are parameters, and not part of the value."""
    whole: Span | None = field(default=None, compare=False)
    """Where the whole call stands, if that is more than its span: with the braces of its JSON."""
    is_bare: bool = field(default=False, compare=False)
    """Whether no marker of the dialect opens it, so that text may merely mention it."""
    is_short: bool = False
    """Whether the closer of the call ended a value that had no closer of its own. The value may
    have quoted that closer, unless nothing follows."""
    unnamed: Sequence[Any] = ()
    """Values without names, which may belong to the tool's parameters in order. If there are any,
    the problem is ``"positional"``."""


class CallReader(ABC):
    """Reads one call chunk by chunk; each call needs a new reader.

    The text has no white space at either end, and no chunk of it ends in white space.
    """

    __slots__ = ()

    problems: ClassVar[frozenset[str]] = frozenset(
        {"no_tool", "no_call", "open_call", "after_call"}
    )
    """Names of the problems it may report; the dialect has a message for each."""
    opener: ClassVar[str] = ""
    """What every call begins with; text without it has no call. ``""`` if any text may be one."""

    @property
    def is_begun(self) -> bool:
        """Whether a call has begun; in a state of `Table.begun`, text before it is a thought."""
        return True

    @property
    def is_quoting(self) -> bool:
        """Whether the next text is inside a quoted value, so that no marker counts there."""
        return False

    @property
    def is_in_value(self) -> bool:
        """Whether the text ends inside a value, or after something that may close it."""
        return self.is_quoting

    @property
    def rest_at(self) -> int:
        """Where other text begins after the call; -1 while no such text is known."""
        return -1

    @abstractmethod
    def feed(self, text: str, at: int) -> list[Event]:
        """Read *text*, which begins at offset *at*, and return the events it completes."""

    def meet(self) -> None:  # noqa: B027 - most readers need not know
        """Note that a marker closes the text, so nothing of it was cut off."""

    def go_on(self) -> None:  # noqa: B027 - likewise
        """Note that another call opens after the text, so it is not cut off."""

    more: tuple[Call, ...] = ()
    """The calls that follow the one that `close` returns, if the text has several."""

    @abstractmethod
    def close(self) -> tuple[list[Event], Call]:
        """End the text; return the events that were held back, and the call."""

    def read(self, text: str, at: int) -> Call:
        """Read the whole *text*, which begins at offset *at* and may be empty."""
        if text:
            self.feed(text, at)
        return self.close()[1]


class EmittingReader(CallReader):
    """A call reader whose events cover its text from end to end, without gaps."""

    __slots__ = ("_at",)

    _at: int  # offset of the text that is emitted next

    def _emit(self, text: str, kind: TextEvent, events: list[Event], name: str = "") -> None:
        """Emit *text*, which comes next, as an event of this *kind*; *name* replaces its text."""
        if text:
            span = (self._at, self._at + len(text))
            self._at = span[1]
            events.append(kind(name or text, span))


class CallsReader(EmittingReader):
    """A reader of all calls in a block, which may hand the text to an *inner* reader."""

    __slots__ = ("_goes_on", "_inner", "_is_met", "more")

    def __init__(self) -> None:
        self._inner: CallReader | None = None
        self._is_met = False  # whether a marker closes the block
        self._goes_on = False  # whether another call opens after it
        self.more: tuple[Call, ...] = ()

    @override
    def meet(self) -> None:
        """Note that a marker closes the text, so nothing of it was cut off."""
        self._is_met = True
        if self._inner is not None:
            self._inner.meet()

    @override
    def go_on(self) -> None:
        """Note that another call opens after the text, so it is not cut off."""
        self._goes_on = True
