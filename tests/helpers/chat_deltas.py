"""The ways to stream a reply in chunks: Chat Completions, its older form, LangChain's and ours."""

from collections.abc import Callable, Sequence
from itertools import chain, groupby, zip_longest
from typing import Any, Final, TypeAlias

from outputs import tool_call_chunk

from .replies import Fields, Reply
from .wire import completion_chunk, completion_deltas

Delivery: TypeAlias = Callable[[Reply], Sequence[Any] | None]
"""Returns the events of a reply, or `None` if they cannot say it."""
Entries: TypeAlias = list[list[Fields]]
"""The pieces of each call, in the form of Chat Completions."""


def in_turns(series: Sequence[Sequence[Any]]) -> list[Any]:
    """Return the first item of each of the *series*, then the second, and so on."""
    return [item for turn in zip_longest(*series) for item in turn if item is not None]


# -- Chat Completions ----------------------------------------------------------------------------


def said(reply: Reply) -> list[Fields]:
    """Return the deltas without calls."""
    return [delta for delta in completion_deltas(reply.message()) if "tool_calls" not in delta]


def entries_of(reply: Reply) -> Entries:
    """Return the pieces of each call as OpenAI streams them."""
    pieces = [
        delta["tool_calls"][0]
        for delta in completion_deltas(reply.message())
        if "tool_calls" in delta
    ]
    return [[*group] for _, group in groupby(pieces, lambda piece: piece["index"])]


def with_function(entry: Fields, **fields: Any) -> Fields:
    """Return a piece of a call with other *fields* in its function; `None` removes one."""
    function = {**entry["function"], **fields}
    return {**entry, "function": {key: it for key, it in function.items() if it is not None}}


def joined(entries: Entries) -> Entries:
    """Return each call in one piece."""
    return [
        [
            with_function(
                first, arguments="".join(p["function"]["arguments"] for p in (first, *rest))
            )
        ]
        for first, *rest in entries
    ]


def without_index(entries: Entries) -> Entries:
    return [[{k: v for k, v in entry.items() if k != "index"} for entry in one] for one in entries]


def named_again(entries: Entries) -> Entries:
    """Return calls whose id and name are in each piece."""
    return [
        [
            {"id": one[0]["id"], **with_function(piece, name=one[0]["function"]["name"])}
            for piece in one
        ]
        for one in entries
    ]


def named_again_without_id(entries: Entries) -> Entries:
    return [
        [one[0], *(with_function(piece, name=one[0]["function"]["name"]) for piece in one[1:])]
        for one in entries
    ]


def with_late_id(entries: Entries) -> Entries:
    return [
        [{**first, "id": None}, {**second, "id": first["id"]}, *rest]
        for first, second, *rest in entries
    ]


def begun_with_arguments(entries: Entries) -> Entries:
    return [
        [with_function(first, arguments=second["function"]["arguments"]), *rest]
        for first, second, *rest in entries
    ]


def begun_without_arguments(entries: Entries) -> Entries:
    return [[with_function(first, arguments=None), *rest] for first, *rest in entries]


def with_null_ids(entries: Entries) -> Entries:
    return [[first, *({**piece, "id": "null"} for piece in rest)] for first, *rest in entries]


def name_in_two(entries: Entries) -> Entries:
    """Return calls whose name arrives in two pieces, the first of which may be another name."""
    changed = []
    for first, *rest in entries:
        begin, end = halves(first["function"]["name"])
        more = {"index": first["index"], "function": {"name": end, "arguments": ""}}
        changed.append([with_function(first, name=begin), more, *rest])
    return changed


def halves(name: str) -> tuple[str, str]:
    """Return a name in two pieces, the first of which may be another name."""
    start = 5 if len(name) > 5 else 3  # "clock" and "_reset"
    return name[:start], name[start:]


def with_empty_arguments(entries: Entries) -> Entries:
    """Return calls in which an empty object is written as an empty text."""
    return [
        [
            with_function(p, arguments="" if one == "{}" else one)
            for p in pieces
            for one in [p["function"]["arguments"]]
        ]
        for pieces in entries
    ]


Arranged: TypeAlias = Callable[[Reply], list[Fields]]
"""Returns the deltas of a reply, the last one excepted, which has the finish reason."""


def deltas(
    change: Callable[[Entries], Entries] = list, *, alternate: bool = False, at_once: bool = False
) -> Arranged:
    """Return a way to stream the pieces of calls."""

    def arranged(reply: Reply) -> list[Fields]:
        entries = change(entries_of(reply))
        order = in_turns(entries) if alternate else [*chain.from_iterable(entries)]
        if at_once:
            return [*said(reply), *([{"tool_calls": order}] if order else [])]
        return [*said(reply), *({"tool_calls": [piece]} for piece in order)]

    return arranged


