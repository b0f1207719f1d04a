"""A form of messages as a table, and the one reader of all such tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from agent_runs.reading.messages import MessageFormat, evidence_of, id_of, read_messages
from agent_runs.reading.parts import content_of, is_signed, may_call, text_of
from agent_runs.reading.reader import DataReader, Reading, Value, Values
from agent_runs.reading.said import Said, SaidCall, SaidResult
from agent_runs.tables.part import MessagePart, Path, at, loaded

if TYPE_CHECKING:
    from agent_parsers.transcripts import Transcript

Role: TypeAlias = Literal["system", "user", "assistant", "tool"]


@dataclass(frozen=True, kw_only=True)
class Messages:
    """A form of messages: where they are, what their roles are, and what kinds of parts they have.

    A file holds a list of messages, one a line, or records with a list of them. `read_runs` takes
    such a table as ``format=``, and `register_reader` makes its form one that is recognised.
    """

    name: str
    """Name of the reader."""
    summary: str
    """What it reads, in a few words."""
    roles: Mapping[str, Role]
    """Our name of each role; that of a message without a role is under ``""``."""
    parts: Sequence[MessagePart]
    """The kinds of parts; the first that fits counts."""
    message: Path = ""
    """Where an object of the list has the message; `has`, `lacks`, `skips` and `thread` are about
    the object."""
    role: Path = "role"
    content: Path | None = "content"
    """A list of parts, one part, or text; `None` if all parts stand beside it."""
    type_key: Path = "type"
    """Where a part has its type."""
    messages: Path = "messages"
    """Where a record has its messages; JSON text is read."""
    system: Path = ""
    """Where a record has what stands before the messages: text, or a message."""
    answer: Path = ""
    """Where a record has the message that follows the others, such as that of a response."""
    records: Path = ""
    """Where a file has a list of records, each with messages of its own."""
    has: tuple[Path, ...] = ()
    """Where each message has something, so that others are none of this form."""
    lacks: tuple[Path, ...] = ()
    """Where no message has anything."""
    skips: Callable[[Mapping[str, Any]], bool] | None = None
    """Returns whether an object among the messages says nothing, such as another event."""
    thread: tuple[Path, ...] = ()
    """What tells the conversations of messages apart that are listed together."""
    sign: str = ""
    """What of every message shows the form; by default it is the parts that are signs."""
    may_be_text: bool = False
    """Whether the content may be text."""
    is_one_key: bool = False
    """Whether a part has one key only, that of its kind."""
    is_closed: bool = False
    """Whether a part of another type is none of this form; else it is left out, with a notice."""
    join: str = ""
    """What stands between the texts of one message of the assistant."""
    is_one_run: bool = False
    """Whether a conversation is one run, in which the user may say something on the way."""
    before: tuple[str, ...] = ()
    """Names of readers that recognise such messages too, but know less of them."""
    _beside: Sequence[MessagePart] = field(init=False, repr=False, default=())

    def __post_init__(self) -> None:
        object.__setattr__(self, "_beside", [part for part in self.parts if part.at is not None])

    @cached_property
    def form(self) -> MessageFormat:
        """The form, as readers of messages take it."""
        thread = self._thread if self.thread else id_of
        return MessageFormat(
            self._said, self._is_message, self._messages_of, self.is_one_run, thread
        )

    @cached_property
    def reader(self) -> DataReader:
        """The reader of this form."""
        return DataReader(
            name=self.name,
            summary=self.summary,
            evidence=lambda values: evidence_of(self._records(values), self.form, self._sign),
            read=self._read,
            before=self.before,
        )

    def _read(self, values: Values, reading: Reading) -> Iterator[Transcript]:
        if self.records:
            flat = (Value(each, line) for data, line in values for each in self._records([data]))
            values = Values(flat)
        return read_messages(values, reading, self.form)

    def lack_of(self, value: Mapping[str, Any]) -> tuple[int, str]:
        """Return how much of a message of this form *value* has, and the first thing it lacks."""
        message = at(value, self.message)
        role = at(message, self.role)
        if not isinstance(message, Mapping) or self._role_of(message) is None or role is None:
            what = f"{role!r} is none of its roles" if role else f"there is no {self.role!r}"
            return 0, what
        missing = [path for path in self.has if at(value, path) is None]
        if missing:
            return 1, f"there is no {missing[0]!r}"
        extra = [path for path in self.lacks if at(value, path) is not None]
        if extra:
            return 1, f"its messages have no {extra[0]!r}"
        content = self._content_of(message)
        if isinstance(content, str) and self.may_be_text:
            content = []
        if not isinstance(content, list):
            return 2, f"there is no list under {self.content!r}"
        odd = [part for part in content if not self._is_part(part)]
        if odd:
            return 3, f"it does not know {_words_for(odd[0], self.type_key)}"
        return 4, "no message has what only this form has"

    def _records(self, values: Sequence[Any]) -> list[Any]:
        if not self.records:
            return [*values]
        lists = [at(value, self.records) for value in values]
        return [record for each in lists for record in (each if isinstance(each, list) else [None])]

    def _messages_of(self, record: Mapping[str, Any]) -> list[Any] | None:
        found = loaded(at(record, self.messages)) if self.messages else None
        answer = at(record, self.answer) if self.answer else None
        last = [answer] if answer is not None and self._is_message(answer) else []
        if isinstance(found, Mapping | str):
            found = [found]
        if not isinstance(found, list):
            return last or None
        found = [self._bare(each) for each in found]
        head = at(record, self.system) if self.system else None
        if isinstance(head, Mapping):
            head = self._content_of(head)
        first = [self._bare(head, "system")] if head else []
        return [*first, *found, *(last if last != found[-1:] else ())]

    def _bare(self, message: Any, role: str = "user") -> Any:
        """Return a *message*, also of one that is text, or only its content."""
        if isinstance(message, Mapping):
            return message
        return _Bare(message, role) if isinstance(message, str | list) else message

    def _is_message(self, value: Any) -> bool:
        if isinstance(value, _Bare):
            return True
        if not isinstance(value, Mapping):
            return False
        if self.skips is not None and self.skips(value):
            return True
        if any(at(value, path) is None for path in self.has):
            return False
        if any(at(value, path) is not None for path in self.lacks):
            return False
        value = at(value, self.message)
        if not isinstance(value, Mapping) or self._role_of(value) is None:
            return False
        content = self._content_of(value)
        if content is None:
            return any(part.fits(each, self.type_key) for part, each in self._parts_beside(value))
        if isinstance(content, str):
            return self.may_be_text
        return isinstance(content, list) and all(map(self._is_part, content))

    def _is_part(self, part: Any) -> bool:
        if not isinstance(part, Mapping) or (self.is_one_key and len(part) != 1):
            return isinstance(part, str) and self.may_be_text
        kind = at(part, self.type_key) if self.type_key else None
        is_typed = isinstance(kind, str) and may_call(kind) is None and not self.is_closed
        return is_typed or self._kind_of(part) is not None

    def _kind_of(self, part: Any) -> MessagePart | None:
        inside = (each for each in self.parts if each.at is None)
        return next((each for each in inside if each.fits(part, self.type_key)), None)

    def _parts_beside(self, message: Any) -> Iterator[tuple[MessagePart, Any]]:
        for part in self._beside:
            found = at(message, part.at or "")
            yield from ((part, each) for each in (found if isinstance(found, list) else [found]))

    def _sign(self, message: Any) -> str:
        if isinstance(message, _Bare) or (self.skips is not None and self.skips(message)):
            return ""
        if self.sign:
            return self.sign
        message = at(message, self.message)
        content = self._content_of(message)
        for part in content if isinstance(content, list) else ():
            kind = self._kind_of(part)
            if kind is not None and kind.is_sign:
                name = at(part, self.type_key) if kind.type else kind.key
                return f"a part {'of type' if kind.type else 'with'} {name!r}"
        for kind, part in self._parts_beside(message):
            if kind.is_sign and kind.fits(part, self.type_key):
                return f"{kind.at or kind.type or kind.key!r}"
        return ""

    def _content_of(self, message: Any) -> Any:
        return None if self.content is None else at(message, self.content)

    def _role_of(self, message: Mapping[str, Any]) -> Role | None:
        name = at(message, self.role)
        return self.roles.get(name if isinstance(name, str) else "")

    def _thread(self, message: Any) -> str:
        return " ".join(str(at(message, path) or "") for path in self.thread).strip()

    def _said(self, message: Any) -> Said | None:
        if isinstance(message, _Bare):
            return Said(message.role, text_of(message.content))  # type: ignore[arg-type]
        if self.skips is not None and self.skips(message):
            return None
        message = at(message, self.message)
        role = self._role_of(message)
        if role is None:
            raise ValueError(f"expected a role of a message, found {at(message, self.role)!r}")
        content = self._content_of(message)
        turns = [_Turn()]
        for part in content if isinstance(content, list) else [content]:
            if part is not None:
                self._take(part, self._kind_of(part), turns, role)
        for kind, part in self._parts_beside(message):
            if kind.fits(part, self.type_key):
                self._take(part, kind, turns, role)
        return _joined([turn.said(role, self.join) for turn in turns])

    def _take(self, part: Any, kind: MessagePart | None, turns: list[_Turn], role: Role) -> None:
        turn = turns[-1]
        if is_signed(part):
            turn.signed.append(part)
        if kind is None:
            if isinstance(part, str):
                turn.texts.append(part)
            else:
                turn.left_out.append(_words_for(part, self.type_key))
            return
        if kind.what in ("text", "thought", "answer") and turn.results and role == "assistant":
            turn = _Turn()  # the tools have run before it
            turns.append(turn)
        value = kind.value_of(part)
        if kind.what in ("call", "answer"):
            call = kind.called(part, self.type_key)
            if kind.what == "answer":
                turn.texts.append(text_of(call.tool_input))
                return
            turn.calls.append(call)
            result = kind.returned(part) if kind.output else None
            turn.results += [result._replace(tool=call.tool)] if result else ()
        elif kind.what == "result":
            result = kind.returned(part)
            turn.results += [result] if result else ()
        elif kind.what == "nothing":
            if kind.of:
                turn.left_out.append(f"what an output tool returned: {text_of(value)}")
            elif kind.is_sign:
                turn.left_out.append(_words_for(part, self.type_key))
        else:
            found = content_of(value) if isinstance(value, list) else None
            turn.left_out += found.left_out if found else ()
            texts = found.texts if found else [text_of(value)]
            {"text": turn.texts, "system": turn.system, "thought": turn.thoughts}[kind.what].extend(
                texts
            )


@dataclass(frozen=True)
class _Bare:
    """The content of a message without the message."""

    content: Any
    role: str


@dataclass
class _Turn:
    """What a message says up to what its tools returned."""

    texts: list[str] = field(default_factory=list)
    system: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    calls: list[SaidCall] = field(default_factory=list)
    results: list[SaidResult] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    signed: list[Mapping[str, Any]] = field(default_factory=list)

    def said(self, role: Role, join: str) -> Said:
        texts = self.texts or self.system
        if role != "assistant" and not self.texts and (self.results or self.system):
            role = "tool" if self.results else "system"
        return Said(
            role,
            (join if role == "assistant" else "\n").join(texts),
            "\n".join(self.thoughts),
            self.calls,
            self.results,
            left_out=self.left_out,
            signed=self.signed,
        )


def _joined(said: Sequence[Said]) -> Said:
    """Return the first of what one message has *said*, with the others behind it."""
    found = said[-1]
    for each in reversed(said[:-1]):
        each.then = found
        found = each
    return found


def _words_for(part: Any, type_key: Path) -> str:
    kind = at(part, type_key) if type_key else None
    if isinstance(kind, str):
        return f"a part of type {kind!r}"
    names = [name for name, value in part.items() if value is not None]
    return f"a part with {', '.join(map(repr, names))}"
