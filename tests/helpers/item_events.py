"""The ways to stream a reply in events about items: Responses, Anthropic's Messages, and Ollama."""

import json
from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

from .chat_deltas import Delivery, in_turns, said
from .replies import Fields, Reply
from .wire import anthropic_events, response_events

# -- Responses -----------------------------------------------------------------------------------

Change: TypeAlias = Callable[[list[Fields]], list[Fields]]
_CALL: Final = "response.function_call_arguments."


def is_call(event: Fields) -> bool:
    """Return whether an event is about a call."""
    return event["type"].startswith(_CALL) or event.get("item", {}).get("type") == "function_call"


def is_delta(event: Fields) -> bool:
    return bool(event["type"] == f"{_CALL}delta")


def without(*kinds: str) -> Change:
    """Return a change that drops what *kinds* of events say of calls."""
    types = {f"response.output_item.{kind}" for kind in kinds} | {_CALL + kind for kind in kinds}
    return lambda events: [e for e in events if not (is_call(e) and e["type"] in types)]


def with_empty(event: Fields) -> Fields:
    """Return the event that ends a call, but without the arguments."""
    if not is_call(event) or not event["type"].endswith(".done"):
        return event
    if "item" in event:
        return {**event, "item": {**event["item"], "arguments": ""}}
    return {**event, "arguments": ""}


def only_in_arguments_done(events: list[Fields]) -> list[Fields]:
    return [e if e["type"].startswith(_CALL) else with_empty(e) for e in without("delta")(events)]


def only_in_completed(events: list[Fields]) -> list[Fields]:
    return [with_empty(event) for event in without("delta")(events)]


def in_added(events: list[Fields]) -> list[Fields]:
    """Return events that begin each call with all of its arguments."""
    whole = {e["output_index"]: e["item"] for e in events if e["type"].endswith("output_item.done")}
    return [
        {**event, "item": {**event["item"], "arguments": whole[event["output_index"]]["arguments"]}}
        if is_call(event) and event["type"].endswith(".added")
        else event
        for event in without("delta")(events)
    ]


def first_delta(events: list[Fields]) -> list[Fields]:
    """Return events that have only the first piece of each call's arguments before the whole."""
    seen: set[int] = set()
    found = []
    for event in events:
        if not is_delta(event) or event["output_index"] not in seen:
            found.append(event)
        if is_delta(event):
            seen.add(event["output_index"])
    return found


def alternating(events: list[Fields]) -> list[Fields]:
    calls = [[e for e in events if is_call(e) and e["output_index"] == at] for at in range(9)]
    others = [event for event in events if not is_call(event)]
    return [*others[:-1], *in_turns(calls), others[-1]]


def response_stream(change: Change) -> Delivery:
    return lambda reply: change(response_events(reply.message()))


RESPONSES: Final[dict[str, Delivery]] = {
    name: response_stream(change)
    for name, change in {
        "plain": list,
        "no arguments.done": lambda events: [
            event for event in events if event["type"] != f"{_CALL}done"
        ],
        "arguments only in arguments.done": only_in_arguments_done,
        "arguments only in item.done": lambda events: [
            event
            for event in without("delta")(events)
            if event["type"] != f"{_CALL}done"
        ],
        "arguments only in completed": only_in_completed,
        "arguments in item.added": in_added,
        "first delta, then the whole": first_delta,
        "items only when done": without("added", "delta"),
        "only completed": lambda events: [events[0], events[-1]],
        "only items": lambda events: [e for e in events if "output_item" in e["type"]],
        "calls alternate": alternating,
        "not completed": lambda events: events[:-1],
    }.items()
}  # fmt: skip


# -- Anthropic -----------------------------------------------------------------------------------


def anthropic_stream(change: Change) -> Delivery:
    def delivered(reply: Reply) -> list[Fields]:
        events = anthropic_events(reply.message())
        reason = "tool_use" if reply.calls else "end_turn"
        events[-2] = {**events[-2], "delta": {"stop_reason": reason, "stop_sequence": None}}
        return change(events)

    return delivered


