"""A model that says what a script says, so that a loop can be tested without one."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.testing.trials.reply_pieces import Cut, Reply, check_cut, pieces_of, stopped
from outputs import AIMessage, AIMessageChunk, from_any, message_chunk_to_message

if TYPE_CHECKING:
    from output_parsers.runnables.batching import RunnableConfig

__all__ = ["Cut", "ModelCall", "ScriptedModel"]

_MAX_SHOWN: Final = 200
"""As much of a prompt or a reply is shown in an error, in characters."""


@dataclass(frozen=True, slots=True)
class ModelCall:
    """What a `ScriptedModel` was given in one call."""

    prompt: Any
    """The prompt. Of a list, such as one of messages, it is a copy: loops add to theirs."""
    stop: tuple[str, ...] = ()
    """The stop sequences."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """What else was given by name, such as ``tools``."""


class ScriptedModel:
    r"""Gives the replies of a script, one for each call, whatever the prompt says.

    ::

        model = ScriptedModel([
            "Thought: look it up\nAction: search\nAction Input: Bern",
            TimeoutError("the server does not answer"),
            {"role": "assistant", "content": "It is noon."},
        ])
        model("How old is Bern?", stop=["\nObservation:"])   # the text
        list(model.stream("..."))                            # TimeoutError
        list(model.stream("..."))                            # message chunks
        model.assert_done()

    The methods have the names and arguments of LangChain's runnables, and each may be called in
    place of any other.

    Args:
        replies: Texts, messages of any kind that `outputs.from_any` takes, and exceptions to raise.
            A text comes back as text, a message as an `outputs.AIMessage`.
        cut: How replies are cut when they are streamed: into pieces like ``"tokens"``, or of so
            many characters, or of these sizes over and over, or not at all, as a ``"whole"``.
        half_stop: How many characters of a stop sequence remain at the end of a reply that was
            stopped by it. Servers that check whole tokens leave some; others leave none.

    Raises:
        TypeError: A reply is none of these, or no message of a model.
        ValueError: A message is malformed, a size is not positive, or *half_stop* is negative.
    """

    def __init__(
        self,
        replies: Iterable[object],
        *,
        cut: Cut = "tokens",
        half_stop: int = 0,
    ) -> None:
        if isinstance(replies, str | Mapping):
            raise TypeError(f"replies are a list, not one {type(replies).__name__}")
        if half_stop < 0:
            raise ValueError(f"half_stop is a number of characters, not {half_stop}")
        check_cut(cut)
        self.replies: Final = tuple(_reply(*numbered) for numbered in enumerate(replies, 1))
        """What the model says: texts, messages and exceptions."""
        self.calls: Final[list[ModelCall]] = []
        """What it was given, call by call."""
        self._cut: Final = cut
        self._half_stop: Final = half_stop

    def __repr__(self) -> str:
        return f"<ScriptedModel, {len(self.calls)} calls, {len(self.replies)} replies>"

    def invoke(
        self,
        prompt: Any,
        config: RunnableConfig | None = None,
        *,
        stop: str | Sequence[str] | None = None,
        **options: Any,
    ) -> Any:
        """Return the next reply.

        Args:
            prompt: Kept in `calls`.
            config: Not used.
            stop: A reply ends before the first of these that is in it.
            options: Kept in `calls`.

        Raises:
            AssertionError: There is no reply left.
            BaseException: The next reply is this exception.
        """
        del config
        reply = self._take(prompt, stop, options)
        if isinstance(reply, BaseException):
            raise reply
        return reply

    __call__ = invoke

    def stream(
        self,
        prompt: Any,
        config: RunnableConfig | None = None,
        *,
        stop: str | Sequence[str] | None = None,
        cut: Cut | None = None,
        **options: Any,
    ) -> Iterator[Any]:
        """Return the next reply piece by piece; of a message, the pieces are message chunks.

        The arguments and errors are those of `invoke`; *cut*, if given, is for this reply. An
        exception is raised when the first piece is asked for.
        """
        del config
        cut = self._cut if cut is None else cut
        check_cut(cut)
        return _pieces(self._take(prompt, stop, options), cut)

    async def ainvoke(
        self,
        prompt: Any,
        config: RunnableConfig | None = None,
        *,
        stop: str | Sequence[str] | None = None,
        **options: Any,
    ) -> Any:
        """Do the same as `invoke`."""
        return self.invoke(prompt, config, stop=stop, **options)

    def astream(
        self,
        prompt: Any,
        config: RunnableConfig | None = None,
        *,
        stop: str | Sequence[str] | None = None,
        cut: Cut | None = None,
        **options: Any,
    ) -> AsyncIterator[Any]:
        """Do the same as `stream`."""
        return _later(self.stream(prompt, config, stop=stop, cut=cut, **options))

    def assert_done(self) -> None:
        """Make sure that each reply was asked for, and no more.

        Raises:
            AssertionError: The model was called less often than it has replies, or more often.
        """
        calls, replies = len(self.calls), len(self.replies)
        if calls < replies:
            raise AssertionError(
                f"{replies - calls} of {_many(replies)} left; the next is"
                f" {_emit(self.replies[calls])[:_MAX_SHOWN]}"
            )
        if calls > replies:
            raise AssertionError(f"the model was called {calls} times, with {_many(replies)}")

    def _take(
        self, prompt: Any, stop: str | Sequence[str] | None, options: dict[str, Any]
    ) -> Reply:
        stops = (stop,) if isinstance(stop, str) else tuple(stop or ())
        number = len(self.calls)
        prompt = list(prompt) if isinstance(prompt, list) else prompt
        self.calls.append(ModelCall(prompt, stops, options))
        if number >= len(self.replies):
            raise AssertionError(
                f"the script has {_many(len(self.replies))}, and this is call {number + 1};"
                f" the prompt ends in {_emit(prompt)[-_MAX_SHOWN:]}"
            )
        return stopped(self.replies[number], stops, self._half_stop)


def _reply(number: int, reply: object) -> Reply:
    """Return the *reply* of this *number* as it is given."""
    if isinstance(reply, str | BaseException):
        return reply
    if isinstance(reply, type) and issubclass(reply, BaseException):
        return reply()
    try:
        message = from_any(reply)
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"reply {number}: {error}") from error
    if isinstance(message, AIMessageChunk):
        message = message_chunk_to_message(message)
    if not isinstance(message, AIMessage):
        raise TypeError(f"reply {number} is a {type(message).__name__}, which no model says")
    return message


def _many(replies: int) -> str:
    return f"{replies} {'reply' if replies == 1 else 'replies'}"


def _emit(value: Any) -> str:
    """Return a prompt or a reply in brief: of a list, the last item."""
    return repr(value[-1] if isinstance(value, list) and value else value)


def _pieces(reply: Reply, cut: Cut) -> Iterator[str | AIMessageChunk]:
    if isinstance(reply, BaseException):
        raise reply
    yield from pieces_of(reply, cut)


async def _later(pieces: Iterator[Any]) -> AsyncIterator[Any]:
    for piece in pieces:
        yield piece
