"""What servers send: chunks of Chat Completions, made of those of any kind, and errors."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

import httpx

from agent_serving.serve.exchange.events import ReplyFailure

Chunk: TypeAlias = "str | dict[str, Any]"
"""Text, or a chunk of Chat Completions with more than text."""
THOUGHTS: Final = ("reasoning_content", "reasoning")
"""The fields of a delta that servers put thoughts in."""
_PASSED_ON: Final = frozenset((400, 401, 403, 404, 413, 422, 429))
"""The statuses of an upstream that are the client's to mend."""


class ExchangeError(Exception):
    """There is no reply, or it broke off; see `ReplyFailure` for what the client is told."""

    def __init__(self, status: int, message: str, code: str | None = None) -> None:
        super().__init__(message)
        self.failed: Final = ReplyFailure(status, message, code)


def openai_chunks(data: Any) -> list[tuple[Chunk, bool]]:
    """Return the chunks in the *data* of an event, and whether each is the last one.

    Raises:
        ExchangeError: It is no chunk.
    """
    if not isinstance(data, dict):
        raise _odd(data)
    if data.get("error") or data.get("object") == "error":
        raise ExchangeError(502, f"the upstream failed: {error_text(data)}")
    choices, usage = data.get("choices"), data.get("usage")
    if not isinstance(choices, list):
        raise _odd(data)
    found: list[tuple[Chunk, bool]] = []
    for choice in choices:
        if not isinstance(choice, dict) or choice.get("index", 0) != 0:
            raise _odd(data)
        delta = choice.get("delta")
        if delta is None:
            delta = {"content": choice.get("text")}
        if not isinstance(delta, dict):
            raise _odd(data)
        text, reason = delta.get("content"), choice.get("finish_reason")
        if not (text is None or isinstance(text, str)):
            raise _odd(data)
        beside = any(value for name, value in delta.items() if name not in ("content", "role"))
        if beside or reason or choice.get("logprobs"):
            made = {**choice, "delta": delta}
            made.pop("text", None)
            chunk = {"object": "chat.completion.chunk", "choices": [made]}
            found.append((chunk, isinstance(reason, str)))
        elif text:
            found.append((text, False))
    if usage:
        found.append(({"object": "chat.completion.chunk", "choices": [], "usage": usage}, False))
    return found


def ollama_chunks(data: Any) -> list[tuple[Chunk, bool]]:
    """Do the same as `openai_chunks` for a line of Ollama's own API."""
    if not isinstance(data, dict):
        raise _odd(data)
    if data.get("error"):
        raise ExchangeError(502, f"the upstream failed: {error_text(data)}")
    message = data.get("message", {"content": data.get("response")})
    if not isinstance(message, dict) or not isinstance(message.get("content") or "", str):
        raise _odd(data)
    delta: dict[str, Any] = {}
    if message.get("content"):
        delta["content"] = message["content"]
    if message.get("thinking"):
        delta["reasoning_content"] = message["thinking"]
    if calls := message.get("tool_calls"):
        delta["tool_calls"] = [
            {"index": index, "id": f"call{index:05}", "type": "function", "function": {
                **call["function"], "arguments": json.dumps(call["function"].get("arguments"))}}
            for index, call in enumerate(calls)
        ]  # fmt: skip
    reason = (data.get("done_reason") or "stop") if data.get("done") else None
    found: list[tuple[Chunk, bool]] = []
    if delta or reason:
        if [*delta] == ["content"] and reason is None:
            return [(delta["content"], False)]
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        chunk = {"object": "chat.completion.chunk", "choices": [choice]}
        found.append((chunk, reason is not None))
    counts = data.get("prompt_eval_count", 0), data.get("eval_count")
    if reason is not None and counts[1] is not None:
        usage = {
            "prompt_tokens": counts[0], "completion_tokens": counts[1], "total_tokens": sum(counts),
        }  # fmt: skip
        found.append(({"object": "chat.completion.chunk", "choices": [], "usage": usage}, False))
    return found