def is_input(event: Fields) -> bool:
    return bool(event.get("delta", {}).get("type") == "input_json_delta")


def inputs_of(events: list[Fields]) -> dict[int, str]:
    """Return the input of each call as text, by the index of its block."""
    texts: dict[int, str] = {}
    for event in events:
        if is_input(event):
            text = texts.get(event["index"], "") + event["delta"]["partial_json"]
            texts[event["index"]] = text
    return texts


def in_start(events: list[Fields]) -> list[Fields]:
    """Return events that begin each call with its whole input."""
    texts = inputs_of(events)
    return [
        {**e, "content_block": {**e["content_block"], "input": json.loads(texts[e["index"]])}}
        if e.get("content_block", {}).get("type") == "tool_use"
        else e
        for e in events
        if not is_input(e)
    ]


def one_delta(events: list[Fields]) -> list[Fields]:
    """Return events that have each input in one piece."""
    texts, found = inputs_of(events), []
    for event in events:
        if not is_input(event):
            found.append(event)
        elif text := texts.pop(event["index"], ""):
            found.append({**event, "delta": {**event["delta"], "partial_json": text}})
    return found


def blocks_alternate(events: list[Fields]) -> list[Fields]:
    blocks = [[e for e in events if e.get("index") == at] for at in range(9)]
    return [events[0], *in_turns(blocks), *events[-2:]]


def with_snapshots(events: list[Fields]) -> list[Fields]:
    """Return the events of the client's own ``stream()``, with what it derives from others."""
    found = []
    for event in events:
        found.append(event)
        if is_input(event):
            more = event["delta"]["partial_json"]
            found.append({"type": "input_json", "partial_json": more, "snapshot": {}})
    return found


ANTHROPIC: Final[dict[str, Delivery]] = {
    name: anthropic_stream(change)
    for name, change in {
        "plain": list,
        "no pings": lambda events: [e for e in events if e["type"] != "ping"],
        "input in one delta": one_delta,
        "input in the start": in_start,
        "no ends of blocks": lambda events: [
            e for e in events if e["type"] != "content_block_stop"
        ],
        "blocks alternate": blocks_alternate,
        "client's events": with_snapshots,
        "no reason": lambda events: events[:-2],
    }.items()
}  # fmt: skip


# -- Ollama's own API ----------------------------------------------------------------------------


def ollama_chunk(message: Fields, *, done: bool = False) -> Fields:
    more = {"done_reason": "stop", "eval_count": 9} if done else {}
    role = {"role": "assistant", "content": "", **message}
    return {"model": "qwen3", "created_at": "2026-11-28", "message": role, "done": done, **more}


def ollama_calls(reply: Reply) -> list[Fields]:
    return [{"function": {"name": c.tool, "arguments": c.input}} for c in reply.calls]


def ollama_said(reply: Reply) -> Iterator[Fields]:
    for delta in said(reply):
        if thought := delta.get("reasoning_content"):
            yield ollama_chunk({"thinking": thought})
        if text := delta.get("content"):
            yield ollama_chunk({"content": text})


def ollama_one_by_one(reply: Reply) -> list[Fields]:
    calls = (ollama_chunk({"tool_calls": [call]}) for call in ollama_calls(reply))
    return [*ollama_said(reply), *calls, ollama_chunk({}, done=True)]


def ollama_at_once(reply: Reply) -> list[Fields]:
    calls = [ollama_chunk({"tool_calls": ollama_calls(reply)})] if reply.calls else []
    return [*ollama_said(reply), *calls, ollama_chunk({}, done=True)]


def ollama_at_the_end(reply: Reply) -> list[Fields]:
    calls = {"tool_calls": ollama_calls(reply)} if reply.calls else {}
    return [*ollama_said(reply), ollama_chunk(calls, done=True)]


OLLAMA: Final[dict[str, Delivery]] = {
    "one call in a chunk": ollama_one_by_one,
    "all calls in a chunk": ollama_at_once,
    "calls in the last chunk": ollama_at_the_end,
}
