"""Call readers, for states in which a tool's name and its input stand together."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
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
from outputs.growing_json.kept_text import KeptText

if TYPE_CHECKING:
    from agent_parsers.engine.repairs.payloads import Lack

Step: TypeAlias = "Callable[[str, list[Event]], str]"
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
    """Where the call is."""
    tool_span: Span = (0, 0)
    """Where the name of the tool is."""
    is_answer: bool = False
    """Whether the input is the final answer; the tool name only says so."""
    problem: str = ""
    """Name of the problem that makes the call invalid, or ``""``."""
    after: Span | None = None
    """Where text stands that follows the call and is not part of it; `None` if nothing does."""
    is_text: bool = False
    """Whether this is text and not a call: the final answer or, in a turn that may have several
    calls, content beside them."""
    is_aside: bool = False
    """Whether this text is for the user and never the answer, since the model said so."""
    is_raw: bool = False
    """Whether the input is text although calls of the dialect have JSON, so that only a tool
    without a schema takes it."""
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
    odd_names: Sequence[str] = ()
    """Names of parameters that have no quotes and do not look like names. Only the tool schema can
    show that they are, and hold no part of a value."""
    lists: Sequence[tuple[str, ...]] = ()
    """Where its values have a list of several elements with one name, as the names that lead there.
    Only the tool schema can show that this is a list, and not a member that appears twice."""
    held_words: Sequence[str] = ()
    """Words in a value that stand behind a closing tag of its own. If one is the name of a
    parameter that the input lacks, the value holds that parameter."""
    texts: Sequence[str] = ()
    """Names of parameters that the call says are strings, even if the tool takes other types."""
    whole: Span | None = field(default=None, compare=False)
    """Where the whole call stands, if that is more than its span: with the braces of its JSON."""
    is_bare: bool = field(default=False, compare=False)
    """Whether no marker of the dialect opens it, so that text may merely mention it."""
    is_short: bool = False
    """Whether the closer of the call ended a value that had no closer of its own. The value may
    have quoted that closer, unless nothing follows."""
    beside: Sequence[tuple[str, Span]] = ()
    """What stands beside its input, as the keys and places of members, and of what is in them. The
    tool may have a parameter of that name, which the input lacks."""
    unnamed: Sequence[Any] = ()
    """Values without names, which may belong to the tool's parameters in order. If there are any,
    the problem is ``"positional"``."""

    def refuse(self, problem: str) -> None:
        """Mark the call as invalid; the first *problem* is the one reported."""
        self.problem = self.problem or problem


class CallReader(ABC):
    """Reads one call chunk by chunk; each call needs a new reader.

    The text has no white space at either end, and no chunk of it ends in white space.
    """

    __slots__ = ()

    problems: ClassVar[frozenset[str]] = frozenset(
        {"no_tool_name", "no_call", "open_call", "after_call"}
    )
    """Names of the problems it may report; the dialect has a message for each."""
    opener: ClassVar[str] = ""
    """What every call begins with; text without it has no call. ``""`` if any text may be one."""

    @property
    def has_call_begun(self) -> bool:
        """Whether a call has begun; in states of `Table.begun`, text before it is a thought."""
        return True

    @property
    def is_quoting(self) -> bool:
        """Whether the next text is inside a quoted value, so that no marker counts there."""
        return False

    @property
    def is_in_value(self) -> bool:
        """Whether the text ends inside a value, or may do so."""
        return self.is_quoting

    @property
    def is_message(self) -> bool:
        """Whether the text turned out to be a message rather than a call."""
        return False

    @property
    def rest_at(self) -> int:
        """Where other text begins after the call; -1 while no such text is known."""
        return -1

    @abstractmethod
    def feed(self, text: str, at: int) -> list[Event]:
        """Read *text*, which begins at offset *at*, and return the events it completes."""

    def see_closer(self) -> None:  # noqa: B027 - most readers need not know
        """Record that a marker closes the text, so it was not cut off."""

    def see_next_call(self) -> None:  # noqa: B027 - likewise
        """Record that another call follows the text, so it was not cut off."""

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
    """A call reader whose events cover all of its text, without gaps."""

    __slots__ = ("_at",)

    _at: int  # offset of the text that is emitted next

    def _emit(self, text: str, kind: TextEvent, events: list[Event], name: str = "") -> None:
        """Emit *text*, which comes next, as an event of this *kind*; *name* replaces its text."""
        if text:
            span = (self._at, self._at + len(text))
            self._at = span[1]
            events.append(kind(name or text, span))


class CallsReader(EmittingReader):
    """Base class of call readers that read several calls in steps.

    *Steps* read the text, each from where the last one stopped: what opens the calls, a call, what
    is between two calls, what closes them, and what follows. A step takes the text that comes
    next and returns the part that it leaves to the next step. What it cannot decide yet, it holds.

    What only lenient mode accepts is reported with `_accept`; in strict mode, the first such place
    is where text begins that does not belong to the calls. Text that is not a call in this notation
    may be handed to another reader with `_hand_on`.

    Args:
        first: The first step.
        lenient: Whether to accept what the dialect itself does not write.
    """

    def __init__(self, first: Step | None = None, *, lenient: bool = False) -> None:
        self._start = self._at = -1
        self._step = first or self._skip
        self._lenient = lenient
        self._held = KeptText()  # text that cannot be decided yet
        self._inner: CallReader | None = None
        self._is_met = False  # whether a marker closes the calls
        self._goes_on = False  # whether another call opens after them
        self._wrong = -1  # the first place that strict mode refuses
        self.more: tuple[Call, ...] = ()

    @property
    @override
    def is_quoting(self) -> bool:
        """Whether the next text is inside a string of a call."""
        return self._inner is not None and self._inner.is_quoting

    @override
    def feed(self, text: str, at: int) -> list[Event]:
        if self._start < 0:
            self._start = self._at = at
        if self._inner is not None:
            return self._inner.feed(text, at)
        events: list[Event] = []
        self._run(text, events)
        return events

    @override
    def see_closer(self) -> None:
        self._is_met = True
        if self._inner is not None:
            self._inner.see_closer()

    @override
    def see_next_call(self) -> None:
        self._goes_on = True

    @override
    def close(self) -> tuple[list[Event], Call]:
        """End the text; return the events held back and the first call; others are in `more`."""
        events: list[Event] = []
        calls = self._finish(events) if self._inner is None else []
        if self._inner is not None:
            last, first = self._inner.close()
            events += last
            calls = [first, *self._inner.more]
        elif self._wrong >= 0:
            calls[0].after = (self._wrong, self._at)
            del calls[1:]
        self.more = tuple(calls[1:])
        return events, calls[0]

    def _finish(self, _events: list[Event]) -> list[Call]:
        """End the text in the current step; return the calls, and the content beside them."""
        return [Call("", "", (max(self._start, 0), max(self._at, 0)), problem="no_call")]

    def _run(self, text: str, events: list[Event]) -> None:
        """Lead *text* through the steps."""
        while text:
            text = self._step(text, events)

    def _take_held(self) -> str:
        """Return the text that was held, and hold it no longer."""
        held = str(self._held)
        self._held.clear()
        return held

    def _emit_known(self, text: str, known: int, events: list[Event]) -> None:
        """Emit the input that is held and *text* after it up to offset *known*; hold the rest."""
        size = known - self._at
        if size == len(text) and not self._held:
            self._emit(text, InputDelta, events)
            return
        self._held.add(text)
        if size > 0:
            text = self._take_held()
            self._emit(text[:size], InputDelta, events)
            self._held.add(text[size:])

    def _skip(self, text: str, events: list[Event]) -> str:
        """Emit *text* as not part of a call."""
        self._emit(text, SkippedDelta, events)
        return ""

    def _hand_on(self, inner: CallReader, text: str, events: list[Event]) -> str:
        """Leave *text*, and all that follows, to another reader."""
        self._inner = inner
        if self._is_met:
            inner.see_closer()
        events += inner.feed(text, self._at)
        return ""

    def _accept(self, call: Call, kind: str, span: Span, message: str) -> None:
        """Report a repair of a *call*, or of what surrounds it; in strict mode, refuse it."""
        if self._lenient:
            call.repairs += () if call.problem else (Repair(kind, span, message),)
        elif self._wrong < 0:
            self._wrong = span[0]

    def _drop_closers(self, call: Call, span: Span) -> None:
        """Accept closers at *span*, after a *call*, that match no opener."""
        self._accept(call, "closer", span, "dropped a closing mark without an opening one")
