"""A form of messages as a table, and the one reader of all such tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, Final

from agent_runs.reading.messages import MessageFormat, evidence_of, id_of, read_messages
from agent_runs.reading.parts import content_of, is_signed, may_call, text_of
from agent_runs.reading.reader import (
    HEAD_VALUES,
    MALFORMED,
    DataReader,
    Reading,
    Runs,
    Value,
    Values,
)
from agent_runs.reading.said import OTHER_OBJECT, Border, Said
from agent_runs.reading.unread import take_unread
from agent_runs.tables.arranging import Arranging, LeftOut
from agent_runs.tables.part import MessagePart, Path, at, check_word, loaded
from agent_runs.tables.turn import Role, SaidByProgram, SaidTurn, joined

_NOTHING_SPECIFIC: Final = "nothing in the messages is specific to this form"


@dataclass(frozen=True, kw_only=True)
class Messages:
    """A form of messages: their place in a log, their roles, and the kinds of their parts.

    A file has a list of messages, one message per line, or records with a list of messages.
    `read_runs` accepts such a table as ``format=``, and after `register_reader` its form is
    recognised.
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
    lists: Mapping[str, Path] = field(default_factory=dict)
    """Lists that have together what messages have, the first items of all the first message: what
    the message has an item as, and where a record has the list. The first list says how many, and
    the role of each is ``"assistant"``."""
    question: Path = ""
    """Where a record, or an object that is no message, has the question; a message may ask it too,
    right before or after it."""
    stated: Path = ""
    """Where an object that is no message has the answer, which a message may have as well."""
    about: Mapping[str, Path] = field(default_factory=dict)
    """What else is said of a run, such as its model and its time: our name, and where a record, a
    message or another object has it. The first counts; tokens and costs are added up."""
    has: tuple[Path, ...] = ()
    """Where each message has something, so that others are none of this form."""
    lacks: tuple[Path, ...] = ()
    """Where no message has anything."""
    skips: Callable[[Mapping[str, Any]], bool] | None = None
    """Returns whether an object among the messages says nothing, such as another event."""
    others: Path = ""
    """Where other objects among the messages have their type; they are left out, with a notice."""
    program: Callable[[Mapping[str, Any], str], SaidByProgram] | None = None
    """Takes an object and a text in it. Returns what the text is if the program says it in the name
    of another: ``"system"``, which is no question and no answer, or an ``"error"``; else ``""``."""
    piece: Path = ""
    """Where a message has something true if its text goes on with that of the message before."""
    thread: tuple[Path, ...] = ()
    """What tells the conversations of messages apart that are listed together."""
    caller: Path = ""
    """Where an object has the id of the call that its conversation, a sub-agent's, carries out."""
    begins: Callable[[Mapping[str, Any]], bool] | None = None
    """Returns whether another session begins with an object; ids may begin anew. If the object is
    no message, it says nothing else."""
    border: Callable[[Mapping[str, Any]], Border] | None = None
    """Returns whether a turn of the program ``"begins"`` or ``"ends"`` with an object, and a run
    with it, also where the log does not show what was asked; else ``""``. If the object is no
    message, it says nothing else."""
    key: Path = ""
    """Where an object has its own id: of several with one id the last counts, in the place of the
    first."""
    follows: Path = ""
    """Where an object has the id of the one before it: of branches, that of the last one counts."""
    voids: Path = ""
    """Where an object has the ids of others, one or a list, that count no more."""
    rewinds: Path = ""
    """Where an object has the id of another that counts no more, with all behind it."""
    anew: Path = ""
    """Where an object has all messages so far anew."""
    gather: Callable[[Sequence[Any]], Sequence[Any]] | None = None
    """Returns the messages, or records with messages, in all objects of a file, where none has one
    for itself; nothing if they are of another form."""
    sign: str | Callable[[Mapping[str, Any]], str] = ""
    """What of every message shows the form; by default it is the parts that are signs. A function
    returns what of an object shows it, also of one that is no message; empty if nothing."""
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
        for role in self.roles.values():
            check_word(role, Role, "role")
        object.__setattr__(self, "_beside", [part for part in self.parts if part.at is not None])

    @cached_property
    def form(self) -> MessageFormat:
        """The form as a `MessageFormat`, which readers of messages need."""
        order = Arranging(
            self.key, self.follows, self.voids, self.rewinds, self.anew, self.begins, self._asks
        )  # fmt: skip
        return MessageFormat(
            self._said,
            self._is_message,
            self._messages_of,
            self.is_one_run,
            self._thread if self.thread else id_of,
            is_parted=bool(self.thread),
            sessions=order.session_of if self.begins is not None else None,
            arranged=order.arranged if self.key else None,
            about=self._about if self.about else None,
            lack_of=self.lack_of,
            caller_of=lambda found: str(at(found, self.caller) or "") if self.caller else "",
        )

    @cached_property
    def reader(self) -> DataReader:
        """The reader of this form."""
        return DataReader(
            name=self.name,
            summary=self.summary,
            evidence=self._evidence,
            read=self._read,
            before=self.before,
            lack_of=self.lack_of,
        )

    def _evidence(self, values: Sequence[Any]) -> Sequence[str]:
        if self.gather is not None:
            values = self._gathered_head(values, self.gather)
        return evidence_of(self._records(values), self.form, self._sign)

    def _gathered_head(
        self, values: Sequence[Any], gather: Callable[[Sequence[Any]], Sequence[Any]]
    ) -> Sequence[Any]:
        """Return the messages in the first *values*, up to one that is malformed."""
        for size in range(len(values), 1, -1):
            try:
                return gather(values[:size])
            except MALFORMED:
                continue
        return gather(values[:1])

    def _read(self, values: Values, reading: Reading) -> Runs:
        if self.others and not self._is_shown(values):
            return replace(self, others="")._read(values, reading)  # they are no messages
        if self.gather is not None:
            values = self._gathered(values, reading, self.gather)
        if self.records:
            flat = (
                Value(each, value.line, value.name)
                for value in values
                for each in self._records([value.data])
            )
            values = Values(flat)
        return read_messages(values, reading, self.form)

    def _is_shown(self, values: Values) -> bool:
        """Return whether the first *values* show this form."""
        head = [value for value in values.head(HEAD_VALUES) if isinstance(value, Mapping | list)]
        try:
            return bool(self._evidence(head))
        except MALFORMED:
            return False

    def _gathered(
        self, values: Values, reading: Reading, gather: Callable[[Sequence[Any]], Sequence[Any]]
    ) -> Values:
        objects = []
        for value in values:
            if isinstance(value.data, Mapping):
                objects.append(value.data)
            else:
                reading.refuse_value(value, "expected an object")
        try:
            found = gather(objects)
        except MALFORMED as error:
            reading.refuse_value(Value({"objects": objects}), error)
            found = ()
        return Values(map(Value, found), are_items=True)

    @cached_property
    def _known(self) -> frozenset[str]:
        """The keys of a message that the form reads, and those that a function may read."""
        paths = (
            self.role, self.content, self.piece, self.caller, self.key, self.follows, self.voids,
            self.rewinds, self.question, self.stated, *self.thread, *self.has, *self.about.values(),
            *(part.at for part in self._beside),
        )  # fmt: skip
        ways = [way for path in paths if isinstance(path, str) for way in path.split("|")]
        return frozenset(("role", "content", *(re.split(r"[.\[{!]", way)[0] for way in ways)))

    def _about(self, found: Mapping[str, Any]) -> dict[str, Any]:
        told = {name: at(found, path) for name, path in self.about.items()}
        return {name: value for name, value in told.items() if value is not None}

    def lack_of(self, value: Mapping[str, Any]) -> tuple[int, str]:
        """Return how well *value* matches this form, and the first thing that does not match."""
        if self._says_nothing(value):
            return 4, ""  # neither at fault nor near
        message = at(value, self.message)
        role = at(message, self.role)
        if not isinstance(message, Mapping) or self._role_of(message) is None or role is None:
            lack = f"{role!r} is not one of its roles" if role else _no(self.role, "role")
            return 0, lack
        missing = [path for path in self.has if at(value, path) is None]
        if missing and callable(self.messages):
            return 0, "the value is not a record of this form"
        if missing:
            return 1, _no(missing[0], "value that all messages of this form have")
        extra = [path for path in self.lacks if at(value, path) is not None]
        if extra:
            return 1, f"its messages have no {extra[0]!r}"
        content = self._content_of(message)
        if isinstance(content, str) and self.may_be_text:
            content = []
        if content is None and self._is_message(value):
            content = []
        if not isinstance(content, list):
            where = f" under {self.content!r}" if isinstance(self.content, str) else ""
            return 2, f"there is no list{where}"
        odd = [part for part in content if not self._is_part(part)]
        if odd:
            return 3, self._oddness_of(odd[0])
        return 4, _NOTHING_SPECIFIC

    def _oddness_of(self, part: Any) -> str:
        """Return why a *part* is none of this form."""
        kind = at(part, self.type_key) if self.type_key else None
        of_type = (replace(each, where=None) for each in self.parts if each.type)
        if isinstance(kind, str) and any(each.fits(part, self.type_key) for each in of_type):
            return f"its parts of type {kind!r} do not have the keys {', '.join(map(repr, part))}"
        return f"{words_for(part, self.type_key)} is unknown in this form"

    def _records(self, values: Sequence[Any]) -> list[Any]:
        if not self.records:
            return [*values]
        lists = [at(value, self.records) for value in values]
        lists = [[each] if isinstance(each, Mapping) else each for each in lists]
        return [record for each in lists for record in (each if isinstance(each, list) else [None])]

    def _messages_of(self, record: Mapping[str, Any]) -> list[Any] | None:
        found = loaded(at(record, self.messages)) if self.messages else None
        if self.lists:
            found = self._zipped(record)
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
        asked = at(record, self.question) if self.question else None
        first += [_Bare(asked, "user")] if asked else []
        return [*first, *found, *(last if last != found[-1:] else ())]

    def _zipped(self, record: Mapping[str, Any]) -> list[dict[str, Any]] | None:
        """Return the messages of which each list of a *record* has a part."""
        lists = {name: at(record, path) for name, path in self.lists.items()}
        first = next(iter(lists.values()))
        if not isinstance(first, list):
            return None
        known = {name: found for name, found in lists.items() if isinstance(found, list)}
        longer = [name for name, found in known.items() if len(found) > len(first)]
        if longer:
            raise ValueError(f"there are more {longer[0]}s than {next(iter(lists))}s")
        return [
            {"role": "assistant"}
            | {name: found[number] for name, found in known.items() if number < len(found)}
            for number in range(len(first))
        ]

    def _bare(self, message: Any, role: Role = "user") -> Any:
        """Return a *message*, also of one that is text, or only its content."""
        if isinstance(message, Mapping):
            return message
        return _Bare(message, role) if isinstance(message, str | list) else message

    def _is_message(self, value: Any) -> bool:
        if isinstance(value, _Bare | LeftOut):
            return True
        if not isinstance(value, Mapping):
            return False
        if self._says_nothing(value):
            return True
        message = at(value, self.message)
        role = self._role_of(message) if isinstance(message, Mapping) else None
        if role is None:
            return bool(self._other_kind(value))
        if any(at(value, path) is None for path in self.has):
            return False
        if any(at(value, path) is not None for path in self.lacks):
            return False
        content = self._content_of(message)
        if content is None:
            return any(self._parts_beside(message))
        if isinstance(content, str):
            return self.may_be_text
        return isinstance(content, list) and all(map(self._is_part, content))

    def _says_nothing(self, value: Mapping[str, Any]) -> bool:
        """Return whether an object among the messages is none, and is known."""
        if self.skips is not None and self.skips(value):
            return True
        is_edge = (self.border is not None and self.border(value)) or (
            self.begins is not None and self.begins(value)
        )
        if not is_edge:
            return False
        message = at(value, self.message)
        return not isinstance(message, Mapping) or self._role_of(message) is None

    def _other_kind(self, value: Mapping[str, Any]) -> str:
        """Return the type of an object that is none of the messages that the form knows."""
        kind = at(value, self.others) if self.others else None
        return kind if isinstance(kind, str) else ""

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
        """Yield what stands beside the content, with the rows that fit; of an item, the first."""
        taken: set[tuple[Any, int]] = set()
        for part in self._beside:
            found = at(message, part.at or "")
            if not isinstance(found, list):
                if part.fits(found, self.type_key):
                    yield part, found
                continue
            for number, each in enumerate(found):
                if (part.at, number) not in taken and part.fits(each, self.type_key):
                    taken.add((part.at, number))
                    yield part, each

    def _sign(self, message: Any) -> str:
        if isinstance(message, _Bare | LeftOut):
            return ""
        if callable(self.sign):
            return self.sign(message)
        if self._says_nothing(message):
            return ""
        if self.others and self._role_of(at(message, self.message) or {}) is None:
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
        for kind, _ in self._parts_beside(message):
            if kind.is_sign:
                return f"{kind.at or kind.type or kind.key!r}"
        return ""

    def _content_of(self, message: Any) -> Any:
        found = None if self.content is None else at(message, self.content)
        return [found] if isinstance(found, Mapping) else found

    def _role_of(self, message: Mapping[str, Any]) -> Role | None:
        name = at(message, self.role)
        return self.roles.get(name if isinstance(name, str) else "")

    def _asks(self, found: Any) -> bool:
        message = at(found, self.message)
        return isinstance(message, Mapping) and self._role_of(message) == "user"

    def _thread(self, message: Any) -> str:
        return " ".join(str(at(message, path) or "") for path in self.thread).strip()

    def _said(self, message: Any) -> Said | None:
        said = self._says(message)
        border = self.border(message) if self.border and isinstance(message, Mapping) else ""
        if border:
            said = said or Said("tool")
            said.border = border
        return said

    def _says(self, found: Any) -> Said | None:
        """Return what an object says, without whether a turn begins or ends with it."""
        if isinstance(found, _Bare):
            return Said(found.role, text_of(found.content))
        if isinstance(found, LeftOut):
            return Said("tool", left_out=(found.words,), unowned=found.text)
        about = self._about(found) if self.about else None
        if self._says_nothing(found):
            return self._told(found, about)
        message = at(found, self.message)
        role = self._role_of(message) if isinstance(message, Mapping) else None
        if role is None and (kind := self._other_kind(found)):
            told = self._told(found, about) or Said("tool")
            told.left_out = (f"{OTHER_OBJECT}{kind!r}",)
            return told
        if role is None:
            raise ValueError(f"expected the role of a message, found {at(message, self.role)!r}")
        content = self._content_of(message)
        turns = [SaidTurn()]
        for part in content if isinstance(content, list) else [content]:
            if part is not None:
                self._take(part, self._kind_of(part), turns, role)
        beside = [*self._parts_beside(message)]
        for kind_of_part, part in beside:
            self._take(part, kind_of_part, turns, role)
        if self.program is not None:
            for turn in turns:
                turn.set_apart(partial(self.program, found))
        said = joined([each for turn in turns for each in turn.said(role, self.join)])
        is_all_read = any(part.at == "" or callable(part.at) for part, _ in beside)
        is_event = isinstance(self.role, str) and "." in self.role  # around a message
        if not is_all_read and not is_event:
            take_unread(said, message, self._known)
        said.about = about
        said.is_piece = bool(self.piece and at(found, self.piece))
        return said

    def _told(self, found: Any, about: dict[str, Any] | None) -> Said | None:
        """Return what an object that is no message tells of its run; `None` if nothing."""
        asked = at(found, self.question) if self.question else None
        stated = at(found, self.stated) if self.stated else None
        wrong = [
            text_of(part.value_of(each))
            for part, each in self._parts_beside(found)
            if part.what == "error"
        ]
        if not (about or asked or stated or wrong):
            return None
        said = Said("tool", asked=text_of(asked) if asked else "")
        said.about, said.errors = about, wrong
        said.stated = text_of(stated) if stated else ""
        return said

    def _take(self, part: Any, kind: MessagePart | None, turns: list[SaidTurn], role: Role) -> None:
        turn = turns[-1]
        if is_signed(part):
            turn.signed.append(part)
        if kind is None:
            if isinstance(part, str):
                turn.texts.append(part)
            else:
                turn.left_out.append(words_for(part, self.type_key))
            return
        is_said = kind.what in ("text", "thought", "answer", "refusal")
        if is_said and turn.results and role == "assistant":
            turn = SaidTurn()  # the tools have run before it
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
                turn.left_out.append(f"the result of an output tool: {text_of(value)}")
            elif kind.is_sign:
                turn.left_out.append(words_for(part, self.type_key))
        else:
            found = content_of(value) if isinstance(value, list) else None
            turn.left_out += found.left_out if found else ()
            texts = found.texts if found else [text_of(value)]
            turn.of_kind(kind.what).extend(texts)


@dataclass(frozen=True)
class _Bare:
    """The content of a message without the message."""

    content: Any
    role: Role


def _no(path: Path, what: str) -> str:
    """Return the words that nothing stands at a *path*, or *what* if a function looks for it."""
    return f"there is no {path!r}" if isinstance(path, str) else f"there is no {what}"


def words_for(part: Any, type_key: Path) -> str:
    """Return words for a *part* that is dropped or unknown: its type, or its keys."""
    kind = at(part, type_key) if type_key else None
    if isinstance(kind, str):
        return f"a part of type {kind!r}"
    if not isinstance(part, Mapping):
        return f"a part that is {type(part).__name__}, not an object"
    names = [name for name, value in part.items() if value is not None]
    return f"a part with {', '.join(map(repr, names))}"
