"""What a turn says, while it is written, and what it has come to in the end."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterator
from typing import TYPE_CHECKING

from agent_parsers.events import ActionComplete, AnswerDelta, Event, Finish
from output_parsers.streams.readers import aclose, close

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agent_parsers.actions.agent import AgentAction, AgentFinish

__all__ = ["AnswerStream", "answer_stream"]


class AnswerStream:
    """Yields what one turn says; when it is over, `actions` or `finish` has what it came to.

    Leaving the loop before closes the events, and with them what they come from.
    """

    def __init__(self, events: Iterable[Event] | AsyncIterable[Event]) -> None:
        self._events = aiter(events) if isinstance(events, AsyncIterable) else iter(events)
        self._actions: list[AgentAction] = []
        self._finish: AgentFinish | None = None
        self._is_over = False

    @property
    def actions(self) -> list[AgentAction]:
        """The actions of the turn, in their order; none in a turn that answers.

        Raises:
            RuntimeError: The turn is not over, or could not be read.
        """
        self._check_over()
        return self._actions

    @property
    def finish(self) -> AgentFinish | None:
        """The final answer; `None` in a turn that acts.

        Raises:
            RuntimeError: The turn is not over, or could not be read.
        """
        self._check_over()
        return self._finish

    def _check_over(self) -> None:
        if not self._is_over:
            raise RuntimeError("what a turn comes to is known when it has been read to its end")

    def __iter__(self) -> Iterator[str]:
        """Yield pieces of text as they come in.

        Raises:
            OutputParserException: The turn is neither actions nor an answer.
            TypeError: The events have to be waited for: use ``async for``.
        """
        if not isinstance(self._events, Iterator):
            raise TypeError("these events have to be waited for: use `async for`")
        try:
            for event in self._events:
                yield from self._take(event)
            self._is_over = bool(self._actions or self._finish)
        finally:
            close(self._events)

    async def __aiter__(self) -> AsyncIterator[str]:
        """Yield the same where events have to be waited for.

        Raises:
            OutputParserException: The turn is neither actions nor an answer.
            TypeError: The events are there already: use ``for``.
        """
        if not isinstance(self._events, AsyncIterator):
            raise TypeError("these events need not be waited for: use `for`")
        try:
            async for event in self._events:
                for text in self._take(event):
                    yield text
            self._is_over = bool(self._actions or self._finish)
        finally:
            await aclose(self._events)

    def _take(self, event: Event) -> Iterator[str]:
        match event:
            case AnswerDelta(text=text):
                yield text
            case ActionComplete(action=action):
                self._actions.append(action)
            case Finish(finish=finish):
                self._finish = finish
            case _ if not isinstance(event, Event):
                raise TypeError(
                    "expected the events of a turn, as parser.events(chunks) gives them, "
                    f"not {type(event).__name__}"
                )


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
