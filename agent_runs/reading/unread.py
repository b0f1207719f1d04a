"""What a message has under keys that its form does not know.

It may be a call, as a framework writes it beside the content::

    {"role": "assistant", "content": "Sent.", "actions": [{"name": "send", "args": {"to": "ann"}}]}

or all that the message says: ``{"role": "assistant", "text": "Sent."}``. Most of what stands beside
a content says neither: ids, times, usage and the like.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from agent_parsers import OutputParserException
from agent_parsers.core import observation_text
from agent_runs.reading.parts import call_of

if TYPE_CHECKING:
    from agent_runs.reading.said import Said, SaidCall

_ABOUT: Final = frozenset((
    "agent", "agents", "annotation", "annotations", "artifact", "at", "attachment",
    "attachments", "audio", "author", "channel", "choice", "chunks", "citations", "config",
    "context", "control", "cost", "costs", "created", "date", "details", "edits", "embedding",
    "embeddings", "extra", "feedback", "file", "files", "format", "functions", "hash", "id",
    "ids", "image", "images", "index", "info", "kind", "kwargs", "lang", "language", "logprobs",
    "meta", "metadata", "metrics", "model", "name", "options", "origin", "params",
    "passthrough", "phase", "provider", "rating", "reason", "recipient", "references", "role",
    "schema", "score", "scores", "sender", "settings", "signature", "signatures", "source",
    "sources", "state", "stats", "status", "tags", "time", "timestamp", "timing", "timings",
    "tokens", "tools", "type", "updated", "usage", "user", "uuid", "version", "weight",
))  # fmt: skip
"""Last words of keys under which stands what is said about a message, which is no part of it."""
_OF_CALLS: Final = frozenset(
    ("action", "actions", "call", "calls", "function", "invocation", "invocations", "tool")
)
"""Words of keys under which calls stand."""
_OF_RESULTS: Final = frozenset(("observation", "observations", "result", "results"))
_OF_WORDS: Final = frozenset(("answer", "message", "output", "response", "text", "value"))
"""Keys under which one word may be all that somebody says."""
_NAMES: Final = frozenset(("name", "tool_name", "toolName", "function_name", "tool", "action"))
_GIVEN: Final = frozenset(
    ("arguments", "args", "input", "tool_kwargs", "tool_input", "action_input")
)
_REASONS: Final = ("finish_reason", "stop_reason", "finishReason", "stopReason")
_TO_CALL: Final = ("toolcalls", "toolcall", "functioncall", "tooluse", "requiresaction")
_ADVICE: Final = "Give a log in one of the forms that list_readers() returns."
_is_name: Final = re.compile(r"[\w.:-]*\Z").match
_humps: Final = re.compile(r"(?<=[a-z\d])(?=[A-Z])").sub


def calls_in_text(message: Mapping[str, Any]) -> list[SaidCall]:
    """Return the calls that are the text of a *message*, if the model stopped in order to call."""
    found = _json_in(message.get("content")) if _stopped_to_call(message) else None
    calls = found if isinstance(found, list) else [found]
    are_calls = all(isinstance(each, Mapping) and _is_call(each) for each in calls)
    return [*map(call_of, calls)] if are_calls else []


def call_again(content: Any) -> OutputParserException | None:
    """Return the error of what a tool is said to have returned, if it is calls with their ids."""
    found = _json_in(content)
    if not isinstance(found, list) or not all(map(_is_call_with_id, found)) or not found:
        return None
    reason = "what a tool is said to have returned is a call"
    return OutputParserException(reason, observation=_ADVICE, llm_output=content)


def _is_call_with_id(value: Any) -> bool:
    is_typed = isinstance(value, Mapping) and value.get("type") == "function"
    return is_typed and bool(value.get("id")) and _is_call(value)


def _stopped_to_call(message: Mapping[str, Any]) -> bool:
    places = (message, *(message.get(name) for name in ("meta", "metadata", "response_metadata")))
    reasons = (each.get(name) for each in places if isinstance(each, Mapping) for name in _REASONS)
    return any(_plain(each) in _TO_CALL for each in reasons if isinstance(each, str))


def _plain(reason: str) -> str:
    return reason.lower().translate({ord("-"): None, ord("_"): None})


def _json_in(text: Any) -> Any:
    """Return the list or object that a *text* is; `None` if it is none."""
    if not isinstance(text, str) or not text.lstrip().startswith(("[", "{")):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def take_unread(said: Said, message: Mapping[str, Any], known: Iterable[str]) -> None:
    """Add to *said* what its *message* has under other keys than those *known* to its form."""
    others = {key: value for key, value in message.items() if value and key not in known}
    if not others:
        return
    if said.role != "tool":
        said.unread = [
            _error(key, value)
            for key, value in others.items()
            if _may_call(str(key), value) and not _is_told(value, said.calls)
        ]
    if said.role == "assistant" and not said.calls and _stopped_to_call(message):
        _take_text(said)
    if said.says_anything and not _is_empty_result(said):
        return
    if said.unread:
        said.role = "tool" if said.role == "user" else said.role  # nobody asks anything
        return
    left_out = {key: value for key, value in others.items() if _is_said(str(key), value)}
    if left_out:
        names = ", ".join(map(repr, left_out))
        said.left_out = [f"{names} of a message without content"]
    said.unowned = "\n".join(map(observation_text, left_out.values()))


def _take_text(said: Said) -> None:
    """Take the text of a model that stopped in order to call: if it is JSON, it may be the call."""
    if _json_in(said.text) is not None:
        reason = "the model stopped to call a tool, and no call is found in its text, which is JSON"
        error = OutputParserException(reason, observation=_ADVICE, llm_output=said.text)
        said.unread, said.text = [*said.unread, error], ""


def _is_empty_result(said: Said) -> bool:
    return said.role == "tool" and not any(result.text for result in said.results)


def _error(key: str, value: Any) -> OutputParserException:
    return OutputParserException(
        f"found {key!r} beside the content, which is unknown and may be a call or a result",
        observation=_ADVICE,
        llm_output=observation_text(value),
    )


@lru_cache(maxsize=1024)
def _words_of(key: str) -> tuple[str, ...]:
    return tuple(_humps("_", key).lower().split("_"))


def _may_call(key: str, value: Any) -> bool:
    """Return whether a *value* may be a call, or several, by its shape or by its *key*."""
    if not isinstance(value, str | list | dict | Mapping):
        return False
    if not isinstance(value, str) and any(map(_is_call, _objects_in(value))):
        return True
    words = _words_of(key)
    speaks = not _OF_CALLS.isdisjoint(words) or key in _OF_RESULTS
    return speaks and words[-1] not in _ABOUT and _has_more_than_names(value)


def _has_more_than_names(value: Any) -> bool:
    if isinstance(value, str):
        return value.lstrip().startswith(("{", "["))
    if isinstance(value, list):
        return any(_is_name(each) is None if isinstance(each, str) else each for each in value)
    return isinstance(value, Mapping)


def _objects_in(value: Any) -> Iterator[Mapping[str, Any]]:
    """Yield a *value*, its items, and those of its members, as far as they are objects."""
    if isinstance(value, Mapping):
        yield value
    members = value.values() if isinstance(value, Mapping) else [value]
    for each in members:
        items = each if isinstance(each, list) else [each]
        yield from (item for item in items if isinstance(item, Mapping) and item is not value)


def _is_call(value: Mapping[str, Any]) -> bool:
    inner = value.get("function", value)
    inner = inner if isinstance(inner, Mapping) else value
    is_named = any(isinstance(inner.get(name), str) for name in _NAMES)
    return is_named and not _GIVEN.isdisjoint(inner)


def _is_told(value: Any, calls: Iterable[SaidCall]) -> bool:
    """Return whether all calls in a *value* are among the *calls* that were read elsewhere."""
    known = [(call.tool, call.tool_input) for call in calls]
    found = [each for each in _objects_in(value) if _is_call(each)]
    try:
        read = [call_of(each) for each in found]
    except (KeyError, TypeError):
        return False
    return bool(read) and all((call.tool, call.tool_input) in known for call in read)


def _is_said(key: str, value: Any) -> bool:
    """Return whether a *value* is words or data, and no more than a name, a path or the like."""
    if isinstance(value, str):
        is_said = key in _OF_WORDS or len(value.split()) > 1
    else:
        is_said = _has_more_than_names(value)
    return is_said and _words_of(key)[-1] not in _ABOUT
