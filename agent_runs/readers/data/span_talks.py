"""Conversations from the spans of models, and the spans of tools at their places in them.

A request has all messages before it, so most results stand in the next request. Others only the
span of the tool shows: those of calls after which no request follows, and of agents whose requests
are texts.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from agent_parsers.transcripts import Notice
from agent_runs.readers.data.span_messages import Placed, Words, form_of
from agent_runs.reading.reader import MALFORMED
from agent_runs.reading.said import Said, SaidCall, SaidResult
from agent_runs.reading.spoken import sign_of_call

if TYPE_CHECKING:
    from agent_runs.reading.messages import MessageFormat


class Request(NamedTuple):
    """What the span of a model shows."""

    number: int
    """Its number among the spans of models and tools, in the order in which they began."""
    name: str
    """Its id."""
    parent: str
    """Id of the span above it."""
    given: list[Any]
    """The messages that the model was given."""
    said: list[Any]
    """What it said."""


class ToolSpan(NamedTuple):
    """What the span of a tool shows."""

    number: int
    parent: str
    call: SaidCall
    result: SaidResult
    has_id: bool
    """Whether the span has the id of the call."""


@dataclass
class SpanTalk:
    """A conversation that is put together from the spans of its model."""

    parent: str
    """Id of the span above that of the first request."""
    form: MessageFormat
    """The form of its messages, where several are read."""
    given: list[Any]
    """What the model was given last."""
    asked: int
    """How many messages it was given first."""
    messages: list[Any] = field(default_factory=list)
    """What was given and said so far."""
    numbers: list[int] = field(default_factory=list)
    """For each message, the number of the span that has it first."""
    last: int = 0
    """Number of the last span."""
    above: set[str] = field(default_factory=set)
    """Ids of its spans, and of those above them."""

    def goes_on(self, given: list[Any]) -> bool:
        """Return whether a request with the messages *given* continues this conversation."""
        return 0 < len(self.given) < len(given) and given[: len(self.given)] == self.given

    def add(self, request: Request, messages: Sequence[Any]) -> None:
        """Add the new *messages* of a *request*."""
        self.messages += messages
        self.numbers += [request.number] * len(messages)
        self.given, self.last = request.given, request.number
        self.above |= {request.name, request.parent} - {""}

    def put(self, at: int, said: Said) -> None:
        """Insert what a span tells before the message *at*, and behind what others told there."""
        while at < len(self.messages) and isinstance(self.messages[at], Placed):
            at += 1
        self.messages.insert(at, Placed(said))
        self.numbers.insert(at, self.numbers[at - 1] if at else self.numbers[0])


def talks_of(requests: Iterable[Request], form: MessageFormat) -> list[SpanTalk]:
    """Return the conversations in *requests* to models, and what these said.

    A request that begins with all messages of a conversation goes on with it, whatever was asked in
    between, as by a sub-agent; of several, it is that with the most of them, below the same span.
    What the model said is taken from the response; the next request may have it in other words.
    """
    talks: list[SpanTalk] = []
    for request in requests:
        known = [talk for talk in talks if talk.goes_on(request.given)]
        if not known:
            if request.given or request.said:
                talk = SpanTalk(request.parent, form, request.given, len(request.given))
                talk.add(request, [*request.given, *request.said])
                talks.append(talk)
            continue
        talk = max(
            known, key=lambda each: (len(each.given), each.parent == request.parent, each.last)
        )
        rest = request.given[len(talk.given) :]
        while rest and _is_models(rest[0]):
            rest = rest[1:]
        talk.add(request, [*rest, *request.said])
    for talk in talks:
        talk.form = form_of(talk.messages, form)
    return talks


def _is_models(message: Any) -> bool:
    """Return whether a *message* is one of the model, or an item of what it said."""
    if isinstance(message, Words):
        return bool(message.role == "assistant")
    if not isinstance(message, Mapping):
        return False
    return bool(message.get("role") in ("assistant", "model") or message.get("type") in _ITEMS)


_ITEMS: Final = ("ai", "function_call", "reasoning")


class Callers:
    """Finds the calls that whole conversations below the span of a tool carry out."""

    def __init__(self, talks: Sequence[SpanTalk]) -> None:
        self._calls = [
            (talk, call) for talk in talks for said in _said_in(talk) for call in said.calls
        ]
        self._taken: set[str] = set()

    def call_of(self, tool: Any, talk: SpanTalk) -> str:
        """Return the id of the call of *tool* that started the conversation *talk*, or ``""``."""
        for other, call in self._calls:
            if other is not talk and call.tool == tool and call.call_id not in self._taken:
                self._taken.add(call.call_id)
                return call.call_id
        return ""


def _said_in(talk: SpanTalk) -> Iterator[Said]:
    """Return what each message of a *talk* says; one that is malformed is refused elsewhere."""
    return (_read(message, talk.form) for message in talk.messages)


def _read(message: Any, form: MessageFormat) -> Said:
    try:
        return form.said(message) or Said("tool")
    except MALFORMED:
        return Said("tool")


@dataclass(eq=False)
class _Call:
    """A call in a conversation, which no span of a tool has carried out yet."""

    talk: SpanTalk
    number: int
    call: SaidCall
    message: Any
    is_told: bool
    """Whether the messages show what the tool returned."""


class _Waiting:
    """The calls in conversations that no span of a tool has carried out yet."""

    def __init__(self, talks: Iterable[SpanTalk]) -> None:
        self._by_name: dict[str, list[_Call]] = {}
        self._by_id: dict[str, _Call] = {}
        calls = (call for talk in talks for call in _calls_in(talk))
        for call in sorted(calls, key=lambda each: each.number):
            self._by_name.setdefault(call.call.tool, []).append(call)
            self._by_id.setdefault(call.call.call_id, call)

    def take(self, tool: ToolSpan) -> _Call | None:
        """Return the call that the span of a *tool* carried out, which waits no more."""
        found = self._by_id.pop(tool.call.call_id, None) if tool.has_id else None
        if found is None:
            named = [*self._before(tool, lambda name: _is_name(tool.call.tool, name))]
            given = tool.call.tool_input
            same = (each for each in self._before(tool) if given and each.call.tool_input == given)
            found = max(named or same, key=lambda each: _fit(each, tool), default=None)
        if found is not None and found in self._by_name[found.call.tool]:
            self._by_name[found.call.tool].remove(found)
        return found

    def has_before(self, tool: ToolSpan, talk: SpanTalk) -> bool:
        """Return whether a call of *talk* waits that was made before a *tool* began."""
        return any(each.talk is talk for each in self._before(tool))

    def _before(
        self, tool: ToolSpan, is_of: Callable[[str], bool] = lambda _: True
    ) -> Iterator[_Call]:
        for name, calls in self._by_name.items():
            if is_of(name):
                yield from takewhile(lambda each: each.number < tool.number, calls)


def _fit(call: _Call, tool: ToolSpan) -> tuple[bool, bool, int]:
    """Return how well the span of a *tool* fits a *call*; higher is better."""
    is_near = tool.parent in call.talk.above
    return is_near, call.call.tool_input == tool.call.tool_input, -call.number


def _is_name(written: str, tool: str) -> bool:
    """Return whether the name of a span is *tool*: ``execute_tool search``, ``mcp__a__search``."""
    return written == tool or tool in re.split(r"[\s:/]+|__", written)


def _calls_in(talk: SpanTalk) -> Iterator[_Call]:
    ids: set[str] = set()
    found: list[_Call] = []
    for at, said in reversed([*enumerate(_said_in(talk))]):
        ids.update(result.call_id for result in said.results)
        for call in said.calls:
            is_told = call.call_id in ids or "" in ids or (bool(ids) and not call.call_id)
            found.append(_Call(talk, talk.numbers[at], call, talk.messages[at], is_told))
    yield from reversed(found)


def place_tools(talks: Sequence[SpanTalk], tools: Iterable[ToolSpan]) -> None:
    """Put into *talks* what only the spans of *tools* show.

    A span belongs to the call with its id, or else to a call before it that no other span carried
    out: with its name, in the conversation next to it first, or with its input. If there is none,
    it is a call of its own, or a notice if calls with other names wait.
    """
    waiting = _Waiting(talks)
    for tool in tools:
        found = waiting.take(tool)
        if found is None:
            talk = max(talks, key=lambda each: _nearness(each, tool))
            at = bisect_left(talk.numbers, tool.number) or talk.asked
            said = _own(tool, talk, at, waiting.has_before(tool, talk))
            if said is not None:
                talk.put(at, said)
        elif not found.is_told:
            result = tool.result._replace(call_id=found.call.call_id, tool=found.call.tool)
            messages = found.talk.messages
            at = next(at for at, each in enumerate(messages) if each is found.message)
            found.talk.put(at + 1, Said("tool", results=(result,)))


def _nearness(talk: SpanTalk, tool: ToolSpan) -> tuple[bool, bool, int]:
    """Return how near the span of a *tool* is to a *talk*; higher is nearer."""
    before = bisect_left(talk.numbers, tool.number)
    last = talk.numbers[before - 1] if before else -talk.numbers[0]
    return tool.parent in talk.above, before > 0, last


def _own(tool: ToolSpan, talk: SpanTalk, at: int, others_wait: bool) -> Said | None:
    """Return what the span of a *tool* tells before the message *at*; `None` if that is told."""
    text = _text_of(talk.messages[at - 1], talk.form) if at else ""
    if (sign := sign_of_call(text)) and tool.call.tool in text[sign.start() :]:
        is_told = at < len(talk.messages)  # in what follows the text
        return None if is_told else Said("tool", results=(tool.result._replace(call_id=""),))
    if others_wait:
        reason = f"the span of the tool {tool.call.tool!r} belongs to no call"
        return Said("tool", notices=(Notice("unowned_text", reason, 0, tool.result.text),))
    call_id = tool.call.call_id or f"span {tool.number}"
    made = Said("assistant", calls=(tool.call._replace(call_id=call_id),))
    made.then = Said("tool", results=(tool.result._replace(call_id=call_id),))
    return made


def _text_of(message: Any, form: MessageFormat) -> str:
    """Return what a model says in a *message*."""
    said = _read(message, form)
    return said.text if said.role == "assistant" else ""
