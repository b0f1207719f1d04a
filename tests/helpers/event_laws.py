"""Laws about the events of clients, tried on every way to deliver a reply.

Each law yields a `Trial` for everything that there is to try. Nothing is read before its `fault`.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from itertools import product
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from agent_laws.trials.sample_calls import same_input
from agent_parsers import AgentFinish, OutputParserException, get_parser
from outputs import Ended

from .chat_deltas import halves
from .deliveries import STREAMS, WHOLE
from .elsewhere import CUT, DICTIONARIES, REASONS, cut_wholes, elsewhere, with_unknown, without_call
from .replies import SHAPES, Call, Reply

Mode: TypeAlias = Literal["strict", "lenient"]
Read: TypeAlias = tuple[str, Any]
"""``"calls"``, ``"answer"`` or ``"error"``, and which."""

CLIENTS: Final = (*STREAMS,)
MODES: Final[tuple[Mode, ...]] = ("strict", "lenient")


class Trial(NamedTuple):
    """What is given to a parser, and how to find out what is wrong with what it makes of it."""

    kind: str
    how: str
    """How the reply was delivered."""
    given: Sequence[Any]
    """The events, or one whole message."""
    fault: Callable[[], str]
    """Reads them, and returns why that is wrong; empty if it is not."""


class Setting(NamedTuple):
    """Who reads, and with which tools."""

    client: str
    mode: Mode
    shape: str

    def __str__(self) -> str:
        return f"{self.client}-{self.mode}-{self.shape}"


SETTINGS: Final = [
    Setting(client, mode, shape) for client in CLIENTS for mode in MODES for shape in SHAPES
]


@cache
def parser_of(setting: Setting) -> Any:
    tools: Any = SHAPES[setting.shape].tools
    name = "openai_functions" if setting.client == "functions" else "tools"
    return get_parser(name, tools=tools, lenient=setting.mode == "lenient")


def reading(parser: Any, events: Sequence[Any], ended: Ended = "unknown") -> Read:
    """Return what *parser* makes of *events*; what is no message is an error as well."""
    reader = parser.stream_parser()
    try:
        for event in events:
            reader.feed(event)
        reader.close(ended=ended)
    except (OutputParserException, ValueError, TypeError) as error:
        return "error", str(error)
    if isinstance(reader.result, AgentFinish):
        return "answer", reader.result.return_values["output"]
    actions = reader.result if isinstance(reader.result, list) else [reader.result]
    return "calls", [Call(action.tool, action.tool_input) for action in actions]


def wrong_call(calls: Sequence[Call], meant: Sequence[Call]) -> str:
    """Return which of *calls* is not *meant* at its place; empty if all are."""
    for place, call in enumerate(calls):
        if place >= len(meant):
            return f"makes {call.tool}({call.input}), which is not meant"
        if call.tool != meant[place].tool or not same_input(call.input, meant[place].input):
            said = meant[place]
            return f"makes {call.tool}({call.input}), and {said.tool}({said.input}) is meant"
    return ""


def replies_in(setting: Setting, *, calls: bool = True) -> Iterator[Reply]:
    for reply in SHAPES[setting.shape].replies():
        if reply.calls or not calls:
            yield reply


def deliveries(
    setting: Setting, step: int, *, calls: bool = True
) -> Iterator[tuple[Reply, str, Sequence[Any]]]:
    """Yield replies in the ways in which their client can deliver them: one in *step* of all."""
    replies = [*replies_in(setting, calls=calls)]
    ways = [*product(STREAMS[setting.client].items(), replies)]
    for (how, delivery), reply in ways[SETTINGS.index(setting) % step :: step]:
        if (events := delivery(reply)) is not None:
            yield reply, how, events


# -- what may be wrong -----------------------------------------------------------------------------


def wrong_prefix(parser: Any, events: Sequence[Any], ended: Ended, meant: Sequence[Call]) -> str:
    """Return why a prefix of a stream makes a call that is not *meant*."""
    what, found = reading(parser, events, ended)
    return wrong_call(found, meant) if what == "calls" else ""


def wrong_answer(parser: Any, events: Sequence[Any]) -> str:
    """Return why what is no answer is one."""
    what, found = reading(parser, events)
    return f"returns {found!r}" if what == "answer" else ""


def wrong_whole(parser: Any, events: Sequence[Any], meant: Sequence[Call]) -> str:
    """Return why *events* are neither an error nor exactly the calls that are *meant*."""
    what, found = reading(parser, events)
    if what == "answer":
        return f"returns {found!r}"
    if what == "error":
        return ""
    few = f"makes {len(found)} of {len(meant)} calls" if len(found) < len(meant) else ""
    return wrong_call(found, meant) or few


def not_exactly(parser: Any, events: Sequence[Any], reply: Reply) -> str:
    """Return why *events* are not read as the calls of a *reply*."""
    found = reading(parser, events)
    return "" if found == ("calls", [*reply.calls]) else f"is read as {found}"


def otherwise(parser: Any, events: Sequence[Any], whole: Any) -> str:
    """Return why *events* are read otherwise than the *whole* message."""
    expected, found = reading(parser, [whole]), reading(parser, events)
    is_same = expected[0] == found[0] and (
        expected[0] == "error" or _text(expected[1]) == _text(found[1])
    )
    return "" if is_same else f"is read as {found}, and the whole message as {expected}"


def _text(found: Any) -> Any:
    """Return calls, or the text of an answer, which may be blocks in strict mode."""
    if isinstance(found, list) and found and all(isinstance(each, dict) for each in found):
        return "".join(each.get("text", "") for each in found)
    return found


# -- the laws --------------------------------------------------------------------------------------


def no_half_call_of_events(setting: Setting, step: int = 1) -> Iterator[Trial]:
    """No prefix of a stream makes a call that the whole stream does not mean at its place."""
    for reply, how, events in deliveries(setting, step):
        yield from prefixes_of(setting, reply, how, events)


def prefixes_of(setting: Setting, reply: Reply, how: str, events: Sequence[Any]) -> Iterator[Trial]:
    """Yield each prefix of *events*."""
    for end, ended in product(range(len(events)), _ENDED):
        given = events[:end]
        check = partial(wrong_prefix, parser_of(setting), given, ended, reply.calls)
        yield Trial(f"half a call ({ended})", how, given, check)


_ENDED: Final[tuple[Ended, ...]] = ("unknown", "length")


def a_begun_call_is_no_answer(setting: Setting, step: int = 1) -> Iterator[Trial]:
    """No part of a stream that ends within or behind a call is an answer."""
    for reply, how, events in deliveries(setting, step):
        yield from begun_in(setting, reply, how, events)


def begun_in(setting: Setting, reply: Reply, how: str, events: Sequence[Any]) -> Iterator[Trial]:
    """Yield each prefix of *events* that has the name of a call, and all of them."""
    named = (at for at, event in enumerate(events) if _names(event, reply.calls[0].tool))
    for end in range(next(named, len(events)) + 1, len(events) + 1):
        given = events[:end]
        check = partial(wrong_answer, parser_of(setting), given)
        yield Trial("half a call as the answer", how, given, check)


def _names(event: Any, tool: str) -> bool:
    """Return whether *event* has the name of this *tool*, or the first piece of it."""
    return any(f"'{name}'" in repr(event) for name in (tool, halves(tool)[0]))


def streamed_is_whole(setting: Setting, step: int = 1) -> Iterator[Trial]:
    """A stream is read as the whole message of the same client is."""
    for reply, how, events in deliveries(setting, step, calls=False):
        yield whole_of(setting, reply, how, events)


def whole_of(setting: Setting, reply: Reply, how: str, events: Sequence[Any]) -> Trial:
    """Return the trial of all *events*."""
    check = partial(otherwise, parser_of(setting), events, WHOLE[setting.client](reply))
    return Trial("streamed otherwise than whole", how, events, check)


def no_arguments_dropped(setting: Setting, step: int = 1) -> Iterator[Trial]:
    """Arguments are read wherever they stand, or it is an error."""
    parser = parser_of(setting)
    for reply, how, events in deliveries(setting, step):
        check = partial(wrong_whole, parser, events, reply.calls)
        yield Trial("arguments in another event", how, events, check)
    for reply in replies_in(setting):
        for kind, how, given in elsewhere(setting.client, reply):
            yield Trial(kind, how, given, partial(wrong_whole, parser, given, reply.calls))


def what_says_nothing_changes_nothing(setting: Setting, step: int = 1) -> Iterator[Trial]:
    """Members and events that are not understood, beside whole calls, change none of them."""
    for reply in replies_in(setting):
        for kind, how, given in [*with_unknown(setting.client, reply)][::step]:
            yield Trial(kind, how, given, partial(not_exactly, parser_of(setting), given, reply))


def a_reason_has_its_call(setting: Setting, step: int = 1) -> Iterator[Trial]:
    """A finish reason that speaks of calls, without a call, is an error."""
    for kind, how, given in without_call(setting.client):
        yield Trial(kind, how, given, partial(wrong_answer, parser_of(setting), given))


def no_half_message(setting: Setting, step: int = 1) -> Iterator[Trial]:
    """A whole message whose arguments are cut is an error, or exactly the calls that are meant."""
    for reply in replies_in(setting):
        for kind, how, given in [*cut_wholes(setting.client, reply)][::step]:
            check = partial(wrong_whole, parser_of(setting), given, reply.calls)
            yield Trial(kind, how, given, check)


LAWS: Final[dict[str, Callable[..., Iterator[Trial]]]] = {
    law.__name__: law
    for law in (
        no_half_call_of_events,
        a_begun_call_is_no_answer,
        streamed_is_whole,
        no_arguments_dropped,
        what_says_nothing_changes_nothing,
        a_reason_has_its_call,
        no_half_message,
    )
}
"""All laws, by name. Each takes a setting, and tries one in *step* of its cases."""


def settings_of(law: str) -> list[Setting]:
    """Return the settings in which a *law* has something to try."""
    if law == "a_reason_has_its_call":  # whatever the tools are
        return [s for s in SETTINGS if s.client in REASONS and s.shape in ("required", "any")]
    if law == "what_says_nothing_changes_nothing":
        return [s for s in SETTINGS if s.client in DICTIONARIES]
    if law == "no_half_message":
        return [s for s in SETTINGS if s.client in CUT]
    return SETTINGS
