"""Replies whose arguments stand where a parser may not look, and replies that lack their call.

A parser may read them or refuse them. It must not make a call without what was said, and not
return an answer.
"""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from .chat_deltas import with_function
from .deliveries import STREAMS, WHOLE
from .item_events import is_call, is_delta, is_input
from .replies import Fields, Reply
from .wire import completion_chunk, completion_deltas, response_events

OTHER_KEYS: Final = ("parameters", "args", "input", "arguments")
"""Names under which other APIs have the arguments."""


class Elsewhere(NamedTuple):
    """A reply that is delivered with its arguments elsewhere."""

    kind: str
    how: str
    given: list[Any]
    """The events, or one whole message."""


# -- the calls of a whole message, by client -------------------------------------------------------


def calls_in(client: str, whole: Fields) -> list[Fields]:
    """Return the objects with the arguments of each call in a *whole* message."""
    if client == "responses":
        return [item for item in whole["output"] if item["type"] == "function_call"]
    if client == "anthropic":
        return [block for block in whole["content"] if block["type"] == "tool_use"]
    message = whole["message"] if client == "ollama" else whole["choices"][0]["message"]
    if client == "functions":
        return [message["function_call"]] if "function_call" in message else []
    return [call["function"] for call in message.get("tool_calls", ())]


def own_key(client: str) -> str:
    return "input" if client == "anthropic" else "arguments"


DICTIONARIES: Final = ("chat", "functions", "responses", "anthropic", "ollama")
"""The clients whose messages are dictionaries, which may have other members."""


def whole_with_other_members(client: str, reply: Reply) -> Iterator[Elsewhere]:
    """Yield messages with the arguments under another key, or with a parameter beside them."""
    own = own_key(client)
    for key in OTHER_KEYS:
        for emptied in (False, True):
            if key == own or not reply.calls:
                continue
            whole = WHOLE[client](reply)
            for call in calls_in(client, whole):
                written = call.pop(own)
                call[key] = written
                if emptied:
                    call[own] = "" if isinstance(written, str) else {}
                elif client == "responses":
                    call[own] = ""  # without it, the item is malformed
            how = f"{key}, {own} empty" if emptied else key
            yield Elsewhere("arguments under another key", f"whole, {how}", [whole])
    if all(call.input for call in reply.calls) and reply.calls:
        whole = WHOLE[client](reply._replace(calls=[c._replace(input={}) for c in reply.calls]))
        for said, call in zip(reply.calls, calls_in(client, whole), strict=True):
            call.update(said.input)
        yield Elsewhere("parameters beside the arguments", "whole", [whole])


# -- streams ---------------------------------------------------------------------------------------


def chunks_with_other_key(reply: Reply, key: str) -> list[Any]:
    """Return chunks whose pieces of arguments stand under another *key*."""

    def changed(piece: Fields) -> Fields:
        function = piece["function"]
        is_first = "name" in function
        return (
            piece
            if is_first
            else with_function(piece, arguments=None, **{key: function["arguments"]})
        )

    deltas = [
        {**delta, "tool_calls": [*map(changed, delta["tool_calls"])]}
        if "tool_calls" in delta
        else delta
        for delta in completion_deltas(reply.message())
    ]
    return [*map(completion_chunk, deltas), completion_chunk({}, "tool_calls")]


def events_with_other_delta(reply: Reply) -> Iterator[tuple[str, list[Any]]]:
    """Yield events of the Responses API whose arguments come in events of another type."""
    events = response_events(reply.message())

    def emptied(event: Fields) -> Fields | None:
        if event["type"].endswith("arguments.done"):
            return None
        if is_call(event) and event["type"].endswith("item.done"):
            return {**event, "item": {**event["item"], "arguments": ""}}
        if event["type"] == "response.completed":
            return {**event, "response": {**event["response"], "output": []}}
        return event

    for kind in (
        "response.function_call_parameters.delta",
        "response.custom_tool_call_input.delta",
    ):
        changed = [{**event, "type": kind} if is_delta(event) else event for event in events]
        yield kind, [event for event in map(emptied, changed) if event is not None]


def blocks_with_other_delta(reply: Reply) -> Iterator[tuple[str, list[Any]]]:
    """Yield events of Anthropic's API whose inputs come in deltas of another type."""
    for kind, key in (("text_delta", "text"), ("json_delta", "json"), ("input_delta", "input")):
        yield (
            kind,
            [
                {**event, "delta": {"type": kind, key: event["delta"]["partial_json"]}}
                if is_input(event)
                else event
                for event in STREAMS["anthropic"]["plain"](reply) or ()
            ],
        )


def streams_elsewhere(client: str, reply: Reply) -> Iterator[Elsewhere]:
    """Yield streams whose arguments stand under another key or in another delta."""
    if not all(call.input for call in reply.calls) or not reply.calls:
        return
    if client == "chat":
        for key in OTHER_KEYS[:3]:
            found = chunks_with_other_key(reply, key)
            yield Elsewhere("arguments under another key", f"streamed, {key}", found)
    if client == "responses":
        for kind, events in events_with_other_delta(reply):
            yield Elsewhere("arguments in another delta", kind, events)
    if client == "anthropic":
        for kind, events in blocks_with_other_delta(reply):
            yield Elsewhere("arguments in another delta", kind, events)


