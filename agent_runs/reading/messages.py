"""What all readers of messages share: what one message says, and how a file of them is read.

A file holds a list of messages, an object with messages, several of either, or a message a line.
A record whose messages begin with all those of the record before it goes on with it, as in the log
of a proxy, which has the whole conversation again in each request. Messages of several
conversations that are mixed, one a line, are told apart by the id of the conversation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from agent_runs.reading.endings import Ending, ending_of
from agent_runs.reading.misfits import Misfits
from agent_runs.reading.parts import call_of, content_of, result_of, text_of
from agent_runs.reading.reader import MALFORMED, NotJson, Reading, Value, Values
from agent_runs.reading.said import Said, SaidCall, runs_of_messages
from agent_runs.reading.unread import call_again, calls_in_text, take_unread

if TYPE_CHECKING:
    from agent_parsers.transcripts import Transcript

_IDS: Final = ("conversation_id", "thread_id", "session_id", "sessionId")
"""The keys under which messages have the id of their conversation."""


def id_of(message: Any) -> str:
    """Return the id of the conversation that a *message* belongs to, or ``""``."""
    ids = [message.get(key) for key in _IDS] if isinstance(message, Mapping) else []
    return next((found for found in ids if isinstance(found, str)), "")


def _listed(record: Mapping[str, Any]) -> list[Any] | None:
    messages = record.get("messages")
    return messages if isinstance(messages, list) else None


class MessageFormat(NamedTuple):
    """A format of messages: how to find them in a record, and how to read one."""

    said: Callable[[Any], Said | None]
    """Returns what a message says, `None` if nothing; it may fail as malformed data lets it."""
    is_message: Callable[[Any], bool]
    """Returns whether a value is a message of this form."""
    messages_of: Callable[[Any], list[Any] | None] = _listed
    """Returns the messages in a record, such as the body of a request; `None` if there are none."""
    is_one_run: bool = False
    """Whether a conversation is one run, in which the user may say something on the way."""
    id_of: Callable[[Any], str] = id_of
    """Returns the id of the conversation to which a message belongs; empty if it has none."""
    is_parted: bool = False
    """Whether messages that are listed together may be of several conversations, though the first
    has no id."""
    sessions: Callable[[Iterable[Value]], Iterator[tuple[int, Value]]] | None = None
    """Yields messages with the numbers of their sessions, where a file may have several."""
    arranged: Callable[[Iterable[Value]], list[Value]] | None = None
    """Returns those of the messages of one session that count, in order."""
    about: Callable[[Any], Mapping[str, Any]] | None = None
    """Returns what a record says of its runs, besides what stands beside its messages."""
    lack_of: Callable[[Any], tuple[int, str]] | None = None
    """Returns how much of a message of this form a value has, and the first thing it lacks."""
    caller_of: Callable[[Any], str] | None = None
    """Returns the id of the call that a message helps to carry out; empty if it has none."""


class Talk(NamedTuple):
    """The messages of one conversation."""

    messages: Sequence[Value] | Iterator[Value]
    name: str
    """Its id, if it has one."""
    line: int
    """The line of the file where it begins."""
    about: Mapping[str, Any] = {}
    """What the log says of it."""
    called_by: str = ""
    """Id of the call of another conversation that it carries out."""


def messages_in(value: Any, form: MessageFormat) -> list[Any] | None:
    """Return the messages in a *value* of a file; `None` if it is not a record with messages."""
    if isinstance(value, list):
        return value
    try:
        return form.messages_of(value) if isinstance(value, (dict, Mapping)) else None
    except MALFORMED:
        return None


def is_message(value: Any, form: MessageFormat) -> bool:
    """Return whether *value* is a message of this *form*."""
    try:
        return form.is_message(value)
    except MALFORMED:
        return False


def conversations(values: Values, reading: Reading, form: MessageFormat) -> Iterator[Talk]:
    """Yield the conversations in *values*, and refuse values that are not part of one."""
    held: tuple[list[Any], Value, dict[int, Ending]] | None = None
    for value in values:
        messages = messages_in(value.data, form)
        endings: dict[int, Ending] = {}  # and behind how many messages
        if held is not None:
            if messages is not None and _goes_on(held[0], messages, form):
                endings = held[2]
            else:
                yield _conversation(*held, form)
            held = None
        if messages is not None:
            if (ending := ending_of(value.data)) is not None:
                endings[len(messages)] = ending
            held = messages, value, endings
        elif is_message(value.data, form):
            yield from _told_apart(chain([value], _while_loose(values, form)), value, form)
        else:
            reading.refuse_value(value, "expected a message, or an object with messages")
    if held is not None:
        yield _conversation(*held, form)


def _goes_on(before: list[Any], after: list[Any], form: MessageFormat) -> bool:
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


def _conversation(
    messages: list[Any], record: Value, endings: Mapping[int, Ending], form: MessageFormat
) -> Talk:
    data = record.data
    values = [Value(message) for message in messages]
    for number, ending in reversed([*endings.items()]):
        values.insert(number, Value(ending))
    if form.arranged is not None:
        values = form.arranged(values)
    if not isinstance(data, (dict, Mapping)) or (len(data) == 1 and form.about is None):
        return Talk(values, record.name, record.line)  # nothing stands beside the messages
    names = (data[key] for key in _NAMES if key in data)
    name = next((str(each) for each in names if isinstance(each, str | int) and each != ""), "")
    return Talk(values, record.name or name, record.line, _about(data, form))


_NAMES: Final = (
    "id", "custom_id", *_IDS, "traj_id", "instance_id", "sessionID", "uuid", "task_id",
)  # fmt: skip
"""The keys under which records have their names."""
_LONGEST: Final = 200
"""Longest text beside messages that is taken to say something about them, in characters."""


def _about(record: Mapping[str, Any], form: MessageFormat) -> dict[str, Any]:
    """Return what a *record* says of its runs: what stands beside the messages and is no list."""
    found = {
        key: value
        for key, value in record.items()
        if key != "id"
        and (isinstance(value, bool | int | float) or (isinstance(value, str) and _is_brief(value)))
    }
    return {**found, **(form.about(record) if form.about is not None else {})}


def _is_brief(text: str) -> bool:
    return 0 < len(text) <= _LONGEST and "\n" not in text


def _while_loose(values: Values, form: MessageFormat) -> Iterator[Value]:
    """Yield the messages that follow in *values*, up to a record with messages."""
    while ahead := values.head(1):
        if messages_in(ahead[0], form) is not None:
            return
        yield next(values)


def _told_apart(messages: Iterator[Value], first: Value, form: MessageFormat) -> Iterator[Talk]:
    """Yield the conversations to which *messages* belong; without ids they are one."""
    is_listed = form.is_parted or form.sessions is not None or form.arranged is not None
    is_whole = is_listed and not form.is_parted  # a session is one conversation
    names: dict[int, str] = {}
    if not is_listed and not form.id_of(first.data):
        yield Talk(messages, first.name, first.line)
        return
    found: dict[tuple[int, str], list[Value]] = {}
    numbered = form.sessions(messages) if form.sessions is not None else ((0, m) for m in messages)
    for session, message in numbered:
        name = form.id_of(message.data) if isinstance(message.data, Mapping) else ""
        if is_whole:
            names.setdefault(session, name)
            names[session] = names[session] or name
        found.setdefault((session, "" if is_whole else name), []).append(message)
    talks: dict[tuple[int, str], Talk] = {}
    for (session, own), members in found.items():
        name = own or names.get(session, "")
        caller = form.caller_of(members[0].data) if form.caller_of is not None else ""
        counted = members if form.arranged is None else form.arranged(members)
        key = (0 if is_whole and name else session, name)  # a session may be taken up again
        before = talks.get(key)
        if before is not None:
            counted = [*before.messages, *counted]
        line = members[0].line if before is None else before.line
        about = before.about if before is not None else {}
        if session and form.about is not None:  # it has a beginning, which says what it is
            about = {**form.about(members[0].data), **about}
        talks[key] = Talk(counted, name, line, about, caller)
    yield from talks.values()


ROLES: Final[Mapping[str, Literal["system", "user", "assistant", "tool"]]] = {
    "system": "system", "developer": "system", "user": "user", "human": "user",
    "assistant": "assistant", "ai": "assistant", "model": "assistant",
    "tool": "tool", "function": "tool",
}  # fmt: skip
"""Our name of each role."""


def message_of(message: Mapping[str, Any], role: str = "") -> Said:
    """Return the `Said` for a *message* whose calls are in its ``content`` or next to it.

    Its *role*, by default its ``role``, is in any API's words. What may be a call under another key
    is not read, and not forgotten.

    Raises:
        KeyError: It lacks a part, or the role is unknown.
        TypeError: A part has another type.
    """
    said = _read(message, role)
    take_unread(said, message, _KNOWN)
    return said


def _read(message: Mapping[str, Any], role: str) -> Said:
    """Return what a *message* says in the places that we know."""
    ours = ROLES[role or message["role"]]
    refused, content = _refusal_in(message) if ours == "assistant" else ("", message.get("content"))
    if ours == "tool":
        call_id = message.get("tool_call_id") or message.get("id")
        if call_id is None and (error := call_again(content)) is not None:
            return Said("tool", unread=(error,))
        failed = message.get("status") == "error"  # of LangChain's messages
        result = result_of(content, call_id, message.get("name"), failed)
        return Said("tool", results=(result,))
    calls = [] if message.keys().isdisjoint(_CALLS) else [*map(call_of, _calls_in(message))]
    thought = next((found for name in _REASONING if (found := message.get(name))), None)
    thoughts = [text_of(thought)] if thought else []
    if isinstance(content, str) and not calls and ours == "assistant":
        calls = calls_in_text(message)
        content = "" if calls else content
    if content is None or isinstance(content, str):
        said = Said(ours, content or _spoken_in(message), thoughts[0] if thoughts else "", calls)
        said.refused = refused
        return said
    found = content_of(content)
    text = ("" if ours == "assistant" else "\n").join(found.texts)
    return Said(
        ours,
        text or _spoken_in(message),
        "\n".join(filter(None, (*thoughts, *found.thoughts))),
        [*calls, *_not_in(found.calls, calls)],
        found.results,
        left_out=found.left_out,
        signed=found.signed,
        refused=refused,
    )


def _refusal_in(message: Mapping[str, Any]) -> tuple[str, Any]:
    """Return the words in which a *message* of a model refuses, and its content without them."""
    content, beside = message.get("content"), message.get("refusal")
    words = [beside] if isinstance(beside, str) else []
    if isinstance(content, list):
        refusals = [part for part in content if _refuses(part)]
        words += (part["refusal"] for part in refusals)
        content = [part for part in content if not _refuses(part)] if refusals else content
    return "".join(words), content


def _refuses(part: Any) -> bool:
    return isinstance(part, Mapping) and part.get("type") == "refusal"


def _not_in(calls: Sequence[SaidCall], known: Sequence[SaidCall]) -> Iterator[SaidCall]:
    """Yield those of *calls* that are not *known*: some say calls twice, in two places."""
    ids = {each.call_id for each in known}
    for call in calls:
        same = [
            each for each in known if (each.tool, each.tool_input) == (call.tool, call.tool_input)
        ]
        if not (call.call_id in ids if call.call_id else same):
            yield call


_CALLS: Final = ("tool_calls", "invalid_tool_calls", "function_call")
_REASONING: Final = ("reasoning_content", "reasoning", "thinking")
_KNOWN: Final = frozenset((*_CALLS, *_REASONING, "role", "content", "refusal", "audio"))
"""The keys of a message under which it says something."""


def _calls_in(message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    calls = [*(message.get(_CALLS[0]) or ()), *(message.get(_CALLS[1]) or ())]
    if (function := message.get(_CALLS[2])) is not None:
        calls.append(function)
    return calls


def _spoken_in(message: Mapping[str, Any]) -> str:
    """Return the words of the sound in a *message*, which stand beside an empty content."""
    audio = message.get("audio")
    spoken = audio.get("transcript") if isinstance(audio, Mapping) else None
    return spoken or ""


def evidence_of(
    values: Sequence[Any],
    form: MessageFormat,
    sign: Callable[[Any], str],
    *,
    where: str = "message",
) -> Sequence[str]:
    """Return the evidence that the first *values* of a file are messages of a *form*.

    All of them must be messages, or records with messages. For one of them, *sign* must return what
    only this form has, such as ``"'tool_calls'"``; for others it returns ``""``. *where* is
    the word for a message.
    """
    number = 0
    shown = ""
    for value in values:
        messages = messages_in(value, form)
        for message in [value] if messages is None else messages:
            number += 1
            if not form.is_message(message):
                return ()
            if not shown and (found := sign(message)):
                shown = f"{found} in {where} {number}"
    return (shown,) if shown else ()


def evidence_of_each(
    values: Sequence[Any], is_one: Callable[[Any], object], sign: Callable[[Any], str]
) -> Sequence[str]:
    """Return what shows that *values* are all records of one form: the *sign* of the first."""
    return (sign(values[0]),) if values and all(map(is_one, values)) else ()


def read_messages(values: Values, reading: Reading, form: MessageFormat) -> Iterator[Transcript]:
    """Yield the runs in a file of messages."""
    misfits = Misfits(reading, form.lack_of)
    for found in conversations(values, reading, form):
        at = reading.at(found.line)
        yield from runs_of_messages(
            _said_in(found.messages, at, form, misfits), at, name=found.name, about=found.about,
            is_one_run=form.is_one_run, is_conversation=True, called_by=found.called_by,
        )  # fmt: skip
    misfits.tell()


def said_or_left_out(
    messages: Iterable[Value], reading: Reading, form: MessageFormat
) -> Iterator[Said]:
    """Yield a `Said` for each message; a malformed one is refused, and is a failed step."""
    misfits = Misfits(reading, form.lack_of)
    yield from _said_in(messages, reading, form, misfits)
    misfits.tell()


def _said_in(
    messages: Iterable[Value], reading: Reading, form: MessageFormat, misfits: Misfits
) -> Iterator[Said]:
    """Yield what each of *messages* says; those of another form fail as a step together."""
    behind = iter(messages)
    has_failed = False  # a message behind the last of the user's has another form
    for message in behind:
        if isinstance(message.data, Ending):
            yield message.data.said()
        elif is_message(message.data, form):
            misfits.total += 1
            found = said_or_refused(message, reading, form.said)
            if found is not None:
                has_failed = has_failed and found.role != "user"
                yield found
        elif isinstance(message.data, NotJson):
            refused = reading.refuse_value(message, message.data.reason)
            yield Said("tool", line=message.line, error=refused)
        else:
            refused = misfits.add(message)
            if reading.on_error is None:
                for each in behind:  # so that the error can say how many there are
                    if is_message(each.data, form):
                        misfits.total += 1
                    else:
                        misfits.add(each)
                misfits.tell()
            if not has_failed:
                has_failed = True
                yield Said("tool", line=message.line, error=refused)


def said_of(messages: Iterable[Any], form: MessageFormat) -> Iterator[Said]:
    """Yield a `Said` for each message; a malformed one raises an error."""
    for message in messages:
        if (said := form.said(message)) is not None:
            yield said


def read_each(
    values: Values, reading: Reading, runs_of: Callable[[Any, Reading], Iterable[Transcript]]
) -> Iterator[Transcript]:
    """Yield the runs in each of *values*; a malformed one, on which *runs_of* fails, is refused."""
    for value in values:
        at = reading.at(value.line)
        try:
            runs = [*runs_of(value.data, at)]
        except MALFORMED as error:
            reading.refuse_value(value, error)
        else:
            for run in runs:
                yield replace(run, id=value.name) if value.name and not run.id else run


def said_or_refused(
    message: Value, reading: Reading, said: Callable[[Any], Said | None]
) -> Said | None:
    """Return the `Said` for a *message*; if it is malformed, refuse it."""
    try:
        found = said(message.data)
    except MALFORMED as error:
        refused = reading.refuse_value(message, error)
        return Said("tool", line=message.line, error=refused)
    if found is not None and message.line:
        found.line = message.line
    return found
