"""Runs in messages: what every form of messages comes down to, and how its runs are found.

Each reader of messages turns its own form into `Said`; `runs_of_messages` does the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from agent_parsers.runs.building import RunBuilder
from outputs import AIMessage

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from agent_parsers.runs.readers.reader import Reading
    from agent_parsers.runs.transcript import Transcript

__all__ = ["Said", "SaidCall", "SaidResult", "runs_of_messages"]


class SaidCall(NamedTuple):
    """A call in a message."""

    tool: str
    tool_input: Any
    """Text or an object; JSON text of arguments is read by the reader."""
    call_id: str = ""


class SaidResult(NamedTuple):
    """What a tool returned."""

    text: str
    call_id: str = ""
    """Id of the call; empty if the form has none."""
    tool: str = ""
    """Name of the tool, if the form says it."""


@dataclass(frozen=True, slots=True)
class Said:
    """One message of a conversation."""

    role: Literal["system", "user", "assistant", "tool"]
    text: str = ""
    """Its text; of an assistant's message with calls, the thought."""
    thought: str = ""
    """The reasoning, if the form has a place of its own for it."""
    calls: Sequence[SaidCall] = ()
    results: Sequence[SaidResult] = ()
    line: int = 0
    """The line of the file where it stands, from 1; 0 if it is unknown."""


def runs_of_messages(
    messages: Iterable[Said], reading: Reading, *, name: str = ""
) -> Iterator[Transcript]:
    """Yield the runs in the *messages* of one conversation.

    A run begins with a question. The answer is the last text of the assistant without calls; such
    a text before further calls is part of their thought.

    Args:
        messages: The messages of one conversation.
        reading: How they are read.
        name: Name of the conversation, if it has one.
    """
    run = RunBuilder(reading, name=name)
    answer: Said | None = None  # a text that is the answer, unless calls follow
    for message in messages:
        if message.role == "user" and not message.results and (run.is_begun or answer):
            yield _ended(run, answer)
            run, answer = RunBuilder(reading.at(message.line), name=name), None
        match message.role:
            case "system":
                run.introduce(message.text)
            case "user" if not message.results:
                run.ask(message.text)
            case "assistant":
                if answer is not None:
                    run.think(answer.thought)
                    run.think(answer.text)
                    answer = None
                if not message.calls:
                    answer = message if message.text.strip() else None
                    if answer is None:
                        run.think(message.thought)
                    continue
                run.think(message.thought)
                run.think(message.text)
                shared = _message_of(message)
                for call in message.calls:
                    run.call(call.tool, call.tool_input, call_id=call.call_id, message=shared)
            case _:
                pass
        for result in message.results:
            run.observe(result.text, call_id=result.call_id, tool=result.tool)
    if run.is_begun or answer or run.has_question:
        yield _ended(run, answer)


def _ended(run: RunBuilder, answer: Said | None) -> Transcript:
    if answer is not None:
        run.think(answer.thought)
        run.answer(answer.text, log=answer.text)
    return run.transcript()


def _message_of(said: Said) -> AIMessage:
    """Return the message that the calls of a turn share."""
    calls = [
        {"name": tool, "args": given if isinstance(given, dict) else {}, "id": call_id or None}
        for tool, given, call_id in said.calls
    ]
    return AIMessage(said.text, tool_calls=calls)
