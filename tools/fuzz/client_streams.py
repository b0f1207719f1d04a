"""Fuzzes the streams of clients: cuts them anywhere, and changes what carries no meaning."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any, Final

from agent_laws import BrokenLawError
from agent_laws.laws.broken import named
from tests.helpers.deliveries import STREAMS
from tests.helpers.elsewhere import INERT
from tests.helpers.event_laws import (
    CLIENTS,
    LAWS,
    MODES,
    SETTINGS,
    Setting,
    Trial,
    begun_in,
    parser_of,
    prefixes_of,
    reading,
    whole_of,
)
from tests.helpers.replies import SHAPES, Call, Reply

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator, Sequence
    from random import Random

__all__ = ["STREAM_SUBJECTS", "broken_laws"]

STREAM_SUBJECTS: Final = [f"{client}-{mode} stream" for client in CLIENTS for mode in MODES]

ONLY_ERRORS: Final = "any events give a result or an error"
_TEXTS: Final = (
    "", "a", "old bridges", "/", "\n", '"', "{", "}", '{"path": "/"}', "\\", "é", "<tool_call>",
    "```", "]", "null",
)  # fmt: skip


def a_reply(random: Random, shape: str) -> Reply:
    """Return a reply with calls of tools of this *shape*, with other values."""
    reply = random.choice([reply for reply in SHAPES[shape].replies() if reply.calls])
    texts = [random.choice(_TEXTS) if random.randrange(3) == 0 else "Hm." for _ in range(2)]
    calls = [
        Call(
            call.tool,
            {
                key: random.choice(_TEXTS) if isinstance(value, str) else value
                for key, value in call.input.items()
            },
        )
        for call in reply.calls
    ]
    return Reply(texts[0], texts[1], calls)


def padded(random: Random, client: str, events: Sequence[Any]) -> list[Any]:
    """Return *events* with some between them that say nothing."""
    inert = INERT.get("chat" if client == "functions" else client, ())
    found = [*events]
    for _ in range(random.randrange(3) if inert else 0):
        found.insert(random.randrange(len(found) + 1), deepcopy(random.choice(inert)))
    return found


def spoilt_events(random: Random, events: Sequence[Any]) -> list[Any]:
    """Return *events* with some removed, repeated or moved, or with a member removed."""
    found = [*events]
    for _ in range(random.randrange(1, 4)):
        if not found:
            break
        at, to = random.randrange(len(found)), random.randrange(len(found))
        match random.randrange(4):
            case 0:
                del found[at]
            case 1:
                found.insert(to, found[at])
            case 2:
                found[at], found[to] = found[to], found[at]
            case _:
                found[at] = without_a_member(random, found[at])
    return found


def without_a_member(random: Random, event: Any) -> Any:
    """Return *event* without one member, at any depth."""
    if not isinstance(event, dict) or not event:
        return event
    key = random.choice([*event])
    if isinstance(event[key], dict) and event[key] and random.randrange(3):
        return {**event, key: without_a_member(random, event[key])}
    return {name: value for name, value in event.items() if name != key}


def broken_laws(name: str, random: Random, counts: Counter[str]) -> Iterator[BrokenLawError]:
    """Try one reply of a client, ``"chat-strict stream"``, and yield the laws that are broken."""
    client, mode = name.partition(" ")[0].split("-")
    setting = random.choice([s for s in SETTINGS if (s.client, s.mode) == (client, mode)])
    reply = a_reply(random, setting.shape)
    how, delivery = random.choice([*STREAMS[client].items()])
    given = delivery(reply)
    if given is None:
        return
    events = padded(random, client, given)
    yield from _crash(setting, spoilt_events(random, events), counts)
    cut = random.randrange(len(events))
    near = range(max(0, 2 * cut - 2), 2 * cut + 2)  # both ends of each prefix
    prefixes = [*prefixes_of(setting, reply, how, events)][near.start : near.stop]
    begun = [*begun_in(setting, reply, how, events)]
    tried: list[tuple[str, list[Trial]]] = [
        ("no_half_call_of_events", prefixes),
        ("a_begun_call_is_no_answer", random.sample(begun, min(2, len(begun)))),
        ("streamed_is_whole", [whole_of(setting, reply, how, events)]),
    ]
    for law, trials in tried:
        title = named(LAWS[law])
        for trial in trials:
            counts[title] += 1
            if fault := trial.fault():
                yield BrokenLawError(
                    title, client, f"{trial.kind}, {how}: {fault}", mode=mode, text=repr(reply),
                    chunks=[*map(repr, trial.given)],
                )  # fmt: skip


def _crash(setting: Setting, events: list[Any], counts: Counter[str]) -> Iterator[BrokenLawError]:
    """Yield how reading spoilt *events* raises an error that is neither ours nor the caller's."""
    counts[ONLY_ERRORS] += 1
    try:
        reading(parser_of(setting), events)
    except Exception as error:  # noqa: BLE001 - that is what is looked for
        yield BrokenLawError(
            ONLY_ERRORS, setting.client, f"it raised {error!r}", mode=setting.mode, text="",
            chunks=[*map(repr, events)],
        )  # fmt: skip
