"""The replies of models, whole or in chunks, and the loops that read a turn from them."""

from __future__ import annotations

from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    AsyncIterator,
    Generator,
    Iterable,
    Iterator,
    Mapping,
)
from contextlib import suppress
from enum import Enum
from functools import partial
from inspect import isawaitable
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from pydantic import BaseModel

from agent_parsers.engine.tables.modes import check_ended
from agent_parsers.events import (
    ActionComplete,
    AnswerDelta,
    Event,
    InputDelta,
    MarkerSeen,
    StepFailed,
    ThoughtDelta,
    ToolNamed,
)
from agent_parsers.loop.joined import JoinedText
from agent_parsers.loop.request import ask, returns_awaitable
from agent_parsers.parsers.dialect_parser import DialectParser
from agent_parsers.toolset.running import in_thread
from output_parsers.model_output import other_role, part_of, with_message
from output_parsers.runnables.functions import present
from output_parsers.streams.readers import aclose, close
from outputs import AIMessage, AIMessageChunk, ProviderError
from outputs.messages.ended import Ended, ended_of, is_held_back, reason_to_call

if TYPE_CHECKING:
    from agent_parsers.loop.asking import Asking

ASYNCHRONOUS: Final = "the model is asynchronous: use `await arun_agent(…)`"
Kind: TypeAlias = Literal["thought", "content"]
SaidPart: TypeAlias = tuple[Kind, str]
"""A part of what a model says in a turn: what it is, and the text."""


def take_turn(
    model: Any, asking: Asking[Any], *, is_streamed: bool = True, is_held: bool = False
) -> Generator[SaidPart]:
    """Ask *model* until *asking* is done; yield the reasoning and the content as they arrive.

    ::

        for kind, text in take_turn(model, asking):
            show(kind, text)
        asking.message    # the turn: its content, its calls, its reasoning

    What was shown cannot be taken back. If a turn has to be asked for again, what it said beside
    its calls stays, and an empty line separates it from what follows; after an answer was shown,
    the model is not asked again. Where the end of a turn shows that another text is its content, as
    a lone ``</think>`` does, that follows in the same way. `Asking.message` has only the last turn,
    as `DialectParser.read` reads it.

    Args:
        model: What is asked, as `run_agent` takes it.
        asking: What it is asked.
        is_streamed: Whether to ask a client for chunks.
        is_held: Whether to give the content only at the end, when it is known that it is the
            content of this turn. It is where no chunks are asked for, where the answer has a type,
            and where a call is required.

    Raises:
        OutputParserException: As `Asking.close` does; or an answer turned out to be wrong when it
            had been shown.
        Exception: What the model raises.
    """
    shown = _Shown(asking, is_held=is_held or not is_streamed)
    while not asking.is_done:
        asked = ask(model, asking.request(), is_streamed=is_streamed)
        reply, end = end_of(present(asked, _ASYNCHRONOUS_TURN), "unknown")
        if isinstance(reply, AsyncIterable):
            raise TypeError(_ASYNCHRONOUS_TURN)
        source = iter(chunks := chunks_of(reply))
        try:
            for chunk in source:
                yield from shown.parts(asking.feed(chunk))
                if asking.is_over:
                    break
        finally:
            close(source, chunks)
        yield from shown.parts(asking.close(end))
    yield from shown.rest()


async def atake_turn(
    model: Any, asking: Asking[Any], *, is_streamed: bool = True, is_held: bool = False
) -> AsyncGenerator[SaidPart]:
    """Do the same as `take_turn` for an asynchronous *model*; any other runs in a thread."""
    shown = _Shown(asking, is_held=is_held or not is_streamed)
    while not asking.is_done:
        asked = partial(ask, model, asking.request(), is_streamed=is_streamed, is_asynchronous=True)
        reply = asked() if returns_awaitable(model) else await in_thread(asked)
        reply, end = end_of(await reply if isawaitable(reply) else reply, "unknown")
        source = aiter(chunks := achunks_of(reply))
        try:
            async for chunk in source:
                for part in shown.parts(asking.feed(chunk)):
                    yield part
                if asking.is_over:
                    break
        finally:
            await aclose(source, chunks)
        for part in shown.parts(asking.close(end)):
            yield part
    for part in shown.rest():
        yield part


_ASYNCHRONOUS_TURN: Final = "the model is asynchronous: use `atake_turn`"

_SHOWN: Final = (
    "the answer had already been shown, so the model was not asked again: do not show the content"
    " before the whole turn has been read"
)