DELTAS: Final[dict[str, Arranged]] = {
    "plain": deltas(),
    "name in two pieces": deltas(name_in_two),
    "name repeated": deltas(named_again_without_id),
    "each call whole": deltas(joined),
    "all calls in one delta": deltas(joined, at_once=True),
    "no index": deltas(lambda entries: without_index(joined(entries))),
    "name and id repeated": deltas(named_again),
    "id late": deltas(with_late_id),
    "id is null in words": deltas(with_null_ids),
    "arguments beside the name": deltas(begun_with_arguments),
    "no arguments beside the name": deltas(begun_without_arguments),
    "empty arguments": deltas(with_empty_arguments),
    "calls alternate": deltas(alternate=True),
}


def reason_of(reply: Reply) -> str:
    return "tool_calls" if reply.calls else "stop"


def chunks(arranged: Arranged, *, reason: str | None = "", place: str = "own") -> Delivery:
    """Return a way to stream deltas as chunks.

    Args:
        arranged: Returns the deltas.
        reason: The finish reason; `None` for none, and by default the right one.
        place: Where the reason stands: in its ``"own"`` chunk, or in the ``"last"`` one with text.
    """

    def delivered(reply: Reply) -> list[Fields]:
        why = reason_of(reply) if reason == "" else reason
        found = [completion_chunk(delta) for delta in arranged(reply)]
        if place == "last":
            found[-1]["choices"][0]["finish_reason"] = why
        elif why is not None:
            found.append(completion_chunk({}, why))
        return [*found, completion_chunk(None)]

    return delivered


def derived(reply: Reply) -> list[Fields]:
    """Return the events of the client's own ``stream()``: chunks, and what it makes of them."""
    found: list[Fields] = []
    for chunk in chunks(deltas())(reply) or ():
        found.append({"type": "chunk", "chunk": chunk, "snapshot": {}})
        delta = (chunk["choices"] or [{"delta": {}}])[0]["delta"]
        if text := delta.get("content"):
            found.append({"type": "content.delta", "delta": text, "snapshot": text})
        for piece in delta.get("tool_calls", ()):
            more = piece["function"]["arguments"]
            kind = "tool_calls.function.arguments.delta"
            found.append({"type": kind, "index": piece["index"], "arguments_delta": more})
    return found


CHAT: Final[dict[str, Delivery]] = {
    **{name: chunks(arranged) for name, arranged in DELTAS.items()},
    "reason stop": chunks(deltas(), reason="stop"),
    "no reason": chunks(deltas(), reason=None),
    "reason beside the last piece": chunks(deltas(), place="last"),
    "reason beside whole calls": chunks(deltas(joined, at_once=True), place="last"),
    "client's events": derived,
}


def function_chunks(change: Callable[[list[Fields]], list[Fields]]) -> Delivery:
    """Return a way to stream one call in the older form, ``function_call``."""

    def delivered(reply: Reply) -> list[Fields] | None:
        if len(reply.calls) > 1:
            return None
        pieces = [piece["function"] for one in entries_of(reply) for piece in one]
        parts = [*said(reply), *({"function_call": piece} for piece in change(pieces))]
        reason = "function_call" if reply.calls else "stop"
        return [*map(completion_chunk, parts), completion_chunk({}, reason)]

    return delivered


def _whole_function(pieces: list[Fields]) -> list[Fields]:
    return [{**pieces[0], "arguments": "".join(p["arguments"] for p in pieces)}] if pieces else []


def _name_alone(pieces: list[Fields]) -> list[Fields]:
    return [{"name": pieces[0]["name"]}, *pieces[1:]] if pieces else []


def _two_names(pieces: list[Fields]) -> list[Fields]:
    if not pieces:
        return []
    named = [{"name": name, "arguments": ""} for name in halves(pieces[0]["name"])]
    return [*named, *pieces[1:]]


FUNCTIONS: Final[dict[str, Delivery]] = {
    "plain": function_chunks(list),
    "name in two pieces": function_chunks(_two_names),
    "whole": function_chunks(_whole_function),
    "no arguments beside the name": function_chunks(_name_alone),
}


# -- LangChain's chunks and ours -------------------------------------------------------------------


def message_chunks(arranged: Arranged, make: Callable[..., Any], *, last: Fields) -> Delivery:
    """Return a way to stream deltas as message chunks, ending in one with the *last* metadata."""

    def delivered(reply: Reply) -> list[Any]:
        found = []
        for delta in arranged(reply):
            thought = delta.get("reasoning_content")
            calls = [
                tool_call_chunk(
                    name=piece["function"].get("name"),
                    args=piece["function"].get("arguments"),
                    id=piece.get("id"),
                    index=piece.get("index"),
                )
                for piece in delta.get("tool_calls", ())
            ]
            more = {"reasoning_content": thought} if thought else {}
            content = delta.get("content") or ""
            found.append(make(content=content, tool_call_chunks=calls, additional_kwargs=more))
        reason = {name: value or reason_of(reply) for name, value in last.items()}
        return [*found, make(content="", response_metadata=reason)]

    return delivered


def messages_in_chunks(make: Callable[..., Any]) -> dict[str, Delivery]:
    reason = {"finish_reason": ""}
    return {
        **{name: message_chunks(deltas, make, last=reason) for name, deltas in DELTAS.items()},
        "no reason": message_chunks(deltas(), make, last={}),
        "Anthropic's reason": message_chunks(deltas(), make, last={"stop_reason": ""}),
    }
