"""How a response of an API ended, where its request stands beside it: with an error, or cut short.

::

    {"request": {"messages": […]}, "response": {"error": {"message": "Rate limit reached"}}}
    {"request": {"messages": […]}, "response": {"choices": [{"finish_reason": "length", …}]}}

Source: the references of OpenAI's, Anthropic's and Google's APIs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from agent_runs.reading.parts import text_of
from agent_runs.reading.said import Said
from outputs import ended_of

UNENDED: Final = "the stream is incomplete"
"""Stands for the reason why a response ended that is a stream without its end."""
RESPONSE_KEYS: Final = ("response", "response_body", "responseBody", "output")
"""Where a record has the response to a request."""
_CHOICES: Final = {"choices": "finish_reason", "candidates": "finishReason"}
"""Where responses have their choices, and these the reason why they ended."""


class Ending(NamedTuple):
    """What a response contains besides its message."""

    errors: tuple[str, ...] = ()
    cut: str = ""
    """Why the message is cut short, in the words of the API."""
    others: int = 0
    """How many other choices it has."""

    def said(self) -> Said:
        """Return the ending as a message that comes after the response."""
        many = f"{self.others} other choices" if self.others > 1 else "another choice"
        left_out = (f"{many} in the response",) if self.others else ()
        return Said("tool", errors=self.errors, cut=self.cut, left_out=left_out)


def ending_of(record: Any) -> Ending | None:
    """Return how the response in a *record* ended; `None` if it ended normally."""
    if not isinstance(record, Mapping):
        return None
    errors: list[str] = []
    cut = ""
    others = 0
    for response in _responses(record):
        for name, reason in _CHOICES.items():
            choices = response.get(name)
            if isinstance(choices, list) and choices:
                others += len(choices) - 1
                cut = cut or _cut_in(choices[0], reason)
        details = response.get("incomplete_details")
        cut = cut or _cut_in(response, "stop_reason") or _cut_in(details, "reason")
        if response is not record and (error := response.get("error")):
            message = error.get("message") if isinstance(error, Mapping) else None
            errors.append(text_of(message or error))
    return Ending(tuple(errors), cut, others) if errors or cut or others else None


def _responses(record: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield a *record*, which may be a response, and those that it has."""
    yield record
    for name in RESPONSE_KEYS:
        response = record.get(name)
        if isinstance(response, Mapping):
            yield response
            body = response.get("body")
            if isinstance(body, Mapping):
                yield body


def _cut_in(found: Any, key: str) -> str:
    reason = found.get(key) if isinstance(found, Mapping) else None
    if not isinstance(reason, str):
        return ""
    is_cut = reason == UNENDED or ended_of({"finish_reason": reason}) == "length"
    return reason if is_cut else ""