def says_more(chunk: Chunk) -> bool:
    """Return whether *chunk* has more of the reply than how it ended and what it took."""
    return isinstance(chunk, str) or any(
        value for choice in chunk["choices"] for value in choice["delta"].values()
    )


class WholeCharacters:
    """Joins characters of which one chunk has the first half, and the next one the second.

    A proxy that counts in UTF-16 may cut a text between the two halves, which are surrogates.
    """

    def __init__(self) -> None:
        self._halves: dict[object, str] = {}

    def joined(self, chunk: Chunk, *, is_last: bool) -> Chunk:
        """Return *chunk* with the half that precedes it; without one at its end, unless it is last.

        A half that nothing completes stays as it is.
        """
        if isinstance(chunk, str):
            return self._text("content", chunk, is_last=is_last)
        for choice in chunk["choices"]:
            self._join_in(choice["delta"], _TEXTS, is_last=is_last)
            calls = choice["delta"].get("tool_calls")
            for call in calls if isinstance(calls, list) else ():
                function = call.get("function") if isinstance(call, dict) else None
                if isinstance(function, dict):
                    key = call.get("index")
                    self._join_in(function, ("arguments",), key, is_last=is_last)
        return chunk

    def _join_in(
        self, fields: dict[str, Any], names: Sequence[str], key: object = "", *, is_last: bool
    ) -> None:
        for name in names:
            text, place = fields.get(name), f"{name} {key}".strip()
            if isinstance(text, str) or (is_last and place in self._halves):
                fields[name] = self._text(place, text or "", is_last=is_last)

    def _text(self, place: str, text: str, *, is_last: bool) -> str:
        text = self._halves.pop(place, "") + text
        if text.isascii():
            return text
        if not is_last and "\ud800" <= text[-1] <= "\udbff":
            self._halves[place], text = text[-1], text[:-1]
        return _PAIR.sub(lambda pair: pair[0].encode("utf-16", _PASS).decode("utf-16"), text)


_TEXTS: Final = ("content", *THOUGHTS)
_PAIR: Final = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_PASS: Final = "surrogatepass"


def loaded(data: bytes) -> Any:
    """Return the value of the JSON that an upstream sent.

    Raises:
        ExchangeError: It is no JSON.
    """
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        raise ExchangeError(502, f"the upstream sent invalid JSON: {data[:200]!r}") from None


def _odd(data: Any) -> ExchangeError:
    return ExchangeError(502, f"the upstream sent an invalid chunk: {data!r:.200}")


def broken_off(error: Exception) -> ExchangeError:
    """Return the error for the client if the connection to the upstream fails with *error*."""
    if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
        return ExchangeError(
            502, f"the upstream cannot be reached: {error}", "upstream_unreachable"
        )
    said = str(error) or type(error).__name__
    if isinstance(error, httpx.DecodingError):
        return ExchangeError(502, f"the reply of the upstream cannot be decoded: {said}")
    return ExchangeError(
        502, f"the connection to the upstream broke off: {said}", "upstream_broke_off"
    )


def refusal_of(status: int, said: bytes) -> ExchangeError:
    """Return the error for the client if the upstream answers with an error *status*."""
    try:
        message = error_text(json.loads(said))
    except (ValueError, RecursionError):
        message = said[:500].decode(errors="replace")
    lower = message.lower()
    is_context = "context" in lower and any(
        w in lower for w in ("length", "size", "exceed", "long")
    )
    if is_context and status in (400, 413, 422, 500):
        return ExchangeError(400, f"the upstream: {message}", "context_length_exceeded")
    told = f"the upstream: {status} {message}"
    return ExchangeError(status if status in _PASSED_ON else 502, told, "upstream_error")


def error_text(body: Any) -> str:
    """Return the message in the *body* of an error, which each server nests differently."""
    found = body
    for _ in range(3):
        if not isinstance(found, Mapping):
            break
        found = next(
            (found[n] for n in ("error", "message", "detail", "type") if found.get(n)), str(found)
        )
    return found if isinstance(found, str) else json.dumps(found)[:500]