class _Shown:
    """What is shown of a turn while it arrives."""

    def __init__(self, asking: Asking[Any], *, is_held: bool) -> None:
        self._asking = asking
        self._is_held = is_held or asking.is_checked
        self._shown: set[str] = set()  # the kinds of which there was something
        self._apart: set[str] = set()  # those of which all belongs to a turn that failed
        self._begin()

    def _begin(self) -> None:
        self._said: dict[Kind, JoinedText] = {"thought": JoinedText(), "content": JoinedText()}
        self._is_calling = False  # whether a call has begun and is not complete
        self._is_quoting = False  # whether text follows such a call, which may be none

    def parts(self, events: list[Event]) -> Iterator[SaidPart]:
        """Yield the parts of *events* to show."""
        for event in events:
            match event:
                case ThoughtDelta(text=text):
                    yield from self._next("thought", text)
                case AnswerDelta(text=text):
                    yield from self._next("content", text)
                case MarkerSeen():
                    for said in self._said.values():
                        said.part()
                case ToolNamed() | InputDelta():
                    self._is_calling = True
                case ActionComplete():
                    self._is_calling = False
                case StepFailed(error=error):
                    if "content" in self._shown and isinstance(self._asking.parser, DialectParser):
                        error.add_note(_SHOWN)  # all content of these is the answer
                        raise error
                    self._apart = {*self._shown}
                    self._begin()
                case _:
                    pass

    def rest(self) -> Iterator[SaidPart]:
        """Yield what was held back, or turned out at the end of the turn to be content."""
        asking = self._asking
        whole: dict[Kind, str] = {"thought": asking.thought, "content": asking.message.text}
        for kind, text in whole.items():
            said = self._said[kind].text
            if not text.startswith(said):
                if said.rstrip().endswith(text.strip()):
                    continue  # the answer stands at its end
                said = ""
                self._apart.add(kind)
            if rest := text[len(said) :]:
                yield self._part(kind, rest)

    def _next(self, kind: Kind, text: str) -> Iterator[SaidPart]:
        self._is_quoting |= self._is_calling
        if not self._is_quoting and not (self._is_held and kind == "content"):
            yield self._part(kind, self._said[kind].add(text))

    def _part(self, kind: Kind, text: str) -> SaidPart:
        if kind in self._apart:
            self._apart.discard(kind)
            text = f"\n\n{text}"
        self._shown.add(kind)
        return kind, text


def end_of(reply: Any, ended: Ended) -> tuple[Any, Ended]:
    """Return what a model replied, and how that ended.

    Args:
        reply: What the model replied, or a pair of that and how it ended, in a word of any
            provider that `ended_of` knows. A message that was cut, a text that a filter ended, and
            a reply that is said to have a call become messages that say so.
        ended: How it ended, unless the pair says it.

    Raises:
        TypeError: The reply is a pair with another text, or a list that may be meant as a pair; or
            a list of messages that are not all of the model.
        ValueError: *ended* is a provider's word.
    """
    check_ended(ended)
    is_pair = isinstance(reply, tuple) and len(reply) == _PAIR
    if is_pair and isinstance(reply[1], str | Enum | None):
        said, word = reply
        end = _end_in(word) if word else ended
        if end is None:
            raise TypeError(
                "expected a pair of a reply and how it ended, such as (text, 'stop') or (text, "
                f"'length'), found {word!r:.40} as the second item; to return several chunks, use "
                "a list or a generator"
            )
        needs_reason = end == "length" or reason_to_call({"finish_reason": word})
        return (_with_reason(said, word) if needs_reason else said), end
    if isinstance(reply, list | tuple):
        _check_chunks(reply)
    return reply, ended


_PAIR: Final = 2


def _with_reason(said: Any, word: Any) -> Any:
    """Return what was *said* so that it says itself that it was cut, held back, or has a call.

    A whole message has ended, unless it says that it was cut. A cut text need not say it: `end_of`
    returns how it ended.
    """
    reason = {"finish_reason": word}
    is_told = is_held_back(reason) or reason_to_call(reason)
    if isinstance(said, str):
        return AIMessage(said, response_metadata=reason) if is_told else said
    if isinstance(said, AsyncIterable) or not _is_whole(said):
        return _and_then(said, AIMessageChunk("", response_metadata=reason)) if is_told else said
    with suppress(TypeError, ValueError, ProviderError):  # the parser says what is wrong
        said = with_message(said)
    for name in ("response_metadata", "generation_info"):
        if isinstance(known := getattr(said, name, _NOTHING), Mapping | None):
            free = next(field for field in _REASONS if field not in (known or {}))
            return said.model_copy(update={name: {**(known or {}), free: word}})
    return said


