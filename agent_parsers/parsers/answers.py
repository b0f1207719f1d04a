"""Streaming the answer of a turn, and its result once the turn is over."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from agent_parsers.events import ActionComplete, AnswerDelta, Event, Finish, Repair, ThoughtDelta
from output_parsers.exceptions import OutputParserException
from output_parsers.streams.readers import aclose, close

if TYPE_CHECKING:
    from agent_parsers.actions.agent import AgentAction, AgentFinish


class AnswerStream:
    """Yields the answer of one turn in pieces; afterwards `actions` or `finish` is its result.

    Leaving the loop early closes the events, and with them their source.
    """

    def __init__(self, events: Iterable[Event] | AsyncIterable[Event]) -> None:
        self._events = aiter(events) if isinstance(events, AsyncIterable) else iter(events)
        self._actions: list[AgentAction] = []
        self._finish: AgentFinish | None = None
        self._thought: list[str] = []
        self._repairs: list[Repair] = []
        self._is_over = False
        self._error: OutputParserException | None = None

    @property
    def actions(self) -> list[AgentAction]:
        """The actions of the turn, in order; empty if the turn is an answer.

        Raises:
            RuntimeError: The turn is not over, or could not be read.
        """
        self._check_over()
        return self._actions

    @property
    def finish(self) -> AgentFinish | None:
        """The final answer; `None` if the turn has actions.

        Raises:
            RuntimeError: The turn is not over, or could not be read.
        """
        self._check_over()
        return self._finish

    @property
    def output(self) -> Any:
        """The value of the answer; `None` if the turn has actions.

        Raises:
            RuntimeError: The turn is not over, or could not be read.
        """
        return None if self.finish is None else self.finish.output

    @property
    def thought(self) -> str:
        """The reasoning so far."""
        return "".join(self._thought)

    @property
    def repairs(self) -> list[Repair]:
        """What was repaired so far."""
        return self._repairs

    @property
    def is_cut(self) -> bool:
        """Whether the answer was cut off at the token limit.

        Raises:
            RuntimeError: The turn is not over, or could not be read.
        """
        return self.finish is not None and any(each.kind == "cut" for each in self._repairs)

    def _check_over(self) -> None:
        if self._error is not None:
            raise RuntimeError(f"the turn could not be read: {self._error}") from self._error
        if not self._is_over:
            raise RuntimeError("the result is not known yet: read the turn to its end first")

    def __iter__(self) -> Iterator[str]:
        """Yield pieces of text as they come in.

        Raises:
            OutputParserException: The turn is neither actions nor an answer.
            TypeError: The events are asynchronous: use ``async for``.
        """
        if not isinstance(self._events, Iterator):
            raise TypeError("these events are asynchronous: use `async for`")
        try:
            for event in self._events:
                yield from self._take(event)
            self._is_over = bool(self._actions or self._finish)
        except OutputParserException as error:
            self._error = error
            raise
        finally:
            close(self._events)

    async def __aiter__(self) -> AsyncIterator[str]:
        """Do the same as `__iter__` for asynchronous events.

        Raises:
            OutputParserException: The turn is neither actions nor an answer.
            TypeError: The events are not asynchronous: use ``for``.
        """
        if not isinstance(self._events, AsyncIterator):
            raise TypeError("these events are not asynchronous: use `for`")
        try:
            async for event in self._events:
                for text in self._take(event):
                    yield text
            self._is_over = bool(self._actions or self._finish)
        except OutputParserException as error:
            self._error = error
            raise
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
            case ThoughtDelta(text=text):
                self._thought.append(text)
            case Repair():
                self._repairs.append(event)
            case _ if not isinstance(event, Event):
                raise TypeError(
                    "expected the events of a turn, as parser.events(chunks) yields them, "
                    f"not {type(event).__name__}"
                )


def answer_stream(events: Iterable[Event] | AsyncIterable[Event]) -> AnswerStream:
    r"""Return the answer of one turn as a stream of text, to show while the model writes it.

    ::

        said = answer_stream(parser.events(chunks))
        for text in said:
            print(text, end="", flush=True)
        if said.finish is None:
            steps += tools.run(said)

    The stream contains the final answer and, in dialects with several calls per turn, the content
    beside the calls. In lenient mode some of the text may turn out not to belong to the answer,
    such as text before a lone ``</think>``; `finish` has the answer that counts.

    Args:
        events: The events of one turn, from `events` or `aevents` of any parser.
    """
    return AnswerStream(events)
