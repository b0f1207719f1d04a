"""What a turn says, while it is written, and what it has come to in the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent_parsers.engine import ActionComplete, AnswerDelta, Finish

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator

    from agent_parsers._agent import AgentAction, AgentFinish
    from agent_parsers.engine import Event

__all__ = ["AnswerStream", "answer_stream"]


class AnswerStream:
    """Yields what one turn says; when it is over, `actions` or `finish` has what it came to."""

    def __init__(self, events: Iterable[Event] | AsyncIterable[Event]) -> None:
        self._events = events
        self.actions: list[AgentAction] = []
        """The actions of the turn, in their order; none in a turn that answers."""
        self.finish: AgentFinish | None = None
        """The final answer; `None` in a turn that acts."""

    def __iter__(self) -> Iterator[str]:
        """Yield pieces of text as they come in.

        Raises:
            OutputParserException: The turn is neither actions nor an answer.
            TypeError: The events have to be waited for: use ``async for``.
        """
        if not hasattr(self._events, "__iter__"):
            raise TypeError("these events have to be waited for: use `async for`")
        for event in self._events:
            yield from self._take(event)

    async def __aiter__(self) -> AsyncIterator[str]:
        """Yield the same where events have to be waited for.

        Raises:
            OutputParserException: The turn is neither actions nor an answer.
            TypeError: The events are there already: use ``for``.
        """
        if not hasattr(self._events, "__aiter__"):
            raise TypeError("these events need not be waited for: use `for`")
        async for event in self._events:
            for text in self._take(event):
                yield text

    def _take(self, event: Event) -> Iterator[str]:
        match event:
            case AnswerDelta(text=text):
                yield text
            case ActionComplete(action=action):
                self.actions.append(action)
            case Finish(finish=finish):
                self.finish = finish


def answer_stream(events: Iterable[Event] | AsyncIterable[Event]) -> AnswerStream:
    r"""Return what one turn says, piece by piece, for a person to read while it is written.

    ::

        said = answer_stream(parser.events(chunks))
        for text in said:
            print(text, end="", flush=True)
        if said.finish is None:
            steps += [(action, tools.call(action)) for action in said.actions]

    It is the final answer, and, where a turn may have several calls, what is said beside them.
    Leniently, what was said may turn out to be no part of the answer, as text before a lone
    ``</think>`` does; `finish` has the answer as it counts.

    Args:
        events: Of one turn, from `events` or `aevents` of any parser.
    """
    return AnswerStream(events)