def _and_then(chunks: Any, last: AIMessageChunk) -> Iterable[Any] | AsyncIterable[Any]:
    """Return *chunks* and the *last* one."""
    if isinstance(chunks, list | tuple):
        return [*chunks, last]
    return (_async_then if isinstance(chunks, AsyncIterable) else _sync_then)(chunks, last)


def _sync_then(chunks: Iterable[Any], last: AIMessageChunk) -> Iterator[Any]:
    source = iter(chunks)
    try:
        yield from source
        yield last
    finally:
        close(source, chunks)


async def _async_then(chunks: AsyncIterable[Any], last: AIMessageChunk) -> AsyncIterator[Any]:
    source = aiter(chunks)
    try:
        async for chunk in source:
            yield chunk
        yield last
    finally:
        await aclose(source, chunks)


_NOTHING: Final = object()
_REASONS: Final = ("finish_reason", "stop_reason", "done_reason", "status")
"""Fields for a reason; of several reasons a cut wins."""


def _end_in(word: str | Enum) -> Ended | None:
    """Return how a reply ended, in a provider's *word*; `None` if it is not a word for that."""
    if isinstance(word, str) and word.lower() == "unknown":
        return "unknown"
    end = ended_of({"finish_reason": word})
    return None if end == "unknown" else end


def _check_chunks(reply: list[Any] | tuple[Any, ...]) -> None:
    """Check that *reply* is chunks, and neither says how a text ended nor is a conversation.

    Raises:
        TypeError: It may be meant as one of these.
    """
    is_short = isinstance(reply, tuple) or len(reply) == _PAIR
    for word in reply[1:] if is_short and reply and reply[0] else ():
        if isinstance(word, str) and word and _end_in(word) is not None:
            raise TypeError(
                f"a list is read as the chunks of a reply, but {word!r} may say how it ended: if it"
                " does, return a tuple (text, ended); if it is text, join the chunks"
            )
    roles: set[str] = set()
    for each in reply:
        if not isinstance(each, str):
            with suppress(TypeError, ValueError, ProviderError):  # the parser says what is wrong
                roles.add(other_role(part_of(each)))
    if others := sorted(filter(None, roles)):
        raise TypeError(
            "expected only messages that the model wrote, found one of"
            f" type {others[0]!r} in the list: return only the model's message, such as"
            " messages[-1]"
        )


def chunks_of(reply: Any) -> Iterable[Any]:
    """Return a model's reply as chunks; a whole message is one chunk."""
    return [reply] if _is_whole(reply) else reply


def _is_whole(reply: Any) -> bool:
    return isinstance(reply, str | BaseModel | Mapping) or not isinstance(reply, Iterable)


def achunks_of(reply: Any) -> AsyncIterable[Any]:
    """Do the same as `chunks_of` for ``async for``; waiting for a chunk blocks nothing else."""
    return reply if isinstance(reply, AsyncIterable) else _as_asynchronous(chunks_of(reply))


async def _as_asynchronous(chunks: Iterable[Any]) -> AsyncIterator[Any]:
    if isinstance(chunks, list):
        for chunk in chunks:
            yield chunk
        return
    source = _SourceInThreads(chunks)
    try:
        while (chunk := await in_thread(source.read)) is not _END:
            yield chunk
    finally:
        source.close()


class _SourceInThreads:
    """Reads *chunks* in threads; closes them once none of these reads.

    A thread goes on reading if the task that waits for it is cancelled, and what it reads can often
    not be closed meanwhile: a generator refuses. So it closes them itself when it is done.
    """

    def __init__(self, chunks: Iterable[Any]) -> None:
        self._chunks = chunks
        self._source = iter(chunks)
        self._lock = Lock()  # of the two that follow
        self._is_reading = self._is_over = False

    def read(self) -> Any:
        """Return the next chunk; `_END` if there is none."""
        with self._lock:
            if self._is_over:
                return _END
            self._is_reading = True
        try:
            return next(self._source, _END)
        finally:
            with self._lock:
                self._is_reading = False
                is_over = self._is_over
            if is_over:
                close(self._source, self._chunks)

    def close(self) -> None:
        """Close the chunks, or leave this to the thread that is still reading."""
        with self._lock:
            self._is_over = True
            is_reading = self._is_reading
        if not is_reading:
            close(self._source, self._chunks)


_END: Final = object()
