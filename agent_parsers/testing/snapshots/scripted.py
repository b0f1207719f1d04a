"""A model with scripted replies, to test agent loops without a real one."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.testing.chunks import Cut, Reply, check_cut, pieces_of, stopped
from outputs import AIMessage, AIMessageChunk, from_any, message_chunk_to_message

if TYPE_CHECKING:
    from output_parsers import RunnableConfig

_MAX_SHOWN: Final = 200
"""Number of characters of a prompt or a reply that an error shows."""


@dataclass(frozen=True, slots=True)
class ModelCall:
    """The arguments of one call of a `ScriptedModel`."""

    prompt: Any
    """The prompt; a list is copied, since loops append messages to theirs."""
    stop: tuple[str, ...] = ()
    """The stop sequences."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Other keyword arguments, such as ``tools``."""


class ScriptedModel:
    r"""Returns scripted replies, one for each call, whatever the prompt is.

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

    The methods have the names and arguments of LangChain's runnables. Each of them uses up the next
    reply.

    Args:
        replies: Texts, messages that `outputs.from_any` accepts, and exceptions to raise. A text is
            returned as a text, a message as an `outputs.AIMessage`.
        cut: How streamed replies are cut: into pieces like ``"tokens"``, into chunks of this many
            characters, into chunks of these sizes over and over, or ``"whole"`` in one piece.
        half_stop: Number of characters of a stop sequence that remain at the end of a stopped
            reply. Servers that check whole tokens leave some; others leave none.

    Raises:
        TypeError: A reply has another type, or is a message that a model does not write.
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
            raise TypeError(f"expected a list of replies, not one {type(replies).__name__}")
        if half_stop < 0:
            raise ValueError(f"half_stop must be 0 or a number of characters, not {half_stop}")
        check_cut(cut)
        self.replies: Final = tuple(_reply(*numbered) for numbered in enumerate(replies, 1))
        """The scripted replies: texts, messages and exceptions."""
        self.calls: Final[list[ModelCall]] = []
        """The arguments of each call so far."""
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
            prompt: Recorded in `calls`.
            config: Ignored.
            stop: Stop sequences; the reply ends before the first one that occurs in it.
            options: Recorded in `calls`.

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
        """Yield the next reply in chunks; those of a message are message chunks.

        The arguments and errors are those of `invoke`; *cut* overrides how this reply is cut. An
        exception is raised when the first chunk is requested.
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
        """Return the next reply, as `invoke` does."""
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
        """Yield the next reply in chunks, as `stream` does."""
        return _later(self.stream(prompt, config, stop=stop, cut=cut, **options))

    def assert_done(self) -> None:
        """Assert that the model was called exactly once for each reply.

        Raises:
            AssertionError: The model was called less often or more often than it has replies.
        """
        calls, replies = len(self.calls), len(self.replies)
        if calls < replies:
            raise AssertionError(
                f"{replies - calls} of {_many(replies)} were not used; the next is"
                f" {_in_brief(self.replies[calls])[:_MAX_SHOWN]}"
            )
        if calls > replies:
            raise AssertionError(
                f"the model was called {calls} times, but the script has {_many(replies)}"
            )

    def _take(
        self, prompt: Any, stop: str | Sequence[str] | None, options: dict[str, Any]
    ) -> Reply:
        stops = (stop,) if isinstance(stop, str) else tuple(stop or ())
        number = len(self.calls)
        prompt = list(prompt) if isinstance(prompt, list) else prompt
        self.calls.append(ModelCall(prompt, stops, options))
        if number >= len(self.replies):
            raise AssertionError(
                f"the script has {_many(len(self.replies))}, but this is call {number + 1};"
                f" the prompt ends in {_in_brief(prompt)[-_MAX_SHOWN:]}"
            )
        return stopped(self.replies[number], stops, self._half_stop)


def _reply(number: int, reply: object) -> Reply:
    """Return the *reply* with this *number* as a text, a message or an exception."""
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
        raise TypeError(
            f"reply {number} is a {type(message).__name__}, which a model does not write"
        )
    return message


def _many(replies: int) -> str:
    return f"{replies} {'reply' if replies == 1 else 'replies'}"


def _in_brief(value: Any) -> str:
    """Return a short form of a prompt or a reply; for a list, of its last item."""
    return repr(value[-1] if isinstance(value, list) and value else value)


def _pieces(reply: Reply, cut: Cut) -> Iterator[str | AIMessageChunk]:
    if isinstance(reply, BaseException):
        raise reply
    yield from pieces_of(reply, cut)


async def _later(pieces: Iterator[Any]) -> AsyncIterator[Any]:
    for piece in pieces:
        yield piece
