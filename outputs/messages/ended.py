"""How a text ended, which decides what may be missing at its end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, TypeAlias

__all__ = ["Ended", "ended_of", "is_filtered", "is_paused", "is_refused", "sooner"]

Ended: TypeAlias = Literal["unknown", "stop", "length"]
"""How a text ended: ``"stop"`` if the model stopped by itself or at a stop sequence, ``"length"``
if the text was cut, ``"unknown"`` if nobody says."""

_STOP: Final = frozenset(
    ("stop", "tool_calls", "tool_call", "function_call", "tool_use", "end_turn", "stop_sequence",
     "eos", "eos_token", "complete", "completed")
)  # fmt: skip
_REFUSED: Final = frozenset(("refusal",))
_FILTERED: Final = frozenset(
    ("content_filter", "content_filtered", "guardrail_intervened", "safety", "recitation",
     "blocklist", "prohibited_content", "spii", "image_safety", "error_toxic")
)  # fmt: skip
_LENGTH: Final = frozenset(
    ("length", "max_tokens", "max_output_tokens", "max_length", "model_length", "token_limit",
     "incomplete", "abort", "cancelled", "failed", "error", "error_limit", "timeout", "time_limit",
     "model_context_window_exceeded", "insufficient_system_resource", "pause_turn",
     "malformed_function_call", "malformed_tool_use", "malformed_model_output")
)  # fmt: skip
_CUT: Final = _LENGTH | _FILTERED | _REFUSED
_BY_LENGTH: Final = tuple(sorted(_STOP | _CUT, key=len, reverse=True))

_FIELDS: Final = (
    "finish_reason", "stop_reason", "done_reason", "status", "stopReason", "finishReason",
)  # fmt: skip
"""Where providers say it: OpenAI and its kin, Anthropic, Ollama, OpenAI's Responses, Bedrock,
Gemini."""


def ended_of(metadata: Mapping[str, Any]) -> Ended:
    """Return how a message ended, given its ``response_metadata``.

    It takes the words of OpenAI's Chat Completions and Responses and of the servers made after
    them, of Anthropic, Bedrock, Cohere, Gemini, Mistral and Ollama, in any case. A filter of the
    provider's cuts a text, as a limit does. A reason that is not known here says nothing; of two
    reasons, the one for a cut counts.
    """
    ended: Ended = "unknown"
    for word in _reasons(metadata):
        if word in _CUT:
            return "length"
        ended = "stop"
    return "length" if metadata.get("incomplete_details") else ended


def sooner(one: Ended, other: Ended) -> Ended:
    """Return how a message ended of which two chunks say so: a cut counts."""
    if "length" in (one, other):
        return "length"
    return one if other == "unknown" else other


def is_refused(metadata: Mapping[str, Any]) -> bool:
    """Tell whether a message ended since the model refused, given its ``response_metadata``."""
    return not _REFUSED.isdisjoint(_reasons(metadata))


def is_paused(metadata: Mapping[str, Any]) -> bool:
    """Tell whether the provider paused a message, to go on when it gets it back."""
    return "pause_turn" in _reasons(metadata)


def is_filtered(metadata: Mapping[str, Any]) -> bool:
    """Tell whether the provider's filter ended a message, given its ``response_metadata``."""
    details = metadata.get("incomplete_details")
    if isinstance(details, Mapping) and details.get("reason") in _FILTERED:
        return True
    return not _FILTERED.isdisjoint(_reasons(metadata))


def _reasons(metadata: Mapping[str, Any]) -> list[str]:
    """Return the words in *metadata* that are known here."""
    found: list[str] = []
    for field in _FIELDS:
        value = metadata.get(field)
        if isinstance(value, str):
            word = value.lower()
            if word in _STOP or word in _CUT:
                found.append(word)
            else:
                found += _words_in(word)
    return found


def _words_in(text: str) -> list[str]:
    """Return the words that *text* is the sum of; none if it is anything else.

    Where two chunks of a message say why it ends, their sum says both: ``"stopstop"``.
    """
    found: list[str] = []
    at = 0
    while at < len(text):
        word = next((word for word in _BY_LENGTH if text.startswith(word, at)), None)
        if word is None:
            return []
        found.append(word)
        at += len(word)
    return found
