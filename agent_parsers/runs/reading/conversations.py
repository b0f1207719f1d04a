"""Where a file has its messages: the conversations in it.

A file holds a list of messages, an object with messages, several of either, or a message a line.
A record whose messages begin with all those of the record before it goes on with it, as in the log
of a proxy, which has the whole conversation again in each request. Messages of several
conversations that are mixed, one a line, are told apart by the id of the conversation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from agent_parsers.runs.reading.reader import MALFORMED, Value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agent_parsers.runs.reading.reader import Reading, Values
    from agent_parsers.runs.reading.said import Said

__all__ = ["Conversation", "Form", "conversations", "id_of", "is_message", "messages_in"]

_IDS: Final = ("conversation_id", "thread_id", "session_id", "sessionId")
"""The keys under which messages have the id of their conversation."""


def id_of(message: Any) -> str:
    """Return the id of the conversation to which a *message* belongs; empty if it has none."""
    ids = [message.get(key) for key in _IDS] if isinstance(message, Mapping) else []
    return next((found for found in ids if isinstance(found, str)), "")


MessagesOf: TypeAlias = Callable[[Any], "list[Any] | None"]


class Form(NamedTuple):
    """A form of messages."""

    said: Callable[[Any], Said | None]
    """Returns what a message says, `None` if nothing; it may fail as malformed data lets it."""
    is_message: Callable[[Any], bool]
    """Returns whether a value is a message of this form."""
    messages_of: MessagesOf
    """Returns the messages in a record, such as the body of a request; `None` if there are none."""
    is_one_run: bool = False
    """Whether a conversation is one run, in which the user may say something on the way."""
    id_of: Callable[[Any], str] = id_of
    """Returns the id of the conversation to which a message belongs; empty if it has none."""


class Conversation(NamedTuple):
    """The messages of one conversation."""

    messages: Sequence[Value] | Iterator[Value]
    name: str
    """Its id, if it has one."""
    line: int
    """The line of the file where it begins."""


def messages_in(value: Any, form: Form) -> list[Any] | None:
    """Return the messages in a *value* of a file; `None` if it is no record with messages."""
    if isinstance(value, list):
        return value
    try:
        return form.messages_of(value) if isinstance(value, (dict, Mapping)) else None
    except MALFORMED:
        return None


def is_message(value: Any, form: Form) -> bool:
    """Return whether *value* is a message of this *form*."""
    try:
        return form.is_message(value)
    except MALFORMED:
        return False


def conversations(values: Values, reading: Reading, form: Form) -> Iterator[Conversation]:
    """Yield the conversations in *values*; a value that is none is refused."""
    held: tuple[list[Any], Value] | None = None
    for value in values:
        messages = messages_in(value.data, form)
        if held is not None:
            if messages is None or not _goes_on(held[0], messages, form):
                yield _conversation(*held)
            held = None
        if messages is not None:
            held = messages, value
        elif is_message(value.data, form):
            yield from _told_apart(chain([value], _while_loose(values, form)), value, form)
        else:
            reading.refuse_value(value, "expected a message, or an object with messages")
    if held is not None:
        yield _conversation(*held)


def _goes_on(before: list[Any], after: list[Any], form: Form) -> bool:
    """Return whether *after* begins with all messages of *before*, and has more.

    A proxy has the last message of a request in the words of the response before it.
    """
    if not 0 < len(before) < len(after) or before[:-1] != after[: len(before) - 1]:
        return False
    last, same = before[-1], after[len(before) - 1]
    try:
        return last == same or form.said(last) == form.said(same)
    except MALFORMED:
        return False


def _conversation(messages: list[Any], record: Value) -> Conversation:
    data = record.data
    is_record = isinstance(data, (dict, Mapping))
    name = data.get("id") or data.get("custom_id") if is_record else None
    values = [Value(message) for message in messages]
    return Conversation(values, name if isinstance(name, str) else "", record.line)


def _while_loose(values: Values, form: Form) -> Iterator[Value]:
    """Yield the messages that follow in *values*, up to a record with messages."""
    while ahead := values.head(1):
        if messages_in(ahead[0], form) is not None:
            return
        yield next(values)


def _told_apart(messages: Iterator[Value], first: Value, form: Form) -> Iterator[Conversation]:
    """Yield the conversations to which *messages* belong; without ids they are one."""
    if not form.id_of(first.data):
        yield Conversation(messages, "", first.line)
        return
    found: dict[str, list[Value]] = {}
    for message in messages:
        found.setdefault(form.id_of(message.data), []).append(message)
    for name, members in found.items():
        yield Conversation(members, name, members[0].line)