def contradicting(reply: Reply) -> Iterator[Elsewhere]:
    """Yield streams of the Responses API whose deltas say something else than the whole."""
    if not reply.calls or not all(call.input for call in reply.calls):
        return
    events = response_events(reply.message())
    others = [call._replace(input=dict.fromkeys(call.input, "other")) for call in reply.calls]
    stale = response_events(reply._replace(calls=others).message())
    late = [event for event in stale if not is_call(event) or not event["type"].endswith(".done")]
    done = [event for event in events if is_call(event) and event["type"].endswith(".done")]
    yield Elsewhere("deltas contradict the whole", "done", [*late[:-1], *done, events[-1]])
    yield Elsewhere("deltas contradict the whole", "completed", [*stale[:-1], events[-1]])


def elsewhere(client: str, reply: Reply) -> Iterator[Elsewhere]:
    """Yield all of them for one client."""
    if client in DICTIONARIES and len(reply.calls) < LIMITS.get(client, 9):
        yield from whole_with_other_members(client, reply)
    yield from streams_elsewhere(client, reply)
    if client == "responses":
        yield from contradicting(reply)


# -- what says nothing ---------------------------------------------------------------------------

INERT: Final[dict[str, tuple[Fields, ...]]] = {
    "chat": (
        {"object": "chat.completion.chunk", "choices": []},
        {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {}}]},
        {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"extra": None}}]},
    ),
    "responses": ({"type": "response.in_progress", "response": {}}, {"type": "response.new"}),
    "anthropic": ({"type": "ping"}, {"type": "message_new"}),
    "ollama": ({"message": {"role": "assistant", "content": ""}, "done": False},),
}
"""Events that say nothing, by client, also such as are not known yet."""

MEMBERS: Final = {"extra_content": {"google": {"thought_signature": "c2ln"}}, "caller": None}
"""Members of a call that are not understood, and need not be."""


def with_unknown(client: str, reply: Reply) -> Iterator[Elsewhere]:
    """Yield replies with members and events that are not understood, beside all that is needed."""
    if client in DICTIONARIES and len(reply.calls) < LIMITS.get(client, 9):
        whole = WHOLE[client](reply)
        for call in calls_in(client, whole):
            call.update(MEMBERS)
        yield Elsewhere("unknown members", "whole", [whole])
    events = next(iter(STREAMS[client].values()))(reply) or ()
    for inert in INERT.get(client, ()):
        for at in range(1, len(events)):
            found = [*events[:at], inert, *events[at:]]
            yield Elsewhere("unknown events", f"{inert}, {at}", found)


LIMITS: Final = {"functions": 2}
"""What the number of calls in a reply must be less than."""


# -- a finish reason that speaks of calls, and no call ---------------------------------------------

REASONS: Final[dict[str, tuple[str, ...]]] = {
    "chat": ("tool_calls", "tool_call", "function_call"),
    "functions": ("function_call",),
    "anthropic": ("tool_use",),
    "ollama": ("tool_calls",),
    "langchain": ("tool_calls", "tool_use"),
    "ours": ("tool_calls", "tool_use"),
}
"""Finish reasons that speak of calls, by client; those of the Responses API never do."""


def _set_reason(client: str, given: Any, reason: str) -> Any:
    """Return an event or a message whose reason, if it has one, is this *reason*."""
    if client in ("langchain", "ours"):
        if given.response_metadata:
            given.response_metadata = {"finish_reason": reason}
        return given
    if client == "anthropic":
        if "stop_reason" in given.get("delta", {}):
            return {**given, "delta": {**given["delta"], "stop_reason": reason}}
        return {**given, "stop_reason": reason} if given.get("stop_reason") else given
    if client == "ollama":
        return {**given, "done_reason": reason} if given["done"] else given
    choices = [
        {**choice, "finish_reason": reason} if choice["finish_reason"] else choice
        for choice in given["choices"]
    ]
    return {**given, "choices": choices}


def without_call(client: str) -> Iterator[Elsewhere]:
    """Yield replies whose finish reason speaks of calls and which have none."""
    reply = Reply("", "Let me look that up.")
    for reason in REASONS.get(client, ()):
        whole = _set_reason(client, WHOLE[client](reply), reason)
        yield Elsewhere("a reason without its call", f"whole, {reason}", [whole])
        events = STREAMS[client]["plain" if client != "ollama" else "all calls in a chunk"](reply)
        streamed = [_set_reason(client, event, reason) for event in events or ()]
        yield Elsewhere("a reason without its call", f"streamed, {reason}", streamed)


# -- whole messages that are cut -------------------------------------------------------------------


CUT: Final = ("chat", "functions", "responses", "anthropic")
"""The clients whose messages may hold half of the arguments, or show that they do."""


def cut_wholes(client: str, reply: Reply) -> Iterator[Elsewhere]:
    """Yield whole messages whose last arguments are cut, with and without a reason that says so."""
    if not reply.calls:
        return
    if len(reply.calls) >= LIMITS.get(client, 9):
        return
    if client == "anthropic":  # its input is data, which is empty if it is cut
        whole = WHOLE[client](reply)
        whole["content"][-1]["input"] = {}
        kind = "a whole message, cut (length)"
        yield Elsewhere(kind, "no input", [{**whole, "stop_reason": "max_tokens"}])
        return
    written = calls_in(client, WHOLE[client](reply))[-1]["arguments"]
    for end in range(len(written)):
        for why in ("length", None):
            if end == 0 and why is None:
                continue  # a whole message has ended, so there are no arguments
            whole = WHOLE[client](reply)
            last = calls_in(client, whole)[-1]
            last["arguments"] = written[:end]
            kind = f"a whole message, cut ({why or 'unknown'})"
            if client == "responses":
                last["status"] = "incomplete"
                whole["status"] = "incomplete" if why else "completed"
                if not why:
                    kind = "an incomplete item in a completed response"
            else:
                whole["choices"][0]["finish_reason"] = why
            yield Elsewhere(kind, f"{end} characters", [whole])
