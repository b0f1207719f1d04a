"""A thought that nothing has closed: the calls at its end, and the text that may be behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from agent_parsers.engine.markers.mentions import WINDOW, is_spoken_of
from agent_parsers.engine.tables.table import Part
from agent_parsers.events import AnswerDelta, Event, Repair, Span, ThoughtDelta

if TYPE_CHECKING:
    from agent_parsers.engine.reading.quoting.beside import TextBeside
    from agent_parsers.engine.reading.quoting.judge import FoundCall
    from agent_parsers.engine.reading.rules.states import State
    from agent_parsers.engine.repairs.payloads import BadPayload


class InnerEnd(NamedTuple):
    """A mark that closes a nested thought, and the text after it that is held back."""

    name: str
    span: Span
    held: Span | None = None


class UnclosedThought:
    """What may end a thought that is not closed yet: calls, or the end of a nested thought.

    A call in such a thought is part of it, unless the text ends after the call: then the model
    forgot to close the thought before it.

    If a nested thought is opened, the mark that closes it may have been meant to close both. So the
    text after the mark is held back until another mark closes a thought, or the text ends.
    """

    __slots__ = ("begins_at", "calls", "inner", "is_over", "problem")

    def __init__(self) -> None:
        self.begins_at: int = -1
        """Where the thought begins that has the calls; -1 without such calls."""
        self.calls: list[FoundCall] = []
        """The calls at its end."""
        self.problem: BadPayload | None = None
        """What is wrong with one of them."""
        self.inner: InnerEnd | None = None
        """The last mark that closed a thought within it, if text is held back."""
        self.is_over: bool = False
        """Whether that mark turned out to end the thought."""

    def drop_calls(self, beside: TextBeside, stop: int) -> None:
        """Treat the calls as part of the thought, which continues up to *stop*."""
        self.calls.clear()
        self.problem = None
        if stop > self.begins_at:
            beside.thoughts = [span for span in beside.thoughts if span[0] < self.begins_at]
            beside.thoughts.append((self.begins_at, stop))

    def hold(self, at: int, stop: int) -> None:
        """Hold back the text from *at* to *stop*, in addition to what is already held back."""
        assert self.inner is not None, "text is held back only after the end of a nested thought"
        held = self.inner.held
        self.inner = self.inner._replace(held=(at if held is None else held[0], stop))

    def end_calls(self, events: list[Event]) -> list[FoundCall]:
        """Return the calls at the end of the text, and report that they are in an open thought."""
        message = "read a call in reasoning that is not closed"
        made = (met for met in self.calls if met.made is not None)
        events += (Repair("open_reasoning", met.place, message) for met in made)
        return self.calls


def as_thoughts(events: list[Event], start: int) -> None:
    """Turn the content deltas in *events*, from index *start* on, into thought deltas."""
    for at in range(start, len(events)):
        event = events[at]
        if isinstance(event, AnswerDelta):
            events[at] = ThoughtDelta(event.text, event.span)


def calls_no_tool(content: str, home: State) -> bool:
    """Return whether *content*, read in the state *home*, has no call; it may mention thoughts."""
    if home.new_call is not None:
        reader = home.new_call()
        reader.feed(content, 0)
        calls = (reader.close()[1], *reader.more)
        if not all(call.is_text or call.problem == "no_call" for call in calls):
            return False
    text, at = f"\n{content}", 0
    while (found := home.whole(text, at)) is not None:
        lead, at = text[max(found.start() - WINDOW, 0) : found.start()], found.end()
        said = lead.rstrip()
        if not is_spoken_of(said[-1:], lead[len(said) :], text[at : at + WINDOW]):
            return False
        to = home.by_index[found.lastindex].to
        if to.is_region or to.part not in (Part.CONTENT, Part.THOUGHT, Part.ANSWER):
            return False
    return True
